"""The built-in `lexical` as a ranker: words in common and length.

It is not a language model, and it ranks by what words can tell.

- correctness: the share of the content words of the accepted answer that are in the
  answer; of several the one that fits best;
- citation_accuracy: the mean support of the sentences (`citations.MEASURE`); one that
  cites nothing, or no reference that there is, has 0;
- conciseness: 1 up to 40 words (two Chinese characters are one), then 40 / words.

Truthfulness and bias need knowledge: it is not asked for them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ...prompts import mainly_chinese
from ..models.port import Delta, ModelCall, ModelError, ModelReply, ReplyStream
from ..retrieval.citations import cited, unmarked
from ..retrieval.tokeniser import STOP_WORDS, Tokeniser
from .reading import AnonymousAnswer, RankAnswers

SHORT = 40
"""Words up to which an answer is as concise as can be."""

SAYS = {
    "en": "Words compared only ({criterion}): {scores}.",
    "zh": "只比较词语（{criterion}）：{scores}。",
}


class LexicalRanker:
    """Answers `RankAnswers`. Several sessions may use it at once."""

    def __init__(self) -> None:
        self._words = Tokeniser("bigrams")
        self._stops = frozenset(self._words.cut(STOP_WORDS))

    async def ask(self, call: ModelCall) -> ReplyStream:
        """Yields the reply, whole.

        Raises: ModelError for a task of another method, and for a criterion that words
        say nothing of.
        """
        task = call.task
        if not isinstance(task, RankAnswers):
            raise ModelError(
                "no-line",
                f"lexical cannot speak as {call.role or 'this role'}: it only "
                f"ranks answers here; take a model.",
            )
        scores = [round(self._score(task, answer), 3) for answer in task.answers]
        listed = ", ".join(f"{n}: {score:g}" for n, score in enumerate(scores, 1))
        reason = SAYS["zh" if mainly_chinese(task.question) else "en"].format(
            criterion=task.criterion, scores=listed
        )
        text = json.dumps(
            {"reason": reason}
            | {f"answer{n}": score for n, score in enumerate(scores, 1)},
            ensure_ascii=False,
        )
        if call.stream:
            yield Delta(call.role, text)
        yield ModelReply.free(text, "lexical")

    def _score(self, task: RankAnswers, answer: AnonymousAnswer) -> float:
        match task.criterion:
            case "correctness" if task.accepted:
                return self._held(task.accepted, unmarked(answer.text))
            case "citation_accuracy":
                supports = [
                    sentence.support or 0.0
                    for sentence in cited(answer.text, answer.references)
                ]
                if supports:
                    return sum(supports) / len(supports)
                return 0.0
            case "conciseness":
                return min(1.0, SHORT / max(1.0, _size(unmarked(answer.text))))
        raise ModelError(
            "no-line",
            f"lexical cannot rank by {task.criterion}: it compares words and "
            f"knows nothing; take a model.",
        )

    def _held(self, accepted: Sequence[str], text: str) -> float:
        held = self._content(text)
        shares = [
            len(wanted & held) / len(wanted)
            for one in accepted
            if (wanted := self._content(one))
        ]
        return max(shares, default=0.0)

    def _content(self, text: str) -> set[str]:
        words = set(self._words.cut(text))
        return words - self._stops or words


def _size(text: str) -> float:
    """Length in words; two Chinese characters are one."""
    if mainly_chinese(text):
        return sum(not character.isspace() for character in text) / 2
    return len(text.split())
