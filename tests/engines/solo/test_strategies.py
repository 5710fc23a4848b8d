"""Self-consistency, self-reflection, reranking and MAPS: with the built-in lines, and
against a real server on this machine.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.method import method
from verifytui.engines.models.config import Config
from verifytui.engines.reading import Unread
from verifytui.engines.solo.method import METHOD, TEMPERATURE, block, new_solo
from verifytui.engines.solo.plan import SoloStep, upcoming
from verifytui.engines.solo.replies import groups, read_rating, read_review
from verifytui.engines.solo.replies import result as ended
from verifytui.engines.starting import Starter, wishes
from verifytui.prompts import load
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events.solo import (
    Analysis,
    Attempt,
    Estimate,
    Review,
    SoloResult,
)
from verifytui.sessions.journal import Journal
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Header, Seat, Session
from verifytui.tests.support.alone import DIVISION, HERE, go_on, play, served
from verifytui.tests.support.commanding import HILL
from verifytui.tests.support.loopback import Answer, Body, Loopback, in_turn


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOLO_KEY", "sk-none-at-all-0123456789")


def header(
    strategy: str,
    topic: str = "What is 6 times 7?",
    lineup: dict[str, Seat] | None = None,
    **settings: Any,
) -> Header:
    kind = "translation" if strategy in ("rerank", "maps") else "question"
    prompts = load("en", workspace="solo")
    return new_solo(
        topic=topic,
        kind=kind,
        lineup=lineup,
        settings={"strategy": strategy, **settings},
        prompts=prompts,
    )


def kinds(journal: Journal) -> list[str]:
    return [type(event).__name__ for event in journal.session.events]


def result(journal: Journal) -> SoloResult:
    last = journal.session.events[-1]
    assert isinstance(last, SoloResult), last
    return last


SCRIPTED = [
    ("sc", HILL, ["Attempt"] * 5, "2 m/s", "majority", 1),
    ("reflect", HILL, ["Attempt", "Review"] * 2, "2 m/s", "satisfied", None),
    (
        "rerank",
        DIVISION,
        ["Attempt"] * 4 + ["Estimate"] * 3,
        "Wipe out an enemy division.",
        "estimator",
        3,
    ),
    (
        "maps",
        DIVISION,
        ["Attempt"] + ["Analysis"] * 3 + ["Attempt"] * 3 + ["Estimate"] * 4,
        "Wipe out an enemy division.",
        "estimator",
        2,
    ),
]


@pytest.mark.parametrize(
    ("strategy", "topic", "events", "answer", "by", "chosen"),
    SCRIPTED,
    ids=[one[0] for one in SCRIPTED],
)
async def test_the_script_plays_it_and_a_fork_of_any_step_comes_to_the_same(
    strategy: str,
    topic: str,
    events: list[str],
    answer: str,
    by: str,
    chosen: int | None,
    tmp_path: Path,
) -> None:
    journal = await play(header(strategy, topic), path=tmp_path / "whole.yaml")
    assert kinds(journal) == [*events, "SoloResult"]
    ended = result(journal)
    assert (ended.answer, ended.decided_by, ended.chosen) == (answer, by, chosen)
    journal.close()
    with Journal.open(tmp_path / "whole.yaml", write=False) as again:
        assert again.session.events == journal.session.events
        for number in range(len(events)):
            fork = again.fork(None, number, "fork")
            await go_on(fork)
            assert kinds(fork) == kinds(journal)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("strategy", ["sc", "reflect", "rerank", "maps"])
async def test_what_a_model_was_sent_can_be_made_again(
    strategy: str, language: str, loopback: Loopback
) -> None:
    replies = {
        "satisfied": {"reason": "No.", "satisfied": False},
        "score": {"reason": "Fair.", "score": 40},
    }

    def answer(body: Body) -> Answer:
        last = str(body["messages"][-1]["content"])
        found = next(
            (value for name, value in replies.items() if f'"{name}"' in last), None
        )
        return Answer(
            text="Six sevens.\n\nAnswer: 42" if found is None else json.dumps(found)
        )

    loopback.answer = answer
    about = header(strategy, lineup=HERE)
    about.prompts.templates = load(language, workspace="solo").templates
    journal = await play(about, served(loopback))
    made = [
        number
        for number, event in enumerate(journal.session.events, 1)
        if not isinstance(event, SoloResult)
    ]
    assert [METHOD.asked(journal.session, number) for number in made] == [
        body["messages"] for body in loopback.requests
    ]
    assert journal.session.totals().calls == len(loopback.requests)
    assert journal.session.totals().tokens == 18 * len(loopback.requests)
    if strategy == "reflect":
        assert (kinds(journal), result(journal).decided_by) == (
            [*["Attempt", "Review"] * 2, "Attempt", "SoloResult"],
            "limit",
        )
    text = "\n".join(
        str(message["content"])
        for body in loopback.requests
        for message in body["messages"]
    )
    assert "{{" not in text
    assert ("JSON" in text) == (strategy != "sc")


async def test_samples_are_drawn_as_long_as_the_mean_fits_the_budget_of_tokens(
    loopback: Loopback,
) -> None:
    sizes = [(60, 40), (60, 140), (60, 40), (60, 40)]
    loopback.answer = in_turn(
        *(Answer(text=f"Answer: {n}", usage=one) for n, one in enumerate(sizes))
    )
    journal = await play(
        header("sc", lineup=HERE, samples=2, token_budget=450), served(loopback)
    )
    assert len(loopback.requests) == 3  # 400 tokens; a fourth of 133 would not fit
    assert result(journal).attempts == 3
    loopback.answer = Answer(text="Answer: 42", usage=(500, 1))
    assert (
        result(
            await play(header("sc", lineup=HERE, token_budget=10), served(loopback))
        ).attempts
        == 1
    )
    assert (
        1 < result(await play(header("sc", HILL, token_budget=600))).attempts < 100
    )  # of what nobody counts, an estimate


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        (["2 m/s", "1.5 m/s", "3/2 m/s", "2 m/s", "1.5 m/s"], [[2, 3, 5], [1, 4]]),
        (["4", "3", "3", "4"], [[1, 4], [2, 3]]),
        ([None, "3", None], [[2]]),
        ([None], []),
        (["2", "2 m/s", "2 km/h"], [[1, 2], [3]]),
    ],
)
def test_answers_of_one_value_are_one_group(
    answers: list[str | None], found: list[list[int]]
) -> None:
    assert groups(answers) == found


async def test_a_majority_without_an_answer_is_undecided(loopback: Loopback) -> None:
    loopback.answer = Answer(text="I would have to\nthink about this.")
    ended = result(await play(header("sc", lineup=HERE, samples=2), served(loopback)))
    assert (ended.answer, ended.attempts, ended.chosen, ended.groups) == (
        None,
        2,
        None,
        [],
    )


async def test_a_review_that_cannot_be_read_is_asked_for_once_more_and_satisfies_nobody(
    loopback: Loopback,
) -> None:
    loopback.answer = in_turn(
        Answer(text="Answer: 1"),
        Answer(text="Hm."),
        Answer(text="Hm."),
        Answer(text="Answer: 2"),
    )
    journal = await play(header("reflect", lineup=HERE, iterations=2), served(loopback))
    first, review, second, ended = journal.session.events
    assert isinstance(review, Review)
    assert (review.satisfied, review.read, review.attempts) == (None, "unread", 2)
    assert isinstance(first, Attempt)
    assert isinstance(second, Attempt)
    assert (first.answer, second.answer) == ("1", "2")
    assert isinstance(ended, SoloResult)
    assert (ended.answer, ended.decided_by) == ("2", "limit")


async def test_ratings_that_cannot_be_read_choose_nothing(loopback: Loopback) -> None:
    loopback.answer = lambda body: Answer(
        text="Hm." if "score" in str(body["messages"][-1]["content"]) else "Forty-two."
    )
    journal = await play(header("rerank", lineup=HERE, samples=2), served(loopback))
    (rated,) = [
        event for event in journal.session.events if isinstance(event, Estimate)
    ]
    assert (rated.iterations, rated.values, rated.read) == (
        [1, 2],
        [None, None],
        "unread",
    )
    ended = result(journal)
    assert (ended.answer, ended.chosen, ended.decided_by) == (None, None, "estimator")


async def test_a_translation_sees_one_part_of_the_analysis_and_says_which(
    loopback: Loopback,
) -> None:
    loopback.answer = lambda body: Answer(
        text='{"reason": "x", "score": 1}'
        if "score" in str(body)
        else f"Said {len(loopback.requests)}"
    )
    journal = await play(header("maps", lineup=HERE), served(loopback))
    attempts = [event for event in journal.session.events if isinstance(event, Attempt)]
    found = {
        event.about: event.text
        for event in journal.session.events
        if isinstance(event, Analysis)
    }
    assert [event.based_on for event in attempts] == [
        None,
        "keywords",
        "topics",
        "demonstrations",
    ]
    for event in attempts[1:]:
        sent = str(METHOD.asked(journal.session, event.number))
        assert [about for about, text in found.items() if text in sent] == [
            event.based_on
        ]


def begun(options: dict[str, Any], config: Config | None = None) -> Header:
    return method("solo").begin(
        wishes("solo", {"model": ["gpt-4"], **options}, topic="Why?"),
        Starter(config or Config(), paths()),
    )


@pytest.mark.usefixtures("home")
def test_samples_are_asked_for_above_temperature_0() -> None:
    assert begun({"strategy": "cot"}).lineup["solver"].params == {"temperature": 0}
    assert begun({"strategy": "sc"}).lineup["solver"].params == {
        "temperature": TEMPERATURE
    }
    assert begun({"strategy": "sc", "param": ["solver.temperature=0.3"]}).lineup[
        "solver"
    ].params == {"temperature": 0.3}
    rerank = begun({"strategy": "rerank", "kind": "translation"})
    assert {
        role: seat.params["temperature"] for role, seat in rerank.lineup.items()
    } == {"solver": TEMPERATURE, "estimator": 0}
    with pytest.raises(
        BadInput, match="At temperature 0 all samples of sc are the same"
    ):
        begun({"strategy": "sc", "param": ["solver.temperature=0"]})


@pytest.mark.usefixtures("home")
def test_a_command_rates_where_there_is_one_and_only_then() -> None:
    wanted = {"strategy": "rerank", "kind": "translation"}
    assert (
        begun(wanted, Config(estimator_command="qe")).settings["estimator"] == "command"
    )
    assert list(begun(wanted, Config(estimator_command="qe")).lineup) == ["solver"]
    assert (
        begun(
            {**wanted, "estimator": "model"}, Config(estimator_command="qe")
        ).settings["estimator"]
        == "model"
    )
    with pytest.raises(BadInput, match="There is no command for the estimator"):
        begun({**wanted, "estimator": "command"})


def test_a_session_from_elsewhere_may_lack_anything() -> None:
    session = Session(header("maps"))
    session.events += [
        Attempt(role="solver", iteration=7, answer="x", based_on="topics"),
        Estimate(role="estimator", iterations=[3], values=[9.0]),
        Estimate(role="estimator", iterations=[], values=[]),
    ]
    assert METHOD.asked(session, 1) is not None
    assert METHOD.asked(session, 2) is not None
    assert METHOD.asked(session, 3) is None
    session.events += [
        Analysis(role="solver", about=about)
        for about in ("keywords", "topics", "demonstrations")
    ]
    session.events += [
        Attempt(role="solver", iteration=1, based_on=about)
        for about in ("keywords", "demonstrations")
    ]
    assert upcoming(session) == SoloStep("estimate", "estimator", 7)
    session.events.append(Estimate(role="estimator", iterations=[7], values=[1.0]))
    assert ended(session).answer is None  # number 3, rated best, is not there
    assert all(block(event, session) for event in session.events)


@pytest.mark.parametrize(
    ("text", "satisfied", "score"),
    [
        ('{"reason": "Good.", "satisfied": true, "score": 80}', True, 80),
        (
            '```json\n{"reason": "Bad.", "satisfied": "no", "score": "7.5"}\n```',
            False,
            7.5,
        ),
        ("不满意。", False, None),
        ("Yes.", True, None),
        ("**72**", None, 72),
        ('{"reason": "Hm.", "satisfied": "partly", "score": 101}', None, None),
        ("It might be 72 or so, and yes, I like it.", None, None),
        ("-3", None, None),
    ],
)
def test_what_counts_as_a_review_or_a_rating(
    text: str, satisfied: bool | None, score: float | None
) -> None:
    found, rated = read_review(text, False, ()), read_rating(text, False, ())
    assert (None if isinstance(found, Unread) else found[0]) == satisfied
    assert (None if isinstance(rated, Unread) else rated[0]) == score
