"""Extractions and judgements of cases as chat lines, to teach them to a small model
(the second version of the relevance paper, 2403.18405v2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from ....sessions.events import ReplyEvent
from ....sessions.events.relevance import Facts, Judgement
from ....sessions.journal import readable_session
from ....sessions.session import Session
from . import training_files
from .card import facts_card
from .examples import TrainingExample
from .exportable import MethodOf, asked, one_conversation, said
from .lines import ExportFolder, ExportRecord
from .options import ExportOptions, parts


def export_facts(
    files: Iterable[Path], into: Path, *, method_of: MethodOf, options: ExportOptions
) -> ExportRecord:
    """Writes chat lines, configurations and a card to the folder `into`.

    `files`: sessions of pairs of cases. All lines of a query are in one part. Duplicate
    lines are written once. Raises: BadInput, WriteError.
    """
    made = ExportFolder(into)
    found: dict[bytes, TrainingExample] = {}
    for file in files:
        session = readable_session(file)
        if session is None:
            made.exported.leave_out("sessions", "no-session")
            continue
        for one in _examples(session, method_of, made.exported):
            line = msgspec.json.encode([one.prompt, one.reply])
            if found.setdefault(line, one) is not one:
                made.exported.leave_out("chat", "twice")
    examples = list(found.values())
    where = parts(options, (one.group for one in examples))
    training_files.write(made, examples, [], where, options)
    made.whole("README.md", facts_card(made.exported, options))
    return made.finish()


def _examples(
    session: Session, method_of: MethodOf, exported: ExportRecord
) -> Iterator[TrainingExample]:
    """The readable extractions and judgements of a session."""
    query = session.header.task.get("query")
    group = str(query.get("id") if isinstance(query, dict) else session.header.id)
    for event in session.events:
        if not isinstance(event, Facts | Judgement) or not isinstance(
            event, ReplyEvent
        ):
            continue
        task = "extraction" if isinstance(event, Facts) else "annotation"
        prompt = asked(session, event, method_of)
        reply = said(event, method_of(session.header)) or ""
        if prompt is None or not one_conversation(prompt):
            exported.leave_out("chat", "no-messages")
        elif event.read == "unread" or not reply.strip():
            exported.leave_out("chat", "no-reply")
        else:
            exported.said_by(task, [event.model or "unknown"])
            yield TrainingExample(
                id=f"{session.header.id}/{event.number}",
                group=group,
                task=task,
                kind=event.kind,
                prompt=prompt,
                reply=reply,
            )
