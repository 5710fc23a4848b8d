"""Claims by words in common: every sentence is one claim, and a passage that has its
words supports it. See docs/lexical.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ....sessions.events import Reference
from ...retrieval.citations import support, supporting
from ...retrieval.passages import sentences
from ..messages import CheckClaims
from .asserting import asserts
from .overlap import Glossary

_VERDICT = re.compile(r'\{[^{}]*"verdict"\s*:[^{}]*\}')
"""A verdict in the form of a verifier's. In a passage it is no evidence: it would hold
the words of the claim that it is about.
"""
BOUND = 0.7
"""Share of a sentence's content words that a passage must have to support it."""


def claims(glossary: Glossary, task: CheckClaims) -> dict[str, Any]:
    """The object requested from the verifier.

    Nothing is ever contradicted: words alone cannot tell. An answer that only repeats
    its question has no claim and contains no nugget.
    """
    said = {"answer": " ".join(task.texts), "nuggets": task.answer}.get(task.of)
    empty = said is not None and not asserts(glossary, task.question, said)
    if task.of == "nuggets":
        answer = [] if empty else [Reference(n=1, id="", text=task.answer)]
        return {
            "nuggets": [
                {"nugget": n, **_held(text, answer)}
                for n, text in enumerate(task.texts, 1)
            ]
        }
    return {
        "claims": [
            {"claim": text, "sentence": n, **_held(text, task.references)}
            for n, text in ([] if empty else _claims(task))
        ]
    }


def _claims(task: CheckClaims) -> Iterator[tuple[int, str]]:
    """The sentences that have content words, with the numbers of the texts that they
    are in.
    """
    for n, text in enumerate(task.texts, 1):
        parts = (
            [text]
            if task.of == "answer"
            else [text[start:end] for start, end in sentences(text)]
        )
        yield from ((n, part) for part in parts if support(part, [""]) is not None)


def _held(text: str, references: Sequence[Reference]) -> dict[str, Any]:
    """Best support of a text: the passage with most of its words, the first of equals,
    and the sentence in it with most.
    """
    references = [
        msgspec.structs.replace(reference, text=_VERDICT.sub(" ", reference.text))
        for reference in references
    ]
    shares = {
        reference.n: support(text, [f"{reference.title}\n{reference.text}"]) or 0.0
        for reference in references
    }
    holding = sorted(
        (reference for reference in references if shares[reference.n] >= BOUND),
        key=lambda one: (-shares[one.n], one.n),
    )
    if not holding:
        return {"reference": 0, "words": "", "also": [], "verdict": "not-found"}
    best = holding[0]
    place = supporting(text, best.text)
    words = best.text[slice(*place)].strip() if place else best.title
    return {
        "reference": best.n,
        "words": words,
        "also": [one.n for one in holding[1:]],
        "verdict": "supported",
    }
