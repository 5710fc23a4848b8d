"""Processor time of other processes: beside other tests, a process may have to wait."""

from __future__ import annotations

import os
import resource
from pathlib import Path


def of_ended() -> float:
    """Seconds that all children took which have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def of_running(number: int) -> float:
    """Seconds that a process has taken."""
    fields = Path(f"/proc/{number}/stat").read_text("ascii", "replace")
    user, system = fields.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
