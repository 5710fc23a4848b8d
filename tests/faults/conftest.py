"""Commands of every method, forked, with their models at the loopback server; a small
disk.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from verifytui.tests.support.fork_server import ForkServer
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.worlds import truth


def slowly(body: Body) -> Answer:
    true = truth(body)
    true.first_delay = 0.004
    return true


@pytest.fixture(scope="session")
def forks() -> Iterator[ForkServer]:
    server = ForkServer()
    yield server
    server.close()


@pytest.fixture
def env(loopback: Loopback, home: Path, tmp_path: Path) -> dict[str, str]:
    loopback.answer = slowly
    model = {
        "OPENAI_API_BASE": loopback.base_url,
        "OPENAI_API_KEY": "sk-loopback-0123456789",
    }
    return {
        **os.environ,
        **model,
        "HOME": str(tmp_path),
        "LANG": "en_US.UTF-8",
        "LC_ALL": "",
        "VERIFYTUI_RETRIES": "0",
    }


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(
            "a small file system cannot be mounted here: "
            + mounted.stderr.decode(errors="replace").strip()
        )
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
