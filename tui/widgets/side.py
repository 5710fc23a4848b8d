"""Line-up, settings, disagreement and cost: a column at the side, or one line under the topic."""

from __future__ import annotations

import msgspec
from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from ...engines.debate.plan import setting
from ...sessions.events import Disagreement
from ...sessions.session import Seat, Session, Totals
from .. import words
from ..fitting import fit
from ..texts import t


class Facts(msgspec.Struct, kw_only=True):
    """What the side shows of a debate."""

    lineup: list[tuple[str, Seat]]
    level: int
    round: int
    rounds: int
    stop: str
    disagreement: Disagreement
    spent: list[tuple[str, str]]
    speaking: str | None = None
    """The role whose turn it is."""


def facts(view: Session, roles: list[str], now: int, speaking: str | None, disagreement: Disagreement, totals: Totals) -> Facts:
    return Facts(
        lineup=view.seated(roles),
        level=setting(view, "level"),
        round=now,
        rounds=setting(view, "rounds"),
        stop=setting(view, "stop"),
        disagreement=disagreement,
        spent=words.spent(totals),
        speaking=speaking,
    )


def _section(title: str) -> tuple[str, str]:
    return (title + "\n", "bold $quiet")


def _bar(value: float) -> str:
    """Four cells of a bar, 0 to 1."""
    full = round(value * 4)
    return "━" * full + "─" * (4 - full)


class Side(Static):
    """The column."""

    def __init__(self) -> None:
        super().__init__(id="side")
        self._told: Facts | None = None

    def tell(self, facts: Facts) -> None:
        """Draws, if anything is different from what stands there."""
        if facts != self._told:
            self._told = facts
            self.update(self._drawn(facts), layout=False)

    def _drawn(self, facts: Facts) -> Content:
        parts: list[str | Content | tuple[str, str]] = [_section(t("side.lineup"))]
        for role, seat in facts.lineup:
            colour = f"bold $side-{words.side_class(role).removeprefix('side-')}"
            mark = "▸" if role == facts.speaking else " "
            parts += [(f"{mark}{words.letter(role)} ", colour), f"{words.role_name(role)}\n", (f"   {words.model_name(seat)}\n", "$quiet")]
        parts += ["\n", _section(t("side.debate"))]
        rows = [
            (t("side.level"), f"{facts.level} {words.level_name(facts.level)}"),
            (t("side.round"), t("side.round_value", n=facts.round, of=facts.rounds)),
            (t("side.stop"), t(f"stop.{facts.stop}")),
        ]
        parts += _rows(rows)
        parts += ["\n", _section(t("side.disagreement")), *_disagreement(facts.disagreement)]
        parts += ["\n", _section(t("side.spent")), *_rows(facts.spent)]
        return Content.assemble(*parts)


def _rows(rows: list[tuple[str, str]]) -> list[str | Content | tuple[str, str]]:
    parts: list[str | Content | tuple[str, str]] = []
    for label, value in rows:
        parts += [(f" {label}", "$quiet"), f"  {value}\n"]
    return parts


def _disagreement(measured: Disagreement) -> list[str | Content | tuple[str, str]]:
    if measured.mode == "none":
        return [(" " + t("mode.none") + "\n", "$quiet")]
    parts: list[str | Content | tuple[str, str]] = []
    shown = list(enumerate(measured.per_round, 1))[-6:]
    for number, value in shown:
        label = t("side.round_label", n=number)
        parts += [(f" {label} ", "$quiet"), f"{_bar(value)} {value:.2f}\n" if value is not None else t("side.not_measured") + "\n"]
    if not shown:
        parts.append((" " + t("side.none_yet") + "\n", "$quiet"))
    parts.append((" " + t(f"mode.{measured.mode}"), "$quiet"))
    if measured.excluded:
        parts.append((" · " + t("side.excluded", n=measured.excluded), "$quiet"))
    return [*parts, "\n"]


class Fold(Static):
    """The same in one line, for narrow terminals."""

    def __init__(self) -> None:
        super().__init__(id="fold")
        self._told: tuple[Facts, int] | None = None

    def tell(self, facts: Facts) -> None:
        """Draws, if anything is different from what stands there."""
        if self._told != (facts, self.app.size.width):
            self._told = (facts, self.app.size.width)
            self.update(self._drawn(facts), layout=False)

    def _drawn(self, facts: Facts) -> Content:
        names = [words.short_name(seat) for _, seat in facts.lineup]
        differ = ""
        if facts.disagreement.mode != "none" and facts.disagreement.mean is not None:
            differ = t("side.differ", value=f"{facts.disagreement.mean:.2f}", mode=t("mode." + facts.disagreement.mode))
        level = f"{facts.level} {words.level_name(facts.level)}"
        width = self.app.size.width - 7
        for cells in (len(level) * 2, 12):  # what matters most stays whole: cost, round, disagreement with its mode
            short = fit(level, min(cells, cell_len(level))).rstrip()
            tail = " · ".join(part for part in (short, f"{facts.round}/{facts.rounds}", differ, facts.spent[1][1]) if part)
            room = (width - cell_len(tail)) // max(len(set(names)), 1) - 3
            if room >= 6:
                break
        parts: list[str | tuple[str, str]] = []
        for index, (role, _) in enumerate(facts.lineup):
            colour = f"bold $side-{words.side_class(role).removeprefix('side-')}"
            again = names[index] == names[index + 1] if index + 1 < len(names) else False
            parts += [(words.letter(role), colour), " " if again else (f" {fit(names[index], max(room, 3)).rstrip()}  ", "$quiet")]
        return Content.assemble(*parts, ("│ ", "$quiet"), tail)
