"""A process that reads files for another process: it receives jobs on stdin and writes
results to stdout, until stdin ends.
"""

from __future__ import annotations

import os
import resource
import signal
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from ...texts import set_language, t
from .readings import FileReading, read

HELLO = b"ready"
"""The first message of a worker that can work."""

LONGEST = 300
"""Seconds of processor time that a file may take.

After them the kernel ends the worker, so no library can hang for ever.
"""


class ReadJob(msgspec.Struct, array_like=True):
    """A file to read."""

    path: bytes
    name: str
    limit: int
    """In bytes."""
    ocr: tuple[str, ...] = ()
    """As in RawFile."""


def serve(language: str) -> None:
    """Work until stdin ends. Reasons are written in `language`."""
    # Ctrl+C reaches the whole group; the parent ends this process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    set_language(language)
    jobs = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    with open(
        os.devnull, "r+b"
    ) as nowhere:  # output of libraries must not mix with the replies
        for number in (0, 1):
            os.dup2(nowhere.fileno(), number)
    with suppress(BrokenPipeError):
        send(replies, HELLO)
        while (told := receive(jobs)) is not None:
            _limit()
            send(replies, _reply(msgspec.msgpack.decode(told, type=ReadJob)))


def send(stream: BinaryIO, message: bytes) -> None:
    """Send a message, preceded by its length."""
    stream.write(len(message).to_bytes(8, "big"))
    stream.write(message)
    stream.flush()


def receive(stream: BinaryIO) -> bytes | None:
    """The next message; None at the end, or if it is incomplete."""
    size = int.from_bytes(head, "big") if len(head := stream.read(8)) == 8 else None
    if size is None:
        return None
    message = stream.read(size)
    if len(message) == size:
        return message
    return None


def _reply(job: ReadJob) -> bytes:
    try:
        return msgspec.msgpack.encode(
            read(Path(os.fsdecode(job.path)), job.name, job.limit, job.ocr)
        )
    except (UnicodeEncodeError, msgspec.MsgspecError, MemoryError) as error:
        return msgspec.msgpack.encode(
            FileReading(why=t("wrong.documents.failed", kind=type(error).__name__))
        )


def _limit() -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    wanted = int(used.ru_utime + used.ru_stime) + LONGEST
    resource.setrlimit(
        resource.RLIMIT_CPU,
        (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most),
    )
