"""Everything that can happen in a session, one struct per event.

The field names are a public contract: docs/session-format.md lists them, `verifytui schema` prints them as JSON Schema.
Adding a field is free; renaming or dropping one is not.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Read = Literal["schema", "json", "sliced", "literal", "repaired", "unread"]
"""How a value was read from text, best first; `unread` means there is no value."""


class Event(msgspec.Struct, kw_only=True, tag_field="event"):
    """What all events have. `number` and `time` are given by the journal when the event is written."""

    number: int = 0
    """Position in the session, from 1."""
    time: str = ""
    """UTC, ISO 8601 with milliseconds and `Z`."""


class Usage(msgspec.Struct, kw_only=True):
    """Tokens of one event, summed over all its attempts. None is "unknown", which is not 0."""

    input: int | None = None
    output: int | None = None
    estimated: bool = False
    """True where any part of the figures is not the provider's own."""


class Change(Event, tag="change", kw_only=True):
    """The user changed something in mid-session: `title`, `settings.NAME` or `lineup.ROLE`. Holds from the next call."""

    field: str
    old: object = None
    new: object = None


class Failure(Event, tag="failure", kw_only=True):
    """A call that brought nothing to keep. Engines ignore it; totals count its usage."""

    role: str
    kind: str
    """A word for programs: the kinds are listed in engines/models/port.py."""
    message: str
    """One sentence for people."""
    model: str = ""
    usage: Usage | None = None
    cost: float | None = None
    seconds: float = 0.0
    attempts: int = 1


class Note(Event, tag="note", kw_only=True):
    """A remark by a person, about an event (its number), a candidate (its id) or the whole session (None)."""

    text: str
    about: int | str | None = None


class Made(Event, kw_only=True):
    """What all events made by a model, a built-in or a person have."""

    role: str
    model: str = ""
    """The real id that answered, or `human`, `script`, `lexical`."""
    text: str = ""
    """The reply as it came, without its reasoning."""
    reasoning: str | None = None
    usage: Usage | None = None
    cost: float | None = None
    """US dollars; None is unknown."""
    seconds: float = 0.0
    finish: str | None = None
    """Why the model stopped: `stop`, `length`, `content_filter` …; None if it did not say."""
    attempts: int = 1
    cached: bool = False
    altered: bool = False
    """True if the text held lone surrogates, which became U+FFFD."""
    dropped: list[str] = []
    """Parameters that the model does not take and that were left out."""


class Baseline(Made, tag="baseline", kw_only=True):
    """Debate, seeded opening: the answer that the first debater will defend. Outside the debate history."""

    read: Read = "unread"
    answer: str | None = None


class Speech(Made, tag="speech", kw_only=True):
    """One debater's argument in one round; `answer` is what its closing line states, None if there is none."""

    round: int
    answer: str | None = None


class Stance(Made, tag="stance", kw_only=True):
    """The observer's rating of how far the debaters disagree in a round: 0 they agree, 1 they oppose, None unread."""

    round: int
    value: float | None = None
    read: Read = "unread"


class Verdict(Made, tag="verdict", kw_only=True):
    """The judge's word after a round (discriminative) or at the limit (extractive). None is unread or not named."""

    round: int
    mode: Literal["discriminative", "extractive"]
    preference: bool | None = None
    supported_side: str | None = None
    """A role, `tie`, or None."""
    reason: str = ""
    answer: str | None = None
    read: Read = "unread"


class Candidates(Made, tag="candidates", kw_only=True):
    """First step of the extractive judge: the different answers that the debate brought up."""

    round: int
    items: list[str] = []
    read: Read = "unread"


class Disagreement(msgspec.Struct, kw_only=True):
    """How far debaters disagreed: mean over pairs, per round; None where no pair could be compared."""

    mode: Literal["answer", "stance", "none"]
    per_round: list[float | None] = []
    mean: float | None = None
    excluded: int = 0
    """Pairs (mode `answer`) or rounds (mode `stance`) that could not be measured."""


class DebateResult(Event, tag="result", kw_only=True):
    """How a debate ended."""

    answer: str | None
    decided_by: Literal["discriminative", "extractive", "undecided"]
    supported_side: str | None = None
    side_by: Literal["judge", "match"] | None = None
    rounds: int = 0
    adaptive_round: int | None = None
    """Under `--stop forced`: the round after which the adaptive rule would have ended the debate."""
    disagreement: Disagreement | None = None


DebateEvent = Change | Failure | Note | Baseline | Speech | Stance | Verdict | Candidates | DebateResult


class Reference(msgspec.Struct, kw_only=True):
    """One passage that an answer may cite."""

    n: int
    """The number in the brackets of a citation, from 1."""
    id: str
    title: str = ""
    file: str | None = None
    """The document it stands in, as the index knows it; an address for a page of the web."""
    start: int | None = None
    """Offsets into the document's text, in characters; None where there is no document."""
    end: int | None = None
    score: float | None = None
    """The retriever's own figure (BM25 for a corpus); None where it gave none."""
    text: str = ""
    embed_score: float | None = None
    """Cosine similarity of the embedding model, with `--embed`."""
    rerank_score: float | None = None
    """The reranking model's figure, with `--rerank`."""
    flags: list[str] = []
    """`instructions`: it talks to the model; `marks`: it carries forged `[n]` marks; `snippet`: only a search engine's excerpt."""
    pinned: bool = False
    """Kept by the user in every later retrieval."""


class Retrieval(Event, tag="retrieval", kw_only=True):
    """RAG: what was found for a query. Empty `references`: nothing was."""

    iteration: int
    """From 1."""
    query: str
    references: list[Reference] = []
    dropped: list[str] = []
    """Ids that the user removed; they do not come back in later iterations."""
    unknown: list[str] = []
    """Words of the query that no document has."""
    message: str | None = None
    """Why nothing was found, in one sentence."""
    retriever: str = ""
    """What searched: `corpus`, `given`, `web:NAME`, `http`."""
    usage: Usage | None = None
    """Of the embedding and reranking models, None where there were none."""
    cost: float | None = None
    seconds: float = 0.0


class RagAnswer(Made, tag="answer", kw_only=True):
    """RAG: the answer from the references of this iteration."""

    iteration: int
    answer: str | None = None
    citations: list[int] = []
    """The numbers cited, in order of their first place, also those of references that are not there."""


class Sentence(msgspec.Struct, kw_only=True):
    """One sentence of an answer, as the check without a model sees it."""

    text: str
    citations: list[int] = []
    support: float | None = None
    """How far the passages it cites hold its words, 0 to 1; None without a citation that exists."""


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


class Verification(Made, tag="verification", kw_only=True):
    """RAG: the verifier's word on an answer (CoV-RAG, section 3). Scores are 0 to 1; **bias: 1 is bad**; None is unread.

    With `chain` off, and for a question rewritten before the first retrieval (iteration 0), the reviser gives the revised query alone.
    """

    iteration: int
    reference_correctness: float | None = None
    correctness: float | None = None
    citation_accuracy: float | None = None
    truthfulness: float | None = None
    bias: float | None = None
    conciseness: float | None = None
    judgement: Literal["true", "false", "unclear"] | None = None
    revised_query: str | None = None
    """"" when nothing needs revision; None is unread."""
    read: Read = "unread"
    problems: list[str] = []
    """What of the reply could not be read, a sentence each: `bias: 7 is outside 0..1`."""
    edited: bool = False
    """True if the user has changed the revised query."""


class Clause(msgspec.Struct, kw_only=True):
    """One condition of the indicator of Algorithm 1."""

    name: str
    """A score, `judgement` or `revised_query`."""
    value: float | str | None
    bound: float | str
    holds: bool | None
    """True where it speaks for a revision; None where the value is unread."""


class Decision(Event, tag="decision", kw_only=True):
    """RAG: whether to retrieve again; the rule alone decides. None: the verification could not be read, nothing is made up."""

    iteration: int
    rule: str
    """`nonempty`, `thresholds-all`, `thresholds-any`; `person` where the user decided."""
    clauses: list[Clause] = []
    revise: bool | None = None


class RagResult(Event, tag="result", kw_only=True):
    """How a question ended."""

    answer: str | None
    iterations: int
    """Answers that were given."""
    stopped_by: Literal["indicator", "limit", "repeated-query", "unread", "no-references", "single"]
    kept: int | None = None
    """The iteration whose answer this is: the last, or the best verified with `--keep best`."""


RagEvent = Change | Failure | Note | Retrieval | RagAnswer | Check | Verification | Decision | RagResult


class DemonstrationItem(msgspec.Struct, kw_only=True):
    """One demonstration that was chosen for a stage."""

    id: str
    """`GROUP/query` or `GROUP/LEVEL` for facts, `GROUP/LEVEL` for a judged pair."""
    score: float | None = None
    """BM25 over the demonstrations' inputs of that stage; None where it was drawn at random."""
    relevant: bool | None = None
    """How the demonstrated pair is judged in that stage; None for facts."""


Stage = Literal["facts-material", "facts-legal", "judgement-material", "judgement-legal"]


class Demonstrations(Event, tag="demonstrations", kw_only=True):
    """Relevance: the demonstrations chosen for a stage (LCR, adaptive demo matching)."""

    step: Stage
    candidate: str | None = None
    """The candidate's id; None for the query's facts."""
    items: list[DemonstrationItem] = []


class FactItem(msgspec.Struct, kw_only=True):
    """One fact, and where in the case it was found again: offsets in characters, None where it was not."""

    text: str
    start: int | None = None
    end: int | None = None


class Facts(Made, tag="facts", kw_only=True):
    """Relevance: what was extracted from a case; material facts from its text, legal facts from the material ones."""

    kind: Literal["material", "legal"]
    case: str
    """`query`, or the candidate's id."""
    items: list[FactItem] = []
    read: Read = "unread"
    left_out: int = 0
    """Characters of the input that did not fit into the budget and were left out."""
    pieces: int = 1
    """Parts in which the case was read, where it was too long for one call."""
    edited: bool = False
    """True if a person has changed the list."""


class Judgement(Made, tag="judgement", kw_only=True):
    """Relevance: whether query and candidate are relevant to each other in one kind of facts. None is unread."""

    kind: Literal["material", "legal"]
    candidate: str
    relevant: bool | None = None
    reason: str = ""
    read: Read = "unread"
    left_out: int = 0
    """As in `facts`."""


class Score(Event, tag="score", kw_only=True):
    """Relevance: 1 x material + 2 x legal, 0 to 3; None if either is unread."""

    candidate: str
    value: int | None = None


class Label(Event, tag="label", kw_only=True):
    """Relevance: a person's own level for a candidate; None: undecided, or taken back."""

    candidate: str
    value: int | None = None
    annotator: str = ""
    seen_machine: bool = False
    """Whether the machine's judgement had been on the screen before."""
    seconds: float = 0.0
    """How long the candidate had been in front."""


class Agreement(msgspec.Struct, kw_only=True):
    """How far two raters of a session agree: Cohen's kappa, None where it is undefined."""

    raters: list[str]
    """Two of `machine`, `gold` and annotators' names."""
    pairs: int
    """Candidates that both have rated."""
    material: float | None = None
    legal: float | None = None
    levels: float | None = None
    """Four levels, quadratic weights."""


class RelevanceResult(Event, tag="result", kw_only=True):
    """How a query's candidates came out."""

    ranking: list[str]
    """Candidate ids, most relevant first; equal ones in the order given; unread ones last."""
    scores: list[int | None] = []
    """In the order of `ranking`."""
    unread: int = 0
    agreement: list[Agreement] = []
    """Where labels are known."""


RelevanceEvent = Change | Failure | Note | Demonstrations | Facts | Judgement | Score | Label | RelevanceResult

EVENTS: dict[str, object] = {"debate": DebateEvent, "rag": RagEvent, "relevance": RelevanceEvent}
"""The union of event types of each workspace, as msgspec reads and writes them."""
