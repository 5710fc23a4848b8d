"""The line-up: roles, models, swapping."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from textual.widgets import Input
from verifytui.engines.models.catalogue import ModelRow
from verifytui.sessions.session import Seat
from verifytui.tests.support.screens_host import HOSTILE, NOT_YET, Host, shown, text_of
from verifytui.tui.screens.lineup import LineupScreen, RoleRow
from verifytui.tui.screens.place import PlaceChoice
from verifytui.tui.screens.sheet import RowList

pytestmark = pytest.mark.slow


def offer(name: str, model: str = "", provider: str = "", **more: Any) -> ModelRow:
    return ModelRow(name=name, model=model or name, provider=provider, **more)


OFFERS = [
    offer(
        "no-key",
        "no-key",
        "Anthropic",
        usable=False,
        why_not="ANTHROPIC_API_KEY is not set.",
    ),
    offer("script"),
    offer(
        "gpt-4o", "gpt-4o", "OpenAI", price_input=2.5, price_output=10, context=128_000
    ),
    offer("我的", "openai/qwen3", "named", context=1_048_576),
]


def roles(
    judge: str = "a", affirmative: str = "a", negative: str = "b"
) -> list[RoleRow]:
    return [
        RoleRow("affirmative", "A", Seat(model=affirmative), True),
        RoleRow("negative", "N", Seat(model=negative), True),
        RoleRow("judge", "J", Seat(model=judge), True),
        RoleRow("observer", "O", Seat(model="z"), False),
    ]


def lineup(
    rows: Sequence[RoleRow] | None = None, offers: Sequence[Any] = OFFERS, **more: Any
) -> LineupScreen:
    return LineupScreen(lambda: roles() if rows is None else rows, offers, **more)


async def test_enter_swaps_and_stays_open_until_escape() -> None:
    async with shown(lineup()) as (host, pilot):
        await pilot.press("j", "enter", *"gpt", "enter")
        assert [
            (event.role, event.text, event.choice.name) for event in host.heard
        ] == [("negative", "gpt-4o", "gpt-4o")]
        assert host.result is NOT_YET
        assert "gpt-4o" in str(host.screen._roles[1].seat)  # type: ignore[attr-defined]
        await pilot.press("escape")
        assert host.result is None


async def test_a_digit_gives_the_role_a_model() -> None:
    async with shown(lineup()) as (host, pilot):
        await pilot.press("j", "3")
        heard = [(event.role, event.text) for event in host.heard]
        assert heard == [("negative", "gpt-4o")]
        assert "3 gpt-4o" in text_of(host.screen)
        await pilot.press("8", "slash", "2")
        assert host.screen.query_one("#search", Input).value == "2"
        assert len(host.heard) == 1


async def test_a_named_model_is_swapped_by_its_name() -> None:
    async with shown(lineup(focus_role="judge")) as (host, pilot):
        await pilot.press("enter", *"qwen", "enter")
        event = host.heard[0]
        assert (event.role, event.text) == ("judge", "我的")
        assert event.screen._roles[2].seat == Seat(model="openai/qwen3", name="我的")


async def test_what_matches_nothing_can_be_taken_as_it_stands() -> None:
    async with shown(lineup()) as (host, pilot):
        await pilot.press("slash", *"ollama/q:8b", "enter")
        assert (host.heard[0].text, host.heard[0].choice) == ("ollama/q:8b", None)


async def test_a_typed_part_of_a_name_can_be_taken_too() -> None:
    async with shown(lineup()) as (host, pilot):
        await pilot.press("slash", *"gpt-4", "down", "enter")
        assert (host.heard[0].text, host.heard[0].choice) == ("gpt-4", None)


async def test_a_model_without_key_says_why_and_is_not_swapped() -> None:
    async with shown(lineup()) as (host, pilot):
        await pilot.press("tab", "tab", "k")
        assert "ANTHROPIC_API_KEY is not set." in text_of(host)
        await pilot.press("enter")
        assert host.heard == []


async def test_what_certificates_say_stands_beside_the_model() -> None:
    told = {"gpt-4o": "judge: certified (150 labels)"}
    async with shown(lineup(certified=lambda name: told.get(name, ""))) as (
        host,
        pilot,
    ):
        assert "150 labels" not in text_of(host)
        await pilot.press("slash", *"gpt-4o")
        assert "certified (150 labels)" in text_of(host)


async def test_price_context_and_unknown() -> None:
    async with shown(lineup()) as (host, _):
        text = text_of(host)
        for word in ("2.5 / 10", "128k", "1.05M", "free", "unknown"):
            assert word in text


async def test_local_models_join_when_they_answer() -> None:
    async def answer() -> AsyncIterator[list[Any]]:
        yield [
            *OFFERS,
            offer("ollama/qwen3:8b", "ollama/qwen3:8b", "Ollama"),
            OFFERS[2],
        ]

    async with shown(lineup(refresh=answer)) as (host, _):
        assert text_of(host).count("gpt-4o") == 1
        assert "ollama/qwen3:8b" in text_of(host)


async def test_the_cursor_starts_on_the_seats_own_model_and_follows_the_roles() -> None:
    rows = [
        RoleRow("affirmative", "A", Seat(model="gpt-4o"), True),
        RoleRow("judge", "J", Seat(model="openai/qwen3", name="我的"), True),
    ]
    async with shown(lineup(rows)) as (host, pilot):
        models = host.screen.query_one("#model-rows", RowList)
        assert models.highlighted == 2
        await pilot.press("j")
        assert models.highlighted == 3


async def test_models_that_answer_come_first_and_move_nothing_from_under_the_cursor() -> (
    None
):
    go = asyncio.Event()

    async def answer() -> AsyncIterator[list[Any]]:
        await go.wait()
        local = [
            offer(f"openai/own-{number}", server="127.0.0.1:8000")
            for number in range(9)
        ]
        yield [*local, *OFFERS, *(offer(f"far-{number}") for number in range(40))]

    rows = [RoleRow("judge", "J", Seat(model="gpt-4o"), True)]
    screen = lineup(
        rows,
        [*OFFERS, *(offer(f"far-{number}") for number in range(40))],
        refresh=answer,
    )
    host = Host()
    async with host.run_test(size=(120, 30)) as pilot:
        host.push_screen(screen)
        await pilot.pause()
        models = screen.query_one("#model-rows", RowList)
        await pilot.press("tab", "tab", *"jjj")
        name, line = (
            screen._found[models.highlighted or 0].name,
            (models.highlighted or 0) - models.scroll_offset.y,
        )
        go.set()
        await host.workers.wait_for_complete()
        await pilot.pause()
        assert screen._found[models.highlighted or 0].name == name
        assert (models.highlighted or 0) - models.scroll_offset.y == line
        await pilot.press("home")
        assert screen._found[models.highlighted or 0].name == "openai/own-0"
        assert "127.0.0.1:8000" in text_of(host)


async def test_after_a_failure_the_role_can_be_asked_again_from_here() -> None:
    async with shown(lineup(message="The key was refused.", failed="judge")) as (
        host,
        pilot,
    ):
        assert "The key was refused." in text_of(host)
        assert "Press t to ask the judge again" in text_of(host)
        await pilot.press("t")
        assert host.result == PlaceChoice("retry")
    async with shown(lineup()) as (host, pilot):
        await pilot.press("t")
        assert host.result is NOT_YET


async def test_a_failing_look_around_does_no_harm() -> None:
    async def answer() -> AsyncIterator[list[Any]]:
        yield OFFERS
        raise OSError("refused")

    async with shown_failing(answer) as text:
        assert "gpt-4o" in text


def shown_failing(answer: Any) -> Any:
    from contextlib import asynccontextmanager

    @asynccontextmanager
    async def run() -> Any:
        from verifytui.tests.support.screens_host import Host

        host = Host()
        async with host.run_test(size=(80, 24), notifications=True) as pilot:
            host.push_screen(lineup(refresh=answer))
            await pilot.pause()
            await pilot.pause()
            assert isinstance(host.screen, LineupScreen)
            yield text_of(host)

    return run()


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (roles("a", "a", "b"), "affirmative"),
        (roles("b", "a", "b"), "negative"),
        (roles("a", "a", "a"), None),
        (roles("c", "a", "b"), None),
        (roles("openai/a", "openrouter/openai/a", "b"), "affirmative"),
        (roles("script", "script", "b"), None),
        (roles("human", "a", "human"), None),
    ],
)
async def test_a_judge_on_one_sides_model(
    rows: list[RoleRow], told: str | None
) -> None:
    async with shown(lineup(rows)) as (host, _):
        line = host.screen.query_one("#bias")
        assert line.display == (told is not None)
        if told:
            assert "Table 7" in text_of(host)
            assert f"({told})" in str(line.render())


async def test_the_bias_line_follows_a_swap() -> None:
    async with shown(lineup(roles("gpt-4o", "a", "b"))) as (host, pilot):
        assert not host.screen.query_one("#bias").display
        await pilot.press("enter", *"gpt", "enter")
        assert host.screen.query_one("#bias").display


async def test_the_app_may_correct_a_swap() -> None:
    async with shown(lineup()) as (host, pilot):
        host.screen.seated("judge", Seat(model="other-model"))  # type: ignore[attr-defined]
        await pilot.pause()
        assert "other-model" in text_of(host)


async def test_many_models_and_a_message_leave_room_at_80_by_24() -> None:
    offers = [
        offer(f"provider/model-{number}", f"provider/model-{number}")
        for number in range(200)
    ]
    async with shown(lineup(roles(), offers, message=HOSTILE)) as (host, pilot):
        assert host.screen.query_one("#model-rows").size.height >= 8
        await pilot.press("tab", "tab", "end")
        assert "provider/model-199" in text_of(host)
        assert "[/x] [a=b]y" in text_of(host)


async def test_hostile_names() -> None:
    async with shown(
        lineup(
            [RoleRow("judge", "J", Seat(model=HOSTILE), True)],
            [offer(HOSTILE, HOSTILE, HOSTILE)],
        )
    ) as (host, pilot):
        await pilot.press("enter", "down", "enter")
        host.screen.query_one(Input).value = HOSTILE
        await pilot.pause()
        assert not set("\x1b\x07\x9b\u202e") & set(text_of(host))
        assert "[/x]" in text_of(host)
        assert host.screen.query_one("#role-rows", RowList).option_count == 1
