"""The mark that a reply is asked to carry: it shows that a verdict is the reply's own.

What a model quotes was written before the call, so it cannot hold the mark of that
call.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from ...sessions.paths import paths, private_dir
from .port import Message

LETTERS = "abcdefghjkmnpqrstuvwxyz"
"""Signs of a mark: letters alone, so that no form of a reply makes a number of it."""
LENGTH = 8

_FILE = "marks.key"
_BYTES = 32


def reply_mark(secret: bytes, messages: Sequence[Message]) -> str:
    """The mark for a request: equal requests have equal marks.

    It is derived from all messages, so the author of a part of them cannot know it, and
    it occurs in none of them.
    """
    said = json.dumps(list(messages), sort_keys=True).encode()
    while True:
        digest = hmac.digest(secret, said, hashlib.sha256)
        mark = "".join(LETTERS[byte % len(LETTERS)] for byte in digest[:LENGTH])
        if not any(mark in message["content"] for message in messages):
            return mark
        said = digest


def installation_secret(env: Mapping[str, str] = os.environ) -> bytes:
    """The secret of this installation. Made at its first use.

    It lies in the cache folder, because a reply in the cache carries a mark made with
    it:
    installations that share the folder share the secret. Where the folder cannot be
    used, it lies in the state folder; where neither can, it lasts as long as the
    process.
    """
    at = paths(env)
    return _secret(at.cache / _FILE, at.state / _FILE)


@cache
def _secret(file: Path, other: Path) -> bytes:
    for one in (file, other):
        try:
            return _read(one) or _made(one, other)
        except OSError:
            continue
    return secrets.token_bytes(_BYTES)


def _read(file: Path) -> bytes | None:
    """Read the secret in a file; None if there is none."""
    try:
        kept = bytes.fromhex(file.read_text("ascii").strip())
    except (FileNotFoundError, ValueError):
        return None
    if len(kept) == _BYTES:
        return kept
    return None


def _made(file: Path, other: Path) -> bytes:
    """A new secret, or the one that another process has put there meanwhile.

    That of the state folder, if it has one: earlier versions kept it there.
    """
    private_dir(file.parent)
    made = _read(other) or secrets.token_bytes(_BYTES)
    new = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    opened = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(opened, "w") as out:
        out.write(made.hex() + "\n")
    try:
        os.link(new, file)
    except FileExistsError:
        if _read(file) is None:  # what stands there is no secret
            new.replace(file)
    finally:
        new.unlink(missing_ok=True)
    return _read(file) or made
