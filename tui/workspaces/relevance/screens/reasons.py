"""A person's reasons for a level: one for each of its bits."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import Static, TextArea

from .....sessions.clean import editable
from .....sessions.events.labels import Reasons
from .....texts import t
from ....screens.form import Form, area


class ReasonsScreen(Form[Reasons]):
    """Returns both reasons, each possibly empty, or None."""

    DEFAULT_CSS = """
    ReasonsScreen { #material, #legal { height: 1fr; min-height: 2; margin-bottom: 1;
      } }
    ReasonsScreen.-low { #material, #legal { margin-bottom: 0; } }
    """
    HEADING = "labelling.reasons_title"
    AUTO_FOCUS = "#material"
    tall = True

    def __init__(self, before: Reasons | None) -> None:
        super().__init__()
        self._before = before or Reasons()

    def body(self) -> ComposeResult:
        for kind in ("material", "legal"):
            yield Static(t(f"labelling.why_{kind}"), classes="quiet", markup=False)
            yield area(getattr(self._before, kind), id=kind)
        yield Static(id="note", markup=False)

    def _typed(self) -> Reasons:
        material, legal = (
            self.query_one(f"#{kind}", TextArea).text.strip()
            for kind in ("material", "legal")
        )
        return Reasons(material=material, legal=legal)

    def changed(self) -> bool:
        return self._typed() != Reasons(
            material=editable(self._before.material).strip(),
            legal=editable(self._before.legal).strip(),
        )

    def action_accept(self) -> None:
        self.dismiss(self._typed())
