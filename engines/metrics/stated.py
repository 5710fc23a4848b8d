"""The answer that a text states in so many words: an answer line, a heading with the answer under it, or a sentence that names it.

Of several answer lines the last one counts. A sentence (`The answer is 4.`) counts only where there is no answer line; of several the last.
A remark may follow, unless it takes the answer back. A line that is quoted (`>`) or announced (`the other side closes:`) counts only where
nothing follows it.
"""

from __future__ import annotations

import re

from .quantities import plain, whole

_WHOSE = r"(?:(?:my|our|the|final|present|current|correct)\s+)*"
_NAMES = rf"(?:{_WHOSE}(?:answer|translation)|(?:最终|最后|正确|目前|我)?的?(?:答案|译文|翻译))"
_LINE = re.compile(
    rf"^(?P<quoted>[\s#>*_`\-]*){_NAMES}(?:[\s*_`]*[:：](?P<rest>.*))$", re.IGNORECASE
)
_HEADING = re.compile(
    rf"^\s*(?:#{{1,6}}\s*[*_]*|\*\*|__){_NAMES}[\s*_#]*$", re.IGNORECASE
)
_THEN = (
    r"(?:(?:so|thus|therefore|hence|finally|in conclusion|overall|in short)\b[,:]?\s+)*"
)
_IS = r"(?:is|was|remains|must be|should be|would be)(?:\s+(?:still|therefore|thus|clearly|now|simply|indeed))?"
_SENTENCE = re.compile(
    rf"(?:^[\s#*_`\-]*|(?<=[.!?])\s+|(?<=[。！？])\s*)(?:{_THEN}(?:(?:my|our|the|final|present|current|correct)\s+)+answer\s+{_IS}(?:\s*[:：]\s*|\s+)"
    r"|(?:所以|因此|综上所述|综上|那么)?[,，]?(?:最终|最后|正确|我)?的?答案(?:仍然|依然|仍|还|应该|应当|应|就)*(?:是|为)\s*[:：]?\s*)"
    r"(?P<rest>\S.*?)(?=[.!?](?:\s|$)|[。！？]|$)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"(?<=\s)(?:because|since|as|for|given that)\s.*$|[,，]\s*(?:因为|由于|所以|而).*$",
    re.IGNORECASE,
)
_NO_ANSWER = re.compile(
    r"\b(?:not|n't|wrong|incorrect|correct|right|that|based|clear|obvious|different|same|according|opponent|side|theirs|unknown|yes or no|"
    r"more|less|either|neither|whether|what)\b|n't\b|不|没|错|对|吗|什么|多少|否|根据|对方|正方|反方",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\b(?:wrong|incorrect|mistaken|mistake|disagree|not (?:sure|right|correct|true|agree)|unsure|n't (?:right|correct|true|agree)|false|"
    r"no,|wait)\b|错|不对|不同意|不正确|不确定|不成立|有误",
    re.IGNORECASE,
)
_QUOTES = {
    '"': '"',
    "“": "”",
    "'": "'",
    "‘": "’",
    "「": "」",
    "『": "』",
    "`": "`",
    "«": "»",
}
_MOST_WORDS = 12


def closing(text: str) -> str | None:
    """The answer that a text states (`Answer: …`, `### Answer`, `译文：…`, `The answer is …`), None if it states none.

    Markdown emphasis and one pair of quotation marks around the answer are dropped.
    """
    lines = [line for line in text.splitlines() if line.strip(" \t*_`#>=-")]
    for place in range(len(lines) - 1, -1, -1):
        found = _LINE.match(lines[place])
        if found is None and not _HEADING.match(lines[place]):
            continue
        rest = _bare(found["rest"]) if found else None
        if (
            rest is None
            and place + 1 < len(lines)
            and (found is None or not found["rest"].strip(" \t*_`"))
        ):
            after = place + 2
            rest = _bare(lines[place + 1])
        else:
            after = place + 1
        if after < len(lines) and _doubtful(lines, place, after):
            return None
        return rest and _first_value(rest)
    return _named(lines)


def single_line(text: str) -> str | None:
    """The whole text, if it is one line."""
    lines = [line for line in text.splitlines() if line.strip()]
    return _bare(lines[0]) if len(lines) == 1 else None


def _doubtful(lines: list[str], place: int, after: int) -> bool:
    """True if an answer with more text behind it may be somebody else's, or is taken back."""
    quoted = (
        ">" in lines[place][: len(lines[place]) - len(lines[place].lstrip(" \t#>*_`-"))]
    )
    announced = (
        place > 0
        and lines[place - 1].rstrip(" \t*_").endswith((":", "："))
        and not _LINE.match(lines[place - 1])
    )
    return (
        quoted or announced or _TAKEN_BACK.search("\n".join(lines[after:])) is not None
    )


def _named(lines: list[str]) -> str | None:
    for place in range(len(lines) - 1, -1, -1):
        found = None
        for found in _SENTENCE.finditer(lines[place]):  # noqa: B007
            pass
        if found is None:
            continue
        behind = lines[place][found.end() :] + "\n" + "\n".join(lines[place + 1 :])
        rest = _bare(_REASON.sub("", found["rest"]).rstrip(" \t,，"))
        if (
            rest is None
            or _NO_ANSWER.search(rest)
            or len(rest.split()) > _MOST_WORDS
            or _TAKEN_BACK.search(behind)
        ):
            return None
        return rest
    return None


def _first_value(rest: str) -> str:
    """Without the sentences behind an answer that is a number: `4. It follows from …` is `4`."""
    first, _, more = re.sub(
        r"([.。])(?=\s+[^\W\d]|(?<=。)\S)", r"\1\n", rest, count=1
    ).partition("\n")
    return (
        (_bare(first.rstrip(".。")) or rest)
        if more and len(first) < 200 and whole(plain(first).rstrip(".。")) is not None
        else rest
    )


def _bare(text: str) -> str | None:
    text = text.strip()
    for mark in ("**", "__", "*", "_", "`"):
        text = text.removeprefix(mark).strip()
        if text.count(mark) % 2:
            text = text.removesuffix(mark).strip()
    if (
        len(text) > 1
        and _QUOTES.get(text[0]) == text[-1]
        and text[0] not in text[1:-1]
        and text[-1] not in text[1:-1]
    ):
        text = text[1:-1].strip()
    return text if any(sign.isalnum() for sign in text) else None
