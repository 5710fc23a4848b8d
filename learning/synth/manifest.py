"""`synth.json`: the inputs and options of a synthesis folder. The same command
continues there; a different one is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from ...engines.batches.folder import locked
from ...sessions.begun import check_empty, check_same
from ...sessions.errors import bad_input, unread
from ...sessions.files import STUDY_FILE, has_batch, sha256, write_whole
from ...sessions.new import timestamp, versions

FILE = "synth.json"
FORMAT = "verifytui-synth/1"


class Manifest:
    """The inputs and options of a folder."""

    def __init__(
        self,
        folder: Path,
        kind: str,
        options: Mapping[str, object],
        files: Mapping[str, Path],
    ) -> None:
        """`kind`: the kind of data: `rag`, `cases`. `options`: everything that
        determines the data, as JSON, including the seed. `files`: input files and
        folders by name, compared by content, not by location.

        Raises: BadInput if one cannot be read.
        """
        self.folder = folder
        self._kind = kind
        self._options = json.loads(json.dumps(options))
        self._files = {
            name: {"file": path.name, "sha256": digest(path), "bytes": _size(path)}
            for name, path in files.items()
        }

    @property
    def files(self) -> dict[str, dict[str, Any]]:
        """The input files by name: {file, bytes, sha256}."""
        return self._files

    def check(self) -> bool:
        """Whether the same synthesis was started here; False if none was.

        Raises: BadInput, which names the first difference.
        """
        path = self.folder / FILE
        try:
            begun = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            if has_batch(self.folder) or (self.folder / STUDY_FILE).exists():
                raise bad_input("wrong.synth.other_run", path=self.folder) from None
            check_empty(self.folder, FILE, _log_only)
            return False
        except NotADirectoryError:
            raise bad_input("wrong.batch.not_a_folder", path=self.folder) from None
        except OSError as error:
            raise unread(path, error) from None
        except ValueError:
            begun = None
        if not isinstance(begun, dict) or begun.get("format") != FORMAT:
            raise bad_input("wrong.synth.unread", path=path)
        before, now = (
            _flat(begun.get("kind"), begun.get("options"), begun.get("files")),
            _flat(self._kind, self._options, self._files),
        )
        check_same(self.folder, before, now)
        return True

    def keep(self) -> None:
        """Records the inputs and options once. Raises: BadInput as for `check`."""
        if not self.check():
            told = {
                "kind": self._kind,
                "begun": timestamp(),
                "options": self._options,
                "files": self._files,
                "versions": versions(),
            }
            write_whole(
                self.folder / FILE,
                json.dumps({"format": FORMAT, **told}, ensure_ascii=False, indent=1)
                + "\n",
            )

    def locked(self) -> AbstractContextManager[None]:
        """Creates and locks the folder. Raises: BadInput if another run uses it."""
        return locked(self.folder, FILE)


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal; for a folder, that of the names and
    digests of its files.

    Raises: BadInput.
    """
    try:
        if path.is_dir():
            told = (
                f"{file.relative_to(path).as_posix()}\0{digest(file)}\n"
                for file in _files(path)
            )
            return hashlib.sha256(
                "".join(told).encode("utf-8", "surrogatepass")
            ).hexdigest()
        return sha256(path)
    except OSError as error:
        raise unread(path, error) from None


def _log_only(path: Path) -> bool:
    """Whether the folder contains only logs: a detached run writes them before it
    starts its batch.
    """
    return path.is_dir() and all(one.suffix == ".log" for one in path.iterdir())


def _files(folder: Path) -> list[Path]:
    return sorted(
        (one for one in folder.rglob("*") if one.is_file()),
        key=lambda one: one.relative_to(folder).as_posix(),
    )


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(file.stat().st_size for file in _files(path))
    return path.stat().st_size


def _flat(kind: Any, options: Any, files: Any) -> dict[str, object]:
    """Everything that must not change, by its name in messages."""
    made = {"kind": kind}
    for name, value in (options if isinstance(options, dict) else {}).items():
        made |= (
            {f"{name}.{part}": one for part, one in value.items()}
            if isinstance(value, dict)
            else {name: value}
        )
    listed = files if isinstance(files, dict) else {}
    return made | {
        name: one.get("sha256") if isinstance(one, dict) else None
        for name, one in listed.items()
    }
