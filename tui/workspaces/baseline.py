"""The results of `lexical` for a bundled example: the baseline next to the handwritten
replies.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...sessions.errors import SessionError

if TYPE_CHECKING:
    from ...sessions.session import Header, Session
    from ..play import Play
    from .base import Workspace


class LexicalBaseline:
    """The same task, played by the real engine with `lexical` in all roles.

    It is started when it is first shown, and then kept.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._of: Header | None = None
        self._made: Session | None = None

    def session(self, play: Play) -> Session | None:
        """The finished session; None if there is none yet: the workspace is shown again
        when there is.
        """
        header = play.session.header
        if self._of is not header and not self._workspace.running:
            self._of, self._made = header, None
            if header.lineup and all(
                seat.model == "script" for seat in header.lineup.values()
            ):
                self._workspace.run_worker(
                    partial(self._play, header),  # type: ignore[arg-type]
                    group="baseline",
                    exclusive=True,
                    exit_on_error=False,
                )
        if self._of is header:
            return self._made
        return None

    async def _play(self, header: Header) -> None:
        """Plays it in the background, with separate tools: some of its steps take half
        a second the first time.
        """
        import asyncio

        from ...engines.api import baseline
        from ...engines.method import method_of
        from ...engines.models.port import ModelError
        from ...engines.threads import in_thread
        from ...engines.tools import Tools
        from ...sessions.paths import paths

        if method_of(header).unscripted(header) is not None:
            return
        tools = Tools(self._workspace.host.config, paths(), foreign=True)
        try:
            made = await in_thread(lambda: asyncio.run(baseline(header, tools)))
        except (ModelError, SessionError):
            return  # the example stands without it
        finally:
            tools.close()
        if self._of is header:
            self._made = made
            await self._workspace.refresh_view()
