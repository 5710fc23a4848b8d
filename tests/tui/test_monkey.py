"""Thousands of random keys in three tabs, with a model that answers: nothing breaks,
and memory does not grow without end.
"""

from __future__ import annotations

import asyncio
import gc
import json
import random
import string
import sys
import time
import traceback
from pathlib import Path

import pytest
from textual.events import Key
from verifytui.engines.models import litellm_loading
from verifytui.engines.models.config import load_config
from verifytui.engines.retrieval.corpus import Corpora
from verifytui.engines.retrieval.tokeniser import Tokeniser
from verifytui.sessions.journal import Journal
from verifytui.sessions.methods import WORKSPACES
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Seat
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.piloting import wait
from verifytui.tui import actions
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play
from verifytui.tui.screens.help import HelpScreen
from verifytui.tui.terminal.typeahead import passed

pytestmark = pytest.mark.slow

GROWTH = 64.0
"""MB of memory that a thousand keys may add at most; sessions stay open, forms and
panels do not.
"""

LIVE_EVERY = 125
"""After so many keys every tab has a session again that the model can go on with."""

MOVING = (
    "up",
    "down",
    "tab",
    "shift+tab",
    "pageup",
    "pagedown",
    "enter",
    "escape",
    "escape",
    "ctrl+p",
    "ctrl+o",
    "f10",
    "ctrl+l",
)
LEAVING = {"q", "ctrl+q", "ctrl+c"}
"""Pressed too: while something runs the app asks, and the question is answered with no;
else these keys would only end the test.
"""


def keys(rng: random.Random) -> str:
    """One key: of the registry, of those that move about and close, or one that is
    typed.
    """
    kind = rng.random()
    if kind < 0.08:
        return rng.choice(("space", "n", "r"))
    if kind < 0.65:
        return rng.choice(
            [key for action in actions.ACTIONS for key in action.keys.split(",")]
        )
    if kind < 0.85:
        return rng.choice(MOVING)
    return rng.choice(
        string.ascii_letters + string.digits + " [/]{}#'\"@\u4f60\u597d\uff10"
    )


def memory() -> float:
    """MB in use."""
    gc.collect()
    line = next(
        line
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith("VmRSS")
    )
    return int(line.split()[1]) / 1024


def reply(body: Body) -> Answer:
    """What any seat may say: prose, where nothing else is asked for, and else an object
    with all that is ever asked for.
    """
    asked = body["messages"][-1]["content"]
    number = len(asked)
    if "JSON" not in asked and "json" not in asked and number % 11:
        return Answer(
            f"For reason {number} it is so [1].\n\nAnswer: {number % 3}", delay=0.002
        )
    names = (
        "reference_correctness",
        "correctness",
        "citation_accuracy",
        "truthfulness",
        "bias",
        "conciseness",
    )
    scores = {name: (number + n) % 11 / 10 for n, name in enumerate(names)}
    verdict = {
        "reason": "So [/x].",
        "preference": number % 3 == 0,
        "supported_side": "negative",
        "answer": str(number % 3),
    }
    others = {
        "candidates": ["1", "5"],
        "facts": ["fact"],
        "relevant": True,
        "disagreement": 0.5,
        "value": 0.5,
    }
    judged = {"judgement": "false", "revised_query": f"Which one, of {number}?"}
    return Answer(json.dumps({**verdict, **others, **scores, **judged}), delay=0.002)


@pytest.mark.timeout(3600)
@pytest.mark.filterwarnings("error:coroutine:RuntimeWarning")
@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
async def test_random_keys_break_nothing(
    home: Path,
    tmp_path: Path,
    loopback: Loopback,
    monkeypatch: pytest.MonkeyPatch,
    pytestconfig: pytest.Config,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    monkeypatch.setenv("EDITOR", "true")
    loopback.answer = reply
    home.mkdir()
    (home / "config.yaml").write_text("model: openai/lb\nretries: 0\n")
    Corpora(paths()).open("example").close()
    seed = pytestconfig.getoption("seed") or "monkey"
    count = pytestconfig.getoption("random_keys")
    print(f"--seed {seed} --random-keys {count}", file=sys.__stderr__)
    await litellm_loading.ready()  # 150 MB that come once
    Tokeniser("jieba").raw(
        "\u4f60\u597d"
    )  # 70 MB, loaded by the first Chinese question
    rng = random.Random(seed)
    last: list[str] = []
    app = VerifyTui(load_config(paths().config_file, {}))
    asked_to_leave = 0
    began = time.monotonic()

    async def leave(code: int) -> None:
        nonlocal asked_to_leave
        asked_to_leave += 1

    def tell(number: int) -> None:
        figures = (
            f"{memory():.0f} MB, {len(gc.get_objects())} objects, "
            f"{len(app._registry)} widgets, {len(loopback.requests)} requests"
        )
        print(
            f"{number} keys after {time.monotonic() - began:.0f} s: {figures}, "
            f"left {asked_to_leave} times",
            file=sys.__stderr__,
            flush=True,
        )

    monkeypatch.setattr(app.ending, "leave", leave)
    monkeypatch.setattr(
        VerifyTui, "is_headless", False
    )  # keys are given one after another, as in a terminal
    try:
        async with app.run_test(size=(100, 30)) as pilot:
            await wait(pilot, lambda: app.is_open)
            for number in range(1, count + 1):
                if number % LIVE_EVERY == 1:
                    await given(app, 0)
                    await open_live(app)
                key = keys(rng)
                last = [*last[-40:], key]
                times = 2 if rng.random() < 0.2 else 1  # a hand that trembles
                await given(
                    app, rng.choice((0, 0, 1, 5)), *[key] * times
                )  # a quick hand is some keys ahead of the screen
                assert app.is_running
                assert app._exception is None
                assert not app.defects
                if number == count // 4:
                    started = memory()
                if number % 250 == 0:
                    tell(number)
            await given(app, 0)
            tell(count)
            assert memory() - started < GROWTH
            assert len(loopback.requests) > count // 20
            await close_screens(app)
            app.set_focus(None)
            await given(app, 0, "f1")
            await wait(pilot, lambda: isinstance(app.screen, HelpScreen), 3)
    except BaseException:
        print("the last keys:", last)
        for defect in app.defects:
            traceback.print_exception(defect)
        raise
    assert not list(home.rglob("crash-*.txt"))


async def open_live(app: VerifyTui) -> None:
    """Opens the example of each method with the model in every seat, in its tab, and
    lets it run.
    """
    await close_screens(app)
    for name in WORKSPACES:
        workspace = await app.bring(name)
        header = workspace.example(app.config).session.header
        header.lineup = {role: Seat(model="openai/lb") for role in header.lineup}
        await workspace.open(Play(Journal.create(None, header)))
        app.set_focus(None)
        await given(app, 0, "r")


async def close_screens(app: VerifyTui) -> None:
    """Closes what is open above the tabs; a form with words in it asks first, and the
    answer is yes.
    """
    async with asyncio.timeout(15):
        while len(app.screen_stack) > 1:
            await given(app, 0, "escape", "y")


async def given(app: VerifyTui, ahead: int, *pressed: str) -> None:
    """Presses keys and waits until all that were ever pressed, but so many, have been
    dealt with.
    """
    for key in pressed:
        app.post_message(Key(key, key if len(key) == 1 else None))
    async with asyncio.timeout(30):
        await passed(app)
        while app.typeahead.waiting > ahead or (not ahead and app.typeahead.busy):
            await asyncio.sleep(0.001)
