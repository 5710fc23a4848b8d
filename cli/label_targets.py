"""Which folders hold answers that people rate, and which hold pairs of cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..engines.method import Method


def are_answers(path: Path) -> bool:
    """Whether a folder holds answers: a study, one batch or several, of a method that
    does not rate pairs; or a file of outputs.
    """
    from ..engines.figures.runs import holds_outputs
    from ..sessions.case_pairs import session_files
    from ..sessions.files import has_batch
    from ..sessions.folders import kind_of

    if path.is_file():
        return holds_outputs(path)
    if not path.is_dir() or kind_of(path) == "study":
        return path.is_dir()
    if not has_batch(path) and session_files(path):
        return False
    found = first_method(path)
    return found is not None and found.ratings is None


def first_method(path: Path) -> Method | None:
    """The method of the first session in a folder of one batch or several; None without
    one. Raises: SessionError.
    """
    from ..engines.method import method_of
    from ..engines.studies.rating import folders_in
    from ..sessions.case_pairs import session_files
    from ..sessions.journal import read_session

    for folder in folders_in(path):
        for file in session_files(folder):
            return method_of(read_session(file).header)
    return None
