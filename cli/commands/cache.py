"""`cache`: the replies that are held for equal requests to come."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...sessions.paths import paths
from ...texts import t
from .. import console
from ..command import group
from ..flags import output_option

if TYPE_CHECKING:
    from ...engines.models.cache import Cache


@group(invoke_without_command=True)
@output_option
@click.pass_context
def cache(ctx: click.Context, output: str) -> int | None:
    """Say how many replies of models are held, and how large they are; or forget them
    with a sub-command.
    """
    if ctx.invoked_subcommand is not None:
        return None
    held = _cache()
    found = held.held()
    _say_problem(held)
    if output == "json":
        console.out_json(
            {"replies": found.replies, "bytes": found.bytes, "path": str(found.path)}
        )
    else:
        console.out(
            t(
                "report.said.held",
                replies=found.replies,
                mb=found.bytes / 1e6,
                path=found.path,
            )
        )
    return console.DONE


@cache.command()
def clear() -> int:
    """Forget all replies: from now on every model is asked."""
    held = _cache()
    forgotten = held.clear()
    _say_problem(held)
    console.out(t("report.said.forgotten", forgotten=forgotten))
    return console.DONE


def _cache() -> Cache:
    from ...engines.models.cache import cache_in

    return cache_in(paths().cache)


def _say_problem(held: Cache) -> None:
    problem = held.problem()
    if problem is not None:
        console.say(problem.sentence)
