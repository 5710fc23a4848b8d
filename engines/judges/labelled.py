"""The judge of a calibrated run or of an audit beside its labels, as a certificate
needs it, and the figures of a run that labels or a certificate correct.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET

from ...sessions.annotators import GOLD
from ...sessions.errors import BadInput
from ...sessions.events import ReplyEvent
from ...sessions.files import REPORT
from ...sessions.label_files import FOLDER as LABELS
from ...sessions.labels import Latest
from ...texts import t
from ..batches.kind import BatchKind
from ..batches.results import judges_of
from ..calibration.answers import By, NothingToHold, RunAnswers, read_answers, truth_of
from ..calibration.judged_item import JudgedItem
from ..calibration.levels import Levels
from ..calibration.machine import Calibration, question_of_answers
from ..figures.aggregate import Aggregate
from ..figures.certificates import (
    CORRECTED,
    Certificate,
    CertifiedShare,
    JudgeStatus,
    PeopleAgreement,
    RunJudges,
    judge_facts,
    outside_facts,
    read_certificates,
)
from ..figures.common import answer_of
from ..figures.judge.measure import OUTSIDE
from ..figures.measure import Measure
from ..figures.rated import CORRECT
from ..figures.runs import Run, people_of, read_run
from ..figures.verdicts import Verdicts
from ..metrics.raters import read_raters
from ..metrics.shares import Z95
from ..reports.batch import BatchReport, read_report
from .certificate import JudgeLabels, LabelledJudge, people_agreement
from .seats import JudgingSeat

_HOLDS = {"right": True, "wrong": False}


def labelled_judge(
    calibration: Calibration, run: Run, kind: BatchKind
) -> LabelledJudge:
    """The judge of a run with its labels."""
    role = kind.judged_by[0]
    facts = run.provenance.facts
    judge = judge_facts(facts, _answered(run, role), role, kind.verdict)
    if calibration.answers is not None:
        labels = _of_answers(calibration.answers, run)
    else:
        assert calibration.levels is not None
        labels = _of_levels(calibration.levels, run)
    drifts = any(
        asked.not_corrected in ("drift", "by_level") for asked in calibration.question
    )
    return LabelledJudge(
        judge=judge,
        labels=labels,
        data_set=_data_set(run),
        not_random=drifts,
    )


def audited_judge(folder: Path, seats: Mapping[str, JudgingSeat]) -> LabelledJudge:
    """The judge of an audit, with the user's own items as its labels. `seats`: by what
    an audit calls them. Raises: BadInput where the items are not the user's.
    """
    try:
        found = json.loads((folder / REPORT).read_text("utf-8"))
        about, told = found["audit"], found["labels"]
        way = seats[about["seat"]]
        things = [
            JudgedItem(
                id_, cluster, right, _HOLDS.get(said), said, content=f"{way.role}{what}"
            )
            for id_, cluster, right, said, what in told["of"]
        ]
    except (OSError, ValueError, LookupError, TypeError):
        raise BadInput(t("wrong.certify.no_audit", path=folder / REPORT)) from None
    if not things:
        raise BadInput(t("wrong.certify.people"))
    if way.role == OUTSIDE:
        named = about["models"], about["prompts"]
        judge = outside_facts(way.role, way.certifies, *named)
    else:
        judge = read_report(found).judge_facts(f"{way.role}.{way.certifies}")
    people = PeopleAgreement(raters=[told["file"]])
    labels = JudgeLabels(things, people, told["file"])
    return LabelledJudge(judge, labels, told["file"])


def choosing_judge(
    run: Run,
    kind: BatchKind,
    way: JudgingSeat,
    labels: Path | None,
    names: Sequence[str],
) -> LabelledJudge:
    """The judge of a run that chooses answers, beside what people say of these: it
    agrees with them where it chose an answer that is right. `labels`, `names`: as in
    `read_answers`.

    Raises: BadInput without labels of people.
    """
    assert way.chose is not None
    said = truth_of(run, kind.measures["accuracy"], labels, gold=False, names=names)
    if said.by == "gold":
        raise BadInput(t("wrong.certify.people"))
    things = []
    for case in run.cases.values():
        chose = way.chose(case.session) if case.session.result is not None else None
        right = said.of(case)
        if chose is not None and right is not None:
            item = case.item
            things.append(JudgedItem(item.id, item.cluster, True, chose and right))
    judge = judge_facts(
        run.provenance.facts, _answered(run, way.role), way.role, kind.verdict
    )
    labelled = _labels(things, run, said.by, said.raters, said.seen)
    return LabelledJudge(judge, labelled, _data_set(run))


def _of_answers(answers: RunAnswers, run: Run) -> JudgeLabels:
    return _labels(answers.things, run, answers.by, answers.raters, answers.seen)


def _labels(
    things: Sequence[JudgedItem], run: Run, by: By, names: Sequence[str], seen: int
) -> JudgeLabels:
    raters = {
        name: _ratings(own)
        for name, own in (people_of(run.path) if by == "people" else {}).items()
        if name in names
    }
    people = people_agreement(raters, {})
    people.raters = list(names)
    known = [
        replace(thing, content=f"{case.item.digest}\0{answer_of(case.session).text}")
        for thing in things
        if thing.truth is not None
        for case in [run.cases[thing.id]]
    ]
    return JudgeLabels(known, people, ", ".join(names), seen)


def _ratings(labels: Latest) -> dict[str, object]:
    return {
        key.subject: label.value
        for key, label in labels.items()
        if key.measure == CORRECT.measure and label.value in CORRECT.values
    }


def _of_levels(levels: Levels, run: Run) -> JudgeLabels:
    """Levels: a thing is right where the machine gives the level of people."""
    things = []
    for pair, level in levels.machine.labels.items():
        known = levels.truth.labels.get(pair)
        truth = None if known is None else True
        holds = None if level is None or known is None else level == known
        things.append(JudgedItem("\0".join(pair), pair[0], truth, holds))
    raters = {
        rater.name: {"\0".join(pair): level for pair, level in rater.rated().items()}
        for rater in read_raters([run.path])
        if rater.kind == "person" and rater.name != GOLD and rater.name in levels.raters
    }
    clusters = {thing.id: thing.cluster for thing in things}
    people = people_agreement(raters, clusters)
    people.raters = list(levels.raters)
    file, seen = ", ".join(levels.raters), levels.truth.seen_machine
    return JudgeLabels(things, people, file, seen)


def _answered(run: Run, role: str) -> list[str]:
    """The ids of the models that answered for a role."""
    found: dict[str, None] = {}
    for case in run.cases.values():
        for event in case.session.events:
            if isinstance(event, ReplyEvent) and event.role == role:
                votes = [] if event.votes is UNSET else event.votes
                models = [vote.model for vote in votes if vote.error is UNSET]
                found |= dict.fromkeys(models if votes else [event.model])
    return [model for model in found if model not in ("", "given")]


def judges_of_run(
    run: Run,
    measures: Iterable[Measure],
    certificates: Sequence[Certificate],
    role: str,
) -> dict[str, JudgeStatus]:
    """The judges that these measures of a run rest on. `role`: as in `RunJudges`."""
    listed = [measure for measure in measures if measure.judge]
    roles = {one.judge.partition(".")[0] or role for one in listed}
    answered = {name: _answered(run, name) for name in roles}
    judges = RunJudges(run.provenance.facts, answered, role)
    labelled = run.path.is_dir() and (run.path / LABELS).is_dir()
    return judges.statuses(listed, certificates, labelled=labelled)


def _data_set(run: Run) -> str:
    """The file of the run's lines, where it is known, else the run."""
    for name in ("answers", "questions", "pairs", "topics", "file"):
        if isinstance(run.options.get(name), str):
            return Path(str(run.options[name])).name
    return run.name


# ------------------------------------------------------------------ corrected figures


class ShareBounds(NamedTuple):
    """A share with its 95 % interval."""

    value: float
    low: float
    high: float


def rogan_gladen(
    share: float, n: float, sensitivity: CertifiedShare, specificity: CertifiedShare
) -> ShareBounds | None:
    """The share of right things, from the share that a judge calls right and from what
    labels elsewhere say of the judge; None for a judge that tells nothing.

    The interval has both uncertainties: of the share, and of the two figures.

    Sources: Rogan and Gladen 1978; Lang and Reiczigel 2014 (the interval).
    """
    if sensitivity.value + specificity.value <= 1:
        return None
    value = (share + specificity.value - 1) / (
        sensitivity.value + specificity.value - 1
    )
    z2 = Z95 * Z95
    more = n + z2
    seen = (n * share + z2 / 2) / more
    of_right, of_wrong = sensitivity.of + 2, specificity.of + 2
    finds = (sensitivity.count + 1) / of_right
    spares = (specificity.count + 1) / of_wrong
    slope = finds + spares - 1
    if slope <= 0:
        return None
    middle = min(1.0, max(0.0, (seen + spares - 1) / slope))
    of_finds = finds * (1 - finds) / of_right
    of_spares = spares * (1 - spares) / of_wrong
    variance = (
        seen * (1 - seen) / more + middle**2 * of_finds + (1 - middle) ** 2 * of_spares
    ) / slope**2
    shift = 2 * z2 * (middle * of_finds - (1 - middle) * of_spares)
    half = Z95 * math.sqrt(variance)
    center = (seen + spares - 1) / slope + shift
    return ShareBounds(
        min(1.0, max(0.0, value)),
        min(1.0, max(0.0, center - half)),
        max(0.0, min(1.0, center + half)),
    )


def add_judges(
    report: BatchReport,
    kind: BatchKind,
    run: Run | Path,
    verdicts_of: Callable[[str], Verdicts | None],
    files: Sequence[Path] = (),
) -> None:
    """Adds to a report which of its judges are certified now, and the figures that the
    run's own labels correct, else those that the labels of a certificate do.

    `run`: or its folder. `files`: certificates beside the user's. Raises: BadInput.
    """
    folder = run if isinstance(run, Path) else run.path
    certificates = read_certificates(files)
    report.judges = judges_of(report, kind, folder, certificates)
    for name, measure in kind.measures.items():
        raw, judge = report.figures.get(name), report.judge_of(name)
        if not measure.correctable or raw is None or raw.value is None or not judge:
            continue
        found = None
        if (folder / LABELS).is_dir():
            read = read_run(run) if isinstance(run, Path) else run
            found = _by_labels(read, verdicts_of, kind.measures["accuracy"])
        if found is None and judge.certified:
            figures = next(
                certificate.figures
                for certificate in certificates
                if certificate.name == judge.certificate
            )
            found = _by_certificate(raw, figures)
        if found is not None:
            report.figures[CORRECTED + name] = found
            report.covered[CORRECTED + name] = report.covered.get(name, 0)


def _by_labels(
    run: Run, verdicts_of: Callable[[str], Verdicts | None], accuracy: Measure
) -> Aggregate | None:
    try:
        answers = read_answers(run, verdicts_of, accuracy)
    except NothingToHold:
        return None
    if answers.by != "people":
        return None
    rate = question_of_answers(answers).corrected
    if rate is None:
        return None
    n = rate.labels + rate.others
    return Aggregate(rate.value, rate.low, rate.high, n, None, rate.clusters)


def _by_certificate(
    raw: Aggregate, figures: Mapping[str, CertifiedShare]
) -> Aggregate | None:
    if raw.value is None or not {"sensitivity", "specificity"} <= figures.keys():
        return None
    n = min(raw.n, raw.clusters or raw.n)
    found = rogan_gladen(raw.value, n, figures["sensitivity"], figures["specificity"])
    if found is None:
        return None
    return Aggregate(
        found.value,
        found.low,
        found.high,
        raw.n,
        None,
        raw.clusters,
    )
