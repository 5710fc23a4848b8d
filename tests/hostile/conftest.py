"""The helpers of the other folders, for tests that go across them."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]

for folder in ("cli", "sessions", "tui", "relevance"):
    if str(TESTS / folder) not in sys.path:
        sys.path.append(str(TESTS / folder))
