"""Two runs beside each other, item by item: second − first, with interval, test and a
verdict in words.

What is compared must be the same: items are paired by id, their content must agree, and
so must the models that say which answers are the same. What may differ, methods,
models, settings and prompts, is listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

from ...sessions.errors import bad_input
from ...sessions.events import Result
from . import common, rated
from .difference import Difference, ValuePair, corrected, differ
from .items import digest
from .measure import Item, Measure, MeasuredValue
from .provenance import SUPPLIED, digest_of
from .runs import Run, RunItem
from .wording import nearest_names

QUALITY = ("accuracy", "traps", "chrf", "bleu")
"""Measures of quality compared by default, where the items have something to compare
answers with.
"""
PEOPLE = tuple(rated.measures())
"""People's labels as measures, compared by default as far as they exist."""
PRICE = ("tokens", "cost", "seconds", "calls", "cached", "saved")
"""What is beside quality everywhere.

Tests of these are corrected apart: what is looked at anyway costs the others nothing.
`cached` and `saved` are not tested.
"""
MARGIN = 0.02
RIGHT = ("answers", "wrong_answers")
"""Where an item says what is right, and what is a trap."""

Measures = Mapping[str, Measure]


class RunDifference(NamedTuple):
    """Something that the runs were not made alike with."""

    name: str
    """As in `Provenance`: `method`, `model.judge`, `setting.level`; also `references`
    and `given` (what the items supply) and `equivalence`."""
    values: tuple[tuple[str, ...], ...]
    """Those of each run; none where nothing is known."""


class Unknown(NamedTuple):
    """Something that a run does not record about how it was made."""

    name: str
    """As in `RunDifference`."""
    runs: tuple[bool, ...]
    """For each run whether it is not recorded there."""


@dataclass(frozen=True)
class PairedItems:
    """The items of two runs that are compared, and those that are not."""

    ids: tuple[str, ...]
    items: Mapping[str, tuple[Item, Item]]
    """By id what each run is held against; the same but where `other_content` names it.
    """
    clusters: Mapping[str, str]
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    other_content: tuple[str, ...] = ()
    """Ids under which the runs have something else to answer.

    They are compared only where that is allowed.
    """
    unfinished: tuple[str, ...] = ()
    """Ids that one of the runs has not finished: they are left out."""


@dataclass(frozen=True)
class RunPairing:
    """One run against the first one."""

    first: Run
    second: Run
    paired: PairedItems
    differing: tuple[RunDifference, ...]
    differences: tuple[Difference, ...]
    unknown: tuple[Unknown, ...] = ()

    @property
    def alike(self) -> bool:
        """Whether everything about how the runs were made is known and equal."""
        ours = bool(self.first.methods and self.second.methods)
        return ours and not self.differing and not self.unknown


@dataclass(frozen=True)
class RunComparison:
    """All runs against the first one."""

    runs: tuple[Run, ...]
    margin: float
    versus: tuple[RunPairing, ...]
    allowed: bool = False
    """True where different items were allowed."""

    @property
    def differences(self) -> list[tuple[RunPairing, Difference]]:
        return [
            (versus, difference)
            for versus in self.versus
            for difference in versus.differences
        ]


@dataclass(frozen=True)
class CompareOptions:
    """What is asked of a comparison."""

    measures: Sequence[str] = ()
    """Names; none: `QUALITY`, else what the method measures."""
    cluster: str | None = None
    """The field of an item that says what belongs together; None: as the runs have it.
    """
    margin: float = MARGIN
    different: bool = False
    """Different items are allowed."""
    gates: Sequence[str] = field(default_factory=tuple)
    """Measures that are looked at in any case."""
    all_pairs: bool = False
    """Every pair of runs, not only every run against the first one."""


def measures_of(
    runs: Iterable[Run], own: Callable[[str], Measures]
) -> dict[str, Measure]:
    """All measures that apply to these runs, by name.

    `own`: measures of a method in addition to the common ones. Runs of one method have
    its measures; runs of several have those that their methods share.
    """
    names = dict.fromkeys(name for run in runs for name in run.methods)
    first, *others = [own(name) for name in names] or [{}]
    alike = {
        name: measure
        for name, measure in first.items()
        if all(other.get(name) == measure for other in others)
    }
    return common.measures() | alike


def compare(
    runs: Sequence[Run], available: Measures, wanted: CompareOptions
) -> RunComparison:
    """Every run against the first one.

    Raises: BadInput where they are not of the same items, and for a measure that there
    is not.
    """
    unknown = next(
        (name for name in (*wanted.measures, *wanted.gates) if name not in available),
        None,
    )
    if unknown is not None:
        raise bad_input(
            "wrong.compare.no_measure",
            name=unknown,
            names=nearest_names(unknown, [*available]),
        )
    runs = _informed(runs)
    pairs = list(combinations(runs, 2))
    versus = []
    for first, second in pairs if wanted.all_pairs else pairs[: len(runs) - 1]:
        _check_same_rule(first, second, wanted)
        paired = pair(first, second, wanted)
        names = _chosen(first, second, available, wanted)
        versus.append(_against(first, second, paired, names, available, wanted))
    for run in runs:
        if run.store is not None:
            run.store.save()
    if not any(each.paired.ids for each in versus):
        raise bad_input("wrong.compare.nothing_finished")
    if not any(each.differences for each in versus):
        raise bad_input("wrong.compare.nothing_to_measure")
    return RunComparison(
        tuple(runs), wanted.margin, tuple(_corrected(versus)), wanted.different
    )


def pair(first: Run, second: Run, wanted: CompareOptions) -> PairedItems:
    """The items that are in both runs.

    Raises: BadInput where the runs are not of the same items, unless that is allowed.
    """
    both = [id_ for id_ in first.cases if id_ in second.cases]
    if not both:
        raise bad_input(
            "wrong.compare.nothing_in_both", first=first.path, second=second.path
        )
    only_first, only_second = (
        tuple(id_ for id_ in one.cases if id_ not in other.cases)
        for one, other in ((first, second), (second, first))
    )
    other = tuple(
        id_ for id_ in both if _other(first.cases[id_].item, second.cases[id_].item)
    )
    if other and not wanted.different:
        raise bad_input(
            "wrong.compare.other_content",
            n=len(other),
            id=other[0],
            first=first.path,
            second=second.path,
        )
    if (only_first or only_second) and not wanted.different:
        example = (only_first or only_second)[0]
        raise bad_input(
            "wrong.compare.other_items",
            only_first=len(only_first),
            first=first.path,
            only_second=len(only_second),
            second=second.path,
            id=example,
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
    return PairedItems(ids, items, clusters, only_first, only_second, other, unfinished)


def differing(runs: Sequence[Run]) -> tuple[RunDifference, ...]:
    """What the runs were not made alike with, by name. A file of outputs has no facts.

    A fact that a run does not record is in `unknown`, unless what is recorded differs.
    """
    names = dict.fromkeys(name for run in runs for name in run.provenance.facts)
    missing = {one.name for one in unknown(runs)}
    found = [
        RunDifference(
            name, tuple(tuple(run.provenance.facts.get(name, ())) for run in runs)
        )
        for name in names
    ]
    found = [one for one in found if one.name not in missing or all(one.values)]
    found += [_supplied(runs, name) for name in SUPPLIED]
    if any(run.compared_by for run in runs):
        found.append(
            RunDifference("equivalence", tuple(run.compared_by for run in runs))
        )
    return tuple(one for one in found if len(set(map(frozenset, one.values))) > 1)


def unknown(runs: Sequence[Run]) -> tuple[Unknown, ...]:
    """What at least one of the runs does not record. A file of outputs is not
    listed.
    """
    names = dict.fromkeys(name for run in runs for name in run.provenance.unknown)
    return tuple(
        Unknown(name, tuple(name in run.provenance.unknown for run in runs))
        for name in names
    )


def _supplied(runs: Sequence[Run], name: str) -> RunDifference:
    """One digest per run of what the items in all runs supply; none for nothing."""
    ids = [id_ for id_ in runs[0].cases if all(id_ in run.cases for run in runs)]
    values = []
    for run in runs:
        digests = [run.cases[id_].supplied(name) for id_ in ids]
        values.append((digest_of(digests),) if any(digests) else ())
    return RunDifference(name, tuple(values))


# ------------------------------------------------------------------ items


def _check_same_rule(first: Run, second: Run, wanted: CompareOptions) -> None:
    """Refuses runs of which one had a model say which answers are the same, and the
    other had not.
    """
    if not wanted.different and set(first.compared_by) != set(second.compared_by):
        with_, without = (first, second) if first.compared_by else (second, first)
        raise bad_input(
            "wrong.compare.equivalence",
            first=with_.path,
            models=", ".join(with_.compared_by),
            second=without.path,
        )


def _other(one: Item, other: Item) -> bool:
    """True if two items have one id and say different things.

    One of which nothing is known is the other's.
    """
    return bool(one.digest and other.digest) and one.digest != other.digest


def _informed(runs: Sequence[Run]) -> list[Run]:
    """The runs; one that does not know what its items are about, or what is right,
    takes them from the first one that does.
    """
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
            _measured={},
        )
        for run in runs
    ]


def _told(case: RunItem, known: Item | None) -> RunItem:
    item = case.item
    if known is None or (
        item.digest and not (_bare(item) and item.digest == _bare_digest(known))
    ):
        return case
    return replace(case, item=_with(item, known), store=None, stored=None)


def _bare(item: Item) -> bool:
    """Whether an item has a question and no accepted answers."""
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
    """The cluster of an item.

    Raises: BadInput where it has not got the field that is wanted.
    """
    if named is None or named == "cluster":
        return item.cluster
    value: object = item.id if named == "id" else item.fields.get(named)
    if isinstance(value, Mapping):
        value = value.get("id")
    if not isinstance(value, str | int) or isinstance(value, bool):
        names = ", ".join(["id", "cluster", *_groupings(item)])
        raise bad_input("wrong.compare.no_field", id=item.id, name=named, names=names)
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
    first: Run,
    second: Run,
    available: Measures,
    wanted: CompareOptions,
) -> list[str]:
    """The measures to compare by: those asked for, else `QUALITY`, else the method's
    own, and what people said; then the prices.
    """
    quality = list(
        dict.fromkeys(
            [*wanted.measures, *(name for name in wanted.gates if name not in PRICE)]
        )
    )

    def measured(names: Iterable[str]) -> list[str]:
        return [
            name
            for name in names
            if name in available and _says(first, second, available[name])
        ]

    if not wanted.measures:
        known, people = measured(QUALITY), measured(PEOPLE)
        own = known or measured(
            name for name in available if name not in common.measures()
        )
        quality = list(dict.fromkeys([*own, *people, *quality]))
    calls = _has_calls(first) or _has_calls(second)
    prices = measured(PRICE) if calls else []
    return list(dict.fromkeys([*quality, *prices, *wanted.gates]))


def _has_calls(run: Run) -> bool:
    """False for outputs, of which nothing is known but how they ended."""
    return run.store is not None or any(
        not isinstance(event, Result)
        for case in run.cases.values()
        for event in case.session.events
    )


def _says(first: Run, second: Run, measure: Measure) -> bool:
    """Whether a measure gives a value for any session of either run."""
    return any(
        measured.value is not None
        for run in (first, second)
        for measured in run.measured(measure).values()
    )


def _against(
    first: Run,
    second: Run,
    paired: PairedItems,
    names: Sequence[str],
    available: Measures,
    wanted: CompareOptions,
) -> RunPairing:
    found = [
        differ(
            available[name],
            _pairs(first, second, paired, available[name]),
            wanted.margin,
        )
        for name in names
    ]
    both = (first, second)
    return RunPairing(
        first, second, paired, differing(both), tuple(found), unknown(both)
    )


def _pairs(
    first: Run, second: Run, paired: PairedItems, measure: Measure
) -> list[ValuePair]:
    """What a measure gives for both sessions of each item, or of each group of items.

    An item without a measurement in either run is left out.
    """
    ours, theirs = (
        _measured(run, place, paired, measure)
        for place, run in enumerate((first, second))
    )
    nothing = MeasuredValue(None, "empty")
    pairs = []
    for id_ in dict.fromkeys([*ours, *theirs]):
        cluster, one = ours.get(id_) or (theirs[id_][0], nothing)
        _, other = theirs.get(id_) or (cluster, nothing)
        pairs.append(ValuePair(id_, cluster, one, other))
    return pairs


def _measured(
    run: Run, place: int, paired: PairedItems, measure: Measure
) -> dict[str, tuple[str, MeasuredValue]]:
    """What a measure gives for a run, with the cluster, by the id of an item."""
    known = run.measured(measure)
    clusters = paired.clusters
    if measure.across is None:
        return {id_: (clusters[id_], known[id_]) for id_ in paired.ids if id_ in known}
    items = [
        (replace(paired.items[id_][place], cluster=clusters[id_]), known[id_])
        for id_ in paired.ids
        if id_ in known
    ]
    across = measure.across(items)
    return {item.id: (item.cluster, measured) for item, measured in across}


def _corrected(versus: Sequence[RunPairing]) -> list[RunPairing]:
    """With p values that are corrected for all measures and runs of the comparison;
    quality and price each by itself.
    """
    every = [difference for each in versus for difference in each.differences]
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
        replace(
            each,
            differences=tuple(made[id(difference)] for difference in each.differences),
        )
        for each in versus
    ]
