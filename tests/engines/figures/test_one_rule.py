"""Equal final answers get equal figures, whichever method gave them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from verifytui.engines.figures.common import measures
from verifytui.engines.figures.measure import Item, MeasuredValue
from verifytui.engines.figures.runs import StatedAnswer
from verifytui.engines.method import method
from verifytui.sessions.events import Result
from verifytui.sessions.events.debate import DebateResult, Disagreement
from verifytui.sessions.events.rag import RagResult
from verifytui.sessions.events.solo import SoloResult
from verifytui.sessions.new import new_header
from verifytui.sessions.session import Prompts, Seat, Session

PROMPTS = Prompts(set="en", hash="", templates={})
NONE = Disagreement(mode="none", per_round=[], mean=None, excluded=0)

Ending = Callable[[str | None], Result]


def debate_result(answer: str | None) -> Result:
    return DebateResult(
        answer=answer,
        decided_by="extractive",
        supported_side=None,
        rounds=1,
        disagreement=NONE,
    )


ENDINGS: dict[str, tuple[str, str, Ending]] = {
    "debate": ("debate", "topics", debate_result),
    "solo": (
        "solo",
        "topics",
        lambda answer: SoloResult(answer=answer, attempts=1, decided_by="single"),
    ),
    "rag": (
        "rag",
        "questions",
        lambda answer: RagResult(answer=answer, iterations=1, stopped_by="single"),
    ),
}
WORKSPACES = {"solo": "debate"}
QUESTION = {"question": "Who?", "topic": "Who?"}
ITEMS = {
    "name": {**QUESTION, "answers": ["Beorn"], "wrong_answers": ["Gandalf"]},
    "number": {**QUESTION, "answers": ["1.5"], "wrong_answers": ["2"]},
    "choice": {**QUESTION, "answers": ["no"], "wrong_answers": ["yes"]},
    "long": {
        **QUESTION,
        "answers": ["one two three four five six seven eight nine ten"],
    },
    "translation": {
        **QUESTION,
        "kind": "translation",
        "from": "zh",
        "to": "en",
        "answers": ["Destroy an enemy division."],
    },
    "unlabelled": QUESTION,
}
ANSWERS = (
    *(None, "", "Beorn", "beorn.", "Beorn, the skin-changer [1].", "Not Beorn."),
    *("Beorn or Gandalf", "1.50", "It is 1.5 m.", "No", "no way", "[1]"),
    *("Destroy a division.", "one two three"),
)


def ended(name: str, answer: str | None, task: dict[str, Any]) -> Session:
    """A session of a method that ended with this answer."""
    header = new_header(
        workspace=WORKSPACES.get(name, name),
        method=name if name in WORKSPACES else "",
        title="Who?",
        task=task,
        lineup={"solver": Seat(model="script")},
        settings={},
        prompts=PROMPTS,
    )
    return Session(header, [ENDINGS[name][2](answer)])


def figures(name: str, answer: str | None, task: dict[str, Any]) -> dict[str, Any]:
    """What each shared measure gives, by the method's own table of measures."""
    own, kind, _ = ENDINGS[name]
    session, item = ended(name, answer, task), Item("q", "q", "", task)
    known = method(own).batches[kind].measures
    shared = [each for each in measures().values() if each.subject == "answer"]
    return {each.name: list(known[each.name].of(session, item)) for each in shared}


@pytest.mark.parametrize("kind", ITEMS)
@pytest.mark.parametrize("answer", ANSWERS)
def test_equal_answers_get_equal_figures(answer: str | None, kind: str) -> None:
    task = ITEMS[kind]
    by_method = {name: figures(name, answer, task) for name in ENDINGS}
    first = by_method["debate"]
    assert by_method == dict.fromkeys(ENDINGS, first)
    outside = Session(
        ended("debate", answer, task).header, [StatedAnswer(answer=answer)]
    )
    stated = {
        name: list(measures()[name].of(outside, Item("q", "q", "", task)))
        for name in first
    }
    assert stated == first


def test_a_sentence_with_the_name_is_right_under_every_method() -> None:
    """The reply of one model, closed-book and with references (CoV-RAG, Table 2)."""
    for name in ENDINGS:
        found = figures(name, "Beorn, the skin-changer", ITEMS["name"])
        for measure in ("accuracy", "contains", "contains_paper", "accuracy_decided"):
            assert found[measure] == [MeasuredValue(1.0, "right")], (name, measure)


def test_an_answer_that_was_given_to_verify_is_measured_as_one_that_was_generated() -> (
    None
):
    task = ITEMS["name"]
    given = ended("rag", None, {**task, "answer": "Beorn, the skin-changer"})
    item = Item("q", "q", "", task)
    for name, values in figures("rag", "Beorn, the skin-changer", task).items():
        assert list(measures()[name].of(given, item)) == values


@pytest.mark.parametrize("name", ENDINGS)
def test_no_method_has_a_rule_of_its_own_for_a_shared_measure(name: str) -> None:
    own, kind, _ = ENDINGS[name]
    assert not set(method(own).measures) & set(measures())
    assert set(measures()) <= set(method(own).batches[kind].measures)
