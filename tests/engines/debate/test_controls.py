"""Controls of a debate: a judge without one, one side alone, the judge asked again, the
models of the sides exchanged.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.batches.report import report_of
from verifytui.engines.debate.batch import DebateBatch, measures
from verifytui.engines.debate.blocks import block
from verifytui.engines.debate.method import METHOD
from verifytui.engines.debate.plan import upcoming
from verifytui.engines.figures.measure import Item
from verifytui.engines.method import method
from verifytui.engines.models.config import Config
from verifytui.engines.starting import Starter, wishes
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events.debate import DebateResult, Resample, Verdict
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Session
from verifytui.tests.support.batch_rows import debated
from verifytui.tests.support.playing import TOPIC, choice, kinds, listed, play, verdict

ALL = {"model": "openai/x"}


def begin(topic: str = TOPIC, **options: Any) -> Session:
    """A debate as every door begins it."""
    header = method("debate").begin(
        wishes("debate", {**ALL, **options}, topic=topic),
        Starter(Config(), paths(), many=True),
    )
    return Session(header, [])


def says(**said: list[str]) -> Any:
    told = {role: iter(texts) for role, texts in said.items()}
    return lambda role, *_: next(told[role])


def decided(session: Session) -> DebateResult:
    assert isinstance(session.result, DebateResult)
    return session.result


async def test_a_blind_judge_answers_alone_in_one_call() -> None:
    session = begin(control="judge-blind", opening="seeded", disagreement="stance")
    assert (
        list(session.header.lineup) == method("debate").roles_of(session) == ["judge"]
    )
    models = await play(
        session, says(judge=[json.dumps({"reason": "so", "answer": "8"})])
    )
    assert kinds(session) == ["verdict extractive 0", "result"]
    (role, _, messages, schema), *more = models.asked
    assert (role, more, list((schema or {})["properties"])) == (
        "judge",
        [],
        ["reason", "answer"],
    )
    assert "debate" not in json.dumps(messages)
    assert TOPIC in messages[0]["content"]
    result = decided(session)
    assert (
        result.answer,
        result.decided_by,
        result.supported_side,
        result.rounds,
        result.disagreement,
    ) == (
        "8",
        "extractive",
        None,
        0,
        None,
    )
    assert METHOD.asked(session, 1) == messages
    assert block(result, session).notes == ["by the judge alone, without a debate"]


async def test_a_blind_judge_that_cannot_be_read_leaves_it_undecided() -> None:
    session = begin(control="judge-blind")
    await play(session, says(judge=["I pass.", "I pass."]))
    assert (decided(session).answer, decided(session).decided_by) == (None, "undecided")


async def test_in_a_consultancy_one_side_speaks_until_the_judge_is_sure() -> None:
    session = begin(
        control="consultancy", debaters=3, kind="translation", topic="狗叫了。"
    )
    assert list(session.header.lineup) == ["affirmative", "judge"]
    models = await play(
        session,
        says(
            affirmative=["So.\n\nTranslation: A dog.", "Sure.\n\nTranslation: A dog."],
            judge=[verdict(), verdict(True, "A dog.", "affirmative")],
        ),
    )
    assert kinds(session) == [
        "speech affirmative 1",
        "verdict discriminative 1",
        "speech affirmative 2",
        "verdict discriminative 2",
        "result",
    ]
    assert decided(session).supported_side == "affirmative"
    assert decided(session).disagreement is None
    second = models.asked[2][2]
    assert [turn["role"] for turn in second] == ["system", "user", "assistant", "user"]
    assert "judge is not sure" in second[-1]["content"]
    assert "consultant" in models.asked[1][2][0]["content"]


async def test_the_judge_asked_again_decides_nothing_and_is_counted() -> None:
    session = begin(resample_judge=4)
    said = says(
        affirmative=["Answer: 8"],
        negative=["Answer: 6"],
        judge=[
            verdict(True, "8", "affirmative"),
            verdict(True, "6", "negative"),
            verdict(),
            verdict(True, "8", "affirmative"),
        ],
    )
    models = await play(session, said)
    assert [
        event.sample for event in session.events if isinstance(event, Resample)
    ] == [2, 3, 4]
    assert [
        event.answer for event in session.events if isinstance(event, Resample)
    ] == ["6", None, "8"]
    result = decided(session)
    assert (result.answer, result.supported_side) == ("8", "affirmative")
    assert result.resampled is not None
    assert (
        result.resampled.asked,
        result.resampled.same_answer,
        result.resampled.same_side,
    ) == (4, 2, 2)
    judged = [
        (task.repeat, messages)
        for role, task, messages, _ in models.asked
        if role == "judge"
    ]
    assert [repeat for repeat, _ in judged] == [0, 1, 2, 3]
    assert all(messages == judged[0][1] for _, messages in judged)
    assert METHOD.asked(session, 5) == judged[0][1]
    assert session.totals().calls == 6


async def test_at_the_limit_the_choice_alone_is_asked_again() -> None:
    session = begin(resample_judge=2, rounds=1)
    judge = [
        verdict(),
        listed("8", "6"),
        choice("8", "affirmative"),
        "no idea",
        "no idea",
    ]
    await play(
        session, says(affirmative=["Answer: 8"], negative=["Answer: 6"], judge=judge)
    )
    again = session.events[-2]
    assert isinstance(again, Resample)
    assert (again.read, decided(session).resampled.unread) == ("unread", 1)  # type: ignore[union-attr]
    assert sum(isinstance(event, Verdict) for event in session.events) == 2
    forked = session.prefix(len(session.events) - 2)
    step = upcoming(forked)
    assert step is not None
    assert (step.what, step.sample) == ("resample", 2)


def test_the_models_of_the_sides_change_places() -> None:
    models = ["openai/x", "affirmative=openai/a", "negative=openai/b"]
    plain, swapped = begin(model=models), begin(model=models, swapped=True)
    assert [seat.model for seat in plain.header.lineup.values()] == [
        "openai/a",
        "openai/b",
        "openai/x",
    ]
    assert [(role, seat.model) for role, seat in swapped.header.lineup.items()][:2] == [
        ("affirmative", "openai/b"),
        ("negative", "openai/a"),
    ]
    assert swapped.header.task["swapped"] is True
    assert "swapped" not in plain.header.task


@pytest.mark.parametrize(
    ("options", "says_"),
    [
        ({"control": "consultancy", "swapped": True}, "no two sides"),
        (
            {"control": "consultancy", "model": ["openai/x", "negative=openai/b"]},
            "--control consultancy has no role negative; leave it out",
        ),
        ({"swap": True}, "--swap applies to a batch: --topics FILE.jsonl"),
        (
            {"control": "consultancy", "model": "script"},
            "knows only debates of two sides without",
        ),
    ],
)
def test_what_does_not_go_together_is_said(options: dict[str, Any], says_: str) -> None:
    with pytest.raises(BadInput, match=says_):
        begin(**options)


async def test_measures_of_the_judge_asked_again() -> None:
    session = begin(resample_judge=4)
    judge = [verdict(True, "8"), verdict(True, "6"), verdict(), verdict(True, "eight")]
    await play(
        session, says(affirmative=["Answer: 8"], negative=["Answer: 6"], judge=judge)
    )
    item = Item("spider", "spider", "", {"kind": "question", "answers": ["8"]})
    found = {
        name: [one.value for one in measures()[name].of(session, item)]
        for name in ("judge_agreement", "accuracy_resampled")
    }
    assert found == {"judge_agreement": [1 / 3], "accuracy_resampled": [0.5]}


def test_a_swapped_batch_debates_each_topic_twice_in_one_cluster(
    tmp_path: Path,
) -> None:
    file = tmp_path / "topics.jsonl"
    file.write_text(
        '{"id": "a", "topic": "A?"}\n{"id": "b", "topic": "B?", "swap": '
        'false}\n{"id": "c", "topic": "C?", "cluster": "k"}\n'
    )
    lines, _ = DebateBatch().read(file, wishes("debate", {**ALL, "swap": True}))
    assert [(line.id, line.cluster) for line in lines] == [
        ("a", "A?"),
        ("a-swapped", "A?"),
        ("b", "B?"),
        ("c", "k"),
        ("c-swapped", "k"),
    ]
    assert [bool(line.wanted.get("swapped")) for line in lines if line.wanted] == [
        False,
        True,
        False,
        False,
        True,
    ]
    file.write_text('{"id": "a", "topic": "A?"}\n{"id": "a-swapped", "topic": "B?"}\n')
    with pytest.raises(BadInput, match="a-swapped"):
        DebateBatch().read(file, wishes("debate", {**ALL, "swap": True}))


def test_the_report_of_a_swapped_batch_tells_the_place_from_the_model(
    tmp_path: Path,
) -> None:
    file = tmp_path / "topics.jsonl"
    file.write_text(
        "".join(f'{{"id": "{name}", "topic": "{name}?"}}\n' for name in "abcd")
    )
    lines, _ = DebateBatch().read(file, wishes("debate", {**ALL, "swap": True}))
    sides = {
        "a": "affirmative",
        "a-swapped": "negative",
        "b": "negative",
        "b-swapped": "negative",
        "c": "tie",
        "c-swapped": "negative",
    }
    rows = []
    for line in lines:
        result = DebateResult(
            answer="8",
            decided_by="discriminative",
            supported_side=sides.get(line.id),
            rounds=1,
        )
        rows.append(debated(line, *([result] if line.id in sides else [])))
    report = report_of(rows, DebateBatch(), {})
    names = ("swap_same_model", "swap_same_side", "swap_same_answer")
    figures = [report.figures[name] for name in names]
    assert [(one.count, one.n) for one in figures] == [(1, 2), (1, 2), (3, 3)]
    assert report.covered["swap_same_answer"] == 6
