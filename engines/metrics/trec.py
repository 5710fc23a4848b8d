"""Files of TREC: qrels (`query 0 candidate label`) and runs (`query Q0 candidate rank
score tag`), read and written.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from sys import intern

from ...sessions.errors import bad_input
from ...texts import t
from .compare import Pair
from .levels import LEVELS
from .ranking import RunLine
from .values import id_of, level_in, lines, read_json, read_text, shown

PLAIN_LEVELS = {str(level): level for level in LEVELS}
ITERATIONS = ("0", "Q0", "q0")
"""What is in the second column of qrels; anything else is a table of another kind.
"""


def read_qrels(text: str, name: str) -> dict[Pair, int | None]:
    """Labels by pair.

    BadInput names the line: not four columns, no level 0..3, a pair twice.
    """
    labels: dict[Pair, int | None] = {}
    for number, line in lines(text):
        fields = line.split()
        if len(fields) == 4 and fields[1] in ITERATIONS:
            pair = (intern(fields[0]), fields[2])
            if fields[3] in PLAIN_LEVELS and pair not in labels:
                labels[pair] = PLAIN_LEVELS[fields[3]]
                continue
        where = t("wrong.place.line", name=name, number=number)
        if len(fields) != 4 or fields[1] not in ITERATIONS:
            raise bad_input("wrong.trec.no_qrels", where=where)
        keep(
            labels,
            (fields[0], fields[2]),
            level_in(fields[3], where),
            where,
        )
    return labels


def keep(
    labels: dict[Pair, int | None], pair: Pair, level: int | None, where: str
) -> None:
    """Notes a label down. BadInput if the pair has one."""
    if pair in labels:
        raise bad_input(
            "wrong.trec.same_pair",
            where=where,
            query=shown(pair[0]),
            candidate=shown(pair[1]),
        )
    labels[pair] = level


def read_run(path: Path, *, worst_first: bool = False) -> dict[str, list[RunLine]]:
    """A run by query: TREC, or JSON `{query: [ids, best first]}` or `{query: {id:
    score}}`. BadInput names the line or the query.

    `worst_first`: the lists of JSON are turned round.
    """
    text = read_text(path)
    if text.lstrip().startswith("{"):
        return _json_run(text, str(path), worst_first)
    if worst_first:
        raise bad_input("wrong.trec.worst_first", path=path)
    run: dict[str, list[RunLine]] = {}
    seen: set[Pair] = set()
    for number, line in lines(text):
        where = t("wrong.place.path_line", path=path, number=number)
        fields = line.split()
        if len(fields) not in (5, 6):
            raise bad_input("wrong.trec.no_run", where=where)
        query, _, candidate, rank, score = fields[:5]
        once(seen, (query, candidate), where)
        run.setdefault(query, []).append(
            RunLine(
                candidate, _number(score, "score", where), _number(rank, "rank", where)
            )
        )
    return run


def once(seen: set[Pair], pair: Pair, where: str) -> None:
    """BadInput if a run has this pair already."""
    if pair in seen:
        raise bad_input(
            "wrong.trec.same_candidate",
            where=where,
            candidate=shown(pair[1]),
            query=shown(pair[0]),
        )
    seen.add(pair)


def qrels(labels: Mapping[Pair, int]) -> str:
    """Labels as qrels.

    BadInput for an id that is empty or holds white space, which the format cannot
    carry.
    """
    return "".join(
        f"{_word(query)} 0 {_word(candidate)} {level}\n"
        for (query, candidate), level in labels.items()
    )


def run(
    query: str, candidates: Iterable[tuple[str, float]], tag: str = "verifytui"
) -> str:
    """One query's candidates with their scores, best first, as lines of a run; ranks
    from 1. BadInput as for `qrels`.
    """
    lined = enumerate(candidates, 1)
    return "".join(
        f"{_word(query)} Q0 {_word(candidate)} {rank} {score:.9g} {tag}\n"
        for rank, (candidate, score) in lined
    )


def _json_run(text: str, name: str, worst_first: bool) -> dict[str, list[RunLine]]:
    value = read_json(text, name)
    run = {}
    seen: set[Pair] = set()
    for query, found in value.items():
        where = t("wrong.place.query", name=name, shown=shown(query))
        if isinstance(found, dict) and not worst_first:
            rated = [
                (one, _number(score, "score", where)) for one, score in found.items()
            ]
        elif isinstance(found, list):
            rated = _listed(found[::-1] if worst_first else found, where)
        else:
            kind = t("wrong.trec.list") + (
                "" if worst_first else t("wrong.trec.or_object")
            )
            raise bad_input("wrong.trec.no_ranking", where=where, kind=kind)
        for candidate, _ in rated:
            once(seen, (query, candidate), where)
        run[query] = [
            RunLine(candidate, score, rank)
            for rank, (candidate, score) in enumerate(rated, 1)
        ]
    return run


def _listed(found: Sequence[object], where: str) -> list[tuple[str, float]]:
    """A list has no scores; its places stand for them, so that no two are equal."""
    return [
        (id_of(one, "candidate", where), -float(place))
        for place, one in enumerate(found, 1)
    ]


def _number(value: object, what: str, where: str) -> float:
    try:
        number = (
            float(value)
            if isinstance(value, str | int | float) and not isinstance(value, bool)
            else math.nan
        )
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise bad_input(
            "wrong.trec.no_number", where=where, what=what, value=shown(value)
        )
    return number


def _word(text: str) -> str:
    if not text or text.split() != [text]:
        raise bad_input("wrong.trec.no_id", id=shown(text))
    return text
