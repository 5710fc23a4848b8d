"""Words that readers of PDF keep, of those that PDFium reads, and their time.

Needs pdfplumber (the extra `pdf-tables`). A file for which a reader fails, or takes
more than 25 s, is not counted for it. Run it as

    python benchmarks/pdf_readers.py FOLDER [FOLDER …]
"""

from __future__ import annotations

import io
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

LONGEST = 25


def pdfium(data: bytes) -> str:
    import pypdfium2

    pages = pypdfium2.PdfDocument(data)
    return "\n".join(one.get_textpage().get_text_range() for one in pages)


def plain(data: bytes) -> str:
    import pypdf

    return "\n".join(
        one.extract_text() for one in pypdf.PdfReader(io.BytesIO(data)).pages
    )


def layout(data: bytes) -> str:
    import pypdf

    pages = pypdf.PdfReader(io.BytesIO(data)).pages
    return "\n".join(one.extract_text(extraction_mode="layout") for one in pages)


def plumber(data: bytes) -> str:
    import pdfplumber

    with pdfplumber.open(io.BytesIO(data)) as file:
        return "\n".join(one.extract_text() or "" for one in file.pages)


def miner(data: bytes) -> str:
    from pdfminer.high_level import extract_text

    return extract_text(io.BytesIO(data))


def ours(data: bytes) -> str:
    import pypdf
    from verifytui.engines.retrieval.documents.pdf_layout import (
        in_columns,
        with_tables,
    )

    pages = pypdf.PdfReader(io.BytesIO(data)).pages
    texts = [in_columns(one, one.extract_text()) for one in pages]
    return "\n".join(with_tables(data, texts))


READERS: tuple[Callable[[bytes], str], ...] = (
    *(plain, layout, pdfium, plumber, miner, ours),
)


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[^\W_]+", text))


def late(*_: object) -> None:
    raise TimeoutError


def main() -> None:
    from verifytui.engines.retrieval.documents.document import quiet

    quiet("pypdf", "pdfminer", "pdfplumber")
    signal.signal(signal.SIGALRM, late)
    totals: dict[str, Counter[str]] = {one.__name__: Counter() for one in READERS}
    files = [
        path for name in sys.argv[1:] for path in sorted(Path(name).rglob("*.pdf"))
    ]
    for path in files:
        data = path.read_bytes()
        for reader in READERS:
            start = time.process_time()
            signal.alarm(LONGEST)
            try:
                wanted, text = words(pdfium(data)), reader(data)
            except Exception:
                totals[reader.__name__]["failed"] += 1
            else:
                kept = (wanted & words(text)).total()
                rows = sum(line.startswith("| ") for line in text.splitlines())
                totals[reader.__name__].update(
                    files=1, of=wanted.total(), kept=kept, rows=rows
                )
            signal.alarm(0)
            took = time.process_time() - start
            totals[reader.__name__]["ms"] += round(1000 * took)
    for name, total in totals.items():
        print(f"{name:<8} {dict(total)}")


if __name__ == "__main__":
    main()
