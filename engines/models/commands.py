"""Commands of the user that answer as models: the messages on stdin, the reply on
stdout, no shell.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from contextlib import aclosing, suppress

from ...sessions.events import Usage
from ...sessions.session import Seat
from ...texts import english, t
from ...texts.closest import with_closest
from .calls import CallUsage, Target
from .command_model import CommandFailure, converse
from .config import Config, NamedCommand
from .environment import Environment
from .keys import looks_like_key, sent_from
from .lineup import OURS
from .port import (
    Delta,
    Message,
    ModelCall,
    ModelError,
    ModelRemark,
    ModelReply,
    ReplyStream,
)
from .providers import on_this_machine
from .tokens import estimate, estimate_messages

MOST = 8 << 20
"""Bytes of a reply."""

LONGEST_SEQUENCE = 256
"""Characters of a sequence for a terminal that has only begun."""

_SECRET = re.compile(
    r"(?i)(?:^|_)(?:api_?keys?|keys?|tokens?|secrets?|passw(?:or)?d"
    r"|credentials?)(?:_|$)"
)
"""Names of variables that hold keys."""
_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
"""Sequences that colour a terminal or set its title."""
_NAMES = {"system": "System", "user": "User", "assistant": "Assistant"}


def command_problem(name: str, entry: NamedCommand, env: Environment) -> str | None:
    """Why the command of an entry cannot be run, as a sentence; None if it can."""
    program = entry.command[0]
    if shutil.which(program, path=_path(env)) is None:
        return t("wrong.lineup.no_program", name=name, program=program)
    missing = [one for one in entry.env if not env.get(one)]
    if missing:
        return t("wrong.lineup.command_env", name=name, variable=missing[0])
    return None


def _programs(entry: NamedCommand, env: Environment) -> set[str]:
    """The names on the PATH, where the program of an entry is none of them."""
    if os.sep in entry.command[0] or shutil.which(entry.command[0], path=_path(env)):
        return set()
    names = set()
    for folder in _path(env).split(os.pathsep):
        with suppress(OSError):
            names.update(os.listdir(folder))
    return names


def _path(env: Environment) -> str:
    return env.get("PATH", os.defpath)


def environment(
    entry: NamedCommand, config: Config, env: Environment
) -> dict[str, str]:
    """Return the environment of a command: without keys, except those its entry
    names.
    """
    secret = {*config.key_variables}
    kept = {
        name: value
        for name, value in env.items()
        if name not in secret and not _SECRET.search(name) and not looks_like_key(value)
    }
    named = {name: env[name] for name in entry.env if name in env}
    return {**kept, "NO_COLOR": "1", **named}


def find_command(seat: Seat, config: Config, env: Environment) -> Target:
    """The target of a seat on which a command sits.

    Raises: ModelError if it cannot or must not be run.
    """
    entry = config.commands.get(seat.name or "")
    if entry is None:
        raise ModelError(
            "unknown-model",
            f"config.yaml no longer has a command named {seat.called}: name it "
            f"there again, or choose another model.",
        )
    program = os.path.basename(entry.command[0])
    if config.local_only and not on_this_machine(program, config.private_hosts):
        raise ModelError(
            "not-local",
            f"{seat.called} runs {program}, which may send text anywhere, and "
            f"config.yaml says "
            f"local_only: choose a local model, or add {program} to private_hosts.",
        )
    problem = command_problem(seat.called, entry, env)
    if problem is not None:
        problem = with_closest(problem, entry.command[0], _programs(entry, env))
        error = ModelError("unknown-model", english(problem))
        error.said = problem
        raise error
    limit = seat.params.get("timeout") or entry.timeout or config.timeout
    return Target(
        model=seat.model,
        call_as=seat.model,
        provider="command",
        host=program,
        endpoint="command",
        params={k: v for k, v in seat.params.items() if k not in OURS},
        timeout=limit,
        called=seat.called,
        paced_as=seat.called,
        pace=entry.pace,
        command=entry.command,
        environment=environment(entry, config, env),
    )


async def answer(target: Target, call: ModelCall, meter: CallUsage) -> ReplyStream:
    """Runs the command once and yields its reply.

    Its cost is unknown. Raises: ModelError.
    """
    if target.params:
        names = ", ".join(target.params)
        said = (
            f"{target.called} is a command and takes no parameters; {names}: left out."
        )
        yield ModelRemark(call.role, "dropped", said, target.model, names)
    sent_from(target.environment)
    began = time.monotonic()
    meter.sent = True
    text, plain = [], _Plain()
    printed = converse(
        target.command,
        as_text(call.messages),
        target.timeout,
        env=target.environment,
        most=MOST,
    )
    try:
        async with aclosing(printed) as pieces:
            async for piece in pieces:
                text.append(piece)
                shown = plain.feed(piece)
                meter.received.append(shown)
                if call.stream and shown:
                    yield Delta(call.role, shown)
    except CommandFailure as failed:
        kind, said = failed.kind, english(failed)
        raise ModelError(
            kind,
            f"{target.called} gave no reply: {said}. Run {target.host} by itself "
            f"to see why.",
        ) from None
    whole = "".join(text)
    said = _CONTROL.sub("", whole)
    reply = ModelReply(
        text=said.strip(),
        model=target.model,
        endpoint=target.endpoint,
        seconds=time.monotonic() - began,
        finish="stop",
        altered=said != whole,
        dropped=list(target.params),
    )
    reply.usage = meter.usage = Usage(
        input=estimate_messages(call.messages), output=estimate(said), estimated=True
    )
    yield reply


class _Plain:
    """Takes what colours a terminal out of a text that comes in pieces."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """The text that can be shown; an incomplete sequence is held back."""
        text = _CONTROL.sub("", self._held + piece)
        at = text.find("\x1b")
        if at < 0 or len(text) - at > LONGEST_SEQUENCE:
            at = len(text)
        text, self._held = text[:at], text[at:]
        return text


def as_text(messages: list[Message]) -> str:
    """Format messages as plain text.

    The system message first, then a single question unchanged, or several turns with
    their speakers' names.
    """
    told = [one for one in messages if one["role"] == "system"]
    turns = [one for one in messages if one["role"] != "system"]
    if len(turns) == 1:
        parts = [one["content"] for one in (*told, *turns)]
    else:
        named = [f"{_NAMES[one['role']]}:\n{one['content']}" for one in turns]
        parts = [*(one["content"] for one in told), *named, "Assistant:"]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"
