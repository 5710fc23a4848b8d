"""What can be set of a ranking."""

from __future__ import annotations

from ..settings import Setting, Settings, Switch, Text, Whole

QUALITY = ("correctness", "citation_accuracy", "truthfulness", "bias", "conciseness")
"""What answers are ranked by, in the order in which it is asked for.

`bias`: 1 is bad, for the others 1 is good.
"""
CRITERIA = (*QUALITY, "revision")
"""And by the query that each system would search with next, where the answers have one.
"""

SETTINGS = Settings(
    "rank",
    [
        Setting("both_orders", Switch(), default=False),
        Setting("seed", Whole(0, 1_000_000), default=0, rare=True),
        *(Setting(name, Switch(), default=True, without=True) for name in CRITERIA),
        Setting("measured", Text(longest=80, optional=True), counted=True),
    ],
    builtins=("lexical", "script"),
    judging=("ranker",),
)
