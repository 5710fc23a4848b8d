"""The settings of a debate (the MAD paper, sections 2 and 3)."""

from __future__ import annotations

from ..settings import OneOf, Option, Setting, Settings, Switch, Whole
from ..topic import OPTIONS

SETTINGS = Settings(
    "debate",
    [
        Setting("debaters", Whole(2, 6), default=2, fixed=True),
        Setting("level", Whole(0, 3), default=2),
        Setting("rounds", Whole(1, 20), default=3),
        Setting("opening", OneOf("free", "seeded"), default="free"),
        Setting(
            "negative",
            OneOf("differs", "unprompted"),
            default="differs",
            before="unprompted",
        ),
        Setting("stop", OneOf("adaptive", "forced"), default="adaptive"),
        Setting("extract", OneOf("limit", "always"), default="limit"),
        Setting("judge_history", OneOf("full", "first-round"), default="full"),
        Setting(
            "disagreement",
            OneOf("answer", "stance"),
            default="answer",
            of_kind={"translation": "stance"},
        ),
        Setting(
            "control",
            OneOf("none", "judge-blind", "consultancy"),
            default="none",
            fixed=True,
        ),
        Setting("resample_judge", Whole(1, 25), default=1),
        Setting("hints", OneOf("none", "all"), default="none", fixed=True),
    ],
    options=(*OPTIONS, Option("swapped", Switch()), Option("swap", Switch())),
    builtins=("script",),
    judging=("judge", "observer"),
    asked=(
        "rounds",
        "level",
        "stop",
        "debaters",
        "negative",
        "opening",
        "control",
        "disagreement",
        "resample_judge",
    ),
)
