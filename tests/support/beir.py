"""Small data sets in the form of BEIR."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

Levels = Mapping[str, Mapping[str, int]]
"""By query and document."""


def beir(
    folder: Path,
    documents: Mapping[str, str],
    queries: Mapping[str, str],
    **sets: Levels,
) -> Path:
    """Writes a data set into a folder, which is made, with these sets of levels, and
    returns the folder.
    """
    (folder / "qrels").mkdir(parents=True)
    for file, texts in (("corpus.jsonl", documents), ("queries.jsonl", queries)):
        lines = [
            json.dumps({"_id": name, "text": text}, ensure_ascii=False)
            for name, text in texts.items()
        ]
        (folder / file).write_text("\n".join(lines) + "\n", "utf-8")
    for name, levels in sets.items():
        rows = [
            f"{query}\t{document}\t{level}\n"
            for query, found in levels.items()
            for document, level in found.items()
        ]
        (folder / "qrels" / f"{name}.tsv").write_text(
            "query-id\tcorpus-id\tscore\n" + "".join(rows), "utf-8"
        )
    return folder
