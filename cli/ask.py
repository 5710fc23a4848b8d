"""`verifytui ask` and `verifytui verify`: questions answered from references and verified, and answers that exist verified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..sessions.errors import BadInput
from . import asking, console, options, running
from .screen import interface

if TYPE_CHECKING:
    from .job import Job
    from .questions import Question

_FAIL_UNDER = click.option(
    "--fail-under", multiple=True, metavar="METRIC=X", help="Batch: exit with 1 where a metric of the report is lower, such as accuracy=.8."
)


@click.command()
@click.argument("question", required=False)
@asking.common
@running.one_option
@running.both_options
@click.option(
    "--questions",
    type=click.Path(path_type=Path),
    metavar="FILE.jsonl",
    help='Batch: a line is {"id", "question"}, may have "answers" and "references", and any option of its own.',
)
@running.batch_options
@_FAIL_UNDER
def ask(question: str | None, **values: Any) -> int:
    """Answer QUESTION from references, verify the answer, revise the query and answer again; or every question of a file.

    Without --model the built-in lexical answers, which is no language model: it picks sentences by their words.
    """
    interface(values["lang"])
    wishes = asking.take(values)
    if values["questions"] is not None:
        from .questions import read_questions

        if question is not None:
            raise BadInput("Give either one QUESTION or --questions FILE.jsonl, not both.")
        return running.run_batch(values, lambda: _job("questions", values, wishes, read_questions(values["questions"], wishes)))
    running.refuse(values, (*running.OF_A_BATCH, "fail_under"), "belongs to a batch; name its questions with --questions FILE.jsonl.")
    if question is None:
        raise BadInput("There is no question; give one in quotes, or a file of them with --questions FILE.jsonl --into DIR.")
    running.check_save(values)
    from .methods import Methods
    from .person import Person

    maker = options.workshop()
    header = asking.Asker(maker).header(question, wishes)
    if values["tui"]:
        if wishes.address is not None:
            raise BadInput("--tui needs a retriever with a name: put its address under `retrievers:` in config.yaml.")
        return running.in_app(header, values)
    methods = Methods(maker.config, maker.places, Person(), url=wishes.address)
    methods.open(header)
    return running.run_one(header, maker, methods, values)


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.jsonl")
@asking.verifying
@running.both_options
@running.batch_options
@_FAIL_UNDER
def verify(file: Path, **values: Any) -> int:
    """Verify the answers in FILE.jsonl, which somebody else gave: a line is {"question", "answer", "references"}. Nothing is generated.

    The names that ragas and RAGChecker use are understood too. A line without references is verified against what is found with
    --corpus, --web or --retriever, or else against the accepted answers that it names.
    """
    from .questions import read_answers

    interface(values["lang"])
    wishes = asking.take(values)

    def job() -> Job:
        lines, left_out = read_answers(file, wishes)
        for sentence in left_out:
            console.say(sentence)
        return _job("answers", values, wishes, lines)

    return running.run_batch(values, job)


def _job(many: str, values: dict[str, Any], wishes: asking.Asking, lines: list[Question]) -> Job:
    from ..sessions.session import Header
    from .job import Job, headers_of
    from .methods import Methods
    from .report_rag import facts, in_words, parse_bounds, report, under

    bounds = parse_bounds(values["fail_under"])
    maker = options.workshop()
    asker = asking.Asker(maker)

    def header(line: Question) -> Header:
        return asker.header(line.question, line.wishes, references=line.references, answer=line.answer, answers=line.answers)

    headers = headers_of(lines, header)
    addresses = {line.wishes.address for line in lines} - {None}
    if len(addresses) > 1:
        raise BadInput("The lines name several addresses of retrievers; give them names under `retrievers:` in config.yaml.")
    return Job(
        many,
        lines,
        headers,
        wishes.given(),
        maker.config,
        Methods(maker.config, maker.places, url=next(iter(addresses), None)),
        facts,
        report,
        lambda found: in_words(found, many),
        lambda found: under(found, bounds),
    )
