"""Runs library code within a time limit."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


class Late(BaseException):
    """The work took too long.

    Not an Exception, so that libraries that catch exceptions do not continue.
    """


def within(seconds: float, work: Callable[[], Result]) -> Result:
    """Return the result of `work`.

    Work that takes longer is interrupted at its next step in Python. Any thread can
    call this.

    Raises: Late.
    """
    import ctypes

    thread = threading.get_ident()
    lock = threading.Lock()
    over = False

    def stop() -> None:
        with lock:
            if not over:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(thread), ctypes.py_object(Late)
                )

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        return work()
    finally:
        with lock:
            over = True
        # a stop that came at the very end is raised by now: Python looks for one at
        # every call
        timer.cancel()
