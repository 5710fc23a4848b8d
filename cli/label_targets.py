"""Which folders hold answers that people rate, and which hold pairs of cases."""

from __future__ import annotations

from pathlib import Path


def are_answers(path: Path) -> bool:
    """Whether a folder holds answers: that of a study, or of one batch or several side
    by side whose method rates no pairs.
    """
    from ..engines.method import method_of
    from ..engines.studies.rating import folders_in
    from ..sessions.files import has_batch
    from ..sessions.folders import kind_of
    from ..sessions.journal import Journal
    from ..sessions.labels import session_files

    if not path.is_dir() or kind_of(path) == "study":
        return path.is_dir()
    if not has_batch(path) and session_files(path):
        return False
    for one in [file for folder in folders_in(path) for file in session_files(folder)][
        :1
    ]:
        with Journal.open(one, write=False) as journal:
            return method_of(journal.session.header).ratings is None
    return False
