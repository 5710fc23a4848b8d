"""`data` as a command."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from verifytui.tests.support.commanding import command, refused, rows


def test_list_show_and_check(tmp_path: Path) -> None:
    assert "ciar" in [
        row["name"] for row in rows(command("data", "list", "--output", "json").stdout)
    ]
    shown = command("data", "show", "ciar").stdout
    assert "GPL-3.0" in shown
    assert "{adapter: ciar, file: CIAR.json}" in shown
    file = tmp_path / "CIAR.json"
    file.write_text(
        json.dumps(
            [
                {
                    "question": "How \x1b[31mfast?",
                    "answer": ["1"],
                    "incorrect answer": ["2"],
                }
            ]
        )
    )
    told = command("data", "check", file).stdout
    assert "read by ciar: items 1, clusters 1" in told
    assert hashlib.sha256(file.read_bytes()).hexdigest() in told
    assert "\x1b" not in told
    refused(command("data", "check", tmp_path / "none"), "none does not exist.")
    refused(command("data", "show", "none"), "data set")


def test_every_file_of_a_folder_is_checked(tmp_path: Path) -> None:
    refused(command("data", "check", tmp_path), "contains no data file")
    (tmp_path / "a.jsonl").write_text('{"question": "How fast?", "answers": ["1"]}\n')
    (tmp_path / "b.jsonl").write_text('{"fast": 1}\n')
    refused(command("data", "check", tmp_path / "b.jsonl"), "has no known form")
    done = command("data", "check", tmp_path)
    assert done.returncode == 0
    assert "a.jsonl, read by jsonl: items 1, clusters 1" in done.stdout
    assert "b.jsonl has no known form" in done.stderr
    (tmp_path / "b.jsonl").unlink()
    (tmp_path / "c.csv").write_text("question,answers\nHow high?,2\n")
    done = command("data", "check", tmp_path, "--output", "json")
    files = [(Path(row["file"]).name, row["items"]) for row in rows(done.stdout)]
    assert files == [("a.jsonl", 1), ("c.csv", 1)]
