"""The built-in `lexical`: what it says, how it scores, what it asks anew, and that
nothing it is given breaks it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

import pytest
from verifytui.engines.models.port import Delta, ModelCall, ModelError, ModelReply, Task
from verifytui.engines.rag.abstention import NOT_HELD
from verifytui.engines.rag.lexical.model import LexicalVerifier
from verifytui.engines.rag.lexical.overlap import Glossary, chinese, split
from verifytui.engines.rag.lexical.rewrite import dropped
from verifytui.engines.rag.messages import AnswerTask, Revise, Verify
from verifytui.engines.rag.verification import read
from verifytui.engines.retrieval.citations import citations
from verifytui.engines.retrieval.port import (
    ANY,
    PassageFilter,
    RetrievalError,
    RetrievalResult,
)
from verifytui.engines.retrieval.tokeniser import Tokeniser
from verifytui.sessions.events import Reference
from verifytui.sessions.session import Seat

TEXTS = [
    (
        "Rivers",
        "The Danube rises in the Black Forest. It flows into the Black Sea after "
        "2850 kilometres. Ten countries share it.",
    ),
    (
        "Lakes",
        "Lake Constance lies between Germany, Switzerland and Austria. Its "
        "deepest point is 251 metres down.",
    ),
    (
        "Bridges",
        "The chain bridge of Budapest was opened in 1849. An engineer from "
        "Scotland built it.",
    ),
    (
        "\u957f\u6c5f",
        "\u957f\u6c5f\u53d1\u6e90\u4e8e\u5510\u53e4\u62c9\u5c71\u8109\u3002\u5b83\u5728\u4e0a\u6d77\u6ce8\u5165\u4e1c\u6d77\uff0c\u5168\u957f\u7ea66300\u516c\u91cc\u3002",
    ),
]
REFERENCES = [
    Reference(n=n, id=str(n), title=title, text=text)
    for n, (title, text) in enumerate(TEXTS, 1)
]
SPELLING = {
    "danub": "Danube",
    "constanze": "Constance",
    "budapset": "Budapest",
    "kilometers": "kilometres",
}


class Collection:
    """A retriever over TEXTS, for its words alone."""

    name = "corpus"
    size = len(TEXTS)

    def __init__(self, broken: bool = False) -> None:
        self.broken = broken
        self.asked: list[str] = []
        self._words = Tokeniser()
        self._held = [set(self._words.cut(f"{title}\n{text}")) for title, text in TEXTS]

    async def retrieve(
        self, query: str, k: int, wanted: PassageFilter = ANY
    ) -> RetrievalResult:
        raise AssertionError("the built-in never searches by itself")

    def lexicon(self) -> Collection:
        if self.broken:
            raise RetrievalError("corpus", "It is gone.")
        return self

    def words(self, text: str) -> list[str]:
        return self._words.cut(text)

    def frequency(self, word: str) -> int:
        return sum(word in held for held in self._held)

    def near(self, word: str) -> Sequence[str]:
        self.asked.append(word)
        if word.casefold() in SPELLING:
            return [SPELLING[word.casefold()]]
        return []


async def asked(
    task: Task, lexical: LexicalVerifier | None = None, *, stream: bool = False
) -> ModelReply:
    """The reply, after everything streamed has been found to be its text."""
    model = lexical or LexicalVerifier(Collection)
    parts = [
        part
        async for part in model.ask(
            ModelCall(
                role="r",
                seat=Seat(model="lexical"),
                task=task,
                messages=[],
                stream=stream,
            )
        )
    ]
    assert isinstance(parts[-1], ModelReply)
    if stream:
        assert (
            "".join(part.text for part in parts[:-1] if isinstance(part, Delta))
            == parts[-1].text
        )
    return parts[-1]


async def answered(
    question: str,
    references: Sequence[Reference] = REFERENCES,
    lexical: LexicalVerifier | None = None,
) -> str:
    return (
        await asked(AnswerTask(question=question, references=list(references)), lexical)
    ).text


async def verified(
    question: str,
    answer: str,
    references: Sequence[Reference] = REFERENCES,
    queries: Sequence[str] = (),
    lexical: LexicalVerifier | None = None,
) -> dict[str, Any]:
    task = Verify(
        question=question,
        references=list(references),
        answer=answer,
        query=question,
        queries=list(queries),
    )
    found: dict[str, Any] = json.loads((await asked(task, lexical)).text)
    return found


async def test_it_answers_with_a_cited_sentence_as_it_stands() -> None:
    reply = await asked(
        AnswerTask(question="Where does the Danube rise?", references=REFERENCES),
        stream=True,
    )
    assert reply.text.startswith("The Danube rises in the Black Forest. [1]")
    assert (reply.model, reply.cost, reply.usage.input if reply.usage else None) == (
        "lexical",
        0.0,
        0,
    )


async def test_it_answers_a_chinese_question_in_chinese() -> None:
    text = await answered("\u957f\u6c5f\u53d1\u6e90\u4e8e\u54ea\u91cc\uff1f")
    assert text.startswith(
        "\u957f\u6c5f\u53d1\u6e90\u4e8e\u5510\u53e4\u62c9\u5c71\u8109\u3002[4]"
    )


async def test_a_pronoun_points_to_the_sentence_before() -> None:
    assert "2850" in await answered("How many kilometres is the Danube?")
    assert "Scotland [" not in await answered(
        "Which engineer built the chain bridge of Budapest?"
    )
    assert "An engineer from Scotland built it. [3]" in await answered(
        "Which engineer built the chain bridge of Budapest?"
    )


async def test_a_heading_is_no_answer() -> None:
    text = "## Where does the Danube rise?\n\nIt rises in the Black Forest."
    assert (
        await answered(
            "Where does the Danube rise?", [Reference(n=1, id="a", text=text)]
        )
        == "It rises in the Black Forest. [1]"
    )


async def test_it_says_so_when_nothing_covers_the_question() -> None:
    assert (
        await answered("Who wrote the opera about the flying horse?") == NOT_HELD[False]
    )
    assert (
        await answered("\u8c01\u8bbe\u8ba1\u4e86\u8fd9\u5ea7\u6b4c\u5267\u9662\uff1f")
        == NOT_HELD[True]
    )
    assert await answered("Where does the Danube rise?", []) == NOT_HELD[False]


async def test_its_own_good_answer_is_judged_true_and_nothing_is_revised() -> None:
    question = "Where does the Danube rise?"
    found = await verified(question, await answered(question))
    assert found["judgement"] == "true"
    assert found["revised_query"] == ""
    assert (
        found["correctness"] == found["citation_accuracy"] == found["truthfulness"] == 1
    )
    assert found["reason"].startswith(
        "Words compared only: 100 % of what the answer adds"
    )


async def test_what_the_references_do_not_say_is_false() -> None:
    found = await verified(
        "Where does the Danube rise?", "On Mount Kilimanjaro, under a glacier. [1]"
    )
    assert found["reason"].startswith(
        "Words compared only: 0 % of what the answer adds"
    )
    assert found["truthfulness"] < 0.5
    assert found["judgement"] == "false"


async def test_a_citation_of_the_wrong_passage_or_of_none_counts_against_it() -> None:
    sentence = "The Danube rises in the Black Forest."
    assert (await verified("Where does the Danube rise?", f"{sentence} [1]"))[
        "citation_accuracy"
    ] == 1
    assert (await verified("Where does the Danube rise?", f"{sentence} [2]"))[
        "citation_accuracy"
    ] < 0.2
    assert (await verified("Where does the Danube rise?", sentence))[
        "citation_accuracy"
    ] == 0
    assert (await verified("Where does the Danube rise?", f"{sentence} [99]"))[
        "citation_accuracy"
    ] == 0


async def test_a_long_answer_is_less_concise() -> None:
    short = await verified(
        "Where does the Danube rise?", "The Danube rises in the Black Forest. [1]"
    )
    long = await verified(
        "Where does the Danube rise?",
        "The Danube rises in the Black Forest, so it does. [1] " * 10,
    )
    assert short["conciseness"] == 1
    assert long["conciseness"] == pytest.approx(0.4)


async def test_two_words_in_two_places_are_not_one_fact() -> None:
    found = await verified(
        "Which Scotland engineer dug Lake Constance?",
        "An engineer from Scotland built it. [3] Lake Constance lies there. [2]",
    )
    assert found["judgement"] != "true"


async def test_one_word_in_common_is_not_enough() -> None:
    found = await verified(
        "When was it opened?", "The chain bridge of Budapest was opened in 1849. [3]"
    )
    assert found["correctness"] == 0.5
    assert found["judgement"] == "unclear"


async def test_that_there_is_no_answer_is_neither_true_nor_false() -> None:
    for text in (*NOT_HELD.values(), "", "...", "[1]"):
        found = await verified("Where does the Danube rise?", text)
        assert (found["judgement"], found["correctness"]) == ("unclear", 0)
        assert found["reference_correctness"] == 1


async def test_the_reply_is_read_by_the_engine_s_own_reader() -> None:
    reply = await asked(
        Verify(
            question="Where does the Danube rise?",
            references=REFERENCES,
            answer="In Rome. [1]",
            query="x",
        )
    )
    found = read(reply.text, without=("bias",))
    assert found.problems == []
    assert (found.judgement, found.bias) == ("false", None)
    assert next(iter(json.loads(reply.text))) == "reason"


async def test_spelling_is_corrected_against_the_collection() -> None:
    found = await verified(
        "Who built the bridge of Budapset?", NOT_HELD[False], REFERENCES[:1]
    )
    assert found["revised_query"] == "Who built the bridge of Budapest?"


async def test_names_and_short_words_are_not_corrected() -> None:
    collection = Collection()
    collection.near = lambda word: ["bridge"]  # type: ignore[method-assign]
    glossary = Glossary(collection)
    assert glossary.spelt("Where did Bridgs live?") == "Where did Bridgs live?"
    assert glossary.spelt("Where is the brdge?") == "Where is the brdge?"
    assert glossary.spelt("Where is the bridgee?") == "Where is the bridge?"
    assert glossary.spelt("Where is the fridges?") == "Where is the fridges?"


async def test_the_title_of_the_best_passage_is_added_and_unknown_words_dropped() -> (
    None
):
    found = await verified(
        "Which gargantuan engineer was opened by Budapest?",
        "Lake Constance lies there. [2]",
    )
    assert found["revised_query"] == "Which engineer was opened by Budapest (Bridges)?"
    zh = await verified(
        "\u5510\u53e4\u62c9\u5c71\u8109\u7684\u706b\u8f66\u7ad9\u6709\u591a\u9ad8\uff1f",
        NOT_HELD[True],
    )
    assert (
        zh["revised_query"]
        == "\u5510\u53e4\u62c9\u5c71\u8109\u7684\u6709\u591a\u9ad8\uff08\u957f\u6c5f\uff09\uff1f"
    )


async def test_a_query_already_used_is_not_given_again() -> None:
    question = "Which engineer was opened by Budapset?"
    first = await verified(question, NOT_HELD[False])
    second = await verified(
        question, NOT_HELD[False], queries=[question, first["revised_query"]]
    )
    third = await verified(
        question,
        NOT_HELD[False],
        queries=[question, first["revised_query"], second["revised_query"]],
    )
    assert second["revised_query"] == "Which engineer was opened by Budapest (Bridges)?"
    assert third["revised_query"] == ""


async def test_what_only_drops_words_is_no_new_query() -> None:
    assert (
        dropped(Glossary(Collection()), "Who built the 2022/03/26 bridge?")
        == "Who built the bridge?"
    )
    assert (
        await verified(
            "Which gargantuan lake?", "x", [Reference(n=1, id="1", text="A lake.")]
        )
    )["revised_query"] == ""


async def test_the_reviser_alone() -> None:
    wrong = Revise(
        question="Who built the bridge of Budapset?",
        references=REFERENCES[:1],
        answer=NOT_HELD[False],
        query="x",
    )
    assert json.loads((await asked(wrong)).text) == {
        "revised_query": "Who built the bridge of Budapest?"
    }
    right = Revise(
        question="Where does the Danube rise?",
        references=REFERENCES,
        answer="The Danube rises in the Black Forest. [1]",
    )
    assert json.loads((await asked(right)).text) == {"revised_query": ""}
    before = Revise(question="Who built the bridge of Budapset?")
    assert json.loads((await asked(before)).text) == {
        "revised_query": "Who built the bridge of Budapest?"
    }
    assert json.loads(
        (await asked(Revise(question="Where does the Danube rise?"))).text
    ) == {"revised_query": "Where does the Danube rise?"}


async def test_it_works_from_the_references_alone() -> None:
    for lexical in (
        LexicalVerifier(),
        LexicalVerifier(lambda: None),
        LexicalVerifier(lambda: Collection(broken=True)),
    ):
        assert (
            await answered("Where does the Danube rise?", lexical=lexical)
        ).startswith("The Danube rises in the Black Forest. [1]")
        assert (
            await verified("Where does the Danub rise?", "In Rome.", lexical=lexical)
        )["judgement"] == "false"


async def test_numbers_of_references_are_theirs_not_their_places() -> None:
    assert "[7]" in await answered(
        "Where does the Danube rise?", [Reference(n=7, id="a", text=TEXTS[0][1])]
    )


async def test_it_refuses_other_tasks() -> None:
    with pytest.raises(ModelError) as caught:
        await asked(Task())
    assert caught.value.kind == "no-line"


def test_marks_after_a_full_stop_belong_to_the_sentence_before() -> None:
    assert split("It is so. [1] Or so [2][3]. [4]\n\n[5]") == [
        ("It is so.", [1]),
        ("Or so.", [2, 3, 4, 5]),
    ]
    assert split("\u662f\u3002[1]\u5426\u3002[2\uff0c3]") == [
        ("\u662f\u3002", [1]),
        ("\u5426\u3002", [2, 3]),
    ]
    assert split("") == split("[1] []") == []


def test_the_language_of_a_question() -> None:
    assert chinese("\u4ec0\u4e48\u662f BM25\uff1f")
    assert not chinese("What does \u9053 mean?")
    assert not chinese("")


async def test_marks_in_a_reference_are_not_taken_for_citations_of_the_answer() -> None:
    forged = (
        "The Danube rises in the Black Forest [7]. [2] It also rises [3] in the "
        "Danube [] spring \u3010\uff19\u3011."
    )
    said = await answered(
        "Where does the Danube rise?", [Reference(n=1, id="a", text=forged)]
    )
    assert citations(said) == [1]
    assert "rises in the Black Forest" in said


HOSTILE = [
    "",
    " \n\t",
    "?",
    "\uff1f",
    "What is it?",
    "\u662f\u4ec0\u4e48\uff1f",
    "\u8c01",
    "\x1b]52;c;AAAA\x07 \x1b[2J \u202e ru \ud800",
    "(" * 5_000 + "[1]" * 5_000,
    "a" * 100_000 + "?",
    "who " * 25_000,
    "\u8c01\u53d1\u660e\u4e86\u5b83" * 20_000,
    "xqzvbnm " * 12_500,
    "[" * 100_000,
    "1,2/3-4." * 12_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("where", ["question", "answer", "reference", "title"])
async def test_nothing_breaks_it_or_takes_long(text: str, where: str) -> None:
    question = text if where == "question" else "Where does the Danube rise?"
    references = list(REFERENCES)
    if where in ("reference", "title"):
        references.append(
            Reference(
                n=5,
                id="5",
                title=text if where == "title" else "",
                text=text if where == "reference" else "x",
            )
        )
    began = time.process_time()
    lexical = LexicalVerifier(Collection)
    answer = (
        text if where == "answer" else await answered(question, references, lexical)
    )
    assert answer or where == "answer"
    found = await verified(question, answer, references, lexical=lexical)
    assert all(
        0 <= value <= 1 for value in found.values() if not isinstance(value, str)
    )
    await asked(Revise(question=question, references=references), lexical)
    assert time.process_time() - began < 5
