"""An audit: items × probes, each a session in which the judge's turn is next; its
folder is that of a batch.

Requests depend on the items only, so the same call continues after any interruption and
finds earlier requests again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from ...sessions.clean import json_line
from ...sessions.errors import BadInput
from ...sessions.events import ReplyEvent
from ...sessions.files import AUDITED, REPORT, file_of, write_whole
from ...sessions.journal import readable_session
from ...sessions.new import timestamp
from ...texts import t
from ..batches.batch import Player
from ..batches.equivalence import Equivalence
from ..batches.lines import BatchLine
from ..figures.certificates import AGAIN as AGAIN_FILE
from ..figures.certificates import again_of
from ..figures.judge.answers import EQUIVALENCE, judge_seat, read_answers
from ..figures.measure import without_verdict
from ..models.config import Config
from ..models.seating import seat_for
from ..reports.audit import audit_document, probe_name
from ..reports.document import ReportDocument, ReportItem
from ..starting import Wishes, wishes
from .flips import (
    PLACEBO,
    ProbeOutcome,
    ProbeResult,
    Verdict,
    audit_verdict,
    has_flipped,
    judge_probes,
)
from .item_judge import ItemJudge
from .items import (
    BUNDLED,
    SEATS,
    AuditItem,
    Seat,
    bundled,
    digest_of,
    items_text,
    read_items,
)
from .probes import NAMES, ProbedItem, probed
from .seats import GIVEN, JudgingSeat, called

FORMAT = "verifytui-audit/1"
LINES = "audit.jsonl"
"""What was asked, a line each, in the form of the method's batches, and the verdict."""
ITEMS = "items.jsonl"
PLAIN = "plain"
AGAIN = "again"
"""The form of the anchor items that are asked again."""
CHANGES = {"biased": "changed", "clean": "same", "unclear": "unclear"}
ANCHORS = 50
"""Items that are asked again."""


class AuditLine(NamedTuple):
    """One session of an audit."""

    id: str
    item: AuditItem
    """As it is shown."""
    probe: str
    options: Mapping[str, Any]

    def told(self, verdicts: Mapping[tuple[str, str], Verdict]) -> dict[str, Any]:
        """Facts stored with it once it is answered."""
        item, probe = self.item.id, self.probe
        return {"item": item, "probe": probe, "verdict": verdicts.get((item, probe))}


@dataclass(frozen=True)
class AuditPlan:
    """What is asked of whom."""

    seat: Seat
    judge: str
    """The model, as it was named."""
    items: Sequence[AuditItem]
    source: Path
    """The file of the items."""
    probes: Sequence[str]
    way: JudgingSeat
    """How the seat is asked."""
    method: Player
    """The method of its sessions."""
    again: int = 0
    """Which repetition of the anchor items it is, from 1; 0: the audit itself."""

    @property
    def forms(self) -> Sequence[str]:
        """The forms in which each item is asked."""
        return (PLAIN,) if self.again else (PLAIN, PLACEBO, *self.probes)

    @property
    def wishes(self) -> Wishes:
        """The wishes for its sessions. Raises: BadInput."""
        way, seated = self.way, {}
        if way.verdict is not None:
            seated["model"] = [*way.others, f"{way.role}={self.judge}"]
        return wishes(way.method, {**way.settings, **seated})

    def outside(self, config: Config) -> Equivalence | None:
        """The judge, where it has no turn in a session. Raises: BadInput."""
        if self.way.verdict is not None:
            return None
        if self.way.about == "same":
            return Equivalence.of(self.judge, config)
        shown = {line.id: line.item for line in self.lines()}
        seat = judge_seat(seat_for(self.judge, config), "wrong.judged.builtin")
        return ItemJudge(seat, config, self.way.about, shown)

    @property
    def told(self) -> dict[str, Any]:
        """Facts that identify the folder, in addition to the wishes."""
        return {
            "audit": self.seat,
            "judge": self.judge,
            "items": [item.id for item in self.items],
            "digest": digest_of(self.source),
            "probes": list(self.probes),
        }

    def lines(self) -> Iterator[AuditLine]:
        """All sessions, item by item: as it is, again, and under each probe that
        says something of it.
        """
        for item in self.items:
            for probe in self.forms:
                shown = (
                    ProbedItem(item)
                    if probe == PLAIN
                    else probed(item, probe, self.judge, self.way.planted)
                )
                if shown is not None:
                    options = self.way.options(item, shown)
                    yield AuditLine(f"{item.id}.{probe}", shown.item, probe, options)

    def read(self) -> list[BatchLine]:
        """The lines of the batch. Raises: BadInput."""
        made = {line.id: line for line in self.lines()}
        with TemporaryDirectory() as folder:
            path = Path(folder) / AUDITED
            path.write_text(self.text(), "utf-8")
            kind = self.method.batches[self.way.many]
            lines, _ = kind.read(path, self.wishes)
        return [
            replace(
                line,
                where=line.id,
                recorded=tuple(self.way.recorded(made[line.id].item)),
            )
            for line in lines
        ]

    def text(self, verdicts: Mapping[tuple[str, str], Verdict] | None = None) -> str:
        """The lines as the method's batches read them. `verdicts`: item and form to the
        facts stored with it.
        """
        return "".join(
            json_line(
                {
                    "id": line.id,
                    "cluster": line.item.cluster,
                    **self.way.line(line.item),
                    **line.options,
                    **({} if verdicts is None else line.told(verdicts)),
                }
            )
            for line in self.lines()
        )

    def repeats(self) -> dict[str, int]:
        """Line to repeat number: the placebo and repeated items are requested again,
        even if the cache has a reply.
        """
        later = self.again + 1 if self.again else 0
        return {line.id: later or int(line.probe == PLACEBO) for line in self.lines()}


def plan_of(
    judge: str,
    seats: Mapping[str, JudgingSeat],
    methods: Callable[[str], Player],
    items: Path | None = None,
    only: Sequence[str] = (),
    take: int | None = None,
) -> AuditPlan:
    """The plan of an audit. `judge`: `ROLE=MODEL`. `only`: the probes; none named: all.
    `take`: this many items, the first ones. Raises: BadInput.
    """
    role, equals, model = judge.partition("=")
    if not equals or role not in seats or not model.strip():
        names = ", ".join(one for one in SEATS if one in seats)
        raise BadInput(t("wrong.audit.judge", names=names))
    unknown = [name for name in only if name not in NAMES]
    if unknown:
        names = ", ".join(NAMES)
        raise BadInput(t("wrong.audit.no_probe", name=unknown[0], names=names))
    seat: Seat = role  # type: ignore[assignment]
    source = items or bundled(seat)
    found = read_items(source, seat)
    wanted = tuple(f"{name}_" for name in only)
    probes = [one for one in NAMES if not only or f"{one}_".startswith(wanted)]
    way = seats[seat]
    player = methods(way.method)
    return AuditPlan(seat, model, found[:take], source, probes, way, player)


def plan_in(
    folder: Path,
    seats: Mapping[str, JudgingSeat],
    methods: Callable[[str], Player],
) -> AuditPlan:
    """The plan of the audit that a folder holds. Raises: BadInput."""
    try:
        report = json.loads((folder / REPORT).read_text("utf-8"))
        about, probes = report["audit"], [one["probe"] for one in report["probes"]]
        judge, take = f"{about['seat']}={about['judge']}", about["items"]
    except (OSError, ValueError, LookupError, TypeError):
        raise BadInput(t("wrong.certify.no_audit", path=folder / REPORT)) from None
    plan = plan_of(judge, seats, methods, folder / ITEMS, probes, take)
    return replace(plan, probes=[probe for probe in plan.probes if probe in probes])


# -------------------------------------------------------------------- results


class AuditedLine(NamedTuple):
    """A line that the judge has answered."""

    verdict: Verdict
    models: Sequence[str]
    endpoints: Sequence[object]
    fingerprints: Sequence[object]
    prompts: str = ""
    """The digest of those of a judge that has no turn in the session."""


@dataclass(frozen=True)
class AuditResult:
    """What an audit came to."""

    plan: AuditPlan
    probes: Sequence[ProbeResult]
    outcomes: Sequence[ProbeOutcome]
    said: Mapping[tuple[str, str], Verdict]
    """Item and form to verdict."""
    right: int
    """Items on which the judge says, without a probe, what a fair one must say."""
    asked: int
    """Items that it was asked of, without a probe."""
    missing: int
    """Sessions that are not finished."""
    models: Sequence[str]
    """The ids that answered."""
    endpoints: Sequence[str]
    fingerprints: Sequence[str]
    prompts: Sequence[str]
    labels: Sequence[tuple[str, str, bool, Verdict, str]]
    """Of each item its id, cluster, truth, verdict without a probe, and content."""

    @property
    def verdict(self) -> str:
        """`biased`, `clean` or `unclear`; an audit that is not finished is unclear."""
        found = audit_verdict(self.probes)
        return "unclear" if self.missing and found == "clean" else found

    def as_json(self) -> dict[str, Any]:
        """As in report.json."""
        return {
            "format": FORMAT,
            "seat": self.plan.seat,
            "role": self.plan.way.role,
            "judge": self.plan.judge,
            "method": self.plan.way.method,
            "models": list(self.models),
            "endpoints": list(self.endpoints),
            "fingerprints": list(self.fingerprints),
            "prompts": list(self.prompts),
            "items": len(self.plan.items),
            "digest": digest_of(self.plan.source),
            "languages": sorted({item.language for item in self.plan.items}),
            "right": self.right,
            "asked": self.asked,
            "missing": self.missing,
            "verdict": self.verdict,
        }


def probe_json(probe_result: ProbeResult) -> dict[str, object]:
    """One probe as programs read it."""
    beyond = None if probe_result.beyond is None else probe_result.beyond._asdict()
    needed = {} if probe_result.needed is None else {"needed": probe_result.needed}
    found = {**probe_result._asdict(), "beyond": beyond}
    found.pop("needed")
    return {**found, **needed}


def result_of(plan: AuditPlan, folder: Path) -> AuditResult:
    """What the sessions in a folder came to. Raises: BadInput."""
    verdicts: dict[tuple[str, str], Verdict] = {}
    missing = 0
    answered: list[AuditedLine] = []
    for line, one in _answered(plan, folder):
        if isinstance(one, AuditedLine):
            verdicts[line.item.id, line.probe] = one.verdict
            answered.append(one)
        else:
            missing += one == "missing"
    outcomes, right, labels = [], 0, []
    for item in plan.items:
        plain = verdicts.get((item.id, PLAIN))
        if plain is None:
            continue
        right += plain == called(item.right)
        content = hashlib.sha256(item.content.encode()).hexdigest()
        labels.append((item.id, item.cluster, item.right, plain, content))
        told = (item.id, item.cluster, item.language)
        outcomes += [
            ProbeOutcome(*told, name, plain, verdicts[item.id, name])
            for name in plan.forms[1:]
            if (item.id, name) in verdicts
        ]
    outcomes.sort(key=lambda outcome: plan.forms.index(outcome.probe))
    return AuditResult(
        plan,
        judge_probes(outcomes),
        outcomes,
        verdicts,
        right,
        len(labels),
        missing,
        _names(name for one in answered for name in one.models),
        _names(name for one in answered for name in one.endpoints),
        _names(name for one in answered for name in one.fingerprints),
        _names(one.prompts for one in answered),
        labels,
    )


def _answered(
    plan: AuditPlan, folder: Path
) -> Iterator[tuple[AuditLine, AuditedLine | Literal["missing", "settled"]]]:
    """Each line, and the judge's verdict; `settled`: a rule accepted the answer, so the
    judge was not called.
    """
    told = [] if plan.way.verdict is not None else read_answers(folder / EQUIVALENCE)
    compared = {one.item or one.id: one for one in told if one.of == "answers"}
    for line in plan.lines():
        session = readable_session(folder / file_of(line.id))
        if session is None or session.result is None:
            yield line, "missing"
        elif plan.way.verdict is not None:
            said = [
                event
                for event in session.events
                if isinstance(event, ReplyEvent)
                and event.role == plan.way.role
                and event.model != GIVEN
            ]
            yield (
                line,
                AuditedLine(
                    plan.way.verdict(line.item, session),
                    [one.model for one in said],
                    [one.endpoint for one in said],
                    [one.fingerprint for one in said],
                ),
            )
        elif line.id not in compared:
            yield line, "settled"
        elif compared[line.id].error is not None:
            yield line, "missing"
        else:
            answer = compared[line.id]
            verdict: Verdict = without_verdict([answer.event])
            if answer.value is not None:
                accepted = plan.way.accepts(line.item, answer.value)
                verdict = "undecided" if accepted is None else called(accepted)
            yield line, AuditedLine(verdict, [answer.model], [], [], answer.prompts)


def keep(result: AuditResult, folder: Path) -> None:
    """Adds the result to report.json, beside the figures of the batch, and writes what
    was asked. Only the user's own items are labels of people.

    Raises: BadInput, WriteError.
    """
    own = result.plan.source.parent != BUNDLED
    path = folder / REPORT
    report = json.loads(path.read_text("utf-8"))
    report |= {
        "audit": result.as_json(),
        "models": list(result.models),
        "date": timestamp(),
        "probes": list(map(probe_json, result.probes)),
        "labels": {"file": result.plan.source.name, "of": result.labels if own else []},
    }
    write_whole(path, json.dumps(report, ensure_ascii=False, indent=1) + "\n")
    write_whole(folder / LINES, result.plan.text(result.said))
    write_whole(folder / ITEMS, items_text(result.plan.source, result.plan.seat))


def ask_again(plan: AuditPlan, folder: Path) -> tuple[AuditPlan, Path]:
    """The anchor items of an audit, to be asked once more, and the folder for that:
    that of a repetition which is not finished, else a new one.
    """
    n, many = len(again_of(folder)) + 1, len(plan.items)
    some = min(ANCHORS, many)
    anchors = [plan.items[place * many // some] for place in range(some)]
    return replace(plan, items=anchors, again=n), folder / f"again-{n}"


def keep_again(plan: AuditPlan, folder: Path, into: Path) -> dict[str, object] | None:
    """Compares the anchor items asked again `into` a folder with what was said in the
    audit, and writes that beside it; None: some are not answered yet.

    If the model is as it was, it gives another verdict as often as for the placebo.

    Raises: BadInput, WriteError.
    """
    now, repeated = result_of(plan, into), again_of(folder)
    if now.missing or len(repeated) >= plan.again:
        return None if now.missing else repeated[plan.again - 1]
    before = result_of(replace(plan, again=0, probes=()), folder)
    outcomes = list(before.outcomes)
    outcomes += [
        outcome._replace(probe=AGAIN, probed=now.said[outcome.item, PLAIN])
        for outcome in before.outcomes
        if (outcome.item, PLAIN) in now.said
    ]
    if len(outcomes) == len(before.outcomes):
        raise BadInput(t("wrong.certify.no_audit", path=folder / REPORT))
    [found] = judge_probes(outcomes)
    said = probe_json(found) | {
        "verdict": CHANGES[found.verdict],
        "date": timestamp(),
        "folder": into.name,
        "models": list(now.models),
        "fingerprints": list(now.fingerprints),
    }
    text = "".join(map(json_line, [*repeated, said]))
    write_whole(folder / AGAIN_FILE, text)
    return said


def _names(found: Iterator[Any]) -> list[str]:
    return list(dict.fromkeys(one for one in found if isinstance(one, str) and one))


def document_of(
    result: AuditResult,
    title: str,
    context: Sequence[str] = (),
    *,
    listed: bool = True,
) -> ReportDocument:
    """The report for people. `listed`: with the items whose verdict a probe changed."""
    probes = list(map(probe_json, result.probes))
    changed = list(_changed(result)) if listed else None
    return audit_document(result.as_json(), probes, title, context, changed)


def _changed(result: AuditResult) -> Iterator[ReportItem]:
    for outcome in result.outcomes:
        flipped = has_flipped(outcome.probe, outcome.plain, outcome.probed)
        if outcome.probe == PLACEBO or not flipped:
            continue
        name = probe_name(outcome.probe)
        links = [
            (PLAIN, file_of(f"{outcome.item}.{PLAIN}")),
            (name, file_of(f"{outcome.item}.{outcome.probe}")),
        ]
        said = [t(f"report.audit.said_{verdict}") for verdict in outcome[4:6]]
        facts = list(zip((t("report.audit.without"), name), said, strict=True))
        yield ReportItem(outcome.item, name, facts=facts, links=links)
