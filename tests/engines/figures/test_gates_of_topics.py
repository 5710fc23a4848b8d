"""Gates of debates and of one model alone: version 0.1's names, and sentences."""

from __future__ import annotations

import pytest
from verifytui.engines.figures.gates import RUN_TOTALS, current_name, parse_gates
from verifytui.engines.method import method
from verifytui.sessions.errors import BadInput

SIDES = ("affirmative", "negative", *(f"debater{n}" for n in range(3, 7)))
SAME = ("accuracy", "accuracy_decided", "traps", "chrf", "bleu")
COMMON = {
    **{name: name for name in (*SAME, "unread", *RUN_TOTALS)},
    "traps_decided": "traps",
    "undecided": "decided",
    "unread_share": "unread",
}
DEBATE = {
    **COMMON,
    "rounds": "rounds",
    "disagreement": "disagreement",
    "disagreement.answer": "disagreement",
    "disagreement.stance": "disagreement",
    **{
        f"decided_by.{name}": f"decided_by_{name}"
        for name in ("discriminative", "extractive", "undecided")
    },
    **{f"wins.{side}": f"wins_{side}" for side in (*SIDES, "tie", "none")},
    **{f"side_by.{name}": f"side_by_{name}" for name in ("judge", "match", "none")},
    **{
        f"swap.{name}": f"swap_{name}"
        for name in ("same_model", "same_side", "same_answer")
    },
}
"""All gates of debates in version 0.1, and what they are called now."""


@pytest.mark.parametrize(("name", "gates"), [("debate", DEBATE), ("solo", COMMON)])
def test_every_old_gate_is_a_measure_or_is_rejected_with_its_new_name(
    name: str, gates: dict[str, str]
) -> None:
    measures = method(name).batches["topics"].measures
    names = [*measures, *RUN_TOTALS]
    assert {old: current_name(old, names) for old in gates} == gates
    for old, new in gates.items():
        if old == new:
            (bound,) = parse_gates([f"{old}=1"], [], None, None, measures).bounds
            assert bound.name == new
            continue
        with pytest.raises(BadInput) as refused:
            parse_gates([f"{old}=1"], [], None, None, measures)
        said = str(refused.value)
        assert said.startswith(
            (
                f"--fail-under {old}: this gate is called {new} now.",
                f"--fail-under {old}: this gate no longer exists. Use --fail-over {new},",
            )
        )


def test_a_gate_that_counted_the_other_items_names_the_other_option() -> None:
    measures = method("debate").batches["topics"].measures
    with pytest.raises(BadInput, match="Use --fail-under decided"):
        parse_gates([], ["undecided=.1"], None, None, measures)


@pytest.mark.parametrize("text", ["acuracy=.5", "accurate=.5"])
def test_an_unknown_name_gets_those_nearest_to_it_first(text: str) -> None:
    measures = method("solo").batches["topics"].measures
    with pytest.raises(BadInput, match="choose one of accuracy"):
        parse_gates([text], [], None, None, measures)
