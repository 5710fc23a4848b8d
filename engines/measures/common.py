"""What can be measured of the sessions of every method: whether the answer is right, how near a translation is, and what it took."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from ...sessions.events import Made
from ...sessions.session import Session, Totals
from ..metrics import translation
from ..metrics.equivalence import first_step
from . import rated
from .measure import Item, Measure, Measured, State
from .ranked import Ranking

ACCEPTED_BY_MODEL = "accepted_by_model"
"""Field of an item: the answers that a model found to be the same as a right one (`answers`) or as a trap (`wrong_answers`)."""

OF_A_RUN = (ACCEPTED_BY_MODEL, rated.RATED)
"""Fields that say something of a run's own answers: they are no other run's."""

Step = Callable[[str, Sequence[str]], str | None]
"""The step on which an answer is one of those listed; None where it is none of them."""


class Answer(NamedTuple):
    """The answer of a session; where it has none, why."""

    text: str | None
    missing: State | None = None


def answer_of(session: Session) -> Answer:
    """The answer that a session ended with, or that it was given to verify: whatever was said of that does not change it."""
    result = session.result
    if result is None:
        return Answer(None, "failed")
    if isinstance(result, Ranking):
        return Answer(
            result.answer, None if result.answer is not None else "not-ranked"
        )
    given = session.header.task.get("answer")
    text = (
        given
        if isinstance(given, str) and given.strip()
        else getattr(result, "answer", None)
    )
    if not isinstance(text, str):
        return Answer(
            None,
            "no-references"
            if getattr(result, "stopped_by", None) == "no-references"
            else "undecided",
        )
    return Answer(text) if text.strip() else Answer(None, "empty")


def measures(step: Step = first_step) -> dict[str, Measure]:
    """All common measures by name. `step`: when an answer is one of those listed, where a method has a ladder of its own."""
    shares = (
        Measure(
            "accuracy", "higher", _share("answers", step), share=True, low=0, high=1
        ),
        Measure(
            "accuracy_decided",
            "higher",
            _share("answers", step, decided=True),
            share=True,
            low=0,
            high=1,
        ),
        Measure(
            "traps", "lower", _share("wrong_answers", step), share=True, low=0, high=1
        ),
        Measure("decided", "higher", _decided, share=True, low=0, high=1),
    )
    scores = (
        Measure("chrf", "higher", _chrf, low=0, high=100, pooled=translation.chrf_of),
        Measure("bleu", "higher", _bleu, low=0, high=100, pooled=translation.bleu_of),
    )
    spent = (
        Measure(
            "unread",
            "lower",
            _unread,
            low=0,
            high=1,
            pooled=lambda counts: counts[0] / counts[1],
        ),
        *(
            Measure(name, "lower", _spent(name), low=0)
            for name in ("tokens", "cost", "seconds", "calls")
        ),
        Measure(
            "cached",
            "higher",
            _cached,
            low=0,
            high=1,
            pooled=lambda counts: counts[0] / counts[1],
            tested=False,
        ),
        Measure("saved", "higher", _saved, tested=False),
    )
    return {
        measure.name: measure
        for measure in (*shares, *scores, *rated.measures().values(), *spent)
    }


def is_translation(item: Item) -> bool:
    """True for a text that is to be translated: its answers are references, and none of them is the right one."""
    return item.fields.get("kind") == "translation"


def listed(item: Item, name: str) -> tuple[str, ...]:
    """The texts of a field of an item: `answers`, `wrong_answers`."""
    found = item.fields.get(name) or ()
    return (found,) if isinstance(found, str) else tuple(map(str, found))


def rightness(
    item: Item, name: str = "answers", step: Step = first_step
) -> Callable[[str], bool] | None:
    """Whether an answer is one of those listed under this name; None where nothing is listed, or the item is a translation."""
    texts = () if is_translation(item) else listed(item, name)
    if not texts:
        return None
    by_model = item.fields.get(ACCEPTED_BY_MODEL)
    said = by_model.get(name, ()) if isinstance(by_model, Mapping) else ()
    return lambda answer: answer in said or step(answer, texts) is not None


def _share(
    name: str, step: Step, decided: bool = False
) -> Callable[[Session, Item], Iterator[Measured]]:
    """Whether the answer is one of those listed under this name. One that is missing is not; with `decided` it is not counted."""
    states: tuple[State, State] = (
        ("wrong", "right") if name == "answers" else ("right", "wrong")
    )

    def of(session: Session, item: Item) -> Iterator[Measured]:
        held_to = rightness(item, name, step)
        if held_to is None:
            return
        answer = answer_of(session)
        if answer.text is None:
            yield Measured(None if decided else 0.0, answer.missing or "undecided")
            return
        held = held_to(answer.text)
        yield Measured(float(held), states[held])

    return of


def _decided(session: Session, item: Item) -> Iterator[Measured]:
    if "query" not in item.fields:
        answer = answer_of(session)
        yield Measured(float(answer.missing is None), answer.missing or "right")


def _references(item: Item) -> tuple[str, ...]:
    return listed(item, "answers") if is_translation(item) else ()


def _chrf(session: Session, item: Item) -> Iterator[Measured]:
    references = _references(item)
    if references:
        answer = answer_of(session)
        counts = translation.chrf_counts(answer.text or "", references)
        yield Measured(
            translation.chrf_of(counts),
            answer.missing or "measured",
            counts=tuple(counts),
        )


def _bleu(session: Session, item: Item) -> Iterator[Measured]:
    references, cut = (
        _references(item),
        translation.tokenizer_for(str(item.fields.get("to") or "")),
    )
    if references and cut is not None:
        answer = answer_of(session)
        counts = translation.bleu_counts(answer.text or "", references, cut)
        yield Measured(
            translation.bleu_of(counts, effective=True),
            answer.missing or "measured",
            counts=tuple(counts),
        )


def _unread(session: Session, item: Item) -> Iterator[Measured]:
    reads = [
        read
        for event in session.events
        if isinstance(event, Made)
        and (read := getattr(event, "read", None)) is not None
    ]
    if reads:
        count = reads.count("unread")
        yield Measured(count / len(reads), "measured", counts=(count, len(reads)))


def _spent(name: str) -> Callable[[Session, Item], Iterator[Measured]]:
    """What the calls of a session took, failed ones included. None where a provider did not say, or a price is not known."""

    def of(session: Session, item: Item) -> Iterator[Measured]:
        totals = _in_full(session)
        if totals is None:
            yield Measured(None, "empty")
        elif totals.calls:
            value: Any = getattr(totals, name)
            yield (
                Measured(None, "empty")
                if value is None
                else Measured(float(value), "measured")
            )

    return of


def _cached(session: Session, item: Item) -> Iterator[Measured]:
    """The share of the input that providers had in their caches; nothing where none says."""
    totals = session.totals()
    if totals.cached_share is not None:
        yield Measured(
            totals.cached_share,
            "measured",
            counts=(totals.cached_input, totals.cached_of),
        )


def _saved(session: Session, item: Item) -> Iterator[Measured]:
    """US dollars that these caches saved; nothing where no provider says that it has one."""
    totals = session.totals()
    if totals.cached_of:
        yield (
            Measured(None, "empty")
            if totals.saved is None
            else Measured(totals.saved, "measured")
        )


def _in_full(session: Session) -> Totals | None:
    """What a session would have taken without the cache; None where a reply from there does not say what it took."""
    totals = session.totals()
    for event in session.events:
        if not isinstance(event, Made):
            continue
        if event.took is not msgspec.UNSET:
            took = event.took
            first = Totals(
                input=took.input,
                output=took.output,
                cost_known=took.cost or 0.0,
                seconds=took.seconds,
                calls=took.calls,
            )
            first.unpriced = (event.role,) if took.cost is None else ()
            totals.add(first)
        elif event.cached:
            return None
    return totals
