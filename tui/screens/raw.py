"""What was sent for an event and what came back, unchanged."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from ...engines.models.port import Message
from ...texts import t
from ..showing import clean, clean_line
from ..widgets.hits import HitText
from .sheet import Pages
from .text_sheet import TextSheet

PIECE = 16_000
"""Characters laid out at a time, so that a reply of a megabyte does not hold up the
screen.
"""

SECTIONS = ("sent", "params", "reply", "reasoning", "facts")


class RawScreen(TextSheet):
    """Exact messages, parameters, raw reply, reasoning and the event's own fields; `y`
    copies the section that a digit has led to, before that all of it.
    """

    DEFAULT_CSS = """
    RawScreen {
        #sheet { max-width: 130; }
        Pages > Static { height: auto; }
        .section { color: $primary; text-style: bold; margin: 1 0 0 0; }
        .section.first { margin: 0; }
        .who {
            text-style: bold; margin-top: 1; padding-left: 1;
            border-left: outer $secondary;
        }
        .text { padding-left: 1; border-left: outer $panel; }
        &.-low #title { margin: 0; }
    }
    """
    BINDINGS = [
        ("y", "copy"),
        ("v,q", "leave"),
        *((str(number), f"go('{name}')") for number, name in enumerate(SECTIONS, 1)),
    ]
    KEYS = {"y": "raw.copy"}
    NAME = "messages"
    tall = True

    def __init__(
        self,
        title: str,
        messages: Sequence[Message],
        params: Mapping[str, object],
        reply: str,
        reasoning: str | None = None,
        meta: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__()
        self._title = title
        self._messages = list(messages)
        self._part = ""
        """The section that a digit has led to."""
        self._sections: dict[str, str] = {
            "params": _fields(params) or t("raw.no_params"),
            "reply": reply or t("raw.empty"),
            "reasoning": reasoning or "",
            "facts": _fields(meta or {}),
        }

    def heading(self) -> str:
        return self._title

    def body(self) -> ComposeResult:
        yield Pages()

    def keys(self) -> dict[str, str]:
        sections = {
            str(number): t(f"raw.{name}")
            for number, name in enumerate(SECTIONS, 1)
            if name == "sent" or self._sections[name]
        }
        return sections | super().keys()

    def on_mount(self) -> None:
        self.run_worker(self._lay_out(), group="raw", exit_on_error=False)

    async def _lay_out(self) -> None:
        pages = self.query_one(Pages)
        for widget in self._widgets():
            await pages.mount(widget)

    def _widgets(self) -> Iterator[Widget]:
        yield Static(t("raw.sent"), classes="section first", id="sent", markup=False)
        if not self._messages:
            yield Static(t("raw.nothing_sent"), classes="text", markup=False)
        for number, message in enumerate(self._messages, 1):
            yield Static(
                f"{number} {clean_line(message.get('role', ''))}",
                classes="who",
                markup=False,
            )
            yield from _pieces(message.get("content", ""))
        for name, text in self._sections.items():
            if text:
                yield Static(t(f"raw.{name}"), classes="section", id=name, markup=False)
                yield from _pieces(text)

    def action_go(self, name: str) -> None:
        self._part = name
        for widget in self.query(f"#{name}"):
            widget.scroll_visible(top=True, animate=False)

    def action_copy(self) -> None:
        from ..terminal.clipboard import copy

        sent = [
            f"{message.get('role', '')}\n{message.get('content', '')}"
            for message in self._messages
        ]
        rest = [
            f"{t(f'raw.{name}')}\n{text}"
            for name, text in self._sections.items()
            if text
        ]
        parts = sent if self._part == "sent" else [*sent, *rest]
        text = self._sections.get(self._part) or "\n\n".join(parts)
        copy(self.app, clean(text))
        self.notify(t("raw.copied", n=len(text)), markup=False)


def _fields(values: Mapping[str, object]) -> str:
    return "\n".join(f"{name}: {_as_text(value)}" for name, value in values.items())


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _pieces(text: str) -> Iterator[HitText]:
    """Yields the text as widgets of moderate length, cut at line ends where there are
    any.
    """
    text = clean(text)
    while True:
        end = (
            len(text) if len(text) <= PIECE else text.rfind("\n", 0, PIECE) + 1 or PIECE
        )
        piece, text = text[:end], text[end:]
        yield HitText(
            Content(piece.removesuffix("\n") if text else piece), classes="text"
        )
        if not text:
            return
