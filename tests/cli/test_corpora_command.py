"""`index` and `corpora`."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from verifytui.tests.support.commanding import COMMAND, command, refused, rows


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "vern.md").write_text("# The lighthouse\n\nThe lighthouse of Vern was built in 1873 by Ada Holm.\n")
    (folder / "茶.txt").write_text("城北的老茶馆由王德发创办于1921年。", "gb18030")
    (folder / "broken.md").write_bytes(b"\x00\x01\x02" * 50)
    return folder


def test_a_folder_is_indexed_searched_brought_up_to_date_and_deleted(docs: Path) -> None:
    done = command("index", docs, "--name", "mine")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "mine: 2 indexed, 0 unchanged, 0 removed, 1 left out\n"
    assert "left out: " in done.stderr
    assert "broken.md" in done.stderr
    (docs / "new.txt").write_text("Tea is made of leaves.")
    (told,) = rows(command("index", docs, "--name", "mine", "--output", "json").stdout)
    assert (told["indexed"], told["unchanged"], told["removed"], len(told["skipped"])) == (1, 2, 0, 1)
    example, mine = rows(command("corpora", "--output", "json").stdout)
    assert (example["name"], example["problem"]) == ("example", None)
    assert (mine["name"], mine["documents"], mine["languages"]) == ("mine", 3, "zh+en")
    assert "mine  3 passages of 3 documents, zh+en" in command("corpora", "list").stdout
    found = rows(command("corpora", "search", "mine", "Who built the lighthouse?", "--k", "1", "--output", "json").stdout)
    assert [(one["n"], one["title"]) for one in found] == [(1, "The lighthouse")]
    done = command("corpora", "search", "mine", "茶馆 xyzzy")
    assert "王德发" in done.stdout
    assert done.stderr == "In no document: xyzzy\n"
    assert command("corpora", "delete", "mine").returncode == 0
    assert [one["name"] for one in rows(command("corpora", "list", "--output", "json").stdout)] == ["example"]
    assert (docs / "vern.md").exists()


def test_hostile_documents_reach_no_terminal(tmp_path: Path) -> None:
    (tmp_path / "evil\x1b[2J.txt").write_text("Look here: \x1b]0;owned\x07 \x9b31m and [bold]there[/bold].")
    done = command("index", tmp_path, "--name", "evil")
    told = done.stdout + done.stderr + command("corpora", "search", "evil", "Look here\x1b[31m \x07zzz").stdout
    assert "[bold]there[/bold]" in told
    assert not set(told) & {"\x1b", "\x07", "\x9b"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["index", "nowhere", "--name", "mine"], ["nowhere"]),
        (["index", "empty", "--name", "mine"], ["empty"]),
        (["index", "empty"], ["--name"]),
        (["index", "--name", "mine"], ["PATH"]),
        (["index", "empty", "--name", "../mine"], ["../mine"]),
        (["index", "empty", "--name", "example"], ["example"]),
        (["index", "full", "--name", "mine", "--words", "spoons"], ["spoons", "jieba"]),
        (["index", "full", "--name", "mine", "--limit-mb", "0"], ["--limit-mb"]),
        (["corpora", "search", "nowhere", "x"], ["nowhere"]),
        (["corpora", "search", "example", "x", "--k", "0"], ["--k"]),
        (["corpora", "delete", "nowhere"], ["nowhere"]),
        (["corpora", "delete", "example"], ["example"]),
    ],
)
def test_what_cannot_be_done(arguments: list[str], words: list[str], tmp_path: Path, home: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a.txt").write_text("A text.")
    refused(command(*arguments, cwd=tmp_path), *words)
    assert not list((home / "corpora").glob("[!.]*"))


def test_interrupted_it_leaves_no_half_index(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for n in range(3):
        (folder / f"{n}.txt").write_text("Some words of a text. " * 20)
    os.mkfifo(tmp_path / "started")
    code = (
        "import sys, time, verifytui.engines.retrieval.build as b\n"
        "real = b.load\n"
        "def slow(*a, **k):\n"
        "    open('started', 'w').close()\n"
        "    time.sleep(60)\n"
        "b.load = slow\n"
        "from verifytui.cli.app import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    process = subprocess.Popen(
        [COMMAND[0], "-c", code, "index", "docs", "--name", "mine"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    (tmp_path / "started").open().close()
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - began < 10
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert [one["name"] for one in rows(command("corpora", "--output", "json").stdout)] == ["example"]
    assert command("index", folder, "--name", "mine").stdout == "mine: 3 indexed, 0 unchanged, 0 removed, 0 left out\n"
