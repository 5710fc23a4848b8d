"""Reads PDF."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from .document import Document, RawFile, Unreadable, missing, quiet, unreadable
from .metadata import flat

_DAY = re.compile(r"D:(\d{4})(\d\d)(\d\d)")


def pages(raw: RawFile) -> Iterator[Document]:
    try:
        import pypdf
    except ImportError:
        raise missing("PDF") from None
    quiet("pypdf")
    try:
        reader = pypdf.PdfReader(io.BytesIO(raw.data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise unreadable("wrong.documents.password")
        about = {
            str(name).lstrip("/").lower(): str(value)
            for name, value in (reader.metadata or {}).items()
        }
        text = "\n\n".join(page.extract_text() for page in reader.pages)
    except Unreadable:
        raise
    except Exception as error:
        raise unreadable("wrong.documents.pdf", kind=type(error).__name__) from None
    if not text.strip():
        raise unreadable("wrong.documents.pictures")
    metadata = flat(
        {
            name: about[name]
            for name in ("title", "author", "subject", "keywords")
            if name in about
        }
    )
    for name in ("creationdate", "moddate"):
        if day := _DAY.match(about.get(name, "")):
            metadata["created" if name == "creationdate" else "modified"] = "-".join(
                day.groups()
            )
    yield Document(
        metadata.pop("title", "") or raw.stem,
        text,
        raw.name,
        metadata,
    )
