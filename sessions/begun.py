"""Checks that a folder continues with the options and files it was started with."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from ..texts import t
from .clean import clean
from .errors import BadInput, cause
from .locks import lock_file

LONGEST = 80
"""Characters of a value in a message."""


def check_same(
    folder: Path, before: Mapping[str, object], now: Mapping[str, object]
) -> None:
    """Raises BadInput, which names the first value that differs.

    Both are by the names that a message gives them; None: nothing.
    """
    for name in dict.fromkeys([*now, *before]):
        if before.get(name) != now.get(name):
            raise BadInput(
                t(
                    "wrong.begun.other",
                    path=folder,
                    name=name,
                    before=_shown(before.get(name)),
                    now=_shown(now.get(name)),
                )
            )


def check_empty(
    folder: Path, file: str, harmless: Callable[[Path], bool] = lambda path: False
) -> None:
    """Raises BadInput if a folder that holds no started work contains anything else,
    which new files could replace.

    `file`: the file that records what was started; its lock may exist. Hidden files and
    `harmless` ones do not count.
    """
    lock = lock_file(Path(file)).name
    try:
        entries = sorted(folder.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise BadInput(
            t("wrong.batch.unusable", path=folder, why=cause(error))
        ) from None
    found = next(
        (
            one.name
            for one in entries
            if one.name != lock and not one.name.startswith(".") and not harmless(one)
        ),
        None,
    )
    if found is not None:
        raise BadInput(
            t("wrong.begun.not_empty", path=folder, name=clean(found, newlines=False))
        )


def _shown(value: object) -> str:
    if value is None:
        return t("wrong.begun.nothing")
    text = clean(
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False),
        newlines=False,
    )
    if len(text) <= LONGEST:
        return text
    return text[: LONGEST - 1] + "…"
