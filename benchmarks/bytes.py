"""Bytes that the app sends to an 80x24 terminal for each byte of text it shows: replays
by step, and a debate as it streams over SSH.

Shown text is what the events of the session hold, in UTF-8. The bounds: 3 times for the
replay of recorded debates, 12 times for a stream. Counted is from the first key to the
last picture, cursor movements and colours included. Debates are replayed on a terminal
that answers what it is called, as xterm does, and on one that does not: only the first
may be left to color what is erased. Last, what an idle app sends and
what it costs. The recorded debates are read from `../shared/data`, and are left out,
with a word, where that is absent.
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
RECORDED = 8
"""Debates of those recorded, taken evenly."""
BOUNDS = {"replay": 3, "stream": 12}
SSH = {"SSH_CONNECTION": "127.0.0.1 1 127.0.0.1 22"}
IDLE = 5.0
"""Seconds."""
DEBATES = (
    Path(__file__).resolve().parents[2]
    / "shared"
    / "data"
    / "mad-transcripts"
    / "debates.jsonl"
)


def parted(raw: bytes) -> str:
    """What a count is made of: escape sequences, blanks and the rest."""
    escapes = sum(
        len(found)
        for found in re.findall(
            rb"\x1b(?:\[[0-9;?<>=]*[a-zA-Z]|\][^\x07]*\x07|[78=>])", raw
        )
    )
    return f"{escapes:,} of them escape sequences, {raw.count(b' '):,} blanks"


def said(event: object) -> str:
    """The text that an event brings to the screen."""
    return str(
        getattr(event, "reason", "")
        or getattr(event, "text", "")
        or getattr(event, "answer", "")
    )


ASKED, NAME = b"\x1b[>0q", b"\x1bP>|XTerm(390)\x1b\\"
"""The question for a terminal's name, and xterm's answer."""


def replay(
    path: Path,
    env: dict[str, str],
    what: str,
    *,
    answers: bool = False,
    then: bool = False,
) -> tuple[int, int]:
    """Bytes sent and bytes of text for a session replayed by step to its end.

    `answers`: the terminal says what it is called. `then`: also what the idle app
    sends.
    """
    from verifytui.sessions.journal import Journal

    events = Journal.open(path, write=False).session.events
    terminal = Terminal(
        [sys.executable, "-m", "verifytui", "replay", str(path)], env, ROWS, COLUMNS
    )
    terminal.until(ASKED)
    if answers:
        os.write(terminal.master, NAME)
    terminal.until(b"A recorded debate")
    terminal.read(1.0)
    before = len(terminal.seen)
    for _ in events:
        terminal.press(b" ", 0.3)
    terminal.read(0.5)
    sent = terminal.seen[before:]
    shown = sum(len(said(event).encode()) for event in events)
    print(
        f"{what}, {len(events)} steps: {len(sent):,} bytes for {shown:,} of text: "
        f"{len(sent) / shown:.1f} times; {parted(sent)}"
    )
    if then:
        idle(terminal)
    os.write(terminal.master, b"q")
    terminal.gone()
    return len(sent), shown


def recorded(home: Path, env: dict[str, str]) -> float | None:
    """Recorded debates of language models, as `verifytui import` makes sessions of
    them; None where they are absent.
    """
    if not DEBATES.is_file():
        print(f"left out, for {DEBATES} is not there: replays of recorded debates")
        return None
    from verifytui.engines.debate.importer import import_debates
    from verifytui.sessions.importing import import_files

    folder = home / "imported"
    with Path(os.devnull).open("w") as nowhere:
        out, sys.stdout = sys.stdout, nowhere
        try:
            list(import_files([DEBATES], folder, import_debates))
        finally:
            sys.stdout = out
    paths = sorted(folder.glob("*.yaml"))
    chosen = paths[:: max(len(paths) // RECORDED, 1)][:RECORDED]
    most = 0.0
    for answers, terminal in ((True, "answers"), (False, "does not answer")):
        counts = [
            replay(path, env, f"recorded debate {path.stem}", answers=answers)
            for path in chosen
        ]
        sent, shown = (sum(each) for each in zip(*counts, strict=True))
        print(
            f"replay of {len(counts)} recorded debates by step, on a terminal that "
            f"{terminal}: {sent:,} bytes for {shown:,} of text: "
            f"{sent / shown:.2f} times"
        )
        most = max(most, *(one / other for one, other in counts))
    return most


def short(home: Path, env: dict[str, str]) -> None:
    path = home / "steps.yaml"
    long_session(path, STEPS)
    replay(path, env, "short made-up speeches", then=True)


def idle(terminal: Terminal) -> None:
    def spent() -> float:
        fields = (
            Path(f"/proc/{terminal.pid}/stat").read_text().rpartition(")")[2].split()
        )
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    terminal.read(1.0)
    length, before = len(terminal.seen), spent()
    end = time.monotonic() + IDLE
    while time.monotonic() < end:
        terminal.read(0.1)
        time.sleep(0.1)
    print(
        f"idle for {IDLE:.0f} s: {len(terminal.seen) - length} bytes, "
        f"{(spent() - before) / IDLE:.1%} of a core"
    )


def stream(env: dict[str, str]) -> float:
    """One speech of some thousand characters, in chunks of 24 characters, 50 of them a
    second.
    """
    from verifytui.tests.support.loopback import Answer, Loopback

    said = TEXT * 8 + "\n\nAnswer: 1.5 m/s"
    with Loopback(Answer(said, delay=0.02)) as server:
        more = {"OPENAI_API_BASE": server.base_url, "OPENAI_API_KEY": "none"}
        command = [
            sys.executable,
            "-m",
            "verifytui",
            "debate",
            "How fast?",
            "--model",
            "openai/lb",
            "--tui",
        ]
        terminal = Terminal(command, {**env, **more}, ROWS, COLUMNS)
        terminal.until(b"for the first speech")
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
    print(
        f"a speech of {shown:,} bytes as it streams: {len(sent):,} bytes: "
        f"{len(sent) / shown:.1f} times; {parted(sent)}"
    )
    return len(sent) / shown


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        env = {
            **os.environ,
            "VERIFYTUI_HOME": name,
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
        } | SSH
        os.environ["VERIFYTUI_HOME"] = name
        found = {"replay": recorded(Path(name), env), "stream": stream(env)}
        short(Path(name), env)
    return int(
        any(times is not None and times > BOUNDS[what] for what, times in found.items())
    )


if __name__ == "__main__":
    sys.exit(main())
