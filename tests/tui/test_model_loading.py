"""The library that reaches models is loaded while the user still fills in a form or
chooses, so the first step does not wait for it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from verifytui.engines.models import catalogue, litellm_loading, prices
from verifytui.engines.models.config import Config
from verifytui.tests.support.piloting import everything, header, recorded, tui, wait
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.lineup import LineupScreen


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch, home: Path) -> list[str]:
    """What has begun to load."""
    made: list[str] = []

    async def never() -> None:
        raise RuntimeError

    async def servers(_env: object) -> AsyncIterator[list[catalogue.ModelRow]]:
        assert made, "loading waits for the servers of this machine"
        return
        yield

    monkeypatch.setattr(litellm_loading, "warm", lambda: made.append("litellm"))
    monkeypatch.setattr(litellm_loading, "ready", never)
    monkeypatch.setattr(catalogue, "local_servers", servers)
    return made


async def opened(pilot: Pilot[None]) -> None:
    await wait(pilot, lambda: tui(pilot).workspace.play is not None)


async def test_a_form_loads_it_where_the_configuration_names_a_model(
    begun: list[str],
) -> None:
    for config, loads in (
        (Config(), False),
        (Config(lineup={"debate": {"judge": "lexical"}}), False),
        (Config(model="gpt-4"), True),
    ):
        async with VerifyTui(config).run_test() as pilot:
            await opened(pilot)
            assert not begun
            await pilot.press("c")
            await wait(pilot, lambda: len(pilot.app.screen_stack) > 1)
            assert bool(begun) is loads


async def test_the_line_up_loads_it_at_once(begun: list[str]) -> None:
    async with VerifyTui(Config()).run_test() as pilot:
        await opened(pilot)
        await pilot.press("m")
        await wait(pilot, lambda: isinstance(pilot.app.screen, LineupScreen) and begun)


async def test_prices_do_not_wait_for_it(
    begun: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody-0123456789")
    monkeypatch.setattr(prices, "_shipped", {})
    monkeypatch.setattr(litellm_loading, "now", lambda: None)
    assert prices.price("openai/gpt-4o") is None
    async with VerifyTui(Config()).run_test(size=(120, 36)) as pilot:
        await opened(pilot)
        assert not prices._shipped, "the table is read once prices are shown"
        await pilot.press("m")
        await wait(pilot, lambda: isinstance(pilot.app.screen, LineupScreen))
        await pilot.press("tab", *"gpt-4o")
        await wait(pilot, lambda: "2.5 / 10" in everything(pilot.app))


async def test_an_unfinished_session_of_a_model_loads_it(begun: list[str]) -> None:
    async with VerifyTui(
        Config(),
        recorded(
            header("Why?", affirmative="gpt-4", negative="lexical", judge="lexical"), []
        ),
    ).run_test() as pilot:
        await opened(pilot)
        await wait(pilot, lambda: begun)
