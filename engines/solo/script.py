"""The built-in `script`: replies written by hand for the bundled example topics. It is no language model and says nothing else."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from functools import cache
from pathlib import Path

import msgspec

from ...sessions.events import Usage
from ..models.port import Call, Delta, ModelError, Part, Reply
from .tasks import Solve

NAME = "script"


class Lines(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A topic with its reply for each strategy."""

    topic: str
    kind: str
    source: str | None = None
    target: str | None = None
    direct: str
    cot: str


class Script:
    """Answers from the task, at once and free of charge."""

    async def ask(self, call: Call) -> AsyncGenerator[Part | Reply, None]:
        """Yields the reply in pieces, then whole. Raises ModelError `no-line` for a topic without a reply."""
        task = call.task
        lines = lines_of(task.topic, task.kind, task.source, task.target) if isinstance(task, Solve) else None
        if lines is None or not isinstance(task, Solve):
            raise ModelError(
                "no-line",
                "The script has a reply for its example topics only, and this is none of them; give the seat to a person or a model.",
            )
        text = (lines.cot if task.strategy == "cot" else lines.direct).strip()
        if call.stream:
            for piece in re.findall(r"\s*\S+\s*", text):
                yield Delta(call.role, piece)
        yield Reply(text=text, model=NAME, usage=Usage(input=0, output=0), cost=0.0, finish="stop")


def lines_of(topic: str, kind: str, source: str | None, target: str | None) -> Lines | None:
    """The replies to a topic; white space and a closing full stop or question mark do not count. None where there are none."""
    lines = _all().get(_plain(topic))
    return lines if lines is not None and (lines.kind, lines.source, lines.target) == (kind, source, target) else None


def known_as(topic: str) -> tuple[str, str | None, str | None] | None:
    """The kind and the languages in which the script knows a topic; None if it does not know it."""
    lines = _all().get(_plain(topic))
    return None if lines is None else (lines.kind, lines.source, lines.target)


@cache
def _all() -> dict[str, Lines]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data = yaml.load(Path(__file__).with_name("lines.yaml").read_text("utf-8"), Loader=loader)  # noqa: S506 - a safe loader, our own file
    return {_plain(lines.topic): lines for lines in msgspec.convert(data, list[Lines])}


def _plain(topic: str) -> str:
    return " ".join(topic.split()).rstrip(".?!\u3002\uff1f\uff01")
