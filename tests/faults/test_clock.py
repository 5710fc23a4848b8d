"""The clock of the machine jumps by an hour or a day while something runs: nothing is
lost, and nothing waits for it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
import verifytui.sessions.library
import verifytui.sessions.new
from verifytui.engines.batches.folder import locked
from verifytui.engines.batches.registry import enlist, records
from verifytui.engines.batches.run_journal import (
    LineNow,
    RunEnded,
    RunJournal,
    RunStart,
)
from verifytui.engines.batches.runs import RunNow
from verifytui.engines.models.faults import retry_after
from verifytui.sessions.errors import BadInput
from verifytui.sessions.journal import Journal
from verifytui.sessions.paths import paths
from verifytui.tests.support.loopback import Answer, Body, Loopback

REAL = time.time
JUMPS = pytest.mark.parametrize("jump", [-3600, 86_400], ids=["back", "forward"])


class Wall:
    """The time of day, which a test sets; seconds that pass count on another clock."""

    def __init__(self) -> None:
        self.ahead = self.passed = 0.0

    def time(self) -> float:
        return REAL() + self.ahead + self.passed


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    """Whatever asks what time it is gets that of a clock which can be set."""
    clock = Wall()

    class Moment(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + timedelta(seconds=clock.ahead + clock.passed)

    monkeypatch.setattr(time, "time", clock.time)
    monkeypatch.setattr(time, "time_ns", lambda: round(clock.time() * 1e9))
    monkeypatch.setattr(verifytui.sessions.new, "datetime", Moment)
    monkeypatch.setattr(verifytui.sessions.library, "datetime", Moment)
    return clock


@JUMPS
def test_speed_and_time_left_do_not_follow_the_clock(
    jump: float, wall: Wall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 5000 + wall.passed)
    (tmp_path / "batch.json").write_text("{}")
    with locked(tmp_path, "batch.json"):
        book = RunJournal(tmp_path)
        names = [f"q{n}" for n in range(10)]
        began = RunStart(method="solo", kind="topics", lines=10, concurrency=1)
        book.write(began, *(LineNow(id=name, status="waiting") for name in names))
        for n, name in enumerate(names[:4]):
            wall.passed += 30
            wall.ahead += jump if n == 1 else 0
            book.write(LineNow(id=name, status="done"))
        now = RunNow(tmp_path).look()
        found = now.as_json(wall.time())
        assert (found["done"], found["left"]) == (4, 6)
        assert found["per_minute"] == 2
        assert found["seconds_left"] == 180
        assert found["seconds"] == pytest.approx(120, abs=1)
        book.write(RunEnded(status="stopped"))
        book.close()
    assert RunNow(tmp_path).look().as_json(wall.time())["seconds"] == 120


@JUMPS
def test_a_batch_goes_through_and_is_listed_and_locked(
    jump: float,
    wall: Wall,
    home: Path,
    loopback: Loopback,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from verifytui.cli.app import main

    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    topics, into = tmp_path / "topics.jsonl", tmp_path / "out"
    lines = [json.dumps({"id": f"t{n}", "topic": f"Why {n}?"}) for n in range(4)]
    topics.write_text("\n".join(lines) + "\n")
    refused: list[str] = []

    def answer(body: Body) -> Answer:
        if len(loopback.requests) == 2:
            wall.ahead += jump
            try:
                with locked(into, "batch.json"):
                    pass
            except BadInput as busy:
                refused.append(str(busy))
        return Answer(text="42")

    loopback.answer = answer
    words = ["solo", "--topics", str(topics), "--into", str(into)]
    words += ["--model", "openai/lb", "--concurrency", "1"]
    assert main(words) == 0
    assert ["Another run is using" in one for one in refused] == [True]
    assert len(loopback.requests) == 4
    for name in ("t0", "t1", "t2", "t3"):
        with Journal.open(into / f"{name}.yaml", write=False) as journal:
            assert [event.number for event in journal.session.events] == [1, 2]
    assert main(words) == 0
    assert len(loopback.requests) == 4, "nothing is asked twice"
    listed = [one.path for one in records(paths())]
    assert listed == [into]
    other = tmp_path / "other"
    other.mkdir()
    enlist(other, paths())
    assert {one.path for one in records(paths())} == {into, other}


@JUMPS
@pytest.mark.scale
def test_a_wave_is_waited_for_by_a_clock_that_nobody_sets(
    jump: float,
    wall: Wall,
    home: Path,
    loopback: Loopback,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from verifytui.cli.app import main
    from verifytui.scale.waves import litellm_batches, waves

    real = litellm_batches.look

    async def look(*given: Any) -> Any:
        wall.ahead += jump
        return await real(*given)

    monkeypatch.setattr(litellm_batches, "look", look)
    monkeypatch.setattr(waves, "FIRST_PAUSE", 0.01)
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    topics, into = tmp_path / "topics.jsonl", tmp_path / "out"
    topics.write_text('{"id": "a", "topic": "Why a?"}\n{"id": "b", "topic": "Why?"}\n')

    loopback.answer, loopback.batches.looks = Answer(text="42"), 3
    words = ["solo", "--topics", str(topics), "--into", str(into)]
    words += ["--model", "openai/lb", "--batch-api"]
    before = time.monotonic()
    assert main(words) == 0
    assert time.monotonic() - before < 60
    assert len(loopback.batches.bought) == 2


def test_a_date_to_wait_for_is_taken_by_the_clock_of_the_server() -> None:
    """Ours may be an hour behind: the wait would look too long to be worth it."""
    server = REAL() + 3600

    class Refused(Exception):
        litellm_response_headers = {
            "date": formatdate(server, usegmt=True),
            "retry-after": formatdate(server + 7, usegmt=True),
        }

    assert retry_after(Refused()) == 7


def test_summer_time_ends_and_the_order_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """01:30 comes twice on that night; what is kept is UTC."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        moments = [datetime.fromtimestamp(1_792_888_200 + 1800 * n) for n in range(4)]
        assert str(moments[0])[:16] == str(moments[2])[:16]
        stamp: Callable[[datetime], str] = verifytui.sessions.new.timestamp
        written = [stamp(one) for one in moments]
        assert written == sorted(written)
        assert len(set(written)) == 4
    finally:
        monkeypatch.undo()
        time.tzset()
