"""Joins the label files of one person into one file."""

from __future__ import annotations

from collections.abc import Sequence

from ..texts import t
from .emit import document
from .errors import SessionError
from .label_files import FORMAT
from .load import chunks, read_document


def joined_labels(streams: Sequence[tuple[str, bytes]]) -> bytes:
    """One file with the events of several, in order of time, each event once. A torn
    end is skipped.

    `streams`: names, for messages, and contents. Raises: SessionError for a file that
    is not a label file, or is another person's.
    """
    headers: list[dict[str, object]] = []
    events: dict[str, dict[str, object]] = {}
    for name, data in streams:
        found = [read_document(data, start, stop, name) for start, stop in chunks(data)]
        header, *rest = [one for one in found if one is not None] or [{}]
        if header.get("format") != FORMAT or (
            headers and header.get("annotator") != headers[0].get("annotator")
        ):
            raise SessionError(t("wrong.labels.no_file", path=name))
        headers.append(header)
        for event in rest:
            events.setdefault(
                repr(
                    sorted(
                        (key, repr(value))
                        for key, value in event.items()
                        if key != "number"
                    )
                ),
                event,
            )
    ordered = sorted(events.values(), key=lambda event: str(event.get("time", "")))
    first = min(headers, key=lambda header: str(header.get("made", "")))
    return b"".join(
        [
            document(first, first=True),
            *(
                document(event | {"number": number})
                for number, event in enumerate(ordered, 1)
            ),
        ]
    )
