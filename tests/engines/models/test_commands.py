"""Commands of config.yaml that answer as models."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from verifytui.engines.models import command_model, commands
from verifytui.engines.models.config import Config, NamedCommand, load_config
from verifytui.engines.models.port import Delta, Message, ModelError, ModelReply, Task
from verifytui.engines.models.preflight import SeatModel, problems
from verifytui.engines.models.seating import seat
from verifytui.sessions.errors import BadInput
from verifytui.sessions.session import Seat
from verifytui.tests.support.asking import MESSAGES, Make, ask
from verifytui.tests.support.commanding import command, refused

ECHO = "import sys; print('You said: ' + sys.stdin.read())"
SEEN = "import json, os; print(json.dumps(dict(os.environ)))"
SPAWN = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open(sys.argv[1], "w").write(f"{os.getpid()} {child.pid}")
time.sleep(60)
"""
VERDICT = json.dumps(
    {"reason": "It holds.", "preference": True, "supported_side": "negative"}
    | {"answer": "42"}
)
SAYS = f"import sys; sys.stdin.read(); print('Answer: 42'); print({VERDICT!r})"


def entry(code: str, *more: str, **fields: object) -> dict[str, NamedCommand]:
    words = [sys.executable, "-c", code, *more]
    return {"mine": NamedCommand(command=words, **fields)}  # type: ignore[arg-type]


MINE = Seat(model="command:mine", name="mine")


async def test_messages_come_on_stdin_and_the_reply_on_stdout(make: Make) -> None:
    reply = (await ask(make(MINE, commands=entry(ECHO)))).reply
    assert reply.text == "You said: Be brief.\n\nHow fast was Alice?"
    assert (reply.model, reply.cost) == ("command:mine", None)
    assert reply.usage is not None
    assert reply.usage.estimated
    assert reply.usage.input


async def test_several_turns_are_told_apart() -> None:
    turns = [
        {"role": role, "content": role.upper()}
        for role in ("system", "user", "assistant", "user")
    ]
    told = commands.as_text(turns)
    assert told == (
        "SYSTEM\n\nUser:\nUSER\n\nAssistant:\nASSISTANT\n\nUser:\nUSER\n\nAssistant:\n"
    )


async def test_a_command_sees_no_key_but_those_it_is_given(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "GITHUB_TOKEN", "LAB", "OWN_KEY", "PLAIN"):
        monkeypatch.setenv(name, f"value-of-{name}")
    monkeypatch.setenv("ODD", "sk-proj-4f9a8b7c6d5e4f3a2b1c")
    config = Config(commands=entry(SEEN, env=["OWN_KEY"]))
    seen = commands.environment(config.commands["mine"], config, os.environ)
    assert seen["PLAIN"] == "value-of-PLAIN"
    assert seen["OWN_KEY"] == "value-of-OWN_KEY"
    assert seen["PATH"] == os.environ["PATH"]
    assert {"ANTHROPIC_API_KEY", "GITHUB_TOKEN", "OPENAI_API_KEY", "ODD"}.isdisjoint(
        seen
    )
    reply = (await ask(make(MINE, commands=config.commands))).reply
    assert "ANTHROPIC_API_KEY" not in reply.text
    assert "OWN_KEY" in reply.text
    assert "value-of-OWN_KEY" not in reply.text, "a key it repeats is hidden"


async def test_what_colours_a_terminal_is_taken_out(make: Make) -> None:
    code = "print('\\x1b[31mred\\x1b[0m and \\x1b]0;title\\x07plain')"
    reply = (await ask(make(MINE, commands=entry(code)))).reply
    assert (reply.text, reply.altered) == ("red and plain", True)


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("import sys; sys.exit(3)", "bad-request", "exit code 3"),
        (
            "import sys; sys.exit('first\\n\\x1b[1mno sk-proj-4f9a8b7c6d5e4f3a2b1c')",
            "bad-request",
            "exit code 1: [1mno [key hidden]",
        ),
        ("print('x' * (9 << 20))", "too-large", "more than 8 MiB"),
        ("pass", "empty", "sent an empty reply"),
    ],
)
async def test_what_went_wrong_is_told_in_one_line(
    make: Make, code: str, kind: str, words: str
) -> None:
    desk = make(MINE, commands=entry(code))
    with pytest.raises(ModelError) as caught:
        await ask(desk)
    assert caught.value.kind == kind
    assert words in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    spent = desk.take_spent()
    assert spent is not None
    assert spent.cost is None


@pytest.mark.slow
@pytest.mark.parametrize("stop", ["timeout", "cancel"])
async def test_everything_it_has_started_is_ended(
    make: Make, tmp_path: Path, stop: str
) -> None:
    file = tmp_path / "pids"
    limit = 1.0 if stop == "timeout" else 60.0
    desk = make(MINE, commands=entry(SPAWN, str(file), timeout=limit), retries=0)
    asking = asyncio.create_task(ask(desk))
    while not (file.exists() and file.read_text().count(" ")):
        await asyncio.sleep(0.01)
    pids = [int(one) for one in file.read_text().split()]
    if stop == "cancel":
        asking.cancel()
    with pytest.raises((ModelError, asyncio.CancelledError)) as caught:
        await asking
    if stop == "timeout":
        assert caught.value.kind == "timeout"  # type: ignore[union-attr]
    assert not any(map(running, pids))


async def test_the_reply_is_shown_as_it_comes(make: Make, tmp_path: Path) -> None:
    """The second part is written once the first one was shown, and what colours it is
    held back.
    """
    seen = tmp_path / "seen"
    code = (
        "import os, sys, time\n"
        "out = sys.stdout.buffer\n"
        "out.write(b'caf\\xc3'); out.flush()\n"
        "while not os.path.exists(sys.argv[1]): time.sleep(.01)\n"
        "out.write(b'\\xa9 \\x1b[3'); out.flush()\n"
        "while not os.path.exists(sys.argv[1] + '2'): time.sleep(.01)\n"
        "out.write(b'1mred\\xff')\n"
    )
    desk = make(MINE, commands=entry(code, str(seen), timeout=20.0))
    shown = ""
    async for part in desk.ask("judge", Task(), MESSAGES, None):
        if isinstance(part, Delta):
            shown += part.text
            if shown == "caf":
                seen.touch()
            elif shown == "café ":
                (tmp_path / "seen2").touch()
    assert isinstance(part, ModelReply)
    assert shown == part.text == "café red\ufffd"


async def test_stdin_that_nobody_reads_is_no_failure(make: Make) -> None:
    code = "import os; os.close(0); print('done')"
    long: list[Message] = [{"role": "user", "content": "x" * (4 << 20)}]
    asked = await ask(make(MINE, commands=entry(code)), messages=long)
    assert asked.reply.text == "done"


async def test_what_it_leaves_behind_is_ended_and_not_waited_for(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A child holds its stdout open, longer than the program and the test last."""
    monkeypatch.setattr(command_model, "GRACE", 0.2)
    file = tmp_path / "pid"
    code = (
        "import subprocess, sys\n"
        "words = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
        "child = subprocess.Popen(words)\n"
        "open(sys.argv[1], 'w').write(str(child.pid))\n"
        "print('done')\n"
    )
    desk = make(MINE, commands=entry(code, str(file), timeout=40.0))
    began = time.monotonic()
    assert (await ask(desk)).reply.text == "done"
    assert time.monotonic() - began < 20
    assert not running(int(file.read_text()))


def running(pid: int) -> bool:
    """Whether a process runs; one that nobody has waited for yet does not."""
    told = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True
    ).stdout
    return bool(told.strip()) and not told.strip().startswith("Z")


async def test_litellm_is_not_loaded(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(json.dumps({"models": {"mine": {"command": ["cat"]}}}))
    code = (
        "import os, sys, asyncio\n"
        "from pathlib import Path\n"
        "from verifytui.engines.models.config import load_config\n"
        "from verifytui.engines.models.desk import Desk\n"
        "from verifytui.tests.support.asking import ask, session\n"
        "from verifytui.sessions.session import Seat\n"
        f"config = load_config(Path({str(file)!r}), {{}})\n"
        "desk = Desk(session(judge=Seat(model='command:mine', name='mine')), config)\n"
        "print(asyncio.run(ask(desk)).reply.text)\n"
        "assert 'litellm' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "How fast was Alice?" in done.stdout


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"command": []}, "list of words"),
        ({"command": "claude -p"}, "must be a list"),
        ({"command": ["a"], "env": ["A=b"]}, "names of environment variables"),
        ({"command": ["a"], "model": "b"}, "is not a known entry"),
        ({"command": ["a"], "timeout": 0}, "must be more than 0"),
    ],
)
def test_what_is_wrong_in_the_file_is_told(
    tmp_path: Path, fields: dict[str, object], words: str
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(json.dumps({"models": {"mine": fields}}))
    with pytest.raises(BadInput) as caught:
        load_config(file, {})
    assert words in str(caught.value)


def test_a_program_that_is_not_there_is_told_before_a_call(tmp_path: Path) -> None:
    plain = tmp_path / "program"
    plain.write_text("#!/bin/sh\n")
    for program in ("progam", str(plain)):
        config = Config(commands={"mine": NamedCommand(command=[program])})
        asked = [SeatModel("judge", seat("mine", config))]
        (told,) = problems(asked, config, {"PATH": str(tmp_path)})
        assert "not a program on your PATH" in told
        assert told.endswith("Did you mean program?") == (program == "progam")
    plain.chmod(0o700)
    assert problems(asked, config, {}) == []


@pytest.mark.slow
def test_on_the_command_line(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    home.mkdir()
    mine = {"command": [sys.executable, "-c", SAYS]}
    models = {"mine": mine, "gone": {"command": ["no-such-program"]}}
    (home / "config.yaml").write_text(json.dumps({"models": models}))
    file = tmp_path / "one.yaml"
    done = command("debate", "Why?", "--model", "mine", "--save", file, fresh=True)
    assert done.returncode == 0, done.stderr
    assert "cost: null" in file.read_text()
    refused(command("debate", "Why?", "--model", "gone"), "gone", "no-such-program")
    lines = tmp_path / "topics.jsonl"
    lines.write_text(json.dumps({"id": "a", "topic": "Why?"}) + "\n")
    many = ("debate", "--topics", lines, "--into", tmp_path / "d", "--model", "mine")
    refused(command(*many), "--allow-commands")
    assert command(*many, "--allow-commands").returncode == 0
