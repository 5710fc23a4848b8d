"""What each role receives in a stage: the rendered messages, the task as data, and the
JSON Schema of the reply.

Cases, facts and demonstrations are data. Each is enclosed between marks. A mark is a
digest of the text it encloses, so no text can contain its own mark, and the prompt says
that nothing inside is an instruction. Demonstrations come before the case to judge, and
the query before the candidate: prompts share a long beginning, which servers can reuse
from their caches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

from ...prompts import render
from ...prompts.marks import mark
from ...sessions.session import Session
from ..cases.budget import cut, cut_list, pieces, shares
from ..models.port import Message, Task
from ..models.tokens import estimate
from ..thread import object_schema, reasoned_schema, system, user
from .matching import DemonstrationPool
from .plan import KINDS, Kind, RelevanceState, RelevanceStep, kind_of, setting
from .rendered_demonstrations import (
    DemonstrationBlock,
    NumberedFact,
    RenderedDemonstration,
    listed,
    numbered,
    shown,
)


class RelevanceTask(Task, kw_only=True):
    """The fields common to all tasks."""

    kind: Literal["material", "legal"]
    language: str
    """Language of the demonstration set, of its prompts and its reasons."""


class ExtractFacts(RelevanceTask, kw_only=True):
    """Role `extractor`: material facts from a case's text, legal facts from its
    material facts. The reply is {"facts": ["…", …]}.
    """

    text: str = ""
    """The case, or the part of it that is read in this call; empty for legal facts,
    which rest on the material ones alone.
    """
    material: list[str] = []
    """For legal facts: the material facts they rest on."""


class JudgeFactsTask(RelevanceTask, kw_only=True):
    """Role `annotator`: relevant or not, with the reason.

    The reply is a JSON object {"reason": "…", "relevant": true or false}.
    """

    query: list[str]
    """The facts of that kind; the case's text alone without extraction."""
    candidate: list[str]
    query_material: list[str] = []
    """For the legal judgement: the material facts that the legal facts rest on."""
    candidate_material: list[str] = []


_TEXTS = {"type": "array", "items": {"type": "string"}}
FACTS_SCHEMA = object_schema({"facts": _TEXTS})
LEGAL_SCHEMA = object_schema({"facts": _TEXTS, "secondary": _TEXTS})
JUDGEMENT_SCHEMA = reasoned_schema(relevant={"type": "boolean"})


class RelevanceCall(NamedTuple):
    """One call of a step."""

    messages: list[Message]
    task: RelevanceTask
    schema: dict[str, Any]
    left_out: int = 0
    """Characters of the input that were left out."""


def wishes(
    session: Session,
    step: RelevanceStep,
    pool: DemonstrationPool,
    fold: RelevanceState | None = None,
) -> list[RelevanceCall]:
    """Return the calls of one event: one, or one for each part of a long case.

    Raises: BadInput for a faulty template or set.
    """
    fold = fold or RelevanceState(session)
    if step.what == "facts":
        return _extracting(session, step, pool, fold)
    return [_judging(session, step, pool, fold)]


def _extracting(
    session: Session, step: RelevanceStep, pool: DemonstrationPool, fold: RelevanceState
) -> list[RelevanceCall]:
    kind, tokens = _kind(step), setting(session, "budget_tokens")
    common = {
        "kind": kind,
        "language": pool.language,
        "cache": setting(session, "cache") != "none",
        "fresh": fold.made_before(step),
        "repeat": setting(session, "repeat"),
    }
    made = []
    if kind == "legal":
        fitted = _fitted(session, _facts(fold, step.candidate, "material"), tokens)
        task = ExtractFacts(**common, material=fitted.facts)
        blocks = [DemonstrationBlock("name_material", fitted.text)]
        return [
            RelevanceCall(
                _thread(session, step, pool, fold, blocks),
                task,
                LEGAL_SCHEMA,
                fitted.left_out,
            )
        ]
    text = fold.text(step.candidate)
    parts, left_out = _parts(session, text, tokens)
    for number, part in enumerate(parts, 1):
        thread = _thread(
            session,
            step,
            pool,
            fold,
            [DemonstrationBlock("name_case", part)],
            piece=number,
            pieces=len(parts),
        )
        made.append(
            RelevanceCall(
                thread, ExtractFacts(**common, text=part), FACTS_SCHEMA, left_out
            )
        )
    return made


def _parts(session: Session, text: str, tokens: int) -> tuple[list[str], int]:
    if setting(session, "long") == "pieces":
        return pieces(text, tokens), 0
    part, left_out = cut(text, tokens, _mark_of(session))
    return [part], left_out


def _judging(
    session: Session, step: RelevanceStep, pool: DemonstrationPool, fold: RelevanceState
) -> RelevanceCall:
    kind, extraction = _kind(step), setting(session, "extraction")
    sides = (None, step.candidate)
    if extraction:
        wanted: list[tuple[Kind, str | None]] = [
            (one, side)
            for one in (("material",) if kind == "material" else KINDS)
            for side in sides
        ]
        lists = [_facts(fold, side, one) for one, side in wanted]
        needed = [sum(estimate(fact.line) for fact in facts) for facts in lists]
    else:
        wanted, lists = [(kind, side) for side in sides], []
        needed = [estimate(fold.text(side)) for side in sides]
    tokens = shares(needed, setting(session, "budget_tokens"))
    fitted = {}
    blocks = []
    left_out = 0
    for at, ((one, side), most) in enumerate(zip(wanted, tokens, strict=True)):
        name = "name_query" if side is None else "name_candidate"
        if extraction:
            found = _fitted(session, lists[at], most)
            fitted[one, side], missing = found.facts, found.left_out
            blocks.append(DemonstrationBlock(f"{name}_{one}", found.text))
        else:
            text, missing = cut(fold.text(side), most, _mark_of(session))
            fitted[one, side] = [text]
            blocks.append(DemonstrationBlock(name, text))
        left_out += missing
    task = JudgeFactsTask(
        kind=kind,
        language=pool.language,
        cache=setting(session, "cache") == "all",
        fresh=fold.made_before(step),
        repeat=setting(session, "repeat"),
        query=fitted[kind, None],
        candidate=fitted[kind, step.candidate],
        query_material=fitted.get(("material", None), []) if kind == "legal" else [],
        candidate_material=fitted.get(("material", step.candidate), [])
        if kind == "legal"
        else [],
    )
    return RelevanceCall(
        _thread(session, step, pool, fold, blocks), task, JUDGEMENT_SCHEMA, left_out
    )


def _thread(
    session: Session,
    step: RelevanceStep,
    pool: DemonstrationPool,
    fold: RelevanceState,
    blocks: list[DemonstrationBlock],
    *,
    piece: int = 1,
    pieces: int = 1,
) -> list[Message]:
    templates = session.header.prompts.templates
    shown = _demonstrated(session, step, pool, fold)
    texts = [
        block.text
        for block in (*(block for one in shown for block in one.blocks), *blocks)
    ]
    template = "shown_facts" if step.what == "facts" else "shown_pair"
    examples = [
        render(
            templates,
            template,
            n=n,
            input=_enclosed(session, one.blocks, texts),
            reply=one.reply,
            spans=one.spans,
        )
        for n, one in enumerate(shown, 1)
    ]
    kind = _kind(step)
    key = kind if step.what == "facts" else f"judge_{kind}"
    values = {
        "input": _enclosed(session, blocks, texts),
        "shown": "\n\n".join(examples),
        "piece": piece,
        "pieces": pieces,
        "guided": setting(session, "annotation"),
    }
    return [
        system(render(templates, f"{key}_system", **values)),
        user(render(templates, f"{key}_ask", **values)),
    ]


def _demonstrated(
    session: Session, step: RelevanceStep, pool: DemonstrationPool, fold: RelevanceState
) -> list[RenderedDemonstration]:
    """Return the demonstrations in force for this step, rendered."""
    standing = fold.standing(step.candidate)
    chosen = (
        standing.demonstrations.get(step.stage)
        if standing is not None and step.stage is not None
        else None
    )
    if chosen is None:
        return []
    listing, extraction = (
        partial(listed, session.header.prompts.templates),
        bool(setting(session, "extraction")),
    )
    return [
        shown(listing, pool, chosen.step, item.id, extraction=extraction)
        for item in chosen.items
    ]


def _facts(
    fold: RelevanceState, candidate: str | None, kind: Kind
) -> list[NumberedFact]:
    standing = fold.standing(candidate)
    found = standing.facts(kind) if standing is not None else None
    if found is not None:
        return numbered(found.items, kind, judged=True)
    return []


def _kind(step: RelevanceStep) -> Kind:
    assert step.stage is not None
    return kind_of(step.stage)


class _FactsInBudget(NamedTuple):
    """The facts that fit into a budget."""

    facts: list[str]
    text: str
    left_out: int


def _fitted(
    session: Session, facts: Sequence[NumberedFact], tokens: int
) -> _FactsInBudget:
    head, tail, left_out = cut_list([fact.line for fact in facts], tokens)
    kept = [*facts[: len(head)], *facts[len(facts) - len(tail) :]]
    lines = [*head, _mark_of(session)(left_out), *tail] if left_out else head
    return _FactsInBudget(
        [fact.text for fact in kept],
        listed(session.header.prompts.templates, lines),
        left_out,
    )


def _mark_of(session: Session) -> Callable[[int], str]:
    return lambda count: render(
        session.header.prompts.templates, "left_out", count=f"{count:,}"
    )


def _enclosed(
    session: Session, blocks: Sequence[DemonstrationBlock], texts: Sequence[str]
) -> str:
    """Return the blocks between their marks. `texts`: everything that the prompt
    encloses.
    """
    templates = session.header.prompts.templates
    return "\n\n".join(
        render(
            templates,
            "enclosed",
            mark=mark(one.text, *texts),
            name=render(templates, one.name),
            text=one.text,
        )
        for one in blocks
    )
