"""The built-in `lexical` as a grader: the share of content words that two cases have in
common. It is not a language model.
"""

from __future__ import annotations

import json

from ..cases.language import is_chinese
from ..models.port import Delta, ModelCall, ModelError, ModelReply, ReplyStream
from ..retrieval.common import is_content
from ..retrieval.tokeniser import Tokeniser
from .grading import GradePair

BOUNDS = (0.08, 0.16, 0.32)
"""Shares of the shorter case's content words from which on the grade is 1, 2 and 3."""
SAYS = {
    "zh": "较短案件的实词有{share:.0%}也见于另一案：{words}。",
    "en": "Of the shorter case's content words {share:.0%} are in the other one, too: "
    "{words}.",
}


class LexicalGrader:
    """Answers `GradePair`. Several sessions may use it at once."""

    def __init__(self) -> None:
        self._words = Tokeniser("jieba")

    async def ask(self, call: ModelCall) -> ReplyStream:
        """Yields the reply, whole. Raises: ModelError for a task of another method."""
        task = call.task
        if not isinstance(task, GradePair):
            raise ModelError(
                "no-line",
                f"lexical cannot speak as {call.role or 'this role'}: it only "
                f"grades cases here; take a model.",
            )
        one, other = (
            {word for word in self._words.cut(text) if is_content(word)}
            for text in (task.query, task.candidate)
        )
        shared = one & other
        share = len(shared) / max(1, min(len(one), len(other)))
        grade = sum(share >= bound for bound in BOUNDS)
        language = "zh" if is_chinese(task.query) else "en"
        words = ("、" if language == "zh" else ", ").join(
            sorted(shared, key=lambda word: (-len(word), word))[:5]
        ) or "-"
        text = json.dumps(
            {"reason": SAYS[language].format(share=share, words=words), "grade": grade},
            ensure_ascii=False,
        )
        if call.stream:
            yield Delta(call.role, text)
        yield ModelReply.free(text, "lexical")
