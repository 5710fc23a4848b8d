"""Where a session comes from: the line under the title, and the key that leads back."""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.engines.models.config import Config
from verifytui.sessions.events import Change
from verifytui.sessions.events.debate import Speech
from verifytui.sessions.journal import Journal
from verifytui.tests.support.piloting import (
    everything,
    header,
    press,
    recorded,
    said,
    tui,
    wait,
)
from verifytui.texts import speaking
from verifytui.tui import lineage
from verifytui.tui.app import VerifyTui

pytestmark = pytest.mark.slow


def forked(why: str, number: int = 2) -> Journal:
    made = header("How fast?")
    with Journal.create(None, made) as journal:
        for role in ("affirmative", "negative"):
            journal.append(
                Speech(role=role, round=1, text="Four.", answer="4", model="script")
            )
        return journal.fork(None, number, why)


@pytest.mark.parametrize(
    ("why", "en", "zh"),
    [
        (
            "fork",
            'fork of "How fast?" at 2 · level 3',
            "“How fast?”第 2 个事件处的分支 · ",
        ),
        (
            "edit",
            'fork of "How fast?" at 2 · edited J',
            "“How fast?”第 2 个事件处的分支 · 编辑 J",
        ),
        (
            "retry",
            'fork of "How fast?" at 2 · retried J',
            "“How fast?”第 2 个事件处的分支 · 重做 J",
        ),
        ("swap", 'twin of "How fast?"', "“How fast?”的对换"),
        (
            "handover",
            'handed over from "How fast?" at 2',
            "由“How fast?”第 2 个事件处转来",
        ),
        ("new-way", 'fork of "How fast?" at 2', "“How fast?”第 2 个事件处的分支"),
    ],
)
def test_where_a_session_comes_from(why: str, en: str, zh: str) -> None:
    fork = forked(why)
    if why == "fork":
        fork.append(Change(field="settings.level", old=2, new=3))
    elif why in ("edit", "retry"):
        fork.append(Speech(role="judge", round=1, model="script"))
    if why == "handover":
        fork.session.header.title = "A topic of its own"
    assert lineage.line(fork.session, 100, "How fast?").startswith(en)
    with speaking("zh"):
        assert lineage.line(fork.session, 100, "How fast?").startswith(zh)


def test_a_long_title_is_cut_for_the_sake_of_what_was_done() -> None:
    fork = forked("edit")
    fork.session.header.title = "How fast does she go? " * 10
    fork.append(Speech(role="judge", round=1, model="script"))
    line = lineage.line(fork.session, 60)
    assert len(line) <= 60
    assert line.endswith('.." at 2 · edited J')


async def test_the_line_under_the_title_and_the_way_back(home: Path) -> None:
    async with VerifyTui(Config()).run_test(
        size=(100, 30), notifications=True
    ) as pilot:
        await wait(pilot, lambda: tui(pilot).workspace.play is not None)
        await press(pilot, "P")
        assert "not a fork" in said(pilot)
        assert "parent" not in everything(pilot.app).splitlines()[1]
        await press(pilot, "space", "space", "space", "left", "f")
        play = tui(pilot).workspace.play
        assert play is not None
        assert play.session.header.parent is not None
        first, fork = play.session.header.parent.id, play.session.header.id
        assert everything(pilot.app).splitlines()[1].startswith(" fork of ")
        assert "at 2  P: parent" in everything(pilot.app).splitlines()[1]
        await press(pilot, "P")
        play = tui(pilot).workspace.play
        assert play is not None
        assert (play.session.header.id, play.cursor, len(play.session.events)) == (
            first,
            2,
            3,
        )
        assert "fork of" not in everything(pilot.app).splitlines()[1]
        library = tui(pilot).library
        path = library.path_of(fork)
        assert path is not None
        await tui(pilot).opening.open_path(path)
        gone = library.path_of(first)
        assert gone is not None
        library.delete(gone)
        await press(pilot, "P")
        assert "not in the library" in said(pilot)


async def test_an_event_that_is_gone_is_not_looked_for(
    home: Path, tmp_path: Path
) -> None:
    """A parent that was cut short since has fewer events than the fork says."""
    play = recorded(
        header(),
        [Speech(role="affirmative", round=1, text="Four.", answer="4", model="script")],
        tmp_path / "a.yaml",
    )
    play.close()
    async with VerifyTui(Config()).run_test(size=(100, 30)) as pilot:
        await wait(pilot, lambda: tui(pilot).workspace.play is not None)
        await tui(pilot).opening.open_path(tmp_path / "a.yaml", at=9)
        opened = tui(pilot).workspace.play
        assert opened is not None
        assert opened.cursor == 1
