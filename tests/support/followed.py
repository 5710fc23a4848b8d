"""A folder of a batch, and a runner that writes into it as a test says."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from verifytui.engines.batches.orders import FILE
from verifytui.engines.batches.run_journal import (
    AnyEntry,
    LineNow,
    RunJournal,
    RunStart,
)
from verifytui.sessions import locks

COMMAND = "verifytui debate --topics t.jsonl --into out"


class World:
    """A folder of a batch, and a runner that writes into it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "batch.json").write_text(
            json.dumps({"format": "verifytui-batch/1", "options": {}, "lines": {}})
        )
        self.diary = RunJournal(folder)
        self._fd = os.open(folder, os.O_RDONLY)
        self._lock = locks.take(self._fd, folder / "batch.json")

    def begin(self, count: int, **more: Any) -> None:
        began = RunStart(
            method="debate",
            kind="topics",
            command=COMMAND,
            cwd=os.getcwd(),
            lines=count,
            concurrency=4,
            **more,
        )
        self.write(
            began,
            *(
                LineNow(id=f"q{n}", status="waiting", title=f"Why {n}?")
                for n in range(count)
            ),
        )

    def write(self, *entries: AnyEntry) -> None:
        self.diary.write(*entries)

    def dies(self) -> None:
        self._lock.release()
        os.close(self._fd)

    def orders(self) -> list[dict[str, Any]]:
        file = self.folder / FILE
        rows = (
            [json.loads(line) for line in file.read_text().splitlines()]
            if file.exists()
            else []
        )
        return [
            {name: value for name, value in row.items() if name not in ("time", "id")}
            for row in rows
        ]
