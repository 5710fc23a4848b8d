"""What is sent to Milvus: only what differs, in order, and nothing is lost or doubled
when that is broken off.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from verifytui.engines.retrieval import bm25
from verifytui.engines.retrieval.port import PassageFilter, RetrievalError
from verifytui.scale.milvus import filling
from verifytui.scale.milvus.address import Address
from verifytui.scale.milvus.filling import STEP
from verifytui.scale.milvus.server import MilvusConnection
from verifytui.sessions.errors import BadInput
from verifytui.tests.scale.support.milvus import Both, same_found

pytest.importorskip("pymilvus", reason="Corpora on Milvus need the extra milvus.")
pytestmark = pytest.mark.slow

TOKEN = "token-that-nobody-sees"


def rows(*numbers: int, words: int = 8) -> list[dict[str, Any]]:
    return [
        {
            "title": f"Note {at}",
            "text": f"Note {at} on the harbour" + " and the sea" * (words % 5) + ".",
        }
        for at in numbers
    ]


@pytest.fixture
def both(home: Path, tmp_path: Path) -> Iterator[Both]:
    with Both(tmp_path / "m.db", "notes", rows(*range(12))) as made:
        yield made


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.integers(0, 30), unique=True, max_size=12),
    st.lists(st.integers(0, 30), unique=True, max_size=12),
)
def test_ids_are_in_the_order_of_passages_and_stay_where_they_can(
    before: list[int], after: list[int]
) -> None:
    first = filling._ids([str(one) for one in before], {})
    assert first == [STEP * (at + 1) for at in range(len(before))]
    there = {place: str(one) for place, one in zip(first, before, strict=True)}
    ids = filling._ids([str(one) for one in after], there)
    assert ids is not None
    assert ids == sorted(set(ids))
    assert all(place > 0 for place in ids)
    if [one for one in after if one in before] == (
        common := [one for one in before if one in after]
    ):
        kept = {
            there[place]
            for place, one in zip(ids, after, strict=True)
            if there.get(place) == str(one)
        }
        assert kept >= {str(one) for one in common}


def test_where_there_is_no_room_all_are_sent_again() -> None:
    assert filling._ids(["a", "new", "b"], {7: "a", 8: "b"}) is None


def test_only_what_differs_is_sent_and_weights_rest_on_the_first_average(
    both: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = both.fill()
    assert Path(both.where.uri).stat().st_mode & 0o777 == 0o700
    assert (first.sent, first.kept, first.removed, first.rebuilt) == (12, 0, 0, "")
    again = both.fill()
    assert (again.sent, again.kept, again.head.stamp) == (0, 12, first.head.stamp)
    changed = rows(0, 1, 2, 20, 3, 4, 5, 6, 7, 8, 10, 11)
    changed[1]["text"] = "The harbour was closed, and ships waited at sea."
    norm, frozen = bm25.norm, first.head.mean
    monkeypatch.setattr(bm25, "norm", lambda lengths, mean: norm(lengths, frozen))
    both.build(changed)
    second = both.fill()
    # rows are called by their line, so those behind a new one are others, too
    assert second.removed == 12 - second.kept
    assert second.sent == 12 - second.kept
    assert second.kept >= 2
    assert second.head.mean == frozen
    local, there = both.on_disk(), both.on_milvus()
    for query in ("harbour", "note 20", "ships at sea", "9"):
        assert same_found(
            there.search(query, 5, PassageFilter(duplicates="all")),
            local.search(query, 5, PassageFilter(duplicates="all")),
        )
    local.close()
    both.build(rows(*range(12), words=4))
    third = both.fill()
    assert (third.sent, third.rebuilt) == (12, "length")
    assert third.head.mean > frozen * 1.05


class Stop(Exception):
    pass


def test_broken_off_it_goes_on_and_is_not_searched_meanwhile(
    both: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling, "BATCH", 3)
    sent: list[int] = []

    def until(done: int, total: int) -> None:
        sent.append(done)
        if done >= 6:
            raise Stop

    with pytest.raises(Stop):
        both.fill(until)
    with pytest.raises(
        RetrievalError, match="is incomplete on Milvus: it is being filled, or"
    ):
        both.on_milvus()
    done = both.fill()
    assert (done.sent, done.kept, done.removed) == (6, 6, 0)
    assert [
        one.title
        for one in both.on_milvus()
        .search("note", 50, PassageFilter(duplicates="all"))
        .references
    ] == [f"Note {at}" for at in range(12)]


def test_killed_it_goes_on(home: Path, tmp_path: Path) -> None:
    """The process is gone in the middle, as by kill -9; the file is whole."""
    file = tmp_path / "m.db"
    script = f"""
import os
from pathlib import Path
from verifytui.scale.milvus import filling
from verifytui.tests.scale.support.milvus import Both
filling.BATCH = 3
both = Both(Path({str(file)!r}), "notes", {rows(*range(12))!r})
def until(done, total):
    if done >= 6:
        print(both.origin, flush=True)
        os._exit(9)
both.fill(until)
"""
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 9, ran.stderr
    with Both(file, "notes", rows(*range(12))) as both:
        both.origin = ran.stdout.strip()
        done = both.fill()
        assert (done.sent, done.kept, done.head.passages) == (6, 6, 12)
        assert (
            len(
                both.on_milvus()
                .search("note", 50, PassageFilter(duplicates="all"))
                .references
            )
            == 12
        )
        other = subprocess.run(
            [
                sys.executable,
                "-m",
                "verifytui",
                "index",
                str(both.source),
                "--name",
                "notes",
                "--to",
                f"milvus:{file}",
            ],
            capture_output=True,
            text=True,
        )
        assert (other.returncode, other.stdout) == (2, "")
        assert (
            other.stderr
            == f"{file} cannot be opened: another process has it open, or it is not "
            f"a Milvus Lite file.\n"
        )


def test_collections_of_others_are_left_alone(both: Both) -> None:
    client = both.server._client
    client.create_collection(both.where.collection, dimension=2)
    with pytest.raises(RetrievalError, match="was not made by VerifyTUI"):
        both.fill()
    client.drop_collection(both.where.collection)
    both.fill()
    both.origin = None
    with pytest.raises(BadInput, match="contains another corpus"):
        both.fill()


def test_two_who_fill_one_collection_do_not_mix(
    both: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling, "BATCH", 3)

    def meanwhile(done: int, total: int) -> None:
        if done == 3:
            head = both.server.head()
            assert head is not None
            head.stamp = "another"
            both.server.put_head(head)

    with pytest.raises(
        RetrievalError, match=", so this one stopped; run the command again"
    ):
        both.fill(meanwhile)


@pytest.mark.parametrize(
    ("kind", "said"),
    [("auth", "does not accept the token"), ("connection", "cannot be reached")],
)
def test_a_server_that_refuses_is_told_in_one_sentence_without_the_token(
    kind: str, said: str
) -> None:
    import grpc

    class Refusing(grpc.GenericRpcHandler):
        def service(self, details: Any) -> Any:
            def refuse(request: bytes, context: Any) -> None:
                context.abort(
                    grpc.StatusCode.UNAUTHENTICATED, f"auth check failure for {TOKEN}"
                )

            return grpc.unary_unary_rpc_method_handler(refuse)

    server = grpc.server(futures.ThreadPoolExecutor(2), handlers=(Refusing(),))
    port = server.add_insecure_port("127.0.0.1:0") if kind == "auth" else 1
    server.start()
    try:
        with pytest.raises(RetrievalError, match=said) as caught:
            MilvusConnection(
                Address(f"http://127.0.0.1:{port}", "notes", "127.0.0.1"), TOKEN, {}
            ).head()
    finally:
        server.stop(0)
    assert caught.value.kind == kind
    assert TOKEN not in str(caught.value)
