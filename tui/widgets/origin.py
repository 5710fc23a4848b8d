"""The line under the title: where the session comes from."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from ...sessions.session import Session
from ...texts import t
from .. import lineage


class OriginLine(Static):
    """Shown for a fork, twin or other child only, with the key that leads to its
    parent.
    """

    DEFAULT_CSS = """
    OriginLine {
        height: 1;
        background: $panel;
        color: $quiet;
        display: none;
    }
    """

    def __init__(self, key: str) -> None:
        """`key`: what opens the parent."""
        super().__init__(markup=False)
        self._key = key

    def tell(self, session: Session, width: int, parent: str = "") -> None:
        """Says where a session comes from; a session of its own takes no line.

        `parent`: the parent's title, where it is known.
        """
        hint = t("lineage.key", key=self._key) if self._key else ""
        told = lineage.line(session, width - len(hint) - 3, parent)
        self.display = bool(told)
        self.update(Content.assemble(" ", told, (f"  {hint}", "$quiet")), layout=False)
