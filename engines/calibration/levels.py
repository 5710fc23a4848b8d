"""Pairs of cases, with the machine's level of relevance and people's; and the questions
that levels answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...sessions.errors import BadInput
from ...sessions.label_store import LabelStore
from ...texts import t
from ..figures.made_by import made_by
from ..metrics.compare import Pair, RaterLevels
from ..metrics.current_ratings import ADJUDICATED
from ..metrics.levels import bit
from ..metrics.raters import choose, read_raters
from .judged_item import JudgedItem

QUESTIONS: dict[str, Callable[[int], bool]] = {
    "at_least_1": lambda level: level >= 1,
    "at_least_2": lambda level: level >= 2,
    "at_least_3": lambda level: level >= 3,
    "material": lambda level: bool(bit(level, "material")),
}
"""What a level says yes or no to. Two or above is the legal bit."""
SCORE = "level"


@dataclass(frozen=True)
class Levels:
    """A machine's levels beside people's."""

    machine: RaterLevels
    truth: RaterLevels
    """One rater: who was chosen, or what most of them say."""
    raters: tuple[str, ...]
    """Whose levels the truth is made of."""
    by_level: bool
    """True where the pairs that people labelled were drawn level by level, so they are
    no random sample.
    """

    def things(self, question: str) -> list[JudgedItem]:
        """The machine's pairs, as one of `QUESTIONS` parts them.

        Its cluster is the query.
        """
        yes = QUESTIONS[question]
        found = []
        for pair, level in self.machine.labels.items():
            known = self.truth.labels.get(pair)
            truth, holds = (
                None if known is None else yes(known),
                None if level is None else yes(level),
            )
            said = "" if level is None else str(level)
            found.append(
                JudgedItem(
                    "\0".join(pair),
                    pair[0],
                    truth,
                    holds,
                    said,
                    {SCORE: level},
                )
            )
        return found


def read_levels(
    paths: Sequence[Path],
    columns: Sequence[str] = (),
    *,
    labels: Path | None = None,
    gold: bool = False,
    names: Sequence[str] = (),
    machines: Sequence[str] = (),
) -> list[Levels]:
    """Each machine compared with the reference levels.

    The reference is `labels`, a file; the data's own levels with `gold`; or the raters
    in `names`. Otherwise it is people's labels, or without any the data's own levels.
    Of several people, the majority counts; an adjudicated level comes first.
    `machines`: their names; by default the machine of the sessions, or all other raters
    of files. Raises: BadInput without a reference, a machine or a common pair.
    """
    everybody = read_raters(paths, columns)
    known = read_raters([labels]) if labels is not None else everybody
    people = _people(known, gold=gold, names=names, whole=labels is not None)
    if not people:
        names_there = ", ".join(rater.name for rater in everybody)[:300]
        raise BadInput(t("wrong.calibrate.whose", names=names_there))
    rest = [rater for rater in everybody if rater not in people]
    judging = (
        choose(rest, machines)
        if machines
        else [rater for rater in rest if rater.kind == "machine"]
    )
    judging = judging or [rater for rater in rest if rater.kind == "file"]
    if not judging:
        raise BadInput(
            t(
                "wrong.calibrate.no_machine",
                names=", ".join(rater.name for rater in everybody)[:300],
            )
        )
    decided = next(
        (
            rater
            for rater in known
            if rater.name == ADJUDICATED and not names and people[0].kind == "person"
        ),
        None,
    )
    truth = (
        most(people, decided) if len(people) > 1 or decided is not None else people[0]
    )
    by_level = any(rater.kind == "person" for rater in people) and any(
        map(drawn_by_level, paths)
    )
    raters = [one.name for one in people]
    raters += made_by(labels) if labels is not None else []
    found = [Levels(rater, truth, tuple(raters), by_level) for rater in judging]
    if not any(set(one.machine.labels) & set(one.truth.rated()) for one in found):
        raise BadInput(t("wrong.calibrate.no_pair"))
    return found


def _people(
    known: Sequence[RaterLevels], *, gold: bool, names: Sequence[str], whole: bool
) -> list[RaterLevels]:
    if names:
        return choose(known, names)
    if whole:
        return list(known)
    people = [] if gold else [rater for rater in known if rater.kind == "person"]
    return people or [
        rater for rater in known if rater.kind == "gold" and rater.name != ADJUDICATED
    ]


def most(
    people: Sequence[RaterLevels], decided: RaterLevels | None = None
) -> RaterLevels:
    """What was decided on for each pair, else what most people say; None where two
    levels are as frequent.
    """
    labels: dict[Pair, int | None] = {}
    for pair in dict.fromkeys(pair for rater in people for pair in rater.labels):
        said = Counter(
            level for rater in people if (level := rater.labels.get(pair)) is not None
        ).most_common(2)
        labels[pair] = (
            said[0][0] if len(said) == 1 or (said and said[0][1] > said[1][1]) else None
        )
    labels.update(decided.rated() if decided is not None else {})
    return RaterLevels(
        ", ".join(rater.name for rater in people),
        labels,
        sum(rater.seen_machine for rater in people),
        kind="person",
    )


def drawn_by_level(path: Path) -> bool:
    """Whether somebody's pairs in this folder were drawn level by level.

    Raises: SessionError.
    """
    if not path.is_dir():
        return False
    store = LabelStore.of_answers(path)
    return any(
        assignment.sample is not None for assignment in store.assignments.values()
    )


def questions(levels: Levels) -> list[str]:
    """The questions that some pair, of those that both have rated, answers with yes and
    some with no.
    """
    rated = [
        level
        for pair, level in levels.truth.rated().items()
        if levels.machine.labels.get(pair) is not None
    ]
    return [
        name
        for name, yes in QUESTIONS.items()
        if len({yes(level) for level in rated}) == 2
    ]
