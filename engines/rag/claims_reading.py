"""Reads the verifier's list of claims. It does not guess or fill in anything.

The list must be the reply's own, as for the six scores; otherwise there is none. Claims
in it are independent: a verdict that cannot be read, or that names a missing reference,
is None, and a sentence says why. Quoted words count only if they are in that reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...sessions.events import Read, Reference
from ...sessions.events.rag import Claim, Verdict
from ..reading import Unread, bare, parse, read_object
from ..reading.fields import Field, plain
from ..reading.places import quoted
from ..retrieval.citations import unmarked

MOST = 300
"""Most claims of one reply; with more it is not a list of claims."""
LONGEST = 4_000
"""Most characters of one claim."""

_LIST = ("claims", "statements", "陈述", "陈述列表")
_NUGGETS = ("nuggets", "facts", "claims", "要点", "事实")
_TEXT = ("claim", "statement", "text", "陈述", "论断")
_SENTENCE = ("sentence", "句子", "句")
_REFERENCE = ("reference", "passage", "source", "citation", "参考资料", "资料")
_ALSO = ("also", "others", "其他")
_WORDS = ("words", "quote", "evidence", "原文")
_VERDICT = ("verdict", "label", "判断", "结论")
_NUGGET = ("nugget", "number", "n", "要点", "编号")
_VERDICTS: Mapping[str, Verdict] = {
    **dict.fromkeys(
        (
            "supported",
            "supports",
            "support",
            "entailed",
            "yes",
            "true",
            "支持",
            "有依据",
            "得到支持",
            "说全了",
        ),
        "supported",
    ),
    **dict.fromkeys(
        (
            "contradicted",
            "contradicts",
            "contradiction",
            "refuted",
            "矛盾",
            "相矛盾",
            "反驳",
        ),
        "contradicted",
    ),
    **dict.fromkeys(
        (
            "notfound",
            "notsupported",
            "unsupported",
            "neutral",
            "未找到",
            "未提到",
            "未提及",
            "没有提到",
            "无依据",
        ),
        "not-found",
    ),
}
Fields = Mapping[str, Any]
"""One claim as the reply has it, its keys as they are compared."""
Made = tuple[list[Claim], list[str]]
"""Claims, and sentences on what could not be read of them."""
_NO_WORDS = "it gives no words"
_NO_SENTENCE = "it names no sentence of the answer"
_NOT_ASKED = (f"{_NO_WORDS}.", f"{_NO_SENTENCE}.")
"""What a person is not asked for."""
_NUMBER = re.compile(r"(?i)\s*[\[［【]?\s*[SN]?(\d{1,6})\s*[\]］】]?\s*")


class _Kind(NamedTuple):
    """A kind of list: its possible keys, and the required fields of an item."""

    names: tuple[str, ...]
    whole: Callable[[Fields], bool]


class ClaimsReading(NamedTuple):
    """The claims of a reply, how they were read, and those that could not be read or
    that are not where the reply says.
    """

    items: list[Claim]
    read: Read
    problems: list[str]

    @property
    def verdicts(self) -> int:
        """Return how many claims have a verdict."""
        return sum(item.verdict is not None for item in self.items)

    @property
    def wanting(self) -> str | None:
        """Return why this reading is not enough; None if it has a verdict on every
        claim.
        """
        if self.read != "unread" and self.verdicts == len(self.items):
            return None
        return " ".join(self.problems[:5]).rstrip(".") or "nothing in it can be read"


def read_claims(
    text: str,
    references: Sequence[Reference],
    sentences: int = 0,
    *,
    structured: bool = False,
    sent: Iterable[str] = (),
) -> ClaimsReading:
    """Read the claims of a text, checked against references.

    `sentences`: the number of numbered sentences in the answer; 0 if none are
    requested.
    """
    return _read(
        text,
        _Kind(_LIST, _is_claim),
        lambda listed: _claims(listed, references, sentences),
        structured,
        sent,
    )


def read_nuggets(
    text: str,
    nuggets: Sequence[str],
    answer: str,
    *,
    structured: bool = False,
    sent: Iterable[str] = (),
) -> ClaimsReading:
    """Read the verdict on each nugget, in the order of the nuggets."""
    return _read(
        text,
        _Kind(_NUGGETS, _is_nugget),
        lambda listed: _of_nuggets(listed, nuggets, unmarked(answer)),
        structured,
        sent,
    )


def read_lines(
    text: str, references: Sequence[Reference], sentences: int = 0
) -> ClaimsReading:
    """Read claims that a person wrote, one per line: `supported [2]: Beorn turns into a
    bear.`
    """
    listed: list[Fields] = [
        {
            "claim": claim,
            "verdict": verdict,
            "reference": numbers[0] if numbers else 0,
            "also": numbers[1:],
        }
        for verdict, numbers, claim in _lines(text)
    ]
    return _written(
        listed, _is_claim, lambda fields: _claims(fields, references, sentences)
    )


def read_nugget_lines(text: str, nuggets: Sequence[str], answer: str) -> ClaimsReading:
    """Read nuggets that a person wrote, one per line with its number:
    `supported: 1`.
    """
    listed: list[Fields] = [
        {"nugget": claim, "verdict": verdict} for verdict, _, claim in _lines(text)
    ]
    return _written(
        listed,
        _is_nugget,
        lambda fields: _of_nuggets(fields, nuggets, unmarked(answer)),
    )


def _lines(text: str) -> Iterator[tuple[str, list[str], str]]:
    """Return the verdict, the numbers in brackets, and the text after the colon; "" for
    a line without one.
    """
    for line in filter(str.strip, text.splitlines()):
        verdict, _, claim = line.replace("：", ":").partition(":")
        yield (
            re.sub(r"[\[\]\d,、\s]+", "", verdict),
            re.findall(r"\d+", verdict),
            claim.strip(),
        )


def _written(
    listed: list[Fields],
    whole: Callable[[Fields], bool],
    take: Callable[[list[Fields]], Made],
) -> ClaimsReading:
    try:
        made, problems = take(_objects(listed, whole))
    except ValueError:
        return ClaimsReading(
            [],
            "unread",
            [
                "Each line is a verdict, the references in brackets, a colon and "
                "the claim."
            ],
        )
    return ClaimsReading(
        made,
        "literal",
        [problem for problem in problems if not problem.endswith(_NOT_ASKED)],
    )


def _read(
    text: str,
    kind: _Kind,
    take: Callable[[list[Fields]], Made],
    structured: bool,
    sent: Iterable[str],
) -> ClaimsReading:
    def objects(value: Any) -> list[Fields]:
        return _objects(value, kind.whole)

    text = bare(text)
    if (
        text.startswith("[")
        and (whole := parse(text)) is not None
        and isinstance(whole[0], list)
    ):
        try:
            found: tuple[dict[str, Any], Read] | Unread = (
                {"listed": objects(whole[0])},
                whole[1],
            )
        except ValueError as error:
            found = Unread(str(error))
    else:
        found = read_object(
            text,
            {"listed": Field(kind.names, objects, text=True)},
            structured=structured,
            sent=sent,
        )
    if isinstance(found, Unread):
        return ClaimsReading(
            [], "unread", [f"The reply cannot be read: {found.reason}."]
        )
    items, problems = take(found[0]["listed"])
    return ClaimsReading(items, found[1], problems)


def _objects(value: Any, whole: Callable[[Fields], bool]) -> list[Fields]:
    """Return the objects of a list, with normalized keys, if each is `whole`.

    Raises: ValueError if it is something else.
    """
    if (
        not isinstance(value, list)
        or len(value) > MOST
        or not all(isinstance(one, Mapping) for one in value)
    ):
        raise ValueError("the reply is not a list of claims")
    listed: list[Fields] = [
        {plain(str(key)): field for key, field in one.items()} for one in value
    ]
    if any(len(made) < len(one) for made, one in zip(listed, value, strict=True)):
        raise ValueError("the reply has a key twice")
    if not all(map(whole, listed)):
        raise ValueError("the list contains an entry that is not a claim")
    return listed


def _is_claim(fields: Fields) -> bool:
    return bool(_text(fields))


def _is_nugget(fields: Fields) -> bool:
    return bool(_numbers(fields, _NUGGET))


def _claims(
    listed: Sequence[Fields], references: Sequence[Reference], sentences: int
) -> Made:
    claims: dict[tuple[str, int | None], Claim] = {}
    problems = []
    shown = {reference.n: reference for reference in references}
    for fields in listed:
        claim = Claim(text=_text(fields), verdict=_verdict(fields))
        said: list[str] = [] if claim.verdict else [_no_verdict(fields)]
        numbers, others = _numbers(fields, _REFERENCE), _numbers(fields, _ALSO)
        known = [
            number for number in dict.fromkeys([*numbers, *others]) if number in shown
        ]
        said += [
            f"there is no reference {number}"
            for number in dict.fromkeys([*numbers, *others])
            if number and number not in shown
        ]
        if claim.verdict in ("supported", "contradicted"):
            if not numbers or numbers[0] not in shown:
                said += [] if numbers and numbers[0] else ["it names no reference"]
                claim.verdict = None
            else:
                claim.n, claim.also = (
                    numbers[0],
                    known[1:] if claim.verdict == "supported" else [],
                )
                claim.words = _words(
                    fields,
                    (shown[numbers[0]].text, shown[numbers[0]].title),
                    f"reference {numbers[0]}",
                    said,
                )
        if sentences:
            said_in = _numbers(fields, _SENTENCE) or ([1] if sentences == 1 else [])
            claim.sentence = next(
                (number for number in said_in if 1 <= number <= sentences), None
            )
            said += [] if claim.sentence else [_NO_SENTENCE]
        before = claims.setdefault((claim.text.casefold(), claim.sentence), claim)
        if before is not claim and before.verdict == claim.verdict:
            continue  # the same claim of the same sentence counts once
        if before is not claim:
            before.verdict, before.n, before.words, before.also = None, None, None, []
            said = ["it is given twice, with different values"]
        problems += [
            f"Claim {list(claims.values()).index(before) + 1}: {one}." for one in said
        ]
    return list(claims.values()), problems


def _of_nuggets(listed: Sequence[Fields], nuggets: Sequence[str], answer: str) -> Made:
    made = []
    problems = []
    for place, nugget in enumerate(nuggets, 1):
        given = [one for one in listed if _numbers(one, _NUGGET)[:1] == [place]]
        verdicts = {_verdict(one) for one in given}
        said = []
        claim = Claim(
            text=nugget, verdict=verdicts.pop() if len(verdicts) == 1 else None
        )
        if len(given) != 1 and claim.verdict is None:
            said.append(
                "it is not there"
                if not given
                else "it is given twice, with different values"
            )
        elif claim.verdict is None:
            said.append(_no_verdict(given[0]))
        elif claim.verdict != "not-found":
            claim.words = _words(given[0], (answer,), "the answer", said)
        made.append(claim)
        problems += [f"Nugget {place}: {one}." for one in said]
    return made, problems


def _field(fields: Fields, names: Iterable[str]) -> Any:
    """Return the value under one of the names; None if there is none, or two different
    values.
    """
    given = [
        value
        for name in dict.fromkeys(map(plain, names))
        if (value := fields.get(name)) is not None
    ]
    if given and all(one == given[0] for one in given):
        return given[0]
    return None


def _text(fields: Fields) -> str:
    value = _field(fields, _TEXT)
    if isinstance(value, str) and len(value) <= LONGEST:
        return " ".join(value.split())
    return ""


def _verdict(fields: Fields) -> Verdict | None:
    value = _field(fields, _VERDICT)
    if isinstance(value, str):
        return _VERDICTS.get(re.sub(r"[\s_\-.。*`\"']+", "", value).casefold())
    return None


def _no_verdict(fields: Fields) -> str:
    value = _field(fields, _VERDICT)
    shown = " ".join(str(value).split())[:60]
    if value is None:
        return "it has no verdict"
    return f"“{shown}” is neither supported nor contradicted nor not-found"


def _numbers(fields: Fields, names: Iterable[str]) -> list[int]:
    """Return the numbers of a field, one or a list, also in brackets; 0 means none."""
    value = _field(fields, names)
    return [
        number
        for number in _each(value if isinstance(value, list) else [value])
        if number
    ]


def _each(values: Iterable[Any]) -> Iterator[int]:
    for value in values:
        if isinstance(value, int) and not isinstance(value, bool):
            yield value
        elif isinstance(value, str) and (match := _NUMBER.fullmatch(value)):
            yield int(match[1])


def _words(
    fields: Fields, texts: Sequence[str], where: str, said: list[str]
) -> str | None:
    """Return the words as they occur in the first text that has them; else None, and
    `said` gets the reason.
    """
    value = _field(fields, _WORDS)
    words = value.strip() if isinstance(value, str) else ""
    found = next(
        (one for text in texts if words and (one := quoted(words, text))), None
    )
    if found is None:
        said.append(f"its words do not stand in {where}" if words else _NO_WORDS)
    return found
