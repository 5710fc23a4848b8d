"""The way to and from a terminal that may be gone at any time.

Textual writes in a thread, through a queue with little room. Without the terminal that
thread dies of its first error; the queue fills, and the event loop waits for room for
ever: no signal and no key is heard any more.
"""

from __future__ import annotations

import os
import re
import select
from codecs import getincrementaldecoder
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TextIO

from textual.events import Key
from textual.message import Message

from .colors import ANSWER, BEGUN, TerminalAnswer, questions
from .compat import OpenDriver

if TYPE_CHECKING:
    from textual.app import App

CORNER, SHORT_CORNER = "\x1b[1;1H", "\x1b[H"
"""Two ways to move the cursor to the first cell; Textual ends each picture with it."""

KEEP_TITLE, GIVE_TITLE_BACK = "\x1b[22;2t", "\x1b[23;2t"
"""The terminal keeps the title of its window, and takes it again."""

INTERVAL = 0.1
"""Seconds after which the reader looks again whether the app ends; a lone escape has
become a key by then.
"""


class Outgoing:
    """A file to write to; once it fails, nothing is written any more."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self.gone = False

    def write(self, text: str) -> None:
        if not self.gone:
            try:
                self._file.write(text)
            except (OSError, ValueError):
                self.gone = True

    def flush(self) -> None:
        if not self.gone:
            try:
                self._file.flush()
            except (OSError, ValueError):
                self.gone = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class TerminalDriver(OpenDriver):
    """Textual's driver, which never waits for a terminal that is gone."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        self._let_go = False
        self._out: Outgoing | None = None
        self.wrap_file(self._outgoing)

    def _outgoing(self, file: TextIO) -> Outgoing:
        self._out = Outgoing(file)
        return self._out

    def start_application_mode(self) -> None:
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self.write(KEEP_TITLE + questions())

    def stop_application_mode(self) -> None:
        self.write(GIVE_TITLE_BACK)
        super().stop_application_mode()

    def write(self, data: str) -> None:
        if not self._let_go and self.writes:
            if data.endswith(CORNER):
                data = data.removesuffix(CORNER) + SHORT_CORNER
            super().write(data)

    def let_go(self) -> None:
        """Stop reading and writing, and release waiting threads. Thread-safe."""
        self._let_go = True
        if self._out is not None:
            self._out.gone = True
        self.exit_event.set()
        self.drop_unwritten()

    def close(self) -> None:
        if not self._let_go:
            super().close()

    def run_input_thread(self) -> None:
        """Reads keys until the app ends.

        Bytes and sequences that mean nothing are skipped; Textual alone would end.
        """
        decode = getincrementaldecoder("utf-8")("replace").decode
        parser = self.key_parser()
        begun = ""
        while True:
            last = self.exit_event.is_set()
            ready = select.select([self.fileno], [], [], INTERVAL)[0]
            data = os.read(self.fileno, 4096) if ready else b""
            if ready and not data:
                return
            text = ANSWER.sub(self._answered, begun + decode(data))
            # what is no answer within the interval was keys
            half = BEGUN.search(text) if ready else None
            begun = half[0] if half is not None else ""
            text = text.removesuffix(begun)
            if text:
                try:
                    self._pass_on(parser.feed(text))
                except (
                    ValueError,
                    OverflowError,
                ):  # a key number that no character has
                    parser = self.key_parser()
            if last:
                return
            self._pass_on(parser.tick())

    def _answered(self, answer: re.Match[str]) -> str:
        """Tells the app what the terminal answered; returns the keys in it: none."""
        self.process_message(TerminalAnswer(answer["name"], answer["ground"]))
        return ""

    def _pass_on(self, messages: Iterable[Message]) -> None:
        for message in messages:
            lone = isinstance(message, Key) and any(
                "\ud800" <= each <= "\udfff" for each in message.character or ""
            )
            if not lone:  # half a character cannot be written anywhere
                self.process_message(message)
