"""Gates, comparisons, reports and the documents share one list of measures for each
method.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from verifytui.engines.figures.compare import measures_of
from verifytui.engines.figures.gates import RUN_TOTALS, parse_gates
from verifytui.engines.figures.items import item_of
from verifytui.engines.figures.measure import Measure
from verifytui.engines.figures.runs import Run, RunItem, blank_session
from verifytui.engines.method import method
from verifytui.sessions.errors import BadInput
from verifytui.sessions.methods import METHODS
from verifytui.sessions.session import Seat

DOCS = Path(__file__).parents[3] / "docs" / "measures.md"
KINDS = [(name, kind) for name in METHODS for kind in method(name).batches]


def run_of(name: str) -> Run:
    """A run of one session of a method."""
    session = blank_session("a")
    session.header.method = name
    session.header.lineup = {"judge": Seat(model="openai/x")}
    case = RunItem(item_of("a", {}), session, "done")
    return Run("a", Path("a"), {"a": case})


def accepted(name: str, measures: dict[str, Measure]) -> bool:
    """Whether `--fail-under` takes this name."""
    measure = measures.get(name)
    bound = 0 if measure is None or measure.low is None else measure.low
    try:
        parse_gates([f"{name}={bound}"], [], None, None, measures)
    except BadInput:
        return False
    return True


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_gates_and_comparisons_take_the_measures_of_the_report(
    name: str, kind: str
) -> None:
    measures = dict(method(name).batches[kind].measures)
    assert all(key == measure.name for key, measure in measures.items())
    compared = measures_of([run_of(name)], lambda one: method(one).measures)
    assert set(compared) == set(measures)
    everything = {
        one
        for other in METHODS
        for each in method(other).batches.values()
        for one in each.measures
    }
    gates = {one for one in (*everything, *RUN_TOTALS) if accepted(one, measures)}
    assert gates - {*RUN_TOTALS} == set(measures) - {*RUN_TOTALS}
    assert gates >= {*RUN_TOTALS}


def documented() -> dict[str, tuple[str, str, str]]:
    """Measure to its range, better direction and methods in docs/measures.md."""
    text = DOCS.read_text("utf-8")
    section = text.partition("\n## All measures\n")[2].partition("\n## ")[0]
    rows = [
        line.strip("| ").split(" | ")
        for line in section.splitlines()
        if "| `" in line[:3]
    ]
    return {
        name: (values, better, methods)
        for names, _, values, better, methods in rows
        for name in re.findall(r"`([^`]+)`", names)
    }


def test_the_documents_table_has_every_measure_with_its_range_and_methods() -> None:
    table = documented()
    known: dict[str, tuple[Measure, list[str]]] = {}
    for name in METHODS:
        for kind in method(name).batches.values():
            for key, measure in kind.measures.items():
                methods = known.setdefault(key, (measure, []))[1]
                methods += [] if name in methods else [name]
    assert set(table) == set(known)
    for name, (measure, methods) in known.items():
        values, better, listed = table[name]
        assert (name, better) == (name, measure.better)
        assert (name, values) == (name, range_of(measure))
        wanted = ["all"] if len(methods) == len(METHODS) else sorted(methods)
        assert (name, sorted(listed.split(", "))) == (name, wanted)


def range_of(measure: Measure) -> str:
    """As the table has it: `share`, `0 to 100`, `from 0`, `any`."""
    if measure.share:
        return "share"
    if measure.low is None:
        return "any"
    if measure.high is None:
        return f"from {measure.low:g}"
    return f"{measure.low:g} to {measure.high:g}"
