"""The report of a machine compared with people: a document, JSON, and a section of
config.yaml."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import msgspec
import yaml

from ...sessions.clean import clean
from ...texts import has, own_words, t
from ..figures.warnings import FigureWarning, itself, skewed, small, split_silent
from ..figures.warnings import lines as warning_lines
from ..figures.wording import measure_name
from ..metrics.bootstrap import IntervalEstimate
from ..metrics.compare import LEAST_PAIRS
from ..reports.agreement import (
    NOTHING,
    Row,
    between,
    comparison_json,
    comparison_parts,
    figure_words,
    share_cell,
)
from ..reports.document import Cell, DataColumn, DataTable, Part, ReportDocument
from ..reports.document import TextBlock as Text
from .answers import RunAnswers
from .confusion import Confusion
from .judged_item import Share
from .levels import Levels
from .machine import Calibration, CalibrationItem
from .roc import Roc
from .thresholds import (
    LEAST_LABELS,
    LEAST_OF_EACH,
    ChosenThresholds,
    RuleResult,
    ScoreCutoff,
)

MOST_IN_FULL = 6
"""Machines that are shown in full; of more there is only a table."""
SHARES = ("sensitivity", "specificity", "precision", "negative", "accuracy")
RATES = ("people", "machine")
TRUSTED = 0.8
"""What the lower bounds of sensitivity and specificity are held to."""
CHIEF = "at_least_2"
"""The question that counts most: that of the legal bit."""


def calibration_report(
    machines: Sequence[Calibration],
    *,
    full: bool = False,
    silence: Collection[str] = (),
) -> ReportDocument:
    """The report of one machine, or of several. `full`: every figure. `silence`: ids
    of warnings to leave out.
    """
    if len(machines) == 1:
        return _report(machines[0], full=full, silence=silence)
    parts: list[Part] = [_overview(machines)]
    for machine in machines if len(machines) <= MOST_IN_FULL else ():
        alone = _report(machine, full=full, silence=silence)
        lines = [line for line in (alone.conclusion, *alone.context) if line]
        parts += [Text(lines, alone.title), *alone.parts]
    title = t("report.calibrate.several", n=len(machines))
    return ReportDocument(title, parts=parts)


def _report(
    calibration: Calibration, *, full: bool, silence: Collection[str]
) -> ReportDocument:
    more = Text([t("report.calibrate.full" if full else "report.calibrate.more")])
    if calibration.answers is not None:
        report = _of_answers(calibration, calibration.answers, full=full)
    else:
        assert calibration.levels is not None
        report = _of_levels(calibration, calibration.levels, full=full)
    title, conclusion, context, parts = report
    cautions, silent = split_silent(warnings_of(calibration), silence)
    context += warning_lines(cautions, silent)
    return ReportDocument(title, conclusion, context, [*parts, more])


def warnings_of(calibration: Calibration) -> list[FigureWarning]:
    """The warnings about how far a machine agrees with the labels."""
    chief = _chief(calibration)
    if chief is None:
        return []
    shown = chief.confusion
    machines, raters = _who(calibration)
    right, wrong = sum(shown.right.values()), sum(shown.wrong.values())
    return [
        *itself(machines, raters, [*SHARES, "kappa"]),
        *small({"accuracy": shown.clusters, "kappa": shown.clusters}),
        *skewed((right, wrong), ["accuracy", "kappa"]),
    ]


def _who(calibration: Calibration) -> tuple[list[str], list[str]]:
    """The machines, and whose labels count, without the folders of models' names."""
    if calibration.answers is not None:
        people = calibration.answers.raters if calibration.answers.by != "gold" else ()
        machines = list(calibration.answers.models)
    else:
        assert calibration.levels is not None
        machines, people = [calibration.levels.machine.name], calibration.levels.raters
    return [name.rsplit("/", 1)[-1] for name in machines], list(people)


def too_few(counts: tuple[int, int]) -> str:
    """Why no bounds are chosen."""
    right, wrong = counts
    return t(
        "report.calibrate.too_few",
        labels=right + wrong,
        right=right,
        wrong=wrong,
        least=LEAST_LABELS,
        each=LEAST_OF_EACH,
    )


def _overview(machines: Sequence[Calibration]) -> DataTable:
    """A row for each machine."""
    kind = "levels" if machines[0].levels is not None else "answers"
    names = (
        "pairs" if kind == "levels" else "labels",
        "kappa",
        "sensitivity",
        "specificity",
        "area",
        *RATES,
    )
    columns = [DataColumn(t("report.calibrate.column_name"), name="name")]
    columns += [
        DataColumn(t(f"report.calibrate.column_{name}"), "number", name)
        for name in names
    ]
    rows: list[Row] = [[machine.name, *_in_short(machine)] for machine in machines]
    notes = [
        t("report.calibrate.several_columns"),
        t(f"report.calibrate.several_{kind}"),
    ]
    return DataTable("", columns, rows, notes)


def _in_short(calibration: Calibration) -> list[Cell]:
    """The figures of one machine, a cell for each column."""
    chief = _chief(calibration)
    if chief is None:
        return []
    shown = chief.confusion
    kappa, labels = shown.kappa, shown.labels
    if calibration.compared is not None:
        kappa, labels = (
            calibration.compared.kappa["levels_quadratic"],
            calibration.compared.pairs,
        )
    areas = [roc.area for roc in chief.rocs.values() if roc.area is not None]
    return [
        Cell(f"{labels:,}", labels),
        _number(kappa.value),
        share_cell(shown.sensitivity.value),
        share_cell(shown.specificity.value),
        _number(max(areas, default=None)),
        share_cell(shown.people.value),
        share_cell(shown.machine.value),
    ]


def _chief(calibration: Calibration) -> CalibrationItem | None:
    """The question that counts most, or the first there is."""
    named = {asked.name: asked for asked in calibration.question}
    return named.get(CHIEF) or next(iter(calibration.question), None)


Told = tuple[str, str, list[str], list[Part]]
"""Title, conclusion, context and parts."""

# ------------------------------------------------------------------ answers


def _of_answers(calibration: Calibration, answers: RunAnswers, *, full: bool) -> Told:
    asked = calibration.question[0]
    models = ", ".join(
        f"{_name(model)} ({count:,})" if len(answers.models) > 1 else _name(model)
        for model, count in answers.models.items()
    )
    names = ", ".join(map(_name, answers.raters))
    whose = t(f"report.calibrate.by_{answers.by}", names=names)
    name = _name(calibration.name)
    title = t("report.calibrate.head", name=name, models=models, whose=whose)
    what = t("report.calibrate.things")
    turned = {score for score, way in answers.verdicts.better.items() if way == "lower"}
    rate = _rate(asked, what, full=full)
    parts: list[Part] = []
    if full:
        parts.append(_confusion_table(asked.confusion, answers.verdicts.words))
    figures = _figures(asked, SHARES if full else SHARES[:3], rates=full)
    figures += _areas(asked, turned, full=full)
    parts.append(_table(t("report.calibrate.trust"), figures))
    parts.append(Text(rate, t("report.calibrate.rates", what=what)))
    if calibration.chosen is not None:
        parts += _bounds(answers, calibration.chosen, full=full)
    elif calibration.too_few is not None:
        parts.append(Text([too_few(calibration.too_few)], t("report.calibrate.which")))
    context = _context(calibration, answers, asked.confusion)
    return title, verdict_line(asked.confusion), context, parts


def _context(
    calibration: Calibration, answers: RunAnswers, shown: Confusion
) -> list[str]:
    """What is labelled, and what is left out."""
    counts = {f"left_{why}": n for why, n in answers.left_out.items()}
    counts |= {
        "disputed": answers.disputed,
        "unread": shown.unread,
        "undecided": shown.undecided,
        "seen": answers.seen,
    }
    labelled = t(
        "report.calibrate.counted",
        labels=shown.labels,
        judged=calibration.judged,
        clusters=shown.clusters,
    )
    return [
        *([] if calibration.cutoff is None else [_cut_in_words(calibration.cutoff)]),
        labelled,
        *(t(f"report.calibrate.{k}", n=n) for k, n in counts.items() if n),
    ]


def verdict_line(shown: Confusion) -> str:
    """Whether the machine recognizes right and wrong ones, in one sentence: proven
    where both lower bounds are at least `TRUSTED`, refuted where an upper one is below.
    """
    shares = {"right": shown.sensitivity, "wrong": shown.specificity}
    words = {name: _percent(share) for name, share in shares.items()}
    words |= {
        f"{name}_interval": between(share.low, share.high, ".1%")
        for name, share in shares.items()
    }
    lows = [share.low for share in shares.values()]
    highs = [share.high for share in shares.values()]
    if any(high is not None and high < TRUSTED for high in highs):
        verdict = "no"
    elif all(low is not None and low >= TRUSTED for low in lows):
        verdict = "yes"
    else:
        verdict = "open"
    return t(f"report.calibrate.verdict_{verdict}", least=f"{TRUSTED:.0%}", **words)


def _cut_in_words(cutoff: ScoreCutoff) -> str:
    """Which score stands for the judgement, and from which bound on."""
    return t(
        f"report.calibrate.cutoff{'_chosen' if cutoff.chosen else ''}",
        score=_score(cutoff.score),
        sign="≤" if cutoff.sign == ">" else "≥",
        bound=f"{cutoff.bound:g}",
    )


def _confusion_table(shown: Confusion, words: Sequence[str]) -> DataTable:
    """What the machine said of what people call right and wrong."""
    others = [word for word in {**shown.right, **shown.wrong} if word not in words]
    said = [*words, *(word for word in others if word), *([""] * ("" in others))]
    columns = [DataColumn("", name="label")]
    for word in said:
        key = f"report.calibrate.said_{word or 'unread'}"
        named = word in (*words, "undecided", "")
        title = t(key) if named else _name(word)
        columns.append(DataColumn(title, "number", word or "unread"))
    rows: list[Row] = []
    for name in ("right", "wrong"):
        counts = getattr(shown, name)
        cells = [Cell(f"{counts.get(w, 0):,}", counts.get(w, 0)) for w in said]
        rows.append([t(f"report.calibrate.{name}"), *cells])
    return DataTable(t("report.calibrate.table"), columns, rows)


def _areas(asked: CalibrationItem, turned: set[str], *, full: bool) -> list[Row]:
    """The area under the ROC curve of each score; not in full, that of the best one."""
    rocs = dict(asked.rocs)
    if not full:
        known = {name: roc.area for name, roc in rocs.items() if roc.area is not None}
        best = max(known, key=known.__getitem__, default=None)
        rocs = {} if best is None else {best: rocs[best]}
    key = "roc" if full else "best_score"
    return [
        _area_row(
            t(f"report.calibrate.{key}", name=_score_title(name, turned)),
            roc,
            asked.unread[name],
        )
        for name, roc in rocs.items()
    ]


def _score_title(name: str, turned: set[str]) -> str:
    if name in turned:
        return f"1 − {_score(name)}"
    return _score(name)


# ------------------------------------------------------------------ figures


def _figures(asked: CalibrationItem, names: Sequence[str], *, rates: bool) -> list[Row]:
    """Shares, base rates, and kappa."""
    shown = asked.confusion
    rows: list[Row] = [_share_row(name, getattr(shown, name)) for name in names]
    rows += [_share_row(name, getattr(shown, name)) for name in RATES if rates]
    read = "_read" if shown.unread else ""
    return rows + [
        _agreement_row(name, f"{name}{read}", getattr(shown, name))
        for name in ("kappa", "gwet")
    ]


def _share_row(name: str, share: Share) -> Row:
    title = Cell(t(f"report.calibrate.{name}"), name)
    if share.value is None:
        return [title, Cell(NOTHING)]
    value = Cell(f"{share.value:.1%}", share.value, share.low, share.high)
    count = t("report.calibrate.count", count=share.count, total=share.of)
    return [title, value, between(share.low, share.high, ".1%"), count]


def _agreement_row(name: str, key: str, estimate: IntervalEstimate) -> Row:
    title = Cell(t(f"report.calibrate.{key}"), name)
    if estimate.value is None:
        return [title, Cell(NOTHING), own_words(str(estimate.reason))]
    value = Cell(f"{estimate.value:.3f}", estimate.value, estimate.low, estimate.high)
    return [title, value, between(estimate.low, estimate.high, ".3f")]


def _area_row(title: str, roc: Roc, unread: int) -> Row:
    more = t("report.calibrate.unread_scores", n=unread) if unread else ""
    if roc.area is None:
        return [title, Cell(NOTHING), t("report.calibrate.no_area"), more]
    value = Cell(f"{roc.area:.3f}", roc.area, roc.low, roc.high)
    return [title, value, between(roc.low, roc.high, ".3f"), more]


def _table(title: str, rows: Sequence[Row]) -> DataTable:
    columns = [
        DataColumn(t("report.calibrate.figure"), name="figure"),
        DataColumn(t("report.calibrate.value"), "number", "value"),
        DataColumn(t("report.calibrate.interval"), name="interval"),
        DataColumn(t("report.calibrate.of"), name="count"),
    ]
    return DataTable(title, columns, rows)


# ------------------------------------------------------------------ the corrected rate


def _rate(asked: CalibrationItem, what: str, *, full: bool) -> list[str]:
    """The corrected rate and what it rests on; or why there is none."""
    one = asked.corrected
    if one is None:
        if asked.not_corrected == "by_verdict":
            rate = _percent(asked.confusion.people)
            return [t("report.calibrate.rate_by_verdict", what=what, rate=rate)]
        reason = f"report.calibrate.no_rate_{asked.not_corrected}"
        known = t(
            "report.calibrate.no_rate_labels",
            n=asked.confusion.labels,
            rate=_percent(asked.confusion.people),
        )
        return [t(reason, what=what, least=LEAST_PAIRS), known]
    by = _score(asked.predict) if asked.predict else t("report.calibrate.judgement")
    words = {
        "what": what,
        "n": f"{one.labels + one.others:,}",
        "rate": f"{one.value:.1%}",
        "labels": f"{one.labels:,}",
        "labels_alone": f"{one.labels_alone:.1%}",
        "machine": f"{one.machine_alone:.1%}",
        "by": by,
    }
    if one.others:
        interval = between(one.low, one.high, ".1%")
        lines = [t("report.calibrate.corrected", interval=interval, **words)]
    else:
        lines = [t("report.calibrate.all_labelled", **words)]
    if one.like.low is not None and (full or not one.others):
        interval = between(one.like.low, one.like.high, ".1%")
        clusters = f"{one.clusters:,}"
        like = t(
            "report.calibrate.like", what=what, interval=interval, clusters=clusters
        )
        lines.append(like)
    if one.others:
        lines.append(t("report.calibrate.corrected_from", **words))
        lines.append(t("report.calibrate.random", what=what))
    if full and one.others:
        lines.append(t("report.calibrate.weight", weight=f"{one.weight:.2f}"))
        if one.worth is not None:
            lines.append(t("report.calibrate.worth", n=f"{round(one.worth):,}"))
    return lines


# ------------------------------------------------------------------ bounds


def _bounds(answers: RunAnswers, chosen: ChosenThresholds, *, full: bool) -> list[Part]:
    """Whether to use the chosen bounds, and what they reach; `full`: of every rule."""
    lines = [_advice(chosen)]
    if full:
        goal = t(f"report.calibrate.goal_{chosen.goal}")
        words = {"labels": chosen.labels, "folds": chosen.folds}
        lines.append(t("report.calibrate.bounds", goal=goal, **words))
    else:
        lines.append(t("report.calibrate.held_out", labels=chosen.labels))
    parts: list[Part] = [Text(lines, t("report.calibrate.which"))]
    if full or _gains(chosen) == "better":
        parts.append(_bounds_table(answers, chosen, full=full))
    return [*parts, _reached_table(chosen, full=full)]


def _present(chosen: ChosenThresholds) -> str:
    return chosen.against or t("report.calibrate.judgement_alone")


def _bounds_table(
    answers: RunAnswers, chosen: ChosenThresholds, *, full: bool
) -> DataTable:
    """The present bounds and the chosen ones."""
    rules = answers.rules
    shown = chosen.rules if full else {chosen.rule: chosen.rules[chosen.rule]}
    columns = [
        DataColumn(t("report.calibrate.score"), name="score"),
        DataColumn(t("report.calibrate.now"), "number", "now"),
        *(DataColumn(name, "number") for name in shown),
    ]
    scored = {name for thing in answers.things for name in thing.scores}
    rows: list[Row] = []
    for name, sign in rules.signs.items():
        if name in scored:
            bounds = [
                rules.bounds[name],
                *(rule.bounds[name] for rule in shown.values()),
            ]
            cells = [Cell(f"{sign} {bound:g}", bound) for bound in bounds]
            rows.append([Cell(_score(name), name), *cells])
    return DataTable(t("report.calibrate.bounds_title"), columns, rows)


def _reached_table(chosen: ChosenThresholds, *, full: bool) -> DataTable:
    """What the chosen bounds reach, and the present way to decide."""
    alone = t("report.calibrate.judgement_alone")
    if full:
        reached = {alone: chosen.judgement}
        for name, rule in chosen.rules.items():
            reached[t("report.calibrate.rule_now", rule=name)] = rule.now
            reached[t("report.calibrate.rule_chosen", rule=name)] = rule.reached
        reached[t("report.calibrate.procedure")] = chosen.reached
    else:
        now = chosen.rules[chosen.against].now if chosen.against else chosen.judgement
        present = t("report.calibrate.now_by", rule=_present(chosen))
        reached = {t("report.calibrate.chosen"): chosen.reached, present: now}
    columns = [
        DataColumn(t("report.calibrate.decision"), name="decision"),
        *(
            DataColumn(t(f"report.calibrate.column_{name}"), "number", name)
            for name in ("found", "spared", _goal(chosen))
        ),
    ]
    rows: list[Row] = [
        [
            title,
            share_cell(one.found.value),
            share_cell(one.spared.value),
            _last(chosen, one),
        ]
        for title, one in reached.items()
    ]
    return DataTable("", columns, rows)


def _goal(chosen: ChosenThresholds) -> str:
    """The figure that is the goal."""
    if chosen.goal == "accuracy":
        return "right"
    return "youden"


def _last(chosen: ChosenThresholds, rule_result: RuleResult) -> Cell:
    share, form = (
        chosen.goal == "accuracy",
        ".1%" if chosen.goal == "accuracy" else ".3f",
    )
    figure = rule_result.right if share else rule_result.youden
    if figure.value is None:
        return Cell(NOTHING)
    detail = between(figure.low, figure.high, form)
    return Cell(f"{figure.value:{form}}", figure.value, figure.low, figure.high, detail)


def _gains(chosen: ChosenThresholds) -> str:
    """Whether the chosen bounds do better than the present way to decide, measured on
    other labels: better, worse, unclear or unknown."""
    gain = chosen.gain
    if gain.value is None or gain.low is None or gain.high is None:
        return "unknown"
    if gain.low > 0:
        return "better"
    if gain.high < 0:
        return "worse"
    return "unclear"


def advised_against(chosen: ChosenThresholds) -> str:
    """Why the chosen bounds are not to be set; "" where they are."""
    return "" if _gains(chosen) == "better" else _advice(chosen)


def _advice(chosen: ChosenThresholds) -> str:
    """What to do with the chosen bounds."""
    gain = "" if chosen.gain.value is None else figure_words(chosen.gain, "+.3f")
    goal = t(f"report.calibrate.column_{_goal(chosen)}")
    words = {
        "rule": chosen.rule,
        "present": _present(chosen),
        "goal": goal,
        "gain": gain,
    }
    return t(f"report.calibrate.gain_{_gains(chosen)}", **words)


# ------------------------------------------------------------------ levels


def _of_levels(calibration: Calibration, levels: Levels, *, full: bool) -> Told:
    compared = calibration.compared
    assert compared is not None
    whose = ", ".join(map(_name, levels.raters))
    title = t(
        "report.calibrate.levels_head", machine=_name(compared.second), whose=whose
    )
    context = [
        t(
            "report.calibrate.levels_counted",
            pairs=compared.pairs,
            judged=calibration.judged,
            queries=compared.queries,
            unread=compared.unread,
        )
    ]
    for key, n in (
        ("only_people", compared.only_first),
        ("seen", levels.truth.seen_machine),
    ):
        context += [t(f"report.calibrate.{key}", n=n)] if n else []
    parts: list[Part] = list(comparison_parts(compared)) if full else []
    if not full:
        rows = [
            _agreement_row(name, f"{name}_levels", of["levels_quadratic"])
            for name, of in (("kappa", compared.kappa), ("gwet", compared.gwet))
        ]
        parts.append(_table(t("report.calibrate.trust"), rows))
    chief, what = _chief(calibration), t("report.calibrate.pairs")
    asked = calibration.question if full else [chief] if chief is not None else []
    for each in asked:
        parts += _of_question(each, what, full=full)
    conclusion = verdict_line(chief.confusion) if chief is not None else ""
    return title, conclusion, context, parts


def _of_question(asked: CalibrationItem, what: str, *, full: bool) -> list[Part]:
    """The figures of what counts as right, and its rate."""
    rows = _figures(asked, SHARES if full else SHARES[:3], rates=True)
    rows += [
        _area_row(t("report.calibrate.area"), roc, asked.unread[name])
        for name, roc in asked.rocs.items()
    ]
    title = t(f"report.calibrate.ask_{asked.name}")
    return [_table(title, rows), Text(_rate(asked, what, full=full))]


# ------------------------------------------------------------------ words


def _number(value: float | None) -> Cell:
    if value is None:
        return Cell(NOTHING)
    return Cell(f"{value:.3f}", value)


def _score(name: str) -> str:
    """What people call a score."""
    key = f"report.word.{name}"
    if has(key):
        return t(key)
    return measure_name(name)


def _percent(share: Share) -> str:
    if share.value is None:
        return NOTHING
    return f"{share.value:.1%}"


def _name(name: str) -> str:
    return clean(name, newlines=False)[:80]


# ------------------------------------------------------------------ config.yaml


def section(calibration: Calibration) -> str | None:
    """The chosen bounds as a section of config.yaml, with a remark that says what it
    rests on; None where no bounds were chosen."""
    answers, chosen = calibration.answers, calibration.chosen
    if answers is None or chosen is None:
        return None
    verdicts = answers.verdicts
    bounds = {
        verdicts.rule_setting: chosen.rule,
        verdicts.bounds_setting: chosen.rules[chosen.rule].bounds,
    }
    index = chosen.reached.youden
    unknown = t("report.calibrate.not_known")
    remark = t(
        "report.calibrate.section",
        name=_name(calibration.name),
        labels=chosen.labels,
        goal=t(f"report.calibrate.goal_{chosen.goal}"),
        youden=unknown if index.value is None else figure_words(index),
    )
    value = {"settings": {answers.method: bounds}}
    text = yaml.safe_dump(value, sort_keys=False, allow_unicode=True)
    return "".join(f"# {line}\n" for line in remark.splitlines()) + text


# ------------------------------------------------------------------ JSON


def as_json(
    calibration: Calibration, silence: Collection[str] = ()
) -> dict[str, object]:
    """One object. A share is {value, low, high, count, of}; undefined is null."""
    cautions, silent = split_silent(warnings_of(calibration), silence)
    more = {"warnings": msgspec.to_builtins(cautions), "silenced": silent}
    common = {"name": calibration.name, "judged": calibration.judged} | {
        name: part for name, part in more.items() if part
    }
    questions = [_question(each) for each in calibration.question]
    if calibration.answers is not None:
        answers = calibration.answers
        now = dict(answers.rules.bounds)
        return {
            **common,
            "kind": "answers",
            "truth": {
                "by": answers.by,
                "raters": list(answers.raters),
                "seen_machine": answers.seen,
                "disputed": answers.disputed,
            },
            "models": answers.models,
            "cutoff": calibration.cutoff and calibration.cutoff._asdict(),
            "left_out": answers.left_out,
            "questions": questions,
            "bounds": {"now": now, **_chosen(calibration.chosen)}
            if calibration.chosen
            else None,
            "no_bounds": too_few(calibration.too_few) if calibration.too_few else None,
        }
    assert calibration.levels is not None
    assert calibration.compared is not None
    return {
        **common,
        "kind": "levels",
        "truth": {
            "by": calibration.levels.truth.kind,
            "raters": list(calibration.levels.raters),
            "seen_machine": calibration.levels.truth.seen_machine,
        },
        "drawn_by_level": calibration.levels.by_level,
        "compared": comparison_json(calibration.compared),
        "questions": questions,
    }


def _question(calibration_item: CalibrationItem) -> dict[str, object]:
    corrected = calibration_item.corrected
    rocs = {
        name: {**_roc(roc), "unread": calibration_item.unread[name]}
        for name, roc in calibration_item.rocs.items()
    }
    return {
        "question": calibration_item.name,
        **{
            name: _plain(value)
            for name, value in calibration_item.confusion._asdict().items()
        },
        "right": _words(calibration_item.confusion.right),
        "wrong": _words(calibration_item.confusion.wrong),
        "roc": rocs,
        "corrected": corrected
        and {**corrected._asdict(), "like": corrected.like._asdict()},
        "corrected_by": calibration_item.predict or None,
        "not_corrected": calibration_item.not_corrected,
        "drift_p": calibration_item.drift,
    }


def _words(counts: Mapping[str, int]) -> dict[str, int]:
    return {word or "unread": count for word, count in counts.items()}


def _roc(roc: Roc) -> dict[str, object]:
    """The curve; the first point's bound is null: nothing counts as right there."""
    points = [
        [
            None if math.isinf(point.bound) else point.bound,
            point.sensitivity,
            point.false_positives,
        ]
        for point in roc.points
    ]
    return {**roc._asdict(), "points": points}


def _chosen(thresholds: ChosenThresholds) -> dict[str, object]:
    rules = {
        name: {
            "now": _reached(rule.now),
            "bounds": rule.bounds,
            "held_out": _reached(rule.reached),
        }
        for name, rule in thresholds.rules.items()
    }
    return {
        "goal": thresholds.goal,
        "labels": thresholds.labels,
        "clusters": thresholds.clusters,
        "folds": thresholds.folds,
        "rule": thresholds.rule,
        "judgement_alone": _reached(thresholds.judgement),
        "rules": rules,
        "held_out": _reached(thresholds.reached),
        "against": thresholds.against or "judgement_alone",
        "gain": thresholds.gain._asdict(),
    }


def _reached(rule_result: RuleResult) -> dict[str, object]:
    return {name: _plain(value) for name, value in rule_result._asdict().items()}


def _plain(value: object) -> Any:
    if isinstance(value, Share):
        return asdict(value)
    if isinstance(value, IntervalEstimate):
        return value._asdict()
    return value
