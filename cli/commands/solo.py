"""`verifytui solo`: one model answers one topic, or every topic of a file, alone."""

from __future__ import annotations

from ...engines.solo.settings import SETTINGS
from ..asking import asking_command

solo = asking_command("solo", SETTINGS, "topics")
