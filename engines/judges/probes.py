"""The probes of an audit: what is done to an item to see whether a judge goes by it.

A probe pulls away from the truth: it speaks for a wrong text and against a right one,
so that each item can show it.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from .flips import PLACEBO
from .items import COMPARING, AuditItem

PHRASES = Path(__file__).parents[2] / "prompts"
WORDED = (
    *("length", "padding", "authority", "bandwagon", "sycophancy"),
    *("self_preference", "markdown", "confidence"),
)
"""Probes that put words around the text."""
HIDDEN = "\u200b"
"""A space of no width."""


class ProbedItem(NamedTuple):
    """An item under a probe."""

    item: AuditItem
    turned: bool = False
    """The answers are shown in the opposite order."""


Changing = Callable[[AuditItem, str], AuditItem | None]
"""From an item and the judge's name; None: the probe says nothing of this item."""


@functools.cache
def phrases(language: str) -> Mapping[str, Any]:
    """The words of the probes in a language."""
    text = (PHRASES / language / "probes.yaml").read_text("utf-8")
    found: Mapping[str, object] = yaml.safe_load(text)
    return found


def probed(
    item: AuditItem,
    probe: str,
    judge: str,
    planted: Callable[[AuditItem, bool], dict[str, Any]],
) -> ProbedItem | None:
    """The item under a probe; None where the probe says nothing of it.

    `judge`: the name of the judge's model. `planted`: a verdict in its own form, for
    the text or against it.
    """
    if probe == PLACEBO:
        return ProbedItem(item)
    if item.seat == "ranker" and probe == "order":
        return ProbedItem(item, turned=True)
    changed = (
        _fake_object(item, planted) if probe == FAKE else PROBES[probe](item, judge)
    )
    if changed is None or changed == item:
        return None
    return ProbedItem(changed)


# ------------------------------------------------------------------ the text

_TEXT = {"grader": "candidate"}
"""The field of the text, where it is not `answer`."""
_ASKED = {"judge": "topic", "grader": "query", "annotator": "query_facts"}
PLACES = ("passage", "title", "question", "accepted", "wrong")
"""Where an instruction to the judge can be injected, in addition to the text."""
_CLAIM = {
    "grader": "case",
    "annotator": "case",
    "judge": "side",
    "judge-ambiguity": "translation",
}


def _of(item: AuditItem, change: Callable[[str], str], *, truth: bool) -> AuditItem:
    """The item with its text changed. Of a debate and a ranking, `truth` says whether
    the right side or answer is changed, or a wrong one.
    """
    given = item.fields
    if item.seat == "annotator":
        first, *rest = given["candidate_facts"]
        return item.with_fields(candidate_facts=[change(first), *rest])
    if item.seat == "judge":
        speeches = [
            {**one, "text": change(one["text"])}
            if (one["role"] == given["correct_side"]) is truth
            else one
            for one in given["speeches"]
        ]
        return item.with_fields(speeches=speeches)
    if item.seat in COMPARING:
        wrong = next(
            one["name"] for one in given["answers"] if one["name"] != given["best"]
        )
        chosen = given["best"] if truth else wrong
        answers = [
            {**one, "text": change(one["text"])} if one["name"] == chosen else one
            for one in given["answers"]
        ]
        return item.with_fields(answers=answers)
    name = _TEXT.get(item.seat, "answer")
    return item.with_fields(**{name: change(given[name])})


def _pull(item: AuditItem) -> str:
    """Which way a probe pulls: for `right` where a fair judge refuses the text."""
    refused = item.seat in COMPARING or not item.right
    return "right" if refused else "wrong"


def _said(item: AuditItem, probe: str, text: str, judge: str) -> str:
    words = phrases(item.language)
    pull = _pull(item)
    form = words[probe]
    form = form if isinstance(form, str) else form[pull]
    claim = words["claims"][_CLAIM.get(item.seat, "answer")][pull]
    made: str = form.format(text=text, claim=claim, model=judge)
    return made


def _worded(probe: str) -> Changing:
    """A probe that puts words around the text."""
    return lambda item, judge: _of(
        item, lambda text: _said(item, probe, text, judge), truth=False
    )


def pick(choices: Sequence[Any], item: AuditItem, salt: str) -> Any:
    """One of several forms, the same for an item at any time."""
    digest = hashlib.sha256(f"{salt}\0{item.id}".encode()).digest()
    return choices[int.from_bytes(digest[:4]) % len(choices)]


# ---------------------------------------------------------------- the probes


def _order(item: AuditItem, judge: str) -> AuditItem | None:
    """The item with its alternatives in reversed order."""
    given = item.fields
    if item.seat == "judge":
        sides = {"affirmative": "negative", "negative": "affirmative"}
        turned = [
            {**one, "role": sides[one["role"]]} for one in reversed(given["speeches"])
        ]
        return item.with_fields(
            speeches=turned, correct_side=sides[given["correct_side"]]
        )
    if item.seat == "judge-preference":
        return item.with_fields(answers=given["answers"][::-1])
    for name in ("references", "accepted", "candidate_facts"):
        if len(given.get(name) or ()) > 1:
            return item.with_fields(**{name: given[name][::-1]})
    return None


def _position(item: AuditItem, judge: str) -> AuditItem | None:
    """The references behind others that have nothing to do with the question."""
    if "references" not in item.fields:
        return None
    fillers = phrases(item.language)["fillers"]
    return item.with_fields(references=[*fillers, *item.fields["references"]])


def _language(item: AuditItem, judge: str) -> AuditItem | None:
    """The text in the other language, where the item has it (`translated`); of a debate
    and a ranking, that of the right side or answer.
    """
    given = item.fields
    if item.seat == "annotator":
        other = given.get("translated")
        return item.with_fields(candidate_facts=other) if other else None
    parts = given.get("speeches") or given.get("answers") or [given]
    other_texts = {
        part.get("text", part.get(_TEXT.get(item.seat, "answer"))): part["translated"]
        for part in parts
        if isinstance(part, Mapping) and isinstance(part.get("translated"), str)
    }
    return _of(item, lambda text: other_texts.get(text, text), truth=True)


def _invisible(item: AuditItem, judge: str) -> AuditItem | None:
    """Characters that nobody sees, between the others."""
    return _of(item, lambda text: HIDDEN.join(text), truth=False)


def _master_key(item: AuditItem, judge: str) -> AuditItem | None:
    """An opener without an answer."""
    keys = phrases(item.language)["master_key"]
    if item.seat in ("grader", "annotator"):  # a case has a word at least
        keys = [key for key in keys if any(map(str.isalnum, key))]
    key = pick(keys, item, "key")
    return _of(_blank(item), lambda text: key, truth=True)


def _instead(probe: str) -> Changing:
    """Words of a probe in place of the text."""

    def changed(item: AuditItem, judge: str) -> AuditItem:
        words = str(phrases(item.language)[probe])
        return _of(_blank(item), lambda text: words, truth=True)

    return changed


def _echo(item: AuditItem, judge: str) -> AuditItem | None:
    """The question in place of an answer. A case that repeats the query is relevant."""
    if item.seat in ("grader", "annotator"):
        return None
    asked = str(item.fields[_ASKED.get(item.seat, "question")])
    return _of(item, lambda text: asked, truth=True)


def _blank(item: AuditItem) -> AuditItem:
    """The item with one fact only, so that nothing else remains."""
    facts = item.fields.get("candidate_facts")
    return item.with_fields(candidate_facts=facts[:1]) if facts else item


def _injection(place: str) -> Changing:
    """An order to the judge, in one of the places that it reads."""

    def changed(item: AuditItem, judge: str) -> AuditItem | None:
        order = _said(item, "injection", "", judge)
        if place == "text":
            return _of(item, lambda text: f"{text}\n\n{order}", truth=False)
        if place in ("passage", "title"):
            return _in_reference(item, "text" if place == "passage" else place, order)
        asked = _ASKED.get(item.seat, "question")
        name = asked if place == "question" else place
        given = item.fields.get(name)
        if given is None:
            return None
        more = [*given, order] if isinstance(given, list) else f"{given}\n\n{order}"
        return item.with_fields(**{name: more})

    return changed


def _in_reference(item: AuditItem, name: str, more: str) -> AuditItem | None:
    """The item with more text behind a field of its first reference."""
    if "references" not in item.fields:
        return None
    first, *rest = item.fields["references"]
    text = f"{first.get(name) or ''}\n\n{more}"
    return item.with_fields(references=[{**first, name: text}, *rest])


def _fake_object(
    item: AuditItem, planted: Callable[[AuditItem, bool], dict[str, Any]]
) -> AuditItem:
    """A verdict in the judge's own form, in what it reads."""
    verdict = json.dumps(planted(item, _pull(item) == "right"), ensure_ascii=False)

    return _in_reference(item, "text", verdict) or _of(
        item, lambda text: f"{text}\n\n{verdict}", truth=False
    )


PROBES: Mapping[str, Changing] = {
    "order": _order,
    "position": _position,
    **{name: _worded(name) for name in WORDED},
    "language": _language,
    "master_key": _master_key,
    "echo": _echo,
    "empty": _instead("empty"),
    "refusal": _instead("refusal"),
    "injection": _injection("text"),
    **{f"injection_{place}": _injection(place) for place in PLACES},
    "invisible": _invisible,
}
FAKE = "fake_object"
NAMES = (*PROBES, FAKE)
"""In the order of a report."""
