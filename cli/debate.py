"""`verifytui debate`: one topic, or every topic of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..sessions.errors import BadInput
from . import options, running
from .screen import interface

if TYPE_CHECKING:
    from ..sessions.events import Reference
    from .job import Job


@click.command()
@click.argument("topic", required=False)
@options.common
@running.one_option
@running.both_options
@click.option(
    "--topics", type=click.Path(path_type=Path), metavar="FILE.jsonl", help='Batch: a line is {"id", "topic"} and any option of its own.'
)
@click.option(
    "--evidence", type=click.Path(path_type=Path), metavar="FILE", help="Passages that both sides may cite: paragraphs, or JSON lines."
)
@running.batch_options
def debate(topic: str | None, evidence: Path | None, **values: Any) -> int:
    """Let models debate TOPIC, or with --topics every topic of a file.

    Without --model the built-in script answers, which knows the bundled example topics only. A seat named human
    reads stdin: a speech ends at a line that holds only a dot, a verdict is one line of JSON.
    """
    interface(values["lang"])
    wishes = options.take(values)
    if values["topics"] is not None:
        if topic is not None:
            raise BadInput("Give either one TOPIC or --topics FILE.jsonl, not both.")
        if evidence is not None:
            raise BadInput("--evidence is for one topic, not for a batch.")
        return running.run_batch(values, lambda: _job(values["topics"], wishes))
    running.refuse(values, running.OF_A_BATCH, "belongs to a batch; name its topics with --topics FILE.jsonl.")
    if topic is None:
        raise BadInput("There is no topic; give one in quotes, or a file of them with --topics FILE.jsonl --into DIR.")
    running.check_save(values)
    from .methods import Methods
    from .person import Person

    maker = options.workshop()
    header = maker.header(topic, wishes, evidence=_passages(evidence))
    if values["tui"]:
        return running.in_app(header, values)
    options.script_knows(header)
    return running.run_one(header, maker, Methods(maker.config, maker.places, Person()), values)


def _passages(file: Path | None) -> Sequence[Reference]:
    from ..engines.retrieval.given import read_references

    return read_references(file) if file is not None else ()


def _job(topics: Path, wishes: options.Wishes) -> Job:
    from ..sessions.session import Header
    from .job import Job, headers_of
    from .methods import Methods
    from .report_debate import in_words, report
    from .topics import Topic, read_topics

    maker = options.workshop()
    lines = read_topics(topics, wishes)

    def header(line: Topic) -> Header:
        made = maker.header(line.topic, line.wishes, answers=line.answers, wrong_answers=line.wrong_answers)
        options.script_knows(made)
        return made

    headers = headers_of(lines, header)
    methods = Methods(maker.config, maker.places)
    return Job("debates", lines, headers, wishes.given(), maker.config, methods, lambda session: None, report, in_words)
