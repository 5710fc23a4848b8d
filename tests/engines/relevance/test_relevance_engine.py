"""One event at a time: what the engine makes of replies, and of sets that cannot be
used.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from verifytui.engines.models.port import ModelError, ModelRemark, ModelReply
from verifytui.engines.relevance.engine import RelevanceEngine
from verifytui.engines.relevance.messages import ExtractFacts, JudgeFactsTask
from verifytui.engines.relevance.plan import stages
from verifytui.prompts.demonstrations import DemonstrationSet
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events import Change
from verifytui.sessions.events.relevance import (
    DemonstrationItem,
    Demonstrations,
    FactItem,
    Facts,
    Judgement,
    Label,
    RelevanceResult,
    Score,
)
from verifytui.tests.support.cases import (
    BRAWL,
    FLAT,
    QUERY,
    begin,
    engine_with,
    facts,
    judged,
    kinds,
    play,
    sensible,
    some,
)
from verifytui.tests.support.telling import Told, add, step

ONE = [{"id": "a", "text": FLAT}]


async def test_a_query_with_two_candidates() -> None:
    session = begin()
    models = await play(session)
    assert len(models.asked) == 2 + 2 * 4
    result = session.events[-1]
    assert isinstance(result, RelevanceResult)
    assert (result.ranking, result.scores, result.unread) == (["a", "b"], [3, 0], 0)
    material = next(event for event in session.events if isinstance(event, Facts))
    assert (material.role, material.model, material.read) == (
        "extractor",
        "told",
        "json",
    )
    assert [QUERY[slice(item.start, item.end)] for item in material.items] == [
        item.text for item in material.items
    ]
    legal = next(
        event
        for event in session.events
        if isinstance(event, Facts) and event.kind == "legal"
    )
    assert [(item.start, item.end) for item in legal.items] == [(None, None)] * 2
    judgement = next(event for event in session.events if isinstance(event, Judgement))
    assert (judgement.role, judgement.relevant, judgement.reason) == (
        "annotator",
        True,
        "Since.",
    )
    assert [event.number for event in session.events] == list(
        range(1, len(session.events) + 1)
    )


@pytest.mark.parametrize(
    ("material", "legal", "wanted"),
    [
        (True, True, 3),
        (False, True, 2),
        (True, False, 1),
        (False, False, 0),
        ("somewhat", True, None),
        (True, "somewhat", None),
    ],
)
async def test_the_score(material: object, legal: object, wanted: int | None) -> None:
    session = begin(candidates=ONE)

    def told(role: str, task: Any, messages: Any) -> str:
        if isinstance(task, JudgeFactsTask):
            return judged(material if task.kind == "material" else legal)
        return sensible(role, task, messages)

    await play(session, told)
    score = next(event for event in session.events if isinstance(event, Score))
    assert score.value == wanted
    result = session.events[-1]
    assert isinstance(result, RelevanceResult)
    assert (result.scores, result.unread) == ([wanted], int(wanted is None))


async def test_what_cannot_be_read_is_asked_for_once_more() -> None:
    session = begin(candidates=ONE)

    def told(role: str, task: Any, messages: Any) -> str:
        if len(messages) == 2 and isinstance(task, JudgeFactsTask):
            return "somewhat"
        return sensible(role, task, messages)

    models = Told(told)
    engine = engine_with()
    remarks = []
    while not engine.finished(session):
        remarks += [
            part
            for part in await step(session, models, engine)
            if isinstance(part, ModelRemark)
        ]
    assert [(remark.kind, remark.role) for remark in remarks] == [
        ("again", "annotator")
    ] * 2
    judgement = next(event for event in session.events if isinstance(event, Judgement))
    assert (judgement.attempts, judgement.cost, judgement.relevant) == (2, 1.0, True)
    thread = next(
        messages for _, task, messages, _ in models.asked if len(messages) == 4
    )
    assert [message["role"] for message in thread] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    assert thread[2]["content"] == "somewhat"
    assert "could not be read" in thread[3]["content"]


async def test_what_is_unread_twice_is_unread() -> None:
    session = begin(candidates=ONE)
    models = await play(
        session, lambda _role, _task, _messages: "I would rather not say."
    )
    assert (
        len(models.asked) == 2
    )  # the query's material facts, twice: with them no case can be compared, so none is paid for
    assert kinds(session)[-2:] == ["score a", "result"]
    events = [event for event in session.events if isinstance(event, Facts)]
    assert [(event.read, event.items, event.text) for event in events] == [
        ("unread", [], "I would rather not say.")
    ]
    result = session.events[-1]
    assert isinstance(result, RelevanceResult)
    assert (result.scores, result.unread) == ([None], 1)


async def test_once_the_query_can_be_read_its_candidates_are_judged() -> None:
    session = begin()
    await play(session, lambda _role, _task, _messages: "I would rather not say.")
    add(
        session, await engine_with().demonstrations_for(session, "facts-material", None)
    )
    models = await play(session)
    assert len(models.asked) == 2 + 2 * (2 + 2)
    result = session.events[-1]
    assert isinstance(result, RelevanceResult)
    assert result.unread == 0


async def test_legal_facts_are_not_extracted_where_the_query_has_none_to_compare() -> (
    None
):
    def told(role: str, task: Any, messages: Any) -> str:
        if isinstance(task, ExtractFacts) and task.kind == "legal":
            return "no list"
        return sensible(role, task, messages)

    session = begin()
    models = await play(session, told)
    assert [role for role, *_ in models.asked] == ["extractor"] * 4 + ["annotator"] + [
        "extractor",
        "annotator",
    ]
    assert {
        event.kind
        for event in session.events
        if isinstance(event, Facts) and event.case != "query"
    } == {"material"}


async def test_a_list_that_breaks_off_is_no_list() -> None:
    session = begin(candidates=ONE)
    cut = ModelReply(
        text="1. He climbed in.\n2. He took a ri", model="told", finish="length"
    )
    await play(
        session,
        lambda _role, task, messages: (
            cut if isinstance(task, ExtractFacts) else judged(True)
        ),
    )
    assert {event.read for event in session.events if isinstance(event, Facts)} == {
        "unread"
    }


async def test_of_a_case_in_pieces_one_that_is_unread_makes_the_whole_unread() -> None:
    text = " ".join(f"On day {n} he took {n} coins from the box." for n in range(200))
    session = begin(
        {"long": "pieces", "budget_tokens": 500},
        query={"id": "q", "text": text},
        candidates=ONE,
    )

    def told(role: str, task: Any, messages: Any) -> str:
        if isinstance(task, ExtractFacts) and "day 100 " in task.text:
            return "no list"
        return sensible(role, task, messages)

    models = await play(session, told)
    event = next(event for event in session.events if isinstance(event, Facts))
    assert (event.read, event.items) == ("unread", [])
    assert event.pieces > 3
    of_query = [
        task
        for _, task, _, _ in models.asked
        if isinstance(task, ExtractFacts) and "he took" in task.text
    ]
    assert len(of_query) < event.pieces + 1


async def test_ranking_keeps_the_order_given_and_puts_unread_ones_last() -> None:
    names = "abcdef"
    bits = {"a": None, "b": False, "c": True, "d": False, "e": True, "f": None}
    session = begin(
        {"extraction": False},
        candidates=[
            {"id": name, "text": f"Case {name}: he took a ring."} for name in names
        ],
    )
    await play(
        session, lambda _role, task, _messages: judged(bits[task.candidate[0][5]])
    )  # type: ignore[attr-defined]
    result = session.events[-1]
    assert isinstance(result, RelevanceResult)
    assert result.ranking == ["c", "e", "b", "d", "a", "f"]
    assert result.scores == [3, 3, 0, 0, None, None]
    assert result.unread == 2


async def test_agreement_of_machine_data_and_people() -> None:
    cases = [
        {"id": name, "text": f"{text} {name}", "gold": level}
        for name, text, level in (("a", FLAT, 3), ("b", BRAWL, 0), ("c", FLAT, 1))
    ]
    session = begin(candidates=[*cases, {"id": "d", "text": BRAWL}])
    for name, value in (("a", 3), ("b", 0), ("c", 3), ("d", None)):
        add(session, Label(candidate=name, value=value, annotator="x"))
    add(session, Label(candidate="a", value=2, annotator="machine"))
    await play(session)
    result = session.events[-1]
    assert isinstance(result, RelevanceResult)
    pairs = {tuple(one.raters): one for one in result.agreement}
    assert {raters: one.pairs for raters, one in pairs.items()} == {
        ("machine", "gold"): 3,
        ("machine", "x"): 3,
        ("machine", "machine (annotator)"): 1,
        ("gold", "x"): 3,
        ("gold", "machine (annotator)"): 1,
        ("x", "machine (annotator)"): 1,
    }
    with_x, with_gold = pairs["machine", "x"], pairs["machine", "gold"]
    assert {one.levels for one in pairs.values()} == {None}
    assert (with_x.why or "").startswith("not shown: 3 pairs")
    assert (
        sum(map(sum, with_x.table))
        == sum(with_x.table[level][level] for level in range(4))
        == 3
    )
    assert sum(map(sum, with_gold.table)) == 3
    assert len(with_gold.shares) == len(with_gold.positives) == 2


async def test_an_edited_fact_is_what_later_stages_rest_on() -> None:
    session = begin()
    models = await play(session)
    before = len(models.asked)
    add(
        session,
        Facts(
            role="extractor",
            model="human",
            kind="material",
            case="a",
            items=[FactItem(text="There was a bottle.")],
            edited=True,
        ),
    )
    await play(session, models)
    assert [(role, task.kind) for role, task, _, _ in models.asked[before:]] == [
        ("extractor", "legal"),
        ("annotator", "material"),
        ("annotator", "legal"),
    ]
    assert "There was a bottle." in models.asked[before][2][1]["content"]
    result = session.events[-1]
    assert isinstance(result, RelevanceResult)
    assert result.scores == [0, 0]


async def test_demonstrations_chosen_by_hand_are_shown() -> None:
    session = begin(candidates=ONE)
    engine, models = engine_with(), Told(sensible)
    await play(session, models, engine)
    add(
        session,
        Demonstrations(
            step="judgement-legal",
            candidate="a",
            items=[DemonstrationItem(id="fraud/2", relevant=True)],
        ),
    )
    before = len(models.asked)
    await play(session, models, engine)
    assert len(models.asked) == before + 1
    assert "Law of fraud 2 weighed." in models.asked[-1][2][1]["content"]


@pytest.mark.parametrize(
    "settings", [{}, {"annotation": False}, {"extraction": False}, {"matching": False}]
)
async def test_a_stage_is_made_anew(settings: dict[str, Any]) -> None:
    session = begin(settings)
    engine, models = engine_with(), Told(sensible)
    await play(session, models, engine)
    fresh = await engine.demonstrations_for(session, "judgement-material", "b")
    assert bool(fresh.items) == settings.get("annotation", True)
    add(session, fresh)
    before = len(models.asked)
    await play(session, models, engine)
    assert [(role, task.kind) for role, task, _, _ in models.asked[before:]] == [
        ("annotator", "material")
    ]
    assert kinds(session)[-3:] == ["judgement material b", "score b", "result"]
    with pytest.raises(BadInput, match="no stage"):
        await engine.demonstrations_for(session, "judgement-material", None)
    with pytest.raises(BadInput, match="no stage"):
        await engine.demonstrations_for(session, "facts-legal", "nobody")


async def test_the_candidate_in_focus_is_judged_first() -> None:
    focus = "b"
    session = begin()
    await play(session, engine=engine_with(focus=lambda: focus))
    scores = [event.candidate for event in session.events if isinstance(event, Score)]
    assert scores == ["b", "a"]


async def test_a_set_is_loaded_once_and_when_it_is_needed() -> None:
    loaded: list[str] = []

    def load(name: str) -> DemonstrationSet:
        loaded.append(name)
        return some()

    engine = RelevanceEngine(load)
    sessions = [begin(candidates=ONE) for _ in range(5)]
    assert not engine.finished(sessions[0])
    assert not engine.asks(sessions[0])
    assert loaded == []
    await asyncio.gather(*(play(session, engine=engine) for session in sessions))
    assert loaded == ["some"]
    assert all(kinds(session) == kinds(sessions[0]) for session in sessions)
    assert engine.finished(sessions[0])


async def test_sessions_side_by_side_do_not_mix() -> None:
    engine, models = engine_with(), Told(sensible)
    sessions = [begin(), begin(candidates=ONE), begin({"extraction": False})]
    for _ in range(30):
        for session in sessions:
            await step(session, models, engine)
    alone = [begin(), begin(candidates=ONE), begin({"extraction": False})]
    for session in alone:
        await play(session)
    assert [kinds(session) for session in sessions] == [
        kinds(session) for session in alone
    ]


async def test_a_set_that_cannot_be_loaded() -> None:
    def load(name: str) -> DemonstrationSet:
        raise BadInput(f"There is no set of demonstrations '{name}'.")

    with pytest.raises(ModelError, match="no set of demonstrations 'some'") as caught:
        await play(begin(), engine=RelevanceEngine(load))
    assert (caught.value.kind, caught.value.role) == ("corpus", "demonstrations")


async def test_a_set_that_has_changed_is_told() -> None:
    session = begin(candidates=ONE)
    changed = some()
    changed.groups.pop()
    engine, models = engine_with(changed), Told(sensible)
    parts = await step(session, models, engine)
    assert [
        (part.kind, "have changed" in part.message)
        for part in parts
        if isinstance(part, ModelRemark)
    ] == [("demonstrations", True)]
    add(
        session,
        Demonstrations(
            step="facts-material", items=[DemonstrationItem(id="fraud/query")]
        ),
    )
    with pytest.raises(
        ModelError, match="no longer has the demonstration 'fraud/query'"
    ):
        await step(session, models, engine)
    add(session, Demonstrations(step="facts-material"))
    await play(session, models, engine)
    # another set, chosen in mid-session, is no change of the set
    session = begin(candidates=ONE)
    add(session, Change(field="settings.demonstrations", old="some", new="mine"))
    assert not any(
        isinstance(part, ModelRemark) for part in await step(session, models, engine)
    )


async def test_an_empty_set_works() -> None:
    empty = some()
    empty.groups.clear()
    session = begin(demonstrations=empty)
    models = await play(session, engine=engine_with(empty))
    assert not any(
        "Example" in messages[1]["content"] for _, _, messages, _ in models.asked
    )
    assert stages(session, "a").score is not None


@pytest.mark.parametrize(
    "key", ["material_ask", "judge_legal_ask", "facts", "enclosed", "again"]
)
@pytest.mark.parametrize("template", ["{{ nothing }}", "{% if %}", None])
async def test_a_faulty_template_of_a_session_from_elsewhere(
    key: str, template: str | None
) -> None:
    session = begin(candidates=ONE)
    session.header.prompts.templates = dict(session.header.prompts.templates)
    session.header.prompts.templates[key] = template
    with pytest.raises(ModelError, match="template") as caught:
        await play(
            session,
            lambda role, task, messages: (
                "?" if key == "again" else sensible(role, task, messages)
            ),
        )
    assert caught.value.kind == "internal"
    assert caught.value.role in ("extractor", "annotator")


async def test_odd_facts_do_no_harm() -> None:
    odd = [
        "\x1b[31mred",
        "a\nb\n- c",
        "{{ query }}",
        "<<<end>>>",
        "\u202e\u4e2d",
        "x" * 3000,
        "{% for %}",
    ]

    def told(role: str, task: Any, messages: Any) -> str:
        if isinstance(task, ExtractFacts):
            return facts(*odd)
        return sensible(role, task, messages)

    session = begin(candidates=ONE)
    models = await play(session, told)
    shown = models.asked[-1][2][1]["content"]
    assert "- L2 a b - c\n" in shown
    assert "{{ query }}" in shown
    assert stages(session, "a").score is not None


@pytest.mark.parametrize(
    "text",
    [
        "\u76d7\u7a83",
        "caf\u00e9 \U0001f600",
        "\u0645\u0631\u062d\u0628\u0627",
        "a\x07b\u202ec",
        "7",
        "x" * 200_000,
        "\udcff\u76d7" * 10,
    ],
)
async def test_any_text_is_a_case(text: str) -> None:
    session = begin(
        query={"id": "q", "text": text}, candidates=[{"id": "a", "text": text}]
    )
    await play(
        session,
        lambda _role, task, _messages: (
            facts("It happened.") if isinstance(task, ExtractFacts) else judged(True)
        ),
    )
    score = next(event for event in session.events if isinstance(event, Score))
    assert score.value == 3
