"""Options of batches and studies: where they run, and what creates the events.

Plugins add options through the entry points `verifytui.runners`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..sessions import plugins
from .flags import (
    PATH,
    GiveOption,
    flag_option,
    many_option,
    typed_option,
    whole_option,
)
from .runner import Runner, RunPart

if TYPE_CHECKING:
    from ..engines.batches.event_makers import EventMakers
    from ..engines.batches.state import Limits
    from ..engines.figures.gates import Gates
    from ..engines.figures.measure import Measure
    from ..engines.tools import Tools

RUNNERS: Sequence[Runner] = tuple(plugins.every("runners").values())
dry_run_option = flag_option("--dry-run")
probe_option = flag_option("--probe")
detach_option = flag_option("--detach")
retries_option = whole_option("--retries", 0, 100)
concurrency_option = whole_option("--concurrency", 1, 1000)
LIMITS: list[GiveOption] = [
    concurrency_option,
    whole_option("--budget-tokens", 1),
    typed_option("--budget-usd", float, "X"),
]
GATES: list[GiveOption] = [
    many_option("--fail-under", "MEASURE=X"),
    many_option("--fail-over", "MEASURE=X"),
    typed_option("--max-unread", float, "SHARE"),
    typed_option("--min-coverage", float, "SHARE"),
]
CERTIFICATES: list[GiveOption] = [
    flag_option("--require-certified"),
    many_option("--certificate", "FILE", PATH),
]
commands_option = flag_option("--allow-commands")
"""Of every command that begins many sessions: see `flags.workshop`."""
OPTIONS_OF_MAKERS: list[GiveOption] = [
    *(option for one in RUNNERS if not one.splits for option in one.options),
    retries_option,
]
OPTIONS: list[GiveOption] = [
    *(option for one in RUNNERS for option in one.options),
    retries_option,
    detach_option,
    commands_option,
]


def part_of(values: Mapping[str, object]) -> RunPart | None:
    """The part of the run that the options name; None: the whole. Raises: BadInput."""
    return next((part for one in RUNNERS if (part := one.part(values))), None)


def makers_of(values: Mapping[str, object], tools: Tools) -> EventMakers:
    """Return the event makers that the options select. Raises: BadInput."""
    from ..engines.batches.event_makers import LocalMakers

    part = part_of(values)
    parts = 1 if part is None else part.of
    makers = [one.makers(values, tools, parts) for one in RUNNERS]
    return next((one for one in makers if one is not None), None) or LocalMakers()


def limits_of(
    values: Mapping[str, Any], tokens: int | None = None, usd: float | None = None
) -> Limits:
    """Return the limits that the options set.

    `tokens`, `usd`: the limits to use where an option is not given.
    """
    from ..engines.batches.state import Limits

    return Limits(
        values["concurrency"] or 16,
        values["budget_tokens"] or tokens,
        values["budget_usd"] or usd,
        values["retries"] or 0,
    )


def gates_of(values: Mapping[str, Any], measures: Mapping[str, Measure]) -> Gates:
    """The gates that options name. Raises: BadInput."""
    from ..engines.figures.gates import parse_gates

    return parse_gates(
        values["fail_under"],
        values["fail_over"],
        values["max_unread"],
        values["min_coverage"],
        measures,
        require_certified=values.get("require_certified", False),
    )
