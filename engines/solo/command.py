"""The user's own estimator: a command that rates translations without a reference, such
as a model of quality estimation.

The command comes from the user's config.yaml, variable or command line, never from a
session. It runs without a shell. It reads JSON lines `{"id", "source", "answer",
"from", "to"}` from the file `{in}`, or from stdin, and writes `{"id", "score"}` to the
file `{out}`, or to stdout.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ...sessions.events import Usage
from ...sessions.events.solo import Attempt, Estimate
from ...sessions.session import Session
from ...texts import english
from ..models.command_model import CommandFailure, run_over
from ..models.keys import without_keys
from ..models.port import ModelError
from .state import ESTIMATOR, attempts

LONGEST = 3600.0
"""Seconds that a run may take."""
MOST = 1 << 20
"""Bytes of what the command writes."""


def rater(command: str | None) -> Callable[[Session], Awaitable[Estimate]]:
    """What rates the translations of a session by this command."""
    if not command:
        return by_nobody
    return partial(rated_by, command)


async def by_nobody(session: Session) -> Estimate:
    """Raises: ModelError, since there is no command."""
    raise _fault(
        "no command is set for the estimator; set estimator_command in "
        "config.yaml, or --estimator-command"
    )


async def rated_by(command: str, session: Session) -> Estimate:
    """The estimates of all translations of a session, from one run of the command.

    Raises: ModelError.
    """
    made = [attempt for attempt in attempts(session) if attempt.answer is not None]
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="verifytui-") as folder:
        written = await _run(command, _lines(session, made), Path(folder))
    values = _scores(written, made)
    return Estimate(
        role="",
        model="command",
        text=written,
        usage=Usage(input=0, output=0),
        cost=0.0,
        seconds=time.monotonic() - began,
        attempts=0,
        iterations=[one.iteration for one in made],
        values=values,
        read="json",
    )


def _lines(session: Session, made: Sequence[Attempt]) -> str:
    about = session.header.task
    rows = [
        {
            "id": str(one.iteration),
            "source": about.get("topic"),
            "answer": one.answer,
            "from": about.get("from"),
            "to": about.get("to"),
        }
        for one in made
    ]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


async def _run(command: str, lines: str, folder: Path) -> str:
    """What the command writes."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if not words or "\0" in command:
        raise _fault(
            "the command of the estimator cannot be read; check estimator_command"
        )
    into, out = folder / "in.jsonl", folder / "out.jsonl"
    into.write_bytes(lines.encode("utf-8", "replace"))
    try:
        await run_over(words, into, out, LONGEST)
        with out.open("rb") as file:
            said = file.read(MOST + 1)
    except CommandFailure as failed:
        raise _fault(english(failed)) from None
    except OSError:
        raise _fault(f"{words[0]} wrote no file of scores") from None
    if len(said) > MOST:
        raise _fault(f"{words[0]} wrote more than {MOST >> 20} MiB")
    return without_keys(said.decode("utf-8", "replace"), os.environ)


def _scores(written: str, made: Sequence[Attempt]) -> list[float | None]:
    """A score for each translation, the higher the better."""
    found = {}
    for line in written.splitlines():
        try:
            row: Any = json.loads(line)
        except ValueError:
            continue
        score = row.get("score") if isinstance(row, dict) else None
        if (
            isinstance(score, int | float)
            and not isinstance(score, bool)
            and math.isfinite(score)
        ):
            found[str(row.get("id"))] = float(score)
    missing = [str(one.iteration) for one in made if str(one.iteration) not in found]
    if missing:
        raise _fault(f"the command gave no score for {', '.join(missing)}")
    return [found[str(one.iteration)] for one in made]


def _fault(why: str) -> ModelError:
    return ModelError(
        "bad-request", f"The translations cannot be rated: {why}.", role=ESTIMATOR
    )
