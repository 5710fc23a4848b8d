"""A session written to a file to be read elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

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
        from ..screens.export import ExportScreen, write_new

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
        said = write_new(path, lambda: export(play.session, kind))
        self._bench.host.say(*said)
