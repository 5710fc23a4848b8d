"""The pairs of a session file or a folder."""

from __future__ import annotations

from pathlib import Path

from verifytui.sessions.case_pairs import (
    PairAt,
    file_bytes,
    gathered,
    places_in,
    session_files,
)


def pairs_in(path: Path) -> list[PairAt]:
    """The pairs of a session file or of a folder's sessions, by file name and in the
    order given. Only headers are read.

    Raises: BadInput where there is nothing to label; SessionError for a file that is no
    session.
    """
    read = ((file, file_bytes(file)) for file in session_files(path))
    return gathered(path, (one for file, data in read for one in places_in(file, data)))
