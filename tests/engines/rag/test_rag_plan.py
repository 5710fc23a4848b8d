"""What comes next, for every way a question can go.

No engine, no model: events in, a step out.
"""

from __future__ import annotations

from typing import Any

import pytest
from verifytui.engines.rag.engine import result
from verifytui.engines.rag.plan import (
    RagStep,
    next_query,
    same_query,
    setting,
    stopped_by,
    turns,
    upcoming,
)
from verifytui.engines.rag.settings import SETTINGS, check_settings
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events import Change, Event, Failure, Note
from verifytui.sessions.events.rag import Check, Retrieval
from verifytui.sessions.session import Session
from verifytui.tests.support.iterations import (
    answer,
    decision,
    retrieval,
    verification,
    whole,
)
from verifytui.tests.support.questions import begin
from verifytui.tests.support.telling import add

DEFAULTS = SETTINGS.defaults()


def after(
    *events: Event | list[Event], settings: dict[str, Any] | None = None, **given: Any
) -> Session:
    session = begin(settings, question="Who?", **given)
    for one in events:
        for event in one if isinstance(one, list) else [one]:
            add(session, event)
    return session


def test_one_iteration_in_order() -> None:
    made: list[Event] = []
    expected = [
        RagStep("retrieval", "", 1),
        RagStep("answer", "generator", 1),
        RagStep("check", "", 1),
        RagStep("verification", "verifier", 1),
        RagStep("decision", "", 1),
        RagStep("result", "", 1),
    ]
    for event, step in zip([*whole(), None], expected, strict=True):
        assert upcoming(after(made)) == step
        made = [*made, event] if event is not None else made
    assert upcoming(after(made, result(after(made)))) is None


def test_failures_and_notes_count_for_nothing() -> None:
    session = after(
        Failure(role="retriever", kind="corpus", message="gone"),
        retrieval(),
        Note(text="hm"),
        answer(),
        Check(iteration=1),
    )
    add(session, Failure(role="verifier", kind="server", message="500"))
    assert upcoming(session) == RagStep("verification", "verifier", 1)


WAYS: list[tuple[dict[str, Any], list[Event], RagStep, str | None]] = [
    # a revision, up to the limit
    ({}, whole(revised="Which one?", revise=True), RagStep("retrieval", "", 2), None),
    (
        {},
        [*whole(revised="Which one?", revise=True), *whole(2, "Which one?")],
        RagStep("result", "", 2),
        "indicator",
    ),
    (
        {},
        [
            *whole(revised="Which one?", revise=True),
            *whole(2, "Which one?", "And?", True),
        ],
        RagStep("result", "", 2),
        "limit",
    ),
    (
        {"iterations": 0},
        whole(revised="Which one?", revise=True),
        RagStep("result", "", 1),
        "limit",
    ),
    (
        {"iterations": 2},
        [*whole(revised="B?", revise=True), *whole(2, "B?", "C?", True)],
        RagStep("retrieval", "", 3),
        None,
    ),
    # a query that was used already
    ({}, whole(revised="who", revise=True), RagStep("result", "", 1), "repeated-query"),
    (
        {"iterations": 3},
        [*whole(revised="B?", revise=True), *whole(2, "B?", " WHO ?", True)],
        RagStep("result", "", 2),
        "repeated-query",
    ),
    # nothing was found
    (
        {},
        [Retrieval(iteration=1, query="Who?")],
        RagStep("result", "", 1),
        "no-references",
    ),
    ({}, [retrieval(dropped=["id-Beorn."])], RagStep("result", "", 1), "no-references"),
    (
        {},
        [*whole(revised="B?", revise=True), Retrieval(iteration=2, query="B?")],
        RagStep("result", "", 2),
        "no-references",
    ),
    # not read
    ({}, whole(revised=None, revise=None), RagStep("result", "", 1), "unread"),
    # the last iteration is not verified
    (
        {"final_check": False},
        [retrieval(), answer(), Check(iteration=1)],
        RagStep("verification", "verifier", 1),
        None,
    ),
    (
        {"final_check": False},
        [
            *whole(revised="B?", revise=True),
            retrieval(2, "B?"),
            answer(2),
            Check(iteration=2),
        ],
        RagStep("result", "", 2),
        "limit",
    ),
    (
        {"final_check": False, "iterations": 0},
        [retrieval(), answer(), Check(iteration=1)],
        RagStep("result", "", 1),
        "limit",
    ),
    # the revised query alone
    (
        {"chain": False},
        [retrieval(), answer(), Check(iteration=1)],
        RagStep("verification", "reviser", 1),
        None,
    ),
    # rewriting first
    ({"revise": "start"}, [], RagStep("verification", "reviser", 0), None),
    (
        {"revise": "start"},
        [verification(0, "Which one?")],
        RagStep("retrieval", "", 1),
        None,
    ),
    (
        {"revise": "start"},
        [verification(0, "B?"), retrieval(1, "B?")],
        RagStep("answer", "generator", 1),
        None,
    ),
    (
        {"revise": "start"},
        [verification(0, "B?"), retrieval(1, "B?"), answer(), Check(iteration=1)],
        RagStep("result", "", 1),
        "single",
    ),
    (
        {"revise": "start", "verify": True},
        [verification(0, "B?"), *whole()[:3]],
        RagStep("verification", "verifier", 1),
        None,
    ),
    (
        {"revise": "start", "verify": True},
        [verification(0, "B?"), *whole(revised="C?")[:4]],
        RagStep("result", "", 1),
        "single",
    ),
    # no revising
    ({"revise": "none"}, [], RagStep("retrieval", "", 1), None),
    ({"revise": "none"}, whole()[:3], RagStep("result", "", 1), "single"),
    (
        {"revise": "none", "verify": True},
        whole()[:3],
        RagStep("verification", "verifier", 1),
        None,
    ),
    (
        {"revise": "none", "verify": True},
        whole(revised="C?")[:4],
        RagStep("result", "", 1),
        "single",
    ),
]


@pytest.mark.parametrize(("settings", "events", "step", "stopped"), WAYS)
def test_the_ways_of_a_question(
    settings: dict[str, Any], events: list[Event], step: RagStep, stopped: str | None
) -> None:
    session = after(events, settings=settings)
    assert upcoming(session) == step
    assert stopped_by(session) == stopped


def test_an_answer_that_exists_is_verified_and_nothing_else() -> None:
    given = {"references": ["Beorn."], "answer": "Beorn [1]."}
    events = whole(revised="Which one?")
    expected = [
        ("retrieval", ""),
        ("answer", ""),
        ("check", ""),
        ("verification", "verifier"),
        ("result", ""),
    ]
    for count, step in enumerate(expected):
        assert upcoming(
            after(events[:count], settings={"revise": "start"}, **given)
        ) == RagStep(*step, 1)  # type: ignore[arg-type]
    assert stopped_by(after(events[:4], **given)) == "single"


def test_a_person_decides_where_the_verifier_could_not() -> None:
    unread = whole(revised=None, revise=None)
    assert upcoming(after(unread)) == RagStep("result", "", 1)
    assert stopped_by(after(unread, decision(1, False, "person"))) == "indicator"
    edited = verification(1, "Which one?", edited=True)
    session = after(unread, edited, decision(1, True, "person"))
    assert upcoming(session) == RagStep("retrieval", "", 2)
    assert next_query(session) == "Which one?"


def test_an_event_anew_makes_void_what_came_of_the_old_one() -> None:
    done = whole()
    assert upcoming(after(done, retrieval(1))) == RagStep("answer", "generator", 1)
    assert upcoming(after(done, answer(1))) == RagStep("check", "", 1)
    assert upcoming(after(done, Check(iteration=1))) == RagStep("result", "", 1)
    assert upcoming(after(done, verification(1, "B?"))) == RagStep("decision", "", 1)
    again = after(
        whole(revised="B?", revise=True),
        whole(2, "B?"),
        verification(1, "C?", edited=True),
    )
    assert upcoming(again) == RagStep("decision", "", 1)
    assert [turn.iteration for turn in turns(again)] == [1]
    finished = after(done)
    add(finished, result(finished))
    add(finished, verification(1, "B?", edited=True))
    assert upcoming(finished) == RagStep("decision", "", 1)


def test_settings_hold_as_they_are_now() -> None:
    events = [*whole(revised="B?", revise=True), *whole(2, "B?", "C?", True)]
    session = after(events, Change(field="settings.iterations", old=1, new=2))
    assert upcoming(session) == RagStep("retrieval", "", 3)
    session = after(events[:3], Change(field="settings.chain", old=True, new=False))
    assert upcoming(session) == RagStep("verification", "reviser", 1)
    session = after(Change(field="settings.bounds", old=None, new={"bias": 0.5}))
    assert setting(session, "bounds") == {**DEFAULTS["bounds"], "bias": 0.5}


def test_settings_that_cannot_be_are_the_defaults() -> None:
    for name, wrong in [
        ("k", 0),
        ("iterations", "two"),
        ("bounds", {"bias": 7}),
        ("chain", 1),
        ("rerank", 3),
        ("revise", "now"),
        ("k", True),
    ]:
        assert (
            setting(after(Change(field=f"settings.{name}", new=wrong)), name)
            == DEFAULTS[name]
        )
    session = begin()
    session.header.settings.clear()
    assert {name: setting(session, name) for name in DEFAULTS} == {
        **DEFAULTS,
        "duplicates": "all",
    }  # as it was before there was a choice


@pytest.mark.parametrize(
    "given",
    [
        {"k": 0}, {"k": 51}, {"k": 2.0}, {"k": True}, {"iterations": -1}, {"iterations": 6}, {"indicator": "typical"},
        {"bounds": {"bias": 1.1}},
        {"bounds": {"conciseness": 0.5}}, {"bounds": {"bias": float("nan")}}, {"bounds": {"bias": True}}, {"bounds": [0.7]},
        {"revise": None},
        {"chain": "yes"}, {"keep": "first"}, {"rerank": ""}, {"embed": "x" * 300}, {"web_pages": 1}, {"nothing": 1},
        {"chain": False, "indicator": "thresholds-all"},
    ],
)  # fmt: skip
def test_settings_that_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as caught:
        check_settings(given)
    assert str(caught.value).endswith(".")
    assert next(iter(given)) in str(caught.value)


def test_settings_get_their_defaults() -> None:
    assert check_settings({}) == DEFAULTS
    assert check_settings({"bounds": {"bias": 0.5}})["bounds"] == {
        **DEFAULTS["bounds"],
        "bias": 0.5,
    }
    assert DEFAULTS["bounds"] == {
        "reference_correctness": 0.27,
        "correctness": 0.26,
        "bias": 0.7,
        "truthfulness": 0.92,
    }
    assert all(SETTINGS.allowed(name, value) for name, value in DEFAULTS.items())


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Who?", "who", True),
        ("Who  is it?", " who is\nit ?!", True),
        ("\uff37ho\uff1f", "Who", True),
        ("\u8c01\uff1f", "\u8c01\u3002", True),
        ("Who is A. B.?", "Who is A B?", False),
        ("Who?", "Whom?", False),
        ("C?", "C++?", False),
    ],
)
def test_queries_that_are_the_same(one: str, other: str, same: bool) -> None:
    assert same_query(one, other) is same


def scored(value: float) -> dict[str, float]:
    names = (
        "reference_correctness",
        "correctness",
        "citation_accuracy",
        "truthfulness",
        "conciseness",
    )
    return {**dict.fromkeys(names, value), "bias": 1 - value}


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        (scored(0.9), scored(0.2), 1),
        (scored(0.2), scored(0.9), 2),
        (scored(0.5), scored(0.5), 2),
        (scored(0.1), {}, 1),  # unread: excluded, whatever it might have been
        ({}, {}, 2),
        ({"bias": 0.9}, {"bias": 0.1}, 2),
        ({"bias": 0.1}, {"bias": 0.9}, 1),
    ],
)
def test_the_best_verified_answer_is_kept(
    first: dict[str, float], second: dict[str, float], kept: int
) -> None:
    events = [*whole(revised="B?", revise=True, **first), *whole(2, "B?", **second)]
    made = result(after(events, settings={"keep": "best"}))
    assert (made.kept, made.answer, made.iterations) == (kept, f"Answer {kept} [1].", 2)
    assert result(after(events)).kept == 2


def test_results_without_a_second_answer() -> None:
    made = result(
        after(whole(revised="B?", revise=True), Retrieval(iteration=2, query="B?"))
    )
    assert (made.answer, made.iterations, made.stopped_by, made.kept) == (
        "Answer 1 [1].",
        1,
        "no-references",
        1,
    )
    made = result(after(Retrieval(iteration=1, query="Who?")))
    assert (made.answer, made.iterations, made.stopped_by, made.kept) == (
        None,
        0,
        "no-references",
        None,
    )
