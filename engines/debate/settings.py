"""What can be set of a debate (the MAD paper, sections 2 and 3)."""

from __future__ import annotations

from ..settings import Choice, Setting, Settings, Whole, common
from ..topic import OPTIONS

SETTINGS = Settings(
    "debate",
    [
        Setting("debaters", Whole(2, 6), "2 to 6 (default 2).", "N", default=2, fixed=True),
        Setting(
            "level",
            Whole(0, 3),
            "0 full consensus, 1 mostly disagree, 2 need not agree (default), 3 disagree on everything.",
            "0..3",
            default=2,
        ),
        Setting("rounds", Whole(1, 20), "At most so many rounds (default 3).", "M", default=3),
        Setting(
            "opening",
            Choice("free", "seeded"),
            "seeded: a baseline answers first, and the first debater defends it.",
            default="free",
        ),
        Setting(
            "negative",
            Choice("differs", "unprompted"),
            "differs (default): the negative side is told to oppose; unprompted: to give its own view. At level 0 always unprompted.",
            default="differs",
            before="unprompted",
        ),
        Setting("stop", Choice("adaptive", "forced"), "forced: all rounds run, with an extraction after each.", default="adaptive"),
        Setting("extract", Choice("limit", "always"), "always: the final extraction also follows an early end.", default="limit"),
        Setting("judge_history", Choice("full", "first-round"), "What the extracting judge reads.", default="full"),
        Setting(
            "disagreement",
            Choice("answer", "stance"),
            "How it is measured; stance asks the observer (who has the model that is named for all).",
            default="answer",
            of_kind={"translation": "stance"},
        ),
    ],
    options=(
        *OPTIONS,
        *common(
            model="A model for all roles, or for one; can be given several times.",
            param="judge.temperature=0.7",
            prompts="The set of prompts (default: zh for Chinese questions, else en).",
        ),
    ),
    order="kind source target opening negative model debaters level rounds stop extract judge_history disagreement prompts param",
    noun="a debate",
    where="in a debate",
    builtins={"script": "has lines for its example topics only"},
)
