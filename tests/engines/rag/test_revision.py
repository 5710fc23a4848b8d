"""What is revised: the query goes with the judgement, and an answer that does not
answer is none.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from verifytui.engines.models.port import Message
from verifytui.engines.rag.messages import (
    AnswerTask,
    CheckClaims,
    RagTask,
    Revise,
    Verify,
)
from verifytui.engines.rag.settings import SETTINGS
from verifytui.sessions.events.rag import (
    Decision,
    RagAnswer,
    RagResult,
    Retrieval,
    Verification,
)
from verifytui.sessions.session import Session
from verifytui.tests.support.questions import (
    QUESTION,
    Shelf,
    begin,
    kinds,
    play,
    verification,
)
from verifytui.tests.support.telling import Told

BETTER = "Which character of The Hobbit turns into a bear?"
OTHER = "Who in The Hobbit is a skin-changer?"
NONE = "The references do not hold the answer."


def told(
    answers: str | list[str],
    verifications: str | list[str],
    revised: str | list[str] = "",
) -> Told:
    """Each is said in turn, the last one for ever."""
    left = {
        AnswerTask: _listed(answers),
        Verify: _listed(verifications),
        Revise: _listed(revised),
        CheckClaims: ['{"claims": []}'],
    }

    def speak(_role: str, task: RagTask, _messages: list[Message]) -> str:
        lines = left[type(task)]
        line = lines.pop(0) if len(lines) > 1 else lines[0]
        if isinstance(task, Revise) and line != "unread":
            return json.dumps({"reason": "So it is.", "revised_query": line})
        return line

    return Told(speak)


def _listed(lines: str | list[str]) -> list[str]:
    if isinstance(lines, str):
        return [lines]
    return list(lines)


def of(session: Session, kind: type) -> list[Any]:
    return [event for event in session.events if isinstance(event, kind)]


def asked(models: Told, kind: type) -> int:
    return sum(isinstance(task, kind) for _, task, _, _ in models.asked)


def fresh() -> Shelf:
    """Another passage for every query."""
    return Shelf(lambda query, _k: [f"About: {query}"])


# The query is empty exactly when the judgement is true


@pytest.mark.parametrize("rule", ["nonempty", "thresholds-all", "thresholds-any"])
async def test_a_query_beside_the_judgement_true_is_kept_and_not_used(
    rule: str,
) -> None:
    session = begin({"indicator": rule})
    bad = {
        "reference_correctness": 0.1,
        "correctness": 0.1,
        "truthfulness": 0.1,
        "bias": 0.9,
    }
    models = await play(
        session, told("Beorn does [1].", verification(BETTER, "true", **bad)), fresh()
    )
    (kept,) = of(session, Verification)
    assert (kept.judgement, kept.revised_query) == ("true", BETTER)
    assert [event.query for event in of(session, Retrieval)] == [QUESTION]
    assert (of(session, Decision)[0].revise, session.events[-1].stopped_by) == (
        False,
        "indicator",
    )  # type: ignore[attr-defined]
    assert (asked(models, Verify), asked(models, Revise)) == (1, 0)


@pytest.mark.parametrize("judgement", ["false", "unclear"])
@pytest.mark.parametrize(
    "missing", ['"revised_query": ""', '"revised_query": null', '"revised": ""']
)
async def test_what_is_not_true_and_has_no_query_asks_the_reviser_once(
    judgement: str, missing: str
) -> None:
    session = begin()
    reply = verification("", judgement).replace('"revised_query": ""', missing)
    models = await play(
        session, told("Beorn does [1].", [reply, verification()], BETTER), fresh()
    )
    assert kinds(session)[3:8] == [
        "verification 1",
        "verification 1",
        "decision 1",
        "retrieval 2",
        "answer 2",
    ]
    first, query = of(session, Verification)[:2]
    assert (first.role, first.judgement, first.revised_query or "", first.text) == (
        "verifier",
        judgement,
        "",
        reply,
    )
    assert (query.role, query.judgement, query.revised_query, query.reason) == (
        "reviser",
        None,
        BETTER,
        "So it is.",
    )
    assert [event.query for event in of(session, Retrieval)] == [QUESTION, BETTER]
    assert asked(models, Revise) == 1
    assert session.events[-1].stopped_by == "indicator"  # type: ignore[attr-defined]


async def test_a_reviser_without_a_query_is_not_asked_twice() -> None:
    session = begin()
    models = await play(
        session, told("Beorn does [1].", verification("", "false"), ""), fresh()
    )
    assert kinds(session)[3:] == [
        "verification 1",
        "verification 1",
        "decision 1",
        "result",
    ]
    assert (asked(models, Verify), asked(models, Revise)) == (1, 1)
    assert session.events[-1].stopped_by == "indicator"  # type: ignore[attr-defined]


async def test_a_reviser_who_cannot_be_read_decides_nothing() -> None:
    session = begin()
    await play(
        session, told("Beorn does [1].", verification("", "false"), "unread"), fresh()
    )
    assert of(session, Decision)[0].revise is None
    assert session.events[-1].stopped_by == "unread"  # type: ignore[attr-defined]


async def test_no_query_is_asked_for_where_none_would_be_used() -> None:
    limit = begin({"iterations": 0})
    assert (
        asked(
            await play(
                limit,
                told("Beorn does [1].", verification("", "false"), BETTER),
                fresh(),
            ),
            Revise,
        )
        == 0
    )
    bounds = begin({"indicator": "thresholds-all"})
    assert (
        asked(
            await play(
                bounds,
                told("Beorn does [1].", verification("", "false"), BETTER),
                fresh(),
            ),
            Revise,
        )
        == 0
    )
    unsure = begin({"indicator": "thresholds-any"})
    models = await play(
        unsure,
        told(
            "Beorn does [1].",
            [verification("", "false", bias=0.9), verification()],
            BETTER,
        ),
        fresh(),
    )
    assert asked(models, Revise) == 1
    given = begin({}, answer="Beorn does [1].", references=["Beorn."])
    assert (
        asked(
            await play(given, told("", verification("", "false"), BETTER), fresh()),
            Revise,
        )
        == 0
    )


async def test_the_query_of_a_person_is_used_beside_the_judgement_true() -> None:
    session = begin()
    models = told("Beorn does [1].", verification())
    await play(session, models, fresh())
    (kept,) = of(session, Verification)
    del session.events[kept.number - 1 :]
    kept.revised_query, kept.edited = BETTER, True
    session.events.append(kept)
    await play(session, models, fresh())
    assert [event.query for event in of(session, Retrieval)] == [QUESTION, BETTER]


# An answer that does not answer


@pytest.mark.parametrize("rule", SETTINGS.words("indicator"))
@pytest.mark.parametrize("judgement", ["true", "false", "unclear"])
async def test_an_abstention_is_revised_under_every_rule_and_judgement(
    rule: str, judgement: str
) -> None:
    session = begin({"indicator": rule})
    scores = {
        "reference_correctness": 0.1,
        "correctness": 0,
        "truthfulness": 1,
        "bias": 0,
    }
    models = told(
        [NONE, "Beorn does [1]."],
        [verification(BETTER, judgement, **scores), verification()],
    )
    await play(session, models, fresh())
    assert [event.query for event in of(session, Retrieval)] == [QUESTION, BETTER]
    result = session.events[-1]
    assert isinstance(result, RagResult)
    assert (result.answer, result.kept) == ("Beorn does [1].", 2)


async def test_an_abstention_that_is_called_true_asks_the_reviser_for_a_query() -> None:
    session = begin()
    models = told([NONE, "Beorn does [1]."], verification("", "true"), BETTER)
    await play(session, models, fresh())
    assert [event.query for event in of(session, Retrieval)] == [QUESTION, BETTER]
    assert asked(models, Revise) == 1


async def test_abstentions_are_revised_until_the_query_repeats_an_earlier_one() -> None:
    session = begin({"iterations": 5})
    queries = [BETTER, OTHER, "which character of the hobbit turns into a bear"]
    await play(
        session,
        told(NONE, [verification(query, "false") for query in queries]),
        fresh(),
    )
    assert [event.query for event in of(session, Retrieval)] == [
        QUESTION,
        BETTER,
        OTHER,
    ]
    assert session.events[-1].stopped_by == "repeated-query"  # type: ignore[attr-defined]


async def test_abstentions_are_revised_until_a_query_brings_no_new_reference() -> None:
    session = begin({"iterations": 5})
    found = {QUESTION: ["a", "b"], BETTER: ["b", "c"], OTHER: ["c", "a"]}
    models = told(NONE, [verification(BETTER, "false"), verification(OTHER, "unclear")])
    await play(session, models, Shelf(lambda query, _k: found[query]))
    assert len(of(session, Retrieval)) == 3
    assert len(of(session, RagAnswer)) == asked(models, AnswerTask) == 2
    assert session.events[-1].stopped_by == "no-references"  # type: ignore[attr-defined]


async def test_a_wrong_answer_is_tried_again_also_from_the_same_references() -> None:
    session = begin()
    models = told(
        ["Bilbo [1].", "Beorn does [1]."],
        [verification(BETTER, "false"), verification()],
    )
    await play(session, models, Shelf(["Beorn turns into a bear."]))
    assert asked(models, AnswerTask) == 2
    assert session.events[-1].answer == "Beorn does [1]."  # type: ignore[attr-defined]


# What is kept


@pytest.mark.parametrize(
    "none",
    [
        NONE,
        "I'm sorry, but the references do not mention it.",
        "参考资料中没有答案。",
        " ",
    ],
)
@pytest.mark.parametrize("keep", ["last", "best"])
async def test_an_answer_is_never_replaced_by_one_that_does_not_answer(
    keep: str, none: str
) -> None:
    session = begin({"keep": keep})
    verified = [
        verification(BETTER, "unclear", correctness=0.2),
        verification("", "unclear", correctness=1),
    ]
    await play(session, told(["Beorn does [1].", none], verified, ""), fresh())
    result = session.events[-1]
    assert isinstance(result, RagResult)
    assert (result.answer, result.kept, result.iterations) == ("Beorn does [1].", 1, 2)


async def test_where_none_answers_the_last_stands() -> None:
    session = begin()
    await play(
        session, told(["I do not know.", NONE], verification(BETTER, "false")), fresh()
    )
    result = session.events[-1]
    assert isinstance(result, RagResult)
    assert (result.answer, result.kept) == (NONE, 2)


# The reason


async def test_a_verification_keeps_its_reason() -> None:
    session = begin()
    reply = json.dumps(
        {"reason": " It is Beorn.\nSurely. ", **json.loads(verification())}
    )
    await play(session, told("Beorn does [1].", reply), fresh())
    (kept,) = of(session, Verification)
    assert (kept.reason, kept.read, kept.problems) == (
        "It is Beorn.\nSurely.",
        "json",
        [],
    )


async def test_a_missing_reason_is_no_fault() -> None:
    session = begin()
    models = await play(session, told("Beorn does [1].", verification()), fresh())
    (kept,) = of(session, Verification)
    assert (kept.reason, kept.read, kept.problems) == ("", "json", [])
    assert asked(models, Verify) == 1
