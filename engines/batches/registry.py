"""The runs of this machine: one small file per folder, written when a batch or a study
starts, so that it can be found again.
"""

from __future__ import annotations

import hashlib
import socket
from contextlib import suppress
from pathlib import Path

import msgspec

from ...sessions import locks
from ...sessions.errors import BadInput, WriteError, bad_input, cause
from ...sessions.files import BATCH, STUDY_FILE, write_whole
from ...sessions.new import timestamp
from ...sessions.paths import Paths, private_dir

_LONGEST = 1 << 16


class Record(msgspec.Struct, kw_only=True):
    """The folder of a batch or study that was started here."""

    folder: str
    """Its absolute path."""
    begun: str
    """When a run of it began last."""
    host: str = ""
    """The machine on which."""

    @property
    def path(self) -> Path:
        return Path(self.folder)


def enlist(folder: Path, places: Paths) -> None:
    """Notes down that a run begins in this folder.

    Nothing fails because of it: a run that cannot be noted down is only not listed.
    """
    with suppress(OSError, ValueError, BadInput, WriteError):
        whole = folder.resolve()
        made = Record(folder=str(whole), begun=timestamp(), host=socket.gethostname())
        write_whole(
            private_dir(_shelf(places)) / _name(whole),
            msgspec.json.encode(made) + b"\n",
        )


def has_runner(folder: Path) -> bool:
    """Whether a run of a batch or a study is at work in this folder now."""
    return any(locks.in_use(folder, folder / name) for name in (BATCH, STUDY_FILE))


def records(places: Paths) -> list[Record]:
    """Return the registered runs, newest first. Unreadable entries are skipped."""
    found = []
    with suppress(OSError):
        for path in _shelf(places).glob("*.json"):
            with suppress(OSError, ValueError), path.open("rb") as file:
                record = msgspec.json.decode(file.read(_LONGEST), type=Record)
                if record.path.is_absolute() and path.name == _name(record.path):
                    found.append(record)
    return sorted(found, key=lambda one: (one.begun, one.folder), reverse=True)


def forget(folder: Path, places: Paths) -> bool:
    """Takes a run off the list; its folder stays as it is.

    False where it was not on it. Raises: BadInput.
    """
    for path in dict.fromkeys((folder, folder.resolve())):
        try:
            (_shelf(places) / _name(path)).unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise bad_input(
                "wrong.led.not_forgotten", folder=folder, why=cause(error)
            ) from None
        return True
    return False


def _shelf(places: Paths) -> Path:
    return places.state / "runs"


def _name(folder: Path) -> str:
    return (
        hashlib.sha256(str(folder).encode("utf-8", "surrogatepass")).hexdigest()[:24]
        + ".json"
    )
