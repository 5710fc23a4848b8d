"""`verifytui solo`: one model answers one topic, or every topic of a file, alone."""

from __future__ import annotations

from ...engines.solo.settings import SETTINGS
from ..topics import topic_command

solo = topic_command(
    SETTINGS,
    """Let one model answer TOPIC alone, or with --topics every topic of a file.

    Without --model the built-in script answers, which knows the bundled example topics only.
    """,
)
