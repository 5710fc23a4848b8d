"""Gold passages: what the search should find for a question, and which references match
them. Models never see them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...sessions.errors import BadInput, bad_input
from ...sessions.events import Reference
from ..metrics.values import first_in
from ..retrieval.items import FILE_NAMES, TEXT_NAMES

ID_NAMES = (
    "id",
    "_id",
    "id_",
    "pid",
    "docid",
    "doc_id",
    "document_id",
    "passage_id",
    "chunk_id",
    "node_id",
)
"""Under which names an object, or the metadata of a passage, has an id of its own."""
GRADES = ("grade", "relevance")
MOST = 1000
"""Gold passages of one question."""
LONGEST = 100_000
"""Characters of one."""
WIDTH = 3
"""Words of a shingle; characters of Chinese and the like."""
ALIKE = 0.5
"""The share of the shorter text's shingles from which on two texts are one passage, cut
in two ways.
"""
SHORT = 10
"""A passage of fewer words may be in any longer text: it is gold only where it holds
that share of the gold text itself.
"""

_NAME = re.compile(r"\S+|[^\n\u3002\uff01\uff1f]{1,300}\.[A-Za-z0-9]{1,8}(?:[#@]\d+)?")
_SENTENCE = re.compile(
    "[\u3002\uff01\uff1f\uff0c\uff1b]"
    "|[\u4e00-\u9fff\u3040-\u30ff]{9}(?!.*\\.[A-Za-z0-9]{1,"
    "8}(?:[#@]\\d+)?$)"
)
"""The end of a part of a sentence, or a stretch of Chinese that is not in the name of a
file.
"""
_WORD = re.compile(
    "[\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-"
    "\ufaff\U00020000-\U0003ffff]|[^\\W_]+"
)


class Gold(NamedTuple):
    """One gold passage. If it has a `name` and a `text`, either one can match."""

    name: str = ""
    """The id of a passage, or of its document or row: `guide.md@120`, `guide.md`,
    `rows.jsonl#7`, an address, an id of the row's own.
    """
    text: str = ""
    """Its words."""
    start: int | None = None
    """With `end`: the part of the document `name`, in characters; a passage that
    overlaps it is gold.
    """
    end: int | None = None
    grade: int = 1
    """How good it is; 0: not gold."""

    def as_json(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults."""
        return {
            name: value
            for name, value in self._asdict().items()
            if value != Gold._field_defaults[name]
        }


def gold_of(value: object) -> tuple[Gold, ...]:
    """Read gold passages from a line of a batch or a session's task.

    A text or an object, a list of them, or an object of ids and grades as in qrels. A
    text that looks like a name is a name. Duplicates count once. Raises: BadInput.
    """
    if value is None:
        return ()
    if (
        isinstance(value, Mapping)
        and value
        and not set(value) & {"start", "end"}
        and all(isinstance(one, int) for one in value.values())
    ):
        value = [{"id": name, "grade": grade} for name, grade in value.items()]
    listed = value if isinstance(value, list | tuple) else [value]
    if len(listed) > MOST:
        raise bad_input("wrong.gold.many", n=len(listed), most=MOST)
    return tuple(dict.fromkeys(_gold(one) for one in listed))


def gold_in(task: Mapping[str, object]) -> tuple[Gold, ...]:
    """Read the gold passages of a session's task or an item's fields, as `gold_of`;
    none if they cannot be read.
    """
    try:
        return gold_of(task.get("gold"))
    except BadInput:
        return ()


def has_gold(gold: Iterable[Gold]) -> bool:
    """Return True if a passage has a grade above 0."""
    return any(one.grade for one in gold)


def places(gold: Sequence[Gold], references: Iterable[Reference]) -> list[list[int]]:
    """Return, for each reference, the indexes in `gold` that it matches."""
    words = [_words(one.text) for one in gold]
    return [_held(gold, words, reference) for reference in references]


def _gold(one: object) -> Gold:
    if isinstance(one, int) and not isinstance(one, bool):
        one = str(one)
    if isinstance(one, str):
        text = _text(one)
        if looks_like_a_name(text):
            return Gold(name=text)
        return Gold(text=text)
    if not isinstance(one, Mapping):
        raise bad_input("wrong.gold.kind")
    grade = first_in(one, GRADES)
    grade = 1 if grade is None else grade
    start, end = one.get("start"), one.get("end")
    if not _whole(grade):
        raise bad_input("wrong.gold.grade")
    text = _first(one, TEXT_NAMES)
    if (
        isinstance(start, int)
        and isinstance(end, int)
        and 0 <= start < end
        and (file := _first(one, ("name", *FILE_NAMES)))
    ):
        return Gold(file, text, start, end, grade)
    name = _first(one, ("name", *ID_NAMES)) or ("" if text else _first(one, FILE_NAMES))
    if not name and not text:
        raise bad_input("wrong.gold.nothing")
    return Gold(name, text, grade=grade)


def looks_like_a_name(text: str) -> bool:
    """Return True for an id, a path or an address: it contains no white space and no
    sentence, or it is a file name with an extension.
    """
    return _NAME.fullmatch(text) is not None and _SENTENCE.search(text) is None


def _held(
    gold: Sequence[Gold], words: Sequence[Sequence[str]], reference: Reference
) -> list[int]:
    own = _words(reference.text) if any(words) else []
    return [
        number
        for number, (one, wanted) in enumerate(zip(gold, words, strict=True))
        if (one.name and _named(one, reference)) or (wanted and _alike(wanted, own))
    ]


def _named(gold: Gold, reference: Reference) -> bool:
    """Return whether the name matches a reference, or a near-duplicate that was left
    out for it.
    """
    if gold.start is not None and gold.end is not None:
        placed = reference.start is not None and reference.end is not None
        return (
            placed
            and _is_file(gold.name, reference.file or "")
            and reference.start < gold.end  # type: ignore[operator]
            and gold.start < reference.end  # type: ignore[operator]
        )
    if reference.file is not None and _is_file(gold.name, reference.file):
        return True
    alike = reference.alike if isinstance(reference.alike, list) else []
    if any(_is_id(gold.name, known) for known in (reference.id, *alike)) or any(
        _is_file(gold.name, _file_of(known)) for known in alike
    ):
        return True
    metadata = reference.metadata if isinstance(reference.metadata, dict) else {}
    return any(metadata.get(name) == gold.name for name in ID_NAMES)


def _is_id(name: str, known: str) -> bool:
    """Return True if both identify one passage: `guide.md@120`, or an id of the
    retriever.
    """
    file, mark, start = known.rpartition("@")
    before, _, after = name.rpartition("@")
    return name == known or (bool(mark) and after == start and _is_file(before, file))


def _file_of(known: str) -> str:
    """Return the document of a passage by its id `guide.md@120`; "" if the id does not
    tell.
    """
    file, mark, start = known.rpartition("@")
    if mark and start.isdigit():
        return file
    return ""


def _is_file(name: str, file: str) -> bool:
    """Return whether both names mean the same document, or one names the file of all
    its rows.

    The index starts a path with the name of the indexed folder. The name may omit that,
    or be the whole path.
    """
    wanted = name.removeprefix("./")
    for one in (file, _without_row(file)):
        if wanted in (one, one.partition("/")[2]) or (
            wanted.startswith("/") and wanted.endswith(f"/{one}")
        ):
            return True
    return False


def _without_row(file: str) -> str:
    before, mark, row = file.rpartition("#")
    if mark and row.isdigit():
        return before
    return file


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _alike(gold: Sequence[str], passage: Sequence[str]) -> bool:
    """Return whether the texts share half of the shorter one's shingles (containment,
    Broder 1997), so that a passage with other boundaries matches.
    """
    width = min(WIDTH, len(gold), len(passage))
    if not width:
        return False
    wanted, held = _shingles(gold, width), _shingles(passage, width)
    return len(wanted & held) >= ALIKE * (
        len(wanted) if len(passage) < SHORT else min(len(wanted), len(held))
    )


def _shingles(words: Sequence[str], width: int) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + width]) for at in range(len(words) - width + 1)}


def _first(one: Mapping[str, object], names: Iterable[str]) -> str:
    """Return the first of these that is a text or a whole number, as text; "" if none
    is.
    """
    for name in names:
        value = one.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and value.strip():
            return _text(value)
    return ""


def _text(value: object) -> str:
    text = str(value).strip()
    if not text or len(text) > LONGEST:
        raise bad_input("wrong.gold.text", most=LONGEST)
    return text


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
