"""What can be set of the relevance of cases (LCR, sections 3.2 and 4.6)."""

from __future__ import annotations

from ..settings import OneOf, Setting, Settings, Switch, Text, Whole

DIGEST = Text(optional=True)

SETS = {"zh": "zh-criminal", "en": "en-common-law"}
"""Language to the bundled set of demonstrations."""

SETTINGS = Settings(
    "relevance",
    [
        Setting(
            "demonstrations",
            Text("wrong.setting.set"),
            "SET|PATH",
            before=SETS["zh"],
            rare=True,
        ),
        Setting(
            "demonstrations_digest",
            DIGEST,
            computed=True,
            content_of="demonstrations",
        ),
        Setting("language", DIGEST, computed=True),
        Setting("shots", Whole(0, 10), default=2, rare=True),
        Setting("relevant_shots", Whole(0, 5), default=1, rare=True),
        Setting("irrelevant_shots", Whole(0, 5), default=1, rare=True),
        Setting("shown_tokens", Whole(200, 1_000_000), default=3000, rare=True),
        Setting("matching", Switch(), default=True, without=True),
        Setting("extraction", Switch(), default=True, without=True),
        Setting("annotation", Switch(), default=True, without=True),
        Setting(
            "seed",
            Whole(0, 2**63 - 1),
            default=0,
            rare=True,
        ),
        Setting("long", OneOf("cut", "pieces"), default="cut", rare=True),
        Setting(
            "budget_tokens",
            Whole(200, 1_000_000),
            option="case_tokens",
            default=6000,
            rare=True,
        ),
        Setting(
            "cache",
            OneOf("none", "extraction", "all"),
            default="extraction",
            rare=True,
        ),
        Setting("repeat", Whole(0, 1_000_000), default=0, counted=True),
    ],
    builtins=("lexical", "script"),
    judging=("annotator",),
)

SWITCHES = tuple(SETTINGS.parts())
"""The ablations of section 4.6; true is the method."""

CHOOSING = (
    "demonstrations",
    "shots",
    "relevant_shots",
    "irrelevant_shots",
    "shown_tokens",
    *SWITCHES,
    "seed",
)
"""Settings that decide which demonstrations are chosen."""
