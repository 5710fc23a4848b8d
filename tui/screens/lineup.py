"""Which model has which role: roles on the left, models to choose from on the right."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs
from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static

from ...engines.models.catalogue import pace_in_words
from ...sessions.export.block import fact
from ...sessions.session import Seat
from ...texts import t
from ...texts.roles import PANEL
from .. import wording
from ..showing import clean, clean_line
from ..title_columns import fit
from .place import Place, PlaceChoice
from .preview import Preview
from .sheet import LazyLine, RowList

if TYPE_CHECKING:
    from ...engines.models.catalogue import ModelRow

PRICE, CONTEXT = 15, 8
"""Cells of the columns behind a model's name."""
NUMBERED = 9
"""Models that a digit gives to the role."""


class RoleRow(NamedTuple):
    """A role and who has it. `needed`: whether this session asks it at all."""

    role: str
    letter: str
    seat: Seat
    needed: bool


Refresh = Callable[[], AsyncIterator[Sequence["ModelRow"]]]


class LineupScreen(Place):
    """Posts `Swapped` for each swap and stays open.

    `refresh` is followed in the background and brings whole new lists: models that
    answer on this machine, prices. `message` is shown on top, for a line-up that opens
    because something went wrong.
    """

    DEFAULT_CSS = """
    LineupScreen {
        #sheet > #seats { height: 1fr; border-left: none; }
        #roles { width: 38%; padding-right: 1; border-left: blank; }
        #models { width: 1fr; border-left: blank; }
        #roles:focus-within, #models:focus-within { border-left: outer $primary; }
        #search { margin-bottom: 1; }
        #head, #roles-head { height: 1; color: $quiet; margin-bottom: 1; }
        #head { padding-right: 1; }
        #model-rows { scrollbar-gutter: stable; }
        #detail {
            height: auto; min-height: 1; max-height: 3; color: $quiet; margin-top: 1;
        }
        #bias { height: auto; margin-top: 1; color: $text-warning; }
        #bias.empty, #note.empty { display: none; }
        #note { margin-bottom: 1; }
        &.-low #head, &.-low #roles-head, &.-low #search, &.-low #note {
            margin-bottom: 0;
        }
        &.-low #bias, &.-low #detail { margin-top: 0; }
        &.-low #title { margin-bottom: 0; }
        #role-rows { min-height: 4; }
        Preview { width: 100%; height: 2fr; margin: 1 0 0 0; padding: 0; border: none; }
    }
    """
    CRUMB = "place.models"
    HEADING = "place.models"
    BINDINGS = [
        ("slash", "search"),
        ("t", "retry"),
        *((str(number), f"take({number})") for number in range(1, NUMBERED + 1)),
    ]
    KEYS = {
        "enter": "lineup.swap",
        "1-9": "lineup.numbered",
        "tab": "lineup.other_list",
        "/": "lineup.find",
    }
    ABOUT = "models_about"
    own_search = True
    AUTO_FOCUS = "#role-rows"

    class Swapped(Message):
        """A model was put on a seat.

        `text` is what the line-up takes; `choice` is None where it was typed as it
        stands.
        """

        def __init__(
            self, screen: LineupScreen, role: str, choice: ModelRow | None, text: str
        ) -> None:
            super().__init__()
            self.screen = screen
            self.role = role
            self.choice = choice
            self.text = text

    def __init__(
        self,
        session_roles: Callable[[], Sequence[RoleRow]],
        choices: Sequence[ModelRow],
        refresh: Refresh | None = None,
        focus_role: str | None = None,
        message: str | None = None,
        failed: str | None = None,
        certified: Callable[[str], str] = lambda name: "",
        last: Callable[[str], str] = lambda model: "",
    ) -> None:
        """`failed`: the role whose last call failed; it can be asked again from here.

        `certified`: what certificates say of a model, by its name. `last` tells when a
        model was used last, and reads files.
        """
        super().__init__()
        self._failed = failed
        self._session_roles = session_roles
        self._roles = list(self._session_roles())
        self._choices = list(choices)
        self._refresh = refresh
        self._message = message
        self._certified = certified
        self._last = last
        self._found: list[ModelRow] = []
        self._at = next(
            (
                number
                for number, row in enumerate(self._roles)
                if row.role == focus_role
            ),
            0,
        )

    def show_roles(self) -> None:
        """Reads again who has which role."""
        self._roles = list(self._session_roles())
        self._draw_roles()

    def again(self) -> LineupScreen:
        return self  # it is made for each opening: seats change

    @property
    def shape(self) -> str:
        return "tall split"

    def listing(self) -> list[dict[str, object]]:
        return [structs.asdict(choice) for choice in self._choices]

    def body(self) -> ComposeResult:
        yield Static(id="note", markup=False, classes="empty")
        with Horizontal(id="seats"):
            with Vertical(id="roles"):
                yield Static(t("lineup.roles"), id="roles-head", markup=False)
                yield RowList(id="role-rows")
                yield Preview()
            with Vertical(id="models"):
                yield Input(id="search", placeholder=t("lineup.search"))
                yield Static(LazyLine(_head), id="head")
                yield RowList(id="model-rows")
        yield Static(id="detail", markup=False)
        yield Static(id="bias", markup=False, classes="empty")

    def keys(self) -> dict[str, str]:
        again = {"t": t("lineup.again")} if self._failed is not None else {}
        return again | super().keys()

    def on_mount(self) -> None:
        if self._message or self._failed is not None:
            self.offer(self._failed, self._message or "")
        self._draw_roles()
        self._draw_models()
        self.run_worker(self._look_around(), group="local-models", exit_on_error=False)

    async def _look_around(self) -> None:
        if self._refresh is None:
            return
        async for choices in self._refresh():
            if not self.is_mounted:
                return
            self._choices = list(
                {choice.name: choice for choice in reversed(choices)}.values()
            )[::-1]
            self._renew_models()

    def offer(self, failed: str | None, message: str) -> None:
        """Says what went wrong, and that the role whose call failed can be asked again
        from here.
        """
        self._failed = failed
        hint = (
            t("lineup.again_hint", role=wording.role_name(failed))
            if failed is not None
            else ""
        )
        self.say("\n".join(filter(None, [message, hint])))
        self.show_keys()

    def say(self, sentence: str, warning: bool = True) -> None:
        super().say(sentence, warning)
        self.query_one("#note").set_class(not sentence, "empty")

    def seated(self, role: str, seat: Seat) -> None:
        """Shows who sits on a role now, where that is not simply what was chosen."""
        self._roles = [
            row._replace(seat=seat) if row.role == role else row for row in self._roles
        ]
        self._draw_roles()

    def refused(self, role: str, seat: Seat, why: str) -> None:
        """Shows who still sits on a role, and why nobody else may."""
        self.seated(role, seat)
        self.say(clean_line(why))

    # Drawing

    def _draw_roles(self) -> None:
        rows = self.query_one("#role-rows", RowList)
        names = max(cell_len(_name(row)) for row in self._roles)
        lines = [LazyLine(partial(_role_line, row, names)) for row in self._roles]
        rows.show(
            lines, cursor=rows.highlighted if rows.highlighted is not None else self._at
        )
        bias = self._shared_with()
        line = self.query_one("#bias", Static)
        line.set_class(bias is None, "empty")
        line.update(
            Content(t("lineup.bias", side=wording.role_name(bias)) if bias else "")
        )

    def _draw_models(self) -> None:
        """Shows what fits the words typed; the cursor is on the first that can be
        used, or on the seat's own model.
        """
        typed = self._typed()
        self._show_models(typed)
        usable = next(
            (number for number, each in enumerate(self._found) if each.usable), 0
        )
        own = None if typed else self._own_model()
        if self._found or typed:
            self.query_one("#model-rows", RowList).highlighted = (
                usable if own is None else own
            )

    def _renew_models(self) -> None:
        """Shows a new list of models; what the cursor is on stays under it, in the
        same line of the screen.
        """
        rows = self.query_one("#model-rows", RowList)
        before, top = rows.highlighted, rows.scroll_offset.y
        name = (
            self._found[before].name
            if before is not None and before < len(self._found)
            else None
        )
        self._show_models(self._typed())
        after = next(
            (number for number, each in enumerate(self._found) if each.name == name),
            len(self._found),
        )
        if before is not None and rows.option_count:
            rows.highlighted = min(after, rows.option_count - 1)
            rows.scroll_to(y=top + rows.highlighted - before, animate=False)

    def _typed(self) -> str:
        return self.query_one("#search", Input).value.strip().lstrip("/")

    def _show_models(self, typed: str) -> None:
        parts = typed.lower().split()
        self._found = [
            each
            for each in self._choices
            if all(part in _searched(each) for part in parts)
        ]
        lines: list[Content | LazyLine] = [
            LazyLine(partial(_model_line, each, number))
            for number, each in enumerate(self._found, 1)
        ]
        if typed and not any(typed == each.name for each in self._found):
            lines.append(
                Content.assemble(
                    t("lineup.as_typed"), ("  " + clean_line(typed), "bold")
                )
            )
        self.query_one("#model-rows", RowList).show(lines, cursor=None)

    def _own_model(self) -> int | None:
        """Returns the row of the model that the current role has; None where it is not
        in the list.
        """
        at = self.query_one("#role-rows", RowList).highlighted
        seat = self._roles[self._at if at is None else at].seat if self._roles else None
        return next(
            (
                number
                for number, each in enumerate(self._found)
                if seat and each.name == _seated(seat)
            ),
            None,
        )

    @on(OptionList.OptionHighlighted, "#role-rows")
    def _to_own_model(self) -> None:
        """Stands on the model that a role has, when the cursor comes to it."""
        own = None if self._typed() else self._own_model()
        if own is not None and self.focused is self.query_one("#role-rows"):
            self.query_one("#model-rows", RowList).highlighted = own

    @on(OptionList.OptionHighlighted, "#model-rows")
    def _show_detail(self, event: OptionList.OptionHighlighted) -> None:
        number = event.option_index
        detail = t("lineup.typed_detail")
        if number < len(self._found):
            choice = self._found[number]
            detail = (
                clean_line(choice.why_not)
                if not choice.usable
                else self._detail(choice)
            )
            self.query_one(Preview).show(choice, partial(self._about, choice))
        self.query_one("#detail", Static).update(Content(detail))

    def _about(self, row: ModelRow) -> Content:
        """What is known of a model without asking it."""
        seats = [one.letter for one in self._roles if row.name == _seated(one.seat)]
        facts = {
            "models.state": row.why_not or t("models.ready"),
            "models.provider": row.server or row.provider,
            "lineup.price": price_in_words(row),
            "lineup.context": row.context and context_in_words(row.context),
            "models.limits": pace_in_words(row.pace),
            "models.seats": " ".join(seats),
            "models.last": self._last(row.model),
        }
        lines = [fact(t(name), value) for name, value in facts.items() if value]
        return Content(clean("\n".join([row.name, "", *lines])))

    def _detail(self, choice: ModelRow) -> str:
        if choice.model in wording.BUILT_IN:
            return t(f"lineup.about_{choice.model}")
        parts = [choice.model, choice.provider, choice.about]
        if choice.provider == PANEL:
            parts = [t("lineup.about_panel", about=choice.about)]
        parts.append(self._certified(choice.name))
        return clean_line("  ".join(filter(None, parts)))

    def _shared_with(self) -> str | None:
        """Returns the one debater whose language model the judge runs on too, where
        another debater runs on a different one; else None.
        """
        seats = {row.role: row.seat for row in self._roles if row.needed}
        debaters = {
            role: seat
            for role, seat in seats.items()
            if role in ("affirmative", "negative") or role.startswith("debater")
        }
        judge = seats.get("judge")
        if judge is None or judge.model in wording.BUILT_IN:
            return None
        own = {_family(one) for one in judge.members}
        same = [role for role, seat in debaters.items() if _family(seat) in own]
        if len(same) == 1 and len(debaters) > 1:
            return same[0]
        return None

    # Keys

    def action_search(self) -> None:
        self.query_one("#search", Input).focus()

    @on(Input.Changed, "#search")
    def _filter(self) -> None:
        self._draw_models()

    def on_key(self, event: object) -> None:
        """Moves through the models by up and down while something is typed."""
        key = getattr(event, "key", "")
        if key in ("up", "down") and isinstance(self.focused, Input):
            rows = self.query_one("#model-rows", RowList)
            rows.action_cursor_up() if key == "up" else rows.action_cursor_down()

    @on(OptionList.OptionSelected, "#role-rows")
    def _to_models(self) -> None:
        self.query_one("#search", Input).focus()

    @on(Input.Submitted, "#search")
    def _take_highlighted(self) -> None:
        number = self.query_one("#model-rows", RowList).highlighted
        if number is not None:
            self._take(number)

    @on(OptionList.OptionSelected, "#model-rows")
    def _take_selected(self, event: OptionList.OptionSelected) -> None:
        self._take(event.option_index)

    def _take(self, number: int) -> None:
        at = self.query_one("#role-rows", RowList).highlighted
        if at is None:
            return
        role = self._roles[at].role
        choice = self._found[number] if number < len(self._found) else None
        if choice is not None and not choice.usable:
            self.say(clean_line(choice.why_not or t("lineup.cannot")))
            return
        text = (
            choice.name
            if choice is not None
            else self.query_one("#search", Input).value.strip().lstrip("/")
        )
        model = choice.model if choice is not None else text
        self.seated(role, Seat(model=model, name=text if text != model else None))
        self.say(
            t(
                "lineup.swapped",
                role=wording.role_name(role),
                model=clean_line(text),
            )
            if role
            else "",
            warning=False,
        )
        self.post_message(self.Swapped(self, role, choice, text))

    def action_take(self, number: int) -> None:
        """Gives the model with this number to the role under the cursor."""
        if number <= len(self._found):
            self._take(number - 1)

    def action_retry(self) -> None:
        """Leaves, and has the role whose call failed asked again."""
        if self._failed is not None:
            self.dismiss(PlaceChoice("retry"))


def _name(row: RoleRow) -> str:
    return wording.role_name(row.role) if row.role else t("lineup.everywhere")


def _seated(seat: Seat) -> str:
    """What to write for the model that sits there."""
    return seat.name or seat.model


def _role_line(row: RoleRow, names: int, width: int) -> Content:
    name = fit(_name(row), names)
    seated = wording.model_name(row.seat) if row.role or row.seat.model else "-"
    model = fit(seated, max(width - names - 4, 4))
    return Content.assemble(
        (f"{row.letter} {name}", "bold" if row.needed else "$quiet"),
        ("  " + model, "" if row.needed else "$quiet"),
    )


def _columns(name: str, price: str, context: str, width: int) -> str:
    return (
        f"{fit(name, max(width - PRICE - CONTEXT - 2, 8))} {fit(price, PRICE)} "
        f"{fit(context, CONTEXT)}"
    )


def _head(width: int) -> Content:
    return Content(
        "  "
        + _columns(t("lineup.model"), t("lineup.price"), t("lineup.context"), width - 2)
    )


def _model_line(choice: ModelRow, number: int, width: int) -> Content:
    """Returns a row of the list, with its number where a digit takes it; the address of
    its server follows the name where there is room.
    """
    digit = f"{number} " if number <= NUMBERED else "  "
    room, where = (
        max(width - PRICE - CONTEXT - 2 - len(digit), 8),
        clean_line(choice.server),
    )
    style = "" if choice.usable else "$quiet"
    if not where or room < cell_len(where) + 14:
        where, name = "", fit(choice.name, room)
    else:
        name = fit(choice.name, room - cell_len(where) - 1) + " "
    return Content.assemble(
        (digit, "$quiet"),
        (name, style),
        (where, "$quiet"),
        (
            f" {fit(price_in_words(choice), PRICE)}"
            f" {fit(context_in_words(choice.context), CONTEXT)}",
            style,
        ),
    )


def _family(seat: Seat) -> str:
    """Returns the model itself, whoever serves it: `openrouter/openai/gpt-4o` is
    `gpt-4o`.
    """
    return seat.model.rpartition("/")[2]


def _searched(choice: ModelRow) -> str:
    return f"{choice.name} {choice.model} {choice.provider}".lower()


def price_in_words(choice: ModelRow) -> str:
    """Returns US dollars for a million tokens, in and out; that it cannot be used,
    where that is so.
    """
    if not choice.usable:
        return t("models.not_ready")
    if choice.model in wording.BUILT_IN:
        return t("lineup.free")
    if choice.price_input is None and choice.price_output is None:
        return t("lineup.unknown")
    return " / ".join(
        "?" if price is None else f"{price:g}"
        for price in (choice.price_input, choice.price_output)
    )


def context_in_words(count: int | None) -> str:
    if count is None:
        return "-"
    if count >= 1_000_000:
        return f"{count / 1_000_000:.3g}M"
    if count >= 1000:
        return f"{round(count / 1000)}k"
    return str(count)
