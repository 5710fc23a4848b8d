"""Each workspace run from its command to its last file, against a server that attacks.

Streams stay text, reports stay JSON, keys are written nowhere, only the owner can read
what was written; and opening what somebody else wrote asks nobody.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from verifytui.tests.support import hostile_texts as hostile
from verifytui.tests.support.commanding import COMMAND, annotating, answering, debating
from verifytui.tests.support.forged import WORKSPACES, calling_out
from verifytui.tests.support.loopback import Answer, Body, Loopback

pytestmark = pytest.mark.slow

KEYS = {
    "OPENAI_API_KEY": "sk-proj-THISISTHEKEY0123456789abcdef",
    "ANTHROPIC_API_KEY": "sk-ant-THISISTHEKEY0123456789",
    "LAB_KEY": "plain words of the labs key",
    "TAVILY_API_KEY": "tvly-THISISTHEKEY012345",
    "HF_TOKEN": "hf_THISISTHEKEY0123456789",
}
FACTS = (
    "The accused climbed through the window at night and took a ring and 900 in cash."
)
HOSTILE = " ".join(
    text for text in hostile.SHORT if text.isprintable() or text in hostile.CONTROLS
).replace("\0", "")


class Ran(NamedTuple):
    folder: Path
    home: Path
    told: dict[str, subprocess.CompletedProcess[bytes]]


def replies(workspace: str) -> Any:
    """One refusal that repeats the key and attacks the terminal, then the usual replies
    with attacks around what is read.
    """
    usual = {
        "debate": debating(HOSTILE),
        "rag": answering(),
        "relevance": annotating(),
    }[workspace]
    refused: list[int] = []

    def reply(body: Body) -> Answer:
        if not refused:
            refused.append(1)
            return Answer(
                status=500,
                error=f"{HOSTILE} your key {' or '.join(KEYS.values())} was wrong",
            )
        made: Answer = usual(body)
        if made.text.startswith("{"):
            return Answer(
                f"{made.text}\n\n{hostile.MARKUP[2]} \x1b[2J\x1b]52;c;aGk=\x07",
                reasoning=HOSTILE,
            )
        return Answer(f"{HOSTILE}\n\n{made.text}", reasoning=HOSTILE)

    return reply


def batch(workspace: str, folder: Path) -> list[str | Path]:
    file = folder / "lines.jsonl"
    ids = ["\x1b[2J=1+1", "../../escape", "[red]x[/red]"]
    if workspace == "debate":
        rows: list[dict[str, Any]] = [
            {"id": one, "topic": f"Why? {HOSTILE}", "answers": [HOSTILE]} for one in ids
        ]
        command: list[str | Path] = ["debate", "--topics", file, "--rounds", "1"]
    elif workspace == "rag":
        (folder / "docs").mkdir()
        (folder / "docs" / "a\x1b[31m[b]\n.txt").write_text(
            f"Vern was built in 1873. {HOSTILE}", "utf-8"
        )
        rows = [
            {
                "id": one,
                "question": f"When was Vern built? {HOSTILE}",
                "answers": ["1873"],
            }
            for one in ids
        ]
        command = ["ask", "--questions", file, "--corpus", folder / "docs"]
    else:
        pair = {
            "query": {"id": "[b]q", "text": FACTS},
            "candidate": {"id": "=1+1", "text": f"{FACTS} {HOSTILE}"},
        }
        rows = [{"id": one, **pair} for one in ids]
        command = ["relevance", "--pairs", file]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return [*command, "--into", folder / "out", "--model", "lab", "--concurrency", "1"]


def test_batches_and_refusals(tmp_path: Path) -> None:
    """One test, since the runs take their time."""
    made = run_all(tmp_path)
    what_is_told_is_text(made)
    for workspace in WORKSPACES:
        reports_are_json_and_every_line_has_its_session(made, workspace)
    keys_are_written_nowhere(made)
    only_the_owner_reads_what_was_written(made)


def run_all(folder: Path) -> Ran:
    """The three batches, and a config with a key in it that is refused; all with the
    usual rights for new files.
    """
    home = folder / "deep" / "er" / "home"
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL", "_TOKEN"))
    }
    env |= {
        **KEYS,
        "VERIFYTUI_HOME": str(home),
        "VERIFYTUI_RETRIES": "0",
        "HOME": str(folder),
        "LANG": "en_US.UTF-8",
        "PYTHONUTF8": "1",
    }
    told = {}
    with Loopback() as server:
        home.mkdir(parents=True)
        home.chmod(0o755)
        named = {
            "lab": {
                "model": "openai/lab",
                "api_base": server.base_url,
                "api_key_env": "LAB_KEY",
            }
        }
        (home / "config.yaml").write_text(json.dumps({"models": named, "cache": True}))
        for workspace in WORKSPACES:
            place = folder / workspace
            place.mkdir()
            server.answer = replies(workspace)
            told[workspace] = _run(batch(workspace, place), env)
        server.answer = replies("debate")
        told["debate alone"] = _run(
            ["debate", f"Why? {HOSTILE}", "--rounds", "1", "--model", "lab"], env
        )
        told["a script that fails"] = _run(
            ["debate", "Why?", "--prompts", "\x1b[2J[x]" + "y" * 300], env
        )
        (home / "config.yaml").write_text(
            json.dumps(
                {
                    "models": {
                        "\x1b[2J[a]": {"model": "x", "api_key": KEYS["OPENAI_API_KEY"]}
                    }
                }
            )
        )
        told["refused config"] = _run(["debate", "Why?"], env)
        (home / "config.yaml").write_text(
            "models: {a: {model: x}}\napi_key: " + KEYS["LAB_KEY"]
        )
        told["refused config too"] = _run(["ask", "Why?"], env)
        (home / "config.yaml").unlink()
    return Ran(folder, home, told)


def _run(
    arguments: list[str | Path], env: dict[str, str]
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        env=env,
        timeout=100,
        check=False,
        cwd=env["HOME"],
        umask=0o022,
    )


def what_is_told_is_text(ran: Ran) -> None:
    for name, done in ran.told.items():
        for stream in (done.stdout, done.stderr):
            assert not hostile.control_characters(stream.decode()), name
            assert b"Traceback" not in stream, stream.decode()
        assert done.returncode == (
            2
            if name.startswith(("refused config", "a script"))
            else 1
            if "alone" in name
            else done.returncode
        ), (
            name,
            done.stderr.decode(),
        )


def reports_are_json_and_every_line_has_its_session(ran: Ran, workspace: str) -> None:
    out = ran.folder / workspace / "out"
    report = (out / "report.json").read_text("utf-8")
    rows = [
        json.loads(line)
        for line in (out / "summary.jsonl").read_text("utf-8").splitlines()
    ]
    assert isinstance(json.loads(report), dict)
    assert [row["id"] for row in rows] == [
        "\x1b[2J=1+1",
        "../../escape",
        "[red]x[/red]",
    ]
    assert not hostile.control_characters(
        report + "".join(map(str, rows)).replace("\x1b", ""), "\n"
    )
    assert {row["status"] for row in rows} == {"done", "failed"}, ran.told[
        workspace
    ].stderr.decode()
    for row in rows:
        assert (out / row["file"]).is_file()
        assert (out / row["file"]).resolve().parent == out
    assert not list(ran.folder.glob("escape*"))


def keys_are_written_nowhere(ran: Ran) -> None:
    values = [key.encode() for key in KEYS.values()]
    for done in ran.told.values():
        assert not [key for key in values if key in done.stdout + done.stderr], (
            done.args
        )
    files = [path for path in ran.folder.rglob("*") if path.is_file()]
    assert len(files) > 12
    for path in files:
        data = path.read_bytes()
        assert not [key for key in values if key in data], path


def only_the_owner_reads_what_was_written(ran: Ran) -> None:
    """The user's own folders and the files put there by hand are as they were; all else
    is 0600, its folders 0700.
    """
    by_hand = {ran.folder / name / "lines.jsonl" for name in WORKSPACES}
    own = list(ran.home.rglob("*")) + [
        path for name in WORKSPACES for path in (ran.folder / name / "out").rglob("*")
    ]
    assert {path.name for path in own} >= {
        "sessions",
        "cache",
        "indexes",
        "summary.jsonl",
        "report.json",
    }
    wrong = [
        (path, oct(stat.S_IMODE(path.stat().st_mode)))
        for path in own
        if path not in by_hand
        and stat.S_IMODE(path.stat().st_mode) != (0o700 if path.is_dir() else 0o600)
    ]
    assert wrong == []


GUARD = """
import asyncio, socket, sys
asked = []
def guard(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        asked.append((event, str(arguments)))
    elif event == "socket.connect" and not (isinstance(arguments[1], (str, bytes))):
        asked.append((event, str(arguments[1])))
    elif event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"):
        asked.append((event, str(arguments)))
sys.addaudithook(guard)
"""

OPEN = """
from pathlib import Path
from verifytui.engines.models import litellm_loading
from verifytui.engines.models.config import Config
from verifytui.sessions.journal import Journal
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play
from verifytui.engines.blocks import export
from verifytui.sessions.export import FORMATS
from verifytui.cli.app import main

async def go():
    app = VerifyTui(Config())
    async with app.run_test(size=(110, 30)) as pilot:
        await pilot.pause()
        for path in sys.argv[1:]:
            assert await app.open_play(Play(Journal.open(Path(path))))
            await pilot.pause()
            for number in range(len(app.workspace.play.session.events) + 1):
                await app.workspace.bench.look(number)
            for key in ("v", "escape", "o", "escape"):
                await pilot.press(key)
                await pilot.pause()
    await litellm_loading.ready()
asyncio.run(go())
for path in sys.argv[1:]:
    for form in FORMATS:
        export(Journal.open(Path(path), write=False).session, form)
    assert main(["replay", path, "--plain"]) == 0
assert not asked, asked
"""


def test_opening_what_somebody_else_wrote_asks_nobody(
    tmp_path: Path, home: Path
) -> None:
    """With addresses in every place that could be followed, and models and retrievers
    that could be called.
    """
    env = {**os.environ, **KEYS, "VERIFYTUI_HOME": str(home)}
    files = []
    for workspace in WORKSPACES:
        files.append(tmp_path / f"{workspace}.yaml")
        files[-1].write_bytes(calling_out(workspace))
    done = subprocess.run(
        [sys.executable, "-c", GUARD + OPEN, *map(str, files)],
        capture_output=True,
        text=True,
        env=env,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_guard_sees_a_connection(tmp_path: Path) -> None:
    code = (
        GUARD + "import contextlib\nwith contextlib.suppress(OSError): "
        "socket.create_connection(('127.0.0.1', 9), 1)\nassert asked"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
