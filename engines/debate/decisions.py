"""What the debate would have decided under other rules than its judge's, and whether
the debate paid off. Computed from the speeches, without a call.

- `opening`: the debate's first answer, which is one answer without a debate.
- `majority`: the latest answers of the debaters, one vote each.
- `trajectory`: scores over all rounds, as in Free-MAD (Cui et al. 2025, arXiv
  2509.11035): an answer gains when it is stated, kept or taken up, and loses when it is
  given up, less from round to round.

A tie is no answer, and counts as wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ...sessions.events.debate import Baseline, Speech
from ...sessions.session import Session
from ...texts import t
from ..figures.aggregate import Aggregate
from ..figures.common import answer_of, rightness
from ..figures.measure import Item, Measure, MeasuredValue, right_if
from ..reports.document import Cell, DataTable, number_column, text_column
from .rounds import same

STATED, LOST, TAKEN_UP, KEPT = 20.0, -25.0, 30.0, 20.0
"""Free-MAD's weights."""

Scores = list[tuple[str, float]]


def _add(scores: Scores, answer: str, value: float) -> None:
    """Add to the score of an answer; answers that say the same are one."""
    for at, (known, before) in enumerate(scores):
        if same(known, answer):
            scores[at] = (known, before + value)
            return
    scores.append((answer, value))


def _best(scores: Scores) -> str | None:
    """Return the answer with the highest score; None without one, or if several have
    it.
    """
    highest = max((value for _, value in scores), default=0.0)
    best = [answer for answer, value in scores if value == highest]
    return best[0] if len(best) == 1 else None


def first(session: Session) -> str | None:
    """Return the first answer of the debate."""
    made = (one for one in session.events if isinstance(one, Baseline | Speech))
    one = next(made, None)
    return one.answer if one is not None else None


def majority(session: Session) -> str | None:
    """Return the answer of most debaters, using the latest readable answer of each."""
    latest = {one.role: one.answer for one in _stated(session)}
    scores: Scores = []
    for answer in latest.values():
        _add(scores, str(answer), 1)
    return _best(scores)


def trajectory(session: Session) -> str | None:
    """Return the answer with the highest score over all rounds."""
    latest: dict[str, str] = {}
    scores: Scores = []
    for speech in _stated(session):
        answer, before = str(speech.answer), latest.get(speech.role)
        weight = STATED if before is None else TAKEN_UP
        if before is not None and same(before, answer):
            weight = KEPT
        elif before is not None:
            _add(scores, before, LOST / speech.round)
        _add(scores, answer, weight / speech.round)
        latest[speech.role] = answer
    return _best(scores)


def _stated(session: Session) -> Iterator[Speech]:
    for event in session.events:
        if isinstance(event, Speech) and event.answer is not None:
            yield event


RULES: dict[str, Callable[[Session], str | None]] = {
    "opening": first,
    "majority": majority,
    "trajectory": trajectory,
}


def measures() -> Iterator[Measure]:
    """Return, for each rule, how often it is right, and what the debate's own result
    adds.
    """
    for name, rule in RULES.items():
        yield Measure(
            f"accuracy_{name}", "higher", _right(rule), True, 0, 1, tested=False
        )
    for name, rule in RULES.items():
        yield Measure(
            f"gain_{name}", "higher", _gain(rule), low=-1, high=1, tested=False
        )


def _right(
    rule: Callable[[Session], str | None],
) -> Callable[..., Iterator[MeasuredValue]]:
    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        right = rightness(item)
        if right is None or next(_stated(session), None) is None:
            return
        answer = rule(session)
        yield right_if(
            answer is not None and right(answer),
            "undecided" if answer is None else "wrong",
        )

    return of


def _gain(
    rule: Callable[[Session], str | None],
) -> Callable[..., Iterator[MeasuredValue]]:
    """Return for each ended debate: 1 if only the result is right, -1 if only the rule
    is.
    """
    by_rule = _right(rule)

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        right = rightness(item)
        for one in by_rule(session, item):
            if right is not None and one.value is not None and session.result:
                answer = answer_of(session).text
                ended = float(answer is not None and right(answer))
                yield MeasuredValue(ended - one.value, "measured")

    return of


def tables(figures: Mapping[str, Aggregate]) -> list[DataTable]:
    """Return the rules compared with the result of the debate, and whether the debate
    paid off.
    """
    rows: list[list[Cell | str]] = [
        [
            t(f"report.decisions.{name}"),
            _cell(figures[f"accuracy_{name}"]),
            _cell(figures[f"gain_{name}"], "+.1f"),
        ]
        for name in RULES
        if f"accuracy_{name}" in figures and f"gain_{name}" in figures
    ]
    if not rows:
        return []
    columns = [
        text_column("report.decisions.rule", "rule"),
        number_column("report.decisions.right", "right"),
        number_column("report.decisions.gain", "gain"),
    ]
    if "accuracy" in figures:
        rows.append([t("report.decisions.result"), _cell(figures["accuracy"]), ""])
    notes = [*_verdict(figures), t("report.decisions.note")]
    return [DataTable(t("report.decisions.title"), columns, rows, notes)]


def _cell(figure: Aggregate, form: str = ".1f") -> Cell:
    """In points, with its interval."""
    if figure.value is None:
        return Cell("–")
    low, high = figure.low, figure.high
    between = (
        f"[{100 * low:{form}}, {100 * high:{form}}]"
        if low is not None and high is not None
        else ""
    )
    return Cell(f"{100 * figure.value:{form}}", figure.value, low, high, between)


def _verdict(figures: Mapping[str, Aggregate]) -> Sequence[str]:
    """Return whether the debate paid off against its own first answer."""
    gain, times = figures.get("gain_opening"), figures.get("times_one_answer")
    if gain is None or gain.value is None:
        return []
    known = gain.low is not None and gain.high is not None
    name = "unclear"
    if known and (gain.low or 0) > 0:
        name = "pays"
    elif known and (gain.high or 0) < 0:
        name = "costs"
    tokens = times.value if times is not None else None
    return [
        t(
            f"report.decisions.{name}",
            points=f"{100 * gain.value:+.1f}",
            times="?" if tokens is None else f"{tokens:.1f}",
        )
    ]
