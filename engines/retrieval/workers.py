"""Reads many files in processes of their own, a core each, and gives what they hold in
the order of the files.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import IO, BinaryIO, cast

import msgspec

from ...texts import language, t
from . import worker
from .documents import LargeText
from .readings import FileReading, Stream, read, stream, streamed
from .sources import SourceFile
from .worker import HELLO, ReadJob, receive, send

WORTH = 3.0
"""Seconds that reading the rest must take for processes to be started: they need about
one to load their libraries.
"""

TRIED = 1.0
"""Seconds of reading after which it is known how long the rest will take."""

MOST = 16
"""Processes, however many cores there are: the index itself is written by one."""

AHEAD = 4
"""Files for each process that are read, or wait to be read, before it is their turn."""

AHEAD_BYTES = 64 * 1024 * 1024

_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[3:]; __import__(sys.argv[1], "
    "fromlist=['serve']).serve(sys.argv[2])"
)


def cores() -> int:
    """Cores that this program may use."""
    try:
        there = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        there = os.cpu_count() or 1
    return max(1, min(there, _quota() or there))


def _quota() -> int | None:
    """Return the cores that a container may use; None if there is no limit."""
    try:
        most, period = Path("/sys/fs/cgroup/cpu.max").read_text("ascii").split()
        if most == "max":
            return None
        return int(most) // int(period)
    except (OSError, ValueError):
        return None


def readings(
    sources: Sequence[SourceFile], limit: int, check: Callable[[], None]
) -> Generator[FileReading | Stream | LargeText, None, None]:
    """What reading each file gave, in order; many are read by several processes.

    Large files of rows or plain text are only opened.

    `limit` in bytes. `check` is called now and then; it may raise to stop. Close the
    iterator: that ends the processes.
    """
    count = min(MOST, cores())
    spent = 0.0
    rest = deque(sources)
    while rest:
        done = len(sources) - len(rest)
        if count > 1 and spent >= TRIED and spent * len(rest) >= WORTH * done:
            break
        check()
        source, began = rest.popleft(), time.monotonic()
        reading = _read(source, limit)
        spent += time.monotonic() - began
        yield reading
    if rest:
        with Workers(count) as workers:
            yield from _in_order(rest, limit, check, workers)


def _in_order(
    rest: deque[SourceFile], limit: int, check: Callable[[], None], workers: Workers
) -> Generator[FileReading | Stream | LargeText, None, None]:
    ahead: deque[tuple[SourceFile, Future[FileReading | None] | None, int]] = deque()

    def fill() -> None:
        size = sum(size for _, _, size in ahead)
        while (
            rest
            and len(ahead) < AHEAD * workers.count
            and (not ahead or size < AHEAD_BYTES)
        ):
            source = rest.popleft()
            if streamed(source.path, limit):
                ahead.append((source, None, 0))
            else:
                ahead.append((source, workers.read(source, limit), _size(source)))
            size += ahead[-1][2]

    fill()
    while ahead:
        source, future, _ = ahead.popleft()
        reading = _wait(future, check) if future is not None else None
        fill()
        yield _read(source, limit) if reading is None else reading


def _read(source: SourceFile, limit: int) -> FileReading | Stream | LargeText:
    return stream(source.path, source.name, limit) or read(
        source.path, source.name, limit, source.ocr
    )


def _wait(
    future: Future[FileReading | None], check: Callable[[], None]
) -> FileReading | None:
    while True:
        check()
        with suppress(TimeoutError):
            return future.result(0.1)


def _size(source: SourceFile) -> int:
    try:
        return source.path.stat().st_size
    except OSError:
        return 0


class Workers:
    """Processes that read files.

    They are started when there is work, and killed at the end of the block.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._jobs: queue.SimpleQueue[
            tuple[ReadJob, Future[FileReading | None]] | None
        ] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._over = False
        self._useless = False
        """No process can be started here."""
        self._threads = [
            threading.Thread(target=self._work, name="verifytui-reading", daemon=True)
            for _ in range(count)
        ]

    def __enter__(self) -> Workers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *about: object) -> None:
        with self._lock:
            self._over = True
            for process in self._running:
                process.kill()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join(2)

    def read(self, source: SourceFile, limit: int) -> Future[FileReading | None]:
        """What reading the file will give; None if no process can be started here."""
        future: Future[FileReading | None] = Future()
        self._jobs.put(
            (
                ReadJob(
                    os.fsencode(source.path),
                    source.name,
                    limit,
                    source.ocr,
                ),
                future,
            )
        )
        return future

    def _work(self) -> None:
        """Feeds jobs to one process.

        If two processes die on a file, that file is left out, and another process
        continues.
        """
        process: subprocess.Popen[bytes] | None = None
        while not self._over and (item := self._jobs.get()) is not None:
            job, future = item
            reading: FileReading | None = None
            # retry once, because memory may have been short for a moment
            for _ in range(2):
                process = process or self._start()
                if process is None:
                    break
                answer = _ask(process, job)
                if answer is not None:
                    reading = answer
                    break
                number = _ended(process)
                reading = FileReading(why=_why(number))
                self._end(process)
                process = None
                if number == -signal.SIGXCPU:
                    break
            future.set_result(reading)
        if process is not None:
            self._end(process)

    def _start(self) -> subprocess.Popen[bytes] | None:
        """Start a process and wait for its greeting."""
        with self._lock:
            if self._over or self._useless or not sys.executable:
                return None
            paths = [os.path.abspath(path) for path in sys.path]
            command = [
                sys.executable,
                "-P",
                "-c",
                _PROGRAM,
                worker.__name__,
                language(),
                *paths,
            ]
            try:
                process = subprocess.Popen(  # noqa: S603
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            except OSError:
                self._useless = True
                return None
            self._running.add(process)
        if receive(_pipe(process.stdout)) != HELLO:
            self._useless = True
            self._end(process)
            return None
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        with suppress(OSError):
            _pipe(process.stdin).close()
        _pipe(process.stdout).close()
        with self._lock:
            self._running.discard(process)


def _ask(process: subprocess.Popen[bytes], job: ReadJob) -> FileReading | None:
    """Return the process's response; None if it died."""
    try:
        send(_pipe(process.stdin), msgspec.msgpack.encode(job))
        told = receive(_pipe(process.stdout))
        if told is None:
            return None
        return msgspec.msgpack.decode(told, type=FileReading)
    except (OSError, ValueError, MemoryError, msgspec.MsgspecError):
        return None


def _ended(process: subprocess.Popen[bytes]) -> int:
    """The exit code of a process that has stopped answering, or the signal that ended
    it, below 0.
    """
    try:
        return process.wait(5)
    except subprocess.TimeoutExpired:  # it is running, but its replies are invalid
        process.kill()
        return process.wait()


def _why(number: int) -> str:
    """Why a process died, as the end of a sentence."""
    if number == -signal.SIGXCPU:
        return t("wrong.documents.slow", seconds=worker.LONGEST)
    return t(
        "wrong.documents.died",
        kind=signal.Signals(-number).name if -number in set(signal.Signals) else number,
    )


def _pipe(stream: IO[bytes] | None) -> BinaryIO:
    return cast(BinaryIO, stream)
