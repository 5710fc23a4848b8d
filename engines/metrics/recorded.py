"""The raters of relevance sessions: the machine's scores, the people's labels, and the gold labels the candidates came with."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...sessions.errors import BadInput
from ...sessions.events import Facts, Judgement, Label, Score
from ...sessions.load import Loaded, load
from .compare import Pair, Rater
from .trec import keep
from .values import id_of, level_of

MACHINE, GOLD = "machine", "gold"


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


def _together(sessions: Iterable[tuple[Path, Loaded]]) -> list[Rater]:
    raters: dict[str, Rater] = {}
    for path, loaded in sessions:
        for name, one in _of_session(loaded, str(path)).items():
            rater = raters.setdefault(name, Rater(name))
            rater.seen_machine += one.seen_machine
            for pair, level in one.labels.items():
                if name == GOLD and rater.labels.get(pair, level) == level:
                    rater.labels[pair] = level
                else:
                    keep(rater.labels, pair, level, f"{path}, {name}")
    return list(raters.values())


def _of_session(loaded: Loaded, where: str) -> dict[str, Rater]:
    """What holds at the end of a session: a score falls with what it rests on, of a person's labels the last one counts."""
    task: dict[str, Any] = loaded.header.task
    query = id_of(task.get("query"), "query", where)
    scores: dict[str, int | None] = {}
    labels: dict[tuple[str, str], Label] = {}
    for event in loaded.events:
        if isinstance(event, Facts):
            for candidate in list(scores) if event.case == "query" else [event.case]:
                scores.pop(candidate, None)
        elif isinstance(event, Judgement):
            scores.pop(event.candidate, None)
        elif isinstance(event, Score):
            scores[event.candidate] = level_of(event.value, f"{where}, event {event.number}")
        elif isinstance(event, Label):
            labels[event.annotator, event.candidate] = event
    found = {MACHINE: Rater(MACHINE, {(query, candidate): level for candidate, level in scores.items()})}
    for (annotator, candidate), label in labels.items():
        name = f"{annotator} (annotator)" if annotator in (MACHINE, GOLD) else annotator or "person"
        rater = found.setdefault(name, Rater(name))
        rater.labels[query, candidate] = level_of(label.value, f"{where}, event {label.number}")
        rater.seen_machine += label.seen_machine and label.value is not None
    gold = _gold(task, query, where)
    return {name: one for name, one in {**found, GOLD: Rater(GOLD, gold)}.items() if one.labels}


def _gold(task: dict[str, Any], query: str, where: str) -> dict[Pair, int | None]:
    candidates = task.get("candidates")
    rows = [one for one in candidates if isinstance(one, dict)] if isinstance(candidates, list) else []
    known = [one for one in rows if one.get("gold") is not None]
    return {(query, id_of(one, "candidate", where)): level_of(one["gold"], f"{where}, gold") for one in known}
