"""What an export shows of the events of the RAG workspace."""

from __future__ import annotations

from ..events import Check, Clause, Decision, Event, RagAnswer, RagResult, Reference, Retrieval, Verification
from .blocks import Block, Passage, money

SCORES = ("reference_correctness", "correctness", "citation_accuracy", "truthfulness", "bias", "conciseness")
"""In the order in which the verifier gives them."""

STOPPED = {
    "indicator": "the decision: no revision was called for",
    "limit": "the limit of iterations",
    "repeated-query": "a revised query that had been used already",
    "unread": "a verification that could not be read; the answer is kept as it was",
    "no-references": "a query that found no references",
    "single": "nobody: it was to be answered once",
}

FLAGS = {
    "instructions": "talks to the model",
    "marks": "holds forged marks of citations",
    "snippet": "only a search engine's excerpt",
}


def fill(block: Block, event: Event) -> bool:
    """Puts what is particular to an event of this workspace into its block; False if it is of another workspace."""
    match event:
        case Retrieval():
            _retrieval(block, event)
        case RagAnswer():
            if event.answer is not None:
                block.raw = None if event.answer.strip() == event.text.strip() else event.text
                block.text = event.answer
            block.facts = [("Cites", ", ".join(f"[{n}]" for n in event.citations))] if event.citations else []
        case Check():
            block.facts = _check(event)
        case Verification():
            _verification(block, event)
        case Decision():
            revise = {True: "yes, retrieve again", False: "no", None: "undecided: the verification could not be read"}[event.revise]
            block.facts = [("Rule", event.rule), *((_spaced(one.name), _clause(one)) for one in event.clauses), ("Revise", revise)]
        case RagResult():
            block.facts = result_facts(event)
        case _:
            return False
    return True


def result_facts(event: RagResult) -> list[tuple[str, str]]:
    """The result as pairs of label and text."""
    facts = [("Answer", "none" if event.answer is None else event.answer)]
    facts += [("Iterations", str(event.iterations)), ("Stopped by", STOPPED[event.stopped_by])]
    return facts if event.kept is None else [*facts, ("Answer of iteration", str(event.kept))]


def _retrieval(block: Block, event: Retrieval) -> None:
    block.meta = [event.retriever] if event.retriever else []
    block.meta += [f"{event.seconds:.1f} s"] if event.seconds else []
    block.meta += [money(event.cost)] if event.cost else []
    block.facts = [("Query", event.query)]
    block.facts += [("Words that no document has", ", ".join(event.unknown))] if event.unknown else []
    block.facts += [("Dropped", ", ".join(event.dropped))] if event.dropped else []
    block.facts += [("Nothing found" if not event.references else "Remark", event.message)] if event.message else []
    block.passages = [Passage(n=one.n, head=_head(one), text=one.text) for one in event.references]


def _head(one: Reference) -> str:
    figures = (("score", one.score), ("embedding", one.embed_score), ("reranked", one.rerank_score))
    parts = [one.title or one.id, *([one.file] if one.file and one.file != one.title else [])]
    parts += [f"{name} {value:.3g}" for name, value in figures if value is not None]
    return " · ".join([*parts, *(["pinned"] if one.pinned else []), *(FLAGS.get(flag, flag) for flag in one.flags)])


def _check(event: Check) -> list[tuple[str, str]]:
    facts = [("Measure of support", event.measure)] if event.measure else []
    facts += [("Cites what is not there", ", ".join(f"[{n}]" for n in event.unknown))] if event.unknown else []
    facts += [("Empty brackets", str(event.empty))] if event.empty else []
    facts.append(("Sentences without a citation", f"{event.uncited} of {len(event.sentences)}"))
    for number, one in enumerate(event.sentences, 1):
        support = "no support measured" if one.support is None else f"support {one.support:.2f}"
        facts.append((f"Sentence {number}", f"{support}: {one.text}"))
    return facts


def _verification(block: Block, event: Verification) -> None:
    if event.read != "unread":
        block.text, block.raw = "", event.text
    if any(getattr(event, name) is not None for name in SCORES) or event.judgement is not None:
        block.scores = [(_spaced(name), _figure(getattr(event, name)), "1 is bad" if name == "bias" else "") for name in SCORES]
        block.facts = [("Judgement", event.judgement or "not read")]
    if event.revised_query is None:
        block.facts.append(("Revised query", "not read"))
    else:
        block.facts.append(("Revised query", event.revised_query or "none: nothing needs revision"))
    block.facts += [("Edited", "the revised query was changed by a person")] if event.edited else []
    block.facts += [("Not read", problem) for problem in event.problems]


def _clause(one: Clause) -> str:
    holds = {True: "speaks for a revision", False: "does not", None: "not read"}[one.holds]
    value = one.value if isinstance(one.value, str) else _figure(one.value)
    bound = one.bound if isinstance(one.bound, str) else f"{'>' if one.name == 'bias' else '<'} {one.bound:g}"
    return f"{value or 'empty'} ({bound}): {holds}"


def _figure(value: float | None) -> str:
    return "not read" if value is None else f"{value:.2f}"


def _spaced(name: str) -> str:
    return name.replace("_", " ").capitalize()
