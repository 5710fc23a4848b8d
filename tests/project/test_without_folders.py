"""`scale/` and `learning/` are reached by entry points only: without one of them, the
rest works.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
QUICK = (
    "tests/cli/test_batch.py",
    "tests/cli/test_help.py",
    "tests/engines/batches/test_run.py",
    "tests/engines/rag/test_negative.py",
    "tests/engines/retrieval/test_corpus.py",
    "tests/engines/retrieval/test_opening.py",
    "tests/engines/studies/test_manifest.py",
    "tests/engines/test_api.py",
)
"""Tests of the core beside everything that reaches the folders."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package without compiled files, as `verifytui` in a folder of its own."""
    made = tmp_path / "verifytui"
    left = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "docs")
    shutil.copytree(ROOT, made, ignore=left)
    return made


def ran(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(copy.parent)}
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=copy,
        env=env,
        capture_output=True,
        text=True,
        timeout=500,
    )


@pytest.mark.parametrize(
    ("folder", "gone", "stays"),
    [("scale", "merge", "synth"), ("learning", "synth", "merge")],
)
def test_commands_and_options_go_with_their_folder(
    copy: Path, home: Path, folder: str, gone: str, stays: str
) -> None:
    shutil.rmtree(copy / folder)
    shown = ran(copy, "verifytui", "--help").stdout
    assert f"\n  {gone} " not in shown
    assert f"\n  {stays} " in shown
    options = ran(copy, "verifytui", "debate", "--help").stdout
    assert ("--shard" in options) == (folder != "scale")
    refused = ran(copy, "verifytui", gone, "x")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("folder", ["scale", "learning"])
def test_the_rest_passes_its_tests_without_a_folder(copy: Path, folder: str) -> None:
    shutil.rmtree(copy / folder)
    shutil.rmtree(copy / "tests" / folder)
    done = ran(copy, "pytest", "-q", "-n0", "-p", "no:cacheprovider", "-x", *QUICK)
    assert done.returncode == 0, done.stdout[-3000:]
