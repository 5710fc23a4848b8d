"""The addresses of corpora on Milvus, and the list of those this user has registered.
Neither contains a token.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from ...engines.retrieval.dense import DenseMeta
from ...engines.retrieval.home import describe
from ...engines.retrieval.port import RetrievalError
from ...sessions.errors import bad_input, cause
from ...sessions.files import own_folder
from ...sessions.paths import Paths
from ...texts import t

PREFIX = "milvus:"
"""Prefix of the name of such a corpus: `milvus:papers`."""
PORT = 19530
_SCHEMES = {"milvus": "http", "milvus+https": "https"}
_COLLECTION = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,200}")
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Address(NamedTuple):
    """A collection on a server, or in a Milvus Lite file."""

    uri: str
    """The URI for pymilvus: `http://HOST:PORT`, or the path of a file."""
    collection: str
    host: str = ""
    """Empty for a file."""

    def __str__(self) -> str:
        if not self.host:
            return f"{PREFIX}{self.uri}"
        scheme, rest = self.uri.split("://")
        return (
            f"{'milvus+https' if scheme == 'https' else 'milvus'}://{rest}/"
            f"{self.collection}"
        )

    @property
    def place(self) -> str:
        """The server or the file, for messages."""
        if self.host:
            return self.uri.partition("://")[2]
        return self.uri


def address(text: str, name: str) -> Address:
    """Parses `milvus://HOST:PORT/COLLECTION`, `milvus+https://…`, or `milvus:FILE.db`,
    whose collection has the name of the corpus, `name`.

    Raises: BadInput. The message does not repeat the address, which may contain a
    password.
    """
    if not text.startswith(tuple(f"{scheme}://" for scheme in _SCHEMES)):
        path = text.removeprefix(PREFIX)
        if path == text or not path.endswith(".db") or "\0" in path:
            raise bad_input("wrong.milvus.address")
        full = Path(os.path.abspath(os.path.expanduser(path)))
        if not full.parent.is_dir():
            raise bad_input("wrong.milvus.no_folder", path=full.parent)
        return Address(str(full), _collection(name))
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port or PORT
    except ValueError:
        raise bad_input("wrong.milvus.address") from None
    if parts.username or parts.password or parts.query or parts.fragment:
        raise bad_input("wrong.milvus.password")
    if not host or re.search(r"[\s\x00-\x1f\x7f]", text):
        raise bad_input("wrong.milvus.address")
    collection = parts.path.strip("/")
    if not _COLLECTION.fullmatch(collection):
        raise bad_input("wrong.milvus.collection")
    named = f"[{host}]" if ":" in host else host
    return Address(f"{_SCHEMES[parts.scheme]}://{named}:{port}", collection, host)


def _collection(name: str) -> str:
    """The name of a corpus as a Milvus name: ASCII letters, digits and underscores."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if plain == name:
        return f"corpus_{name}"
    return f"corpus_{plain}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


class SentCollection(msgspec.Struct, kw_only=True):
    """A collection that a corpus was sent to, or that was registered."""

    origin: str
    """Distinguishes the collection from others of the same name."""
    token_env: str | None = None
    """Name of the environment variable with the token."""


class KnownCollection(msgspec.Struct, kw_only=True):
    """The registration of a corpus on Milvus."""

    uri: str
    collection: str
    host: str
    token_env: str | None = None
    """Name of the environment variable with the token."""
    origin: str
    """Distinguishes the collection from others of the same name."""
    elsewhere: dict[str, SentCollection] = {}
    """Earlier collections of this corpus, by address."""
    passages: int
    documents: int
    languages: str
    words: str
    built: str
    dense: DenseMeta | None = None

    @property
    def address(self) -> Address:
        return Address(self.uri, self.collection, self.host)

    def at(self, where: Address) -> SentCollection | None:
        """The registered collection at this address; None if this corpus was never
        there.
        """
        return self.everywhere().get(str(where))

    def everywhere(self) -> dict[str, SentCollection]:
        """All collections of this corpus, by address."""
        return {
            **self.elsewhere,
            str(self.address): SentCollection(
                origin=self.origin, token_env=self.token_env
            ),
        }


class Register:
    """The registered corpora on Milvus, each in a small file next to the corpora on
    disk.
    """

    def __init__(self, places: Paths) -> None:
        self._folder = places.corpora

    def path(self, name: str) -> Path:
        return self._folder / f".{name}.milvus"

    def names(self) -> list[str]:
        """Without `milvus:`, in order."""
        try:
            found = [
                entry.name
                for entry in self._folder.iterdir()
                if entry.name.startswith(".") and entry.name.endswith(".milvus")
            ]
        except OSError:
            return []
        return sorted(name[1:-7] for name in found if len(name) > 8)

    def get(self, name: str) -> KnownCollection | None:
        """None if there is no such corpus.

        Raises: RetrievalError if the registration cannot be read.
        """
        if "/" in name or "\0" in name:
            return None
        try:
            return msgspec.json.decode(
                self.path(name).read_bytes(), type=KnownCollection
            )
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            raise RetrievalError(
                "corpus",
                t("wrong.milvus.entry", name=describe(name), path=self.path(name)),
            ) from None

    def put(self, name: str, entry: KnownCollection) -> None:
        """Raises: BadInput if it cannot be written."""
        path = self.path(name)
        part = path.with_name(f"{path.name}.part")
        try:
            own_folder(self._folder)
            with open(
                os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb"
            ) as file:
                file.write(msgspec.json.encode(entry))
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except OSError as error:
            raise bad_input(
                "wrong.corpus.not_written", name=name, why=cause(error)
            ) from None

    def forget(self, name: str) -> None:
        """Raises: BadInput if there is none."""
        try:
            self.path(name).unlink()
        except OSError:
            raise bad_input(
                "wrong.corpus.no_corpus", name=f"{PREFIX}{name}"[:80]
            ) from None


def token_name(name: str) -> str:
    """Checks the name of an environment variable.

    Raises: BadInput if it is invalid. The message does not repeat it, because it may be
    the token.
    """
    if not _ENV_NAME.fullmatch(name):
        raise bad_input("wrong.milvus.token_name")
    return name
