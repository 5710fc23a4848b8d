"""Finding the default of a setting in a handbook of Markdown: questions made of the
handbook itself.

A setting is a heading `NAME` with a line "Default: …" (默认值) under it, or a row of a
table whose header has such a column, or such a row in the table of a page NAME. Its
question is "What is the default of NAME?" (NAME 的默认值是多少？); a passage is right
if it holds a character of that line. Run it as

    python benchmarks/handbook.py FOLDER [HOW MANY] [OPTIONS of the build, as JSON]
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifytui.engines.retrieval.corpus import Corpus

NAME = r"[A-Za-z][\w-]*(?:[._-][\w-]+)+"
HEADING = re.compile(rf"#{{1,6}}[ \t]+`?({NAME})`?(?:[\s<（(].*)?")
LINE = re.compile(r"\s*[-+*][ \t]+\**(?:默认值?|Default(?: value)?)\**[ \t]*[:：].*\S")
ROW = re.compile(r"\|[ \t]*(?:默认值|Default(?: value)?)[ \t]*\|[ \t]*[^|\s].*")
CELL = re.compile(rf"\|[ \t]*`?({NAME})`?[ \t]*\|.*")
COLUMN = re.compile(r"\|.*\|[ \t]*(?:默认值?|Default(?: value)?)[ \t]*\|.*")
MOST_PLACES = 2


def settings(text: str) -> Iterator[tuple[str, int, int]]:
    """Name of each setting, and where the line with its default is, in characters."""
    at, name, table = 0, "", False
    for line in text.splitlines(keepends=True):
        said = line.rstrip()
        if line.startswith("#"):
            found = HEADING.fullmatch(said)
            name = found[1] if found else ""
        if not said.startswith("|"):
            table = False
        elif COLUMN.fullmatch(said):
            table = True
        if name and (LINE.fullmatch(said) or ROW.fullmatch(said)):
            yield name, at, at + len(said)
            name = ""
        elif table and (cell := CELL.fullmatch(said)):
            yield cell[1], at, at + len(said)
        at += len(line)


def questions(corpus: Corpus, count: int) -> list[dict]:
    """Questions with the places of their answers; the same ones each time."""
    places = defaultdict(list)
    for file, text in sorted(zip(corpus.data.files, corpus.data.texts, strict=True)):
        for name, start, end in settings(text) if file.endswith(".md") else ():
            places[name].append((file, start, end))
    found = [one for one in sorted(places.items()) if len(one[1]) <= MOST_PLACES]
    print(f"  settings: {len(found)}")
    chosen = random.Random(28).sample(found, min(count, len(found)))
    return [{"name": name, "places": where} for name, where in chosen]


def found(folder: Path, count: int, options: dict) -> None:
    from verifytui.engines.retrieval.corpus import Corpora
    from verifytui.sessions.paths import paths

    corpora = Corpora(paths())
    corpora.build("handbook", [folder], **options)
    corpus = corpora.open("handbook")
    asked = questions(corpus, count)
    chinese = "zh" in corpus.meta.languages
    hits = {1: 0, 5: 0, 10: 0}
    missed = []
    for one in asked:
        query = (
            f"{one['name']} \u7684\u9ed8\u8ba4\u503c\u662f\u591a\u5c11\uff1f"
            if chinese
            else f"What is the default of {one['name']}?"
        )
        references = corpus.search(query, 10).references
        place = next(
            (
                n
                for n, reference in enumerate(references, 1)
                if any(
                    reference.file == file
                    and reference.start < end
                    and start < reference.end
                    for file, start, end in one["places"]
                )
            ),
            99,
        )
        for k in hits:
            hits[k] += place <= k
        if place > 5:
            missed.append(one["name"])
    figures = "  ".join(f"hit@{k} {n / len(asked):.3f}" for k, n in hits.items())
    print(f"  {len(asked)} questions, {corpus.meta.passages} passages: {figures}")
    if os.environ.get("MISSED"):
        print("  missed: " + " ".join(missed))


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        os.environ["VERIFYTUI_HOME"] = name
        folder = Path(sys.argv[1]).resolve()
        count = int(sys.argv[2]) if len(sys.argv) > 2 else 400
        found(folder, count, json.loads(sys.argv[3]) if len(sys.argv) > 3 else {})


if __name__ == "__main__":
    main()
