"""The lines of a batch: read, checked and named before anything is asked."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..sessions.errors import BadInput
from .options import Wishes, read_text

PLAIN_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}")
OWN_FIELDS = frozenset({"id", "topic", "answers", "wrong_answers"})


@dataclass(frozen=True)
class Line:
    """One topic of a batch."""

    id: str
    topic: str
    wishes: Wishes
    answers: tuple[str, ...]
    """What counts as right; empty: nobody says."""
    wrong_answers: tuple[str, ...]
    """The traps."""
    where: str
    """File and line number, for messages."""

    @property
    def file(self) -> str:
        """The session's file name: the id itself where it is harmless, else a slug and 8 hex digits of its SHA-256."""
        if PLAIN_ID.fullmatch(self.id):
            return f"{self.id}.yaml"
        slug = re.sub(r"[^\w-]+", "-", self.id)[:40].strip("-_")
        digits = hashlib.sha256(self.id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        return f"{slug}-{digits}.yaml" if slug else f"{digits}.yaml"


def read_topics(path: Path, base: Wishes) -> list[Line]:
    """All lines of a JSON-lines file, in order. BadInput names the first line that is wrong; empty lines are skipped."""
    lines: list[Line] = []
    seen: dict[str, str] = {}
    names: dict[str, str] = {}
    for number, text in enumerate(read_text(path).split("\n"), 1):
        if not text.strip():
            continue
        where = f"{path}, line {number}"
        line = _line(text, where, base)
        if line.id in seen:
            raise BadInput(f"{where}: the id “{line.id}” stands already in {seen[line.id]}; give every topic its own.")
        if line.file.casefold() in names:
            raise BadInput(f"{where}: the ids “{line.id}” and “{names[line.file.casefold()]}” would share a file; change one of them.")
        seen[line.id] = where
        names[line.file.casefold()] = line.id
        lines.append(line)
    if not lines:
        raise BadInput(f'{path} holds no topics; a line is {{"id": "…", "topic": "…"}}.')
    return lines


def _line(text: str, where: str, base: Wishes) -> Line:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput(f"{where} is not JSON; each line is one object with “id” and “topic”.") from None
    if not isinstance(row, dict):
        raise BadInput(f"{where} is not a JSON object; each line is one object with “id” and “topic”.")
    name, topic = row.get("id"), row.get("topic")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or not name:
        raise BadInput(f"{where} has no “id”; give every topic its own.")
    if not isinstance(topic, str) or not topic.strip():
        raise BadInput(f"{where} has no “topic”, which must be text.")
    try:
        wishes = base.with_line({key: value for key, value in row.items() if key not in OWN_FIELDS})
        right, wrong = _texts(row, "answers"), _texts(row, "wrong_answers")
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None
    return Line(name, topic, wishes, right, wrong, where)


def _texts(row: dict[str, Any], name: str) -> tuple[str, ...]:
    """One answer or a list of them; numbers are taken as written."""
    value = row.get(name)
    listed = [] if value is None else value if isinstance(value, list) else [value]
    if not all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in listed):
        raise BadInput(f"“{name}” must be text or a list of texts.")
    return tuple(str(one) for one in listed)
