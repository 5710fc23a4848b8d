"""Folders of judged pairs, as a batch leaves them, and the labels that people have
given there.
"""

from __future__ import annotations

import json
from pathlib import Path

from verifytui.engines.relevance.plan import KINDS
from verifytui.engines.relevance.starting import new_relevance
from verifytui.prompts import load
from verifytui.sessions.events.labels import Label
from verifytui.sessions.events.relevance import (
    FactItem,
    Facts,
    Judgement,
    RelevanceResult,
    Score,
)
from verifytui.sessions.journal import Journal
from verifytui.sessions.labels import LabelFile
from verifytui.tests.support.cases import some

TELLS = (
    "burglary",
    "robbery charge",
    "entered by stealth",
    "greed was the motive",
    "The machine finds",
)
"""Words that tell how the pairs were judged: titles, legal facts and reasons."""

QUERY = (
    "At night the accused climbed through the window of the flat and took a ring. He "
    "sold it. The owner, Mr. A. Lee, slept."
)


def text_of(number: int) -> str:
    return (
        f"Case {number} of the shelf. A man took a bicycle in street {number}. He "
        f"gave it back the next day."
    )


def folder_of(folder: Path, count: int) -> Path:
    """A folder of `count` sessions, a pair each; the level of pair n is n % 4, and
    everything about it is said.
    """
    folder.mkdir()
    names = [f"p{number:02}" for number in range(1, count + 1)]
    (folder / "batch.json").write_text(
        json.dumps(
            {
                "format": "verifytui-batch/1",
                "options": {},
                "lines": dict.fromkeys(names, ""),
            }
        )
    )
    rows = [
        {"id": name, "status": "done", "result": {"ranking": ["c"], "scores": [at % 4]}}
        for at, name in enumerate(names, 1)
    ]
    (folder / "summary.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows)
    )
    for number in range(1, count + 1):
        judged(folder / f"p{number:02}.yaml", number)
    return folder


def judged(path: Path, number: int) -> Path:
    """One session, judged to its end."""
    level = number % 4
    header = new_relevance(
        query={"id": "q1", "text": QUERY, "title": "burglary"},
        candidates=[
            {
                "id": f"c{number}",
                "text": text_of(number),
                "title": "robbery charge",
                "gold": level,
            }
        ],
        demonstrations=some(),
        prompts=load("en", workspace="relevance"),
    )
    with Journal.create(path, header) as journal:
        fact = FactItem(
            text="entered by stealth",
            start=QUERY.index("window"),
            end=QUERY.index(" and took"),
        )
        journal.append(
            Facts(
                role="extractor",
                kind="material",
                case="query",
                items=[fact],
                read="json",
            )
        )
        journal.append(
            Facts(
                role="extractor",
                kind="legal",
                case="query",
                items=[FactItem(text="greed was the motive")],
                read="json",
            )
        )
        for kind in KINDS:
            relevant = bool(level & (1 if kind == "material" else 2))
            said = f"The machine finds {relevant}."
            made = Judgement(
                role="annotator",
                kind=kind,
                candidate=f"c{number}",
                relevant=relevant,
                reason=said,
                text=said,
                read="json",
            )
            journal.append(made)
        journal.append(Score(candidate=f"c{number}", value=level))
        journal.append(RelevanceResult(ranking=[f"c{number}"], scores=[level]))
    return path


def session_id(folder: Path, number: int) -> str:
    with Journal.open(folder / f"p{number:02}.yaml", write=False) as journal:
        return journal.session.header.id


def labelled(folder: Path, annotator: str, levels: dict[int, int | None]) -> None:
    """Labels of a person: pair to level."""
    with LabelFile.open(folder, annotator) as file:
        for number, level in levels.items():
            file.append(
                Label(
                    session=session_id(folder, number),
                    candidate=f"c{number}",
                    value=level,
                )
            )
