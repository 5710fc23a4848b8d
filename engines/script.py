"""The built-in `script`: lines written by hand for the bundled examples, played through
the real engines. It is not a language model.

What it knows is each method's own (`engines/METHOD/script.py`); here is how lines are
read and said.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ..texts import parsed_yaml
from .models.port import Delta, ModelCall, ModelError, ModelReply, ReplyStream

NAME = "script"

T = TypeVar("T")


class ScriptEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mapping in a file of lines."""


class ScriptedTopic(ScriptEntry, frozen=True, kw_only=True):
    """A topic with its lines."""

    topic: str
    kind: str
    source: str | None = None
    target: str | None = None

    @property
    def asked_as(self) -> tuple[str, str | None, str | None]:
        """The kind and the languages in which the script knows it."""
        return self.kind, self.source, self.target


class HandWritten(ABC):
    """Says what is written for a call, at once and free of charge."""

    @abstractmethod
    def line(self, call: ModelCall) -> str:
        """What is written for this call.

        Raises: ModelError `no-line`, as `refusal` makes it.
        """

    async def ask(self, call: ModelCall) -> ReplyStream:
        """Yields the line in pieces, then as a reply.

        Raises: ModelError `no-line`, with the reason and what to do.
        """
        text = self.line(call)
        if call.stream:
            for piece in re.findall(r"\s*\S{1,24}\s*", text):
                yield Delta(call.role, piece)
        yield ModelReply.free(text, NAME)


def refusal(role: str, why: str) -> ModelError:
    """The error of a call that nothing is written for."""
    return ModelError(
        "no-line",
        f"The script cannot speak as {role or 'this role'}: {why}; give the role "
        f"to a person or a model.",
    )


def read(folder: Path, kind: type[T]) -> list[T]:
    """The files of lines in a folder, in the order of their names."""
    return [
        msgspec.convert(_yaml(file), kind) for file in sorted(folder.glob("*.yaml"))
    ]


def plain(text: str) -> str:
    """A topic as it is compared: white space and closing punctuation do not count."""
    return " ".join(text.split()).rstrip(".?!\u3002\uff1f\uff01")


def as_json(value: Mapping[str, object]) -> str:
    """An object as a model would write it."""
    return json.dumps(value, ensure_ascii=False)


@cache
def _yaml(file: Path) -> Any:
    return parsed_yaml(file.read_text("utf-8"))
