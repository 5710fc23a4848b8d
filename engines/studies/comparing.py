"""Two runs beside each other, item by item: second − first, with interval, test and a verdict in words.

What is compared must be the same: items are paired by id, their content must agree, and so must the models that say which answers are the
same. What may differ, methods, models, settings and prompts, is listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ...sessions.errors import BadInput
from ...texts import t
from ..measures import common, rated
from ..measures.content import digest
from ..measures.measure import Item, Measure, Measured
from .differing import Difference, Pair, corrected, differ
from .figures import of_session
from .runs import Case, Run

QUALITY = ("accuracy", "traps", "chrf", "bleu")
"""What is compared where nobody says what, as far as there is something to hold answers against."""
PEOPLE = tuple(rated.measures())
"""What people said, beside either, as far as they said anything."""
PRICE = ("tokens", "cost", "seconds", "calls", "cached", "saved")
"""What stands beside quality everywhere. Tests of these are corrected apart: what is looked at anyway costs the others nothing.
`cached` and `saved` are not tested."""
MARGIN = 0.02
RIGHT = ("answers", "wrong_answers")
"""Where an item says what is right, and what is a trap."""

Measures = Mapping[str, Measure]


class Differing(NamedTuple):
    """Something that the runs were not made alike with."""

    name: str
    """As `Run.facts` has it: `method`, `model.judge`, `setting.level`."""
    values: tuple[tuple[str, ...], ...]
    """Those of each run; none where nothing is known."""


@dataclass(frozen=True)
class Paired:
    """The items of two runs that are compared, and those that are not."""

    ids: tuple[str, ...]
    items: Mapping[str, tuple[Item, Item]]
    """By id what each run is held against; the same but where `other_content` names it."""
    clusters: Mapping[str, str]
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    other_content: tuple[str, ...] = ()
    """Ids under which the runs have something else to answer. They are compared only where that is allowed."""
    unfinished: tuple[str, ...] = ()
    """Ids that one of the runs has not finished: they are left out."""


@dataclass(frozen=True)
class Versus:
    """One run against the first one."""

    first: Run
    second: Run
    paired: Paired
    differing: tuple[Differing, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class Comparison:
    """All runs against the first one."""

    runs: tuple[Run, ...]
    margin: float
    versus: tuple[Versus, ...]
    allowed: bool = False
    """True where different items were allowed."""

    @property
    def differences(self) -> list[tuple[Versus, Difference]]:
        return [(versus, one) for versus in self.versus for one in versus.differences]


@dataclass(frozen=True)
class Wanted:
    """What is asked of a comparison."""

    measures: Sequence[str] = ()
    """Names; none: `QUALITY`, else what the method measures."""
    cluster: str | None = None
    """The field of an item that says what belongs together; None: as the runs have it."""
    margin: float = MARGIN
    different: bool = False
    """Different items are allowed."""
    gates: Sequence[str] = field(default_factory=tuple)
    """Measures that are looked at in any case."""


def measures_of(
    runs: Iterable[Run], own: Callable[[str], Measures]
) -> dict[str, Measure]:
    """What can be measured of all these runs, by name. `own`: what a method measures beside what all methods share.

    Runs of one method have its measures. Those of several have the common ones and those that all of them have alike; where a method has
    its own ladder for an answer, all runs are held to that.
    """
    shared = common.measures()
    methods = [
        own(name)
        for name in dict.fromkeys(name for run in runs for name in run.methods)
    ]
    for found in methods:
        shared |= {
            name: measure
            for name, measure in found.items()
            if name in shared or all(each.get(name) == measure for each in methods)
        }
    return shared


def compare(runs: Sequence[Run], available: Measures, wanted: Wanted) -> Comparison:
    """Every run against the first one. Raises: BadInput where they are not of the same items, and for a measure that there is not."""
    unknown = next(
        (name for name in (*wanted.measures, *wanted.gates) if name not in available),
        None,
    )
    if unknown is not None:
        raise BadInput(
            t("wrong.compare.no_measure", name=unknown, names=", ".join(available))
        )
    runs = _informed(runs)
    for second in runs[1:]:
        _check_same_rule(runs[0], second, wanted)
    pairings = [(second, pair(runs[0], second, wanted)) for second in runs[1:]]
    versus = [
        _against(
            runs[0],
            second,
            paired,
            _chosen(runs[0], second, paired, available, wanted),
            available,
            wanted,
        )
        for second, paired in pairings
    ]
    if not any(each.paired.ids for each in versus):
        raise BadInput(t("wrong.compare.nothing_finished"))
    if not any(each.differences for each in versus):
        raise BadInput(t("wrong.compare.nothing_to_measure"))
    return Comparison(
        tuple(runs), wanted.margin, tuple(_corrected(versus)), wanted.different
    )


def pair(first: Run, second: Run, wanted: Wanted) -> Paired:
    """The items that are in both runs. Raises: BadInput where the runs are not of the same items, unless that is allowed."""
    both = [id_ for id_ in first.cases if id_ in second.cases]
    if not both:
        raise BadInput(
            t("wrong.compare.nothing_in_both", first=first.path, second=second.path)
        )
    only_first, only_second = (
        tuple(id_ for id_ in one.cases if id_ not in other.cases)
        for one, other in ((first, second), (second, first))
    )
    other = tuple(
        id_ for id_ in both if _other(first.cases[id_].item, second.cases[id_].item)
    )
    if other and not wanted.different:
        raise BadInput(
            t(
                "wrong.compare.other_content",
                n=len(other),
                id=other[0],
                first=first.path,
                second=second.path,
            )
        )
    if (only_first or only_second) and not wanted.different:
        example = (only_first or only_second)[0]
        raise BadInput(
            t(
                "wrong.compare.other_items",
                n=len(only_first),
                first=first.path,
                n2=len(only_second),
                second=second.path,
                id=example,
            )
        )
    unfinished = tuple(
        id_
        for id_ in both
        if "stopped" in (first.cases[id_].status, second.cases[id_].status)
    )
    left = set(unfinished)
    ids = tuple(id_ for id_ in both if id_ not in left)
    items = {id_: (first.cases[id_].item, second.cases[id_].item) for id_ in ids}
    clusters = {id_: _cluster(items[id_][0], wanted.cluster) for id_ in ids}
    return Paired(ids, items, clusters, only_first, only_second, other, unfinished)


def differing(runs: Sequence[Run]) -> tuple[Differing, ...]:
    """What the runs were not made alike with, by name. A run of somebody else's outputs says nothing of itself."""
    names = dict.fromkeys(name for run in runs for name in run.facts)
    found = [
        Differing(name, tuple(tuple(run.facts.get(name, ())) for run in runs))
        for name in names
    ]
    if any(run.compared_by for run in runs):
        found.append(Differing("equivalence", tuple(run.compared_by for run in runs)))
    return tuple(one for one in found if len(set(map(frozenset, one.values))) > 1)


# ------------------------------------------------------------------ items


def _check_same_rule(first: Run, second: Run, wanted: Wanted) -> None:
    """Refuses runs of which one had a model say which answers are the same, and the other had not."""
    if not wanted.different and set(first.compared_by) != set(second.compared_by):
        with_, without = (first, second) if first.compared_by else (second, first)
        raise BadInput(
            t(
                "wrong.compare.equivalence",
                first=with_.path,
                models=", ".join(with_.compared_by),
                second=without.path,
            )
        )


def _other(one: Item, other: Item) -> bool:
    """True if two items have one id and say different things. One of which nothing is known is the other's."""
    return bool(one.digest and other.digest) and one.digest != other.digest


def _informed(runs: Sequence[Run]) -> list[Run]:
    """The runs; one that does not know what its items are about, or what is right, takes them from the first one that does."""
    known: dict[str, Item] = {}
    for run in runs:
        for id_, case in run.cases.items():
            if case.item.digest and (
                id_ not in known or (_bare(known[id_]) and not _bare(case.item))
            ):
                known[id_] = case.item
    return [
        replace(
            run,
            cases={id_: _told(case, known.get(id_)) for id_, case in run.cases.items()},
        )
        for run in runs
    ]


def _told(case: Case, known: Item | None) -> Case:
    item = case.item
    if known is None or (
        item.digest and not (_bare(item) and item.digest == _bare_digest(known))
    ):
        return case
    return replace(case, item=_with(item, known))


def _bare(item: Item) -> bool:
    """Whether an item says what is asked, and not what is right."""
    return not any(item.fields.get(name) for name in RIGHT)


def _bare_digest(item: Item) -> str:
    """The digest that the item would have if it did not say what is right."""
    return digest(
        {name: value for name, value in item.fields.items() if name not in RIGHT}
    )


def _with(item: Item, known: Item) -> Item:
    """What is known of an item, and what this run says of it besides."""
    mine = {
        name: value for name, value in item.fields.items() if name not in known.fields
    }
    theirs = {
        name: value
        for name, value in known.fields.items()
        if name not in common.OF_A_RUN
    }
    return replace(known, fields={**theirs, **mine})


def _cluster(item: Item, named: str | None) -> str:
    """The cluster of an item. Raises: BadInput where it has not got the field that is wanted."""
    if named is None or named == "cluster":
        return item.cluster
    value: Any = item.id if named == "id" else item.fields.get(named)
    if isinstance(value, Mapping):
        value = value.get("id")
    if not isinstance(value, str | int) or isinstance(value, bool):
        names = ", ".join(["id", "cluster", *_groupings(item)])
        raise BadInput(t("wrong.compare.no_field", id=item.id, name=named, names=names))
    return str(value)


def _groupings(item: Item) -> list[str]:
    """The fields that may say which items belong together."""
    return [
        name
        for name, value in item.fields.items()
        if isinstance(value, str | int | Mapping) and name not in common.OF_A_RUN
    ]


# ------------------------------------------------------------------ measures


def _chosen(
    first: Run, second: Run, paired: Paired, available: Measures, wanted: Wanted
) -> list[str]:
    """The measures to compare by: those asked for, else `QUALITY`, else the method's own, and what people said; then the prices."""
    quality = list(
        dict.fromkeys(
            [*wanted.measures, *(name for name in wanted.gates if name not in PRICE)]
        )
    )
    if not wanted.measures:
        known = [
            name
            for name in QUALITY
            if name in available and _says(first, second, paired, available[name])
        ]
        own = [
            name
            for name, one in available.items()
            if name not in common.measures() and _says(first, second, paired, one)
        ]
        people = [
            name
            for name in PEOPLE
            if name in available and _says(first, second, paired, available[name])
        ]
        quality = list(dict.fromkeys([*(known or own), *people, *quality]))
    prices = [
        name
        for name in PRICE
        if name in available and _says(first, second, paired, available[name])
    ]
    return list(dict.fromkeys([*quality, *prices, *wanted.gates]))


def _says(first: Run, second: Run, paired: Paired, measure: Measure) -> bool:
    """Whether a measure gives a value for any session of either run."""
    cases = (
        (run.cases[id_].session, paired.items[id_][place])
        for place, run in enumerate((first, second))
        for id_ in paired.ids
    )
    return any(
        one.value is not None
        for session, item in cases
        for one in measure.of(session, item)
    )


def _against(
    first: Run,
    second: Run,
    paired: Paired,
    names: Sequence[str],
    available: Measures,
    wanted: Wanted,
) -> Versus:
    found = [
        differ(
            available[name],
            _pairs(first, second, paired, available[name]),
            wanted.margin,
        )
        for name in names
    ]
    return Versus(first, second, paired, differing((first, second)), tuple(found))


def _pairs(first: Run, second: Run, paired: Paired, measure: Measure) -> list[Pair]:
    """What a measure gives for both sessions of each item; an item that it has no part in, in either run, is left out."""

    def measured(run: Run, id_: str, place: int) -> Measured | None:
        return of_session(measure.of(run.cases[id_].session, paired.items[id_][place]))

    made = []
    for id_ in paired.ids:
        one, other = measured(first, id_, 0), measured(second, id_, 1)
        if one is not None or other is not None:
            nothing = Measured(None, "empty")
            made.append(
                Pair(id_, paired.clusters[id_], one or nothing, other or nothing)
            )
    return made


def _corrected(versus: Sequence[Versus]) -> list[Versus]:
    """With p values that are corrected for all measures and runs of the comparison; quality and price each by itself."""
    every = [one for each in versus for one in each.differences]
    made: dict[int, Difference] = {}
    for family in (
        [one for one in every if one.measure.name not in PRICE],
        [one for one in every if one.measure.name in PRICE],
    ):
        made |= {
            id(before): after
            for before, after in zip(family, corrected(family), strict=True)
        }
    return [
        replace(each, differences=tuple(made[id(one)] for one in each.differences))
        for each in versus
    ]
