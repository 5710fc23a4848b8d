"""Claims of a batch in its report: figures with intervals, the lines left out, gates
that fail closed, and measures of studies.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.api import batch, load
from verifytui.engines.figures.gates import Gates, parse_gates
from verifytui.engines.figures.measure import Item, MeasuredValue
from verifytui.engines.method import method
from verifytui.engines.reports.batch import BatchReport
from verifytui.sessions.errors import BadInput

HELD = ["Beorn is a man who turns into a bear.", "Bilbo has a small sword."]


def line(id_: str, answer: str, **more: Any) -> dict[str, Any]:
    return {
        "id": id_,
        "question": f"Who is {id_}?",
        "answer": answer,
        "references": HELD,
        **more,
    }


LINES = [
    line(
        "held",
        "Beorn turns into a bear [1]. Bilbo has a sword [1][2].",
        answers=["Beorn"],
    ),
    line(
        "half",
        "Beorn turns into a bear [2]. Sauron forged rings.",
        nuggets=["Sauron forged rings"],
    ),
    line("none", "The references do not hold the answer.", nuggets=["Beorn"]),
    line("empty", ""),
]


async def run(tmp_path: Path, *lines: dict[str, Any], **options: Any) -> BatchReport:
    (tmp_path / "a.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines), "utf-8"
    )
    outcome = await batch(
        "rag",
        tmp_path / "a.jsonl",
        into=tmp_path / "out",
        lines="answers",
        models="lexical",
        **options,
    )
    return outcome.report


async def test_figures_of_a_batch(tmp_path: Path) -> None:
    report = await run(tmp_path, *LINES, claims=True)
    found = report.as_json()
    assert found["claims"] == {
        "supported": 3,
        "contradicted": 0,
        "not-found": 1,
        "unread": 0,
    }
    values = {
        "faithfulness": (0.75, 2, {"empty": 1}),
        "contradicted": (0.0, 2, {"empty": 1}),
        "citation_recall": (0.5, 2, {"empty": 1}),
        # `[1]` beside `[2]` is irrelevant
        "citation_precision": (pytest.approx(1 / 3), 2, {"empty": 1}),
        "context_recall": (1.0, 1, None),
        # an answer that says nothing holds no nugget
        "nugget_recall": (0.5, 2, None),
        "unquoted": (0.0, 3, {"empty": 1}),
    }
    for name, (value, n, missing) in values.items():
        figure = found[name]
        assert (figure["value"], figure["n"]) == (value, n), name
        assert figure.get("missing") == missing, name
    assert found["faithfulness"]["low"] < 0.75 < found["faithfulness"]["high"]
    left_out = {each.id: each for each in report.left_out if "faithfulness" in each.of}
    assert {id_: each.why for id_, each in left_out.items()} == {"empty": "empty"}
    assert {"correctness", "uncited", "citation_recall"} <= set(left_out["empty"].of)
    summary = (tmp_path / "out" / "summary.jsonl").read_text("utf-8").splitlines()
    half = json.loads(summary[1])
    assert half["claims"]["not-found"] == 1
    assert half["measures"]["faithfulness"] == 0.5


@pytest.mark.parametrize(
    ("lines", "claims", "bound", "wanting"),
    [
        (LINES[:2], True, "faithfulness=.75", ""),
        (LINES[:2], True, "faithfulness=.8", "0.7500 is below 0.8"),
        (LINES[2:3], True, "faithfulness=.1", "input lines (0.0%)"),
        (LINES[1:2], True, "context_recall=0", "input lines (0.0%)"),
        (LINES, True, "faithfulness=.1", "2 of 4"),
        (LINES[:2], False, "faithfulness=.1", "input lines (0.0%)"),
    ],
)
async def test_gates_fail_closed(
    lines: list[dict[str, Any]], claims: bool, bound: str, wanting: str, tmp_path: Path
) -> None:
    report = await run(tmp_path, *lines, claims=claims)
    told = gates(bound).failures(report)
    assert wanting in "".join(told)
    assert bool(told) is bool(wanting)


def gates(*bounds: str) -> Gates:
    measures = method("rag").batches["answers"].measures
    return parse_gates(bounds, [], None, None, measures)


async def test_measures_of_a_session(tmp_path: Path) -> None:
    await run(tmp_path, *LINES[:3], claims=True)

    def measured(name: str, measure: str) -> list[MeasuredValue]:
        session = load(tmp_path / "out" / f"{name}.yaml")
        return list(method("rag").measures[measure].of(session, Item(name, name, "")))

    assert measured("held", "faithfulness") == [MeasuredValue(1.0, "measured")]
    assert measured("half", "nugget_recall") == [MeasuredValue(1.0, "measured")]
    assert measured("none", "faithfulness") == []
    assert method("rag").measures["contradicted"].better == "lower"


@pytest.mark.parametrize(
    "nuggets",
    [[""], [3], [{"text": "A", "importance": "some"}], [{"vital": True}], ["A"] * 101],
)
async def test_a_line_with_odd_nuggets_is_bad_input(
    nuggets: list[Any], tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match="uggets"):
        await run(tmp_path, LINES[0] | {"nuggets": nuggets}, claims=True)


async def test_refusals_are_counted_by_what_the_lines_say(tmp_path: Path) -> None:
    refusal, said = "The references do not contain the answer.", "It is Beorn [1]."
    report = await run(
        tmp_path,
        line("a", refusal, answerable=False),
        line("b", said, answerable=False),
        line("c", refusal, answers=["Beorn"]),
        line("d", said, answerable=True),
        line("e", said, answers=["Beorn"]),
        line("f", refusal),
    )
    named = ("refused_rightly", "refused_wrongly")
    found = [report.figures[name] for name in named]
    assert [(one.count, one.n) for one in found] == [(1, 2), (1, 3)]


async def test_answerable_is_true_or_false(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="`answerable` must be true or false"):
        await run(tmp_path, line("a", "Beorn.", answerable="no"))
