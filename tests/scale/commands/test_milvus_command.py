"""`index --to`, and what is done with a corpus on Milvus from then on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from verifytui.cli.app import main
from verifytui.tests.support.commanding import Done, refused, rows

pytest.importorskip("pymilvus", reason="Corpora on Milvus need the extra milvus.")
pytestmark = pytest.mark.slow


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Runs a command in this process, which loads pymilvus once."""

    def run(*arguments: str) -> Done:
        capsys.readouterr()
        code = main(arguments)
        told = capsys.readouterr()
        return Done(arguments, code, told.out, told.err)

    return run


def test_a_corpus_is_sent_searched_asked_taken_up_elsewhere_and_dropped(
    command: Callable[..., Done],
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("The bridge was opened in 1932.")
    (tmp_path / "docs" / "b.txt").write_text("A ferry crosses the harbour.")
    to = f"milvus:{tmp_path}/shared.db"
    done = command("index", "docs", "--name", "mine", "--to", to)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == (
        f"mine on Milvus: 2 passages sent, 0 unchanged, 0 removed. To search it, "
        f"use --corpus milvus:mine ({to})."
    )
    assert (
        command(
            "index", "--name", "mine", "--to", f"milvus:{tmp_path}/second.db"
        ).returncode
        == 0
    )
    (tmp_path / "docs" / "b.txt").unlink()
    (told,) = rows(
        command("index", "--name", "mine", "--to", to, "--output", "json").stdout
    )
    counts = {
        "passages": 1,
        "sent": 1,
        "unchanged": 0,
        "removed": 0,
        "rebuilt": "length",
    }
    assert told["milvus"] == {"address": to, "corpus": "milvus:mine", **counts}
    assert (
        "milvus:mine  1 passages of 1 documents, en, tokenized by bigrams"
        in command("corpora").stdout
    )
    elsewhere = tmp_path / "elsewhere"
    monkeypatch.setenv("VERIFYTUI_HOME", str(elsewhere))
    refused(
        command("index", "--name", "nobody", "--to", to),
        "There is neither a corpus nobody here",
    )
    taken = command("index", "--name", "mine", "--to", to)
    assert (
        taken.stdout == "mine on Milvus: 1 passages. "
        f"To search it, use --corpus milvus:mine ({to}).\n"
    )
    found = rows(
        command("corpora", "search", "milvus:mine", "bridge", "--output", "json").stdout
    )
    assert [one["file"] for one in found] == ["docs/a.txt"]
    events = rows(
        command(
            "ask",
            "When was the bridge opened?",
            "--corpus",
            "milvus:mine",
            "--output",
            "json",
            "--no-save",
        ).stdout
    )
    assert events[0]["task"]["corpus"] == "milvus:mine"
    assert events[-1]["answer"].startswith("The bridge was opened in 1932.")
    refused(
        command("ask", "When?", "--corpus", "milvus:mine", "--where", "colour = red"),
        "colour",
    )
    refused(
        command("ask", "When?", "--corpus", "milvus:mine", "--search", "dense"),
        "milvus:mine has no vectors",
        "--to ADDRESS",
    )
    refused(
        command("corpora", "delete", "example", "--drop"),
        "--drop applies to a corpus on Milvus.",
    )
    dropped = command("corpora", "delete", "milvus:mine", "--drop")
    assert (dropped.returncode, dropped.stderr) == (
        0,
        f"The collection was deleted from Milvus ({to}).\n",
    )
    monkeypatch.setenv("VERIFYTUI_HOME", str(home))
    refused(
        command("corpora", "search", "milvus:mine", "bridge"),
        "is no longer on Milvus at",
    )
    assert command("index", "--name", "mine", "--to", to).returncode == 0
    assert not [
        path
        for path in elsewhere.rglob("*")
        if path.is_file() and b"/shared.db" in path.read_bytes()
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--to", "milvus://127.0.0.1:1/mine"], "Milvus at 127.0.0.1:1 cannot be reached"),
        (["--to", "milvus://root:hush@127.0.0.1:1/mine"], "must not contain a user, password or token"),
        (["--to", "milvus://127.0.0.1:1/mine", "--token-env", "NO_SUCH_TOKEN"], "set NO_SUCH_TOKEN in the environment"),
        (["--token-env", "NO_SUCH_TOKEN"], "--token-env needs --to."),
        (["--to", "milvus:x.db", "--dry-run"], "leave out --to"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_before_anything_is_read(
    command: Callable[..., Done], home: Path, arguments: list[str], words: str
) -> None:
    refused(command("index", "docs", "--name", "mine", *arguments), words)
    assert not (home / "corpora").exists()
