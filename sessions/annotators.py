"""Names of annotators: how they are written and compared."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from ..texts import t
from .clean import clean
from .errors import BadInput

GOLD, MACHINE = "gold", "machine"
"""Who is no annotator: the adjudicated levels have the first name, the machine's own
the second.
"""
LONGEST_NAME = 80


def name_of(annotator: str, *, adjudicator: bool = False) -> str:
    """The annotator's name as it is written: one line, without blanks around.

    `adjudicator`: `gold` is allowed.

    Raises: BadInput for a name that cannot be one, and for `gold` and `machine`, which
    are no people.
    """
    name = same_name(annotator)
    if (
        not name
        or len(name) > LONGEST_NAME
        or clean(name, newlines=False) != name
        or not name.isprintable()
    ):
        raise BadInput(
            t(
                "wrong.labels.annotator",
                annotator=clean(annotator, newlines=False)[:60],
                most=LONGEST_NAME,
            )
        )
    plain_name = unicodedata.normalize("NFKC", name).casefold()
    if plain_name in (GOLD, MACHINE) and not (adjudicator and name == GOLD):
        raise BadInput(t("wrong.labels.reserved", annotator=name))
    return name


def same_name(name: str) -> str:
    """A name as it is compared: Unicode has several ways to write one."""
    return unicodedata.normalize("NFC", " ".join(name.split()))


def same_letters(name: str) -> str:
    """Normalise a name: case, blanks and Unicode form do not count."""
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())


def of_nearly(name: str, names: Iterable[str]) -> list[str]:
    """Those of other names that have the same letters, but not the name itself."""
    return [
        one for one in names if one != name and same_letters(one) == same_letters(name)
    ]


def person(annotator: str) -> str:
    """An annotator's name, distinct from those of the adjudicator and the machine,
    which older sessions may have as a person's.
    """
    if annotator in (GOLD, MACHINE):
        return f"{annotator} (annotator)"
    return annotator or "person"
