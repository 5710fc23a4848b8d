"""The debate workspace with a pilot at the keys: the bundled example, looking back,
forks, changes, faults.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, TextArea
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.models.port import Waiting
from verifytui.sessions.events import Change, Failure
from verifytui.sessions.events.debate import DebateResult, Speech, Verdict
from verifytui.sessions.journal import Journal
from verifytui.sessions.library import Library
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Seat
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.piloting import (
    events,
    everything,
    header,
    press,
    recorded,
    said,
    shown,
    tui,
    wait,
)
from verifytui.texts import catalogue, set_language
from verifytui.tui.app import VerifyTui
from verifytui.tui.runner import PendingReply
from verifytui.tui.screens.confirm import ConfirmScreen
from verifytui.tui.screens.docked_form import Writing
from verifytui.tui.screens.edit import EditScreen
from verifytui.tui.screens.home import waits
from verifytui.tui.screens.library import LibraryScreen
from verifytui.tui.screens.lineup import LineupScreen
from verifytui.tui.screens.raw import RawScreen
from verifytui.tui.terminal.compat import Palette
from verifytui.tui.widgets.event_view import EventView, LiveEntry
from verifytui.tui.workspaces.base import _at_work
from verifytui.tui.workspaces.debate.screens.level import LevelScreen
from verifytui.tui.workspaces.debate.screens.new_debate import NewDebateScreen

pytestmark = pytest.mark.slow

SIZE = (120, 36)


@pytest.fixture(autouse=True)
def _english() -> None:
    set_language("en")


@pytest.fixture
async def pilot(home: Path) -> AsyncIterator[Pilot[None]]:
    """The app on the bundled example."""
    app = VerifyTui(Config())
    async with app.run_test(size=SIZE, notifications=True) as made:
        await wait(made, lambda: app.workspace.play is not None)
        yield made
        assert app.defects == []


async def test_a_draft_is_saved_with_its_first_event(
    pilot: Pilot[None], home: Path
) -> None:
    assert not list(home.rglob("*.yaml"))
    await press(pilot, "space")
    (path,) = (home / "sessions").glob("*.yaml")
    assert [
        type(event) for event in Journal.open(path, write=False).session.events
    ] == [Speech]
    assert shown(pilot) == ["Speech"]


async def test_stepping_to_the_end(pilot: Pilot[None]) -> None:
    await press(pilot, "space", "f5", "n")
    assert isinstance(events(pilot)[-1], Verdict)
    await press(pilot, "r")
    last = events(pilot)[-1]
    assert isinstance(last, DebateResult)
    assert last.answer == "1.5 m/s"
    assert shown(pilot) == [
        "Speech",
        "Speech",
        "Verdict",
        "Speech",
        "Speech",
        "Verdict",
        "DebateResult",
    ]
    assert not pilot.app.query(LiveEntry)
    await press(pilot, "space")
    assert "finished" in said(pilot)


async def test_looking_back_and_forward(pilot: Pilot[None]) -> None:
    await press(pilot, "r", "left", "left")
    assert shown(pilot)[-1] == "Speech"
    await press(pilot, "home")
    assert shown(pilot) == []
    await press(pilot, "2")
    assert shown(pilot) == ["Speech", "Speech", "Verdict", "Speech"]
    await press(pilot, "9")
    assert "no round 9" in said(pilot)
    await press(pilot, "space", "end")
    assert shown(pilot)[-1] == "DebateResult"
    assert len(events(pilot)) == 7


async def test_an_entry_stepped_back_from_comes_back(pilot: Pilot[None]) -> None:
    """Making entries anew is what a key costs on a slow machine."""
    await press(pilot, "r", "left")
    entries = list(pilot.app.query(EventView))
    await press(pilot, "left", "left", "right", "right", "right")
    assert [
        entry for entry in pilot.app.query(EventView) if entry in entries
    ] == entries
    assert shown(pilot) == [type(event).__name__ for event in events(pilot)]
    await press(pilot, "home", "right", "right", "right")
    assert not set(pilot.app.query(EventView)) & set(entries)


async def test_in_a_long_session_few_entries_are_kept_and_reading_on_upwards_brings_more(
    home: Path,
) -> None:
    happened = [
        Speech(
            role=("affirmative", "negative")[n % 2],
            round=n // 2 + 1,
            text=f"said {n}",
            answer="1",
            model="m",
        )
        for n in range(120)
    ]
    app = VerifyTui(
        Config(),
        recorded(header("How?", affirmative="m", negative="m", judge="m"), [*happened]),
    )
    async with app.run_test(size=SIZE) as pilot:
        await wait(pilot, lambda: bool(app.query(EventView)))
        await press(pilot, "home", *["right"] * 60)
        await wait(pilot, lambda: len(app.query(EventView)) <= 18)
        assert app.query(EventView).last().block.number == happened[59].number
        before = app.query(EventView).first().block.number
        await press(pilot, *["pageup"] * 4)
        await wait(pilot, lambda: app.query(EventView).first().block.number != before)
        mounted = [entry.block.number for entry in app.query(EventView)]
        assert mounted == [event.number for event in happened[60 - len(mounted) : 60]]
        await press(pilot, "left")
        assert app.query_one("#transcript").is_vertical_scroll_end
    assert app.defects == []


async def test_fork_in_the_past_goes_on_by_itself(
    pilot: Pilot[None], home: Path
) -> None:
    await press(pilot, "r", "1", "f", "r")
    play = tui(pilot).workspace.play
    assert play is not None
    parent = play.session.header.parent
    assert parent is not None
    assert (parent.number, parent.why) == (1, "fork")
    assert isinstance(events(pilot)[-1], DebateResult)
    assert len(list((home / "sessions").glob("*.yaml"))) == 2


async def test_a_choice_before_the_first_speech_is_in_the_header(
    pilot: Pilot[None], home: Path
) -> None:
    await press(pilot, "l", "3")
    play = tui(pilot).workspace.play
    assert play is not None
    assert play.session.header.settings["level"] == 3
    await press(pilot, "Z")
    assert play.session.header.settings["level"] == 2
    assert not (home / "sessions").exists()
    await press(pilot, "l", "3", "space")
    assert [type(each) for each in events(pilot)] == [Speech]
    assert play.session.header.settings["level"] == 3


async def test_level_in_mid_debate_is_a_change(pilot: Pilot[None]) -> None:
    await press(pilot, "space", "l")
    assert isinstance(pilot.app.screen, LevelScreen)
    await press(pilot, "3")
    change = events(pilot)[-1]
    assert isinstance(change, Change)
    assert (change.field, change.old, change.new) == ("settings.level", 2, 3)
    assert said(pilot) == ""


async def test_level_after_the_end_forks(pilot: Pilot[None]) -> None:
    await press(pilot, "r", "l", "0")
    play = tui(pilot).workspace.play
    assert play is not None
    assert play.session.header.parent is not None
    assert play.session.setting("level") == 0
    assert not any(isinstance(event, DebateResult) for event in events(pilot))


async def test_editing_a_speech_forks_and_script_refuses_to_answer_it(
    pilot: Pilot[None],
) -> None:
    await press(pilot, "space", "e")
    assert isinstance(pilot.app.screen, EditScreen)
    await pilot.press("ctrl+end", "9")
    await press(pilot, "f10")
    speech = events(pilot)[-1]
    assert isinstance(speech, Speech)
    assert (speech.model, speech.answer, speech.cost) == ("human", "2 m/s9", 0.0)
    await press(pilot, "space")
    failure = events(pilot)[-1]
    assert isinstance(failure, Failure)
    assert failure.kind == "no-line"
    await wait(pilot, lambda: isinstance(pilot.app.screen, LineupScreen))


async def test_retry_makes_the_event_again_in_a_fork(
    pilot: Pilot[None], home: Path
) -> None:
    await press(pilot, "space", "space", "t")
    assert [type(event) for event in events(pilot)] == [Speech, Speech]
    assert len(list((home / "sessions").glob("*.yaml"))) == 2


async def test_rounds_are_raised(pilot: Pilot[None]) -> None:
    await press(pilot, "space", ">")
    play = tui(pilot).workspace.play
    assert play is not None
    assert play.session.setting("rounds") == 4


async def test_raw_shows_the_exact_messages(pilot: Pilot[None]) -> None:
    await press(pilot, "space", "v")
    screen = pilot.app.screen
    assert isinstance(screen, RawScreen)
    assert [message["role"] for message in screen._messages] == ["system", "user"]
    await press(pilot, "escape")


async def test_search_moves_to_the_event(pilot: Pilot[None]) -> None:
    await press(pilot, "r", "slash")
    await pilot.press(*"withdrew")
    await press(pilot, "enter")
    assert shown(pilot)[-1] == "Verdict"
    await press(pilot, "escape")
    await press(pilot, "left")
    assert shown(pilot)[-1] == "Speech"


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (60, 16)])
async def test_two_messages_are_both_painted_whole(
    home: Path, size: tuple[int, int]
) -> None:
    app = VerifyTui(Config())
    async with app.run_test(size=size, notifications=True) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        for count in range(5, 23, 2):
            app.clear_notifications()
            words = [f"word{number:02}" for number in range(count)]
            app.say(" ".join(words))
            await wait(
                pilot,
                lambda words=words: all(word in everything(app) for word in words),
                5,
            )
            app.say(f"second {count}")
            await wait(
                pilot,
                lambda words=words, count=count: all(
                    word in everything(app) for word in [*words, f"second {count}"]
                ),
                5,
            )


async def test_leaving_a_finished_debate_asks_nothing(pilot: Pilot[None]) -> None:
    await press(pilot, "r")
    await pilot.press("q")
    await wait(pilot, lambda: not pilot.app.is_running)


async def test_every_key_does_something_without_a_defect(pilot: Pilot[None]) -> None:
    await press(pilot, "space")
    for key in "zyvw":
        await press(pilot, key)
        await press(pilot, "escape")
    for key in ("question_mark", "o", "s", "c", "m", "d", "plus", "minus"):
        await press(pilot, key)
        while len(pilot.app.screen_stack) > 1:
            await press(pilot, "escape")


def local(server: Loopback) -> Config:
    return Config(
        models={"here": NamedModel(model="openai/test", api_base=server.base_url)},
        model="here",
        retries=0,
    )


async def begin(config: Config) -> VerifyTui:
    from verifytui.engines.starting import wishes
    from verifytui.tui.workspaces.drafts import draft

    return VerifyTui(
        config, draft(wishes("debate", {"rounds": 1}, topic="How fast?"), config)
    )


async def test_a_model_speaks_and_is_stopped(home: Path, loopback: Loopback) -> None:
    loopback.answer = lambda body: Answer(
        text="Slowly. " * 2000, usage=None, delay=0.05
    )
    app = await begin(local(loopback))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await pilot.press("space")
        await wait(
            pilot,
            lambda: any("Slowly" in live.said.source for live in app.query(LiveEntry)),
            60,
        )
        await pilot.press("q")
        await wait(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("escape")
        await press(pilot, "x")
        failure = events(pilot)[-1]
        assert isinstance(failure, Failure)
        assert failure.kind == "cancelled"
        assert failure.usage is not None
        assert failure.usage.estimated
        assert not app.query(LiveEntry)
        await wait(pilot, lambda: loopback.open_connections == 0)
        assert app.defects == []


async def test_an_error_stands_where_the_speech_would_and_retry_goes_on(
    home: Path, loopback: Loopback
) -> None:
    answers = [
        Answer(status=500, error="[/boom] [red]overloaded"),
        Answer(text="Now [/x] I can.\n\nAnswer: 3"),
    ]
    loopback.answer = lambda body: answers.pop(0) if len(answers) > 1 else answers[0]
    app = await begin(local(loopback))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "space")
        assert shown(pilot) == ["Failure"]
        head, foot = everything(app).splitlines()[0], everything(app).splitlines()[-1]
        assert "FAILED: the provider failed" in head
        assert foot.split()[::2][:2] == ["t", "m"]
        await press(pilot, "t")
        assert shown(pilot) == ["Failure", "Speech"]
        play = app.workspace.play
        assert play is not None
        assert play.session.header.parent is None
        assert app.defects == []


async def test_a_refused_key_is_tried_again_from_the_lineup(
    home: Path, loopback: Loopback
) -> None:
    loopback.answer = lambda body: Answer(status=401, error="Invalid key")
    app = await begin(local(loopback))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "space")
        await wait(pilot, lambda: isinstance(app.screen, LineupScreen))
        assert "Press t to ask the affirmative again" in everything(app)
        loopback.answer = lambda body: Answer(text="Here.\n\nAnswer: 3")
        await pilot.press("t")
        await wait(pilot, lambda: shown(pilot) == ["Failure", "Speech"])
        assert app.defects == []


async def test_a_model_that_is_gone_opens_the_lineup(
    home: Path, loopback: Loopback
) -> None:
    loopback.answer = lambda body: Answer(status=404, error="The model does not exist")
    app = await begin(local(loopback))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "space")
        await wait(pilot, lambda: isinstance(app.screen, LineupScreen))
        loopback.answer = lambda body: Answer(text="Here.\n\nAnswer: 3")
        await pilot.press("tab")
        await pilot.press(*"human")
        await pilot.press("enter")
        await press(pilot, "escape")
        play = app.workspace.play
        assert play is not None
        assert play.session.seat("affirmative").model == "human"
        await pilot.press("space")
        await wait(
            pilot,
            lambda: bool(app.query(Writing)) and app.query_one(TextArea).has_focus,
        )
        await pilot.press(*"Mine")
        await pilot.press("f10")
        await wait(pilot, lambda: isinstance(events(pilot)[-1], Speech))
        speech = events(pilot)[-1]
        assert isinstance(speech, Speech)
        assert (speech.model, speech.text) == ("human", "Mine")
        assert app.defects == []


async def test_read_only_session_follows_what_is_appended(
    home: Path, pilot: Pilot[None]
) -> None:
    await press(pilot, "space")
    play = tui(pilot).workspace.play
    assert play is not None
    assert play.journal.path is not None
    other = VerifyTui(Config())
    writer = play.journal
    async with other.run_test(size=SIZE) as second:
        await wait(second, lambda: other.workspace.play is not None)
        assert writer.path is not None
        await other.opening.open_path(writer.path)
        assert other.workspace.play is not None
        assert not other.workspace.play.journal.writable
        writer.append(Speech(role="negative", round=1, text="From elsewhere"))
        await wait(
            second,
            lambda: (
                other.workspace.play is not None and other.workspace.play.cursor == 2
            ),
        )
        writer.append(Speech(role="negative", round=1, text="And once more"))
        writer.close()
        await wait(
            second,
            lambda: (
                other.workspace.play is not None
                and other.workspace.play.journal.writable
            ),
        )
        assert len(other.workspace.play.session.events) == 3
        other.workspace.play.journal.append(
            Speech(role="negative", round=1, text="From here")
        )
    assert other.defects == []


async def test_a_session_that_is_spoilt_elsewhere_is_said_once(
    home: Path, pilot: Pilot[None]
) -> None:
    await press(pilot, "space")
    play = tui(pilot).workspace.play
    assert play is not None
    assert play.journal.path is not None
    other = VerifyTui(Config())
    async with other.run_test(size=SIZE) as second:
        await wait(second, lambda: other.workspace.play is not None)
        await other.opening.open_path(play.journal.path)
        with play.journal.path.open("ab") as file:
            file.write(b"event: [no\n...\n")
        await wait(
            second,
            lambda: any(note.severity == "error" for note in other._notifications),
        )
        await other.workspace.follow()
        assert sum(note.severity == "error" for note in other._notifications) == 1
    assert other.defects == []


async def test_the_cursor_of_a_line_does_not_blink(pilot: Pilot[None]) -> None:
    from textual.widgets import Input

    await press(pilot, "space", "slash")
    line = pilot.app.query_one("SearchBar Input", Input)
    await wait(pilot, lambda: line.has_focus)
    assert not line.cursor_blink


async def test_opening_what_is_open_already_keeps_it_writable(
    pilot: Pilot[None],
) -> None:
    await press(pilot, "space", "left", "o", "enter")
    play = tui(pilot).workspace.play
    assert play is not None
    assert (play.journal.writable, play.cursor) == (True, 1)
    await press(pilot, "space")
    assert len(events(pilot)) == 2


@pytest.mark.parametrize("kind", ["cancelled", "rate-limit"])
async def test_a_stopped_or_failed_debate_can_be_continued(
    pilot: Pilot[None], kind: str
) -> None:
    await press(pilot, "space")
    play = tui(pilot).workspace.play
    assert play is not None
    play.journal.append(Failure(role="negative", kind=kind, message="Gone."))
    play.close()
    (found,) = filter(waits, tui(pilot).library.entries())
    assert found.status == ("unfinished" if kind == "cancelled" else "failed")


async def test_the_twin_has_the_settings_in_force(pilot: Pilot[None]) -> None:
    await press(pilot, "space", "l", "3", ">", "w")
    play = tui(pilot).workspace.play
    assert play is not None
    assert play.session.events == []
    assert (play.session.setting("level"), play.session.setting("rounds")) == (3, 4)


async def test_copying_in_tmux_fills_its_buffer(
    pilot: Pilot[None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As tmux is set at first, it drops what an app sends to the clipboard."""
    fake, got = tmp_path / "tmux", tmp_path / "got"
    fake.write_text(
        f'#!/bin/sh\necho "$@" > {got}.part; cat >> {got}.part; mv {got}.part {got}\n'
    )
    fake.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("TMUX", "/tmp/none,1,0")
    await press(pilot, "space", "y")
    await wait(pilot, got.exists)
    speech = events(pilot)[-1]
    assert isinstance(speech, Speech)
    assert got.read_text() == f"load-buffer -w -\n{speech.text}"


async def test_from_a_session_of_a_batch_back_to_the_batch(
    home: Path, tmp_path: Path
) -> None:
    for name in ("one", "two", "three"):
        recorded(
            header(name),
            [Failure(role="judge", kind="timeout", message="Late.")],
            tmp_path / f"{name}.yaml",
        ).close()
    recorded(
        header("kept elsewhere"), [], Library(paths()).new_path("kept elsewhere")
    ).close()
    app = VerifyTui(Config(), folder=tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await wait(
            pilot,
            lambda: (
                isinstance(app.screen, LibraryScreen) and "three" in everything(app)
            ),
        )
        await press(pilot, "2", "down", "enter")
        await wait(
            pilot,
            lambda: (
                app.workspace.play is not None
                and app.workspace.play.journal.path is not None
            ),
        )
        assert app.workspace.play is not None
        where = app.workspace.play.journal.path
        await press(pilot, "o")
        await wait(
            pilot,
            lambda: (
                isinstance(app.screen, LibraryScreen)
                and "[failed 3]" in everything(app)
            ),
        )
        assert isinstance(app.screen, LibraryScreen)
        assert app.screen._current().path == where  # type: ignore[union-attr]
        await press(pilot, "o")
        await wait(pilot, lambda: "kept elsewhere" in everything(app))
        assert app.screen._folder is None
        assert app.defects == []


async def test_a_replay_never_goes_live(pilot: Pilot[None], home: Path) -> None:
    await press(pilot, "space", "space")
    play = tui(pilot).workspace.play
    assert play is not None
    path = play.journal.path
    assert path is not None
    play.journal.close()
    before = path.read_bytes()
    await tui(pilot).opening.open_path(path, at_start=True)
    assert shown(pilot) == []
    await press(pilot, "r", "space", "space")
    assert shown(pilot) == ["Speech", "Speech"]
    assert "recording ends" in said(pilot)
    assert path.read_bytes() == before
    await press(pilot, "f", "space")
    assert shown(pilot) == ["Speech", "Speech", "Verdict"]


async def test_keys_stop_a_recording_that_plays(pilot: Pilot[None]) -> None:
    await press(pilot, "r", "home")
    await pilot.press("r")
    await wait(pilot, lambda: shown(pilot)[-2:] == ["Speech", "Speech"])
    await press(pilot, "left")
    assert not tui(pilot).workspace.running
    assert shown(pilot) == ["Speech"]


async def test_fewer_rounds_but_not_below_the_one_that_is_on(
    pilot: Pilot[None],
) -> None:
    await press(pilot, "n", "space", "<", "<", "<")
    play = tui(pilot).workspace.play
    assert play is not None
    assert play.session.setting("rounds") == 2


async def test_a_verdict_names_the_side_it_supports(pilot: Pilot[None]) -> None:
    await press(pilot, "r")
    assert "Answer: 1.5 m/s · side: negative" in everything(pilot.app)


async def test_ctrl_c_leaves_as_q_does(pilot: Pilot[None]) -> None:
    await press(pilot, "c", "ctrl+c")
    assert pilot.app.is_running
    await press(pilot, "escape")
    await pilot.press("ctrl+c")
    await wait(pilot, lambda: not pilot.app.is_running)


async def test_no_key_is_lost_while_a_recording_is_stepped(pilot: Pilot[None]) -> None:
    await press(pilot, "r", "home")
    await pilot.press("space", "space", "space")
    await press(pilot)
    await wait(pilot, lambda: shown(pilot) == ["Speech", "Speech", "Verdict"])


async def test_leaving_a_persons_turn_leaves_no_trace(home: Path) -> None:
    app = await begin(Config(model="human"))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await pilot.press("space")
        await wait(
            pilot,
            lambda: bool(app.query(Writing)) and app.query_one(TextArea).has_focus,
        )
        await press(pilot, "escape")
        await wait(pilot, lambda: not app.workspace.running)
        assert events(pilot) == []
        assert app.defects == []


async def test_the_transcript_scrolls_with_the_arrows(pilot: Pilot[None]) -> None:
    await press(pilot, "r")
    transcript = await tui(pilot).workspace.transcript()
    await wait(pilot, lambda: transcript.scroll_y > 0)
    end = transcript.scroll_y
    await pilot.press("up", "pageup")
    await wait(pilot, lambda: transcript.scroll_y < end - 1)
    await pilot.press("pagedown", "pagedown", "pagedown")
    await wait(pilot, lambda: transcript.scroll_y == end)


@pytest.mark.parametrize("wrong", [{"level": 9}, {"lvl": 1}, {"prompts": "klingon"}])
async def test_a_setting_that_cannot_be_used_is_named_and_the_example_opens(
    home: Path, wrong: dict[str, object]
) -> None:
    app = VerifyTui(Config(settings={"debate": wrong}))
    async with app.run_test(size=SIZE, notifications=True) as made:
        await wait(made, lambda: app.workspace.play is not None)
        assert f"{paths().config_file}: settings.debate: " in said(made)
        assert app.workspace.play is not None
        assert app.workspace.play.session.header.settings["level"] == 2
        await press(made, "c")
        await wait(made, lambda: isinstance(app.screen, NewDebateScreen))
        assert app.defects == []


async def test_failures_and_remarks_in_chinese(home: Path, loopback: Loopback) -> None:
    set_language("zh")
    loopback.answer = Answer(status=500, error="Broken, says the server")
    app = await begin(local(loopback))
    async with app.run_test(size=SIZE, notifications=True) as made:
        await wait(made, lambda: app.workspace.play is not None)
        await press(made, "space")
        failure = events(made)[-1]
        assert isinstance(failure, Failure)
        told = catalogue("zh")["failure.server_say"].format(model=failure.model)
        assert told in everything(app)
        assert "Broken" in everything(app)
    failed = Waiting("judge", 9.0, 1, "server", "Broken.", "openai/lb")
    waiting = _at_work(PendingReply("judge", Seat(model="openai/lb"), waiting=failed))
    assert catalogue("zh")["failure.server"] in waiting
    assert "Broken" not in waiting


async def test_the_palette_teaches_the_keys(pilot: Pilot[None]) -> None:
    commands = {
        command.title: command.help
        for command in tui(pilot).get_system_commands(pilot.app.screen)
    }
    assert commands["Session: export"].startswith("s  ")
    assert commands["Run: next"].startswith("space F5  ")


async def test_the_palettes_speak_the_users_language(pilot: Pilot[None]) -> None:
    set_language("zh")
    words = catalogue("zh")
    for begin, asks in (("ctrl+p", "palette"), ("themes", "palette_themes")):
        await pilot.press(begin) if begin == "ctrl+p" else tui(pilot).search_themes()
        await wait(
            pilot,
            lambda: (
                isinstance(pilot.app.screen, Palette) and pilot.app.screen.is_mounted
            ),
        )
        assert pilot.app.screen.query_one(Input).placeholder == words[f"app.{asks}"]
        await pilot.press(*"zqzq")
        await wait(pilot, lambda: words["app.palette_nothing"] in shown_in_list(pilot))
        await pilot.press("escape")
        await wait(pilot, lambda: not isinstance(pilot.app.screen, Palette))


def shown_in_list(pilot: Pilot[None]) -> str:
    """The lines of the list on top."""
    found = pilot.app.screen.query(OptionList)
    return "".join(
        str(getattr(option.prompt, "renderable", ""))
        for each in found
        for option in each.options
    )
