"""Measures that apply to every method: whether the answer is right, the quality of a
translation, and usage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from ...sessions import plugins
from ...sessions.events import ReplyEvent
from ...sessions.session import Session, Totals
from ..metrics import containment, translation
from ..metrics.equivalence import Step
from . import rated
from .columns import COLUMNS
from .items import asked
from .measure import Item, Measure, MeasuredValue, Rule, State, ratio, right_if
from .ranked import QueryRanking

ACCEPTED_BY_MODEL = "accepted_by_model"
"""Item fields: the answers that a model found to be the same as a right one (`answers`)
or as a trap (`wrong_answers`).
"""

LENIENT = ("contains", "contains_paper", "webglm", "exact_match", "f1")
"""Measures of an answer by the rules of other programs."""

OF_A_RUN = (ACCEPTED_BY_MODEL, rated.RATED, COLUMNS)
"""Fields about a run's own answers, which do not apply to other runs."""


class SessionAnswer(NamedTuple):
    """The answer of a session, or the reason why it has none."""

    text: str | None
    missing: State | None = None


def answer_of(session: Session) -> SessionAnswer:
    """The final answer of a session, or the answer it was given to verify, whatever the
    verification.
    """
    result = session.result
    if result is None:
        return SessionAnswer(None, "failed")
    if isinstance(result, QueryRanking):
        return SessionAnswer(
            result.answer, None if result.answer is not None else "not-ranked"
        )
    given = session.header.task.get("answer")
    text = (
        given
        if isinstance(given, str) and given.strip()
        else getattr(result, "answer", None)
    )
    if not isinstance(text, str):
        return SessionAnswer(
            None,
            "no-references"
            if getattr(result, "stopped_by", None) == "no-references"
            else "undecided",
        )
    if text.strip():
        return SessionAnswer(text)
    return SessionAnswer(None, "empty")


def measures() -> dict[str, Measure]:
    """Return all measures that do not depend on the method, by name."""
    shares = {
        "accuracy": _share("answers"),
        "accuracy_decided": _share("answers", decided=True),
        "contains": _text_share(containment.contains, long=False),
        "contains_paper": _text_share(containment.contains_paper, long=False),
        "webglm": _text_share(containment.webglm),
        "exact_match": _text_share(containment.exact_match),
        "decided": _decided,
    }
    listed = [
        *(
            Measure(
                name,
                "higher",
                of,
                True,
                0,
                1,
            )
            for name, of in shares.items()
        ),
        Measure("traps", "lower", _share("wrong_answers", decided=True), True, 0, 1),
        Measure("f1", "higher", _f1, low=0, high=1),
        Measure("chrf", "higher", _chrf, low=0, high=100, pooled=translation.chrf_of),
        Measure("bleu", "higher", _bleu, low=0, high=100, pooled=translation.bleu_of),
        *rated.measures().values(),
        *_prices(),
    ]
    builtin = {measure.name: measure for measure in listed}
    added = plugins.every("measures", builtin).values()
    return {**builtin, **{measure.name: measure for measure in added}}


def _prices() -> Iterator[Measure]:
    """Usage of a session's calls, and the number of unread replies."""
    yield Measure(
        "unread", "lower", _unread, low=0, high=1, pooled=ratio, subject="process"
    )
    for name in ("tokens", "cost", "seconds", "calls"):
        yield Measure(
            name,
            "lower",
            _spent(name),
            low=0,
            subject="price",
            paid=True,
        )
    yield Measure(
        "cached",
        "higher",
        _cached,
        low=0,
        high=1,
        pooled=ratio,
        tested=False,
        subject="price",
        paid=True,
    )
    yield Measure("saved", "higher", _saved, tested=False, subject="price", paid=True)


def category_shares(
    prefix: str,
    names: Iterable[str],
    category: Callable[[Session], str | None],
    judge: str = "",
) -> Iterator[Measure]:
    """One measure `PREFIX_NAME` per name: the share of sessions in that category.
    `category`: the category of a session; None: the measures do not apply.
    """

    def share(name: str) -> Rule:
        def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
            found = category(session)
            if found is not None:
                yield right_if(found == name)

        return of

    for name in names:
        label = f"{prefix}_{name.replace('-', '_')}"
        of = share(name)
        yield Measure(label, "neither", of, True, 0, 1, subject="process", judge=judge)


def is_translation(item: Item) -> bool:
    """Whether the text is to be translated: its answers are references, and none of
    them is the only right one.
    """
    return item.fields.get("kind") == "translation"


def listed(item: Item, name: str) -> tuple[str, ...]:
    """The texts in a field of an item: `answers`, `wrong_answers`."""
    texts = item.fields.get(name) or ()
    if isinstance(texts, str):
        return (texts,)
    return tuple(str(text) for text in texts if isinstance(text, str | int | float))


_accepted_step = lru_cache(maxsize=256)(containment.accepted_step)
"""Cached, because several measures of a session need the same answer."""


def step_of(answer: str, item: Item, name: str = "answers") -> Step | None:
    """The step on which an answer equals one of those listed under this name."""
    by_model = item.fields.get(ACCEPTED_BY_MODEL)
    same = by_model.get(name, ()) if isinstance(by_model, Mapping) else ()
    other = "wrong_answers" if name == "answers" else "answers"
    lists = listed(item, name), listed(item, other)
    step = _accepted_step(answer, *lists, asked(item.fields))
    return step or ("model" if answer in same else None)


def rightness(item: Item, name: str = "answers") -> Callable[[str], bool] | None:
    """Whether an answer is listed under this name. None if nothing is listed, and for a
    translation.
    """
    if is_translation(item) or not listed(item, name):
        return None
    return lambda answer: step_of(answer, item, name) is not None


def _share(name: str, decided: bool = False) -> Rule:
    """Return whether the answer is listed under this name. A missing answer counts as
    no; with `decided` it is not counted, so that a system cannot win by not answering
    if lower is better.
    """
    states: tuple[State, State] = ("wrong", "right")
    if name != "answers":
        states = ("right", "wrong")

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        is_listed = rightness(item, name)
        if is_listed is None:
            return
        answer = answer_of(session)
        if answer.text is None:
            yield MeasuredValue(None if decided else 0.0, answer.missing or "undecided")
            return
        match = is_listed(answer.text)
        yield MeasuredValue(float(match), states[match])

    return of


def _text_share(
    rule: Callable[[str, Sequence[str]], bool], *, long: bool = True
) -> Rule:
    """Whether the answer is right by another rule. `long`: also for long references."""

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        accepted = () if is_translation(item) else listed(item, "answers")
        if not accepted:
            return
        if not long and containment.is_long(accepted):
            yield MeasuredValue(None, "long-answers")
            return
        answer = answer_of(session)
        if answer.text is None:
            yield MeasuredValue(0.0, answer.missing or "undecided")
            return
        right = bool(containment.plain(answer.text).strip())
        right = right and rule(answer.text, accepted)
        yield right_if(right)

    return of


def _f1(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """F1 of the words of the answer; 0 if it is missing."""
    accepted = () if is_translation(item) else listed(item, "answers")
    if accepted:
        answer = answer_of(session)
        value = containment.f1(answer.text, accepted) if answer.text else 0.0
        yield MeasuredValue(value, answer.missing or "measured")


def _decided(session: Session, item: Item) -> Iterator[MeasuredValue]:
    if "query" not in item.fields and "candidates" not in item.fields:
        answer = answer_of(session)
        yield MeasuredValue(float(answer.missing is None), answer.missing or "right")


def _references(item: Item) -> tuple[str, ...]:
    if is_translation(item):
        return listed(item, "answers")
    return ()


def _chrf(session: Session, item: Item) -> Iterator[MeasuredValue]:
    references = _references(item)
    if references:
        answer = answer_of(session)
        counts = translation.chrf_counts(answer.text or "", references)
        yield MeasuredValue(
            translation.chrf_of(counts),
            answer.missing or "measured",
            counts=tuple(counts),
        )


def _bleu(session: Session, item: Item) -> Iterator[MeasuredValue]:
    references = _references(item)
    if not references:
        return
    cut = translation.tokenizer_for(str(item.fields.get("to") or ""))
    if cut is None:
        yield MeasuredValue(None, "no-segmenter")
        return
    answer = answer_of(session)
    counts = translation.bleu_counts(answer.text or "", references, cut)
    yield MeasuredValue(
        translation.bleu_of(counts, effective=True),
        answer.missing or "measured",
        counts=tuple(counts),
    )


def _unread(session: Session, item: Item) -> Iterator[MeasuredValue]:
    unread = [
        event.unreadable
        for event in session.events
        if isinstance(event, ReplyEvent) and getattr(event, "read", None) is not None
    ]
    if unread:
        count, of = sum(unread), len(unread)
        yield MeasuredValue(count / of, "measured", counts=(count, of))


def _spent(name: str) -> Rule:
    """Usage of a finished session's calls, including failed ones. Not measured if the
    session failed (calls that were never made would count as free), the provider did
    not report it, or a price is unknown.
    """

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        totals = _in_full(session)
        if totals is None:
            yield MeasuredValue(None, "empty")
        elif totals.calls:
            value = getattr(totals, name) if session.result is not None else None
            if value is None:
                yield MeasuredValue(
                    None, "failed" if session.result is None else "empty"
                )
            else:
                yield MeasuredValue(float(value), "measured")

    return of


def _cached(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """The share of the input found in providers' caches; not measured if no provider
    reports it.
    """
    totals = session.totals()
    if totals.cached_share is not None:
        yield MeasuredValue(
            totals.cached_share,
            "measured",
            counts=(totals.cached_input, totals.cached_of),
        )


def _saved(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """US dollars saved by these caches; not measured if no provider reports one."""
    totals = session.totals()
    if totals.cached_of:
        yield (
            MeasuredValue(None, "empty")
            if totals.saved is None
            else MeasuredValue(totals.saved, "measured")
        )


def _in_full(session: Session) -> Totals | None:
    """Usage as if there were no reply cache; None if a cached reply lacks it."""
    totals = session.totals()
    for event in session.events:
        if not isinstance(event, ReplyEvent):
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
