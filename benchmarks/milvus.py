"""A corpus on Milvus Lite beside the same one on disk: what is found for every question
of three sets, time a query, and time to send.

The question sets lie beside the checkout (../shared/data). Milvus Lite searches sparse
vectors one by one, so its speed says little of a server's; the time that this process
itself takes for a query is shown apart.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = {
    "XQuAD en": ("xquad", ".en"),
    "XQuAD zh": ("xquad", ".zh"),
    "CMRC": ("cmrc2018-trial", ""),
}
MADE_UP = 20_000
"""Passages that are sent to measure that."""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VERIFYTUI_HOME"] = f"{folder}/home"
        for name, (where, tail) in SETS.items():
            asked = [
                json.loads(line)["question"]
                for line in (SHARED / where / f"questions{tail}.jsonl").open(
                    encoding="utf-8"
                )
            ]
            compare(Path(folder), name, SHARED / where / f"passages{tail}.jsonl", asked)
        send(Path(folder))


def compare(folder: Path, name: str, passages: Path, asked: list[str]) -> None:
    from verifytui.scale.milvus.corpus import MilvusCorpus

    with Timed(folder, name.replace(" ", "-"), passages) as sent:
        local, there = sent.corpora.open(sent.name), MilvusCorpus(sent.server, "milvus")
        same, times = (
            0,
            {"disk": list[float](), "milvus": list[float](), "own": list[float]()},
        )
        for question in asked:
            began = time.perf_counter()
            expected = local.search(question, 5)
            times["disk"].append(time.perf_counter() - began)
            sent.waited, began = 0.0, time.perf_counter()
            found = there.search(question, 5)
            times["milvus"].append(time.perf_counter() - began)
            times["own"].append(times["milvus"][-1] - sent.waited)
            same += found == expected
        figures = {
            key: statistics.median(values) * 1000 for key, values in times.items()
        }
        print(
            f"{name}: {same} of {len(asked)} questions find the same five, in the "
            f"same order, with the same scores;"
            f" median {figures['disk']:.1f} ms on disk, {figures['milvus']:.1f} "
            f"ms on Milvus Lite, of which {figures['own']:.1f} ms here"
        )
        local.close()


def send(folder: Path) -> None:
    words = [
        "river",
        "tower",
        "lighthouse",
        "harbour",
        "bridge",
        "keeper",
        "stone",
        "light",
        "winter",
        "song",
        "letter",
        "market",
        "road",
    ]
    path = folder / "large.jsonl"
    with path.open("w") as file:
        for at in range(MADE_UP):
            text = " ".join(
                words[(at * (3 + step % 5) + step * step) % len(words)]
                + (str(at) if step % 9 == 0 else "")
                for step in range(100)
            )
            file.write(json.dumps({"title": f"Note {at}", "text": text}) + "\n")
    with Timed(folder, "large", path) as sent:
        print(
            f"{MADE_UP:,} passages: sent in {sent.seconds:.1f} s "
            f"({MADE_UP / sent.seconds:,.0f} passages a second)"
        )
        began = time.perf_counter()
        done = sent.fill()
        print(
            f"again, with nothing changed: {time.perf_counter() - began:.1f} s, "
            f"{done.sent} sent"
        )


class Timed:
    """A corpus that was built and sent; `waited` adds up the seconds that calls of the
    server take.
    """

    def __init__(self, folder: Path, name: str, passages: Path) -> None:
        from verifytui.engines.retrieval.corpus import Corpora
        from verifytui.scale.milvus.address import address
        from verifytui.scale.milvus.server import MilvusConnection
        from verifytui.sessions.paths import paths

        self.name, self.corpora, self.waited = name, Corpora(paths()), 0.0
        self.corpora.build(name, [passages])
        self.server = MilvusConnection(
            address(f"milvus:{folder}/{name}.db", name), None, {}
        )
        self.origin: str | None = None
        asked = self.server._asked

        def timed(*values: Any, **more: Any) -> Any:
            began = time.perf_counter()
            try:
                return asked(*values, **more)
            finally:
                self.waited += time.perf_counter() - began

        self.server._asked = timed  # type: ignore[method-assign]
        began = time.perf_counter()
        self.fill()
        self.seconds = time.perf_counter() - began

    def fill(self) -> Any:
        from verifytui.engines.retrieval.home import CorpusFolder
        from verifytui.scale.milvus.filling import fill

        def begun(head: Any) -> None:
            self.origin = head.origin

        return fill(
            self.server,
            CorpusFolder(self.corpora.path(self.name)),
            self.name,
            self.origin,
            begun=begun,
            progress=lambda done, total: None,
        )

    def __enter__(self) -> Timed:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.close()


if __name__ == "__main__":
    main()
