"""Line-up, settings, rounds and cost: a column at the side, or one line under the
topic.
"""

from __future__ import annotations

import msgspec
from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from .....engines.debate.plan import setting
from .....engines.settings import Settings
from .....sessions.session import Seat, Session, Totals
from .....texts import t
from .....texts.settings import setting_name, setting_value
from .... import wording
from ....bars import trend
from ....title_columns import fit
from ..rounds import Parts, Rounds, compact, letter, lines_of, remarks

WIDTH = 34
"""Cells of a line in the column."""

MOST = 6
"""Rounds for which space is reserved before they start."""


class DebateFigures(msgspec.Struct):
    """The figures that only a debate has."""

    level: int
    round: int
    stop: str
    rounds: Rounds
    control: str

    @property
    def played(self) -> tuple[str, str]:
        """The debate's kind with its label: its level, or a control."""
        if self.control == "none":
            return t("side.level"), f"{self.level} {wording.level_name(self.level)}"
        return t("setting.control"), t(
            f"value.control_{self.control.replace('-', '_')}"
        )


class Overview(msgspec.Struct, kw_only=True):
    """The content of the side panel."""

    lineup: list[tuple[str, Seat]]
    spent: list[tuple[str, str]]
    cost: str
    speaking: str | None = None
    """The role whose turn it is."""
    debate: DebateFigures | None = None
    """None for a session of another method."""
    settings: list[tuple[str, str]] = []
    """Of a session of another method: what is not as usual, by name."""
    progress: tuple[int, int] | None = None
    """Of such a session: the part that it is at, and how many there are at most."""


def overview(
    view: Session, roles: list[str], speaking: str | None, totals: Totals
) -> Overview:
    """Return the parts that any session has: line-up and cost."""
    return Overview(
        lineup=view.seated(roles),
        spent=wording.spent(totals),
        cost=wording.cost_short(totals),
        speaking=speaking,
    )


def other_overview(
    view: Session,
    roles: list[str],
    speaking: str | None,
    totals: Totals,
    declared: Settings,
    progress: tuple[int, int] | None,
) -> Overview:
    """Returns what a session of another method has: the settings that are not as usual,
    and how far it is.
    """
    shown = overview(view, roles, speaking, totals)
    usual = declared.defaults(str(view.header.task.get("kind", "")))
    in_force = {name: declared.in_force(view, name) for name in declared.asked}
    shown.settings = [
        (setting_name(name), setting_value(name, value))
        for name, value in in_force.items()
        if value != usual[name]
    ]
    shown.progress = progress
    return shown


def debate_overview(
    view: Session,
    roles: list[str],
    now: int,
    speaking: str | None,
    rounds: Rounds,
    totals: Totals,
) -> Overview:
    """Returns what a debate has in round `now`."""
    shown = overview(view, roles, speaking, totals)
    shown.debate = DebateFigures(
        setting(view, "level"),
        now,
        setting(view, "stop"),
        rounds,
        setting(view, "control"),
    )
    return shown


def _section(title: str) -> tuple[str, str]:
    return (title, "bold $quiet")


class Side(Static):
    """The column at the side."""

    def __init__(self) -> None:
        super().__init__(id="side")
        self._shown: tuple[Overview, bool, int] | None = None

    def tell(self, shown: Overview, rounds: bool) -> None:
        """Draws, if anything is different from what is there.

        `rounds`: whether the rounds are shown here.
        """
        told = (shown, rounds, self.content_size.height or self.app.size.height)
        if told != self._shown:
            self._shown = told
            self.update(Content("\n").join(_column(*told)), layout=False)


def _column(shown: Overview, rounds: bool, height: int) -> list[Content]:
    """The lines of the column.

    Where they are too many, seats, settings and cost move together, and only the newest
    rounds are whole.
    """
    debate = shown.debate if rounds else None
    wanted = 0
    if debate is not None:
        of = min(max(debate.rounds.of, len(debate.rounds.rows), 1), MOST)
        wanted = (
            2
            + of * lines_of(len(debate.rounds.roles), WIDTH)
            + len(remarks(debate.rounds, WIDTH))
        )
    for seat_lines, short in ((2, False), (1, False), (1, True)):
        above, below = _above(shown, seat_lines, short), _below(shown, short)
        if len(above) + wanted + len(below) <= height:
            break
    middle: list[Content] = []
    if debate is not None:
        below_map = remarks(debate.rounds, WIDTH)
        room = height - len(above) - len(below) - len(below_map) - 2
        middle = [
            Content(),
            Content.assemble(_section(t("rounds.title"))),
            *compact(debate.rounds, WIDTH, room),
            *below_map,
        ]
    return [*above, *middle, *below]


def _above(shown: Overview, seat_lines: int, short: bool) -> list[Content]:
    """Format the line-up and the settings."""
    lines = [Content.assemble(_section(t("side.lineup")))]
    for role, seat in shown.lineup:
        mark = "▸" if role == shown.speaking else " "
        name, model = wording.role_name(role), wording.model_name(seat)
        if seat_lines == 2:
            lines += [
                Content.assemble(mark, letter(role), f" {name}"),
                Content.styled(f"   {model}", "$quiet"),
            ]
        else:
            room = max(WIDTH - 5 - cell_len(name), 6)
            lines.append(
                Content.assemble(
                    mark,
                    letter(role),
                    f" {name}",
                    (f"  {fit(model, room).rstrip()}", "$quiet"),
                )
            )
    if shown.debate is not None:
        lines += [Content(), *_settings(shown.debate, short)]
    elif rows := _other_rows(shown):
        lines += [
            Content(),
            Content.assemble(_section(t("side.settings"))),
            *_rows(rows),
        ]
    return lines


def _other_rows(shown: Overview) -> list[tuple[str, str]]:
    """The settings of a session of another method, and how far it is."""
    at = shown.progress
    return [
        *shown.settings,
        *(
            [
                (
                    t("side.attempt"),
                    t(
                        "side.round_value",
                        n=at[0],
                        total=at[1],
                    ),
                )
            ]
            if at is not None
            else []
        ),
    ]


def _settings(figures: DebateFigures, short: bool) -> list[Content]:
    if short:
        rounds = f"{t('side.round')} {figures.round}/{figures.rounds.of}"
        played = (
            f"{t('side.level')} {figures.level}"
            if figures.control == "none"
            else figures.played[1]
        )
        parts = (played, rounds, t(f"stop.{figures.stop}"))
        return [Content.styled(" " + " · ".join(parts), "$quiet")]
    rows = [
        figures.played,
        (
            t("side.round"),
            t("side.round_value", n=figures.round, total=figures.rounds.of),
        ),
        (t("side.stop"), t(f"stop.{figures.stop}")),
    ]
    return [Content.assemble(_section(t("side.debate"))), *_rows(rows)]


def _below(shown: Overview, short: bool) -> list[Content]:
    """Format the cost."""
    if short:
        return [
            Content(),
            Content.styled(
                " " + f"{t('side.cost')} {shown.cost} · {shown.spent[-1][1]}", "$quiet"
            ),
        ]
    return [
        Content(),
        Content.assemble(_section(t("side.spent"))),
        *_rows(shown.spent),
    ]


def _rows(rows: list[tuple[str, str]]) -> list[Content]:
    return [
        Content.assemble((f" {label}", "$quiet"), f"  {value}") for label, value in rows
    ]


def _other_in_short(shown: Overview) -> tuple[str, tuple[str, ...]]:
    """Returns the first setting, which may be cut, and how far the session is."""
    at = shown.progress
    return shown.settings[0][1] if shown.settings else "", (
        f"{at[0]}/{at[1]}",
    ) if at is not None else ()


def _debate_in_short(
    figures: DebateFigures, narrow: bool
) -> tuple[str, tuple[str, ...]]:
    """Returns the level, which may be cut, and the rest of the line that sums up a
    debate.
    """
    measured, differ = figures.rounds.measured, ""
    if measured.missing is None:
        shape = trend(measured.per_round[-8:])
        differ = t(
            "side.differ_short" if narrow else "side.differ",
            shape=shape,
            mean=f"{measured.mean:.2f}",
            mode=t("mode." + measured.mode),
        )
    elif measured.missing != "round" and len(figures.rounds.roles) > 1:
        differ = t("missing." + measured.missing)
    return figures.played[1], (f"{figures.round}/{figures.rounds.of}", differ)


class SideLine(Static):
    """The same in one line, for narrow terminals."""

    def __init__(self) -> None:
        super().__init__(id="fold")
        self._shown: tuple[Overview, int] | None = None

    def tell(self, shown: Overview) -> None:
        """Draws, if anything is different from what is there."""
        if self._shown != (shown, self.app.size.width):
            self._shown = (shown, self.app.size.width)
            self.update(self._drawn(shown), layout=False)

    def _drawn(self, shown: Overview) -> Content:
        names = [wording.short_name(seat) for _, seat in shown.lineup]
        again = [
            name == after
            for name, after in zip(names, [*names[1:], None], strict=False)
        ]
        level, rest = (
            _debate_in_short(shown.debate, self.app.size.width < 80)
            if shown.debate is not None
            else _other_in_short(shown)
        )
        width = self.app.size.width - 6 - 2 * len(names)
        # what matters most stays whole: cost, round, disagreement with its mode
        for cells in (
            len(level) * 2,
            12,
            1,
        ):
            short = (
                fit(level, min(cells, cell_len(level))).rstrip()
                if cells > 1
                else level[:1]
            )
            tail = " · ".join(part for part in (short, *rest, shown.cost) if part)
            room = (width - cell_len(tail)) // max(again.count(False), 1) - 2
            if room >= 6:
                break
        parts: Parts = []
        for index, (role, _) in enumerate(shown.lineup):
            named = room >= 4 and not again[index]
            parts += [
                letter(role),
                (f" {fit(names[index], room).rstrip()}  " if named else " ", "$quiet"),
            ]
        return Content.assemble(*parts, ("│ ", "$quiet"), tail)
