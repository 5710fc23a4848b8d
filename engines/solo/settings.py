"""What can be set of one model that answers alone."""

from __future__ import annotations

from ..settings import Choice, Setting, Settings, common
from ..topic import OPTIONS

SETTINGS = Settings(
    "solo",
    [
        Setting(
            "strategy",
            Choice("direct", "cot"),
            "direct (default): the answer alone; cot: the reasoning first, one step at a time.",
            default="direct",
        )
    ],
    options=(
        *OPTIONS,
        *common(
            model="A model for the solver.",
            param="solver.temperature=0.7",
            prompts="The set of prompts (default: zh for Chinese questions, else en).",
        ),
    ),
    order="kind source target strategy model prompts param",
    noun="solo",
    where="in solo",
    builtins={"script": "has lines for its example topics only"},
)
