"""LeCaRD: pairs of Chinese criminal cases with a level from 0 to 3, from the folder
`data` of its repository.

There stand `query/query.json`, `label/label_top30_dict.json` and, unpacked or as zips,
`candidates`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from ....sessions.errors import bad_input
from ....texts import t
from ...cases.importers.cases import CandidateFiles, CaseFile, read_queries
from ...cases.importers.labels import read_labels
from ...figures.measure import Item
from . import item_of
from .records import no_more

QUERIES = ("query/query.json", "query.json", "queries.jsonl")
LABELS = ("label/label_top30_dict.json", "label_top30_dict.json", "labels_top30.json")
CANDIDATES = ("candidates", "candidates.zip", "docs.jsonl")


def read(
    files: Sequence[Path], more: Mapping[str, object], left_out: list[str] | None
) -> Iterator[Item]:
    """One labelled pair each, clustered by the query.

    Raises: BadInput for a folder that lacks a part.
    """
    no_more(more)
    for folder in files:
        yield from _pairs(folder, left_out)


def levels(folder: Path) -> dict[str, list[int]]:
    """The levels of every query's pairs, with a text or without. Raises: BadInput."""
    found: dict[str, list[int]] = {}
    for (query, _), level in read_labels(_part(folder, LABELS)).items():
        found.setdefault(query, []).append(level)
    return found


class CandidateCounts(NamedTuple):
    """How many candidates queries have, and how long these are (Table 1)."""

    queries: int
    per_query: float
    length: float
    """Mean characters of what is read of a candidate, each once."""


def candidates(folder: Path) -> CandidateCounts:
    """Those of a folder, labelled or not. Raises: BadInput where a part is missing."""
    pools = _texts(folder, [one.id for one in read_queries(_part(folder, QUERIES))])
    lengths = {
        did: len(case.text) for pool in pools.values() for did, case in pool.items()
    }
    return CandidateCounts(
        len(pools), fmean(map(len, pools.values())), fmean(lengths.values())
    )


def _texts(folder: Path, queries: Iterable[str]) -> dict[str, dict[str, CaseFile]]:
    """The candidates of each query, by id."""
    source = _part(folder, CANDIDATES)
    zips = sorted(source.glob("*.zip")) if source.is_dir() else []
    files = CandidateFiles(zips or [source])
    return {name: {one.id: one for one in files.of(name)} for name in queries}


def _pairs(folder: Path, left_out: list[str] | None) -> Iterator[Item]:
    labels = read_labels(_part(folder, LABELS))
    queries = {one.id: one for one in read_queries(_part(folder, QUERIES))}
    asked = dict.fromkeys(query for query, _ in labels if query in queries)
    texts = _texts(folder, asked)
    for query, did in labels:
        if query in texts and did in texts[query]:
            fields = {
                "query": queries[query].as_json(),
                "candidate": texts[query][did].as_json(),
                "label": labels[query, did],
            }
            yield item_of(f"{query}-{did}", fields, query)
        elif left_out is not None:
            left_out.append(t("wrong.data.no_text", name=f"{query}-{did}"))
        else:
            raise bad_input(
                "wrong.data.text_lacks", name=f"{query}-{did}", folder=folder
            )


def _part(folder: Path, names: Sequence[str]) -> Path:
    for base in (folder, folder / "data"):
        for name in names:
            if (base / name).exists():
                return base / name
    raise bad_input("wrong.data.no_part", folder=folder, name=names[0])
