"""A program of a user passes `mypy --strict`, and nothing in it has the type Any; what
it gets wrong is found.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
RIGHT = """
from __future__ import annotations

import verifytui
from verifytui import sync


def asked() -> str | None:
    session = sync.ask("Who?", references=["Ada."], save="one.yaml")
    reveal_type(session)
    reveal_type(session.result)
    reveal_type(session.events)
    reveal_type(session.totals())
    reveal_type(session.totals().cost)
    return session.header.id


def figure() -> float | None:
    outcome = sync.batch("debate", "topics.jsonl", into="runs/one", concurrency=8)
    reveal_type(outcome.status)
    reveal_type(outcome.report)
    reveal_type(outcome.report.figures["accuracy"])
    return outcome.report.figures["accuracy"].value


async def compared() -> list[str]:
    session = await verifytui.debate("Is it?", models={"*": "turbo"}, level=3)
    reveal_type(session)
    found = verifytui.compare("runs/one", "runs/two")
    reveal_type(found)
    reveal_type(found.differences[0][1].difference.low)
    reveal_type(sync.frames("runs/one"))
    return [pairing.second.name for pairing, _ in found.differences]


def failing() -> str:
    try:
        reveal_type(sync.load("one.yaml"))
        reveal_type(sync.resume("one.yaml"))
    except verifytui.BadInput as error:
        reveal_type(error)
    except verifytui.ModelError as error:
        return error.kind
    return ""
"""
WRONG = """
from verifytui import sync

sync.ask(["a list"])
sync.debate("x", model_names="turbo", probe="yes")
sync.dance()
"""


def checked(program: str, tmp_path: Path) -> str:
    """What mypy says of a program."""
    (tmp_path / "program.py").write_text(program, "utf-8")
    options = ["--strict", "--follow-imports=silent", "--config-file="]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "program.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT.parent)},
        capture_output=True,
        text=True,
    )
    return done.stdout + done.stderr


def test_a_program_is_typed_and_holds_no_any(tmp_path: Path) -> None:
    said = checked(RIGHT, tmp_path)
    assert "error" not in said.replace("errors", "")
    revealed = re.findall(r'Revealed type is "(.*)"', said)
    assert len(revealed) == RIGHT.count("reveal_type(")
    assert [one for one in revealed if "Any" in one] == []


def test_wrong_arguments_and_names_are_found(tmp_path: Path) -> None:
    said = checked(WRONG, tmp_path)
    found = re.findall(r"\[([a-z-]+)\]$", said, re.MULTILINE)
    assert found == ["arg-type", "arg-type", "attr-defined"]
