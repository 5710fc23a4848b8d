"""Opens zip files of XML with limits on their unpacked size and on what their XML can
reference.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from .document import RawFile, megabytes, unreadable

if TYPE_CHECKING:
    import zipfile

MOST_PARTS = 20_000


def unpacked(raw: RawFile) -> zipfile.ZipFile:
    """The zip of a file, after checking its declared unpacked size; no more than that
    is ever unpacked.

    Raises: Unreadable if it is too large; zipfile.BadZipFile and others for an invalid
    zip.
    """
    import zipfile

    archive = zipfile.ZipFile(io.BytesIO(raw.data))
    parts = archive.infolist()
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > 4 * raw.limit:
        raise unreadable("wrong.documents.unpacks", megabytes=megabytes(4 * raw.limit))
    return archive


def tree(data: bytes) -> Any:
    """The tree of XML, without what lies outside of it and without its entities."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=True,
    )
    found = etree.fromstring(data, parser)
    if found is None:
        raise ValueError("no XML")
    return found
