"""Words of files against words of their passages, for each kind of file in a folder.

The words of a file are counted by other means than its reader: by patterns in its
bytes, or in the parts of its zip, and by pypdfium2 (if installed) in PDF. A word counts
as often as both have it; a Chinese character is a word. Run it as

    python benchmarks/kept.py FOLDER [FOLDER …]
"""

from __future__ import annotations

import html
import io
import json
import os
import re
import sys
import tempfile
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
UNSEEN = re.compile(
    r"(?is)<!--.*?-->|<(script|style|nav|svg|template|noscript|head)\b.*?</\1\s*>"
)
TAG = re.compile(r"(?s)<[^<>]*>")
PARTS = {
    ".docx": (
        r"word/(document|footnotes|endnotes)\.xml",
        r"<w:p[ >]|<w:(?:tab|br|cr)\b",
    ),
    ".pptx": (r"ppt/(slides|notesSlides|charts)/[^/]+\.xml", r"<a:p[ >]|<a:br\b|<c:v>"),
    ".odt": (r"content\.xml", r"<text:(?:p|h|s|tab|line-break)\b"),
    ".odp": (r"content\.xml", r"<text:(?:p|h|s|tab|line-break)\b"),
    ".epub": (r".*\.x?html?", "<"),
}
"""Of packed files: the parts that hold text, and what parts two words there."""
MARKS = {
    ".rst": re.compile(
        r"(?m)^[ \t]*\.\. (?![\w:+-]+::|\[).*\n(?:(?:[ \t]+.*)?\n)*|"
        r"^[ \t]*\.\. (?:\|[^|\n]*\| )?[\w:+-]+::|:[\w:+.-]+:(?=`)|^[ \t]+:[\w-]+:"
    ),
    ".md": re.compile(r"\A---\n(?s:.*?)\n---\n"),
}
"""What is no text: comments, names of directives and roles; metadata before a text."""
HIDDEN = re.compile(r"(?s)<(w:instrText|w:delText|a:fld)\b.*?</\1>")


def words(text: str) -> Counter[str]:
    return Counter(WORD.findall(text.casefold()))


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


def there(path: Path) -> Counter[str] | None:
    """The words of a file; None for a kind that is not counted."""
    data, kind = path.read_bytes(), path.suffix.lower()
    if kind in PARTS:
        names, apart = PARTS[kind]
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            said = "\n".join(
                archive.read(name).decode("utf-8", "replace")
                for name in archive.namelist()
                if re.fullmatch(names, name)
            )
        if kind == ".epub":
            said = UNSEEN.sub(" ", said)
        said = re.sub(f"(?=(?:{apart}))", " ", HIDDEN.sub("", said))
        return words(html.unescape(TAG.sub("", said)))
    if kind == ".pdf":
        import pypdfium2

        pages = pypdfium2.PdfDocument(data)
        return words("\n".join(one.get_textpage().get_text_range() for one in pages))
    if kind in (".xlsx", ".zip", ".rtf", ".eml"):
        return None
    text = data.decode("utf-8", "replace")
    if kind in (".html", ".htm", ".xhtml", ".xml"):
        return words(html.unescape(TAG.sub(" ", UNSEEN.sub(" ", text))))
    if kind == ".ipynb":
        cells = json.loads(text).get("cells", [])
        return words("\n".join("".join(one.get("source", "")) for one in cells))
    if kind == ".jsonl":
        rows = (json.loads(line) for line in text.splitlines() if line.strip())
        return words("\n".join(one for row in rows for one in strings(row)))
    if kind == ".json":
        return words("\n".join(strings(json.loads(text))))
    return words(MARKS[kind].sub("", text) if kind in MARKS else text)


def measured(folder: Path) -> None:
    from verifytui.engines.retrieval.corpus import Corpora
    from verifytui.sessions.paths import paths

    corpora, start = Corpora(paths()), time.process_time()
    report = corpora.build("kept", [folder], replace=True)
    corpus = corpora.open("kept")
    data = corpus.data
    read: dict[str, list[str]] = defaultdict(list)
    kinds: Counter[str] = Counter()
    texts = data.texts
    for document, begin, end, *_ in data.passages.tolist():
        name = data.files[document].partition("#")[0]
        read[name].append(texts[document][begin:end])
        kinds[Path(name).suffix.lower()] += 1
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    lost: dict[str, Counter[str]] = defaultdict(Counter)
    for name, passages in read.items():
        path = folder / name if not Path(name).is_absolute() else Path(name)
        path = path if path.exists() else folder.parent / name
        try:
            wanted = there(path)
        except (ValueError, OSError, ImportError, zipfile.BadZipFile):
            wanted = None
        if wanted is None:
            continue
        missing = wanted - words("\n".join(passages))
        kind = path.suffix.lower()
        totals[kind].update(files=1, words=wanted.total(), lost=missing.total())
        lost[kind].update(missing)
    print(
        f"{folder.name}: {len(data.passages)} passages, "
        f"{time.process_time() - start:.0f} s of this process, "
        f"{len(report.skipped)} left out, {len(report.remarks)} remarks"
    )
    for kind, count in sorted(totals.items(), key=lambda one: -one[1]["words"]):
        most = " ".join(f"{word[:20]}:{n}" for word, n in lost[kind].most_common(6))
        print(
            f"  {kind or '-':<8} {count['files']:>5} files {kinds[kind]:>6} passages "
            f"{count['words']:>8} words {1 - count['lost'] / count['words']:.4f} kept"
            f"   {most}",
            flush=True,
        )
    corpus.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        os.environ["VERIFYTUI_HOME"] = name
        for folder in sys.argv[1:]:
            measured(Path(folder).resolve())


if __name__ == "__main__":
    main()
