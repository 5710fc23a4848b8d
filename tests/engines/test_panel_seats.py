"""Panels on judging seats, against a real server on the loopback: each method reads
what the votes come to as it reads any reply.
"""

from __future__ import annotations

import json
from contextlib import aclosing, nullcontext
from pathlib import Path
from typing import Any

from verifytui.engines.batches.shared_calls import SharedModels
from verifytui.engines.debate.engine import DEBATE_ENGINE
from verifytui.engines.debate.method import new_debate
from verifytui.engines.figures.judge.answers import (
    JudgeInstructions,
    judge,
    same_question,
)
from verifytui.engines.figures.judge.measure import JudgeMeasure
from verifytui.engines.figures.judge.tasks import MeasureJudgement
from verifytui.engines.figures.measure import Item, without_verdict
from verifytui.engines.grade.method import block as grade_block
from verifytui.engines.grade.method import new_grade
from verifytui.engines.judges.seats import given
from verifytui.engines.method import method
from verifytui.engines.models.config import Config, NamedModel, NamedPanel
from verifytui.engines.models.desk import Desk
from verifytui.engines.models.panels import Rule
from verifytui.engines.models.seating import seat_for
from verifytui.engines.rag.engine import rag_engine
from verifytui.engines.rag.lexical.model import LexicalVerifier
from verifytui.engines.rag.starting import new_question
from verifytui.engines.rank.method import new_ranking
from verifytui.engines.rank.reading import RANK_ENGINE
from verifytui.engines.step import Engine, step
from verifytui.prompts import load
from verifytui.sessions.events import Event, ReplyEvent, Vote
from verifytui.sessions.events.debate import Candidates, DebateResult, Stance, Verdict
from verifytui.sessions.events.grade import Grade
from verifytui.sessions.events.rag import Decision, Verification
from verifytui.sessions.events.rank import Ranking
from verifytui.sessions.events.relevance import RelevanceResult, Score
from verifytui.sessions.export.votes import votes_of
from verifytui.sessions.journal import Journal
from verifytui.sessions.new import new_header
from verifytui.sessions.session import Header, Prompts, Seat, Session
from verifytui.tests.support.loopback import Answer, Body, Loopback

MEMBERS = ("a", "b", "c")


def config_of(
    server: Loopback,
    rule: Rule = "majority",
    members: tuple[str, ...] = MEMBERS,
    **more: Any,
) -> Config:
    known = {
        name: NamedModel(model=f"openai/{name}", api_base=server.base_url)
        for name in ("deb", *MEMBERS)
    }
    return Config(
        models=known,
        panels={"jury": NamedPanel(panel=list(members), rule=rule)},
        retries=0,
        **more,
    )


def says(server: Loopback, *told: Any, others: str = "Four.\nAnswer: 4") -> None:
    """Each member says its own, as an object or a text; a list: one after another."""
    known = dict(zip(MEMBERS, told, strict=False))

    def answer(body: Body) -> Answer:
        said = known.get(body["model"], others)
        said = said.pop(0) if isinstance(said, list) else said
        return Answer(text=said if isinstance(said, str) else json.dumps(said))

    server.answer = answer


async def play(header: Header, engine: Engine, config: Config) -> Session:
    journal = Journal.create(None, header)
    desk = Desk(
        lambda: journal.session,
        config,
        builtins={"lexical": LexicalVerifier(lambda: None)},
        stream=False,
    )  # type: ignore[arg-type, return-value]
    while not engine.finished(journal.session):
        async with aclosing(step(journal, engine, desk)) as parts:
            async for _ in parts:
                pass
    return journal.session


def of(session: Session, kind: type[Event]) -> Any:
    return next(event for event in session.events if isinstance(event, kind))


def votes(event: ReplyEvent) -> list[Vote]:
    assert isinstance(event.votes, list)
    return event.votes


def verdict(preference: bool, side: str, answer: str) -> dict[str, Any]:
    return {
        "reason": f"{side} says {answer}.",
        "preference": preference,
        "supported_side": side,
        "answer": answer,
    }


def debate(config: Config, **settings: Any) -> Header:
    seats = {
        "affirmative": seat_for("deb", config),
        "negative": seat_for("deb", config),
        "judge": seat_for("jury", config),
    }
    more = (
        {"observer": seat_for("jury", config)} if settings.get("disagreement") else {}
    )
    return new_debate(
        topic="How much is 2 + 2?",
        lineup=seats | more,
        settings=settings,
        prompts=load("en"),
    )


# ------------------------------------------------------------- debate


async def test_answers_that_say_the_same_are_one_vote(loopback: Loopback) -> None:
    config = config_of(loopback)
    says(
        loopback,
        verdict(True, "negative", "Five"),
        verdict(True, "affirmative", "4"),
        verdict(True, "affirmative", "4."),
    )
    session = await play(debate(config, rounds=1), DEBATE_ENGINE, config)
    made = of(session, Verdict)
    assert (made.preference, made.supported_side, made.answer, made.reason) == (
        True,
        "affirmative",
        "4",
        "affirmative says 4.",
    )
    assert [vote.values["answer"] for vote in votes(made)] == ["Five", "4", "4"]
    assert of(session, DebateResult).decided_by == "discriminative"


async def test_without_a_majority_for_an_answer_the_debate_goes_on_and_ends_undecided(
    loopback: Loopback,
) -> None:
    config = config_of(loopback)
    different = [
        verdict(True, "affirmative", "4"),
        verdict(True, "negative", "5"),
        verdict(True, "none", "6"),
    ]
    chosen = [
        {"reason": "", "supported_side": "none", "answer": str(n)} for n in (4, 5, 6)
    ]
    says(
        loopback,
        *(
            [one, one, {"candidates": ["4", str(n)]}, two]
            for n, (one, two) in enumerate(zip(different, chosen, strict=True), 4)
        ),
    )
    session = await play(debate(config, rounds=2), DEBATE_ENGINE, config)
    first = of(session, Verdict)
    assert (first.preference, first.supported_side, first.answer) == (True, None, None)
    assert of(session, Candidates).items == ["4", "5", "6"], "what anybody lists"
    assert votes_of(of(session, Candidates)) == ["votes of 3 members: 3 readable"], (
        "and nobody voted on them"
    )
    assert of(session, DebateResult).decided_by == "undecided"


async def test_the_observers_numbers_go_by_the_rule(loopback: Loopback) -> None:
    for rule, value in (("mean", 0.4), ("median", 0.2)):
        config = config_of(loopback, rule)  # type: ignore[arg-type]
        rated = [
            [{"reason": "r", "disagreement": x}, verdict(True, "negative", "4")]
            for x in (0.1, 0.2, 0.9)
        ]
        says(loopback, *rated)
        session = await play(
            debate(config, rounds=1, disagreement="stance"), DEBATE_ENGINE, config
        )
        assert round(of(session, Stance).value, 6) == value


# ------------------------------------------------------------- verification


def verified(judgement: str, score: float, query: str) -> dict[str, Any]:
    scores = dict.fromkeys(
        (
            "reference_correctness",
            "correctness",
            "citation_accuracy",
            "truthfulness",
            "bias",
            "conciseness",
        ),
        score,
    )
    return {
        "reason": f"It is {judgement}.",
        **scores,
        "judgement": judgement,
        "revised_query": query,
    }


def question(config: Config) -> Header:
    asked = "Who built the tower?"
    seats = {"generator": seat_for("deb", config), "verifier": seat_for("jury", config)}
    return new_question(
        question=asked,
        references=["Eiffel built the tower."],
        answer="Eiffel built it [1].",
        lineup=seats,
        prompts=load("en", workspace="rag"),
    )


async def test_scores_judgement_and_query_are_combined_each_in_its_way(
    loopback: Loopback,
) -> None:
    config = config_of(loopback, "mean")
    says(
        loopback,
        verified("true", 0.9, ""),
        verified("false", 0.3, "tower builder"),
        verified("false", 0.3, "who was it?"),
    )
    made = of(
        await play(question(config), rag_engine(lambda: None), config), Verification
    )  # type: ignore[arg-type, return-value]
    assert (made.correctness, made.judgement, made.revised_query) == (
        0.5,
        "false",
        "tower builder",
    )
    assert made.reason == "It is false."


async def test_a_judgement_that_is_split_is_no_judgement_and_nothing_is_decided(
    loopback: Loopback,
) -> None:
    config = config_of(loopback, "median", ("a", "b"))
    says(loopback, verified("true", 0.9, ""), verified("false", 0.2, "tower builder"))
    session = await play(question(config), rag_engine(lambda: None), config)  # type: ignore[arg-type, return-value]
    made = of(session, Verification)
    assert (made.judgement, made.revised_query, made.correctness) == (None, None, 0.55)
    decided = [event.revise for event in session.events if isinstance(event, Decision)]
    assert decided in ([], [None])
    seat = method("rag").judging_seats["verifier"]
    assert seat.verdict is not None
    assert seat.verdict(None, session) == "undecided"  # type: ignore[arg-type]
    # a score that too few gave is unread, whatever became of the judgement
    assert without_verdict([made]) == "undecided"
    assert without_verdict([made], "correctness") == "unread"


async def test_a_member_that_cannot_know_a_score_abstains_from_it(
    loopback: Loopback,
) -> None:
    config = config_of(loopback, "median", ("a", "b", "lexical"))
    says(loopback, verified("true", 0.8, ""), verified("true", 0.4, ""))
    made = of(
        await play(question(config), rag_engine(lambda: None), config), Verification
    )  # type: ignore[arg-type, return-value]
    assert "bias" not in votes(made)[2].values
    assert (round(made.bias, 6), made.unmeasured) == (0.6, [])


# ------------------------------------------------------------- the others


async def test_ranks_come_from_the_scores_of_all(loopback: Loopback) -> None:
    config = config_of(loopback, "mean")
    says(
        loopback,
        *({"reason": "r", "answer1": one, "answer2": 0.5} for one in (0.9, 0.8, 0.1)),
    )
    header = new_ranking(
        question="Who?",
        answers=[{"id": "x", "text": "Eiffel."}, {"id": "y", "text": "Koechlin."}],
        settings=dict.fromkeys(
            ("citation_accuracy", "truthfulness", "bias", "conciseness", "revision"),
            False,
        ),
        lineup={"ranker": seat_for("jury", config)},
        prompts=load("en", workspace="rank"),
    )
    made = of(await play(header, RANK_ENGINE, config), Ranking)
    assert sorted(round(score, 6) for score in made.scores.values()) == [0.5, 0.6]


async def test_a_panel_judges_measures_and_compares_answers(
    loopback: Loopback, tmp_path: Path
) -> None:
    config = config_of(loopback)
    says(
        loopback,
        *(
            {"reason": "r", "right": right, "same": right}
            for right in (True, False, True)
        ),
    )
    judged = JudgeMeasure.read({"judge": "correctness", "model": "jury"}, config)
    item = Item(
        "i1", "i1", "", {"kind": "question", "topic": "2 + 2?", "answers": ["4"]}
    )
    found = await judged.measure(
        [(item, "4")], tmp_path, JudgeInstructions(config, nullcontext)
    )
    assert found[0].value == 1.0
    kept = json.loads((tmp_path / "judge-correctness.judged.jsonl").read_text())
    assert [vote["values"]["right"] for vote in kept["votes"]] == [True, False, True]
    desk = Desk(_alone("equivalence", config), config, stream=False)
    async for part in judge(desk, same_question("a", "2 + 2?", ["4"], "four")):
        if isinstance(part, MeasureJudgement):
            assert part.value == 1


async def test_a_study_asks_members_that_are_the_same_model_apart_and_shares_each(
    loopback: Loopback, home: Path
) -> None:
    """Two conditions with the same panel ask each member once; members that are one
    model are two requests.
    """
    warm = NamedModel(
        model="openai/a", api_base=loopback.base_url, params={"temperature": 0.8}
    )
    config = Config(
        models={"warm": warm},
        panels={"jury": NamedPanel(panel=["warm", "warm", "warm"])},
        retries=0,
    )
    says(loopback, {"reason": "r", "same": True})
    for _ in range(2):
        session = _alone("equivalence", config)
        models = SharedModels(Desk(session, config, stream=False), session, 0)
        made = [
            part
            async for part in judge(models, same_question("a", "2 + 2?", ["4"], "four"))
            if isinstance(part, MeasureJudgement)
        ]
        assert made[0].value == 1
    assert len(loopback.requests) == 3
    assert made[0].cached
    assert made[0].attempts == 0


def _alone(role: str, config: Config) -> Session:
    prompts = Prompts(set="en", hash="", templates={})
    lineup = {role: seat_for("jury", config)}
    return Session(
        new_header(
            workspace="", title="", task={}, lineup=lineup, settings={}, prompts=prompts
        ),
        [],
    )


def test_a_tie_of_grades_is_no_unread_grade() -> None:
    pair = {name: {"id": name, "text": f"A {name}."} for name in ("query", "candidate")}
    header = new_grade(
        query=pair["query"],
        candidates=[pair["candidate"]],
        lineup={"grader": Seat(model="openai/a")},
        prompts=load("en", workspace="grade"),
    )
    said = [
        Vote(model="a", values={"grade": 1}),
        Vote(model="b", values={"grade": 3}),
    ]
    tied = Grade(**given(), role="grader", candidate="candidate", text="{}", votes=said)
    unread = Grade(**given(), role="grader", candidate="candidate", text="")
    [way] = method("grade").judging_seats.values()
    assert way.verdict is not None
    for event, word, words in (
        (tied, "undecided", "undecided"),
        (unread, "unread", "could not be read"),
    ):
        score = Score(candidate="candidate")
        result = RelevanceResult(ranking=["candidate"], scores=[None], unread=1)
        session = Session(header, [event, score, result])
        assert way.verdict(None, session) == word  # type: ignore[arg-type]
        drawn = [grade_block(each, session) for each in session.events]
        assert words in drawn[0].remark
        assert words in drawn[1].notes[0]
        assert drawn[2].scores[0][1] == words
        assert drawn[0].unread is (word == "unread")
