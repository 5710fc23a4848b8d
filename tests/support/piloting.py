"""The app with a pilot at the keys, and debates fixed to the last figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from verifytui.engines.debate.method import new_debate
from verifytui.engines.debate.script import example_topics
from verifytui.prompts import load
from verifytui.sessions.events import Event
from verifytui.sessions.events.labels import Label
from verifytui.sessions.journal import Journal
from verifytui.sessions.label_files import Documents, label_files
from verifytui.sessions.session import Header, Seat
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play
from verifytui.tui.widgets.event_view import EventView


async def wait(pilot: Pilot[None], holds: object, seconds: float = 15.0) -> None:
    """Until something holds; fails if it never does."""
    for _ in range(int(seconds / 0.02)):
        await pilot.pause()
        if holds():  # type: ignore[operator]
            return
        await pilot.pause(0.02)
    raise AssertionError("waited in vain")


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Keys, each with all that follows from it."""
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
        await wait(pilot, lambda: not tui(pilot).workspace.running)
        await pilot.pause()


def tui(pilot: Pilot[None]) -> VerifyTui:
    assert isinstance(pilot.app, VerifyTui)
    return pilot.app


def labels_given(pilot: Pilot[None]) -> list[Label]:
    """All that people have said of the open session, in files of labels beside it."""
    play = tui(pilot).workspace.play
    path = play.journal.path if play is not None else None
    given: list[Label] = []
    for file in label_files(path) if path is not None else ():
        read = Documents(file)
        read.take(file.read_bytes())
        given += [event for event in read.events if isinstance(event, Label)]
    return given


def events(pilot: Pilot[None]) -> list[object]:
    play = tui(pilot).workspace.play
    assert play is not None
    return list(play.session.events)


def seat(pilot: Pilot[None], role: str) -> Seat:
    """Who sits on a role now."""
    play = tui(pilot).workspace.play
    assert play is not None
    return play.session.seat(role)


def shown(pilot: Pilot[None]) -> list[str]:
    """The kinds of the events on screen, in order."""
    numbers = [
        entry.block.number
        for entry in tui(pilot).screen_stack[0].query(EventView)
        if entry.display
    ]
    return [type(events(pilot)[number - 1]).__name__ for number in numbers]


def said(pilot: Pilot[None]) -> str:
    """All messages shown at the corner."""
    return " ".join(note.message for note in pilot.app._notifications)


def header(topic: str | None = None, **seats: str) -> Header:
    """The header of a debate, the same on every day and machine; the hill, by the
    script, where nothing else is said.
    """
    made = new_debate(
        topic=topic or example_topics()[0].topic,
        lineup={role: Seat(model=model) for role, model in seats.items()},
        settings={},
        prompts=load("en"),
    )
    made.id, made.created, made.versions = (
        "20260101T000000Z-000000",
        "2026-01-01T00:00:00.000Z",
        {"verifytui": "0"},
    )
    return made


def recorded(made: Header, happened: list[Event], path: Path | None = None) -> Play:
    """A debate in which this has happened, at its end; in memory without a path."""
    journal = Journal.create(path, made)
    for event in happened:
        journal.append(event)
    return Play(journal)


def everything(app: Any) -> str:
    """All text of the screen that is on top."""
    return "\n".join(
        "".join(segment.text for segment in strip)
        for strip in app.screen._compositor.render_strips()
    )
