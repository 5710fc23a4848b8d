"""The result of the judgements: judged pairs, sets, the export and the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from ....engines.metrics.intervals import clustered_share
from ....engines.metrics.levels import LEVELS
from ....sessions.clean import json_line
from ....sessions.files import write_whole
from .judged_pairs import JudgedPair, PairSet, Split
from .leaks import Leak
from .pair_plan import PairSelection, PairToJudge
from .sets import DrawnSet, Size, draw_sets
from .sources import Sources

PAIRS, REPORT = "pairs.jsonl", "report.json"
SPLITS: tuple[Split, ...] = ("train", "validation", "test")


class CaseSynthesis(NamedTuple):
    """The inputs of the report."""

    sources: Sources
    choice: PairSelection
    judged: Sequence[JudgedPair]
    """The selected pairs; unread ones have no level."""
    states: Mapping[str, int]
    """Number of pairs by status: `read`, `unread`, `undecided`, `failed`, `stopped`."""
    people: Sequence[PairSet]
    """People's levels: training, validation, test."""
    sets: Sequence[DrawnSet]

    @property
    def drawn(self) -> list[PairSet]:
        """The sets to export, without empty ones."""
        return [*self.people, *(one.drawn for one in self.sets if one.drawn.pairs)]


class LevelShare(msgspec.Struct):
    """The share of a level among pairs, with an interval clustered by query."""

    value: float
    low: float
    high: float
    count: int
    of: int
    clusters: int


Levels = Mapping[str, LevelShare | None]
"""By level; None without pairs."""


class SplitReport(msgspec.Struct):
    """People's levels of one split."""

    queries: int
    pairs: int
    levels: Levels


class PoolReport(msgspec.Struct):
    """The cases that pairs are drawn from."""

    cases: int
    left_out: Mapping[str, int]


class SelectionReport(msgspec.Struct):
    """The drawn pairs."""

    pairs: int
    wanted: int
    possible: int
    presort: str
    without_score: int


class JudgedReport(msgspec.Struct):
    """The judged pairs, and the models by role."""

    pairs: int
    states: Mapping[str, int]
    levels: Levels
    judged_by: Mapping[str, Sequence[str]] | None


class SetReport(msgspec.Struct):
    """An exported set."""

    name: str
    by: Literal["shares", "random"]
    wanted: int
    pairs: int
    levels: Levels
    missing: Mapping[str, int]
    """By level."""


class CasesReport(msgspec.Struct):
    """The report, as in report.json."""

    read: Mapping[str, int]
    left_out: Mapping[str, int]
    splits: Mapping[str, SplitReport]
    train_pairs_held_out: int
    train_queries_held_out: int
    pool: PoolReport
    drawn: SelectionReport
    judged: JudgedReport
    agreement: Mapping[str, Any] | None
    """Agreement of the machine with people; None: not requested."""
    sets: Sequence[SetReport]
    leaks: Sequence[Mapping[str, str]]


def outcome_of(
    sources: Sources,
    choice: PairSelection,
    asked: Iterable[PairToJudge],
    summary: Iterable[Mapping[str, Any]],
    folder: str,
    sizes: Sequence[Size],
    seed: int,
) -> CaseSynthesis:
    """The results of a batch's lines, from its `summary.jsonl`. `folder`: the batch,
    next to the report.
    """
    lines = {str(line["id"]): line for line in summary}
    judged, states = list[JudgedPair](), Counter[str]()
    for one in asked:
        if one.label is not None:
            continue
        line = lines.get(one.id, {})
        done = line.get("status") == "done"
        level = line.get("level") if done else None
        states[
            "read"
            if level is not None
            else ("unread" if line.get("unread") else "undecided")
            if done
            else str(line.get("status", "failed"))
        ] += 1
        session = f"{folder}/{line['file']}" if done else None
        judged.append(
            JudgedPair(
                query=one.query,
                case=one.case,
                level=level,
                presort=one.score,
                session=session,
            )
        )
    people = [
        PairSet(
            name=split,
            pairs=[
                JudgedPair(query=query, case=case, level=level, by="people")
                for (query, case), level in sorted(
                    choice.pool.labelled(sources.labels, choice.splits, split).items()
                )
            ],
        )
        for split in SPLITS
    ]
    gold = [pair.level for pair in people[0].pairs if pair.level is not None]
    return CaseSynthesis(
        sources, choice, judged, states, people, draw_sets(judged, gold, sizes, seed)
    )


def keep_pairs(folder: Path, judged: Iterable[JudgedPair]) -> None:
    """Writes `pairs.jsonl`. Raises: BadInput, WriteError."""
    write_whole(
        folder / PAIRS, "".join(json_line(msgspec.to_builtins(one)) for one in judged)
    )


def agreement(report: Mapping[str, object]) -> dict[str, Any]:
    """The figures of a batch's report that compare the model with people."""
    names = ("level_right", "material_right", "legal_right")
    return {
        name: figure
        for name, figure in report.items()
        if name in names or name.startswith(("kappa_", "raw_agreement_"))
    }


def report_of(
    synthesis: CaseSynthesis,
    check: Mapping[str, object] | None,
    judged_by: Mapping[str, Sequence[str]] | None,
    leaks: Sequence[Leak],
) -> CasesReport:
    """Builds the report. `check`: agreement of the machine with people, as from
    `agreement`; None: not requested. `judged_by`: models by role; None: nothing was
    judged.
    """
    choice, pool = synthesis.choice, synthesis.choice.pool
    labels = synthesis.sources.labels
    splits = list(choice.splits.values())
    train = sum(choice.splits[query] == "train" for query, _ in labels)
    return CasesReport(
        read={
            "queries": len(synthesis.sources.queries),
            "cases": len(synthesis.sources.cases),
            "labels": len(labels),
        },
        left_out=dict(synthesis.sources.left_out),
        splits={
            split: SplitReport(splits.count(split), len(one.pairs), _levels(one.pairs))
            for split, one in zip(SPLITS, synthesis.people, strict=True)
        },
        train_pairs_held_out=train - len(synthesis.people[0].pairs),
        train_queries_held_out=len(pool.barred_queries),
        pool=PoolReport(len(pool.cases), pool.counts()),
        drawn=SelectionReport(
            pairs=len(choice.drawn),
            wanted=choice.wanted,
            possible=choice.possible,
            presort=choice.scorer,
            without_score=len(choice.drawn) - choice.scored,
        ),
        judged=JudgedReport(
            len(synthesis.judged),
            dict(synthesis.states),
            _levels(synthesis.judged),
            judged_by,
        ),
        agreement=check,
        sets=[
            SetReport(
                name=one.drawn.name,
                by="shares" if one.wanted.by_shares else "random",
                wanted=one.wanted.pairs,
                pairs=len(one.drawn.pairs),
                levels=_levels(one.drawn.pairs),
                missing={str(level): count for level, count in one.missing.items()},
            )
            for one in synthesis.sets
        ],
        leaks=[leak._asdict() for leak in leaks],
    )


def _levels(pairs: Iterable[JudgedPair]) -> Levels:
    read = [pair for pair in pairs if pair.level is not None]
    return {
        str(level): _share([(one.query, one.level == level) for one in read])
        for level in LEVELS
    }


def _share(told: Sequence[tuple[str, bool]]) -> LevelShare | None:
    found = clustered_share(told)
    if found is None:
        return None
    hits = sum(right for _, right in told)
    return LevelShare(
        value=hits / len(told),
        low=found.low,
        high=found.high,
        count=hits,
        of=len(told),
        clusters=found.clusters,
    )
