"""Writes a folder of answers that people rate with `label`, without seeing the
verifier's judgement.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ....engines.batches.folder import BatchFolder
from ....engines.batches.lines import BatchLine
from ....engines.figures.rated import CORRECT
from ....engines.studies.rating import answers_in, said
from ....sessions.annotators import GOLD
from ....sessions.clean import json_line
from ....sessions.files import read_text, write_whole
from ....sessions.label_store import LabelStore
from ....sessions.session import Header
from . import rag_answers
from .agreement import RatedSample
from .plan import AnswerSynthesis
from .samples import Sample, SampleVerdict

FOLDER, KEY = "blind", "blind.jsonl"
"""The folder, and the file that maps its sessions to samples. Raters get only the
folder.
"""

Begin = Callable[
    [Sequence[Sample], Sequence[str]],
    tuple[Sequence[BatchLine], Sequence[Header | None]],
]
"""Batch lines and headers for these samples, by id."""


def drawn(plan: AnswerSynthesis, samples: Sequence[Sample], many: int) -> list[Sample]:
    """A random sample, balanced over kinds as far as possible, in an order that does
    not reveal the kind.
    """
    draw = plan.draw("blind")
    by_kind: dict[str, list[Sample]] = {}
    for one in sorted(samples, key=lambda sample: sample.id):
        by_kind.setdefault(one.kind, []).append(one)
    for listed in by_kind.values():
        draw.shuffle(listed)
    made: list[Sample] = []
    while len(made) < many and any(by_kind.values()):
        made += [listed.pop() for listed in by_kind.values() if listed]
    made = made[:many]
    draw.shuffle(made)
    return made


def make(into: Path, chosen: Sequence[Sample], begin: Begin) -> None:
    """Writes the folder once, because labels depend on its sessions.

    Raises: BadInput, SessionError.
    """
    if (into / KEY).exists() or not chosen:
        return
    # left by a killed run: without the key, it was never handed out
    shutil.rmtree(into / FOLDER, ignore_errors=True)
    names = [f"b{n:04}" for n in range(1, len(chosen) + 1)]
    lines, headers = begin(chosen, names)
    begun = [
        (line, header)
        for line, header in zip(lines, headers, strict=True)
        if header is not None
    ]
    folder = BatchFolder(
        into / FOLDER, {}, [line for line, _ in begun], [header for _, header in begun]
    )
    with folder.locked():
        folder.keep()
        for line, header in begun:
            with folder.journal(line, header) as journal:
                for event in rag_answers.unverified(header):
                    journal.append(event)
    sample_of = dict(zip(names, chosen, strict=True))
    rows = [
        {"id": line.id, "session": header.id, "sample": sample_of[line.id].id}
        for line, header in begun
    ]
    write_whole(into / KEY, "".join(map(json_line, rows)))


class BlindRatings(NamedTuple):
    """People's ratings of the blind samples."""

    rated: Sequence[RatedSample] = ()
    """The majority rating: right or wrong."""
    people: Sequence[str] = ()
    tied: int = 0
    """Samples with as many right as wrong ratings. No figure counts them."""


def ratings(
    into: Path, samples: Sequence[Sample], verified: Mapping[str, SampleVerdict]
) -> BlindRatings:
    """Reads the ratings so far. Raises: BadInput, SessionError."""
    if not (into / KEY).exists():
        return BlindRatings()
    rows = [json.loads(line) for line in read_text(into / KEY).split("\n") if line]
    by_session = {row["session"]: row["sample"] for row in rows}
    by_id = {sample.id: sample for sample in samples}
    store = LabelStore.of_answers(into / FOLDER)
    people = sorted(store.people.keys() - {GOLD})
    made = []
    tied = 0
    for answer in answers_in(into / FOLDER) if people else ():
        values = [
            value
            for name in people
            if (value := said(answer, CORRECT, store.people[name])) is not None
        ]
        names = {
            by_session[session] for session in answer.sessions if session in by_session
        } & by_id.keys()
        if not values or 2 * sum(values) == len(values):
            tied += len(names) if values else 0
            continue
        for name in names:
            told = verified.get(name)
            made.append(
                RatedSample(
                    by_id[name],
                    2 * sum(values) > len(values),
                    None if told is None else told.judgement,
                )
            )
    return BlindRatings(sorted(made, key=lambda one: one.sample.id), people, tied)
