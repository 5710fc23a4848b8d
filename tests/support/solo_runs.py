"""Small batches in a folder, answered by the script."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verifytui.engines.api import batch
from verifytui.tests.support.commanding import HILL

EAT = "吃掉敌人一个师。"
LINES: tuple[dict[str, Any], ...] = (
    {"id": "hill", "topic": HILL, "answers": ["1.5 m/s"], "wrong_answers": ["2 m/s"]},
    {"id": "again", "topic": HILL, "answers": ["2 m/s"], "cluster": "hills"},
    {
        "id": "eat",
        "topic": EAT,
        "kind": "translation",
        "answers": ["Destroy an enemy division."],
    },
)


def write_lines(path: Path, lines: Sequence[dict[str, Any]]) -> Path:
    """A file of JSON lines."""
    path.write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8"
    )
    return path


async def solo_run(
    folder: Path,
    lines: Sequence[dict[str, Any]] = LINES,
    method: str = "solo",
    **options: Any,
) -> Path:
    """The folder of a batch of one method, answered by the script."""
    await batch(
        method,
        write_lines(folder.with_suffix(".jsonl"), lines),
        into=folder,
        models="script",
        **options,
    )
    return folder
