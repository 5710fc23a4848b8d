"""The studies that come along: each can be read, each condition is one that its method
takes, and each names items of a known set.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.engines.method import method
from verifytui.engines.models.config import Config
from verifytui.engines.studies.conditions import conditions_of
from verifytui.engines.studies.items import ADAPTERS
from verifytui.engines.studies.plan import plan_of
from verifytui.engines.studies.study import builtin_names, find_study
from verifytui.sessions.errors import BadInput

PAPER = {
    "mad-5": ("mad", "accuracy", 0.36),
    "mad-7": ("4", "wins_negative", 136 / 200),
    "lcr-ablation": ("w/o FE", "kappa_legal", 0.21),
    "cov-2": ("cov-rag", "contains_paper", 0.751),
}

OWN = ("judge-preference", "rag-sweep")
"""Studies of no paper."""


@pytest.mark.parametrize("name", builtin_names())
def test_a_built_in_study_can_be_carried_out(name: str) -> None:
    study = find_study(name)
    assert study.name == name
    assert study.items.adapter in ADAPTERS
    conditions = conditions_of(study, method)
    assert study.against.to in [one.name for one in conditions]
    plan = plan_of(study, conditions, [], Config())
    assert all(plan.measure(name) for name in (study.plot.y if study.plot else ()))
    assert study.paper.source or name in OWN


@pytest.mark.parametrize("name", PAPER)
def test_figures_of_the_papers_are_as_they_stand_there(name: str) -> None:
    condition, measure, value = PAPER[name]
    assert find_study(name).paper.values[condition][measure] == pytest.approx(value)


def test_the_figures_of_each_data_set_are_as_they_stand_there() -> None:
    """All of Table 2 (57 numbers), Table 5 (12) and Table 7 (8)."""
    counts, found = {}, {}
    for name in ("cov-2", "cov-5", "cov-7"):
        paper = find_study(name).paper
        parts = [paper, *paper.sets.values()]
        tables = [each for one in parts for each in (one.values, one.other)]
        counts[name] = sum(len(row) for of in tables for row in of.values())
        found[name] = paper.sets
    assert counts == {"cov-2": 57, "cov-5": 12, "cov-7": 8}
    web = found["cov-2"]["WebQ"]
    assert web.other["Self-RAG, Llama2-13b"] == {"contains_paper": 0.575}
    assert found["cov-5"]["NQ"].values["End-Revise"] == {"contains_paper": 0.583}
    bing = found["cov-7"]["WebQ"].values["bing"]
    assert bing["reference_accuracy_last"] == 0.71


def test_the_sides_of_table_7_add_up_to_all_debates() -> None:
    assert [
        sum(one.values()) for one in find_study("mad-7").paper.values.values()
    ] == pytest.approx([1.0] * 5)


def test_the_page_names_every_study() -> None:
    page = (
        Path(__file__).resolve().parents[3] / "docs" / "paper-studies.md"
    ).read_text("utf-8")
    assert [name for name in builtin_names() if f"| `{name}` |" not in page] == []


def test_the_old_name_of_a_study_says_the_new_one() -> None:
    with pytest.raises(BadInput, match="judge-audit is called judge-preference now"):
        find_study("judge-audit")
