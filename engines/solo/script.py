"""The built-in `script`: replies written by hand for the bundled example topics. It is no language model and says nothing else."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from ..models.port import Call
from ..script import HandWritten, plain, read, refusal
from .tasks import Solve

SCRIPTS = Path(__file__).parent / "scripts"


class Lines(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A topic with its reply for each strategy."""

    topic: str
    kind: str
    source: str | None = None
    target: str | None = None
    direct: str
    cot: str


class Script(HandWritten):
    """Solves the example topics."""

    def line(self, call: Call) -> str:
        task = call.task
        lines = lines_of(task.topic, task.kind, task.source, task.target) if isinstance(task, Solve) else None
        if lines is None or not isinstance(task, Solve):
            raise refusal(call.role, "it has a reply for its example topics only, and this is none of them")
        return (lines.cot if task.strategy == "cot" else lines.direct).strip()


def lines_of(topic: str, kind: str, source: str | None, target: str | None) -> Lines | None:
    """The replies to a topic; white space and a closing full stop or question mark do not count. None where there are none."""
    lines = _all().get(plain(topic))
    return lines if lines is not None and (lines.kind, lines.source, lines.target) == (kind, source, target) else None


def known_as(topic: str) -> tuple[str, str | None, str | None] | None:
    """The kind and the languages in which the script knows a topic; None if it does not know it."""
    lines = _all().get(plain(topic))
    return None if lines is None else (lines.kind, lines.source, lines.target)


@cache
def _all() -> dict[str, Lines]:
    return {plain(lines.topic): lines for listed in read(SCRIPTS, list[Lines]) for lines in listed}
