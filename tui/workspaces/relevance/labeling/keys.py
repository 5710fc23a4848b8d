"""Key handlers for labelling pair by pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from textual.content import Content
from textual.widgets import Static

from .....sessions.case_pairs import PairAt
from .....sessions.errors import SessionError
from .....sessions.events.labels import Label
from .....texts import t
from .labelers import Adjudicator, PairLabeler, last_label, reveal, shows_machine
from .pair import pair_play
from .wording import line, number, of_label, own_words, pair_name, reply_words, words_of

if TYPE_CHECKING:
    from ...session_context import SessionContext
    from ..widgets.people import RaterColumns
    from .labelers import PairQueue


class PairKeys:
    """Goes through the pairs of a sitting.

    Each is shown as a session of its own, which is only read; labels go to the person's
    file.
    """

    def __init__(self, bench: SessionContext, sitting: PairQueue) -> None:
        self._bench = bench
        self._sitting = sitting
        self.pair = sitting.begin()
        """The pair on screen."""
        self._ended = sitting.progress().done == len(sitting.queue())
        """Whether it has been said that all is labelled, as long as that is so."""

    @property
    def machine(self) -> bool:
        """Whether the machine's word of the pair on screen is shown."""
        return shows_machine(self._sitting, self.pair)

    @property
    def annotator(self) -> str:
        """Under whose name labels are kept."""
        return self._sitting.annotator

    @property
    def decides(self) -> bool:
        """Whether it is decided between people."""
        return self._sitting.decides

    @property
    def advance(self) -> bool:
        """Whether a level leads on by itself."""
        return self._sitting.advance

    @property
    def guideline(self) -> str:
        """The team's own rules."""
        return self._sitting.guideline

    @property
    def scale(self) -> dict[int, str]:
        """The team's own levels with names."""
        return self._sitting.scale

    @property
    def name(self) -> str:
        """The pair on screen, as it is called."""
        return pair_name(self._sitting, self.pair)

    def phrase(self, key: str, **values: object) -> str:
        """Returns a sentence of the texts for labelling, or of those for deciding."""
        return t(f"{self._sitting.scope}.{key}", **values)

    def tell(self, line_: Static, people: RaterColumns) -> None:
        """Show the progress, and the pair's labels.

        Other people's labels are shown only during adjudication.
        """
        line_.update(
            line(
                self._sitting,
                self.pair,
                line_.content_region.width,
                machine=self.machine,
            ),
            layout=False,
        )
        said = [
            words_of(name, label, self._sitting.scale)
            for name, label in self._sitting.people(self.pair).items()
        ]
        own = own_words(self._sitting.label(self.pair))
        reply = self._reply()
        people.tell([one for one in (*said, own, reply) if one is not None])

    def _reply(self) -> Content | None:
        """Return the lead's reply to the person's note on this pair."""
        if isinstance(self._sitting, Adjudicator):
            return None
        found = self._sitting.reply(self.pair)
        return reply_words(found) if found is not None else None

    async def go_to(self, where: object) -> bool:
        """Shows a pair, if it is another one than that on screen; False, after a
        message, where it cannot be read.
        """
        return where == self.pair or (
            isinstance(where, PairAt) and await self.open(where)
        )

    async def labelled(self) -> None:
        """Says, after a level, that all is labelled; else continues, where that is
        wished.
        """
        self._tell_known()
        if self._sitting.progress().done == len(self._sitting.queue()):
            if not self._ended:
                self._ended = True
                self.tell_end()
        else:
            self._ended = False
            if self.advance:
                await self.do_unlabelled()

    def _tell_known(self) -> None:
        """After a level of a training pair, says the known one; after the last, how
        many were right.
        """
        if isinstance(self._sitting, Adjudicator):
            return
        known, label = self._sitting.known(self.pair), self._sitting.label(self.pair)
        if known is None or label is None or label.value is None:
            return
        word = "right" if label.value == known else "wrong"
        told = t(f"labelling.training_{word}", known=known, level=label.value)
        right, done, of = self._sitting.training()
        if done == of:
            told += " " + t("labelling.training_done", right=right, total=of)
        self._bench.host.say(told, "information" if word == "right" else "warning")

    async def begin(self) -> None:
        """Shows the pair to begin with; one whose session cannot be read is passed
        over.
        """
        for pair in (self.pair, *self._sitting.queue()):
            if await self.open(pair):
                return

    async def open(self, pair: PairAt) -> bool:
        """Shows a pair; False, after a message, where its session cannot be read."""
        try:
            if self._sitting.assisted and not shows_machine(self._sitting, pair):
                reveal(self._sitting, pair)
            machine = shows_machine(self._sitting, pair)
            play = pair_play(
                pair,
                pair_name(self._sitting, pair),
                self._sitting.label(pair),
                self._sitting.scope,
                machine=machine,
            )
        except SessionError as error:
            self._bench.refuse(error)
            return False
        self.pair = pair
        await self._bench.view.open(play)
        return True

    def keep(self, label: Label) -> None:
        """Writes a label of the pair on screen, and shows it there.

        Raises: BadInput for a level outside the team's scale; SessionError.
        """
        kept = self._sitting.keep(self.pair, label)
        play = self._bench.play
        if play is not None:
            play.session.events.append(
                msgspec.structs.replace(kept, candidate=self.pair.candidate)
            )
            play.cursor = len(play.session.events)

    # From pair to pair

    async def do_next_pair(self) -> None:
        await self._step(1)

    async def do_pair_before(self) -> None:
        await self._step(-1)

    async def _step(self, by: int) -> None:
        pair = self._sitting.step(self.pair, by)
        while pair is not None and not await self.open(pair):
            pair = self._sitting.step(pair, by)
        if pair is None:
            self._bench.host.say(
                self.phrase("first" if by < 0 else "last"), "information"
            )

    async def do_unlabelled(self) -> None:
        """Goes to the next pair without a label; without one, says what to do next."""
        sitting = self._sitting
        pair = sitting.next(self.pair)
        back = isinstance(sitting, PairLabeler) and pair and sitting.returns(pair)
        if pair is not None and (
            back or sitting.progress().done < len(sitting.queue())
        ):
            await self.open(pair)
        else:
            self.tell_end()

    def do_advance(self) -> None:
        """Goes on by itself after a level from now on, or stays."""
        self._sitting.advance = not self._sitting.advance
        self._bench.host.say(
            t("labelling.goes_on" if self._sitting.advance else "labelling.stays"),
            "information",
        )
        self._bench.host.dialog(self._bench.view.refresh_view())

    def tell_end(self) -> None:
        """Says that all is labelled, and what to do next."""
        from .all_labeled import AllLabelled

        self._bench.host.push_screen(
            AllLabelled(self._sitting, self._bench.host.key("blind"))
        )

    def do_library(self) -> None:
        self._bench.host.dialog(self._choose())

    async def _choose(self) -> None:
        """Shows the pairs of this person with their own labels, and goes to the one
        chosen there.
        """
        from .pairs_screen import PairsScreen

        chosen = await self._bench.host.ask(PairsScreen(self._sitting, self.pair))
        if chosen is not None:
            await self.open(chosen)

    async def do_undo(self) -> None:
        """Takes back what was done last since the start; before that, the last label
        that was given in this place.
        """
        if self._bench.undo.can_undo():
            await self._bench.undo.do_undo()
            return
        last = last_label(self._sitting, None)
        if last is None:
            self._bench.host.say(self.phrase("nothing_given"), "warning")
        elif await self.go_to(last[0]):
            await self._take_back(last[1])

    async def _take_back(self, label: Label) -> None:
        """Takes back the label of the pair on screen; it stays in the file."""
        try:
            self.keep(
                Label(
                    candidate=self.pair.candidate,
                    annotator=self.annotator,
                    undone=True,
                    seen_machine=label.seen_machine,
                )
            )
        except SessionError as error:
            self._bench.refuse(error)
            return
        self._ended = False
        self._bench.host.say(
            self.phrase("taken_back", case=self.name, level=of_label(label)),
            "information",
        )
        await self._bench.view.refresh_view()

    def do_heatmap(self) -> None:
        """Show the labelling overview to an adjudicator, unless names are hidden."""
        from .overview_screen import OverviewScreen

        if not isinstance(self._sitting, Adjudicator) or self._sitting.anonymous:
            self._bench.host.say(t("labelling.overview_anonymous"), "information")
            return
        self._bench.host.push_screen(OverviewScreen(self._sitting))

    # The machine's word

    def can_blind(self) -> bool:
        return not self.machine

    def do_blind(self) -> None:
        self._bench.host.dialog(self._reveal())

    async def _reveal(self) -> None:
        """Shows what the machine says of the pair, after a question: a label given from
        then on has seen it.
        """
        from ....screens.confirm import ConfirmScreen

        if self.machine:
            self._bench.host.say(t("labelling.shown_already"), "information")
            return
        all_done = self._sitting.progress().done == len(self._sitting.queue())
        question = self.phrase(
            "reveal_all" if all_done else "reveal", n=number(self._sitting, self.pair)
        )
        if not await self._bench.host.ask(
            ConfirmScreen(question, t("labelling.reveal_yes"), t("labelling.reveal_no"))
        ):
            return
        try:
            for pair in self._sitting.queue() if all_done else (self.pair,):
                if not shows_machine(self._sitting, pair):
                    reveal(self._sitting, pair)
        except SessionError as error:
            self._bench.refuse(error)
            return
        await self.open(self.pair)
