"""All warnings about figures that may mean less than they seem to.

Each has an id, which silences it, and a row in docs/audit.md. They are derived from
what runs record: the models of each role, their fingerprints, and the figures.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, get_args

import msgspec

from ...sessions.errors import bad_input
from ...texts import t
from ..models.config import WarningId
from ..models.lineup import BUILTINS
from .aggregate import Aggregate
from .difference import Difference
from .made_by import labelled_encoders, taught
from .measure import Item, Measure
from .ranked import WITHIN
from .wording import amount, measure_name

IDS: tuple[WarningId, ...] = get_args(WarningId)
LEAST_ITEMS = 30
"""Independent items below which a figure is called small."""
SKEWED = 0.9
"""Share of the more frequent class from which on classes are called skewed."""
LEVELS = "level"
"""In the names of measures of levels of relevance."""
RELEVANT = 2
"""The lowest level that calls a case relevant."""
LEAST_CLASSED = 10
"""Items below which nothing is said of classes."""
VERIFIED = ("verification", "claims")
"""Subjects of measures that rest on what the verifier says."""
VERIFIER = "verifier"
AUTHORS = ("generator",)
COMPARED = ("accuracy", "accuracy_decided", "traps")
"""Measures that take a model's word on whether two answers say the same."""
TRAINED = ("embed", "rerank")
"""Settings whose model chose what a judge then judges."""

Facts = Mapping[str, Sequence[str]]
"""Those of `provenance`: by name all values."""

_SERIES = {"chatgpt": "gpt", "o": "gpt", "davinci": "gpt", "qwq": "qwen"}


class FigureWarning(msgspec.Struct, frozen=True):
    """One warning about one figure or several."""

    id: WarningId
    measures: list[str]
    values: dict[str, str] = {}
    """What its sentence names."""

    @property
    def short(self) -> str:
        """Two or three words, for the line of a figure."""
        return t(f"report.warning.{self.key}_short")

    @property
    def sentence(self) -> str:
        """Return the warning as a sentence with its id."""
        form = "_since" if "audit" in self.values else ""
        return t(f"report.warning.{self.key}{form}", id=self.id, **self.values)

    @property
    def key(self) -> str:
        return self.id.replace("-", "_")


def known(ids: Collection[str]) -> set[WarningId]:
    """Return the ids to silence. Raises: BadInput for an unknown id."""
    for one in sorted({*ids} - {*IDS}):
        raise bad_input("wrong.warning.unknown", id=one, ids=", ".join(IDS))
    return {one for one in IDS if one in ids}


def split_silent(
    found: Iterable[FigureWarning], silent: Collection[str]
) -> tuple[list[FigureWarning], list[str]]:
    """Return the warnings to show, and the ids of the silenced ones."""
    shown, hidden = [], dict[str, None]()
    for one in found:
        if one.id in silent:
            hidden[one.id] = None
        else:
            shown.append(one)
    return shown, list(hidden)


def of_run(
    figures: Mapping[str, Aggregate],
    measures: Mapping[str, Measure],
    facts: Facts,
    compared_by: Sequence[str] = (),
    items: Iterable[Item] = (),
) -> list[FigureWarning]:
    """Return the warnings about the figures of a run. `compared_by`: the models that
    compared answers with accepted ones. `items`: the items it is compared with.
    """
    there = [
        measures[name]
        for name, one in figures.items()
        if name in measures and one.value is not None
    ]
    return [
        *of_models(there, facts, compared_by),
        *_changed(there, facts),
        *small(
            {
                one.name: figures[one.name].clusters or figures[one.name].n
                for one in there
                if one.subject not in ("price", "process")
            }
        ),
        *skewed(_classes(figures), ["judgement_accuracy"]),
        *confounded(items, [one.name for one in there if LEVELS in one.name]),
    ]


def of_models(
    measures: Sequence[Measure], facts: Facts, compared_by: Sequence[str] = ()
) -> list[FigureWarning]:
    """Warn if a judge is the author, chose or labelled what it judges, made the
    author's training data, or is of the author's family.
    """
    verified = [one.name for one in measures if one.subject in VERIFIED]
    compared = [one.name for one in measures if one.name in COMPARED]
    seated = [name.removeprefix("model.") for name in facts if name[:6] == "model."]
    roles = [role for role in seated if role in AUTHORS] or [
        role for role in seated if role != VERIFIER
    ]
    authors = [model for role in roles for model in _models(facts, f"model.{role}")]
    chose = [model for name in TRAINED for model in _models(facts, f"setting.{name}")]
    chose += labelled_encoders(facts)
    teachers = taught(facts, roles)
    judges = _models(facts, f"model.{VERIFIER}")
    compared_by = _models({"": compared_by}, "")
    found = (
        alike("judge-is-author", judges, authors, verified),
        alike("judge-is-author", compared_by, authors, compared),
        alike("circularity", judges, [*chose, *teachers], verified),
        alike("circularity", compared_by, teachers, compared),
    )
    return [one for one in found if one is not None]


def alike(
    id_: Literal["judge-is-author", "circularity"],
    judges: Sequence[str],
    others: Sequence[str],
    names: Sequence[str],
) -> FigureWarning | None:
    """Warn if a judge is one of the others, or of its family."""
    for judge in judges if names else ():
        for other in others:
            if same_family(judge, other):
                values = {"judge": judge, "other": other}
                return FigureWarning(id_, [*names], values)
    return None


def itself(
    machines: Iterable[str], raters: Iterable[str], names: Sequence[str]
) -> list[FigureWarning]:
    """Warn that a model is compared with its own labels."""
    both = ", ".join(sorted({*machines} & {one.rsplit("/", 1)[-1] for one in raters}))
    if both:
        return [FigureWarning("circularity", [*names], {"judge": both, "other": both})]
    return []


def since_audit(model: str, audit: str, names: Sequence[str]) -> FigureWarning:
    """That a model no longer answers as in its audit."""
    return FigureWarning("changed-model", [*names], {"model": model, "audit": audit})


def across(runs: Sequence[Facts], measures: Sequence[Measure]) -> list[FigureWarning]:
    """Warn if a model answered two runs under one name with different fingerprints."""
    names = dict.fromkeys(name for facts in runs for name in facts)
    for name in names:
        kind, _, role = name.partition(".")
        if kind != "fingerprint":
            continue
        listed = [(set(one.get(name, ())), one.get(f"model.{role}")) for one in runs]
        for prints, model in listed[1:]:
            first, named = listed[0]
            if first and prints and model == named and not first & prints:
                return [_change(measures, role, [*first, *prints], model or ())]
    return []


def small(counts: Mapping[str, int]) -> list[FigureWarning]:
    """One warning for all measures of fewer independent items than `LEAST_ITEMS`."""
    few = {name: n for name, n in counts.items() if n < LEAST_ITEMS}
    if not few:
        return []
    least, most = min(few.values()), max(few.values())
    n = str(least) if least == most else f"{least}–{most}"
    return [FigureWarning("small-n", [*few], {"n": n, "least": str(LEAST_ITEMS)})]


def skewed(
    classes: tuple[int, int] | None, names: Sequence[str]
) -> list[FigureWarning]:
    """That one of two classes, counted, has nearly all items."""
    if classes is None or not names or sum(classes) < LEAST_CLASSED:
        return []
    share = max(classes) / sum(classes)
    if share < SKEWED:
        return []
    return [FigureWarning("skewed-classes", [*names], {"share": f"{share:.0%}"})]


def confounded(items: Iterable[Item], names: Sequence[str]) -> list[FigureWarning]:
    """Warns that the charge, which is the title of a case, predicts the level almost as
    well as a reader of both cases does.
    """
    told = [
        (_charge(item.fields["query"]) == _charge(case), case["gold"] >= RELEVANT)
        for item in items
        for case in item.fields.get("candidates") or ()
        if _charge(case) and type(case.get("gold")) is int
    ]
    share = sum(same == relevant for same, relevant in told) / max(len(told), 1)
    if not names or len(told) < LEAST_CLASSED or share < SKEWED:
        return []
    if min(len({one[side] for one in told}) for side in (0, 1)) < 2:
        return []
    values = {"share": f"{share:.0%}", "n": str(len(told))}
    return [FigureWarning("charge-confound", [*names], values)]


def _charge(case: Mapping[str, object]) -> str:
    return str(case.get("title") or "").strip().casefold()


def gone_within(
    name: str, differences: Iterable[Difference | None]
) -> list[FigureWarning]:
    """Warns of each gain of a run, by name, that is not shown among candidates of the
    query's charge.
    """
    by_name = {one.measure.name: one for one in differences if one is not None}
    found = []
    for key, one in by_name.items():
        inside = by_name.get(key + WITHIN)
        if inside and one.verdict == "better" and inside.verdict != "better":
            gains = [
                amount(each.measure, each.difference.value, signed=True)
                for each in (one, inside)
            ]
            said = {"name": name, "measure": measure_name(key)}
            said |= dict(zip(("gain", "within"), gains, strict=True))
            found.append(FigureWarning("charge-gain", [key], said))
    return found


def family(model: str) -> str:
    """Return the family of a model: `gpt` for `openai/gpt-4o`. A name without letters
    is its own family.
    """
    last = model.rsplit("/", 1)[-1].casefold()
    found = re.match(r"[a-z]+", last)
    series = found[0] if found is not None else ""
    series = _SERIES.get(series, series)
    return series if len(series) > 2 else last


def same_family(one: str, other: str) -> bool:
    """Whether two models are the same or of one family; built-ins belong to none."""
    return not {one, other} & {*BUILTINS, "given", "command", ""} and (
        family(one) == family(other)
    )


def lines(found: Sequence[FigureWarning], silent: Sequence[str]) -> list[str]:
    """Return a sentence for each warning, and which ones are silenced."""
    said = [one.sentence for one in found]
    if silent:
        said.append(t("report.warning.silent", ids=", ".join(silent)))
    return said


def on(found: Iterable[FigureWarning], measure: str) -> list[str]:
    """Return the text on the line of a measure."""
    return list(dict.fromkeys(one.short for one in found if measure in one.measures))


def ids_json(
    found: Iterable[FigureWarning], measure: str, silent: Sequence[str]
) -> dict[str, list[str]]:
    """Return the ids of the warnings about a measure, and those left out, if there are
    any.
    """
    ids: dict[str, None] = {one.id: None for one in found if measure in one.measures}
    parts = {"warnings": list(ids), "silenced": list(silent)}
    return {name: part for name, part in parts.items() if part}


def _models(facts: Facts, name: str) -> list[str]:
    """The ids of the models in a fact: of a named model its own id, of a panel those of
    its members.
    """
    found = []
    for value in facts.get(name, ()):
        if ": " in value:
            value = value.partition(": ")[2].rpartition(" (")[0]
        for part in value.split(", "):
            inner = re.search(r"\(([^()]+)\)$", part)
            found.append(inner[1] if inner is not None else part)
    return list(dict.fromkeys(found))


def _changed(there: Sequence[Measure], facts: Facts) -> list[FigureWarning]:
    """A role that one model answered for, with several fingerprints."""
    for name, prints in facts.items():
        kind, _, role = name.partition(".")
        seats = [one for one in facts.get(f"model.{role}", ()) if ": " in one]
        if kind == "fingerprint" and len(prints) > 1 and not seats:
            models = _models(facts, f"model.{role}")
            if len({family(one) for one in models}) == 1:
                return [_change(there, role, prints, models)]
    return []


def _change(
    measures: Sequence[Measure], role: str, prints: Sequence[str], models: Sequence[str]
) -> FigureWarning:
    verified = [one.name for one in measures if one.subject in VERIFIED]
    other = [one.name for one in measures if one.subject == "answer"]
    names = verified if role == VERIFIER else other
    values = {"model": ", ".join(models), "prints": ", ".join(sorted(set(prints)))}
    return FigureWarning("changed-model", names, values)


def _classes(figures: Mapping[str, Aggregate]) -> tuple[int, int] | None:
    """How many of the answers that a verifier judged are right, and how many wrong."""
    one = figures.get("accuracy")
    if "judgement_accuracy" not in figures or one is None or one.count is None:
        return None
    return one.count, one.n - one.count
