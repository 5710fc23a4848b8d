"""Batches of debates: lines, estimate, and the counts of one debate: disagreement and
answers by round, the winning side, and the number of rounds.

By round, a finished debate keeps its answer up to the limit of rounds; otherwise the
later figures would cover hard topics only. Its debaters keep theirs as well, and with
them the disagreement of the last round: the end of a debate does not make its sides
agree. Without `--stop forced` no answer is extracted before the end, so until then the
debate is undecided, which counts as wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from ...sessions.events import Event
from ...sessions.events.debate import DebateResult, Resample, Speech, Verdict
from ...sessions.session import Session
from ...texts import t
from ..batches.kind import BatchKind, StandIns
from ..batches.lines import LineNames
from ..batches.report import SummaryRow
from ..batches.topics import TopicLine, read_topics
from ..figures import by_round
from ..figures.by_round import OPPOSED, RoundAnswer, stands
from ..figures.common import LENIENT, answer_of, category_shares, rightness
from ..figures.measure import Item, Measure, MeasuredValue, right_if
from ..judges.flips import Verdict as AuditVerdict
from ..judges.items import AuditItem
from ..judges.seats import JudgingSeat, called, given, last
from ..models.port import Task
from ..models.tokens import estimate as tokens_of
from ..reports.batch import BatchReport, Breakdown
from ..reports.document import DataTable
from ..starting import Wishes
from ..step import Engine
from . import decisions, moves
from .engine import DEBATE_ENGINE
from .messages import (
    BaselineTask,
    Choose,
    JudgeAlone,
    ListCandidates,
    OppositionTask,
    Speak,
    VerdictTask,
)
from .plan import DEBATERS, breaks, debaters, setting, verdict_of
from .rounds import disagreement_by_round, mode_of, same

SPEECH = "This is a line of argument as long as such lines are on average. " * 15
"""About 245 tokens."""
REASON = "This is a reason. " * 12


class DebateStandIns(StandIns):
    """Debaters argue, and the judge decides or never does."""

    @property
    def typical(self) -> str:
        return t("report.estimate.speeches", tokens=tokens_of(SPEECH))

    def engine(self, session: Session) -> Engine:
        return DEBATE_ENGINE

    def ordinary(self, task: Task, *, decides: bool) -> str:
        match task:
            case ListCandidates():
                return '{"candidates": ["x", "y"]}'
            case OppositionTask():
                return json.dumps({"reason": REASON, "disagreement": 0.5})
            case BaselineTask(kind="translation"):
                return "x " * 30
            case BaselineTask() | Speak():
                said = "Translation" if task.kind == "translation" else "Answer"
                return f"{SPEECH}\n{said}: x"
        return _decision(task, REASON, decides=decides)

    def longest(self, task: Task, filled: str, *, decides: bool) -> str:
        match task:
            case ListCandidates():
                return json.dumps({"candidates": [filled, f"{filled}z"]})
            case VerdictTask() | Choose() | JudgeAlone():
                return _decision(task, filled, decides=False)
        return self.ordinary(task, decides=decides)


def _decision(task: Task, reason: str, *, decides: bool) -> str:
    """Return a judge's reply, with keys in the order that the prompt requests."""
    match task:
        case VerdictTask():
            said = {"preference": decides, "supported_side": task.sides[0]}
            return json.dumps(
                said | {"reason": reason, "answer": "x" if decides else ""}
            )
        case Choose():
            return json.dumps(
                {"reason": reason, "supported_side": task.sides[0], "answer": "x"}
            )
        case JudgeAlone():
            return json.dumps({"reason": reason, "answer": "x"})
    raise TypeError(type(task).__name__)


SIDES = (*DEBATERS, "tie", "none")


DECIDED_BY = ("discriminative", "extractive", "undecided")
SIDE_BY = ("judge", "match", "none")
SWAPPED = "-swapped"
"""How the id of a debate ends whose sides have exchanged their models."""


def measures() -> dict[str, Measure]:
    """All measures of a debate, by name."""
    listed = (
        Measure(
            "disagreement",
            "neither",
            _disagreement,
            low=0,
            high=1,
            by_round=True,
            subject="process",
            rule=OPPOSED,
        ),
        *by_round.measures(answers),
        Measure("rounds", "neither", _rounds, low=1, subject="process"),
        *map(_wins, SIDES),
        *category_shares("decided_by", DECIDED_BY, _decided_by),
        *category_shares("side_by", SIDE_BY, _side_by),
        Measure(
            "wins_judge_model",
            "neither",
            _wins_of_judge,
            True,
            0,
            1,
            subject="process",
        ),
        *_swaps(),
        Measure(
            "judge_agreement",
            "higher",
            _judge_agreement,
            low=0,
            high=1,
            subject="process",
        ),
        Measure("accuracy_resampled", "higher", _accuracy_resampled, low=0, high=1),
        *moves.measures(),
        *decisions.measures(),
    )
    return {measure.name: measure for measure in listed}


def tallies(session: Session) -> dict[str, dict[str, int]]:
    """Return how the debate was decided, and for which side."""
    result = session.result
    if not isinstance(result, DebateResult):
        return {}
    return {
        "decided_by": {result.decided_by: 1},
        "wins": {result.supported_side or "none": 1},
        "side_by": {result.side_by or "none": 1},
        **moves.tallies(session),
    }


def answers(session: Session) -> list[RoundAnswer]:
    """The answer after each round, up to the limit of rounds."""
    made = max(
        (event.round for event in session.events if isinstance(event, Speech)),
        default=0,
    )
    result = session.result
    ended = result.rounds if isinstance(result, DebateResult) else None
    found = []
    for number in range(1, max(made, setting(session, "rounds")) + 1):
        if ended is not None and isinstance(result, DebateResult) and number >= ended:
            found.append(stands(number, result.answer))
        elif number <= made:
            found.append(stands(number, _answer_after(session, number)))
        else:
            found.append(RoundAnswer(number, None, "failed"))
    return found


def _answer_after(session: Session, number: int) -> str | None:
    """Return the answer extracted after a round, or the answer with which the judge
    would have ended the debate.
    """
    ends = _ending(session, number)
    chosen = verdict_of(session, number, "extractive")
    if chosen is not None and chosen.answer:
        return chosen.answer
    if ends is not None:
        return ends.answer
    return None


def _ending(session: Session, number: int) -> Verdict | None:
    verdict = verdict_of(session, number, "discriminative")
    if setting(session, "stop") != "forced" and breaks(verdict):
        return verdict
    return None


def _disagreement(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """The mean over the completed rounds, then each round up to the limit.

    Nothing if disagreement is not measured.
    """
    if mode_of(session) == "none":
        return
    rounds = disagreement_by_round(session)
    known = [one.value for one in rounds if one.value is not None]
    if session.result is None:
        yield MeasuredValue(None, "failed")
    else:
        yield (
            MeasuredValue(sum(known) / len(known), "measured")
            if known
            else MeasuredValue(None, "unread")
        )
    held = [_of_round(each.value, each.round) for each in rounds]
    yield from held
    if held and session.result is not None:
        for number in range(rounds[-1].round + 1, setting(session, "rounds") + 1):
            yield held[-1]._replace(round=number)


def _of_round(value: float | None, number: int) -> MeasuredValue:
    return MeasuredValue(value, "unread" if value is None else "measured", number)


def _rounds(session: Session, item: Item) -> Iterator[MeasuredValue]:
    if isinstance(session.result, DebateResult):
        yield MeasuredValue(float(session.result.rounds), "measured")


def _side(session: Session) -> str | None:
    """Return the side that the result supports; None without a result."""
    result = session.result
    if not isinstance(result, DebateResult) or not debaters(session):
        return None
    return result.supported_side or "none"


def _wins(side: str) -> Measure:
    """Return whether the result supports this side, for debates that have the side."""

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        winner = _side(session)
        if winner is not None and side in (*debaters(session), "tie", "none"):
            yield right_if(winner == side)

    name = f"wins_{side}"
    return Measure(name, "neither", of, True, 0, 1, subject="process", judge=".side")


def _decided_by(session: Session) -> str | None:
    result = session.result
    if isinstance(result, DebateResult):
        return result.decided_by
    return None


def _side_by(session: Session) -> str | None:
    result = session.result
    if isinstance(result, DebateResult):
        return result.side_by or "none"
    return None


def _swaps() -> Iterator[Measure]:
    """For topics debated twice with the models of the sides exchanged, return how often
    both debates end alike.

    `swap_same_side`: the same side wins, whichever model it has, as with a judge that
    prefers a position. `swap_same_model`: the same model wins. Both are over pairs in
    which each debate has a winner. `swap_same_answer`: over pairs with two answers.
    """
    rules: dict[str, Callable[[MeasuredValue, MeasuredValue], bool]] = {
        "same_model": lambda first, second: first.value != second.value,
        "same_side": lambda first, second: first.value == second.value,
    }
    for name, rule in rules.items():
        yield Measure(
            f"swap_{name}",
            "neither",
            _winner,
            True,
            0,
            1,
            across=partial(_across_swaps, rule),
            subject="process",
        )
    yield Measure(
        "swap_same_answer",
        "neither",
        _given_answer,
        True,
        0,
        1,
        across=partial(_across_swaps, lambda one, two: same(one.text, two.text)),
        subject="process",
    )


def _winner(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """Return the index of the winning side among the first two; no value if neither
    wins.
    """
    side = _side(session)
    if side is not None:
        wins = side in DEBATERS[:2]
        place = float(DEBATERS.index(side)) if wins else None
        yield MeasuredValue(place, "measured" if wins else "undecided")


def _given_answer(session: Session, item: Item) -> Iterator[MeasuredValue]:
    answer = answer_of(session)
    if answer.text is None:
        yield MeasuredValue(None, answer.missing or "undecided")
    else:
        yield MeasuredValue(1.0, "measured", text=answer.text)


def _across_swaps(
    rule: Callable[[MeasuredValue, MeasuredValue], bool],
    items: Sequence[tuple[Item, MeasuredValue]],
) -> list[tuple[Item, MeasuredValue]]:
    """Return, for each swapped debate, whether it ended like the one before."""
    by_id = {item.id: measured for item, measured in items}
    pairs = []
    for item, second in items:
        first = by_id.get(item.id.removesuffix(SWAPPED))
        if not item.id.endswith(SWAPPED) or first is None:
            continue
        if first.value is None or second.value is None:
            state = first.state if first.value is None else second.state
            pairs.append((item, MeasuredValue(None, state)))
        else:
            pairs.append((item, right_if(rule(first, second))))
    return pairs


def _wins_of_judge(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """Return whether the winning side has the judge's own model, or that of a member of
    its panel. Nothing is returned if all debaters have it, or none, or no side is
    supported.
    """
    result = session.result
    seats = dict(session.seated((*debaters(session), "judge")))
    judge = seats.pop("judge", None)
    own = (
        {(member.name, member.model) for member in judge.members}
        if judge is not None
        else set()
    )
    same = {role for role, seat in seats.items() if (seat.name, seat.model) in own}
    if (
        same
        and len(same) < len(seats)
        and isinstance(result, DebateResult)
        and result.supported_side in seats
    ):
        yield right_if(result.supported_side in same)


def _judge_agreement(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """Return the share of the judge's further decisions with the answer of the
    first.
    """
    again = (
        session.result.resampled if isinstance(session.result, DebateResult) else None
    )
    if again is not None:
        yield MeasuredValue((again.same_answer - 1) / (again.asked - 1), "measured")


def _accuracy_resampled(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """Return the share of all the judge's decisions that are right. A decision without
    an answer is not.
    """
    right = rightness(item)
    further = [event.answer for event in session.events if isinstance(event, Resample)]
    if right is not None and further and isinstance(session.result, DebateResult):
        told = [
            answer is not None and right(answer)
            for answer in (session.result.answer, *further)
        ]
        yield MeasuredValue(sum(told) / len(told), "measured")


@dataclass(frozen=True)
class Twin(TopicLine):
    """A topic debated again, with the models of the two sides exchanged."""

    stored_as: ClassVar[str] = "Twin"
    of: str = ""
    """The id of the other."""


class DebateBatch(BatchKind):
    """One debate per topic; with `swap`, two in one cluster."""

    many = "debates"
    line_types = (TopicLine, Twin)
    judged_by = ("judge",)
    verdict = "side"
    quiet = (*LENIENT, *moves.BY_SIDE)
    stand_ins = DebateStandIns()
    own = staticmethod(measures)
    tallies = staticmethod(tallies)

    def breakdown(self, rows: Sequence[SummaryRow]) -> Breakdown:
        """Return how often answers changed from right to wrong and back."""
        measured = [
            (row.item.cluster, row.measured)
            for row in rows
            if row.ended and row.item is not None
        ]
        return Breakdown(flips=moves.breakdown(measured))

    def tables(self, report: BatchReport) -> list[DataTable]:
        return [
            *decisions.tables(report.figures),
            *moves.tables(report.breakdown.flips, report.tallies),
        ]

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[list[TopicLine], list[str]]:
        names = LineNames()
        return [
            names.take(each)
            for topic in read_topics(path, wishes, left_out)
            for each in _debates(topic)
        ], []


def _debates(topic: TopicLine) -> Iterator[TopicLine]:
    """Return the debates of one line, with `swap` also its twin."""
    options = dict(topic.wishes.options)
    if not options.pop("swap", False):
        yield topic
        return
    plain = replace(
        topic,
        wishes=replace(topic.wishes, options=options),
        named_cluster=topic.cluster,
    )
    yield plain
    swapped = {**options, "swapped": not options.get("swapped", False)}
    told = {field.name: getattr(plain, field.name) for field in fields(plain)}
    yield Twin(
        **{
            **told,
            "id": topic.id + SWAPPED,
            "wishes": replace(topic.wishes, options=swapped),
        },
        of=topic.id,
    )


def _topic(item: AuditItem) -> dict[str, object]:
    return {"topic": item.fields["topic"]}


def _speeches(item: AuditItem) -> list[Event]:
    answers = item.fields.get("answers") or (None, None)
    return [
        Speech(
            **given(),
            role=one["role"],
            text=one["text"],
            round=1,
            answer=answer,
        )
        for one, answer in zip(item.fields["speeches"], answers, strict=False)
    ]


def _sided(item: AuditItem, session: Session) -> AuditVerdict:
    """Right if the right side wins."""
    verdict, result = last(session, Verdict), last(session, DebateResult)
    if verdict is None or verdict.unreadable:
        return "unread"
    side = verdict.supported_side if result is None else result.supported_side
    if side in (None, "tie"):
        return "undecided"
    return called(side == item.fields["correct_side"])


def _chose(session: Session) -> bool | None:
    """Return whether the named side has the answer; None if all sides have the same
    answer, or none.
    """
    said = {
        event.role: event.answer
        for event in session.events
        if isinstance(event, Speech)
    }
    answers = [one for one in said.values() if one is not None]
    result = session.result
    if all(same(answers[0], answer) for answer in answers[1:]):
        return None
    return isinstance(result, DebateResult) and result.side_by == "judge"


def _planted(item: AuditItem, good: bool) -> dict[str, object]:
    negative = item.fields["correct_side"] == "affirmative"
    side = "negative" if negative else "affirmative"
    return {"preference": True, "supported_side": side}


SEATS = {
    "judge": JudgingSeat(
        "judge",
        "debate",
        "topics",
        _topic,
        _sided,
        _planted,
        {"rounds": 1},
        ("human",),
        _speeches,
        chose=_chose,
        certifies="side",
    )
}


BATCHES: dict[str, BatchKind] = {"topics": DebateBatch()}
