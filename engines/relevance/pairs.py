"""The pairs of a batch: one session for each pair, temperature and repeat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from ...sessions.errors import bad_input
from ..batches.lines import BatchLine, LineNames, read_lines
from ..cases.importers.cases import CaseFile
from ..cases.importers.pairs import LABELS, CasePair, pair_of
from ..figures.items import cluster_of, id_of
from ..figures.rows import Row
from ..starting import Wishes

OWN = frozenset({"id", "query", "candidate", "cluster", *LABELS})
"""The fields of a line that are no options."""

FORM = '{"id": "…", "query": "…", "candidate": "…"}'

Labels = Mapping[tuple[str, str], int]


@dataclass(frozen=True)
class PairLine(BatchLine):
    """One annotation of a pair."""

    stored_as: ClassVar[str] = "PairLine"
    of: str
    """The pair's own id: all its temperatures and repeats have it."""
    pair: CasePair
    wishes: Wishes
    temperature: float | None = None
    repeat: int = 0

    @property
    def wanted(self) -> Wishes:
        candidate = self.pair.candidate.as_json() | (
            {} if self.pair.label is None else {"gold": self.pair.label}
        )
        return self.wishes.about(
            query=self.pair.query.as_json(),
            candidates=[candidate],
            temperature=self.temperature,
            repeat=self.repeat,
        )

    def as_repeat(self, of: str, repeat: int) -> PairLine:
        return replace(self, of=of, repeat=repeat)

    @property
    def about(self) -> str:
        return self.pair.query.id


@dataclass(frozen=True)
class AnnotationRuns:
    """How often each pair is annotated."""

    temperatures: Sequence[float] = ()
    """Empty: as the options say."""
    repeats: int = 1

    def lines(
        self, name: str, where: str, pair: CasePair, wishes: Wishes, cluster: str = ""
    ) -> Iterable[PairLine]:
        """Return the sessions of a pair: `ID`, or `ID.t0.3.r2` with several
        temperatures or repeats.
        """
        for temperature in self.temperatures or (None,):
            for repeat in range(self.repeats):
                end = "" if temperature is None else f".t{temperature:g}"
                end += f".r{repeat + 1}" if self.repeats > 1 else ""
                yield PairLine(
                    name + end,
                    (),
                    where,
                    name,
                    pair,
                    wishes,
                    temperature,
                    repeat,
                    named_cluster=cluster,
                )


def read_pairs(
    path: Path, base: Wishes, runs: AnnotationRuns, left_out: list[str] | None = None
) -> list[PairLine]:
    """Return the pairs of a file. Faulty lines are reported as by `read_lines`."""
    texts: dict[str, str] = {}

    def one(case: CaseFile) -> CaseFile:
        """Reuse the text of an equal case: a query with a thousand candidates is stored
        once.
        """
        return case._replace(text=texts.setdefault(case.text, case.text))

    def read(row: Row, number: int, where: str) -> Iterable[PairLine]:
        own = {name: value for name, value in row.items() if name not in OWN}
        query, candidate, label = pair_of(row)
        pair = CasePair(one(query), one(candidate), label)
        return runs.lines(
            id_of(row, number), where, pair, base.with_line(own, OWN), cluster_of(row)
        )

    return read_lines(path, read, FORM, left_out)


def pairs_of(
    cases: Iterable[tuple[CaseFile, Iterable[CaseFile]]],
    base: Wishes,
    runs: AnnotationRuns,
    where: str,
) -> list[PairLine]:
    """Pair queries with each of their candidates.

    Raises: BadInput if two pairs would have the same id.
    """
    names = LineNames()
    made: list[PairLine] = []
    for query, candidates in cases:
        for candidate in candidates:
            name = f"{query.id}-{candidate.id}"
            made += map(
                names.take,
                runs.lines(name, f"{where}, {name}", CasePair(query, candidate), base),
            )
    return made


def labelled(lines: Sequence[PairLine], labels: Labels) -> list[PairLine]:
    """Return the lines with levels known from another source.

    Raises: BadInput if a line has a different level.
    """
    made = []
    for line in lines:
        query, candidate, label = line.pair
        known = labels.get((query.id, candidate.id), label)
        if label not in (None, known):
            raise bad_input(
                "wrong.labels.contradict", where=line.where, label=label, known=known
            )
        made.append(replace(line, pair=CasePair(query, candidate, known)))
    return made
