"""Labels in files of their own: qrels, LeCaRD's labels and golden labels, JSON lines,
tables separated by tabs.
"""

from __future__ import annotations

from pathlib import Path

from ....sessions.errors import bad_input
from ...metrics.raters import read_raters
from ...metrics.values import id_of, read_json, read_text, shown

GOLDEN = 3
"""LeCaRD's golden labels list the candidates of the highest level."""


def read_labels(path: Path) -> dict[tuple[str, str], int]:
    """Return the level 0 to 3 by (query, candidate).

    Raises: BadInput, which names the error, also if several people have labelled.
    """
    golden = _golden(path)
    if golden is not None:
        return golden
    raters = read_raters([path])
    if len(raters) != 1:
        names = ", ".join(one.name for one in raters[:5])
        raise bad_input("wrong.labels.several_raters", path=path, names=names)
    return raters[0].rated()


def _golden(path: Path) -> dict[tuple[str, str], int] | None:
    """Return {query: [candidates]}; None if the file is something else."""
    if path.is_dir() or path.suffix.lower() != ".json":
        return None
    value = read_json(read_text(path), str(path))
    if (
        not isinstance(value, dict)
        or not value
        or not all(isinstance(one, list) for one in value.values())
    ):
        return None
    found = {}
    for query, listed in value.items():
        where = f"{path}, query {shown(query)}"
        for one in listed:
            found[query, id_of(one, "candidate", where)] = GOLDEN
    return found
