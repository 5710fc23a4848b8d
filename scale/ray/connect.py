"""Connects to Ray: a new cluster on this machine, or an existing one. Imports Ray only
on use.

Blocking calls run in one thread, so that the event loop continues and the processes of
a new cluster, which end with the thread that started them, live as long as the run.
"""

from __future__ import annotations

import asyncio
import os
import queue
import re
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from ...engines.threads import in_thread
from ...sessions.clean import clean
from ...sessions.errors import bad_input, cause
from ...sessions.installation import install_command
from ...texts import language, t

if TYPE_CHECKING:
    from ...engines.models.config import Config
    from .worker import Hello, Players

T = TypeVar("T")

OWN = "local"
"""The address for a new cluster on this machine."""
MOST_OWN = 8
"""Default number of workers in a new cluster."""
CONNECTING = 90.0
"""Seconds to start or join a cluster."""
REACHING = 10.0
"""Seconds for the first connection to another machine."""
BEGINNING = 60.0
"""Seconds for a worker to start. It does not start if the cluster has no room."""
ENDING = 15.0
"""Seconds to leave the cluster."""
STORE = 80 << 20
"""Bytes of Ray's object store on this machine; messages are small."""

_ADDRESS = re.compile(r"auto|local|[A-Za-z0-9_.\[\]:-]+:[0-9]{1,5}")


@dataclass(frozen=True)
class ClusterOptions:
    """The location and number of the workers."""

    address: str
    """`local`, `auto`, or HOST:PORT of a cluster."""
    workers: int | None = None
    """None: one per processor of this machine, or per node of the cluster."""

    def check(self) -> None:
        """Raises: BadInput if Ray is not installed, or the address is invalid."""
        if find_spec("ray") is None:
            raise bad_input("wrong.ray.missing", install=install_command("ray"))
        if not _ADDRESS.fullmatch(self.address):
            raise bad_input("wrong.ray.address", address=self.address)


class Connection:
    """The connection of this process to a cluster."""

    def __init__(
        self, wanted: ClusterOptions, players: Players, config: Config
    ) -> None:
        """`players`: the methods by name, for the workers; the object is sent by its
        import name.
        """
        self.workers = 0
        """The requested number, once the cluster is open."""
        self._wanted = wanted
        self._made_with = players, msgspec.json.encode(_for_workers(config)), language()
        self._thread = _Thread()
        self._folder: Path | None = None
        self._before: dict[str, str | None] = {}
        self._joined = self._closed = False
        self._actor: Any = None

    async def open(self) -> str:
        """Starts or joins the cluster. Returns a message for the user.

        Raises: BadInput.
        """
        await self._reach()
        try:
            async with asyncio.timeout(CONNECTING):
                await self._thread.do(self._open)
        except TimeoutError:
            raise bad_input(
                "wrong.ray.slow",
                address=self._wanted.address,
                seconds=f"{CONNECTING:.0f}",
            ) from None
        own = self._wanted.address == OWN
        return t(
            "batch.ray_own" if own else "batch.ray_joined",
            n=self.workers,
            address=self._wanted.address,
        )

    async def _reach(self) -> None:
        """Raises BadInput if nothing listens at the address: Ray would try for minutes
        and print its own messages.
        """
        host, colon, port = self._wanted.address.rpartition(":")
        if not colon:
            return
        try:
            async with asyncio.timeout(REACHING):
                _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
            writer.close()
        except (OSError, OverflowError, TimeoutError) as error:
            why = (
                t("wrong.ray.no_answer")
                if isinstance(error, ConnectionError | TimeoutError)
                else cause(error)
            )
            raise bad_input(
                "wrong.ray.join", address=self._wanted.address, why=why
            ) from None

    async def hire(self) -> tuple[Any, Hello]:
        """Starts a worker. Raises: BadInput if none can start."""
        from ... import __version__
        from .worker import Hello

        try:
            actor = await self._thread.do(self._hire)
        except Exception as error:
            raise bad_input("wrong.ray.worker", why=_cause(error)) from None
        try:
            async with asyncio.timeout(BEGINNING):
                hello = msgspec.json.decode(await actor.hello.remote(), type=Hello)
        except TimeoutError:
            self.dismiss(actor)
            raise bad_input("wrong.ray.no_room") from None
        except asyncio.CancelledError:
            self.dismiss(actor)
            raise
        except Exception as error:
            self.dismiss(actor)
            raise bad_input("wrong.ray.worker", why=_cause(error)) from None
        if hello.version != __version__:
            self.dismiss(actor)
            raise bad_input(
                "wrong.ray.version",
                node=hello.node,
                node_version=hello.version,
                version=__version__,
            )
        return actor, hello

    def dismiss(self, actor: Any) -> None:
        """Ends a worker without waiting."""
        self._thread.begin(lambda: _kill(actor))

    async def close(self, actors: Sequence[Any]) -> None:
        """Ends these workers and leaves the cluster; ends a cluster started here.
        Abandons a cluster that no longer answers.
        """
        for actor in actors:
            self.dismiss(actor)
        with suppress(TimeoutError):
            async with asyncio.timeout(ENDING):
                await self._thread.do(self._close)
        self._thread.end()

    # ---------------------------------------------------------------- in the thread

    def _open(self) -> None:
        own = self._wanted.address == OWN
        settings = {
            "RAY_USAGE_STATS_ENABLED": "0",
            # a call that comes after the end must not begin another cluster
            "RAY_ENABLE_AUTO_CONNECT": "0",
            "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
            # Ray would end this process without a word
            "RAY_gcs_rpc_server_reconnect_timeout_s": "86400",
        }
        if own:
            self._folder = Path(tempfile.mkdtemp(prefix="verifytui-ray-"))
            token = self._folder / "token"
            token.touch(0o600)
            token.write_text(_secret())
            settings |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token)}
        self._before = {name: os.environ.get(name) for name in settings}
        os.environ.update(settings)
        import ray

        if ray.is_initialized():
            self._joined = False
        else:
            try:
                self._init(ray, own)
            except Exception as error:
                raise bad_input(
                    "wrong.ray.join",
                    address=self._wanted.address,
                    why=_short(str(error) or type(error).__name__),
                ) from None
            self._joined = True
            _silence()
        nodes = [
            node
            for node in self._nodes(ray)
            if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
        ]
        self.workers = self._wanted.workers or (
            self._own_workers() if own else max(1, len(nodes))
        )
        from .worker import Worker

        self._actor = ray.remote(Worker).options(
            num_cpus=1, max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD"
        )

    def _init(self, ray: Any, own: bool) -> None:
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}
        if not own:
            ray.init(address=self._wanted.address, **quiet)
            return
        ray.init(
            address="local",
            num_cpus=self._wanted.workers or self._own_workers(),
            num_gpus=0,
            include_dashboard=False,
            object_store_memory=STORE,
            _temp_dir=str(self._folder),
            _node_ip_address="127.0.0.1",
            **quiet,
        )

    def _nodes(self, ray: Any) -> list[dict[str, Any]]:
        return list(ray.nodes())

    def _own_workers(self) -> int:
        return min(os.cpu_count() or 1, MOST_OWN)

    def _hire(self) -> Any:
        if self._closed:
            raise bad_input("wrong.ray.no_room")
        return self._actor.remote(*self._made_with)

    def _close(self) -> None:
        self._closed = True
        if self._joined:
            import ray

            self._joined = False
            ray.shutdown()
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


class _Thread:
    """A thread that makes calls one after another. The process does not wait for it to
    end.
    """

    def __init__(self) -> None:
        self._todo: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def begin(self, work: Callable[[], object]) -> None:
        """Queues `work`. Ignores its errors."""

        def run() -> None:
            with suppress(Exception):
                work()

        self._put(run)

    async def do(self, work: Callable[[], T]) -> T:
        """Returns the result of `work`, or raises its error."""
        return await in_thread(work, self._put)

    def end(self) -> None:
        """Ends after the queued work."""
        if self._thread is not None:
            self._todo.put(None)

    def _put(self, run: Callable[[], None]) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="ray", daemon=True)
            self._thread.start()
        self._todo.put(run)

    def _run(self) -> None:
        while (run := self._todo.get()) is not None:
            run()


def _for_workers(config: Config) -> object:
    """The configuration for workers: models and how to call them. It contains no keys,
    which `config.yaml` refuses.
    """
    return {
        "models": config.models,
        "commands": config.commands,
        "local_only": config.local_only,
        "private_hosts": config.private_hosts,
        "retries": config.retries,
        "retry_wait": config.retry_wait,
        "timeout": config.timeout,
        "stall_timeout": config.stall_timeout,
        "cache": config.cache,
    }


@cache
def _secret() -> str:
    """The access token of clusters started here: one per process, because Ray reads it
    once.
    """
    return secrets.token_hex(32)


def _silence() -> None:
    """Silences what Ray prints to stdout about nodes, because programs read our stdout.
    Errors are reported as a sentence.
    """
    with suppress(Exception):  # a private name of Ray: without it, Ray only prints more
        from ray._private import worker

        worker._worker_logs_enabled = False


def _kill(actor: Any) -> None:
    import ray

    if ray.is_initialized():
        ray.kill(actor, no_restart=True)


def _cause(error: BaseException) -> str:
    """Why a worker ended: the last line of Ray's message, without the number and
    traceback before it.
    """
    lines = [line for line in str(error).splitlines() if line.strip()]
    return _short(lines[-1] if lines else type(error).__name__)


def _short(said: str) -> str:
    """Ray's message in one line."""
    said = " ".join(clean(said, newlines=False).split())
    if len(said) <= 240:
        return said
    return f"{said[:240]}…"
