"""Selects the pairs to judge, and saves the selection so that no work is repeated."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ....engines.cases.importers.cases import CaseFile
from ....sessions.errors import bad_input
from ....sessions.files import write_whole
from .drawing import draw_pairs, possible
from .judged_pairs import Split
from .pool import TrainingPool, pool_of
from .presort import Bm25, ScoredPair, best_first, read_drawn, write_drawn
from .sources import Pair, Sources
from .train_test_splits import split_queries
from .words import WordNumbers

CHOICE, DRAWN = "choice.json", "drawn.csv"
"""Split and pool; the drawn pairs, best first."""

Scorer = Callable[[Sequence[Pair], Mapping[str, CaseFile]], Sequence[float | None]]
"""Scores pairs, given the cases by id; None for a pair without a score."""


@dataclass(frozen=True)
class PairPlan:
    """The requested numbers."""

    pairs: int = 200_000
    top: int = 50_000
    check: int = 0
    """Number of pairs with people's levels to judge as well."""
    seed: int = 0


class PairToJudge(msgspec.Struct, frozen=True):
    """A pair to judge."""

    id: str
    query: str
    case: str
    score: float | None = None
    label: int | None = None
    """People's level, if the pair is judged to measure the machine's agreement."""


class PairSelection(msgspec.Struct):
    """Split and pool."""

    splits: dict[str, Split]
    pool: TrainingPool
    wanted: int
    """Requested number of drawn pairs."""
    scorer: str
    """Name of the scorer."""
    drawn: list[ScoredPair] = []

    @property
    def possible(self) -> int:
        """Number of pairs in the pool."""
        return possible(len(self.pool.cases))

    @property
    def scored(self) -> int:
        """Number of drawn pairs with a score."""
        return sum(one.score is not None for one in self.drawn)

    def asked(self, sources: Sources, plan: PairPlan) -> list[PairToJudge]:
        """The pairs to judge: a sample with people's levels first, then the best drawn
        pairs. Excludes pairs without a score.
        """
        people = sorted(
            self.pool.labelled(sources.labels, self.splits, "train").items()
        )
        chance = random.Random(f"{plan.seed}/check")  # noqa: S311
        checked = chance.sample(people, min(plan.check, len(people)))
        best = [one for one in self.drawn[: plan.top] if one.score is not None]
        return [
            *(
                PairToJudge(f"p{at:05}-{query}-{case}", query, case, None, level)
                for at, ((query, case), level) in enumerate(checked, 1)
            ),
            *(
                PairToJudge(f"{at:06}-{one.query}-{one.case}", *one)
                for at, one in enumerate(best, 1)
            ),
        ]


def choose(
    sources: Sources,
    plan: PairPlan,
    presort: str,
    scorer: Scorer | None,
    words: WordNumbers,
) -> PairSelection:
    """Splits, builds the pool, draws and sorts. `scorer`: None: BM25.

    Raises: BadInput if too few cases are left.
    """
    splits = split_queries(sources.queries, words, plan.seed)
    bm25 = Bm25()
    pool = pool_of(
        sources,
        splits,
        words,
        bm25.add if scorer is None else lambda case, numbers: None,
    )
    if len(pool.cases) < 2:
        raise bad_input(
            "wrong.synth_cases.no_pool", n=len(pool.cases), left=len(pool.left_out)
        )
    pairs = list(draw_pairs(pool.cases, plan.pairs, plan.seed))
    scores = bm25.scores(pairs) if scorer is None else scorer(pairs, sources.cases)
    drawn = best_first(
        ScoredPair(*pair, score) for pair, score in zip(pairs, scores, strict=True)
    )
    return PairSelection(splits, pool, plan.pairs, presort, drawn)


def unsorted(sources: Sources, plan: PairPlan, words: WordNumbers) -> PairSelection:
    """The same with the drawn pairs unsorted: for an estimate, which depends on their
    number and lengths only.
    """
    return choose(
        sources,
        plan,
        "",
        lambda pairs, cases: [0.0] * len(pairs),
        words,
    )


def keep(folder: Path, selection: PairSelection) -> None:
    """Saves a selection, the table last. Raises: BadInput, WriteError."""
    told = msgspec.to_builtins(selection)
    del told["drawn"]
    write_whole(
        folder / CHOICE,
        msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n",
    )
    write_drawn(folder / DRAWN, selection.drawn)


def kept(folder: Path) -> PairSelection | None:
    """Reads the saved selection; None if there is none.

    Raises: BadInput if it cannot be read.
    """
    if not (folder / DRAWN).is_file():
        return None
    try:
        made = msgspec.json.decode((folder / CHOICE).read_bytes(), type=PairSelection)
    except (OSError, msgspec.DecodeError):
        raise bad_input("wrong.synth_cases.choice", path=folder / CHOICE) from None
    made.drawn = read_drawn(folder / DRAWN)
    return made
