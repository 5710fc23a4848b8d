"""When a call that failed is made again, and after how long."""

from __future__ import annotations

import random

from .limits import LONGEST_WAIT
from .port import TRANSIENT, ModelError

LONGEST_BACKOFF = 30.0
"""Seconds. A pause doubles with every failure up to this one."""


def passing(error: ModelError) -> bool:
    """Whether trying again may help."""
    return error.kind in TRANSIENT and (error.retry_after or 0) <= LONGEST_WAIT


def pause(error: ModelError, failures: int, first: float) -> float:
    """Return the seconds before the next attempt.

    The provider's value if it gives one, otherwise `first`, doubled with every failure
    up to `LONGEST_BACKOFF`. A random part of up to half of `first` spreads callers that
    failed together.
    """
    if error.retry_after is not None:
        return error.retry_after
    backoff = min(first * 2.0 ** (failures - 1), LONGEST_BACKOFF)
    return backoff + random.uniform(0, first / 2)  # noqa: S311
