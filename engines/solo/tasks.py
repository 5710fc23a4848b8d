"""What the solver is asked, as data. Language models get the rendered messages; `script` and `human` answer from this."""

from __future__ import annotations

from ..models.port import Task


class Solve(Task, kw_only=True):
    """Answer the question, or translate the text."""

    topic: str
    kind: str
    """`question` or `translation`."""
    source: str | None = None
    """Language codes of a translation, else None."""
    target: str | None = None
    strategy: str
    """`direct` or `cot`."""
