"""The folder of an encoder: a sentence-transformers model, and a file with its block
settings and its origin.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import msgspec

from ...sessions.errors import bad_input, unread
from ...sessions.files import write_whole

FILE = "verifytui.json"
FORMAT = "verifytui-encoder/1"
CHUNK, STRIDE = 256, 128
"""Tokens per block, and tokens from the start of a block to the start of the next."""
APART = ("CARD.md", "README.md", "training.json", "checkpoints", "start")
"""Files in the folder that do not change a vector."""


class Recipe(msgspec.Struct, kw_only=True):
    """How an encoder is used and how it was made: `verifytui.json`."""

    format: str = FORMAT
    chunk: int = CHUNK
    """Tokens per block, including those that the model adds."""
    stride: int = STRIDE
    """Tokens from the start of a block to the start of the next. 0: one block per text;
    the rest is cut off.
    """
    pooling: Literal["max"] = "max"
    """How the scores of blocks are combined."""
    similarity: Literal["cosine"] = "cosine"
    max_seq: int = CHUNK
    """Maximum number of tokens that the model accepts."""
    remarks: list[str] = []
    """Notes on languages and words."""
    base: str = ""
    """The encoder that training started from: `new`, a folder, or a name on the hub."""
    seed: int | None = None
    trained_on: dict[str, str] = {}
    """File of the data set → SHA-256."""
    labelled_by: list[str] = []
    """The models that produced the training levels."""
    training: dict[str, Any] = {}
    """The training options and figures."""
    versions: dict[str, str] = {}


def read_recipe(folder: Path) -> Recipe | None:
    """Reads the folder's `verifytui.json`; None if there is no such file.

    Raises: BadInput if it has another form.
    """
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Recipe)
    except OSError as error:
        raise unread(path, error) from None
    except msgspec.MsgspecError as error:
        raise bad_input("wrong.encoder.recipe", path=path, why=str(error)) from None
    if (
        found.format != FORMAT
        or found.chunk < 8
        or not 0 <= found.stride <= found.chunk
    ):
        raise bad_input(
            "wrong.encoder.recipe",
            path=path,
            why=f"{found.format} {found.chunk}/{found.stride}",
        )
    return found


def write_recipe(folder: Path, recipe: Recipe) -> None:
    """Writes `verifytui.json` atomically. Raises: BadInput, WriteError."""
    write_whole(
        folder / FILE,
        msgspec.json.format(msgspec.json.encode(recipe), indent=2) + b"\n",
    )


def digest(folder: Path) -> str:
    """SHA-256 in hexadecimal over everything that determines the vectors: names and
    contents of files, except cards and checkpoints.

    Raises: BadInput if a file cannot be read.
    """
    found = hashlib.sha256()
    try:
        for path in sorted(_files(folder)):
            name = path.relative_to(folder).as_posix()
            found.update(f"{name}\0{path.stat().st_size}\0".encode())
            with path.open("rb") as stream:
                while piece := stream.read(1 << 20):
                    found.update(piece)
    except OSError as error:
        raise unread(folder, error) from None
    return found.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        top = path.relative_to(folder).parts[0]
        if path.is_file() and top not in APART and not top.startswith("."):
            yield path


def versions() -> dict[str, str]:
    """The files that determine a vector."""
    return {
        name: version(name)
        for name in ("torch", "sentence-transformers", "transformers")
    }
