"""Writes a data set in BEIR format (Thakur et al., 2021), and TREC qrels: documents,
queries, and levels of pairs by set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import msgspec

from .lines import ExportFolder

HEAD = "query-id\tcorpus-id\tscore\n"
_BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


class LabeledPair(msgspec.Struct, kw_only=True, frozen=True):
    """A pair by its ids in the files, with its level, 0 to 3."""

    query: str
    case: str
    level: int


class BeirIds:
    """Assigns ids for files with blank-separated columns: unique and without blanks."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()
        self.changed = 0
        """Number of changed ids."""

    def of(self, kind: str, id_: str) -> str:
        """The id for a name of this kind. If another kind has taken it, the kind is
        prepended.
        """
        if (kind, id_) not in self._names:
            plain = _BLANK.sub("_", id_).strip("_") or "_"
            name, number = plain, 1
            while name in self._taken:
                name, number = (
                    f"{kind}-{plain}" if number == 1 else f"{kind}-{plain}-{number}",
                    number + 1,
                )
            self._taken.add(name)
            self._names[kind, id_] = name
            self.changed += name != id_
        return self._names[kind, id_]


def write(
    folder: ExportFolder,
    corpus: Iterable[tuple[str, str, str]],
    queries: Iterable[tuple[str, str]],
    sets: Mapping[str, Iterable[LabeledPair]],
) -> None:
    """Writes the files. `corpus`: id, title, text; `queries`: id, text.

    Raises: BadInput, WriteError.
    """
    folder.lines(
        "corpus.jsonl",
        ({"_id": id_, "title": title, "text": text} for id_, title, text in corpus),
    )
    folder.lines("queries.jsonl", ({"_id": id_, "text": text} for id_, text in queries))
    for name, pairs in sets.items():
        listed = [*pairs]
        folder.text(
            f"qrels/{name}.tsv",
            (f"{one.query}\t{one.case}\t{one.level}\n" for one in listed),
            HEAD,
        )
        folder.text(
            f"trec/{name}.qrels",
            (f"{one.query} 0 {one.case} {one.level}\n" for one in listed),
        )
