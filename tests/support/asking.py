"""The shortest way to ask a desk."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import pytest
from verifytui.engines.models.desk import Desk
from verifytui.engines.models.port import (
    Delta,
    Message,
    ModelRemark,
    ModelReply,
    Part,
    Task,
    Waiting,
)
from verifytui.sessions.session import Header, Prompts, Seat, Session

MESSAGES: list[Message] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "How fast was Alice?"},
]


def session(**lineup: Seat | str) -> Session:
    seats = {
        role: seat if isinstance(seat, Seat) else Seat(model=seat)
        for role, seat in lineup.items()
    }
    prompts = Prompts(set="en", hash="", templates={})
    return Session(
        Header(
            id="x",
            workspace="debate",
            created="",
            title="t",
            task={},
            lineup=seats,
            settings={},
            prompts=prompts,
        )
    )


class Asked:
    """One ask, to its end: the parts by kind and the reply."""

    def __init__(self) -> None:
        self.parts: list[Part | ModelReply] = []

    @property
    def reply(self) -> ModelReply:
        assert isinstance(self.parts[-1], ModelReply)
        assert sum(isinstance(part, ModelReply) for part in self.parts) == 1
        return self.parts[-1]

    @property
    def waits(self) -> list[Waiting]:
        return [part for part in self.parts if isinstance(part, Waiting)]

    @property
    def remarks(self) -> list[ModelRemark]:
        return [part for part in self.parts if isinstance(part, ModelRemark)]

    def streamed(self, *, reasoning: bool) -> str:
        return "".join(
            part.text
            for part in self.parts
            if isinstance(part, Delta) and part.reasoning == reasoning
        )


async def ask(
    desk: Desk,
    role: str = "judge",
    schema: dict[str, Any] | None = None,
    into: Asked | None = None,
    messages: list[Message] = MESSAGES,
) -> Asked:
    asked = into or Asked()
    async with aclosing(desk.ask(role, Task(), messages, schema)) as parts:
        async for part in parts:
            asked.parts.append(part)
    return asked


Make = Callable[..., Desk]


both = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
