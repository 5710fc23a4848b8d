"""One model alone, played to its end."""

from __future__ import annotations

from pathlib import Path

from verifytui.engines.engine import MethodEngine
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.models.desk import Desk
from verifytui.engines.solo.plan import SoloStep
from verifytui.engines.solo.replies import solo_engine
from verifytui.engines.solo.script import SoloScript
from verifytui.engines.step import step
from verifytui.sessions.events import Failure
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Header, Seat
from verifytui.tests.support.loopback import Loopback

DIVISION = "吃掉敌人一个师。"
"""A text that the script can translate."""
HERE = {"solver": Seat(model="openai/m", name="here")}
"""The solver is a server on this machine, as `served` configures it."""


async def play(
    header: Header,
    config: Config | None = None,
    path: Path | None = None,
    engine: MethodEngine[SoloStep] | None = None,
) -> Journal:
    """The session, played to its end or to a failure."""
    journal = Journal.create(path, header)
    await go_on(journal, config, engine)
    return journal


async def go_on(
    journal: Journal,
    config: Config | None = None,
    engine: MethodEngine[SoloStep] | None = None,
    steps: int = 1000,
) -> None:
    """Plays a session on: so many steps, or to its end or a failure."""
    desk = Desk(
        lambda: journal.session, config or Config(), builtins={"script": SoloScript()}
    )
    engine = engine or solo_engine()
    for _ in range(steps):
        if engine.finished(journal.session):
            return
        async for _ in step(journal, engine, desk):
            pass
        if isinstance(journal.session.events[-1], Failure):
            return


def served(loopback: Loopback) -> Config:
    """A configuration in which `here` is this server.

    The variable SOLO_KEY must be set.
    """
    return Config(
        models={
            "here": NamedModel(
                model="openai/m", api_base=loopback.base_url, api_key_env="SOLO_KEY"
            )
        },
        retries=0,
    )
