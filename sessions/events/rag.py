"""Events of a question answered from references and verified (CoV-RAG)."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from . import Change, Event, Failure, Note, Read, Reference, ReplyEvent, Result, Usage


class Retrieval(Event, tag="retrieval", kw_only=True):
    """RAG: what was found for a query. Empty `references`: nothing was."""

    rare: ClassVar[frozenset[str]] = frozenset({"left_out", "vectors_by", "index"})

    iteration: int
    """From 1."""
    query: str
    references: list[Reference] = []
    dropped: list[str] = []
    """Ids that the user removed; they do not come back in later iterations."""
    unknown: list[str] = []
    """Words of the query that no document has."""
    message: str | None = None
    """Why nothing was found, or what could not be read, in one sentence each."""
    retriever: str = ""
    """What searched: `corpus`, `given`, `web:NAME`, `http`."""
    left_out: dict[str, int] = {}
    """How many passages were skipped, by the setting that says so: `duplicates`,
    `per_document`.
    """
    vectors_by: str = ""
    """The model of the corpus' vectors that were searched, as it called itself; empty
    where none were.
    """
    index: str = ""
    """A digest of the corpus that was searched: of its documents and how they were cut
    and tokenised. Empty for other retrievers, and in older files.
    """
    altered: bool = False
    """True if a reference held lone surrogates, which became U+FFFD, or a key that was
    sent, which is hidden.
    """
    usage: Usage | None = None
    """Of the embedding and reranking models, None where there were none."""
    cost: float | None = None
    seconds: float = 0.0


class RagAnswer(ReplyEvent, tag="answer", kw_only=True):
    """RAG: the answer from the references of this iteration."""

    iteration: int
    answer: str | None = None
    citations: list[int] = []
    """The numbers cited, in order of their first place, also those of references that
    are not there.
    """


class Sentence(msgspec.Struct, kw_only=True):
    """One sentence of an answer, as the check without a model sees it."""

    text: str
    citations: list[int] = []
    support: float | None = None
    """How far the passages it cites hold its words, 0 to 1; None without a citation
    that exists.
    """


class Check(Event, tag="check", kw_only=True):
    """RAG: a second opinion on the citations, computed, without a model."""

    iteration: int
    sentences: list[Sentence] = []
    unknown: list[int] = []
    """Numbers cited that no reference has."""
    empty: int = 0
    """Brackets with nothing in them."""
    uncited: int = 0
    """Sentences without a citation."""
    measure: str = ""
    """Name of the measure of `support`."""


class Verification(ReplyEvent, tag="verification", kw_only=True):
    """RAG: the verifier's word on an answer (CoV-RAG, Appendix A).

    Scores are 0 to 1; **bias: 1 is bad**; None is unread or not measured.

    The reviser gives the revised query alone: with `chain` off, before the first
    retrieval (iteration 0), and after a verifier who judged an answer not true and gave
    no query. Then its query goes with the verifier's scores.
    """

    iteration: int
    reason: str = ""
    """Why it judges so, in its own words; "" where it gave none."""
    reference_correctness: float | None = None
    correctness: float | None = None
    citation_accuracy: float | None = None
    truthfulness: float | None = None
    bias: float | None = None
    conciseness: float | None = None
    judgement: Literal["true", "false", "unclear"] | None = None
    revised_query: str | None = None
    """"" when nothing needs revision; None is unread.

    A query beside the judgement `true` is kept here and not used.
    """
    read: Read = "unread"
    problems: list[str] = []
    """What of the reply could not be read, a sentence each: `bias: 7 is outside 0..1`.
    """
    unmeasured: list[str] = []
    """Scores that this verifier cannot give. They are None, and no rule looks at them.
    """
    edited: bool = False
    """True if the user has changed the revised query."""


Verdict = Literal["supported", "contradicted", "not-found"]


class Claim(msgspec.Struct, kw_only=True):
    """One claim and what the text it was held against says of it."""

    text: str
    """The claim in the words of the model that split the text; a nugget as given."""
    verdict: Verdict | None = None
    """None is unread: the verifier gave none, or named a passage that is not there."""
    n: int | None = None
    """The passage that supports or contradicts it; None where none does, and for
    nuggets.
    """
    words: str | None = None
    """The words of that passage (of the answer for nuggets), exactly as they are in
    it; None where the verifier gave none that do.
    """
    also: list[int] = []
    """Further passages each of which supports the claim, too."""
    sentence: int | None = None
    """The sentence of the answer with the claim, from 1, as `check` counts them; None
    if not stated.
    """


class Claims(ReplyEvent, tag="claims", kw_only=True):
    """RAG: a text split into claims, each held against the references (`answer`,
    `accepted`) or the answer (`nuggets`).
    """

    iteration: int
    of: Literal["answer", "accepted", "nuggets"] = "answer"
    """Whose claims: of the answer, of the accepted answer, or the nuggets that an
    answer is to hold.
    """
    items: list[Claim] = []
    """Empty where it is read: the text claims nothing."""
    read: Read = "unread"
    problems: list[str] = []
    """Values that could not be read, or are not where the reply claims them to be, one
    sentence each.
    """
    measure: str = ""
    """Name of the formula where one decided; "" where the verifier judged."""


class Clause(msgspec.Struct, kw_only=True):
    """One condition of the indicator of Algorithm 1."""

    name: str
    """A score, `judgement`, `revised_query`, `claims` (its value is the supported of
    all, `3/5`), or `abstention`: the answer does not answer.
    """
    value: float | str | None
    bound: float | str
    holds: bool | None
    """True where it speaks for a revision; None where the value is unread."""


class Decision(Event, tag="decision", kw_only=True):
    """RAG: whether to retrieve again; the rule alone decides.

    None: the verification could not be read, nothing is made up.
    """

    iteration: int
    rule: str
    """`nonempty`, `claims`, `thresholds-all`, `thresholds-any`; `person`: the user.
    """
    clauses: list[Clause] = []
    revise: bool | None = None


class RagResult(Result, tag="result", kw_only=True):
    """How a question ended."""

    answer: str | None
    iterations: int
    """Answers that were given."""
    stopped_by: Literal[
        "indicator", "limit", "repeated-query", "unread", "no-references", "single"
    ]
    kept: int | None = None
    """The iteration whose answer this is: the last that answers, or the best verified
    with `--keep best`.
    """


EVENTS = (
    Change
    | Failure
    | Note
    | Retrieval
    | RagAnswer
    | Check
    | Verification
    | Claims
    | Decision
    | RagResult
)
