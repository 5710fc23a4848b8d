"""Recognizes an answer that does not answer: it only says that the references do not
contain the answer, or that the speaker does not know it.

Every built-in prompt asks for one fixed sentence in that case, `NOT_HELD`. Models often
use other words, so common phrases in English and Chinese are recognized as well. A text
with any further content is an answer: a false “no answer” would discard a real one.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

NOT_HELD = {
    False: "The references do not contain the answer.",
    True: "\u53c2\u8003\u8d44\u6599\u4e2d\u6ca1\u6709\u7b54\u6848\u3002",
}
"""The agreed sentence, in English and (True) in Chinese."""

LONGEST = 800
"""Characters. A longer text says something."""

_SOURCE = (
    r"(?:(?:reference|document|passage|context|source|text|article|excerpt|snippet"
    r"|material|search\ result)s?|results)"
)
_NOT = (
    r"(?:(?:do|does|did|is|are|was|were|has|have|can|could)(?:\ not|n't)|cannot|never"
    r"|fails?\ to|lacks?)"
)
_HOLDS = (
    r"(?:hold|contain|provide|mention|say|state|specif(?:y|ically)|include|give"
    r"|answer|indicate|have|offer|tell|address|discuss|cover|reveal"
    r"|identify|name|explain|clarify|sufficient|enough|available|any|information"
    r"|the\ answer|an\ answer|details)"
)
_KNOW = (
    r"(?:answer|determine|find|say|tell|provide|confirm|identify|give|conclude|infer"
    r"|establish|verify|be\ sure|locate|respond)"
)
_UNABLE = (
    r"(?:cannot|can\ not|can't|could\ not|couldn't|am\ not\ able\ to"
    r"|are\ not\ able\ to|(?:am\ |are\ |was\ |were\ )?unable\ to)"
)
_NOTHING = r"(?:no|not\ any|not\ enough|insufficient|nothing)"
_STUFF = (
    r"(?:information|answer|mention|references?|details?|context|indication|passage)"
)
_LEAD = (
    r"(?:(?:i\ am\ |i'm\ |we\ are\ )?sorry|unfortunately|regrettably|therefore|thus"
    r"|hence|so|as\ a\ result|apologies|i\ apologi[sz]e)"
)
_BASED = (
    rf"(?:(?:based\ on|according\ to|from|in|given|with)\ [^,.]{{0,60}}?{_SOURCE}[^,"
    rf".]{{0,30}})"
)

_FORMS = rf"""
    ^(?:(?:{_LEAD}|{_BASED})(?:,\ but|,|:|\ but)?\ ){{0,3}}
    (?:
      (?:the|these|those|this|that|any\ of\ the|given|provided|supplied|retrieved
        |available|my)\ (?:\w+\ ){{0,4}}?{_SOURCE}
        (?:\ (?:\w+\ ){{0,5}}?|\ ){_NOT}\ (?:\w+\ ){{0,3}}?{_HOLDS}\b
      | (?:none\ of|nothing\ in|neither\ of)\ (?:the|these
        |those)\ (?:\w+\ ){{0,3}}?{_SOURCE}\ (?:\w+\ ){{0,3}}?{_HOLDS}s?\b
      | no\ (?:{_SOURCE})\ (?:\w+\ ){{0,3}}?
        (?:holds?|contains?|mentions?|says?|states?|gives?|answers?|(?:was|were|is
          |are)\ (?:found|given))\b
      | (?:there\ (?:is|was|are|were)|i\ (?:find|found|see|have|could\ find)|we\ (?:find
        |found|have))\ (?:\w+\ )?{_NOTHING}
        \ (?:\w+\ ){{0,3}}?{_STUFF}\b
      | (?:i|we)\ {_UNABLE}\ (?:\w+\ ){{0,2}}?{_KNOW}\b
      | (?:it\ is\ |it's\ )?(?:cannot|can't|unable\ to|not\ possible\ to
        |impossible\ to)\ (?:answer|determine|say|tell)\b
      | (?:i|we)\ (?:do\ not|don't)\ (?:know|have\ (?:enough|sufficient|any|the|that
        |access|information))\b
      | (?:the|this|your|that)\ (?:question|answer)\ (?:\w+\ ){{0,3}}?(?:cannot|can\ not
        |can't|could\ not|couldn't|is\ not|isn't)\ (?:be\ )?
        (?:answered|determined|found|inferred|established|given|derived|identified
          |stated|mentioned|provided|available|in)\b
      | (?:[\w'\-]+\ ){{1,14}}?(?:(?:cannot|can\ not|can't|could\ not)\ be|(?:is|are|was
        |were)\ (?:not|never))\ (?:\w+\ )?
        (?:answered|determined|found|inferred|established|given|stated|mentioned
          |specified|provided|known|named|identified|discussed|covered
        |addressed|available)\ (?:\w+\ )?(?:in|by|from|based\ on|within
          |using)\ (?:\w+\ ){{0,4}}?{_SOURCE}\b
      | (?:there\ is\ )?(?:not\ enough|insufficient|no)\ (?:\w+\ )?(?:information
        |context)\b
      | (?:not\ (?:stated|mentioned|specified|given|found|provided
        |answered)(?:\ in\ .{{0,60}})?
        |no\ answer(?:\ found)?|unanswerable|i\ have\ no\ idea)$
    )
    """
_ZH_SOURCE = (
    "(?:参考资料|资料|参考文献|文献|文档|上下文|材料|段落|检索结果|搜索结果|原文"
    "|(?:所?提供的?|所?给出?的?|给定的?|上述|以上|现有的?|已有的?)(?:文件|文本|文"
    "章|来源|信息|内容|篇章))"
)
_ZH_STUFF = "(?:信息|资料|答案|依据|内容|记载|说明|线索)"
_ZH_FORMS = rf"""
    ^(?:(?:抱歉|很抱歉|非常抱歉|对不起|很遗憾|遗憾的是|不好意思|因此|所以|故|目前|暂时)[，,：:\ ]?){{0,2}}
    (?:(?:根据|从|由|基于|凭|仅凭|在|依据|按照|就)[^，,。]{{0,20}}?{_ZH_SOURCE}[^，,。没未无不]{{0,10}}[，,]?)?
    (?:
      (?:[^，,。]{{0,12}}?{_ZH_SOURCE}[^，,。没未无不缺]{{0,12}})?(?:并|均|都|也|中|里)?(?:没有|没|未能
        |未(?!来|必|知)|无|不含|不包含|缺乏|缺少|不足以|无法|不能)
        [^，,。]{{0,16}}?(?:答案|提到|提及|说明|给出|提供|包含|涉及|回答|记载|指出|显示|写明|介绍|足够|相关信息|相关内容|确定|找到
          |得出|谈到)
      | (?:我|我们|该问题|这个问题|此问题|问题)?(?:暂时|目前)?(?:无法|不能|没法|难以|未能)[^，,。]{{0,10}}?
        (?:回答|确定|得出|判断|得知|给出|找到|得到|知道|提供|作答)
      | (?:我|我们)?(?:没有|没|未能?(?!来|必|知)|缺乏|缺少|找不到|查不到)(?:找到|足够的?|相关的?|有关|任何|明确的?){{0,3}}
        [^，,。]{{0,16}}?{_ZH_STUFF}
      | (?:{_ZH_SOURCE}|信息|文档信息)量?(?:不足|不够|有限)
      | (?:我|我们)(?:也|并)?(?:不知道|不清楚|不确定|不了解)
      | (?:未提及|没有提到|没有提及|未说明|没有答案|无法回答|不知道)$
    )
    """
_TURN = re.compile(
    r"\b(?:but|however|nevertheless|nonetheless|that said|still|although|though"
    r"|yet|instead|only that)\b"
    r"|但|不过|然而|尽管|虽然|只知道|可以(?:确定|推断|推测)",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    rf"\b{_SOURCE}\b|{_ZH_SOURCE}|^(?:they|these|those)\ ".replace(r"\ ", " "),
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:please|if you|could you|can you|would you|try|you (?:may|could|can"
    r"|might)|more )|^(?:请|如果你|如果您|如需|您可以|你可以|建议)",
    re.IGNORECASE,
)


class _Patterns(NamedTuple):
    english: re.Pattern[str]
    chinese: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    """Compiled on first use: compiling takes longer than loading the rest of this file,
    and the screen does not need it to start.
    """
    return _Patterns(
        re.compile(_FORMS, re.IGNORECASE | re.VERBOSE),
        re.compile(_ZH_FORMS, re.VERBOSE),
    )


def abstains(answer: str | None) -> bool:
    """Return whether an answer is missing or only says that there is none.

    The first sentence must say so without a “but”; the others may repeat it, mention
    the references, or ask for more.
    """
    if answer is None or not answer.strip():
        return True
    if len(answer) > LONGEST:
        return False
    from ..retrieval.citations import unmarked
    from ..retrieval.passages import sentences

    text = (
        unicodedata.normalize("NFC", unmarked(answer))
        .replace("\u2019", "'")
        .strip(" \t\n*_\"'“”")
    )
    said = [_bare(text[start:end]) for start, end in sentences(text)]
    said = [sentence for sentence in said if sentence]
    if not said:
        return True
    first, *others = said
    return _says_so(first) and all(
        _says_so(one)
        or (
            not _TURN.match(one)
            and (_ABOUT.search(one) is not None or _ASKS.match(one) is not None)
        )
        for one in others
    )


def _says_so(sentence: str) -> bool:
    patterns = _patterns()
    found = patterns.english.match(sentence) or patterns.chinese.match(sentence)
    return found is not None and _TURN.search(sentence, found.end()) is None


def _bare(sentence: str) -> str:
    return " ".join(sentence.split()).strip(" *_\"'“”.。!！").removeprefix("- ")
