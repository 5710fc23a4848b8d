"""The bundled corpus and its questions, played by `lexical` through the real index and
the real engine with default settings.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from verifytui.engines.metrics.containment import contains
from verifytui.engines.models.config import Config
from verifytui.engines.models.desk import Desk
from verifytui.engines.rag.engine import rag_engine
from verifytui.engines.rag.lexical.model import LexicalVerifier
from verifytui.engines.rag.starting import new_question
from verifytui.engines.retrieval.corpus import Corpora, Corpus
from verifytui.engines.retrieval.documents import read
from verifytui.engines.step import step
from verifytui.prompts import load
from verifytui.sessions.events import Failure
from verifytui.sessions.events.rag import Decision, RagAnswer, Retrieval, Verification
from verifytui.sessions.journal import Journal
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Session

ENGINES = Path(__file__).resolve().parents[3] / "engines"
FOLDER = ENGINES / "retrieval" / "example"
ASKED = ENGINES / "rag" / "example_questions.yaml"
QUESTIONS: dict[str, dict[str, Any]] = {
    one["id"]: one for one in yaml.safe_load(ASKED.read_text("utf-8"))
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VERIFYTUI_HOME", str(tmp_path_factory.mktemp("home")))
        opened = Corpora(paths()).open("example")
        yield opened
        opened.close()


async def _played(
    corpus: Corpus, question: str, settings: dict[str, Any] | None = None
) -> Session:
    header = new_question(
        question=question,
        corpus="example",
        settings=settings,
        prompts=load("en", workspace="rag"),
    )
    with Journal.create(None, header) as journal:
        engine = rag_engine(lambda: corpus)
        desk = Desk(
            lambda: journal.session,
            Config(),
            builtins={"lexical": LexicalVerifier(lambda: corpus)},
        )
        while not engine.finished(journal.session):
            async for part in step(journal, engine, desk):
                assert not isinstance(part, Failure), part.message
        return journal.session


def played(
    corpus: Corpus, id_: str
) -> tuple[list[Retrieval], list[bool], list[Verification]]:
    """Retrievals, whether each answer holds an accepted one, and verifications."""
    session = asyncio.run(_played(corpus, QUESTIONS[id_]["question"]))
    answers = [
        event.answer or "" for event in session.events if isinstance(event, RagAnswer)
    ]
    held = [contains(answer, QUESTIONS[id_]["answers"]) for answer in answers]
    return (
        [event for event in session.events if isinstance(event, Retrieval)],
        held,
        [event for event in session.events if isinstance(event, Verification)],
    )


@pytest.mark.parametrize("id_", ["elements", "printing", "wall", "python"])
def test_a_plain_question_is_answered_at_once_and_judged_true(
    corpus: Corpus, id_: str
) -> None:
    _, held, verified = played(corpus, id_)
    assert held == [True]
    assert [(one.judgement, one.revised_query) for one in verified] == [("true", "")]


def test_a_vague_question_is_not_judged_true_and_the_revised_query_says_what_may_be_meant(
    corpus: Corpus,
) -> None:
    found, _, verified = played(corpus, "vague")
    assert "true" not in [one.judgement for one in verified]
    assert len({reference.title for reference in found[0].references}) > 2
    assert found[0].references[0].title in (verified[0].revised_query or "")


def test_a_misspelt_question_is_found_by_its_revision(corpus: Corpus) -> None:
    found, held, verified = played(corpus, "misspelt")
    assert "Penicillin" not in {reference.title for reference in found[0].references}
    assert (verified[0].revised_query or "").casefold() == "who discovered penicillin?"
    assert held == [False, True]
    assert verified[-1].judgement == "true"


def test_a_first_search_that_fails_is_made_good_by_its_revision(corpus: Corpus) -> None:
    found, held, verified = played(corpus, "tower")
    assert len(found[0].references) == 5
    titles = [{reference.title for reference in one.references} for one in found]
    assert "Gustave Eiffel" not in titles[0]
    assert "Gustave Eiffel" in titles[1]
    assert held == [False, True]
    assert [one.judgement for one in verified] == ["unclear", "true"]


@pytest.mark.parametrize("rule", ["nonempty", "thresholds-all", "thresholds-any"])
@pytest.mark.parametrize("id_", ["tower", "ticket", "wall"])
def test_lexical_measures_no_bias_and_every_rule_decides_without_it(
    corpus: Corpus, rule: str, id_: str
) -> None:
    """Bias is the distance to what the verifier itself knows, and who compares words
    knows nothing.
    """
    session = asyncio.run(
        _played(corpus, QUESTIONS[id_]["question"], {"indicator": rule})
    )
    verified = [
        event
        for event in session.events
        if isinstance(event, Verification) and event.role == "verifier"
    ]
    assert verified
    assert {
        (one.bias, one.read, *one.unmeasured, *one.problems) for one in verified
    } == {(None, "json", "bias")}
    decisions = [event for event in session.events if isinstance(event, Decision)]
    assert decisions
    assert None not in [one.revise for one in decisions]
    assert "bias" not in [clause.name for one in decisions for clause in one.clauses]
    assert all(one.reason for one in verified)


def test_what_the_corpus_does_not_hold_is_never_judged_true(corpus: Corpus) -> None:
    _, held, verified = played(corpus, "ticket")
    assert QUESTIONS["ticket"]["answers"] == []
    assert not any(held)
    assert verified
    assert all(one.judgement != "true" for one in verified)


def test_the_files_hold_what_they_should(corpus: Corpus) -> None:
    documents = [
        document
        for file in sorted(FOLDER.iterdir())
        if file.suffix != ".yaml"
        for document in read(file)
    ]
    assert len(documents) == corpus.meta.passages
    chinese = [
        document
        for document in documents
        if any("\u4e00" <= one <= "\u9fff" for one in document.text)
    ]
    assert 30 <= len(documents) <= 36
    assert abs(len(documents) - 2 * len(chinese)) <= 3
    for document in documents:
        assert document.title
        size = len(document.text) if document in chinese else len(document.text.split())
        assert (100 <= size <= 300) if document in chinese else (60 <= size <= 150), (
            document.title,
            size,
        )


def test_there_are_questions_in_both_languages() -> None:
    assert len(QUESTIONS) == 9
    assert (
        sum(
            any("\u4e00" <= sign <= "\u9fff" for sign in one["question"])
            for one in QUESTIONS.values()
        )
        == 5
    )
    assert all(
        one["what"] and isinstance(one["answers"], list) for one in QUESTIONS.values()
    )
