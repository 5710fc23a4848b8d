"""People rate answers in the app, without being told whose they are."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from verifytui.cli.label_targets import are_answers
from verifytui.engines.figures.rated import CORRECT
from verifytui.engines.models.config import Config
from verifytui.engines.studies.rating import BlindRater, answers_in, everyone
from verifytui.sessions.events.labels import Assignment
from verifytui.sessions.label_assignment import RaterProgress
from verifytui.sessions.label_store import LabelStore, read_labels
from verifytui.tests.support.piloting import everything, wait
from verifytui.tests.support.screens_host import HOSTILE
from verifytui.tests.support.study_folders import run_of, study_of
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.rating import RatingScreen

pytestmark = pytest.mark.slow


async def test_every_key_is_on_disk_and_can_be_taken_back(
    home: Path, tmp_path: Path
) -> None:
    folder = run_of(tmp_path / "out", {"q0": "42", "q1": HOSTILE, "q2": None})
    app = VerifyTui(Config(), rater=BlindRater.open(folder, "Mei"))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(
            pilot,
            lambda: (
                isinstance(app.screen, RatingScreen)
                and "answer 1 of 2" in everything(app)
            ),
        )
        for word in ("gpt-4o", "qwen3", "affirmative", "level"):
            assert word not in everything(app)
        await pilot.press("r")
        assert [label.value for label in read_labels(folder)["Mei"].values()] == [1]
        await pilot.press(".")
        assert "answer 2 of 2" in everything(app)
        await pilot.press("b", "w", "5")
        assert "All answers are rated." in everything(app)
        found = [*read_labels(folder)["Mei"].values()]
        assert [(one.measure, one.value, one.seen_references) for one in found] == [
            ("correct", 1, False),
            ("correct", 0, True),
        ]
        await pilot.press("Z")
        assert "answer: -" in everything(app)
        await pilot.press("escape")
        await wait(pilot, lambda: not app.is_running)
    assert app.defects == []


def test_the_same_answer_of_several_conditions_is_rated_once(tmp_path: Path) -> None:
    study = study_of(
        tmp_path / "levels", {2: {"q0": "42", "q1": "7"}, 3: {"q0": "42", "q1": "8"}}
    )
    assert are_answers(study)
    answers = answers_in(study)
    assert sorted((one.item, one.answer, len(one.sessions)) for one in answers) == [
        ("q0", "42", 2),
        ("q1", "7", 1),
        ("q1", "8", 1),
    ]
    rater = BlindRater.open(study, "Mei")
    for answer in rater.answers:
        rater.say(answer, CORRECT, 1, 2.0, seen=False)
    rater.close()
    assert len(read_labels(study)["Mei"]) == 4
    assert everyone(LabelStore.of_answers(study), answers) == [
        RaterProgress("Mei", 3, 0, 3)
    ]
    with closing(BlindRater.open(study, "Tom")) as again:
        assert again.progress == RaterProgress("Tom", 0, 0, 3)


async def test_a_share_is_dealt_by_item_and_the_next_answer_comes_by_itself(
    home: Path, tmp_path: Path
) -> None:
    ids = [f"q{number}" for number in range(6)]
    study = study_of(
        tmp_path / "levels", {2: dict.fromkeys(ids, "42"), 3: dict.fromkeys(ids, "7")}
    )
    shares = [Assignment(part=part, of=2, overlap=1 / 3, seed=5) for part in (1, 2)]
    with closing(BlindRater.open(study, "Tom", shares[1])) as tom:
        his = {(one.item, one.answer) for one in tom.answers}
    mei = BlindRater.open(study, "Mei", shares[0], advance=True)
    hers = [(one.item, one.answer) for one in mei.answers]
    assert his | {*hers} == {(item, answer) for item in ids for answer in ("42", "7")}
    assert len(his & {*hers}) == 4
    app = VerifyTui(Config(), rater=mei)
    async with app.run_test(size=(60, 20)) as pilot:
        await wait(
            pilot,
            lambda: (
                isinstance(app.screen, RatingScreen)
                and "answer 1 of 8" in everything(app)
            ),
        )
        await pilot.press("r", "w")
        assert "answer 3 of 8" in everything(app)
        assert "2 rated" in everything(app)
        await pilot.press("Z")
        assert "answer 2 of 8" in everything(app)
        await pilot.press("escape")
        await wait(pilot, lambda: not app.is_running)
    assert app.defects == []
    mei.close()
    with closing(
        BlindRater.open(study, "Mei")
    ) as again:  # what was said last of the share holds
        assert [(one.item, one.answer) for one in again.answers] == hers
        assert again.next() == 1
