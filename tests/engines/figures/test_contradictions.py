"""A result that its own session contradicts is found, and no other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.api import batch
from verifytui.engines.figures.contradictions import check_results, contradiction
from verifytui.engines.figures.runs import RunItem, read_run
from verifytui.engines.method import recomputed_result
from verifytui.sessions.errors import BadInput
from verifytui.tests.conftest import SHARED
from verifytui.tests.support.solo_runs import LINES, write_lines

QUESTION = {"id": "q", "question": "Who wrote the first algorithm for a machine?"}
PAIR = {
    "id": "p",
    "query": {"id": "a", "text": "He broke into a house and took a ring."},
    "candidate": {"id": "b", "text": "She broke into a shop and took a coat."},
}
ANSWERS = {
    "id": "r",
    "question": "When was the bridge opened?",
    "answers": {"one": "In 1932.", "two": "In 1492."},
    "references": [{"text": "The bridge was opened in 1932."}],
}
METHODS: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "debate": (LINES[0], "script", {}),
    "solo": (LINES[0], "script", {}),
    "rag": (QUESTION, "lexical", {"corpus": "example"}),
    "relevance": (PAIR, "lexical", {}),
    "grade": (PAIR, "lexical", {}),
    "rank": (ANSWERS, "lexical", {}),
}


async def played(method: str, folder: Path) -> RunItem:
    line, model, options = METHODS[method]
    file = write_lines(folder.with_suffix(".jsonl"), [line])
    await batch(method, file, into=folder, models=model, **options)
    (case,) = read_run(folder).cases.values()
    assert case.status == "done", case.error
    return case


def edited(case: RunItem) -> RunItem:
    """The case with another answer in its file's result."""
    assert case.path is not None
    text = case.path.read_text("utf-8")
    head, mark, tail = text.rpartition("event: result")
    changed = re.sub(r"answer: (.*\n)( .*\n)*", "answer: Nobody did.\n", tail, count=1)
    assert changed != tail
    case.path.write_text(head + mark + changed, "utf-8")
    (case,) = read_run(case.path.parent).cases.values()
    assert case.status == "done", case.error
    return case


@pytest.mark.parametrize("method", METHODS)
async def test_a_session_as_it_was_made_is_not_contradicted(
    home: Path, tmp_path: Path, method: str
) -> None:
    case = await played(method, tmp_path / "run")
    assert recomputed_result(case.session.prefix(len(case.session.events) - 1))
    assert check_results([case], recomputed_result) == []


@pytest.mark.parametrize("method", ["debate", "solo", "rag"])
async def test_another_answer_is_named_with_its_file(
    home: Path, tmp_path: Path, method: str
) -> None:
    case = edited(await played(method, tmp_path / "run"))
    with pytest.raises(BadInput, match=f"{case.path}.*`answer`.*--allow-different"):
        check_results([case], recomputed_result)
    assert len(check_results([case], recomputed_result, allowed=True)) == 1


@pytest.mark.parametrize("method", ["relevance", "grade"])
async def test_another_level_is_found(home: Path, tmp_path: Path, method: str) -> None:
    case = await played(method, tmp_path / "run")
    result = case.session.result
    assert result is not None
    level = result.scores[0]  # type: ignore[attr-defined]
    other = 3 if level != 3 else 0
    result.scores = [other]  # type: ignore[attr-defined]
    assert contradiction(case.session, recomputed_result) == "scores"


async def test_a_level_that_its_judgements_do_not_make_is_found(
    home: Path, tmp_path: Path
) -> None:
    case = await played("relevance", tmp_path / "run")
    for event in case.session.events:
        if type(event).__name__ in ("Score", "RelevanceResult"):
            name = "value" if type(event).__name__ == "Score" else "scores"
            level = 3 if getattr(event, name) not in (3, [3]) else 0
            setattr(event, name, level if name == "value" else [level])
    assert contradiction(case.session, recomputed_result) == "scores"


async def test_the_rules_of_another_version_are_not_held_against_a_session(
    home: Path, tmp_path: Path
) -> None:
    case = await played("debate", tmp_path / "run")
    case.session.header.versions["verifytui"] = "0.0.1"
    result: Any = case.session.result
    result.decided_by = "undecided"
    assert contradiction(case.session, recomputed_result) is None
    result.answer = "an answer that nobody gave"
    assert contradiction(case.session, recomputed_result) == "answer"


async def test_a_result_without_events_is_contradicted(
    home: Path, tmp_path: Path
) -> None:
    case = await played("solo", tmp_path / "run")
    del case.session.events[:-1]
    assert contradiction(case.session, recomputed_result) == "answer"


@pytest.mark.skipif(not (SHARED / "mad-transcripts").is_dir(), reason="no records")
def test_recorded_debates_are_not_contradicted() -> None:
    from verifytui.engines.method import method
    from verifytui.sessions.session import Session

    recorded = method("debate").recorded(SHARED / "mad-transcripts" / "debates.jsonl")
    assert recorded is not None
    sessions = [Session(header, events) for header, events in recorded]
    assert sessions
    for session in sessions:
        assert contradiction(session, recomputed_result) is None
