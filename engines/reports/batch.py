"""The report of a batch: how its lines ended, their cost, and its figures.

`report.json` is `BatchReport.as_json()`. Each figure appears under the name of its
measure, in the same form as in `compare` and studies. The prices of an item are under
`per_item`, because the totals of the run have their names.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from ...sessions.session import Totals
from ...texts import has, t
from ...texts.amounts import money
from ...texts.roles import role_name
from ...texts.settings import listed, word
from ..figures.aggregate import Aggregate
from ..figures.certificates import (
    CORRECTED,
    SAME,
    JudgeFacts,
    JudgeStatus,
    judge_facts,
    judge_in_words,
    outside_facts,
    status_on,
)
from ..figures.certificates import in_words as judge_status
from ..figures.compare import PRICE
from ..figures.measure import Measure, Subject
from ..figures.warnings import FigureWarning, on
from ..figures.warnings import lines as warning_lines
from ..figures.wording import (
    NOTHING,
    amount,
    bracketed,
    counted_reasons,
    fact_name,
    fact_values,
    interval,
    measure_name,
)
from .cached_input import in_words as cached_in_words
from .document import (
    Cell,
    DataColumn,
    DataTable,
    ItemList,
    Part,
    ReportDocument,
    SettingList,
    TextBlock,
)
from .panels import in_words as panels_in_words
from .rate_limits import RateLimitWaits, limits_in_words
from .run_changes import in_words as changes_in_words

PER_ITEM = "per_item"
HEADLINE = (
    "accuracy",
    "chrf",
    "level_right",
    "kappa_level",
    "correctness",
    "rank_correctness",
)
"""The figures that a conclusion is about: the first one that was measured."""


class MissingLine(NamedTuple):
    """A line that some figures could not be measured on."""

    id: str
    why: str
    """A state of a measurement, `stopped`, or `unlabelled`: the line does not say what
    is right."""
    of: tuple[str, ...]
    """The measures."""


class FlipFigures(NamedTuple):
    """How often answers of debaters changed, as shares of the answers before."""

    right_to_wrong: Aggregate
    wrong_to_right: Aggregate
    by_round: Mapping[str, Mapping[str, Aggregate]]
    """Round to both figures, by name."""
    by_side: Mapping[str, Mapping[str, Aggregate]]


class Breakdown(NamedTuple):
    """Figures of parts of a run. report.json has those there are."""

    criteria: Mapping[str, Mapping[str, Mapping[str, Aggregate]]] = {}
    """Of rankings: criterion to answer to `rank`, `place`, `score`, `high_quality`."""
    temperatures: Mapping[str, Mapping[str, Aggregate]] = {}
    """Of pairs that were judged several times: temperature to figures; "": none was
    asked for."""
    flips: FlipFigures | None = None
    """Of debates with known answers."""


class EquivalenceCounts(msgspec.Struct, kw_only=True):
    """The verdicts of models that compared answers with accepted ones."""

    models: list[str]
    asked: int
    same: int
    different: int
    undecided: int = 0
    """A panel did not agree."""
    unread: int
    failed: int


class BatchReport(msgspec.Struct, kw_only=True):
    """All data in the report of a batch."""

    lines: int
    skipped: int = 0
    """Lines of the file that could not be read and were skipped."""
    done: int
    failed: int
    stopped: int
    """Lines that are not finished."""
    calls: int
    usage: dict[str, Any]
    cost: float | None
    """US dollars; None where the price of a call is unknown."""
    cost_known: float
    unpriced: list[str]
    """Roles of which a price is unknown."""
    seconds: float
    verified_by: dict[str, list[str]] = {}
    """Role to the models that answered for it; `built_in`: those that are no language
    models."""
    limits: dict[str, RateLimitWaits] = {}
    retried: dict[str, int] = {}
    """`lines` that were tried again after a failure, further `attempts` in all, and how
    many of the lines are `done`; empty: none."""
    live: dict[str, float] = {}
    """`calls` of small waves that were made at once, and their `cost` in US dollars at
    the full price; empty: none."""
    panels: list[dict[str, Any]] = []
    equivalence: EquivalenceCounts | None = None
    equivalence_prompts: str = ""
    """Digests of the prompts that compare answers, one for each language."""
    tallies: dict[str, dict[str, int]] = {}
    """Counts of what happened, such as `decided_by`, by the method."""
    figures: dict[str, Aggregate] = {}
    covered: dict[str, int] = {}
    """Measure to the finished lines that its figure rests on."""
    unmeasured: dict[str, dict[str, int]] = {}
    """Measure without a figure to the lines it has no value for, by reason."""
    breakdown: Breakdown = Breakdown()
    judges: dict[str, JudgeStatus] = {}
    """`ROLE.VERDICT` to whether this judge is certified."""
    left_out: list[MissingLine] = []
    warnings: list[FigureWarning] = []
    silenced: list[str] = []
    """Ids of warnings that apply and are silent."""
    made_with: dict[str, list[str]] = {}
    """Models, settings and prompts of its sessions, each with all its values."""
    changes: list[dict[str, Any]] = []
    shard: dict[str, int] | None = None

    def total(self, name: str) -> float | None:
        """One of `gates.RUN_TOTALS`: `failed` and `stopped` as shares of the lines."""
        value: float | None = getattr(self, name)
        if name in ("failed", "stopped") and value is not None:
            if self.lines:
                return value / self.lines
            return 0.0
        return value

    @property
    def compared(self) -> tuple[int, int]:
        """Return how many comparisons of answers by a model could not be read, and of
        how many.
        """
        counts = self.equivalence
        if counts is not None:
            return (counts.unread, counts.asked)
        return (0, 0)

    def uncovered(self, name: str) -> dict[str, int]:
        """Return the number of input lines that a figure does not cover, by reason.

        `name`: a measure; "": the run itself, which covers its finished lines.
        """
        counts = {
            "skipped": self.skipped,
            "failed": self.failed,
            "stopped": self.stopped,
        }
        whys = [one.why for one in self.left_out if name in one.of]
        for why in whys:
            if why not in ("failed", "stopped"):
                counts[why] = counts.get(why, 0) + 1
        counts |= self.unmeasured.get(name, {})
        covered = self.covered.get(name, 0) if name else self.done
        rest = self.lines + self.skipped - covered - sum(counts.values())
        counts["unmeasured"] = max(rest, 0)
        return {why: count for why, count in counts.items() if count}

    def as_json(self) -> dict[str, Any]:
        """As in report.json."""
        plain = ("verified_by", "usage", "cost", "cost_known", "unpriced", "seconds")
        counts = ("lines", "skipped", "done", "failed", "stopped", "calls")
        optional = (
            "limits",
            "retried",
            "live",
            "panels",
            "equivalence",
            "equivalence_prompts",
            "unmeasured",
            "judges",
            "warnings",
            "silenced",
            "made_with",
            "changes",
            "shard",
        )
        totals = {name: getattr(self, name) for name in (*counts, *plain)}
        more = {name: getattr(self, name) for name in optional if getattr(self, name)}
        named = {name: self._figure(name) for name in self.figures}
        paid = {name: named.pop(name) for name in [*named] if name in PRICE}
        left_out = [one._asdict() for one in self.left_out]
        return {
            **msgspec.to_builtins({**totals, **more}),
            **self.tallies,
            **named,
            **{
                name: _plain(part)
                for name, part in self.breakdown._asdict().items()
                if part
            },
            PER_ITEM: paid,
            "left_out": left_out,
        }

    def _figure(self, name: str) -> dict[str, object]:
        judge = self.judge_of(name)
        return {
            **self.figures[name].as_json(),
            "covered": self.covered.get(name, 0),
            **({} if judge is None else {"certified": judge.certified}),
        }

    def judge_facts(self, key: str) -> JudgeFacts:
        """What identifies the judge `ROLE.VERDICT`."""
        role, _, verdict = key.partition(".")
        counts = self.equivalence
        if key == SAME and counts is not None:
            prompts = self.equivalence_prompts.split()
            return outside_facts(role, verdict, counts.models, prompts)
        answered = self.verified_by.get(role, ())
        return judge_facts(self.made_with, answered, role, verdict)

    def judge_of(self, name: str) -> JudgeStatus | None:
        """Return the judge whose verdicts a figure depends on; None if no model."""
        return status_on(self.judges, name)


def read_report(found: Mapping[str, Any]) -> BatchReport:
    """Read a report from report.json. Raises: msgspec.ValidationError, KeyError."""
    own = {name: found[name] for name in BatchReport.__struct_fields__ if name in found}
    own.pop("left_out", None)
    paid = found.get(PER_ITEM, {})
    objects = {
        name: value
        for name, value in found.items()
        if name not in own and name not in paid
    }
    objects |= paid
    figures = {name: value for name, value in objects.items() if _is_figure(value)}
    tallies = {name: value for name, value in objects.items() if _is_tally(value)}
    report = msgspec.convert(own, BatchReport)
    report.figures = {name: _aggregate(figure) for name, figure in figures.items()}
    report.covered = {
        name: figure.get("covered", 0) for name, figure in figures.items()
    }
    report.tallies = tallies
    parts = {name: _nested(found.get(name, {})) for name in Breakdown._fields}
    parts["flips"] = FlipFigures(**parts["flips"]) if parts["flips"] else None
    report.breakdown = Breakdown(**parts)
    report.left_out = [
        MissingLine(str(one["id"]), str(one["why"]), tuple(one["of"]))
        for one in found.get("left_out", ())
    ]
    return report


def _aggregate(found: Mapping[str, Any]) -> Aggregate:
    names = Aggregate.__dataclass_fields__
    known = {name: value for name, value in found.items() if name in names}
    known["n"] = found["n"] if "n" in found else found["of"]
    known.setdefault("clusters", known["n"])
    if known.get("of") == known["n"]:
        del known["of"]
    return Aggregate(**known)


def _plain(part: Any) -> Any:
    """Nested figures as in report.json."""
    if isinstance(part, Aggregate):
        return part.as_json()
    if isinstance(part, FlipFigures):
        part = part._asdict()
    return {name: _plain(inner) for name, inner in part.items()}


def _nested(found: Any) -> Any:
    """Nested figures of report.json."""
    if _is_figure(found):
        return _aggregate(found)
    return {name: _nested(inner) for name, inner in found.items()}


def _is_figure(value: object) -> bool:
    """Whether it is a figure; those of version 0.1 have `of` in place of `n`."""
    if not isinstance(value, Mapping) or not {"n", "of"} & value.keys():
        return False
    return {"value", "low", "high"} <= value.keys()


def _is_tally(value: object) -> bool:
    if not isinstance(value, Mapping) or not value:
        return False
    return all(isinstance(count, int) for count in value.values())


def usage(totals: Totals) -> dict[str, Any]:
    """Tokens.

    `cached_input` and the following are present only if a provider reports its cache:
    tokens found there, of the `cached_of` tokens of `cached_calls` calls. `saved` is
    the US dollars saved, None if unknown for any of them.
    """
    cached = (
        {name: getattr(totals, name) for name in _CACHED} if totals.cached_of else {}
    )
    return {
        "input": totals.input,
        "output": totals.output,
        "estimated": totals.estimated,
        **cached,
    }


_CACHED = ("cached_input", "cached_of", "cached_calls", "saved", "saved_known")


def cost(totals: Totals) -> dict[str, Any]:
    """`cost` is None where the price of a call is unknown; then `cost_known` is that of
    the others, and `unpriced` names the roles."""
    return {
        "cost": totals.cost,
        "cost_known": totals.cost_known,
        "unpriced": list(totals.unpriced),
    }


def tally(
    counts: Sequence[Mapping[str, Mapping[str, int]]],
) -> dict[str, dict[str, int]]:
    """The sums of several tallies, by family and name."""
    sums: dict[str, dict[str, int]] = {}
    for families in counts:
        for family, names in families.items():
            total = sums.setdefault(family, {})
            for name, count in names.items():
                total[name] = total.get(name, 0) + count
    return sums


# ------------------------------------------------------------------ the document


class BatchWords(NamedTuple):
    """The details of the kind of batch that a report needs."""

    many: str
    """What its lines make: `debates`."""
    verb: str
    """What the first of `judged_by` did: `judged`, `verified`."""
    judge: str
    verdict: str
    """`ROLE.VERDICT` of it, as `BatchReport.judges` has it."""
    measures: Mapping[str, Measure]
    quiet: Collection[str] = ()
    """Measures that people are not shown."""
    tables: Sequence[DataTable] = ()
    """Tables of the method's own."""


SUBJECTS: tuple[Subject, ...] = get_args(Subject)


def batch_document(
    report: BatchReport,
    title: str,
    words: BatchWords,
    items: ItemList | None,
    context: Sequence[str],
) -> ReportDocument:
    """The report of a batch: its conclusion, its figures by subject, then its lines.

    `context`: lines on when and how it was made.
    """
    parts: list[Part] = []
    for subject in SUBJECTS:
        table = _figures(report, subject, words)
        parts += [table] if table is not None else []
    parts += words.tables
    notes = [*_tally_lines(report, words), *_notes(report)]
    parts += [TextBlock(notes)] if notes else []
    cautions = warning_lines(report.warnings, report.silenced)
    if cautions:
        parts.append(TextBlock(cautions, t("report.warning.head"), "warning"))
    if report.made_with:
        parts.append(_settings(report.made_with))
    if items is not None and items.items:
        parts.append(items)
    lines = [*context, *_models(report), _states(report, words), *_equivalence(report)]
    lines += _certificates(report, words)
    return ReportDocument(title, _conclusion(report, words), lines, parts)


def _certificates(report: BatchReport, words: BatchWords) -> list[str]:
    """Show what certificates say about the judges, and how often known answers
    contradict them.
    """
    lines = [
        judge_in_words(key, judge)
        for key, judge in report.judges.items()
        if key == words.verdict and (judge.measures or judge.certificate is not None)
    ]
    known = report.figures.get("judgement_accuracy")
    if known is not None and known.count is not None:
        wrong = known.n - known.count
        lines.append(t("report.certified.contradicts", n=wrong, total=known.n))
    return lines


def _conclusion(report: BatchReport, words: BatchWords) -> str:
    """The first figure of the answers, in one sentence."""
    for name in (*HEADLINE, *words.measures):
        figure = report.figures.get(name)
        if figure is not None and figure.value is not None:
            measure = words.measures[name]
            between = interval(measure, figure.low, figure.high)
            return t(
                f"report.batch.conclusion{'' if between else '_alone'}",
                name=measure_name(name),
                value=amount(measure, figure.value),
                interval=between,
                n=figure.n,
                lines=report.lines + report.skipped,
            )
    return t("report.batch.nothing_measured")


def _models(report: BatchReport) -> list[str]:
    """`Models: gpt-4 (judge), turbo (affirmative, negative)`."""
    roles: dict[str, list[str]] = {}
    for name, values in report.made_with.items():
        kind, _, role = name.partition(".")
        for model in values if kind == "model" else ():
            roles.setdefault(model, []).append(role_name(role))
    parts = listed(f"{model} ({listed(names)})" for model, names in roles.items())
    if parts:
        return [t("report.batch.models", models=parts)]
    return []


def _settings(made_with: Mapping[str, Sequence[str]]) -> SettingList:
    """What differs between the lines; the rest folded."""
    rows: list[tuple[str, list[str]]] = []
    folded: list[tuple[str, list[str]]] = []
    for name, values in made_with.items():
        row = (fact_name(name), [fact_values(name, values)])
        (rows if len(values) > 1 else folded).append(row)
    return SettingList(t("report.batch.settings"), (), rows, folded)


def _states(report: BatchReport, words: BatchWords) -> str:
    """`60 debates: 58 done, 2 failed, 0 not finished; judged by gpt-4`"""
    return t(
        "report.batch.states",
        lines=report.lines,
        many=t(f"report.many.{words.many.split()[0]}"),
        done=report.done,
        failed=report.failed,
        stopped=report.stopped,
        by=_by(report.verified_by, words),
    )


def _by(verified_by: Mapping[str, Sequence[str]], words: BatchWords) -> str:
    """`verified by lexical, no language model`"""
    verb = t(f"report.verb.{words.verb}")
    models = verified_by.get(words.judge, ())
    built_in = verified_by.get("built_in", ())
    if not models:
        return t("report.batch.by_nobody", verb=verb)
    if all(model in built_in for model in models):
        names = t("report.batch.and").join(models)
        return t("report.batch.by_builtin", verb=verb, names=names)
    named = (
        t("report.batch.builtin", model=model) if model in built_in else model
        for model in models
    )
    return t("report.batch.by", verb=verb, names=", ".join(named))


def _figures(
    report: BatchReport, subject: Subject, words: BatchWords
) -> DataTable | None:
    """The table of the figures of a subject; None where nothing was measured."""
    rows: list[list[Cell | str]] = []
    judges: list[str] = []
    for name, figure in report.figures.items():
        measure = words.measures.get(name)
        if measure is None or measure.subject != subject:
            continue
        if name in words.quiet and CORRECTED + name not in report.figures:
            continue
        if _hidden(measure, figure, report):
            continue
        value = Cell(
            amount(measure, figure.value), figure.value, figure.low, figure.high
        )
        judges.append(_judge(name, report))
        rows.append(
            [
                Cell(measure_name(name), name),
                value,
                bracketed(measure, figure.low, figure.high),
                Cell(str(figure.n), figure.n),
                t("report.batch.semicolon").join(
                    [*_exclusions(figure), *on(report.warnings, name)]
                ),
            ]
        )
    if not rows:
        return None
    heads = ["figure", "value", "interval", "n", "left_out_head"]
    names = ["measure", "value", "interval", "n", "left_out"]
    if any(judges):
        heads.append("judge_head")
        names.append("judge")
        rows = [[*row, judge] for row, judge in zip(rows, judges, strict=True)]
    columns = [
        DataColumn(t(f"report.batch.{head}"), _kind(head), name)
        for head, name in zip(heads, names, strict=True)
    ]
    return DataTable(t(f"report.batch.subject_{subject}"), columns, rows)


def _judge(name: str, report: BatchReport) -> str:
    """Whether the judge behind a figure is certified, and the corrected figure."""
    judge = report.judge_of(name)
    if judge is None:
        return ""
    fixed = report.figures.get(CORRECTED + name)
    if fixed is None or fixed.value is None:
        return judge_status(judge)
    ends_ = "" if fixed.low is None else f" [{fixed.low:.1%}, {fixed.high:.1%}]"
    corrected = t("report.certified.corrected", value=fixed.value, interval=ends_)
    return t("report.batch.semicolon").join([judge_status(judge), corrected])


def _kind(head: str) -> Literal["text", "number"]:
    if head in ("value", "n"):
        return "number"
    return "text"


def _hidden(measure: Measure, figure: Aggregate, report: BatchReport) -> bool:
    """Return True for figures that people do not need to read: those by round whose
    final value is in another figure, shares of what never happened, unknown prices,
    which the totals name, and duplicates of another figure.
    """
    if measure.name == "accuracy_decided":
        return not report.figures["accuracy"].unanswered
    never = figure.value == 0 and measure.better == "neither"
    unpriced = measure.paid and figure.value is None
    return measure.by_round or (never and measure.share) or unpriced


def figure_cell(measure: Measure, figure: Aggregate | None) -> Cell:
    """A figure with its interval; a dash without a value."""
    if figure is None or figure.value is None:
        return Cell(NOTHING)
    text = amount(measure, figure.value)
    between = bracketed(measure, figure.low, figure.high)
    return Cell(text, figure.value, figure.low, figure.high, between)


def _exclusions(figure: Aggregate) -> list[str]:
    """Return what a figure counts as wrong, and what it leaves out."""
    sentences = []
    if figure.unanswered:
        sentences.append(
            t("report.batch.unanswered", why=counted_reasons(figure.unanswered))
        )
    if figure.missing:
        sentences.append(t("report.batch.missing", why=counted_reasons(figure.missing)))
    if figure.clusters < figure.n:
        sentences.append(t("report.batch.clusters", n=figure.clusters))
    if figure.note is not None:
        sentences.append(t(f"report.no_interval.{figure.note}"))
    return sentences


def _tally_lines(report: BatchReport, words: BatchWords) -> list[str]:
    """`ended by: limit 40, indicator 10`, of families that have no measures."""
    lines = []
    for family, counts in report.tallies.items():
        parts = listed(f"{word(name)} {n}" for name, n in sorted(counts.items()) if n)
        key = f"report.tally.{family}"
        figures = any(name.startswith(f"{family}_") for name in words.measures)
        if parts and has(key) and not figures:
            lines.append(t(key, counts=parts))
    return lines


def _equivalence(report: BatchReport) -> list[str]:
    """`answers compared by gpt-4: 3; same 1, different 2`"""
    counts = report.equivalence
    if counts is None:
        return []
    named = {
        name: getattr(counts, name)
        for name in ("same", "different", "undecided", "unread", "failed")
    }
    parts = listed(
        f"{word(name)} {n}"
        for name, n in named.items()
        if n or name in ("same", "different")
    )
    models = ", ".join(counts.models) or t("report.batch.a_model")
    return [
        t("report.batch.compared", models=models, questions=counts.asked, counts=parts)
    ]


def _notes(report: BatchReport) -> list[str]:
    """What was left out, skipped and spent."""
    notes = []
    notes += _unmeasured(report)
    if report.left_out:
        lines = len({each.id for each in report.left_out})
        notes.append(t("report.batch.left_out", n=lines))
    if report.skipped:
        notes.append(t("report.batch.skipped", n=report.skipped))
    if report.shard:
        notes.append(t("report.batch.shard", **report.shard))
    spent = Totals(cost_known=report.cost_known, unpriced=tuple(report.unpriced))
    price = spent.cost_in_words(lambda dollars: f"${dollars:.4f}")
    tokens = _tokens(report.usage)
    notes.append(
        t("report.batch.spent", calls=report.calls, tokens=tokens, price=price)
    )
    notes += cached_in_words(report.usage, report.calls)
    notes += changes_in_words(report.changes)
    notes += limits_in_words(report.limits)
    if report.live:
        told = {"n": f"{report.live['calls']:,}", "price": money(report.live["cost"])}
        notes.append(t("report.batch.live", **told))
    if report.retried:
        notes.append(t("report.batch.retried", **report.retried))
    return [*notes, *panels_in_words(report.panels)]


def _unmeasured(report: BatchReport) -> list[str]:
    """`Not measured: BLEU (2 without a word segmenter)`"""
    parts = [
        f"{measure_name(name)} ({counted_reasons(reasons)})"
        for name, reasons in report.unmeasured.items()
    ]
    if parts:
        return [t("report.batch.unmeasured", measures=listed(parts))]
    return []


def _tokens(used: Mapping[str, Any]) -> str:
    if used["input"] is None or used["output"] is None:
        return t("side.unknown")
    return f"{'~' if used['estimated'] else ''}{used['input'] + used['output']:,}"
