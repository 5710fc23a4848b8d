"""Large corpora: seconds, memory and disk to index a file of rows, and milliseconds to
search it, beside bare bm25s.

    python benchmarks/corpora.py                    # 300,000 rows of 450 characters
    python benchmarks/corpora.py 1000000 450 alone  # a million, without the peer, which needs many gigabytes for them

Rows are made up, three English to one Chinese, with words as frequent as in language
(Zipf) and two words of their own each. Each side works in a process of its own; memory
is the most that the process held. The peer gets the words of our own tokeniser.
"""

from __future__ import annotations

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

QUERIES = 200
BLOCK = 10_000


def make(path: Path, rows: int, characters: int) -> None:
    import numpy

    chance, numbers = random.Random(1), numpy.random.default_rng(1)
    latin = [
        "".join(chance.choices("etaoinshrdlucmfwypvbgk", k=chance.randint(2, 10)))
        for _ in range(60_000)
    ]
    han = [
        "".join(
            chr(chance.randint(0x4E00, 0x5E00))
            for _ in range(chance.choice((1, 2, 2, 3)))
        )
        for _ in range(30_000)
    ]
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, rows, BLOCK):
            for row in range(start, min(start + BLOCK, rows)):
                words, width, mark = (
                    (latin, characters // 4, " ") if row % 4 else (han, characters, "")
                )
                weights = numpy.log(len(words)) * numbers.random(
                    width
                )  # ranks as Zipf has them
                parts = [words[at] for at in numpy.exp(weights).astype(int) - 1]
                sentences = [
                    mark.join(parts[at : at + 14]) for at in range(0, width, 14)
                ]
                text = (". " if mark else "\u3002").join(sentences)[:characters]
                own = (
                    f" Ref{numbers.integers(10**9)} "
                    f"{''.join(chance.choices('abcdefghijklmnopqrstuvwxyz', k=8)).capitalize()}."
                )
                file.write(
                    json.dumps(
                        {"title": f"Row {row}", "text": text + own}, ensure_ascii=False
                    )
                    + "\n"
                )


def queries(path: Path, rows: int) -> list[str]:
    """Eight words, or fifteen Chinese characters, in a row of every so-maneth row."""
    found = []
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file):
            if number % max(1, rows // QUERIES) == number // (
                rows // 4
            ):  # English and Chinese in turns
                text = json.loads(line)["text"]
                found.append(
                    " ".join(text.split()[3:11]) if text.isascii() else text[5:20]
                )
    return found


def index(path: Path) -> dict[str, float]:
    from verifytui.engines.retrieval.corpus import Corpora
    from verifytui.sessions.paths import paths

    Corpora(paths()).build("large", [path])
    return {
        "disk": sum(
            file.stat().st_size
            for file in Corpora(paths()).path("large").rglob("*")
            if file.is_file()
        )
        / 1024
        / 1024
    }


def bare(path: Path) -> dict[str, float]:
    import bm25s
    from verifytui.engines.retrieval.tokeniser import Tokeniser

    words = Tokeniser()
    with path.open(encoding="utf-8") as file:
        tokens = [
            words.cut(row["title"]) + words.cut(row["text"])
            for row in map(json.loads, file)
        ]
    bm25s.BM25(k1=0.9, b=0.4).index(tokens, show_progress=False)
    return {}


def query(path: Path, rows: int) -> dict[str, float]:
    import bm25s
    from bm25s.selection import topk
    from verifytui.engines.retrieval.corpus import Corpora
    from verifytui.sessions.paths import paths

    asked = queries(path, rows)
    began = time.perf_counter()
    corpus = Corpora(paths()).open("large")
    opened = time.perf_counter() - began
    folder = next(Corpora(paths()).path("large").glob("*/bm25"))
    peer = bm25s.BM25.load(folder, mmap=True)
    corpus.search(asked[0], 5)
    ours, theirs = [], []
    for text in asked:
        began = time.perf_counter()
        corpus.search(text, 5)
        ours.append(time.perf_counter() - began)
        numbers = [
            number
            for word in corpus.words.cut(text)
            if (number := corpus.data.terms.find(word)) is not None
        ]
        began = time.perf_counter()
        topk(peer.get_scores_from_ids(numbers), k=5, backend="numpy", sorted=True)
        theirs.append(time.perf_counter() - began)
    middle = {
        "ours": statistics.median(ours),
        "theirs": statistics.median(theirs),
        "slow": statistics.quantiles(ours, n=20)[-1],
    }
    return {"open": opened, **middle}


def apart(kind: str, path: Path, rows: int) -> dict[str, float]:
    return json.loads(
        subprocess.run(
            [sys.executable, __file__, kind, str(path), str(rows)],
            check=True,
            stdout=subprocess.PIPE,
        ).stdout
    )


def main() -> None:
    if sys.argv[1:2] in (["index"], ["bare"], ["query"]):
        kind, path, rows = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
        began, used = time.perf_counter(), time.process_time()
        result = (
            query(path, rows)
            if kind == "query"
            else index(path)
            if kind == "index"
            else bare(path)
        )
        result |= {
            "seconds": time.perf_counter() - began,
            "processor": time.process_time() - used,
        }
        result["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(result))
        return
    rows, characters = (int(value) for value in (sys.argv[1:3] or ("300000", "450")))
    with tempfile.TemporaryDirectory() as name:
        os.environ["VERIFYTUI_HOME"] = f"{name}/home"
        path = Path(name) / "rows.jsonl"
        make(path, rows, characters)
        print(
            f"  {rows} rows of {characters} characters "
            f"({path.stat().st_size / 1024 / 1024:.0f} MB)"
        )
        kinds = ["index"] if "alone" in sys.argv else ["index", "bare"]
        for kind in kinds:
            got = apart(kind, path, rows)
            who = (
                "ours, read, cut and saved"
                if kind == "index"
                else "bare bm25s in memory"
            )
            disk = f", {got['disk']:.0f} MB on disk" if "disk" in got else ""
            print(
                f"  {who}: {got['seconds']:.0f} s, {got['processor']:.0f} s of "
                f"processor, {got['megabytes']:.0f} MB of memory{disk}",
                flush=True,
            )
        got = apart("query", path, rows)
        print(
            f"  opening {got['open'] * 1000:.0f} ms with all imports; "
            f"{got['megabytes']:.0f} MB after {QUERIES} queries"
        )
        print(
            f"  a query {got['ours'] * 1000:.1f} ms (19 of 20 within "
            f"{got['slow'] * 1000:.1f}), bare bm25s {got['theirs'] * 1000:.1f} ms"
        )


if __name__ == "__main__":
    main()
