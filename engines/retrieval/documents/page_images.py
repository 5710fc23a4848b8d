"""Reads the pictures of PDF pages with a command for text recognition (OCR)."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

OCR_SECONDS = 600.0
"""The longest that the commands for one file may take."""
_MOST_IMAGES = 20
"""Pictures of a page that are read."""
_LONGEST = 1 << 20
"""Most bytes of what a command writes that are taken."""


def recognized(
    pages: Sequence[Any], wanted: Sequence[int], command: Sequence[str]
) -> dict[int, str]:
    """The text in the pictures of these pages, by their place in `pages` (of pypdf).

    Each picture is a file that takes the place of `{}` in the command, or follows it;
    what the command writes is the text. Pages for which it fails are missing.
    """
    end = time.monotonic() + OCR_SECONDS
    found = {}
    with tempfile.TemporaryDirectory(prefix="verifytui-ocr-") as folder:
        for at in wanted:
            texts = []
            for image in _images(pages[at], Path(folder)):
                named = [word.replace("{}", str(image)) for word in command]
                words = named if named != list(command) else [*named, str(image)]
                texts.append(_output(words, end - time.monotonic()))
            if text := "\n\n".join(filter(None, texts)):
                found[at] = text
    return found


def _images(page: Any, folder: Path) -> Iterator[Path]:
    # whatever a broken picture does to the library, the other pages are read
    with contextlib.suppress(Exception):
        for image, _ in zip(page.images, range(_MOST_IMAGES), strict=False):
            path = folder / f"page{Path(image.name).suffix}"
            path.write_bytes(image.data)
            yield path


def _output(words: Sequence[str], seconds: float) -> str:
    """Return a command's output; "" if it fails or times out."""
    with tempfile.TemporaryFile() as out:
        try:
            subprocess.run(  # noqa: S603
                words,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.DEVNULL,
                timeout=max(0.0, seconds),
                check=True,
            )
        except (OSError, ValueError, subprocess.SubprocessError):
            return ""
        out.seek(0)
        said = out.read(_LONGEST).decode("utf-8", "replace")
    return said.replace("\f", "\n").strip()
