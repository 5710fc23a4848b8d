"""kill -9 at random moments, over single sessions and batches of every method: what was
finished is there, once, and every file loads.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from verifytui.sessions.events import Failure
from verifytui.tests.support.beginning import LINES, commands, read, said
from verifytui.tests.support.fork_server import ForkServer
from verifytui.tests.support.worlds import told

pytestmark = pytest.mark.slow

KINDS = [
    (workspace, batch)
    for workspace in ("debate", "rag", "relevance")
    for batch in (False, True)
]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "kills" in metafunc.fixturenames:
        count = metafunc.config.getoption("kills")
        share = [
            count // len(KINDS) + (n < count % len(KINDS)) for n in range(len(KINDS))
        ]
        wanted = [(*kind, kills) for kind, kills in zip(KINDS, share, strict=True)]
        names = [
            f"{workspace}-{'batch' if batch else 'single'}"
            for workspace, batch in KINDS
        ]
        metafunc.parametrize(("workspace", "batch", "kills"), wanted, ids=names)


@pytest.mark.timeout(1200)  # with --kills 200 on a busy machine
def test_killed_at_random_moments(
    forks: ForkServer,
    env: dict[str, str],
    tmp_path: Path,
    workspace: str,
    batch: bool,
    kills: int,
) -> None:
    if not kills:
        pytest.skip("--kills gives this kind none")
    rng = random.Random(f"{workspace} {batch}")
    printed = tmp_path / "printed"
    smooth = tmp_path / "smooth"
    smooth.mkdir()
    began = time.monotonic()
    pid = forks.start(
        commands(workspace, batch, smooth, tmp_path)[0],
        env,
        printed,
        tmp_path / "smooth.log",
    )
    assert forks.wait(pid) == 0, said(printed)
    lasted = time.monotonic() - began
    events = len(noted(tmp_path / "smooth.log"))
    expected = {path.name: told(read(path)) for path in smooth.glob("*.yaml")}
    assert len(expected) == (LINES if batch else 1)

    done = turn = 0
    while done < kills:
        turn += 1
        into, log = tmp_path / f"into{turn}", tmp_path / f"{turn}.log"
        into.mkdir()
        begin, go_on = commands(workspace, batch, into, tmp_path)
        while True:
            for path in into.glob("*.yaml"):
                if not batch and not path.stat().st_size:
                    # killed between the file and its header, of which the user is told
                    # that it is empty
                    path.unlink()
            fresh = not any(into.glob("*.yaml"))
            pid = forks.start(begin if fresh else go_on, env, printed, log)
            if done < kills:
                at_a_moment(rng, lasted, len(noted(log)), events, log)
                os.kill(pid, signal.SIGKILL)
            code = forks.wait(pid)
            check(into, log)
            if code == 0:
                break
            assert code == -signal.SIGKILL, said(printed)
            done += 1
        assert {path.name: told(read(path)) for path in into.glob("*.yaml")} == expected


def at_a_moment(
    rng: random.Random, lasted: float, before: int, events: int, log: Path
) -> None:
    """Waits for any moment of the run, or until so many more events are kept and a
    little longer; not beyond the end.
    """
    until = time.monotonic() + lasted
    if rng.random() < 0.5:
        return time.sleep(rng.uniform(0, lasted))
    wanted = before + rng.randint(1, max(events // 3, 1))
    while len(noted(log)) < wanted and time.monotonic() < until:
        time.sleep(0.0005)
    time.sleep(rng.uniform(0, 0.003))


def noted(log: Path) -> list[list[Any]]:
    """The events that were kept, as the killed ones noted them: file, number, time."""
    if log.exists():
        return [json.loads(line) for line in log.read_text().splitlines()]
    return []


def check(into: Path, log: Path) -> None:
    """Every file that was begun loads, numbered without a gap, and holds each event
    that was kept, where it was kept.
    """
    found = {
        path.name: read(path) for path in into.glob("*.yaml") if path.stat().st_size
    }
    for events in found.values():
        assert [event.number for event in events] == list(range(1, len(events) + 1))
        assert not any(isinstance(event, Failure) for event in events)
    kept = noted(log)
    assert len({(name, number) for name, number, _ in kept}) == len(kept), (
        "an event was made twice"
    )
    for name, number, when in kept:
        assert found[name][number - 1].time == when
