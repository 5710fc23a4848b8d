"""`index` and `corpora`."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from verifytui.cli.commands.index import FileProgress
from verifytui.engines.retrieval import pace
from verifytui.engines.retrieval.home import CorpusFolder
from verifytui.tests.support.commanding import COMMAND, command, refused, rows

pytestmark = pytest.mark.slow


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "vern.md").write_text(
        "# The lighthouse\n\nThe lighthouse of Vern was built in 1873 by Ada Holm.\n"
    )
    (folder / "茶.txt").write_text("城北的老茶馆由王德发创办于1921年。", "gb18030")
    (folder / "broken.md").write_bytes(b"\x00\x01\x02" * 50)
    return folder


def test_a_folder_is_indexed_searched_brought_up_to_date_and_deleted(
    docs: Path,
) -> None:
    done = command("index", docs, "--name", "mine")
    assert done.returncode == 0, done.stderr
    first, head, *kinds = done.stdout.splitlines()
    assert first == "mine: 2 indexed, 0 unchanged, 0 removed, 1 left out"
    assert head == "kind  files  documents  passages  words  left out"
    assert [line.split()[:4] + line.split()[5:] for line in kinds] == [
        [".md", "1", "1", "1", "1"],
        [".txt", "1", "1", "1", "0"],
    ]
    assert "left out: " in done.stderr
    assert "broken.md" in done.stderr
    (docs / "new.txt").write_text("Tea is made of leaves.")
    (told,) = rows(command("index", docs, "--name", "mine", "--output", "json").stdout)
    assert (
        told["indexed"],
        told["unchanged"],
        told["removed"],
        len(told["skipped"]),
    ) == (1, 2, 0, 1)
    example, mine = rows(command("corpora", "--output", "json").stdout)
    assert (example["name"], example["problem"]) == ("example", None)
    assert (mine["name"], mine["documents"], mine["languages"]) == ("mine", 3, "zh+en")
    assert "mine  3 passages of 3 documents, zh+en" in command("corpora", "list").stdout
    found = rows(
        command(
            "corpora",
            "search",
            "mine",
            "Who built the lighthouse?",
            "--k",
            "1",
            "--output",
            "json",
        ).stdout
    )
    assert [(one["n"], one["title"]) for one in found] == [(1, "The lighthouse")]
    done = command("corpora", "search", "mine", "茶馆 xyzzy")
    assert "王德发" in done.stdout
    assert done.stderr == "No document contains: xyzzy\n"
    (docs / "copy.md").write_text((docs / "vern.md").read_text())
    command("index", docs, "--name", "mine")
    done = command("corpora", "search", "mine", "lighthouse", "--where", "kind = md")
    assert done.stdout.startswith("[1] The lighthouse")
    assert done.stderr == "1 near-duplicate left out\n"
    refused(
        command("corpora", "search", "mine", "lighthouse", "--where", "author = me"),
        "author",
        "path, title, kind",
    )
    assert command("corpora", "delete", "mine").returncode == 0
    assert [
        one["name"]
        for one in rows(command("corpora", "list", "--output", "json").stdout)
    ] == ["example"]
    assert (docs / "vern.md").exists()


def test_another_source_is_refused_and_can_be_added(docs: Path, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "a.txt").write_text("Walruses sleep.")
    command("index", docs, "--name", "mine")
    refused(
        command("index", tmp_path / "more", "--name", "mine"),
        str(docs),
        str(tmp_path / "more"),
        "--add",
        "--replace",
    )
    assert command(
        "index", tmp_path / "more", "--add", "--name", "mine"
    ).stdout.startswith("mine: 1 indexed, 2 unchanged, 0 removed, 1")
    assert command("index", "--name", "mine").stdout.startswith(
        "mine: 0 indexed, 3 unchanged, 0 removed, 1"
    )


def test_more_than_half_left_out_is_said_and_fails(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("Walruses sleep.")
    for number in range(5):
        (folder / f"{number}.png").write_bytes(b"\x89PNG")
    assert command("index", folder, "--name", "mine").returncode == 0
    for number in range(5):
        (folder / f"{number}.xyz").write_bytes(b"\0")
    done = command("index", folder, "--name", "mine", "--output", "json")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "left out: docs/0.png, docs/1.png, docs/2.png and 2 more: .png files are "
        "not indexed",
        "left out: docs/0.xyz, docs/1.xyz, docs/2.xyz and 2 more: .xyz files are "
        "not indexed",
        "Warning: 5 of 6 files were left out (images, archives and similar files "
        "not counted).",
    ]
    for number in range(9):
        (folder / f"0.x{number}").write_bytes(b"\0")
    table = [
        line.split()
        for line in command("index", folder, "--name", "mine").stdout.splitlines()[2:]
    ]
    assert [row[0] for row in table] == [
        ".txt",
        ".png",
        ".xyz",
        ".x0",
        ".x1",
        ".x2",
        ".x3",
        "(5",
    ]
    assert table[-1][-1] == "5"
    (told,) = rows(done.stdout)
    assert [
        (kind["ending"], kind["files"], kind["left_out"]) for kind in told["kinds"]
    ] == [(".txt", 1, 0), (".png", 0, 5), (".xyz", 0, 5)]
    assert len(told["skipped"]) == 10


def test_a_corpus_being_built_is_said_to_be_that(docs: Path, home: Path) -> None:
    (home / "corpora").mkdir(parents=True)
    with CorpusFolder(home / "corpora" / "mine").lock() as turn:
        turn.tell(3, 10)
        assert (
            "mine  The corpus mine is being indexed: 3 of 10 files since 2"
            in command("corpora").stdout
        )
        refused(
            command("ask", "Who built the lighthouse?", "--corpus", "mine"),
            "mine is being indexed",
            "3 of 10 files since",
        )
        refused(command("corpora", "search", "mine", "x"), "3 of 10 files since")
    command("index", docs, "--name", "mine")
    with CorpusFolder(home / "corpora" / "mine").lock() as turn:
        turn.tell(3, 10)
        assert "being updated, 3 of 10 files since 2" in command("corpora").stdout
        (_, mine) = rows(command("corpora", "--output", "json").stdout)
        assert (
            mine["building"]["done"],
            mine["building"]["total"],
            mine["problem"],
        ) == (3, 10, None)
        refused(
            command("index", docs, "--name", "mine"),
            "Another VerifyTUI process is indexing the corpus mine (3 of 10 files since",
        )
        assert command("corpora", "search", "mine", "lighthouse").stdout
        turn.tell(5, 20, vectors=True)
        assert "being updated, 5 of 20 vectors since 2" in command("corpora").stdout


def test_how_far_reading_is_and_how_long_the_rest_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr(FileProgress, "LOG_SECONDS", 0)
    monkeypatch.setattr(pace.ReadingSpeed.__init__, "__defaults__", (lambda: now,))
    progress = FileProgress()
    progress.show(200, 2000, "a.md")
    now = 20.0
    progress.show(400, 2000, "b\x1b.md")
    progress.show(2000, 2000, "")
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "200/2,000 files: a.md",
        "400/2,000 files, 2 min 40 s left: b.md",
        "2,000/2,000 files: writing the index",
    ]


def test_hostile_documents_reach_no_terminal(tmp_path: Path) -> None:
    (tmp_path / "evil\x1b[2J.txt").write_text(
        "Look here: \x1b]0;owned\x07 \x9b31m and [bold]there[/bold]."
    )
    done = command("index", tmp_path, "--name", "evil")
    told = (
        done.stdout
        + done.stderr
        + command("corpora", "search", "evil", "Look here\x1b[31m \x07zzz").stdout
    )
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
def test_what_cannot_be_done(
    arguments: list[str], words: list[str], tmp_path: Path, home: Path
) -> None:
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
        "import sys, time, verifytui.engines.retrieval.readings as b\n"
        "real = b.load\n"
        "def slow(*a, **k):\n"
        "    open('started', 'w').close()\n"
        "    time.sleep(60)\n"
        "b.load = slow\n"
        "from verifytui.cli.app import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    process = subprocess.Popen(
        [COMMAND[0], "-c", code, "index", "docs", "--name", "mine"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    (tmp_path / "started").open().close()
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - began < 10
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert [
        one["name"] for one in rows(command("corpora", "--output", "json").stdout)
    ] == ["example"]
    assert command("index", folder, "--name", "mine").stdout.startswith(
        "mine: 3 indexed, 0 unchanged, 0 removed, 0 left out\n"
    )
