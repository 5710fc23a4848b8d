"""`--ray` and `--ray-workers`: makes the events with workers on Ray."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ...cli.flags import GiveOption, whole_option
from ...cli.runner import Runner
from ...sessions.errors import bad_input

if TYPE_CHECKING:
    from ...engines.tools import Tools
    from .driver import RayMakers

OPTIONS: list[GiveOption] = [
    click.option("--ray", is_flag=False, flag_value="local", metavar="[ADDRESS]"),
    whole_option("--ray-workers", 1, 1000),
]


class _RayRunner(Runner):
    options = OPTIONS

    def makers(
        self, values: Mapping[str, Any], tools: Tools, parts: int
    ) -> RayMakers | None:
        """See `Runner`: None without `--ray`."""
        address, workers = values["ray"], values["ray_workers"]
        if address is None:
            if workers is not None:
                raise bad_input("wrong.ray.workers")
            return None
        from ...engines.method import method
        from .connect import ClusterOptions, Connection
        from .driver import RayMakers
        from .worker_pool import WorkerPool

        wanted = ClusterOptions(address, workers)
        wanted.check()
        return RayMakers(WorkerPool(Connection(wanted, method, tools.config)))


RAY = _RayRunner()
