"""Types that values are read as, in threads too."""

from __future__ import annotations

import threading
from functools import cache
from typing import TypeVar

import msgspec

_T = TypeVar("_T")
_one_at_a_time = threading.Lock()


def known(kind: _T) -> _T:
    """The same type, once msgspec has taken it in as a whole.

    It does that when a value is first read as the type, unguarded: a second thread that
    meets the type half taken in crashes the process.
    """
    _take_in(kind)
    return kind


@cache
def _take_in(kind: object) -> None:
    with _one_at_a_time:
        msgspec.json.Decoder(kind)
