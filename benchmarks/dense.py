"""Exact search in vectors beside numpy's own product: milliseconds a query and memory
at 100,000 and 1,000,000 vectors of 384 numbers.

Both sides read the same file through a memory map, in a process of their own, in turn.
numpy in float16 takes the file as it stands; numpy in float32 holds all of it in
memory, turned once. The ten best of each are compared with those in float64.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from verifytui.engines.retrieval import dense

SIZE = 384
COUNTS = (100_000, 1_000_000)
QUERIES = 20
SIDES = ("ours", "numpy float16", "numpy float32")


def write(folder: Path, count: int) -> None:
    """Random vectors of length 1, as an index keeps them."""
    import numpy

    random = numpy.random.default_rng(count)
    rows = numpy.lib.format.open_memmap(
        folder / "v.npy", mode="w+", dtype="<f2", shape=(count, SIZE)
    )
    for low in range(0, count, 50_000):
        block = random.standard_normal(
            (min(50_000, count - low), SIZE), dtype="float32"
        )
        rows[low : low + len(block)] = block / numpy.linalg.norm(
            block, axis=1, keepdims=True
        )
    rows.flush()


def measure(side: str, folder: Path, count: int) -> dict[str, float]:
    """One side, in this process."""
    import numpy

    queries = [
        dense.unit(vector)
        for vector in numpy.random.default_rng(7).standard_normal((QUERIES, SIZE))
    ]
    began = time.perf_counter()
    if side == "ours":
        vectors = dense.VectorIndex(folder, "v", count, SIZE)
        search = vectors.scores
        rows = vectors.rows
    else:
        rows = numpy.load(folder / "v.npy", mmap_mode="r")
        held = rows if side.endswith("16") else rows.astype("float32")
        search = lambda query: held @ query.astype(held.dtype)  # noqa: E731
    opened = time.perf_counter() - began
    search(queries[0])
    took = []
    for query in queries[: 3 if side.endswith("16") and count > 200_000 else QUERIES]:
        began = time.perf_counter()
        dense.top(search(query), 10)
        took.append(time.perf_counter() - began)
    own = _memory()
    return {
        "open_ms": opened * 1000,
        "query_ms": statistics.median(took) * 1000,
        "own_mb": own,
        "same": dense.top(search(queries[0]), 10) == _exact(rows, queries[0]),
    }


def _exact(rows: Any, query: Any) -> list[int]:
    """The ten best by products in float64."""
    import numpy

    wide = query.astype("float64")
    scores = [
        rows[low : low + 10_000].astype("float64") @ wide
        for low in range(0, len(rows), 10_000)
    ]
    return dense.top(numpy.concatenate(scores), 10)


def _memory() -> float:
    """Megabytes of this process now that no file can give back (Linux; elsewhere its
    peak).
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        next(
            int(row.split()[1])
            for row in status.read_text().splitlines()
            if row.startswith("RssAnon:")
        )
        / 1024
    )


def main() -> None:
    if len(sys.argv) == 4:
        print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))))
        return
    for count in COUNTS:
        with tempfile.TemporaryDirectory() as name:
            write(Path(name), count)
            print(
                f"{count:,} vectors of {SIZE} numbers, "
                f"{(Path(name) / 'v.npy').stat().st_size / 1e6:,.0f} MB on disk"
            )
            for side in SIDES:
                ran = subprocess.run(
                    [sys.executable, __file__, side, name, str(count)],
                    capture_output=True,
                    text=True,
                    check=True,
                )
                found = json.loads(ran.stdout)
                print(
                    f"  {side:<14} open {found['open_ms']:8.1f} ms   query "
                    f"{found['query_ms']:8.1f} ms   "
                    f"memory of its own {found['own_mb']:6.0f} MB   "
                    f"ten best "
                    f"{'as in float64' if found['same'] else 'others than in float64'}"
                )


if __name__ == "__main__":
    main()
