"""`relevance`, `label`, `demonstrations` and what they export, as commands."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from verifytui.cli.app import main
from verifytui.sessions.events.relevance import Facts, Score
from verifytui.sessions.journal import Journal
from verifytui.tests.support.commanding import (
    COMMAND,
    Done,
    annotating,
    command,
    documents,
    one_sentence,
    refused,
    rows,
)
from verifytui.tests.support.loopback import Answer, Body, Loopback

pytestmark = pytest.mark.slow

THEFT = (
    "经审理查明，被告人张某于2020年3月1日凌晨翻窗进入李某家中，趁其熟睡窃得现金五千"
    "元，后被抓获，如实供述。"
)
OTHER = "被告人赵某深夜撬开陈某的车窗，秘密窃取车内提包一只，价值三千元，到案后坦白。"
ROBBERY = "被告人王某持刀拦住路人刘某，以暴力相威胁抢走其手机一部，致其轻微伤。"
LB = ["--model", "openai/lb"]


@pytest.fixture
def served(server: Loopback) -> Loopback:
    """`openai/lb` extracts and judges there."""
    server.answer = annotating()
    return server


@pytest.fixture
def cases(tmp_path: Path) -> list[str | Path]:
    """A query and three candidates, one of them in GB18030, as options."""
    folder = tmp_path / "candidates"
    folder.mkdir()
    (tmp_path / "q.txt").write_text(THEFT, "utf-8")
    (folder / "1.txt").write_text(ROBBERY, "gb18030")
    (folder / "2.json").write_text(
        json.dumps({"ajjbqk": OTHER, "ajName": "赵某盗窃", "qw": "…"})
    )
    (tmp_path / "extra.txt").write_text(
        "被告人孙某酒后驾驶小型轿车，血液中乙醇含量为201毫克。", "utf-8"
    )
    return [
        "--query",
        tmp_path / "q.txt",
        "--candidates",
        folder,
        tmp_path / "extra.txt",
    ]


def lines(path: Path, listed: list[dict[str, Any]]) -> Path:
    path.write_text(
        "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in listed), "utf-8"
    )
    return path


PAIRS: list[dict[str, Any]] = [
    {
        "id": "a",
        "query": {"id": "q1", "text": THEFT},
        "candidate": {"id": "c1", "text": OTHER},
        "label": 3,
    },
    {
        "id": "b",
        "query": {"id": "q1", "text": THEFT},
        "candidate": {"id": "c2", "text": ROBBERY},
        "label": 0,
    },
    {
        "id": "c",
        "query": {"id": "q2", "text": ROBBERY},
        "candidate": {"id": "c1", "text": OTHER},
    },
]


def pairs(tmp_path: Path, listed: list[dict[str, Any]], *more: str | Path) -> Done:
    return command(
        "relevance",
        "--pairs",
        lines(tmp_path / "p.jsonl", listed),
        "--into",
        tmp_path / "out",
        *more,
    )


def summary(tmp_path: Path) -> list[dict[str, Any]]:
    return rows((tmp_path / "out" / "summary.jsonl").read_text())


def report(tmp_path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((tmp_path / "out" / "report.json").read_text())
    return found


def of(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["event"] == kind]


# ------------------------------------------------------------- one query


def test_the_example_is_judged_without_a_key(home: Path) -> None:
    done = command("relevance", "--example")
    assert done.returncode == 0, done.stderr
    for told in (
        "\nQuery",
        "\nCandidate c1",
        "Material facts (MF):",
        "Ranking: candidate",
        "Cohen's kappa of machine and gold",
    ):
        assert told in done.stdout
    assert "is not a language model" in done.stdout
    (saved,) = (home / "sessions").glob("*.yaml")
    header, *events = documents(saved)
    assert header["workspace"] == "relevance"
    assert (
        len(of(events, "score"))
        == len(header["task"]["candidates"])
        == len(events[-1]["ranking"])
    )
    assert [one["step"] for one in of(events, "demonstrations")[:2]] == [
        "facts-material",
        "facts-legal",
    ]
    assert "[c" in command("sessions").stdout
    replayed = command("replay", saved, "--plain", "--lang", "zh")
    assert "排序" in replayed.stdout
    assert (
        command("resume", saved, "--output", "json").stdout
        == command("export", saved, "--to", "jsonl").stdout
    )


def test_a_printed_score_shows_no_bit_that_is_no_longer_in_force(
    tmp_path: Path,
) -> None:
    saved = tmp_path / "s.yaml"
    assert (
        command(
            "relevance", "--example", "--model", "lexical", "--save", saved
        ).returncode
        == 0
    )
    bits = {
        one["kind"]: int(one["relevant"])
        for one in of(documents(saved)[1:], "judgement")[:2]
    }
    with Journal.open(saved, write=True) as journal:
        journal.append(Facts(role="extractor", kind="legal", case="c1"))
        journal.append(Score(candidate="c1"))
        journal.append(Facts(role="extractor", kind="material", case="query"))
        journal.append(Score(candidate="c2"))
    scores = [
        line
        for line in command("replay", saved, "--plain").stdout.splitlines()
        if line.startswith("MF ")
    ]
    assert scores[0].startswith(f"MF {bits['material']}, LF {bits['legal']}:")
    assert [line.partition(":")[0] for line in scores[-2:]] == [
        f"MF {bits['material']}, LF -",
        "MF -, LF -",
    ]


def test_two_models_judge_a_query_from_files(
    served: Loopback, cases: list[str | Path], tmp_path: Path
) -> None:
    qrels = tmp_path / "gold.qrels"
    qrels.write_text("q 0 1 0\nq 0 2 3\n")
    seats = [
        *LB,
        "--model",
        "annotator=openai/judge",
        "--param",
        "annotator.temperature=0.5",
    ]
    done = command(
        "relevance",
        *cases,
        *seats,
        "--labels",
        qrels,
        "--save",
        tmp_path / "s.yaml",
        "--output",
        "json",
        fresh=True,
    )
    assert done.returncode == 0, done.stderr
    assert "1 of 3 pairs have no level" in done.stderr
    header, *events = rows(done.stdout)
    assert header["task"]["query"] == {"id": "q", "text": THEFT}
    assert [(one["id"], one.get("gold"), one.get("title")) for one in header["task"]["candidates"]] == [
        ("1", 0, None), ("2", 3, "赵某盗窃"), ("extra", None, None),
    ]  # fmt: skip
    assert header["task"]["candidates"][0]["text"] == ROBBERY
    asked = [(body["model"], body.get("temperature")) for body in served.requests]
    assert asked.count(("lb", 0)) == 8
    assert asked.count(("judge", 0.5)) == 6
    assert [one["value"] for one in of(events, "score")] == [3, 3, 3]
    assert events[-1]["agreement"][0]["raters"] == ["machine", "gold"]
    assert (
        rows(command("export", tmp_path / "s.yaml", "--to", "jsonl").stdout)[1:]
        == events
    )
    for to in ("md", "html"):
        text = command("export", tmp_path / "s.yaml", "--to", to).stdout
        assert "Both take by stealth." in text
        assert THEFT[:20] in text
        assert ROBBERY in text
        assert "Agreement" in text
        assert "gold down, machine across" in text


def test_a_query_among_many_and_candidates_in_its_own_folder(tmp_path: Path) -> None:
    queries = lines(
        tmp_path / "query.json", [{"ridx": 1, "q": THEFT}, {"ridx": 2, "q": ROBBERY}]
    )
    for ridx, did, text in (("1", "10", OTHER), ("2", "11", THEFT)):
        (tmp_path / "c" / ridx).mkdir(parents=True)
        (tmp_path / "c" / ridx / f"{did}.json").write_text(json.dumps({"ajjbqk": text}))
    golden = tmp_path / "golden.json"
    golden.write_text('{"1": [10], "2": [12]}')
    options = ["--candidates", tmp_path / "c", "--labels", golden]
    header = rows(
        command(
            "relevance",
            "--query",
            f"{queries}#1",
            *options,
            "--no-save",
            "--output",
            "json",
        ).stdout
    )[0]
    assert header["task"]["candidates"] == [{"id": "10", "text": OTHER, "gold": 3}]
    refused(
        command("relevance", "--query", queries, *options),
        "contains 2 queries",
        "--into DIR",
    )
    done = command(
        "relevance", "--query", queries, *options, "--into", tmp_path / "out"
    )
    assert done.returncode == 0, done.stderr
    assert [row["id"] for row in summary(tmp_path)] == ["1-10", "2-11"]
    assert report(tmp_path)["labels"] == {"0": 0, "1": 0, "2": 0, "3": 1}


@pytest.mark.parametrize(
    ("options", "calls", "settings"),
    [
        (["--without", "extraction"], 6, {"extraction": False, "matching": True}),
        (["--without", "annotation"], 14, {"annotation": False}),
        (
            ["--without", "annotation", "--without", "extraction"],
            6,
            {"annotation": False, "extraction": False},
        ),
        (
            ["--without", "matching", "--seed", "7", "--shots", "1"],
            14,
            {"matching": False, "seed": 7, "shots": 1},
        ),
        (
            ["--long", "pieces", "--case-tokens", "900", "--cache", "none"],
            14,
            {"long": "pieces", "budget_tokens": 900, "cache": "none"},
        ),
    ],
)
def test_ablations_and_settings(
    options: list[str],
    calls: int,
    settings: dict[str, Any],
    cases: list[str | Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert (
        main(["relevance", *map(str, cases), *options, "--no-save", "--output", "json"])
        == 0
    )
    header, *events = rows(capsys.readouterr().out)
    assert {name: header["settings"][name] for name in settings} == settings
    assert len(of(events, "facts")) + len(of(events, "judgement")) == calls
    assert events[-1]["event"] == "result"
    if settings.get("shots"):
        assert len(events[0]["items"]) == 1
        assert events[0]["items"][0]["score"] is None


def test_what_cannot_be_read_is_told_and_has_no_score(
    server: Loopback, cases: list[str | Path]
) -> None:
    good = annotating()

    def reply(body: Body) -> Answer:
        found = good(body)
        if '"relevant"' in found.text:
            return Answer('{"relevant": "somewhat"}')
        return found

    server.answer = reply
    done = command("relevance", *cases, *LB, "--no-save")
    assert done.returncode == 0, done.stderr
    assert "could not be read" in done.stdout
    assert "3 have no score and are listed last" in done.stdout


def test_a_person_judges_on_stdin(served: Loopback, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text(THEFT)
    (tmp_path / "c.txt").write_text(OTHER)
    seats = [*LB, "--model", "annotator=human"]
    said = (
        '{"relevant": "不相关", "reason": "手段不同"}\nnonsense\n{"relevant": true, '
        '"reason": "同为盗窃"}\n'
    )
    options = [
        "--query",
        tmp_path / "q.txt",
        "--candidates",
        tmp_path / "c.txt",
        "--save",
        tmp_path / "s.yaml",
    ]
    done = command("relevance", *options, *seats, stdin=said)
    assert done.returncode == 0, done.stderr
    assert "MF 0, LF 1: score 2" in done.stdout
    assert "手段不同" in done.stdout
    assert [
        event["model"] for event in of(documents(tmp_path / "s.yaml")[1:], "judgement")
    ] == ["human", "human"]


def test_other_languages_get_a_remark(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text(
        "The defendant took a wallet from the coat of a sleeping man and was "
        "caught at the door."
    )
    options = [
        "relevance",
        "--query",
        tmp_path / "q.txt",
        "--candidates",
        tmp_path / "q.txt",
        "--no-save",
    ]
    done = command(*options, "--demonstrations", "zh-criminal")
    assert done.returncode == 0
    assert "not in Chinese, but the demonstrations zh-criminal" in done.stderr


@pytest.mark.parametrize(
    ("text", "demonstrations", "prompts"),
    [
        ("The defendant took a wallet from a sleeping man.", "en-common-law", "en"),
        ("被告人趁被害人熟睡，窃取其钱包，价值三千元。", "zh-criminal", "zh"),
    ],
)
def test_the_demonstrations_are_in_the_language_of_the_query(
    tmp_path: Path, text: str, demonstrations: str, prompts: str
) -> None:
    case = tmp_path / "q.txt"
    case.write_text(text, "utf-8")
    options = ["--query", case, "--candidates", case, "--no-save", "--output", "json"]
    done = command("relevance", *options)
    header = rows(done.stdout)[0]
    assert header["settings"]["demonstrations"] == demonstrations
    assert header["prompts"]["set"] == prompts
    assert "demonstrations" not in done.stderr


@pytest.mark.parametrize(
    ("language", "name"), [("en", "en-common-law"), ("zh", "zh-criminal")]
)
def test_the_example_is_in_the_language_of_the_interface(
    language: str, name: str
) -> None:
    done = command(
        "relevance", "--example", "--no-save", "--output", "json", "--lang", language
    )
    assert rows(done.stdout)[0]["settings"]["demonstrations"] == name


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "nothing to judge"),
        (["--query", "q.txt"], "no candidates"),
        (["--example", "x.txt"], "takes no candidates"),
        (["--example", "--query", "q.txt", "--candidates", "q.txt"], "cannot be used together"),
        (["--query", "missing.txt", "--candidates", "q.txt"], "cannot be read"),
        (["--query", "q.txt", "--candidates", "empty.txt"], "is empty"),
        (["--query", "q.txt", "--candidates", "binary.txt"], "binary"),
        (["--query", "q.txt", "--candidates", "huge.txt"], "characters; shorten it"),
        (["--query", "q.txt", "--candidates", "q.txt", "q.txt"], "Two cases have the id"),
        (["--example", "--labels", "q.qrels"], "has no level for any"),
        (["--example", "--labels", "four.qrels"], "not a whole number from 0 to 3"),
        (["--example", "--labels", "twice.qrels"], "occurs twice"),
        (["--example", "--demonstrations", "nowhere"], "no set of demonstrations"),
        (["--example", "--demonstrations", "bad.yaml"], "cannot be used"),
        (["--example", "--case-tokens", "3"], "budget_tokens must be"),
        (["--example", "--model", "judge=gpt-4"], "no role"),
        (["--example", "--repeats", "3"], "applies to a batch; name"),
        (["--example", "--temperatures", "0,1"], "applies to a batch; name"),
        (["--example", "--into", "out", "--temperatures", "0,x"], "--temperatures takes"),
        (["--example", "--into", "out", "--temperatures", "1,1"], "--temperatures takes"),
        (["--example", "--into", "out", "--save", "s.yaml"], "applies to one session, not to a batch; a batch"),
        (["--pairs", "p.jsonl"], "needs a folder"),
        (["--example", "--save", "q.txt"], "already exists"),
    ],
)  # fmt: skip
def test_bad_input(
    arguments: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "q.txt").write_text(THEFT)
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)))
    if "huge.txt" in arguments:
        (tmp_path / "huge.txt").write_text("案" * 1_000_001)
    (tmp_path / "q.qrels").write_text("a 0 b 1\n")
    (tmp_path / "four.qrels").write_text("theft-1 0 c1 4\n")
    (tmp_path / "twice.qrels").write_text("theft-1 0 c1 1\ntheft-1 0 c1 2\n")
    (tmp_path / "bad.yaml").write_text("id: x\nquery: {text: short}\n")
    lines(tmp_path / "p.jsonl", PAIRS)
    monkeypatch.chdir(tmp_path)
    assert main(["relevance", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    one_sentence(printed.err, told)
    assert not (tmp_path / "out").exists()


# ------------------------------------------------------------- batches


def test_a_batch_reads_each_case_once(served: Loopback, tmp_path: Path) -> None:
    told = json.loads(
        pairs(tmp_path, PAIRS, *LB, "--dry-run", "--output", "json").stdout
    )
    assert (told["pairs"], told["calls"], told["least_calls"]) == (3, 12, 12)
    assert served.requests == []
    done = pairs(tmp_path, PAIRS, *LB)
    assert done.returncode == 0, done.stderr
    assert len(served.requests) == 2 * 3 + 2 * 3
    found = summary(tmp_path)
    assert [(row["id"], row["file"], row["status"]) for row in found] == [
        (one, f"{one}.yaml", "done") for one in "abc"
    ]
    assert found[0]["result"]["scores"] == [3]
    assert found[0]["result"]["ranking"] == ["c1"]
    told = report(tmp_path)
    assert (told["scores"], told["labels"], told["unread"]["value"]) == (
        {"0": 0, "1": 0, "2": 0, "3": 3},
        {"0": 1, "1": 0, "2": 0, "3": 1},
        0,
    )
    assert told["sharing"] == {"replies": 18, "from_cache": 6, "calls_unshared": 18}
    assert told["calls"] == 12
    assert told["labels_and_levels"] == {"3/3": 1, "0/3": 1}
    assert (told["level_right"]["value"], told["level_right"]["n"]) == (0.5, 2)
    for name in ("level", "material", "legal", "level_linear", "level_quadratic"):
        kappa = told[f"kappa_{name}"]
        assert (kappa["value"], kappa["n"]) == (None, 2), "fewer than 10 pairs"
    assert "four levels: machine (down) and gold (across)" in done.stdout
    assert "machine gave level 3 to all 2 pairs" in done.stdout
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert pairs(tmp_path, PAIRS, *LB).returncode == 0
    assert {
        path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()
    } == before
    refused(pairs(tmp_path, PAIRS, *LB, "--shots", "1"), "other options")


@pytest.mark.parametrize(
    ("without", "each"),
    [
        (["matching"], 6), (["annotation"], 6), (["extraction"], 2), (["extraction", "annotation"], 2), (["matching", "annotation"], 6),
        (["matching", "extraction"], 2), (["matching", "extraction", "annotation"], 2),
    ],
)  # fmt: skip
def test_calls_are_compared_with_those_of_the_same_ablation(
    without: list[str], each: int, tmp_path: Path
) -> None:
    file = lines(tmp_path / "p.jsonl", PAIRS)
    options = [part for one in without for part in ("--without", one)]
    assert (
        main(
            [
                "relevance",
                "--pairs",
                str(file),
                "--into",
                str(tmp_path / "out"),
                *options,
            ]
        )
        == 0
    )
    told = report(tmp_path)
    calls = each * len(PAIRS)
    sharing = {"replies": calls, "from_cache": 0, "calls_unshared": calls}
    assert told["sharing"] == sharing


@pytest.mark.parametrize(
    ("gate", "code", "words"),
    [
        (
            [
                "--fail-under",
                "raw_agreement_level=.5",
                "--fail-over",
                "raw_agreement_level=.5",
                "--min-coverage",
                ".6",
            ],
            0,
            [],
        ),
        (
            ["--fail-under", "raw_agreement_level=.6"],
            1,
            ["--fail-under raw_agreement_level: 0.5000 is below 0.6."],
        ),
        (
            ["--fail-under", "level_right=.5"],
            1,
            ["“level_right” covers 2 of 3", "2 of 3"],
        ),
        (
            ["--fail-over", "score_3=.9", "--fail-under", "scored=1"],
            1,
            ["--fail-over score_3: 1.0000 is above 0.9."],
        ),
        (
            ["--fail-under", "reliability_level=0"],
            1,
            ["“reliability_level” covers 0 of 3"],
        ),
    ],
)
def test_figures_of_pairs_can_be_held_to_a_bound(
    gate: list[str], code: int, words: list[str], served: Loopback, tmp_path: Path
) -> None:
    done = pairs(tmp_path, PAIRS, *LB, *gate)
    assert done.returncode == code, done.stderr
    said = [words in done.stderr for words in ("--fail-", "--min-coverage")]
    assert any(said) == bool(code)
    for word in words:
        assert word in done.stderr


def test_a_figure_of_pairs_that_there_is_not(tmp_path: Path) -> None:
    refused(
        pairs(tmp_path, PAIRS, "--fail-under", "kappa_beauty=1"),
        "“kappa_beauty”",
        "kappa_legal",
    )
    refused(pairs(tmp_path, PAIRS, "--fail-under", "kappa_level=-2"), "from -1 to 1")
    old = pairs(tmp_path, PAIRS, "--fail-under", "kappa.levels_quadratic=0")
    refused(old, "kappa_level_quadratic")


def test_pairs_that_could_not_be_read_pass_no_gate_and_are_listed(
    server: Loopback, tmp_path: Path
) -> None:
    good = annotating()
    server.answer = lambda body: (
        Answer("Hm.")
        if '"relevant"' in body["messages"][-1]["content"].rpartition(">>>")[2]
        else good(body)
    )
    done = pairs(tmp_path, PAIRS, *LB, "--fail-under", "raw_agreement_level=0")
    assert done.returncode == 1
    assert "--max-unread: " in done.stderr
    assert "“raw_agreement_level” covers 0 of 3 input lines" in done.stderr
    told = report(tmp_path)
    whys = [
        (one["id"], one["why"]) for one in told["left_out"] if one["why"] == "unread"
    ]
    assert whys == [("a", "unread"), ("b", "unread"), ("c", "unread")]
    failed = rows((tmp_path / "out" / "failures.jsonl").read_text())
    assert {(row["id"], row["why"]) for row in failed} >= set(whys)
    assert [row["level"] for row in summary(tmp_path)] == [None] * 3
    assert told["scored"]["value"] == 0


def test_a_line_of_the_summary_says_level_and_label(tmp_path: Path) -> None:
    query = {"id": "q", "text": THEFT}
    listed = [
        {
            "id": name,
            "query": query,
            "candidate": {"id": name, "text": text},
            "label": label,
        }
        for name, text, label in (("x", THEFT, 3), ("y", THEFT, 0), ("z", OTHER, 3))
    ]
    done = pairs(tmp_path, listed)
    assert done.returncode == 0, done.stderr
    assert "judged by lexical, not a language model" in " ".join(done.stdout.split())
    assert report(tmp_path)["verified_by"] == {
        "annotator": ["lexical"],
        "extractor": ["lexical"],
        "built_in": ["lexical"],
    }
    found = summary(tmp_path)
    levels = [row["level"] for row in found]
    assert levels[0] == levels[1], "equal texts come to one level"
    for row in found:
        assert row["measures"]["level_right"] is (row["level"] == row["label"])
        assert "reliability_level" not in row["measures"]


def test_pairs_with_options_of_their_own_count_each_for_itself(tmp_path: Path) -> None:
    done = pairs(tmp_path, [PAIRS[0], PAIRS[1] | {"without": ["extraction"]}])
    assert done.returncode == 0, done.stderr
    assert report(tmp_path)["sharing"]["calls_unshared"] == 6 + 2


def test_repeats_at_each_temperature(server: Loopback, tmp_path: Path) -> None:
    good = annotating()

    def reply(body: Body) -> Answer:
        """At temperature 1 every second judgement differs."""
        found = good(body)
        judgements = [
            one
            for one in server.requests
            if '"relevant"' in one["messages"][-1]["content"].rpartition(">>>")[2]
        ]
        steady = body["temperature"] == 0
        about = OTHER[:8] in str(server.requests) and "fact" in found.text
        if steady or about or len(judgements) % 3:
            return found
        return Answer('{"reason": "No.", "relevant": false}')

    server.answer = reply
    done = pairs(
        tmp_path,
        PAIRS[:2],
        *LB,
        "--temperatures",
        "0,1",
        "--repeats",
        "3",
        "--concurrency",
        "1",
    )
    assert done.returncode == 0, done.stderr
    assert [row["id"] for row in summary(tmp_path)][:7] == [
        "a.t0.r1",
        "a.t0.r2",
        "a.t0.r3",
        "a.t1.r1",
        "a.t1.r2",
        "a.t1.r3",
        "b.t0.r1",
    ]
    header = documents(tmp_path / "out" / "b.t1.r2.yaml")[0]
    assert header["settings"]["repeat"] == 1
    assert header["lineup"]["extractor"]["params"]["temperature"] == 1
    told = report(tmp_path)
    assert told["lines"] == 12
    assert list(told["temperatures"]) == ["0", "1"]
    steady, loose = told["temperatures"].values()
    for name in ("reliability_level", "validity_legal"):
        assert (steady[name]["value"], steady[name]["n"]) == (None, 2)
        assert (told[name]["value"], told[name]["n"]) == (None, 4)
    assert steady["scored"]["n"] == 6
    assert steady["level_right"]["value"] != loose["level_right"]["value"]
    assert re.search(r"figure +temperature 0 +temperature 1\n", done.stdout)
    assert "fewer than 10 pairs" in done.stdout
    refused(command("export", tmp_path / "out", "--to", "qrels"), "occurs twice")


def test_killed_in_a_stage_it_goes_on_and_each_pair_is_judged_once(
    served: Loopback, tmp_path: Path
) -> None:
    arguments = [
        "relevance",
        "--pairs",
        lines(tmp_path / "p.jsonl", PAIRS),
        "--into",
        tmp_path / "out",
        *LB,
        "--concurrency",
        "1",
    ]
    for stop_after in (3, 7):
        served.answer = lambda body, most=stop_after: (
            annotating()(body)
            if len(served.requests) <= most
            else Answer(first_delay=60)
        )
        before = len(served.requests)
        running = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=tmp_path,
        )
        assert served.wait_until(
            lambda s, most=stop_after: len(s.requests) == most + 1, 60
        )
        running.send_signal(signal.SIGKILL)
        running.wait()
        assert len(served.requests) > before
    served.answer = annotating()
    done = command(*arguments)
    assert done.returncode == 0, done.stderr
    assert (
        len(served.requests) == 12 + 2
    )  # each case and pair once, and the two requests that were killed
    for one in "abc":
        events = documents(tmp_path / "out" / f"{one}.yaml")[1:]
        assert [event["event"] for event in events].count("score") == 1
        assert len(of(events, "facts")) == 4
        assert [event["kind"] for event in of(events, "judgement")] == [
            "material",
            "legal",
        ]
        assert len(of(events, "result")) == 1


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"id": "a", "candidate": OTHER}, "there is no “query”"),
        ({"id": "a", "query": THEFT, "candidate": " "}, "the candidate is empty"),
        (
            {"id": "a", "query": THEFT, "candidate": OTHER, "label": 4},
            "not one of the levels",
        ),
        (
            {"id": "a", "query": THEFT, "candidate": OTHER, "label": "relevant"},
            "not one of the levels",
        ),
        ({"id": ["a"], "query": THEFT, "candidate": OTHER}, "“id” must be"),
        (
            {"id": "a", "query": THEFT, "candidate": OTHER, "level": 2},
            "not an option of a pair",
        ),
        (
            {"id": "a", "query": THEFT, "candidate": OTHER, "without": "charges"},
            "There is no part “charges” to leave out; choose one of",
        ),
        (
            {"id": "a", "query": THEFT, "candidate": OTHER, "model": "human"},
            "a batch cannot wait for a person",
        ),
        (
            {"id": "fine", "query": THEFT, "candidate": OTHER},
            "” is already used in",
        ),
        (
            {"id": "a", "query": THEFT, "candidate": {"id": "query", "text": OTHER}},
            "which is reserved for the query",
        ),
    ],
)
def test_a_line_that_is_wrong_is_named(
    row: dict[str, Any], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = lines(
        tmp_path / "p.jsonl", [{"id": "fine", "query": THEFT, "candidate": OTHER}, row]
    )
    assert (
        main(["relevance", "--pairs", str(file), "--into", str(tmp_path / "out")]) == 2
    )
    one_sentence(capsys.readouterr().err, "p.jsonl, line 2", told)
    assert not (tmp_path / "out").exists()


def test_labels_of_a_file_for_pairs(tmp_path: Path) -> None:
    labels = tmp_path / "labels.json"
    labels.write_text('{"q1": {"c1": 3}, "q2": {"c1": 2}}')
    assert pairs(tmp_path, PAIRS, "--labels", labels).returncode == 0
    assert report(tmp_path)["labels"] == {"0": 1, "1": 0, "2": 1, "3": 1}
    labels.write_text('{"q1": {"c1": 1, "c2": 0}, "q2": {"c1": 2}}')
    refused(
        pairs(tmp_path, PAIRS, "--labels", labels),
        "the pair has the label 3, but 1 in --labels",
    )


# ------------------------------------------------------------- out


def test_levels_as_qrels_run_and_rows(served: Loopback, tmp_path: Path) -> None:
    assert pairs(tmp_path, PAIRS, *LB).returncode == 0
    out = tmp_path / "out"
    assert (
        command("export", out, "--to", "qrels").stdout
        == "q1 0 c1 3\nq1 0 c2 3\nq2 0 c1 3\n"
    )
    assert (
        command("export", out / "a.yaml", "--to", "run").stdout
        == "q1 Q0 c1 1 3 verifytui\n"
    )
    gold = command("export", out, "--to", "qrels", "--rater", "gold")
    assert gold.stdout == "q1 0 c1 3\nq1 0 c2 0\n"
    assert "1 pair has no level" in gold.stderr
    refused(
        command("export", out, "--to", "run", "--rater", "ann"),
        "“ann” has rated nothing here",
    )
    told = rows(command("export", out, "--to", "jsonl").stdout)
    assert [
        (row["query"], row["candidate"], row["label"], row["gold"]) for row in told
    ] == [
        ("q1", "c1", 3, 3),
        ("q1", "c2", 3, 0),
        ("q2", "c1", 3, None),
    ]
    assert told[0]["material_reason"] == "Both take by stealth."
    assert told[0]["candidate_legal_facts"][1] == "taken by stealth"
    assert command("export", out, "--to", "csv").stdout.startswith(
        "\ufeffsession,query,candidate,title,label,score,material,legal,gold"
    )
    (tmp_path / "rows.jsonl").write_text(command("export", out, "--to", "jsonl").stdout)
    (tmp_path / "g.qrels").write_text("q1 0 c1 3\nq1 0 c2 0\nq2 0 c1 1\n")
    compared = json.loads(
        command(
            "agreement",
            tmp_path / "rows.jsonl",
            tmp_path / "g.qrels",
            "--output",
            "json",
        ).stdout
    )
    assert compared["comparisons"][0]["pairs"] == 3


def test_a_persons_label_goes_before_the_machines(tmp_path: Path) -> None:
    assert (
        command("relevance", "--example", "--save", tmp_path / "s.yaml").returncode == 0
    )
    label = (
        "event: label\nnumber: {n}\ntime: 2026-01-01T00:00:00.000Z\ncandidate: "
        "{c}\nvalue: {v}\nannotator: {a}\nseconds: 1.0\n"
    )
    last = documents(tmp_path / "s.yaml")[-1]["number"]
    with (tmp_path / "s.yaml").open("a") as file:
        for n, (c, v, a) in enumerate(
            (
                ("c1", 3, "ann"),
                ("c2", 2, "ann"),
                ("c2", "null", "ann"),
                ("c3", 1, "bob"),
            ),
            last + 1,
        ):
            file.write(f"---\n{label.format(n=n, c=c, v=v, a=a)}...\n")
    refused(
        command("export", tmp_path / "s.yaml", "--to", "qrels"),
        "2 people have labelled (ann, bob)",
        "--majority",
    )
    machine = dict(
        line.split()[2:]
        for line in command(
            "export", tmp_path / "s.yaml", "--to", "qrels", "--rater", "machine"
        ).stdout.splitlines()
    )
    with (tmp_path / "s.yaml").open("rb+") as file:
        whole = file.read()
        file.truncate(whole.rindex(b"---\n"))
    found = dict(
        line.split()[2:]
        for line in command(
            "export", tmp_path / "s.yaml", "--to", "qrels"
        ).stdout.splitlines()
    )
    assert found == machine | {"c1": "3"}
    (tmp_path / "s.yaml").write_bytes(whole)
    done = command("export", tmp_path / "s.yaml", "--to", "qrels", "--rater", "bob")
    assert done.stdout == "burglary-1 0 c3 1\n"
    assert "7 pairs have no level" in done.stderr
    assert (
        "Label of bob for c3: 1"
        in command("replay", tmp_path / "s.yaml", "--plain").stdout
    )


def test_what_cannot_be_exported(tmp_path: Path) -> None:
    assert (
        command(
            "debate",
            "When Alice walks up the hill",
            "--save",
            tmp_path / "d.yaml",
            "--dry-run",
        ).returncode
        == 2
    )
    assert (
        command(
            "ask",
            "What do bees make?",
            "--corpus",
            "example",
            "--save",
            tmp_path / "rag.yaml",
        ).returncode
        == 0
    )
    refused(
        command("export", tmp_path / "rag.yaml", "--to", "qrels"),
        "session of rag, which has no levels",
    )
    refused(
        command("export", tmp_path, "--to", "qrels"), "contains no relevance session"
    )
    refused(
        command("export", tmp_path, "--to", "md"), "folder cannot be exported as md"
    )
    refused(
        command("export", tmp_path / "rag.yaml", "--to", "md", "--rater", "x"),
        "--rater does not apply to md",
    )


def test_who_may_label_what(tmp_path: Path) -> None:
    assert (
        command(
            "ask",
            "What do bees make?",
            "--corpus",
            "example",
            "--save",
            tmp_path / "rag.yaml",
        ).returncode
        == 0
    )
    assert (
        command("relevance", "--example", "--save", tmp_path / "s.yaml").returncode == 0
    )
    refused(
        command("label", tmp_path / "rag.yaml", "--annotator", "ann"),
        "which cannot be labelled alone",
    )
    for name in ("", " ", "a\x1b[31mb", "x" * 81):
        refused(
            command("label", tmp_path / "s.yaml", "--annotator", name),
            "is not a valid annotator name",
        )
    refused(
        command("label", tmp_path / "s.yaml", "--annotator", "ann"), "needs a terminal"
    )


# ------------------------------------------------------------- demonstrations


def test_sets_of_demonstrations(home: Path, tmp_path: Path) -> None:
    listed = rows(command("demonstrations", "--output", "json").stdout)
    assert [row["name"] for row in listed] == ["en-common-law", "zh-criminal"]
    done = command("demonstrations", "show", "zh-criminal")
    assert "not reviewed by a lawyer" in done.stdout
    assert "material facts relevant:" in done.stdout
    groups = rows(
        command("demonstrations", "show", "zh-criminal", "--output", "json").stdout
    )
    assert len(groups) == listed[1]["groups"]
    checked = command("demonstrations", "check", "zh-criminal")
    assert checked.returncode == 0, checked.stdout
    own = home / "demonstrations" / "mine"
    own.mkdir(parents=True)
    (own / "set.yaml").write_text("language: zh\nlaw: 法\n")
    (own / "a.yaml").write_text(json.dumps(groups[0], ensure_ascii=False))
    assert [
        row["name"]
        for row in rows(command("demonstrations", "list", "--output", "json").stdout)
    ][-1] == "mine"
    done = command(
        "relevance",
        "--example",
        "--demonstrations",
        "mine",
        "--no-save",
        "--output",
        "json",
    )
    assert done.returncode == 0, done.stderr
    chosen = [one["id"] for one in rows(done.stdout)[1]["items"]]
    assert len(chosen) == 2
    assert "theft-1/query" not in chosen  # the query itself
    assert str(own.parent) in command("locate").stdout


def test_a_set_is_checked(home: Path) -> None:
    """A doubt is a warning, with --strict a mistake; a fault of form always is one."""
    folder = home / "demonstrations" / "mine"
    folder.mkdir(parents=True)
    (folder / "set.yaml").write_text("language: zh\nlaw: 法\n")
    (folder / "half.yaml").write_text("draft: true\n")
    group = rows(
        command("demonstrations", "show", "zh-criminal", "--output", "json").stdout
    )[0]
    judgement = group["candidates"][0]["legal_judgement"]
    reason, judgement["reason"] = (
        judgement["reason"],
        f"本案从略。{judgement['reason']}",
    )
    (folder / "a.yaml").write_text(json.dumps(group, ensure_ascii=False))
    done = command("demonstrations", "check", "mine")
    assert done.returncode == 0, done.stderr
    assert (
        "warning: theft-1/3: the reason of legal_judgement says “本案”" in done.stdout
    )
    assert "half.yaml" in done.stdout
    assert "charge by level: level 3: " in done.stdout
    strict = command("demonstrations", "check", folder, "--strict", "--output", "json")
    assert strict.returncode == 2
    told = rows(strict.stdout)
    assert ("warning", "names") in [(one["kind"], one["rule"]) for one in told[:-1]]
    assert (
        told[-1]["mistakes"],
        told[-1]["warnings"],
        told[-1]["drafts"],
        told[-1]["groups"],
    ) == (0, len(told) - 1, ["half.yaml"], 1)
    assert (
        "警告：theft-1/3：legal_judgement"
        in command("demonstrations", "check", "mine", "--lang", "zh").stdout
    )
    judgement["reason"] = f"{reason}案件甲 L9 亦同。"
    (folder / "a.yaml").write_text(json.dumps(group, ensure_ascii=False))
    done = command("demonstrations", "check", folder / "a.yaml")
    assert done.returncode == 2
    assert (
        "theft-1/3: the reason of legal_judgement cites L9 of case A, but there "
        "is no such fact." in done.stdout
    )


def test_every_mistake_is_named(home: Path, tmp_path: Path) -> None:
    group = rows(
        command("demonstrations", "show", "zh-criminal", "--output", "json").stdout
    )[0]
    group["candidates"] = group["candidates"][:3]
    group["query"]["text"] = "太短"
    twice = lines(tmp_path / "bad.yaml", [group])
    done = command("demonstrations", "check", twice)
    assert done.returncode == 2
    assert "there must be one of each" in done.stdout
    assert (
        "warning: 1 cases have fewer than 400 characters: theft-1/query." in done.stdout
    )
    one_sentence(done.stderr, "Mistakes in")
    # a wrong key, a field that is not there and a value of the wrong kind hide nothing
    group["query"]["charges"] = group["query"].pop("charge")
    del group["candidates"][1]["material_judgement"]
    group["candidates"][2]["legal_judgement"]["relevant"] = "yes"
    group["note"] = 1
    lines(twice, [group])
    done = command("demonstrations", "check", twice)
    assert done.returncode == 2
    for told in (
        "there is no field `note`", "there is no field `charges` - at `$.query`",
        "lacks the field `material_judgement` - at `$.candidates[1]`",
        "Expected `bool`, got `str` - at "
"`$.candidates[2].legal_judgement.relevant`", "there must be one of each",
    ):  # fmt: skip
        assert done.stdout.count(told) == 1, told
    assert "has no reason" not in done.stdout  # what is not there is said once
    lines(twice, ["text"])
    assert (
        "Expected `object`, got `str`"
        in command("demonstrations", "check", twice).stdout
    )
    refused(
        command("demonstrations", "check", tmp_path / "none.yaml"),
        "no set of demonstrations",
    )
