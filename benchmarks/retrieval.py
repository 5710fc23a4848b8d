"""Finding passages: what is found on three question sets, and speed and memory against
rank-bm25 and bare bm25s.

Speed is measured on 50,000 made-up passages, English and Chinese, each side in a
process of its own, in turns. The question sets lie beside the checkout
(../shared/data); without them that part is left out.
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
PASSAGES = 50_000
QUERIES = 200
TURNS = 3


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.open(encoding="utf-8")]


def question_sets() -> Iterator[tuple[str, int, list[dict], list[dict]]]:
    """Name, k, passages {title, text, pid} and questions {question, accept: which
    passages are right}.
    """
    for name, folder, tail in (
        ("XQuAD zh", "xquad", ".zh"),
        ("XQuAD en", "xquad", ".en"),
        ("CMRC", "cmrc2018-trial", ""),
    ):
        questions = rows(SHARED / folder / f"questions{tail}.jsonl")
        for question in questions:
            question["accept"] = lambda passage, pid=question["pid"]: (
                passage["pid"] == pid
            )
        yield name, 1, rows(SHARED / folder / f"passages{tail}.jsonl"), questions
    questions = rows(SHARED / "retrievalqa" / "retrievalqa250.jsonl")
    pool = [
        (item.get("title") or "", item.get("text") or "")
        for question in questions
        for item in question["context"]
    ]
    for question in questions:
        question["accept"] = holding(question["ground_truth"])
    yield (
        "RetrievalQA",
        5,
        [{"title": title, "text": text} for title, text in pool],
        questions,
    )
    for language, files in (("zh", ("zh_fact", "zh_refine")), ("en", ("en_fact",))):
        found = [
            row for file in files for row in rows(SHARED / "rgb" / f"{file}.jsonl")
        ]
        texts = dict.fromkeys(
            text
            for row in found
            for name in ("positive", "negative")
            for text in flat(row.get(name, []))
        )
        questions = [
            {"question": row["query"], "accept": holding(flat(row["answer"]))}
            for row in found
        ]
        yield (
            f"RGB {language}",
            5,
            [{"title": "", "text": text} for text in texts],
            questions,
        )


def flat(value: object) -> list[str]:
    return (
        [text for part in value for text in flat(part)]
        if isinstance(value, list)
        else [str(value)]
    )


def holding(answers: list[str]) -> Callable[[dict], bool]:
    """Whether a passage holds an accepted answer."""
    wanted = [answer.lower() for answer in answers]
    return lambda passage: any(
        answer in f"{passage['title']} {passage['text']}".lower() for answer in wanted
    )


def found() -> None:
    """Share of questions with a right passage among the first k.

    The corpus is made of rows; a passage counts for its row.
    """
    from verifytui.engines.retrieval.corpus import Corpora
    from verifytui.engines.retrieval.port import PassageFilter
    from verifytui.engines.retrieval.tokeniser import NAMES
    from verifytui.sessions.paths import paths

    corpora, sets = Corpora(paths()), list(question_sets())
    print(
        "  words             "
        + "".join(f"{name + f' @{k}':>16}" for name, k, _, _ in sets)
    )
    for words in NAMES:
        line = f"  {words:<18}"
        for number, (_, k, passages, questions) in enumerate(sets):
            with tempfile.TemporaryDirectory() as name:
                source = Path(name) / "rows.jsonl"
                source.write_text(
                    "".join(
                        json.dumps(
                            {"title": p["title"].replace("_", " "), "text": p["text"]}
                        )
                        + "\n"
                        for p in passages
                    )
                )
                corpora.build(f"set{number}", [source], words=words, replace=True)
            corpus = corpora.open(f"set{number}")
            hits = 0
            for question in questions:
                references = corpus.search(
                    question["question"], k, PassageFilter(duplicates="all")
                ).references
                hits += any(
                    question["accept"](
                        passages[int(reference.file.rpartition("#")[2]) - 1]
                    )
                    for reference in references
                )
            line += f"{hits / len(questions):>16.4f}"
            corpus.close()
        print(line, flush=True)
    for name, cut in (("bare, grams", bare_grams), ("bare, jieba", bare_jieba)):
        shares = [bare(cut, *one[1:]) for one in sets]
        print(
            f"  {name:<18}" + "".join(f"{share:>16.4f}" for share in shares), flush=True
        )


def bare(
    cut: Callable[[str], list[str]], k: int, passages: list[dict], questions: list[dict]
) -> float:
    """The same share for bm25s alone over whole rows, with k1 = 0.9 and b = 0.4."""
    import bm25s

    index = bm25s.BM25(k1=0.9, b=0.4)
    index.index(
        [cut(f"{one['title'].replace('_', ' ')} {one['text']}") for one in passages],
        show_progress=False,
    )
    hits = 0
    for question in questions:
        numbers, scores = index.retrieve(
            [cut(question["question"])], k=k, show_progress=False
        )
        right = (
            question["accept"](passages[at])
            for at, score in zip(numbers[0], scores[0], strict=True)
            if score > 0
        )
        hits += any(right)
    return hits / len(questions)


def bare_grams(text: str) -> list[str]:
    found = []
    for run in re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]+", text.lower()):
        found += (
            [run]
            if run.isascii() or len(run) == 1
            else [run[at : at + 2] for at in range(len(run) - 1)]
        )
    return found


def bare_jieba(text: str) -> list[str]:
    import jieba

    return [word for word in jieba.lcut(text.lower()) if re.search(r"\w", word)]


def make(path: Path, count: int) -> None:
    """Passages with words as frequent as in language (Zipf), three English to one
    Chinese.
    """
    chance = random.Random(1)
    latin = [
        "".join(chance.choices("etaoinshrdlucmfwypvbgk", k=chance.randint(2, 10)))
        for _ in range(60_000)
    ]
    han = [chr(code) for code in range(0x4E00, 0x4E00 + 4000)]
    weights = [1 / (rank + 3) for rank in range(60_000)]
    total = [0.0]
    for weight in weights:
        total.append(total[-1] + weight)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            if number % 4:
                words = chance.choices(
                    latin, cum_weights=total[1:], k=chance.randint(60, 140)
                )
                text = (
                    ". ".join(
                        " ".join(words[at : at + 12]).capitalize()
                        for at in range(0, len(words), 12)
                    )
                    + "."
                )
            else:
                text = "".join(
                    chance.choices(
                        han, cum_weights=total[1:4001], k=chance.randint(100, 280)
                    )
                )
                text = (
                    "\u3002".join(text[at : at + 30] for at in range(0, len(text), 30))
                    + "\u3002"
                )
            file.write(
                json.dumps({"title": "", "text": text}, ensure_ascii=False) + "\n"
            )


def queries(path: Path) -> list[str]:
    """Eight words in a row of every so-maneth passage."""
    texts = [row["text"] for row in rows(path)][:: PASSAGES // QUERIES]
    return [
        " ".join(text.split()[3:11]) if " " in text else text[5:20] for text in texts
    ]


def side(kind: str, path: Path) -> None:
    """One side, in this process; prints its figures as JSON."""
    from verifytui.engines.retrieval.tokeniser import Tokeniser

    words = Tokeniser()
    words.cut("warm \u6696")
    result: dict[str, float] = {}
    if kind == "index-ours":
        from verifytui.engines.retrieval.corpus import Corpora
        from verifytui.sessions.paths import paths

        before = time.process_time()
        Corpora(paths()).build("speed", [path])
        result["seconds"] = time.process_time() - before
    elif kind == "index-bare":
        import bm25s

        before = time.process_time()
        texts = [row["text"] for row in rows(path)]
        bm25s.BM25().index([words.cut(text) for text in texts], show_progress=False)
        result["seconds"] = time.process_time() - before
    elif kind == "query":
        result |= query(path, words)
    elif kind == "open":
        from verifytui.engines.retrieval.corpus import Corpora
        from verifytui.sessions.paths import paths

        for key in ("first", "again"):  # the first imports numpy and bm25s
            before = time.perf_counter()
            corpus = Corpora(paths()).open("speed")
            result[key] = time.perf_counter() - before
        before = time.perf_counter()
        corpus.lexicon().near("wrods")
        result["spelling_first"] = time.perf_counter() - before
        before = time.perf_counter()
        for _ in range(20):
            corpus.lexicon().near("etaonis")
        result["spelling"] = (time.perf_counter() - before) / 20
    result["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result))


def query(path: Path, words: object) -> dict[str, float]:
    import bm25s
    from verifytui.engines.retrieval.corpus import Corpora
    from verifytui.sessions.paths import paths

    asked = queries(path)
    tokens = [words.cut(row["text"]) for row in rows(path)]
    corpus = Corpora(paths()).open("speed")
    bare = bm25s.BM25()
    bare.index(tokens, show_progress=False)
    ours, theirs = [], []
    for _ in range(TURNS):
        for text in asked:
            before = time.perf_counter()
            corpus.search(text, 5)
            ours.append(time.perf_counter() - before)
            before = time.perf_counter()
            bare.retrieve([words.cut(text)], k=5, show_progress=False)
            theirs.append(time.perf_counter() - before)
    result = {"ours": statistics.median(ours), "bare": statistics.median(theirs)}
    try:
        from rank_bm25 import BM25Okapi
    except ImportError:
        return result
    del bare
    okapi = BM25Okapi(tokens)
    slow = []
    for text in asked[:: QUERIES // 20]:
        before = time.perf_counter()
        okapi.get_scores(words.cut(text))
        slow.append(time.perf_counter() - before)
    return {**result, "rank": statistics.median(slow)}


def apart(kind: str, path: Path) -> dict[str, float]:
    return json.loads(
        subprocess.run(
            [sys.executable, __file__, kind, str(path)],
            check=True,
            stdout=subprocess.PIPE,
        ).stdout
    )


def speed() -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "rows.jsonl"
        make(path, PASSAGES)
        seconds, memory = [], []
        for turn in range(TURNS):
            os.environ["VERIFYTUI_HOME"] = f"{name}/home{turn}"
            ours, bare = apart("index-ours", path), apart("index-bare", path)
            seconds.append(ours["seconds"] / bare["seconds"])
            memory.append(ours["megabytes"] / bare["megabytes"])
            last = (
                f"{ours['seconds']:.1f} s and {ours['megabytes']:.0f} MB against "
                f"{bare['seconds']:.1f} s and {bare['megabytes']:.0f} MB"
            )
        print(
            f"  indexing {PASSAGES} passages, against tokenising and bm25s.index "
            f"({last}):"
        )
        print(f"    processor time {middle(seconds)}, peak memory {middle(memory)}")
        opened = [apart("open", path) for _ in range(TURNS)]
        first, again = (
            middle([one[key] for one in opened]) for key in ("first", "again")
        )
        print(
            f"  opening: {again} s, the first time in a process, with the "
            f"imports, {first} s"
        )
        print(
            f"  a misspelt word: {opened[0]['spelling'] * 1000:.1f} ms "
            f"({opened[0]['spelling_first'] * 1000:.0f} ms the first time)"
        )
        times = apart("query", path)
        print(
            f"  a query: {times['ours'] * 1000:.2f} ms, "
            f"{times['ours'] / times['bare']:.2f} times bare bm25s",
            end="",
        )
        print(
            f", {times['rank'] / times['ours']:.0f} times faster than rank-bm25"
            if "rank" in times
            else "; rank-bm25 is not installed"
        )


def middle(values: list[float]) -> str:
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def main() -> None:
    if len(sys.argv) == 3:
        side(sys.argv[1], Path(sys.argv[2]))
        return
    if SHARED.is_dir():
        with tempfile.TemporaryDirectory() as name:
            os.environ["VERIFYTUI_HOME"] = name
            found()
    else:
        print("  the question sets are not on this machine (../shared/data)")
    speed()


if __name__ == "__main__":
    main()
