"""The folder of an encoder: a model of sentence-transformers, and beside it how its
texts are cut and where it comes from.
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
"""Tokens of a block, and from where one begins to where the next begins."""
APART = ("CARD.md", "README.md", "training.json", "checkpoints", "start")
"""What is in the folder and does not change a vector."""


class Recipe(msgspec.Struct, kw_only=True):
    """How an encoder is used, and what it was made of: `verifytui.json`."""

    format: str = FORMAT
    chunk: int = CHUNK
    """Tokens of a block, those that the model adds among them."""
    stride: int = STRIDE
    """From where a block begins to where the next begins, in tokens.

    0: one block a text, and the rest of it is cut off.
    """
    pooling: Literal["max"] = "max"
    """What becomes of the blocks' scores."""
    similarity: Literal["cosine"] = "cosine"
    max_seq: int = CHUNK
    """Most tokens that the model itself takes."""
    remarks: list[str] = []
    """On languages and words."""
    base: str = ""
    """What training began with: `new`, a folder, or a name of the hub."""
    seed: int | None = None
    trained_on: dict[str, str] = {}
    """File → SHA-256, of the data set."""
    labelled_by: list[str] = []
    """The models that gave the levels it learned from."""
    training: dict[str, Any] = {}
    """The options of training, and its figures."""
    versions: dict[str, str] = {}


def read_recipe(folder: Path) -> Recipe | None:
    """What is in the folder's `verifytui.json`; None where there is no such file.
    Raises: BadInput if it is of another form.
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
    """Writes `verifytui.json`, as a whole. Raises: BadInput, WriteError."""
    write_whole(
        folder / FILE,
        msgspec.json.format(msgspec.json.encode(recipe), indent=2) + b"\n",
    )


def digest(folder: Path) -> str:
    """SHA-256 in hex over all that makes an encoder's vectors: names and bytes of its
    files, but for cards and checkpoints.

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
    """Of what a vector depends on."""
    return {
        name: version(name)
        for name in ("torch", "sentence-transformers", "transformers")
    }
