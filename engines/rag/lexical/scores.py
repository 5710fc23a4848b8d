"""The verifier of `lexical`: scores and a judgement from word overlap.

The formulas are in docs/lexical.md.

It gives five of the paper's six scores. Bias is how far an answer departs from what the
verifier itself knows to be right (Appendix A), and word overlap has no such knowledge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from ....sessions.events import Reference
from ..abstention import abstains
from .asserting import asserts
from .extract import Levels, around, level
from .overlap import Glossary, Weights, share, size, split

SHORT = 40.0
"""Words of an answer (two Chinese characters are one) that is as short as one may wish.
"""

Judgement = Literal["true", "false", "unclear"]


class LexicalScores(NamedTuple):
    """Each from 0 to 1."""

    reference_correctness: float
    correctness: float
    citation_accuracy: float
    truthfulness: float
    conciseness: float
    unsupported: float
    """What the answer adds to the question and no reference holds.

    Not one of the paper's scores: 1 is bad.
    """

    @property
    def judgement(self) -> Judgement:
        """An answer that is mostly absent from the references is false, whatever its
        other scores.
        """
        if self.unsupported > 0.7 or 0 < self.correctness < 0.3:
            return "false"
        if (
            self.unsupported <= 0.3
            and self.correctness >= 0.6
            and self.truthfulness >= 0.8
        ):
            return "true"
        return "unclear"


NOTHING = LexicalScores(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def scores(
    glossary: Glossary, question: str, answer: str, references: Sequence[Reference]
) -> LexicalScores:
    """The scores.

    An answer that says nothing, only that the references do not hold it, or only what
    the question says, asserts nothing: judged unclear.
    """
    wanted = glossary.meant(question)
    passages = {reference.n: words(glossary, reference) for reference in references}
    best = max((share(wanted, passage) for passage in passages.values()), default=0.0)
    said = [(glossary.weights(text), cited) for text, cited in split(answer)]
    said = [(weights, cited) for weights, cited in said if weights]
    if not said or abstains(answer) or not asserts(glossary, question, answer):
        return NOTHING._replace(reference_correctness=best)
    everything: Weights = {
        word: weight for weights, _ in said for word, weight in weights.items()
    }
    held = frozenset().union(*passages.values())
    new = {word: weight for word, weight in everything.items() if word not in wanted}
    cited_support = [
        share(
            weights, frozenset().union(*(passages.get(n, frozenset()) for n in cited))
        )
        for weights, cited in said
    ]
    return LexicalScores(
        reference_correctness=best,
        correctness=_correctness(
            glossary, wanted, [weights for weights, _ in said], references
        ),
        citation_accuracy=sum(cited_support) / len(cited_support),
        truthfulness=share(everything, held),
        unsupported=max(0.0, 1 - share(new, held)) if new else 0.0,
        conciseness=min(
            1.0, SHORT / max(1.0, size(" ".join(text for text, _ in split(answer))))
        ),
    )


def words(glossary: Glossary, reference: Reference) -> frozenset[str]:
    """All content words of a passage and the words of its title."""
    return glossary.title(reference).union(
        *(
            sentence.words
            for sentence in glossary.sentences(reference.text, reference.n)
        )
    )


def _correctness(
    glossary: Glossary,
    wanted: Weights,
    weightings: Sequence[Weights],
    references: Sequence[Reference],
) -> float:
    """Return how much of the question occurs around those places of the references that
    support the answer.
    """
    whole = sum(wanted.values())
    if not whole:
        return 0.0
    bases = [_basis(glossary, wanted, weights, references) for weights in weightings]
    covered = max(
        support * sum(weight * level(word, levels) for word, weight in wanted.items())
        for support, levels in bases
    )
    return covered / whole * min(1.0, len(wanted) / 2)


def _basis(
    glossary: Glossary,
    wanted: Weights,
    weights: Weights,
    references: Sequence[Reference],
) -> tuple[float, Levels]:
    """The sentence of the references that holds most of what a sentence of the answer
    adds to the question, and how much it holds.
    """
    added = {
        word: weight for word, weight in weights.items() if word not in wanted
    } or weights
    whole, found = sum(added.values()), (0.0, 0.0)
    levels: Levels = ()
    for reference in references:
        read = glossary.sentences(reference.text, reference.n)
        for place, one in enumerate(read):
            support = (
                sum(weight for word, weight in added.items() if word in one.words)
                / whole
                if whole
                else 0.0
            )
            if (
                support >= found[0]
                and support
                and (support, covers := share(wanted, one.words)) > found
            ):
                found, levels = (
                    (support, covers),
                    around(read, place, glossary.title(reference)),
                )
    return found[0], levels
