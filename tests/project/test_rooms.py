"""A method is named in its own rooms only, and methods know nothing of each other."""

from __future__ import annotations

import re
from pathlib import Path

import grimp
import pytest
from verifytui.engines.method import method
from verifytui.sessions.methods import METHODS

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("cli", "engines", "prompts", "sessions", "tui")
OWN = re.compile(
    r"engines/(?P<room>{0})/|tui/workspaces/({0})/|sessions/events/({0})\.py"
    r"|sessions/methods\.py|prompts/|cli/commands/".format("|".join(METHODS))
)
NAMED = re.compile(
    r"""["']({0})["']|\.({0})(\.| import )|import ({0})\b""".format("|".join(METHODS))
)
"""A method's name as a text, or as a module that is imported."""

ALLOWED = {
    "cli/app.py": "the table of commands says in which file each of them is",
    "engines/cases/": "scores, labels and results of cases are the same events whoever judges them",
    "engines/metrics/current_ratings.py": "reads events that rate",
    "engines/reports/agreement.py": "the fewest pairs that a coefficient is shown for are beside the events that "
    "rate",
    "engines/metrics/compare.py": "the same",
    "sessions/session.py": "a retrieval costs too",
    "engines/metrics/values.py": "a column of a table is called relevance",
    "engines/metrics/trec.py": "a column of a run is called rank",
    "tui/actions.py": "which keys are for which workspace",
    "tui/session_opener.py": "which screen is which place",
    "tui/play.py": "a label does not end a session",
    "cli/beside.py": "debates are compared with one model alone",
    "cli/help_groups.py": "which group of the help a command is in",
    "tui/timeline.py": "the disagreement of a debate at any of its events",
    "tui/workspaces/handover.py": "a question becomes a debate",
}
"""Where a method may stand beside its rooms, with the reason."""


def named() -> dict[str, list[str]]:
    """File to the lines that name a method, outside the rooms of methods."""
    found: dict[str, list[str]] = {}
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            if not OWN.match(place):
                lines = [
                    line.strip()
                    for line in path.read_text("utf-8").splitlines()
                    if NAMED.search(line)
                ]
                found |= {place: lines} if lines else {}
    return found


def test_no_place_is_allowed_that_names_no_method() -> None:
    assert [
        place
        for place in ALLOWED
        if not any(file.startswith(place) for file in named())
    ] == []


def test_no_method_is_named_outside_its_rooms() -> None:
    stray = {
        place: lines
        for place, lines in named().items()
        if not any(place.startswith(allowed) for allowed in ALLOWED)
    }
    assert stray == {}


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_reached_by_its_name(name: str) -> None:
    here = method(name)
    assert (here.name, here.workspace) == (name, METHODS[name])
    assert here.roles
    for kind in here.batches.values():
        assert kind.many
        assert kind.measures
        assert kind.stand_ins.typical


def test_methods_stand_above_batches_and_know_nothing_of_each_other() -> None:
    graph = grimp.build_graph("verifytui")
    for name in METHODS:
        room = f"verifytui.engines.{name}"
        own = {room, *graph.find_descendants(room)}
        importers = {
            importer
            for module in own
            for importer in graph.find_modules_that_directly_import(module)
        } - own
        below = (
            "verifytui.engines.",
            "verifytui.prompts",
            "verifytui.sessions",
            "verifytui.texts",
        )
        assert [module for module in importers if module.startswith(below)] == []
