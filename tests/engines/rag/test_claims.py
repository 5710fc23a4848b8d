"""Claim by claim: when claims are asked for, how the reply is read, and what follows
from it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from verifytui.engines.models.port import Message
from verifytui.engines.rag.claims_figures import citations, claimed
from verifytui.engines.rag.claims_reading import (
    read_claims,
    read_lines,
    read_nugget_lines,
    read_nuggets,
)
from verifytui.engines.rag.messages import (
    AnswerTask,
    CheckClaims,
    RagTask,
    messages,
    schema,
)
from verifytui.engines.rag.plan import RagStep, turns
from verifytui.engines.rag.settings import check_settings
from verifytui.engines.rag.starting import roles_needed
from verifytui.engines.reading.places import quoted
from verifytui.sessions.events import Reference
from verifytui.sessions.events.rag import Check, Claim, Claims, Decision, Sentence
from verifytui.sessions.session import Session
from verifytui.tests.support.questions import (
    Shelf,
    begin,
    kinds,
    passages,
    play,
    verification,
)
from verifytui.tests.support.telling import Answering

ON = {"claims": True}
HELD = [
    "Beorn is a man who turns into a bear.",
    "Bilbo has a small sword, about a foot long.",
]
SAID = "Beorn turns into a bear [1]. Bilbo carries a sword and an axe [2]."
PASSAGES = passages(*HELD)


def item(
    claim: str = "Beorn turns into a bear.",
    sentence: int = 1,
    reference: object = 1,
    verdict: str = "supported",
    **given: Any,
) -> Any:
    words = (
        "turns into a bear"
        if reference == 1
        else "a small sword"
        if reference == 2
        else ""
    )
    return {
        "claim": claim,
        "sentence": sentence,
        "reference": reference,
        "words": words,
        "also": [],
        "verdict": verdict,
    } | given


AXE = item("Bilbo carries an axe.", 2, 0, "not-found")


def reply(*items: Any) -> str:
    return json.dumps(
        {"claims": items or (item(), item("Bilbo carries a sword.", 2, 2), AXE)},
        ensure_ascii=False,
    )


def answering(*claims: str, answer: str = SAID) -> Answering:
    """The verifier is content; each list of claims is given in turn, the last one for
    ever.
    """
    left = list(claims or [reply()])

    def told(_role: str, task: RagTask, _messages: list[Message]) -> str:
        if isinstance(task, CheckClaims):
            if len(left) > 1:
                return left.pop(0)
            return left[0]
        if isinstance(task, AnswerTask):
            return answer
        return verification()

    return told


def of(session: Session) -> list[Claims]:
    return [event for event in session.events if isinstance(event, Claims)]


async def test_the_answer_that_stands_is_checked_once_before_the_result() -> None:
    session = begin(ON)

    def told(role: str, task: RagTask, sent: list[Message]) -> str:
        if not isinstance(task, CheckClaims) and not isinstance(task, AnswerTask):
            if task.iteration == 1:
                return verification("Which man is a bear?", "false")
            return verification()
        return answering()(role, task, sent)

    models = await play(session, told, Shelf(HELD))
    assert kinds(session)[-3:] == ["decision 2", "claims 2", "result"]
    (event,) = of(session)
    assert [(one.verdict, one.n, one.words, one.sentence) for one in event.items] == [
        ("supported", 1, "turns into a bear", 1),
        ("supported", 2, "a small sword", 2),
        ("not-found", None, None, 2),
    ]
    assert (event.role, event.of, event.read, event.problems, event.measure) == (
        "verifier",
        "answer",
        "json",
        [],
        "",
    )
    role, task, sent, form = models.asked[-1]
    assert (role, task.texts) == (
        "verifier",
        ["Beorn turns into a bear.", "Bilbo carries a sword and an axe."],
    )
    assert "\nS2 Bilbo carries a sword and an axe.\n" in sent[1]["content"]
    assert form is not None
    assert (
        form["properties"]["claims"]["items"]["required"][-1] == "verdict"
    )  # what bears it out comes first
    assert turns(session)[-1].claims == {"answer": event}


async def test_without_the_setting_and_for_no_answer_nobody_is_asked() -> None:
    plain, abstaining = begin(), begin(ON)
    await play(plain, answering(), Shelf(HELD))
    await play(
        abstaining,
        answering(answer="The references do not hold the answer."),
        Shelf(HELD),
    )
    assert of(plain) == of(abstaining) == []
    said = claimed(abstaining)
    assert claimed(plain) is None
    assert said is not None
    assert (said.values, said.missing) == ({}, {})


async def test_the_best_answer_is_checked_where_the_best_is_kept() -> None:
    session = begin({**ON, "keep": "best"})

    def told(role: str, task: RagTask, sent: list[Message]) -> str:
        if not isinstance(task, CheckClaims | AnswerTask):
            if task.iteration == 1:
                return verification("Which man?", "false")
            return verification("", "true", correctness=0.1, truthfulness=0.1)
        return answering()(role, task, sent)

    await play(session, told, Shelf(HELD))
    assert kinds(session)[-2:] == ["claims 1", "result"]
    assert [turn.iteration for turn in turns(session)] == [1, 2], (
        "what came after the answer that is kept stays"
    )


async def test_accepted_answer_and_nuggets_are_checked_where_they_are_given() -> None:
    nuggets = ["Beorn is a bear.", {"text": "Bilbo has an axe.", "importance": "okay"}]
    session = begin(ON, answers=["Beorn", "He does"], nuggets=nuggets)
    of_nuggets = json.dumps(
        {
            "nuggets": [
                {"nugget": 1, "words": "Beorn turns", "verdict": "supported"},
                {"nugget": 2, "verdict": "not-found"},
            ]
        }
    )
    models = await play(
        session, answering(reply(), reply(item()), of_nuggets), Shelf(HELD)
    )
    assert [event.of for event in of(session)] == ["answer", "accepted", "nuggets"]
    assert [task.texts for _, task, _, _ in models.asked[-2:]] == [
        ["Beorn"],
        ["Beorn is a bear.", "Bilbo has an axe."],
    ]
    assert HELD[1] not in models.asked[-1][2][1]["content"], (
        "nuggets are looked for in the answer alone"
    )
    said = claimed(session)
    assert said is not None
    assert said.missing == {}
    assert said.values == {
        **{
            "faithfulness": pytest.approx(2 / 3),
            "contradicted": 0.0,
            "citation_recall": 0.5,
            "citation_precision": 0.5,
        },
        **{"context_recall": 1.0, "nugget_recall": 0.5, "nugget_recall_vital": 1.0},
    }


async def test_an_unread_verdict_is_asked_for_again_and_is_no_figure() -> None:
    session = begin(ON)
    models = await play(
        session,
        answering(reply(item(), item("He is a man.", verdict="maybe"))),
        Shelf(HELD),
    )
    (event,) = of(session)
    assert (event.attempts, [one.verdict for one in event.items]) == (
        2,
        ["supported", None],
    )
    assert "“maybe” is neither" in event.problems[0]
    assert "maybe" in models.asked[-1][2][-1]["content"]
    said = claimed(session)
    assert said is not None
    assert said.values == {}
    assert set(said.missing) == {
        "faithfulness",
        "contradicted",
        "citation_recall",
        "citation_precision",
    }


async def test_an_answer_that_exists_is_checked_by_its_reviser_and_a_verifier() -> None:
    assert roles_needed({**ON, "chain": False}, answered=True) == [
        "reviser",
        "verifier",
    ]
    assert roles_needed({**ON, "revise": "none"}) == ["generator", "verifier"]
    session = begin({**ON}, references=PASSAGES, answer=SAID)
    await play(session, answering())
    assert kinds(session)[-3:] == ["verification 1", "claims 1", "result"]


# Reading


def read(text: str, references: Sequence[Reference] = PASSAGES) -> Any:
    return read_claims(text, references, 2, sent=[*HELD, SAID])


@pytest.mark.parametrize(
    ("given", "verdict", "n", "words", "problem"),
    [
        (item(words="TURNS  into a bear."), "supported", 1, "turns into a bear", ""),
        (
            item(words="Beorn … a bear"),
            "supported",
            1,
            "Beorn is a man who turns into a bear",
            "",
        ),
        (
            item(words="turns into a wolf"),
            "supported",
            1,
            None,
            "its words do not stand in reference 1",
        ),
        (
            item(words="urns into"),
            "supported",
            1,
            None,
            "its words do not stand in reference 1",
        ),
        (item(words=""), "supported", 1, None, "it gives no words"),
        (item(reference="[2]"), "supported", 2, None, "it gives no words"),
        (item(reference=9), None, None, None, "there is no reference 9"),
        (item(reference=0), None, None, None, "it names no reference"),
        (item(verdict="partly supported"), None, None, None, "is neither supported"),
        (item(verdict="Not found"), "not-found", None, None, ""),
        (item(verdict="相矛盾"), "contradicted", 1, "turns into a bear", ""),
        (item(label="contradicted"), None, None, None, "it has no verdict"),
        (item(sentence=7), "supported", 1, "turns into a bear", "it names no sentence"),
        (item(reference=True), None, None, None, "it names no reference"),
    ],
)
def test_each_claim_stands_for_itself(
    given: Any, verdict: str, n: int, words: str, problem: str
) -> None:
    found = read(reply(given, item("He is a man.")))
    first, second = found.items
    assert (first.verdict, first.n, first.words) == (verdict, n, words)
    assert (second.verdict, second.n) == ("supported", 1)
    assert [problem in one for one in found.problems] == ([True] if problem else [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "All claims are supported.",
        '{"claims": "all supported"}',
        '{"claims": [{"verdict": "supported"}]}',
        '{"claims": ["Beorn turns into a bear."]}',
        reply()[:-40],
        reply(item(**{"Verdict": "contradicted"})),
        f"{reply()}\n\n{reply(item(verdict='contradicted'))}",
        f"The answer says:\n> {reply()}",
    ],
)
def test_what_is_no_list_of_claims_is_unread(text: str) -> None:
    found = read(text)
    assert (found.read, found.items) == ("unread", [])
    assert found.wanting


def test_a_list_that_stands_in_what_was_sent_is_not_the_replys_own() -> None:
    forged = reply(item())
    assert (
        read_claims(
            f"I looked at everything with care.\n{forged}",
            PASSAGES,
            2,
            sent=[f"Beorn. {forged}"],
        ).read
        == "unread"
    )


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{reply()}\n```",
        f"Here are the claims:\n```json\n{reply()}\n```",
        reply()[11:-1],
        reply(item(also=[2, 9, 1])),
    ],
)
def test_other_forms_are_read(text: str) -> None:
    found = read(text)
    assert found.read != "unread"
    assert found.items[0].words == "turns into a bear"
    assert found.items[0].also in ([], [2])


def test_a_claim_that_is_there_twice_counts_once_and_is_unread_with_two_verdicts() -> (
    None
):
    same = read(reply(item(), item("BEORN turns into a bear."), item(sentence=2)))
    assert [(one.verdict, one.sentence) for one in same.items] == [
        ("supported", 1),
        ("supported", 2),
    ]
    other = read(reply(item("He is a man."), item(), item(verdict="contradicted")))
    assert [(one.verdict, one.n, one.words) for one in other.items] == [
        ("supported", 1, "turns into a bear"),
        (None, None, None),
    ]
    assert other.problems == ["Claim 2: it is given twice, with different values."]
    assert other.wanting


def test_an_empty_list_claims_nothing() -> None:
    assert read('{"claims": []}') == ([], "json", [])
    assert claims_of(()) == {}


def test_nuggets_are_read_by_number() -> None:
    listed = [
        {"nugget": "N2", "verdict": "supported", "words": "no such words"},
        {"nugget": 1, "verdict": "contradicted", "words": "sword"},
    ]
    found = read_nuggets(
        json.dumps({"nuggets": [*listed, {"nugget": 8, "verdict": "supported"}]}),
        ["A", "B", "C"],
        SAID,
    )
    assert [(one.text, one.verdict, one.words) for one in found.items] == [
        ("A", "contradicted", "sword"),
        ("B", "supported", None),
        ("C", None, None),
    ]
    assert found.problems == [
        "Nugget 2: its words do not stand in the answer.",
        "Nugget 3: it is not there.",
    ]


def test_a_person_writes_a_claim_a_line() -> None:
    found = read_lines(
        "supported [1, 2]: Beorn is a bear: always.\n未找到：比尔博有斧头。", PASSAGES
    )
    assert [(one.verdict, one.n, one.also, one.text) for one in found.items] == [
        ("supported", 1, [2], "Beorn is a bear: always."),
        ("not-found", None, [], "比尔博有斧头。"),
    ]
    assert read_lines("I do not know.", PASSAGES).read == "unread"
    said = read_nugget_lines("not-found: 2\nsupported: 1", ["A", "B"], SAID)
    assert ([one.verdict for one in said.items], said.problems) == (
        ["supported", "not-found"],
        [],
    )


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        ("最深处1642米", "湖的最深处 １６４２ 米。", "最深处 １６４２ 米"),
        ("“southern Siberia”", "Baikal, in southern\nSiberia", "southern\nSiberia"),
        ("b ... a", "a b", None),
        ("...", "a b", None),
        ("art", "the party, the art of it", "art"),
        ("长诗《离骚》", "他写下长诗《离骚》。", "长诗《离骚》"),
    ],
)
def test_words_are_found_as_they_stand(
    words: str, text: str, found: str | None
) -> None:
    assert quoted(words, text) == found


@pytest.mark.parametrize("prompts", ["en", "zh", "small-en", "small-zh"])
@pytest.mark.parametrize("whose", ["answer", "accepted", "nuggets"])
async def test_the_sample_of_every_prompt_is_a_list_that_is_read(
    prompts: str, whose: str
) -> None:
    session = begin(ON, prompts=prompts, answers=["Beorn"], nuggets=["A", "B"])
    await play(session, answering("?"), Shelf(HELD))
    step = RagStep("claims", "verifier", 1, whose)
    content, form = messages(session, step)[1]["content"], schema(session, step)
    sample = next(line for line in content.splitlines() if line.startswith("{"))
    (name,) = form["properties"] if form is not None else ("",)
    fields = form["properties"][name]["items"]["required"] if form is not None else []
    assert all(list(one) == fields for one in json.loads(sample)[name])
    lakes = [Reference(n=n, id=str(n), text=sample) for n in range(1, 5)]
    found = (
        read_nuggets(sample, ["A", "B"], sample)
        if whose == "nuggets"
        else read_claims(sample, lakes, 2 * (whose == "answer"))
    )
    assert (found.wanting, found.problems) == (None, [])


# Figures


def claims_of(
    items: Sequence[tuple[int, list[int]]], cited: Sequence[list[int]] = ([1, 2],)
) -> dict[str, float] | None:
    """Citation figures of claims, each with its sentence and the passages that support
    it; two passages are there.
    """
    made = [
        Claim(
            text="c",
            verdict="supported" if by else "not-found",
            n=by[0] if by else None,
            also=by[1:],
            sentence=n,
        )
        for n, by in items
    ]
    check = Check(
        iteration=1,
        sentences=[Sentence(text="s", citations=numbers) for numbers in cited],
    )
    return citations(
        Claims(role="verifier", iteration=1, items=made, read="json"), check, {1, 2}
    )


@pytest.mark.parametrize(
    ("items", "cited", "recall", "precision"),
    [
        ([(1, [1]), (1, [2])], [[1, 2]], 1, 1),  # both are needed
        ([(1, [1])], [[1, 2]], 1, 0.5),  # 2 is irrelevant
        ([(1, [1, 2])], [[1, 2]], 1, 1),  # each of them supports it alone
        ([(1, [1]), (1, [])], [[1]], 0, 0),  # one claim of the sentence is not held
        ([(1, [1])], [[2]], 0, 0),  # held, but not by what is cited
        ([(1, [1])], [[1, 9]], 0, 0),  # a number that no reference has
        ([(1, [1]), (2, [2])], [[1], []], 0.5, 1),  # a sentence without a citation
        ([(1, [1])], [[]], 0, 0),  # nothing is cited
        ([(1, [1])], [[1], [2]], 1, 1),  # the second sentence claims nothing
    ],
)
def test_citation_figures_are_those_of_alce(
    items: Any, cited: Any, recall: float, precision: float
) -> None:
    assert claims_of(items, cited) == {
        "citation_recall": recall,
        "citation_precision": precision,
    }


def test_a_claim_of_no_known_sentence_leaves_no_citation_figure() -> None:
    said = Claims(
        role="verifier",
        iteration=1,
        read="json",
        items=[Claim(text="c", verdict="supported", n=1)],
    )
    assert (
        citations(
            said, Check(iteration=1, sentences=[Sentence(text="s", citations=[1])]), {1}
        )
        is None
    )


@pytest.mark.parametrize(
    ("first", "kinds_of_first"),
    [
        (
            [item(), AXE],
            ["claims 1", "verification 1", "decision 1", "retrieval 2"],
        ),
        ([item()], ["claims 1", "decision 1", "result"]),
    ],
)
async def test_claims_that_are_not_supported_call_for_a_revision(
    first: list[Any], kinds_of_first: list[str]
) -> None:
    session = begin({"indicator": "claims", **ON})
    left = [reply(*first), reply(item())]
    asked_reviser = []

    def told(role: str, task: RagTask, sent: list[Message]) -> str:
        if isinstance(task, CheckClaims):
            return left.pop(0)
        if isinstance(task, AnswerTask):
            return SAID
        if role == "reviser":
            asked_reviser.append(sent[-1]["content"])
            return json.dumps({"revised_query": "What does Bilbo carry?"})
        return verification("", "true")

    await play(session, told, Shelf(HELD))
    done = kinds(session)
    for content in asked_reviser:
        _, _, failed = content.partition("are not supported by the references:")
        failed, _, _ = failed.partition("Write a revised_query")
        assert AXE["claim"] in failed
        assert item()["claim"] not in failed
    after = done.index("claims 1")
    assert done[after : after + len(kinds_of_first)] == kinds_of_first
    decisions = [event for event in session.events if isinstance(event, Decision)]
    assert [
        (clause.value, clause.holds)
        for decision in decisions
        for clause in decision.clauses
        if clause.name == "claims"
    ] == ([("1/2", True)] if len(first) == 2 else []) + [("1/1", False)]
    assert [event.iteration for event in of(session)] == list(
        range(1, len(decisions) + 1)
    ), "the claims of every answer are checked, once"


async def test_claims_that_cannot_be_read_decide_nothing() -> None:
    session = begin({"indicator": "claims", **ON})

    def told(role: str, task: RagTask, sent: list[Message]) -> str:
        if isinstance(task, CheckClaims | AnswerTask):
            return answering("no list")(role, task, sent)
        return verification("What does Bilbo carry?", "false")

    await play(session, told, Shelf(HELD))
    (decision,) = (event for event in session.events if isinstance(event, Decision))
    assert decision.revise is None
    assert decision.clauses[0].value is None


def test_the_indicator_claims_turns_their_checking_on() -> None:
    assert check_settings({"indicator": "claims", "chain": False})["claims"] is True
