"""What can be set of one model that answers alone."""

from __future__ import annotations

from ..settings import OneOf, Setting, Settings, Whole
from ..topic import OPTIONS

SETTINGS = Settings(
    "solo",
    [
        Setting(
            "strategy",
            OneOf("direct", "cot", "sc", "reflect", "rerank", "maps"),
            default="direct",
            fixed=True,
        ),
        Setting("samples", Whole(1, 100), default=5, of_kind={"translation": 4}),
        Setting("token_budget", Whole(1, 1_000_000_000, optional=True)),
        Setting("iterations", Whole(1, 20), default=3),
        Setting("estimator", OneOf("model", "command"), default="model", fixed=True),
    ],
    options=OPTIONS,
    builtins=("script",),
)
