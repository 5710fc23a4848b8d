"""Over SSH for real: OpenSSH's own server on the loopback, with keys and a port made
for the test.
"""

from __future__ import annotations

import base64
import getpass
import os
import random
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from verifytui.engines.relevance.queue import Queue
from verifytui.sessions.locks import in_use
from verifytui.tests.support.case_pairs import pairs_in
from verifytui.tests.support.closing import (
    LIMIT,
    bury,
    living,
    play_and_close,
    reports,
    seconds_to_the_end,
)
from verifytui.tests.support.commanding import command, debating
from verifytui.tests.support.lecard import (
    PAIRS,
    check_agreement,
    lecard_folder,
    level_by,
    own_levels,
)
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.pairs import folder_of
from verifytui.tests.support.saved import documents, finished, kinds
from verifytui.tests.support.terminal import Terminal

SSHD = shutil.which("sshd") or next(
    (
        path
        for path in ("/usr/sbin/sshd", "/usr/local/sbin/sshd")
        if os.path.exists(path)
    ),
    None,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (SSHD and shutil.which("ssh") and shutil.which("ssh-keygen")),
        reason="OpenSSH's server and client are not on this machine",
    ),
]

Remote = Callable[..., str]


@pytest.fixture
def remote(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loopback: Loopback
) -> Iterator[Remote]:
    """A shell line that runs `verifytui ARGUMENTS` on the other side of `ssh -tt`;
    `openai/lb` answers there.
    """
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "ssh"
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name],
            check=True,
        )
    shutil.copy(folder / "user.pub", folder / "authorized")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    lines = [
        f"ListenAddress 127.0.0.1:{port}",
        f"HostKey {folder}/host",
        f"AuthorizedKeysFile {folder}/authorized",
        f"PidFile {folder}/pid",
    ]
    lines += [
        "StrictModes no",
        "UsePAM no",
        "PasswordAuthentication no",
        "PermitRootLogin prohibit-password",
        "PrintMotd no",
    ]
    (folder / "config").write_text("\n".join(lines) + "\n")
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    assert SSHD is not None
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [SSHD, "-D", "-e", "-f", folder / "config"],
            stdin=subprocess.DEVNULL,
            stderr=log,
        )
    known = [
        "-o",
        "StrictHostKeyChecking=no",
        "-o",
        f"UserKnownHostsFile={folder}/known",
        "-o",
        "LogLevel=ERROR",
        "-o",
        "IdentitiesOnly=yes",
    ]
    tries = ["-o", "ConnectionAttempts=20", "-o", "BatchMode=yes"]
    ssh = [
        "ssh",
        "-tt",
        "-F",
        "none",
        "-i",
        f"{folder}/user",
        "-p",
        str(port),
        *known,
        *tries,
        f"{getpass.getuser()}@127.0.0.1",
    ]
    env = {
        "HOME": str(tmp_path),
        "VERIFYTUI_HOME": str(home),
        "LANG": "C.UTF-8",
        "COLORTERM": "truecolor",
    }
    env |= {
        "OPENAI_API_BASE": loopback.base_url,
        "OPENAI_API_KEY": "sk-loopback-0123456789",
    }

    def line(*arguments: str | Path) -> str:
        there = [
            "env",
            *(f"{name}={value}" for name, value in env.items()),
            sys.executable,
            "-m",
            "verifytui",
            *map(str, arguments),
        ]
        return "exec " + shlex.join(
            [*ssh, f"cd {shlex.quote(str(tmp_path))} && exec {shlex.join(there)}"]
        )

    try:
        yield line
    finally:
        server.terminate()
        server.wait()


def test_a_replay_by_steps_and_what_is_copied_reaches_this_side(
    remote: Remote, tmp_path: Path
) -> None:
    path = finished(tmp_path / "recorded.yaml")
    before = path.read_bytes()
    with Terminal(shell=remote("replay", path)) as terminal:
        terminal.until("A recorded debate")
        for number in range(1, 5):
            terminal.press("space")
            terminal.step(number, 4)
        terminal.press("1")
        terminal.step(1, 4)
        terminal.press("y")
        code = b"\x1b]52;c;" + base64.b64encode(b"Speech number 1")
        terminal.until(lambda: code in terminal.raw)
        terminal.nothing_foreign()
        terminal.press("q")
        assert terminal.ended() == ""
    assert path.read_bytes() == before


def test_a_link_that_breaks_in_a_live_debate_loses_nothing_and_the_debate_goes_on(
    remote: Remote, tmp_path: Path, loopback: Loopback
) -> None:
    path = tmp_path / "live.yaml"
    loopback.answer = Answer(text="Quickly said.\n\nAnswer: 1")
    with Terminal(
        shell=remote(
            "debate", "How fast?", "--model", "openai/lb", "--tui", "--save", path
        )
    ) as terminal:
        terminal.invited()
        terminal.press("space")
        terminal.step(1, 1)
        loopback.answer = Answer(text="Slowly said. " * 400, delay=0.02)
        terminal.press("space")
        terminal.until("Slowly said.", 60)
        terminal.child.kill(signal.SIGKILL)
        assert loopback.wait_until(
            lambda server: server.busy == 0 and server.open_connections == 0, 30
        )
    end = time.monotonic() + 30
    while in_use(path):  # until the app on the other side has noticed and left
        assert time.monotonic() < end
        time.sleep(0.05)
    assert kinds(path) == ["speech", "failure"]
    loopback.answer = Answer(text="Said again.\n\nAnswer: 2")
    with Terminal(shell=remote(path)) as terminal:
        terminal.step(2, 2)
        terminal.until("negative stopped")
        terminal.press("space")
        terminal.step(3, 3)
        terminal.until("Said again.")
        terminal.nothing_foreign()
        terminal.press("q")
        assert terminal.ended() == ""
    assert kinds(path) == ["speech", "failure", "speech"]


def test_a_detached_batch_outlives_its_link_and_is_found_again(
    remote: Remote, tmp_path: Path, loopback: Loopback
) -> None:
    topics, out = tmp_path / "topics.jsonl", tmp_path / "one"
    topics.write_text("".join(f'{{"topic": "Why {n}?"}}\n' for n in range(60)))
    loopback.answer = debating(delay=0.2)
    arguments = [
        "debate",
        "--topics",
        topics,
        "--into",
        out,
        "--model",
        "openai/lb",
        "--concurrency",
        "2",
        "--detach",
    ]
    with Terminal(shell=remote(*arguments)) as terminal:
        terminal.until("verifytui runs follow", 60)
        terminal.ended()
    assert loopback.wait_until(lambda server: len(server.requests) > 2, 60)
    with Terminal(shell=remote("runs", "follow", "one")) as terminal:
        terminal.until("RUNNING", 30)
        terminal.child.kill(signal.SIGKILL)
    asked = len(loopback.requests)
    assert loopback.wait_until(lambda server: len(server.requests) > asked + 4, 60)
    with Terminal(shell=remote("runs")) as terminal:
        terminal.until("RUNNING", 30)
        terminal.until("~/one")
    with Terminal(shell=remote("runs", "stop", "one")) as terminal:
        terminal.until("stopped", 30)
    end = time.monotonic() + 30
    while in_use(out):
        assert time.monotonic() < end
        time.sleep(0.05)
    assert not reports(tmp_path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "turn" in metafunc.fixturenames:
        seed = metafunc.config.getoption("seed")
        metafunc.parametrize(
            "turn",
            [
                f"{seed}{number}"
                for number in range(metafunc.config.getoption("closings"))
            ],
        )


def test_a_link_that_breaks_at_a_random_moment_ends_the_app(
    turn: str, remote: Remote, home: Path, tmp_path: Path, loopback: Loopback
) -> None:
    rng = random.Random(f"ssh {turn}")
    live = rng.random() < 0.5
    loopback.answer = Answer(text="Slowly said. " * 2000, usage=None, delay=0.01)
    arguments = (
        [
            "debate",
            "How fast?",
            "--model",
            "openai/lb",
            "--tui",
            "--save",
            tmp_path / "live.yaml",
        ]
        if live
        else []
    )
    terminal = Terminal(shell=remote(*arguments))
    terminal.invited()
    if live:
        terminal.press("r")
        terminal.until("Slowly said.", 60)
    keys = play_and_close(terminal, rng)
    os.kill(terminal.child.pid, signal.SIGKILL)
    lived = seconds_to_the_end(home)
    print(f"{turn}: {keys} ended after {lived:.2f} s")
    left = living(home)
    bury(terminal, left)
    assert not left, f"still there {LIMIT} s after the end of its link: {keys}"
    assert not reports(home)
    if live:
        assert kinds(tmp_path / "live.yaml")[0] in ("failure", "change")


def test_three_people_label_one_folder_at_once_and_one_decides(
    remote: Remote, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path / "run", 6)
    people = {"Mei": "111211", "Tom": "111111", "李": "131111"}
    with ExitStack() as stack:
        terminals = {
            name: stack.enter_context(
                Terminal(
                    shell=remote("label", folder, "--annotator", name, "--advance")
                )
            )
            for name in people
        }
        for name, terminal in terminals.items():
            terminal.until(f" {name} · 1 of 6 · you: -")
        for place in range(6):
            for name, terminal in terminals.items():
                terminal.press(people[name][place])
                wanted = (
                    f"{place + 2} of 6 · you: -"
                    if place < 5
                    else f"{name} has labelled all 6 pairs"
                )
                terminal.until(wanted)
        for terminal in terminals.values():
            terminal.press("enter", "q")
            assert terminal.ended() == ""
    given: dict[str, dict[str, int]] = {}
    for name in people:
        (file,) = [
            path
            for path in (folder / "labels").glob("*.yaml")
            if documents(path)[0]["annotator"] == name
        ]
        events = documents(file)[1:]
        assert [event["seen_machine"] for event in events] == [False] * 6
        assert "".join(str(event["value"]) for event in events) == people[name]
        for event in events:
            given.setdefault(event["candidate"], {})[name] = event["value"]
    differ = {
        candidate for candidate, levels in given.items() if len({*levels.values()}) > 1
    }
    assert differ
    with Terminal(shell=remote("adjudicate", folder, "--by", "Ann")) as terminal:
        for place in range(1, len(differ) + 1):
            terminal.until(f" Ann · {place} of {len(differ)} · gold: -")
            terminal.press("3")
        terminal.until(f"Ann has decided on all {len(differ)} pairs")
        terminal.press("enter", "q")
        assert terminal.ended() == ""
    gold = {
        event["candidate"]: event
        for event in documents(folder / "labels" / "gold.yaml")[1:]
    }
    assert {*gold} == differ
    for candidate, event in gold.items():
        assert (event["value"], event["by"]) == (3, "Ann")
        assert {vote["annotator"]: vote["value"] for vote in event["from"]} == given[
            candidate
        ]


@pytest.mark.timeout(300)
def test_three_people_label_sixty_pairs_of_lecard_and_the_figures_come_out_right(
    remote: Remote, tmp_path: Path, shared: Path
) -> None:
    folder = lecard_folder(shared, tmp_path)
    people = ["Mei", "Tom", "李"]
    with ExitStack() as stack:
        sitting = [
            stack.enter_context(
                Terminal(
                    shell=remote("label", folder, "--annotator", name, "--advance")
                )
            )
            for name in people
        ]
        queues = [Queue(pairs_in(folder), name).pairs for name in people]
        for name, terminal in zip(people, sitting, strict=True):
            terminal.until(f" {name} · 1 of {PAIRS} · you: -")
        for place in range(PAIRS):
            for name, terminal, pairs in zip(people, sitting, queues, strict=True):
                terminal.press(str(level_by(name, pairs[place].candidate)))
            for name, terminal in zip(people, sitting, strict=True):
                last = place == PAIRS - 1
                terminal.until(
                    f"{name} has labelled all {PAIRS} pairs"
                    if last
                    else f"{place + 2} of {PAIRS} · you: -"
                )
        for terminal in sitting:
            terminal.press("enter", "q")
            assert terminal.ended() == ""
    levels = own_levels(folder)
    at = {(pair.query, pair.candidate): pair for pair in pairs_in(folder)}
    assert levels == {
        name: {pair: level_by(name, pair[1]) for pair in at} for name in people
    }
    check_agreement(folder, levels)
    differ = {pair for pair in at if len({own[pair] for own in levels.values()}) > 1}
    with Terminal(shell=remote("adjudicate", folder, "--by", "Ann")) as terminal:
        for place in range(1, len(differ) + 1):
            terminal.until(f" Ann · {place} of {len(differ)} · gold: -")
            terminal.press("2")
        terminal.until(f"Ann has decided on all {len(differ)} pairs")
        terminal.press("enter", "q")
        assert terminal.ended() == ""
    gold = command("export", folder, "--to", "qrels", "--gold").stdout.splitlines()
    expected = {pair: 2 if pair in differ else levels["Tom"][pair] for pair in at}
    assert sorted(gold) == sorted(
        f"{query} 0 {candidate} {level}"
        for (query, candidate), level in expected.items()
    )
