"""Counts the file types of a corpus, and what was left out, by file extension."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from .index import IndexedFile

if TYPE_CHECKING:
    from .store import Array

IMAGES = (
    ".png .jpg .jpeg .gif .webp .bmp .tif .tiff .ico .svg .svgz .psd .eps .heic .avif"
)
ARCHIVES = (
    ".zip .gz .tgz .bz2 .tbz .xz .txz .zst .lz4 .7z .rar .tar .jar .whl .war .deb "
    ".rpm .iso"
)
OTHERS = (
    ".mp3 .wav .ogg .flac .m4a .mp4 .mkv .mov .avi .webm .woff .woff2 .ttf .otf .eot"
)
"""Sound, film, fonts."""
WORDLESS = frozenset(f"{IMAGES} {ARCHIVES} {OTHERS}".split())
"""Endings of files that nobody expects to be read: a corpus without them is whole."""


class FileFormat(NamedTuple):
    """The files of one ending."""

    ending: str
    """In small letters, with its dot; empty for files without one."""
    files: int
    """Files that are in the corpus."""
    documents: int
    passages: int
    words: int
    """As the index counts them: with titles, and with what passages share; Chinese as
    it is cut.
    """
    left_out: int
    """Files that are not in the corpus."""


def kinds(
    files: Sequence[IndexedFile], tokens_at: Array, left_out: Iterable[str]
) -> list[FileFormat]:
    """The kinds of files, the most frequent first.

    `tokens_at`: where the words of each passage begin; `left_out`: names of files.
    """
    counts: dict[str, list[int]] = {}
    for file in files:
        words = int(tokens_at[file.passage + file.passages] - tokens_at[file.passage])
        told = counts.setdefault(_ending(file.name), [0] * 5)
        for at, count in enumerate((1, file.documents, file.passages, words)):
            told[at] += count
    for name in left_out:
        counts.setdefault(_ending(name), [0] * 5)[4] += 1
    found = [FileFormat(ending, *told) for ending, told in counts.items()]
    return sorted(found, key=lambda kind: (-kind.files, -kind.left_out, kind.ending))


def mostly_left_out(found: Iterable[FileFormat]) -> tuple[int, int] | None:
    """How many files were left out, and of how many, if that is more than half; else
    None. Pictures, archives and the like do not count.
    """
    meant = [kind for kind in found if kind.ending not in WORDLESS]
    left, read = sum(kind.left_out for kind in meant), sum(kind.files for kind in meant)
    if left > read:
        return (left, left + read)
    return None


def _ending(name: str) -> str:
    return PurePath(name).suffix.lower()
