"""Repeats of a study of cases: each session says which repeat it is, and the repeats
agree with each other as the report says.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.batches.batch import mark_of
from verifytui.sessions.journal import Journal
from verifytui.tests.support.commanding import annotating, command, documents
from verifytui.tests.support.loopback import Answer, Body, Loopback

pytestmark = pytest.mark.slow

STUDY = """
format: verifytui-study/1
name: steady
items: {adapter: lecard, file: .}
base: {method: relevance, model: {"*": openai/lb}}
conditions: {only: {}}
repeats: 2
measures: [reliability_material, reliability_legal, kappa_level]
"""
PAIRS = 12


@pytest.fixture
def served(server: Loopback) -> Loopback:
    """Every judgement is by chance."""
    chance = random.Random(3)

    def reply(body: Body) -> Answer:
        answer: Answer = annotating(relevant=chance.random() < 0.5)(body)
        return answer

    server.answer = reply
    return server


@pytest.fixture
def study(tmp_path: Path) -> Path:
    for part in ("query", "label", "candidates/7"):
        (tmp_path / part).mkdir(parents=True)
    query = {"ridx": 7, "q": "被告人甲盗窃他人手机一部，价值三千元。"}
    (tmp_path / "query/query.json").write_text(json.dumps(query) + "\n")
    levels = {str(name): name % 4 for name in range(PAIRS)}
    labels = json.dumps({"7": levels})
    (tmp_path / "label/label_top30_dict.json").write_text(labels)
    for name in levels:
        text = f"被告人乙第{name}次盗窃他人手机一部。"
        path = tmp_path / f"candidates/7/{name}.json"
        path.write_text(json.dumps({"ajjbqk": text}))
    (tmp_path / "steady.yaml").write_text(STUDY)
    return tmp_path / "steady.yaml"


def headers(folder: Path) -> dict[str, dict[str, Any]]:
    return {
        path.stem: documents(path)[0] for path in (folder / "only").glob("7-*.yaml")
    }


def as_an_earlier_version_left_it(folder: Path) -> None:
    """All sessions have `repeat: 0`, and the manifest does not say that they are
    numbered.
    """
    marks = {}
    for path in (folder / "only").glob("7-*.yaml"):
        text = path.read_text().replace("  repeat: 1\n", "  repeat: 0\n", 1)
        path.write_text(text)
        with Journal.open(path, write=False) as journal:
            marks[path.stem] = mark_of(journal.session.header)
    batch = json.loads((folder / "only/batch.json").read_text())
    batch["lines"] = {name: marks[name] for name in batch["lines"]}
    (folder / "only/batch.json").write_text(json.dumps(batch))
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["numbered"]
    (folder / "manifest.json").write_text(json.dumps(manifest))


def figures(folder: Path) -> dict[str, float]:
    done = command("study", "report", folder, "--to", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["figures"]
    return {name: of["only"]["value"] for name, of in found.items()}


def test_the_repeats_of_a_study_are_told_apart(
    served: Loopback, study: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = command("study", study, "--into", out)
    assert done.returncode == 0, done.stderr
    repeats = {name: one["settings"]["repeat"] for name, one in headers(out).items()}
    assert repeats == {
        f"7-{name}.r{repeat + 1}": repeat for name in range(PAIRS) for repeat in (0, 1)
    }
    report = json.loads((out / "only/report.json").read_text())
    found = figures(out)
    for name in ("reliability_material", "reliability_legal"):
        assert -1 <= report[name]["value"] < 1
        assert report[name]["n"] == PAIRS
        assert found[name] == pytest.approx(report[name]["value"])
    done = command("agreement", out / "only", "--output", "json")
    assert done.returncode == 0, done.stderr
    assert "machine, repeat 2" in done.stdout
    done = command("export", out / "only", "--to", "run")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == PAIRS
    calls = len(served.requests)
    assert command("study", study, "--into", out).returncode == 0
    assert len(served.requests) == calls


def test_a_study_begun_before_sessions_were_numbered_goes_on(
    served: Loopback, study: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert command("study", study, "--into", out).returncode == 0
    before = figures(out)
    as_an_earlier_version_left_it(out)
    (out / "only/7-3.r2.yaml").unlink()
    calls = len(served.requests)
    done = command("study", study, "--into", out)
    assert done.returncode == 0, done.stderr
    assert {one["settings"]["repeat"] for one in headers(out).values()} == {0}
    assert len(headers(out)) == 2 * PAIRS
    assert len(served.requests) - calls < 10  # of the one session
    assert figures(out).keys() == before.keys()
    assert figures(out)["reliability_legal"] is not None
