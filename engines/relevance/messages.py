"""What each role is sent in a stage: the rendered messages, the task as data, and the JSON Schema of the reply.

Cases, facts and demonstrations are data. They stand between marks that do not occur in them: the mark is a digest of all that is enclosed,
so the author of a case cannot know it, and the prompt says that nothing inside is an instruction.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...prompts import render
from ...sessions.session import Session
from ..cases.budget import cut, cut_list, pieces, shares
from ..models.port import Message
from ..models.tokens import estimate
from .matching import Pool, texts_of
from .plan import KINDS, Fold, Kind, Step, kind_of, setting
from .tasks import ExtractFacts, Judge, RelevanceTask

FACTS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
    "additionalProperties": False,
}
JUDGEMENT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "relevant": {"type": "boolean"}},
    "required": ["reason", "relevant"],
    "additionalProperties": False,
}


class Wish(NamedTuple):
    """One call of a step."""

    messages: list[Message]
    task: RelevanceTask
    schema: dict[str, Any]
    left_out: int = 0
    """Characters of the input that were left out."""


class Block(NamedTuple):
    """One text to be enclosed, under the template of its name."""

    name: str
    text: str


def wishes(session: Session, step: Step, pool: Pool, fold: Fold | None = None) -> list[Wish]:
    """The calls of one event: one, or one for each part of a long case.

    Raises: BadInput for a faulty template or set.
    """
    fold = fold or Fold(session)
    if step.what == "facts":
        return _extracting(session, step, pool, fold)
    return [_judging(session, step, pool, fold)]


def again(session: Session, thread: Sequence[Message], reply: str, reason: str) -> list[Message]:
    """The messages for asking again after a reply that cannot be read."""
    text = render(session.header.prompts.templates, "again", reason=reason)
    return [*thread, {"role": "assistant", "content": reply}, {"role": "user", "content": text}]


def _extracting(session: Session, step: Step, pool: Pool, fold: Fold) -> list[Wish]:
    kind, tokens = _kind(step), setting(session, "budget_tokens")
    common = {
        "kind": kind,
        "language": pool.language,
        "cache": setting(session, "cache") != "none",
        "fresh": fold.made_before(step),
        "repeat": setting(session, "repeat"),
    }
    made: list[Wish] = []
    if kind == "legal":
        fitted = cut_list(_facts(fold, step.candidate, "material"), tokens)
        task = ExtractFacts(**common, material=fitted[0] + fitted[1])
        blocks = [Block("name_material", _cut_list(session, *fitted))]
        return [Wish(_thread(session, step, pool, fold, blocks), task, FACTS_SCHEMA, fitted[2])]
    text = fold.text(step.candidate)
    parts, left_out = _parts(session, text, tokens)
    for number, part in enumerate(parts, 1):
        thread = _thread(session, step, pool, fold, [Block("name_case", part)], piece=number, pieces=len(parts))
        made.append(Wish(thread, ExtractFacts(**common, text=part), FACTS_SCHEMA, left_out))
    return made


def _parts(session: Session, text: str, tokens: int) -> tuple[list[str], int]:
    if setting(session, "long") == "pieces":
        return pieces(text, tokens), 0
    part, left_out = cut(text, tokens, _mark_of(session))
    return [part], left_out


def _judging(session: Session, step: Step, pool: Pool, fold: Fold) -> Wish:
    kind, extraction = _kind(step), setting(session, "extraction")
    sides = (None, step.candidate)
    if extraction:
        wanted: list[tuple[Kind, str | None]] = [(one, side) for one in (("material",) if kind == "material" else KINDS) for side in sides]
        lists = [_facts(fold, side, one) for one, side in wanted]
    else:
        wanted = [(kind, side) for side in sides]
        lists = [[fold.text(side)] for side in sides]
    tokens = shares([sum(map(estimate, one)) for one in lists], setting(session, "budget_tokens"))
    fitted: dict[tuple[Kind, str | None], list[str]] = {}
    blocks: list[Block] = []
    left_out = 0
    for (one, side), given, most in zip(wanted, lists, tokens, strict=True):
        name = "name_query" if side is None else "name_candidate"
        if extraction:
            head, tail, missing = cut_list(given, most)
            fitted[one, side] = head + tail
            blocks.append(Block(f"{name}_{one}", _cut_list(session, head, tail, missing)))
        else:
            text, missing = cut(given[0], most, _mark_of(session))
            fitted[one, side] = [text]
            blocks.append(Block(name, text))
        left_out += missing
    task = Judge(
        kind=kind,
        language=pool.language,
        cache=setting(session, "cache") == "all",
        fresh=fold.made_before(step),
        repeat=setting(session, "repeat"),
        query=fitted[kind, None],
        candidate=fitted[kind, step.candidate],
        query_material=fitted.get(("material", None), []) if kind == "legal" else [],
        candidate_material=fitted.get(("material", step.candidate), []) if kind == "legal" else [],
    )
    return Wish(_thread(session, step, pool, fold, blocks), task, JUDGEMENT_SCHEMA, left_out)


class _Shown(NamedTuple):
    """One demonstration."""

    blocks: list[Block]
    reply: str
    """As the seat is to reply."""
    spans: str = ""
    """Of material facts: what they rest on in the text."""


def _thread(session: Session, step: Step, pool: Pool, fold: Fold, blocks: list[Block], *, piece: int = 1, pieces: int = 1) -> list[Message]:
    templates = session.header.prompts.templates
    shown = _demonstrated(session, step, pool, fold)
    mark = _mark([*(block.text for one in shown for block in one.blocks), *(block.text for block in blocks)])
    template = "shown_facts" if step.what == "facts" else "shown_pair"
    examples = [
        render(templates, template, n=n, input=_enclosed(session, mark, one.blocks), reply=one.reply, spans=one.spans)
        for n, one in enumerate(shown, 1)
    ]
    kind = _kind(step)
    key = kind if step.what == "facts" else f"judge_{kind}"
    values = {
        "input": _enclosed(session, mark, blocks),
        "shown": "\n\n".join(examples),
        "piece": piece,
        "pieces": pieces,
        "guided": setting(session, "annotation"),
    }
    return [
        {"role": "system", "content": render(templates, f"{key}_system", **values)},
        {"role": "user", "content": render(templates, f"{key}_ask", **values)},
    ]


def _demonstrated(session: Session, step: Step, pool: Pool, fold: Fold) -> list[_Shown]:
    """The demonstrations in force for this step, as they are shown."""
    standing = fold.standing(step.candidate)
    chosen = standing.demonstrations.get(step.stage) if standing is not None and step.stage is not None else None
    if chosen is None:
        return []
    kind = _kind(step)
    made: list[_Shown] = []
    for item in chosen.items:
        if step.what == "facts":
            case = pool.case(item.id)
            reply = json.dumps({"facts": texts_of(case.material if kind == "material" else case.legal)}, ensure_ascii=False)
            if kind == "material":
                spans = _list(session, [one.span for one in case.material])
                made.append(_Shown([Block("name_case", case.text)], reply, spans))
            else:
                made.append(_Shown([Block("name_material", _list(session, texts_of(case.material)))], reply))
            continue
        query, candidate = pool.pair(item.id)
        blocks: list[Block] = []
        if not setting(session, "extraction"):
            blocks = [Block("name_query", query.text), Block("name_candidate", candidate.text)]
        else:
            for one in ("material",) if kind == "material" else KINDS:
                for name, case in (("query", query), ("candidate", candidate)):
                    blocks.append(Block(f"name_{name}_{one}", _list(session, texts_of(case.material if one == "material" else case.legal))))
        judged = candidate.judged(kind)
        reply = json.dumps({"reason": judged.reason, "relevant": judged.relevant}, ensure_ascii=False)
        made.append(_Shown(blocks, reply))
    return made


def _facts(fold: Fold, candidate: str | None, kind: Kind) -> list[str]:
    standing = fold.standing(candidate)
    found = standing.facts(kind) if standing is not None else None
    return [item.text for item in found.items] if found is not None else []


def _kind(step: Step) -> Kind:
    assert step.stage is not None
    return kind_of(step.stage)


def _list(session: Session, facts: Sequence[str]) -> str:
    return render(session.header.prompts.templates, "facts", facts=[" ".join(fact.split()) for fact in facts]).rstrip()


def _cut_list(session: Session, head: list[str], tail: list[str], left_out: int) -> str:
    return _list(session, [*head, _mark_of(session)(left_out), *tail] if left_out else head)


def _mark_of(session: Session) -> Callable[[int], str]:
    return lambda count: render(session.header.prompts.templates, "left_out", count=f"{count:,}")


def _enclosed(session: Session, mark: str, blocks: Sequence[Block]) -> str:
    templates = session.header.prompts.templates
    return "\n\n".join(render(templates, "enclosed", mark=mark, name=render(templates, one.name), text=one.text) for one in blocks)


def _mark(texts: Sequence[str]) -> str:
    """Ten characters that occur in none of the texts."""
    mark = hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:10]
    while any(mark in text for text in texts):
        mark = hashlib.sha256(mark.encode()).hexdigest()[:10]
    return mark
