"""JSON lines as a batch reads them: `id`, `cluster`, the task, `answers`, and further
fields.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ...figures.items import cluster_of, id_of
from ...figures.measure import Item
from . import item_of
from .records import Record


def record_items(record: Record, number: int, path: Path) -> Iterable[Item]:
    """An item a line; a line without an id goes by its number.

    Raises: BadInput for the first wrong line.
    """
    fields = {
        name: value for name, value in record.items() if name not in ("id", "cluster")
    }
    yield item_of(id_of(dict(record), number), fields, cluster_of(dict(record)))
