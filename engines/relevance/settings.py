"""What can be set of the relevance of cases (LCR, sections 3.2 and 4.6)."""

from __future__ import annotations

from ..settings import Choice, Setting, Settings, Switch, Text, Whole, common

DIGEST = Text(optional=True)

SETTINGS = Settings(
    "relevance",
    [
        Setting(
            "demonstrations",
            Text("the name of a set, a folder or a file"),
            "The demonstrations (default zh-criminal); `verifytui demonstrations`.",
            "SET|PATH",
            default="zh-criminal",
        ),
        Setting("demonstrations_digest", DIGEST, computed=True),
        Setting("language", DIGEST, computed=True),
        Setting("shots", Whole(0, 10), "Demonstrations before an extraction (default 2).", "N", default=2),
        Setting("relevant_shots", Whole(0, 5), default=1),
        Setting("irrelevant_shots", Whole(0, 5), default=1),
        Setting("matching", Switch(), default=True, without=True),
        Setting("extraction", Switch(), default=True, without=True),
        Setting("annotation", Switch(), default=True, without=True),
        Setting("seed", Whole(0, 2**63 - 1), "Of the random demonstrations of --without matching.", "N", default=0),
        Setting("long", Choice("cut", "pieces"), "A case over its budget: cut (head and tail, default) or in pieces.", default="cut"),
        Setting(
            "budget_tokens",
            Whole(200, 1_000_000),
            "The budget of the case in hand, in each stage (default 6000).",
            "N",
            option="case_tokens",
            default=6000,
        ),
        Setting(
            "cache",
            Choice("none", "extraction", "all"),
            "Which replies are held for later (default extraction).",
            default="extraction",
        ),
        Setting("repeat", Whole(0, 1_000_000), default=0),
    ],
    options=common(
        model="A model for all roles, or for one (default lexical, for --example script: no models).",
        param="annotator.temperature=0.7",
        prompts="The set of prompts (default: by the demonstrations' language).",
    ),
    order="demonstrations without shots seed long budget_tokens cache model param prompts",
    noun="a pair",
    where="for the relevance of cases",
    builtins={"lexical": "only compares words", "script": "has lines for its examples only"},
)

SWITCHES = tuple(SETTINGS.parts())
"""The ablations of section 4.6; true is the method."""

CHOOSING = ("demonstrations", "shots", "relevant_shots", "irrelevant_shots", *SWITCHES, "seed")
"""Settings that decide which demonstrations are chosen."""
