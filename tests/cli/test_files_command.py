"""`import`, `export`, `sessions`, `prompts`, `models`, `locate`, `schema`."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from verifytui.tests.support.commanding import HILL, command, documents, refused, rows


@pytest.fixture
def kept(home: Path) -> Path:
    """A finished script debate in the library."""
    assert command("debate", HILL).returncode == 0
    (path,) = (home / "sessions").iterdir()
    return path


def test_the_recorded_debates_are_imported(
    shared: Path, tmp_path: Path, home: Path
) -> None:
    source = shared / "mad-transcripts" / "debates.jsonl"
    done = command("import", source, "--into", tmp_path / "mad")
    assert done.returncode == 0, done.stderr
    written = [Path(line) for line in done.stdout.splitlines()]
    assert len(written) == len(set(written)) == len(source.read_text().splitlines())
    assert all(
        path.parent == tmp_path / "mad" and path.stat().st_mode & 0o777 == 0o600
        for path in written
    )
    assert "Result: " in command("replay", written[0]).stdout
    one = tmp_path / "one.json"
    one.write_text(source.read_text().splitlines()[0])
    (path,) = command("import", one).stdout.splitlines()
    assert Path(path).parent == home / "sessions"
    again = command("import", one, "--into", tmp_path / "mad").stdout.strip()
    assert Path(again) not in written


def test_what_cannot_be_imported_writes_nothing(tmp_path: Path, home: Path) -> None:
    bad = {
        "no.json": "{",
        "list.json": "[1]",
        "other.jsonl": '{"id": 1}\n',
        "empty.json": "",
        "bytes.json": "\udcff",
    }
    for name, text in bad.items():
        (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
        refused(command("import", tmp_path / name, "--into", tmp_path / "out"), name)
    refused(command("import", tmp_path / "missing.json"), "missing.json")
    refused(command("import", tmp_path), str(tmp_path))
    assert not (home / "sessions").exists()
    assert (
        list((tmp_path / "out").glob("*")) == []
        if (tmp_path / "out").exists()
        else True
    )


def test_an_export_to_json_lines_comes_back_as_it_was(
    kept: Path, tmp_path: Path
) -> None:
    lines = tmp_path / "lines.jsonl"
    assert command("export", kept, "--to", "jsonl", "-o", lines).returncode == 0
    back = Path(command("import", lines, "--into", tmp_path).stdout.strip())
    assert documents(back) == documents(kept)
    assert command("export", back, "--to", "jsonl").stdout == lines.read_text()


def test_exports(kept: Path, tmp_path: Path) -> None:
    table = list(
        csv.DictReader(
            io.StringIO(
                command("export", kept, "--to", "csv").stdout.removeprefix("\ufeff")
            )
        )
    )
    assert [row["event"] for row in table] == [
        row["event"] for row in documents(kept)[1:]
    ]
    assert (
        rows(command("export", kept, "--to", "jsonl").stdout)[0]["format"]
        == "verifytui/1"
    )
    assert "1.5 m/s" in command("export", kept, "--to", "md").stdout
    page = tmp_path / "page.html"
    assert command("export", kept, "--to", "html", "-o", page).stdout == ""
    assert "<script" not in page.read_text()
    before = kept.read_bytes()
    refused(command("export", kept, "--to", "md", "-o", kept), "replace")
    refused(
        command("export", kept, "--to", "md", "-o", tmp_path / "no" / "x.md"), "x.md"
    )
    assert kept.read_bytes() == before
    page.write_text("mine")
    refused(
        command("export", kept, "--to", "html", "-o", page), "page.html already exists"
    )
    assert page.read_text() == "mine"


def test_the_library_from_the_command_line(kept: Path, home: Path) -> None:
    (entry,) = rows(command("sessions", "--output", "json").stdout)
    assert entry["path"] == str(kept)
    assert entry["status"] == "finished"
    assert str(kept) in command("sessions").stdout
    assert command("sessions", "rename", kept, "The hill").returncode == 0
    assert "The hill" in command("sessions", "--find", "hill script").stdout
    assert command("sessions", "--find", "no such words").stdout == ""
    copy = Path(command("sessions", "duplicate", entry["id"]).stdout.strip())
    assert copy.exists()
    moved = Path(
        command("sessions", "delete", kept.name, copy.stem).stdout.splitlines()[0]
    )
    assert moved.parent == home / "bin"
    assert command("sessions").stdout == ""
    assert len(rows(command("sessions", "bin", "--output", "json").stdout)) == 2
    assert command("sessions", "restore", moved.name).stdout.strip() == str(kept)
    assert kept.exists()
    assert "Sessions deleted: 1." in command("sessions", "empty-bin").stderr
    assert command("sessions", "bin").stdout == ""
    assert "Result: 1.5" in command("replay", kept).stdout


def test_sessions_that_are_not_there(kept: Path, tmp_path: Path) -> None:
    refused(command("sessions", "rename", "nobody", "x"), "nobody")
    refused(command("sessions", "rename", kept, "  "), "title")
    refused(command("sessions", "delete", "nobody"), "nobody")
    refused(command("sessions", "restore", kept), "not in the bin")
    refused(command("sessions", "--folder", tmp_path / "no"), "no folder")


def test_a_broken_file_is_listed_as_such(kept: Path) -> None:
    (kept.parent / "broken.yaml").write_text("- 1\n")
    broken = [
        entry
        for entry in rows(command("sessions", "--output", "json").stdout)
        if entry["broken"]
    ]
    assert [Path(entry["path"]).name for entry in broken] == ["broken.yaml"]


def test_locate_names_every_path_and_makes_none(home: Path) -> None:
    places = json.loads(command("locate", "--output", "json").stdout)
    assert places["sessions"] == str(home / "sessions")
    assert all(path in command("locate").stdout for path in places.values())
    assert not home.exists()


def test_schema_fits_what_is_printed() -> None:
    schema = json.loads(command("schema").stdout)
    for row in rows(command("debate", HILL, "--no-save", "--output", "json").stdout):
        kinds = [
            part
            for part in schema["$defs"].values()
            if part.get("properties", {}).get("event", {}).get("enum")
            == [row.get("event")]
        ]
        part = kinds[0] if kinds else schema["$defs"]["Header"]
        assert set(row) <= set(part["properties"])
        assert set(part["required"]) <= set(row)


def test_prompts_are_listed_shown_and_copied(home: Path, tmp_path: Path) -> None:
    assert command("prompts", "list").stdout.split() == [
        "en",
        "small-en",
        "small-zh",
        "zh",
    ]
    assert "debater_system" in command("prompts", "show", "zh").stdout
    copied = Path(command("prompts", "copy", "en").stdout.strip())
    assert copied.parent == home / "prompts"
    assert "en-copy" in command("prompts", "list").stdout
    refused(command("prompts", "copy", "en"), "already exists")
    text = copied / "debate.yaml"
    text.write_text(text.read_text().replace("You are the judge", "You are THE judge"))
    header = rows(
        command(
            "debate", HILL, "--prompts", "en-copy", "--no-save", "--output", "json"
        ).stdout
    )[0]
    assert "THE judge" in header["prompts"]["templates"]["judge_system"]
    refused(command("prompts", "show", "klingon"), "klingon")


def test_models_are_listed_with_their_limits_and_why_they_cannot_be_used(
    home: Path,
) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(
        "models: {mine: {model: qwen, api_base: 'http://localhost:1/v1', max_rps: "
        "2.5, max_tpm: 90000}}"
    )
    listed = {
        choice["name"]: choice
        for choice in rows(command("models", "--output", "json").stdout)
    }
    assert listed["script"]["usable"]
    assert listed["human"]["usable"]
    shut = [choice for choice in listed.values() if not choice["usable"]]
    assert shut
    assert all(choice["why_not"] for choice in shut)
    assert (
        listed["mine"]["max_rps"],
        listed["mine"]["max_tpm"],
        listed["mine"]["concurrency"],
    ) == (2.5, 90000, None)
    told = command("models").stdout
    assert "OPENAI_API_KEY" in told
    assert (
        "mine  qwen  at most 2.5 calls per second, 90,000 tokens per minute\n"
        in re.sub(r"  +", "  ", told)
    )


def test_no_command_prints_raw_control_characters(kept: Path) -> None:
    command("sessions", "rename", kept, "evil \x1b]52;c;AAAA\x07 title \x9b2J")
    for arguments in (
        ["sessions"],
        ["sessions", "--output", "json"],
        ["replay", kept],
        ["export", kept, "--to", "jsonl"],
    ):
        text = command(*arguments).stdout
        assert not {"\x1b", "\x07", "\x9b"} & set(text)


def test_a_folder_of_a_batch_has_a_report_and_a_table(tmp_path: Path) -> None:
    asked = tmp_path / "asked.jsonl"
    question = "Since when has there been a tower in Paris?"
    asked.write_text(json.dumps({"question": question, "answers": ["1889"]}) + "\n")
    folder = tmp_path / "runs"
    words = ["--questions", asked, "--corpus", "example", "--into", folder]
    assert command("ask", *words).returncode == 0
    for to in ([], ["--to", "html"], ["--to", "md"]):
        refused(command("export", folder, *to), str(folder / "report.html"))
    table = tmp_path / "table.csv"
    assert command("export", folder, "--to", "csv", "-o", table).returncode == 0
    framed = tmp_path / "frame.csv"
    assert command("frame", folder, "-o", framed).returncode == 0
    assert table.read_bytes() == framed.read_bytes()
    refused(
        command("export", tmp_path), "--to: md, html, jsonl, csv, qrels, run or inspect"
    )


def test_a_question_is_read_from_stdin(home: Path) -> None:
    question = "Since when has there been a tower in Paris?"
    words = ["ask", "-", "--corpus", "example", "--output", "json"]
    done = command(*words, stdin=f"{question}\n")
    assert done.returncode == 0
    assert json.loads(done.stdout.splitlines()[0])["task"]["question"] == question
    refused(command("debate", "-", stdin=" \n"), "The topic is empty")
