"""Every operation on the disk fails once: nothing that was promised is lost, nothing is
doubled, and the day is finished afterwards.

The operations of an undisturbed day are counted first. Then the day is lived once for
each operation and each fault that it can meet, in a process of its own, which a fault
may kill; and once more without a fault.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import shutil
import sys
import traceback
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from verifytui.tests.support.beginning import fill
from verifytui.tests.support.disk_days import DAYS, SENTENCES, Day, Found, Stopped, Told
from verifytui.tests.support.faulty_disk import KILLED, FaultyDisk, faults_of

pytestmark = pytest.mark.slow

PAGE = 4096
"""What a small file takes of a file system in memory."""


class Point(NamedTuple):
    """One operation of a day, and what it meets."""

    number: int
    operation: str
    fault: str

    def __str__(self) -> str:
        return f"{self.fault} at operation {self.number}, {self.operation}"


class Heard(NamedTuple):
    """What a process has said."""

    code: int
    lines: list[list[str]]

    def of(self, kind: str) -> list[str]:
        return [key for said, key, _ in self.lines if said == kind]

    def values(self, kind: str) -> Found:
        return {key: value for said, key, value in self.lines if said == kind}


@pytest.fixture(autouse=True)
def _no_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No key and no home of the machine's. The cache does not wait for a lock that
    an unlocking which failed has left: nobody gives it up."""
    monkeypatch.setattr("verifytui.engines.models.cache.BUSY", 0.01)


@pytest.mark.timeout(3600)  # all points, on a busy machine
@pytest.mark.parametrize("name", DAYS)
def test_every_operation_fails_once(
    name: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    day, before = DAYS[name], tmp_path / "before"
    before.mkdir()
    day.prepare(before)
    operations, expected = undisturbed(day, before, tmp_path / "smooth")
    every = [
        Point(number, operation, fault)
        for number, operation in enumerate(operations, 1)
        for fault in faults_of(operation)
    ]
    points = share(every, -(-request.config.getoption("disk_points") // len(DAYS)))
    wrong = [
        f"{point}: {complaint}"
        for point in points
        for complaint in complaints(day, before, tmp_path / "rough", point, expected)
    ]
    record_property("points", f"{len(points)} of {len(every)}")
    assert not wrong, f"{len(wrong)} of {len(points)}:\n" + "\n".join(wrong[:20])


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", DAYS)
def test_a_disk_without_room(
    name: str,
    disk: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    """A file system that is really full: the day begins with room for no page, for one,
    and so on until there is room for more than it ever takes."""
    day, before = DAYS[name], tmp_path / "before"
    before.mkdir()
    day.prepare(before)
    shutil.copytree(before, disk / "room")
    start = used(disk)
    shutil.rmtree(disk / "room")
    _, expected = undisturbed(day, before, disk / "smooth")
    pages = list(range(2 * (used(disk) - start) // PAGE + 17))
    shutil.rmtree(disk / "smooth")
    rooms = share(pages, -(-request.config.getoption("disk_points") // 4 // len(DAYS)))
    wrong = []
    for room in rooms:
        shutil.copytree(before, disk / "full")
        filler = fill(disk, room * PAGE)
        disturbed = forked(disk / "full", lambda told: day.live(disk / "full", told))
        filler.unlink()
        found = said_wrongly(disturbed)
        found += afterwards(day, disk / "full", disturbed, expected)
        wrong += [f"room for {room} pages: {complaint}" for complaint in found]
        shutil.rmtree(disk / "full")
    record_property("points", f"{len(rooms)} of {len(pages)}")
    assert not wrong, f"{len(wrong)} of {len(rooms)}:\n" + "\n".join(wrong[:20])


def used(disk: Path) -> int:
    about = os.statvfs(disk)
    return (about.f_blocks - about.f_bfree) * about.f_frsize


def share(points: list[Any], count: int) -> list[Any]:
    """So many of the points, evenly; all of them where the count is 0."""
    if not 0 < count < len(points):
        return points
    return [points[at * len(points) // count] for at in range(count)]


def undisturbed(day: Day, before: Path, root: Path) -> tuple[list[str], Found]:
    """The operations of a day without a fault, and what is found after it.

    What the day imports is imported here, once, and not again in every forked process.
    """

    def live(told: Told) -> None:
        known = set(sys.modules)
        with FaultyDisk(root) as disk:
            day.live(root, told)
        for operation in disk.met:
            told.note("operation", operation)
        for key, value in day.found(root).items():
            told.note("found", key, value)
        for name in [name for name in sys.modules if name not in known]:
            told.note("imported", name)

    shutil.copytree(before, root)
    heard = forked(root, live)
    for name in heard.of("imported"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    assert heard.code == 0
    assert not heard.of("said")
    assert not heard.of("defect"), heard.of("defect")[0]
    return heard.of("operation"), heard.values("found")


def complaints(
    day: Day, before: Path, root: Path, point: Point, expected: Found
) -> list[str]:
    """What is wrong after a fault."""

    def rough(told: Told) -> None:
        with FaultyDisk(root, point.number, point.fault):
            day.live(root, told)

    shutil.copytree(before, root)
    disturbed = forked(root, rough)
    made = said_wrongly(disturbed) + afterwards(day, root, disturbed, expected)
    shutil.rmtree(root)
    return made


def said_wrongly(disturbed: Heard) -> list[str]:
    made = [f"a traceback: {text}" for text in disturbed.of("defect")]
    made += [f"no sentence: {text!r}" for text in disturbed.of("said") if odd(text)]
    if disturbed.code not in (0, KILLED):
        made.append(f"exit code {disturbed.code}")
    return made


def afterwards(day: Day, root: Path, disturbed: Heard, expected: Found) -> list[str]:
    """What is lost or doubled, and how the day cannot be finished without a fault."""

    def again(told: Told) -> None:
        for key, value in day.found(root).items():
            told.note("found", key, value)
        day.live(root, told)
        for key, value in day.found(root).items():
            told.note("result", key, value)

    after = forked(root, again)
    made = [f"afterwards: {text}" for text in after.of("defect") + after.of("said")]
    made += lost(disturbed, after.values("found"), expected)
    result = after.values("result")
    if not made and result != expected:
        made.append(f"another result: {differing(result, expected)}")
    return made


def odd(sentence: str) -> bool:
    return not sentence.strip() or "\n" in sentence or "Errno" in sentence


def lost(disturbed: Heard, found: Found, expected: Found) -> list[str]:
    """What was promised and is not there; what is there and nobody has begun."""
    allowed: dict[str, set[str]] = defaultdict(lambda: {""})
    for key, value in expected.items():
        allowed[key] |= {value}
    for kind, key, value in disturbed.lines:
        if kind == "kept":
            allowed[key] = {value}
        elif kind == "begun":
            allowed[key] |= {value}
    return [
        f"{key}: {found.get(key, '')!r} instead of one of {sorted(allowed[key])}"
        for key in sorted({*allowed, *found})
        if found.get(key, "") not in allowed[key]
    ]


def differing(result: Found, expected: Found) -> str:
    keys = [
        key
        for key in sorted({*result, *expected})
        if result.get(key) != expected.get(key)
    ]
    return "; ".join(f"{key}: {str(result.get(key))[:200]!r}" for key in keys[:3])


def forked(root: Path, work: Callable[[Told], None]) -> Heard:
    """Does the work in a process of its own; returns how it ended and what it said."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        code = 1
        try:
            os.close(reading)
            code = worked(root, Told(writing), work)
        finally:
            os._exit(code)  # also where nobody reads any more: never pytest once again
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        lines = [json.loads(line) for line in pipe]
    _, status = os.waitpid(process, 0)
    return Heard(os.waitstatus_to_exitcode(status), lines)


def worked(root: Path, told: Told, work: Callable[[Told], None]) -> int:
    os.environ["VERIFYTUI_HOME"] = str(root / "home")
    try:
        work(told)
    except Stopped:
        return 0
    except SENTENCES as error:
        told.note("said", str(error))
        return 0
    except BaseException:
        told.note("defect", traceback.format_exc())
        return 1
    return 0
