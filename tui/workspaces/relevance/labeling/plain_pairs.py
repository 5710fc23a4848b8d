"""Pairs of cases labelled, or decided between people, as lines."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

from .....sessions.clean import clean
from .....sessions.errors import BadInput
from .....sessions.events.labels import Label
from .....texts import t
from ..labeling_state import SAID
from .labelers import last_label, shows_machine
from .pair import pair_play
from .wording import line, of_label, pair_name, words_of

if TYPE_CHECKING:
    from .....sessions.case_pairs import PairAt
    from .labelers import PairQueue

KEYS = {
    "0-3": "level",
    ".": "next_pair",
    ",": "pair_before",
    "a": "unlabelled",
    "T": "texts",
    "Z": "take_back",
    "?": "help",
    "q": "quit",
}
"""As in the app, each with the text that says what it does."""
WIDE = 1000
"""Cells of the line that says how far a person is: all of it."""


class TypedLines(Protocol):
    """The lines that a person types."""

    def next(self) -> Awaitable[str | None]:
        """Returns the next line; None at the end."""


class PlainPairs:
    """One person's pairs, one after the other."""

    def __init__(
        self,
        queue: PairQueue,
        lines: TypedLines,
        out: Callable[[str], None],
        say: Callable[[str], None],
    ) -> None:
        """`out` prints a text, `say` a sentence about what was typed."""
        self._queue = queue
        self._lines, self._out, self._say = lines, out, say
        self._pair = queue.begin()
        self._since = time.monotonic()
        self._asked = ""
        """The text of the query that was printed last."""

    async def serve(self) -> int:
        """Obeys line after line until `q` or the end of the input; returns the exit
        code.
        """
        try:
            self._show(self._pair)
            self._prompt()
            while (typed := await self._lines.next()) is not None:
                text = typed.strip()
                if text == "q":
                    break
                try:
                    self._obey(text)
                except BadInput as error:
                    self._say(str(error))
                self._prompt()
        finally:
            self._queue.close()
        return 0

    def _obey(self, text: str) -> None:
        key, _, words = text.partition(" ")
        queue, pair = self._queue, self._pair
        steps = {".": 1, ",": -1}
        if key in ("0", "1", "2", "3"):
            self._keep(int(key), words.strip())
        elif key in steps:
            self._go(queue.step(pair, steps[key]), "last" if key == "." else "first")
        elif key == "a":
            self._go(queue.next(pair), "last")
        elif key == "T":
            self._asked = ""
            self._show(pair)
        elif key == "Z":
            self._take_back()
        elif key == "?":
            for level, word in queue.scale.items():
                self._out(f"{level}: {word}\n")
            for name, what in KEYS.items():
                if not (queue.scale and what == "level"):
                    self._out(f"{name}: {t(f'plain.key_{what}')}\n")
        else:
            self._say(t("plain.no_key", key=clean(key, newlines=False)[:40]))

    def _go(self, pair: PairAt | None, end: str) -> None:
        if pair is None:
            self._say(t(f"{self._queue.scope}.{end}"))
        else:
            self._show(pair)

    def _show(self, pair: PairAt) -> None:
        """Prints both texts, that of the query where it is another one, and what people
        have said where that may be seen. Raises: SessionError.
        """
        queue, self._pair, self._since = self._queue, pair, time.monotonic()
        name, machine = pair_name(queue, pair), shows_machine(queue, pair)
        play = pair_play(pair, name, queue.label(pair), queue.scope, machine=machine)
        task = play.session.header.task
        asked = clean(str(task["query"]["text"]))
        if asked != self._asked:
            self._out(f"\n[{t('relevance.query')}]\n{asked}\n")
            self._asked = asked
        (candidate,) = task["candidates"]
        self._out(f"\n[{t('relevance.candidate')}]\n{clean(str(candidate['text']))}\n")
        for person, label in queue.people(pair).items():
            self._out(f"\n{words_of(person, label, queue.scale).plain}\n")

    def _prompt(self) -> None:
        machine = shows_machine(self._queue, self._pair)
        self._out(f"\n{line(self._queue, self._pair, WIDE, machine=machine).plain}\n")
        self._out((self._scale() or t("plain.pair")) + "\n")

    def _scale(self) -> str:
        """What can be typed on a team's own scale; empty on the usual one."""
        levels = [f"{level} {word}" for level, word in self._queue.scale.items()]
        return t("plain.pair_scale", levels=", ".join(levels)) if levels else ""

    def _keep(self, value: int, reason: str) -> None:
        """Writes a level, with a reason or a note, and goes to the next pair without
        one.
        """
        queue, pair, before = self._queue, self._pair, self._queue.label(self._pair)
        said = {name: getattr(before, name) for name in SAID} if before else {}
        if reason:
            said["reason" if queue.decides else "note"] = reason
        made = Label(
            candidate=pair.candidate,
            annotator=queue.annotator,
            seen_machine=shows_machine(queue, pair),
            seconds=round(time.monotonic() - self._since, 1),
            **{**said, "value": value, "bits": None},
        )
        queue.keep(pair, made)
        following = queue.next(pair)
        if following is None or queue.progress().done == len(queue.queue()):
            done = "all_decided" if queue.decides else "all_labelled"
            n, who = len(queue.queue()), clean(queue.name, newlines=False)
            self._say(t(f"labelling.{done}", n=n, annotator=who))
        else:
            self._show(following)

    def _take_back(self) -> None:
        """Takes the last label back; it stays in the file."""
        queue, last = self._queue, last_label(self._queue, None)
        if last is None:
            self._say(t(f"{queue.scope}.nothing_given"))
            return
        pair, label = last
        undone = Label(
            candidate=pair.candidate,
            annotator=queue.annotator,
            undone=True,
            seen_machine=label.seen_machine,
        )
        queue.keep(pair, undone)
        words = {"level": of_label(label), "case": pair_name(queue, pair)}
        self._say(t("undo.done", what=t("undo.label", **words)))
        self._show(pair)
