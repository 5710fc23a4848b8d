"""Ends the process when its terminal is gone or on a signal, even if everything else
hangs.
"""

from __future__ import annotations

import os
import select
import signal
import termios
import threading
import time
from contextlib import suppress
from typing import Protocol

GRACE = 2.0
"""Seconds that the app has to end by itself."""

STALLED = 1.0
"""Seconds after which it no longer waits for a terminal that takes nothing."""

LOOK = 1000
"""Milliseconds between two looks at the terminal.

Most systems report a hang-up at once.
"""

INTERRUPTED = 130
"""The exit code, as after Ctrl+C."""

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Those that end the app, unless its parent has them ignored.

A key, Ctrl+C among them, is no signal in the app.
"""

_GIVE_BACK = (
    b"\x1b[?2004l\x1b[?7h\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[<u"
    b"\x1b[?1049l\x1b[?25h\x1b[?1004l"
)
"""Turns off what the app has turned on in the terminal."""


class AppEnd(Protocol):
    """Ends the app. Called from the watchdog's thread."""

    def asked_to_leave(self, code: int) -> bool: ...

    def let_go(self) -> None: ...


class Watchdog:
    """A thread that waits for SIGINT, SIGTERM, SIGHUP or the end of the terminal.

    It hears of signals through a pipe that the signal handler itself writes to, so a
    blocked main thread keeps nothing from it. It first asks the app to leave; after
    `GRACE` seconds it ends the process. Events are on disk as soon as they are kept.
    """

    def __init__(self) -> None:
        self.app: AppEnd | None = None
        self.ending = False
        """Whether the process is to end now."""
        self._terminal = next((each for each in (0, 1, 2) if os.isatty(each)), 0)
        self._heard, self._told = os.pipe()
        self._modes: list[object] | None = None
        self._deadly: set[int] = set()
        """The signals that end the process."""

    def start(self) -> None:
        """Begins to watch; call it from the main thread.

        Signals that the parent ignores (nohup) stay ignored.
        """
        with suppress(termios.error):
            self._modes = termios.tcgetattr(self._terminal)
        os.set_blocking(self._told, False)
        signal.set_wakeup_fd(self._told, warn_on_full_buffer=False)
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda *_: None)  # the pipe tells of it
                self._deadly.add(number)
        threading.Thread(
            target=self._watch, name="verifytui-watchdog", daemon=True
        ).start()

    def leave_now(self) -> None:
        """Ends the process after the app, if a signal asked for it, whatever threads
        and handlers remain.
        """
        if self.ending:
            os._exit(INTERRUPTED)

    def _watch(self) -> None:
        poll = select.poll()
        poll.register(self._heard, select.POLLIN)
        poll.register(self._terminal, 0)  # errors and the hang-up are always reported
        while True:
            for descriptor, _ in poll.poll(LOOK):
                if descriptor == self._terminal:
                    return self._end(hung_up=True)
                if self._deadly & set(os.read(self._heard, 512)):
                    return self._end(hung_up=False)

    def _end(self, hung_up: bool) -> None:
        self.ending = True
        began = time.monotonic()
        asked = False
        while (waited := time.monotonic() - began) < GRACE:
            app = self.app
            if app is not None:
                if hung_up or waited > STALLED:
                    app.let_go()
                asked = asked or app.asked_to_leave(INTERRUPTED)
            time.sleep(0.02)
        self._give_terminal_back()
        os._exit(INTERRUPTED)

    def _give_terminal_back(self) -> None:
        """Gives the terminal back as it was, as far as that needs no waiting."""
        with suppress(OSError, ValueError, termios.error):
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
            if self._modes is not None:
                termios.tcsetattr(self._terminal, termios.TCSANOW, self._modes)  # type: ignore[arg-type]
            poll = select.poll()
            poll.register(2, select.POLLOUT)
            if poll.poll(0):
                os.write(2, _GIVE_BACK)
