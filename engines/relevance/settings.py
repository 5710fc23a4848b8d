"""The settings of case relevance (LCR, sections 3.2 and 4.6)."""

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
        ),
        Setting(
            "demonstrations_digest",
            DIGEST,
            computed=True,
            content_of="demonstrations",
        ),
        Setting("language", DIGEST, computed=True),
        Setting("shots", Whole(0, 10), default=2),
        Setting("relevant_shots", Whole(0, 5), default=1),
        Setting("irrelevant_shots", Whole(0, 5), default=1),
        Setting("shown_tokens", Whole(200, 1_000_000), default=3000),
        Setting("matching", Switch(), default=True, without=True),
        Setting("extraction", Switch(), default=True, without=True),
        Setting("annotation", Switch(), default=True, without=True),
        Setting(
            "seed",
            Whole(0, 2**63 - 1),
            default=0,
        ),
        Setting("long", OneOf("cut", "pieces"), default="cut"),
        Setting(
            "budget_tokens",
            Whole(200, 1_000_000),
            option="case_tokens",
            default=6000,
        ),
        Setting(
            "cache",
            OneOf("none", "extraction", "all"),
            default="extraction",
        ),
        Setting("repeat", Whole(0, 1_000_000), default=0, counted=True),
    ],
    builtins=("lexical", "script"),
    judging=("annotator",),
    asked=("matching", "extraction", "annotation"),
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
