"""Addresses of corpora on Milvus, and the list of those that a user knows."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest
from verifytui.engines.retrieval.corpus import Corpora
from verifytui.engines.retrieval.port import RetrievalError
from verifytui.scale.milvus.address import (
    Address,
    KnownCollection,
    Register,
    address,
    token_name,
)
from verifytui.scale.milvus.corpus import connect
from verifytui.sessions.errors import BadInput
from verifytui.sessions.paths import paths


def entry(**more: object) -> KnownCollection:
    told = {
        "passages": 3,
        "documents": 2,
        "languages": "en",
        "words": "bigrams",
        "built": "2026-11-23T04:00:00+00:00",
        "origin": "a",
    }
    return KnownCollection(
        **{
            "uri": "http://gpu:19530",
            "collection": "papers",
            "host": "gpu",
            **told,
            **more,
        }
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "uri", "collection", "shown"),
    [
        (
            "milvus://gpu/papers",
            "http://gpu:19530",
            "papers",
            "milvus://gpu:19530/papers",
        ),
        (
            "milvus+https://gpu.lan:443/a_1",
            "https://gpu.lan:443",
            "a_1",
            "milvus+https://gpu.lan:443/a_1",
        ),
        ("milvus://[::1]:1234/x", "http://[::1]:1234", "x", "milvus://[::1]:1234/x"),
        ("milvus:/tmp/x.db", "/tmp/x.db", "corpus_papers", "milvus:/tmp/x.db"),
    ],
)
def test_an_address_is_read_and_written(
    text: str, uri: str, collection: str, shown: str
) -> None:
    found = address(text, "papers")
    assert (found.uri, found.collection, str(found)) == (uri, collection, shown)


def test_in_a_file_every_corpus_has_a_collection_of_its_own() -> None:
    names = [
        address("milvus:/tmp/x.db", name).collection
        for name in ("a-b", "a.b", "a_b", "灯塔")
    ]
    assert len(set(names)) == 4
    assert all(name.isascii() and name.isidentifier() for name in names)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *(
            (text, "The address of a corpus on Milvus is")
            for text in (
                "papers",
                "http://gpu/papers",
                "milvus:x.json",
                "milvus:///x",
                "milvus://a:b/x",
            )
        ),
        ("milvus://root:hush@gpu/papers", "The address of a corpus on Milvus must not"),
        (
            "milvus://gpu/papers?token=hush",
            "The address of a corpus on Milvus must not",
        ),
        ("milvus://gpu/pa-pers", "A Milvus collection name has only ASCII letters,"),
        ("milvus://gpu", "A Milvus collection name has only ASCII letters,"),
        ("milvus:/no/such/folder/x.db", "is not a folder, so no file"),
    ],
)
def test_what_is_no_address_is_refused_without_repeating_it(
    text: str, said: str
) -> None:
    with pytest.raises(BadInput, match=said) as caught:
        address(text, "papers")
    assert "hush" not in str(caught.value)


def test_a_token_is_no_name_of_a_variable() -> None:
    assert token_name("MILVUS_TOKEN") == "MILVUS_TOKEN"
    with pytest.raises(BadInput, match="not the token itself"):
        token_name("root:Milvus")


def test_the_list_of_corpora_says_where_one_lives_and_asks_no_server(
    home: Path,
) -> None:
    register = Register(paths())
    register.put("papers", entry())
    (home / "corpora" / ".odd.milvus").write_text("{")
    found = {one.name: one for one in Corpora(paths()).list(known=True)}
    assert (found["milvus:papers"].lives, found["milvus:papers"].passages) == (
        "milvus://gpu:19530/papers",
        3,
    )
    assert "cannot be read" in str(found["milvus:odd"].problem)
    assert register.path("papers").stat().st_mode & 0o777 == 0o600
    Corpora(paths()).delete("milvus:papers")
    assert register.names() == ["odd"]
    with pytest.raises(BadInput, match="There is no corpus 'milvus:papers'; `ver"):
        Corpora(paths()).delete("milvus:papers")
    for name in ("milvus:papers", "milvus:../x", "milvus:"):
        with pytest.raises(RetrievalError, match="There is no corpus milvus:"):
            Corpora(paths()).open(name)


def test_what_stands_in_the_way_of_a_connection(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu = Address("http://gpu:19530", "papers", "gpu")
    with pytest.raises(RetrievalError, match="set MILVUS_TOKEN in the environment"):
        connect(gpu, "MILVUS_TOKEN", paths(), {})
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text("local_only: true\n")
    with pytest.raises(RetrievalError, match="local_only") as caught:
        connect(gpu, None, paths(), {})
    assert caught.value.kind == "not-local"
    monkeypatch.setitem(sys.modules, "pymilvus", None)
    with pytest.raises(RetrievalError, match=r"pip install .*\[milvus\]"):
        connect(Address("http://127.0.0.1:1", "papers", "127.0.0.1"), None, paths(), {})


def test_an_entry_holds_no_token() -> None:
    assert "token" not in msgspec.json.encode(
        entry(token_env="MILVUS")
    ).decode().replace("token_env", "")
