"""`verifytui debate`: one topic, or every topic of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...engines.debate.settings import SETTINGS
from ..flags import PATH, typed_option
from ..method_command import asking_command

if TYPE_CHECKING:
    from ...sessions.events import Reference


def _passages(file: Path) -> Sequence[Reference]:
    from ...engines.retrieval.given_references import read_references

    return read_references(file)


debate = asking_command(
    "debate",
    SETTINGS,
    "topics",
    evidence=(typed_option("--evidence", PATH, "FILE"), _passages),
)
