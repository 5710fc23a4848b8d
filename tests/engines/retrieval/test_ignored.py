"""Files that `.gitignore` names are left out, as Git leaves them out."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from verifytui.engines.retrieval.corpus import Corpora
from verifytui.engines.retrieval.sources import FileFilter, walk
from verifytui.sessions.paths import paths

FILES = [
    *("a.txt", "b.log", "keep.log", "build/x.txt", "sub/build/y.txt", "build.md"),
    *("sub/c.txt", "sub/d.tmp", "sub/deep/e.tmp", "sub/deep/f.txt", "top.txt"),
    *("sub/top.txt", "doc/g1.md", "doc/gx.md", "doc/in/h.md", "#odd.txt", "x y.txt"),
]
RULES = "*.log\n!keep.log\n# no\nbuild/\n/top.txt\ndoc/g[!1].md\ndoc/**/h.md\n\\#*\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "repository"
    for name in FILES:
        (found / name).parent.mkdir(parents=True, exist_ok=True)
        (found / name).write_text("A heron.", "utf-8")
    (found / ".gitignore").write_text(RULES, "utf-8")
    (found / "sub" / ".gitignore").write_text("*.tmp\n!deep/*.tmp\n", "utf-8")
    return found


def names(folder: Path, wanted: FileFilter) -> list[str]:
    return sorted(
        str(one.path.relative_to(folder)) for one in walk([folder], wanted)[0]
    )


def test_what_git_leaves_out_is_left_out(folder: Path) -> None:
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")
    found = names(folder, FileFilter())
    run = {"cwd": folder, "check": True, "capture_output": True}
    subprocess.run([git, "init", "-q"], **run)
    listed = subprocess.run(
        [git, "ls-files", "-coz", "--exclude-standard"], **run
    ).stdout.decode()
    kept = {name for name in listed.split("\0") if name and ".git" not in name}
    assert set(found) == kept
    assert len(found) == 9


def test_a_pattern_asks_for_files_that_are_ignored(folder: Path) -> None:
    assert names(folder, FileFilter(include=("*.log",))) == ["b.log", "keep.log"]


def test_text_without_an_ending_is_read(home: Path, tmp_path: Path) -> None:
    (tmp_path / "README").write_text("The heron fishes.", "utf-8")
    (tmp_path / "program").write_bytes(b"\x7fELF\0\0\1")
    corpora = Corpora(paths())
    report = corpora.build("c", [tmp_path / "README", tmp_path / "program"])
    assert report.indexed == 1
    assert report.skipped == [("program", "it is a binary file")]
