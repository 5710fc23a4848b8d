"""Who changed an answer in a debate, to whose, and whether that helped.

A *move* is a speech whose answer is compared with the answer that its debater last
stated: it keeps the answer, or changes it. An unreadable answer is not a move; it is
counted as unread.

Sources of the questions: Wynn, Satija and Hadfield 2025 (arXiv 2509.05396: right
answers that are argued away); Choi et al. 2025 (arXiv 2508.17536: a debate against a
vote); Zhang et al. 2025 (arXiv 2502.08788: the gain per token). The rules are this
project's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from ...sessions.events.debate import Baseline, DebateResult, Speech
from ...sessions.session import Session, Totals
from ...texts import t
from ...texts.roles import role_name
from ...texts.settings import listed
from ..figures.aggregate import Aggregate, whole
from ..figures.common import rightness
from ..figures.items import item_of
from ..figures.measure import Item, Measure, MeasuredValue, ratio, right_if
from ..figures.wording import NOTHING
from ..reports.batch import FlipFigures
from ..reports.document import Cell, DataTable, number_column, text_column
from .plan import DEBATERS, debaters
from .rounds import same

NEW_WORDS = 0.25
"""A speech brings a new argument if at least this share of its different content words
has not been said before, in the topic or in a speech."""


FLIPS = ("right_to_wrong", "wrong_to_right")
BY_SIDE = tuple(f"{name}_{role}" for name in FLIPS for role in DEBATERS)


class Move(NamedTuple):
    """A speech of a debater who had stated an answer before."""

    round: int
    role: str
    before: str
    after: str | None
    """None: no answer could be read."""
    opposed: tuple[str, ...]
    """Those whose latest answer was another than `before` when it spoke."""
    joined: tuple[str, ...] = ()
    """Those of `opposed` whose answer it now gives."""
    argued: bool = False
    """Whether one of `joined` had brought a new argument."""


def moves(session: Session) -> list[Move]:
    """Return the moves of a debate in order."""
    latest: dict[str, Speech] = {}
    before: list[Speech] = []
    found = []
    for event in session.events:
        if isinstance(event, Speech):
            own = latest.get(event.role)
            if own is not None:
                found.append(_move(event, str(own.answer), latest))
                if found[-1].joined:
                    topic = str(session.header.task.get("topic", ""))
                    heard = [latest[role] for role in found[-1].joined]
                    argued = any(_argues(one, topic, before) for one in heard)
                    found[-1] = found[-1]._replace(argued=argued)
            before.append(event)
            if event.answer is not None:
                latest[event.role] = event
    return found


def _move(speech: Speech, before: str, latest: Mapping[str, Speech]) -> Move:
    others = {
        role: str(one.answer) for role, one in latest.items() if role != speech.role
    }
    opposed = tuple(role for role, said in others.items() if not same(said, before))
    after = speech.answer
    if after is None or same(before, after):
        return Move(speech.round, speech.role, before, after, opposed)
    joined = tuple(role for role in opposed if same(others[role], after))
    return Move(speech.round, speech.role, before, after, opposed, joined)


def _argues(speech: Speech, topic: str, speeches: Sequence[Speech]) -> bool:
    """Return whether a speech brought a new argument when it was made."""
    words = _content_words(speech.text)
    known = _content_words(topic)
    for one in takewhile(lambda one: one is not speech, speeches):
        known |= _content_words(one.text)
    return len(words - known) >= max(1.0, NEW_WORDS * len(words))


def _content_words(text: str) -> set[str]:
    from ..retrieval.common import common_words, function_words
    from ..retrieval.tokeniser import Tokeniser

    return set(Tokeniser().cut(text)) - function_words() - common_words()


def in_words(session: Session) -> list[str]:
    """Return the summary at the end of a debate: who changed an answer, the effect on
    right answers if they are known, and the cost of the debate.
    """
    changes = [_change(move) for move in moves(session) if _changed(move)]
    notes = (
        [t("result.changes", changes=t("report.batch.semicolon").join(changes))]
        if changes
        else []
    )
    item = item_of("", session.header.task)
    flips = [
        sum(
            one.counts[0]
            for one in _flips(was, "")(session, item)
            if one.round is None and one.counts
        )
        for was in (True, False)
    ]
    oracle = next(_oracle(session, item), None)
    if oracle is not None:
        notes.append(t("result.flips", lost=round(flips[0]), gained=round(flips[1])))
        overlooked = any(one.value for one in _overlooked(session, item))
        if overlooked or not oracle.value:
            notes.append(t(f"result.{'overlooked' if overlooked else 'nobody_right'}"))
    for one in _times(session, item):
        notes.append(t("result.times", times=f"{one.value:.1f}"))
    return notes


def _changed(move: Move) -> bool:
    return move.after is not None and not same(move.before, move.after)


def _change(move: Move) -> str:
    how = "joined" if move.argued else "unargued"
    return t(
        f"result.{how if move.joined else 'changed'}",
        side=role_name(move.role),
        round=move.round,
        others=listed(map(role_name, move.joined)),
        answer=move.after,
    )


def tallies(session: Session) -> dict[str, dict[str, int]]:
    """Return how often each side took over which answer, and how often an answer was
    unread.
    """
    joined: Counter[str] = Counter()
    unargued: Counter[str] = Counter()
    found = moves(session)
    for move in found:
        for role in move.joined:
            joined[f"{move.role}>{role}"] += 1
            unargued[f"{move.role}>{role}"] += not move.argued
    counts = {"moved": joined, "moved_unargued": +unargued}
    unread = sum(move.after is None for move in found)
    return {name: dict(each) for name, each in counts.items() if each} | (
        {"moves_unread": {"unread": unread}} if unread else {}
    )


def breakdown(
    measured: Sequence[tuple[str, Mapping[str, Sequence[MeasuredValue]]]],
) -> FlipFigures | None:
    """Return the flips of a run; None if none could be measured.

    `measured`: for each session, its cluster and its measurements by name.
    """
    known = {measure.name: measure for measure in measures()}

    def figure(name: str, number: int | None = None) -> Aggregate:
        items = [
            (cluster, one)
            for cluster, values in measured
            for one in values.get(name, ())
            if one.round == number
        ]
        return whole(known[name], items)

    numbers = {
        one.round
        for _, values in measured
        for name in FLIPS
        for one in values.get(name, ())
    }
    parts = {name: figure(name) for name in FLIPS}
    if all(one.value is None for one in parts.values()):
        return None
    by_round = {
        str(number): {name: figure(name, number) for name in FLIPS}
        for number in sorted(filter(None, numbers))
    }
    by_side = {
        role: {name: figure(f"{name}_{role}") for name in FLIPS} for role in DEBATERS
    }
    spoke = {
        role: named
        for role, named in by_side.items()
        if any(one.value is not None for one in named.values())
    }
    return FlipFigures(**parts, by_round=by_round, by_side=spoke)


def tables(
    flips: FlipFigures | None, tallies: Mapping[str, Mapping[str, int]]
) -> list[DataTable]:
    """Return the flips of a run, and who took over whose answer."""
    return [*_flip_table(flips, tallies), *_moved_table(tallies)]


def _flip_table(
    flips: FlipFigures | None, tallies: Mapping[str, Mapping[str, int]]
) -> list[DataTable]:
    if flips is None:
        return []
    columns = [
        text_column("report.moves.of", "of"),
        *(number_column(f"report.measure.{name}", name) for name in FLIPS),
    ]
    named = {
        t("report.moves.all"): {name: getattr(flips, name) for name in FLIPS},
        **{t("report.moves.round", n=n): of for n, of in flips.by_round.items()},
        **{role_name(role): of for role, of in flips.by_side.items()},
    }
    rows: list[list[Cell | str]] = [
        [name, *(_counted(of[flip]) for flip in FLIPS)] for name, of in named.items()
    ]
    unread = tallies.get("moves_unread", {}).get("unread", 0)
    notes = [t("report.moves.flips_note"), t("report.moves.unread", n=unread)]
    return [DataTable(t("report.moves.flips"), columns, rows, notes)]


def _counted(figure: Aggregate) -> Cell:
    """`3 of 8 (37.5%) [12.0, 71.2]`"""
    if figure.value is None:
        return Cell(NOTHING)
    text = t("report.moves.count", count=figure.count, of=figure.of, share=figure.value)
    between = (
        f"[{figure.low:.1%}, {figure.high:.1%}]"
        if figure.low is not None and figure.high is not None
        else ""
    )
    return Cell(text, figure.value, figure.low, figure.high, between)


def _moved_table(tallies: Mapping[str, Mapping[str, int]]) -> list[DataTable]:
    moved = tallies.get("moved", {})
    if not moved:
        return []
    columns = [
        text_column("report.moves.who", "from"),
        text_column("report.moves.whose", "to"),
        number_column("report.moves.times", "times"),
        number_column("report.moves.without", "without_argument"),
    ]
    rows: list[list[Cell | str]] = []
    for pair, n in sorted(moved.items()):
        first, _, second = pair.partition(">")
        without = tallies.get("moved_unargued", {}).get(pair, 0)
        rows.append(
            [
                role_name(first),
                role_name(second),
                Cell(str(n), n),
                Cell(str(without), without),
            ]
        )
    notes = [t("report.moves.argument", share=NEW_WORDS)]
    return [DataTable(t("report.moves.moved"), columns, rows, notes)]


def measures() -> Iterator[Measure]:
    """Return the measures of flips, conformity, the oracle and cost, by name."""
    for name in FLIPS:
        before = name == "right_to_wrong"
        for role in ("", *DEBATERS):
            yield Measure(
                f"{name}_{role}" if role else name,
                "lower" if before else "higher",
                _flips(before, role),
                low=0,
                high=1,
                pooled=ratio,
                subject="process",
            )
    yield Measure(
        "conformity",
        "neither",
        _conformity,
        low=0,
        high=1,
        pooled=ratio,
        subject="process",
    )
    yield Measure(
        "conformity_unargued",
        "neither",
        _unargued,
        low=0,
        high=1,
        pooled=ratio,
        subject="process",
    )
    yield Measure("oracle", "higher", _oracle, True, 0, 1, subject="process")
    yield Measure("overlooked", "lower", _overlooked, True, 0, 1, subject="process")
    yield Measure(
        "times_one_answer",
        "lower",
        _times,
        low=0,
        pooled=ratio,
        subject="process",
        tested=False,
    )


def _flips(was_right: bool, role: str) -> Callable[..., Iterator[MeasuredValue]]:
    """Return how many of the right (wrong) answers became wrong (right): in the whole
    debate, then in each round. `role`: only for this side.
    """

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        right = rightness(item)
        if right is None or (role and role not in debaters(session)):
            return
        by_round: dict[int, list[bool | None]] = {}
        for move in moves(session):
            if role in ("", move.role) and right(move.before) == was_right:
                flipped = None if move.after is None else right(move.after) != was_right
                by_round.setdefault(move.round, []).append(flipped)
        yield from _share([mark for marks in by_round.values() for mark in marks])
        for number, marks in by_round.items():
            for one in _share(marks):
                yield one._replace(round=number)

    return of


def _share(marks: Sequence[bool | None]) -> Iterator[MeasuredValue]:
    """A share whose values are summed over sessions; None: unread, and left out."""
    known = [mark for mark in marks if mark is not None]
    counts = (float(sum(known)), float(len(known)))
    if known:
        yield MeasuredValue(ratio(counts), "measured", counts=counts)
    elif marks:
        yield MeasuredValue(None, "unread")


def _conformity(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """Return how many of the answers that another debater opposed changed to that
    debater's.
    """
    opposed = [move for move in moves(session) if move.opposed]
    yield from _share(
        [None if move.after is None else bool(move.joined) for move in opposed]
    )


def _unargued(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """Return how many of the changes to another debater's answer came without a new
    argument for it.
    """
    yield from _share([not move.argued for move in moves(session) if move.joined])


def _oracle(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """Return whether any debater gave a right answer in any round."""
    right = rightness(item)
    speeches = [event for event in session.events if isinstance(event, Speech)]
    if right is None or not speeches:
        return
    stated = [one.answer for one in speeches if one.answer is not None]
    yield right_if(any(map(right, stated)), "wrong" if stated else "unread")


def _overlooked(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """Among debates in which a debater gave a right answer, return whether the result
    has another answer, or none.
    """
    right, result = rightness(item), session.result
    if right is None or not isinstance(result, DebateResult):
        return
    if any(one.value for one in _oracle(session, item)):
        yield right_if(result.answer is None or not right(result.answer))


def _times(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """Return the tokens of the debate as a multiple of those of its first answer."""
    first = next(
        (one for one in session.events if isinstance(one, Baseline | Speech)), None
    )
    one = Totals.of(first) if first is not None else None
    whole = session.totals().tokens
    if session.result is not None and one is not None and one.tokens and whole:
        counts = (float(whole), float(one.tokens))
        yield MeasuredValue(ratio(counts), "measured", counts=counts)
