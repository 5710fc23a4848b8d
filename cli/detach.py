"""`--detach`: runs the same command in a process of its own, without this terminal."""

from __future__ import annotations

import os
import shlex
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from ..sessions.errors import bad_input, not_written
from ..sessions.new import timestamp
from ..sessions.paths import private_dir
from ..texts import t
from . import console
from .screen import typed, words_typed

LOG = "run.log"
"""What a detached command prints, in the folder of its run; each run adds to it."""
PATIENCE = 3.0
"""Seconds after which it is said that the command is still getting ready."""
_LOOKS = 0.05


def detach(folder: Path, *, as_json: bool) -> int:
    """Begins the command again in a session of its own, and returns once it works on
    the folder; the exit code.

    A command that ends before has its own exit code, and what it said is said here.
    Raises: BadInput, KeyboardInterrupt.
    """
    from ..engines.batches.batch_snapshot import BatchSnapshot

    folder = folder.resolve()
    with _log(folder) as log, _input() as given:
        said = os.fstat(log.fileno()).st_size
        child = _begin(log, given)
        since, patient, now = (
            time.monotonic(),
            sys.stderr.isatty(),
            BatchSnapshot(folder),
        )
        try:
            while child.poll() is None:
                now = now.look()
                if now.began is not None and now.began.pid == child.pid:
                    child.returncode = 0  # it is left to itself
                    _say_where(folder, child.pid, as_json=as_json)
                    return console.DONE
                if patient and time.monotonic() - since > PATIENCE:
                    patient = False
                    console.tell("report.runs.ready")
                time.sleep(_LOOKS)
        except KeyboardInterrupt:
            child.terminate()
            child.wait()
            raise
        os.lseek(log.fileno(), said, os.SEEK_SET)
        words = log.read().decode("utf-8", "replace").rstrip()
    if words:
        console.say(words)
    if child.returncode >= 0:
        return child.returncode
    return console.FAILED


def _begin(log: IO[bytes], given: IO[bytes] | int) -> subprocess.Popen[bytes]:
    arguments = [*words_typed()]
    end = arguments.index("--") if "--" in arguments else len(arguments)
    arguments[:end] = [one for one in arguments[:end] if one != "--detach"]
    with _deaf_to(signal.SIGHUP):
        return subprocess.Popen(  # noqa: S603
            [*door(), *arguments],
            stdin=given,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def door() -> list[str]:
    """Return the command that starts this program again.

    Does not import modules from the working folder, unless this process did.
    """
    safe = [] if sys.path and sys.path[0] in ("", os.getcwd()) else ["-P"]
    return [sys.executable, *safe, "-m", __name__.partition(".")[0]]


@contextmanager
def _deaf_to(number: signal.Signals) -> Iterator[None]:
    """The end of the terminal does not reach what is begun here: what is ignored stays
    so in a new program.
    """
    before = signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(number, before)


@contextmanager
def _log(folder: Path) -> Iterator[IO[bytes]]:
    """Open the log of the folder and add a line about this start. Raises: BadInput."""
    path = folder / LOG
    try:
        private_dir(folder)
        fd = os.open(
            path,
            os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK,
            0o600,
        )
    except OSError as error:
        raise not_written(path, error) from None
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise bad_input("wrong.led.log_odd", path=path)
    with os.fdopen(fd, "rb+", buffering=0) as log:
        try:
            log.write(f"{timestamp()} {typed()}\n".encode("utf-8", "replace"))
        except OSError as error:
            raise not_written(path, error) from None
        yield log


@contextmanager
def _input() -> Iterator[IO[bytes] | int]:
    """Return the stdin of the new process: the text already read here, or nothing."""
    from .stdin import taken

    data = taken()
    if data is None:
        yield subprocess.DEVNULL
        return
    with TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield file


def _say_where(folder: Path, pid: int, *, as_json: bool) -> None:
    if as_json:
        console.out_json({"folder": str(folder), "pid": pid, "log": str(folder / LOG)})
        return
    place = shlex.quote(str(folder))
    commands = [
        f"verifytui runs {name} {place}" for name in ("follow", "pause", "stop")
    ]
    console.line(
        "\n  ".join(
            [t("report.runs.detached", folder=folder, pid=pid, log=LOG), *commands]
        )
    )
