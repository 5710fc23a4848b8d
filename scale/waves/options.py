"""`--batch-api`, `--requests-to`, `--replies-from`, `--live-rest`: calls at batch
prices, and their estimate.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...cli import console
from ...cli.flags import (
    PATH,
    GiveOption,
    flag_option,
    many_option,
    typed_option,
    whole_option,
)
from ...cli.runner import Runner
from ...sessions.errors import bad_input, not_written

if TYPE_CHECKING:
    from ...engines.tools import Tools
    from .waves import Waves

OPTIONS: list[GiveOption] = [
    flag_option("--batch-api"),
    typed_option("--requests-to", PATH, "FILE"),
    many_option("--replies-from", "FILE", PATH),
    flag_option("--live-rest"),
    whole_option("--live-up-to", 1, 1000),
    typed_option("--live-max-usd", float, "X"),
]
FOLDER = "waves"


def wanted(values: Mapping[str, Any]) -> bool:
    """Whether the calls are sent in waves.

    Raises: BadInput for incompatible options.
    """
    given = (
        values["batch_api"]
        or values["requests_to"] is not None
        or bool(values["replies_from"])
    )
    if values["batch_api"] and values["requests_to"] is not None:
        raise bad_input("wrong.waves.both")
    if given and values.get("ray") is not None:
        raise bad_input("wrong.waves.ray")
    if values["live_rest"] and not given:
        raise bad_input("wrong.waves.live_rest")
    _check_live(values["live_up_to"], values["live_max_usd"], values["batch_api"])
    return given


def _check_live(up_to: int | None, most: float | None, batch_api: bool) -> None:
    """Raises: BadInput if the options for small waves are incomplete."""
    if (up_to is None) != (most is None):
        raise bad_input("wrong.waves.live_both")
    if up_to is not None and not batch_api:
        raise bad_input("wrong.waves.live_alone")
    if most is not None and not 0 < most < float("inf"):
        raise bad_input("wrong.waves.live_usd")


def waves_of(values: Mapping[str, Any], tools: Tools, shards: int = 1) -> Waves:
    """Creates the event makers for waves from the options, in one of this many shards.

    Raises: BadInput.
    """
    from .waves import WaveOptions, Waves

    requests, replies = values["requests_to"], values["replies_from"]
    if requests is not None and os.path.lexists(requests):
        raise bad_input("wrong.waves.exists", path=requests)
    if requests is not None:
        try:
            requests.parent.stat()
        except OSError as error:
            raise not_written(requests, error) from None
    missing = next((path for path in replies if not path.is_file()), None)
    if missing is not None:
        raise bad_input("wrong.waves.no_file", path=missing)
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
    """Reports providers that still process waves of a folder that is now continued with
    calls.
    """
    if into is None or not (into / FOLDER).is_dir():
        return
    from .outbox import WaveOutbox

    left = sum(
        part.planned.requests for part in WaveOutbox.open(into / FOLDER).under_way
    )
    if left:
        console.tell("waves.forgotten", n=left)


class _WavesRunner(Runner):
    options = OPTIONS

    def makers(
        self, values: Mapping[str, Any], tools: Tools, parts: int
    ) -> Waves | None:
        """See `Runner`."""
        if wanted(values):
            return waves_of(values, tools, parts)
        say_left(values["into"])
        return None


WAVES = _WavesRunner()
