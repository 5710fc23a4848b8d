"""The checks that need no model: the citations of an answer, and passages that address
the model instead of the reader.

A flag only marks such a passage: in a prompt, every passage is data anyway.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ...sessions.events import Reference
from ...sessions.events.rag import Check, Sentence
from ..retrieval.citations import MEASURE, citations, cited, empty_marks

INSTRUCTIONS = "instructions"
MARKS = "marks"

_INVISIBLE = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069"
    "\ufeff\U000e0000-\U000e007f]"
)

_TOLD = re.compile(
    r"""
    \b(?:ignore|disregard|forget|override|bypass)\b~(?:\w{1,25}~){0,4}?(?:instructions?
      |prompts?|rules?|guidelines?|directions|commands?)\b
    | \b(?:ignore|disregard|forget)\b~(?:everything|all|anything)~(?:\w{1,25}~){0,2}?
      (?:above|before|previous|prior|earlier)\b
    | \byou~are~now~(?:an?~|in~)?(?:\w{1,25}~){0,3}?(?:assistant|model|mode|bot|ai|dan
      |unrestricted|jailbroken)\b
    | \b(?:new|updated|additional|hidden|secret)~(?:system~)?instructions?\s{0,4}:
    | \b(?:reveal|print|show|repeat|output|leak)\b~(?:\w{1,25}~){0,3}?(?:system~prompt
      |your~(?:prompt|instructions))\b
    | \b(?:answer|reply|respond|output)\b~(?:only|exactly|nothing~but|with~only
      |the~following)\b[^.\n]{0,40}?["'“:]
    | \b(?:give|assign|rate|score|award)\b[^.\n]{0,40}?\b(?:highest|full|maximum|perfect
      |lowest)~(?:scores?|marks?|ratings?)\b
    | \bdo~not~(?:cite|use|trust|mention|follow)\b[^.\n]{0,30}?\b(?:references?
      |passages?|instructions?|rules?)\b
    | \b(?:ai|language)~(?:assistants?|models?)\b[^.\n]{0,40}?\b(?:must|should|shall
      |please|now)\b
    | ^[^\S\n]{0,12}(?:\#{1,6}[^\S\n]{0,4})?(?:system|assistant
      |developer)(?:\s{1,4}(?:message|prompt|note))?\s{0,4}:
    | ^[^\S\n]{0,12}(?:\#{1,6}[^\S\n]{0,4})?instructions?\s{0,4}:
    | <\|[\w ]{1,30}\|> | </?s> | \[/?inst\] | <</?sys>> | </?(?:system|assistant
      |instructions?|user_query|tool_call)>
    | (?:忽略|无视|不要理会|忘记|忘掉|抛开|跳过|不必理会)[^\u3002\n]{0,16}?
      (?:指令|指示|提示|规则|命令|要求|对话|内容)
    | (?:你现在是|从现在起[,\uff0c]?你|你将扮演|你必须(?:回答|输出|回复))
    | (?:请|务必|必须|只)(?:只|直接)?(?:回答|输出|回复)\s{0,4}["\u201c\u300c:\uff1a]
    | (?:新的|隐藏|系统)(?:指令|指示|提示词?)\s{0,4}[:\uff1a]
    | (?:打|给)(?:出|予)?(?:满分|最高分)
    | ^[^\S\n]{0,12}(?:系统|助手|开发者)\s{0,4}[:\uff1a]
    """.replace("~", r"\W{1,4}"),
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
"""Ways to address a model, in English and Chinese: instructions to forget earlier ones,
to play another role, or to say or score something; role markers.
"""

_ENCLOSURE = re.compile(
    r"(?<!<)<<<(?:[^<>\n]{1,120}>>>(?!>|\s?\()|\s?/?end\b)", re.IGNORECASE
)
"""What could pass for the signs around a reference.

`f<<<grid, block>>>(x)` starts a kernel, and a prompt of Python is `>>>` alone.
"""

_HEADING = re.compile(
    r"""^[^\S\n]{0,12}(?:
      (?:reference|参考(?:资料|文献)?|资料)\s?[\[【]?(?P<named>\d{1,3})[\]】]?\s?:
      | \[(?P<numbered>\d{1,3})\]
        (?![^\n]{0,300}(?:\n[^\n]{0,300})?(?:https?:|www\.|doi|\b(?:19|20)\d\d\b|\bpp?\.
          |\bvol\b|\bRFC|\bPEP|\bISBN|arXiv))
        [^\S\n]{1,4}[^\W\d_][^\n=;{}]{8,}
    )""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
"""A line that begins as a reference of a prompt does.

Entries of a bibliography have an address, a year or a page.
"""

_CITATION = re.compile(
    r"""(?P<full>【\s?\d{1,3}(?:\s?[,、-]\s?\d{1,3}){0,20}\s?】)
    | (?<=[^\W\d_][^\S\n]) (?P<spaced>(?:\[\d{1,3}(?:,\s?\d{1,3}){0,9}\]){1,9})
      (?=[^\S\n]?(?:[.!?]+(?:\s|$)|[。！？；]|\n\s*\n|\Z))
    | (?<=[一-鿿]) (?P<joined>(?:\[\d{1,3}(?:,\s?\d{1,3}){0,9}\]){1,9}) (?=[。！？!?])
    """,
    re.VERBOSE,
)
"""Numbers in brackets where an answer has its citations: at the end of a sentence."""

_VALUE = re.compile(
    r"(?:\b(?:shapes?|sizes?|is|are|of|to|be|returns?|lists?|arrays?|axis|axes"
    r"|dims?|dimensions?|range|intervals?|between|tensors?|vectors?|index"
    r"|indices|values?|outputs?|inputs?|defaults?|equals?|like|with|gives?"
    r"|becomes?|print|return|and|or)\s?|[=:(,+*/]\s?"
    r"|(?:为|是|即|成|等于|列表|数组|形状|区间|范围|维度|向量|张量|得到|返回|如|到"
    r"|在|和)\s?)$",
    re.IGNORECASE,
)
"""What is before a list of numbers that is a value: a shape, an interval, an
argument.
"""


def _forged(text: str, shown: int | None) -> bool:
    """Return True if a text imitates the enclosure of a reference, its heading, or the
    citation of a reference that is shown.
    """
    if _ENCLOSURE.search(text):
        return True
    for found in _HEADING.finditer(text):
        if _cites([found["named"] or found["numbered"]], shown):
            return True
    for found in _CITATION.finditer(text):
        numbers = re.findall(r"\d+", found[0])
        value = not found["full"] and _VALUE.search(
            text, max(0, found.start() - 16), found.start()
        )
        if not value and _cites(numbers, shown) and len(set(numbers)) == len(numbers):
            return True
    return False


def _cites(numbers: list[str], shown: int | None) -> bool:
    """Return True if all numbers belong to references."""
    return all(1 <= int(number) <= (shown or 999) for number in numbers)


def flags_of(text: str, title: str = "", shown: int | None = None) -> list[str]:
    """Return the flags of a passage.

    `instructions`: instructions or role markers. `marks`: imitated marks of a prompt's
    references.

    `shown`: the number of references in the prompt; a higher number in brackets cites
    none of them.
    """
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", f"{title}\n{text}"))
    return [INSTRUCTIONS] * bool(_TOLD.search(plain)) + [MARKS] * _forged(plain, shown)


_MARKER = re.compile(
    r"^[\s*_#]*(?:(?:the\s+|final\s+)*answer|\u7b54\u6848|\u56de\u7b54"
    r"|\u7b54)[\s*_]*[:\uff1a][\s*_]*",
    re.IGNORECASE,
)


def answer_of(text: str) -> str | None:
    """Return the answer in a reply: its text, stripped, without a leading `Answer:`;
    None if nothing remains.
    """
    return _MARKER.sub("", text, count=1).strip() or text.strip() or None


def check(answer: str, references: Sequence[Reference], iteration: int = 1) -> Check:
    """Count unknown citations, empty brackets and sentences without a citation, and
    measure the support of sentences with one.
    """
    known = {reference.n for reference in references}
    found = [
        Sentence(text=one.text, citations=one.citations, support=one.support)
        for one in cited(answer, references)
    ]
    return Check(
        iteration=iteration,
        sentences=found,
        unknown=[number for number in citations(answer) if number not in known],
        empty=empty_marks(answer),
        uncited=sum(not sentence.citations for sentence in found),
        measure=MEASURE,
    )
