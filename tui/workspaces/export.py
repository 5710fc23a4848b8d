"""A session written to a file to be read elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...sessions.errors import BadInput
from ...texts import t
from ..showing import clean

if TYPE_CHECKING:
    from .session_context import SessionContext


class Export:
    """The key that exports the session."""

    def __init__(self, bench: SessionContext) -> None:
        self._bench = bench

    def can_export(self) -> bool:
        return self._bench.play is not None and bool(self._bench.play.session.events)

    def do_export(self) -> None:
        if self._bench.play is not None:
            self._bench.host.dialog(self._export())

    async def _export(self) -> None:
        from ...engines.blocks import export
        from ..screens.export import ExportScreen

        play = self._bench.play
        assert play is not None
        name = (
            Path(play.journal.path).stem
            if play.journal.path
            else play.session.workspace
        )
        wanted = await self._bench.host.ask(ExportScreen(Path.cwd() / f"{name}.md"))
        if wanted is None:
            return
        kind, path = wanted
        try:
            _write_new(Path(path), export(play.session, kind))
        except (OSError, BadInput) as error:
            self._bench.host.say(t("play.not_exported", why=clean(str(error))), "error")
        else:
            self._bench.host.say(
                t("play.exported", path=clean(str(path), newlines=False)), "information"
            )


def _write_new(path: Path, text: str) -> None:
    with open(path, "x", encoding="utf-8", newline="") as file:
        file.write(text)
