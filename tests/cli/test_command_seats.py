"""Commands of config.yaml as models: in every method, and in every command that begins
many sessions.
"""

from __future__ import annotations

import json
import random
import re
import string
import sys
from pathlib import Path

import pytest
import yaml
from verifytui.tests.support import command_seat
from verifytui.tests.support.commanding import Done, command, refused, rows
from verifytui.tests.support.walking import commands, flags
from verifytui.texts import catalogue

pytestmark = pytest.mark.slow

WALKED = dict(commands())
MANY = {
    name for name, one in WALKED.items() if {"--dry-run", "--concurrency"} <= flags(one)
} | {"study measure"}
"""The commands that begin many sessions, or ask of many."""
STUDY = """
format: verifytui-study/1
name: small
items: {file: topics.jsonl}
base: {method: debate, rounds: 1, model: mine}
grid: {level: [0, 2]}
measures: [accuracy]
"""
OWN: dict[str, tuple[tuple[str, ...], str]] = {
    "study run": (("--only", "nobody"), "“nobody”"),
    "synth rag": (("--shares", "answering=2"), "answering"),
}
"""Of a command without gates: another option with a wrong value, and what is said of
it.
"""
LINES: dict[str, list[str]] = {
    "ask": ["--questions", "questions.jsonl"],
    "debate": ["--topics", "topics.jsonl"],
    "grade": ["--pairs", "pairs.jsonl"],
    "rank": ["--questions", "rankings.jsonl"],
    "relevance": ["--pairs", "pairs.jsonl", "--demonstrations", "en-common-law"],
    "solo": ["--topics", "topics.jsonl"],
    "study run": ["small.yaml"],
    "synth cases": [
        *("--cases", "cases", "--queries", "queries.jsonl", "--labels", "labels.json"),
        *("--pairs", "60", "--top", "6", "--sets", "4"),
    ],
    "synth rag": ["--questions", "questions.jsonl"],
    "verify": ["answers.jsonl"],
}
"""What each of them is given, beside the model."""
ONE: dict[str, list[str]] = {
    "ask": ["When?", "--references", "c.txt", "--verify"],
    "debate": ["Why?", "--disagreement", "stance"],
    "grade": ["--query", "q.txt", "--candidates", "c.txt"],
    "rank": ["When?", "--answers", "a=q.txt", "--answers", "b=c.txt"],
    "relevance": [
        *("--query", "q.txt", "--candidates", "c.txt"),
        *("--demonstrations", "en-common-law"),
    ],
    "solo": ["Why?", "--strategy", "sc", "--samples", "2"],
}


@pytest.fixture
def place(tmp_path: Path, home: Path) -> Path:
    """A folder with lines for every command, and `mine` and `duo` in the configuration."""
    home.mkdir(exist_ok=True)
    words = [sys.executable, command_seat.__file__]
    models = {"mine": {"command": words}, "other": {"command": words}}
    named = {**models, "duo": {"panel": ["mine", "other"]}}
    (home / "config.yaml").write_text(json.dumps({"models": named}))
    folder = tmp_path / "here"
    cases_of(folder)
    known = {"question": "When?", "references": ["Vern was built in 1873."]}
    both = [{"name": "a", "text": "In 1873."}, {"name": "b", "text": "In 1900."}]
    lines = {
        "topics": {"topic": "Why?", "answers": ["42"]},
        "questions": {**known, "answers": ["1873"]},
        "rankings": {"question": "When?", "answers": both},
        "answers": {**known, "answer": "It was built in 1873."},
        "pairs": {"query": "He took a ring.", "candidate": "She took a purse."},
    }
    for name, line in lines.items():
        (folder / f"{name}.jsonl").write_text(json.dumps({"id": "a", **line}) + "\n")
    (folder / "q.txt").write_text("He took a ring.")
    (folder / "c.txt").write_text("She took a purse.")
    (folder / "small.yaml").write_text(STUDY)
    return folder


def cases_of(folder: Path) -> None:
    """Twelve queries with three candidates each, whose words differ."""
    labels: dict[str, dict[str, int]] = {}
    queries = []
    for query in range(12):
        name = f"q{query}"
        (folder / "cases" / name).mkdir(parents=True)
        queries.append(json.dumps({"qid": name, "fact": words_of(query)}))
        for at in range(3):
            number = 100 + 3 * query + at
            file = folder / "cases" / name / f"{number}.json"
            file.write_text(json.dumps({"ajjbqk": words_of(number)}))
            labels.setdefault(name, {})[str(number)] = 3 if at else 0
    (folder / "queries.jsonl").write_text("\n".join(queries))
    (folder / "labels.json").write_text(json.dumps(labels))


def words_of(number: int) -> str:
    rest = random.Random(number).choices(string.ascii_lowercase, k=90)
    return f"He took a ring {''.join(rest)} worth {number * 137 + 211}."


@pytest.mark.learning
@pytest.mark.scale
def test_every_hint_names_an_option_that_there_is() -> None:
    known = {"--help", "--lang"}.union(*map(flags, WALKED.values()))
    for language in ("en", "zh"):
        for key, text in catalogue(language, "wrong").items():
            named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", str(text)))
            assert named <= known, (key, named - known)


@pytest.mark.learning
def test_commands_that_ask_many_times_can_be_allowed_to() -> None:
    assert {*LINES, "study measure", "audit", "synth questions"} == MANY
    for name, one in WALKED.items():
        assert ("--allow-commands" in flags(one)) == (name in {*MANY, "serve"}), name


@pytest.mark.parametrize("name", [name for name in LINES if name in MANY])
def test_many_are_refused_until_they_are_allowed(name: str, place: Path) -> None:
    model = () if name == "study run" else ("--model", "mine")
    words = (*name.split(), *LINES[name], *model, "--into", "out")
    refused(command(*words, cwd=place), "mine is a command", "--allow-commands")
    assert not (place / "out").exists()
    done = command(*words, "--allow-commands", cwd=place)
    assert done.returncode in (0, 1), done.stderr
    assert "--allow-commands" not in done.stderr
    kept = [
        event
        for file in (place / "out").rglob("*.yaml")
        for event in yaml.safe_load_all(file.read_text("utf-8"))
        if isinstance(event, dict) and event.get("model") == "command:mine"
    ]
    assert kept
    assert {event.get("cost") for event in kept} == {None}


@pytest.mark.parametrize("name", [name for name in LINES if name in MANY])
def test_each_of_them_tells_at_once_what_is_wrong(
    name: str, place: Path, home: Path
) -> None:
    """A budget, a model, an option of its own and an entry of the configuration."""
    file = home / "config.yaml"
    file.write_text(json.dumps({"settings": {"debat": {"level": 2}}}))
    model = ("--model", "nosuch/model", "--model", "juge=gpt4")
    usual = (("--fail-under", "acuracy=1"), "“acuracy”")
    own, told = OWN.get(name, usual)
    words = (*name.split(), *LINES[name], *model, *own, "--budget-usd", "-1")
    done = command(*words, "--into", "out", cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    for one in ("`debat` at settings", "nosuch/model", "“juge”", "--budget-usd", told):
        assert one in done.stderr, (one, done.stderr)
    assert not (place / "out").exists()


@pytest.mark.parametrize("model", ["mine", "duo"])
@pytest.mark.parametrize("name", ONE)
def test_one_session_of_every_method(name: str, model: str, place: Path) -> None:
    """A panel sits on the seats that judge, a command on the others."""
    judges = {"ask": "verifier", "debate": "judge", "grade": "grader"}
    judges |= {"rank": "ranker", "relevance": "annotator"}
    if model == "duo" and name not in judges:
        pytest.skip("nobody judges")
    seats = ["--model", "mine"]
    seats += ["--model", f"{judges[name]}=duo"] if model == "duo" else []
    probe = () if model == "duo" else ("--probe",)
    words = (name, *ONE[name], *seats, *probe, "--output", "json")
    done = command(*words, cwd=place)
    assert done.returncode == 0, done.stderr
    events = rows(done.stdout)[1:]
    assert events[-1]["event"] == "result"
    assert not [event for event in events if event.get("unread")]


def config_of(home: Path, **models: object) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(json.dumps({"models": models}))


def test_every_seat_that_cannot_be_run_is_told_at_once(home: Path) -> None:
    config_of(
        home,
        near={"command": ["pythn3"]},
        far={"command": ["/no/such/program"]},
        lacks={"command": ["cat"], "env": ["NO_SUCH_KEY"]},
    )
    seats = ("near", "negative=far", "judge=lacks")
    models = [word for one in seats for word in ("--model", one)]
    done = command("debate", "Why?", *models)
    assert (done.returncode, done.stdout) == (2, "")
    near, far, lacks = done.stderr.splitlines()
    assert near.startswith("affirmative: ")
    assert near.endswith("Did you mean python3?") or "python3" not in near
    assert far.startswith("negative: ")
    assert "/no/such/program" in far
    assert lacks.startswith("judge: ")
    assert "NO_SUCH_KEY" in lacks
    assert list((home / "sessions").glob("*")) == []


def probed(home: Path, code: str) -> Done:
    config_of(home, mine={"command": [sys.executable, "-c", code]})
    return command("debate", "Why?", "--model", "mine", "--probe")


def test_a_probe_runs_a_command_once(home: Path) -> None:
    refused(probed(home, "raise SystemExit('not logged in')"), "not logged in")
    assert list((home / "sessions").glob("*")) == []
