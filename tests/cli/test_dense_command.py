"""`index --dense`, and searching and asking by vectors, with an embedding model on the
loopback.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from verifytui.tests.support.commanding import command, refused, rows
from verifytui.tests.support.embedding import Embedder, config_for
from verifytui.tests.support.serving import Says, Server

pytestmark = pytest.mark.slow

VECTORS = {
    "bridge": [1.0, 0.0, 0.0],
    "crosses": [0.9, 0.1, 0.0],
    "tea": [0.0, 1.0, 0.0],
    "茶": [0.0, 1.0, 0.1],
}


@pytest.fixture
def model(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Embedder]:
    monkeypatch.setenv("NEAR_KEY", "hush-hush-hush")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.txt").write_text("The bridge was opened in 1932.")
    (docs / "b.txt").write_text("It crosses the harbour.")
    (docs / "c.txt").write_text("茶馆创办于1921年。")
    with Server() as server:
        home.mkdir()
        (home / "config.yaml").write_text(config_for(server))
        server.says = Embedder(VECTORS, [0.3, 0.3, 0.3])
        yield server.says


def test_what_it_costs_is_said_before_and_nothing_changes(
    model: Embedder, tmp_path: Path, home: Path
) -> None:
    done = command(
        "index", "docs", "--name", "mine", "--dense", "near", "--dry-run", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "mine: near at 127.0.0.1 will embed 3 of 3 passages, about 20 tokens, "
        "about $0.000040.\n"
    )
    assert model.calls == 0
    assert not list((home / "corpora").glob("*mine*")) + list(
        (home / "corpora").glob(".trial*")
    )
    (told,) = rows(
        command(
            "index",
            "docs",
            "--name",
            "mine",
            "--dense",
            "near",
            "--dry-run",
            "--output",
            "json",
            cwd=tmp_path,
        ).stdout
    )
    assert (told["model"], told["missing"], told["tokens"], told["cost"]) == (
        "near",
        3,
        20,
        pytest.approx(4e-5),
    )


def test_a_corpus_with_vectors_is_made_searched_asked_and_kept_up_to_date(
    model: Embedder, tmp_path: Path
) -> None:
    done = command(
        "index",
        "docs",
        "--name",
        "mine",
        "--dense",
        "near",
        "--batch",
        "2",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "mine: near at 127.0.0.1 will embed 3 of 3 passages" in done.stderr
    assert done.stdout.endswith(
        "mine: 3 passages have vectors of 3 dimensions by near; 3 embedded now, 30 "
        "tokens, $0.000060\n"
    )
    assert [len(batch) for batch in model.batches] == [2, 1]
    assert "vectors by near" in command("corpora").stdout
    found = command("corpora", "search", "mine", "bridge opened", "--search", "hybrid")
    assert "[1] a  " in found.stdout
    assert "bm25 1 · dense 1" in found.stdout
    (first, *_) = rows(
        command(
            "corpora", "search", "mine", "tea", "--search", "dense", "--output", "json"
        ).stdout
    )
    assert (first["file"], first["score"]) == ("docs/c.txt", None)
    (tmp_path / "docs" / "b.txt").write_text("It crosses the bay.")
    (told,) = rows(command("index", "--name", "mine", "--output", "json").stdout)
    assert (told["indexed"], told["dense"]["embedded"], told["dense"]["passages"]) == (
        1,
        1,
        3,
    )
    events = rows(
        command(
            "ask",
            "Where is tea?",
            "--corpus",
            "mine",
            "--search",
            "hybrid",
            "--output",
            "json",
            "--no-save",
        ).stdout
    )
    retrieval = next(event for event in events if event.get("event") == "retrieval")
    assert retrieval["references"][0]["found_by"]["dense"] == 1
    assert retrieval["usage"]["input"] == 10
    (tmp_path / "questions.jsonl").write_text(
        '{"id": "one", "question": "Where is tea?"}\n'
    )
    batch = [
        "ask",
        "--questions",
        "questions.jsonl",
        "--into",
        "run",
        "--corpus",
        "mine",
        "--search",
        "hybrid",
        "--dry-run",
    ]
    assert "without the embedding model of mine" in command(*batch, cwd=tmp_path).stdout
    assert command("index", "--name", "mine", "--dense", "none").stdout.endswith(
        "mine: vectors deleted\n"
    )
    refused(
        command("ask", "Where is tea?", "--corpus", "mine", "--search", "dense"),
        "mine has no vectors",
        "--dense MODEL",
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["index", "docs", "--name", "mine", "--dry-run"], ["--dense MODEL"]),
        (
            ["index", "docs", "--name", "mine", "--dense", "lexical"],
            ["--dense cannot be lexical"],
        ),
        (
            [
                "index",
                "docs",
                "--name",
                "mine",
                "--dense",
                "openai/text-embedding-3-small",
            ],
            ["OPENAI_API_KEY"],
        ),
        (
            ["index", "docs", "--name", "mine", "--dense", "near", "--batch", "97"],
            ["--batch"],
        ),
        (
            ["ask", "Why?", "--references", "docs/a.txt", "--search", "hybrid"],
            ["--search hybrid", "corpus"],
        ),
        (
            ["ask", "Why?", "--corpus", "example", "--search", "near"],
            ["search", "hybrid"],
        ),
    ],
)
def test_what_cannot_be_done(
    arguments: list[str], words: list[str], model: Embedder, tmp_path: Path, home: Path
) -> None:
    refused(command(*arguments, cwd=tmp_path), *words)
    assert not list((home / "corpora").glob("[!.]*"))
    assert model.calls == 0


def test_a_model_that_fails_leaves_the_words_and_what_was_paid_for(
    model: Embedder, tmp_path: Path
) -> None:
    model.failing[1] = Says({"error": {"message": "no money left"}}, status=402)
    done = command(
        "index",
        "docs",
        "--name",
        "mine",
        "--dense",
        "near",
        "--batch",
        "1",
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert done.stdout.startswith("mine: 3 indexed")
    assert "1 of 3 vectors are stored" in done.stderr
    assert "hush" not in done.stdout + done.stderr
    assert "vectors by near, incomplete" in command("corpora").stdout
    assert command("index", "--name", "mine").returncode == 0
    assert [len(batch) for batch in model.batches] == [1, 2]
    model.failing[model.calls] = Says(
        {"error": {"message": "no money left"}}, status=402
    )
    searched = command("corpora", "search", "mine", "bridge", "--search", "dense")
    assert (searched.returncode, searched.stdout) == (1, "")
    assert "no money left" in searched.stderr
