"""The text around a passage, from the corpus that it was found in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....engines.retrieval.port import RetrievalError
from ....sessions.events import Reference
from ....texts import t


def around(
    retriever: Callable[[], Any] | None, reference: Reference
) -> tuple[str | None, str]:
    """Return the document text around a reference, or None and the reason. Can be
    slow.
    """
    if (
        retriever is None
        or reference.file is None
        or reference.start is None
        or reference.end is None
    ):
        return None, ""
    try:
        opened = retriever()
        document = getattr(getattr(opened, "inner", opened), "document", None)
        if document is None:
            return None, ""
        text = document(reference.file)
    except RetrievalError as error:
        return None, str(error)
    # the header of a table may be above the rows
    if not reference.text.strip().endswith(
        text[reference.start : reference.end].strip()
    ):
        return None, t("rag.document_changed")
    return text, ""
