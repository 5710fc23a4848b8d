"""The raters of relevance sessions: the machine's scores, the people's labels, and the gold labels the candidates came with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ...sessions.errors import BadInput
from ...sessions.events import Demonstrations, Facts, Judgement, Label, Score
from ...sessions.load import Loaded, load
from ...sessions.session import Header
from .compare import Pair, Rater
from .trec import keep
from .values import id_of, level_of

MACHINE, GOLD = "machine", "gold"
MANNER = ("model", "temperature", "repeat")


def is_session(head: bytes) -> bool:
    """True if a file that begins so is meant as a session."""
    return head.removeprefix(b"\xef\xbb\xbf").removeprefix(b"---\n").startswith(b"format: verifytui/")


def session_raters(path: Path) -> list[Rater]:
    """The raters of a session file, or of all relevance sessions of a folder taken together. BadInput where there are none."""
    if not path.is_dir():
        loaded = _load(path)
        if loaded.header.workspace != "relevance":
            raise BadInput(f"{path} is a session of {loaded.header.workspace}, which has no labels; name sessions of relevance.")
        return _together([(path, loaded)])
    files = sorted(one for one in path.glob("*.yaml") if one.is_file())
    sessions = ((one, _load(one)) for one in files)
    raters = _together((one, loaded) for one, loaded in sessions if loaded.header.workspace == "relevance")
    if not raters:
        raise BadInput(f"{path} holds no session of relevance that anybody has rated.")
    return raters


def _load(path: Path) -> Loaded:
    try:
        return load(path.read_bytes(), str(path))
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror or error}).") from None


class _Session(NamedTuple):
    path: Path
    manner: dict[str, str]
    texts: dict[Pair, int]
    """A digest of both cases' texts."""
    raters: dict[str, Rater]


def _together(sessions: Iterable[tuple[Path, Loaded]]) -> list[Rater]:
    """One rater a name. Where the machine has judged a pair more than once, it is one rater for every way it was asked.

    Cases that came without ids have numbers, so two sessions may call different cases alike: such a pair goes by the session's file name.
    """
    found = [_of_session(path, loaded) for path, loaded in sessions]
    texts: dict[Pair, set[int]] = {}
    for session in found:
        for pair, text in session.texts.items():
            texts.setdefault(pair, set()).add(text)
    judged: Counter[Pair] = Counter()
    for session in found:
        for rater in session.raters.values():
            rater.labels = {(session.path.stem, pair[1]) if len(texts[pair]) > 1 else pair: level for pair, level in rater.labels.items()}
        judged.update(session.raters[MACHINE].labels.keys())
    repeated = any(count > 1 for count in judged.values())
    varying = [name for name in MANNER if repeated and len({session.manner[name] for session in found}) > 1]
    raters: dict[str, Rater] = {}
    for session in found:
        for name, one in session.raters.items():
            if name == MACHINE:
                name = ", ".join([name, *(f"{which} {session.manner[which]}" for which in varying)])
            rater = raters.setdefault(name, Rater(name))
            rater.seen_machine += one.seen_machine
            for pair, level in one.labels.items():
                if name == GOLD and rater.labels.get(pair, level) == level:
                    rater.labels[pair] = level
                else:
                    keep(rater.labels, pair, level, f"{session.path}, {name}")
    return [rater for rater in raters.values() if rater.labels]


def _manner(header: Header) -> dict[str, str]:
    """How the machine was asked, by what may differ between sessions of one batch."""
    seat = header.lineup.get("annotator") or header.lineup.get("extractor")
    repeat = header.settings.get("repeat")
    told = repeat + 1 if isinstance(repeat, int) else repeat  # the first is 0 in the file, 1 for people, and .r1 in the session's name
    values = (seat.model if seat else "", seat.params.get("temperature") if seat else None, told)
    return {name: "unset" if value is None else str(value) for name, value in zip(MANNER, values, strict=True)}


def _of_session(path: Path, loaded: Loaded) -> _Session:
    """What holds at the end of a session: a score falls with what it rests on, of a person's labels the last one counts."""
    where = str(path)
    task: dict[str, Any] = loaded.header.task
    query = id_of(task.get("query"), "query", where)
    given = task.get("candidates")
    cases = {id_of(one, "candidate", where): one for one in given} if isinstance(given, list) else {}
    scores: dict[str, int | None] = {}
    labels: dict[tuple[str, str], Label] = {}
    for event in loaded.events:
        if isinstance(event, Demonstrations | Facts | Judgement):
            made_for = event.case if isinstance(event, Facts) else event.candidate
            if made_for is None or made_for == "query":
                scores.clear()
            else:
                scores.pop(made_for, None)
        elif isinstance(event, Score) and event.candidate in cases:
            scores[event.candidate] = level_of(event.value, f"{where}, event {event.number}")
        elif isinstance(event, Label) and event.candidate in cases:
            labels[event.annotator, event.candidate] = event
    gold = {
        one: level_of(case["gold"], f"{where}, gold")
        for one, case in cases.items()
        if isinstance(case, dict) and case.get("gold") is not None
    }
    raters = {name: Rater(name, {(query, one): level for one, level in rated.items()}) for name, rated in ((MACHINE, scores), (GOLD, gold))}
    for (annotator, candidate), label in labels.items():
        name = f"{annotator} (annotator)" if annotator in (MACHINE, GOLD) else annotator or "person"
        rater = raters.setdefault(name, Rater(name))
        rater.labels[query, candidate] = level_of(label.value, f"{where}, event {label.number}")
        rater.seen_machine += label.seen_machine and label.value is not None
    texts = {(query, one): hash((_text(task.get("query")), _text(case))) for one, case in cases.items()}
    return _Session(path, _manner(loaded.header), texts, raters)


def _text(case: object) -> str:
    return str(case.get("text")) if isinstance(case, dict) else str(case)
