"""`agreement` and `ranking`."""

from __future__ import annotations

import json
import math
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
    '{"query": 1, "candidate": "a", "label": 0}\n{"query": 1, "candidate": "b", '
    '"label": 0}\n{"query": 1, "candidate": "c", "label": 1}\n'
    + (
        '{"query": 2, "candidate": "a", "label": 3}\n{"query": 2, "candidate": '
        '"b", "label": null}\n'
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


def joined(text: str) -> str:
    """A report in one line: sentences wrap where the terminal ends."""
    return " ".join(text.split())


def line_of(text: str, *cells: str) -> bool:
    """Whether a line consists of these cells."""
    row = " +".join(map(re.escape, cells))
    return re.search(rf"^{row}$", text, re.MULTILINE) is not None


def rows_below(text: str, title: str, n: int) -> list[list[str]]:
    """The `n` lines below a title, each cut at white space."""
    lines = text.splitlines()
    place = lines.index(title) + 1
    return [line.split() for line in lines[place : place + n]]


def only(done: Done) -> Any:
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()
    return json.loads(line)


def test_agreement_of_two_files(two: tuple[Path, Path]) -> None:
    text = command("agreement", *two).stdout
    said = joined(text)
    assert (
        "12 pairs are rated by both. Left out: 3 unread or undecided by either, 3 "
        "rated only by anna, 0 rated only by bert." in said
    )
    assert (
        "anna and bert give the same level to 50.0% of 12 pairs. Cohen's kappa of "
        "the levels is 0.3333 (95 % interval 0.0000 to 0.5000)." in said
    )
    assert line_of(text, "anna", "18", "0", "16.7%", "33.3%", "33.3%", "16.7%")
    assert line_of(text, "bert", "12", "3", "50.0%", "25.0%", "0.0%", "25.0%")
    assert rows_below(text, "four levels: anna (down) and bert (across)", 6)[2:] == [
        ["0", "3", "0", "0", "0"],
        ["1", "0", "3", "0", "0"],
        ["2", "0", "0", "0", "3"],
        ["3", "3", "0", "0", "0"],
    ]
    assert rows_below(text, "legal bit: anna (down) and bert (across)", 4)[2:] == [
        ["0", "6", "0"],
        ["1", "3", "3"],
    ]
    disputes = rows_below(text, "Pairs to adjudicate: 6, most different first", 8)
    assert disputes[0] == ["query", "candidate", "anna", "bert", "differ", "in"]
    assert disputes[2] == ["1-0", "b", "3", "0", "material,", "legal"]
    assert disputes[5] == ["2-0", "a", "2", "3", "material"]
    assert "sum of three annotators' labels" in said
    assert "nan" not in text.split()
    rates = rows_below(text, "Base rates on these pairs", 4)
    assert rates[2] == ["anna", "25.0%", "25.0%", "25.0%", "25.0%", "50.0%", "50.0%"]
    assert rates[3] == ["bert", "50.0%", "25.0%", "0.0%", "25.0%", "50.0%", "25.0%"]
    assert "95 % intervals from 6 queries (too narrow with few queries)." in said
    for title, raw in (
        ("material bit", "50.0%"),
        ("legal bit", "75.0%"),
        ("four levels", "50.0%"),
        ("four levels, linear weights", ""),
        ("four levels, quadratic weights", ""),
    ):
        assert re.search(
            rf"^{title}( +-?\d\.\d{{4}}){{2}} *{raw}\n"
            r"( +\[-?\d\.\d{4}, \d\.\d{4}\]){2}$",
            text,
            re.MULTILINE,
        ), title
    by_query = rows_below(text, "Agreement by query (6 queries, lowest first)", 3)
    assert by_query[2] == ["2-0", "1", "1", "0.0%", "100.0%", "0.0%", "–"]
    assert "Material, legal and levels: the share of equal ratings." in said


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
    assert compared["gwet"]["material"]["value"] == pytest.approx(0)
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
    assert "Cohen's kappa of the levels is undefined (no variation)." in joined(
        done.stdout
    )
    assert done.stdout.splitlines().count("–: undefined (no variation)") == 2
    for title in ("material bit", "legal bit", "four levels"):
        assert line_of(done.stdout, title, "–", "1.0000", "100.0%"), title
        assert line_of(done.stdout, title, "–", "–", "1.0000"), title
    for weights in ("linear", "quadratic"):
        assert line_of(done.stdout, f"four levels, {weights} weights", "–", "1.0000")
    assert "x gave level 2 to all 10 pairs, so kappa is not meaningful." in done.stdout
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
    assert rows_below(text, "four levels: x (down) and y (across)", 6)[2:] == [
        ["0", "1", "0", "0", "0"],
        ["1", "0", "1", "0", "0"],
        ["2", "0", "0", "0", "1"],
        ["3", "1", "0", "0", "0"],
    ]
    why = "not shown: 4 pairs; below 10, see the table"
    assert f"Cohen's kappa of the levels is {why}." in joined(text)
    assert text.splitlines().count(f"–: {why}") == 2
    for title, raw in (
        ("material bit", "50.0%"),
        ("legal bit", "75.0%"),
        ("four levels", "50.0%"),
    ):
        assert line_of(text, title, "–", "–", raw), title
        assert line_of(text, title, "–", "–", "–"), title
    for weights in ("linear", "quadratic"):
        assert line_of(text, f"four levels, {weights} weights", "–", "–")
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
        == "not shown: 4 pairs; below 10, see the table"
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
    said = joined(text)
    assert line_of(text, "anna and carl", "12", "6", "100.0%", "1.0000")
    assert line_of(
        text, "anna and carl", "1.0000", "1.0000", "50.0% / 50.0%", "50.0% / 50.0%"
    )
    assert line_of(
        text, "bert and carl", "0.5000", "0.3333", "50.0% / 50.0%", "25.0% / 50.0%"
    )
    assert "Bit set: how often the first and the second rater set the bit." in said
    assert (
        "Alpha uses the 12 pairs with at least two ratings; Fleiss' kappa uses the "
        "12 pairs that all raters rated." in said
    )
    assert rows_below(text, "All raters", 2) == [
        ["figure", "Krippendorff's", "Fleiss'", "kappa", "Gwet's", "AC2"],
        ["alpha", "(ordinal)"],
    ]
    for couple in (
        "anna (down) and bert (across)",
        "anna (down) and carl (across)",
        "bert (down) and carl (across)",
    ):
        table = text.index(f"four levels: {couple}")
        assert table < text.index("quadratic weights", table)
    assert text.count("four levels, quadratic weights") == 3
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
    shown = text.count("four levels, quadratic weights")
    assert shown == text.count("four levels: ") == 6
    assert (
        "Tables of the other 4 pairs of raters, and weighted kappa: --output json."
        in joined(text)
    )


def test_reasons_that_differ_are_told_apart(tmp_path: Path) -> None:
    alike = "".join(f"q{n} 0 a 2\n" for n in range(10))
    few = "q0 0 a 2\nq1 0 a 1\n"
    raters = [
        written(tmp_path / f"{name}.qrels", labels)
        for name, labels in (("x", alike), ("y", alike), ("z", few))
    ]
    text = command("agreement", *raters, "--resamples", "20").stdout
    assert re.search(r"^x and y +10 +0 +100\.0% +–¹ +–¹ +–¹", text, re.MULTILINE)
    assert re.search(r"^x and z +2 +8 +50\.0% +–² +–² +–²", text, re.MULTILINE)
    assert "–¹: undefined (no variation)" in text
    assert "–²: not shown: 2 pairs; below 10, see the table" in text


def test_raters_who_share_one_query_only_are_told_apart(tmp_path: Path) -> None:
    many = "".join(f"q{n % 3} 0 c{n} {n % 4}\n" for n in range(36))
    one = "".join(f"q0 0 c{n} {n % 2}\n" for n in range(0, 36, 3))
    raters = [
        written(tmp_path / f"{name}.qrels", labels)
        for name, labels in (("x", many), ("y", many), ("z", one))
    ]
    table = joined(command("agreement", *raters, "--resamples", "20").stdout)
    assert (
        "No interval for two raters whose shared pairs all belong to one query. "
        "95 % intervals from 3 queries (too narrow with few queries)." in table
    )
    alone = joined(command("agreement", raters[0], raters[2]).stdout)
    assert "No interval: all pairs belong to one query." in alone
    assert "95 % interval" not in alone.split("All raters")[0]


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
        "Not chosen: machine, gold. To choose raters, use --raters NAME,…."
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
    refused(command("agreement", tmp_path, two[0]), "contains no relevance session")
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
    said = joined(text)
    lacking = rows_below(
        text,
        "Labelled queries missing from the run: 1. Means if each of them counts as 0",
        9,
    )
    assert (lacking[2], lacking[8]) == (["nDCG@10", "0.2891"], ["MAP", "0.1389"])
    assert "Queries of the run without labels, left out: 1 (9)" in text
    assert "Queries without a label above 0, whose nDCG is 0: 1 (2)" in text
    assert "Queries without a relevant candidate, whose P and AP are 0: 1 (2)" in text
    assert "P and MAP: label 3 counts as relevant." in said
    assert "Order of the file: by score, then rank in the file, then id." in said
    assert "95 % intervals from 2 queries (too narrow with few queries)." in text
    assert "nDCG@30 is 0.4337 (95 % interval 0.0000 to 0.8673) over 2 queries." in said
    head = next(line for line in text.splitlines() if line.startswith("figure"))
    assert " ".join(head.split()) == (
        "figure mean worst order best order order of the random order"
    )
    assert line_of(text, "MAP", "0.2083", "0.1667", "0.2500", "0.1667", "0.3056")


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
    assert "condensed lists: unlabelled candidates removed first" in text
    assert "P and MAP: label 2 or 3 counts as relevant." in joined(text)


CHARGES = {
    "q": "盗窃罪（不起诉）",
    "a": ["诈骗罪", "盗窃"],
    "b": "抢劫罪、盗窃罪",
    "c": "诈骗罪",
}


def _by_charge(tmp_path: Path, order: str, queries: int = 1) -> Any:
    """A run that ranks a, b, c and d in this order for each query; a has label 1, b 3,
    c 2; d has no charge.
    """
    names = [f"q{at}" for at in range(queries)]
    qrels = {name: {"a": 1, "b": 3, "c": 2, "d": 0} for name in names}
    charges = {**CHARGES, **dict.fromkeys(names, CHARGES["q"])}
    files = [
        written(tmp_path / name, json.dumps(content))
        for name, content in (
            ("qrels.json", qrels),
            ("run.json", {name: list(order) for name in names}),
            ("charges.json", charges),
        )
    ]
    return command(
        "ranking", *files[:2], "--at", "3", "--charges", files[2], "--output", "json"
    )


def test_ranking_beside_charges_alone(tmp_path: Path) -> None:
    """Worked out by hand: the discounts of the first places are 1, 1 / log2 3, 1 / 2."""
    second = 1 / math.log2(3)
    ideal = 3 + 2 * second + 1 / 2
    found = only(_by_charge(tmp_path, "cbad"))["charges"]
    assert (found["queries"], found["queries_within"]) == (1, 1)
    assert found["candidates_unknown"] == 1
    wanted = {
        "run": (2 + 3 * second + 1 / 2) / ideal,
        "charge_only": (2 + 2 * second + 1 / 2) / ideal,
        "charge_within": 1,
        "charge_random": (2 + 2 * second) / (3 + second),
    }
    ndcg = {name: found[name]["means"]["ndcg@3"] for name in wanted}
    assert ndcg == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("cbad", []),
        ("cabd", ["among candidates with the query's charge, nDCG@3 is"]),
        (
            "dcab",
            [
                "no better than ordering the same candidates by the query's charge",
                "among candidates with the query's charge, nDCG@3 is",
            ],
        ),
    ],
)
def test_a_gain_that_charges_alone_give_is_named(
    tmp_path: Path, order: str, said: list[str]
) -> None:
    for queries, wanted in ((10, said), (9, [])):
        remarks = [
            one
            for one in only(_by_charge(tmp_path, order, queries))["remarks"]
            if "the query's charge" in one
        ]
        assert len(remarks) == len(wanted)
        assert all(map(str.__contains__, remarks, wanted))


@pytest.mark.parametrize("content", ["[]", '{"q": 3}', '{"q": ["a", 1]}'])
def test_charges_that_are_none(tmp_path: Path, content: str) -> None:
    qrels, run = written(tmp_path / "qrels", QRELS), written(tmp_path / "run", RUN)
    file = written(tmp_path / "charges.json", content)
    done = command("ranking", qrels, run, "--charges", file)
    refused(done, "is not a JSON object of id to charge")


def test_the_table_of_charges(tmp_path: Path) -> None:
    qrels, run = written(tmp_path / "qrels", QRELS), written(tmp_path / "run", RUN)
    file = written(tmp_path / "charges.json", json.dumps({"1": "theft"}))
    text = command("ranking", qrels, run, "--charges", file).stdout
    assert "Charges known: 1 queries, 0 of them" in joined(text)
    assert "charge only" in text


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
    if "\n53 queries, " in done.stdout:
        for row in (r"nDCG@10 +0\.7395", r"nDCG@20 +0\.7965", r"nDCG@30 +0\.8826"):
            assert re.search(rf"^{row}\b", done.stdout, re.MULTILINE), row
        assert "95 % intervals from 53 queries.\n" in done.stdout


def test_a_run_whose_ranks_contradict_its_scores_looks_reversed(tmp_path: Path) -> None:
    qrels = written(tmp_path / "qrels", QRELS)
    distances = written(
        tmp_path / "distances.run",
        "1 Q0 a 1 0.1 me\n1 Q0 b 2 0.2 me\n1 Q0 c 3 0.7 me\n3 Q0 a 1 0.5 me\n3 Q0 "
        "b 2 0.9 me\n",
    )
    text = command("ranking", qrels, distances, "--output", "md").stdout
    assert (
        f"{distances.name}: this list looks reversed: in 2 of 2 queries, the "
        f"scores rise with the ranks. "
        "Ordered by the scores, highest first. "
        "If the ranks are right, as with distances as scores, use --by-rank." in text
    )
    wrapped = command("ranking", qrels, distances).stdout
    assert "this list looks reversed: in 2 of 2 queries, the" in joined(wrapped)
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
