"""Opens encoders by name."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from ...engines.models.lineup import LOCAL
from ...sessions.errors import bad_input

if TYPE_CHECKING:
    from .local import LocalEncoder

PREFIX = LOCAL
"""Stands before the folder where a model is named."""
PACKAGES = ("torch", "sentence_transformers", "transformers", "accelerate")
"""What the extra `train` brings."""


def check_installed() -> None:
    """Raises: BadInput, which says what to install, where the extra `train` is not
    there.
    """
    if any(find_spec(name) is None for name in PACKAGES):
        raise bad_input("wrong.encoder.missing")


def open_encoder(name: str) -> LocalEncoder:
    """Loads the encoder in a folder (`local:DIR` or DIR), or of this name on the hub.

    Takes seconds, because it imports torch. Raises: BadInput if no encoder can be
    loaded, or torch is not installed.
    """
    check_installed()
    from .local import load

    return load(name.removeprefix(PREFIX))
