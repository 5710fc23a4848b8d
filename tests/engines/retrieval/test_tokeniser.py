"""Tokeniser: folding, stems, numbers, Chinese, and what jieba must not do."""

from __future__ import annotations

import json
import logging
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from verifytui.engines.retrieval import tokeniser as module
from verifytui.engines.retrieval.tokeniser import NAMES, Tokeniser, _jieba
from verifytui.sessions.errors import BadInput


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Running runners RAN", ["the", "run", "runner", "ran"]),
        ("Beyonc\u00e9's caf\u00e9", ["beyonc", "cafe"]),
        ("don\u2019t don't", ["don't", "don't"]),
        ("1,000 1000 3.14 1,5 12,34", ["1000", "1000", "3.14", "1,5", "12,34"]),
        ("COVID-19 3D GPT4 x86_64", ["covid", "19", "3d", "gpt4", "x86", "64"]),
        ("\uff21\uff22\uff23\uff11\uff12 \u2460", ["abc12", "1"]),
        ("Stra\u00dfe STRASSE", ["strass", "strass"]),
        (
            "\u041c\u043e\u0441\u043a\u0432\u0430",
            ["\u043c\u043e\u0441\u043a\u0432\u0430"],
        ),
        ("\u9ed1\u8c79\u961f", ["\u9ed1\u8c79", "\u8c79\u961f"]),
        ("\u4e22\u4e86308\u5206", ["\u4e22\u4e86", "308", "\u5206"]),
        ("... \u3002\uff01 -- __", []),
        ("", []),
    ],
)
def test_bigrams(text: str, words: list[str]) -> None:
    assert Tokeniser("bigrams").cut(text) == words


def test_grams_are_the_default_and_the_three_ways_differ() -> None:
    text = "\u5317\u4eac\u5927\u5b66\u751f\u524d\u6765"
    assert Tokeniser().name == "bigrams"
    cuts = {name: Tokeniser(name).cut(text) for name in NAMES}
    assert "".join(cuts["jieba"]) == text
    assert cuts["bigrams"] == [text[at : at + 2] for at in range(6)]
    assert cuts["jieba+bigrams"] == cuts["bigrams"] + [
        word for word in cuts["jieba"] if len(word) > 2
    ]
    assert len({Tokeniser(name).id for name in NAMES}) == 3


def test_another_name_is_refused() -> None:
    with pytest.raises(BadInput, match="choose one of bigrams, jieba, jieba\\+bigrams"):
        Tokeniser("trigrams")


@given(st.text(max_size=300))
def test_any_text_has_words_without_blanks(text: str) -> None:
    for word in Tokeniser("bigrams").cut(text):
        assert word
        assert not any(character.isspace() for character in word)


@pytest.mark.parametrize(
    "part", ["1.", "1,1a", "'", "a'", "\u4e2d", "1", "_", "a\u0301"]
)
def test_hostile_text_takes_no_longer_than_other_text(part: str) -> None:
    before = time.process_time()
    Tokeniser("bigrams").cut(part * 100_000 + "a")
    assert time.process_time() - before < 3


@pytest.mark.slow
def test_jieba_keeps_its_cache_to_itself_and_is_silent(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['rjieba'] = None\n"
        "from verifytui.engines.retrieval.tokeniser import Tokeniser\n"
        "print(Tokeniser('jieba').cut('\u5317\u4eac\u5927\u5b66'))\n"
    )
    env = {
        **os.environ,
        "VERIFYTUI_HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path / "shared"),
        "PYTHONIOENCODING": "utf-8",
    }
    (tmp_path / "shared").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("['\u5317\u4eac\u5927\u5b66']\n", "")
    cache = tmp_path / "home" / "cache" / "jieba"
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert [entry.name for entry in cache.iterdir()] == ["jieba.cache"]
    assert not list((tmp_path / "shared").iterdir())
    (tmp_path / "file").write_text("where the home should be")
    env["VERIFYTUI_HOME"] = str(tmp_path / "file")
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("['\u5317\u4eac\u5927\u5b66']\n", "")
    assert not list((tmp_path / "shared").iterdir())


@pytest.mark.slow
def test_rjieba_cuts_as_jieba_does(shared: Path, tmp_path: Path) -> None:
    rjieba = pytest.importorskip("rjieba")
    cut = _jieba(tmp_path)
    assert not logging.getLogger("jieba").handlers
    words = Tokeniser("bigrams")
    runs = set()
    for name in (
        "xquad/passages.zh.jsonl",
        "cmrc2018-trial/passages.jsonl",
        "cmrc2018-trial/questions.jsonl",
    ):
        for line in (shared / name).read_text("utf-8").splitlines():
            row = json.loads(line)
            runs |= {
                match[0]
                for match in module._WORD.finditer(
                    row.get("text", "") + row.get("question", "")
                )
                if match.lastgroup
            }
    assert len(runs) > 5000
    assert words
    assert [run for run in runs if cut(run) != rjieba.cut(run)] == []


def test_the_dictionary_loads_in_the_background_and_only_where_it_is_wanted(
    home: Path,
) -> None:
    before = threading.active_count()
    Tokeniser("bigrams").warm()
    assert threading.active_count() == before
    Tokeniser("jieba").warm()
    for thread in threading.enumerate():
        if thread.name == "verifytui-words":
            assert thread.daemon
            thread.join()
    assert Tokeniser("jieba").cut("\u4e2d\u6587") == ["\u4e2d\u6587"]
