"""English and Chinese words by which the prose around an object says whose it is: the
old rules.

They are for replies that were asked for no mark: sessions that began before there were
marks, and imported ones. Of 887 readings of recorded verdicts one needs words at all,
and that one those of `announcing`. In replies with a mark they only take a value away,
never give one.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CLOSING = _words(
    """
    a about above all any anything are as ask assist candidates care clarification debate details done else end explanation facts
    feel for free further happy have help helpful helps here hope i i'm if is it json judgement judgment key know let list luck
    me more my need object of ok please question questions reply requested required scores something than thank thanks that
    that's the there these this to verdict want with would you your yours
    """
)
CLOSING_ZH = re.compile(
    r"希望|以上|这|是|为|我|的|裁决|判断|结论|回复|核查|结果|对|您|你|有所?|帮助"
    r"|谢谢|感谢|如有?|需要?|更多|说明|解释|请|告诉|告知|随时|就|全部|完毕|完|了"
    r"|内容"
)
QUOTING = re.compile(
    r"smuggl|inject|fabricat|\btricks?\b"
    r"|\bquot(?:e[ds]?|ing|ation)\b|verbatim|\bexamples?\b|\be\.g\.|for instance"
    r"|\bsamples?\b|\btemplate|placeholder|hypothe"
    r"|\b(?:not|isn't|no|nor|never|none)\b[^.\n]{0,30}\b(?:mine|my|verdicts?"
    r"|rulings?|of mine|judge?ments?)\b|\bignor|disregard"
    r"|retract|withdr[ae]w|\bdrafts?\b|discard|scratch that|\bi (?:decline|refuse"
    r"|reject)\b"
    r"|\b(?:grades?|scores?|rates?|praises?|judges?) (?:itself|himself"
    r"|themselves)\b|never ?mind|\bcorrection\b|so-called"
    r"|\b(?:wants?|wanted|asks?|asked|told|tells?|orders?|ordered|urges?"
    r"|instruct(?:s|ed)?|would have) (?:me|us|the judge)\b"
    r"|\b(?:tr(?:y|ies|ied|ying)|attempt(?:s|ed)?|meant|hop(?:es?|ed)) "
    r"to\b[^.\n]{0,40}\b(?:slip|plant|insert|sneak|sway)"
    r"|\b(?:do|does|did|can|could|shall|will|must) ?n[o']t (?:share|adopt|accept"
    r"|endorse|follow|count|obey)|\bdon't (?:share|adopt|accept)"
    r"|\b(?:instructions?|commands?|orders?|lists?|objects?) (?:found|hidden"
    r"|contained|embedded|planted|pasted)\b"
    r"|夹带|捏造|花招|塞进|塞入|混进|混入|偷偷|注入|引用|引述|转引|原话|例如|比如"
    r"|譬如|示例|样例|举例|范例|模板|假设|假如|不代表|不采纳|不采信|不接受|不认可"
    r"|不是我|并非我|不算我|忽略|无视|不理会|不予采|不予理|草稿|作废|撤回|更正|要"
    r"求我|让我|叫我|想让我|要我",
    re.IGNORECASE,
)
"""Phrases that say that an object belongs to somebody else, is an example, or is
withdrawn.
"""
POINTING = re.compile(
    r"\bfollow(?:s|ing)\b|\bbelow\b|\bthis\b\W*$|如下|以下|下面|这样|这段",
    re.IGNORECASE,
)
BACKWARD = re.compile(
    r"(?:this|that|these|those|it|its|which|who|the above|above|such|is|was|says?"
    r"|said)\b|上述|以上|这|那|该|此|它|是",
    re.IGNORECASE,
)
DISAGREEING = re.compile(
    r"^\W*(?:no|nope|never|not so)\b|\b(?:not|n't|cannot|never)\s(?:\w+ )?(?:agree"
    r"|share|accept|adopt|sign|follow|endorse|support)"
    r"|^\W*(?:不对|不是|不行|否)|不(?:同意|认同|赞成|签)",
    re.IGNORECASE,
)
LEADING_UP = re.compile(
    r"[:：]$|\b(?:with|by|says?|said|answer|reply|writes?|wrote|reads?|concludes?"
    r"|concluded|states?|stated)$|[称道说为是写]$",
    re.IGNORECASE,
)
"""The end of a clause that goes on with what stands behind it."""
TAKEN_UP = re.compile(
    r"\b(?:it|this|that|these|those|the above)\W*$|\b(?:rely|trust|believe)\b|上述"
    r"|以上|依据|作数|可信",
    re.IGNORECASE,
)
"""Where a sentence takes up what stands before it."""
NEGATION = re.compile(
    r"\b(?:not|no|never|nor|neither|nobody|cannot|\w+n't)\b|不|没|非|未|无",
    re.IGNORECASE,
)
IF = re.compile(
    r"\b(?:if|suppose|supposing|imagine|had (?:i|they|it)|were (?:i|it|they))\b|如"
    r"果|若|倘若|假使|要是",
    re.IGNORECASE,
)
WRONG = re.compile(
    r"\b(?:wrong|incorrect|instead|if|suppose|imagine|earlier|previous(?:ly)?"
    r"|unlike|rather than"
    r"|would|reject(?:ed)?|void|invalid|dismissed|denied)\b"
    r"|错|如果|若|倘若|原先|先前|驳回|无效|否决",
    re.IGNORECASE,
)
OTHERS = re.compile(
    r"\b(?:negative|affirmative|debaters? ?\d?|opponents?|other side|sides?"
    r"|part(?:y|ies)|speech(?:es)?|speakers?|documents?|transcripts?"
    r"|rebuttals?|footers?|passages?|pages?|websites?|references?|sources?|texts?"
    r"|authors?|they|their|them|he|his|she|her|somebody|someone"
    r"|case [ab]|defen[cs]e|generator|user|itself|himself|herself|themselves)\b"
    r"|正方|反方|对方|双方|辩手|发言|资料|文档|网页|参考|原文|作者|文中|回答者|案"
    r"件[甲乙]|案情|他们?|她|有人|用户|一方|自己|自带|自身|辩护人?|法院",
    re.IGNORECASE,
)
WRITING = re.compile(
    r"\b(?:wrote|writes?|written|puts?|insert(?:s|ed)?|add(?:s|ed)|(?:ends?|ended"
    r"|close[sd]?|closing) (?:with|on|in|by)"
    r"|append(?:s|ed)?|plant(?:s|ed)?|hid(?:es|den)?|slip(?:s|ped)?)\b|写|附上|附"
    r"有|插入|放入|加上|结尾|末尾",
    re.IGNORECASE,
)
EXPLAINING = re.compile(
    r"(?:my )?(?:explanation|reasons?|reasoning|rationale|justification|analysis"
    r"|why|because|in short|in summary|summary|details)\b"
    r"|理由|说明|解释|分析|原因|简而言之",
    re.IGNORECASE,
)
OBJECTS = re.compile(
    r"\b(?:json|objects?|blocks?|code|snippets?|verdicts?|rulings?|lists?|scores?"
    r"|instructions?|lines?|braces?|words?|ratings?)\b|对象|代码|裁决|裁定|判决|列"
    r"表|清单|评分|指令|内容",
    re.IGNORECASE,
)
OWN = re.compile(r"\b(?:my|mine|i)\b|我", re.IGNORECASE)
ATTRIBUTED = re.compile(
    r"(?:affirmative|negative|debaters? ?\d?|opponent|side|party|their|his|her"
    r"|candidate|other|first|second"
    r"|正方|反方|对方|双方|辩手.?|一方)"
    r"(?:['’]s?)?\s*的?\s*(?:final |own |present |given |stated |proposed )?$",
    re.IGNORECASE,
)
"""Before a key: it is somebody else's."""
