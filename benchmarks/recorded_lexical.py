"""Figures of the built-in `lexical` on labelled sets, as Markdown: no language model is
called.

What its judgement says of right and of hallucinated answers (HaluEval), and how often
the first and the last references hold an accepted answer (RetrievalQA, XQuAD). Reads
../shared/data; says so where a set is not there. Its ranking of answers has a script of
its own, `ranked.py`.

    python benchmarks/recorded_lexical.py [judgements|retrievals]
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from lexical import corpus, played, retrievalqa, rows, xquad
from recorded import DATA, chance, table, with_interval
from verifytui.engines.figures.measure import Item, MeasuredValue
from verifytui.engines.metrics.intervals import clustered_share, mean_difference
from verifytui.engines.metrics.paired import mcnemar


class Case(NamedTuple):
    """Whether something is right, of one cluster."""

    cluster: str
    right: bool


def share(cases: Sequence[Case]) -> str:
    found = clustered_share(cases)
    value = sum(one.right for one in cases) / len(cases) if cases else None
    return with_interval(value, *(found[:2] if found is not None else (None, None)))


def measured(session: Any, name: str, answers: Sequence[str]) -> MeasuredValue | None:
    from verifytui.engines.rag.measures import measures

    item = Item("", "", "", {"answers": list(answers)})
    return next(iter(measures()[name].of(session, item)), None)


# ------------------------------------------------------------------ judgements


async def judgements() -> None:
    """Jdg of the CoV-RAG paper's Table 6: whether the judgement holds, of answers that
    are known to be right or made up.
    """
    from verifytui import ask
    from verifytui.sessions.events.rag import Verification

    answered = rows("halueval-qa/qa.jsonl")
    found: dict[str, list[Case]] = {"right_answer": [], "hallucinated_answer": []}
    said: dict[str, Counter[str]] = {kind: Counter() for kind in found}
    for line in answered:
        for kind, kept in found.items():
            session = await ask(
                line["question"], references=[line["knowledge"]], answer=line[kind]
            )
            one = measured(session, "judgement_accuracy", [line["right_answer"]])
            if one is not None:
                kept.append(Case(line["id"], one.value == 1))
            said[kind].update(
                event.judgement or "none"
                for event in session.events
                if isinstance(event, Verification)
            )
    print(
        f"### Judgements\n\nHaluEval QA, {len(answered)} questions, each with a "
        f"right and with a hallucinated answer.\n"
    )
    both = [*found["right_answer"], *found["hallucinated_answer"]]
    said["both"] = said["right_answer"] + said["hallucinated_answer"]
    named = (
        ("right_answer", "right"),
        ("hallucinated_answer", "hallucinated"),
        ("both", "both"),
    )
    words = ("true", "unclear", "false")
    lines = [
        [
            name,
            *(str(said[kind][word]) for word in words),
            share({**found, "both": both}[kind]),
        ]
        for kind, name in named
    ]
    table(
        ["answers", *(f"judged {word}" for word in words), "judgement holds (Jdg)"],
        lines,
    )


# ------------------------------------------------------------------ retrievals


async def retrievals() -> None:
    """Table 7 of the CoV-RAG paper: whether an accepted answer stands in the first
    references, and in the last.
    """
    from verifytui.engines.rag.lexical.model import LexicalVerifier

    print("### References before and after revision\n")
    lines = []
    for name, (passages, questions) in (
        ("RetrievalQA", retrievalqa()),
        ("XQuAD en", xquad("en")),
        ("XQuAD zh", xquad("zh")),
    ):
        first, last = ([], [])
        with corpus(passages) as retriever:
            lexical = LexicalVerifier(lambda: retriever)
            for question, accepted in questions:
                session = await played(retriever, lexical, question, None)
                held = [
                    measured(session, f"reference_accuracy_{which}", accepted)
                    for which in ("first", "last")
                ]
                if None not in held:
                    first.append(held[0].value == 1)
                    last.append(held[1].value == 1)
        apart = mean_difference(first, last)
        lost = sum(a and not b for a, b in zip(first, last, strict=True))
        won = sum(b and not a for a, b in zip(first, last, strict=True))
        values = [
            share([Case(str(n), one) for n, one in enumerate(held)])
            for held in (first, last)
        ]
        told = with_interval(apart.value, apart.low, apart.high)
        lines.append(
            [
                name,
                str(len(first)),
                *values,
                told,
                f"{won} / {lost}",
                chance(mcnemar(lost, won)),
            ]
        )
    table(["set", "questions", "first", "last", "difference", "won / lost", "p"], lines)


PARTS = {
    "judgements": (judgements, ("halueval-qa",)),
    "retrievals": (retrievals, ("retrievalqa", "xquad")),
}


if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        if part not in PARTS:
            sys.exit(f"{part}: one of {', '.join(PARTS)}")
        work, folders = PARTS[part]
        missing = [DATA / folder for folder in folders if not (DATA / folder).is_dir()]
        if missing:
            print(f"{part}: left out, {missing[0]} is not there.", file=sys.stderr)
        else:
            asyncio.run(work())
