"""An index of the words that the sessions of a folder say, kept in the cache: which
sessions have a word, without opening them.

It may be deleted at any time. A session that has changed is read again, and one that is
away leaves it.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from .entry_store import FileStamp, stamps_in
from .paths import private_dir

READ = 1 << 20
"""Bytes of a session that are indexed, from its beginning."""
SHORTEST = 3
"""Letters of the beginning of a word that is looked for; shorter ones are whole words.
"""
LONGEST = 40
"""Letters of a word that is indexed; longer ones are digests."""
AT_A_TIME = 50
"""Sessions that are written together."""

_KEY = re.compile(r"^[ -]*[\w.-]+:(?= |$)", re.MULTILINE)
_RUN = re.compile(r"[\u3040-\u9fff]+")
_WORD = re.compile(r"[^\W_\u3040-\u9fff]+")


class TextIndex:
    """The index of one folder. Where it cannot be kept, nothing is found."""

    def __init__(self, folder: Path, cache: Path) -> None:
        """`cache`: the folder of the user's cache."""
        self._folder = folder
        name = hashlib.sha256(os.fsencode(folder.absolute())).hexdigest()[:16]
        self._path = cache / "texts" / f"{name}.sqlite"

    def fill(self, progress: Callable[[int, int], bool]) -> None:
        """Index the sessions that are new or changed, newest first.

        `progress` receives the indexed and total counts; false stops the indexing.
        """
        with suppress(OSError, sqlite3.Error), closing(self._open()) as it:
            stamps, _ = stamps_in(self._folder, (".yaml", ".yml"))
            known = {}
            for number, name, *stamp in it.execute("SELECT * FROM files").fetchall():
                if name in stamps and [*stamps[name]] == stamp:
                    known[name] = stamp
                else:
                    self._forget(it, number)
            fresh = sorted(stamps.keys() - known.keys(), reverse=True)
            for at in range(0, len(fresh), AT_A_TIME):
                if not progress(len(known) + at, len(stamps)):
                    return
                for name in fresh[at : at + AT_A_TIME]:
                    self._take(it, name, stamps[name])
                it.commit()
            it.commit()
            progress(len(stamps), len(stamps))

    def _take(self, it: sqlite3.Connection, name: str, stamp: FileStamp) -> None:
        said = " ".join(sorted(words_of(self._read(name))))
        kept = zlib.compress(said.encode(), 1)
        made = it.execute("INSERT INTO said VALUES (NULL, ?)", (kept,)).lastrowid
        it.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?, ?)", (made, name, *stamp))
        it.execute("INSERT INTO words (rowid, said) VALUES (?, ?)", (made, said))

    @staticmethod
    def _forget(it: sqlite3.Connection, number: int) -> None:
        """An index without texts of its own forgets a text that it is given again."""
        for (kept,) in it.execute("SELECT kept FROM said WHERE number = ?", (number,)):
            text = zlib.decompress(kept).decode()
            forget = "INSERT INTO words (words, rowid, said) VALUES ('delete', ?, ?)"
            it.execute(forget, (number, text))
        for table in ("said", "files"):
            it.execute(f"DELETE FROM {table} WHERE number = ?", (number,))  # noqa: S608

    def find(self, word: str) -> set[str]:
        """Returns the names of the files that have a word, or one that begins with it;
        a Chinese word wherever it stands.
        """
        asked = query(word)
        if not asked:
            return set()
        with suppress(OSError, sqlite3.Error), closing(self._open()) as it:
            found = it.execute(
                "SELECT name FROM files WHERE number IN"
                " (SELECT rowid FROM words WHERE words MATCH ?)",
                (asked,),
            )
            return {name for (name,) in found}
        return set()

    def _read(self, name: str) -> str:
        try:
            with open(self._folder / name, "rb") as file:
                return file.read(READ).decode(errors="replace")
        except OSError:
            return ""

    def _open(self) -> sqlite3.Connection:
        """Raises: OSError, sqlite3.Error."""
        private_dir(self._path.parent)
        try:
            return self._opened()
        except sqlite3.OperationalError:  # somebody else writes
            raise
        except sqlite3.DatabaseError:  # it is damaged
            self._path.unlink()
            return self._opened()

    def _opened(self) -> sqlite3.Connection:
        it = sqlite3.connect(self._path, timeout=2)
        try:
            it.executescript(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                "CREATE TABLE IF NOT EXISTS files"
                " (number INTEGER PRIMARY KEY, name TEXT,"
                " size INT, mtime INT, ctime INT, inode INT);"
                "CREATE TABLE IF NOT EXISTS said"
                " (number INTEGER PRIMARY KEY, kept BLOB);"
                "CREATE VIRTUAL TABLE IF NOT EXISTS words"
                " USING fts5(said, content='', detail=none, columnsize=0);"
            )
        except sqlite3.Error:
            it.close()
            raise
        return it


def words_of(text: str) -> set[str]:
    """Returns the words of a session file, without the names of fields; of Chinese each
    two characters that are neighbours.
    """
    said = _KEY.sub("", text).lower()
    words = {word for word in _WORD.findall(said) if len(word) <= LONGEST}
    for run in _RUN.findall(said):
        words.update(_pairs(run))
    return words


def query(word: str) -> str:
    """Returns what FTS5 looks for: all parts of a word, those of letters as beginnings;
    "" where it has neither letters nor digits.
    """
    runs = _RUN.findall(word)
    letters = _WORD.findall(word.lower())
    asked = [f'"{part}"' for run in runs for part in _pairs(run) if len(run) > 1]
    asked += [f'"{run}" *' for run in runs if len(run) == 1]
    asked += [f'"{part}"' + " *" * (len(part) >= SHORTEST) for part in letters]
    return " ".join(asked)


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(max(len(run) - 1, 1))]
