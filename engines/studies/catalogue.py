"""The public data sets that studies use: where they are, and what their files are.

Nothing is fetched: the user brings the files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean, median
from typing import Any

from ...sessions.errors import BadInput, bad_input
from ...sessions.files import whole
from ...texts import parsed_yaml, t
from ...texts.closest import with_closest
from .items import ADAPTERS, adapter, lecard, read_items
from .items.records import records

SETS = Path(__file__).parent / "sets.yaml"


KINDS = (".csv", ".json", ".jsonl", ".tsv")
"""Endings of files that adapters read."""


@dataclass(frozen=True)
class PublicFile:
    """A file of a data set as it was published."""

    path: str
    items: int | None = None
    """What its adapter makes of it; of the files of LeCaRD, the queries and the
    labelled pairs. None: not counted here.
    """
    unusable: int = 0
    """Records that cannot be asked."""
    bytes: int | None = None
    git: str = ""
    """The id that git gives its content; "" where it is not known here."""


@dataclass(frozen=True)
class DataSet:
    """A public data set.

    `texts/report.*.yaml` says what it is under `data.about_NAME`.
    """

    name: str
    title: str
    where: str
    licence: str
    source: str
    """Who published it."""
    files: tuple[PublicFile, ...]
    adapter: str = ""
    """"" where it has no items to ask: `agreement` and `ranking` read its levels."""
    commit: str = ""

    @property
    def items(self) -> int | None:
        """Items of its first file; None where they were not counted here."""
        if self.adapter != "lecard":
            return self.files[0].items
        return self.files[1].items

    def as_json(self) -> dict[str, Any]:
        """As `data show --output json` has it."""
        return {**vars(self), "files": [vars(file) for file in self.files]}


@cache
def data_sets() -> Mapping[str, DataSet]:
    """All sets by name."""
    listed = parsed_yaml(SETS.read_text("utf-8"))
    return {
        name: DataSet(
            name=name,
            **{**about, "files": tuple(PublicFile(**one) for one in about["files"])},
        )
        for name, about in listed.items()
    }


def data_set(name: str) -> DataSet:
    """The set of this name. Raises: BadInput."""
    if name not in data_sets():
        why = t("wrong.data.no_set", name=name)
        raise BadInput(with_closest(why, name, data_sets()))
    return data_sets()[name]


@dataclass(frozen=True)
class Spread:
    """How many pairs of a query have a level."""

    count: int
    """Of all queries together."""
    mean: float
    share: float
    """The mean of the queries' shares."""
    median: float
    most: int
    least: int

    @classmethod
    def of(cls, level: int, queries: Collection[Sequence[int]]) -> Spread:
        """That of one level. `queries`: the levels of each query's pairs."""
        counts = [levels.count(level) for levels in queries]
        shares = [
            count / len(levels) for count, levels in zip(counts, queries, strict=True)
        ]
        return cls(
            sum(counts),
            fmean(counts),
            fmean(shares),
            median(counts),
            max(counts),
            min(counts),
        )


@dataclass(frozen=True)
class DataSetContents:
    """What a file or folder of a data set holds."""

    adapter: str
    items: int
    clusters: int
    answered: int
    """Items that say what is right, or what level a pair has."""
    trapped: int
    """Items with wrong answers to fall for."""
    referenced: int
    left_out: tuple[str, ...]
    """A sentence for each record that cannot be asked."""
    git: str
    sha256: str
    """"" for a folder."""
    published: str
    """The set that published this file; "" if it is unknown."""
    levels: Mapping[str, Spread]
    """For each level, how many pairs of a query have it, with a text or without."""
    candidates: lecard.CandidateCounts | None
    """Of a folder of LeCaRD."""
    first: Mapping[str, Any]
    """The first item."""

    def as_json(self) -> dict[str, Any]:
        """As `data check --output json` has it."""
        return {
            **vars(self),
            "levels": {level: vars(one) for level, one in self.levels.items()},
            "candidates": self.candidates and self.candidates._asdict(),
        }


def check(path: Path, named: str | None = None) -> DataSetContents:
    """What is in a file or folder, read by the adapter of this name, or by the one
    whose form it has. Raises: BadInput.
    """
    if not path.exists():
        raise bad_input("wrong.data.no_path", path=path)
    if named is not None and named not in ADAPTERS:
        raise bad_input("wrong.data.no_adapter", name=named, names=", ".join(ADAPTERS))
    name = named or recognised(path)
    left_out: list[str] = []
    items = read_items(
        {"adapter": name, "file": path.name, "unusable": "leave out"},
        path.absolute().parent,
        left_out,
    )
    git, sha256 = ("", "") if path.is_dir() else digests(path)
    levels = lecard.levels(path).values() if name == "lecard" else ()
    return DataSetContents(
        adapter=name,
        items=len(items),
        clusters=len({item.cluster for item in items}),
        answered=sum(
            bool(item.fields.get("answers")) or item.fields.get("label") is not None
            for item in items
        ),
        trapped=sum(bool(item.fields.get("wrong_answers")) for item in items),
        referenced=sum(bool(item.fields.get("references")) for item in items),
        left_out=tuple(left_out),
        git=git,
        sha256=sha256,
        published=next(
            (
                one.name
                for one in data_sets().values()
                if git and git in [file.git for file in one.files]
            ),
            "",
        ),
        levels={
            str(level): Spread.of(level, levels)
            for level in sorted({one for each in levels for one in each})
        },
        candidates=lecard.candidates(path) if name == "lecard" else None,
        first={
            "id": items[0].id,
            "cluster": items[0].cluster,
            **items[0].fields,
        },
    )


def files_of(path: Path) -> list[Path]:
    """What to check at a path: itself, or the files of data in a folder that is no set
    by itself. Raises: BadInput for a folder without any.
    """
    if not path.is_dir() or any((path / name).is_file() for name in lecard.LABELS):
        return [path]
    found = sorted(
        one for one in path.iterdir() if one.suffix.lower() in KINDS and one.is_file()
    )
    if not found:
        raise bad_input("wrong.data.no_files", path=path, kinds=", ".join(KINDS))
    return found


def recognised(path: Path) -> str:
    """The adapter whose form a file or folder has.

    Raises: BadInput where none has it.
    """
    if path.is_dir():
        return "lecard"
    record = records(path)[0][1]
    for name in ADAPTERS:
        fits = getattr(adapter(name), "fits", None)
        if fits is not None and fits(record):
            return name
    if any(name in record for name in ("topic", "question", "query")):
        return "jsonl"
    raise bad_input("wrong.data.not_recognised", path=path, names=", ".join(ADAPTERS))


def digests(path: Path) -> tuple[str, str]:
    """The id that git gives a file's content, and its SHA-256.

    Raises: BadInput where it cannot be read.
    """
    try:
        data = whole(path)
    except OSError as error:
        raise bad_input(
            "wrong.file.unread", path=path, why=error.strerror or str(error)
        ) from None
    git = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False)
    return git.hexdigest(), hashlib.sha256(data).hexdigest()
