"""A story in a page: commands, and a table of the keys that are pressed in the app that
the last command opens, with the words that follow.
"""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple

from verifytui.tests.support.terminal import Terminal

CODE = re.compile(r"`([^`]+)`")


class Story(NamedTuple):
    """A part of the page: commands, and rows of keys with the words that follow."""

    commands: list[list[str]]
    rows: list[tuple[list[str], list[str]]]


def told(part: str) -> Story:
    """The story of a part of a page."""
    block = re.search(r"^```sh\n(.*?)^```", part, re.MULTILINE | re.DOTALL)
    assert block
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in part.splitlines()
        if line.startswith("| `")
    ]
    rows = [
        ([key.strip('"') for key in CODE.findall(keys)], CODE.findall(words))
        for keys, _, words in cells
    ]
    return Story([shlex.split(line)[1:] for line in block[1].splitlines()], rows)


def pressed(told: Story) -> None:
    """Runs the commands; in the app that the last one opens every key is pressed, and
    each row's words appear.
    """
    *before, last = told.commands
    for command in before:
        with Terminal(*command) as terminal:
            terminal.ended(seconds=60)
    with Terminal(*last, size=(120, 36)) as terminal:
        terminal.until(lambda: re.search("\\? (help|帮助)", terminal.text))
        terminal.quiet()
        for keys, words in told.rows:
            for key in keys:
                terminal.press(key)
                if (
                    len(key) > 1
                ):  # what follows escape at once would be taken for alt, and a dialog opens and filters behind a key
                    terminal.quiet()
            for word in words:
                terminal.until(word, 15)
        assert terminal.ended() == ""
