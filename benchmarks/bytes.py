"""Bytes that the app sends to an 80x24 terminal for each byte of text it shows: a replay by step, and a debate as it streams over SSH.

Shown text is what the events of the session hold, in UTF-8. The bounds are 3 times for a replay, 12 times for a stream.
Counted is from the first key to the last picture, cursor movements and colours included. Last, what an idle app sends and what it costs.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from pathlib import Path

from screen import TEXT, Terminal, long_session

ROWS, COLUMNS = 24, 80
STEPS = 40
BOUNDS = {"replay": 3, "stream": 12}
SSH = {"SSH_CONNECTION": "127.0.0.1 1 127.0.0.1 22"}
IDLE = 5.0
"""Seconds."""


def parted(raw: bytes) -> str:
    """What a count is made of: escape sequences and the rest."""
    escapes = sum(len(found) for found in re.findall(rb"\x1b(?:\[[0-9;?<>=]*[a-zA-Z]|\][^\x07]*\x07|[78=>])", raw))
    return f"{escapes:,} of them escape sequences"


def replay(home: Path, env: dict[str, str]) -> float:
    path = home / "steps.yaml"
    long_session(path, STEPS)
    terminal = Terminal([sys.executable, "-m", "verifytui", "replay", str(path)], env, ROWS, COLUMNS)
    terminal.until(b"A recorded debate")
    terminal.read(1.0)
    before = len(terminal.seen)
    for _ in range(STEPS):
        terminal.press(b" ")
    terminal.read(0.5)
    sent = terminal.seen[before:]
    shown = sum(len(f"{number} {TEXT}\n\nAnswer: 1.5 m/s".encode()) for number in range(STEPS))
    print(f"replay of {STEPS} speeches by step: {len(sent):,} bytes for {shown:,} of text: {len(sent) / shown:.1f} times; {parted(sent)}")
    idle(terminal)
    os.write(terminal.master, b"q")
    terminal.gone()
    return len(sent) / shown


def idle(terminal: Terminal) -> None:
    def spent() -> float:
        fields = Path(f"/proc/{terminal.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    terminal.read(1.0)
    length, before = len(terminal.seen), spent()
    end = time.monotonic() + IDLE
    while time.monotonic() < end:
        terminal.read(0.1)
        time.sleep(0.1)
    print(f"idle for {IDLE:.0f} s: {len(terminal.seen) - length} bytes, {(spent() - before) / IDLE:.1%} of a core")


def stream(env: dict[str, str]) -> float:
    """One speech of some thousand characters, in chunks of 24 characters, 50 of them a second."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from loopback import Answer, Loopback

    said = TEXT * 8 + "\n\nAnswer: 1.5 m/s"
    with Loopback(Answer(said, delay=0.02)) as server:
        more = {"OPENAI_API_BASE": server.base_url, "OPENAI_API_KEY": "none"}
        command = [sys.executable, "-m", "verifytui", "debate", "How fast?", "--model", "openai/lb", "--tui"]
        terminal = Terminal(command, {**env, **more}, ROWS, COLUMNS)
        terminal.until(b"asks for the first speech")
        terminal.read(1.0)
        before = len(terminal.seen)
        os.write(terminal.master, b" ")
        while not server.requests or server.busy:
            terminal.read(0.05)
        terminal.read(1.0)
        sent = terminal.seen[before:]
        os.write(terminal.master, b"q")
        terminal.gone()
    shown = len(said.encode())
    print(f"a speech of {shown:,} bytes as it streams: {len(sent):,} bytes: {len(sent) / shown:.1f} times; {parted(sent)}")
    return len(sent) / shown


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        env = {**os.environ, "VERIFYTUI_HOME": name, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"} | SSH
        os.environ["VERIFYTUI_HOME"] = name
        found = {"replay": replay(Path(name), env), "stream": stream(env)}
    return int(any(found[what] > bound for what, bound in BOUNDS.items()))


if __name__ == "__main__":
    sys.exit(main())
