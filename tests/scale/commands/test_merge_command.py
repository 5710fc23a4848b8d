"""`--shard` and `verifytui merge`: what comes of the shards is what one run would have
left.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import verifytui
import yaml
from verifytui.cli.app import main
from verifytui.engines.batches.folder import locked
from verifytui.engines.debate.script import example_topics
from verifytui.scale.shards import batch_merging as merging
from verifytui.scale.shards.shards import shard_of_task
from verifytui.sessions.events import Note
from verifytui.sessions.events.labels import Label
from verifytui.sessions.journal import Journal
from verifytui.sessions.label_store import read_labels
from verifytui.sessions.labels import LabelFile
from verifytui.tests.support.commanding import command, debating, one_sentence, rows
from verifytui.tests.support.loopback import Answer, Body, Loopback

pytestmark = pytest.mark.slow

HILL = next(one.topic for one in example_topics() if one.kind == "question")
QUERY = {"id": "q", "text": "At night he climbed through the window and took a ring."}


def topics(n: int) -> dict[str, Any]:
    return {
        "id": f"t{n}",
        "topic": HILL,
        "answers": ["1.5" if n % 2 else "2"],
        "wrong_answers": ["2"],
        "cluster": f"c{n % 2}",
    }


def questions(n: int) -> dict[str, Any]:
    return {
        "question": f"When was bridge {n} built?",
        "answers": [f"187{n}"],
        "references": [f"Bridge {n} was built in 187{n % 3}."],
    }


def answers(n: int) -> dict[str, Any]:
    return {**questions(n), "answer": "" if n == 3 else f"It was built in 187{n} [1]."}


def pairs(n: int) -> dict[str, Any]:
    case = {
        "id": f"c{n}",
        "text": f"He took {n} rings, and climbed through a window at night.",
    }
    return {"id": f"p{n}", "query": QUERY, "candidate": case, "label": n % 4}


def ranked(n: int) -> dict[str, Any]:
    return {
        "question": f"When was bridge {n} built?",
        "answers": {"a": f"In 187{n}.", "b": "I know."},
        "accepted": [f"187{n}"],
    }


BATCHES: dict[str, tuple[Callable[[int], dict[str, Any]], list[str]]] = {
    "debate": (topics, ["debate", "--topics", "FILE", "--swap", "--model", "script"]),
    "solo": (topics, ["solo", "--topics", "FILE", "--model", "script"]),
    "rag": (questions, ["ask", "--questions", "FILE"]),
    "verify": (answers, ["verify", "FILE"]),
    "relevance": (pairs, ["relevance", "--pairs", "FILE"]),
    "grade": (pairs, ["grade", "--pairs", "FILE", "--repeats", "2"]),
    "rank": (ranked, ["rank", "--questions", "FILE"]),
}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(line: Callable[[int], dict[str, Any]], count: int = 5) -> None:
    Path("FILE").write_text("".join(json.dumps(line(n)) + "\n" for n in range(count)))


def run(*arguments: str, code: int = 0) -> None:
    assert main(arguments) == code, arguments


def dealt(words: list[str], of: int = 3) -> list[str]:
    """Runs all shards, the last one first; returns their folders."""
    for index in range(of, 0, -1):
        run(*words, "--into", f"s{index}", "--shard", f"{index}/{of}")
    return [f"s{index}" for index in (2, 1, *range(3, of + 1))]


def read(path: str) -> Any:
    return json.loads(Path(path).read_text())


def timeless(value: Any) -> Any:
    """Without what another run takes other times for."""
    if isinstance(value, dict):
        return {
            name: timeless(one)
            for name, one in value.items()
            if not name.startswith("seconds")
        }
    if isinstance(value, list):
        return [timeless(one) for one in value]
    return value


def refuses(
    capsys: pytest.CaptureFixture[str], *arguments: str, words: str, code: int = 2
) -> None:
    capsys.readouterr()
    run(*arguments, code=code)
    told = capsys.readouterr()
    assert told.out == ""
    one_sentence(told.err.splitlines()[-1], *words.split("|"))


# ------------------------------------------------------------------ batches


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name == "relevance"))
        for name in BATCHES
    ],
)
def test_merged_shards_are_what_one_run_would_have_left(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line, words = BATCHES[name]
    write(line, 3 if name == "relevance" else 5)
    shards = dealt(words)
    assert read("s2/report.json")["shard"] == {"index": 2, "of": 3}
    run(*words, "--into", "whole")
    capsys.readouterr()
    run("merge", *shards, "--into", "merged", "--output", "json")
    told = capsys.readouterr()
    assert "3 shards merged into merged." in told.err
    assert rows(told.out) == rows(Path("merged/summary.jsonl").read_text())
    for file in ("report.json", "batch.json"):
        assert timeless(read(f"merged/{file}")) == timeless(read(f"whole/{file}"))
    assert list(read("merged/batch.json")["lines"]) == list(
        read("whole/batch.json")["lines"]
    )
    for file in ("summary.jsonl", "failures.jsonl"):
        assert [timeless(row) for row in rows(Path("merged", file).read_text())] == [
            timeless(row) for row in rows(Path("whole", file).read_text())
        ]
    sessions = {path.name: path.read_bytes() for path in Path("merged").glob("*.yaml")}
    assert sessions == {
        path.name: path.read_bytes()
        for one in shards
        for path in Path(one).glob("*.yaml")
    }
    run(*words, "--into", "merged")
    assert {
        path.name: path.read_bytes() for path in Path("merged").glob("*.yaml")
    } == sessions


def test_what_cannot_be_merged(capsys: pytest.CaptureFixture[str]) -> None:
    write(questions)
    words = BATCHES["rag"][1]
    one, two, three = sorted(dealt(words))
    run(*words, "--into", "whole")
    refuses(capsys, "merge", one, three, "--into", "m", words="Of 3 shards|missing: 2;")
    refuses(capsys, "merge", one, two, three, words="--into")
    refuses(capsys, "merge", one, two, three, one, "--into", "m", words="named twice")
    refuses(
        capsys, "merge", one, two, "whole", "--into", "m", words="whole is not a shard"
    )
    refuses(
        capsys,
        "merge",
        one,
        two,
        "nowhere",
        "--into",
        "m",
        words="nowhere is not the folder of a batch",
    )
    refuses(
        capsys, "merge", one, two, three, "--into", one, words="is one of the shards"
    )
    refuses(capsys, "merge", one, two, three, "--into", "whole", words="something else")
    shutil.copytree(one, "again")
    refuses(
        capsys,
        "merge",
        one,
        two,
        "again",
        "--into",
        "m",
        words="again|s1|both shard 1/3",
    )
    run(*words, "--k", "3", "--into", "k", "--shard", "2/3")
    refuses(capsys, "merge", one, "k", three, "--into", "m", words="other options (k)")
    run(*words, "--into", "of", "--shard", "2/4")
    refuses(
        capsys,
        "merge",
        one,
        "of",
        three,
        "--into",
        "m",
        words="they have different numbers of shards",
    )
    with locked(Path(two), "batch.json"):
        refuses(
            capsys,
            "merge",
            one,
            two,
            three,
            "--into",
            "m",
            words="Another run is using s2",
        )
    write(answers)
    run(
        *words[:2], "FILE", "--into", "lines", "--shard", "2/3", code=2
    )  # they have answers of their own, which is no option here
    write(lambda n: {**questions(n), "answers": ["no"]})
    run(*words, "--into", "lines", "--shard", "2/3")
    refuses(
        capsys,
        "merge",
        one,
        "lines",
        three,
        "--into",
        "m",
        words="lines of their files",
    )
    twin = shutil.copytree(one, "twin")
    begun = read(f"{twin}/batch.json")
    Path(twin, "batch.json").write_text(
        json.dumps({**begun, "shard": {**begun["shard"], "index": 2}})
    )
    refuses(
        capsys,
        "merge",
        one,
        twin,
        three,
        "--into",
        "m",
        words="twin and s1 both have the line “1”",
    )
    own = next(Path(two).glob("*.yaml"))
    kept = own.read_bytes()
    shutil.copy(next(Path(one).glob("*.yaml")), own)
    refuses(
        capsys, "merge", one, two, three, "--into", "m", words="are the same session"
    )
    own.write_bytes(kept)
    next(Path(two).glob("*.yaml")).unlink()
    refuses(
        capsys,
        "merge",
        one,
        two,
        three,
        "--into",
        "m",
        words="s2 (shard 2/3) is not finished: 1 of 2",
    )
    Path(two, "lines.jsonl").write_text("{}\n")
    refuses(
        capsys, "merge", one, two, three, "--into", "m", words="run this shard again"
    )
    Path(two, "batch.json").write_text(
        '{"options": {}, "lines": {}, "shard": {"index": 0, "of": -1}}'
    )
    refuses(capsys, "merge", one, two, three, "--into", "m", words="cannot be read")
    assert not Path("m").exists()


def test_a_folder_is_one_shard(capsys: pytest.CaptureFixture[str]) -> None:
    write(questions)
    words = BATCHES["rag"][1]
    run(*words, "--into", "run", "--shard", "1/3")
    refuses(
        capsys,
        *words,
        "--into",
        "run",
        "--shard",
        "2/3",
        words="run is shard 1/3|such as run-2of3.",
    )
    refuses(capsys, *words, "--into", "run", words="add --shard 1/3")
    run(*words, "--into", "whole")
    refuses(
        capsys,
        *words,
        "--into",
        "whole",
        "--shard",
        "2/3",
        words="started without --shard|such as whole-2of3.",
    )
    refuses(capsys, *words, "--into", "new", "--shard", "8/8", words="8/8 has no lines")
    refuses(
        capsys,
        *words,
        "--into",
        "new",
        "--shards",
        "8",
        words="--shards needs --shard auto; otherwise --shard",
    )
    asked = ("ask", "Who?", "--corpus", "example", "--shard", "1/2")
    refuses(capsys, *asked, words="--shard applies to a batch")
    assert not Path("new").exists()


def test_a_task_of_an_array_says_which_shard_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(questions)
    words = [*BATCHES["rag"][1], "--into", "run", "--budget-tokens", "9000"]
    monkeypatch.setenv("JOB_COMPLETION_INDEX", "1")
    run(*words)
    assert "shard" not in read(
        "run/batch.json"
    )  # nothing but `auto` looks at the environment
    shutil.rmtree("run")
    capsys.readouterr()
    run(*words, "--shard", "auto", "--shards", "3")
    assert (
        "Shard 2/3: 2 of 5, namely 2, 5; its budget is 3,000 tokens."
        in capsys.readouterr().err
    )
    assert read("run/batch.json")["shard"]["index"] == 2


def test_a_merge_that_is_killed_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(questions)
    shards = dealt(BATCHES["rag"][1])
    run("merge", *shards, "--into", "whole")
    put, moments = merging.put, range(6)
    for moment in moments:
        left = iter(range(moment))

        def until(path: Path, data: bytes, left: Any = left) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt
            put(path, data)

        monkeypatch.setattr(merging, "put", until)
        if moment < 5:
            run("merge", *shards, "--into", f"m{moment}", code=130)
            assert not Path(f"m{moment}", "batch.json").exists()
        monkeypatch.setattr(merging, "put", put)
        run("merge", *shards, "--into", f"m{moment}")
        assert {
            path.name: path.read_bytes()
            for path in Path(f"m{moment}").iterdir()
            if path.suffix != ".html"
        } == {
            path.name: path.read_bytes()
            for path in Path("whole").iterdir()
            if path.suffix != ".html"
        }


def test_what_goes_on_after_a_merge_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    write(questions)
    shards = dealt(BATCHES["rag"][1])
    run("merge", *shards, "--into", "m")
    with Journal.open(Path("m/1.yaml")) as journal:
        journal.append(Note(text="one"))
    longer = Path("m/1.yaml").read_bytes()
    run("merge", *shards, "--into", "m")
    assert Path("m/1.yaml").read_bytes() == longer
    shutil.copy("m/1.yaml", "s1/1.yaml")
    with Journal.open(Path("s1/1.yaml")) as journal:
        journal.append(Note(text="two"))
    run("merge", *shards, "--into", "m")
    assert Path("m/1.yaml").read_bytes() == Path("s1/1.yaml").read_bytes()
    Path("m/1.yaml").write_bytes(longer.replace(b"one", b"One"))
    refuses(
        capsys,
        "merge",
        *shards,
        "--into",
        "m",
        words="differs from|, and neither continues the other; name another",
    )


def test_labels_of_one_person_in_several_shards_become_one_file() -> None:
    write(pairs)
    shards = dealt(BATCHES["grade"][1])
    given = {}
    for number, shard in enumerate(sorted(shards)):
        with LabelFile.open(Path(shard), "Ann") as labels:
            for path in sorted(Path(shard).glob("*.yaml")):
                with Journal.open(path, write=False) as journal:
                    session = journal.session.header.id
                labels.append(Label(session=session, candidate="c", value=number))
                given[session] = number
    with LabelFile.open(Path("s1"), "Bo") as labels:
        labels.append(Label(session="x", candidate="c", value=3))
    for _ in range(2):
        run("merge", *shards, "--into", "m")
        found = read_labels(Path("m"))
        assert {label.session: label.value for label in found["Ann"].values()} == given
        assert (
            Path("m/labels/Bo.yaml").read_bytes()
            == Path("s1/labels/Bo.yaml").read_bytes()
        )
    with LabelFile.open(Path("m"), "Ann") as labels:
        assert len(labels.own) == len(given)
        labels.append(Label(session="y", candidate="c", value=3))
    run("merge", *shards, "--into", "m")
    assert len(read_labels(Path("m"))["Ann"]) == len(given) + 1


@pytest.mark.slow
def test_failed_lines_costs_and_what_a_model_said_of_answers(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIFYTUI_CACHE", "false")

    def answer(body: Body) -> Answer:
        if "accepted answers" in str(body["messages"]):
            return Answer(json.dumps({"reason": "So.", "same": True}))
        if "number 4" in str(body):
            return Answer("no", status=400)
        return debating("one more than three")(body)

    server.answer = answer
    write(
        lambda n: {
            "id": f"t{n}",
            "topic": f"What is number {n}?",
            "answers": ["4"],
            "wrong_answers": ["5"],
        },
        5,
    )
    words = [
        "debate",
        "--topics",
        "FILE",
        "--model",
        "openai/lb",
        "--rounds",
        "1",
        "--equivalence",
        "openai/judge",
    ]
    here = Path.cwd()
    for folder, more in (
        ("whole", []),
        ("s1", ["--shard", "1/2"]),
        ("s2", ["--shard", "2/2"]),
    ):
        assert command(*words, "--into", folder, *more, cwd=here).returncode == (
            0 if folder == "s2" else 1
        )
    asked = len(server.requests)
    run("merge", "s1", "s2", "--into", "m")
    found = timeless(read("m/report.json"))
    assert found == timeless(read("whole/report.json"))
    assert (
        found["failed"],
        found["equivalence"]["asked"],
        found["accepted_by"]["model"],
    ) == (1, 4, 4)
    server.answer = debating("one more than three")
    assert len(server.requests) == asked
    done = command(*words, "--into", "m", cwd=here)
    assert read("m/report.json")["done"] == 5, done.stderr
    assert all(
        "number 4" in str(body) or "accepted answers" in str(body)
        for body in server.requests[asked:]
    )


# ------------------------------------------------------------------ studies


def test_merged_shards_of_a_study(capsys: pytest.CaptureFixture[str]) -> None:
    write(lambda n: {"id": f"i{n}", **questions(n)})
    Path("study.yaml").write_text(
        "format: verifytui-study/1\nname: small\nitems: {adapter: jsonl, file: "
        "FILE}\nbase: {method: rag, model: lexical}\n"
        "grid: {iterations: [0, 1]}\nmeasures: [accuracy, {external: length, "
        'command: [python3, length.py, "{in}", "{out}"]}]\nrepeats: 2\n'
    )
    Path("length.py").write_text(
        "import json, sys\nout = open(sys.argv[2], 'w')\nfor line in "
        "open(sys.argv[1]):\n"
        "    row = json.loads(line)\n    print(json.dumps({'id': row['id'], "
        "'value': len(row['answer'])}), file=out)\n"
    )
    words = ["study", "study.yaml"]
    shards = dealt(words)
    refuses(
        capsys,
        *words,
        "--into",
        "s1",
        "--shard",
        "2/3",
        words="s1 is shard 1/3|s1-2of3",
    )
    refuses(capsys, *words, "--into", "s1", words="add --shard 1/3")
    refuses(
        capsys,
        *words,
        "--into",
        "s1",
        "--shard",
        "1/3",
        "--until-width",
        ".1",
        words="--until-width",
    )
    run("study", "report", "s2")
    assert "shard 2 of 3: all figures cover this part only" in " ".join(
        capsys.readouterr().out.split()
    )
    assert {row["id"] for row in rows(Path("s2/items.jsonl").read_text())} == {
        "i1",
        "i4",
    }
    run(*words, "--into", "whole")
    refuses(capsys, "merge", "s1", "s3", "--into", "m", words="missing: 2;")
    refuses(
        capsys,
        "merge",
        "s1",
        "s2",
        "whole",
        "--into",
        "m",
        words="whole is not a shard",
    )
    refuses(
        capsys,
        "merge",
        "s1",
        "s2",
        "s3/iterations=0",
        "--into",
        "m",
        words="merge the shards of one study",
    )
    text = Path("s2/study.yaml").read_text()
    Path("s2/study.yaml").write_text(text.replace("accuracy", "decided"))
    refuses(
        capsys, "merge", *shards, "--into", "m", words="different studies (study.yaml)"
    )
    Path("s2/study.yaml").write_text(text)
    write(lambda n: {"id": f"i{n}", **questions(n + (n == 2))})  # an item of shard 3
    run(*words, "--into", "other", "--shard", "2/3")
    refuses(
        capsys,
        "merge",
        "s1",
        "other",
        "s3",
        "--into",
        "m",
        words="lines of their files",
    )
    write(lambda n: {"id": f"i{n}", **questions(n)})
    Path("length.py").unlink()  # nothing is measured again
    run("merge", *shards, "--into", "m")
    for file in (
        "items.jsonl",
        "study.yaml",
        "iterations=0/batch.json",
        "iterations=1/batch.json",
    ):
        assert Path("m", file).read_bytes() == Path("whole", file).read_bytes()
    scores = [
        [
            row
            for row in rows(Path(folder, "scores.jsonl").read_text())
            if not row["measure"].startswith("seconds")
        ]
        for folder in ("m", "whole")
    ]
    assert scores[0] == scores[1]
    merged, whole = read("m/manifest.json"), read("whole/manifest.json")
    for manifest in (merged, whole):
        assert manifest.pop("begun")
        assert manifest["analysis"].pop("time")
    assert merged == whole
    assert timeless(read("m/iterations=1/report.json")) == timeless(
        read("whole/iterations=1/report.json")
    )
    before = {path: path.read_bytes() for path in Path("m").rglob("i*.yaml")}
    run(*words, "--into", "m")
    assert {path: path.read_bytes() for path in Path("m").rglob("i*.yaml")} == before


# ------------------------------------------------------------------ clusters


def block(language: str, mark: str) -> str:
    """A block of the page on scale that holds this."""
    page = (Path(verifytui.__file__).parent / "docs" / "scale.md").read_text("utf-8")
    return next(
        found
        for found in re.findall(
            rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL
        )
        if mark in found
    )


def test_the_script_for_slurm_runs_each_task_in_a_folder_of_its_own() -> None:
    script = block("sh", "#SBATCH")
    for place, here in (("/home/me/work", "."), ("/home/me/.venv/bin/python", "./say")):
        assert script.count(place) == 2  # in the task, and in the job that merges
        script = script.replace(place, here)
    Path("verify.sh").write_text(script)
    Path("say").write_text('#!/bin/sh\necho "$@"\n')
    Path("say").chmod(0o755)
    variables = {
        "SLURM_ARRAY_TASK_ID": "3",
        "SLURM_ARRAY_TASK_MIN": "1",
        "SLURM_ARRAY_TASK_COUNT": "8",
    }
    ran = subprocess.run(
        ["bash", "verify.sh"],
        env={"PATH": os.environ["PATH"], **variables},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    words = ran.stdout.split()
    assert words[:3] == ["-P", "-m", "verifytui"]
    assert words[words.index("--into") + 1] == "runs/all-3of8"
    assert (
        str(shard_of_task(variables, int(words[words.index("--shards") + 1]))) == "3/8"
    )


def test_the_job_for_kubernetes_is_indexed_and_has_as_many_shards_as_pods() -> None:
    job = yaml.safe_load(block("yaml", "kind: Job"))
    spec, (container,) = job["spec"], job["spec"]["template"]["spec"]["containers"]
    words = container["args"][0].split()
    assert (job["apiVersion"], spec["completionMode"]) == ("batch/v1", "Indexed")
    assert int(words[words.index("--shards") + 1]) == spec["completions"]
    assert (
        words[words.index("--into") + 1] == '"/data/runs/shard-$JOB_COMPLETION_INDEX"'
    )
    assert {one["name"] for one in container["volumeMounts"]} == {
        one["name"] for one in spec["template"]["spec"]["volumes"]
    }
