"""Opens encoders by name."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from ...engines.models.lineup import LOCAL
from ...sessions.errors import bad_input
from ...sessions.installation import install_command

if TYPE_CHECKING:
    from .local import LocalEncoder

PREFIX = LOCAL
"""Prefix of a folder in place of a model name."""
PACKAGES = ("torch", "sentence_transformers", "transformers", "accelerate")
"""Packages of the extra `train`."""


def check_installed() -> None:
    """Raises: BadInput, with what to install, if the extra `train` is missing."""
    if any(find_spec(name) is None for name in PACKAGES):
        raise bad_input("wrong.encoder.missing", install=install_command("train"))


def open_encoder(name: str) -> LocalEncoder:
    """Loads the encoder in a folder (`local:DIR` or DIR), or of this name on the hub.

    Takes seconds, because it imports torch. Raises: BadInput if no encoder can be
    loaded, or torch is not installed.
    """
    check_installed()
    from .local import load

    return load(name.removeprefix(PREFIX))
