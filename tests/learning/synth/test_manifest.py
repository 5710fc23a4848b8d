"""`synth.json`: the same command goes on in its folder, another one is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from verifytui.learning.synth.manifest import FILE, Manifest
from verifytui.sessions.errors import BadInput


def test_a_folder_is_gone_on_with_by_the_same_command_and_refused_to_another(
    tmp_path: Path,
) -> None:
    asked, into = tmp_path / "q.jsonl", tmp_path / "into"
    asked.write_text("{}\n")
    into.mkdir()
    manifest = Manifest(
        into, "pairs", {"seed": 0, "kinds": ("a", "b")}, {"questions": asked}
    )
    assert manifest.check() is False
    manifest.keep()
    begun = json.loads((into / FILE).read_text())
    assert (begun["format"], begun["kind"], begun["options"]["kinds"]) == (
        "verifytui-synth/1",
        "pairs",
        ["a", "b"],
    )
    assert begun["files"]["questions"]["bytes"] == 3
    moved = asked.rename(tmp_path / "moved.jsonl")
    assert (
        Manifest(
            into, "pairs", {"seed": 0, "kinds": ["a", "b"]}, {"questions": moved}
        ).check()
        is True
    )
    with pytest.raises(BadInput, match="another “seed”: 0 then, 1 now"):
        Manifest(
            into, "pairs", {"seed": 1, "kinds": ["a"]}, {"questions": moved}
        ).check()
    moved.write_text("{} \n")
    with pytest.raises(BadInput, match="another “questions”"):
        Manifest(
            into, "pairs", {"seed": 0, "kinds": ["a", "b"]}, {"questions": moved}
        ).check()
    with pytest.raises(BadInput, match="another “kind”: pairs"):
        Manifest(into, "answers", {}, {}).check()


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("[]")
    with pytest.raises(BadInput, match="does not belong to a synthesis; name another"):
        Manifest(tmp_path, "pairs", {}, {}).check()
    (tmp_path / FILE).unlink()
    (tmp_path / "batch.json").write_text("{}")
    with pytest.raises(BadInput, match="contains a batch or a study"):
        Manifest(tmp_path, "pairs", {}, {}).check()


def test_a_folder_counts_by_what_is_in_it(tmp_path: Path) -> None:
    cases, into = tmp_path / "cases" / "q1", tmp_path / "into"
    cases.mkdir(parents=True)
    into.mkdir()
    (cases / "1.json").write_text("one")
    given = {"cases": tmp_path / "cases"}
    Manifest(into, "cases", {}, given).keep()
    assert (
        Manifest(
            into, "cases", {}, {"cases": given["cases"].rename(tmp_path / "moved")}
        ).check()
        is True
    )
    (tmp_path / "moved" / "q1" / "1.json").write_text("two")
    with pytest.raises(BadInput, match="another “cases”"):
        Manifest(into, "cases", {}, {"cases": tmp_path / "moved"}).check()
