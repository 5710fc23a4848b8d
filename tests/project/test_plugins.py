"""The packages of docs/plugins.md, as they stand there, are installed and used."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from verifytui.sessions import plugins
from verifytui.sessions.errors import BadInput
from verifytui.sessions.methods import METHODS
from verifytui.tests.support.loopback import Answer, Loopback

ROOT = Path(__file__).resolve().parents[2]
FILE = re.compile(r"`(\w+/[\w./]+)`:\n\n```\w+\n(.*?)```", re.S)
PACKAGES = ("lines", "mail", "words", "rethink")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages, to be put on the path."""
    source, target = (tmp_path_factory.mktemp(name) for name in ("source", "target"))
    for name, text in FILE.findall((ROOT / "docs/plugins.md").read_text("utf-8")):
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    words = ["install", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    folders = [str(source / name) for name in PACKAGES]
    subprocess.run(
        [sys.executable, "-m", "pip", *words, "--target", str(target), *folders],
        check=True,
        capture_output=True,
        timeout=300,
    )
    return target


@pytest.fixture
def run(installed: Path, home: Path, loopback: Loopback, tmp_path: Path):  # type: ignore[no-untyped-def]
    path = os.pathsep.join((str(installed), os.environ.get("PYTHONPATH", "")))
    env = {**os.environ, "PYTHONPATH": path, "OPENAI_API_KEY": "sk-loopback-0123456789"}
    env["OPENAI_API_BASE"] = loopback.base_url
    loopback.answer = Answer(text="Therefore the answer is 42.")

    def ran(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "verifytui", *words],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            timeout=100,
        )

    return ran


pytestmark = pytest.mark.slow


def test_a_retriever_answers_from_what_it_finds(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "notes.txt").write_text("Tea is grown in hills.\nThe bridge is new.\n")
    words = ("Where is tea grown?", "--corpus", "lines:notes.txt", "--no-save")
    done = run("ask", *words, "--model", "lexical", "--output", "json")
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    found = next(one for one in events if one.get("event") == "retrieval")
    assert found["references"][0]["text"] == "Tea is grown in hills."
    refused = run("ask", "Why?", "--corpus", "lines:none.txt", "--model", "lexical")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1) or (
        refused.returncode == 2
    )
    assert "none.txt: No such file" in refused.stderr


def test_a_reader_reads_the_files_of_its_ending(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "post").mkdir()
    letter = "From: Mei\nSubject: Harvest\n\nThe tea is picked in April.\n"
    (tmp_path / "post/a.letter").write_text(letter)
    (tmp_path / "post/b.letter").write_text("Content-Type: text/html\n\n<p>No.</p>\n")
    done = run("index", "post", "--name", "post")
    assert "1 indexed, 0 unchanged, 0 removed, 1 left out" in done.stdout, done.stderr
    assert "b.letter: it has no plain text" in done.stdout + done.stderr
    found = run("corpora", "search", "post", "tea", "--where", "from=Mei")
    assert "The tea is picked in April." in found.stdout, found.stderr
    assert "Harvest" in found.stdout


def test_doctor_lists_the_plugins(run) -> None:  # type: ignore[no-untyped-def]
    shown = run("doctor").stdout
    for plugin in ("retrievers.lines", "readers.letter", "measures.words"):
        assert re.search(rf"^  {plugin} +verifytui_\w+$", shown, re.M), shown
    assert re.search(r"^  methods\.rethink +verifytui_rethink$", shown, re.M)


def test_a_measure_is_in_reports_and_gates(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "topics.jsonl").write_text('{"topic": "How many?"}\n')
    batch = ("solo", "--topics", "topics.jsonl", "--model", "openai/lb")
    done = run(*batch, "--into", "out", "--fail-over", "words=100")
    assert done.returncode == 0, done.stderr
    assert run(*batch, "--into", "out", "--fail-over", "words=0").returncode == 1


def test_a_method_has_help_dry_run_batch_replay_export_and_python(  # type: ignore[no-untyped-def]
    run, tmp_path: Path, loopback: Loopback, installed: Path
) -> None:
    assert "\n  rethink " in run("--help").stdout
    shown = run("rethink", "--help").stdout
    assert "doubt its answer" in shown
    assert "--doubts" in shown
    one = ("rethink", "How many?", "--model", "openai/lb")
    done = run(*one, "--save", "kept.yaml")
    assert done.returncode == 0, done.stderr
    assert len(loopback.requests) == 3
    assert "\nmethod: rethink\n" in (tmp_path / "kept.yaml").read_text()
    assert run("replay", "kept.yaml", "--plain").returncode == 0
    assert "42" in run("export", "kept.yaml", "--to", "md").stdout
    (tmp_path / "topics.jsonl").write_text('{"topic": "a"}\n{"topic": "b"}\n')
    batch = ("rethink", "--topics", "topics.jsonl", *one[2:], "--doubts", "2")
    counted = run(*batch, "--into", "out", "--dry-run", "--output", "json")
    assert json.loads(counted.stdout)["calls"] == 8, counted.stderr
    assert run(*batch, "--into", "out").returncode == 0
    assert len((tmp_path / "out/summary.jsonl").read_text().splitlines()) == 2
    code = "import sys; sys.path[:0] = [sys.argv[1]]; import verifytui.sync as v; "
    code += "print(v.rethink('How many?', models='openai/lb', doubts=3).result.answer)"
    env = {**os.environ, "OPENAI_API_BASE": loopback.base_url, "OPENAI_API_KEY": "sk-x"}
    words = [sys.executable, "-c", code, str(installed)]
    asked = subprocess.run(words, capture_output=True, text=True, env=env, timeout=100)
    assert asked.stdout.strip() == "42", asked.stderr


@pytest.mark.parametrize("group", ["commands", "runners"])
def test_a_broken_plugin_is_one_sentence(run, installed: Path, group: str) -> None:  # type: ignore[no-untyped-def]
    info = installed / "broken-1.0.dist-info"
    info.mkdir(exist_ok=True)
    info.joinpath("entry_points.txt").write_text(
        f"[verifytui.{group}]\nbroken = no_such_module:x\n"
    )
    try:
        word = "broken" if group == "commands" else "solo"
        done = run(word, "Why?", "--model", "openai/lb", "--no-save")
        looked = run("doctor")
    finally:
        info.joinpath("entry_points.txt").unlink()
    assert done.returncode == (2 if group == "commands" else 0)
    assert done.stderr.count("no_such_module") == 1
    assert (looked.returncode, looked.stdout.count("no_such_module")) == (1, 1)
    assert "Traceback" not in done.stderr


def test_a_plugin_with_a_built_in_name_is_not_used(  # type: ignore[no-untyped-def]
    run, installed: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("The tea is picked in April.\n")
    info = installed / "twin-1.0.dist-info"
    info.mkdir(exist_ok=True)
    info.joinpath("entry_points.txt").write_text(
        "[verifytui.readers]\nmd = verifytui_mail:letters\n"
        "[verifytui.measures]\naccuracy = verifytui_words:WORDS\n"
    )
    try:
        done = run("index", "a.md", "--name", "twin")
        looked = run("doctor").stdout
    finally:
        info.joinpath("entry_points.txt").unlink()
    assert "1 indexed" in done.stdout
    assert done.stderr.count("The plugin md (readers, from twin) is not used") == 1
    assert "The plugin md (readers, from twin) is not used" in looked


def test_what_there_is_not_is_one_sentence() -> None:
    assert METHODS.get("nonsense") is None
    with pytest.raises(BadInput, match="No installed package provides nonsense"):
        plugins.load("runners", "nonsense")
