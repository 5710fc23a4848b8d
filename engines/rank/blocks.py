"""What the events of a ranking say to a reader."""

from __future__ import annotations

from collections.abc import Sequence

from ...sessions.events import Event
from ...sessions.events.rank import Ranking, RankResult
from ...sessions.export.block import Block, CitedPassage, Tone, read_as, shared
from ...sessions.session import Session
from ...texts import has, t
from .plan import ROLES, RankedItem, accepted, answers, question

TONES: dict[str, Tone] = {"ranker": "green"}

READ_OUT = frozenset(ROLES)
"""Roles whose replies are data: a reader gets what was read from them, not the text as
it streams.
"""


def task(session: Session) -> list[Block]:
    """The question, then the answers, each with its name."""
    seated = {seat.model for _, seat in session.seated(ROLES)}
    listed = answers(session)
    notes = [t("ranked.answers", n=len(listed))] + [
        t(f"ranked.{name}") for name in ("script", "lexical") if name in seated
    ]
    facts = (
        [(t("ranked.accepted"), t("asked.comma").join(accepted(session)))]
        if accepted(session)
        else []
    )
    passages = [
        CitedPassage(n=n, head=one.name, text=with_query(one))
        for n, one in enumerate(listed, 1)
    ]
    return [
        Block(
            kind="task",
            heading="",
            text=question(session),
            notes=notes,
            facts=facts,
            passages=passages,
        )
    ]


def block(event: Event, session: Session) -> Block:
    """One event."""
    block = shared(event)
    match event:
        case Ranking():
            name = criterion_name(event.criterion)
            block.remark = (
                t("ranked.turned", criterion=name) if event.turn == 2 else name
            )
            read_as(block, event.reason)
            if event.order:
                block.facts = [(t("ranked.order"), in_order(event.order))]
            block.facts.append((t("ranked.shown"), t("asked.comma").join(event.shown)))
            block.scores = [
                (each, f"{score:.2f}", "") for each, score in event.scores.items()
            ]
        case RankResult():
            for criterion, scores in event.scores.items():
                best = in_order(order_of(event, criterion))
                block.facts.append((criterion_name(criterion), best))
                block.scores += [
                    _score(event, criterion, name, score)
                    for name, score in scores.items()
                ]
            block.notes = (
                [
                    t(
                        "ranked.unread",
                        names=t("asked.comma").join(map(criterion_name, event.unread)),
                    )
                ]
                if event.unread
                else []
            )
            block.notes += [
                t("ranked.consistent", criterion=criterion_name(name), share=share)
                for name, share in event.consistent.items()
            ]
    return block


def with_query(answer: RankedItem) -> str:
    """The text of an answer, and the query that its system would search with next."""
    text, query = answer.text or t("ranked.empty"), answer.revised_query
    if query is None:
        return text
    return f"{text}\n\n{t('ranked.revised')} {query or t('ranked.no_query')}"


def criterion_name(criterion: str) -> str:
    """The name of a criterion; the word itself where a newer version knows more."""
    if has(f"ranked.{criterion}"):
        return t(f"ranked.{criterion}")
    return criterion


def in_order(order: Sequence[str | Sequence[str]]) -> str:
    """`a > b = c`"""
    return " > ".join(one if isinstance(one, str) else " = ".join(one) for one in order)


def order_of(result: RankResult, criterion: str) -> list[list[str]]:
    """The names under a criterion, those of one rank together, the best first."""
    ranks = result.ranks.get(criterion, {})
    return [
        [name for name, rank in ranks.items() if rank == value]
        for value in sorted(set(ranks.values()))
    ]


def _score(
    result: RankResult, criterion: str, name: str, score: float
) -> tuple[str, str, str]:
    """A row of the table: criterion and name, rank and score, and whether it is of high
    quality.
    """
    rank = result.ranks[criterion][name]
    good = result.high_quality.get(criterion, {}).get(name)
    return (
        f"{criterion_name(criterion)} · {name}",
        t("ranked.figure", rank=rank, score=score),
        t("ranked.high_quality") if good else "",
    )
