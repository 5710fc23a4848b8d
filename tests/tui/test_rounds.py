"""The rounds of a debate on screen: beside the speeches, in their place, in a line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot
from verifytui.engines.debate.method import new_debate
from verifytui.engines.debate.plan import DEBATERS
from verifytui.engines.models.config import Config
from verifytui.prompts import load
from verifytui.sessions.events import Event, Reference
from verifytui.sessions.events.debate import (
    DebateResult,
    Resample,
    ResampleSummary,
    Speech,
    Verdict,
)
from verifytui.tests.support.piloting import (
    everything,
    header,
    press,
    recorded,
    tui,
    wait,
)
from verifytui.tests.support.piloting import shown as kinds_shown
from verifytui.tui.app import VerifyTui
from verifytui.tui.bars import bar, trend
from verifytui.tui.play import Play
from verifytui.tui.widgets.event_view import EventView
from verifytui.tui.workspaces.debate.widgets.side import Side

pytestmark = pytest.mark.slow

HARMONIC = "the harmonic mean of the two speeds, which is 1.5 metres per second"


def speech(role: str, number: int, answer: str | None) -> Speech:
    return Speech(
        role=role,
        round=number,
        model="script",
        text="Because.",
        answer=answer,
        cost=0.01,
    )


def two_rounds(**ended: object) -> list[Event]:
    judged = {
        "role": "judge",
        "mode": "discriminative",
        "model": "script",
        "read": "json",
    }
    return [
        speech("affirmative", 1, "2"),
        speech("negative", 1, "1.5"),
        Verdict(round=1, preference=False, **judged),  # type: ignore[arg-type]
        speech("affirmative", 2, "1.5"),
        speech("negative", 2, "1.5"),
        Verdict(
            round=2, preference=True, supported_side="negative", answer="1.5", **judged
        ),  # type: ignore[arg-type]
        *([DebateResult(**ended)] if ended else []),  # type: ignore[arg-type]
    ]


def debate(*happened: Event) -> Play:
    return recorded(header("How fast?"), list(happened))


async def shown(
    play: Play, size: tuple[int, int], *keys: str, holds: Callable[[str], bool]
) -> str:
    """The whole screen after these keys, as soon as this holds of it: what is drawn
    comes some time after a key.
    """
    app = VerifyTui(Config(), play)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, *keys)
        await wait(pilot, lambda: holds(everything(app)))
        return everything(app)


async def settled(pilot: Pilot[None]) -> None:
    await wait(
        pilot,
        lambda: (
            tui(pilot).workspace.play is not None
            and str(tui(pilot).workspace.query_one(Side).render())
        ),
    )
    await pilot.pause()


def row(screen: str, begins: str) -> str:
    return next(line for line in screen.splitlines() if line.strip().startswith(begins))


@pytest.mark.parametrize(
    "size", [(200, 60), (80, 24), (120, 36)], ids=lambda size: str(size[0])
)
async def test_who_moved_stands_in_the_table(
    home: object, size: tuple[int, int]
) -> None:
    screen = await shown(
        debate(*two_rounds()),
        size,
        *([] if size[0] == 200 else ["b"]),
        holds=lambda screen: "ends for N" in screen,
    )
    table = screen[screen.index("ROUNDS") :]
    first, second = (
        next(line for line in table.splitlines() if "continues" in line),
        next(line for line in table.splitlines() if "ends for N" in line),
    )
    assert "▇▇▇▇▇▇▇▇ 1.00" in first
    assert "2 → 1.5" in second
    assert "▁▁▁▁▁▁▁▁ 0.00" in second
    assert ("Because." in screen) == (size[0] == 200)


async def test_the_key_goes_to_the_rounds_and_back_and_steps_go_on_there(
    home: object,
) -> None:
    play = debate(*two_rounds())
    play.cursor = 3
    screen = await shown(
        play, (80, 24), "b", "space", "space", holds=lambda screen: "2 → 1.5" in screen
    )
    assert "2 → 1.5" in screen
    assert "ends" not in screen
    assert "Because." in await shown(
        debate(*two_rounds()),
        (80, 24),
        "b",
        "b",
        holds=lambda screen: "Because." in screen,
    )


async def test_looking_back_shows_the_rounds_up_to_there(home: object) -> None:
    screen = await shown(
        debate(*two_rounds()),
        (120, 36),
        "left",
        "left",
        "left",
        holds=lambda screen: "continues" in screen and "→ 1.5" not in screen,
    )
    assert "continues" in screen
    assert "→ 1.5" not in screen
    assert "0.00" not in screen


async def test_the_line_of_a_narrow_screen_has_the_shape_of_the_disagreement(
    home: object,
) -> None:
    line = "disagreement ▇▁ mean 0.50 by answers"
    assert line in await shown(
        debate(*two_rounds()), (80, 24), holds=lambda screen: line in screen
    )


async def test_six_debaters_leave_room_for_rounds_and_cost(home: object) -> None:
    answers = [
        ["2", "1.5", HARMONIC, None, "2", "1.5"],
        ["1.5", "1.5", "1.5", "2", "2", "1.5"],
    ]
    happened = [
        speech(role, number, answer)
        for number, said in enumerate(answers, 1)
        for role, answer in zip(DEBATERS, said, strict=True)
    ]
    made = new_debate(topic="How fast?", settings={"debaters": 6}, prompts=load("en"))
    for size in ((100, 30), (80, 24), (200, 60)):
        screen = await shown(
            recorded(made, list(happened)),
            size,
            # the disagreement of the second round, or of both
            holds=lambda screen: (
                "$0.12" in screen and ("0.53" in screen or "mean 0.67" in screen)
            ),
        )
        assert all(cell_len(line) == size[0] for line in screen.splitlines())
    assert HARMONIC[:40] in screen  # cut in the table, in full below it
    assert "?" in screen


async def test_speeches_are_at_most_about_a_hundred_wide(home: object) -> None:
    long = Speech(
        role="affirmative", round=1, model="script", text="word " * 200, answer=None
    )
    screen = await shown(
        debate(long), (200, 60), holds=lambda screen: "word word" in screen
    )
    assert max(line.count("word") for line in screen.splitlines()) == 20


@pytest.mark.parametrize("winner", ["negative", "affirmative", None])
async def test_the_result_is_a_box_in_the_colour_of_the_winner(
    home: object, winner: str | None
) -> None:
    ended = {
        "answer": "1.5" if winner else None,
        "decided_by": "discriminative" if winner else "undecided",
        "supported_side": winner,
        "rounds": 2,
    }
    app = VerifyTui(Config(), debate(*two_rounds(**ended)))
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        await wait(pilot, lambda: kinds_shown(pilot)[-1:] == ["DebateResult"])
        box = app.query(EventView).last()
        wanted = f"side-{winner}" if winner else "warning"
        assert box.styles.border_top[0] == "heavy"
        assert (
            box.styles.border_top[1].hex.lower() == app.theme_variables[wanted].lower()
        )
        await wait(pilot, lambda: ("undecided" in everything(app)) == (winner is None))
        screen = everything(app)
        assert "N negative" in row(screen, "┃ RESULT") if "┃ RESULT" in screen else True


async def test_what_a_debate_begins_with_stands_there_from_the_start(
    home: object,
) -> None:
    passage = Reference(
        n=1, id="a", title="Hills", text="The way up\ntakes three times as\nlong."
    )
    made = new_debate(
        topic="How fast?",
        settings={"opening": "seeded"},
        prompts=load("en"),
        evidence=[passage],
        defended="It is 2\nmetres a second.",
    )
    for size, keys in (((80, 24), ()), ((120, 36), ())):
        screen = await shown(
            recorded(made, []),
            size,
            *keys,
            holds=lambda screen: "It is 2" in screen and "[1] Hills" in screen,
        )
        assert "It is 2 metres a second." in screen
        assert "[1] Hills" in screen
        assert "The way up takes three times as long." in screen
    after = recorded(made, [speech("affirmative", 1, "2")])
    assert "[1] Hills" in await shown(
        after, (80, 24), "b", holds=lambda screen: "[1] Hills" in screen
    )


async def test_views_that_are_refreshed_at_once_show_its_beginning_once(
    home: object,
) -> None:
    made = new_debate(
        topic="How fast?",
        settings={"opening": "seeded"},
        prompts=load("en"),
        defended="It is 2 metres a second.",
    )
    app = VerifyTui(Config(), recorded(made, []))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot, lambda: app.query("#given"))
        workspace = await app.bring("debate")
        await asyncio.gather(*(workspace.refresh_view() for _ in range(5)))
        assert len(app.query("#given")) == 1
        assert "It is 2 metres" in everything(app)


def test_only_nothing_has_an_empty_bar_and_only_all_a_full_one() -> None:
    assert [bar(value, 4) for value in (0, 0.01, 0.5, 0.99, 1)] == [
        ("", "▁▁▁▁"),
        ("▇", "▁▁▁"),
        ("▇▇", "▁▁"),
        ("▇▇▇", "▁"),
        ("▇▇▇▇", ""),
    ]
    assert trend([0, 1, None, 0.5]) == "▁▇?▄"


async def test_a_person_who_speaks_has_the_speeches_whole_beside_the_form(
    home: Path,
) -> None:
    made = header("How fast?", affirmative="human")
    app = VerifyTui(
        Config(), recorded(made, two_rounds()[:3], home.parent / "person.yaml")
    )
    async with app.run_test(size=(200, 60)) as pilot:
        await settled(pilot)
        await pilot.press("space")
        await wait(pilot, lambda: app.query("#docked"))
        form, words = app.query_one("#docked"), app.query_one("#words")
        await wait(
            pilot, lambda: words.region.width and words.region.right <= form.region.x
        )
        await wait(pilot, lambda: "continues" in str(app.query_one(Side).render()))


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_blind_judge_stands_there_without_rounds(
    home: object, size: tuple[int, int]
) -> None:
    made = {"role": "judge", "model": "script", "read": "json", "answer": "1.5"}
    play = debate(
        Verdict(round=0, mode="extractive", **made),  # type: ignore[arg-type]
        Resample(round=0, sample=2, **made),  # type: ignore[arg-type]
        DebateResult(
            answer="1.5",
            decided_by="extractive",
            resampled=ResampleSummary(asked=2, same_answer=2, same_side=2),
        ),
    )
    play.session.header.settings["control"] = "judge-blind"
    told = await shown(
        play, size, "home", "end", "b", holds=lambda screen: "asked again (2)" in screen
    )
    assert "by the judge alone, without a debate · judge asked 2 times: 2 ×" in told
    assert "asked again (2)" in told
    assert "ROUNDS" not in told


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_consultancy_has_rounds_of_one_seat_and_no_disagreement(
    home: object, size: tuple[int, int]
) -> None:
    play = debate(
        speech("affirmative", 1, "2"),
        Verdict(
            role="judge",
            model="script",
            mode="discriminative",
            round=1,
            preference=False,
            read="json",
        ),
    )
    play.session.header.settings["control"] = "consultancy"
    told = await shown(play, size, holds=lambda screen: "one side alone" in screen)
    assert "one side alone" in told
    assert "disagreement" not in told
