"""What the grader is asked, as data.

Language models get the rendered messages; `lexical` and `human` answer from this.
"""

from __future__ import annotations

from ..models.port import Task


class GradePair(Task, kw_only=True):
    """How relevant the candidate is to the query, 0 to 3.

    The reply is a JSON object {"reason": "…", "grade": 0 to 3}.
    """

    query: str
    candidate: str
