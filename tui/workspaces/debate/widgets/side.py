"""Line-up, settings, disagreement and cost: a column at the side, or one line under the topic."""

from __future__ import annotations

import msgspec
from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from .....engines.debate.plan import setting
from .....sessions.events.debate import Disagreement
from .....sessions.session import Seat, Session, Totals
from .....texts import t
from .... import wording
from ....fitting import fit


class DebateFigures(msgspec.Struct):
    """What only a debate has."""

    level: int
    round: int
    rounds: int
    stop: str
    disagreement: Disagreement


class Overview(msgspec.Struct, kw_only=True):
    """What the side shows of a session."""

    lineup: list[tuple[str, Seat]]
    spent: list[tuple[str, str]]
    cost: str
    speaking: str | None = None
    """The role whose turn it is."""
    debate: DebateFigures | None = None
    """None for a session of another method."""


def overview(view: Session, roles: list[str], speaking: str | None, totals: Totals) -> Overview:
    """Returns what any session has: who speaks, and what it cost."""
    return Overview(lineup=view.seated(roles), spent=wording.spent(totals), cost=wording.cost_short(totals), speaking=speaking)


def debate_overview(
    view: Session, roles: list[str], now: int, speaking: str | None, disagreement: Disagreement, totals: Totals
) -> Overview:
    """Returns what a debate has in round `now`."""
    shown = overview(view, roles, speaking, totals)
    shown.debate = DebateFigures(setting(view, "level"), now, setting(view, "rounds"), setting(view, "stop"), disagreement)
    return shown


def _section(title: str) -> tuple[str, str]:
    return (title + "\n", "bold $quiet")


def _bar(value: float) -> str:
    """Returns a bar of four cells for a value from 0 to 1."""
    full = round(value * 4)
    return "━" * full + "─" * (4 - full)


class Side(Static):
    """The column at the side."""

    def __init__(self) -> None:
        super().__init__(id="side")
        self._shown: Overview | None = None

    def tell(self, shown: Overview) -> None:
        """Draws, if anything is different from what stands there."""
        if shown != self._shown:
            self._shown = shown
            self.update(self._drawn(shown), layout=False)

    def _drawn(self, shown: Overview) -> Content:
        parts: list[str | Content | tuple[str, str]] = [_section(t("side.lineup"))]
        for role, seat in shown.lineup:
            colour = f"bold $side-{wording.side_class(role).removeprefix('side-')}"
            mark = "▸" if role == shown.speaking else " "
            parts += [
                (f"{mark}{wording.letter(role)} ", colour),
                f"{wording.role_name(role)}\n",
                (f"   {wording.model_name(seat)}\n", "$quiet"),
            ]
        if shown.debate is not None:
            parts += ["\n", *_debate(shown.debate)]
        parts += ["\n", _section(t("side.spent")), *_rows(shown.spent)]
        return Content.assemble(*parts)


def _debate(figures: DebateFigures) -> list[str | Content | tuple[str, str]]:
    rows = [
        (t("side.level"), f"{figures.level} {wording.level_name(figures.level)}"),
        (t("side.round"), t("side.round_value", n=figures.round, of=figures.rounds)),
        (t("side.stop"), t(f"stop.{figures.stop}")),
    ]
    return [_section(t("side.debate")), *_rows(rows), "\n", _section(t("side.disagreement")), *_disagreement(figures.disagreement)]


def _rows(rows: list[tuple[str, str]]) -> list[str | Content | tuple[str, str]]:
    parts: list[str | Content | tuple[str, str]] = []
    for label, value in rows:
        parts += [(f" {label}", "$quiet"), f"  {value}\n"]
    return parts


def _disagreement(measured: Disagreement) -> list[str | Content | tuple[str, str]]:
    if measured.mode == "none":
        return [(" " + t("side.not_measured", why=t("missing.observer")) + "\n " + t("side.seat_observer") + "\n", "$quiet")]
    left_out = t("side.no_answer" if measured.mode == "answer" else "side.no_rating")
    parts: list[str | Content | tuple[str, str]] = []
    shown = list(enumerate(measured.per_round, 1))[-6:]
    for number, value in shown:
        label = t("side.round_label", n=number)
        parts += [(f" {label} ", "$quiet"), f"{_bar(value)} {value:.2f}\n" if value is not None else left_out + "\n"]
    if not shown:
        parts.append((" " + t("side.none_yet") + "\n", "$quiet"))
    parts.append((" " + t(f"mode.{measured.mode}"), "$quiet"))
    if measured.excluded:
        parts.append((" · " + t("side.excluded", n=measured.excluded), "$quiet"))
    return [*parts, "\n"]


def _debate_in_short(figures: DebateFigures | None) -> tuple[str, tuple[str, ...]]:
    """Returns the level, which may be cut, and the rest of the line that sums up a debate."""
    if figures is None:
        return "", ()
    differ, missing = "", figures.disagreement.missing
    if missing is None:
        differ = t("side.differ", value=f"{figures.disagreement.mean:.2f}", mode=t("mode." + figures.disagreement.mode))
    elif missing != "round":
        differ = t("missing." + missing)
    return f"{figures.level} {wording.level_name(figures.level)}", (f"{figures.round}/{figures.rounds}", differ)


class SideLine(Static):
    """The same in one line, for narrow terminals."""

    def __init__(self) -> None:
        super().__init__(id="fold")
        self._shown: tuple[Overview, int] | None = None

    def tell(self, shown: Overview) -> None:
        """Draws, if anything is different from what stands there."""
        if self._shown != (shown, self.app.size.width):
            self._shown = (shown, self.app.size.width)
            self.update(self._drawn(shown), layout=False)

    def _drawn(self, shown: Overview) -> Content:
        names = [wording.short_name(seat) for _, seat in shown.lineup]
        level, rest = _debate_in_short(shown.debate)
        width = self.app.size.width - 7
        for cells in (len(level) * 2, 12):  # what matters most stays whole: cost, round, disagreement with its mode
            short = fit(level, min(cells, cell_len(level))).rstrip()
            tail = " · ".join(part for part in (short, *rest, shown.cost) if part)
            room = (width - cell_len(tail)) // max(len(set(names)), 1) - 3
            if room >= 6:
                break
        parts: list[str | tuple[str, str]] = []
        for index, (role, _) in enumerate(shown.lineup):
            colour = f"bold $side-{wording.side_class(role).removeprefix('side-')}"
            again = names[index] == names[index + 1] if index + 1 < len(names) else False
            parts += [(wording.letter(role), colour), " " if again else (f" {fit(names[index], max(room, 3)).rstrip()}  ", "$quiet")]
        return Content.assemble(*parts, ("│ ", "$quiet"), tail)
