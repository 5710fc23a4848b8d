"""Keys that a server echoes, in many ways of writing, and every place where they could
be stored or shown.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest
from verifytui.engines.batches.registry import has_runner
from verifytui.sessions.crash import crash_report
from verifytui.tests.support.commanding import command, debating
from verifytui.tests.support.loopback import Answer, Body, Loopback

pytestmark = pytest.mark.slow

SENT = "sk-loop-Qx7vTz93kLm2Wd85"
"""The key of the provider that is asked."""
KEYS = {
    "OPENAI_API_KEY": SENT,
    "ANTHROPIC_API_KEY": "sk-ant-Hb4yRn61cPf0Js29",
    "SEARCH_KEY": "retr-Gm8uXe57wAq3Vt60",
}
"""Those of another provider and of the retriever are echoed, too."""
CONFIG = """retrievers:
  mine: {url: "http://127.0.0.1:9/search", api_key_env: SEARCH_KEY}
"""


def ways(key: str) -> Iterator[str]:
    raw = key.encode()
    code = base64.b64encode(raw).decode()
    for mark in ("-", ".", ", ", "**", "'", '"', "`", "_", ":", " | "):
        yield mark.join(key)
    yield from (key, key.upper(), key.swapcase(), key[::-1], ".".join(code), code)
    yield from (raw.hex(), raw.hex(":"), raw.hex("-").upper(), f"0x{raw.hex()}")
    yield " ".join(f"0x{byte:02x}" for byte in raw)
    yield "".join(f"%{byte:02x}" for byte in raw)
    yield "".join(f"&#{byte};" for byte in raw)


STATUSES = (400, 401, 404, 500)

ECHO = "\n".join(f"It is {way} here." for key in KEYS.values() for way in ways(key))


def stored(text: str) -> list[str]:
    """The ways in which a key stands in a text: what remains of both without
    separators, in one case.
    """
    bare = _bare(text)
    return [way for key in KEYS.values() for way in ways(key) if _bare(way) in bare]


def _bare(text: str) -> str:
    return re.sub(r"0x(?=[0-9a-f]{2})|[\W_]", "", text.lower())


@pytest.fixture(autouse=True)
def server(
    loopback: Loopback, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Loopback:
    """Its answers to a debate echo all keys, in the text and in the reasoning."""
    told = debating()

    def echoing(body: Body) -> Answer:
        answer: Answer = told(body)
        answer.text = f"{ECHO}\n\n{answer.text}"
        answer.reasoning = ECHO
        answer.fingerprint = SENT.upper()
        return answer

    loopback.answer = echoing
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("VERIFYTUI_RETRIES", "0")
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    home.mkdir(parents=True)
    (home / "config.yaml").write_text(CONFIG)
    return loopback


def written(folder: Path) -> str:
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert files
    return "\n".join(file.read_text(errors="replace") for file in files)


def test_the_check_sees_every_way() -> None:
    assert len(set(stored(ECHO))) == len(
        {way for k in KEYS.values() for way in ways(k)}
    )


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_debate_stores_and_prints_no_key(tmp_path: Path, form: str) -> None:
    file = tmp_path / "session.yaml"
    done = command(
        "debate", "Why?", "--model", "openai/lb", "--save", file, "--output", form
    )
    assert done.returncode == 0, done.stderr
    assert "[key hidden]" in file.read_text()
    assert stored(done.stdout + done.stderr) == []
    assert stored(written(tmp_path)) == []
    for kind in ("html", "md", "jsonl"):
        page = command("export", file, "--to", kind).stdout
        assert "key hidden" in page
        assert stored(page) == []


def test_a_detached_batch_stores_no_key(tmp_path: Path) -> None:
    lines, into = tmp_path / "topics.jsonl", tmp_path / "into"
    lines.write_text(
        "".join(json.dumps({"id": f"t{n}", "topic": "Why?"}) + "\n" for n in range(3))
    )
    begun = command(
        *("debate", "--topics", lines, "--into", into, "--model", "openai/lb"),
        "--detach",
    )
    assert begun.returncode == 0, begun.stderr
    command("runs", "pause", into)
    command("runs", "go-on", into)
    command("runs", "follow", into)
    assert not has_runner(into)
    assert "[key hidden]" in (into / "t0.yaml").read_text()
    assert (into / "run.log").exists()
    assert stored(written(tmp_path)) == []


def test_the_message_of_a_fault_holds_no_key(server: Loopback, tmp_path: Path) -> None:
    for number, (way, status) in enumerate(zip(ways(SENT), cycle(STATUSES))):
        server.answer = Answer(status=status, error=f"Refused: {way} is wrong.")
        done = command(
            *("debate", "Why?", "--model", "openai/lb"),
            *("--save", tmp_path / f"{number}.yaml"),
        )
        assert done.returncode == 1
        assert "[key hidden]" in done.stderr
        assert stored(done.stdout + done.stderr) == []
    assert stored(written(tmp_path)) == []


def test_a_crash_report_holds_no_message() -> None:
    try:
        raise RuntimeError(ECHO) from ValueError(SENT)
    except RuntimeError as error:
        report = crash_report(error)
    assert report is not None
    assert stored(Path(report).read_text()) == []
    assert os.stat(report).st_mode & 0o777 == 0o600
