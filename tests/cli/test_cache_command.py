"""`cache`: what is held, and forgetting it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from verifytui.engines.models.cache import Cache
from verifytui.engines.models.port import ModelReply
from verifytui.tests.support.commanding import command


@pytest.fixture
def cache(home: Path) -> Cache:
    return Cache(home / "cache" / "replies")


def test_nothing_is_made_by_asking(home: Path, cache: Cache) -> None:
    done = command("cache", "--output", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == {
        "replies": 0,
        "bytes": 0,
        "path": str(cache.path),
    }
    assert command("cache", "clear").stdout == "0 replies deleted\n"
    assert not cache.path.exists()


def test_size_and_clearing(cache: Cache) -> None:
    for number in range(3):
        cache.put(bytes([number]), ModelReply(text="x", model="m"))
    cache.close()
    assert command("cache").stdout.startswith("3 replies, 0.0 MB, ")
    assert command("cache", "clear").stdout == "3 replies deleted\n"
    assert json.loads(command("cache", "--output", "json").stdout)["replies"] == 0


def test_a_damaged_file(cache: Cache) -> None:
    cache.path.parent.mkdir(parents=True)
    cache.path.write_bytes(b"damaged" * 1000)
    done = command("cache")
    assert done.returncode == 0
    assert "was damaged; it is now" in done.stderr
    assert command("cache", "clear").returncode == 0
    assert not list(cache.path.parent.glob("*damaged*"))
