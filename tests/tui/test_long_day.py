"""The benchmark of a long day, shortened: nothing of the sessions that are closed
gathers, nothing is left behind, leaving is quick.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "long_day.py"


def test_a_short_day() -> None:
    day = subprocess.run(
        [sys.executable, str(BENCHMARK), "--steps", "30", "--each", "3"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert day.returncode == 0, day.stdout + day.stderr
    assert "10 sessions begun" in day.stdout
    assert "left behind: threads [], tasks []" in day.stdout
    assert day.stderr == ""
