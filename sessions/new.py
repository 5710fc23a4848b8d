"""Headers of new sessions."""

from __future__ import annotations

import os
import re
import secrets
import sys
from datetime import UTC, datetime
from functools import cache

from .. import __version__
from .session import Header, Parent, Prompts, Seat

_TITLE_LENGTH = 200


def timestamp(now: datetime | None = None) -> str:
    """A time as sessions store it: UTC, milliseconds, `Z`."""
    return (
        (now or datetime.now(UTC))
        .astimezone(UTC)
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )


def new_header(
    *,
    workspace: str,
    method: str | None = None,
    title: str,
    task: dict[str, object],
    lineup: dict[str, Seat],
    settings: dict[str, object],
    prompts: Prompts,
    parent: Parent | None = None,
) -> Header:
    """Creates a header with a unique id (`20261121T044400Z-7f3a2c`) and the current
    versions. The title becomes one line of at most 200 characters.
    """
    moment = datetime.now(UTC)
    return Header(
        id=f"{moment:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}",
        workspace=workspace,
        method=method or workspace,
        created=timestamp(moment),
        title=" ".join(title.split())[:_TITLE_LENGTH],
        task=task,
        lineup=lineup,
        settings=settings,
        prompts=prompts,
        versions=versions(),
        parent=parent,
    )


def versions() -> dict[str, str]:
    """The versions of the packages that affect a session."""
    return dict(_versions())


@cache
def _versions() -> dict[str, str]:
    """Versions of packages, read from the names of their metadata folders, without
    importing anything.
    """
    wanted = {
        name: re.compile(rf"{name}-([0-9][^-]*)\.dist-info", re.IGNORECASE)
        for name in ("litellm", "textual", "msgspec", "pyyaml")
    }
    versions = {"verifytui": __version__}
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in wanted:
            found = next(
                (
                    match[1]
                    for entry in names
                    if (match := wanted[name].fullmatch(entry))
                ),
                None,
            )
            if found is not None:
                versions.setdefault(name, found)
    return versions
