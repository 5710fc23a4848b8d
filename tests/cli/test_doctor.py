"""`doctor`: what it finds, what it calls broken, and what it never prints."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from commanding import command
from loopback import Loopback
from terminal import Terminal
from verifytui.cli.doctor import hidden

KEY = "sk-loopback-0123456789"


def test_a_sound_machine_is_told_in_plain_text_and_nothing_is_broken(home: Path, tmp_path: Path, server: Loopback) -> None:
    server.models = ["one", "two"]
    done = command("doctor")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"python +\d+\.\d+\.\d+", done.stdout)
    assert re.search(r"textual +\d+\.", done.stdout)
    assert re.search(r"set \(names only\) +OPENAI_API_KEY\n", done.stdout)
    assert re.search(r"127\.0\.0\.1:\d+ +answers with 2 models\n", done.stdout)
    assert re.search(r"example +\d+ passages", done.stdout)
    assert re.search(r"cuts words +yes", done.stdout)
    assert re.search(r"sessions +~/home/sessions", done.stdout)
    assert done.stdout.endswith("Nothing is broken.\n")
    assert KEY not in done.stdout
    assert str(tmp_path) not in done.stdout
    assert "\x1b" not in done.stdout


def test_whatever_is_broken_is_named_and_the_rest_still_told(home: Path) -> None:
    sessions, corpus = home / "sessions", home / "corpora" / "mine"
    sessions.mkdir(parents=True)
    corpus.mkdir(parents=True)
    (sessions / "a.yaml").write_text("a secret topic: [")
    (corpus / "index.json").write_text('{"format": 99}')
    (home / "config.yaml").write_text("models: [1]\n")
    crashes = home / "state" / "crashes"
    crashes.mkdir(parents=True)
    (crashes / "crash-20260101T000000-1.txt").write_text("verifytui 0.1.0\nbuiltins.ZeroDivisionError (its message is left out)\n  place\n")
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
    assert "others may look in" in found["paths"]["sessions"]
    assert "secret" not in done.stdout


def test_a_home_that_is_a_file_is_broken_and_no_traceback(home: Path) -> None:
    home.write_text("no folder")
    done = command("doctor", "--output", "json")
    assert done.returncode == 1
    assert any("cannot be written to" in sentence for sentence in json.loads(done.stdout)["broken"])


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
def test_what_is_hidden(monkeypatch: pytest.MonkeyPatch, value: object, told: object) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    shown = hidden(value, os.environ)
    if told is None:
        assert "\x1b" not in shown
        assert "\n" not in shown
    else:
        assert shown == told
