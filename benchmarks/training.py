"""A small encoder before and after training, beside BM25, on real data: cases with the
same charge, LeCaRD's labels, questions of XQuAD.

    python benchmarks/training.py charges        # Chinese cases, long ones in blocks; measured on other cases and on LeCaRD's pairs
    python benchmarks/training.py xquad          # English and Chinese questions, one setting for both
    python benchmarks/training.py pretrained DIR # the same English questions, from an English encoder that is on this disk
    python benchmarks/training.py charges --quick  # one epoch, one block of each text: does it run?

Wants the extra `train`, and ../shared/data; says so and ends where one is missing. The
settings below were fixed before any trained encoder was measured. The figures say how
the tool works on little data, and nothing about what can be reached.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

import training_data as data
from verifytui.cli.app import main as main_of_commands
from verifytui.engines.metrics.intervals import bounded_mean, mean_difference
from verifytui.engines.metrics.ranking import expected_ndcg, expected_precision, tiers
from verifytui.engines.metrics.trec import read_run

CASES = ("--from", "new", "--loss", "cosent", "--epochs", "3")
"""Random weights; everything else is as the command has it."""
QUESTIONS = ("--from", "new", "--loss", "contrastive", "--epochs", "10")
"""The passages are short and few: ten epochs are 150 steps."""
KNOWN = ("--loss", "contrastive", "--epochs", "3")
"""For weights that were trained before."""
QUICK = ("--epochs", "1", "--blocks", "1")

Labels = Mapping[str, Mapping[str, int]]


class Measure(NamedTuple):
    name: str
    of: Callable[[Sequence[Sequence[str]], Mapping[str, int]], float]
    """Of one query's candidates, best first, those of equal scores together, and their
    levels.
    """


def ndcg(k: int) -> Measure:
    return Measure(f"nDCG@{k}", lambda listed, levels: expected_ndcg(listed, levels, k))


HIT = Measure(
    "hit@1", lambda listed, levels: expected_precision(listed, levels, 1, relevant=1)
)


def command(*words: str) -> None:
    """A command of VerifyTUI as one types it, in this process, which has torch in
    memory already; the benchmark ends where it fails.
    """
    began = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        code = main_of_commands(list(words))
    if code:
        raise SystemExit(f"verifytui {' '.join(words)}: exit code {code}")
    print(
        f"  {time.perf_counter() - began:6.1f} s  verifytui {' '.join(words[:4])}",
        flush=True,
    )


def ranked(folder: Path, encoder: Path | str, split: str) -> dict[str, list[list[str]]]:
    """Query → its candidates, best first, those of equal scores together."""
    with tempfile.TemporaryDirectory() as kept:
        run = Path(kept) / "run.trec"
        command(
            "train",
            "run",
            "--encoder",
            str(encoder),
            "--data",
            str(folder),
            "--split",
            split,
            "--pool",
            "judged",
            "-o",
            str(run),
        )
        return {query: tiers(lines) for query, lines in read_run(run).items()}


def levels(folder: Path, split: str) -> dict[str, dict[str, int]]:
    """Query → document → level."""
    found: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels" / f"{split}.tsv").read_text("utf-8").splitlines()[1:]:
        query, document, level = line.split("\t")
        found.setdefault(query, {})[document] = int(level)
    return found


def values(
    run: Mapping[str, list[list[str]]], labels: Labels, measure: Measure
) -> dict[str, float]:
    """The figure of each labelled query; one that is not ranked counts 0."""
    return {
        query: measure.of(run.get(query, []), graded)
        for query, graded in labels.items()
    }


def table(
    runs: Mapping[str, Mapping[str, list[list[str]]]],
    labels: Labels,
    measures: Sequence[Measure],
    cluster: Mapping[str, str],
) -> None:
    """Means with 95 % intervals, and under them the differences from the last run;
    `cluster`: query → what is drawn together with it.
    """
    found = {
        name: {one.name: values(run, labels, one) for one in measures}
        for name, run in runs.items()
    }
    clusters = [cluster.get(query, query) for query in labels]
    print(
        f"\n| {len(labels)} queries | {' | '.join(one.name for one in measures)} "
        f"|\n|---{'|---' * len(measures)}|"
    )
    for name, figures in found.items():
        told = []
        for one in measures:
            each = list(figures[one.name].values())
            ends = bounded_mean(each, clusters)
            told.append(
                f"{sum(each) / len(each):.3f}"
                + (
                    f" [{ends.low:.3f}, {ends.high:.3f}]"
                    if ends.low is not None
                    else ""
                )
            )
        print(f"| {name} | {' | '.join(told)} |")
    last = list(found)[-1]
    for name in list(found)[:-1]:
        told = []
        for one in measures:
            difference = mean_difference(
                list(found[name][one.name].values()),
                list(found[last][one.name].values()),
                clusters,
            )
            ends = (
                ""
                if difference.low is None
                else f" [{difference.low:+.3f}, {difference.high:+.3f}]"
            )
            told.append(f"{difference.value or 0:+.3f}{ends}")
        print(f"| {last} − {name} | {' | '.join(told)} |")
    print(flush=True)


def train(folder: Path, into: Path, settings: Sequence[str], quick: bool) -> None:
    command(
        "train",
        "encoder",
        *settings,
        "--data",
        str(folder),
        "--into",
        str(into),
        *(QUICK if quick else ()),
    )


def untrained(folder: Path, into: Path, loss: str) -> None:
    """The encoder that training begins with: the same texts, the same seed, the same
    random weights.
    """
    from verifytui.learning.training.encoder import Training
    from verifytui.learning.training.options import NEW as RANDOM
    from verifytui.learning.training.options import TrainingOptions

    Training(TrainingOptions(data=folder, start=RANDOM, loss=loss)).encoder.save(into)


def charges(work: Path, quick: bool) -> None:
    data.make_charges(work / "charges", print)
    data.make_lecard(work / "lecard", print)
    untrained(work / "charges", work / "before", "cosent")
    train(work / "charges", work / "after", CASES, quick)
    for folder, split, what in (
        ("charges", "test", "Other cases, graded by charge"),
        ("lecard", "test", "LeCaRD, pairs with text"),
        ("lecard", "all", "LeCaRD, all texts"),
    ):
        encoders: dict[str, Path | str] = {
            "BM25": "bm25",
            "before": work / "before",
            "after": work / "after",
        }
        runs = {
            name: ranked(work / folder, encoder, split)
            for name, encoder in encoders.items()
        }
        print(f"\n{what}")
        table(runs, levels(work / folder, split), [ndcg(5), ndcg(10), ndcg(30)], {})


def xquad(
    work: Path, quick: bool, languages: Sequence[str], start: Path | None = None
) -> None:
    """Each half of the articles is trained on, and the other half's questions are
    asked; the halves' questions stand in one table.
    """
    for language in languages:
        runs: dict[str, dict[str, list[list[str]]]] = {
            "BM25": {},
            "before": {},
            "after": {},
        }
        labels: dict[str, dict[str, int]] = {}
        for half in (0, 1):
            folder = work / f"{language}-{half}"
            data.make_xquad(folder, language, half)
            labels |= levels(folder, "test")
            before = start or folder / "before"
            if start is None:
                untrained(folder, folder / "before", "contrastive")
            train(
                folder,
                folder / "after",
                QUESTIONS if start is None else ("--from", str(start), *KNOWN),
                quick,
            )
            encoders: dict[str, Path | str] = {
                "BM25": "bm25",
                "before": before,
                "after": folder / "after",
            }
            for name, encoder in encoders.items():
                runs[name] |= ranked(folder, encoder, "test")
        print(f"\nXQuAD, {language}")
        table(runs, labels, [HIT, ndcg(10)], data.article_of(language))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["charges", "xquad", "pretrained"])
    parser.add_argument(
        "encoder",
        nargs="?",
        type=Path,
        help="pretrained: a folder of sentence-transformers",
    )
    parser.add_argument("--language", choices=["en", "zh"], help="xquad: only this one")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if find_spec("sentence_transformers") is None:
        raise SystemExit("skipped: the extra `train` is not installed")
    missing = data.lost(
        [
            "lecard/docs.jsonl",
            "lawbench-charges/charges.jsonl",
            "judge-statutes/cases.jsonl",
            "xquad/passages.en.jsonl",
        ]
    )
    if missing:
        raise SystemExit(
            f"skipped: {', '.join(missing)} of ../shared/data is not on this machine"
        )
    os.environ["HF_HUB_OFFLINE"] = "1"
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        if options.what == "charges":
            charges(Path(name), options.quick)
        else:
            start = options.encoder if options.what == "pretrained" else None
            if options.what == "pretrained" and start is None:
                raise SystemExit("pretrained: name the folder of an encoder")
            languages = (
                ["en"]
                if start
                else [options.language]
                if options.language
                else ["en", "zh"]
            )
            xquad(Path(name), options.quick, languages, start)
    print(f"{time.perf_counter() - began:.0f} s in all")


if __name__ == "__main__":
    main()
