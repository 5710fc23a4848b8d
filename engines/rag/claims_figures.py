"""Figures from the claims of an answer: how faithful it is, how good its citations are,
and how much the references and the answer contain.

Faithfulness and context recall are those of ragas (Es et al., 2023). Citation recall
and precision are those of ALCE (Gao et al., 2023, § 3.3), with single claims instead of
its inference model. Nugget recall is the strict one of TREC's RAG track (Pradeep et
al., 2024).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...sessions.events.rag import Check, Claim, Claims
from ...sessions.session import Session
from .abstention import abstains
from .plan import (
    ACCEPTED_ID,
    RagIteration,
    accepted_answer,
    in_force,
    kept_turn,
    latest,
    setting,
)

ANSWER = ("faithfulness", "contradicted", "citation_recall", "citation_precision")
"""Figures of an answer's own claims. `contradicted` alone is better the lower it is."""
FIGURES = (*ANSWER, "context_recall", "nugget_recall", "nugget_recall_vital")
"""All, each a share from 0 to 1."""


@dataclass
class ClaimFigures:
    """The figures of one session in which claims were to be checked."""

    values: dict[str, float] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    """Figures that it should have and has not, and why: `unread`, `no-references`,
    `undecided`.
    """
    items: Sequence[Claim] = ()
    """The claims of the answer."""

    @property
    def verdicts(self) -> dict[str, int]:
        """Return how many claims of the answer have each verdict."""
        given = [item.verdict or "unread" for item in self.items]
        return {
            name: given.count(name)
            for name in ("supported", "contradicted", "not-found", "unread")
        }

    def take(self, names: Collection[str], values: Mapping[str, float] | None) -> None:
        """Add figures; None: their basis could not be read.

        Names without a value have nothing to measure.
        """
        if values is None:
            self.missing |= dict.fromkeys(names, "unread")
        else:
            self.values |= {name: values[name] for name in names if name in values}


def claimed(session: Session) -> ClaimFigures | None:
    """Return the figures of the claims of a finished session; None if no claims were to
    be checked.

    An answer that does not answer makes no claim, so it has no faithfulness and
    contains no nugget.
    """
    if not setting(session, "claims"):
        return None
    made, turn = ClaimFigures(), kept_turn(session)
    _of_answer(made, turn)
    _of_accepted(made, session, turn)
    _of_nuggets(made, session, turn)
    return made


def _of_answer(figures: ClaimFigures, turn: RagIteration | None) -> None:
    if turn is None or turn.answer is None:
        figures.missing |= dict.fromkeys(ANSWER, "no-references")
    elif not abstains(turn.answer.answer):
        said = turn.claims.get("answer")
        figures.items = said.items if said is not None else ()
        figures.take(ANSWER[:2], _shares(said))
        figures.take(
            ANSWER[2:],
            citations(said, turn.check, {one.n for one in in_force(turn.retrieval)}),
        )


def _of_accepted(
    figures: ClaimFigures, session: Session, turn: RagIteration | None
) -> None:
    """If nothing was found, no part of the accepted answer was found."""
    shown = turn or latest(session)
    references = in_force(shown.retrieval) if shown is not None else []
    if accepted_answer(session) is None or any(
        reference.id.startswith(ACCEPTED_ID) for reference in references
    ):
        return
    shares = (
        _shares(turn.claims.get("accepted"))
        if turn is not None and references
        else {"faithfulness": 0.0}
    )
    figures.take(
        ["context_recall"], shares and {"context_recall": shares["faithfulness"]}
    )


def _of_nuggets(
    figures: ClaimFigures, session: Session, turn: RagIteration | None
) -> None:
    listed = session.header.task.get("nuggets")
    vital = (
        [
            not isinstance(one, Mapping) or one.get("vital") is not False
            for one in listed
        ]
        if isinstance(listed, list)
        else []
    )
    answered = (
        turn is not None
        and turn.answer is not None
        and not abstains(turn.answer.answer)
    )
    said = turn.claims.get("nuggets") if answered and turn is not None else None
    if not vital or (
        answered and (said is None or len(said.items) != len(vital) or not _whole(said))
    ):
        figures.take(["nugget_recall", "nugget_recall_vital"] if vital else [], None)
        return
    held = (
        [item.verdict == "supported" for item in said.items]
        if said is not None
        else [False] * len(vital)
    )
    of_vital = [one for one, counts in zip(held, vital, strict=True) if counts]
    values = {"nugget_recall": sum(held) / len(held)} | (
        {"nugget_recall_vital": sum(of_vital) / len(of_vital)} if of_vital else {}
    )
    figures.take(["nugget_recall", "nugget_recall_vital"], values)


def _whole(claims: Claims | None) -> bool:
    """Return whether every claim has its verdict."""
    return (
        claims is not None
        and claims.read != "unread"
        and all(item.verdict is not None for item in claims.items)
    )


def _shares(claims: Claims | None) -> dict[str, float] | None:
    """Return the shares of claims that are supported and contradicted; none without
    claims. None: a verdict is missing.
    """
    if claims is None or not _whole(claims):
        return None
    verdicts: list[str | None] = [item.verdict for item in claims.items]
    if not verdicts:
        return {}
    named = (("faithfulness", "supported"), ("contradicted", "contradicted"))
    return {name: verdicts.count(word) / len(verdicts) for name, word in named}


def citations(
    said: Claims | None, check: Check | None, known: Collection[int]
) -> dict[str, float] | None:
    """Return citation recall and precision of an answer; none without claims.

    None: a verdict, or the sentence of a claim, is missing.

    `known`: the numbers of its references. A sentence without a claim does not count.
    Precision is 0 if nothing is cited.
    """
    if (
        said is None
        or check is None
        or not _whole(said)
        or any(item.sentence is None for item in said.items)
    ):
        return None
    sentences = [
        (check.sentences[place - 1].citations, claims)
        for place, claims in _by_sentence(said.items, len(check.sentences))
    ]
    if not sentences:
        return {}
    recalled = [
        _supported(cited, claims) and all(n in known for n in cited)
        for cited, claims in sentences
    ]
    counted = [
        right
        and (
            _supported([n], claims)
            or not _supported([other for other in cited if other != n], claims)
        )
        for right, (cited, claims) in zip(recalled, sentences, strict=True)
        for n in cited
    ]
    return {
        "citation_recall": sum(recalled) / len(recalled),
        "citation_precision": sum(counted) / len(counted) if counted else 0.0,
    }


def _by_sentence(
    items: Sequence[Claim], most: int
) -> Iterator[tuple[int, list[Claim]]]:
    for place in sorted(
        {
            item.sentence
            for item in items
            if item.sentence is not None and item.sentence <= most
        }
    ):
        yield place, [item for item in items if item.sentence == place]


def _supported(passages: Collection[int], claims: Sequence[Claim]) -> bool:
    """Return whether passages together support a sentence: for each of its claims, one
    of them supports it.
    """
    return all(
        claim.verdict == "supported"
        and any(n in passages for n in (claim.n, *claim.also))
        for claim in claims
    )
