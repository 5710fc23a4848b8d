"""The order of the stages, and what is void when one of them is made anew."""

from __future__ import annotations

import random
from typing import Any

import pytest
from verifytui.engines.cases.task import candidates, gold, text_of
from verifytui.engines.relevance.plan import (
    STAGES,
    RelevanceState,
    RelevanceStep,
    setting,
    stages,
    upcoming,
)
from verifytui.engines.relevance.settings import SETTINGS
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events import Change, Event, Failure, Note
from verifytui.sessions.events.relevance import (
    Demonstrations,
    FactItem,
    Facts,
    Judgement,
    Label,
    RelevanceResult,
    Score,
)
from verifytui.sessions.session import Session
from verifytui.tests.support.cases import BRAWL, FLAT, QUERY, begin
from verifytui.tests.support.telling import add


def event_for(
    step: RelevanceStep, *, relevant: bool | None = True, read: Any = "json"
) -> Event:
    """The event that a step asks for."""
    if step.what == "result":
        return RelevanceResult(ranking=[])
    if step.what == "score":
        return Score(candidate=str(step.candidate), value=3)
    assert step.stage is not None
    kind: Any = step.stage.split("-")[1]
    if step.what == "demonstrations":
        return Demonstrations(step=step.stage, candidate=step.candidate)
    if step.what == "facts":
        return Facts(
            role=step.role,
            kind=kind,
            case=step.candidate or "query",
            items=[FactItem(text="It happened.")],
            read=read,
        )
    return Judgement(
        role=step.role,
        kind=kind,
        candidate=str(step.candidate),
        relevant=relevant,
        read=read,
    )


def run(
    session: Session, focus: str | None = None, limit: int = 200
) -> list[RelevanceStep]:
    """Appends what is asked for, to the end; the steps in order."""
    steps = []
    for _ in range(limit):
        step = upcoming(session, focus)
        if step is None:
            return steps
        steps.append(step)
        add(session, event_for(step))
    raise AssertionError("it does not end")


def facts(kind: Any, case: str, **given: Any) -> Facts:
    return Facts(
        role="extractor",
        kind=kind,
        case=case,
        items=[FactItem(text="Anew.")],
        **{"read": "json", **given},
    )


FACTS = [
    "demonstrations facts-material",
    "facts facts-material",
    "demonstrations facts-legal",
    "facts facts-legal",
]
JUDGED = [
    "demonstrations judgement-material",
    "judgement judgement-material",
    "demonstrations judgement-legal",
    "judgement judgement-legal",
]


def short(steps: list[RelevanceStep]) -> list[str]:
    return [" ".join(filter(None, [step.what, step.stage or ""])) for step in steps]


def test_the_order_of_the_method() -> None:
    session = begin()
    steps = run(session)
    one = [*FACTS, *JUDGED, "score"]
    assert short(steps) == [*FACTS, *one, *one, "result"]
    assert [step.candidate for step in steps] == [None] * 4 + ["a"] * 9 + ["b"] * 9 + [
        None
    ]
    roles = {step.what: step.role for step in steps}
    assert roles == {
        "demonstrations": "",
        "facts": "extractor",
        "judgement": "annotator",
        "score": "",
        "result": "",
    }
    assert upcoming(session) is None


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({"extraction": False}, [*JUDGED, "score"]),
        (
            {"annotation": False},
            [
                *FACTS,
                *FACTS,
                "judgement judgement-material",
                "judgement judgement-legal",
                "score",
            ],
        ),
        (
            {"extraction": False, "annotation": False},
            ["judgement judgement-material", "judgement judgement-legal", "score"],
        ),
        ({"matching": False}, [*FACTS, *FACTS, *JUDGED, "score"]),
    ],
)
def test_ablations(settings: dict[str, Any], wanted: list[str]) -> None:
    session = begin(settings, candidates=[{"id": "a", "text": FLAT}])
    assert short(run(session)) == [*wanted, "result"]


def test_a_candidate_in_focus_goes_first_and_the_others_follow() -> None:
    session = begin()
    steps = run(session, focus="b")
    order = list(dict.fromkeys(step.candidate for step in steps if step.candidate))
    assert order == ["b", "a"]
    assert steps[:4] == run(begin())[:4]
    assert upcoming(begin(), focus="nobody") == upcoming(begin())


def test_steps_of_one_candidate() -> None:
    session = begin()
    step = RelevanceState(session).next_of("b")
    assert step == RelevanceStep("demonstrations", "", "facts-material", None)
    while (step := RelevanceState(session).next_of("b")) is not None:
        add(session, event_for(step))
    assert stages(session, "b").score is not None
    assert stages(session, "a").made == {}
    with pytest.raises(KeyError):
        RelevanceState(session).next_of("c")
    with pytest.raises(KeyError):
        stages(session, "c")


ANEW = [
    # the event appended, what is left of the query, of a and of b
    (
        facts("material", "query"),
        ["facts-material"],
        ["facts-material", "facts-legal"],
        ["facts-material", "facts-legal"],
    ),
    (facts("legal", "query"), STAGES[:2], STAGES[:3], STAGES[:3]),
    (facts("material", "a"), STAGES[:2], ["facts-material"], STAGES),
    (facts("legal", "a"), STAGES[:2], STAGES[:3], STAGES),
    (
        Judgement(
            role="annotator",
            kind="material",
            candidate="a",
            read="json",
            relevant=False,
        ),
        STAGES[:2],
        STAGES,
        STAGES,
    ),
    (
        Judgement(
            role="annotator", kind="legal", candidate="a", read="json", relevant=False
        ),
        STAGES[:2],
        STAGES,
        STAGES,
    ),
    (
        Demonstrations(step="judgement-legal", candidate="a"),
        STAGES[:2],
        STAGES[:3],
        STAGES,
    ),
    (
        Demonstrations(step="judgement-material", candidate="a"),
        STAGES[:2],
        ["facts-material", "facts-legal", "judgement-legal"],
        STAGES,
    ),
    (Demonstrations(step="facts-material", candidate="a"), STAGES[:2], [], STAGES),
    (
        Demonstrations(step="facts-legal", candidate=None),
        ["facts-material"],
        STAGES[:3],
        STAGES[:3],
    ),
]


@pytest.mark.parametrize(("event", "of_query", "of_a", "of_b"), ANEW)
def test_what_is_made_anew_makes_void_what_rests_on_it(
    event: Event, of_query: Any, of_a: Any, of_b: Any
) -> None:
    session = begin()
    run(session)
    add(session, Label(candidate="a", value=2, annotator="x"))
    add(session, event)
    fold = RelevanceState(session)
    assert list(fold.query.made) == list(of_query)
    assert sorted(fold.candidates["a"].made) == sorted(of_a)
    assert sorted(fold.candidates["b"].made) == sorted(of_b)
    assert fold.candidates["a"].score is None
    assert (fold.candidates["b"].score is None) == (list(of_b) != list(STAGES))
    assert fold.result is None
    label = fold.candidates["a"].labels["x"]
    assert label.value == 2
    run(session)
    assert upcoming(session) is None
    assert RelevanceState(session).result is not None


def test_only_what_is_void_is_made_again() -> None:
    session = begin()
    run(session)
    add(session, facts("legal", "a", edited=True, model="human"))
    assert short(run(session)) == [
        "demonstrations judgement-legal",
        "judgement judgement-legal",
        "score",
        "result",
    ]
    assert stages(session, "a").facts("legal") is not None


def test_the_last_event_counts() -> None:
    session = begin()
    run(session)
    again = Judgement(
        role="annotator", kind="legal", candidate="a", relevant=False, read="json"
    )
    add(session, again)
    assert stages(session, "a").judgement("legal") is again
    add(session, Label(candidate="a", value=1, annotator="x"))
    add(session, Label(candidate="a", value=None, annotator="x"))
    add(session, Label(candidate="a", value=3, annotator="y"))
    labels = stages(session, "a").labels
    assert {name: label.value for name, label in labels.items()} == {"x": None, "y": 3}


def test_labels_failures_and_notes_change_nothing() -> None:
    session = begin()
    run(session)
    for event in (
        Label(candidate="a", value=0, annotator="x"),
        Label(candidate="nobody", value=0),
        Failure(role="extractor", kind="timeout", message="Too slow."),
        Note(text="Look here.", about="a"),
        facts("material", "nobody"),
        Score(candidate="nobody", value=1),
        Demonstrations(step="facts-material", candidate="nobody"),
    ):
        add(session, event)
        assert upcoming(session) is None


@pytest.mark.parametrize("kind", ["material", "legal"])
@pytest.mark.parametrize("case", ["query", "a"])
def test_nothing_is_judged_from_facts_that_could_not_be_read(
    kind: str, case: str
) -> None:
    session = begin(candidates=[{"id": "a", "text": FLAT}])
    for _ in range(60):
        step = upcoming(session)
        if step is None:
            break
        unread = step.stage == f"facts-{kind}" and (step.candidate or "query") == case
        add(session, event_for(step, read="unread" if unread else "json"))
    made = stages(session, "a").made
    assert stages(session, "a").score is not None
    assert ("judgement-material" in made) == (kind == "legal")
    assert "judgement-legal" not in made
    if case == "query":  # nothing is paid for that nothing can rest on
        assert set(made) == (
            set() if kind == "material" else {"facts-material", "judgement-material"}
        )
    if kind == "material":
        assert (
            "facts-legal" not in stages(session, None if case == "query" else case).made
        )
    # once they can be read, or a person has written them, it goes on
    add(session, facts(kind, case, read="unread", edited=True, model="human"))
    run(session)
    assert set(stages(session, "a").made) == set(STAGES)


def test_an_empty_list_of_facts_can_be_rested_on() -> None:
    session = begin(candidates=[{"id": "a", "text": FLAT}])
    add(session, Facts(role="extractor", kind="material", case="query", read="json"))
    assert upcoming(session) == RelevanceStep("demonstrations", "", "facts-legal", None)


def test_made_before() -> None:
    session = begin()
    step = RelevanceStep("facts", "extractor", "facts-legal", "a")
    judged = RelevanceStep("judgement", "annotator", "judgement-legal", "a")
    assert not RelevanceState(session).made_before(step)
    run(session)
    fold = RelevanceState(session)
    assert fold.made_before(step)
    assert fold.made_before(judged)
    assert not fold.made_before(step._replace(candidate="c"))
    assert not fold.made_before(RelevanceStep("result", ""))


@pytest.mark.parametrize("seed", range(8))
def test_a_fold_that_reads_on_is_one_made_anew(seed: int) -> None:
    """Steps taken in any order, stages made again, facts edited, settings changed: what
    is kept beside a session is never out of date.
    """
    chance = random.Random(seed)
    session = begin(candidates=[{"id": id_, "text": FLAT} for id_ in "abcdef"])
    fold = RelevanceState(session)
    for _ in range(150):
        focus = chance.choice([None, *"abcdef"])
        step = fold.upcoming(focus)
        assert step == upcoming(session, focus)
        assert fold.query == RelevanceState(session).query
        assert fold.candidates == RelevanceState(session).candidates
        case = chance.choice(["query", *"abcdef"])
        meddled: list[Event] = [
            facts(
                chance.choice(["material", "legal"]),
                case,
                edited=True,
                read=chance.choice(["json", "unread"]),
            ),
            Demonstrations(
                step=chance.choice(STAGES[:2]),
                candidate=None if case == "query" else case,
            ),
            Change(
                field=chance.choice(["settings.shots", "settings.budget_tokens"]),
                new=chance.randrange(300),
            ),
            Change(field="settings.extraction", new=chance.random() < 0.5),
            Label(candidate=case, value=1, annotator="x"),
        ]
        add(
            session,
            chance.choice(meddled)
            if step is None or chance.random() < 0.15
            else event_for(step),
        )
        fold.update()


def test_a_step_costs_the_same_however_many_are_done() -> None:
    """What is in force is looked up, and not looked for among all candidates or events."""

    class Counting(dict[str, Any]):
        looked = 0

        def get(self, key: str, default: Any = None) -> Any:
            Counting.looked += 1
            return super().get(key, default)

        def __getitem__(self, key: str) -> Any:
            Counting.looked += 1
            return super().__getitem__(key)

    session = begin(candidates=[{"id": str(n), "text": FLAT} for n in range(300)])
    fold = RelevanceState(session)
    fold.candidates = Counting(fold.candidates)
    costs = []
    while (step := fold.upcoming()) is not None:
        add(session, event_for(step))
        fold.update()
        costs.append(Counting.looked)
        Counting.looked = 0
    assert max(costs[-1000:]) <= max(costs[4:100]) <= 10


def test_a_change_of_settings_chooses_demonstrations_anew() -> None:
    """It holds from the next call: what was chosen under the settings before was chosen
    for a call that has not been made.
    """
    session = begin(candidates=[{"id": "a", "text": FLAT}])
    add(session, event_for(RelevanceStep("demonstrations", "", "facts-material", None)))
    assert upcoming(session) == RelevanceStep(
        "facts", "extractor", "facts-material", None
    )
    for field in ("settings.budget_tokens", "lineup.extractor", "title"):
        add(session, Change(field=field, new=None))
        assert upcoming(session) == RelevanceStep(
            "facts", "extractor", "facts-material", None
        )
    add(session, Change(field="settings.shots", old=2, new=1))
    assert upcoming(session) == RelevanceStep(
        "demonstrations", "", "facts-material", None
    )
    run(session)
    before = stages(session, "a")
    add(session, Change(field="settings.matching", old=True, new=False))
    assert upcoming(session) is None
    assert stages(session, "a") == before


def test_settings() -> None:
    assert SETTINGS.over_defaults({}) == SETTINGS.defaults()
    assert SETTINGS.over_defaults({"shots": 4})["shots"] == 4
    session = begin({"shots": 3})
    assert setting(session, "shots") == 3
    add(session, Change(field="settings.shots", old=3, new=1))
    assert setting(session, "shots") == 1
    add(session, Change(field="settings.shots", old=1, new="many"))
    assert setting(session, "shots") == SETTINGS["shots"].default
    session.header.settings.clear()
    assert setting(session, "long") == "cut"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("shots", -1, "whole number from 0 to 10"),
        ("shots", True, "whole number"),
        ("shots", 2.0, "whole number"),
        ("seed", -1, "whole number"),
        ("budget_tokens", 10, "whole number from 200"),
        ("matching", 1, "true or false"),
        ("long", "short", "cut or pieces"),
        ("cache", None, "none or extraction or all"),
        ("demonstrations", " ", "name of a set"),
        ("demonstrations", "a\nb", "name of a set"),
        ("language", "zh", "no setting"),
        ("demonstrations_digest", "x", "no setting"),
        ("model", "x", "no setting"),
    ],
)
def test_settings_that_cannot_be(name: str, value: object, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        SETTINGS.over_defaults({name: value})
    assert not SETTINGS.allowed("shots", "2")


def test_cases_and_gold() -> None:
    session = begin()
    assert text_of(session, None) == QUERY
    assert text_of(session, "b") == BRAWL
    assert gold(session) == {"a": 3}
    with pytest.raises(KeyError):
        text_of(session, "c")


@pytest.mark.parametrize(
    "task",
    [
        {},
        {"query": 3, "candidates": 4},
        {"query": {}, "candidates": "abc"},
        {
            "query": {"id": "q", "text": "x"},
            "candidates": [3, {}, {"id": 7, "text": "y", "gold": "3"}],
        },
        {
            "query": {"id": "q"},
            "candidates": [{"id": "a"}, {"id": "a"}, {"id": "b", "gold": 4}],
        },
    ],
)
def test_a_task_from_elsewhere_does_no_harm(task: dict[str, Any]) -> None:
    session = begin()
    session.header.task.clear()
    session.header.task.update(task)
    assert gold(session) == {}
    assert all(isinstance(id_, str) for id_ in candidates(session))
    run(session)
    assert upcoming(session) is None
