"""What can be set of a grading by one prompt."""

from __future__ import annotations

from ..settings import Setting, Settings, Whole

SETTINGS = Settings(
    "grade",
    [
        Setting(
            "budget_tokens",
            Whole(200, 1_000_000),
            option="case_tokens",
            default=6000,
            rare=True,
        ),
        Setting("repeat", Whole(0, 1_000_000), default=0, counted=True),
    ],
    builtins=("lexical",),
    judging=("grader",),
)
