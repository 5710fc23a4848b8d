"""What an export shows of the events of the relevance workspace."""

from __future__ import annotations

from typing import Any

from ..events import Agreement, Demonstrations, Event, Facts, Judgement, Label, RelevanceResult, Score
from ..session import Header
from .blocks import Block

STEPS = {
    "facts-material": "material facts",
    "facts-legal": "legal facts",
    "judgement-material": "the judgement of material facts",
    "judgement-legal": "the judgement of legal facts",
}


def fill(block: Block, event: Event) -> bool:
    """Puts what is particular to an event of this workspace into its block; False if it is of another workspace."""
    match event:
        case Demonstrations():
            block.heading = f"Demonstrations for {STEPS[event.step]}"
            block.facts = [(one.id, _chosen(one.score, one.relevant)) for one in event.items] or [("Demonstrations", "none")]
        case Facts():
            _facts(block, event)
        case Judgement():
            _judgement(block, event)
        case Score():
            block.facts = [("Score", "none: a judgement could not be read" if event.value is None else str(event.value))]
        case Label():
            _label(block, event)
        case RelevanceResult():
            block.facts = result_facts(event)
        case _:
            return False
    return True


def with_cases(header: Header, made: list[Block]) -> list[Block]:
    """The query and each candidate before the first block about it; those that nothing was said about come last."""
    listed = header.task.get("candidates")
    cases = {"Query": header.task.get("query")}
    cases |= {f"Candidate {one.get('id')}": one for one in listed if isinstance(one, dict)} if isinstance(listed, list) else {}
    waiting = {part: _case(part, one) for part, one in cases.items() if isinstance(one, dict)}
    found: list[Block] = []
    for block in made:
        case = waiting.pop(block.part or "", None)
        found += [block] if case is None else [case, block]
    return [*found, *waiting.values()]


def _case(part: str, case: dict[str, Any]) -> Block:
    gold = [("Level in the data", str(case["gold"]))] if case.get("gold") is not None else []
    return Block(number=0, kind="case", heading=str(case.get("title") or part), text=str(case.get("text", "")), facts=gold, part=part)


def result_facts(event: RelevanceResult) -> list[tuple[str, str]]:
    """The result as pairs of label and text."""
    pairs = zip(event.ranking, event.scores, strict=False)
    ranking = ", ".join(f"{name} ({'not read' if value is None else value})" for name, value in pairs)
    facts = [("Ranking, with scores", ranking or "none")]
    facts += [("Not read", str(event.unread))] if event.unread else []
    return [*facts, *((f"Cohen's kappa of {' and '.join(one.raters)}", _kappas(one)) for one in event.agreement)]


def _chosen(score: float | None, relevant: bool | None) -> str:
    told = ["drawn at random" if score is None else f"BM25 {score:.2f}"]
    return ", ".join([*told, *({True: ["relevant"], False: ["not relevant"], None: []}[relevant])])


def _facts(block: Block, event: Facts) -> None:
    if event.read != "unread" or event.edited:
        block.text, block.raw = "", event.text
        block.facts = [(f"{event.kind.capitalize()} fact {number}", one.text) for number, one in enumerate(event.items, 1)]
        block.facts = block.facts or [(f"{event.kind.capitalize()} facts", "none")]
    block.facts += _limits(event.left_out, event.pieces)
    block.facts += [("Edited", "the list was changed by a person")] if event.edited else []


def _judgement(block: Block, event: Judgement) -> None:
    told = {True: "relevant", False: "not relevant", None: "not read"}[event.relevant]
    if event.relevant is not None:
        block.text, block.raw = event.reason, event.text
    block.facts = [(f"{event.kind.capitalize()} facts", told), *_limits(event.left_out, 1)]


def _label(block: Block, event: Label) -> None:
    block.facts = [("Level", "undecided" if event.value is None else str(event.value)), ("Annotator", event.annotator or "not named")]
    block.facts += [("Machine's judgement", "had been seen" if event.seen_machine else "had not been seen")]
    block.facts += [("Seconds", f"{event.seconds:.1f}")] if event.seconds else []


def _limits(left_out: int, pieces: int) -> list[tuple[str, str]]:
    facts = [("Left out", f"{left_out:,} characters that did not fit")] if left_out else []
    return [*facts, ("Read in pieces", str(pieces))] if pieces > 1 else facts


def _kappas(one: Agreement) -> str:
    named = (("material", one.material), ("legal", one.legal), ("four levels, quadratic weights", one.levels))
    told = (f"{name} {'undefined' if value is None else f'{value:.2f}'}" for name, value in named)
    return f"{', '.join(told)} ({one.pairs} candidates)"
