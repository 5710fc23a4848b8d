"""Sentences and their translations in two text files, line by line, as translation
benchmarks publish them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ....sessions.errors import BadInput, bad_input
from ....texts import t
from ...figures.measure import Item
from ...metrics.values import read_text
from . import item_of
from .records import no_more, numbered


def read(
    files: Sequence[Path], more: Mapping[str, object], left_out: list[str] | None
) -> Iterator[Item]:
    """One translation a line.

    `more`: the languages `from` and `to`. Raises: BadInput unless both files have as
    many lines.
    """
    no_more(more, "from", "to")
    languages = {
        name: str(more.get(name, otherwise))
        for name, otherwise in (("from", "zh"), ("to", "en"))
    }
    if len(files) != 2:
        raise bad_input("wrong.data.two_files")
    source, target = (read_text(path).rstrip("\n").split("\n") for path in files)
    if len(source) != len(target):
        raise bad_input(
            "wrong.data.lengths",
            file=files[0],
            n=len(source),
            other=files[1],
            m=len(target),
        )
    for number, (said, translated) in enumerate(zip(source, target, strict=True), 1):
        if said.strip() and translated.strip():
            fields = {
                "kind": "translation",
                **languages,
                "topic": said.strip(),
                "answers": [translated.strip()],
            }
            yield item_of(numbered(files[0], number), fields)
            continue
        empty = t(
            "wrong.data.empty_line",
            number=number,
            file=files[0],
            other=files[1],
        )
        if left_out is None:
            raise BadInput(empty)
        left_out.append(empty)
