"""Titles for cases without one: the first clause that distinguishes a case from the
others in its list.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from ..retrieval.tokeniser import CJK

READ = 1200
"""Characters of a case that are looked through."""
CLAUSES = 40
"""Clauses of a case that are looked at, at most."""
SAMPLE = 60
"""Cases of a list that say what most of them begin with."""
LONGEST = 60
"""Characters of a title, at most."""
SHORTEST = 4
"""Signs that a clause must have left."""

_CLAUSE = re.compile(
    r"[^，。；：！？、,;:!?\n.]+(?:(?<=\d)[.,:](?=\d)[^，。；：！？、,;:!?\n.]+)*"
)
_NOT_CHARGES = re.compile(
    r"罪|案由|\b(?:charged|convicted|indicted|guilty|offence|offense|count)\b|\bv\.?\s",
    re.IGNORECASE,
)
"""Words of clauses that name a charge or a verdict: a title must not reveal how a case
is to be judged.
"""
_PARTICULARS = re.compile(
    "^(?:男|女|汉族|.{0,3}族|.{0,6}文化|.{0,4}文化程度|身份证.*|公民身份.*|户"
    "籍.*|住.*|现住.*|.*出生|.*羁押.*|.*刑事拘留.*|.*逮捕.*|.*取保候审.*"
    "|.*辩护人.*|.*律师.*|.*看守所.*|.*起诉书.*|.*公诉.*|.*公开开庭.*|.*审理终"
    "结.*|本院.*程序|.*独任.*|.*合议庭.*|.*出庭.*|.*提起.*诉讼|(?:被害人|受害人|证"
    "人).{1,4}|.*人民法院.*|.*到庭.*|.*[〔(（]\\d{4}[〕)）].*号.*)$"
)
_PROCEDURE = re.compile(
    "(?:原判|原审判决|一审)(?:决)?(?:认定|查明)|并?(?:经|由)?(?:本院)?(?:依"
    "法)?(?:公开)?(?:开庭)?审理(?:查明)?|公诉机关指控|.{0,24}检察院(?:以.*)?(?:起"
    "诉)?指控|指控|经查|查明|起诉书|原公诉机关"
)
_DATE = re.compile(
    "(?:[12]\\d{3}|[x×X]{4}|同|当|次)年?(?:\\d{1,2}|[x×X]+)?月?(?:\\d{1,"
    "2}|[x×X]+)?[日晚]?(?:(?:凌晨|早上|上午|中午|下午|傍晚|晚上?|夜间|深夜))?"
    "(?:\\d{1,2}[时点](?:\\d{1,2}分)?)?(?:许|左右|间|前后|期间|以来|至|初|底|的一天)*"
)
_TIMES = re.compile(
    f"^(?:{_DATE.pattern}|\\d{{1,2}}[时点日](?:\\d{{1,2}}分)?许?|至|、|和|及|期"
    f"间|间|以来|凌晨|上午|下午|晚上?|\\s"
    "|(?:on|in|at|about|around|the|of|early|hours|morning|evening|night|afternoon"
    "|between|and|a\\.?m|p\\.?m"
    "|january|february|march|april|may|june|july|august|september|october|november"
    "|december|\\d+(?:st|nd|rd|th)?)\\b\\s*)+",
    re.IGNORECASE,
)
_LEAD = re.compile(
    f"^(?:[{CJK}×xX]{{1,6}}于{_DATE.pattern}|(?:位于|在)[^在以将向用]{{2,"
    f"30}}?(?:门口|附近|家中|楼下|路段|房内|室内|店内|处)(?=[{CJK}]{{4}}))"
)
"""When and where, at the beginning of a clause that continues."""
_SPAN_OF_TIME = re.compile(
    "^.{0,10}(?:以来|开始|期间|之间|月间|月份|年\\d{1,2}月|底|初|许|一天|上午|下"
    "午|晚上?)$"
)
_WHO = re.compile(
    "^(?:被告人|被告单位|上诉人|犯罪嫌疑人|(?:the "
    ")?(?:defendant|accused|appellant)s?\\b)\\s*",
    re.IGNORECASE,
)
_PLACE = re.compile(
    "^(?:行?至|在|于|从|到|途经|来到|窜至|沿)?.*?(?:省|市|区|县|镇|乡|村|街"
    "道?|路|巷|弄|号|小区|大厦|广场|门口|附近|路段|处|店|室|家中|楼下|家|房"
    "内|内|旅社|旅馆|宾馆|酒店|饭店|公园|市场|超市|商场|学校|工地|车站|医院)$"
)
_SIGNS = re.compile(r"\d|[×xX*]{2,}|某+|\s")


def titles(cases: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that gives the title of a case by its id. Each title is
    computed on first use.
    """
    seen: Counter[str] = Counter()
    sample = 0
    for text in islice(cases.values(), SAMPLE):
        seen.update({_kind(clause) for clause in _clauses(text)})
        sample += 1
    common = {kind for kind, count in seen.items() if count > max(sample // 2, 1)}
    made = {}

    def title(id_: str) -> str:
        if id_ not in made:
            made[id_] = _title(cases.get(id_, ""), common)
        return made[id_]

    return title


def _title(text: str, common: set[str]) -> str:
    """Return the first clause that is distinctive; else the first that names no
    charge.
    """
    first = ""
    for clause in _clauses(text):
        if _kind(clause) in common or _PLACE.match(clause):
            first = first or clause
            continue
        return clause[:LONGEST].rstrip()
    return first[:LONGEST].rstrip()


def _clauses(text: str) -> Iterator[str]:
    """Yield the clauses that describe what happened, without the dates, courts and
    parties they begin with. Clauses that name a charge are skipped.
    """
    found = 0
    for match in _CLAUSE.finditer(text[:READ]):
        clause = match[0].strip()
        if not clause or _NOT_CHARGES.search(clause) or _PARTICULARS.match(clause):
            continue
        while opening := _PROCEDURE.match(clause):
            clause = clause[opening.end() :].strip("的并 ")
        clause = _LEAD.sub("", _WHO.sub("", _TIMES.sub("", clause))).strip()
        if _SPAN_OF_TIME.match(clause) or len(_SIGNS.sub("", clause)) < (
            SHORTEST if re.search(f"[{CJK}]", clause) else 2 * SHORTEST
        ):
            continue
        yield clause
        found += 1
        if found == CLAUSES:
            return


def _kind(clause: str) -> str:
    """Return a clause in the form that is compared with other cases: without figures,
    redacted names and blanks.
    """
    return _SIGNS.sub("", clause).casefold()[:24]
