"""What was measured of a run is kept beside its sessions, and never trusted too far."""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.engines.figures import measurement_store, runs
from verifytui.engines.figures.common import measures
from verifytui.engines.figures.compare import CompareOptions, compare
from verifytui.engines.figures.measurement_store import FILE
from verifytui.engines.figures.runs import read_run
from verifytui.tests.support.commanding import HILL
from verifytui.tests.support.solo_runs import solo_run

LINES = [
    {"id": "right", "topic": HILL, "answers": ["2 m/s"]},
    {"id": "wrong", "topic": HILL, "answers": ["7"]},
]


@pytest.fixture
async def two(home: Path, tmp_path: Path) -> tuple[Path, Path]:
    first = await solo_run(tmp_path / "first", LINES)
    return first, await solo_run(tmp_path / "second", LINES)


def compared(two: tuple[Path, Path], *, recheck: bool = False) -> list[float | None]:
    """The values of all measures of both runs."""
    found = compare(
        [read_run(path, recheck=recheck) for path in two], measures(), CompareOptions()
    )
    return [figure.value for _, one in found.differences for figure in (one.a, one.b)]


async def test_a_second_comparison_opens_no_session(
    two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = compared(two)
    assert all((path / FILE).is_file() for path in two)

    def opened(*_: object) -> None:
        raise AssertionError("a session was opened")

    monkeypatch.setattr(runs, "_session", opened)
    assert compared(two) == before


async def test_a_session_that_changed_is_measured_again(
    two: tuple[Path, Path],
) -> None:
    before = compared(two)
    path = two[1] / "wrong.yaml"
    path.write_text(path.read_text("utf-8").replace('"7"', '"2 m/s"'), "utf-8")
    (two[0] / "wrong.yaml").write_text(path.read_text("utf-8"), "utf-8")
    assert compared(two) != before


@pytest.mark.parametrize("damage", [b"", b"nothing of ours", b"\x81\xa6format\xa1x"])
async def test_a_damaged_store_is_built_anew(
    two: tuple[Path, Path], damage: bytes
) -> None:
    before = compared(two)
    (two[0] / FILE).write_bytes(damage)
    assert compared(two) == before
    assert (two[0] / FILE).read_bytes() != damage


async def test_other_code_and_recheck_trust_nothing(
    two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = compared(two)
    opened: list[object] = []
    session = runs._session

    def counting(*given: object) -> object:
        opened.append(given)
        return session(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(runs, "_session", counting)
    assert compared(two, recheck=True) == before
    assert len(opened) == 4
    monkeypatch.setattr(measurement_store, "code_digest", lambda: 1)
    assert compared(two) == before
    assert len(opened) == 8
