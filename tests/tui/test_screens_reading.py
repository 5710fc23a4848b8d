"""Screens to read: help, raw, side by side; the search line; and what holds for all of
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen
from textual.theme import BUILTIN_THEMES
from textual.widget import Widget
from textual.widgets import Input
from verifytui import texts
from verifytui.sessions.events import Failure
from verifytui.sessions.events.debate import DebateResult, Speech, Verdict
from verifytui.sessions.pairs import pairs
from verifytui.sessions.session import Header, Parent, Prompts, Seat, Session
from verifytui.tests.support.screens_host import HOSTILE, Host, picture, shown, text_of
from verifytui.tui.actions import DEAD
from verifytui.tui.app_theme import legible
from verifytui.tui.screens.compare import CompareScreen
from verifytui.tui.screens.confirm import ConfirmScreen, LinePrompt
from verifytui.tui.screens.edit import EditScreen
from verifytui.tui.screens.export import ExportScreen
from verifytui.tui.screens.help import HelpScreen
from verifytui.tui.screens.library import LibraryScreen
from verifytui.tui.screens.lineup import LineupScreen, RoleRow
from verifytui.tui.screens.raw import RawScreen
from verifytui.tui.screens.search import SearchBar
from verifytui.tui.widgets.side_by_side import SideBySide
from verifytui.tui.workspaces.debate.screens.level import LevelScreen
from verifytui.tui.workspaces.debate.screens.new_debate import NewDebateScreen

pytestmark = pytest.mark.slow

FILES = sorted((Path(texts.__file__).parents[1] / "tui").rglob("screens/*.py"))
ACTIONS = [
    ("space F5", "next", "Request the next speech or verdict", "Step"),
    ("r F7", "run", "to the end of the", "Step"),
    ("?", "help", HOSTILE, "Session"),
]


def session(*spoken: str, level: int = 2) -> Session:
    lineup = {
        "affirmative": Seat(model="gpt-4o"),
        "negative": Seat(model="qwen3"),
        "judge": Seat(model=HOSTILE),
    }
    header = Header(
        id="a",
        workspace="debate",
        created="2026-11-21T04:44:00.123Z",
        title=HOSTILE,
        task={},
        lineup=lineup,
        settings={"level": level},
        prompts=Prompts(set="en", hash="", templates={}),
    )
    return Session(
        header,
        [
            Speech(role="affirmative", model="gpt-4o", round=1, text=text)
            for text in spoken
        ],
    )


class EmptyLibrary:
    def entries(self, folder: Path | None = None) -> list[Any]:
        return []


SCREENS: dict[str, Callable[[], Screen[Any]]] = {
    "help": lambda: HelpScreen(ACTIONS),
    "raw": lambda: RawScreen(
        HOSTILE,
        [{"role": HOSTILE, "content": HOSTILE}],
        {"stop": [HOSTILE]},
        HOSTILE,
        HOSTILE,
        {"finish": HOSTILE},
    ),
    "compare": lambda: CompareScreen(session(HOSTILE), session(HOSTILE, level=3)),
    "edit": lambda: EditScreen(HOSTILE, HOSTILE, HOSTILE),
    "level": lambda: LevelScreen(1),
    "export": lambda: ExportScreen(Path(f"/tmp/{HOSTILE}.csv")),
    "confirm": lambda: ConfirmScreen(HOSTILE, HOSTILE, HOSTILE),
    "ask": lambda: LinePrompt(HOSTILE, HOSTILE),
    "library": lambda: LibraryScreen(EmptyLibrary()),  # type: ignore[arg-type]
    "lineup": lambda: LineupScreen(
        lambda: [RoleRow("judge", "J", Seat(model=HOSTILE), True)], [], message=HOSTILE
    ),
    "new": lambda: NewDebateScreen(
        [], {"kind": "translation"}, topic=HOSTILE, message=HOSTILE
    ),
}


@pytest.fixture(autouse=True)
def _english() -> Any:
    yield
    texts.set_language("en")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "language"),
    [((80, 24), "en"), ((80, 24), "zh"), ((120, 36), "en"), ((40, 10), "zh")],
)
@pytest.mark.parametrize("name", SCREENS)
async def test_every_screen_stands_hostile_text_in_both_languages_and_sizes(
    name: str, size: tuple[int, int], language: str
) -> None:
    texts.set_language(language)
    async with shown(SCREENS[name](), size) as (host, pilot):
        lines = picture(host)
        assert not set("\x1b\x07\x9b\u202e") & set("".join(lines))
        assert {cell_len(line) for line in lines} == {size[0]}
        if size != (40, 10):
            hints = host.screen.query_one("#hints")
            assert hints.region.bottom <= size[1]
            assert "esc" in text_of(host)
        await pilot.press("escape")
        await pilot.press("escape")
        assert len(host.screen_stack) == 1


@pytest.mark.parametrize("theme", ["verifytui-dark", "verifytui-light"])
@pytest.mark.parametrize("name", SCREENS)
async def test_the_sheet_follows_the_theme(name: str, theme: str) -> None:
    async with shown(SCREENS[name](), theme=theme) as (host, _):
        dark = host.screen.query_one("#sheet").styles.background.brightness < 0.5
        assert dark == (theme == "verifytui-dark")
        covers = host.screen.query_one("#sheet").region.size == host.screen.size
        assert host.screen.styles.background.a < 1 or covers


def test_no_screen_names_a_colour_of_its_own() -> None:
    for path in FILES:
        text = path.read_text()
        assert not re.search(
            r"#[0-9a-fA-F]{6}\b|ansi_|\b(red|green|blue|yellow|white|black)\b", text
        ), path


@pytest.mark.parametrize("name", SCREENS)
async def test_keys_arrive_over_plain_ssh(name: str) -> None:
    async with shown(SCREENS[name]()) as (host, _):
        nodes: list[Widget] = [host.screen, *host.screen.query("*")]
        ours = [node for node in nodes if type(node).__module__.startswith("verifytui")]
        keys = (
            {
                key
                for node in ours
                for key in type(node)._merge_bindings().key_to_bindings
            }
            if ours
            else set()
        )
        own = {
            binding.key
            for node in ours
            for kind in type(node).__mro__
            if kind.__module__.startswith("verifytui")
            for bindings in kind.__dict__.get("BINDINGS", [])
            for binding in Binding.make_bindings([bindings])
        }
        assert "escape" in keys
        assert not own & set(DEAD)
        assert not [
            key
            for key in own
            if re.fullmatch(r"ctrl\+[^a-z]|ctrl\+[imhbas]|(shift|alt|super)\+.+", key)
        ]


async def test_help_groups_explains_and_searches() -> None:
    async with shown(HelpScreen(ACTIONS)) as (host, pilot):
        text = text_of(host)
        assert text.index("Step") < text.index("space F5") < text.index("Session")
        await pilot.press("j")
        assert "to the end of the" in str(host.screen.query_one("#detail").render())
        await pilot.press("slash", *"spee")
        assert "run" not in text_of(host).replace("prun", "")
        assert "space F5" in text_of(host)
        await pilot.press("escape")
        assert "run" in text_of(host)
        await pilot.press("slash", *"zzz")
        assert "No key matches." in text_of(host)
        await pilot.press("escape", "question_mark")
        assert host.result is None


async def test_raw_shows_all_and_copies() -> None:
    screen = RawScreen(
        "A",
        [{"role": "system", "content": "be fair"}, {"role": "user", "content": "why?"}],
        {"temperature": 0},
        " reply\n\tx ",
        "hm",
        {"finish": "stop"},
    )
    async with shown(screen, (120, 36)) as (host, pilot):
        text = text_of(host)
        for word in (
            "1 system",
            "be fair",
            "2 user",
            "why?",
            "temperature: 0",
            "reply",
            "hm",
            "finish: stop",
        ):
            assert word in text
        await pilot.press("y")
        assert all(
            word in host.clipboard
            for word in ("be fair", "why?", "temperature: 0", "hm", "finish: stop")
        )
        await pilot.press("3", "y")
        assert host.clipboard == " reply\n\tx "
        await pilot.press("1", "y")
        assert host.clipboard == "system\nbe fair\n\nuser\nwhy?"


@pytest.mark.slow
async def test_raw_shows_every_line_of_a_megabyte_and_jumps() -> None:
    reply = "".join(f"line {number} of the reply 平均\n" for number in range(40_000))
    async with shown(RawScreen("A", [], {}, reply, None, {"number": 3})) as (
        host,
        pilot,
    ):
        await pilot.press("3")
        assert "line 0 of" in text_of(host)
        await pilot.press("5")
        assert "line 39999 of" in text_of(host) or "number: 3" in text_of(host)
        await pilot.press("end")
        assert "number: 3" in text_of(host)
        shown_text = "\n".join(
            str(piece.render()) for piece in host.screen.query(".text")
        )  # type: ignore[attr-defined]
        assert reply.rstrip() in shown_text


async def test_raw_shows_every_character_of_one_long_line() -> None:
    reply = "".join(map(str, range(10_000)))
    async with shown(RawScreen("A", [], {}, reply)) as (host, _):
        pieces = [str(piece.render()) for piece in host.screen.query(".text")]  # type: ignore[attr-defined]
        assert reply in "".join(pieces)


async def test_side_by_side_when_wide_and_one_above_the_other_when_narrow() -> None:
    left, right = session("same", "left words"), session("same", "right words", "more")
    right.header = msgspec.structs.replace(
        right.header,
        lineup={**right.header.lineup, "negative": Seat(model="other-model")},
    )
    async with shown(CompareScreen(left, right), (120, 36)) as (host, _):
        (line,) = [line for line in picture(host) if "left words" in line]
        assert "right words" in line
        assert "Event 1 is the same." in text_of(host)
        assert "other-model" in text_of(host)
        assert "no event here" in text_of(host)
        assert text_of(host).split("Event 1")[0].count("not finished") == 2
    async with shown(CompareScreen(left, right), (80, 24)) as (host, _):
        lines = [
            number
            for number, line in enumerate(picture(host))
            if "left words" in line or "right words" in line
        ]
        assert len(lines) == 2


async def test_columns_are_called_parent_and_this_or_by_what_tells_their_titles_apart() -> (
    None
):
    parent, child = session("same", "one"), session("same", "two")
    child.header = msgspec.structs.replace(
        child.header,
        id="child",
        parent=Parent(id=parent.header.id, number=1, why="fork"),
    )
    for pair, heads in (
        ((parent, child), ("parent: ", "this: ")),
        ((child, parent), ("this: ", "parent: ")),
    ):
        async with shown(CompareScreen(*pair), (120, 36)) as (host, _):
            line = next(line for line in picture(host) if "parent: " in line)
            assert line.index(heads[0]) < line.index(heads[1])
    stranger = session("same", "two")
    stranger.header = msgspec.structs.replace(
        stranger.header, title=f"{parent.header.title} and then some more", id="another"
    )
    async with shown(CompareScreen(parent, stranger), (120, 36)) as (host, _):
        assert "parent" not in text_of(host)
        assert "and then some more" in text_of(host)


async def test_what_differs_is_gone_through_from_the_first() -> None:
    left, right = session(*map(str, range(40))), session(*map(str, range(40)))
    for number in (20, 30):
        right.events[number] = msgspec.structs.replace(
            right.events[number], text="an edited speech"
        )
    async with shown(CompareScreen(left, right), (120, 30)) as (host, pilot):
        assert "difference 1 of 2" in text_of(host)
        assert "Events 1 to 20 are the same." in text_of(host)
        await pilot.press("}")
        assert "difference 2 of 2" in text_of(host)
        await pilot.press("}")
        assert "difference 2 of 2" in text_of(host)
        await pilot.press("{")
        assert "difference 1 of 2" in text_of(host)
        await pilot.press("escape")
        assert host.result is None


async def test_a_step_that_only_one_has_moves_nothing_else() -> None:
    left, right = session("a", "b", "c"), session("a", "b", "c")
    right.events.insert(1, Failure(role="judge", kind="server", message="busy"))
    found = pairs(left, right)
    assert [(pair.left is None, pair.same) for pair in found] == [
        (False, True),
        (True, False),
        (False, True),
        (False, True),
    ]


async def test_words_that_differ_are_marked() -> None:
    left, right = (
        session("The way up takes one second."),
        session("The way up takes two seconds."),
    )
    async with shown(CompareScreen(left, right), (120, 30)) as (host, _):
        strips = host.screen._compositor.render_strips()
        marked = {
            segment.text
            for strip in strips
            for segment in strip
            if segment.style is not None and segment.style.underline
        }
        assert {"one", "two"} <= marked
        assert not any("way" in text for text in marked)


async def test_side_by_side_shows_all_kinds_to_the_end() -> None:
    left = session(*(f"speech {number}" for number in range(25)))
    left.events += [
        Verdict(
            role="judge",
            round=1,
            mode="discriminative",
            reason=HOSTILE,
            answer=HOSTILE,
            read="json",
        ),
        Failure(role="judge", kind="auth", message=HOSTILE),
        DebateResult(answer=HOSTILE, decided_by="extractive"),
    ]
    for size in ((80, 24), (120, 36)):
        async with shown(CompareScreen(left, session()), size) as (host, pilot):
            await pilot.press("end")
            assert "[/x]" in text_of(host)
            assert "difference 1 of 28" in text_of(host)
            view = host.screen.query_one(SideBySide)
            seen = set()
            while view.scroll_offset.y > 0:
                seen |= {line for line in picture(host) if "speech " in line}
                await pilot.press("pageup")
                await pilot.wait_for_scheduled_animations()
                await pilot.pause()
            seen |= {line for line in picture(host) if "speech " in line}
            assert len({re.search(r"speech \d+", line)[0] for line in seen}) == 25  # type: ignore[index]


async def test_two_that_are_the_same() -> None:
    async with shown(CompareScreen(session("a"), session("a"))) as (host, _):
        assert "All 1 events are the same." in text_of(host)


class Searching(Host):
    def compose(self) -> ComposeResult:
        yield SearchBar()

    def on_search_bar_search(self, event: SearchBar.Search) -> None:
        self.heard.append((event.text, event.forward))
        event.bar.found(len(self.heard), 3 if event.text != "x" else 0)

    def on_search_bar_closed(self, event: SearchBar.Closed) -> None:
        self.heard.append("closed")


async def test_the_search_line() -> None:
    host = Searching()
    async with host.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("enter", *"[/]", "enter", "down", "up")
        assert host.heard == [("[/]", True), ("[/]", True), ("[/]", False)]
        assert "3 of 3" in text_of(host)
        host.screen.query_one(Input).value = "x"
        await pilot.press("enter")
        assert "not found" in text_of(host)
        await pilot.press("escape")
        assert host.heard[-1] == "closed"


@pytest.mark.slow
@pytest.mark.parametrize(
    "theme", [name for name in BUILTIN_THEMES if "ansi" not in name]
)
async def test_every_theme_of_textual_can_be_used(theme: str) -> None:
    class Themed(Host):
        def get_css_variables(self) -> dict[str, str]:
            return legible(super().get_css_variables(), self.current_theme)

    host = Themed(theme)
    async with host.run_test(size=(80, 24)) as pilot:
        for name in ("lineup", "compare"):
            await host.push_screen(SCREENS[name]())
            await pilot.pause()
