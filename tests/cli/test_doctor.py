"""`doctor`: what it finds, what it calls broken, and what it never prints."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import time
from pathlib import Path

import pytest
from verifytui.cli.commands.doctor import hidden
from verifytui.cli.servers import ask_all
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.retrieval.corpus import Corpora
from verifytui.sessions.paths import paths
from verifytui.tests.support.commanding import command
from verifytui.tests.support.loopback import Loopback
from verifytui.tests.support.serving import Says, Server
from verifytui.tests.support.terminal import Terminal
from verifytui.texts import has, t

pytestmark = pytest.mark.slow

KEY = "sk-loopback-0123456789"


def test_a_sound_machine_is_told_in_plain_text_and_nothing_is_broken(
    home: Path, tmp_path: Path, server: Loopback
) -> None:
    server.models = ["one", "two"]
    done = command("doctor")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"python +\d+\.\d+\.\d+", done.stdout)
    assert re.search(r"textual +\d+\.", done.stdout)
    assert re.search(r"commands\.merge +verifytui\n", done.stdout)
    assert re.search(r"set \(names only\) +OPENAI_API_KEY\n", done.stdout)
    assert re.search(r"127\.0\.0\.1:\d+ +answers with 2 models\n", done.stdout)
    assert re.search(r"example +not built yet", done.stdout)
    assert not (home / "cache" / "indexes").exists()
    assert re.search(r"cuts words +yes", done.stdout)
    assert re.search(r"sessions +~/home/sessions", done.stdout)
    assert done.stdout.endswith("No problems found.\n")
    assert KEY not in done.stdout
    assert str(tmp_path) not in done.stdout
    assert "\x1b" not in done.stdout


def test_in_chinese_all_but_names_is_chinese_and_json_stays_english(home: Path) -> None:
    told = command("--lang", "zh", "doctor").stdout
    assert not re.search(
        r"\b(?:yes|no|none|not|paths|servers|words|sessions  )\b", told
    )
    lines = [
        line.split() for line in told.splitlines() if line and not line.startswith(" ")
    ]
    assert [line[0] for line in lines if line[0].isascii()] == ["verifytui"]
    found = json.loads(command("--lang", "zh", "doctor", "--output", "json").stdout)
    assert json.dumps(found, ensure_ascii=False).isascii()
    for section, facts in found.items():
        if section in (
            "verifytui",
            "terminal",
            "paths",
            "keys",
            "chinese words",
            "sessions",
        ):
            assert [name for name in facts if not _same_in_english(section, name)] == []


def _same_in_english(section: str, name: str) -> bool:
    key = "report.doctor." + "_".join(
        re.sub(r"\W+", "_", each).strip("_") for each in (section, name)
    )
    return not has(key) or t(key) == name or name == "python"


def test_whatever_is_broken_is_named_and_the_rest_still_told(home: Path) -> None:
    sessions, corpus = home / "sessions", home / "corpora" / "mine"
    sessions.mkdir(parents=True)
    corpus.mkdir(parents=True)
    (sessions / "a.yaml").write_text("a secret topic: [")
    (corpus / "index.json").write_text('{"format": 99}')
    (home / "config.yaml").write_text("models: [1]\n")
    crashes = home / "state" / "crashes"
    crashes.mkdir(parents=True)
    (crashes / "crash-20260101T000000-1.txt").write_text(
        "verifytui 0.1.0\nbuiltins.ZeroDivisionError (its message is left out)\n  "
        "place\n"
    )
    done = command("doctor", "--output", "json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    told = " ".join(found["broken"])
    assert len(found["broken"]) == 3
    assert "config.yaml" in told
    assert "another version" in told
    assert "1 of 1 sessions" in told
    assert found["sessions"] == {"in the library": 1, "cannot be read": 1}
    assert found["corpora"]["mine"] == "cannot be opened"
    assert found["last crash"]["what"] == "builtins.ZeroDivisionError"
    assert found["last crash"]["report"].startswith("~/home/state/crashes/")
    assert "accessible to others" in found["paths"]["sessions"]
    assert "secret" not in done.stdout


def test_every_server_that_something_names_is_asked_at_once_and_only_near_ones(
    home: Path, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One answers, one lists nothing, one wants a key, one is silent, one is gone, one
    is far away.
    """
    home.mkdir()
    server.models = ["qwen"]
    monkeypatch.setenv("LAB_KEY", "words of the lab")
    with (
        Loopback() as bare,
        Server() as locked,
        Server() as silent,
        Server() as shelf,
        socket.socket() as nobody,
    ):
        bare.models = []
        locked.says = Says({}, status=401)
        silent.says = Says(silent=True)
        shelf.says = Says({}, status=405)
        nobody.bind(("127.0.0.1", 0))
        gone = nobody.getsockname()[1]
        named = {
            "lab": {
                "model": "openai/qwen",
                "api_base": server.base_url,
                "concurrency": 4,
            },
            "old": {"model": "openai/gone", "api_base": server.base_url},
            "bare": {"model": "bare", "api_base": bare.base_url},
            "locked": {
                "model": "openai/x",
                "api_base": locked.url + "/v1",
                "api_key_env": "LAB_KEY",
            },
            "silent": {"model": "ollama/x", "api_base": silent.url},
            "gone": {"model": "openai/x", "api_base": f"http://127.0.0.1:{gone}/v1"},
            "far": {"model": "openai/x", "api_base": "http://198.51.100.1:9/v1"},
            "mine": {
                "model": "openai/x",
                "api_base": f"http://0.0.0.0:{shelf.port}/v1",
            },
        }
        config = {
            "models": named,
            "retrievers": {"shelf": {"url": shelf.url}},
            "private_hosts": ["0.0.0.0"],
        }
        (home / "config.yaml").write_text(json.dumps(config))
        began = time.monotonic()
        done = command("doctor", "--output", "json")
        lasted = time.monotonic() - began
        asked = locked.asked[0].headers
    found = json.loads(done.stdout)
    told = {where.rpartition(":")[2]: what for where, what in found["servers"].items()}
    assert (
        told[server.base_url.split(":")[2].split("/")[0]]
        == "answers with 1 model; not among them: gone of old, for lab, old"
    )
    assert found["limits"] == {"lab": "at most 4 calls in progress"}
    assert (
        told[bare.base_url.split(":")[2].split("/")[0]]
        == "answers, with no model loaded, for bare"
    )
    assert told[str(locked.port)] == "answers, but rejects the key, for locked"
    assert told[str(silent.port)] == "does not answer, for silent"
    assert told[str(gone)] == "does not answer, for gone"
    assert found["servers"][f"127.0.0.1:{shelf.port}"] == "answers, for http:shelf"
    assert (
        found["servers"]["198.51.100.1:9"]
        == "not contacted: not on this machine and not listed as private, for far"
    )
    assert (
        found["servers"][f"0.0.0.0:{shelf.port}"]
        == "answers, without a list of models (HTTP 405), for mine"
    )
    assert asked["authorization"] == "Bearer words of the lab"
    assert done.returncode == 1
    assert len(found["broken"]) == 2
    assert all(
        "does not answer; start it or correct its address." in sentence
        for sentence in found["broken"]
    )
    assert "words of the lab" not in done.stdout
    assert lasted < 10


@pytest.mark.parametrize(
    "body",
    [
        b"not json",
        b"[]",
        b'{"data": [1]}',
        b'{"data": {"id": {}}}',
        b"[" * 100_000,
        b"\xff" * (3 << 20),
    ],
    ids=["no json", "list", "numbers", "object", "deep", "binary"],
)
def test_whatever_a_server_says_nothing_of_it_is_told(
    home: Path, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server() as odd:
        odd.says = Says(body)
        config = Config(models={"odd": NamedModel(model="openai/x", api_base=odd.url)})
        found, broken = asyncio.run(ask_all(config, {}))
    assert (
        found[f"127.0.0.1:{odd.port}"] == "answers, without a list of models, for odd"
    )
    assert broken == []


def test_an_address_is_told_without_what_else_it_holds(home: Path) -> None:
    env = {"OPENAI_API_BASE": "http://me:sesame@127.0.0.1:9/v1?token=sesame"}
    found, broken = asyncio.run(ask_all(Config(), env))
    assert "sesame" not in str(found) + str(broken)
    assert found["127.0.0.1:9"] == "does not answer"


def test_the_example_that_is_there_is_opened(home: Path) -> None:
    Corpora(paths()).open("example").close()
    assert re.search(r"example +\d+ passages", command("doctor").stdout)


def test_a_home_that_is_a_file_is_broken_and_no_traceback(home: Path) -> None:
    home.write_text("no folder")
    done = command("doctor", "--output", "json")
    assert done.returncode == 1
    assert any(
        "cannot be written to" in sentence
        for sentence in json.loads(done.stdout)["broken"]
    )


def test_the_terminal_says_how_wide_an_ambiguous_character_is(home: Path) -> None:
    with Terminal("doctor", size=(100, 70), SSH_CONNECTION="::1 1 ::1 22") as terminal:
        terminal.until(lambda: b"\x1b[6n" in terminal.raw)
        terminal.child.send("\x1b[1;3R")
        told = terminal.ended()
    assert re.search(r"size +100x70", told)
    assert re.search(r"SSH +yes", told)
    assert re.search(r"ambiguous width +2", told)


def test_a_terminal_that_does_not_answer_is_left_alone(home: Path) -> None:
    with Terminal("doctor") as terminal:
        assert re.search(r"ambiguous width +-\r", terminal.ended())


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("/home/me/x", "~/x"),
        ("/home/me", "~"),
        ("/home/meike/x", "/home/meike/x"),
        ("by /home/me/x of /home/me.", "by ~/x of ~."),
        (f"key {KEY}", "key [key hidden]"),
        ("a\x1b[31mb\nc", None),
        (3, 3),
    ],
)
def test_what_is_hidden(
    monkeypatch: pytest.MonkeyPatch, value: object, told: object
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    shown = hidden(value, os.environ)
    if told is None:
        assert "\x1b" not in shown
        assert "\n" not in shown
    else:
        assert shown == told
