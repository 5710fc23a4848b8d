"""Labels and runs of a few queries, as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

LABELS = {f"q{n}": {"d1": 3, "d2": 1, "d3": 0} for n in range(12)}
"""Query → candidate → level."""


def write_qrels(path: Path, labels: Mapping[str, Mapping[str, int]]) -> Path:
    """Labels as BEIR's table."""
    rows = [
        f"{query}\t{candidate}\t{level}\n"
        for query, of in labels.items()
        for candidate, level in of.items()
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("query-id\tcorpus-id\tscore\n" + "".join(rows))
    return path


def write_run(path: Path, ranked: Mapping[str, Sequence[tuple[str, float]]]) -> Path:
    """Candidates with their scores, best first, as a run of TREC."""
    lines = [
        f"{query} Q0 {one} {n} {score} x\n"
        for query, listed in ranked.items()
        for n, (one, score) in enumerate(listed, 1)
    ]
    path.write_text("".join(lines))
    return path


def beir(folder: Path) -> Path:
    """A folder with labels and three runs: `good` and `bad` rank all queries; `tied`
    leaves out q0 and ranks one without labels.
    """
    write_qrels(folder / "qrels" / "test.tsv", LABELS)
    write_run(
        folder / "good.trec",
        {query: [("d1", 3), ("d2", 2), ("d3", 1)] for query in LABELS},
    )
    write_run(
        folder / "bad.trec",
        {query: [("d3", 3), ("d2", 2), ("d1", 1)] for query in LABELS},
    )
    tied = {
        query: [("d1", 1.0), ("d3", 1.0), ("d2", 0.5)]
        for query in LABELS
        if query != "q0"
    }
    write_run(folder / "tied.trec", {**tied, "else": [("d1", 1.0)]})
    return folder
