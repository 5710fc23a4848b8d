"""The command of a method that is asked one thing, or every line of a file: a topic, a
question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..sessions.errors import Faults, bad_input
from ..texts import t
from . import flags, run_commands
from .command import command
from .stdin import piped_text

if TYPE_CHECKING:
    from ..engines.settings import Settings


def command_of(name: str) -> click.Command:
    """The command of a method that brings none of its own: it asks for one of the lines
    of the method's usual batches.
    """
    from ..engines.method import method
    from ..engines.settings import settings_of

    return asking_command(name, settings_of(name), next(iter(method(name).batches)))


def asking_command(
    name: str,
    declared: Settings,
    many: str,
    more: Sequence[Callable[[flags.Command], flags.Command]] = (),
    many_runner: Callable[..., int] = run_commands.run_lines,
    **task: tuple[flags.Command, Callable[[Any], Any]],
) -> click.Command:
    """The command of a method whose `begin` takes one of `many`: a topic of `topics`,
    which `--topics` reads from a file.

    `more`: further options without a value. `many_runner`: runs a file of them. `task`:
    other inputs of a session, by their names in the task and on the command line: the
    option, and the reader of its value.
    """
    one = many.removesuffix("s")

    def asked_for(**values: Any) -> int:
        from ..engines.method import method as method_named

        method, wishes = (
            method_named(declared.method),
            flags.wishes_of(declared, values),
        )
        asked, others = values.pop(one), {name: values.pop(name) for name in task}
        if values[many] is not None:
            if asked is not None:
                raise bad_input(
                    "wrong.command.one_or_many", upper=one.upper(), many=many
                )
            run_commands.refuse(others, tuple(others), t("wrong.command.of_one"))
            return many_runner(method, many, values[many], values, wishes)
        if asked == "-":
            asked = piped_text()
        faults = _single_faults(one, many, asked, values)
        about = {
            name: task[name][1](value)
            for name, value in others.items()
            if value is not None
        }
        about = {one: asked, **about}
        return run_commands.run_new(
            method, lambda starter: wishes.about(**about), values, faults=faults
        )

    options: list[flags.Command] = [
        run_commands.equivalence_option,
        run_commands.batch_options,
        *(option for option, _ in task.values()),
        flags.typed_option(f"--{many}", flags.PATH, "FILE.jsonl"),
        *more,
        flags.events_option,
        run_commands.one_option,
        flags.option_flags(declared),
    ]
    run = flags.with_options(options[::-1])(asked_for)
    return command(name)(click.argument(one, required=False)(run))


def _single_faults(
    one: str, many: str, asked: str | None, values: Mapping[str, object]
) -> Faults:
    """List the faults in the options of a single session.

    Raises: BadInput if there is nothing to ask.
    """
    faults, of_batch = Faults(), t("wrong.command.of_batch", many=many)
    faults.of(lambda: run_commands.refuse(values, run_commands.OF_A_BATCH, of_batch))
    if asked is None:
        faults.add(t("wrong.command.nothing_asked", noun=one, many=many))
        faults.refuse()
    return faults
