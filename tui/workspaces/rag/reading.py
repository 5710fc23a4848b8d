"""Where a user looks in a question: iterations, cited references, the document around a
reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....engines.rag.plan import latest
from ....engines.threads import in_thread
from .widgets.references import References

if TYPE_CHECKING:
    from ....sessions.events import Reference
    from ..columns import ColumnLayout
    from ..event_details import CloserLook
    from ..session_context import SessionContext
    from .claims import ClaimMark


class RagReading:
    """The keys that go to iterations and references."""

    def __init__(
        self,
        bench: SessionContext,
        columns: ColumnLayout,
        references: References,
        closer: CloserLook,
    ) -> None:
        self._bench = bench
        self._columns = columns
        self._references = references
        self._closer = closer

    async def do_jump(self, number: int) -> None:
        """Goes to the end of an iteration: its answer with its scores."""
        events = self._bench.play.session.events if self._bench.play is not None else []
        places = [
            at
            for at, event in enumerate(events, 1)
            if getattr(event, "iteration", None) == number
        ]
        if places:
            await self._bench.look(places[-1])
        else:
            self._bench.say("no_part", n=number)

    def can_cited(self) -> bool:
        return bool(self._references_cited())

    def _references_cited(self) -> list[int]:
        """Returns the numbers of the references that the answer cites."""
        turn = latest(self._bench.play.view) if self._bench.play is not None else None
        there = (
            {one.n for one in turn.retrieval.references}
            if turn is not None and turn.retrieval is not None
            else set()
        )
        if turn is not None and turn.answer is not None:
            return sorted(there & set(turn.answer.citations))
        return []

    def do_cited(self) -> None:
        """Goes to the next reference that the answer cites."""
        cited = self._references_cited()
        if not cited:
            self._bench.say("nothing_cited")
            return
        if self._bench.host.size.width < 100:
            self._columns.show("references")
        references = self._references
        now = (
            references.chosen.n
            if references.chosen is not None and references.has_focus
            else 0
        )
        references.focus()
        references.go(next((n for n in cited if n > now), cited[0]))

    def can_reasoning(self) -> bool:
        if self._bench.play is not None:
            return bool(getattr(self._bench.play.current, "reasoning", None))
        return False

    async def do_reasoning(self) -> None:
        current = self._bench.play.current if self._bench.play is not None else None
        if getattr(current, "reasoning", None):
            self._closer.do_raw()
        else:
            self._bench.say("no_reasoning")


async def show_document(
    bench: SessionContext, reference: Reference, marks: Sequence[ClaimMark]
) -> None:
    """Shows the document around a reference, scrolled to it; the passage alone where no
    document is at hand. `marks`: words in it.
    """
    from .screens.document import DocumentScreen
    from .surroundings import around

    play, method = bench.play, bench.method
    retriever = (
        method.tools.retriever(play.session.header)
        if play is not None and method is not None
        else None
    )
    text, why = await in_thread(lambda: around(retriever, reference))
    bench.host.push_screen(DocumentScreen(reference, text, why, marks))
