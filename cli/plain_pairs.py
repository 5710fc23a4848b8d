"""Pairs of cases labelled, or decided between people, as lines."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..sessions.clean import clean
from ..sessions.errors import BadInput
from ..sessions.events.labels import Label
from ..texts import t
from ..tui.workspaces.relevance.labeling.labelers import last_label, shows_machine
from ..tui.workspaces.relevance.labeling.pair import pair_play
from ..tui.workspaces.relevance.labeling.wording import (
    line,
    of_label,
    pair_name,
    words_of,
)
from ..tui.workspaces.relevance.labeling_state import SAID
from . import console
from .console import out, say
from .person import InputLines

if TYPE_CHECKING:
    from ..sessions.case_pairs import PairAt
    from ..tui.workspaces.relevance.labeling.labelers import PairQueue

KEYS = {
    "0-3": "level",
    ".": "next_pair",
    ",": "pair_before",
    "a": "unlabelled",
    "T": "texts",
    "Z": "undo",
    "?": "help",
    "q": "quit",
}
"""As in the app, each with the text that says what it does."""
WIDE = 1000
"""Cells of the line that says how far a person is: all of it."""


class PlainPairs:
    """One person's pairs, one after the other."""

    def __init__(self, queue: PairQueue) -> None:
        self._queue = queue
        self._pair = queue.begin()
        self._since = time.monotonic()
        self._asked = ""
        """The text of the query that was printed last."""

    async def serve(self) -> int:
        """Obeys line after line until `q` or the end of the input."""
        lines = InputLines(0)
        try:
            self._show(self._pair)
            while (text := await lines.next()) is not None and text.strip() != "q":
                try:
                    self._obey(text.strip())
                except BadInput as error:
                    say(str(error))
                self._prompt()
        finally:
            self._queue.close()
        return console.DONE

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
            for name, what in KEYS.items():
                out(f"{name}: {t(f'plain.key_{what}')}\n")
        else:
            say(t("plain.no_key", key=clean(key, newlines=False)[:40]))

    def _go(self, pair: PairAt | None, end: str) -> None:
        if pair is None:
            say(t(f"{self._queue.scope}.{end}"))
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
            out(f"\n[{t('relevance.query')}]\n{asked}\n")
            self._asked = asked
        (candidate,) = task["candidates"]
        out(f"\n[{t('relevance.candidate')}]\n{clean(str(candidate['text']))}\n")
        for person, label in queue.people(pair).items():
            out(f"\n{words_of(person, label).plain}\n")
        self._prompt()

    def _prompt(self) -> None:
        machine = shows_machine(self._queue, self._pair)
        out(f"\n{line(self._queue, self._pair, WIDE, machine=machine).plain}\n")
        out(t("plain.pair") + "\n")

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
            say(t(f"labelling.{done}", n=n, annotator=who))
        else:
            self._show(following)

    def _take_back(self) -> None:
        """Takes the last label back; it stays in the file."""
        queue, last = self._queue, last_label(self._queue, None)
        if last is None:
            say(t(f"{queue.scope}.nothing_given"))
            return
        pair, label = last
        undone = Label(
            candidate=pair.candidate,
            annotator=queue.annotator,
            undone=True,
            seen_machine=label.seen_machine,
        )
        queue.keep(pair, undone)
        case = pair_name(queue, pair)
        say(t(f"{queue.scope}.taken_back", case=case, level=of_label(label)))
        self._show(pair)
