"""Answers ranked, played against a real server on this machine and with the built-ins."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.figures.measure import Item
from verifytui.engines.method import method
from verifytui.engines.metrics.presentation_order import shuffled
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.models.desk import Desk
from verifytui.engines.rank.lexical import LexicalRanker
from verifytui.engines.rank.method import METHOD, example, new_ranking
from verifytui.engines.rank.plan import QUALITY, ScoreOrder
from verifytui.engines.rank.reading import RANK_ENGINE
from verifytui.engines.rank.script import RankScript, questions
from verifytui.engines.starting import Starter
from verifytui.engines.step import step
from verifytui.prompts import load
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events.rank import Ranking, RankResult
from verifytui.sessions.journal import Journal
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Header, Seat, Session
from verifytui.tests.support.loopback import Answer, Loopback

TEXTS = {"alpha": "It was built in 1873 [1].", "beta": "In 1901 [1].", "gamma": ""}
HERE = {"ranker": Seat(model="openai/m", name="here")}


def header(**given: Any) -> Header:
    made = {
        "question": "When was it built?",
        "answers": [{"name": name, "text": text} for name, text in TEXTS.items()],
        "accepted": ["1873"],
        "references": ["Built in 1873."],
        "prompts": load("en", workspace="rank"),
    }
    return new_ranking(**{**made, **given})


@pytest.fixture
def config(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.setenv("RANK_KEY", "none")
    return Config(
        models={
            "here": NamedModel(
                model="openai/m", api_base=loopback.base_url, api_key_env="RANK_KEY"
            )
        },
        retries=0,
    )


async def play(made: Header, config: Config | None = None) -> Session:
    """The session, played to its end."""
    with Journal.create(None, made) as journal:
        desk = Desk(
            lambda: journal.session,
            config or Config(),
            builtins={"lexical": LexicalRanker(), "script": RankScript()},
        )
        engine = RANK_ENGINE
        while not engine.finished(journal.session):
            async for _ in step(journal, engine, desk):
                pass
        return journal.session


def result_of(session: Session) -> RankResult:
    assert isinstance(session.result, RankResult)
    return session.result


def scoring(body: Any) -> Answer:
    """1 for the answer with 1873 in it, 0 for the other; for bias the other way round."""
    asked_for = str(body["messages"][1]["content"])
    texts = re.findall(r"<<<\w+ answer \d>>>\n(.*)\n", asked_for)
    scores = [float(("1873" in text) != ("Bias:" in asked_for)) for text in texts]
    return Answer(
        text=json.dumps(
            {"reason": "Compared."}
            | {f"answer{n}": score for n, score in enumerate(scores, 1)}
        )
    )


async def test_every_criterion_is_asked_alone_and_nobody_is_told_whose_an_answer_is(
    loopback: Loopback, config: Config
) -> None:
    loopback.answer = scoring
    session = await play(header(lineup=HERE, settings={"both_orders": True}), config)
    made = [event for event in session.events if isinstance(event, Ranking)]
    assert [(event.criterion, event.turn) for event in made] == [
        (name, turn) for name in QUALITY for turn in (1, 2)
    ]
    assert all(
        event.shown == first.shown[::-1]
        for first, event in zip(made[::2], made[1::2], strict=True)
    )
    sent = [
        " ".join(str(message["content"]) for message in body["messages"])
        for body in loopback.requests
    ]
    assert [name for text in sent for name in TEXTS if name in text] == []
    assert [
        ("Built in 1873." in text, "Known to be right: 1873" in text)
        for text in sent[::2]
    ] == [
        (False, True),
        (True, False),
        (False, False),
        (False, True),
        (False, False),
    ]
    result = result_of(session)
    assert (
        result.ranks["correctness"]
        == result.ranks["bias"]
        == {"alpha": 1, "beta": 2.5, "gamma": 2.5}
    )
    assert result.places["bias"] == {"alpha": 1, "beta": 2, "gamma": 2}
    assert result.high_quality["bias"] == {"alpha": True, "beta": False, "gamma": False}
    assert result.consistent == dict.fromkeys(QUALITY, 1.0)
    assert made[6].order == ["alpha", "beta"]
    assert METHOD.asked(session, made[3].number) == loopback.requests[3]["messages"]
    assert list(
        loopback.requests[0]["response_format"]["json_schema"]["schema"]["properties"]
    ) == ["reason", "answer1", "answer2", "mark"]


async def test_a_criterion_that_cannot_be_read_has_no_ranks(
    loopback: Loopback, config: Config
) -> None:
    replies = iter(
        [
            '{"reason": "r", "answer1": 0.5}',
            "no idea",
            '{"reason": "r", "answer1": 0.5, "answer2": 0.5}',
        ]
    )
    loopback.answer = lambda body: Answer(text=next(replies))
    off = dict.fromkeys(("citation_accuracy", "truthfulness", "bias"), False)
    session = await play(header(lineup=HERE, settings=off), config)
    first, second, result = session.events[0], session.events[1], result_of(session)
    assert isinstance(first, Ranking)
    assert isinstance(second, Ranking)
    assert (first.read, first.attempts, first.scores) == ("unread", 2, {})
    assert second.order == [second.shown]
    assert (result.unread, list(result.ranks)) == (["correctness"], ["conciseness"])
    assert result.ranks["conciseness"] == {"alpha": 1.5, "beta": 1.5, "gamma": 3}
    measures, item = method("rank").measures, Item("q", "q", "")
    assert [
        (one.value, one.state) for one in measures["rank_correctness"].of(session, item)
    ] == [(None, "unread")]
    assert [one.value for one in measures["rank_conciseness"].of(session, item)] == [
        1.5
    ]
    session.header.settings["measured"] = "gamma"
    assert [one.value for one in measures["place_conciseness"].of(session, item)] == [3]
    assert [
        one.state for one in measures["high_quality_conciseness"].of(session, item)
    ] == ["wrong"]
    assert list(measures["rank_bias"].of(session, item)) == []


async def test_revised_queries_are_ranked_where_answers_have_them(
    loopback: Loopback, config: Config
) -> None:
    loopback.answer = lambda body: Answer(
        text='{"reason": "r", "answer1": 0.9, "answer2": 0.1}'
    )
    own: list[dict[str, Any]] = [
        {"name": "a", "text": "In 1901.", "revised_query": "When was the tower built?"},
        {"name": "b", "text": "In 1873.", "revised_query": ""},
    ]
    session = await play(
        header(answers=own, lineup=HERE, settings=dict.fromkeys(QUALITY, False)), config
    )
    (body,) = loopback.requests
    asked_for = str(body["messages"][1]["content"])
    assert all(
        text in asked_for
        for text in (
            "When was the tower built?",
            "(no new search)",
            "Built in 1873.",
            "Known to be right: 1873",
        )
    )
    result = result_of(session)
    assert (list(result.places), result.high_quality) == (["revision"], {})
    with pytest.raises(BadInput, match="revised query"):
        header(answers=[{**own[0], "revised_query": 5}, own[1]])


async def test_the_built_in_ranks_by_words_and_by_no_more() -> None:
    result = result_of(await play(header()))
    assert list(result.ranks) == ["correctness", "citation_accuracy", "conciseness"]
    assert (
        result.ranks["correctness"]
        == result.ranks["citation_accuracy"]
        == {"alpha": 1, "beta": 2.5, "gamma": 2.5}
    )
    own = [
        {"name": "a", "text": "In 1873 [1].", "references": ["Built in 1873."]},
        {"name": "b", "text": "In 1873 [1].", "references": ["Of bees."]},
    ]
    result = result_of(await play(header(answers=own, references=None)))
    assert result.places["citation_accuracy"] == {"a": 1, "b": 2}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.usefixtures("home")
async def test_the_bundled_questions_have_answers_and_lines(language: str) -> None:
    made = method("rank").begin(example(language), Starter(Config(), paths()))
    assert made.prompts.set == language
    result = result_of(await play(made))
    assert (list(result.ranks), result.unread) == (list(QUALITY), [])
    assert len(questions()) == 2


def test_the_order_hangs_on_the_seed_and_not_on_the_order_given() -> None:
    texts = {str(n): f"text {n}" for n in range(6)}
    assert (
        shuffled(texts, "0")
        == shuffled(dict(reversed(texts.items())), "0")
        != shuffled(texts, "1")
    )
    assert sorted(shuffled(texts, "0")) == sorted(texts)


def test_places_and_ranks_of_equal_scores() -> None:
    order = ScoreOrder({"a": 0.5, "b": 1, "c": 0.5, "d": 0})
    assert order.listed == ["b", ["a", "c"], "d"]
    assert order.ranks == {"b": 1, "a": 2.5, "c": 2.5, "d": 4}
    assert order.places == {"b": 1, "a": 2, "c": 2, "d": 4}
    assert order.alike(
        ScoreOrder({"a": 0.5, "b": 1, "c": 0.6, "d": 0})
    ) == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"answers": [{"name": "a", "text": "x"}]}, "from 2 to 20"),
        (
            {"answers": [{"name": "a", "text": "x"}, {"name": "a", "text": "y"}]},
            "”; give each its own name.",
        ),
        (
            {"answers": [{"name": "a\x1b", "text": "x"}, {"name": "b", "text": "y"}]},
            "printable",
        ),
        (
            {"answers": [{"name": "a", "text": 5}, {"name": "b", "text": "y"}]},
            "has no text",
        ),
        (
            {"answers": [{"name": "a", "text": " "}, {"name": "b", "text": ""}]},
            "No answer has any text",
        ),
        ({"question": " "}, "empty"),
        ({"lineup": {"judge": Seat(model="lexical")}}, "no role 'judge'"),
        (
            {"settings": {"conciseness": False}, "accepted": None, "references": None},
            "There is no criterion to rank by: citations",
        ),
    ],
)
def test_what_is_wrong_is_said(given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        header(**given)


def test_a_file_of_questions_becomes_a_table_of_ranks(tmp_path: Path) -> None:
    from verifytui.tests.support.commanding import command

    lines: list[dict[str, Any]] = [
        {
            "id": f"q{n}",
            "question": f"When {n}?",
            "answers": {
                "ours": "In 1873.",
                "theirs": "In 1901, or later, as some say.",
            },
            "accepted": "1873",
        }
        for n in range(3)
    ]
    pair = {
        "id": "p",
        "query": "Why?",
        "gt_answer": "Rain.",
        "labels": [],
        "dataset": "x",
    }
    lines.append(
        {
            **pair,
            "model1": {"model_name": "ours", "response": "Rain."},
            "model2": {"model_name": "theirs", "response": "Sun."},
        }
    )
    file = tmp_path / "q.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    done = command(
        "rank",
        "--questions",
        file,
        "--into",
        tmp_path / "out",
        "--fail-under",
        "high_quality_conciseness=1",
    )
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    ours, theirs = (
        report["criteria"]["correctness"][name] for name in ("ours", "theirs")
    )
    assert (ours["rank"]["value"], theirs["rank"]["value"], ours["rank"]["n"]) == (
        1,
        2,
        4,
    )
    assert (ours["high_quality"]["value"], theirs["high_quality"]["value"]) == (1, 0)
    assert report["criteria"]["conciseness"]["ours"]["rank"]["value"] == 1.5
    assert report["verified_by"]["built_in"] == ["lexical"]
    assert "ranked by lexical, not a language model" in " ".join(done.stdout.split())
    assert re.search(r"Answers by correctness\n.*\n.*\nours +1.00 ", done.stdout)
    file.write_text('{"question": "Why?", "answers": "x"}\n', "utf-8")
    refused = command("rank", "--questions", file, "--into", tmp_path / "other")
    assert (refused.returncode, "line 1" in refused.stderr) == (2, True)
