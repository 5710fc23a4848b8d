"""A session that makes a bad answer: a worse query first, then an answer from whatever
was found.
"""

from __future__ import annotations

import pytest
from verifytui.engines.models.port import Message
from verifytui.engines.rag.lexical.extract import answer, careless
from verifytui.engines.rag.lexical.overlap import Glossary
from verifytui.engines.rag.lexical.rewrite import worsened
from verifytui.engines.rag.messages import AnswerTask, RagTask, messages
from verifytui.engines.rag.plan import RagStep
from verifytui.engines.rag.starting import new_question
from verifytui.prompts import load, with_templates
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events import Reference
from verifytui.sessions.events.rag import Retrieval
from verifytui.sessions.session import Session
from verifytui.tests.support.questions import Shelf, kinds, play

QUIET = {"iterations": 0, "final_check": False}


def begun(negative: str, language: str = "en") -> Session:
    prompts = with_templates(
        load(language, workspace="rag"), load(language, workspace="negative").templates
    )
    about = (
        {"corpus": "shelf"}
        if negative == "query"
        else {"references": ["Tea is made of leaves."]}
    )
    header = new_question(
        question="When was the lighthouse of Vern built?",
        **about,
        negative=negative,
        settings=QUIET,
        prompts=prompts,
    )  # type: ignore[arg-type]
    return Session(header, [])


@pytest.mark.learning
async def test_a_bad_query_is_asked_for_searched_with_and_answered_from() -> None:
    from verifytui.learning.synth.answers.rag_answers import answered

    def told(role: str, task: RagTask, _messages: list[Message]) -> str:
        if isinstance(task, AnswerTask) and task.careless:
            return "In spring [1]."
        return '{"reason": "Vague.", "revised_query": "lihgthouse when"}'

    session = begun("query")
    await play(session, told, Shelf(["Tea is made of leaves."]))
    found = answered(session)
    assert found is not None
    assert (found.question, found.query, found.answer) == (
        "When was the lighthouse of Vern built?",
        "lihgthouse when",
        "In spring [1].",
    )
    assert [one.text for one in found.references] == ["Tea is made of leaves."]
    assert kinds(session) == [
        "verification 0",
        "retrieval 1",
        "answer 1",
        "check 1",
        "result",
    ]


@pytest.mark.parametrize(
    ("language", "words"), [("en", "careless writer"), ("zh", "粗心")]
)
def test_who_answers_badly_is_told_so_and_others_are_not(
    language: str, words: str
) -> None:
    session = begun("references", language)
    session.events.append(
        Retrieval(
            iteration=1,
            query="?",
            references=[Reference(n=1, id="1", text="Tea is made of leaves.")],
        )
    )
    system, asked = messages(session, RagStep("answer", "generator", 1))
    assert words in system["content"]
    assert "Tea is made of leaves." in asked["content"]
    del session.header.task["negative"]
    assert (
        words not in messages(session, RagStep("answer", "generator", 1))[0]["content"]
    )


def test_the_built_in_breaks_a_query_off_and_answers_from_anything() -> None:
    references = [
        Reference(n=1, id="1", text="Tea is made of leaves. The tea is green.")
    ]
    glossary = Glossary(None, references)
    assert (
        careless(glossary, "When was the lighthouse of Vern built?", references)
        == "Tea is made of leaves. [1]"
    )
    assert answer(
        glossary, "When was the lighthouse of Vern built?", references
    ).startswith("The references do not contain")
    assert (
        worsened(glossary, "When was the lighthouse of Vern built?")
        != "When was the lighthouse of Vern built?"
    )
    assert worsened(glossary, "弗恩灯塔是什么时候建成的？") == "弗恩灯塔是什"
    assert worsened(glossary, "Vern?") == "Vern"


def test_another_kind_is_refused() -> None:
    with pytest.raises(BadInput, match="`negative` must be query, references"):
        begun("words")
