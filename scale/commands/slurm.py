"""`verifytui slurm`: writes the script that runs a batch or a study as a Slurm array,
and then merges it.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from ...cli import console
from ...cli.command import command
from ...cli.flags import PATH, typed_option, workshop
from ...sessions.clean import clean
from ...sessions.errors import bad_input

MOST_TASKS = 1000
"""Maximum number of tasks in an array, if a cluster sets no limit."""
TIME = r"\d+|\d+:\d\d|\d+:\d\d:\d\d|\d+-\d+(?::\d\d){0,2}"
MEMORY = r"[1-9]\d*[KMGT]?"
NAME = r"[A-Za-z0-9_][A-Za-z0-9_.,-]{0,79}"
NOT_DEALT = ("shard", "shards", "detach", "dry_run", "requests_to", "replies_from")
"""Options of the command that do not work in an array."""

SCRIPT = """\
#!/bin/bash
# Written by `verifytui slurm`. Submit it from the login node:
#   bash {script}
# This submits {tasks} tasks, which run one shard of the command each, and a job that
# merges the shards when all tasks have ended. To continue unfinished work, submit it
# again.
# No file contains a key. Slurm passes on your environment{keys}.
#SBATCH --job-name={name}
#SBATCH --array=1-{tasks}
#SBATCH --time={time}
#SBATCH --cpus-per-task={cpus}
#SBATCH --mem={memory}
{partition}#SBATCH --signal=B:TERM@120
set -u

if [ -z "${{SLURM_ARRAY_TASK_ID:-}}" ]; then
  job=$(sbatch --parsable "$0") || exit
  sbatch --parsable --dependency="afterany:${{job%%;*}}" --job-name={name}-merge \\
    --time={time} --cpus-per-task=1 --mem={memory}{partition_of_merge} <<'MERGE'
#!/bin/bash
cd -- {cwd} || exit
exec {merge}
MERGE
  exit
fi

cd -- {cwd} || exit
# Two minutes before its time limit, a task writes its report and exits.
trap 'kill -TERM "$!"; wait "$!"; exit' TERM
{run} &
wait "$!"
"""


class Inner(NamedTuple):
    """The command to split into shards."""

    words: list[str]
    """As typed, without `--into`."""
    into: Path


@command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--tasks",
    type=click.IntRange(2, MOST_TASKS),
    required=True,
    metavar="N",
)
@typed_option("--time", str, "TIME", "12:00:00")
@click.option("--partition", metavar="NAME")
@click.option(
    "--cpus",
    type=click.IntRange(1, 256),
    default=2,
    show_default=True,
)
@typed_option("--mem", str, "SIZE", "4G")
@typed_option("--name", str, "NAME", "verifytui")
@click.option("-o", "--output", type=PATH, required=True, metavar="FILE")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="COMMAND…")
@click.pass_context
def slurm(ctx: click.Context, /, output: Path, **values: Any) -> int:
    """Asks nothing. Writes only the script, and only if the command could run."""
    from ...sessions.files import write_new

    _check(values, output)
    inner = _inner(ctx, list(values["words"]))
    data = script(output, inner, values).encode()
    code = _dry_run(ctx, [*inner.words, "--into", str(inner.into)])
    if code != console.DONE:
        return code
    write_new(output, data)
    output.chmod(0o700)
    send = shlex.join(["bash", str(output)])
    console.tell(
        "report.said.slurm",
        path=output,
        n=values["tasks"],
        send=send,
    )
    return console.DONE


def _check(values: Mapping[str, Any], output: Path) -> None:
    """Raises: BadInput if the quoting of a line would change its meaning."""
    forms = {"time": TIME, "mem": MEMORY, "partition": NAME, "name": NAME}
    for name, form in forms.items():
        value = values[name]
        if value is not None and not re.fullmatch(form, value, re.ASCII):
            shown = clean(value, newlines=False)
            raise bad_input(f"wrong.slurm.{name}", value=shown)
    if not str(output).isprintable():
        raise bad_input("wrong.slurm.control")
    if os.path.lexists(output):
        raise bad_input("wrong.slurm.exists", path=output)


def _inner(ctx: click.Context, words: list[str]) -> Inner:
    """Parses and checks the command. Raises: BadInput, ClickException."""
    from ...engines.models.keys import hide, sent_from

    sent_from(os.environ, workshop().config.key_variables)
    if hide("\n".join(words))[1]:
        raise bad_input("wrong.slurm.key")
    if any(not word.isprintable() for word in (*words, os.getcwd())):
        raise bad_input("wrong.slurm.control")
    given = _values(ctx, words)
    if "shard" not in given:
        raise bad_input("wrong.slurm.command", word=" ".join(words[:1]))
    for name in NOT_DEALT:
        if given.get(name):
            raise bad_input("wrong.slurm.option", option=name.replace("_", "-"))
    if given["into"] is None:
        raise bad_input("wrong.command.into")
    if "-" in words or "--" in words:
        raise bad_input("wrong.slurm.stdin")
    bare = _without_into(words)
    if _values(ctx, bare) != {**given, "into": None}:
        raise bad_input("wrong.slurm.into_once")
    return Inner(bare, given["into"])


def _values(ctx: click.Context, words: Sequence[str]) -> dict[str, Any]:
    """The parsed options of the command; runs nothing. Raises: ClickException."""
    with _context(ctx, words) as made:
        return dict(made.params)


def _context(ctx: click.Context, words: Sequence[str]) -> click.Context:
    parent, left = ctx.find_root(), list(words)
    found: click.Command | None = parent.command
    while isinstance(found, click.Group):
        if not left:
            raise bad_input("wrong.slurm.command", word="")
        name, found, left = found.resolve_command(parent, left)
        if found is None:
            raise bad_input("wrong.slurm.command", word=name or "")
        if not isinstance(found, click.Group):
            return found.make_context(name, left, parent=parent)
        parent = click.Context(found, info_name=name, parent=parent)
    raise bad_input("wrong.slurm.command", word="")


def _without_into(words: Sequence[str]) -> list[str]:
    kept, left = [], iter(words)
    for word in left:
        if word == "--into":
            next(left, None)
        elif not word.startswith("--into="):
            kept.append(word)
    return kept


def _dry_run(ctx: click.Context, words: Sequence[str]) -> int:
    """Checks the command as it would run, and prints its estimated cost."""
    with _context(ctx, [*words, "--dry-run"]) as made:
        code = made.command.invoke(made)
    if isinstance(code, int):
        return code
    return console.DONE


def script(path: Path, inner: Inner, values: Mapping[str, object]) -> str:
    """The text of the script, quoted for the shell."""
    from ...cli.detach import door

    tasks, partition = values["tasks"], values["partition"]
    start, place = shlex.join(door()), shlex.quote(f"{inner.into}-")
    dealt = shlex.join([*inner.words, "--shard", "auto", "--shards", str(tasks)])
    folders = f"{place}{{1..{tasks}}}of{tasks}"
    named = _keys_here()
    return SCRIPT.format(
        script=shlex.quote(str(path)),
        tasks=tasks,
        keys=f", from which they come: {', '.join(named)}" if named else "",
        name=values["name"],
        time=values["time"],
        cpus=values["cpus"],
        memory=values["mem"],
        partition=f"#SBATCH --partition={partition}\n" if partition else "",
        partition_of_merge=f" --partition={partition}" if partition else "",
        cwd=shlex.quote(os.getcwd()),
        merge=f"{start} merge {folders} --into {shlex.quote(str(inner.into))}",
        run=f'{start} {dealt} \\\n  --into {place}"$SLURM_ARRAY_TASK_ID"of{tasks}',
    )


def _keys_here() -> list[str]:
    """The variables of this environment that hold the keys of the models."""
    from ...engines.models.providers import PROVIDERS

    known = {name for one in PROVIDERS.values() for name in one.keys}
    known |= {name for name in workshop().config.key_variables if name is not None}
    return sorted(name for name in known if os.environ.get(name))
