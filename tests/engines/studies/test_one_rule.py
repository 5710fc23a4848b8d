"""In one study a measure means one rule for all conditions, or the study is refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from verifytui.engines.figures.measure import Measure
from verifytui.engines.method import method
from verifytui.engines.models.config import Config
from verifytui.engines.studies.conditions import PlayedCondition, conditions_of
from verifytui.engines.studies.plan import StudyPlan, plan_of
from verifytui.engines.studies.study import read_study
from verifytui.sessions.errors import BadInput

STUDY = """format: verifytui-study/1
name: rules
title: Rules
items: {adapter: jsonl, file: items.jsonl}
base: {method: rag, references: given, model: {"*": gpt-4o}}
conditions:
  closed-book: {method: solo, strategy: direct}
  rag: {iterations: 0, revise: none}
measures: [%s]
"""


@dataclass(frozen=True)
class Renamed:
    """A method with another measure under a name that a second method has."""

    measures: Any
    wrapped: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.wrapped, name)


def planned(tmp_path: Path, measure: str, own: Measure | None = None) -> StudyPlan:
    path = tmp_path / "rules.yaml"
    path.write_text(STUDY % measure, "utf-8")
    study = read_study(path, tmp_path)
    conditions = conditions_of(study, method)
    if own is not None:
        conditions = [
            replace(
                each,
                method=Renamed(
                    MappingProxyType({**each.method.measures, own.name: own}),
                    each.method,
                ),
            )
            if isinstance(each, PlayedCondition) and each.made_by == "solo"
            else each
            for each in conditions
        ]
    return plan_of(study, conditions, (), Config())


@pytest.mark.parametrize("name", ["accuracy", "contains_paper", "exact_match", "f1"])
def test_answers_with_and_without_references_are_held_to_one_rule(
    tmp_path: Path, name: str
) -> None:
    plan = planned(tmp_path, name)
    first, second = (plan.measure(name, condition) for condition in plan.conditions)
    assert first is not None
    assert first is second


def test_one_name_for_two_rules_is_refused(tmp_path: Path) -> None:
    own = replace(method("rag").measures["iterations"], better="lower")
    with pytest.raises(BadInput) as refused:
        planned(tmp_path, "iterations", own)
    for word in ("closed-book", "rag", "iterations"):
        assert word in str(refused.value)
    assert planned(tmp_path, "accuracy", own)


def test_what_methods_measure_by_one_rule_is_comparable() -> None:
    solo, debate = (method(name).measures for name in ("solo", "debate"))
    for name in ("accuracy_by_round", "chrf_by_round", "disagreement"):
        assert solo[name].comparable(debate[name])
        assert solo[name] != debate[name]
    assert not solo["attempts"].comparable(debate["rounds"])
