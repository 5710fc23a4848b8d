"""How the screen looks in states that have names, at two sizes.

The pictures in `__snapshots__` were made with Python 3.11; `pytest
tests/tui/test_snapshots.py --snapshot-update` makes them anew.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual import constants
from textual.pilot import Pilot
from textual.widgets import Input, TextArea
from verifytui.engines.debate.engine import DEBATE_ENGINE
from verifytui.engines.debate.method import example as topic
from verifytui.engines.debate.script import DebateScript
from verifytui.engines.method import method_of
from verifytui.engines.models import catalogue, litellm_loading
from verifytui.engines.models.catalogue import ModelRow
from verifytui.engines.models.config import Config
from verifytui.engines.models.desk import Desk
from verifytui.engines.relevance.engine import RelevanceEngine
from verifytui.engines.relevance.lexical.model import LexicalAnnotator as Judging
from verifytui.engines.step import step
from verifytui.engines.tools import Tools
from verifytui.sessions.events import Event, Failure, ReplyEvent, Usage
from verifytui.sessions.events.debate import Speech, Verdict
from verifytui.sessions.events.rag import Retrieval
from verifytui.sessions.events.relevance import Label
from verifytui.sessions.paths import paths
from verifytui.tests.support.pairs import folder_of, labelled
from verifytui.tests.support.piloting import everything, header, recorded, wait
from verifytui.tests.support.speeches import SPEECH
from verifytui.tests.support.study_folders import study_of
from verifytui.texts import set_language
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play
from verifytui.tui.screens.batch import BatchScreen
from verifytui.tui.screens.help import HelpScreen
from verifytui.tui.screens.lineup import LineupScreen
from verifytui.tui.screens.study import StudyScreen
from verifytui.tui.workspaces.base import LabelingSession
from verifytui.tui.workspaces.debate.drafts import example_draft
from verifytui.tui.workspaces.debate.screens.new_debate import NewDebateScreen
from verifytui.tui.workspaces.drafts import draft
from verifytui.tui.workspaces.rag.drafts import example_draft as question_draft
from verifytui.tui.workspaces.rag.screens.corpora import CorporaScreen
from verifytui.tui.workspaces.rag.screens.new_question import NewQuestionScreen
from verifytui.tui.workspaces.rag.screens.rule import RuleScreen
from verifytui.tui.workspaces.relevance.drafts import example_draft as cases_draft
from verifytui.tui.workspaces.relevance.labeling.start import adjudication, labelling

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.version_info[:2] != (3, 11),
        reason="the pictures are made and compared on Python 3.11 only",
    ),
]

SMALL, LARGE = (80, 24), (120, 36)
BOTH = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x36"])
SMALL_ONLY = pytest.mark.parametrize("size", [SMALL], ids=["80x24"])
LARGE_ONLY = pytest.mark.parametrize("size", [LARGE], ids=["120x36"])

OFFERS = [
    ModelRow(
        name="script",
        model="script",
        provider="built-in",
        price_input=0,
        price_output=0,
        about="lines written by hand",
    ),
    ModelRow(
        name="human",
        model="human",
        provider="built-in",
        price_input=0,
        price_output=0,
        about="a person at this keyboard",
    ),
    ModelRow(
        name="mine", model="openai/qwen3", provider="localhost:8000", context=32_768
    ),
    ModelRow(
        name="gpt-4o",
        model="gpt-4o",
        provider="openai",
        price_input=2.5,
        price_output=10,
        context=128_000,
    ),
    ModelRow(
        name="xai/grok-4",
        model="xai/grok-4",
        provider="xai",
        usable=False,
        why_not="XAI_API_KEY is not set.",
    ),
]

Picture = Callable[..., bool]


@pytest.fixture(autouse=True)
def _fixed(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing of the machine or the day gets into a picture."""
    for name in ("NO_COLOR", "FORCE_COLOR", "SSH_CONNECTION", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "FILTERS": "",
        "COLOR_SYSTEM": "auto",
        "DIM_FACTOR": 0.66,
        "SCREENSHOT_DELAY": -1,
        "PRESS": "",
    }.items():
        monkeypatch.setattr(constants, name, value)
    monkeypatch.setattr(catalogue, "choices", lambda config, env: OFFERS)
    monkeypatch.setattr(catalogue, "local_servers", _none)
    monkeypatch.setattr(litellm_loading, "ready", _never)
    monkeypatch.setattr(litellm_loading, "warm", lambda: None)
    set_language("en")
    yield
    set_language("en")


async def _none(env: object) -> AsyncIterator[list[ModelRow]]:
    return
    yield


async def _never() -> None:
    await asyncio.Event().wait()


def picture(
    compare: Picture,
    play: Play | None,
    size: tuple[int, int],
    *keys: str,
    until: Callable[[VerifyTui], object] = bool,
    theme: str | None = None,
    config: Config | None = None,
    sitting: LabelingSession | None = None,
) -> bool:
    """The app on this session, or for a person who goes through pairs, after these
    keys, once `until` holds; cursors do not blink.
    """
    app = VerifyTui(config or Config(), play, theme=theme, sitting=sitting)

    async def before(pilot: Pilot[None]) -> None:
        await wait(pilot, lambda: app.workspace.play is not None)
        await pilot.press(*keys)
        await wait(pilot, lambda: until(app))
        for typed in app.screen.query(Input).results(Input):
            typed.cursor_blink = False
        for written in app.screen.query(TextArea).results(TextArea):
            written.cursor_blink = False
        await pilot.pause()
        assert not app._notifications
        assert app.defects == []

    made: Callable[[Pilot[None]], Awaitable[None]] = before
    return compare(app, terminal_size=size, run_before=made)


async def _played(play: Play) -> list[Event]:
    desk = Desk(lambda: play.session, Config(), builtins={"script": DebateScript()})
    while not DEBATE_ENGINE.finished(play.session):
        parts: AsyncIterator[Any] = step(play.journal, DEBATE_ENGINE, desk)
        async for _ in parts:
            pass
    for event in play.session.events:
        if isinstance(event, ReplyEvent):
            event.seconds = 0.0
    return play.session.events


def example(path: Path, events: int | None = None, which: int = 0) -> Play:
    """A bundled example, saved, as the script debates it, as far as its event number
    `events`.
    """
    shown = draft(topic(which), Config())
    happened = asyncio.run(_played(shown))
    made = shown.session.header
    made.id, made.created = "20260101T000000Z-000000", "2026-01-01T00:00:00.000Z"
    return recorded(made, happened[:events], path / "example.yaml")


USED = Usage(input=412, output=96)
SPOKEN = Speech(
    role="affirmative",
    round=1,
    model="gpt-4-0613",
    text="The mean of **1** and 3 is 2.\n\n- up: 1 m/s\n- down: 3 m/s\n\nAnswer: 2 m/s",
    answer="2 m/s",
    reasoning="Distance d up and d down.\nTime is d/1 + d/3 = 4d/3.\nSo 2d over 4d/3 is 1.5.",
    usage=USED,
    cost=0.0181,
    seconds=4.2,
    finish="stop",
)


def models(path: Path, *events: Event) -> Play:
    """A debate between language models in which this has happened."""
    made = header(affirmative="gpt-4", negative="deepseek/deepseek-chat", judge="gpt-4")
    return recorded(made, list(events), path / "models.yaml")


@BOTH
def test_an_empty_start(snap_compare: Picture, size: tuple[int, int]) -> None:
    assert picture(snap_compare, None, size)


@BOTH
def test_looking_back(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    play = example(tmp_path, 3)
    assert picture(snap_compare, play, size, "left", until=lambda app: play.cursor == 2)


@BOTH
def test_before_the_first_step(snap_compare: Picture, size: tuple[int, int]) -> None:
    assert picture(snap_compare, example_draft(Config()), size)


@BOTH
def test_after_round_1(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    assert picture(snap_compare, example(tmp_path, 3), size)


@BOTH
def test_finished(snap_compare: Picture, size: tuple[int, int], tmp_path: Path) -> None:
    assert picture(snap_compare, example(tmp_path), size)


@SMALL_ONLY
def test_a_replay_in_the_middle(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    play = example(tmp_path)
    play.cursor = 0
    assert picture(
        snap_compare,
        play,
        size,
        "space",
        "space",
        "space",
        "space",
        until=lambda app: play.cursor == 4,
    )


@LARGE_ONLY
def test_an_unread_verdict(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    text = "I think [the second] speaker {is right, but\nthis is no JSON"
    unread = Verdict(
        role="judge",
        round=1,
        mode="discriminative",
        model="gpt-4-0613",
        text=text,
        usage=USED,
        cost=0.02,
        seconds=2.0,
    )
    assert picture(snap_compare, models(tmp_path, SPOKEN, unread), size)


@BOTH
def test_a_failure_where_the_speech_would_be(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    failure = Failure(
        role="negative",
        kind="rate-limit",
        message="The provider asks to wait: too many requests.",
        model="deepseek/x",
    )
    assert picture(snap_compare, models(tmp_path, SPOKEN, failure), size)


@SMALL_ONLY
def test_reasoning_folded(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    assert picture(snap_compare, models(tmp_path, SPOKEN), size)


@SMALL_ONLY
def test_reasoning_unfolded(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    assert picture(snap_compare, models(tmp_path, SPOKEN), size, "z")


@BOTH
def test_a_speech_with_all_constructs(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    spoken = Speech(
        role="affirmative", round=1, model="gpt-4o", text=SPEECH, answer="1.5 m/s"
    )
    assert picture(
        snap_compare, recorded(header(), [spoken], tmp_path / "a.yaml"), size
    )


@SMALL_ONLY
def test_light(snap_compare: Picture, size: tuple[int, int], tmp_path: Path) -> None:
    assert picture(snap_compare, example(tmp_path), size, theme="light")


@BOTH
def test_chinese(snap_compare: Picture, size: tuple[int, int], tmp_path: Path) -> None:
    set_language("zh")
    assert picture(snap_compare, example(tmp_path, 4, which=3), size)


@BOTH
def test_line_up(snap_compare: Picture, size: tuple[int, int], tmp_path: Path) -> None:
    def ready(app: VerifyTui) -> bool:
        return isinstance(app.screen, LineupScreen) and app.screen.query_one(
            "#model-rows"
        ).option_count == len(OFFERS)  # type: ignore[attr-defined]

    assert picture(snap_compare, models(tmp_path, SPOKEN), size, "m", until=ready)


@BOTH
def test_help(snap_compare: Picture, size: tuple[int, int]) -> None:
    assert picture(
        snap_compare,
        example_draft(Config()),
        size,
        "f1",
        until=lambda app: isinstance(app.screen, HelpScreen),
    )


@BOTH
def test_new_debate(snap_compare: Picture, size: tuple[int, int]) -> None:
    assert picture(
        snap_compare,
        example_draft(Config()),
        size,
        "c",
        until=lambda app: isinstance(app.screen, NewDebateScreen),
    )


async def _asked(play: Play) -> list[Event]:
    header, tools = play.session.header, Tools(Config(), paths())
    method = method_of(header)
    desk = Desk(lambda: play.session, Config(), builtins=method.models(header, tools))
    engine = method.engine(header, tools)
    while not engine.finished(play.session) and play.failed is None:
        parts: AsyncIterator[Any] = step(play.journal, engine, desk)
        async for _ in parts:
            pass
    for event in play.session.events:
        if isinstance(event, ReplyEvent | Retrieval):
            event.seconds = 0.0
    return play.session.events


def question(path: Path, events: int | None = None) -> Play:
    """The example question, saved, as `script` answers it, as far as its event number
    `events`.
    """
    draft = question_draft(Config())
    happened = asyncio.run(_asked(draft))
    made = draft.session.header
    made.id, made.created = "20260101T000000Z-000000", "2026-01-01T00:00:00.000Z"
    return recorded(made, happened[:events], path / "question.yaml")


@BOTH
def test_a_question_before_the_first_step(
    snap_compare: Picture, size: tuple[int, int]
) -> None:
    assert picture(snap_compare, question_draft(Config()), size)


@BOTH
def test_a_question_after_its_first_iteration(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    assert picture(snap_compare, question(tmp_path, 6), size)


@BOTH
def test_a_question_answered(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    assert picture(snap_compare, question(tmp_path), size)


@LARGE_ONLY
def test_a_question_with_its_iterations_side_by_side(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    assert picture(
        snap_compare,
        question(tmp_path),
        size,
        "S",
        until=lambda app: app.screen.query(".iteration"),
    )


@SMALL_ONLY
def test_the_references_of_a_question(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    assert picture(snap_compare, question(tmp_path), size, "b", "b")


@SMALL_ONLY
def test_a_question_in_light(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    assert picture(snap_compare, question(tmp_path), size, theme="light")


@BOTH
def test_a_question_in_chinese(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    set_language("zh")
    assert picture(snap_compare, question(tmp_path), size)


@LARGE_ONLY
def test_the_rule(snap_compare: Picture, size: tuple[int, int]) -> None:
    assert picture(
        snap_compare,
        question_draft(Config()),
        size,
        "l",
        until=lambda app: isinstance(app.screen, RuleScreen),
    )


@SMALL_ONLY
def test_corpora(snap_compare: Picture, size: tuple[int, int]) -> None:
    def listed(app: VerifyTui) -> bool:
        return isinstance(app.screen, CorporaScreen) and bool(
            str(app.screen.query_one("#detail").render())
        )  # type: ignore[attr-defined]

    assert picture(snap_compare, question_draft(Config()), size, "C", until=listed)


@SMALL_ONLY
def test_new_question(snap_compare: Picture, size: tuple[int, int]) -> None:
    assert picture(
        snap_compare,
        question_draft(Config()),
        size,
        "c",
        until=lambda app: isinstance(app.screen, NewQuestionScreen),
    )


async def _judged(play: Play, events: int) -> None:
    engine = RelevanceEngine()
    desk = Desk(lambda: play.session, Config(), builtins={"lexical": Judging()})
    while len(play.session.events) < events:
        parts: AsyncIterator[Any] = step(play.journal, engine, desk)
        async for _ in parts:
            pass


def cases() -> Play:
    """The bundled example with one candidate judged and two labelled, as a recording
    that nothing else gets into.
    """
    play = cases_draft(Config())
    asyncio.run(_judged(play, 13))
    play.journal.append(
        Label(candidate="c1", value=3, annotator="lin", seen_machine=True)
    )
    play.journal.append(Label(candidate="c2", value=0, annotator="lin"))
    for event in play.session.events:
        if isinstance(event, ReplyEvent):
            event.seconds = 0.0
    play.cursor = len(play.session.events)
    return play


@BOTH
def test_cases_before_the_first_step(
    snap_compare: Picture, size: tuple[int, int]
) -> None:
    assert picture(
        snap_compare, cases_draft(Config()), size, config=Config(annotator="lin")
    )


@LARGE_ONLY
def test_a_candidate_judged_and_labelled(
    snap_compare: Picture, size: tuple[int, int]
) -> None:
    set_language("zh")
    assert picture(snap_compare, cases(), size, "up", config=Config(annotator="lin"))


@BOTH
def test_a_person_labels_pair_by_pair(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    begin = labelling(folder_of(tmp_path / "run", 6), "Mei", None)
    keys = ("2", "full_stop", "V", "down", "M", "down")
    assert picture(snap_compare, None, size, *keys, sitting=begin(Config()))


@LARGE_ONLY
def test_where_people_differ_it_is_decided(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    set_language("zh")
    folder = folder_of(tmp_path / "run", 4)
    for name, level in (("Mei", 1), ("Tom", 3), ("李", 0)):
        labelled(folder, name, {1: level, 2: 2})
    assert picture(
        snap_compare, None, size, sitting=adjudication(folder, "Ann")(Config())
    )


STOPPED = [
    {
        "event": "began",
        "method": "debate",
        "kind": "topics",
        "command": "verifytui debate --topics t.jsonl --into out",
        "lines": 40,
    },
    *(
        {
            "event": "line",
            "id": f"q{n}",
            "status": "waiting",
            "title": f"Why is number {n} no prime?",
        }
        for n in range(40)
    ),
    {
        "event": "line",
        "id": "q3",
        "status": "done",
        "events": 5,
        "input": 900,
        "output": 120,
        "cost_known": 0.25,
        "result": "It is.",
    },
    {
        "event": "line",
        "id": "q8",
        "status": "failed",
        "events": 1,
        "error": "The server refuses the call: check its parameters.",
    },
    {
        "event": "line",
        "id": "q9",
        "status": "stopped",
        "events": 2,
        "input": 300,
        "output": 40,
        "cost_known": 0.05,
    },
    {"event": "ended", "status": "stopped"},
]


@BOTH
def test_a_batch_that_was_stopped(
    snap_compare: Picture,
    size: tuple[int, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path("out")
    folder.mkdir()
    (folder / "batch.json").write_text("{}")
    rows = (
        {"time": "2026-01-01T00:00:00Z", "concurrency": 4, "budget_usd": 2.0, **row}
        for row in STOPPED
    )
    (folder / "runner.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows)
    )
    app = VerifyTui(Config(), folder=folder)

    async def before(pilot: Pilot[None]) -> None:
        await wait(
            pilot, lambda: isinstance(app.screen, BatchScreen) and app.screen._shown
        )
        await pilot.pause()
        assert app.defects == []

    assert snap_compare(app, terminal_size=size, run_before=before)


@LARGE_ONLY
def test_a_study_and_its_flips(
    snap_compare: Picture, size: tuple[int, int], tmp_path: Path
) -> None:
    answers = {
        level: {f"q{n}": "42" if n % 10 < right else "7" for n in range(30)}
        for level, right in ((0, 4), (2, 8), (3, 7))
    }
    app = VerifyTui(Config(), folder=study_of(tmp_path / "levels", answers))

    async def before(pilot: Pilot[None]) -> None:
        await wait(
            pilot,
            lambda: isinstance(app.screen, StudyScreen) and "80.0%" in everything(app),
        )
        await pilot.press("d")
        await wait(pilot, lambda: "12 worse" in everything(app))
        assert app.defects == []

    assert snap_compare(app, terminal_size=size, run_before=before)


def test_the_pictures_stay_small() -> None:
    folder = Path(__file__).parent / "__snapshots__" / "test_snapshots"
    sizes = [file.stat().st_size for file in folder.iterdir()]
    assert len(sizes) > 15
    assert sum(sizes) < 2_500_000
