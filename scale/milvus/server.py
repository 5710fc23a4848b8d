"""The only access to Milvus: its calls with a time limit, and its errors as one
sentence each.
"""

from __future__ import annotations

import importlib
import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from ...engines.models.faults import detail
from ...engines.models.keys import sent
from ...engines.retrieval.dense import DenseMeta
from ...engines.retrieval.port import RetrievalError, RetrievalKind
from ...sessions.installation import install_command
from ...texts import t
from .address import Address
from .head import FORMAT, HEAD, CollectionWord, Head, place_of_word

SECONDS = 30.0
"""Time limit of one call."""
MOST = 16_384
"""Maximum number of results per call, Milvus' own limit."""
AT_ONCE = 1000
"""Number of rows requested by id at once."""
EXACT = 100_000
"""Up to this many passages, vectors are compared exhaustively; larger collections use a
graph (HNSW).
"""
TEXT = 65_535
"""Maximum number of bytes of a text in Milvus."""

PASSAGE = ("file", "title", "start", "end", "text", "metadata")
"""Fields of a passage needed for a reference."""
LIGHT = ("file", "title", "metadata")
"""Fields needed for filters."""


class PassageHit(NamedTuple):
    """A search result."""

    at: int
    score: float
    row: dict[str, Any]


class MilvusConnection:
    """A connection to a collection and the collection of its words. Safe to use from
    several threads. Call `close` at the end.
    """

    def __init__(
        self, where: Address, token: str | None, env: Mapping[str, str]
    ) -> None:
        """Raises: RetrievalError if it cannot be reached."""
        sent(token)
        self.where, self._token, self._env = where, token, env
        self._passages, self._words = where.collection, f"{where.collection}_words"
        self._library = _library()
        if not where.host:
            _FILES.open(where.uri)
        try:
            self._client = self._asked(
                self._library.MilvusClient,
                where.uri,
                token=token or "",
                timeout=SECONDS,
                timed=False,
            )
        except BaseException:
            if not where.host:
                _FILES.close(where.uri)
            raise

    def close(self) -> None:
        try:
            self._client.close()
        finally:
            if not self.where.host:
                _FILES.close(self.where.uri)

    def head(self) -> Head | None:
        """The head of the collection; None if there is none.

        Raises: RetrievalError if it belongs to someone else, or cannot be read.
        """
        there = [self._load(name) for name in (self._passages, self._words)]
        if not any(there):
            return None
        if not there[1]:
            raise self._foreign()
        rows = self.rows_of_words([HEAD])
        if HEAD not in rows and not there[0]:
            return None  # its creation was interrupted
        return self.read_head(rows)

    def head_now(self) -> Head:
        """Like `head`, for a collection that exists and is open."""
        return self.read_head(self.rows_of_words([HEAD]))

    def _load(self, name: str) -> bool:
        """Whether a collection of this name exists; it is then loaded for searching."""
        there = bool(self._asked(self._client.has_collection, name))
        if there:
            self._asked(self._client.load_collection, name)
        return there

    def read_head(self, rows: Mapping[int, dict[str, Any]]) -> Head:
        """Finds the head among rows of words.

        Raises: RetrievalError if there is none, or it has another version.
        """
        text = rows.get(HEAD, {}).get("word")
        try:
            version = (
                msgspec.json.decode(text, type=dict[str, Any]).get("verifytui")
                if isinstance(text, str)
                else None
            )
            if isinstance(version, int) and version != FORMAT:
                raise RetrievalError(
                    "corpus",
                    t(
                        "wrong.milvus.version",
                        place=self.where.place,
                        collection=self.where.collection,
                    ),
                )
            return msgspec.json.decode(text or "", type=Head)
        except msgspec.MsgspecError:
            raise self._foreign() from None

    def make(self, head: Head) -> None:
        """Creates both collections, empty. Drops existing ones of the same names."""
        self.drop()
        kinds, client = self._library.DataType, self._library.MilvusClient
        schema, index = (
            client.create_schema(auto_id=False, enable_dynamic_field=False),
            client.prepare_index_params(),
        )
        schema.add_field("id", kinds.INT64, is_primary=True)
        schema.add_field("word", kinds.VARCHAR, max_length=TEXT)
        for name in ("number", "frequency"):
            schema.add_field(name, kinds.INT64)
        schema.add_field(
            "nothing", kinds.FLOAT_VECTOR, dim=2
        )  # a collection needs a vector
        index.add_index("nothing", index_type="FLAT", metric_type="IP")
        self._create(self._words, schema, index)
        self.put_head(head)
        schema, index = (
            client.create_schema(auto_id=False, enable_dynamic_field=False),
            client.prepare_index_params(),
        )
        schema.add_field("id", kinds.INT64, is_primary=True)
        for name in ("digest", "file", "title", "text", "metadata"):
            schema.add_field(name, kinds.VARCHAR, max_length=TEXT)
        for name in ("place", "start", "end"):
            schema.add_field(name, kinds.INT64)
        schema.add_field("words", kinds.SPARSE_FLOAT_VECTOR)
        index.add_index("words", index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
        if head.dense is not None:
            schema.add_field("vector", kinds.FLOAT_VECTOR, dim=head.dense.size)
            exact = head.passages <= EXACT
            index.add_index(
                "vector",
                index_type="FLAT" if exact else "HNSW",
                metric_type="IP",
                params={} if exact else GRAPH,
            )
        self._create(self._passages, schema, index)

    def drop(self) -> None:
        """Drops both collections, the passages first, so that after an interruption the
        rest is still recognized.
        """
        for name in (self._passages, self._words):
            if self._asked(self._client.has_collection, name):
                self._asked(self._client.drop_collection, name)

    def has_passages(self) -> bool:
        """Whether the collection of passages exists."""
        return bool(self._asked(self._client.has_collection, self._passages))

    def put_head(self, head: Head) -> None:
        self._put(
            self._words,
            [
                _word(
                    HEAD,
                    msgspec.json.encode(head).decode(),
                    0,
                    0,
                )
            ],
        )

    def settle(self) -> None:
        """Flushes what was sent into the server's indexes."""
        for name in (self._words, self._passages):
            self._asked(self._client.flush, name)

    # The words

    def words(self, wanted: Sequence[str]) -> tuple[Head, dict[str, CollectionWord]]:
        """The current head, and the heads of those words that the collection has."""
        rows = self.rows_of_words([HEAD, *dict.fromkeys(map(place_of_word, wanted))])
        found = {
            row["word"]: CollectionWord(row["number"], row["frequency"])
            for at, row in rows.items()
            if at != HEAD
        }
        return self.read_head(rows), {
            word: found[word] for word in wanted if word in found
        }

    def rows_of_words(self, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
        return self._rows(self._words, ids, ("word", "number", "frequency"))

    def all_words(self) -> Iterator[tuple[str, CollectionWord]]:
        """All words of the collection."""
        for row in self._every(self._words, ("word", "number", "frequency")):
            if row["id"] != HEAD:
                yield row["word"], CollectionWord(row["number"], row["frequency"])

    def put_words(self, words: Mapping[str, CollectionWord]) -> None:
        """Writes words, replacing existing ones."""
        self._put(
            self._words,
            [_word(place_of_word(word), word, *at) for word, at in words.items()],
        )

    def drop_words(self, words: Sequence[str]) -> None:
        self._asked(
            self._client.delete, self._words, ids=list(map(place_of_word, words))
        )

    # The passages

    def digests(self) -> Iterator[tuple[int, str]]:
        """The id and the digest of every passage."""
        for row in self._every(self._passages, ("digest",)):
            yield row["id"], row["digest"]

    def put_passages(self, rows: list[dict[str, Any]]) -> None:
        """Writes passages, replacing existing ones."""
        self._put(self._passages, rows)

    def drop_passages(self, ids: Sequence[int]) -> None:
        self._asked(self._client.delete, self._passages, ids=list(ids))

    def passages(self, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
        """Passages by id, without deleted ones."""
        return self._rows(self._passages, ids, PASSAGE)

    def passages_of(self, place: int) -> list[dict[str, Any]]:
        """The passages of a document, by the number of its name, in text order."""
        rows = self._asked(
            self._client.query,
            self._passages,
            filter=f"place == {int(place)}",
            output_fields=list(PASSAGE),
            limit=MOST,
        )
        return sorted((dict(row) for row in rows), key=lambda row: int(row["start"]))

    def search(
        self,
        field: str,
        query: Any,
        limit: int,
        fields: Sequence[str],
        *,
        graph: bool = False,
    ) -> list[PassageHit]:
        """The best passages by inner product, at most `limit`, with these fields; best
        first, ties by id.
        """
        params = {
            "metric_type": "IP",
            "params": {"ef": max(limit, 64)} if graph else {},
        }
        found = self._asked(
            self._client.search,
            self._passages,
            data=[query],
            anns_field=field,
            limit=limit,
            output_fields=list(fields),
            search_params=params,
        )
        hits = [
            PassageHit(int(one["id"]), float(one["distance"]), dict(one["entity"]))
            for one in found[0]
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.at))

    # Below them

    def _create(self, name: str, schema: Any, index: Any) -> None:
        self._asked(
            self._client.create_collection,
            name,
            schema=schema,
            index_params=index,
            consistency_level="Strong",
        )

    def _put(self, collection: str, rows: list[dict[str, Any]]) -> None:
        if rows:
            self._asked(self._client.upsert, collection, rows)

    def _rows(
        self, collection: str, ids: Sequence[int], fields: Sequence[str]
    ) -> dict[int, dict[str, Any]]:
        found: dict[int, dict[str, object]] = {}
        for low in range(0, len(ids), AT_ONCE):
            rows = self._asked(
                self._client.get,
                collection,
                ids=[int(at) for at in ids[low : low + AT_ONCE]],
                output_fields=["id", *fields],
            )
            found.update((row["id"], dict(row)) for row in rows)
        return found

    def _every(
        self, collection: str, fields: Sequence[str]
    ) -> Iterator[dict[str, Any]]:
        iterator = self._asked(
            self._client.query_iterator,
            collection,
            batch_size=AT_ONCE,
            output_fields=["id", *fields],
        )
        try:
            while rows := self._asked(iterator.next, timed=False):
                yield from rows
        finally:
            iterator.close()

    def _asked(
        self, call: Callable[..., Any], *values: Any, timed: bool = True, **more: Any
    ) -> Any:
        """The result of a call.

        Raises: RetrievalError, with one sentence that does not contain the token.
        """
        import grpc

        try:
            return call(*values, **({"timeout": SECONDS} if timed else {}), **more)
        except self._library.MilvusException as error:
            raise self._fault(error) from None
        except (
            grpc.RpcError,
            grpc.FutureTimeoutError,
            OSError,
            ValueError,
            KeyError,
            TypeError,
        ) as error:
            raise self._fault(error) from None

    def _fault(self, error: Exception) -> RetrievalError:
        said = f"{error} {error.__cause__}".lower()
        for kind, signs in _SIGNS:
            if any(sign in said for sign in signs):
                return RetrievalError(
                    kind, t(f"wrong.milvus.{kind}", place=self.where.place)
                )
        why = detail(
            Exception(getattr(error, "message", "") or str(error)),
            self._env,
            self._token,
        )
        return RetrievalError(
            "server",
            t(
                "wrong.milvus.server",
                place=self.where.place,
                why=why or type(error).__name__,
            ),
        )

    def _foreign(self) -> RetrievalError:
        return RetrievalError(
            "corpus",
            t(
                "wrong.milvus.foreign",
                place=self.where.place,
                collection=self.where.collection,
            ),
        )


GRAPH = {"M": 16, "efConstruction": 200}
_SIGNS: tuple[tuple[RetrievalKind, tuple[str, ...]], ...] = (
    ("auth", ("unauthenticated", "auth check failure", "permission", "authentication")),
    ("timeout", ("timeout", "deadline", "futuretimeout")),
    (
        "connection",
        (
            "fail connecting",
            "unavailable",
            "failed to connect",
            "connection refused",
            "should create connection",
            "closed channel",
        ),
    ),
)
"""The kind of error of a call."""


def size_of(dense: DenseMeta | None) -> int:
    """Dimensions of a vector; 0 without vectors."""
    if dense is None:
        return 0
    return dense.size


def _word(at: int, word: str, number: int, frequency: int) -> dict[str, object]:
    return {
        "id": at,
        "word": word,
        "number": number,
        "frequency": frequency,
        "nothing": [0.0, 0.0],
    }


def _library() -> Any:
    """Imports pymilvus, without reading a `.env` file or writing a log here.

    Raises: RetrievalError if it is not installed.
    """
    before = os.environ.get("PYTHON_DOTENV_DISABLED")
    os.environ["PYTHON_DOTENV_DISABLED"] = "1"
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        library = importlib.import_module("pymilvus")
    except ImportError:
        raise RetrievalError(
            "corpus", t("wrong.milvus.no_library", install=install_command("milvus"))
        ) from None
    finally:
        if before is None:
            os.environ.pop("PYTHON_DOTENV_DISABLED", None)
        else:
            os.environ["PYTHON_DOTENV_DISABLED"] = before
    for name in (
        "pymilvus",
        "milvus_lite",
        "grpc",
    ):  # they print what they were sent, including addresses
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return library


class _Files:
    """The Milvus Lite files that this process has open. A file is released when it is
    no longer in use, so that other processes can open it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, int] = {}

    def open(self, path: str) -> None:
        """Raises: RetrievalError if it cannot be opened."""
        with self._lock:
            try:
                manager = importlib.import_module(
                    "milvus_lite.server_manager"
                ).server_manager_instance
            except ImportError:
                raise RetrievalError(
                    "corpus",
                    t("wrong.milvus.no_library", install=install_command("milvus")),
                ) from None
            with suppress(OSError):  # the next lines say what is wrong with it
                os.mkdir(path, 0o700)
            if manager.start_and_get_uri(path) is None:
                raise RetrievalError("corpus", t("wrong.milvus.file", path=path))
            self._open[path] = self._open.get(path, 0) + 1

    def close(self, path: str) -> None:
        with self._lock:
            self._open[path] -= 1
            if not self._open[path]:
                del self._open[path]
                importlib.import_module(
                    "milvus_lite.server_manager"
                ).server_manager_instance.release_server(path)


_FILES = _Files()
