"""A command of the user's own that rates translations."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from verifytui import texts
from verifytui.engines.solo.command import rater
from verifytui.engines.solo.method import new_solo
from verifytui.engines.solo.replies import solo_engine
from verifytui.prompts import load
from verifytui.sessions.events import Failure
from verifytui.sessions.events.solo import Estimate, SoloResult
from verifytui.sessions.journal import Journal
from verifytui.tests.support.alone import DIVISION, play

RATE = """
import json, sys
rows = [json.loads(line) for line in (open(sys.argv[1], encoding="utf-8") if len(sys.argv) > 1 else sys.stdin.buffer)]
assert [row["source"] for row in rows] == ["吃掉敌人一个师。"] * 4 and rows[0]["from"] == "zh"
out = open(sys.argv[2], "w") if len(sys.argv) > 1 else sys.stdout
for row in reversed(rows):
    out.write(json.dumps({"id": row["id"], "score": -len(row["answer"])}) + chr(10))
"""


async def rated(command: str | None) -> Journal:
    settings = {"strategy": "rerank", "estimator": "command"}
    header = new_solo(
        topic=DIVISION,
        kind="translation",
        settings=settings,
        prompts=load("en", workspace="solo"),
    )
    return await play(header, engine=solo_engine(rater(command)))


@pytest.mark.parametrize("files", ["", " {in} {out}"])
async def test_it_rates_all_translations_in_one_run(files: str, tmp_path: Path) -> None:
    (tmp_path / "rate.py").write_text(RATE, "utf-8")
    journal = await rated(f"{sys.executable} -X utf8 {tmp_path / 'rate.py'}{files}")
    *_, estimate, ended = journal.session.events
    assert isinstance(estimate, Estimate), estimate
    assert (estimate.role, estimate.model, estimate.iterations, estimate.values) == (
        "",
        "command",
        [1, 2, 3, 4],
        [-25, -31, -27, -25],
    )
    assert isinstance(ended, SoloResult)
    assert (ended.answer, ended.chosen) == ("Eat up an enemy division.", 1)
    assert journal.session.totals().calls == 4
    assert "rate.py" not in str(journal.session)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (None, "no command is set"),
        ("no-such-program-at-all", "cannot be run"),
        (
            f"{sys.executable} -c \"import sys; sys.exit('No model here')\"",
            "ended with exit code 1: No model here",
        ),
        (f"{sys.executable} -c pass", "gave no score for 1, 2, 3, 4"),
        (f"{sys.executable} -c pass {{out}}", "wrote no file of scores"),
        ('"', "cannot be read"),
    ],
)
@pytest.mark.parametrize("language", texts.LANGUAGES)
async def test_what_is_wrong_with_it_is_one_english_sentence_and_the_session_can_go_on(
    command: str | None, sentence: str, language: str
) -> None:
    with texts.speaking(language):
        journal = await rated(command)
    failure = journal.session.events[-1]
    assert isinstance(failure, Failure)
    assert (failure.role, failure.cost) == ("estimator", 0)
    assert sentence in failure.message
    assert not solo_engine().finished(journal.session)
