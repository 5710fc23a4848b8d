"""Starts `verifytui` commands cheaply: a process imports everything once, then forks
for each command. It speaks JSON lines.

In: {"arguments": […], "env": {…}, "out": FILE, "log": FILE, "stdin": FILE, "cwd":
FOLDER}. Out: the child's process id. In: a process id. Out: its exit status, once it
has ended. What a child says on stderr is in FILE.err. In the child every event that is
kept is noted in the log, after it is in its file: the file's name, the event's number.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

NOWHERE = Path(os.devnull)
HERE = Path()


class ForkServer:
    """The other side, for tests."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-X", "utf8", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(
        self,
        arguments: Sequence[str | Path],
        env: Mapping[str, str],
        out: Path,
        log: Path,
        stdin: Path = NOWHERE,
        cwd: Path = HERE,
    ) -> int:
        """The process id of a command that has begun, with exactly these variables in
        its environment.
        """
        files = {"out": str(out), "log": str(log), "stdin": str(stdin), "cwd": str(cwd)}
        self._say(
            {"arguments": [str(one) for one in arguments], "env": dict(env), **files}
        )
        return int(self._hear())

    def wait(self, pid: int) -> int:
        """The exit code of a command; that of a killed one is minus the signal."""
        self._say(pid)
        return os.waitstatus_to_exitcode(int(self._hear()))

    def close(self) -> None:
        self._process.communicate(timeout=60)

    def _say(self, what: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()

    def _hear(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the fork server has ended"
        return line


def _child(wish: dict[str, Any]) -> None:
    from verifytui.cli.app import main
    from verifytui.sessions.journal import Journal

    os.environ.clear()
    os.environ.update(wish["env"])
    os.chdir(wish["cwd"])
    given = os.open(wish["stdin"], os.O_RDONLY)
    err = os.open(wish["out"] + ".err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    out = os.open(wish["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for old, new in ((given, 0), (out, 1), (err, 2)):
        os.dup2(old, new)
    log = os.open(wish["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    append = Journal.append

    def noted(journal: Journal, event: Any) -> Any:
        kept = append(journal, event)
        if journal.path is not None:
            os.write(
                log,
                json.dumps([journal.path.name, kept.number, kept.time]).encode()
                + b"\n",
            )
        return kept

    Journal.append = noted  # type: ignore[assignment, method-assign]
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    code = 1
    try:
        code = (
            _tidy(int(wish["arguments"][1]))
            if wish["arguments"][:1] == ["--tidy"]
            else main(wish["arguments"])
        )
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _tidy(times: int) -> int:
    """`--tidy N`: what people do in a library, so many times, with whatever sessions
    there are.
    """
    from verifytui.sessions.errors import SessionError
    from verifytui.sessions.library import Library
    from verifytui.sessions.paths import paths

    library = Library(paths())
    for _ in range(times):
        for entry in library.entries():
            with contextlib.suppress(SessionError):
                if entry.status == "finished" and entry.parent is None:
                    library.delete(library.duplicate(entry.path))
        for entry in library.bin():
            with contextlib.suppress(SessionError):
                library.restore(entry.path)
        for entry in library.entries():
            with contextlib.suppress(SessionError):
                if entry.parent is not None:
                    library.rename(entry.path, "Renamed")
                    library.delete(entry.path)
        library.empty_bin()
    return 0


def _serve() -> None:
    from verifytui import cli, engines, prompts, sessions, texts
    from verifytui.engines.models import litellm_loading

    asyncio.run(litellm_loading.ready())
    for room in (cli, engines, prompts, sessions):
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            importlib.import_module(module.name)
    for language in texts.LANGUAGES:
        texts.catalogue(language)
    gc.freeze()
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join()  # a forked process has only the thread that forks
    for line in sys.stdin:
        wish = json.loads(line)
        if isinstance(wish, int):
            print(os.waitpid(wish, 0)[1], flush=True)
            continue
        pid = os.fork()
        if pid == 0:
            _child(wish)
        print(pid, flush=True)


if __name__ == "__main__":
    _serve()
