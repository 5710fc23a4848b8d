"""How the events of a question appear to a reader: references, answer, check,
verification, claims, decision.
"""

from __future__ import annotations

from ...sessions.events import Event, Reference
from ...sessions.events.rag import (
    Check,
    Claim,
    Claims,
    Clause,
    Decision,
    RagAnswer,
    RagResult,
    Retrieval,
    Verification,
)
from ...sessions.export.block import Block, CitedPassage, Tone, read_as, shared
from ...sessions.session import Session
from ...texts import has, t
from ...texts.amounts import money
from ...texts.settings import word
from ..retrieval.port import passed_over, places_in
from .decision import BOUNDED
from .facts import STAGES, stage_seconds
from .plan import ROLES, SCORES, setting

TONES: dict[str, Tone] = {"generator": "blue", "verifier": "green", "reviser": "teal"}

SHOWN_SECONDS = 0.1
"""A session whose stages all took less says nothing of them."""

READ_OUT = frozenset({"verifier", "reviser"})
"""Roles whose replies are data: a reader gets what was read from them, not the text as
it streams.
"""


def task(session: Session) -> list[Block]:
    """The question, and a note for each built-in that answers it."""
    seated = {seat.model for _, seat in session.seated(ROLES)}
    question = str(session.header.task.get("question", ""))
    return [
        Block(
            kind="task",
            heading="",
            text=question,
            notes=[
                t(f"asked.{name}") for name in ("script", "lexical") if name in seated
            ],
        )
    ]


def block(event: Event, session: Session) -> Block:
    """One event."""
    block = shared(event)
    match event:
        case Retrieval():
            _retrieval(block, event)
        case RagAnswer():
            if event.answer is not None:
                block.raw = (
                    None if event.answer.strip() == event.text.strip() else event.text
                )
                block.text = event.answer
            block.prose = True
            block.facts = (
                [(t("asked.cites"), _numbers(event.citations))]
                if event.citations
                else []
            )
        case Check():
            _check(block, event)
        case Verification():
            by_claims = setting(session, "indicator") == "claims"
            _verification(block, event, by_claims=by_claims)
        case Claims():
            _claims(block, event)
        case Decision():
            told = {
                True: "asked.again",
                False: "asked.enough",
                None: "asked.undecided",
            }[event.revise]
            block.notes = [t(told, rule=event.rule)]
            block.facts = [_clause(clause) for clause in event.clauses]
        case RagResult():
            block.answer = (
                t("asked.no_answer") if event.answer is None else event.answer
            )
            block.notes = [
                t(
                    "asked.stopped_" + event.stopped_by.replace("-", "_"),
                    n=event.iterations,
                )
            ]
            block.facts = (
                [] if event.kept is None else [(t("asked.kept_of"), str(event.kept))]
            )
            block.facts += _stages(session)
    return block


def _stages(session: Session) -> list[tuple[str, str]]:
    """What each stage took, where that can be seen."""
    seconds = stage_seconds(session)
    if max(seconds.values(), default=0) < SHOWN_SECONDS:
        return []
    took = (
        t("asked.stage", stage=word(stage), seconds=f"{seconds[stage]:.1f}")
        for stage in STAGES
        if stage in seconds
    )
    return [(t("asked.stages"), t("asked.comma").join(took))]


def _retrieval(block: Block, event: Retrieval) -> None:
    block.meta = [part for part in (event.retriever, event.vectors_by) if part]
    block.meta += [f"{event.seconds:.1f} s"] if event.seconds else []
    block.cost = money(event.cost) if event.cost else ""
    block.facts = [(t("asked.query"), event.query)]
    block.facts += (
        [(t("asked.unknown"), t("asked.comma").join(event.unknown))]
        if event.unknown
        else []
    )
    block.facts += (
        [(t("asked.dropped"), t("asked.comma").join(event.dropped))]
        if event.dropped
        else []
    )
    block.notes = (
        [event.message]
        if event.message
        else []
        if event.references
        else [t("rag.nothing_found")]
    )
    block.notes += passed_over(event.left_out)
    block.passages = [
        CitedPassage(n=reference.n, head=_head(reference), text=reference.text)
        for reference in event.references
    ]


def _head(reference: Reference) -> str:
    figures = (
        ("score", reference.score), ("score_dense", reference.dense_score or None),
        ("score_embed", reference.embed_score),
        ("score_rerank", reference.rerank_score),
    )  # fmt: skip
    parts = [
        reference.title or reference.id,
        *(
            [reference.place]
            if reference.file and reference.file != reference.title
            else []
        ),
    ]
    parts += [
        f"{t(f'rag.{name}')} {value:.3g}"
        for name, value in figures
        if value is not None
    ]
    parts += [places_in(reference.found_by)] if reference.found_by else []
    flags = [
        t(f"rag.flag_{flag}") if has(f"rag.flag_{flag}") else flag
        for flag in reference.flags
    ]
    return " · ".join(
        [*parts, *([t("rag.pinned")] if reference.pinned else []), *flags]
    )


def _numbers(citations: list[int]) -> str:
    return " ".join(f"[{n}]" for n in citations)


def _check(block: Block, event: Check) -> None:
    """What is wrong with the citations, and the support of every sentence."""
    block.notes = (
        [t("asked.not_there", numbers=_numbers(event.unknown))] if event.unknown else []
    )
    block.notes += [t("asked.empty", n=event.empty)] if event.empty else []
    block.notes.append(t("asked.uncited", n=event.uncited, total=len(event.sentences)))
    measured = [
        sentence.support for sentence in event.sentences if sentence.support is not None
    ]
    if measured:
        block.notes.append(
            t("asked.support", least=f"{min(measured):.2f}", measure=event.measure)
        )
    for n, sentence in enumerate(event.sentences, 1):
        support = (
            t("asked.no_support")
            if sentence.support is None
            else t("asked.supported", value=f"{sentence.support:.2f}")
        )
        block.passages.append(CitedPassage(n=n, head=support, text=sentence.text))


def _verification(block: Block, event: Verification, *, by_claims: bool) -> None:
    read_as(block, event.reason)
    if any(getattr(event, name) is not None for name in (*SCORES, "judgement")):
        block.scores = [_score(event, name) for name in SCORES]
        block.facts.append(
            (t("asked.judgement"), t(f"asked.judged_{event.judgement or 'unread'}"))
        )
    if event.revised_query is None:
        if not block.unread:
            block.facts.append((t("asked.revised"), t("asked.judged_unread")))
    else:
        true = event.judgement == "true" and not by_claims
        unused = event.revised_query and true and not event.edited
        block.facts.append(
            (
                t("asked.revised_unused" if unused else "asked.revised"),
                event.revised_query or t("asked.no_query"),
            )
        )
    block.notes = [t("asked.edited")] if event.edited else []
    block.notes += event.problems


def _claims(block: Block, event: Claims) -> None:
    """How many claims hold, and of each its verdict, the passage and its words."""
    read_as(block, "")
    block.meta = [*([event.measure] if event.measure else []), *block.meta]
    if not block.unread:
        told = [
            t(f"asked.claims_{name.replace('-', '_')}", n=n)
            for name, n in _verdicts(event).items()
            if n
        ]
        block.facts = [
            (
                t(f"asked.claims_of_{event.of}"),
                t("asked.comma").join(told) or t("asked.claims_none"),
            )
        ]
    block.passages = [
        CitedPassage(n=n, head=_claim(claim), text=claim.text)
        for n, claim in enumerate(event.items, 1)
    ]
    block.notes = list(event.problems)


def _verdicts(event: Claims) -> dict[str, int]:
    """How many claims have each verdict, `unread` included."""
    given = [claim.verdict or "unread" for claim in event.items]
    return {
        name: given.count(name)
        for name in ("supported", "contradicted", "not-found", "unread")
    }


def _claim(claim: Claim) -> str:
    """The verdict, the references, and the words."""
    text = t(f"asked.claim_{(claim.verdict or 'unread').replace('-', '_')}")
    numbers = _numbers([*([claim.n] if claim.n is not None else []), *claim.also])
    words = t("asked.claim_words", claim=claim.words) if claim.words else ""
    return " · ".join(part for part in (text, numbers, words) if part)


def _score(event: Verification, name: str) -> tuple[str, str, str]:
    """Name, figure and remark of a score.

    A score that could not be read is not a number.
    """
    if name in event.unmeasured:
        return t(f"asked.{name}"), "-", t("asked.unmeasured")
    return (
        t(f"asked.{name}"),
        _figure(getattr(event, name)),
        t("asked.bias_is_bad") if name == "bias" else "",
    )


def _clause(clause: Clause) -> tuple[str, str]:
    holds = t(
        {True: "asked.holds", False: "asked.holds_not", None: "asked.judged_unread"}[
            clause.holds
        ]
    )
    value = _said(clause) if isinstance(clause.value, str) else _figure(clause.value)
    bound = (
        _worded("bound", clause.bound)
        if isinstance(clause.bound, str)
        else f"{BOUNDED.get(clause.name, '')} {clause.bound:g}".strip()
    )
    name = (
        t(f"asked.{clause.name}")
        if clause.name in SCORES or clause.name == "judgement"
        else _worded("clause", clause.name)
    )
    return name, t(
        "asked.clause", value=value or t("asked.no_query"), bound=bound, holds=holds
    )


def _said(clause: Clause) -> str:
    """The value of a clause: a judgement and a missing answer in words, a query as it
    is.
    """
    if clause.name == "revised_query":
        return str(clause.value)
    return _worded(
        "judged" if clause.name == "judgement" else "value", str(clause.value)
    )


def _worded(kind: str, name: str) -> str:
    """Return a name, a value or a bound of a clause in the reader's language; unchanged
    if it has no translation.
    """
    key = f"asked.{kind}_{name.replace(' ', '_')}"
    if has(key):
        return t(key)
    return name.replace("_", " ")


def _figure(value: float | None) -> str:
    if value is None:
        return t("rag.unread")
    return f"{value:.2f}"
