"""An encoder's folder where an embedding or reranking model is named.

Here it knows a few words, and torch is not needed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy
import pytest
from verifytui.cli.app import main
from verifytui.learning.encoders import endpoint as encoders
from verifytui.learning.encoders import opening
from verifytui.tests.support.commanding import rows

WORDS = ("bridge", "opened", "tea", "harbour")


class Knows:
    """A block a sentence: a number for each word that it knows, and one for all others."""

    def __init__(self, folder: str) -> None:
        self.size = len(WORDS) + 1
        self._turned = (Path(folder) / "weights").read_text() == "other"

    def encode(
        self, texts: Sequence[str], *, progress: object = None
    ) -> list[numpy.ndarray]:
        return [
            numpy.stack([self._vector(part) for part in self.blocks(text)])
            for text in texts
        ]

    def score(self, query: numpy.ndarray, document: numpy.ndarray) -> float:
        return float((query @ document.T).max())

    def blocks(self, text: str) -> list[str]:
        return [part for part in text.lower().split(".") if part.strip()] or [text]

    def _vector(self, text: str) -> numpy.ndarray:
        found = numpy.array(
            [float(word in text) for word in WORDS] + [0.1], dtype="float32"
        )
        return (found[::-1] if self._turned else found) / numpy.linalg.norm(found)


@pytest.fixture
def opened(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that were opened; `enc` is one, and `docs` are indexed as `mine` with
    its vectors. The configuration says local_only.
    """
    listed: list[str] = []

    def open_encoder(folder: str) -> Knows:
        listed.append(folder)
        return Knows(folder)

    monkeypatch.setattr(encoders, "open_encoder", open_encoder)
    monkeypatch.setattr(encoders, "check_installed", lambda: None)
    monkeypatch.setattr(encoders, "_LOADED", {})
    monkeypatch.chdir(tmp_path)
    home.mkdir()
    (home / "config.yaml").write_text("local_only: true\n")
    (tmp_path / "enc").mkdir()
    (tmp_path / "enc" / "weights").write_text("one")
    (tmp_path / "docs").mkdir()
    for name, text in (
        ("a", "The bridge was opened in 1932."),
        ("b", "It crosses the harbour."),
        ("c", "A tea house. It is old."),
    ):
        (tmp_path / "docs" / f"{name}.txt").write_text(text)
    assert main(["index", "docs", "--name", "mine", "--dense", "local:enc"]) == 0
    return listed


def test_a_corpus_gets_its_vectors_from_a_folder_of_this_machine(
    opened: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["index", "docs", "--name", "again", "--dense", "local:enc"]) == 0
    said = capsys.readouterr()
    assert " at localhost will embed 3 of 3 passages, about" in said.err
    assert "at no cost" in said.err
    assert f" by local:{tmp_path / 'enc'}; 3 embedded now" in said.out
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for search in ("dense", "hybrid"):
        assert (
            main(
                [
                    "corpora",
                    "search",
                    "mine",
                    "tea",
                    "--search",
                    search,
                    "--output",
                    "json",
                ]
            )
            == 0
        )
        assert rows(capsys.readouterr().out)[0]["file"] == "docs/c.txt"
    assert opened == [str(tmp_path / "enc")]


def test_references_are_put_in_order_by_their_nearest_blocks(
    opened: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    words = [
        "ask",
        "Is it tea?",
        "--corpus",
        "mine",
        "--embed",
        "local:enc",
        "--rerank",
        "local:enc",
        "--no-save",
        "--output",
        "json",
    ]
    assert main(words) == 0
    event = next(
        json.loads(line)
        for line in capsys.readouterr().out.splitlines()
        if '"event":"retrieval"' in line
    )
    first = event["references"][0]
    assert first["file"] == "docs/c.txt"
    assert first["rerank_score"] == pytest.approx(1.0)
    assert first["embed_score"] < 1
    assert (event["cost"], event["usage"]["output"]) == (0.0, 0)


def test_another_encoder_in_its_place_is_refused_until_the_corpus_is_indexed_again(
    opened: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "enc" / "weights").write_text("other")
    encoders.forget()
    search = ["corpora", "search", "mine", "tea", "--search", "dense"]
    capsys.readouterr()
    assert main(search) == 2
    assert "made the vectors of the corpus" in capsys.readouterr().err
    assert main(["index", "--name", "mine"]) == 0
    assert "3 embedded now" in capsys.readouterr().out
    assert main(search) == 0


def test_what_is_no_encoder_is_refused(
    opened: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    capsys.readouterr()
    assert (
        main(["index", "docs", "--name", "new", "--dense", "local:nothing here"]) == 2
    )
    assert "nothing here; name an encoder as local:DIR." in capsys.readouterr().err
    assert (
        main(
            [
                "ask",
                "Is it tea?",
                "--corpus",
                "mine",
                "--model",
                "local:enc",
                "--no-save",
            ]
        )
        == 2
    )
    assert (
        "is an encoder, which embeds and ranks texts and cannot answer"
        in capsys.readouterr().err
    )
    monkeypatch.setattr(opening, "PACKAGES", ("no_such_package",))
    monkeypatch.setattr(encoders, "check_installed", opening.check_installed)
    assert main(["index", "docs", "--name", "new", "--dense", "local:enc"]) == 2
    assert "[train]" in capsys.readouterr().err


def test_a_session_of_others_chooses_no_folder_unless_the_configuration_names_it(
    opened: list[str], home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "theirs.yaml"
    assert (
        main(
            [
                "ask",
                "Is it tea?",
                "--corpus",
                "mine",
                "--embed",
                "local:enc",
                "--save",
                str(saved),
            ]
        )
        == 0
    )
    assert f"embed: local:{tmp_path / 'enc'}" in saved.read_text()
    begun = saved.read_text().split("\n...\n")[0] + "\n...\n"  # its header alone
    saved.write_text(begun)
    capsys.readouterr()
    assert main(["resume", str(saved)]) == 2
    assert ", which other people's sessions must not choose." in capsys.readouterr().err
    (home / "config.yaml").write_text(
        f"models: {{near: {{model: 'local:{tmp_path / 'enc'}'}}}}\n"
    )
    saved.write_text(begun)
    assert main(["resume", str(saved)]) == 0
