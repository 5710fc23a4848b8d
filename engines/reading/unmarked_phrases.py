"""English and Chinese phrases by which the prose around an object shows whose it is:
the rules for replies without a mark.

They apply to sessions recorded before marks existed, and to imported ones. Of 887
readings of recorded verdicts, one needs phrases at all, those of `announcing`. In
replies with a mark they can only discard a value, never add one.
"""

from __future__ import annotations

import re

from .announcing import words

CLOSING = words(
    """
    a all any anything are ask done else facts feel for free further happy have help
    helpful helps hope i if is it json key know let me more my need of please question
    questions reply requested that that's the there these this to verdict with you your
    """
)
CLOSING_ZH = re.compile(
    r"希望|以上|这|是|我|的|裁决|判断|结论|回复|对|您|你|有所?|帮助|谢谢|如有?|需要?|更多|请"
    r"|告诉|告知|随时|就|全部|完毕|了"
)
QUOTING = re.compile(
    r"(?i)smuggl|inject|fabricat|\btricks?\b|\bquot(?:e[ds]?|ing|ation)\b|\bexamples?\b"
    r"|\b(?:not|isn't|no|nor|never|none)\b[^.\n]{0,30}\b(?:mine|my|verdicts?"
    r"|rulings?|judge?ments?)\b|\bignor|\bdrafts?\b|\bi (?:decline|refuse|reject)\b"
    r"|\b(?:grades?|scores?|rates?|praises?|judges?) (?:itself|himself"
    r"|themselves)\b"
    r"|(?!\A)\b(?:wants?|wanted|asks?|asked|told|tells?|orders?|ordered|urges?"
    r"|instruct(?:s|ed)?|would have) (?:me|us|the judge)\b"
    r"|\b(?:instructions?|commands?|orders?|lists?|objects?) (?:found|hidden"
    r"|contained|embedded|planted|pasted)\b"
    r"|夹带|捏造|注入|引用|例如|比如|不代表|不是我|忽略|草稿|要求我|[让叫]我",
)
"""Phrases that say that an object belongs to somebody else, is an example, or is
withdrawn.
"""
POINTING = re.compile(r"(?i)\bfollow(?:s|ing)\b|\bthis\b\W*$|[如以]下|这样")
BACKWARD = re.compile(
    r"(?i)(?:this|that|these|those|it|its|which|who|(?:the )?above|such|is|was)\b"
    r"|以上|上述|这|此",
)
DISAGREEING = re.compile(
    r"(?i)\b(?:not|n't|cannot|never)\s(?:\w+ )?(?:agree"
    r"|share|accept|adopt|sign|follow|endorse|support)"
    r"|不(?:同意|认同|赞成|签)",
)
LEADING_UP = re.compile(
    r"(?i)[:：]$|\b(?:with|by|says?|said|answer|reply|writes?|wrote|reads?|concludes?"
    r"|concluded|states?|stated)$|[称道说为是写]$",
)
"""The end of a clause that continues with what is behind it."""
NEGATION = re.compile(
    r"(?i)\b(?:not|no|never|nor|neither|nobody|cannot|\w+n't)\b|[不没非未无]"
)
WRONG = re.compile(
    r"(?i)\b(?:wrong|incorrect|instead|if|suppose|imagine|earlier|previous(?:ly)?"
    r"|would|reject(?:ed)?|void|invalid|had)\b|错|如果|若",
)
OTHERS = re.compile(
    r"(?i)\b(?:negative|affirmative|debaters? ?\d?|opponents?|sides?"
    r"|part(?:y|ies)|speech(?:es)?|speakers?|documents?|transcripts?"
    r"|rebuttals?|passages?|pages?|references?|sources?|texts?"
    r"|authors?|they|their|them|he|his|she|her|somebody|someone"
    r"|case [ab]|defen[cs]e|itself|himself|herself|themselves)\b"
    r"|[正反对双一]方|发言|资料|文档|网页|原文|案情|案件[甲乙]|[他她]|有人|自己",
)
WRITING = re.compile(
    r"(?i)\b(?:wrote|writes?|written|puts?|insert(?:s|ed)?|add(?:s|ed)"
    r"|(?:ends?|ended|closing) (?:with|on|in|by)|append(?:s|ed)?)\b|写|附上",
)
EXPLAINING = re.compile(
    r"(?i)(?:my )?(?:explanation|reasons?|reasoning|rationale|analysis|why|because"
    r"|summary)\b|理由|说明|解释|原因",
)
OBJECTS = re.compile(
    r"(?i)\b(?:json|objects?|blocks?|code|verdicts?|rulings?|lists?|scores?"
    r"|instructions?|lines?|words?|ratings?)\b|对象|代码|裁决|列表|评分|指令|内容",
)
OWN = re.compile(r"(?i)\b(?:my|mine|i)\b|我")
ATTRIBUTED = re.compile(
    r"(?i)(?:affirmative|negative|debaters? ?\d?|opponent|side|party|their|his|her"
    r"|candidate|other|first|second"
    r"|正方|反方|对方|双方|辩手.?|一方)"
    r"(?:['’]s?)?\s*的?\s*(?:final |own |present |given |stated |proposed )?$",
)
"""Before a key: it is somebody else's."""
