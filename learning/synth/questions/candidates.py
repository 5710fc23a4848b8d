"""Passages to ask about, questions from a model or a pattern, and the checks of each
that need no model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Any, Literal

import msgspec

from ....engines.figures.rows import Row
from ....engines.reading import Unread, read_object
from ....engines.reading.fields import Field
from ....engines.retrieval.corpus import Corpus
from ....prompts import prompt_set_for
from ....sessions.events import Reference

Kind = Literal["single", "multi", "unanswerable"]
KINDS: tuple[Kind, ...] = ("single", "multi", "unanswerable")
LEAST = 80
"""Characters of a passage that is asked about."""
RUN = 6
"""Words, or characters of Chinese, in a row."""
COPIED = 0.5
"""The share of a question's runs from which on it is copied."""

_WORD = re.compile("[\u3400-\u9fff]|[^\\W_]+")
_END = re.compile("(?<=[.!?])\\s|(?<=[\u3002\uff01\uff1f])|\n")
_NAME = r"[A-Za-z]\w*(?:[-.]\w+)+|[A-Za-z]+_\w+"
_NAMED = rf"(?:`(?P<quoted>[\w.-]{{2,60}})`|\b(?P<name>{_NAME})\b)"
_BEFORE = re.compile(_NAMED)
_VALUE = (
    r"(?:[`\"'](?P<code>[^`\"'\n]{1,60})[`\"']"
    r"|(?P<value>[\w./:%+-]*\d[\w./:%+-]*|true|false|on|off|yes|none|null)\b)"
)
_DEFAULT = re.compile(
    rf"(?:\bdefaults?(?:\ value)?(?:\ (?:of|for)\ {_NAMED})?(?:\ is|\ to|\s?[:=])"
    rf"|\u9ed8\u8ba4\u503c?(?:\u4e3a|\u662f|\s?[:\uff1a]))\s*{_VALUE}",
    re.IGNORECASE,
)
"""A default, with the name in the middle, before it on the line, or in the heading."""
_SETTING = re.compile(
    rf"^[^\S\n]*{_NAMED}[^\S\n]*[:=][^\S\n]*{_VALUE}[^\S\n]*(?:#.*)?$", re.MULTILINE
)
"""A line `name = value` or `name: value`."""


class Candidate(msgspec.Struct, kw_only=True):
    """A question that may be included in the set."""

    id: str
    kind: Kind
    question: str = ""
    answer: str = ""
    parts: list[str] = []
    """What an answer has to hold, all of it."""
    references: list[Row] = []
    """The passages that it was written from."""
    gold: list[Row] = []
    """What answers it: {file, start, end, text}."""
    why: str = ""
    """Why it is left out; "" where it is not."""

    @property
    def cluster(self) -> str:
        return str(self.references[0]["file"])


class Passages(Sequence[Row]):
    """The passages of a corpus that can be asked about, in random order. Each is read
    on request.
    """

    def __init__(self, corpus: Corpus, seed: int) -> None:
        self._corpus = corpus
        places = corpus.data.passages[:, :3].tolist()
        self._places = [(at, *one) for at, one in enumerate(places)]
        Random(seed).shuffle(self._places)  # noqa: S311

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, number: Any) -> Any:
        at, document, start, end = self._places[number]
        data = self._corpus.data
        file, title = data.files[document], data.title(at)
        text = self._corpus.document(file)[start:end]
        place = {"file": file, "start": start, "end": end, "text": text}
        return {"id": f"{file}@{start}", "title": title, **place}


def drawn(corpus: Corpus, counts: Mapping[Kind, int], seed: int) -> list[Candidate]:
    """Candidates without a question: the passages to write each from. The second
    passage of `multi` is one that a search for the first finds in another place.
    """
    made: list[Candidate] = []
    listed = (one for one in Passages(corpus, seed) if len(one["text"]) >= LEAST)
    for kind in KINDS:
        while sum(one.kind == kind for one in made) < counts[kind]:
            first = next(listed, None)
            if first is None:
                break
            both = [first, *(_like(corpus, first) if kind == "multi" else ())]
            if kind != "multi" or len(both) == 2:
                id_ = f"{kind}-{len(made) + 1}"
                made.append(Candidate(id=id_, kind=kind, references=both))
    return made


def _like(corpus: Corpus, first: Row) -> list[Row]:
    found = corpus.search(str(first["text"])[:300], 5).references
    return elsewhere(found, [first])[:1]


def elsewhere(found: Sequence[Reference], spans: Sequence[Row]) -> list[Row]:
    """The references that lie outside of all spans."""
    return [
        {name: getattr(one, name) for name in ("id", "title", "file", "start", "end")}
        | {"text": one.text}
        for one in found
        if one.start is not None
        and one.end is not None
        and not any(
            one.file == span["file"]
            and one.start < span["end"]
            and span["start"] < one.end
            for span in spans
        )
    ]


def read_written(candidate: Candidate, reply: str) -> None:
    """Adds the question in a writer's reply to its candidate, or the reason why there
    is none.
    """
    names = ["question"]
    if candidate.kind != "unanswerable":
        names.append("answer")
    words = ["answer"]
    if candidate.kind == "multi":
        words = ["words1", "words2"]
        names += words
    fields = {name: Field((name,), _filled, text=True) for name in names}
    sent = [str(one["text"]) for one in candidate.references]
    found = read_object(reply, fields, sent=sent)
    if isinstance(found, Unread):
        candidate.why = "unread"
        return
    value, _ = found
    candidate.question, candidate.answer = value["question"], value.get("answer", "")
    candidate.parts = [candidate.answer]
    if candidate.kind != "unanswerable":
        for name, span in zip(words, candidate.references, strict=True):
            gold = _gold(span, value[name])
            if gold is None:
                candidate.why = "not-in-span"
                return
            candidate.gold.append(gold)
    if copied(candidate.question, sent):
        candidate.why = "copied"


def _filled(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("is empty")
    return value.strip()


def _gold(span: Row, words: str) -> Row | None:
    """The sentence of a passage with these words; None if it has none."""
    text = str(span["text"])
    at = text.casefold().find(words.casefold())
    if at < 0:
        return None
    ends = [0, *(one.end() for one in _END.finditer(text)), len(text)]
    low = max(end for end in ends if end <= at)
    high = min(end for end in ends if end >= min(at + len(words), len(text)))
    start = span["start"]
    made = {"file": span["file"], "start": start + low, "end": start + high}
    return {**made, "text": text[low:high]}


def copied(question: str, texts: Sequence[str]) -> bool:
    """Whether half of a question's runs of words occur in the texts."""
    runs = _runs(question)
    return bool(runs) and len(runs & _runs("\n".join(texts))) > COPIED * len(runs)


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}


def facts(corpus: Corpus, counts: Mapping[Kind, int], seed: int) -> list[Candidate]:
    """Questions about settings and their values, by patterns, without a model. A name
    with two values is left out. `multi` asks for two settings; `unanswerable` for one
    whose name is combined from two and occurs nowhere.
    """
    found: dict[str, list[tuple[str, str, Row, Row]]] = {}
    enough = 4 * sum(counts.values())
    for span in Passages(corpus, seed):
        for name, value, gold in _settings(span):
            found.setdefault(name, []).append((name, value, span, gold))
        if len(found) >= enough:
            break
    sure = [one[0] for one in found.values() if len({each[1] for each in one}) == 1]
    Random(seed).shuffle(sure)  # noqa: S311
    known = iter(sure)
    made: list[Candidate] = []
    for kind in KINDS:
        each = 1 if kind == "single" else 2
        for number in range(1, counts[kind] + 1):
            some = list(islice(known, each))
            if len(some) < each:
                break
            if kind == "multi" and some[0][2]["id"] == some[1][2]["id"]:
                continue
            candidate = Candidate(id=f"{kind}-{number}", kind=kind)
            names = [one[0] for one in some]
            candidate.references = [one[2] for one in some][: None if each > 1 else 1]
            if kind == "unanswerable":
                names = [f"{names[0]}-{names[1]}"]
                near = corpus.search(names[0], 5).references
                if any(names[0] in one.text for one in near):
                    continue
                candidate.references = candidate.references[:1]
            else:
                candidate.parts = [one[1] for one in some]
                candidate.answer = ", ".join(candidate.parts)
                candidate.gold = [one[3] for one in some]
            text = str(candidate.references[0]["text"])
            default = all(_DEFAULT.search(one[3]["text"]) for one in some)
            candidate.question = _asked(names, text, default=default)
            made.append(candidate)
    return made


def _asked(names: Sequence[str], text: str, *, default: bool) -> str:
    if prompt_set_for(text) == "zh":
        what = "的默认值是多少" if default else "设为什么"
        return f"{' 和 '.join(names)} {what}？"
    both, verb = " and ".join(names), "is" if len(names) == 1 else "are"
    if default:
        return f"What {verb} the default{'s' * (len(names) > 1)} of {both}?"
    return f"What {verb} {both} set to?"


def _settings(span: Row) -> Iterator[tuple[str, str, Row]]:
    """Names, values and places of the settings in a passage."""
    text, heading = str(span["text"]), str(span["title"]).rpartition(" ")[2]
    for pattern in (_DEFAULT, _SETTING):
        for match in pattern.finditer(text):
            low = text.rfind("\n", 0, match.start()) + 1
            before = [*_BEFORE.finditer(text, low, match.start())]
            near = [match, *before[-1:], _BEFORE.fullmatch(str(heading).strip("`"))]
            name = next(
                (
                    found
                    for one in near
                    if one is not None and (found := one["quoted"] or one["name"])
                ),
                "",
            )
            value = (match["code"] or match["value"]).rstrip(".:")
            if not name or not value or name == value:
                continue
            high = text.find("\n", match.end() - 1)
            high = len(text) if high < 0 else high
            start = span["start"]
            gold = {"file": span["file"], "start": start + low, "end": start + high}
            yield name, value, {**gold, "text": text[low:high]}
