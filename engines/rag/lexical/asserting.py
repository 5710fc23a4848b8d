"""Whether an answer asserts anything that its question does not: a text that repeats
the question, or only announces an answer, does not (docs/lexical.md).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...retrieval.tokeniser import is_cjk
from .overlap import FUNCTION, LONGEST, PART, Glossary, split

MOST_CHOICES = 12
"""Choices of one question that are looked at."""

_ANNOUNCING = re.compile(
    r"\b(?:thoughts?|thinking|think|process|solutions?|solv(?:e|es|ing)|steps?"
    r"|problems?|questions?|answers?|answering|respon[sd]\w*|reply|replies"
    r"|reason(?:s|ing)?|explanations?|analys[ie]s|conclusions?|final|let|sure|okay|ok"
    r"|certainly|course|great|good|begin|begins|start|starts|follow(?:s|ing)?"
    r"|first|now|here)\b"
    r"|让我们|我们|我来|一步一步|一步步|逐步|分步|思考|推理|推导|分析|解题|解决|解答|解析|回答"
    r"|作答|答复|答案|最终|最后|结论|结果|过程|步骤|思路|问题|题目|如下|以下|下面|首先|这个"
    r"|这道|好的|当然|开始|根据|(?:^|[^\w]|\b)[解答](?=$|[：:，,。\s])",
    re.IGNORECASE,
)
"""Words that announce an answer and give none."""
_BETWEEN = re.compile(r",|\bor\b|\u3001|还是|或者?", re.IGNORECASE)
_TOGETHER = re.compile(r",|\band\b|\u3001|[和与跟及]", re.IGNORECASE)
_WHICH = re.compile(
    r"(?:\b(?:which|who|what)(?:\s\w+)?\s(?:of|between|among)\b"
    r"|\b(?:which|who)\b[^?]{0,200}?[,:])(?P<en>[^?]{1,400})"
    r"|(?P<zh>[^，。？?；;]{1,200}?)(?:[这之]?[两三]?[者个种]?(?:之间|之中|当中|中|里)?，?)"
    r"(?<![是的在])(?=哪|谁)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.?!;:\uff0c\u3002\uff1f\uff01\uff1b\uff1a]")


def asserts(glossary: Glossary, question: str, answer: str) -> bool:
    """Whether an answer adds a word to its question, or chooses among its options.

    A sentence that repeats the question adds nothing, whatever else it contains.
    """
    asked = {*glossary.meant(question), *glossary.weights(question)}
    letters = set(question) if any(map(is_cjk, question)) else set[str]()
    said = [text for text, _ in split(answer) if not _asks(glossary, text, asked)]
    if any(
        word not in asked and not (is_cjk(word) and letters.issuperset(word))
        for text in said
        for word in glossary.content(_ANNOUNCING.sub(" ", text[:LONGEST]))
    ):
        return True
    return _chooses(glossary, question[:LONGEST], " ".join(said)[:LONGEST])


def _asks(glossary: Glossary, sentence: str, asked: set[str]) -> bool:
    """Whether most words of a sentence are those of the question."""
    if not sentence.rstrip(" \"'\u201d\u2019)*_").endswith(("?", "\uff1f")):
        return False
    words = set(glossary.content(sentence))
    return 2 * len(words & asked) >= len(words)


def _chooses(glossary: Glossary, question: str, answer: str) -> bool:
    """Whether the answer names at least one of the choices of the question, not all."""
    keys = _keys(glossary, question)
    said = set(_tokens(glossary, answer))
    named = sum(key in said for key in keys)
    return 0 < named < len(keys)


def _keys(glossary: Glossary, question: str) -> list[str]:
    """Return a word of each choice that distinguishes it from the others; for Chinese,
    a character.
    """
    for clause in _CLAUSE.split(question):
        if len(parts := _BETWEEN.split(clause)) > 1 and _offers(clause):
            return _telling(glossary, parts)
    match = _WHICH.search(question)
    if match is None:
        return []
    parts = _TOGETHER.split(match["en"] or match["zh"])
    return _telling(glossary, parts) if len(parts) > 1 else []


def _offers(clause: str) -> bool:
    return re.search(r"\bor\b|还是|或", clause, re.IGNORECASE) is not None


def _telling(glossary: Glossary, parts: Sequence[str]) -> list[str]:
    """Of each part the word nearest to the next part that no other part has; of the
    last one its first such word.
    """
    listed = [_tokens(glossary, part) for part in parts if part.strip()]
    keys = []
    for place, tokens in enumerate(listed[:MOST_CHOICES]):
        other = {token for n, each in enumerate(listed) if n != place for token in each}
        own = [token for token in tokens if token not in other]
        if own:
            keys.append(own[0] if place == len(listed) - 1 else own[-1])
    return keys


def _tokens(glossary: Glossary, text: str) -> list[str]:
    """Latin words that carry meaning, as the index has them, and Chinese characters."""
    found = []
    for part in PART.findall(text):
        if is_cjk(part):
            found += [one for one in part if not FUNCTION.match(one)]
        else:
            found += glossary.content(part)
    return found
