"""Figures of recorded runs, as Markdown: no model is called, so whoever has the files
gets the same figures.

Six translation systems and 200 debates of the MAD authors, five rankings of LeCaRD, 33
judges of LLMJudge: what stands of them in ../shared/data. Says so and goes on where a
set is not there.

    python benchmarks/recorded.py [systems|debates|rankings|judges]
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
CUTS = (10, 20, 30)


def rows(name: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in (DATA / name).read_text("utf-8").splitlines()
        if line.strip()
    ]


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for line in lines:
        print("| " + " | ".join(line) + " |")
    print()


def with_interval(
    value: float | None, low: float | None, high: float | None, digits: int = 3
) -> str:
    told = "–" if value is None else f"{value:.{digits}f}"
    return (
        told
        if low is None or high is None
        else f"{told} [{low:.{digits}f}, {high:.{digits}f}]"
    )


def chance(p: float | None) -> str:
    return "–" if p is None else "< .001" if p < 0.001 else f"{p:.3f}"


# ------------------------------------------------------------------ six translation systems


class Compared(NamedTuple):
    system: str
    value: str
    difference: str
    p: float | None


def systems() -> None:
    from verifytui.engines.metrics import translation
    from verifytui.engines.metrics.corrected import holm

    lines = rows("mad-commonmt/lexical200_outputs.jsonl")
    clusters = [line["pair"] for line in lines]
    print(
        f"### Six translation systems\n\n{len(lines)} sentences in "
        f"{len(set(clusters))} pairs.\n"
    )
    counted: tuple[
        tuple[str, Callable[[str, list[str]], Any], Callable[[Sequence[float]], float]],
        ...,
    ] = (
        ("chrF", translation.chrf_counts, translation.chrf_of),
        (
            "BLEU",
            lambda answer, references: translation.bleu_counts(
                answer, references, "13a"
            ),
            translation.bleu_of,
        ),
    )
    names = list(lines[0]["outputs"])
    found: list[list[Compared]] = []
    for _, count, figure in counted:
        counts = {
            name: [count(line["outputs"][name], [line["reference"]]) for line in lines]
            for name in names
        }
        found.append(
            [
                against(name, counts[name], counts["baseline"], figure, clusters)
                for name in names
            ]
        )
    corrected = holm([one.p for listed in found for one in listed])
    places = iter(corrected)
    shown = [
        [
            [one.value, one.difference, chance(one.p), chance(next(places))]
            for one in listed
        ]
        for listed in found
    ]
    for (measure, *_), cells in zip(counted, shown, strict=True):
        head = ["system", measure, "against baseline", "p", "p, Holm"]
        table(head, [[name, *line] for name, line in zip(names, cells, strict=True)])
    counts = {
        name: [
            translation.chrf_counts(line["outputs"][name], [line["reference"]])
            for line in lines
        ]
        for name in names
    }
    mad_against(counts, translation.chrf_of, clusters)


def mad_against(
    counts: Mapping[str, Any],
    figure: Callable[[Sequence[float]], float],
    clusters: list[str],
) -> None:
    """The debate against each other system, with a verdict."""
    from verifytui.engines.metrics.intervals import pooled_difference

    lines = []
    for name in counts:
        if name != "mad":
            one = pooled_difference(
                counts[name], counts["mad"], clusters, figure, (0, 100)
            )
            verdict = "inconclusive"
            if one.low is not None and one.low > 0:
                verdict = "pays off"
            elif one.high is not None and one.high < 0:
                verdict = "does not pay off"
            gain = with_interval(one.value, one.low, one.high, 1)
            lines.append([name, gain, verdict])
    table(["against", "chrF, mad minus this", "the debate"], lines)


def against(
    name: str,
    counts: Any,
    baseline: Any,
    figure: Callable[[Sequence[float]], float],
    clusters: list[str],
) -> Compared:
    from verifytui.engines.metrics.intervals import pooled_difference, pooled_figure
    from verifytui.engines.metrics.paired import pooled_permutation

    low, high, _ = pooled_figure(counts, clusters, figure, (0, 100))
    value = with_interval(
        figure([sum(column) for column in zip(*counts, strict=True)]), low, high, 1
    )
    if name == "baseline":
        return Compared(name, value, "", None)
    apart = pooled_difference(baseline, counts, clusters, figure, (0, 100))
    p = pooled_permutation(baseline, counts, figure, clusters)
    return Compared(
        name, value, with_interval(apart.value, apart.low, apart.high, 1), p
    )


# ------------------------------------------------------------------ recorded debates

OPPOSES = re.compile(
    r"\bI (?:\w+ )?disagree\b|\bstill (?:believe|think|maintain|stand|argue|hold"
    r"|feel|prefer)|\b(?:argue|propose|suggest)\b"
    r"|\bI believe (?:that )?(?:the (?:correct|more accurate|better)|a (?:better|more))"
    r"|\bis (?:a )?(?:more accurate|better|more appropriate) (?:translation|way)",
    re.IGNORECASE,
)
AGREES = re.compile(
    r"\bI (?:\w+ ){0,3}agree (?:with|that)"
    r"|\byour (?:perspective|translation|analysis|point) is (?:\w+ )?(?:valid"
    r"|accurate|correct|reasonable)"
    r"|\bI can confirm|\bboth (?:of our )?translations",
    re.IGNORECASE,
)


def stance(text: str) -> str:
    """What a speech says of the other side in its first two sentences.

    Read by words, so it is rough.
    """
    head = " ".join(re.split(r"(?<=[.!?])\s+", text.strip())[:2])
    return (
        "opposes"
        if OPPOSES.search(head)
        else "agrees"
        if AGREES.search(head)
        else "unread"
    )


def debates() -> None:
    from verifytui.engines.debate.importer import import_debates
    from verifytui.engines.metrics import translation
    from verifytui.engines.metrics.intervals import clustered_share, pooled_difference

    pairs = {
        line["id"]: line["pair"]
        for line in rows("mad-commonmt/lexical200_outputs.jsonl")
    }
    held = list(import_debates(DATA / "mad-transcripts" / "debates.jsonl"))
    clusters = [pairs[header.task["imported_id"]] for header, _ in held]
    print(
        f"### Recorded debates\n\n{len(held)} debates in {len(set(clusters))} "
        f"pairs of sentences.\n"
    )
    results = [events[-1] for _, events in held]
    sides = [one.supported_side or "none" for one in results]
    lines = []
    for side in ("affirmative", "negative", "tie", "none"):
        share = clustered_share(
            (name, one == side) for name, one in zip(clusters, sides, strict=True)
        )
        assert share is not None
        lines.append(
            [
                side,
                str(sides.count(side)),
                with_interval(sides.count(side) / len(sides), share.low, share.high),
            ]
        )
    table(["supported side", "debates", "share"], lines)
    rounds = Counter(one.rounds for one in results)
    table(
        ["rounds", *map(str, sorted(rounds))],
        [["debates", *(str(rounds[n]) for n in sorted(rounds))]],
    )
    opposition(held, clusters)
    before, after = ([], [])
    for (header, events), result in zip(held, results, strict=True):
        references = header.task["answers"]
        before.append(translation.chrf_counts(events[0].answer or "", references))
        after.append(translation.chrf_counts(result.answer or "", references))
    gain = pooled_difference(before, after, clusters, translation.chrf_of, (0, 100))
    values = [
        translation.chrf_of([sum(column) for column in zip(*counts, strict=True)])
        for counts in (before, after)
    ]
    told = with_interval(gain.value, gain.low, gain.high, 1)
    print(
        f"chrF of the first translation {values[0]:.1f}, of the debate's answer "
        f"{values[1]:.1f}: a difference of {told}.\n"
    )
    paid_off(held, clusters)


def opposition(held: Sequence[Any], clusters: Sequence[str]) -> None:
    """The share of speeches that oppose the other side, by round."""
    from verifytui.engines.metrics.intervals import clustered_share
    from verifytui.sessions.events.debate import Speech

    said: dict[int, list[tuple[str, str]]] = {}
    for (_, events), cluster in zip(held, clusters, strict=True):
        for event in events:
            if isinstance(event, Speech) and (event.round, event.role) != (
                1,
                "affirmative",
            ):
                said.setdefault(event.round, []).append((cluster, stance(event.text)))
    lines, shares = [], []
    for number, found in sorted(said.items()):
        known = [
            (cluster, one == "opposes") for cluster, one in found if one != "unread"
        ]
        share = clustered_share(known)
        assert share is not None
        value = sum(one for _, one in known) / len(known)
        shares.append((value, share.low, share.high))
        lines.append(
            [
                str(number),
                str(len(found)),
                with_interval(value, share.low, share.high),
                str(len(found) - len(known)),
            ]
        )
    table(["round", "speeches", "oppose the other side", "unread"], lines)
    drawn("Speeches that oppose the other side", [line[0] for line in lines], shares)


def drawn(
    title: str, labels: Sequence[str], shares: Sequence[tuple[float, float, float]]
) -> None:
    from verifytui.engines.reports.plot import Plot, Series
    from verifytui.engines.studies.plots.text import lines

    values, low, high = zip(*shares, strict=True)
    print(
        "```\n"
        + "\n".join(
            lines(
                Plot(
                    "line", title, labels, [Series("share", values, low, high)], "round"
                ),
                60,
                10,
            )
        )
        + "\n```\n"
    )


QUOTED = re.compile(r'["“]([^"“”]+)["”]')
CHINESE = re.compile(r"[\u3400-\u9fff]")
OWN = re.compile(
    r"\bstill\b.*\b(?:my|our) (?:original )?(?:translation|interpretation)\b",
    re.IGNORECASE | re.DOTALL,
)


def translation_in(text: str, first: str, own: str | None) -> str | None:
    """The translation that a speech stands for: its last quotation in English of at
    least 60 % of the words of the first translation, or its side's `own` where it says
    that it still holds that. None: unread.
    """
    least = 0.6 * len(first.split())
    quoted = [
        one.strip(" .,!")
        for one in QUOTED.findall(text)
        if not CHINESE.search(one) and len(one.split()) >= least
    ]
    if quoted:
        return quoted[-1]
    return own if OWN.search(text) else None


def with_answers(header: Any, events: Sequence[Any]) -> Any:
    """The debate with the translations that its speeches stand for."""
    import msgspec
    from verifytui.sessions.events.debate import Speech
    from verifytui.sessions.session import Session

    latest: dict[str, str] = {}
    read = []
    for event in events:
        if isinstance(event, Speech):
            answer = translation_in(
                event.text, events[0].answer, latest.get(event.role)
            )
            event = msgspec.structs.replace(event, answer=answer)
            latest |= {event.role: answer} if answer else {}
        read.append(event)
    return Session(header, read)


def nearer(session: Any) -> Callable[[str | None], bool]:
    """Whether a translation is nearer to the right reference than to the wrong one."""
    from verifytui.engines.metrics import translation

    task = session.header.task

    def of(answer: str | None) -> bool:
        right, wrong = (
            translation.chrf_of(translation.chrf_counts(answer or "", task[name]))
            for name in ("answers", "wrong_answers")
        )
        return bool(answer) and right > wrong

    return of


def paid_off(held: Sequence[Any], clusters: Sequence[str]) -> None:
    """Flips, conformity, the oracle and other rules of decision."""
    from verifytui.engines.debate import decisions, moves
    from verifytui.engines.metrics.intervals import bounded_mean, clustered_share
    from verifytui.sessions.events.debate import Speech

    sessions = [with_answers(*one) for one in held]
    marks: dict[str, list[tuple[str, bool]]] = {}
    rules: dict[str, list[float]] = {}
    unread = 0
    for session, cluster in zip(sessions, clusters, strict=True):
        right = nearer(session)
        for move in moves.moves(session):
            if move.after is None:
                unread += 1
                continue
            before = right(move.before)
            name = "right → wrong" if before else "wrong → right"
            flipped = right(move.after) != before
            marks.setdefault(name, []).append((cluster, flipped))
            if move.opposed:
                joined = (cluster, bool(move.joined))
                marks.setdefault("conformity", []).append(joined)
        answers = {name: rule(session) for name, rule in decisions.RULES.items()}
        answers["result of the debate"] = session.result.answer
        for name, answer in answers.items():
            rules.setdefault(name, []).append(float(right(answer)))
        said = [one.answer for one in session.events if isinstance(one, Speech)]
        rules.setdefault("oracle", []).append(float(any(map(right, said))))
    lines = []
    for name, found in marks.items():
        share = clustered_share(found)
        assert share is not None
        count = sum(held for _, held in found)
        value = with_interval(count / len(found), share.low, share.high)
        lines.append([name, f"{count} of {len(found)}", value])
    table(["changes of answer", "count", "share"], lines)
    print(f"{unread} speeches without a readable translation are left out.\n")
    result = rules["result of the debate"]
    lines = []
    for name, values in rules.items():
        gain = [one - other for one, other in zip(result, values, strict=True)]
        cells = []
        for low, numbers in ((0, values), (-1, gain)):
            found = bounded_mean(numbers, clusters, low, 1)
            mean = sum(numbers) / len(numbers)
            cells.append(with_interval(mean, found.low, found.high))
        lines.append([name, cells[0], cells[1] if values is not result else ""])
    table(["decided by", "nearer the right reference", "result minus this"], lines)


# ------------------------------------------------------------------ rankings of cases


RUNS = {
    "TF-IDF": ("tfidf_top100", True),
    "BM25": ("bm25_top100", True),
    "LM": ("lm_top100", False),
    "BERT": ("bert", False),
}
"""Name to file, and whether its lists stand worst first."""


def runs() -> dict[str, dict[str, list[list[str]]]]:
    """Run to query to candidates best first."""
    found: dict[str, dict[str, list[list[str]]]] = {}
    for name, (file, turned) in RUNS.items():
        lists = json.loads((DATA / "lecard" / f"run_{file}.json").read_text("utf-8"))
        found[name] = {
            query: [[str(one)] for one in (listed[::-1] if turned else listed)]
            for query, listed in lists.items()
        }
    scored: dict[str, list[tuple[float, str]]] = {}
    for line in (DATA / "lecard" / "run_sailer.trec").read_text("utf-8").splitlines():
        query, _, candidate, _, score, *_ = line.split()
        scored.setdefault(query, []).append((-float(score), candidate))
    found["SAILER"] = {
        query: [[one] for _, one in sorted(listed)] for query, listed in scored.items()
    }
    return found


def rankings() -> None:
    from verifytui.engines.metrics.ranking import means

    labels = json.loads((DATA / "lecard" / "labels_top30.json").read_text("utf-8"))
    lists = runs()
    shared = sorted(set(labels).intersection(*lists.values()))
    print(
        "### Rankings of cases\n\nnDCG over condensed lists (candidates without a "
        "label are taken out first)."
    )
    print("*labelled*: how many are left in a list, on average.\n")
    for queries, names in (
        (sorted(labels), [name for name in lists if name != "BERT"]),
        (shared, list(lists)),
    ):
        print(
            f"{len(queries)} "
            f"queries{'' if len(queries) == len(labels) else ', those that BERT has ranked'}:\n"
        )
        judged = {query: labels[query] for query in queries}
        found = {
            name: means(
                {query: lists[name][query] for query in queries},
                judged,
                CUTS,
                condense=True,
            )
            for name in names
        }
        held = {
            name: [
                sum(one in judged[query] for [one] in lists[name][query])
                for query in queries
            ]
            for name in names
        }
        compared(
            found,
            queries,
            {name: sum(counts) / len(counts) for name, counts in held.items()},
        )


def compared(
    found: Mapping[str, Any], queries: Sequence[str], held: Mapping[str, float]
) -> None:
    """nDCG of each run, its difference from BM25 at 30, and how far the measures order
    the runs alike.

    `held`: how many labelled candidates a list holds, on average.
    """
    from scipy.stats import kendalltau
    from verifytui.engines.metrics.corrected import holm
    from verifytui.engines.metrics.intervals import mean_difference
    from verifytui.engines.metrics.paired import permutation

    at = CUTS[-1]
    by_query = {
        name: [one.queries[query].ndcg[at] for query in queries]
        for name, one in found.items()
    }
    others = [name for name in found if name != "BM25"]
    steps = {
        name: [a - b for a, b in zip(by_query[name], by_query["BM25"], strict=True)]
        for name in others
    }
    ps = dict(
        zip(others, holm([permutation(steps[name]) for name in others]), strict=True)
    )
    lines = []
    for name, one in found.items():
        figures = [
            with_interval(one.ranked.ndcg[k], *(one.intervals.ndcg[k] or (None, None)))
            for k in CUTS
        ]
        apart = (
            mean_difference(by_query["BM25"], by_query[name]) if name in ps else None
        )
        told = (
            [with_interval(apart.value, apart.low, apart.high), chance(ps[name])]
            if apart
            else ["", ""]
        )
        lines.append([name, f"{held[name]:.1f}", *figures, *told])
    table(
        [
            "run",
            "labelled",
            *(f"nDCG@{k}" for k in CUTS),
            f"@{at} against BM25",
            "p, Holm",
        ],
        lines,
    )
    taus = [
        (
            a,
            b,
            kendalltau(
                *([one.ranked.ndcg[k] for one in found.values()] for k in (a, b))
            ).statistic,
        )
        for a in CUTS
        for b in CUTS
        if a < b
    ]
    told = ", ".join(
        f"@{a} and @{b} {'–' if math.isnan(tau) else f'{tau:.2f}'}"
        for a, b, tau in taus
    )
    print(f"Kendall's tau between the orders of the {len(found)} runs: {told}.\n")


# ------------------------------------------------------------------ judges of relevance


def judges() -> None:
    from scipy.stats import kendalltau
    from verifytui.engines.metrics.compare import RaterLevels, compare

    head, *lines = (DATA / "llmjudge" / "labels.tsv").read_text("utf-8").splitlines()
    names = head.split("\t")[2:]
    cells = [line.split("\t") for line in lines]
    raters = [
        RaterLevels(name, {(one[0], one[1]): level(one[place]) for one in cells})
        for place, name in enumerate(names, 2)
    ]
    people, *machines = raters
    queries = sorted({query for query, _ in people.labels})
    print(
        f"### Judges of relevance\n\n{len(machines)} judges against people: "
        f"{len(lines):,} pairs of {len(queries)} queries.\n"
    )
    found = {one.name: compare(one, people) for one in machines}
    order = sorted(found, key=lambda name: -(found[name].kappa["levels"].value or 0))
    kinds = ("levels", "levels_quadratic")
    shown = [
        [
            name,
            f"{found[name].pairs:,}",
            *(figure_of(found[name].kappa[kind]) for kind in kinds),
        ]
        for name in order
    ]
    table(["judge", "pairs", "kappa, four levels", "kappa, quadratic weights"], shown)
    values = {
        kind: [found[name].kappa[kind].value for name in order]
        for kind in ("levels", "levels_linear", "levels_quadratic")
    }
    raw = [found[name].raw["levels"] for name in order]
    rated = {one.name: one for one in machines}
    halves = [
        [half(rated[name], people, set(queries[start::2])) for name in order]
        for start in (0, 1)
    ]
    pairs = (
        (
            "kappa and kappa with linear weights",
            values["levels"],
            values["levels_linear"],
        ),
        (
            "kappa and kappa with quadratic weights",
            values["levels"],
            values["levels_quadratic"],
        ),
        ("kappa and raw agreement", values["levels"], raw),
        ("kappa on one half of the queries and on the other", *halves),
    )
    table(
        ["orders of the judges by", "Kendall's tau"],
        [
            [told, f"{kendalltau(one, other).statistic:.2f}"]
            for told, one, other in pairs
        ],
    )


def level(text: str) -> int | None:
    """A judge's level; None for what is none of the four."""
    return int(text) if text in ("0", "1", "2", "3") else None


def figure_of(figure: Any) -> str:
    return with_interval(figure.value, figure.low, figure.high)


def half(rater: Any, people: Any, queries: set[str]) -> float:
    from verifytui.engines.metrics.agreement import cohen_kappa, confusion

    pairs = [pair for pair in people.labels if pair[0] in queries]
    return (
        cohen_kappa(
            confusion(
                [rater.labels.get(pair) for pair in pairs],
                [people.labels[pair] for pair in pairs],
            )
        )
        or 0.0
    )


PARTS = {
    "systems": (systems, "mad-commonmt"),
    "debates": (debates, "mad-transcripts"),
    "rankings": (rankings, "lecard"),
    "judges": (judges, "llmjudge"),
}


def chosen(names: Sequence[str]) -> Iterator[str]:
    for name in names or PARTS:
        if name not in PARTS:
            sys.exit(f"{name}: one of {', '.join(PARTS)}")
        yield name


if __name__ == "__main__":
    for part in chosen(sys.argv[1:]):
        work, folder = PARTS[part]
        if (DATA / folder).is_dir():
            work()
        else:
            print(f"{part}: left out, {DATA / folder} is not there.", file=sys.stderr)
