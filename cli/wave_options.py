"""`--batch-api`, `--requests-to`, `--replies-from`, `--live-rest`: calls at the price
of batches, and what an estimate says of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..sessions.errors import BadInput, cause
from ..texts import t
from ..texts.amounts import money
from . import console
from .flags import PATH

if TYPE_CHECKING:
    from ..engines.batches.estimate import CostEstimate
    from ..engines.batches.event_makers import EventMakers
    from ..engines.batches.waves.waves import Waves
    from ..engines.tools import Tools

Command = Callable[..., Any]

OPTIONS: list[Callable[[Command], Command]] = [
    click.option("--batch-api", is_flag=True),
    click.option("--requests-to", type=PATH, metavar="FILE"),
    click.option("--replies-from", type=PATH, multiple=True, metavar="FILE"),
    click.option("--live-rest", is_flag=True),
    click.option("--live-up-to", type=click.IntRange(1, 1000), metavar="N"),
    click.option("--live-max-usd", type=float, metavar="X"),
]
FOLDER = "waves"
NAMES = (
    "batch_api",
    "requests_to",
    "replies_from",
    "live_rest",
    "live_up_to",
    "live_max_usd",
)


def wanted(values: Mapping[str, Any]) -> bool:
    """Whether the calls are to go in waves.

    Raises: BadInput for options that do not go together.
    """
    given = (
        values["batch_api"]
        or values["requests_to"] is not None
        or bool(values["replies_from"])
    )
    if values["batch_api"] and values["requests_to"] is not None:
        raise BadInput(t("wrong.waves.both"))
    if given and values["ray"] is not None:
        raise BadInput(t("wrong.waves.ray"))
    if values["live_rest"] and not given:
        raise BadInput(t("wrong.waves.live_rest"))
    _check_live(values["live_up_to"], values["live_max_usd"], values["batch_api"])
    return given


def _check_live(up_to: int | None, most: float | None, batch_api: bool) -> None:
    """Raises: BadInput where small waves cannot be made as calls as was said."""
    if (up_to is None) != (most is None):
        raise BadInput(t("wrong.waves.live_both"))
    if up_to is not None and not batch_api:
        raise BadInput(t("wrong.waves.live_alone"))
    if most is not None and not 0 < most < float("inf"):
        raise BadInput(t("wrong.waves.live_usd"))


def waves_of(values: Mapping[str, Any], tools: Tools, shards: int = 1) -> Waves:
    """Makes the events in waves, as the options say, in one of so many shards.

    Raises: BadInput.
    """
    from ..engines.batches.waves.waves import WaveOptions, Waves

    requests, replies = values["requests_to"], values["replies_from"]
    if requests is not None and os.path.lexists(requests):
        raise BadInput(t("wrong.waves.exists", path=requests))
    if requests is not None:
        try:
            requests.parent.stat()
        except OSError as error:
            raise BadInput(
                t("wrong.file.not_written", path=requests, why=cause(error))
            ) from None
    missing = next((path for path in replies if not path.is_file()), None)
    if missing is not None:
        raise BadInput(t("wrong.waves.no_file", path=missing))
    plan = WaveOptions(
        "provider" if values["batch_api"] else "nobody" if requests is None else "file",
        requests,
        replies,
        values["live_rest"],
        values.get("retries") or 0,
        values["live_up_to"] or 0,
        (values["live_max_usd"] or 0.0) / shards,
    )
    return Waves((values["into"] or Path()) / FOLDER, tools.config, plan)


def say_left(into: Path | None) -> None:
    """Says where providers still work on waves of a folder that is now gone on with by
    calls.
    """
    if into is None or not (into / FOLDER).is_dir():
        return
    from ..engines.batches.waves.outbox import WaveOutbox

    left = sum(
        part.planned.requests for part in WaveOutbox.open(into / FOLDER).under_way
    )
    if left:
        console.say(t("waves.forgotten", n=left))


def about(makers: EventMakers, estimate: CostEstimate) -> dict[str, Any]:
    """What an estimate says of waves, as JSON; empty where there are none."""
    from ..engines.batches.waves.waves import Waves

    if isinstance(makers, Waves):
        return {"batch_api": makers.about(estimate)}
    return {}


def about_in_words(makers: EventMakers, estimate: CostEstimate) -> str:
    """The same for people, in lines."""
    found = about(makers, estimate).get("batch_api")
    if found is None:
        return ""
    told = t("report.waves.estimate", n=found["waves"], hours=found["hours"]) + "\n"
    if found["half_assumed"]:
        told += (
            t("report.waves.assumed", models=", ".join(found["half_assumed"])) + "\n"
        )
    if "live_up_to" in found:
        told += (
            t(
                "report.waves.live",
                n=found["live_up_to"],
                calls=f"{found['live_calls']:,}",
                price=money(found["live_usd"]),
                most=money(found["live_max_usd"]),
            )
            + "\n"
        )
    return told
