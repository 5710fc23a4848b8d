"""Answers that were sampled and verified, with their sessions on disk, as an export
takes them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verifytui.learning.synth.answers.samples import (
    SCORES,
    Half,
    Kind,
    Sample,
    SampleVerdict,
)
from verifytui.sessions.events import Event
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Session
from verifytui.tests.support import questions
from verifytui.tests.support.questions import Shelf, passages

PASSAGES = ["Beorn is a skin-changer.", "Bilbo is a hobbit."]


def saved(path: Path, session: Session, *extra: Event) -> Path:
    """The session on disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with Journal.create(path, session.header) as journal:
        for event in (*session.events, *extra):
            journal.append(event)
    return path


class Synthesised:
    """A folder with samples, what the verifier said of them, and their sessions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.samples: list[Sample] = []
        self.verified: list[SampleVerdict] = []

    async def add(
        self,
        question: str,
        answer: str,
        *,
        half: Half = "verification",
        kind: Kind = "sampled",
        judgement: str | None = "true",
        origin: str | None = None,
        scores: dict[str, float] | None = None,
        told: str | None = None,
        **known: Any,
    ) -> Sample:
        """Adds a sample of this question.

        `judgement`: the verifier's; None: nobody verified it. `told`: its whole reply.
        """
        name = f"s{len(self.samples)}"
        path = None
        if kind == "sampled":
            session = questions.begin(
                {"iterations": 0},
                question=question,
                lineup=questions.seats("generator", "verifier"),
            )
            await questions.play(session, lambda *_: answer, Shelf(PASSAGES))
            path = (
                saved(self.folder / "answers" / f"{name}.yaml", session)
                .relative_to(self.folder)
                .as_posix()
            )
        sample = Sample(
            id=name,
            question_id=question,
            question=question,
            half=half,
            kind=kind,
            origin=origin,
            references=passages(*PASSAGES),
            answer=answer,
            models=["openai/generator" if kind == "sampled" else kind],
            session=path,
            **known,
        )
        self.samples.append(sample)
        if judgement is not None:
            await self._verify(sample, judgement, scores or {}, told)
        return sample

    async def _verify(
        self, sample: Sample, judgement: str, scores: dict[str, float], told: str | None
    ) -> None:
        good = {
            "reference_correctness": 0.9,
            "correctness": 0.9,
            "citation_accuracy": 0.9,
            "truthfulness": 0.9,
            "bias": 0.1,
            "conciseness": 0.9,
        }
        given = good | scores
        query = "" if judgement == "true" else "Who is a skin-changer?"
        reply = json.dumps(
            {
                **given,
                "judgement": judgement,
                "revised_query": query,
                "reason": "So it says.",
            }
        )
        session = questions.begin(
            {},
            question=sample.question,
            references=sample.references,
            answer=sample.answer,
            lineup=questions.seats("verifier"),
        )
        await questions.play(
            session, lambda *_: reply if told is None else told, Shelf(PASSAGES)
        )
        path = saved(self.folder / "verified" / f"{sample.id}.yaml", session)
        said: dict[str, Any] = {"read": "unread"}
        if told is None:
            said = {
                "reason": "So it says.",
                "scores": {name: given[name] for name in SCORES},
                "judgement": judgement,
                "revised_query": query,
                "read": "json",
            }
        where = path.relative_to(self.folder).as_posix()
        self.verified.append(
            SampleVerdict(
                sample=sample.id, models=["openai/verifier"], session=where, **said
            )
        )


def lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a file of JSON lines; none where it is not there."""
    if path.exists():
        return [
            json.loads(line) for line in path.read_text("utf-8").split("\n") if line
        ]
    return []


def both(folder: Path, name: str) -> list[dict[str, Any]]:
    """The lines of both parts of an export."""
    return [
        *lines(folder / name / "train.jsonl"),
        *lines(folder / name / "validation.jsonl"),
    ]


def roles(messages: Sequence[dict[str, str]]) -> list[str]:
    return [message["role"] for message in messages]
