"""The library screen over real session files."""

from __future__ import annotations

import csv
import json
import time
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input
from verifytui.sessions.events import Change, Event, Failure
from verifytui.sessions.events.debate import DebateResult, Disagreement, Speech, Verdict
from verifytui.sessions.journal import Journal
from verifytui.sessions.library import Library
from verifytui.sessions.new import new_header, timestamp
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Prompts, Seat
from verifytui.tests.support.screens_host import (
    HOSTILE,
    NOT_YET,
    Host,
    picture,
    shown,
    text_of,
)
from verifytui.tui.screens.confirm import ConfirmScreen, LinePrompt
from verifytui.tui.screens.library import LibraryScreen
from verifytui.tui.screens.place import PlaceChoice
from verifytui.tui.widgets.long_list import LongList

pytestmark = pytest.mark.slow


@pytest.fixture
def library(home: Path) -> Library:
    return Library(paths())


def save(library: Library, title: str, *events: Event, topic: str = "") -> Path:
    header = new_header(
        workspace="debate",
        title=title,
        task={"kind": "question", "topic": topic or title},
        lineup={"affirmative": Seat(model="gpt-4o"), "judge": Seat(model="qwen3")},
        settings={"level": 2},
        prompts=Prompts(set="en", hash="", templates={}),
    )
    path = library.new_path(title)
    with Journal.create(path, header) as journal:
        for event in events:
            journal.append(event)
    while timestamp() == header.created:
        pass  # sessions of one millisecond would stand in the order of their names
    return path


def titles(host: Host) -> list[str]:
    return [entry.title for entry in host.screen._found]  # type: ignore[attr-defined]


async def settle(host: Host, pilot: Pilot[None]) -> None:
    await host.workers.wait_for_complete()
    await pilot.pause()


@pytest.mark.parametrize(
    ("keys", "action"),
    [("enter", "open"), ("r", "replay"), ("f", "fork"), ("s enter", "export")],
)
async def test_what_is_chosen(library: Library, keys: str, action: str) -> None:
    first = save(library, "one")
    async with shown(LibraryScreen(library)) as (host, pilot):
        await pilot.press(*keys.split())
        assert host.result == PlaceChoice(action, first)


async def test_the_list_is_exported_as_it_is_narrowed(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for title in ("=moon ship", "a ship to the moon", "a train"):
        save(library, title)
    async with shown(LibraryScreen(library)) as (host, pilot):
        await pilot.press("slash", *"ship moon", "enter", "s", "j", "enter", "f10")
        await pilot.pause()
        assert isinstance(host.screen, LibraryScreen)
        await pilot.press("s", "j", "enter", "tab", "f10")
        assert "already exists" in text_of(host)
    written = list(
        csv.DictReader((tmp_path / "library.csv").open(encoding="utf-8-sig"))
    )
    assert sorted(row["title"] for row in written) == [
        "'=moon ship",
        "a ship to the moon",
    ]
    assert {row["status"] for row in written} == {"unfinished"}


async def test_rows_show_title_kind_models_and_result(library: Library) -> None:
    save(library, "吃掉敌人一个师", DebateResult(answer="42", decided_by="extractive"))
    save(
        library,
        "How fast?",
        DebateResult(answer="1.5 m/s", decided_by="discriminative"),
    )
    for size in ((80, 24), (180, 36)):
        async with shown(LibraryScreen(library), size) as (host, _):
            rows = [
                line
                for line in picture(host)
                if "debate" in line and "gpt-4o" in line and "events" not in line
            ]
            assert len(rows) == 2
            assert "1.5 m/s" in text_of(host)


async def test_columns_line_up_whatever_the_script(library: Library) -> None:
    from rich.cells import cell_len

    for title in (
        "吃掉敌人一个师的英文翻译是什么样子呢吃掉敌人",
        "Latin",
        "e\u0301\U0001f600 mixed 混合",
    ):
        save(library, title, Speech(role="affirmative", round=1))
    async with shown(LibraryScreen(library), (80, 24)) as (host, _):
        starts = {
            cell_len(line[: line.index("debate")])
            for line in picture(host)
            if "gpt-4o, q" in line and "events" not in line
        }
        assert len(starts) == 1


async def test_typing_filters_and_escape_goes_back_step_by_step(
    library: Library,
) -> None:
    for title in ("apples", "hill", "吃掉"):
        save(library, title)
    async with shown(LibraryScreen(library)) as (host, pilot):
        await pilot.press("slash", *"hil")
        assert titles(host) == ["hill"]
        await pilot.press("escape")
        assert len(titles(host)) == 3
        assert host.result is NOT_YET
        await pilot.press("slash", *"xyz", "enter")
        assert "No session matches." in text_of(host)
        await pilot.press("enter", "e", "D", "escape", "escape")
        assert host.result is None


async def test_two_keys_at_once_open_a_session_once(library: Library) -> None:
    save(library, "hill")
    async with shown(LibraryScreen(library)) as (host, pilot):
        sheet = host.screen
        assert isinstance(sheet, LibraryScreen)
        sheet.action_leave_with("open")
        sheet.action_leave_with("open")
        await pilot.pause()
        assert isinstance(host.result, PlaceChoice)


async def test_filters_for_a_batch(library: Library) -> None:
    save(library, "fine", DebateResult(answer="1", decided_by="discriminative"))
    save(library, "open", DebateResult(answer=None, decided_by="undecided"))
    save(
        library,
        "odd",
        Verdict(role="judge", round=1, mode="discriminative", read="unread"),
    )
    save(library, "bad", Failure(role="judge", kind="auth", message="no"))
    (library.paths.sessions / "broken.yaml").write_text("- a list\n")
    async with shown(LibraryScreen(library, library.paths.sessions)) as (host, pilot):
        assert "undecided" in next(row for row in picture(host) if " open " in row)
        found = {}
        for key in "12345":
            await pilot.press(key)
            found[key] = set(titles(host))
        assert found == {
            "1": {"fine", "open", "odd", "bad", "broken"},
            "2": {"bad", "broken"},
            "3": {"open"},
            "4": {"odd"},
            "5": {"odd"},
        }


async def test_rename_duplicate_and_bin(library: Library) -> None:
    path = save(library, "old name")
    async with shown(LibraryScreen(library)) as (host, pilot):
        await pilot.press("e")
        assert isinstance(host.screen, LinePrompt)
        host.screen.query_one(Input).value = "新名字"
        await pilot.press("enter")
        await settle(host, pilot)
        assert titles(host) == ["新名字"]
        await pilot.press("y")
        await settle(host, pilot)
        assert titles(host) == ["新名字", "新名字"]
        assert "- 新名字" in text_of(host)
        await pilot.press("D", "escape")
        assert path.exists()
        await pilot.press("D", "y")
        await settle(host, pilot)
        assert len(titles(host)) == 1
        assert len(library.bin()) == 1


async def test_where_there_is_little_room_what_is_cut_is_marked(
    library: Library,
) -> None:
    save(library, "A title that goes on and on " * 5)
    async with shown(LibraryScreen(library), (60, 20)) as (host, _):
        filters, detail = (
            host.screen.query_one(f"#{name}") for name in ("filters", "detail")
        )
        assert filters.render_line(0).text.startswith(
            "1 [all 1] 2 failed 0 3 undecided 0 4 unreadable repli"
        )
        assert filters.render_line(0).text.rstrip().endswith("…")
        assert detail.render_line(0).text.rstrip().endswith("..")
        assert detail.render_line(1).text.startswith("debate")


async def test_a_copy_is_stood_on_and_said(library: Library, tmp_path: Path) -> None:
    save(library, "other")
    path = save(library, "mine")
    async with shown(LibraryScreen(library)) as (host, pilot):
        await pilot.press("y")
        await settle(host, pilot)
        current = host.screen._current()  # type: ignore[attr-defined]
        assert (current.title, current.parent is not None, current.path != path) == (
            "mine",
            True,
            True,
        )
        assert "Copied. The copy is selected, below its" in text_of(host)
        await pilot.press("k")
        assert "Copied. The copy is selected, below its" not in text_of(host)
    path.rename(tmp_path / "q1.yaml")
    async with shown(LibraryScreen(library, tmp_path)) as (host, pilot):
        await pilot.press("y")
        await settle(host, pilot)
        assert "Copied to the library. Press o to open it." in text_of(host)


async def test_a_rename_starts_from_the_whole_title(library: Library) -> None:
    topic = "How fast does " + "she go, " * 20
    save(library, topic[:79] + "…", topic=topic)
    async with shown(LibraryScreen(library)) as (host, pilot):
        await pilot.press("e")
        assert host.screen.query_one(Input).value == topic.strip()


async def test_titles_that_begin_alike_are_told_apart(library: Library) -> None:
    begin = "What the witnesses of the accident at the harbour "
    for end in ("saw", "heard", "said in the end"):
        save(library, begin + end)
    async with shown(LibraryScreen(library), (80, 24)) as (host, _):
        rows = [line for line in picture(host) if "What the" in line]
        assert all(
            any(end in row for row in rows) for end in ("saw", "heard", "said in")
        )


async def test_what_a_fork_changed_its_rounds_disagreement_side_and_cost(
    library: Library,
) -> None:
    origin = save(
        library,
        "origin",
        Speech(role="affirmative", round=1, cost=0.25),
        Speech(role="negative", round=1, cost=0.25),
    )
    with (
        Journal.open(origin) as journal,
        journal.fork(library.new_path("fork"), 1, "edit") as fork,
    ):
        fork.append(Speech(role="negative", round=1, cost=0.0))
        fork.append(Change(field="settings.level", old=2, new=3))
        measured = Disagreement(mode="answer", per_round=[0.5], mean=0.5)
        ended = {"supported_side": "negative", "rounds": 1, "disagreement": measured}
        fork.append(DebateResult(answer="7", decided_by="discriminative", **ended))  # type: ignore[arg-type]
    async with shown(LibraryScreen(library), (300, 36)) as (host, _):
        at = next(
            number for number, line in enumerate(picture(host)) if "disagr." in line
        )
        head, _, row = picture(host)[at : at + 3]
        for name, value in (
            ("change", "at 1 · edited"),
            ("rounds", "1"),
            ("disagr.", "0.50"),
            ("side", "negative"),
            ("cost", "$0.25"),
        ):
            at = head.index(name)
            assert row[at : at + len(value)] == value, name
    async with shown(LibraryScreen(library), (80, 24)) as (host, pilot):
        assert "at 1 · edited" in text_of(host)
        await pilot.press("j")
        assert "disagreement 0.50" in text_of(host)


async def test_what_matches_whole_words_stands_first(library: Library) -> None:
    for title in ("uphill", "hill", "hillside"):
        save(library, title)
    async with shown(LibraryScreen(library)) as (host, pilot):
        await pilot.press("slash", *"hill")
        assert titles(host) == ["hill", "hillside", "uphill"]


async def test_the_cursor_stays_where_it_was_after_the_bin(library: Library) -> None:
    for title in ("a", "b", "c"):
        save(library, title)
    async with shown(LibraryScreen(library)) as (host, pilot):
        below = titles(host)[2]
        await pilot.press("j", "D")
        assert isinstance(host.screen, ConfirmScreen)
        await pilot.press("y")
        await settle(host, pilot)
        assert titles(host)[host.screen.query_one(LongList).cursor] == below


async def test_the_bin_restores_and_is_emptied_only_after_a_question(
    library: Library,
) -> None:
    path = save(library, "put away")
    save(library, "stays")
    library.delete(path)
    async with shown(LibraryScreen(library)) as (host, pilot):
        await pilot.press("X", "6")
        await settle(host, pilot)
        assert titles(host) == ["put away"]
        for key in ("r", "e", "d", "s", "D"):
            await pilot.press(key)
            assert isinstance(host.screen, LibraryScreen)
        await pilot.press("enter")
        await settle(host, pilot)
        assert path.exists()
        assert "The bin is empty" in text_of(host)
        await pilot.press("escape")
        await settle(host, pilot)
        assert sorted(titles(host)) == ["put away", "stays"]
        await pilot.press("D", "y", "6")
        await settle(host, pilot)
        await pilot.press("X", "n")
        assert len(library.bin()) == 1
        await pilot.press("X", "y")
        await settle(host, pilot)
        assert library.bin() == []


async def test_a_fork_is_compared_with_its_origin_and_any_two_by_a_mark(
    library: Library,
) -> None:
    origin = save(library, "origin", Speech(role="affirmative", round=1))
    fork = library.duplicate(origin)
    other = save(library, "other")
    for keys, expected in (
        (["d"], (origin, fork)),
        (["i", "j", "d"], None),
    ):
        async with shown(LibraryScreen(library)) as (host, pilot):
            rows = host.screen.query_one(LongList)
            paths_shown = [entry.path for entry in host.screen._found]  # type: ignore[attr-defined]
            rows.action_go(paths_shown.index(fork if expected else other))
            await pilot.press(*keys)
            assert host.result.action == "compare"
            pair = (host.result.path, host.result.other)
            assert pair == expected if expected else other in pair


async def test_comparing_without_a_second_says_how(library: Library) -> None:
    save(library, "alone")
    async with shown(LibraryScreen(library)) as (host, pilot):
        await pilot.press("d")
        assert host.result is NOT_YET
        assert "Mark the other session" in text_of(host)


async def test_a_broken_file_says_why_and_can_only_go_to_the_bin(
    library: Library,
) -> None:
    save(library, "x")
    path = library.paths.sessions / "broken.yaml"
    path.write_text("- a list\n")
    async with shown(LibraryScreen(library)) as (host, pilot):
        await pilot.press("2")
        for key in ("enter", "r", "e", "y", "s", "d", "space"):
            await pilot.press(key)
            assert host.result is NOT_YET
            assert isinstance(host.screen, LibraryScreen)
        await pilot.press("D", "y")
        await settle(host, pilot)
        assert not path.exists()


async def test_what_fails_is_said(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(library, "x")
    async with shown(LibraryScreen(library)) as (host, pilot):
        with Journal.open(path):
            await pilot.press("D", "y")
            await settle(host, pilot)
            assert path.exists()
            assert "open" in str(host.screen.query_one("#detail").render())


async def test_an_empty_library_says_so(library: Library) -> None:
    async with shown(LibraryScreen(library)) as (host, pilot):
        assert "No saved sessions yet. Every debate is saved" in text_of(host)
        await pilot.press("enter", "r", "e", "D", "y", "d", "i", "j", "escape")
        assert host.result is None


async def test_hostile_titles_are_shown_as_text(library: Library) -> None:
    save(library, HOSTILE, DebateResult(answer=HOSTILE, decided_by="extractive"))
    async with shown(LibraryScreen(library), (120, 36)) as (host, pilot):
        assert "[/x] [a=b]y" in text_of(host)
        assert not set("\x1b\x07\x9b\u202e") & set(text_of(host))
        await pilot.press("D")
        assert "[/x] [a=b]y" in text_of(host)


async def test_a_thousand_sessions_stay_quick(library: Library) -> None:
    first = save(
        library, "session 0", Speech(role="affirmative", round=1, text="x" * 500)
    )
    body = first.read_text()
    identity = Journal.open(first, write=False).session.header.id
    for number in range(1, 1000):
        first.with_name(f"{number}.yaml").write_text(
            body.replace(identity, f"{identity}{number}").replace(
                "session 0", f"session {number} 会话"
            )
        )
    async with shown(LibraryScreen(library), (120, 36)) as (host, pilot):
        assert len(titles(host)) == 1000
        spent = []
        for key in (
            "slash",
            *"session",
            *"99",
            "escape",
            *"jjjjjj",
            "G",
            "g",
            "2",
            "1",
        ):
            begin = time.perf_counter()
            await pilot.press(key)
            spent.append(time.perf_counter() - begin)
        spent.sort()
        assert spent[len(spent) // 2] < 0.25, spent


async def test_a_batch_stands_in_the_order_of_its_ids(
    library: Library, tmp_path: Path
) -> None:
    for name in ("q10", "q2", "q1"):
        save(library, "the same topic").rename(tmp_path / f"{name}.yaml")
    async with shown(LibraryScreen(library, tmp_path)) as (host, pilot):
        await settle(host, pilot)
        assert [entry.path.stem for entry in host.screen._found] == ["q1", "q2", "q10"]  # type: ignore[attr-defined]
        assert "q1: the same topic" in text_of(host)


async def test_the_kind_of_a_session_is_told_in_the_language_of_the_interface(
    library: Library,
) -> None:
    from verifytui.texts import set_language

    save(library, "one", DebateResult(answer="42", decided_by="extractive"))
    set_language("zh")
    try:
        async with shown(LibraryScreen(library)) as (host, _):
            assert "debate" not in text_of(host).replace(
                str(library.paths.sessions), ""
            )
            assert sum("\u8fa9\u8bba" in line for line in picture(host)) == 2
    finally:
        set_language("en")


def batch(folder: Path, done: int = 2, failed: int = 0) -> Path:
    folder.mkdir(parents=True)
    (folder / "batch.json").write_text("{}")
    rows = [{"status": "done"}] * done + [{"status": "failed"}] * failed
    (folder / "summary.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows)
    )
    return folder


async def test_two_batches_are_marked_and_compared_in_the_order_of_marking(
    library: Library, tmp_path: Path
) -> None:
    save(library, "a session")
    runs = [
        batch(tmp_path / "runs" / name, failed=number)
        for number, name in enumerate(("one", "two", "three"))
    ]
    async with shown(LibraryScreen(library, tmp_path / "runs")) as (host, pilot):
        assert "2 of 3 done" in text_of(host)
        rows, order = host.screen.query_one(LongList), titles(host)
        for name in ("three", "one", "two"):
            rows.action_go(order.index(name))
            await pilot.press("i")
        assert "1 one" in text_of(host)
        assert "2 two" in text_of(host)
        await pilot.press("d")
        assert host.result == PlaceChoice("compare", runs[0], runs[1])


async def test_what_cannot_be_done_with_a_batch_is_said(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(library, "a session")
    folder = batch(tmp_path / "here" / "out")
    monkeypatch.chdir(tmp_path / "here")
    async with shown(LibraryScreen(library)) as (host, pilot):
        assert titles(host) == ["out", "a session"]
        for key, said in (
            ("r", "folder of sessions"),
            ("D", "folder of sessions"),
            ("d", "Mark the other batch"),
        ):
            await pilot.press(key)
            assert said in text_of(host)
        await pilot.press("i", "j", "d")
        assert "Mark two of a kind" in text_of(host)
        await pilot.press("k", "enter")
        assert host.result == PlaceChoice("open", folder)


async def test_what_is_said_in_sessions_is_found_after_titles(
    library: Library,
) -> None:
    for title, said in (
        ("Of bears", "A bear plays the xylophone."),
        ("A xylophone", "Wood."),
        ("Nothing", "Nothing."),
    ):
        save(library, title, Speech(role="judge", round=1, model="m", text=said))
    async with shown(LibraryScreen(library)) as (host, pilot):
        await settle(host, pilot)
        await pilot.press("slash", *"xylo")
        await settle(host, pilot)
        assert titles(host) == ["A xylophone", "Of bears"]
        await pilot.press("space", *"wood")
        await settle(host, pilot)
        assert titles(host) == ["A xylophone"]
        await pilot.press("escape")
        assert len(titles(host)) == 3
