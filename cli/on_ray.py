"""`--ray` and `--ray-workers`: the events are made by workers on Ray."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from ..sessions.errors import BadInput
from ..texts import t

if TYPE_CHECKING:
    from ..engines.batches.cluster.driver import OnRay
    from ..engines.tools import Tools

Command = Callable[..., Any]

OPTIONS: list[Callable[[Command], Command]] = [
    click.option("--ray", is_flag=False, flag_value="local", metavar="[ADDRESS]"),
    click.option("--ray-workers", type=click.IntRange(1, 1000), metavar="N"),
]
NAMES = ("ray", "ray_workers")


def makers(values: Mapping[str, Any], tools: Tools) -> OnRay | None:
    """The workers that the options ask for; None without `--ray`. Raises: BadInput."""
    address, workers = values["ray"], values["ray_workers"]
    if address is None:
        if workers is not None:
            raise BadInput(t("wrong.ray.workers"))
        return None
    from ..engines.batches.cluster.connect import Connection, Wanted
    from ..engines.batches.cluster.crew import Crew
    from ..engines.batches.cluster.driver import OnRay
    from ..engines.method import method

    wanted = Wanted(address, workers)
    wanted.check()
    return OnRay(Crew(Connection(wanted, method, tools.config)))
