"""Whole queries through the real desk and LiteLLM, with models at a server on this
machine that gives every kind of fault.
"""

from __future__ import annotations

import json
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.models.config import Config
from verifytui.engines.models.desk import Desk
from verifytui.engines.models.port import ModelRemark
from verifytui.engines.relevance.plan import stages
from verifytui.engines.step import step
from verifytui.sessions.events import Event, Failure
from verifytui.sessions.events.relevance import Facts, Judgement, RelevanceResult
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Seat
from verifytui.tests.support.cases import begin, engine_with, facts, judged, kinds
from verifytui.tests.support.loopback import Answer, Body, Loopback

pytestmark = pytest.mark.slow


class Run:
    """One query at the server; steps until it ends or a call fails."""

    def __init__(
        self,
        path: Path | None = None,
        settings: dict[str, object] | None = None,
        *,
        stream: bool = True,
        cache: bool = False,
        stall: float = 20,
    ) -> None:
        lineup = {
            role: Seat(model=f"openai/{role}") for role in ("extractor", "annotator")
        }
        self.journal = Journal.create(path, begin(settings, lineup=lineup).header)
        self.engine = engine_with()
        config = Config(
            retries=1, retry_wait=0.001, timeout=20, stall_timeout=stall, cache=cache
        )
        self.desk = Desk(lambda: self.journal.session, config, stream=stream)
        self.parts: list[object] = []

    async def on(self) -> Event | None:
        """To the end, or to a failure, which is returned."""
        for _ in range(80):
            if self.engine.finished(self.journal.session):
                return None
            async with aclosing(step(self.journal, self.engine, self.desk)) as parts:
                async for part in parts:
                    self.parts.append(part)
            if isinstance(self.parts[-1], Failure):
                return self.parts[-1]
        raise AssertionError("the query does not end")


@pytest.fixture
def served(loopback: Loopback, home: Path, monkeypatch: pytest.MonkeyPatch) -> Loopback:
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    loopback.answer = reply
    return loopback


def stage_of(body: Body) -> str:
    """Which of the four stages a request is, by what it shows of the case in hand."""
    shown = body["messages"][1]["content"]
    if body["model"].endswith("annotator"):
        if "in their legal facts?" in shown:
            return "judgement-legal"
        return "judgement-material"
    if "List the legal facts" in shown:
        return "facts-legal"
    return "facts-material"


def reply(body: Body) -> Answer:
    """The extractor lists; the annotator finds the brawl not relevant."""
    stage, shown = stage_of(body), body["messages"][1]["content"]
    if stage.startswith("facts"):
        brawl = "tavern" in shown or "He fought" in shown.rpartition("Do the same")[2]
        deed = "He fought in a tavern." if brawl else "He took what was not his."
        return Answer(
            facts(deed) if stage == "facts-material" else f"1. {deed[:-1]} on purpose."
        )
    relevant = "He fought" not in shown.rpartition("Are the following")[2]
    return Answer(
        judged(relevant)
        if stage == "judgement-material"
        else f"My word:\n```json\n{judged(relevant)}\n```"
    )


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
async def test_two_models_judge_two_candidates(
    served: Loopback, tmp_path: Path, stream: bool
) -> None:
    run = Run(tmp_path / "a.yaml", stream=stream)
    assert await run.on() is None
    run.journal.close()
    session = Journal.open(tmp_path / "a.yaml").session
    assert session.events == run.journal.session.events
    result = session.events[-1]
    assert isinstance(result, RelevanceResult)
    assert (result.ranking, result.scores) == (["a", "b"], [3, 0])
    assert session.totals().calls == len(served.requests) == 2 + 2 * 4
    assert session.totals("annotator").calls == 4
    assert [
        event.read
        for event in session.events
        if isinstance(event, Facts) and event.kind == "legal"
    ] == ["sliced"] * 3
    assert {
        event.read
        for event in session.events
        if isinstance(event, Judgement) and event.kind == "legal"
    } == {"sliced"}
    for number, event in enumerate(session.events, 1):
        if isinstance(event, Facts | Judgement):
            assert run.engine.asked(session, number) in [
                body["messages"] for body in served.requests
            ]


async def test_an_unread_judgement_is_asked_again_at_the_server(
    served: Loopback,
) -> None:
    served.answer = lambda body: (
        Answer("somewhat") if stage_of(body) == "judgement-material" else reply(body)
    )
    run = Run()
    assert await run.on() is None
    assert [part.kind for part in run.parts if isinstance(part, ModelRemark)] == [
        "again"
    ] * 2
    judgement = stages(run.journal.session, "a").judgement("material")
    assert judgement is not None
    assert (judgement.read, judgement.relevant, judgement.attempts) == (
        "unread",
        None,
        2,
    )
    assert judgement.usage is not None
    assert judgement.usage.input == 22
    result = run.journal.session.events[-1]
    assert isinstance(result, RelevanceResult)
    assert (result.scores, result.unread) == ([None, None], 2)


async def test_facts_are_extracted_once_across_queries_and_runs(
    served: Loopback,
) -> None:
    assert await Run(cache=True).on() is None
    cold = len(served.requests)
    again = Run(cache=True)
    assert await again.on() is None
    fresh = served.requests[cold:]
    assert [stage_of(body) for body in fresh] == [
        "judgement-material",
        "judgement-legal",
    ] * 2
    events = again.journal.session.events
    assert {event.cached for event in events if isinstance(event, Facts)} == {True}
    assert {event.cached for event in events if isinstance(event, Judgement)} == {False}
    # a stage that is wanted anew is asked anew
    again.journal.append(
        await again.engine.demonstrations_for(
            again.journal.session, "facts-material", "a"
        )
    )
    assert await again.on() is None
    assert [stage_of(body) for body in served.requests[cold + 4 :]] == STAGES
    # the whole query with judgements held as well, and a repeat of it, which is asked
    # on its own
    assert await Run(settings={"cache": "all"}, cache=True).on() is None
    warm = len(served.requests)
    assert await Run(settings={"cache": "all"}, cache=True).on() is None
    assert len(served.requests) == warm
    assert await Run(settings={"cache": "all", "repeat": 1}, cache=True).on() is None
    assert len(served.requests) > warm


STAGES = ["facts-material", "facts-legal", "judgement-material", "judgement-legal"]
FAULTS = [
    (Answer(status=401, error="Incorrect API key"), "auth"),
    (Answer(status=404, error="no such model"), "not-found"),
    (Answer(status=429, error="slow down"), "rate-limit"),
    (Answer(status=500, error="boom"), "server"),
    (
        Answer(
            status=400, error={"message": "context", "code": "context_length_exceeded"}
        ),
        "context",
    ),
    (
        Answer(status=400, error={"message": "filtered", "code": "content_filter"}),
        "content-filter",
    ),
    (Answer(text=" "), "empty"),
    (Answer(drop=True), "connection"),
    (Answer(cut_after=0), "cut"),
    (Answer(stall_after=0), "stall"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "kind"), FAULTS, ids=[kind for _, kind in FAULTS])
@pytest.mark.parametrize("stage", STAGES)
async def test_a_fault_in_any_stage_is_stored_and_a_retry_goes_on(
    served: Loopback, stage: str, fault: Answer, kind: str
) -> None:
    served.answer = lambda body: fault if stage_of(body) == stage else reply(body)
    run = Run(stall=0.3 if kind == "stall" else 20)
    failure = await run.on()
    assert isinstance(failure, Failure)
    assert (failure.role, failure.kind) == (
        "extractor" if stage.startswith("facts") else "annotator",
        kind,
    )
    session = run.journal.session
    before = kinds(session)
    assert before[-2:] == [
        f"demonstrations {stage} {'query' if stage.startswith('facts') else 'a'}",
        "failure",
    ]
    served.answer = reply
    run.desk = Desk(lambda: run.journal.session, Config(cache=False))
    assert await run.on() is None
    assert kinds(session)[: len(before)] == before
    result = session.events[-1]
    assert isinstance(result, RelevanceResult)
    assert result.scores == [3, 0]


async def test_the_schema_is_sent_where_the_model_takes_one(served: Loopback) -> None:
    run = Run()
    assert await run.on() is None
    wanted: dict[str, Any] = {
        stage_of(body): body.get("response_format") for body in served.requests
    }
    assert set(wanted) == set(STAGES)
    for stage, given in wanted.items():
        if given is not None:
            text = json.dumps(given)
            assert ("facts" if stage.startswith("facts") else "relevant") in text
