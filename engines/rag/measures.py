"""What is counted of one question: whether its answers and references are right, and whether its verification knew.

A verification is held against the ladder that `accuracy` goes by. `judgement_accuracy` is column Jdg of Table 6 of the CoV-RAG paper.
`revision_accuracy` is the countable half of column Rev: whether another query is asked for where the answer is wrong, and none where it is
right; the other half, how good that query is, shows in `reference_gain`. Both look at the first answer that was verified.

By iteration, a session that stopped early keeps what it had: else the later figures would be those of the hard questions alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ...sessions.session import Session
from ..measures import common
from ..measures.measure import Item, Measure, Measured, State
from . import answers, metrics
from .claims_figures import FIGURES, claimed
from .facts import facts
from .gold import gold_in, has_gold
from .iterations import asked_for, texts
from .plan import SCORES, given_answer, in_force, setting, turns
from .retrieved import MEANS, NOTHING, Retrieved, retrieved

FIRST_AND_LAST = (
    "accuracy_first",
    "accuracy_last",
    "reference_accuracy_first",
    "reference_accuracy_last",
)
RULES = ("contains", "contains_paper", "webglm", "exact_match")
VERIFIED = ("judgement_accuracy", "revision_accuracy")

STATES: Mapping[str, State] = {
    "failed": "failed",
    "empty": "empty",
    "no-references": "no-references",
    "undecided": "undecided",
}


def measures() -> dict[str, Measure]:
    """All measures of a question, by name."""
    shares = [
        Measure(name, "higher", _share(name), share=True, low=0, high=1)
        for name in (*RULES, *FIRST_AND_LAST, *VERIFIED)
    ]
    by_iteration = [
        Measure(
            "accuracy_by_iteration",
            "higher",
            _accuracies,
            share=True,
            low=0,
            high=1,
            by_round=True,
        ),
        Measure(
            "reference_accuracy",
            "higher",
            _references,
            share=True,
            low=0,
            high=1,
            by_round=True,
        ),
        Measure(
            "recall_by_iteration", "higher", _recalls, low=0, high=1, by_round=True
        ),
    ]
    found = [
        *(Measure(name, "higher", _found(name, -1), low=0, high=1) for name in MEANS),
        *(
            Measure(f"{name}_first", "higher", _found(name, 0), low=0, high=1)
            for name in MEANS
        ),
        Measure(
            "hit_rate", "higher", _found("hit_rate", -1), share=True, low=0, high=1
        ),
        Measure(
            "hit_rate_first", "higher", _found("hit_rate", 0), share=True, low=0, high=1
        ),
    ]
    numbers = [
        Measure("f1", "higher", _f1, low=0, high=1),
        Measure("reference_gain", "higher", _gain, low=-1, high=1),
        Measure("iterations", "neither", _iterations, low=0),
        *(
            Measure(
                name,
                "lower" if name == "bias" else "higher",
                _score(name),
                low=0,
                high=1,
            )
            for name in SCORES
        ),
    ]
    of_claims = [
        Measure(
            name,
            "lower" if name == "contradicted" else "higher",
            _claimed(name),
            low=0,
            high=1,
        )
        for name in FIGURES
    ]
    ladder = common.measures(metrics.step)
    of_answers = [ladder[name] for name in ("accuracy", "accuracy_decided")]
    return {
        measure.name: measure
        for measure in (
            *of_answers,
            *shares,
            *by_iteration,
            *found,
            *numbers,
            *of_claims,
        )
    }


def _seen(session: Session, item: Item) -> answers.Item | None:
    """The session as the report of a batch sees it; None where nobody says what is right."""
    accepted = common.listed(item, "answers")
    if not accepted:
        return None
    if session.result is None:
        return answers.Item(accepted, "failed")
    brought = facts(session)
    same = item.fields.get(common.ACCEPTED_BY_MODEL)
    by_model = same.get("answers", ()) if isinstance(same, Mapping) else ()
    answer = given_answer(session) or brought.answer
    return answers.item_of(
        brought, accepted, given_answer(session), answer if answer in by_model else None
    )


def _share(name: str) -> Callable[[Session, Item], Iterator[Measured]]:
    """One of the measures that the report of a batch has. What cannot be told gives nothing."""

    def of(session: Session, item: Item) -> Iterator[Measured]:
        one = _seen(session, item)
        right = None if one is None else answers.MEASURES[name](one)
        if one is None or right is None:
            return
        if name in VERIFIED and one.verified is not None:
            read = (
                one.verified.said != "unread"
                if name == "judgement_accuracy"
                else one.verified.asks_again is not None
            )
            yield _right(right, None if read else "unread")
        else:
            yield _right(
                right,
                None if right or one.why is None else STATES.get(one.why, "failed"),
            )

    return of


def _right(right: bool, why: State | None = None) -> Measured:
    return Measured(float(right), why or ("right" if right else "wrong"))


def _by_iteration(session: Session, values: Sequence[Measured]) -> Iterator[Measured]:
    """One a round, up to as many as the settings allow; after the last one that was made it stands."""
    most = (
        1
        if given_answer(session) is not None or setting(session, "revise") != "end"
        else setting(session, "iterations") + 1
    )
    for place in range(max(most, len(values)) if values else 0):
        yield values[min(place, len(values) - 1)]._replace(round=place + 1)


def _accuracies(session: Session, item: Item) -> Iterator[Measured]:
    one = _seen(session, item)
    if one is None:
        return
    if session.result is None:
        yield from _by_iteration(session, [Measured(0.0, "failed")])
        return
    given = [turn.answer for turn in facts(session).turns]
    said = [
        _right(answers.step_of(one, text) is not None)
        if text is not None
        else Measured(0.0, "no-references")
        for text in given
    ]
    yield from _by_iteration(session, said)


def _references(session: Session, item: Item) -> Iterator[Measured]:
    yield from _by_iteration(session, [_right(held) for held in _held(session, item)])


def _held(session: Session, item: Item) -> list[bool]:
    """Of each iteration, whether an accepted answer stands in one of its references; nothing where that cannot be told."""
    one = _seen(session, item)
    if one is None or session.result is None:
        return []
    made = facts(session).turns
    if any(turn.references is None for turn in made):
        return []
    return [
        any(metrics.contains(text, one.accepted) for text in turn.references or ())
        for turn in made
    ]


def _retrieved(session: Session, item: Item) -> list[Measured | Retrieved]:
    """What each iteration found of the gold passages; one failed measurement where there is no result, nothing where nobody names any."""
    gold = gold_in(item.fields)
    if not has_gold(gold):
        return []
    if session.result is None:
        return [Measured(0.0, "failed")]
    return [
        retrieved(gold, in_force(turn.retrieval), asked_for(session, turn.retrieval))
        or NOTHING
        for turn in turns(session)
        if turn.iteration and texts(in_force(turn.retrieval)) is not None
    ]


def _found(name: str, place: int) -> Callable[[Session, Item], Iterator[Measured]]:
    """What the references of the first (0) or of the last iteration (-1) hold of the gold passages."""

    def of(session: Session, item: Item) -> Iterator[Measured]:
        for found in _retrieved(session, item)[place:][:1]:
            yield found if isinstance(found, Measured) else _of_gold(name, found)

    return of


def _of_gold(name: str, found: Retrieved) -> Measured:
    value = float(getattr(found, name))
    if not found.shown:
        return Measured(value, "no-references")
    return _right(found.hit_rate) if name == "hit_rate" else Measured(value, "measured")


def _recalls(session: Session, item: Item) -> Iterator[Measured]:
    found = _retrieved(session, item)
    yield from _by_iteration(
        session,
        [
            one if isinstance(one, Measured) else _of_gold("recall", one)
            for one in found
        ],
    )


def _gain(session: Session, item: Item) -> Iterator[Measured]:
    """Column Dlt of Table 6: the last references against the first."""
    held = _held(session, item)
    if held:
        yield Measured(float(held[-1]) - float(held[0]), "measured")


def _f1(session: Session, item: Item) -> Iterator[Measured]:
    one = _seen(session, item)
    if one is not None:
        yield Measured(
            answers.f1_of(one),
            "measured" if one.why is None else STATES.get(one.why, "failed"),
        )


def _claimed(name: str) -> Callable[[Session, Item], Iterator[Measured]]:
    """A figure of its claims; nothing where they were not to be checked, or there is nothing to measure."""

    def of(session: Session, item: Item) -> Iterator[Measured]:
        said = claimed(session) if session.result is not None else None
        if said is not None and name in said.missing:
            yield Measured(None, STATES.get(said.missing[name], "unread"))
        elif said is not None and name in said.values:
            yield Measured(said.values[name], "measured")

    return of


def _iterations(session: Session, item: Item) -> Iterator[Measured]:
    if session.result is not None:
        yield Measured(float(facts(session).iterations), "measured")


def _score(name: str) -> Callable[[Session, Item], Iterator[Measured]]:
    """A score of the last verification that was to give scores; one that this verifier does not give is none."""

    def of(session: Session, item: Item) -> Iterator[Measured]:
        said = facts(session).verification if session.result is not None else None
        if said is None or name in said.unmeasured:
            return
        value = getattr(said, name)
        yield Measured(None, "unread") if value is None else Measured(value, "measured")

    return of
