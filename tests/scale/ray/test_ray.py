"""Ray for real: a cluster of three nodes on this machine, nodes that are removed at
random moments, and a driver that is killed.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.batches.batch import Batch
from verifytui.engines.batches.run import BatchRunner, Outcome
from verifytui.engines.batches.state import Limits, NoReporter
from verifytui.engines.method import method
from verifytui.scale.ray.connect import ClusterOptions, Connection
from verifytui.scale.ray.driver import RayMakers
from verifytui.scale.ray.worker_pool import WorkerPool
from verifytui.sessions.events import Failure
from verifytui.tests.scale.support.workers import (
    by_hash,
    debates,
    events,
    local,
    said_in,
    totals_of,
)
from verifytui.tests.support.loopback import Answer, Body, Loopback

pytest.importorskip("ray", reason="Ray is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

KEY = "sk-of-the-nodes-alone-0123456789"
NODES = 3
AT_ONCE = 5
"""Removals in one batch."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "removals" in metafunc.fixturenames:
        wanted, seed = (
            metafunc.config.getoption("removals"),
            metafunc.config.getoption("seed"),
        )
        parts = [min(AT_ONCE, wanted - done) for done in range(0, wanted, AT_ONCE)]
        metafunc.parametrize(
            "removals",
            [(f"{seed}{turn}", count) for turn, count in enumerate(parts)],
            ids=str,
        )


class Nodes:
    """A cluster whose nodes can be removed. The key stands in their environment alone."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self.folder = Path(tempfile.mkdtemp(prefix="vt-ray-"))
        (self.folder / "ray").mkdir()
        os.environ["RAY_TMPDIR"] = str(
            self.folder
        )  # with the file that tells others of the cluster
        self.cluster = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": 0,
                "include_dashboard": False,
                "object_store_memory": 80 << 20,
            },
        )
        self.nodes = [self.add() for _ in range(NODES)]

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def add(self) -> Any:
        return self.cluster.add_node(
            num_cpus=1,
            object_store_memory=80 << 20,
            env_vars={"OPENAI_API_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        )

    def replace(self, number: int) -> None:
        self.cluster.remove_node(self.nodes[number], allow_graceful=False)
        self.nodes[number] = self.add()

    def close(self) -> None:
        self.cluster.shutdown()
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    before = {
        name: os.environ.get(name) for name in ("RAY_USAGE_STATS_ENABLED", "RAY_TMPDIR")
    }
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    made = Nodes()
    yield made
    made.close()
    for name, value in before.items():
        os.environ.pop(name)
        if value is not None:
            os.environ[name] = value


class Running:
    """A batch on the cluster, in a thread with an event loop of its own: nodes are
    removed in the main one.
    """

    def __init__(self, batch: Batch, into: Path, address: str) -> None:
        makers = RayMakers(
            WorkerPool(
                Connection(ClusterOptions(address, NODES), method, batch.tools.config)
            )
        )
        self._runner = BatchRunner(batch, into, Limits(4), makers=makers)
        self._outcome: Outcome | BaseException = RuntimeError("it has not ended")
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._outcome = asyncio.run(self._runner.run(NoReporter()))
        except BaseException as error:
            self._outcome = error

    def outcome(self) -> Outcome:
        self._thread.join(200)
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome


def on_one_machine(
    batch: Batch, into: Path, monkeypatch: pytest.MonkeyPatch
) -> Outcome:
    with monkeypatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEY)
        return asyncio.run(BatchRunner(batch, into, Limits(16)).run(NoReporter()))


def test_nodes_are_removed_and_nothing_is_lost_or_doubled(
    removals: tuple[str, int],
    nodes: Nodes,
    home: Path,
    loopback: Loopback,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seed, count = removals
    chance = random.Random(seed)
    loopback.answer = by_hash
    config, lines = local(loopback.base_url), 30
    here = on_one_machine(debates(config, lines), tmp_path / "here", monkeypatch)
    asked = len(loopback.requests)
    moments = sorted(chance.sample(range(1, asked - 40), count))

    def slowly(body: Body) -> Answer:
        answer = by_hash(body)
        answer.first_delay = 0.2
        return answer

    loopback.answer = slowly
    running = Running(debates(config, lines), tmp_path / "there", nodes.address)
    for moment in moments:
        assert loopback.wait_until(
            lambda server, moment=moment: len(server.requests) >= asked + moment, 60
        )
        nodes.replace(chance.randrange(NODES))
    there = running.outcome()
    assert (there.status, there.report.done) == ("done", lines)
    assert said_in(tmp_path / "there") == said_in(tmp_path / "here")
    lost = [
        one
        for path in (tmp_path / "there").glob("t*.yaml")
        for one in events(path)
        if isinstance(one, Failure)
    ]
    assert {(one.kind, one.cost, one.usage) for one in lost} <= {
        ("connection", None, None)
    }
    assert len(lost) <= count * 4 * 2
    assert asked <= len(loopback.requests) - asked <= asked + len(lost)
    assert there.report.calls == here.report.calls + len(lost)
    if not lost:
        assert totals_of(there.report) == totals_of(here.report)


def test_a_killed_driver_goes_on_and_its_workers_end(
    nodes: Nodes, home: Path, loopback: Loopback, tmp_path: Path
) -> None:
    def slowly(body: Body) -> Answer:
        answer = by_hash(body)
        answer.first_delay = 0.2
        return answer

    loopback.answer = slowly
    topics, into = tmp_path / "topics.jsonl", tmp_path / "out"
    topics.write_text(
        "".join(
            json.dumps({"id": f"t{n}", "topic": f"How fast is Alice {n}?"}) + "\n"
            for n in range(12)
        )
    )
    home.mkdir()
    (home / "config.yaml").write_text(
        f"models: {{local: {{model: openai/local, api_base: '{loopback.base_url}'}}}}\n"
    )
    words = [
        "debate",
        "--topics",
        topics,
        "--into",
        into,
        "--model",
        "local",
        "--rounds",
        "2",
        "--stop",
        "forced",
    ]
    command = [
        sys.executable,
        "-m",
        "verifytui",
        *map(str, words),
        "--concurrency",
        "4",
        "--ray-workers",
        "1",
        f"--ray={nodes.address}",
    ]
    first = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        assert loopback.wait_until(lambda server: len(server.requests) >= 30, 60)
        first.send_signal(signal.SIGKILL)
        first.wait(10)
        assert loopback.wait_until(lambda server: server.open_connections == 0, 30), (
            "workers of a dead driver go on"
        )
    finally:
        first.kill()
    kept = {name: len(said) for name, said in said_in(into).items()}
    before = len(loopback.requests)
    assert before < 12 * 8
    second = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert second.returncode == 0, second.stderr
    said = said_in(into)
    assert len(said) == 12
    assert all(len(said[name]) >= count for name, count in kept.items())
    calls = sum(one.get("attempts", 0) for each in said.values() for one in each)
    assert (
        calls <= len(loopback.requests) <= calls + 4
    )  # those on their way when it was killed
    assert KEY not in second.stdout + second.stderr


def test_no_key_stands_in_what_ray_writes(
    nodes: Nodes, home: Path, loopback: Loopback
) -> None:
    """After the tests above, which ran with the key."""
    found = [
        path
        for path in nodes.folder.rglob("*")
        if path.is_file() and KEY.encode() in path.read_bytes()
    ]
    assert found == []
    assert any(nodes.folder.rglob("*.out"))
