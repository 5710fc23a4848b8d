"""Fixtures that every test may use."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.models.pacing import ProcessPacing
from verifytui.tests.support.loopback import Loopback
from verifytui.tests.support.time import Hurried
from verifytui.texts import set_language

WITHOUT_TRAIN = "the extra `train` is not installed: .ci/train runs this"
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"

# gRPC (of Milvus, of Ray) would start threads in every process that pexpect forks, and
# now and then one of them kills it.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--plans",
        type=int,
        default=48,
        help="how many random plans of faults are played",
    )
    parser.addoption(
        "--closings",
        type=int,
        default=10,
        help="at how many random moments the app's terminal is closed",
    )
    parser.addoption(
        "--random-keys",
        type=int,
        default=1000,
        help="how many random keys the app is given",
    )
    parser.addoption(
        "--seed", default="", help="another seed for random keys and closings"
    )
    parser.addoption(
        "--removals",
        type=int,
        default=5,
        help="how many nodes of a Ray cluster are removed at random moments",
    )
    parser.addoption(
        "--kills",
        type=int,
        default=12,
        help="at how many random moments a running command is killed",
    )
    parser.addoption(
        "--disk-points",
        type=int,
        default=200,
        help="how many operations on the disk fail, one at a time; 0: every one",
    )


HEARD: dict[str, Any] = {
    "SIGHUP": lambda *_: None,
    "SIGINT": signal.default_int_handler,
    "SIGQUIT": signal.SIG_DFL,
    "SIGTERM": signal.SIG_DFL,
}
"""What is set here for a signal that is ignored. The tests go on after a hang-up."""


def pytest_configure(config: pytest.Config) -> None:
    """Lets the programs that tests start receive signals, also under `nohup` or `&`.

    A program inherits what is ignored here, but not what is handled here. Workers of
    xdist do it for themselves.
    """
    if getattr(config.option, "numprocesses", None):
        return
    for name, heard in HEARD.items():
        if signal.getsignal(getattr(signal, name)) is signal.SIG_IGN:
            signal.signal(getattr(signal, name), heard)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects without looking for garbage: thousands of tests are made and all of them
    stay, so later looks pass them over, too.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips what needs the extra `train`, `scale/` or `learning/` where it is missing."""
    for folder in ("scale", "learning"):
        if not (Path(__file__).parents[1] / folder).is_dir():
            for item in items:
                if item.get_closest_marker(folder) is not None:
                    item.add_marker(pytest.mark.skip(reason=f"without {folder}/"))
    if find_spec("sentence_transformers") is None:
        for item in items:
            if item.get_closest_marker("train") is not None:
                item.add_marker(pytest.mark.skip(reason=WITHOUT_TRAIN))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Says in one line how many tests were skipped for want of the extra `train`."""
    skipped = sum(
        WITHOUT_TRAIN in str(report.longrepr)
        for report in terminalreporter.stats.get("skipped", [])
    )
    if skipped:
        terminalreporter.write_line(
            f"Skipped, because the extra `train` is not installed: {skipped}. "
            f"`.ci/train` runs them."
        )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """`-n auto`: half as many workers again as there are cores, since a third of the
    time tests wait for screens, servers and processes.
    """
    if (
        "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ
        or config.option.numprocesses != "auto"
    ):
        return None
    cores = (
        len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count() or 1
    )
    return cores + cores // 2


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A worker that has nothing left takes over what another one has before it: the
    slowest tests come last.
    """
    from xdist.scheduler import WorkStealingScheduling  # type: ignore[import-untyped]

    return WorkStealingScheduling(config, log)


@pytest.fixture(autouse=True)
def _own_language() -> Iterator[None]:
    """A test that speaks Chinese leaves the next one its English."""
    yield
    set_language("en")


OPEN_FILES = 300
"""From so many on, the connections that tests have left are closed: `select` takes 1024
at most."""


@pytest.fixture(autouse=True)
def _closed_connections() -> Iterator[None]:
    """LiteLLM keeps the clients of each event loop, and with them their sockets."""
    yield
    if "litellm" in sys.modules and len(os.listdir("/proc/self/fd")) > OPEN_FILES:
        sys.modules["litellm"].in_memory_llm_clients_cache.flush_cache()
        gc.collect()


@pytest.fixture(autouse=True)
def _own_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model is slowed down by the refusals of another test, nor for long by those of
    its own.
    """
    monkeypatch.setattr(
        "verifytui.engines.models.pacing._here", ProcessPacing(Hurried())
    )


@pytest.fixture
def shared() -> Path:
    """The folder of real data beside the checkout; the test is skipped, saying so,
    where it is absent.
    """
    if not SHARED.is_dir():
        pytest.skip("the data folder ../shared/data is not on this machine")
    return SHARED


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for everything VerifyTUI writes, and no key of the machine's in
    the environment.
    """
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL")) or name.startswith(
            "VERIFYTUI_"
        ):
            monkeypatch.delenv(name)
    monkeypatch.setenv("VERIFYTUI_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    """A chat server on this machine: set `loopback.answer`, then call `openai/anything`
    at `loopback.base_url`.
    """
    with Loopback() as server:
        yield server
