"""The app in a pseudo-terminal: keys in 10,000 events and among 5,000 candidates,
streaming 400 chunks, leaving at any moment.

Key-to-paint is the time from writing a key to the first bytes of the screen that follow
it; the last ones (the scrollbar) are given too.
"""

from __future__ import annotations

import asyncio
import os
import pty
import random
import select
import statistics
import struct
import sys
import tempfile
import time
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

TEXT = (
    "The way up takes d/1 seconds, the way down d/3 seconds, so the whole takes "
    "4d/3 seconds for 2d metres. " * 4
)


class Terminal:
    """A command in a pseudo-terminal of a given size."""

    def __init__(
        self,
        command: list[str],
        env: dict[str, str],
        rows: int = 36,
        columns: int = 120,
    ) -> None:
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], command, env)
        ioctl(self.master, TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.seen = b""

    def read(self, quiet: float) -> float:
        """Reads until nothing came for `quiet` seconds; when the last byte came."""
        last = time.perf_counter()
        while select.select([self.master], [], [], quiet)[0]:
            try:
                data = os.read(self.master, 1 << 20)
            except OSError:
                break
            if not data:
                break
            self.seen += data
            last = time.perf_counter()
        return last

    def until(self, wanted: bytes, seconds: float = 60) -> None:
        end = time.perf_counter() + seconds
        while wanted not in self.seen:
            if not select.select(
                [self.master], [], [], max(0.0, end - time.perf_counter())
            )[0]:
                raise SystemExit(f"{wanted!r} was never painted")
            self.seen += os.read(self.master, 1 << 20)

    def press(self, key: bytes, quiet: float = 0.15) -> tuple[float, float] | None:
        """Milliseconds from the key to the first and to the last bytes that follow;
        None if nothing follows.
        """
        began = time.perf_counter()
        os.write(self.master, key)
        if not select.select([self.master], [], [], 2)[0]:
            return None
        first = time.perf_counter()
        return (first - began) * 1000, (self.read(quiet) - began) * 1000

    def gone(self) -> float:
        """Seconds until the process has ended."""
        began = time.perf_counter()
        while os.waitpid(self.pid, os.WNOHANG) == (0, 0):
            self.read(0.002)
        return time.perf_counter() - began


def long_session(path: Path, count: int) -> None:
    from verifytui.engines.debate.method import new_debate
    from verifytui.prompts import load
    from verifytui.sessions.events.debate import Speech
    from verifytui.sessions.journal import Journal

    header = new_debate(topic="How fast is Alice?", prompts=load("en"))
    with Journal.create(path, header) as journal:
        for number in range(count):
            side = "affirmative" if number % 2 == 0 else "negative"
            text = f"{number} {TEXT}\n\nAnswer: 1.5 m/s"
            journal.append(
                Speech(
                    role=side,
                    round=number // 2 + 1,
                    text=text,
                    answer="1.5 m/s",
                    model="gpt-4",
                )
            )


def keys(home: Path, env: dict[str, str]) -> None:
    path = home / "long.yaml"
    long_session(path, 10_000)
    began = time.perf_counter()
    terminal = Terminal([sys.executable, "-m", "verifytui", str(path)], env)
    terminal.until(b"10000")
    terminal.read(0.5)
    print(
        f"a session of 10,000 events: shown after "
        f"{time.perf_counter() - began - 0.5:.2f} s"
    )
    chosen = random.Random(7)
    took = []
    for _ in range(120):
        key = chosen.choice(
            [
                b"\x1b[D",
                b"\x1b[D",
                b"\x1b[D",
                b"\x1b[C",
                b"\x1b[C",
                b"\x1b[5~",
                b"\x1b[6~",
                b"\x1b[A",
                b"\x1b[B",
            ]
        )
        took.append(terminal.press(key))
    for name, index in (("first", 0), ("last", 1)):
        values = [one[index] for one in took if one is not None]
        p95 = statistics.quantiles(values, n=20)[-1]
        print(
            f"  key to {name} paint: median {statistics.median(values):.0f} ms, "
            f"p95 {p95:.0f} ms, {len(values)} keys"
        )
    os.write(terminal.master, b"q")
    print(f"  leaving: {terminal.gone():.2f} s")


def judged(path: Path, count: int) -> None:
    """A query with so many candidates, all of them judged."""
    from verifytui.engines.relevance.starting import new_relevance
    from verifytui.prompts import load
    from verifytui.prompts.demonstrations import load as load_set
    from verifytui.sessions.events.relevance import Judgement, Score
    from verifytui.sessions.journal import Journal

    shown = load_set("zh-criminal")
    texts = [case.text for group in shown.groups for _, case in group.cases()]
    cases = [
        {
            "id": f"{number:05}",
            "title": f"case {number}",
            "text": texts[number % len(texts)],
        }
        for number in range(count)
    ]
    header = new_relevance(
        query=texts[0],
        candidates=cases,
        demonstrations=shown,
        prompts=load("zh", workspace="relevance"),
    )
    chosen = random.Random(7)
    with Journal.create(path, header) as journal:
        journal.sync_later = True
        for case in cases:
            bits = {"material": chosen.random() < 0.4, "legal": chosen.random() < 0.3}
            for kind, bit in bits.items():
                made = {
                    "role": "annotator",
                    "model": "lexical",
                    "read": "json",
                    "reason": "The words overlap.",
                }
                journal.append(
                    Judgement(kind=kind, candidate=case["id"], relevant=bit, **made)
                )
            journal.append(
                Score(candidate=case["id"], value=bits["material"] + 2 * bits["legal"])
            )


def table(home: Path, env: dict[str, str]) -> None:
    """Walking through a table of 5,000 candidates, and labelling in it."""
    path = home / "judged.yaml"
    judged(path, 5_000)
    began = time.perf_counter()
    terminal = Terminal([sys.executable, "-m", "verifytui", str(path)], env)
    terminal.until(b"15000")
    terminal.read(0.5)
    print(
        f"a table of 5,000 candidates: shown after "
        f"{time.perf_counter() - began - 0.5:.2f} s"
    )
    chosen = random.Random(7)
    for name, offered in (
        (
            "walking",
            [b"\x1b[A", b"\x1b[B", b"\x1b[B", b"\x1b[5~", b"\x1b[6~", b"j", b"k"],
        ),
        ("labelling", [b"0", b"1", b"2", b"3"]),
    ):
        took = [terminal.press(chosen.choice(offered)) for _ in range(120)]
        for which, index in (("first", 0), ("last", 1)):
            values = [one[index] for one in took if one is not None]
            p95 = statistics.quantiles(values, n=20)[-1]
            print(
                f"  {name}, key to {which} paint: median "
                f"{statistics.median(values):.0f} ms, p95 {p95:.0f} ms, "
                f"{len(values)} keys"
            )
    os.write(terminal.master, b"q")
    print(f"  leaving: {terminal.gone():.2f} s")


async def streaming() -> None:
    """CPU seconds of the app for 400 chunks fed into the transcript."""
    from verifytui.engines.models.config import Config
    from verifytui.tui.app import VerifyTui

    app = VerifyTui(Config())
    async with app.run_test(size=(120, 36)) as pilot:
        while app.workspace.play is None:
            await pilot.pause()
        transcript = await app.workspace.transcript()
        await pilot.pause()
        for name, pause in (("as fast as they come", 0.0), ("100 a second", 0.01)):
            await transcript.begin("affirmative", "gpt-4", lambda: "speaking")
            before = time.process_time()
            for number in range(400):
                transcript.feed(
                    f"word{number} and more of it "
                    + ("\n\n" if number % 20 == 19 else "")
                )
                await asyncio.sleep(pause)
            await transcript.end_live()
            print(
                f"streaming 400 chunks, {name}: "
                f"{time.process_time() - before:.2f} s of CPU"
            )


def leaving(env: dict[str, str]) -> None:
    took = []
    for wait in (0.0, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0):
        command = [
            sys.executable,
            "-m",
            "verifytui",
            "debate",
            "How fast?",
            "--model",
            "gpt-4",
            "--tui",
        ]
        terminal = Terminal(command, {**env, "OPENAI_API_KEY": "none"})
        terminal.until(b"Relevance")
        terminal.read(0.05)
        end = time.perf_counter() + wait
        while time.perf_counter() < end:
            terminal.read(0.02)
        os.write(terminal.master, b"q")
        took.append(terminal.gone())
    print(
        f"leaving while LiteLLM loads: at most {max(took):.2f} s of "
        f"{', '.join(f'{one:.2f}' for one in took)}"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        env = {
            **os.environ,
            "VERIFYTUI_HOME": name,
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
        }
        os.environ["VERIFYTUI_HOME"] = name
        keys(home, env)
        table(home, env)
        asyncio.run(streaming())
        leaving(env)


if __name__ == "__main__":
    main()
