"""`agreement` and `ranking`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from verifytui.sessions.events import Event
from verifytui.sessions.events.relevance import Label, Score
from verifytui.sessions.journal import Journal
from verifytui.sessions.new import new_header
from verifytui.sessions.session import Prompts, Seat
from verifytui.tests.support.commanding import Done, command, refused

pytestmark = pytest.mark.slow

A = "1 0 a 0\n1 0 b 3\n1 0 c 1\n2 0 a 2\n2 0 b 2\n2 0 only-a 1\n"
B = (
    '{"query": 1, "candidate": "a", "label": 0}\n{"query": 1, "candidate": "b", "label": 0}\n{"query": 1, "candidate": "c", "label": 1}\n'
    + (
        '{"query": 2, "candidate": "a", "label": 3}\n{"query": 2, "candidate": "b", "label": null}\n'
    )
)


def times(labels: str, queries: int = 3) -> str:
    """The same labels again, in other queries."""
    if labels.startswith("{"):
        return "".join(
            re.sub(r'"query": (\d)', rf'"query": "\g<1>-{n}"', labels)
            for n in range(queries)
        )
    return "".join(
        re.sub(r"^(\d) ", rf"\g<1>-{n} ", labels, flags=re.MULTILINE)
        for n in range(queries)
    )


def written(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    return written(tmp_path / "anna.qrels", times(A)), written(
        tmp_path / "bert.jsonl", times(B)
    )


def only(done: Done) -> Any:
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()
    return json.loads(line)


def test_agreement_of_two_files(two: tuple[Path, Path]) -> None:
    text = command("agreement", *two).stdout
    assert (
        "Pairs rated by both: 12; left out: 3 unread or undecided by either, 3 only with anna, 0 only with bert"
        in text
    )
    assert "anna: rated 18, unread 0 (0: 16.7%, 1: 33.3%, 2: 33.3%, 3: 16.7%)" in text
    assert "Levels: anna (down), bert (across)" in text
    assert "To adjudicate: 6 pairs, most different first" in text
    assert text.index("anna 3, bert 0  (material and legal bit)") < text.index(
        "anna 2, bert 3  (material bit)"
    )
    assert "sum of three annotators' labels" in text
    assert "nan" not in text.split()
    assert text.index("Levels: anna (down), bert (across)") < text.index(
        "four levels, quadratic weights"
    )
    assert re.search(
        r"^  anna +25.0% +25.0% +25.0% +25.0% +50.0% +50.0%$", text, re.MULTILINE
    )
    assert re.search(
        r"^  bert +50.0% +25.0% +0.0% +25.0% +50.0% +25.0%$", text, re.MULTILINE
    )
    assert "Cohen's kappa, 95 % interval from 6 queries, too narrow for so few" in text
    for title in (
        "material bit",
        "legal bit",
        "four levels",
        "four levels, linear weights",
        "four levels, quadratic weights",
    ):
        assert re.search(
            rf"^  {title} +-?\d\.\d{{4}}  \[-?\d\.\d{{4}}, \d\.\d{{4}}\]$",
            text,
            re.MULTILINE,
        ), title


def test_agreement_as_json(two: tuple[Path, Path]) -> None:
    found = only(command("agreement", *two, "--output", "json"))
    (compared,) = found["comparisons"]
    assert (
        compared["pairs"],
        compared["unread"],
        compared["only_first"],
        compared["only_second"],
    ) == (12, 3, 3, 0)
    assert compared["confusion"]["levels"] == [
        [3, 0, 0, 0],
        [0, 3, 0, 0],
        [0, 0, 0, 3],
        [3, 0, 0, 0],
    ]
    assert compared["confusion"]["material"] == [[3, 3], [3, 3]]
    assert (compared["queries"], compared["intervals_by"]) == (6, "query")
    assert compared["positives"] == [
        {"material": 0.5, "legal": 0.5},
        {"material": 0.5, "legal": 0.25},
    ]
    assert compared["kappa"]["material"]["value"] == 0
    assert compared["shares"] == [[0.25, 0.25, 0.25, 0.25], [0.5, 0.25, 0, 0.25]]
    assert compared["raw_agreement"] == {"material": 0.5, "legal": 0.75, "levels": 0.5}
    assert [one["unread"] for one in found["raters"]] == [0, 3]
    assert found["fleiss"]["pairs"] == found["alpha"]["pairs"] == 12
    assert found["adjudicate"][0] == {
        "query": "1-0",
        "candidate": "b",
        "labels": {"anna": 3, "bert": 0},
        "spread": 3,
        "bits": ["material", "legal"],
        "decided": False,
    }
    assert only(command("agreement", *two, "--output", "json")) == found
    plain = only(command("agreement", *two, "--resamples", "0", "--output", "json"))[
        "comparisons"
    ][0]["kappa"]["levels"]
    assert plain == {
        **compared["kappa"]["levels"],
        "low": None,
        "high": None,
        "resamples": 0,
    }


def test_undefined_is_said_and_never_nan(tmp_path: Path) -> None:
    one, other = (
        written(tmp_path / name, times("1 0 a 2\n1 0 b 2\n", 5))
        for name in ("x.qrels", "y.qrels")
    )
    done = command("agreement", one, other)
    assert done.returncode == 0
    assert done.stdout.count("undefined (no variation)") == 1 + 3 + 3
    assert "x gave nothing but level 2 (pairs: 10)" in done.stdout
    assert "Nothing to adjudicate" in done.stdout
    kappa = only(command("agreement", one, other, "--output", "json"))["comparisons"][
        0
    ]["kappa"]
    why = "undefined (no variation)"
    assert kappa["levels"] == {
        "value": None,
        "reason": why,
        "why": why,
        "low": None,
        "high": None,
        "resamples": 0,
        "no_interval": None,
    }
    apart = command("agreement", one, written(tmp_path / "z.qrels", "7 0 a 2\n"))
    assert apart.returncode == 0
    assert "undefined (no pair that both have rated)" in apart.stdout


def test_below_ten_pairs_the_table_is_shown_and_no_coefficient(tmp_path: Path) -> None:
    one, other = written(tmp_path / "x.qrels", A), written(tmp_path / "y.jsonl", B)
    text = command("agreement", one, other).stdout
    assert "Levels: x (down), y (across)" in text
    assert (
        text.count("not shown: 4 pairs, and below 10 the table says more") == 1 + 3 + 3
    )
    assert not re.search(r"quadratic weights +-?\d", text)
    found = only(command("agreement", one, other, "--output", "json"))
    (compared,) = found["comparisons"]
    assert {
        one["value"]
        for one in (
            *compared["kappa"].values(),
            found["alpha"]["levels"],
            found["fleiss"]["levels"],
        )
    } == {None}
    assert (
        compared["kappa"]["levels"]["why"]
        == "not shown: 4 pairs, and below 10 the table says more"
    )
    assert compared["confusion"]["levels"] == [
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 0, 1],
        [1, 0, 0, 0],
    ]


def test_three_raters_have_a_line_and_a_table_a_couple(
    two: tuple[Path, Path], tmp_path: Path
) -> None:
    carl = "".join(
        f"{q}-{n}\t{c}\t{level}\n"
        for n in range(3)
        for q, c, level in ((1, "a", 0), (1, "b", 3), (1, "c", 1), (2, "a", 2))
    )
    three = (*two, written(tmp_path / "carl.tsv", "query\tcandidate\tlabel\n" + carl))
    text = command("agreement", *three).stdout
    assert re.search(
        r"^anna / carl +12 +6 +1\.0000 +1\.0000 50/50 +1\.0000 50/50 +1\.0000",
        text,
        re.MULTILINE,
    )
    assert "Fleiss' kappa, all raters (pairs: 12)" in text
    assert "Krippendorff's alpha (ordinal), all raters (pairs: 12)" in text
    assert "mean of those defined" not in text
    for couple in (
        "anna (down), bert (across)",
        "anna (down), carl (across)",
        "bert (down), carl (across)",
    ):
        table = text.index(f"Levels: {couple}")
        assert table < text.index("quadratic weights", table)
    assert text.count("quadratic weights") == 3
    found = only(command("agreement", *three, "--output", "json"))
    assert "mean_kappa" not in found
    assert len(found["comparisons"]) == 3


def test_of_many_couples_the_quadratic_kappa_stands_with_its_table_only(
    tmp_path: Path,
) -> None:
    raters = [
        written(
            tmp_path / f"r{n}.qrels", times(f"1 0 a 0\n1 0 b 3\n1 0 c {n % 4}\n", 5)
        )
        for n in range(5)
    ]
    text = command("agreement", *raters, "--resamples", "20").stdout
    assert text.count("quadratic weights") == text.count("Levels: ") == 6
    assert (
        "The tables of the other 4 couples, and kappa with weights: --output json"
        in text
    )


def session(path: Path, candidates: dict[str, int], *events: Event) -> Path:
    """A session of the candidates, each with its level in the data."""
    header = new_header(
        workspace="relevance",
        title="A case",
        task={
            "query": {"id": "q1", "text": "甲盗窃一辆汽车。"},
            "candidates": [
                {"id": one, "text": f"案件{one}", "gold": gold}
                for one, gold in candidates.items()
            ],
        },
        lineup={"extractor": Seat(model="lexical")},
        settings={},
        prompts=Prompts(set="zh", hash="sha256:0", templates={}),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with Journal.create(path, header) as journal:
        for event in events:
            journal.append(event)
    return path


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """A session that two people, the machine and the data have rated, and its fork."""
    names = {f"c{n}": n % 4 for n in range(12)}
    events: list[Event] = [
        Score(candidate=one, value=level) for one, level in names.items()
    ]
    events += [
        Label(candidate=one, value=level, annotator="anna")
        for one, level in names.items()
    ]
    events += [
        Label(candidate=one, value=(level + (n > 8)) % 4, annotator="bert")
        for n, (one, level) in enumerate(names.items())
    ]
    path = session(
        tmp_path / "runs" / "first.yaml",
        {one: 3 - level for one, level in names.items()},
        *events,
    )
    with Journal.open(path, write=False) as journal:
        journal.fork(
            tmp_path / "runs" / "fork.yaml", len(journal.session.events), "fork"
        ).close()
    return path


def names(found: Any) -> list[str]:
    return [one["name"] for one in found["raters"]]


def test_raters_are_people_unless_others_are_named(labelled: Path) -> None:
    found = only(command("agreement", labelled, "--output", "json"))
    assert (names(found), found["raters_left_out"]) == (
        ["anna", "bert"],
        ["machine", "gold"],
    )
    assert {one["kind"] for one in found["raters"]} == {"person"}
    assert (
        "Not chosen: machine, gold (--raters NAME,… chooses)"
        in command("agreement", labelled).stdout
    )
    found = only(
        command(
            "agreement", labelled, "--raters", "machine,gold,anna", "--output", "json"
        )
    )
    assert names(found) == ["machine", "gold", "anna"]
    assert names(
        only(
            command(
                "agreement",
                labelled,
                "--raters",
                "anna",
                "--raters",
                "machine",
                "--output",
                "json",
            )
        )
    ) == ["anna", "machine"]
    refused(
        command("agreement", labelled, "--raters", "anna,carl"),
        "no rater “carl”",
        "machine, gold, anna, bert",
    )
    refused(
        command("agreement", labelled, "--raters", "anna"),
        "only anna is chosen",
        "--raters",
    )


def test_where_there_are_not_two_people_the_machine_and_the_data_are_raters_too_and_that_is_said(
    tmp_path: Path,
) -> None:
    events = [Score(candidate="a", value=3), Score(candidate="b", value=0)]
    path = session(tmp_path / "s.yaml", {"a": 3, "b": 0}, *events)
    assert names(only(command("agreement", path, "--output", "json"))) == [
        "machine",
        "gold",
    ]
    assert (
        "The machine and the data are among the raters"
        in command("agreement", path).stdout
    )
    one = session(
        tmp_path / "t.yaml",
        {"a": 3, "b": 0},
        *events,
        Label(candidate="a", value=3, annotator="anna"),
    )
    assert names(only(command("agreement", one, "--output", "json"))) == [
        "machine",
        "gold",
        "anna",
    ]


def test_the_labels_that_a_fork_has_copied_are_no_second_rater(
    labelled: Path, tmp_path: Path
) -> None:
    alone = only(command("agreement", labelled, "--output", "json"))
    assert alone["comparisons"][0]["kappa"]["levels"]["value"] < 1
    fork = labelled.with_name("fork.yaml")
    for paths in (
        [labelled, fork],
        [fork, labelled],
        [labelled.parent],
        [labelled, labelled],
    ):
        found = only(command("agreement", *paths, "--output", "json"))
        assert names(found) == ["anna", "bert"]
        assert found["comparisons"] == alone["comparisons"]
    assert names(only(command("agreement", fork, "--output", "json"))) == [
        "machine",
        "gold",
    ]  # a fork copies no labels
    everybody = only(
        command(
            "agreement",
            labelled.parent,
            "--raters",
            "machine,gold,anna,bert",
            "--output",
            "json",
        )
    )
    assert names(everybody) == ["machine", "gold", "anna", "bert"]


def test_the_last_label_counts_in_a_session_and_its_forks(labelled: Path) -> None:
    fork = labelled.with_name("fork.yaml")
    for path, level in ((fork, 3), (labelled, 1)):
        with Journal.open(path) as journal:
            journal.append(Label(candidate="c0", value=level, annotator="anna"))
    for paths in ([labelled, fork], [fork, labelled]):
        differing = only(command("agreement", *paths, "--output", "json"))["adjudicate"]
        assert {one["candidate"]: one["labels"] for one in differing}["c0"] == {
            "anna": 1,
            "bert": 0,
        }


def test_judges_of_one_table(shared: Path) -> None:
    table = shared / "llmjudge" / "labels.tsv"
    done = command(
        "agreement",
        table,
        "--columns",
        "qid,docid,human,willia-umbrela1,Olz-gpt4o",
        "--output",
        "json",
    )
    found = only(done)
    assert [one["name"] for one in found["raters"]] == [
        "human",
        "willia-umbrela1",
        "Olz-gpt4o",
    ]
    assert all(
        one["kappa"]["levels"]["resamples"] == 1000 for one in found["comparisons"]
    )
    refused(
        command(
            "agreement", table, "--columns", "query,candidate,human,RMITIR-llama70B"
        ),
        "labels.tsv, line ",
        "“5”",
    )


def test_nothing_hostile_reaches_the_terminal(tmp_path: Path) -> None:
    bad = '{"query": "q\\u001b[31m\\u202e", "candidate": "c\\n\\u0007", "label": %d}\n'
    one, other = (
        written(tmp_path / "a\x1b[2J.jsonl", bad % 0),
        written(tmp_path / "b.jsonl", bad % 3),
    )
    done = command("agreement", one, other)
    assert done.returncode == 0
    assert not set(done.stdout) & set("\x1b\x07\u202e")
    assert "q[31m" in done.stdout
    raw = command("agreement", one, other, "--output", "json").stdout
    assert not set(raw) & set("\x1b\x07\u202e")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 0 a 4\n", ["line 1", "“4”"]),
        ("1 0 a 1\n1 0 b -1\n", ["line 2", "“-1”"]),
        ("1 0 a relevant\n", ["line 1", "“relevant”"]),
        ("1 0 a 1\n1 0 a 1\n", ["line 2", "twice"]),
        ("", ["empty"]),
    ],
)
def test_bad_labels_are_refused(
    two: tuple[Path, Path], tmp_path: Path, text: str, words: list[str]
) -> None:
    bad = written(tmp_path / "bad.qrels", text)
    refused(command("agreement", two[0], bad), "bad.qrels", *words)
    refused(command("ranking", bad, two[0]), "bad.qrels", *words)


def test_agreement_refuses_one_rater_and_odd_columns(
    two: tuple[Path, Path], tmp_path: Path
) -> None:
    refused(command("agreement", two[0]), "only anna")
    refused(
        command("agreement", two[0], two[1], "--columns", "query,,label"), "--columns"
    )
    refused(command("agreement", tmp_path / "missing", two[0]), "missing")
    refused(command("agreement", tmp_path, two[0]), "no session of relevance")
    refused(command("agreement"))


QRELS = "1 0 a 3\n1 0 b 2\n1 0 c 0\n2 0 a 0\n3 0 a 3\n"
RUN = "1 Q0 b 1 5 me\n1 Q0 x 2 4 me\n1 Q0 a 3 4 me\n2 Q0 a 1 1 me\n9 Q0 a 1 1 me\n"


def test_ranking(tmp_path: Path) -> None:
    qrels, run = written(tmp_path / "qrels", QRELS), written(tmp_path / "run", RUN)
    found = only(command("ranking", qrels, run, "--at", "2,1,3", "--output", "json"))
    ideal = 3 + 2 / 1.5849625007
    in_file = {
        "ndcg@1": 2 / 3,
        "ndcg@2": 2 / ideal,
        "ndcg@3": (2 + 3 / 2) / ideal,
        "p@1": 0,
        "p@2": 0,
        "p@3": 1 / 3,
        "ap": 1 / 3,
    }
    best = {
        **in_file,
        "ndcg@2": (2 + 3 / 1.5849625007) / ideal,
        "ndcg@3": (2 + 3 / 1.5849625007) / ideal,
        "p@2": 1 / 2,
        "ap": 1 / 2,
    }
    of_one = found["queries"]["1"]
    assert of_one["file_order"] == of_one["worst"] == pytest.approx(in_file)
    assert of_one["best"] == pytest.approx(best)
    mean = {name: (in_file[name] + best[name]) / 2 for name in in_file}
    assert {name: of_one[name] for name in in_file} == pytest.approx(mean)
    assert of_one["random"]["p@1"] == pytest.approx(1 / 3)
    assert found["ties"] == "mean over all orders of equal scores"
    assert found["tied_share"] == pytest.approx(2 / 4)
    assert (
        found["queries_missing"],
        found["queries_unknown"],
        found["queries_without_gain"],
    ) == (["3"], ["9"], ["2"])
    assert found["means_file_order"]["map"] == pytest.approx(1 / 6)
    assert found["means"]["map"] == pytest.approx(5 / 24)
    assert found["means_missing_as_zero"]["map"] == pytest.approx(5 / 36)
    assert found["unlabelled"] == "zero"
    text = command("ranking", qrels, run).stdout
    assert "unlabelled = 0" in text
    assert "Labelled queries that the run lacks: 1; with 0 for each of them:" in text
    assert "Queries without a label above 0, whose nDCG counts 0: 1 (2)" in text
    assert "order of the file: by score, then rank in the file, then id" in text
    assert all(
        f"  {order} " in text
        for order in ("worst order", "best order", "order of the file", "random order")
    )


def test_ranking_condensed_and_from_another_level(tmp_path: Path) -> None:
    qrels, run = written(tmp_path / "qrels", QRELS), written(tmp_path / "run", RUN)
    found = only(
        command(
            "ranking",
            qrels,
            run,
            "--at",
            "2",
            "--condensed",
            "--relevant",
            "2",
            "--output",
            "json",
        )
    )
    assert (found["unlabelled"], found["relevant"]) == ("condensed", 2)
    assert (found["queries"]["1"]["p@2"], found["queries"]["1"]["ap"]) == (1, 1)
    text = command("ranking", qrels, run, "--condensed", "--relevant", "2").stdout
    assert "condensed lists: unlabelled candidates taken out first" in text
    assert "relevant = label 2 or 3" in text


def test_ranking_of_lecard(shared: Path) -> None:
    lecard = shared / "lecard"
    done = command(
        "ranking",
        lecard / "labels_top30.json",
        lecard / "run_bm25_top100.json",
        "--worst-first",
        "--condensed",
    )
    assert done.returncode == 0
    if done.stdout.startswith("53 queries"):
        assert re.search(r"nDCG +0\.7395 +0\.7965 +0\.8826", done.stdout)


def test_a_run_whose_ranks_contradict_its_scores_looks_reversed(tmp_path: Path) -> None:
    qrels = written(tmp_path / "qrels", QRELS)
    distances = written(
        tmp_path / "distances.run",
        "1 Q0 a 1 0.1 me\n1 Q0 b 2 0.2 me\n1 Q0 c 3 0.7 me\n3 Q0 a 1 0.5 me\n3 Q0 b 2 0.9 me\n",
    )
    text = command("ranking", qrels, distances).stdout
    assert (
        f"{distances}: this list looks reversed: in 2 of 2 queries the scores rise with the ranks."
        in text
    )
    assert (
        "The order is that of the scores, highest first; if the ranks are right" in text
    )
    found = only(command("ranking", qrels, distances, "--at", "1", "--output", "json"))
    assert (found["looks_reversed"]["queries"], found["looks_reversed"]["of"]) == (2, 2)
    assert (found["means"]["p@1"], len(found["remarks"])) == (0, 1)
    by_rank = only(
        command(
            "ranking", qrels, distances, "--at", "1", "--by-rank", "--output", "json"
        )
    )
    assert by_rank["means"]["p@1"] == 1
    assert by_rank["looks_reversed"]["assumed"] == "the rank column, smallest first"
    assert (
        only(
            command(
                "ranking", qrels, written(tmp_path / "run", RUN), "--output", "json"
            )
        )["looks_reversed"]
        is None
    )


def test_a_list_that_begins_with_the_worst_is_worse_than_a_random_order(
    shared: Path,
) -> None:
    lecard = shared / "lecard"
    options = (
        "ranking",
        lecard / "labels_top30.json",
        lecard / "run_bm25_top100.json",
        "--condensed",
        "--output",
        "json",
    )
    found = only(command(*options))
    assert found["means"]["ndcg@30"] < found["means_random"]["ndcg@30"]
    assert "worse than a random order" in found["remarks"][0]
    assert "--worst-first" in found["remarks"][0]
    turned = only(command(*options, "--worst-first"))
    assert (
        turned["remarks"],
        turned["means"]["ndcg@30"] > turned["means_random"]["ndcg@30"],
    ) == ([], True)


def test_ranking_refuses(tmp_path: Path) -> None:
    qrels, run = written(tmp_path / "qrels", QRELS), written(tmp_path / "run", RUN)
    refused(
        command("ranking", qrels, written(tmp_path / "twice", RUN + "1 Q0 a 9 0 me\n")),
        "twice",
        "line 6",
    )
    refused(
        command("ranking", qrels, written(tmp_path / "other", "x Q0 a 1 1 me\n")),
        "none of the queries",
    )
    for at in ("0", "ten", "", "-5", "1.5"):
        refused(command("ranking", qrels, run, f"--at={at}"), "--at")
    refused(command("ranking", qrels, run, "--relevant", "4"), "--relevant")
    refused(command("ranking", qrels, run, "--worst-first"), "--worst-first")
    both = written(tmp_path / "both.tsv", "query\tcandidate\tone\ttwo\n1\ta\t1\t2\n")
    refused(command("ranking", both, run), "several raters", "one, two")
