"""`--ray` and `--ray-workers`: the events are made by workers on Ray."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from ..sessions.errors import BadInput
from ..texts import t

if TYPE_CHECKING:
    from ..engines.batches.cluster.driver import RayMakers
    from ..engines.tools import Tools

Command = Callable[..., Any]

OPTIONS: list[Callable[[Command], Command]] = [
    click.option("--ray", is_flag=False, flag_value="local", metavar="[ADDRESS]"),
    click.option("--ray-workers", type=click.IntRange(1, 1000), metavar="N"),
]
NAMES = ("ray", "ray_workers")


def makers(values: Mapping[str, Any], tools: Tools) -> RayMakers | None:
    """The workers that the options ask for; None without `--ray`. Raises: BadInput."""
    address, workers = values["ray"], values["ray_workers"]
    if address is None:
        if workers is not None:
            raise BadInput(t("wrong.ray.workers"))
        return None
    from ..engines.batches.cluster.connect import ClusterOptions, Connection
    from ..engines.batches.cluster.driver import RayMakers
    from ..engines.batches.cluster.worker_pool import WorkerPool
    from ..engines.method import method

    wanted = ClusterOptions(address, workers)
    wanted.check()
    return RayMakers(WorkerPool(Connection(wanted, method, tools.config)))
