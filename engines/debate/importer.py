"""Converts debates recorded by the original MAD code to sessions: one JSON object each,
with every agent's messages in `players`.

No model is called: speeches and verdicts are taken from the record, and read as in a
live debate. The answer of the last verdict is the result. If the record's own `debate
translation` or `debate_answer` differs, the task keeps it as `imported_answer`. The
references of a translation, right and wrong, become the task's `answers` and
`wrong_answers`: no model sees them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ...prompts import load
from ...sessions.errors import bad_input, cause
from ...sessions.events import Event
from ...sessions.events.debate import Baseline, Candidates, Speech, Verdict
from ...sessions.files import whole
from ...sessions.new import new_header, timestamp
from ...sessions.session import Header, Prompts, Seat, Session
from ...texts import t
from ..reading import Unread
from . import verdicts
from .engine import result
from .messages import sent
from .plan import upcoming
from .rounds import closing, single_line

LARGEST = 64_000_000
"""Bytes of a file."""
ROUNDS = 4
"""The round limit that the published debates were run with.

The judge's last two calls show that a debate reached its own limit.
"""
_SIDES = ("affirmative", "negative")
_LANGUAGES = {
    "chinese": "zh",
    "english": "en",
    "german": "de",
    "french": "fr",
    "japanese": "ja",
    "spanish": "es",
    "russian": "ru",
    "korean": "ko",
}


def import_debates(path: Path) -> Iterator[tuple[Header, list[Event]]]:
    """Return the debates of a `.jsonl` file (one per line) or a `.json` file (one, or a
    list).

    Raises: BadInput, which names the file and the place.
    """
    for where, record in _records(path):
        try:
            yield _debate(record)
        except _NoDebate as error:
            raise bad_input(
                "wrong.debates.no_debate", where=where, error=error
            ) from None


class _NoDebate(Exception):
    pass


def _records(path: Path) -> Iterator[tuple[str, Any]]:
    try:
        if path.stat().st_size > LARGEST:
            raise bad_input("wrong.file.split", path=path, most=LARGEST // 1_000_000)
        text = whole(path).decode("utf-8-sig")
    except OSError as error:
        raise bad_input("wrong.file.check_name", path=path, why=cause(error)) from None
    except UnicodeDecodeError:
        raise bad_input("wrong.file.not_utf8", path=path) from None
    if path.suffix == ".jsonl":
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield f"{path}, line {number},", _json(line, f"{path}, line {number},")
        return
    found = _json(text, str(path))
    if isinstance(found, list):
        yield from (
            (f"{path}, entry {number},", one) for number, one in enumerate(found, 1)
        )
    else:
        yield str(path), found


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise bad_input("wrong.debates.no_json", where=where, error=error) from None


def _debate(record: Any) -> tuple[Header, list[Event]]:
    players = record.get("players") if isinstance(record, dict) else None
    if not isinstance(players, dict):
        raise _NoDebate(t("wrong.debates.no_players"))
    spoken = {
        name: _replies(players, name)
        for name in ("Affirmative side", "Negative side", "Moderator", "Judge")
    }
    if not spoken["Affirmative side"] or not spoken["Negative side"]:
        raise _NoDebate(t("wrong.debates.silent"))
    seeded = len(spoken["Affirmative side"]) > max(
        len(spoken["Negative side"]), len(spoken["Moderator"])
    )
    judged = len(spoken["Moderator"])
    header = _header(
        record, players, seeded, judged if spoken["Judge"] else max(ROUNDS, judged)
    )
    session = Session(header, [])
    _tell(session, spoken)
    following = upcoming(session)
    if following is not None and following.what == "result":
        _add(session, result(session))
        _keep_answer(session, record)
    return header, session.events


def _header(
    record: dict[str, Any], players: dict[str, Any], seeded: bool, rounds: int
) -> Header:
    source = record.get("source")
    translation = isinstance(source, str) and bool(source.strip())
    topic = source if translation else record.get("debate_topic")
    if not isinstance(topic, str) or not topic.strip():
        raise _NoDebate(t("wrong.debates.no_topic"))
    languages = _from_to(players) if translation else (None, None)
    task: dict[str, object] = {
        "kind": "translation" if translation else "question",
        "topic": topic.strip(),
    }
    task |= {"from": languages[0], "to": languages[1], "imported_from": "MAD"}
    if isinstance(record.get("id"), str | int) and not isinstance(record["id"], bool):
        task["imported_id"] = str(record["id"])
    for name, field in (
        ("answers", "correct reference"),
        ("wrong_answers", "incorrect reference"),
    ):
        known = record.get(field)
        if isinstance(known, str) and known.strip():
            task[name] = [known.strip()]
    model = record.get("model_name")
    seat = Seat(
        model=model if isinstance(model, str) and model else "unknown",
        params=_params(record),
    )
    prompts = load("en")
    return new_header(
        workspace="debate",
        title=topic,
        task=task,
        lineup={role: msgspec.structs.replace(seat) for role in (*_SIDES, "judge")},
        settings={
            "debaters": 2,
            "level": 2,
            "rounds": rounds,
            "opening": "seeded" if seeded else "free",
            "negative": "differs",
            "stop": "adaptive",
            "extract": "limit",
            "judge_history": "first-round",
            "disagreement": "stance" if translation else "answer",
        },
        prompts=Prompts(
            set=prompts.name, hash=prompts.hash, templates=prompts.templates
        ),
    )


def _params(record: dict[str, Any]) -> dict[str, object]:
    temperature = record.get("temperature")
    fits = (
        isinstance(temperature, int | float)
        and not isinstance(temperature, bool)
        and 0 <= temperature <= 2
    )
    if fits:
        return {"temperature": temperature}
    return {}


def _replies(players: dict[str, Any], name: str) -> list[str]:
    messages = players.get(name) or []
    try:
        said = [
            message["content"] for message in messages if message["role"] == "assistant"
        ]
    except (TypeError, KeyError):
        said = [None]
    if not all(isinstance(one, str) for one in said):
        raise _NoDebate(t("wrong.debates.messages", name=name))
    return said


def _from_to(players: dict[str, Any]) -> tuple[str, str]:
    """Return the languages from the first side's request to translate; Chinese to
    English if the record does not say.
    """
    for message in players["Affirmative side"]:
        match = re.search(r"from (\w+) to (\w+)", str(message.get("content", "")))
        if match:
            one, other = (
                _LANGUAGES.get(name.casefold(), name) for name in match.groups()
            )
            return one, other
    return "zh", "en"


def _tell(session: Session, spoken: dict[str, list[str]]) -> None:
    """Return the recorded replies as events, in the order of a live debate, as far as
    the record goes.
    """
    sides = {
        "affirmative": iter(spoken["Affirmative side"]),
        "negative": iter(spoken["Negative side"]),
    }
    judge, end = iter(spoken["Moderator"]), iter(spoken["Judge"])
    model = session.header.lineup["judge"].model
    while (step := upcoming(session)) is not None and step.what != "result":
        source = {
            "baseline": sides["affirmative"],
            "verdict": judge,
            "candidates": end,
            "extraction": end,
        }.get(step.what)
        text = next(source or sides[step.role], None)
        if text is None:
            return
        made: dict[str, Any] = {"role": step.role, "model": model, "text": text}
        if step.what == "baseline":
            answer = closing(text) or single_line(text)
            _add(
                session,
                Baseline(**made, answer=answer, read="sliced" if answer else "unread"),
            )
        elif step.what == "speech":
            _add(session, Speech(**made, round=step.round, answer=closing(text)))
        elif step.what == "candidates":
            listed = verdicts.candidates(text, sent=sent(session, step))
            found: dict[str, Any] = (
                {}
                if isinstance(listed, Unread)
                else {"items": listed[0], "read": listed[1]}
            )
            _add(session, Candidates(**made, round=step.round, **found))
        else:
            asked = step.what == "verdict"
            read = verdicts.discriminative if asked else verdicts.extractive
            judged = read(text, _SIDES, sent=sent(session, step))
            made |= {} if isinstance(judged, Unread) else msgspec.structs.asdict(judged)
            made["mode"] = "discriminative" if asked else "extractive"
            _add(session, Verdict(**made, round=step.round))


def _add(session: Session, event: Event) -> None:
    event.number, event.time = len(session.events) + 1, timestamp()
    session.events.append(event)


def _keep_answer(session: Session, record: dict[str, Any]) -> None:
    own = record.get(
        "debate translation",
        record.get("debate_translation", record.get("debate_answer")),
    )
    if (
        isinstance(own, str)
        and own.strip()
        and own != getattr(session.events[-1], "answer", None)
    ):
        session.header.task["imported_answer"] = own
