"""Whether debates paid off against their model alone: one answer, and self-consistency
at equal tokens, over the same items.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...sessions.errors import bad_input
from ...sessions.session import Seat, Session, Totals
from ...texts import t
from ..batches.topics import TopicLine
from ..figures.compare import CompareOptions, compare
from ..figures.difference import Difference
from ..figures.measure import Measure
from ..figures.runs import Run, RunItem
from ..figures.wording import NOTHING
from ..reports.document import Cell, DataTable, number_column, text_column
from ..starting import wishes
from .plan import debaters

BESIDE: Mapping[str, str] = {"single": "cot", "sc": "sc"}
"""What runs beside debates, by the end of its folder's name, and its strategy."""


def solo_lines(run: Run, beside: str, address: str | None) -> list[TopicLine]:
    """A line for every debate of a run that has ended or failed, of the model of its
    first debater; `sc` with the debate's tokens, input and output, as its budget.

    `address`: of a server without a name in config.yaml. Raises: BadInput.
    """
    return [
        _line(case, beside, address)
        for case in run.cases.values()
        if case.status in ("done", "failed")
    ]


def _line(case: RunItem, beside: str, address: str | None) -> TopicLine:
    session = case.session
    task, seat = session.header.task, session.header.lineup[debaters(session)[0]]
    if seat.model == "human":
        raise bad_input("wrong.beside.person")
    if task.get("kind") == "translation":
        raise bad_input("wrong.beside.translation", id=case.item.id)
    options: dict[str, Any] = {
        "strategy": BESIDE[beside],
        "model": [f"solver={address or seat.called}"],
        "param": [*_params(seat, beside)],
        "prompts": session.header.prompts.set,
    }
    if beside == "sc":
        tokens = session.totals().tokens
        if tokens is None:
            raise bad_input("wrong.beside.tokens", id=case.item.id)
        options["token_budget"] = max(1, tokens)
    return TopicLine(
        case.item.id,
        tuple(task.get("answers") or ()),
        case.item.id,
        str(task["topic"]),
        wishes("solo", options),
        "question",
        "",
        tuple(task.get("wrong_answers") or ()),
        named_cluster=case.item.cluster,
    )


def _params(seat: Seat, beside: str) -> Iterator[str]:
    """Yield the seat's parameters. `sc` omits the temperature, because samples at the
    temperature of debaters would all be equal.
    """
    for name, value in seat.params.items():
        if not (beside == "sc" and name == "temperature"):
            yield f"solver.{name}={json.dumps(value)}"


class Payoff(NamedTuple):
    """Debates compared with their model alone."""

    difference: Difference
    """Debate minus the other, of the accuracy."""
    tokens: tuple[int | None, int | None]
    """Of all sessions that are compared: the debates', the others'."""
    cost: tuple[float | None, float | None]
    """In US dollars; None: unknown."""
    estimated: bool
    """Whether any of the tokens are estimates."""

    @property
    def times(self) -> float | None:
        """Return the tokens of the debates as a multiple of the others'."""
        ours, theirs = self.tokens
        return ours / theirs if ours and theirs else None

    def as_json(self) -> dict[str, object]:
        """Return the object, with the difference in the form of `compare`."""
        return {
            "difference": self.difference.as_json(),
            "tokens": list(self.tokens),
            "usd": list(self.cost),
            "times": self.times,
            "estimated": self.estimated,
        }


def payoff(debates: Run, other: Run, measure: Measure) -> Payoff | None:
    """Compare debates with a run over the same items; None if no right answer is known.

    Raises: BadInput if no item is finished in both.
    """
    wanted = CompareOptions((measure.name,), different=True)
    found = compare([other, debates], {measure.name: measure}, wanted).versus[0]
    if not found.differences:
        return None
    ours, theirs = (
        _totals(run.cases[id_].session for id_ in found.paired.ids)
        for run in (debates, other)
    )
    return Payoff(
        found.differences[0],
        (ours.tokens, theirs.tokens),
        (ours.cost, theirs.cost),
        ours.estimated or theirs.estimated,
    )


def _totals(sessions: Iterator[Session]) -> Totals:
    found = Totals()
    for session in sessions:
        found.add(session.totals())
    return found


def table(found: Mapping[str, Payoff]) -> DataTable:
    """Return debates compared with their model alone, with the verdict at equal
    tokens.
    """
    columns = [
        text_column("report.beside.what", "what"),
        number_column("report.decisions.right", "right"),
        number_column("report.decisions.gain", "gain"),
        number_column("report.beside.tokens", "tokens"),
        number_column("report.beside.times", "times"),
        number_column("report.beside.usd", "usd"),
    ]
    first = next(iter(found.values()))
    rows = [_row("debate", first.difference.b.value, None, first, 0)]
    rows += [
        _row(name, one.difference.a.value, one, one, 1) for name, one in found.items()
    ]
    notes = [verdict(found), t("report.beside.note", n=first.difference.n)]
    if any(one.estimated for one in found.values()):
        notes.append(t("report.beside.estimated"))
    return DataTable(t("report.beside.title"), columns, rows, notes)


def _row(
    name: str, right: float | None, gain: Payoff | None, of: Payoff, side: int
) -> Sequence[Cell | str]:
    tokens, usd = of.tokens[side], of.cost[side]
    times = None if gain is None else gain.times
    return [
        t(f"report.beside.{name}"),
        _number(right and 100 * right, ".1f"),
        Cell("") if gain is None else _gain(gain.difference),
        _number(tokens, ",d"),
        Cell("") if gain is None else _number(times, ".1f"),
        _number(usd, ".4f"),
    ]


def _gain(difference: Difference) -> Cell:
    value, low, high = difference.difference[:3]
    between = (
        f"[{100 * low:+.1f}, {100 * high:+.1f}]"
        if low is not None and high is not None
        else ""
    )
    points = _number(value and 100 * value, "+.1f").text
    return Cell(points, value, low, high, between)


def _number(value: float | None, form: str) -> Cell:
    return Cell(NOTHING) if value is None else Cell(f"{value:{form}}", value)


def verdict(found: Mapping[str, Payoff]) -> str:
    """Return whether debates pay off against self-consistency at equal tokens. The
    tokens are a multiple of those of one answer.
    """
    value = found["sc"].difference.difference.value
    words = {"better": "pays", "worse": "costs", "same": "same"}
    name = words.get(found["sc"].difference.verdict or "", "unclear")
    single = found.get("single")
    times = None if single is None else single.times
    return t(
        f"report.beside.{name}",
        points=NOTHING if value is None else f"{100 * value:+.1f}",
        times="?" if times is None else f"{times:.1f}",
    )
