"""Claims of a batch in its report: figures with intervals, the lines left out, gates that fail closed, and measures of studies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.api import batch, load
from verifytui.engines.batches.gates import parse_gates
from verifytui.engines.measures.measure import Item, Measured
from verifytui.engines.method import method
from verifytui.engines.rag.report import FIGURES
from verifytui.engines.rag.telling import in_words
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


async def run(tmp_path: Path, *lines: dict[str, Any], **options: Any) -> dict[str, Any]:
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
    found = await run(tmp_path, *LINES, claims=True)
    said = found["claims"]
    assert said["verdicts"] == {
        "supported": 3,
        "contradicted": 0,
        "not-found": 1,
        "unread": 0,
    }
    assert (said["answers"], said["nothing"], said["unquoted"]["value"]) == (2, 1, 0.0)
    assert {
        name: said[name]["value"]
        for name in (
            "faithfulness",
            "contradicted",
            "citation_recall",
            "citation_precision",
        )
    } == {
        **{"faithfulness": 0.75, "contradicted": 0.0},
        **{
            "citation_recall": 0.5,
            "citation_precision": pytest.approx(1 / 3),
        },  # `[1]` beside `[2]` is irrelevant
    }
    assert said["faithfulness"]["low"] < 0.75 < said["faithfulness"]["high"]
    assert (said["faithfulness"]["of"], said["faithfulness"]["excluded"]) == (2, 1)
    assert (said["context_recall"]["value"], said["context_recall"]["of"]) == (1.0, 1)
    assert (said["nugget_recall"]["value"], said["nugget_recall"]["of"]) == (0.5, 2), (
        "no answer holds no nugget"
    )
    assert [one for one in found["left_out"] if "claims.faithfulness" in one["of"]] == [
        {
            "id": "empty",
            "why": "empty",
            "of": [
                "scores",
                "check",
                *(f"claims.{name}" for name in list(said)[-7:-3]),
            ],
        }
    ]
    assert (
        "faithfulness: claims that the references support: 0.750 on average"
        in in_words(found, "answers")
    )


@pytest.mark.parametrize(
    ("lines", "claims", "bound", "wanting"),
    [
        (LINES[:2], True, "faithfulness=.75", ""),
        (LINES[:2], True, "faithfulness=.8", "0.7500 is under 0.8"),
        (LINES[2:3], True, "faithfulness=.1", "could not be measured"),
        (LINES[1:2], True, "context_recall=0", "could not be measured"),
        (LINES, True, "faithfulness=.1", "1 of 3 items are left out"),
        (LINES[:2], False, "faithfulness=.1", "could not be measured"),
    ],
)
async def test_gates_fail_closed(
    lines: list[dict[str, Any]], claims: bool, bound: str, wanting: str, tmp_path: Path
) -> None:
    found = await run(tmp_path, *lines, claims=claims)
    told = parse_gates([bound], [], None, FIGURES).wanting(found)
    assert wanting in "".join(told)
    assert bool(told) is bool(wanting)


async def test_measures_of_a_session(tmp_path: Path) -> None:
    await run(tmp_path, *LINES[:3], claims=True)

    def measured(name: str, measure: str) -> list[Measured]:
        session = load(tmp_path / "out" / f"{name}.yaml")
        return list(method("rag").measures[measure].of(session, Item(name, name, "")))

    assert measured("held", "faithfulness") == [Measured(1.0, "measured")]
    assert measured("half", "nugget_recall") == [Measured(1.0, "measured")]
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
