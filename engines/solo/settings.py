"""What can be set of one model that answers alone."""

from __future__ import annotations

from ..settings import Choice, Setting, Settings
from ..topic import OPTIONS

SETTINGS = Settings(
    "solo",
    [Setting("strategy", Choice("direct", "cot"), default="direct")],
    options=OPTIONS,
    builtins=("script",),
)
