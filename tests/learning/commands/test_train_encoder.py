"""`train encoder`: what it says before, while and after it trains, and what it refuses."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from verifytui.cli.app import main
from verifytui.tests.support.beir import beir

TRAIN = find_spec("sentence_transformers") is not None
SMALL = [
    "--from",
    "new",
    "--chunk",
    "32",
    "--stride",
    "16",
    "--layers",
    "1",
    "--width",
    "32",
    "--epochs",
    "1",
    "--batch",
    "4",
]


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("VERIFYTUI_HOME", str(tmp_path / "home"))
    documents = {
        f"d{at}": f"案件{at}：被告人盗窃财物。" * (9 if at else 1) for at in range(4)
    }
    queries = {"q1": "盗窃案件", "q2": "案件二"}
    folder = beir(
        tmp_path / "set",
        documents,
        queries,
        train={"q1": {"d0": 3, "d1": 0, "d2": 1}},
        validation={"q2": {"d2": 2, "d3": 0}},
    )
    return [
        "train",
        "encoder",
        "--data",
        str(folder),
        *SMALL,
        "--into",
        str(tmp_path / "made"),
    ]


@pytest.mark.skipif(TRAIN, reason="the extra train is installed")
def test_without_the_extra_it_says_what_to_install(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert "[train]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--window", "64"], "--window replaces --chunk and --stride; give"),
        (["--width", "40"], "--width must be a multiple of 32"),
        (["--loss", "triplet"], "'triplet' is not one of"),
    ],
)
def test_options_that_exclude_each_other(
    words: list[str], more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, *more]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.train
def test_it_says_what_there_is_to_do_and_what_came_of_it(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--dry-run"]) == 0
    said = capsys.readouterr().err
    assert (
        "3 pairs of 1 queries and 3 documents (level 0: 1, level 1: 1, level 3: 1)"
        in said
    )
    assert not (tmp_path / "made").exists()
    assert main([*words, "--lang", "zh"]) == 0
    told = capsys.readouterr()
    assert "所有轮次已完成。" in told.out
    assert "第 1/1 步" in told.err
    assert main([*words, "--output", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["already"], found["steps"], len(found["figures"])) == (True, 1, 1)
    for more in ((), ("--dry-run",)):
        assert main([*words, "--seed", "1", *more]) == 2
        assert "started with another “seed”: 0 then, 1 now" in capsys.readouterr().err
