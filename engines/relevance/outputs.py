"""What a session of relevance exports: levels and scores by pair, and one row per pair
with facts and reasons.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, Literal

import msgspec

from ...sessions.annotators import GOLD
from ...sessions.annotators import GOLD as ADJUDICATOR
from ...sessions.case_pairs import Key, PairAt, PairPlace, digests
from ...sessions.errors import BadInput, bad_input
from ...sessions.events import plain
from ...sessions.events.labels import Label
from ...sessions.label_store import labels_in
from ...sessions.labels import Latest
from ...sessions.session import Session
from ...texts import t
from ..cases.rating import MACHINE
from ..cases.task import candidates, gold, query
from ..metrics.compare import Pair
from ..metrics.trec import keep, qrels, run
from .adjudication import labels_of
from .consensus import ConsensusLevels, How, level_by, why_none
from .plan import KINDS, CurrentStages, Kind, RelevanceState, raters, readable, setting
from .queue import label_of


def with_labels(session: Session, people: Mapping[str, Latest]) -> Session:
    """Return the session with people's labels of its pairs appended. If the session has
    a later label itself, that one applies.

    `people` is what `LabelStore.people` returns. The adjudicator's labels are excluded.
    """
    inside, pairs = labels_in(session), digests(session.header)
    more = []
    for name in people.keys() - {GOLD}:
        own = inside.get(name, {})
        for candidate, pair in pairs.items():
            key = Key(pair)
            label = people[name].get(key)
            if label is None or label.training:
                continue
            if not (key in own and own[key].time > label.time):
                more.append(msgspec.structs.replace(label, candidate=candidate))
    more.sort(key=lambda one: (one.time, one.number))
    first = len(session.events) + 1
    for number, label in enumerate(more, first):
        label.number = number
    return Session(session.header, [*session.events, *more])


COLUMNS = (
    "session",
    "query",
    "candidate",
    "title",
    "label",
    "score",
    "material",
    "legal",
    "gold",
    "labels",
    "said",
    "adjudicated",
    "material_reason",
    "legal_reason",
    "query_material_facts",
    "query_legal_facts",
    "candidate_material_facts",
    "candidate_legal_facts",
)
"""Columns of a row; `labels`, `said` and facts hold several values."""

_UNSAID = ("event", "number", "session", "candidate", "pair")


def levels(session: Session, rater: str | None = None) -> dict[str, int | None]:
    """Return the level of each candidate in the given order; None for a candidate
    without one.

    `rater` is `machine`, `gold` or an annotator. With None, a person's last label takes
    precedence over the model's score.
    """
    fold = RelevanceState(session)
    if rater is not None:
        known = raters(session, fold).get(rater, {})
        return {id_: known.get(id_) for id_ in fold.candidates}
    return {id_: _final(one) for id_, one in fold.candidates.items()}


def as_qrels(sessions: Iterable[Session], rater: str | None = None) -> tuple[str, int]:
    """Return the levels as qrels, and the number of pairs omitted because they have no
    level.

    Raises: BadInput for a repeated pair, an id with blanks, or a rater without ratings.
    """
    found, missing = _pairs(sessions, rater)
    return qrels(found), missing


def as_run(sessions: Iterable[Session], rater: str | None = None) -> tuple[str, int]:
    """Return a TREC run, best first, with equal scores in the given order; and the
    number of pairs omitted because they have no level.

    The score is the level. If the model judged a pair in several repeats, the score is
    their mean, which breaks ties. Raises: BadInput as `as_qrels` does, and for a pair
    judged at several temperatures or by several models, which has no single mean.
    """
    found: dict[Pair, int | None] = {}
    repeated: dict[Pair, dict[int, int | None]] = {}
    manners: dict[Pair, str] = {}
    given: dict[Pair, int] = {}
    for session in sessions:
        asked, where = (
            str(query(session).get("id", "")),
            t("wrong.labels.the_session", id=session.header.id),
        )
        repeat, manner = setting(session, "repeat"), _manner(session)
        said = _by_people(session) if rater is None else set()
        for candidate, level in levels(session, rater).items():
            pair = asked, candidate
            if (
                candidate in said
                and level is not None
                and given.setdefault(pair, level) == level
                and found.get(pair) == level
            ):
                continue  # a person's single level, in each repeat of the pair
            before = repeated.setdefault(pair, {})
            machine = rater in (None, MACHINE) and candidate not in said
            mixed = (
                repeat in before
                or (pair in found and not before)
                or manners.setdefault(pair, manner) != manner
            )
            if mixed or not machine:
                keep(found, pair, level, where)
            else:
                before[repeat] = found[pair] = level
    means = {
        pair: fmean(valued)
        for pair, one in repeated.items()
        if (valued := [level for level in one.values() if level is not None])
    }
    scores = {pair: means.get(pair, level) for pair, level in found.items()}
    known = {pair: float(score) for pair, score in scores.items() if score is not None}
    if rater is not None and not known:
        raise bad_input("wrong.labels.nobody", rater=rater[:60])
    return _run(known), len(found) - len(known)


def _by_people(session: Session) -> set[str]:
    """Return the candidates that a person has given a level."""
    return {
        id_
        for id_, one in RelevanceState(session).candidates.items()
        if any(label.value is not None for label in one.labels.values())
    }


def _manner(session: Session) -> str:
    """Return everything about how a session was judged, except the repeat: models with
    their parameters, and settings.
    """
    seats = {
        role: (seat.rule, [(one.model, one.params) for one in seat.members])
        for role, seat in session.header.lineup.items()
    }
    return repr(
        (
            sorted(seats.items()),
            sorted(
                (name, value)
                for name, value in session.header.settings.items()
                if name != "repeat"
            ),
        )
    )


def _run(found: Mapping[Pair, float]) -> str:
    lines: dict[str, list[tuple[str, float]]] = {}
    for (asked, candidate), level in found.items():
        lines.setdefault(asked, []).append((candidate, float(level)))
    return "".join(
        run(asked, sorted(ranked, key=lambda one: -one[1]))
        for asked, ranked in lines.items()
    )


def _said(label: Label) -> dict[str, Any]:
    """Return everything a person recorded about a pair: level, bits, reasons,
    evidence.
    """
    return {name: value for name, value in plain(label).items() if name not in _UNSAID}


def annotators(pairs: Sequence[PairAt], people: Mapping[str, Latest]) -> list[str]:
    """Return the names of the people who labelled these pairs. `people` is the result
    of `read_labels`.
    """
    return sorted({name for pair in pairs for name in labels_of(pair, people)})


def chosen_levels(
    pairs: Sequence[PairAt],
    people: Mapping[str, Latest],
    how: How,
    rater: str | None = None,
) -> ConsensusLevels:
    """Return the level of every pair by one rule.

    `people` is the result of `read_labels`, with the adjudicator under `gold`.

    Raises: BadInput if the rule gives no pair a level.
    """
    made = ConsensusLevels()
    for pair in pairs:
        labels = labels_of(pair, people)
        decided = label_of(pair, people.get(ADJUDICATOR, {}))
        level = level_by(how, labels, decided, rater)
        digest = pair.key.subject
        made.by_pair[digest] = level
        if level is None:
            made.why[digest] = why_none(how, labels, rater)
        for place in pair.places:
            _add_level(made, place, level)
        made.single += (
            how != "rater"
            and level is not None
            and len(labels) == 1
            and decided is None
        )
    if not any(level is not None for level in made.by_pair.values()):
        raise BadInput(
            t("wrong.labels.nobody", rater=rater[:60])
            if rater is not None
            else t(f"wrong.labels.no_{how}")
        )
    return made


def _add_level(made: ConsensusLevels, place: PairPlace, level: int | None) -> None:
    """Puts a level under the ids that a pair has at a place."""
    ids = place.query, place.candidate
    if level is None:
        made.why[ids] = made.why[place.pair]
    if made.levels.get(ids) is None:
        made.levels[ids] = level
    elif level is not None:
        where = t("wrong.labels.the_session", id=place.session)
        try:
            keep(made.levels, ids, level, where)
        except BadInput as error:
            made.twice = made.twice or str(error)


def as_text(
    found: Mapping[Pair, int | None], to: Literal["qrels", "run"]
) -> tuple[str, int]:
    """Return the levels as qrels or as a TREC run, and the number of pairs omitted
    because they have no level.
    """
    known = {pair: level for pair, level in found.items() if level is not None}
    return qrels(known) if to == "qrels" else _run(known), len(found) - len(known)


def rows(
    session: Session,
    name: str,
    people: Mapping[str, Latest] | None = None,
    chosen: ConsensusLevels | None = None,
) -> list[dict[str, Any]]:
    """Return one row per candidate, under COLUMNS. `name` is the name of the session.

    `people`: their labels from files; `chosen`: the levels for the column `label`.
    """
    session = with_labels(session, people or {})
    pairs = digests(session.header)
    fold, known, final = RelevanceState(session), gold(session), levels(session)
    asked = str(query(session).get("id", ""))
    made = []
    for id_, case in candidates(session).items():
        one = fold.candidates[id_]
        row: dict[str, object] = {
            "session": name,
            "query": asked,
            "candidate": id_,
            "title": case.get("title"),
            "label": final[id_],
        }
        row |= {
            "score": one.score.value if one.score is not None else None,
            "gold": known.get(id_),
        }
        row["labels"] = {label.annotator: label.value for label in one.labels.values()}
        row["said"] = [_said(label) for label in one.labels.values()]
        decided = (people or {}).get(ADJUDICATOR, {}).get(Key(pairs[id_]))
        row["adjudicated"] = (
            _said(decided)
            if decided is not None and decided.value is not None
            else None
        )
        if chosen is not None:
            row["label"] = chosen.by_pair.get(pairs[id_])
        for kind in KINDS:
            judged = one.judgement(kind)
            row[kind] = judged.relevant if judged is not None else None
            row[f"{kind}_reason"] = judged.reason if judged is not None else None
            row[f"query_{kind}_facts"] = _facts(fold.query, kind)
            row[f"candidate_{kind}_facts"] = _facts(one, kind)
        made.append({column: row[column] for column in COLUMNS})
    return made


def _pairs(
    sessions: Iterable[Session], rater: str | None
) -> tuple[dict[Pair, int], int]:
    found: dict[Pair, int | None] = {}
    given: dict[Pair, int] = {}
    for session in sessions:
        asked = str(query(session).get("id", ""))
        said = _by_people(session) if rater is None else set()
        for candidate, level in levels(session, rater).items():
            if (
                candidate in said
                and level is not None
                and given.setdefault((asked, candidate), level)
                == found.get((asked, candidate))
            ):
                continue  # a person's single level, in each repeat of the pair
            keep(
                found,
                (asked, candidate),
                level,
                t("wrong.labels.the_session", id=session.header.id),
            )
    known = {pair: level for pair, level in found.items() if level is not None}
    if rater is not None and not known:
        raise bad_input("wrong.labels.nobody", rater=rater[:60])
    return known, len(found) - len(known)


def _final(one: CurrentStages) -> int | None:
    given = [label for label in one.labels.values() if label.value is not None]
    if given:
        return max(given, key=lambda label: label.number).value
    if one.score is not None:
        return one.score.value
    return None


def _facts(one: CurrentStages, kind: Kind) -> list[str] | None:
    found = one.facts(kind)
    if found is not None and readable(found):
        return [item.text for item in found.items]
    return None
