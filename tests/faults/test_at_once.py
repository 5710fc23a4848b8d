"""Several processes on one session, one library, one corpus, one cache of replies."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest
from verifytui.engines.models.cache import cache_in
from verifytui.engines.retrieval.corpus import Corpora
from verifytui.sessions.library import Library
from verifytui.sessions.paths import paths
from verifytui.tests.support.beginning import commands, read, said
from verifytui.tests.support.fork_server import ForkServer
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.worlds import told, truth

pytestmark = pytest.mark.slow

TOGETHER = 4


@pytest.mark.parametrize("workspace", ["debate", "rag", "relevance"])
def test_one_session_is_gone_on_with_by_one(
    workspace: str,
    forks: ForkServer,
    env: dict[str, str],
    loopback: Loopback,
    tmp_path: Path,
) -> None:
    begin, _ = commands(workspace, False, tmp_path, tmp_path)
    assert (
        forks.wait(forks.start(begin, env, tmp_path / "out", tmp_path / "log")) == 0
    ), said(tmp_path / "out")
    whole = (tmp_path / "one.yaml").read_bytes()
    for name in ("alone", "shared"):
        (tmp_path / f"{name}.yaml").write_bytes(whole[: whole.index(b"\n...\n") + 5])
    loopback.requests.clear()
    alone = forks.start(
        ["resume", tmp_path / "alone.yaml"], env, tmp_path / "out", tmp_path / "log"
    )
    assert forks.wait(alone) == 0, said(tmp_path / "out")
    go, asked = threading.Event(), len(loopback.requests)
    loopback.answer = lambda body: Answer(truth(body).text, hold=go)
    outs = [tmp_path / f"out{n}" for n in range(TOGETHER)]
    running = {
        forks.start(
            ["resume", tmp_path / "shared.yaml"], env, out, tmp_path / "log"
        ): out
        for out in outs
    }
    while (
        sum(
            "open in another" in said(out)
            for out in outs
            if (tmp_path / f"{out.name}.err").exists()
        )
        < TOGETHER - 1
    ):
        assert len(loopback.requests) <= asked + 1
        time.sleep(0.01)
    go.set()
    codes = {pid: forks.wait(pid) for pid in running}
    assert sorted(codes.values()) == [0] + [2] * (TOGETHER - 1)
    assert len(loopback.requests) == 2 * asked
    assert told(read(tmp_path / "shared.yaml")) == told(read(tmp_path / "alone.yaml"))


def test_one_library(
    forks: ForkServer, env: dict[str, str], home: Path, tmp_path: Path
) -> None:
    """All begin a session of the same title in the same second, while another process
    lists, copies, deletes, restores and empties.
    """
    begin = commands("debate", False, tmp_path, tmp_path)[0]
    begin = begin[: begin.index("--save")]
    assert (
        forks.wait(forks.start(begin, env, tmp_path / "first", tmp_path / "log")) == 0
    )
    outs = [tmp_path / f"out{n}" for n in range(TOGETHER)]
    running = {forks.start(begin, env, out, tmp_path / "log"): out for out in outs}
    tidying = forks.start(
        ["--tidy", "6"], env, tmp_path / "tidy", tmp_path / "tidy.log"
    )
    tidying_too = forks.start(
        ["--tidy", "6"], env, tmp_path / "tidy2", tmp_path / "tidy.log"
    )
    for pid, out in running.items():
        assert forks.wait(pid) == 0, said(out)
    assert [forks.wait(pid) for pid in (tidying, tidying_too)] == [0, 0], said(
        tmp_path / "tidy"
    ) + said(tmp_path / "tidy2")
    made = [entry for entry in Library(paths(env)).entries() if entry.parent is None]
    assert len({entry.id for entry in made}) == TOGETHER + 1
    assert {entry.status for entry in made} == {"finished"}


def test_one_corpus(
    forks: ForkServer, env: dict[str, str], home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for n in range(40):
        (folder / f"{n}.txt").write_text(
            f"The lighthouse number {n} was built in {1800 + n}. " * 5
        )
    outs = [tmp_path / f"out{n}" for n in range(TOGETHER)]
    ended = []
    for _ in range(2):
        running = [
            forks.start(["index", folder, "--name", "mine"], env, out, tmp_path / "log")
            for out in outs
        ]
        for pid, out in zip(running, outs, strict=True):
            code = forks.wait(pid)
            ended.append(code)
            assert code == 0 or (
                code == 2
                and "Another VerifyTUI process is indexing the corpus" in said(out)
            ), said(out)
    assert 0 in ended
    corpora = Corpora(paths(env))
    assert [
        (one.documents, one.problem) for one in corpora.list() if one.name == "mine"
    ] == [(40, None)]
    corpus = corpora.open("mine")
    assert len(corpus.search("lighthouse 17", 5).references) == 5
    corpus.close()


def test_one_cache_of_replies(
    forks: ForkServer, env: dict[str, str], loopback: Loopback, tmp_path: Path
) -> None:
    begins = [
        commands("relevance", True, tmp_path / f"into{n}", tmp_path)[0]
        for n in range(TOGETHER)
    ]  # all before the first starts: each writes the files that all read
    running = {}
    for n, begin in enumerate(begins):
        begin[begin.index("none")] = "all"
        running[forks.start(begin, env, tmp_path / f"out{n}", tmp_path / "log")] = n
    for pid, n in running.items():
        assert forks.wait(pid) == 0, said(tmp_path / f"out{n}")
        assert "cache" not in said(tmp_path / f"out{n}")
    first, *others = (
        {path.name: told(read(path)) for path in (tmp_path / f"into{n}").glob("*.yaml")}
        for n in range(TOGETHER)
    )
    assert len(first) == 4
    assert all(other == first for other in others)
    different = {json.dumps(body, sort_keys=True) for body in loopback.requests}
    cache = cache_in(paths(env).cache)
    try:
        assert cache.held().replies == len(different)
        assert cache.problem() is None
    finally:
        cache.close()
