"""Reads the raters of relevance sessions: the machine's scores, people's labels, and
the gold labels of the data.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ...sessions import events
from ...sessions.case_pairs import digests
from ...sessions.errors import bad_input, unread
from ...sessions.events.labels import Label
from ...sessions.events.relevance import Demonstrations, Facts, Judgement, Score
from ...sessions.label_store import LabelStore
from ...sessions.load import LIMIT, LoadedFile, load
from ...sessions.session import Header, Seat
from .compare import Kind, Pair, RaterLevels
from .levels import LEVELS
from .trec import keep
from .values import id_of, level_of

MACHINE, GOLD, ADJUDICATED = "machine", "gold", "adjudicated"
"""Raters that are not people: the machine, the data's own levels, and adjudicated ones.
"""
MANNER = ("model", "temperature", "repeat")


def is_session(head: bytes) -> bool:
    """True if a file that begins so is meant as a session."""
    return (
        head.removeprefix(b"\xef\xbb\xbf")
        .removeprefix(b"---\n")
        .startswith(b"format: verifytui/")
    )


class CurrentRatings(NamedTuple):
    """The scores and labels in force at the end of one session."""

    path: Path
    id: str
    parent: str | None
    """The session that it was forked from; shared events count once."""
    manner: dict[str, str]
    texts: dict[Pair, str]
    """A digest of both cases' texts."""
    scores: dict[Pair, RatingEvent]
    gold: dict[Pair, int | None]
    labels: dict[tuple[str, Pair], RatingEvent]
    """By annotator and pair, those of the files of labels too."""
    adjudicated: dict[Pair, RatingEvent]
    scale: int = len(LEVELS)
    """How many levels people have to choose from."""


class RatingEvent(NamedTuple):
    """A score or a label, and the event that it is."""

    level: int | None
    time: str
    number: int
    seen_machine: bool = False
    decision: Label | None = None
    """The label itself, of who has decided between people."""


def read_sessions(
    path: Path, warnings: list[str] | None = None, without: Sequence[str] = ()
) -> list[CurrentRatings]:
    """Reads a session file, or all relevance sessions of a folder.

    `warnings` takes what does not count. Raises: BadInput if there are none.
    """
    if not path.is_dir():
        loaded = _load(path)
        if not _is_rated(loaded.header):
            raise bad_input(
                "wrong.ratings.no_labels",
                path=path,
                workspace=loaded.header.workspace,
            )
        return _labelled(path, [_recorded(path, loaded)], warnings, without)
    files = sorted(one for one in path.glob("*.yaml") if one.is_file())
    sessions = ((file, _load(file)) for file in files)
    found = _labelled(
        path,
        [
            _recorded(one, loaded)
            for one, loaded in sessions
            if _is_rated(loaded.header)
        ],
        warnings,
        without,
    )
    if not any(one.scores or one.gold or one.labels for one in found):
        raise bad_input("wrong.ratings.none_rated", path=path)
    return found


def _labelled(
    path: Path,
    collected: list[CurrentRatings],
    warnings: list[str] | None,
    without: Sequence[str],
) -> list[CurrentRatings]:
    """The sessions with everybody's labels: each counts once, for the session that it
    names, or else the first that holds the pair.
    """
    store = LabelStore.of_pairs(path, without=without)
    if warnings is not None:
        warnings += store.warnings()
    scale = len(store.scale) or len(LEVELS)
    collected = [session._replace(scale=scale) for session in collected]
    places: dict[str, list[tuple[CurrentRatings, Pair]]] = {}
    for session in collected:
        for pair, digest in session.texts.items():
            places.setdefault(digest, []).append((session, pair))
    for name, labels in store.people.items():
        for key, label in labels.items():
            holds = places.get(key.subject)
            words = label.undone or label.words_only
            if not holds or words or label.training:
                continue
            session, pair = next(
                (hold for hold in holds if hold[0].id == label.session), holds[0]
            )
            rating = RatingEvent(
                level_of(label.value, f"{path}, {name}"),
                label.time,
                label.number,
                label.seen_machine,
            )
            if name != GOLD:
                session.labels[name, pair] = rating
            elif rating.level is not None:
                session.adjudicated[pair] = rating._replace(decision=label)
    return collected


def said_once(sessions: Sequence[CurrentRatings]) -> None:
    """Removes scores and labels that another of these sessions has, too: a fork or a
    copy of a file has the events of its parent.

    Of one annotator's labels of a pair, in a session and its forks, the last one
    counts, as it does within a session. A score that a fork has copied is its parent's.
    """
    for family in _families(sessions):
        last: dict[tuple[str, Pair], tuple[RatingEvent, CurrentRatings]] = {}
        scored = set()
        for session in family:
            for key, label in session.labels.items():
                if key not in last or (label.time, label.number) > (
                    last[key][0].time,
                    last[key][0].number,
                ):
                    last[key] = label, session
            for pair, said in list(session.scores.items()):
                if (pair, said.time, said.number) in scored:
                    del session.scores[pair]
                scored.add((pair, said.time, said.number))
        for session in family:
            for key in list(session.labels):
                if last[key][1] is not session:
                    del session.labels[key]


def _families(sessions: Sequence[CurrentRatings]) -> list[list[CurrentRatings]]:
    """Sessions that descend from one, parents before their forks; those without
    relatives are left out.
    """
    above: dict[str, str] = {}

    def top(id_: str) -> str:
        while id_ in above:
            id_ = above[id_]
        return id_

    for session in sessions:
        if session.parent is not None and top(session.parent) != top(session.id):
            above[top(session.id)] = top(session.parent)
    parents = {session.id: session.parent for session in sessions}

    def depth(id_: str) -> int:
        """How many of its ancestors are here; a forged circle of parents ends."""
        passed = []
        while (parent := parents.get(id_)) is not None and id_ not in passed:
            passed.append(id_)
            id_ = parent
        return len(passed)

    families: dict[str, list[CurrentRatings]] = {}
    for session in sorted(sessions, key=lambda session: depth(session.id)):
        families.setdefault(top(session.id), []).append(session)
    return [family for family in families.values() if len(family) > 1]


def _is_rated(header: Header) -> bool:
    return events.rated(header.method or header.workspace)


def _load(path: Path) -> LoadedFile:
    try:
        with path.open("rb") as file:
            size = min(os.fstat(file.fileno()).st_size, LIMIT)
            return load(file.read(size + 1), str(path))
    except OSError as error:
        raise unread(path, error) from None


def session_raters(sessions: Sequence[CurrentRatings]) -> list[RaterLevels]:
    """The raters of sessions taken together: one rater a name.

    Where the machine has judged a pair more than once, it is one rater for every way it
    was asked. Cases that came without ids have numbers, so two sessions may call
    different cases alike: such a pair goes by the session's file name.
    """
    texts: dict[Pair, set[str]] = {}
    for session in sessions:
        for pair, text in session.texts.items():
            texts.setdefault(pair, set()).add(text)
    judged = Counter(
        _named(session, pair, texts) for session in sessions for pair in session.scores
    )
    repeated = any(count > 1 for count in judged.values())
    varying = [
        name
        for name in MANNER
        if repeated and len({session.manner[name] for session in sessions}) > 1
    ]
    raters: dict[str, RaterLevels] = {}
    for session in sessions:
        for name, kind, rated in _of_session(session, varying):
            labels = {
                _named(session, pair, texts): said for pair, said in rated.items()
            }
            if (
                kind == MACHINE
                and session.parent is not None
                and name in raters
                and raters[name].labels.keys() & labels.keys()
            ):
                name = f"{name}, fork {session.path.stem}"
            rater = raters.setdefault(name, RaterLevels(name, kind=kind))
            if kind == "person" or name == ADJUDICATED:
                rater.scale = session.scale
            rater.seen_machine += sum(
                label.seen_machine and label.level is not None
                for label in labels.values()
            )
            for pair, label in labels.items():
                if label.seen_machine and label.level is not None:
                    rater.seen.add(pair)
                if label.decision is not None:
                    rater.decisions[pair] = label.decision
                if kind == GOLD and rater.labels.get(pair, label.level) == label.level:
                    rater.labels[pair] = label.level
                else:
                    keep(rater.labels, pair, label.level, f"{session.path}, {name}")
    return [rater for rater in raters.values() if rater.labels]


def _of_session(
    session: CurrentRatings, varying: Sequence[str]
) -> Iterator[tuple[str, Kind, dict[Pair, RatingEvent]]]:
    """Name, kind and levels of each rater: the machine, the data, then people.

    `varying`: what tells machines apart.
    """
    machine = ", ".join(
        [MACHINE, *(f"{which} {session.manner[which]}" for which in varying)]
    )
    yield machine, "machine", session.scores
    yield (
        GOLD,
        "gold",
        {pair: RatingEvent(level, "", 0) for pair, level in session.gold.items()},
    )
    yield ADJUDICATED, "gold", session.adjudicated
    for annotator in dict.fromkeys(annotator for annotator, _ in session.labels):
        name = (
            f"{annotator} (annotator)"
            if annotator in (MACHINE, GOLD, ADJUDICATED)
            else annotator or "person"
        )
        yield (
            name,
            "person",
            {
                pair: label
                for (whose, pair), label in session.labels.items()
                if whose == annotator
            },
        )


def _named(session: CurrentRatings, pair: Pair, texts: Mapping[Pair, set[str]]) -> Pair:
    if len(texts[pair]) > 1:
        return (session.path.stem, pair[1])
    return pair


def _manner(header: Header) -> dict[str, str]:
    """How the machine was asked, by what may differ between sessions of one batch."""
    seat = header.lineup.get("annotator") or header.lineup.get("extractor")
    repeat = header.settings.get("repeat")
    told = (
        repeat + 1 if isinstance(repeat, int) else repeat
    )  # the first is 0 in the file, 1 for people, and .r1 in the session's name
    values = (
        _model(seat) if seat else "",
        seat.params.get("temperature") if seat else None,
        told,
    )
    return {
        name: "unset" if value is None else str(value)
        for name, value in zip(MANNER, values, strict=True)
    }


def _model(seat: Seat) -> str:
    if seat.panel:
        return f"{seat.called}: {', '.join(one.model for one in seat.panel)}"
    return seat.model


def _recorded(path: Path, loaded: LoadedFile) -> CurrentRatings:
    """What holds at the end of a session: a score falls with what it rests on, of a
    person's labels the last one counts.
    """
    where = str(path)
    task: dict[str, object] = loaded.header.task
    query = id_of(task.get("query"), "query", where)
    given = task.get("candidates")
    cases = (
        {id_of(one, "candidate", where): one for one in given}
        if isinstance(given, list)
        else {}
    )
    scores: dict[Pair, RatingEvent] = {}
    for event in loaded.events:
        if isinstance(event, Demonstrations | Facts | Judgement):
            made_for = event.case if isinstance(event, Facts) else event.candidate
            if made_for is None or made_for == "query":
                scores.clear()
            else:
                scores.pop((query, made_for), None)
        elif (
            isinstance(event, Score | Label)
            and event.candidate in cases
            and not getattr(event, "measure", "")
        ):
            level = level_of(event.value, f"{where}, event {event.number}")
            if isinstance(event, Score):
                scores[query, event.candidate] = RatingEvent(
                    level, event.time, event.number
                )
    gold = {
        (query, one): level_of(case["gold"], f"{where}, gold")
        for one, case in cases.items()
        if isinstance(case, dict) and case.get("gold") is not None
    }
    texts = {(query, one): pair for one, pair in digests(loaded.header).items()}
    header = loaded.header
    return CurrentRatings(
        path,
        header.id,
        header.parent.id if header.parent else None,
        _manner(header),
        texts,
        scores,
        gold,
        {},
        {},
    )
