"""Keys that come in one go, as on a slow link: each finds what the one before has made
of the screen.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.tests.support.terminal import KEYS, Terminal

pytestmark = pytest.mark.slow


def test_a_role_a_model_and_its_seat_in_one_go(home: Path) -> None:
    with Terminal() as terminal:
        terminal.invited()
        terminal.press("m")
        terminal.until("tab roles or models")
        terminal.press(KEYS["down"] + KEYS["enter"] + "openai/lb" + KEYS["enter"])
        terminal.until("negative: openai/lb, from the next call.")
        terminal.press(KEYS["escape"])
        terminal.until(lambda: "tab roles or models" not in terminal.text)
        terminal.press("q")
        assert terminal.ended() == ""
