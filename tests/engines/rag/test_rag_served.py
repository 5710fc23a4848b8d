"""Whole questions through the real desk and LiteLLM, with models at a server on this
machine that gives every kind of fault.
"""

from __future__ import annotations

import json
from contextlib import aclosing
from pathlib import Path

import pytest
from verifytui.engines.models.config import Config
from verifytui.engines.models.desk import Desk
from verifytui.engines.models.port import ModelRemark
from verifytui.engines.rag.engine import rag_engine
from verifytui.engines.rag.plan import upcoming
from verifytui.engines.step import step
from verifytui.sessions.events import Event, Failure
from verifytui.sessions.events.rag import (
    Check,
    Claims,
    RagAnswer,
    RagResult,
    Retrieval,
    Verification,
)
from verifytui.sessions.journal import Journal
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.questions import (
    QUESTION,
    Shelf,
    begin,
    kinds,
    seats,
    verification,
)

BETTER = "Which character of The Hobbit turns into a bear?"
PAPER = {
    "1": {"reference_correctness": 0.21},
    "2": {
        "correctness": 0.21,
        "citation_accuracy": 0.81,
        "truthfulness": 0.91,
        "bias": 0.82,
        "conciseness": 0.89,
    },
    "3": "false",
    "4": BETTER,
}


class Run:
    """One question at the server; steps until it ends or a call fails."""

    def __init__(
        self,
        path: Path | None = None,
        settings: dict[str, object] | None = None,
        *,
        stream: bool = True,
    ) -> None:
        self.journal = Journal.create(
            path,
            begin(settings, lineup=seats("generator", "verifier", "reviser")).header,
        )
        shelf = Shelf(
            lambda query, _k: (
                ["Beorn turns into a bear."]
                if query == BETTER
                else ["Bears eat honey."]
            )
        )
        self.engine = rag_engine(lambda: shelf)
        self.stream = stream
        self.parts: list[object] = []

    async def on(self, stalling: str = "") -> Event | None:
        """To the end, or to a failure, which is returned.

        The role that is expected to stall is not waited for long.
        """
        for _ in range(40):
            if self.engine.finished(self.journal.session):
                return None
            coming = upcoming(self.journal.session)
            wait = (
                0.3
                if stalling and coming is not None and coming.role == stalling
                else 20
            )
            desk = Desk(
                lambda: self.journal.session,
                Config(retries=1, retry_wait=0.001, timeout=60, stall_timeout=wait),
                stream=self.stream,
            )
            async with aclosing(step(self.journal, self.engine, desk)) as parts:
                async for part in parts:
                    self.parts.append(part)
            if isinstance(self.parts[-1], Failure):
                return self.parts[-1]
        raise AssertionError("the question does not end")


@pytest.fixture
def served(loopback: Loopback, home: Path, monkeypatch: pytest.MonkeyPatch) -> Loopback:
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    loopback.answer = reply
    return loopback


def reply(body: Body) -> Answer:
    """The generator answers from what it is shown; the verifier wants the better query
    until it has been searched for.
    """
    shown = body["messages"][1]["content"]
    if body["model"].endswith("generator"):
        return Answer(
            "Beorn does [1]."
            if "Beorn turns" in shown
            else "The references do not say who does."
        )
    if body["model"].endswith("reviser"):
        return Answer(
            json.dumps({"revised_query": "" if "Beorn turns" in shown else BETTER})
        )
    return Answer(
        verification()
        if "Beorn turns" in shown
        else f"My word:\n```json\n{json.dumps(PAPER)}\n```"
    )


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
async def test_two_models_revise_an_answer(
    served: Loopback, tmp_path: Path, stream: bool
) -> None:
    run = Run(tmp_path / "a.yaml", {"indicator": "thresholds-all"}, stream=stream)
    assert await run.on() is None
    run.journal.close()
    session = Journal.open(tmp_path / "a.yaml").session
    assert session.events == run.journal.session.events
    assert kinds(session)[-6:] == [
        "retrieval 2",
        "answer 2",
        "check 2",
        "verification 2",
        "decision 2",
        "result",
    ]
    first, second = (
        event for event in session.events if isinstance(event, Verification)
    )
    assert (first.bias, first.judgement, first.revised_query, first.read) == (
        0.82,
        "false",
        BETTER,
        "sliced",
    )
    assert second.read in ("json", "schema")
    assert [
        event.answer for event in session.events if isinstance(event, RagAnswer)
    ] == [
        "The references do not say who does.",
        "Beorn does [1].",
    ]
    result = session.events[-1]
    assert isinstance(result, RagResult)
    assert (result.answer, result.stopped_by, result.iterations) == (
        "Beorn does [1].",
        "indicator",
        2,
    )
    assert session.totals().calls == 4
    assert all(QUESTION in body["messages"][1]["content"] for body in served.requests)


async def test_claims_are_asked_for_with_a_schema_and_once_more(
    served: Loopback,
) -> None:
    claim = {
        "claim": "Beorn turns into a bear.",
        "sentence": 1,
        "reference": 1,
        "words": "turns into a bear",
        "also": [],
    }
    told = [{**claim, "verdict": "perhaps"}, {**claim, "verdict": "supported"}]
    served.answer = lambda body: (
        Answer(json.dumps({"claims": [told.pop(0)]}))
        if '"claims"' in body["messages"][1]["content"]
        else reply(body)
    )
    run = Run(settings={"claims": True})
    assert await run.on() is None
    assert kinds(run.journal.session)[-2:] == ["claims 2", "result"]
    (event,) = (
        event for event in run.journal.session.events if isinstance(event, Claims)
    )
    assert [(one.verdict, one.n, one.words) for one in event.items] == [
        ("supported", 1, "turns into a bear")
    ]
    assert (event.attempts, event.role) == (2, "verifier")
    assert "“perhaps”" in served.requests[-1]["messages"][-1]["content"]


WRONG = (
    "The largest lake of the world by area is the Caspian Sea. By area it is also "
    "called the deepest of all lakes."
)
RIGHT = "Lake Baikal in Siberia is the deepest lake of the world, with 1,642 metres."
VAGUE = "which lake deepest"
CLEAR = "Which lake is the deepest in the world?"


@pytest.mark.parametrize("prompts", ["en", "zh", "small-en", "small-zh"])
@pytest.mark.parametrize("rule", ["nonempty", "thresholds-all", "thresholds-any"])
async def test_a_grounded_answer_from_wrong_references_is_revised(
    served: Loopback, prompts: str, rule: str
) -> None:
    """The failure that the method is for (section 1, Figure 1): the retriever is wrong
    and the generator follows it faithfully.

    Its citations are perfect and nothing in it departs from the references. Only the
    verifier's own knowledge speaks against it: bias.
    """

    def answering(body: Body) -> Answer:
        shown = body["messages"][1]["content"]
        if body["model"].endswith("generator"):
            return Answer(
                "The deepest lake of all is Lake Baikal [1]."
                if "Baikal in Siberia" in shown
                else "The deepest lake of all is the Caspian Sea [1]."
            )
        if "The deepest lake of all is Lake Baikal [1]." in shown:
            return Answer(verification())
        scores = {
            "reference_correctness": 0.2,
            "correctness": 0.1,
            "citation_accuracy": 1,
            "truthfulness": 0.9,
            "bias": 0.95,
        }
        reason = {
            "reason": "The references speak of the largest lake; the deepest one is Lake "
            "Baikal."
        }
        return Answer(
            json.dumps(
                {
                    **reason,
                    **scores,
                    "conciseness": 0.9,
                    "judgement": "false",
                    "revised_query": CLEAR,
                }
            )
        )

    served.answer = answering
    header = begin(
        {"indicator": rule},
        question=VAGUE,
        prompts=prompts,
        lineup=seats("generator", "verifier"),
    ).header
    run = Run()
    run.journal = Journal.create(None, header)
    run.engine = rag_engine(
        lambda: Shelf(lambda query, _k: [RIGHT] if query == CLEAR else [WRONG])
    )
    assert await run.on() is None
    events = run.journal.session.events
    first, second = (event for event in events if isinstance(event, Verification))
    assert (
        first.citation_accuracy,
        first.reference_correctness,
        first.bias,
        first.judgement,
    ) == (1, 0.2, 0.95, "false")
    assert (
        first.reason
        == "The references speak of the largest lake; the deepest one is Lake Baikal."
    )
    check = next(event for event in events if isinstance(event, Check))
    assert (check.unknown, check.uncited) == ([], 0)
    assert (check.sentences[0].support or 0) > 0.7
    assert [event.query for event in events if isinstance(event, Retrieval)] == [
        VAGUE,
        CLEAR,
    ]
    assert second.judgement == "true"
    result = events[-1]
    assert isinstance(result, RagResult)
    assert (result.answer, result.stopped_by, result.kept) == (
        "The deepest lake of all is Lake Baikal [1].",
        "indicator",
        2,
    )


async def test_the_verifier_is_asked_for_a_reason_before_any_score(
    served: Loopback,
) -> None:
    run = Run()
    assert await run.on() is None
    asked = [body for body in served.requests if body["model"].endswith("verifier")]
    assert asked
    for body in asked:
        sample = body["messages"][0]["content"].rpartition("{")[2]
        assert sample.startswith('"reason"')
        wanted = (body.get("response_format") or {}).get("json_schema")
        if wanted:
            assert next(iter(wanted["schema"]["properties"])) == "reason"


async def test_an_unread_verification_is_asked_again_at_the_server(
    served: Loopback,
) -> None:
    served.answer = lambda body: (
        Answer("All is well.")
        if body["model"].endswith("verifier")
        else Answer("Beorn [1].")
    )
    run = Run()
    assert await run.on() is None
    assert [part.kind for part in run.parts if isinstance(part, ModelRemark)] == [
        "again"
    ]
    verified = [
        event for event in run.journal.session.events if isinstance(event, Verification)
    ]
    assert [(event.read, event.attempts) for event in verified] == [("unread", 2)]
    assert verified[0].usage is not None
    assert verified[0].usage.input == 22
    assert run.journal.session.events[-1].stopped_by == "unread"  # type: ignore[attr-defined]


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
@pytest.mark.parametrize("role", ["generator", "verifier", "reviser"])
async def test_a_fault_in_any_seat_is_stored_and_a_retry_goes_on(
    served: Loopback, role: str, fault: Answer, kind: str
) -> None:
    served.answer = lambda body: fault if body["model"].endswith(role) else reply(body)
    run = Run(settings={"chain": role != "reviser"})
    failure = await run.on(role if kind == "stall" else "")
    assert isinstance(failure, Failure)
    assert (failure.role, failure.kind) == (role, kind)
    before = kinds(run.journal.session)
    assert before == [
        "retrieval 1",
        *([] if role == "generator" else ["answer 1", "check 1"]),
        "failure",
    ]
    served.answer = reply
    assert await run.on() is None
    session = run.journal.session
    assert [
        event.query for event in session.events if isinstance(event, Retrieval)
    ] == [QUESTION, BETTER]
    assert isinstance(session.events[-1], RagResult)
    assert session.events[-1].answer == "Beorn does [1]."
