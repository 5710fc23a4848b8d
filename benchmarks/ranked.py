"""How far the built-in `lexical` ranks pairs of answers as people do (docs/rank.md).

Reads ../shared/data (RAGChecker's pairs with two people's preferences); says so and
ends where that is not there.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path

from scipy.stats import kendalltau
from verifytui.engines.method import method
from verifytui.engines.models.config import Config
from verifytui.engines.models.desk import Desk
from verifytui.engines.rank.lexical import LexicalRanker
from verifytui.engines.rank.plan import ScoreOrder
from verifytui.engines.rank.reading import RANK_ENGINE
from verifytui.engines.starting import Starter, wishes
from verifytui.engines.step import step
from verifytui.sessions.events.rank import RankResult
from verifytui.sessions.journal import Journal
from verifytui.sessions.paths import paths

PAIRS = (
    Path(__file__).resolve().parents[2]
    / "shared"
    / "data"
    / "ragchecker-human"
    / "pairs.jsonl"
)
ASKED = ("correctness", "completeness", "overall")
RESAMPLES, SEED = 1000, 20261122


async def scores(file: Path) -> list[dict[str, dict[str, float]]]:
    """For every line criterion to name to score, by the engine itself."""
    rank, starter, lexical = method("rank"), Starter(Config(), paths()), LexicalRanker()
    lines, _ = rank.batches["questions"].read(
        file, wishes("rank", {"model": "lexical"})
    )
    made = []
    for line in lines:
        assert line.wanted is not None
        with Journal.create(None, rank.begin(line.wanted, starter)) as journal:
            desk = Desk(journal.session, Config(), builtins={"lexical": lexical})
            engine = RANK_ENGINE
            while not engine.finished(journal.session):
                async for _ in step(journal, engine, desk):
                    pass
            result = journal.session.result
            assert isinstance(result, RankResult)
            made.append(result.scores)
    return made


def sign(value: float) -> int:
    return (value > 0) - (value < 0)


def agreement(people: Sequence[float], machine: Sequence[float]) -> float | None:
    """Of the pairs that neither calls equal, the share on which both prefer the same
    answer.
    """
    told = [
        (sign(one), sign(other))
        for one, other in zip(people, machine, strict=True)
        if one and other
    ]
    return sum(one == other for one, other in told) / len(told) if told else None


def interval(
    figure: Callable[[Sequence[float], Sequence[float]], float | None],
    first: Sequence[float],
    second: Sequence[float],
) -> str:
    """A figure with its 95 % interval, questions drawn with replacement."""
    chance, drawn = random.Random(SEED), []
    for _ in range(RESAMPLES):
        chosen = chance.choices(range(len(first)), k=len(first))
        value = figure([first[n] for n in chosen], [second[n] for n in chosen])
        if value is not None:
            drawn.append(value)
    drawn.sort()
    value = figure(first, second)
    return (
        f"{value:.3f} [{drawn[int(0.025 * len(drawn))]:.3f}, "
        f"{drawn[int(0.975 * len(drawn)) - 1]:.3f}]"
    )


def ranks(values: Sequence[float]) -> list[float]:
    found = ScoreOrder({str(n): value for n, value in enumerate(values)}).ranks
    return [found[str(n)] for n in range(len(values))]


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    try:
        return statistics.correlation(ranks(first), ranks(second))
    except statistics.StatisticsError:
        return None


def tau_b(first: Sequence[float], second: Sequence[float]) -> float | None:
    value = float(kendalltau(first, second).statistic)
    return None if math.isnan(value) else value


def main() -> None:
    if not PAIRS.exists():
        print(f"{PAIRS} is not there: nothing to measure.")
        return
    rows = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    made = asyncio.run(scores(PAIRS))
    print(
        f"{len(rows)} pairs, {len({row['query'] for row in rows})} questions, two "
        f"people each; positive: the second answer is better"
    )
    machine = {
        name: [
            one[name][row["model2"]["model_name"]]
            - one[name][row["model1"]["model_name"]]
            for one, row in zip(made, rows, strict=True)
        ]
        for name in ("correctness", "conciseness")
    }
    machine["longer"] = [
        float(len(row["model2"]["response"]) - len(row["model1"]["response"]))
        for row in rows
    ]
    for asked in ASKED:
        first, second = (
            [float(row["labels"][n][f"{asked}_label"]) for row in rows] for n in (0, 1)
        )
        people = [(one + other) / 2 for one, other in zip(first, second, strict=True)]
        ties = sum(value == 0 for value in people)
        print(f"\n{asked} (people call {ties} pairs equal)")
        print(
            f"  two people: spearman {interval(spearman, first, second)}, tau-b "
            f"{interval(tau_b, first, second)}, ",
            end="",
        )
        print(f"same preference {interval(agreement, first, second)}")
        for name, values in machine.items():
            told = sum(
                1 for one, other in zip(people, values, strict=True) if one and other
            )
            print(
                f"  {name}: spearman {interval(spearman, people, values)}, tau-b "
                f"{interval(tau_b, people, values)}, ",
                end="",
            )
            print(f"same preference {interval(agreement, people, values)} of {told}")


if __name__ == "__main__":
    main()
