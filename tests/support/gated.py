"""A batch of debates whose every call waits until the test lets it go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

from verifytui.engines.batches.batch import Batch
from verifytui.engines.batches.lines import BatchLine
from verifytui.engines.debate.method import DebateMethod, new_debate
from verifytui.engines.debate.script import DebateScript, example_topics
from verifytui.engines.models.config import Config
from verifytui.engines.models.port import Model, ModelCall, ModelReply, Part
from verifytui.engines.tools import Tools
from verifytui.prompts import load
from verifytui.sessions.events import Usage
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Header


class Gated(DebateMethod):
    """Debates of the script, 20 tokens a call."""

    def __init__(self) -> None:
        self.begun = 0
        self.running = 0
        self.gate = asyncio.Semaphore(0)

    def let_go(self, calls: int = 10_000) -> None:
        """Lets so many calls have their reply."""
        for _ in range(calls):
            self.gate.release()

    def builtins(self, header: Header, tools: Tools) -> dict[str, Model]:
        return {"script": self}

    async def ask(self, call: ModelCall) -> AsyncGenerator[Part | ModelReply, None]:
        self.begun += 1
        self.running += 1
        try:
            await self.gate.acquire()
            async for part in DebateScript().ask(call):
                if isinstance(part, ModelReply):
                    part.usage, part.cost = Usage(input=10, output=10), 0.001
                yield part
        finally:
            self.running -= 1


def batch(debate: DebateMethod, *ids: str) -> Batch:
    """Debates of the first example, one for each id."""
    topic = next(one.topic for one in example_topics() if one.kind == "question")
    headers = [new_debate(topic=topic, prompts=load("en")) for _ in ids]
    lines = [BatchLine(name, (), f"line {n}") for n, name in enumerate(ids, 1)]
    return Batch(
        debate.batches["topics"], lines, headers, {}, debate, Tools(Config(), paths())
    )


async def until(holds: Callable[[], object], seconds: float = 20.0) -> None:
    """Until something holds; fails if it never does."""
    async with asyncio.timeout(seconds):
        while not holds():
            await asyncio.sleep(0.005)


async def passes() -> None:
    """Gives everything that could go on now its turns."""
    for _ in range(200):
        await asyncio.sleep(0)
