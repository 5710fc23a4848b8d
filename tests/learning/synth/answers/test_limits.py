"""What the steps of a synthesis may take together, and how often they try again."""

from __future__ import annotations

from pathlib import Path

from verifytui.engines.batches.state import Limits
from verifytui.engines.rag.method import METHOD
from verifytui.learning.commands.synth_cases import synth_cases
from verifytui.learning.commands.synth_rag import synth_rag
from verifytui.learning.synth.answers.synthesis_run import StepOptions, SynthesisRun
from verifytui.sessions.session import Totals


def test_each_step_gets_what_the_others_left_and_tries_as_often() -> None:
    limits = Limits(8, tokens=100, usd=1.0, retries=3)
    hand = StepOptions(None, None, limits)  # type: ignore[arg-type]
    plan = manifest = starter = None
    run = SynthesisRun(plan, Path(), manifest, METHOD, starter, hand)  # type: ignore[arg-type]
    run.spent = Totals(input=10, output=20, cost_known=0.25)
    assert run._left() == Limits(8, tokens=70, usd=0.75, retries=3)


def test_both_commands_have_the_option() -> None:
    for one in (synth_rag, synth_cases):
        assert "retries" in {param.name for param in one.params}
