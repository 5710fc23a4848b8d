"""The real command in a terminal of its own, and a person who looks at it and presses
keys.
"""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import termios
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pyte
import pytest
from rich.cells import cell_len

KEYS = {
    "left": "\x1b[D",
    "right": "\x1b[C",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "escape": "\x1b",
    "enter": "\r",
    "tab": "\t",
    "space": " ",
    "F1": "\x1bOP",
    "F2": "\x1bOQ",
    "F5": "\x1b[15~",
    "F10": "\x1b[21~",
    "^c": "\x03",
    "^o": "\x0f",
    "^p": "\x10",
    "^q": "\x11",
}
"""As a plain xterm sends them."""

NOT_FOR_PYTE = re.compile(
    rb"\x1b\[[<>=][0-9;]*[a-z]|\x1b\[\?[0-9;]*\$p|\x1bP[^\x1b]*\x1b\\"
)
"""Questions and keyboard protocols, which pyte would draw as text."""

LEFT = b"\x1b[?1049l"
ENTERED = b"\x1b[?1049h"

FOREIGN = (
    "Traceback",
    "LiteLLM",
    "Warning",
    "Give Feedback",
    "Provider List",
    "DEBUG",
    "ERROR",
    "asyncio",
)
"""What libraries print when nobody stops them."""


SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=["80x24", "120x36"])


HOME = "New question"
"""What Home says wherever it is shown."""
INVITED = "space for the first"
"""What the example says before its first step."""


class Readable(pyte.Screen):
    """Can be read while half of a wide character is overwritten, between two pieces of
    what comes; pyte by itself fails then.

    A cursor outside the margins moves as on any terminal; pyte by itself takes it back
    between them.
    """

    def cursor_down(self, count: int | None = None) -> None:
        y = self.cursor.y
        super().cursor_down(count)
        if self.margins and y > self.margins.bottom:
            self.cursor.y = min(y + (count or 1), self.lines - 1)

    def cursor_up(self, count: int | None = None) -> None:
        y = self.cursor.y
        super().cursor_up(count)
        if self.margins and y < self.margins.top:
            self.cursor.y = max(y - (count or 1), 0)

    @property
    def display(self) -> list[str]:
        return ["".join(self._cells(self.buffer[y])) for y in range(self.lines)]

    def _cells(self, line: Any) -> Iterator[str]:
        wide = False
        for x in range(self.columns):
            data = line[x].data
            if not wide:
                yield data or " "
            wide = not wide and bool(data) and cell_len(data[0]) == 2


class Filling(Readable):
    """A terminal that gives lines that come in the colour in use, as xterm does; pyte
    by itself gives them none, as GNU screen does.
    """

    def insert_lines(self, count: int | None = None) -> None:
        top, bottom = self.margins or (0, self.lines - 1)
        y = self.cursor.y
        super().insert_lines(count)
        if top <= y <= bottom:
            self._fill(range(y, min(y + (count or 1), bottom + 1)))

    def delete_lines(self, count: int | None = None) -> None:
        top, bottom = self.margins or (0, self.lines - 1)
        y = self.cursor.y
        super().delete_lines(count)
        if top <= y <= bottom:
            self._fill(range(max(bottom + 1 - (count or 1), y), bottom + 1))

    def _fill(self, rows: range) -> None:
        for y in rows:
            for x in range(self.columns):
                self.buffer[y][x] = self.default_char._replace(bg=self.cursor.attrs.bg)


class Terminal:
    """`with Terminal("replay", path) as terminal:`; its process is gone after that,
    however the test ends.
    """

    def __init__(
        self,
        *arguments: str | Path,
        size: tuple[int, int] = (80, 24),
        shell: str | None = None,
        **env: str,
    ) -> None:
        command = (
            [sys.executable, "-m", "verifytui", *map(str, arguments)]
            if shell is None
            else ["/bin/sh", "-c", shell]
        )
        given: dict[str, Any] = {
            "TERM": "xterm-256color",
            "LANG": "en_US.UTF-8",
            "COLORTERM": "truecolor",
            **env,
        }
        without = (
            "SSH_CONNECTION",
            "SSH_TTY",
            "TMUX",
            "STY",
            "NO_COLOR",
            "LC_ALL",
            "LC_MESSAGES",
            "COLUMNS",
            "LINES",
        )
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in without and not name.startswith("TEXTUAL")
        }
        self.size = size
        self.screen = (Readable if given["TERM"].startswith("screen") else Filling)(
            *size
        )
        self._stream = pyte.ByteStream(self.screen)
        self.raw = bytearray()
        self._half = b""
        self.child = pexpect.spawn(
            command[0],
            command[1:],
            env={**kept, **given},
            dimensions=size[::-1],
            timeout=None,
            cwd=os.environ["HOME"],
            use_poll=True,  # select() takes no descriptor past 1,023
        )
        self._modes = termios.tcgetattr(self.child.child_fd)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.child.isalive():
            self.child.kill(signal.SIGKILL)
            self.child.wait()
        self.child.close()

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def _read(self, seconds: float) -> bool:
        """Takes in what came; False once there is nothing more to come."""
        try:
            data = self.child.read_nonblocking(1 << 16, max(seconds, 0))
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            data = self._last_words()
            if not data:
                return False
        self.raw += data
        data = self._half + data
        cut = data.rfind(b"\x1b")
        cut = (
            cut
            if cut >= 0
            and len(data) - cut < 40
            and not re.match(rb"\x1b\[[0-9;?]*[A-Za-z]", data[cut:])
            else len(data)
        )
        self._half, data = data[cut:], data[:cut]
        self._stream.feed(NOT_FOR_PYTE.sub(b"", data))
        return True

    def _last_words(self) -> bytes:
        """What the command wrote just before it ended: pexpect drops it where the end
        comes between two looks of its own.
        """
        poll = select.poll()
        poll.register(self.child.child_fd, select.POLLIN)
        waiting = poll.poll(0)
        try:
            if waiting:
                return os.read(self.child.child_fd, 1 << 16)
            return b""
        except OSError:  # so Linux says that the other side is closed
            return b""

    def invited(self) -> None:
        """Waits for the example; Home, where a key has the app open on it, leads there."""
        self.until(lambda: INVITED in self.text or HOME in self.text)
        if INVITED not in self.text:
            self.leave_home()
            self.until(INVITED)

    def leave_home(self) -> None:
        """Goes from Home to the tab of debates."""
        self.until("Home")
        self.press("g", "d")
        self.until(lambda: "Home" not in self.text)

    def until(self, wanted: str | Callable[[], object], seconds: float = 30) -> None:
        """Until a text (or something else) is there; fails with the picture if it never
        is.
        """
        holds = wanted if callable(wanted) else (lambda: wanted in self.text)
        end = time.monotonic() + seconds
        while not holds():
            left = end - time.monotonic()
            if left <= 0 or not self._read(min(left, 0.2)):
                if holds():
                    return
                raise AssertionError(f"waited in vain for {wanted!r} in\n{self.text}")

    def quiet(self) -> None:
        """Until nothing comes and the process waits, look after look.

        A machine that is busy elsewhere does not count as silence.
        """
        looks = 0
        while looks < 8:
            length = len(self.raw)
            if not self._read(0.05):
                return
            looks = looks + 1 if length == len(self.raw) and self._waits() else 0

    def _waits(self) -> bool:
        """No thread of the command runs or wants to run."""
        try:
            threads = [
                thread.read_text()
                for thread in Path(f"/proc/{self.child.pid}/task").glob("*/stat")
            ]
        except OSError:  # one has just ended
            return False
        return all(thread.rpartition(")")[2].split()[0] in "STtZ" for thread in threads)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.child.send(KEYS.get(key, key))

    def step(self, n: int, of: int) -> None:
        """Until the line above says so."""
        self.until(lambda: f" {n}/{of} " in self.screen.display[0])

    def resize(self, width: int, height: int) -> None:
        self.screen.resize(height, width)
        self.child.setwinsize(height, width)

    def ended(self, code: int = 0, seconds: float = 20) -> str:
        """Until the command has left, with the terminal as it found it.

        What it printed outside its own screen.
        """
        end = time.monotonic() + seconds
        while self._read(0.2):
            assert time.monotonic() < end, f"still there:\n{self.text}"
        after = termios.tcgetattr(self.child.child_fd)
        assert after[3] & (termios.ICANON | termios.ECHO) == self._modes[3] & (
            termios.ICANON | termios.ECHO
        )
        self.child.wait()
        assert self.child.exitstatus == code, (
            self.child.exitstatus,
            self.child.signalstatus,
            self.outside(),
        )
        return self.outside()

    def outside(self) -> str:
        """Readable characters before the app took the screen and after it gave it back."""
        raw = bytes(self.raw)
        if ENTERED not in raw:
            return raw.decode()
        assert raw.count(ENTERED) == raw.count(LEFT), "the screen was not given back"
        parts = raw[: raw.index(ENTERED)] + raw[raw.rindex(LEFT) + len(LEFT) :]
        return re.sub(r"\x1b(\[[0-9;?<>=]*[a-zA-Z]|[78=>])|[\r\n]", "", parts.decode())

    def nothing_foreign(self, but: Collection[str] = ()) -> None:
        """No library has written anything, and what the app draws stands where it drew
        it. `but`: words that the app itself has said.
        """
        readable = re.sub(
            r"\x1b\[[0-9;?<>=]*[a-zA-Z]", "", self.raw.decode("utf-8", "replace")
        )
        assert not [word for word in FOREIGN if word in readable and word not in but]
        assert " RAG " in self.screen.display[0]
        assert "? help" in self.screen.display[-1]
