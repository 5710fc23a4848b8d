"""`verifytui ask` and `verifytui verify`: questions answered from references and verified, and answers that exist verified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...engines.rag.settings import SETTINGS, VERIFYING
from ...sessions.errors import BadInput
from .. import console, flags, running
from ..screen import interface

if TYPE_CHECKING:
    from ...engines.batches.batch import Batch
    from ...engines.batches.kind import BatchKind
    from ...engines.rag.questions import Question
    from ...engines.starting import Wishes


@click.command()
@click.argument("question", required=False)
@flags.option_flags(SETTINGS)
@running.one_option
@running.both_options
@click.option(
    "--questions",
    type=click.Path(path_type=Path),
    metavar="FILE.jsonl",
    help='Batch: a line is {"id", "question"}, may have "answers" and "references", and any option of its own.',
)
@running.batch_options
@running.equivalence_option
def ask(question: str | None, **values: Any) -> int:
    """Answer QUESTION from references, verify the answer, revise the query and answer again; or every question of a file.

    Without --model the built-in lexical answers, which is no language model: it picks sentences by their words. The bundled question
    with --corpus example has answers that were written by hand: without --model the built-in script says them.
    """
    from ...engines.rag.method import METHOD

    interface(values["lang"])
    wishes = flags.wishes_of(SETTINGS, values)
    if values["questions"] is not None:
        from ...engines.rag.questions import read_questions

        if question is not None:
            raise BadInput("Give either one QUESTION or --questions FILE.jsonl, not both.")
        kind = METHOD.batches["questions"]
        return running.run_batch(values, kind, lambda: _batch(kind, values, wishes, read_questions(values["questions"], wishes)))
    running.refuse(values, running.OF_A_BATCH, "belongs to a batch; name its questions with --questions FILE.jsonl.")
    if question is None:
        raise BadInput("There is no question; give one in quotes, or a file of them with --questions FILE.jsonl --into DIR.")
    running.check_save(values)
    from ...engines.method import begin
    from ...engines.rag.starting import address

    starter = flags.workshop(attended=values["tui"])
    header = begin(wishes.about(question=question), starter)
    if values["tui"]:
        if address(wishes) is not None:
            raise BadInput("--tui needs a retriever with a name: put its address under `retrievers:` in config.yaml.")
        return running.in_app(header, values)
    tools = running.tools_for(starter, url=address(wishes))
    METHOD.open(header, tools)
    return running.run_one(header, starter, tools, values)


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.jsonl")
@flags.option_flags(SETTINGS, VERIFYING)
@running.both_options
@running.batch_options
@running.equivalence_option
def verify(file: Path, **values: Any) -> int:
    """Verify the answers in FILE.jsonl, which somebody else gave: a line is {"question", "answer", "references"}. Nothing is generated.

    The names that ragas and RAGChecker use are understood too. A line without references is verified against what is found with
    --corpus, --web or --retriever, or else against the accepted answers that it names.
    """
    from ...engines.rag.method import METHOD
    from ...engines.rag.questions import read_answers

    interface(values["lang"])
    wishes = flags.wishes_of(SETTINGS, values)

    kind = METHOD.batches["answers"]

    def batch() -> Batch:
        lines, remarks = read_answers(file, wishes)
        for sentence in remarks:
            console.say(sentence)
        return _batch(kind, values, wishes, lines)

    return running.run_batch(values, kind, batch)


def _batch(kind: BatchKind, values: dict[str, Any], wishes: Wishes, lines: list[Question]) -> Batch:
    from ...engines.batches.batch import Batch, headers_of
    from ...engines.batches.equivalence import Equivalence
    from ...engines.rag.method import METHOD
    from ...engines.rag.starting import address

    starter = flags.workshop(many=True)

    headers = headers_of(lines, lambda wanted: METHOD.begin(wanted, starter))
    addresses = {address(line.wishes) for line in lines} - {None}
    if len(addresses) > 1:
        raise BadInput("The lines name several addresses of retrievers; give them names under `retrievers:` in config.yaml.")
    return Batch(
        kind,
        lines,
        headers,
        wishes.given(),
        METHOD,
        running.tools_for(starter, alone=False, url=next(iter(addresses), None)),
        Equivalence.of(values["equivalence"], starter.config),
    )
