"""Commands that begin a session or a batch of each method, and go on with it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from verifytui.sessions.events import Event
from verifytui.sessions.journal import Journal
from verifytui.tests.support.worlds import CASES

ROLES = {
    "debate": ("affirmative", "negative", "judge"),
    "rag": ("generator", "verifier", "reviser"),
    "relevance": ("extractor", "annotator"),
}
LINES = 4

Words = list[str | Path]


def commands(
    workspace: str, batch: bool, into: Path, folder: Path
) -> tuple[Words, Words]:
    """What begins, and what goes on with it: `resume` for one session, the same command
    for a batch.
    """
    seats = [
        text
        for role in ROLES[workspace]
        for text in ("--model", f"{role}=openai/{role}")
    ]
    file, lines = into / "one.yaml", folder / "lines.jsonl"
    rows: list[dict[str, Any]]
    one: Words
    many: Words
    if workspace == "debate":
        rows = [{"id": f"n{n}", "topic": f"Why {n}?"} for n in range(LINES)]
        one, many = ["debate", "Why?"], ["debate", "--topics", lines]
        seats += ["--stop", "forced"]
    elif workspace == "rag":
        (folder / "refs.txt").write_text(
            "The lighthouse was built in 1873.\n\nIts keeper had two dogs.\n"
        )
        rows = [
            {"id": f"n{n}", "question": f"When was lighthouse {n} built?"}
            for n in range(LINES)
        ]
        one, many = ["ask", "When was it built?"], ["ask", "--questions", lines]
        seats += ["--references", str(folder / "refs.txt")]
    else:
        for n, text in enumerate(CASES):
            (folder / f"{n}.txt").write_text(text)
        query, other = {"id": "q", "text": CASES[0]}, CASES[1]
        rows = [
            {
                "id": f"n{n}",
                "query": query,
                "candidate": {"id": f"c{n}", "text": f"{other} Case {n}."},
            }
            for n in range(LINES)
        ]
        one = [
            "relevance",
            "--query",
            folder / "0.txt",
            "--candidates",
            folder / "1.txt",
            folder / "2.txt",
        ]
        many = ["relevance", "--pairs", lines]
        seats += ["--demonstrations", "en-common-law", "--cache", "none"]
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    if batch:
        whole = [*many, *seats, "--into", into, "--concurrency", "3"]
        return whole, whole
    return [*one, *seats, "--save", file, "--output", "json"], [
        "resume",
        file,
        "--output",
        "json",
    ]


def read(path: Path) -> list[Event]:
    with Journal.open(path, write=False) as journal:
        return journal.session.events


def said(printed: Path) -> str:
    """What a command said on stderr. A traceback is never all right."""
    text = printed.with_name(printed.name + ".err").read_text("utf-8")
    assert "Traceback" not in text
    return text


def fill(disk: Path, left: int) -> Path:
    """Leaves so many bytes of a file system free; returns the file that takes the rest."""
    filler = disk / "filler"
    with filler.open("wb") as file:
        free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
        file.write(bytes(max(free - left, 0)))
    return filler
