"""Compares runs item by item: second − first, with interval, test and a verdict.

Runs must be comparable: items are paired by id, and their content and the models that
compare answers must agree. Differences in methods, models, settings and prompts are
listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

from ...sessions.errors import bad_input
from ...sessions.events import Result
from . import columns, common, rated
from .difference import Difference, ValuePair, corrected, differ
from .items import digest
from .measure import Item, Measure, MeasuredValue
from .provenance import SUPPLIED, digest_of
from .runs import Run, RunItem
from .wording import nearest_names

QUALITY = ("accuracy", "traps", "chrf", "bleu")
"""Quality measures compared by default, for items with accepted answers."""
PEOPLE = tuple(rated.measures())
"""People's labels as measures, compared by default if they exist."""
PRICE = ("tokens", "cost", "seconds", "calls", "cached", "saved")
"""Measures compared in addition to quality. Their tests are corrected separately, so
that they do not weaken the others. `cached` and `saved` are not tested.
"""
MARGIN = 0.02
RIGHT = ("answers", "wrong_answers")
"""Item fields with right answers and with traps."""

Measures = Mapping[str, Measure]


class RunDifference(NamedTuple):
    """A difference in how the runs were made."""

    name: str
    """As in `Provenance`: `method`, `model.judge`, `setting.level`; also `references`
    and `given` (what the items supply) and `equivalence`.
    """
    values: tuple[tuple[str, ...], ...]
    """The values in each run; empty if unknown."""


class Unknown(NamedTuple):
    """A fact about how it was made that a run does not record."""

    name: str
    """As in `RunDifference`."""
    runs: tuple[bool, ...]
    """For each run, whether it lacks the record."""


@dataclass(frozen=True)
class PairedItems:
    """The compared items of two runs, and the items left out."""

    ids: tuple[str, ...]
    items: Mapping[str, tuple[Item, Item]]
    """What each run is compared with, by id; the same unless listed in `other_content`.
    """
    clusters: Mapping[str, str]
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    other_content: tuple[str, ...] = ()
    """Ids with different content in the runs. They are compared only if that is
    allowed.
    """
    unfinished: tuple[str, ...] = ()
    """Ids that one of the runs has not finished. They are left out."""


@dataclass(frozen=True)
class RunPairing:
    """One run compared with the first one."""

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
    """All runs compared with the first one."""

    runs: tuple[Run, ...]
    margin: float
    versus: tuple[RunPairing, ...]
    allowed: bool = False
    """Whether different items were allowed."""

    @property
    def differences(self) -> list[tuple[RunPairing, Difference]]:
        return [
            (versus, difference)
            for versus in self.versus
            for difference in versus.differences
        ]


@dataclass(frozen=True)
class CompareOptions:
    """The options of a comparison."""

    measures: Sequence[str] = ()
    """Names; empty: `QUALITY`, else the method's measures."""
    cluster: str | None = None
    """The field that groups dependent items; None: as in the runs."""
    margin: float = MARGIN
    different: bool = False
    """Allow different items."""
    gates: Sequence[str] = field(default_factory=tuple)
    """Measures to include in any case."""
    all_pairs: bool = False
    """Compare every pair of runs, not only every run with the first one."""


def measures_of(
    runs: Iterable[Run], own: Callable[[str], Measures]
) -> dict[str, Measure]:
    """All measures that apply to these runs, by name. `own`: the method's measures.
    Runs of one method have its measures; runs of several methods have those that the
    methods share; files of outputs have their columns of numbers.
    """
    runs = list(runs)
    names = dict.fromkeys(name for run in runs for name in run.methods)
    first, *others = [own(name) for name in names] or [{}]
    alike = {
        name: measure
        for name, measure in first.items()
        if all(other.get(name) == measure for other in others)
    }
    if not names:
        scores = ([case.item.fields for case in run.cases.values()] for run in runs)
        return common.measures() | columns.measures(scores)
    return common.measures() | alike


def compare(
    runs: Sequence[Run], available: Measures, wanted: CompareOptions
) -> RunComparison:
    """Compares every run with the first one.

    Raises: BadInput if the runs have different items, and for an unknown measure.
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
    """The items in both runs.

    Raises: BadInput if the runs have different items, unless that is allowed.
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
    """Differences in how the runs were made, by name. A file of outputs has no facts.
    Facts that a run does not record are in `unknown`, unless the recorded ones differ.
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
    """Facts that at least one run does not record. Files of outputs are not listed."""
    names = dict.fromkeys(name for run in runs for name in run.provenance.unknown)
    return tuple(
        Unknown(name, tuple(name in run.provenance.unknown for run in runs))
        for name in names
    )


def _supplied(runs: Sequence[Run], name: str) -> RunDifference:
    """One digest per run of what the items in all runs supply; empty for nothing."""
    ids = [id_ for id_ in runs[0].cases if all(id_ in run.cases for run in runs)]
    values = []
    for run in runs:
        digests = [run.cases[id_].supplied(name) for id_ in ids]
        values.append((digest_of(digests),) if any(digests) else ())
    return RunDifference(name, tuple(values))


# ------------------------------------------------------------------ items


def _check_same_rule(first: Run, second: Run, wanted: CompareOptions) -> None:
    """Raises BadInput if a model compared the answers of only one run."""
    if not wanted.different and set(first.compared_by) != set(second.compared_by):
        with_, without = (first, second) if first.compared_by else (second, first)
        raise bad_input(
            "wrong.compare.equivalence",
            first=with_.path,
            models=", ".join(with_.compared_by),
            second=without.path,
        )


def _other(one: Item, other: Item) -> bool:
    """Whether two items with one id have different content. An item with unknown
    content matches any.
    """
    return bool(one.digest and other.digest) and one.digest != other.digest


def _informed(runs: Sequence[Run]) -> list[Run]:
    """The runs. A run without content or accepted answers takes them from the first run
    that has them.
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
    """The digest of the item without its accepted answers."""
    return digest(
        {name: value for name, value in item.fields.items() if name not in RIGHT}
    )


def _with(item: Item, known: Item) -> Item:
    """The content of an item, with this run's own fields."""
    mine = {
        name: value
        for name, value in item.fields.items()
        if name not in known.fields or name in common.OF_A_RUN
    }
    theirs = {
        name: value
        for name, value in known.fields.items()
        if name not in common.OF_A_RUN
    }
    return replace(known, fields={**theirs, **mine})


def _cluster(item: Item, named: str | None) -> str:
    """The cluster of an item. Raises: BadInput if it lacks the requested field."""
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
    """The fields that can define clusters."""
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
    """The measures to compare: the requested ones, else `QUALITY`, else the method's
    own, and people's labels; then usage.
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
            name
            for name, measure in available.items()
            if measure.rule == columns.RULE or name not in common.measures()
        )
        quality = list(dict.fromkeys([*own, *people, *quality]))
    calls = _has_calls(first) or _has_calls(second)
    prices = measured(PRICE) if calls else []
    return list(dict.fromkeys([*quality, *prices, *wanted.gates]))


def _has_calls(run: Run) -> bool:
    """False for outputs, of which only the result is known."""
    return run.store is not None or any(
        not isinstance(event, Result)
        for case in run.cases.values()
        for event in case.session.events
    )


def _says(first: Run, second: Run, measure: Measure) -> bool:
    """Whether a measure has a value for any session of either run."""
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
    """The values of a measure for both sessions of each item, or of each group of
    items. Items without a measurement in either run are left out.
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
    """The values of a measure for a run, with clusters, by item id."""
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
    """Corrects the p values for all measures and runs of the comparison; quality and
    usage separately.
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
