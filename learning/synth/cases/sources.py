"""Reads and combines queries, cases, people's levels and pools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ....engines.cases.importers.cases import CaseFile, read_cases, read_queries
from ....engines.cases.importers.labels import read_labels
from ....engines.metrics.trec import read_run
from ....sessions.errors import bad_input

Pair = tuple[str, str]
"""Ids of a query, or of the case in its place, and of a case."""


@dataclass(frozen=True)
class Sources:
    """All input data. Every id has a text."""

    queries: Mapping[str, CaseFile]
    """The queries with a labelled case."""
    cases: Mapping[str, CaseFile]
    labels: Mapping[Pair, int]
    """People's levels, 0 to 3."""
    candidates: Mapping[str, Sequence[str]]
    """The cases of each query, labelled or not."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Unusable input by reason: labels and candidates without a text, queries without a
    label.
    """


def read_sources(
    cases: Sequence[Path], queries: Path, labels: Path, pool: Path | None
) -> Sources:
    """Reads all files.

    The candidates of a query are its labelled cases, those in a folder with its name,
    and those of `pool`: `{query: [cases]}` as JSON, or a TREC run. Raises: BadInput.
    """
    known, folders = _by_id(read_cases(cases))
    asked = {query.id: query for query in read_queries(queries)}
    read = read_labels(labels)
    listed = (
        {
            query: [one.candidate for one in found]
            for query, found in read_run(pool).items()
        }
        if pool is not None
        else {}
    )
    usable = {
        pair: level
        for pair, level in read.items()
        if pair[0] in asked and pair[1] in known
    }
    if not usable:
        raise bad_input("wrong.synth_cases.no_labels", labels=labels)
    wanted = {
        query: asked[query] for query in dict.fromkeys(query for query, _ in usable)
    }
    labelled: dict[str, list[str]] = {}
    for query, case in read:
        labelled.setdefault(query, []).append(case)
    candidates = {}
    absent: set[Pair] = set()
    for query in wanted:
        named = dict.fromkeys(
            [
                *labelled[query],
                *folders.get(query, ()),
                *listed.get(query, ()),
            ]
        )
        candidates[query] = [case for case in named if case in known]
        absent.update((query, case) for case in named if case not in known)
    left_out = {
        "labels_without_query": sum(query not in asked for query, _ in read),
        "labels_without_case": sum(
            query in asked and case not in known for query, case in read
        ),
        "queries_without_label": len(asked.keys() - wanted.keys()),
        "candidates_without_case": len(absent - read.keys()),
    }
    return Sources(wanted, known, usable, candidates, left_out)


def _by_id(
    files: Iterable[CaseFile],
) -> tuple[dict[str, CaseFile], dict[str, list[str]]]:
    """The cases by id, and the ids in each folder. A case may be in several folders.
    Raises BadInput if one id has two texts.
    """
    cases: dict[str, CaseFile] = {}
    folders: dict[str, list[str]] = {}
    for file in files:
        before = cases.setdefault(file.id, file)
        if before.text != file.text:
            raise bad_input("wrong.synth_cases.two_texts", id=file.id[:60])
        folders.setdefault(file.under, []).append(file.id)
    return cases, folders
