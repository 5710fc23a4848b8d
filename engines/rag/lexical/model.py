"""The built-in `lexical`: answers, verifies and revises by words in common.

It is not a language model, and it does not understand a text.

It is the embedded default and a baseline: a model that does not beat it is not worth
its price. Every formula is in docs/lexical.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from ....sessions.events import Reference, Usage
from ...models.port import Delta, ModelCall, ModelError, ModelReply, ReplyStream
from ...retrieval.port import RetrievalError, Retriever
from ..abstention import abstains
from ..messages import AnswerTask, CheckClaims, RagTask, Revise, Verify, Worsen
from ..plan import SCORES
from .claims import claims
from .extract import answer, careless
from .overlap import Glossary, chinese
from .rewrite import revised, rewritten, worsened
from .scores import LexicalScores, scores

NAME = "lexical"


class LexicalVerifier:
    """Answers from the task, at once and at no cost."""

    def __init__(
        self, retriever: Callable[[], Retriever | None] = lambda: None
    ) -> None:
        """`retriever` knows the words of the collection: how rare they are, and their
        spelling. Without it only the references count.
        """
        self._retriever = retriever
        self._glossary: tuple[object, Glossary] | None = None

    async def ask(self, call: ModelCall) -> ReplyStream:
        """Yield the reply in pieces, then whole: an answer with its `[n]`, or the JSON
        object that the role's prompt requests.
        """
        text = self._reply(call)
        if call.stream:
            for piece in re.findall(r"\s*\S+\s*", text):
                yield Delta(call.role, piece)
        yield ModelReply(
            text=text,
            model=NAME,
            usage=Usage(input=0, output=0),
            cost=0.0,
            finish="stop",
        )

    def _reply(self, call: ModelCall) -> str:
        task = call.task
        if not isinstance(task, RagTask):
            raise ModelError(
                "no-line",
                f"lexical cannot speak as {call.role or 'this role'}: it only "
                f"answers from references; take a model.",
            )
        glossary = self._words(task.references)
        match task:
            case AnswerTask(careless=True):
                return careless(glossary, task.question, task.references)
            case AnswerTask():
                return answer(glossary, task.question, task.references)
            case CheckClaims():
                return _json(claims(glossary, task))
            case Verify():
                return _json(
                    _verified(
                        glossary,
                        task.question,
                        task.answer,
                        task.references,
                        _used(task),
                    )
                )
            case Revise(answer=None):
                return _json({"revised_query": rewritten(glossary, task.question)})
            case Worsen():
                return _json({"revised_query": worsened(glossary, task.question)})
            case Revise(answer=str(given)):
                verified = _verified(
                    glossary, task.question, given, task.references, _used(task)
                )
                return _json({"revised_query": verified["revised_query"]})
        raise ModelError(
            "internal", f"lexical does not know the task {type(task).__name__}."
        )

    def _words(self, references: Sequence[Reference]) -> Glossary:
        """Return the words of the collection, or of the references alone if it has no
        lexicon. They are cached while they are the same.
        """
        try:
            retriever = self._retriever()
            lexicon = retriever.lexicon() if retriever is not None else None
        except RetrievalError:
            lexicon = None
        of: object = (
            lexicon
            if lexicon is not None
            else [(reference.title, reference.text) for reference in references]
        )
        if self._glossary is None or not (
            self._glossary[0] is of or (lexicon is None and self._glossary[0] == of)
        ):
            self._glossary = of, Glossary(lexicon, references)
        return self._glossary[1]


def _verified(
    glossary: Glossary,
    question: str,
    given: str,
    references: Sequence[Reference],
    used: Sequence[str],
) -> dict[str, object]:
    """The object asked for, in its order and without bias; nothing is revised of an
    answer that is judged true.
    """
    found = scores(glossary, question, given, references)
    query = (
        ""
        if found.judgement == "true"
        else revised(glossary, question, references, used)
    )
    rounded = {
        name: round(value, 3)
        for name, value in found._asdict().items()
        if name in SCORES
    }
    return {
        "reason": _reason(found, given, chinese(question)),
        **rounded,
        "judgement": found.judgement,
        "revised_query": query,
    }


def _reason(found: LexicalScores, given: str, zh: bool) -> str:
    """What the judgement was made from, in the language of the question."""
    if abstains(given):
        if zh:
            return "回答没有回答问题。"
        return "The answer does not answer the question."
    held, correct = 100 * (1 - found.unsupported), f"{found.correctness:.2f}"
    if zh:
        return (
            f"只比较词语：回答比问题多出的词有 {held:.0f} % 见于参考资料，correctness "
            f"为 {correct}。"
        )
    return (
        f"Words compared only: {held:.0f} % of what the answer adds to the question "
        f"stands in the references; correctness {correct}."
    )


def _used(task: Verify | Revise) -> list[str]:
    return [query for query in (*task.queries, task.query) if query]


def _json(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False)
