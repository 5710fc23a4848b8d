"""Append-only files of JSON lines with measurements by commands and judges."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ...sessions.clean import json_line
from ...sessions.errors import (
    bad_input,
    not_saved,
    unread,
)

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,39}")


def check_name(name: object) -> str:
    """The name of a measure, which is part of a file name. Raises: BadInput."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise bad_input("wrong.measure.name", name=name)
    return name


def digest(value: object) -> str:
    """The first half of the SHA-256 of a value as JSON, in hexadecimal."""
    return hashlib.sha256(
        json.dumps(value, sort_keys=True, ensure_ascii=False, default=str).encode(
            "utf-8", "replace"
        )
    ).hexdigest()[:32]


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file in order. Other lines, such as a truncated one, are
    skipped.

    A missing file has no objects. Raises: BadInput if it cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise unread(path, error) from None
    for line in data.split(b"\n"):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def append(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Appends objects and waits until they are on disk.

    Raises: BadInput; WriteError on a full disk.
    """
    data = "".join(map(json_line, records)).encode("utf-8", "replace")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(
            os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "r+b"
        ) as file:
            end = file.seek(0, os.SEEK_END)
            if end:
                file.seek(end - 1)
                data = data if file.read(1) == b"\n" else b"\n" + data
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise not_saved(path, error) from None
