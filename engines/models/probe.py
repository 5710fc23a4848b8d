"""Asks every model of a run once, before it begins: whether it answers at all."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from contextlib import aclosing

import msgspec

from ...sessions.session import Seat
from ...texts import t
from . import commands, litellm_door
from .calls import CallUsage, Target
from .config import Config
from .environment import Environment
from .keys import sent
from .lineup import BUILTINS
from .port import Message, ModelCall, ModelError, ReplyStream, Task
from .preflight import EMBEDDING, SeatModel, refuse
from .targets import find

MOST_TOKENS = 16
"""Of a reply to a probe."""
SECONDS = 60.0
"""How long a reply to a probe may take."""
WORDS: list[Message] = [{"role": "user", "content": "Reply with OK."}]


async def probe_all(asked: Iterable[SeatModel], config: Config) -> None:
    """As `probe`. Raises: BadInput where a model does not answer."""
    refuse(await probe(asked, config))


async def probe(
    asked: Iterable[SeatModel], config: Config, env: Environment = os.environ
) -> list[str]:
    """Make one short call to each different model, except embedding models.

    Returns the faults, one sentence per model with all its roles. A rate-limit refusal
    is not a fault, since the provider has accepted the key.
    """
    seats: dict[bytes, Seat] = {}
    who: dict[bytes, dict[str, None]] = {}
    for one in asked:
        if one.keyed and one.who not in EMBEDDING:
            for member in one.seat.members:
                if member.model not in BUILTINS:
                    key = msgspec.json.encode([member.model, member.name])
                    seats.setdefault(key, member)
                    who.setdefault(key, {})[one.who] = None
    calls = (_call(seat, config, env) for seat in seats.values())
    comma = t("wrong.preflight.comma")
    return [
        t("wrong.preflight.seat", who=comma.join(roles), why=why)
        for roles, why in zip(who.values(), await asyncio.gather(*calls), strict=True)
        if why
    ]


async def _call(seat: Seat, config: Config, env: Environment) -> str:
    """Why the model does not answer; empty where it does."""
    try:
        target = await find(seat, config, env)
        async with aclosing(_asked(seat, target, env)) as parts:
            async for _ in parts:
                pass
    except ModelError as error:
        if error.kind == "rate-limit":
            return ""
        return error.said or str(error)
    return ""


def _asked(seat: Seat, target: Target, env: Environment) -> ReplyStream:
    """The reply of a model, or of a command, to a probe."""
    sent(target.api_key)
    limit = min(SECONDS, target.timeout)
    if target.command:
        call = ModelCall(
            role="probe", seat=seat, task=Task(), messages=WORDS, stream=False
        )
        quick = msgspec.structs.replace(target, timeout=limit)
        return commands.answer(quick, call, CallUsage())
    short = {**target.params, "max_tokens": MOST_TOKENS}
    brief = msgspec.structs.replace(target, params=short, timeout=limit)
    return litellm_door.complete(brief, "probe", WORDS, None, False, CallUsage(), env)
