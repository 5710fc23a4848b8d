"""How long `compare` takes for two folders of 1,000 scripted debates, and how many of
them are read in a second.

.venv/bin/python -m verifytui.benchmarks.runs [SESSIONS]
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from verifytui.engines.api import batch
from verifytui.engines.debate.script import example_topics
from verifytui.engines.figures.runs import read_run


def main(sessions: int = 1000) -> None:
    questions = [one for one in example_topics() if one.kind == "question"]
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        lines = [
            {
                "id": f"i{n}",
                "topic": questions[n % 3].topic,
                "answers": ["4"],
                "cluster": f"c{n}",
            }
            for n in range(sessions)
        ]
        (home / "topics.jsonl").write_text(
            "".join(json.dumps(line) + "\n" for line in lines), "utf-8"
        )
        for folder, level in (("one", 2), ("other", 1)):
            asyncio.run(
                batch(
                    "debate",
                    home / "topics.jsonl",
                    into=home / folder,
                    models="script",
                    concurrency=64,
                    level=level,
                )
            )
        begun = time.process_time()
        read_run(home / "one")
        print(
            f"read: {sessions / (time.process_time() - begun):.0f} sessions in a "
            f"second of a core"
        )
        begun = time.perf_counter()
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(
            [
                sys.executable,
                "-m",
                "verifytui",
                "compare",
                home / "one",
                home / "other",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        print(
            f"compare: {time.perf_counter() - begun:.2f} s for two folders of "
            f"{sessions}, {spent:.2f} s of a core"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
