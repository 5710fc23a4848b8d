"""Labels of queries: a folder of BEIR (`qrels/NAME.tsv`), or a file of labels of any
kind that `ranking` reads. An item is a query.

`split: NAME` chooses among the labels of a folder (default: test). `charges: FILE`, or
`charges.json` in the folder, says the charges of queries and candidates, by id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ....sessions.errors import bad_input
from ...figures.measure import Item
from ...figures.ranked import LABELS, RELEVANT, SAME
from ...metrics.charges import Charges, read_charges, sharing
from ...metrics.raters import read_labels
from . import item_of
from .records import no_more

TEST, CHARGES = "test", "charges.json"


def read(
    files: Sequence[Path], more: Mapping[str, object], left_out: list[str] | None
) -> Iterator[Item]:
    """The queries in the order of their labels, each with the levels of its candidates.
    Raises: BadInput.
    """
    no_more(more, "split", "charges")
    split = str(more.get("split", TEST))
    for path in files:
        folder = path if path.is_dir() else path.parent
        known = folder / str(more.get("charges", CHARGES))
        asked = "charges" in more or (path.is_dir() and known.is_file())
        yield from items_of(
            read_labels(labels_of(path, split) if path.is_dir() else path),
            read_charges(known) if asked else {},
        )


def items_of(labels: Mapping[str, Mapping[str, int]], charges: Charges) -> list[Item]:
    """An item for each query, with its labels, in their order."""
    same = sharing(charges, labels)
    highest = max((level for of in labels.values() for level in of.values()), default=0)
    return [
        item_of(
            query,
            {LABELS: dict(of), RELEVANT: max(highest, 1)}
            | ({SAME: sorted(same[query])} if query in same else {}),
        )
        for query, of in labels.items()
    ]


def labels_of(folder: Path, split: str = TEST) -> Path:
    """The file of these labels in a folder of BEIR. Raises: BadInput."""
    known = sorted(path.stem for path in folder.glob("qrels/*.tsv"))
    if split not in known:
        key = "wrong.study.no_split" if known else "wrong.study.no_qrels"
        raise bad_input(
            key,
            folder=folder,
            name=split,
            names=", ".join(known),
        )
    return folder / "qrels" / f"{split}.tsv"
