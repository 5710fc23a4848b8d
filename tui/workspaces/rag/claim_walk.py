"""The keys that go from claim to claim: each is shown with the words it rests on, in
its passage too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ....engines.rag.plan import RagIteration, latest
from .claims import Place, claim_at, every_claim
from .kinds import is_ranked

if TYPE_CHECKING:
    from ..session_context import SessionContext


class ClaimWalk:
    """Which claim is looked at."""

    def __init__(
        self, bench: SessionContext, show: Callable[[], Awaitable[None]]
    ) -> None:
        """`show` shows the claim that is looked at."""
        self._bench = bench
        self._show = show
        self._place: Place | None = None

    def place(self, turn: RagIteration | None) -> Place | None:
        """The index of the selected claim; None if it is not in this iteration."""
        if claim_at(turn, self._place) is not None:
            return self._place
        return None

    def can_claim_next(self) -> bool:
        return bool(every_claim(self._turn()))

    can_claim_before = can_claim_next

    async def do_claim_next(self) -> None:
        await self._go(1)

    async def do_claim_before(self) -> None:
        await self._go(-1)

    def _turn(self) -> RagIteration | None:
        play = self._bench.play
        if play is None or is_ranked(play.session):
            return None
        return latest(play.view)

    async def _go(self, by: int) -> None:
        turn = self._turn()
        places = [place for place, _, _ in every_claim(turn)]
        if not places:
            self._bench.say("no_claims")
            return
        before = self.place(turn)
        at = places.index(before) + by if before is not None else 0 if by > 0 else -1
        self._place = places[at % len(places)]
        await self._show()
