"""Types that values are read as: two threads may be the first at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import msgspec
from verifytui.sessions.msgspec_types import known

_begun, _over = threading.Event(), threading.Event()


def whole() -> type[int]:
    """Is asked for while the type below is taken in: by now another thread would find
    half of it.
    """
    _begun.set()
    _over.wait(0.2)
    return int


class Inner(msgspec.Struct):
    count: whole()  # type: ignore[valid-type]


class Outer(msgspec.Struct):
    inner: Inner


def test_a_type_is_taken_in_by_one_thread() -> None:
    def second() -> Outer:
        _begun.wait()
        found = msgspec.convert({"inner": {"count": 2}}, known(Outer))
        _over.set()
        return found

    with ThreadPoolExecutor(2) as threads:
        later = threads.submit(second)
        assert msgspec.convert({"inner": {"count": 1}}, known(Outer)) == Outer(Inner(1))
        assert later.result() == Outer(Inner(2))
