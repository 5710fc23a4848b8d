"""Words that readers of Word's documents keep, of those that the file holds, and their
time.

What a file holds is counted without any of them: each text element of the document, its
foot- and endnotes, without what was deleted. Needs mammoth and markitdown[docx]. Run it
as

    python benchmarks/word_readers.py FOLDER [FOLDER …]
"""

from __future__ import annotations

import io
import re
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
GONE = ("del", "moveFrom")


def ours(data: bytes) -> str:
    from verifytui.engines.retrieval.documents import parse

    return "\n".join(one.text for one in parse(".docx", data, "a.docx"))


def python_docx(data: bytes) -> str:
    import docx

    document = docx.Document(io.BytesIO(data))
    cells = (cell for table in document.tables for cell in table._cells)
    return "\n".join(one.text for one in (*document.paragraphs, *cells))


def mammoth(data: bytes) -> str:
    import mammoth

    return str(mammoth.extract_raw_text(io.BytesIO(data)).value)


def markitdown(data: bytes) -> str:
    from markitdown import MarkItDown, StreamInfo

    kind = StreamInfo(extension=".docx")
    text = MarkItDown().convert_stream(io.BytesIO(data), stream_info=kind).markdown
    return re.sub(r"\\(?=[\W_])", "", text)


READERS: tuple[Callable[[bytes], str], ...] = (ours, python_docx, mammoth, markitdown)


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[^\W_]+", text))


def held(data: bytes) -> Counter[str]:
    """The words of a file."""
    from lxml import etree

    found: list[str] = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in set(PARTS) & set(archive.namelist()):
            root = etree.fromstring(archive.read(name))
            for paragraph in root.iter("{*}p"):
                runs = [
                    text.text or ""
                    for text in paragraph.iter("{*}t")
                    if not any(
                        etree.QName(above).localname in (*GONE, "Fallback")
                        for above in text.iterancestors()
                    )
                    and next(text.iterancestors("{*}p")) is paragraph
                ]
                found.append("".join(runs))
    return words("\n".join(found))


def main() -> None:
    totals: dict[str, Counter[str]] = {one.__name__: Counter() for one in READERS}
    for path in (one for name in sys.argv[1:] for one in Path(name).rglob("*.docx")):
        data = path.read_bytes()
        wanted = held(data)
        for reader in READERS:
            total = totals[reader.__name__]
            start = time.process_time()
            try:
                text = reader(data)
            except Exception:
                total["failed"] += 1
                continue
            total["ms"] += round(1000 * (time.process_time() - start))
            kept = (wanted & words(text)).total()
            total.update(files=1, of=wanted.total(), kept=kept)
            total["whole"] += kept == wanted.total()
    for name, total in totals.items():
        share = total["kept"] / max(1, total["of"])
        print(f"{name:<12} {share:.1%} of the words; {dict(total)}")


if __name__ == "__main__":
    main()
