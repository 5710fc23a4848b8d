"""The answer that a text states in this many words.

An answer line (`Answer: 4`, also behind a sentence), a heading with the answer under
it, and the forms that models are trained on (`marked`): of several the last one counts.
Where there is none, the last sentence that names the answer (`The answer is 4.`)
counts; where there is none either, the value that the last line ends with (`In total:
**4**`).

A remark may follow, unless it takes the answer back. A line that is announced (`the
other side closes:`) counts only where nothing follows it. What the text quotes states
no answer of its own (`reading/quotations.py`).
"""

from __future__ import annotations

import re

from ...texts.patterns import lazy
from ..reading.quotations import Quoted
from . import marked_answers
from .marked_answers import MarkedLine
from .quantities import PICTURE, plain, whole

_WHOSE = r"(?:(?:my|our|the|final|present|current|correct)\s+)*"
_NAMES = (
    rf"(?:{_WHOSE}(?:answer|translation)|(?:最终|最后|正确|目前|我)?的?(?:答案|译文|翻"
    rf"译))"
)
_ASIDE = r"(?:\s*[(（][^()（）\n]{1,40}[)）])?"
_LINE = lazy(
    rf"^[\s#>*_`\-]*(?P<name>{_NAMES}{_ASIDE}|答)(?:[\s*_`]*[:：](?P<rest>.*))$",
    re.IGNORECASE,
)
_BEHIND_SENTENCE = lazy(
    rf"(?:(?<=[.!?])\s++|(?<=[。！？])\s*+)[*_]*{_NAMES}{_ASIDE}[\s*_]*[:：]",
    re.IGNORECASE,
)
"""`He turns once. Answer: 1`"""
_HEADING = lazy(
    rf"^\s*(?:#{{1,6}}\s*[*_]*|\*\*|__)(?P<name>{_NAMES})[\s*_#]*$", re.IGNORECASE
)
_THEN = (
    r"(?:(?:so|thus|therefore|hence|finally|in conclusion|overall|in short)\b[,:]?\s+)*"
)
_IS = (
    r"(?:is|was|remains|must be|should be|would be)(?:\s+(?:still|therefore|thus"
    r"|clearly|now|simply|indeed))?"
)
_SENTENCE = lazy(
    rf"(?:^[\s#*_`\-]*|(?<=[.!?])\s+|(?<=[。！？])\s*)(?:{_THEN}(?:(?:my|our|the"
    rf"|final|present|current|correct)\s+)+answer{_ASIDE}"
    rf"(?:\s+to\s+(?:the|this|your)\s+(?:question|problem))?\s+{_IS}(?:\s*[:：]\s*|\s+)"
    r"|(?:所以|因此|综上所述|综上|那么)?[,，]?(?:最终|最后|正确|我)?的?答案(?:仍然"
    r"|依然|仍|还|应该|应当|应|就)*(?:是|为)\s*[:：]?\s*)"
    r"(?P<rest>\S.*?)(?=[.!?](?:\s|$)|[。！？]|$)",
    re.IGNORECASE,
)
_REASON = lazy(
    r"(?<=\s)(?:because|since|as|for|given that)\s.*$|[,，]\s*(?:因为|由于|所以|而).*$",
    re.IGNORECASE,
)
_NO_ANSWER = lazy(
    r"\b(?:not|n't|wrong|incorrect|correct|right|that|based|clear|obvious"
    r"|different|same|according|opponent|side|theirs|unknown|yes or no|"
    r"more|less|either|neither|whether|what)\b|n't\b|不|没|错|对|吗|什么|多少|否"
    r"|根据|对方|正方|反方",
    re.IGNORECASE,
)
_TAKEN_BACK = lazy(
    r"\b(?:wrong|incorrect|mistaken|mistake|disagree|not (?:sure|right|correct"
    r"|true|agree)|unsure|n't (?:right|correct|true|agree)|false|"
    r"no,|wait)\b|错|不对|不同意|不正确|不确定|不成立|有误",
    re.IGNORECASE,
)
_QUOTES = dict(zip("\"“'‘「『`«", "\"”'’」』`»", strict=True))
_MOST_WORDS = 12


def closing(text: str) -> str | None:
    """The answer that a text states (`Answer: …`, `#### 4`, …), None if it states none.

    Markdown emphasis and one pair of quotation marks around the answer are dropped.
    """
    lines, quoted = marked_answers.lines(text), Quoted(text)
    tagged = marked_answers.tagged(text, quoted) or marked_answers.keyed(text, quoted)
    for place in range(len(lines) - 1, -1, -1):
        if tagged is not None and tagged.start >= lines[place].start:
            behind = text[tagged.end :]
            if _TAKEN_BACK.search(behind):
                return None
            return _bare(tagged.answer)
        if _is_label(lines[place], quoted):
            return _labelled(lines, place)
        answer = _behind_sentence(lines[place], quoted) or marked_answers.in_line(
            lines, place, quoted
        )
        if answer is not None:
            if _doubtful(lines, place, place + 1):
                return None
            return _bare(answer)
    sentence = _last_sentence(lines, quoted)
    if sentence is None:
        return _total(lines, quoted)
    return _named(lines, *sentence)


def _is_label(line: MarkedLine, quoted: Quoted) -> bool:
    """True for an answer line or a heading that the text does not quote."""
    found = _LINE.match(line.text) or _HEADING.match(line.text)
    return found is not None and not quoted.covers(line.start + found.start("name"))


def _labelled(lines: list[MarkedLine], place: int) -> str | None:
    """The answer of an answer line, or of the line below a heading."""
    match = _LINE.match(lines[place].text)
    rest = _bare(match["rest"]) if match else None
    after = place + 1
    empty = match is None or not match["rest"].strip(" \t*_`")
    if rest is None and after < len(lines) and empty:
        rest = _bare(lines[after].text)
        after += 1
    if after < len(lines) and _doubtful(lines, place, after):
        return None
    return rest and _first_value(marked_answers.unboxed(rest))


def _behind_sentence(line: MarkedLine, quoted: Quoted) -> str | None:
    """What stands behind the last label of a line that follows a sentence."""
    end = 0
    for found in _BEHIND_SENTENCE.finditer(line.text):
        if not quoted.covers(line.start + found.end() - 1):
            end = found.end()
    rest = _bare(_REASON.sub("", line.text[end:]).rstrip(" \t,，")) if end else None
    return rest and _first_value(marked_answers.unboxed(rest))


_ITEM = re.compile(
    r"\s*(?:(?:[-*•]|\d{1,2}[.)])\s+([^\s,，、][^,，、]{0,60})|(\w+(?: \w+)?)\s*)"
)


def single_line(text: str) -> str | None:
    """The whole text, if it is one line, or a list with a short item in each line."""
    lines = [line for line in text.splitlines() if line.strip()]
    while len(lines) > 1 and _COURTESY.match(lines[-1]):
        lines.pop()
    if len(lines) == 1:
        return _bare(lines[0])
    items = [_ITEM.fullmatch(line) for line in lines]
    if lines and None not in items:
        return ", ".join(item[1] or item[2] for item in items if item)
    return None


_COURTESY = lazy(
    r"\s*[*_]*(?:(?:let me know|hope|feel free|note|check|source)\b"
    r"|希望|如有|注意|注|检验|验证|来源)",
    re.IGNORECASE,
)
"""A courtesy, a note or a check below the answer."""
_ASIDE_LINE = lazy(
    rf"\s*[*_]*[(（].*[)）][*_]*\s*"
    rf"|\s*[*_]*(?:[-*•|>]|#{{1,6}}|\d+[.)])\s.*|{_COURTESY.pattern}.*",
    re.IGNORECASE,
)
"""One of these, a remark, a heading, or one item of several."""


def prose(text: str) -> str:
    """A text without its fenced blocks, unless it is nothing else."""
    said, fenced = [], False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            said.append(line)
    return "\n".join(said) if any(map(str.strip, said)) else text


def last_line(text: str) -> str | None:
    """What a text of several lines comes to: its last line that is no aside."""
    for line in reversed(marked_answers.lines(text)):
        if _ASIDE_LINE.fullmatch(line.text) is None:
            return _bare(line.text)
    return None


def _doubtful(lines: list[MarkedLine], place: int, after: int) -> bool:
    """True if an answer with more text behind it may be somebody else's, or is taken
    back.
    """
    if after >= len(lines):
        return False
    before = lines[place - 1].text if place else ""
    announced = before.rstrip(" \t*_").endswith((":", "：")) and not _LINE.match(before)
    behind = "\n".join(line.text for line in lines[after:])
    return announced or _TAKEN_BACK.search(behind) is not None


def _last_sentence(
    lines: list[MarkedLine], quoted: Quoted
) -> tuple[int, re.Match[str]] | None:
    """The last sentence that names the answer, with the place of its line."""
    for place in range(len(lines) - 1, -1, -1):
        found = None
        for one in _SENTENCE.finditer(lines[place].text):
            if not quoted.covers(lines[place].start + one.start("rest") - 1):
                found = one
        if found is not None:
            return place, found
    return None


_GOES_ON = lazy(r"(?:\b[A-Z][a-z]+(?:\s[A-Z]\.)*\s[A-Z]|\b[ap]\.m)$")
_NEXT = lazy(r"\.\s+.{1,80}?(?:[.!?](?=\s|$)|$)")


def _whole_name(found: re.Match[str]) -> tuple[str, int]:
    """The rest of a sentence, and where it ends: `George H.` continues with `W.
    Bush.`
    """
    said, end = found["rest"], found.end()
    for _ in range(4):
        more = _NEXT.match(found.string, end) if _GOES_ON.search(said[-60:]) else None
        if more is None:
            break
        stop = more.end() - (more[0][-1] in ".!?")
        said, end = said + found.string[end:stop], stop
    return said, end


def _named(lines: list[MarkedLine], place: int, found: re.Match[str]) -> str | None:
    """The answer of a sentence; None where it denies, asks or attributes it."""
    said, end = _whole_name(found)
    rest = _bare(_REASON.sub("", said).rstrip(" \t,，"))
    if rest is None or _NO_ANSWER.search(rest) or len(rest.split()) > _MOST_WORDS:
        return None
    later = "\n".join(line.text for line in lines[place + 1 :])
    if _TAKEN_BACK.search(f"{found.string[end:]}\n{later}"):
        return None
    return rest


_TOTAL = lazy(
    r"\b(?:in total|in all|altogether|overall)\s*[,:：]"
    r"|\b(?:total|sum|result|solution)(?:\s+(?:is|was|equals|comes to)\b\s*:?"
    r"|\s*[:：=])"
    r"|(?:一共|总共|共计|合计|总计|共|总数|结果)(?:还|就|会|能)?(?:是|有|为|等于"
    r"|需要?|花了?)?"
    r"\s*[:：]?",
    re.IGNORECASE,
)
_BOLD = lazy(r"\*\*([^*]{1,80})\*\*")
_SENTENCE_END = lazy(r"(?<=[.!?])\s+|(?<=[。！？])")
_OTHERS = lazy(
    r"\b(?:not|never|wrong|incorrect|if|opponents?|sides?|says?|said|claims?|debaters?"
    r"|cannot)\b|n't\b|[?？]|不|没|错|若|如果|对方|正方|反方|吗",
    re.IGNORECASE,
)


def _total(lines: list[MarkedLine], quoted: Quoted) -> str | None:
    """The value at the end of the last line, behind words for a total or in bold:
    `In total: **24**`, `因此，一共是24`, `She has **24** apples.`"""
    if not lines or quoted.covers(lines[-1].start + len(lines[-1].text) - 1):
        return None
    sentences = [
        one for one in _SENTENCE_END.split(lines[-1].text.strip()) if one.strip()
    ]
    last = sentences[-1] if sentences else ""
    if len(last) > 300 or _OTHERS.search(last):
        return None
    end = 0
    for found in _TOTAL.finditer(last):
        end = found.end()
    bold = _BOLD.findall(last)
    for rest in (last[end:] if end else "", *(bold if len(bold) == 1 else ())):
        value = _bare(rest.strip().rstrip(".。"))
        if value is not None and whole(plain(value)) is not None:
            return value
    return None


def _first_value(rest: str) -> str:
    """A number without the full stop and the sentences behind it."""
    first, _, _ = re.sub(
        r"([.。])(?=\s+[^\W\d]|(?<=。)\S)", r"\1\n", rest, count=1
    ).partition("\n")
    bare = first.rstrip(".。")
    if len(first) < 200 and whole(plain(bare)) is not None:
        return _bare(bare) or rest
    return rest


def _bare(text: str) -> str | None:
    text = (PICTURE.sub("", text) or text).strip()
    for mark in ("**", "__", "*", "_", "`"):
        inner = text.removeprefix(mark).removesuffix(mark)
        if mark not in inner and text.count(mark) < 3:
            text = inner.strip()
    if (
        len(text) > 1
        and _QUOTES.get(text[0]) == text[-1]
        and text[0] not in text[1:-1]
        and text[-1] not in text[1:-1]
    ):
        text = text[1:-1].strip()
    said = any(sign.isalnum() or sign in "∞∅" for sign in text)
    if said:
        return text
    return None
