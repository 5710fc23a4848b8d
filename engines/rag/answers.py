"""How the answer of a line comes out under each measure: right, wrong, or not to be told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..batches.comparison import Compared
from ..batches.equivalence import Question
from ..batches.report import Row
from . import metrics
from .facts import Facts
from .gold import has_gold
from .iterations import Iteration, texts
from .retrieved import NOTHING, Retrieved, retrieved


class Item(NamedTuple):
    """One line as the measures see it."""

    accepted: tuple[str, ...]
    why: str | None
    """Why there is no answer: `failed`, `stopped`, `empty`, `no-references`, `undecided`; None where there is one."""
    answer: str = ""
    first: str = ""
    last: str = ""
    first_references: tuple[str, ...] | None = ()
    last_references: tuple[str, ...] | None = ()
    verified: Iteration | None = None
    """The first iteration whose answer was verified."""
    same: str | None = None
    """The answer that a model found to be the same as an accepted one."""
    gold: bool = False
    """The line names gold passages."""
    found_first: Retrieved | None = None
    found_last: Retrieved | None = None
    """What the first and the last references have of them; None where that cannot be told."""


def item(row: Row) -> Item:
    """The answer of a line is what is scored, whatever the verifier said of it: one to verify is there without a result, too."""
    accepted, gold = row.line.answers, getattr(row.line, "gold", ())
    given, listed = (
        getattr(row.line, "answer", None),
        getattr(row.line, "references", None),
    )
    if row.empty:
        shown = None if listed is None else texts(listed)
        found = retrieved(gold, listed or ()) if shown is not None else None
        return Item(
            accepted,
            "empty",
            "",
            "",
            "",
            shown,
            shown,
            gold=has_gold(gold),
            found_first=found,
            found_last=found,
        )
    if row.status != "done" or not isinstance(row.facts, Facts):
        return failed(
            accepted,
            row.status if row.status != "done" else "failed",
            gold=has_gold(gold),
        )
    said = row.compared.get("answers")
    same = said.answer if said is not None and said.same else None
    return item_of(row.facts, accepted, given, same)._replace(gold=has_gold(gold))


def failed(accepted: tuple[str, ...], why: str, *, gold: bool) -> Item:
    """A line without a result: nothing was found and nothing answered."""
    found = NOTHING if gold else None
    return Item(accepted, why, gold=gold, found_first=found, found_last=found)


def item_of(
    one: Facts, accepted: tuple[str, ...], given: str | None, same: str | None
) -> Item:
    """A finished session as the measures see it. `given`: the answer that was there to be verified."""
    first, last = (one.turns[0], one.turns[-1]) if one.turns else (NO_TURN, NO_TURN)
    verified = next((turn for turn in one.turns if turn.said is not None), None)
    answers = (given,) * 3 if given is not None else (one.answer, one.first, one.last)
    why: str | None
    if answers[0] is None:
        why = one.stopped_by if one.stopped_by == "no-references" else "undecided"
    else:
        why = None if metrics.plain(answers[0]).strip() else "empty"
    return Item(
        accepted,
        why,
        answers[0] or "",
        answers[1] or "",
        answers[2] or "",
        first.references,
        last.references,
        verified,
        same if answers[0] is not None else None,
        first.retrieved is not None,
        first.retrieved,
        last.retrieved,
    )


NO_TURN = Iteration(None, ())


Right = Callable[[Item], bool | None]


def _scored(
    test: Callable[[str, Sequence[str]], bool], text: Callable[[Item], str]
) -> Right:
    """A measure of the text of an answer. A text that is missing or blank is wrong."""
    return lambda one: (
        bool(metrics.plain(text(one)).strip()) and test(text(one), one.accepted)
    )


def _stands(references: Callable[[Item], tuple[str, ...] | None]) -> Right:
    """Whether an accepted answer stands in one of the references; None where accepted answers stood for references."""

    def right(one: Item) -> bool | None:
        listed = references(one)
        return (
            None
            if listed is None
            else any(metrics.contains(text, one.accepted) for text in listed)
        )

    return right


def step_of(one: Item, text: str) -> metrics.Rung | None:
    """The step of the ladder on which a text is accepted; None for one that is missing, blank or wrong."""
    if not metrics.plain(text).strip():
        return None
    return metrics.step(text, one.accepted) or ("model" if one.same == text else None)


def _as_said(of: Callable[[Iteration], bool | None]) -> Right:
    """Whether what a verification says of the first answer that was verified is so; what could not be read is not. None: not verified."""

    def right(one: Item) -> bool | None:
        if one.verified is None:
            return None
        return of(one.verified) is (step_of(one, one.verified.answer or "") is not None)

    return right


def _unless_long(right: Right) -> Right:
    return lambda one: None if metrics.is_long(one.accepted) else right(one)


def questions(rows: Sequence[Row], of: Compared) -> list[Question]:
    """What a model is to compare: the answers that nothing else accepts."""
    if of != "answers":
        return []
    known = [(row, item(row)) for row in rows if row.line.answers]
    return [
        Question(
            row, of, str(getattr(row.line, "question", "")), one.accepted, one.answer
        )
        for row, one in known
        if one.why is None and step_of(one, one.answer) is None
    ]


MEASURES: dict[str, Right] = {
    "accuracy": lambda one: step_of(one, one.answer) is not None,
    "contains": _unless_long(_scored(metrics.contains, lambda one: one.answer)),
    "contains_paper": _unless_long(
        _scored(metrics.contains_paper, lambda one: one.answer)
    ),
    "webglm": _scored(metrics.webglm, lambda one: one.answer),
    "exact_match": _scored(metrics.exact_match, lambda one: one.answer),
    "accuracy_first": lambda one: step_of(one, one.first) is not None,
    "accuracy_last": lambda one: step_of(one, one.last) is not None,
    "reference_accuracy_first": _stands(lambda one: one.first_references),
    "reference_accuracy_last": _stands(lambda one: one.last_references),
    "judgement_accuracy": _as_said(
        lambda turn: None if turn.said == "unread" else turn.said == "true"
    ),
    "revision_accuracy": _as_said(
        lambda turn: None if turn.asks_again is None else not turn.asks_again
    ),
}
"""How a line that says what is right comes out: true, false, or None where it cannot be told."""


def f1_of(one: Item) -> float:
    """F1 of the answer; 0 where there is none."""
    return metrics.f1(one.answer, one.accepted) if one.why is None else 0.0
