"""The command of a method that is about a topic: one topic, or every topic of a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..sessions.errors import BadInput
from . import flags, running
from .screen import interface

if TYPE_CHECKING:
    from ..engines.batches.batch import Batch
    from ..engines.method import Method
    from ..engines.settings import Settings
    from ..engines.starting import Wishes

TOPICS = click.option(
    "--topics", type=click.Path(path_type=Path), metavar="FILE.jsonl", help='Batch: a line is {"id", "topic"} and any option of its own.'
)


def topic_command(declared: Settings, text: str, **task: tuple[flags.Command, Callable[[Any], Any]]) -> click.Command:
    """The command of a method whose `begin` takes a topic. `text`: its help.

    `task`: what else one session can be about, by its name in the task and on the command line: the option, and what reads its value.
    """

    def command(topic: str | None, **values: Any) -> int:
        from ..engines.method import method as method_named

        interface(values["lang"])
        method, wishes = method_named(declared.method), flags.wishes_of(declared, values)
        more = {name: values.pop(name) for name in task}
        if values["topics"] is not None:
            if topic is not None:
                raise BadInput("Give either one TOPIC or --topics FILE.jsonl, not both.")
            running.refuse(more, tuple(more), "is for one topic, not for a batch.")
            return running.run_batch(values, method.batches["topics"], lambda: _batch(method, values, wishes))
        running.refuse(values, running.OF_A_BATCH, "belongs to a batch; name its topics with --topics FILE.jsonl.")
        if topic is None:
            raise BadInput("There is no topic; give one in quotes, or a file of them with --topics FILE.jsonl --into DIR.")
        running.check_save(values)
        starter = flags.workshop(attended=values["tui"])
        about = {name: task[name][1](value) for name, value in more.items() if value is not None}
        header = method.begin(wishes.about(topic=topic, **about), starter)
        if values["tui"]:
            return running.in_app(header, values)
        return running.run_one(header, starter, running.tools_for(starter), values)

    for option in (running.equivalence_option, running.batch_options, *(option for option, _ in task.values()), TOPICS):
        option(command)
    for option in (running.both_options, running.one_option, flags.option_flags(declared)):
        option(command)
    return click.command(declared.method, help=text)(click.argument("topic", required=False)(command))


def _batch(method: Method, values: dict[str, Any], wishes: Wishes) -> Batch:
    from ..engines.batches.batch import Batch, headers_of
    from ..engines.batches.equivalence import Equivalence

    kind, starter = method.batches["topics"], flags.workshop()
    lines, _ = kind.read(values["topics"], wishes)
    headers = headers_of(lines, lambda wanted: method.begin(wanted, starter))
    equivalence = Equivalence.of(values["equivalence"], starter.config)
    return Batch(kind, lines, headers, wishes.given(), method, running.tools_for(starter, alone=False), equivalence)
