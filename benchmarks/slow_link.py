"""The app over SSH on a slow link: 200 ms there and back, 1 % of the packets lost.

Key-to-paint, a stream, a client that is killed.

Two network namespaces; between them tc netem where the kernel has it, else two TUN
devices and a process that carries each packet over, later and not always: the kernel's
own TCP sends again what was lost. Needs root, iproute2 and OpenSSH.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import heapq
import multiprocessing
import os
import random
import select
import shlex
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any

DELAY, LOSS = 0.1, 0.01
"""Seconds each way; share of the packets each way."""
STEPS, KEYS, STREAMED = 60, 100, 12
NEAR, FAR = ("verifytui-near", "10.77.0.1"), ("verifytui-far", "10.77.0.2")
PORT, MODELS = 2222, 8901
HELP = "Keys"
"""What the help shows and a debate does not."""
TEXT = (
    "The way up takes d/1 seconds, the way down d/3 seconds, so the whole takes "
    "4d/3 seconds for 2d metres. " * 4
)

SERVER = """
import json, sys
from verifytui.tests.support.loopback import Answer, Loopback
def answer(body):
    asked = body["messages"][-1]["content"]
    if '"preference"' in asked:
        done = "Round 2" in asked
        verdict = {{"preference": done, "supported_side": "none", "reason": "r", "answer": "1.5 m/s" if done else ""}}
        return Answer(json.dumps(verdict))
    return Answer({text!r} * 6 + "\\n\\nAnswer: 1.5 m/s", delay=0.1)
with Loopback(answer, port={port}):
    print("ready", flush=True)
    sys.stdin.read()
"""


def run(*words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(words, check=True, capture_output=True)


def inside(space: tuple[str, str]) -> list[str]:
    """Words before a command that is to run in a namespace."""
    return ["ip", "netns", "exec", space[0]]


# ---------------------------------------------------------------- the link


class Link:
    """Both namespaces and what joins them; `kind` says what that is, `counts` how many
    packets were carried and lost.
    """

    def __enter__(self) -> Link:
        self.counts: Any = multiprocessing.Array("l", 2)
        self._carrier: multiprocessing.Process | None = None
        for name, _ in (NEAR, FAR):
            subprocess.run(
                ["ip", "netns", "del", name], check=False, capture_output=True
            )
            run("ip", "netns", "add", name)
            run(*inside((name, "")), "ip", "link", "set", "lo", "up")
        self.kind = self._netem() or self._tuns()
        return self

    def __exit__(self, *_: object) -> None:
        if self._carrier is not None:
            self._carrier.terminate()
            self._carrier.join()
        for name, _ in (NEAR, FAR):
            subprocess.run(["ip", "netns", "del", name], check=False)

    def _netem(self) -> str | None:
        run(
            "ip",
            "link",
            "add",
            "vt-a",
            "netns",
            NEAR[0],
            "type",
            "veth",
            "peer",
            "name",
            "vt-a",
            "netns",
            FAR[0],
        )
        rule = f"tc qdisc add dev vt-a root netem delay {DELAY * 1000:.0f}ms loss {LOSS:.0%}".split()
        for space in (NEAR, FAR):
            if subprocess.run(
                [*inside(space), *rule], check=False, capture_output=True
            ).returncode:
                run(*inside(NEAR), "ip", "link", "del", "vt-a")
                return None
            self._up(space, "vt-a")
        return "veth with tc netem"

    def _tuns(self) -> str:
        ready: Synchronized[int] = multiprocessing.Value("i", 0)
        self._carrier = multiprocessing.Process(
            target=carry, args=(ready, self.counts), daemon=True
        )
        self._carrier.start()
        while not ready.value:
            time.sleep(0.01)
        for space in (NEAR, FAR):
            self._up(space, "vt-t")
        return (
            "TUN devices with a process between them that carries the packets (no tc "
            "netem in this kernel)"
        )

    def _up(self, space: tuple[str, str], device: str) -> None:
        run(*inside(space), "ip", "addr", "add", f"{space[1]}/24", "dev", device)
        run(*inside(space), "ip", "link", "set", device, "mtu", "1500", "up")


def carry(ready: Synchronized[int], counts: Any) -> None:
    """Each packet from one device to the other, `DELAY` later and in order; a share of
    `LOSS` never.
    """
    ends = [tun(NEAR[0]), tun(FAR[0])]
    ready.value = 1
    chance, waiting, number = random.Random(5), [], 0
    while True:
        left = max(waiting[0][0] - time.monotonic(), 0) if waiting else None
        for end in select.select(ends, [], [], left)[0]:
            packet = os.read(end, 65536)
            lost = chance.random() < LOSS
            counts[int(lost)] += 1
            number += 1
            if not lost:
                heapq.heappush(
                    waiting,
                    (
                        time.monotonic() + DELAY,
                        number,
                        ends[1 - ends.index(end)],
                        packet,
                    ),
                )
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, end, packet = heapq.heappop(waiting)
            with contextlib.suppress(OSError):  # a device that is not up yet
                os.write(end, packet)


def tun(space: str) -> int:
    """A TUN device in a namespace, open here."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/run/netns/{space}") as place:
        if libc.setns(place.fileno(), 0x40000000):
            raise OSError(ctypes.get_errno(), "setns")
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(
        device, 0x400454CA, struct.pack("16sH22x", b"vt-t", 0x1001)
    )  # TUNSETIFF: IFF_TUN, IFF_NO_PI
    return device


# ---------------------------------------------------------------- both sides


@contextlib.contextmanager
def far_side(home: Path) -> Iterator[list[str]]:
    """sshd and a server of models in the far namespace; what begins a command there, on
    the near side.
    """
    for name in ("host", "user"):
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(home / name))
    shutil.copy(home / "user.pub", home / "authorized")
    lines = [
        f"ListenAddress {FAR[1]}:{PORT}",
        f"HostKey {home}/host",
        f"AuthorizedKeysFile {home}/authorized",
        f"PidFile {home}/pid",
    ]
    lines += [
        "StrictModes no",
        "UsePAM no",
        "PasswordAuthentication no",
        "PermitRootLogin prohibit-password",
        "PrintMotd no",
    ]
    (home / "config").write_text("\n".join(lines) + "\n")
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    sshd = shutil.which("sshd") or "/usr/sbin/sshd"
    with (home / "log").open("wb") as log:
        door = subprocess.Popen(
            [*inside(FAR), sshd, "-D", "-e", "-f", str(home / "config")],
            stdin=subprocess.DEVNULL,
            stderr=log,
        )
    code = SERVER.format(text=TEXT, port=MODELS)
    models = subprocess.Popen(
        [*inside(FAR), sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert models.stdout is not None
    models.stdout.readline()
    options = [
        "StrictHostKeyChecking=no",
        f"UserKnownHostsFile={home}/known",
        "LogLevel=ERROR",
        "IdentitiesOnly=yes",
    ]
    options += ["ConnectionAttempts=20", "BatchMode=yes"]
    ssh = [
        *inside(NEAR),
        "ssh",
        "-tt",
        "-F",
        "none",
        "-i",
        f"{home}/user",
        "-p",
        str(PORT),
    ]
    try:
        yield [
            *ssh,
            *(word for one in options for word in ("-o", one)),
            f"root@{FAR[1]}",
        ]
    finally:
        for process in (door, models):
            process.terminate()
            process.wait()


def app(home: Path, *words: str) -> str:
    """The line for the far side's shell that starts the app."""
    env = {
        "HOME": str(home),
        "VERIFYTUI_HOME": str(home / "home"),
        "LANG": "C.UTF-8",
        "COLORTERM": "truecolor",
    }
    env |= {
        "OPENAI_API_BASE": f"http://127.0.0.1:{MODELS}/v1",
        "OPENAI_API_KEY": "none",
    }
    line = [
        "env",
        *(f"{name}={value}" for name, value in env.items()),
        sys.executable,
        "-m",
        "verifytui",
        *words,
    ]
    return f"cd {shlex.quote(str(home))} && exec {shlex.join(line)}"


# ---------------------------------------------------------------- what is measured


def told(name: str, times: list[float], bare: list[float] | None = None) -> None:
    """Milliseconds: median and 95th percentile, and how much that is over the bare
    round trip.
    """
    middle, high = statistics.median(times), statistics.quantiles(times, n=20)[18]
    over = ""
    if bare is not None:
        over = (
            f"; over the bare round trip {middle - statistics.median(bare):.0f} and "
            f"{high - statistics.quantiles(bare, n=20)[18]:.0f} ms"
        )
    print(
        f"{name}: median {middle:.0f} ms, 95 % within {high:.0f} ms ({len(times)} "
        f"keys){over}",
        flush=True,
    )


def answered(terminal: Any, key: str) -> float:
    """Milliseconds from a key to the first bytes that follow."""
    began = time.perf_counter()
    terminal.child.send(key)
    select.select([terminal.child.child_fd], [], [], 30)
    return (time.perf_counter() - began) * 1000


def quiet(terminal: Any, seconds: float) -> None:
    """Reads until nothing has come for so long."""
    while select.select([terminal.child.child_fd], [], [], seconds)[
        0
    ] and terminal._read(0):
        pass


def opened(ssh: list[str], line: str) -> Any:
    """A terminal of 80x24 in which a line runs on the far side."""
    from verifytui.tests.support.terminal import Terminal

    made = Terminal(shell="exec " + shlex.join([*ssh, line]))
    made.child.delaybeforesend = None
    return made


def bare(ssh: list[str]) -> list[float]:
    with opened(ssh, "stty raw -echo; echo ready; exec cat") as terminal:
        terminal.until("ready", 60)
        quiet(terminal, 0.5)
        times = []
        for _ in range(KEYS):
            times.append(answered(terminal, "x"))
            quiet(terminal, 0.05)
    told("a key through `ssh -tt` to `cat` and back", times)
    return times


def replayed(ssh: list[str], home: Path, echo: list[float]) -> None:
    path = home / "steps.yaml"
    recorded(path)
    before = path.read_bytes()
    with opened(ssh, app(home, "replay", str(path))) as terminal:
        terminal.until("A recorded debate", 60)
        quiet(terminal, 1)
        first, whole = [], []
        for number in range(1, STEPS + 1):
            began = time.perf_counter()
            first.append(answered(terminal, " "))
            terminal.until(f"{number}/{STEPS}", 60)
            whole.append((time.perf_counter() - began) * 1000)
            quiet(terminal, 0.3)
        terminal.press("q")
        terminal.ended()
    told("replay, a step: first bytes", first, echo)
    told("replay, a step: the line above says the new step", whole, echo)
    print(
        f"the recorded file is "
        f"{'as it was' if path.read_bytes() == before else 'CHANGED'}"
    )


def live(ssh: list[str], home: Path, echo: list[float]) -> None:
    """A debate that streams: keys in the middle of it, the client killed, gone on with
    from another connection to its end.
    """
    from verifytui.sessions.journal import Journal
    from verifytui.sessions.locks import in_use

    path = home / "live.yaml"
    words = (
        "debate",
        "How fast?",
        "--model",
        "openai/lb",
        "--rounds",
        "2",
        "--tui",
        "--save",
        str(path),
    )
    with opened(ssh, app(home, *words)) as terminal:
        terminal.until("asks for the first speech", 60)
        terminal.press("r")
        terminal.until("The way up", 90)
        times = []
        for _ in range(STREAMED):
            began = time.perf_counter()
            terminal.press("F1")
            terminal.until(HELP, 30)
            times.append((time.perf_counter() - began) * 1000)
            terminal.press("escape")
            terminal.until(lambda: HELP not in terminal.text, 30)
        told("while a speech streams, F1 until the help is on the screen", times, echo)
        terminal.until(lambda: len(read(Journal, path)) >= 2, 120)
        held = read(Journal, path)
        terminal.child.kill(signal.SIGKILL)
    end = time.monotonic() + 120
    while in_use(path):
        if time.monotonic() > end:
            raise SystemExit(
                "the app is still there, two minutes after its client was killed"
            )
        time.sleep(0.05)
    kept = read(Journal, path)
    lost = sum(event not in kept for event in held)
    print(
        f"client killed in the middle of a speech: {len(held)} finished events "
        f"before, {lost} lost; {', '.join(map(kind, kept))}"
    )
    with opened(ssh, app(home, str(path))) as terminal:
        terminal.until(f"{len(kept)}/{len(kept)}", 60)
        terminal.press("r")
        terminal.until("RESULT", 180)
        terminal.press("q")
        terminal.ended()
    whole = read(Journal, path)
    same = whole[: len(kept)] == kept and [event.number for event in whole] == list(
        range(1, len(whole) + 1)
    )
    print(
        f"gone on with over a new connection: {', '.join(map(kind, whole))}; "
        f"{'nothing lost, nothing doubled' if same else 'BROKEN'}"
    )


def kind(event: Any) -> str:
    return str(type(event).__struct_config__.tag)


def read(journal: Any, path: Path) -> list[Any]:
    if not path.exists():
        return []
    with journal.open(path, write=False) as opened:
        return list(opened.session.events)


def recorded(path: Path) -> None:
    from verifytui.engines.debate.method import new_debate
    from verifytui.prompts import load
    from verifytui.sessions.events.debate import Speech
    from verifytui.sessions.journal import Journal

    with Journal.create(
        path, new_debate(topic="How fast is Alice?", prompts=load("en"))
    ) as journal:
        for number in range(STEPS):
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


def main() -> int:
    if os.geteuid() != 0 or not all(
        map(shutil.which, ("ip", "tc", "ssh", "ssh-keygen"))
    ):
        print("This needs root, iproute2 and OpenSSH; nothing was measured.")
        return 2
    with tempfile.TemporaryDirectory() as name, Link() as link:
        home = Path(name)
        os.environ["HOME"] = name
        print(
            f"the link: {link.kind}; {DELAY * 2000:.0f} ms there and back, "
            f"{LOSS:.0%} of the packets lost each way"
        )
        with far_side(home) as ssh:
            echo = bare(ssh)
            replayed(ssh, home, echo)
            live(ssh, home, echo)
        if link.counts[0]:
            print(
                f"packets carried {link.counts[0]:,}, lost {link.counts[1]:,} "
                f"({link.counts[1] / sum(link.counts):.1%})"
            )
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    return 0


if __name__ == "__main__":
    sys.exit(main())
