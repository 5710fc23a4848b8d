"""The few keys of the moment, at the bottom."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from .. import actions


class KeyLine(Static):
    """A line with as many keys as fit, the most needed first."""

    def __init__(self, keys: dict[str, str], workspace: str) -> None:
        super().__init__(id="keys")
        self._keys = keys
        self._workspace = workspace

    def tell(self, workspace: str) -> None:
        """Shows the keys of the workspace in front."""
        self._workspace = workspace
        self._tell()

    def on_mount(self) -> None:
        self._tell()

    def on_resize(self) -> None:
        self._tell()

    def _tell(self) -> None:
        here = [action for action in actions.ACTIONS if action.line and actions.belongs(action.id, self._workspace)]
        wanted = sorted(here, key=lambda action: action.line)
        pieces = [(self._first_key(action.id), actions.words_of(action.id, self._workspace)[0]) for action in wanted]
        pieces = [(key, word) for key, word in pieces if key]
        while pieces and sum(_width(key) + _width(word) + 3 for key, word in pieces) > max(self.size.width, 20):
            pieces.pop(-3 if len(pieces) > 3 else 0)
        parts: list[tuple[str, str] | str] = []
        for key, word in pieces:
            parts += [(f" {key}", "bold $footer-key-foreground"), f" {word} "]
        self.update(Content.assemble(*parts))

    def _first_key(self, name: str) -> str:
        keys = self._keys[name].split(",")
        if name in actions.DIGITS and len(keys) > 1:
            return f"{keys[0]}-{max((key for key in keys if key.isascii()), default=keys[-1])}"
        return actions.shown(keys[0])


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)
