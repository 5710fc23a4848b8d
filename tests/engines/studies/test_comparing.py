"""Runs are compared item by item; what is not the same is refused, and each verdict
says what its interval and test allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.figures.common import measures
from verifytui.engines.figures.compare import (
    CompareOptions,
    RunComparison,
    compare,
    measures_of,
)
from verifytui.engines.figures.difference import (
    Difference,
    ValuePair,
    corrected,
    differ,
)
from verifytui.engines.figures.measure import MeasuredValue
from verifytui.engines.figures.runs import names, read_run
from verifytui.engines.figures.wording import verdict_words
from verifytui.sessions.errors import BadInput
from verifytui.tests.support.solo_runs import LINES, solo_run, write_lines
from verifytui.texts import t

Line = dict[str, Any]


def outputs(path: Path, rights: Sequence[bool | None], **more: Any) -> Path:
    """A file of outputs: an answer that is right, wrong or missing for each item."""
    said = {True: "4", False: "5", None: None}
    lines = [
        {
            "id": f"i{n}",
            "topic": f"t{n}",
            "answers": ["4"],
            "answer": said[right],
            **more,
        }
        for n, right in enumerate(rights)
    ]
    return write_lines(path, lines)


def compared(*paths: Path, **wanted: Any) -> RunComparison:
    runs = names(map(read_run, paths))
    return compare(runs, measures_of(runs, lambda name: {}), CompareOptions(**wanted))


def accuracy(*paths: Path, **wanted: Any) -> Difference:
    return next(
        one
        for _, one in compared(*paths, **wanted).differences
        if one.measure.name == "accuracy"
    )


def test_right_answers_are_compared_by_mcnemar_and_the_first_run_is_the_reference(
    tmp_path: Path,
) -> None:
    one = outputs(tmp_path / "a.jsonl", [False] * 12 + [True] * 8)
    other = outputs(tmp_path / "b.jsonl", [True] * 20)
    found = accuracy(one, other)
    assert (found.a.value, found.b.value, found.difference.value) == (0.4, 1.0, 0.6)
    assert (found.test, found.p) == ("mcnemar", pytest.approx(2 / 2**12))
    assert (found.wins, found.ties, found.losses, found.verdict) == (12, 8, 0, "better")
    assert found.flips == ([f"i{n}" for n in range(12)], [])
    back = accuracy(other, one)
    assert (back.verdict, back.is_worse, back.not_worse) == ("worse", True, False)
    assert (found.is_worse, found.not_worse) == (False, True)


def test_few_items_cannot_tell_and_say_how_many_would(tmp_path: Path) -> None:
    found = accuracy(
        outputs(tmp_path / "a.jsonl", [True, False, True]),
        outputs(tmp_path / "b.jsonl", [True, True, None]),
    )
    assert found.verdict == "unclear"
    assert found.needed is not None
    assert found.needed > 3
    assert found.b.unanswered == {"undecided": 1}


def test_equal_answers_to_many_items_are_the_same(tmp_path: Path) -> None:
    rights = [n % 3 > 0 for n in range(500)]
    found = accuracy(
        outputs(tmp_path / "a.jsonl", rights), outputs(tmp_path / "b.jsonl", rights)
    )
    assert (found.verdict, found.wins, found.losses, found.p) == ("same", 0, 0, 1)


def test_items_of_one_cluster_are_not_independent(tmp_path: Path) -> None:
    one = outputs(tmp_path / "a.jsonl", [False] * 12 + [True] * 8, pair="p")
    other = outputs(tmp_path / "b.jsonl", [True] * 20, pair="p")
    found = accuracy(one, other, cluster="pair")
    assert (found.test, found.p, found.verdict) == ("permutation", 1, "unclear")
    with pytest.raises(BadInput, match="no field"):
        accuracy(one, other, cluster="nothing")


def test_no_side_is_better_while_the_interval_holds_0(tmp_path: Path) -> None:
    right, wrong = MeasuredValue(1, "right"), MeasuredValue(0, "wrong")
    evened = [
        (f"c{n}", *sides)
        for n in range(40)
        for sides in ((wrong, right), (right, wrong))
    ]
    won = [
        (f"d{n}", *sides)
        for n in range(8)
        for sides in ((wrong, right), (right, right))
    ]
    pairs = [
        ValuePair(f"i{n}", cluster, first, second)
        for n, (cluster, first, second) in enumerate([*evened, *won])
    ]
    found = differ(measures()["accuracy"], pairs, 0.02)
    assert found.p_corrected == 2 / 2**8
    assert found.difference.low is not None
    assert found.difference.low < 0 < (found.difference.value or 0)
    assert found.verdict == "unclear"


def test_p_values_are_corrected_for_all_measures_and_runs(tmp_path: Path) -> None:
    one = outputs(tmp_path / "a.jsonl", [False] * 12 + [True] * 8)
    found = compared(
        one,
        outputs(tmp_path / "b.jsonl", [True] * 20),
        outputs(tmp_path / "c.jsonl", [True] * 15 + [False] * 5),
    )
    p, q = (one.p for _, one in found.differences)
    assert p is not None
    assert q is not None
    assert [one.p_corrected for _, one in found.differences] == [
        pytest.approx(2 * p),
        max(2 * p, q),
    ]


def test_what_describes_a_run_is_not_tested_and_costs_the_prices_nothing() -> None:
    def found(name: str) -> Difference:
        steps = [
            ValuePair(
                f"i{n}",
                f"i{n}",
                MeasuredValue(1.0, "measured", counts=(1, 2)),
                MeasuredValue(3.0, "measured", counts=(3, 4)),
            )
            for n in range(12)
        ]
        return differ(measures()[name], steps, 0.02)

    cost, cached, saved = corrected(
        [found(name) for name in ("cost", "cached", "saved")]
    )
    assert cost.p == cost.p_corrected == 2 / 2**12
    assert cost.verdict == "worse"
    assert [
        (one.p, one.p_corrected, one.verdict, one.needed) for one in (cached, saved)
    ] == [(None, None, None, None)] * 2
    assert saved.difference.value == 2
    assert verdict_words(saved) == t("report.compare.untested")


async def test_a_batch_says_what_the_outputs_of_others_are_about(
    home: Path, tmp_path: Path
) -> None:
    ours = await solo_run(tmp_path / "ours")
    theirs = write_lines(
        tmp_path / "theirs.jsonl",
        [{"id": line["id"], "answer": line["answers"][0]} for line in LINES],
    )
    found = {one.measure.name: one for _, one in compared(theirs, ours).differences}
    assert (found["accuracy"].a.value, found["accuracy"].b.value) == (1, 0.5)
    assert found["chrf"].a.value == pytest.approx(100)
    assert (
        found["calls"].a.value,
        found["calls"].verdict,
        found["calls"].not_worse,
    ) == (None, "unclear", None)


def test_what_nobody_says_is_taken_from_whichever_run_says_it_and_else_nothing_is_measured(
    tmp_path: Path,
) -> None:
    known = outputs(tmp_path / "known.jsonl", [True, False])
    one, other = (
        write_lines(tmp_path / name, [{"id": f"i{n}", "answer": "4"} for n in range(2)])
        for name in ("a.jsonl", "b.jsonl")
    )
    assert [found.b.value for _, found in compared(one, other, known).differences] == [
        1,
        0.5,
    ]
    with pytest.raises(BadInput, match="Nothing can be measured"):
        compared(one, other)
    asked = write_lines(
        tmp_path / "c.jsonl",
        [{"id": f"i{n}", "topic": f"t{n}", "answer": "4"} for n in range(2)],
    )
    for runs in ((asked, known), (known, asked)):
        assert accuracy(*runs).difference.value == pytest.approx(
            0.5 if runs[1] is asked else -0.5
        ), "asked alike, and right alike"


async def test_what_the_runs_were_made_with_is_listed(
    home: Path, tmp_path: Path
) -> None:
    one, other = (
        await solo_run(tmp_path / "direct"),
        await solo_run(tmp_path / "cot", strategy="cot"),
    )
    (versus,) = compared(one, other).versus
    assert versus.differing == (("setting.strategy", (("direct",), ("cot",))),)


async def test_an_unfinished_item_is_left_out_and_named(
    home: Path, tmp_path: Path
) -> None:
    one, other = (
        await solo_run(tmp_path / "direct"),
        await solo_run(tmp_path / "cot", strategy="cot"),
    )
    (other / "again.yaml").unlink()
    (versus,) = compared(one, other).versus
    assert (versus.paired.ids, versus.paired.unfinished) == (
        ("hill", "eat"),
        ("again",),
    )
    for name in ("hill", "eat"):
        (other / f"{name}.yaml").unlink()
    with pytest.raises(BadInput, match="No item is finished"):
        compared(one, other)


def test_other_content_and_other_items_are_refused_unless_they_are_allowed(
    tmp_path: Path,
) -> None:
    one = outputs(tmp_path / "a.jsonl", [True] * 4)
    shorter = outputs(tmp_path / "b.jsonl", [True] * 3)
    other = write_lines(
        tmp_path / "c.jsonl",
        [
            {"id": f"i{n}", "topic": "other", "answers": ["4"], "answer": "4"}
            for n in range(4)
        ],
    )
    strange = write_lines(tmp_path / "d.jsonl", [{"id": "x", "answer": "4"}])
    for path, says in (
        (shorter, "different items: 1 are only in .*a.jsonl, 0 only in .*b.jsonl"),
        (other, "”: another task or other accepted answers."),
        (strange, "no item in common"),
    ):
        with pytest.raises(BadInput, match=says):
            compared(one, path)
    assert compared(one, shorter, different=True).versus[0].paired.only_first == ("i3",)
    assert compared(one, other, different=True).versus[0].paired.other_content == (
        "i0",
        "i1",
        "i2",
        "i3",
    )
    with pytest.raises(BadInput, match="no item in common"):
        compared(one, strange, different=True)


def test_runs_held_to_different_rules_are_refused(tmp_path: Path) -> None:
    from dataclasses import replace

    one = read_run(outputs(tmp_path / "a.jsonl", [True]))
    with pytest.raises(BadInput, match="--equivalence"):
        compare(
            [one, replace(one, compared_by=("gpt-4",))], measures(), CompareOptions()
        )


def test_a_measure_that_there_is_not_is_refused(tmp_path: Path) -> None:
    one = outputs(tmp_path / "a.jsonl", [True])
    with pytest.raises(BadInput, match="no measure “acuracy”"):
        compared(one, one, measures=["acuracy"])
