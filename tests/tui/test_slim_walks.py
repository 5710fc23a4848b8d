"""The app's own updates, sent slimly and as Textual sends them: two terminals that must
show the same, after each one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from rich.color import ColorSystem
from rich.console import Console, RenderableType
from textual._compositor import CompositorUpdate, LayoutUpdate
from textual.strip import Strip
from verifytui.engines.models.config import Config
from verifytui.sessions.events.debate import Speech
from verifytui.tests.support.pictures import Seen
from verifytui.tests.support.piloting import header, recorded, wait
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play
from verifytui.tui.terminal.writer import SlimUpdate

pytestmark = pytest.mark.slow

SIZES = pytest.mark.parametrize(
    "size", [(80, 24), (120, 36), (40, 10)], ids=["80x24", "120x36", "40x10"]
)

SAID = [
    "The way up takes d/1 seconds, the way down d/3 seconds, so the whole takes "
    "4d/3 seconds for 2d metres.\n\nAnswer: 1.5 m/s",
    "平均速度不是两个速度的平均值：上山用 d/1 秒，下山 d/3 秒，全程 2d。\n\n- 第"
    "一，时间不同；\n- 第二，路程相同。\n\nAnswer: 1.5 米/秒",
    "Half 半 and half 半，✅ emoji 🎉🎉 and a combined e\u0301 mark, “quoted” — "
    "and `code`:\n\n```python\nprint(2 * 3)\n```\n\nAnswer: 2",
] * 4


def uncached(strip: Strip, console: Console) -> str:
    """As Textual does it; but styles and strips that are shared keep the codes of
    whatever colours an earlier test of the process had.
    """
    made: list[str] = []
    for text, style, _ in strip._segments:
        if style is not None:
            style._ansi = None
            codes = style._make_ansi_codes(
                console._color_system or ColorSystem.TRUECOLOR
            )
            style._ansi = None
            text = f"\x1b[{codes}m{text}\x1b[0m" if codes else text
        made.append(text)
    return "".join(made)


@contextmanager
def compared(
    monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> Iterator[list[int]]:
    """While it lasts every frame of a `VerifyTui` is compared; the bytes of each, slim
    and not, are what it gives.
    """
    sent: list[int] = []
    terminals = {"slim": Seen(*size), "own": Seen(*size)}
    original = VerifyTui._display

    def display(self: VerifyTui, screen: Any, update: RenderableType | None) -> None:
        original(self, screen, update)
        if self._batch_count or not isinstance(update, CompositorUpdate):
            return
        if isinstance(
            update, LayoutUpdate
        ):  # a new size begins with a whole picture: until that comes, pictures have the old one
            width, height = update.region.right, update.region.bottom
            if (width, height) != (
                terminals["slim"].screen.columns,
                terminals["slim"].screen.lines,
            ):
                terminals.update(slim=Seen(width, height), own=Seen(width, height))
        slim = self._slim.of(update)
        assert isinstance(slim, SlimUpdate)
        told = slim.render_segments(self.console)
        sent.append(len(told.encode()))
        terminals["slim"].stream.feed(told)
        terminals["own"].stream.feed(update.render_segments(self.console))
        assert terminals["slim"].cells() == terminals["own"].cells(), "\n".join(
            terminals["slim"].screen.display
        )

    monkeypatch.setattr("verifytui.tui.app.fills_in_color", lambda: True)
    monkeypatch.setattr(VerifyTui, "_display", display)
    monkeypatch.setattr(Strip, "render", uncached)
    yield sent
    assert len(sent) > 20


def play() -> Play:
    sides = ["affirmative", "negative"]
    happened = [
        Speech(role=sides[n % 2], round=n // 2 + 1, text=text, answer="1.5", model="m")
        for n, text in enumerate(SAID)
    ]
    opened = recorded(
        header("How fast is 爱丽丝?", affirmative="m", negative="m", judge="m"),
        [*happened],
    )
    opened.cursor, opened.replaying = 0, True
    return opened


@SIZES
async def test_a_walk_through_all_tabs(
    home: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    with compared(monkeypatch, size):
        app = VerifyTui(Config(), play())
        async with app.run_test(size=size) as pilot:
            await wait(pilot, lambda: app.workspace.play is not None)
            keys = ["space"] * 9 + [
                "left",
                "left",
                "right",
                "home",
                "space",
                "end",
                "pageup",
                "up",
                "up",
                "down",
                "pagedown",
            ]
            keys += [
                "question_mark",
                "down",
                "escape",
                "m",
                "down",
                "escape",
                "v",
                "down",
                "escape",
                "slash",
                "h",
                "a",
                "escape",
            ]
            keys += [
                "right_square_bracket",
                "space",
                "space",
                "space",
                "question_mark",
                "escape",
                "down",
                "up",
            ]
            keys += [
                "right_square_bracket",
                "space",
                "space",
                "down",
                "j",
                "k",
                "left_square_bracket",
                "left_square_bracket",
            ]
            keys += [
                "ctrl+p",
                "t",
                "h",
                "escape",
                "o",
                "down",
                "escape",
                "c",
                "tab",
                "x",
                "escape",
                "ctrl+l",
            ]
            for key in keys:
                await pilot.press(key)
                await pilot.pause()
            app.theme = "verifytui-light"
            await pilot.pause()
            await pilot.press("home", "space", "space")
            await pilot.pause()


@SIZES
async def test_a_reply_that_streams_while_the_window_changes(
    home: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    with compared(monkeypatch, size):
        app = VerifyTui(Config(), play())
        async with app.run_test(size=size) as pilot:
            await wait(pilot, lambda: app.workspace.play is not None)
            transcript: Any = await app.workspace.stage()
            await transcript.begin("affirmative", "gpt-4", lambda: "speaking")
            for number in range(40):
                transcript.feed(
                    SAID[number % 3][number : number + 40]
                    + ("\n\n" if number % 8 == 7 else " ")
                )
                await wait(pilot, lambda: not transcript._buffer)
                if number % 13 == 12:
                    await pilot.resize_terminal(
                        size[0] - number // 2, size[1] + number // 13 - 2
                    )
            await transcript.end_live()
            await pilot.pause()
