"""The paths of everything on this machine. Only `private_dir` and
`remember` create anything.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Paths:
    """Every path that VerifyTUI reads or writes on its own; `verifytui locate` prints
    them.
    """

    data: Path
    sessions: Path
    bin: Path
    """Deleted sessions, until the bin is emptied."""
    corpora: Path
    """Indexes of the user's documents."""
    config: Path
    config_file: Path
    prompts: Path
    """The user's own prompt sets."""
    demonstrations: Path
    """The user's own sets of demonstrations."""
    cache: Path
    state: Path
    log: Path
    crash_dir: Path

    def all(self) -> dict[str, Path]:
        """Name to path, in reading order."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def paths(env: Mapping[str, str] = os.environ) -> Paths:
    """Return the paths: under `VERIFYTUI_HOME` if set, else the platform's folders."""
    home = env.get("VERIFYTUI_HOME", "")
    if home:
        base = Path(os.path.abspath(os.path.expanduser(home)))
        data = config = base
        cache, state = base / "cache", base / "state"
    else:
        from platformdirs import PlatformDirs

        dirs = PlatformDirs("verifytui", appauthor=False)
        data, config = Path(dirs.user_data_dir), Path(dirs.user_config_dir)
        cache, state = Path(dirs.user_cache_dir), Path(dirs.user_state_dir)
    return Paths(
        data=data,
        sessions=data / "sessions",
        bin=data / "bin",
        corpora=data / "corpora",
        config=config,
        config_file=config / "config.yaml",
        prompts=config / "prompts",
        demonstrations=config / "demonstrations",
        cache=cache,
        state=state,
        log=state / "verifytui.log",
        crash_dir=state / "crashes",
    )


def private_dir(path: Path) -> Path:
    """Creates a folder that only its owner can enter (0700), with its parents.

    An existing one is left as it is.
    """
    if not path.is_dir():
        if not path.parent.is_dir():
            private_dir(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
    return path


def recall(path: Path) -> Any:
    """Returns what is in a JSON file; None where it cannot be read."""
    import json

    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def remember(path: Path, value: object) -> None:
    """Replaces what is in a JSON file; nothing where the home cannot be written."""
    import json

    with suppress(OSError):
        private_dir(path.parent)
        path.write_text(json.dumps(value), encoding="utf-8")
