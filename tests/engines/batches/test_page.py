"""The page that a batch leaves: figures, then every line, those without an answer and
wrong ones first.
"""

from __future__ import annotations

from pathlib import Path

from verifytui.engines.api import batch
from verifytui.tests.support.commanding import HILL
from verifytui.tests.support.solo_runs import solo_run, write_lines


async def test_wrong_answers_stand_before_right_ones_and_text_is_text(
    home: Path, tmp_path: Path
) -> None:
    lines = [
        {"id": "fine", "topic": HILL, "answers": ["2 m/s"]},
        {"id": "bad", "topic": HILL, "answers": ["<script>1.5</script>"]},
        {"id": "open", "topic": HILL},
    ]
    folder = await solo_run(tmp_path / "out", lines)
    page = (folder / "report.html").read_text("utf-8")
    assert "accuracy: 50.0% (95 % interval" in page
    assert (
        page.index("accuracy: 50.0%")
        < page.index("Models: script (solver)")
        < page.index("<table")
        < page.index('href="./bad.yaml"')
        < page.index('href="./fine.yaml"')
        < page.index('href="./open.yaml"')
    )
    assert "<script" not in page
    assert "&lt;script&gt;1.5" in page


async def test_an_answer_stands_with_its_references(home: Path, tmp_path: Path) -> None:
    given = {
        "id": "x",
        "question": "How long do bees live?",
        "references": ["Bees live for six weeks."],
        "answers": ["six weeks"],
    }
    folder = tmp_path / "out"
    await batch(
        "rag",
        write_lines(tmp_path / "questions.jsonl", [given]),
        into=folder,
        models="lexical",
    )
    page = (folder / "report.html").read_text("utf-8")
    assert "<details><summary>references: 1</summary>" in page
    assert page.rindex("Bees live for six weeks.") > page.index("references: 1")
