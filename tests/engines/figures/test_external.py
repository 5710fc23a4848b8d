"""A measure that a command of the user takes."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.figures.external import External
from verifytui.engines.figures.measure import Item, MeasuredValue
from verifytui.sessions.errors import BadInput

COUNTS = """
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
with open(sys.argv[3], "a") as log:
    log.write(f"{len(rows)}\\n")
with open(sys.argv[2], "w", encoding="utf-8") as out:
    for row in reversed(rows):
        out.write(json.dumps({"id": row["id"], "value": len(row["answer"]) + len(row["references"][0])}) + "\\n")
        out.flush()
"""
"""How long answer and reference are together; it notes down how many rows it had."""


def item(number: int) -> Item:
    return Item(
        f"i{number}",
        f"i{number}",
        "",
        {
            "topic": f"Text {number}",
            "kind": "translation",
            "answers": ["ab"],
            "from": "zh",
            "to": "en",
        },
    )


def external(tmp_path: Path, script: str = COUNTS, **more: Any) -> External:
    command = [sys.executable, "-c", script, "{in}", "{out}", str(tmp_path / "log")]
    return External.read({"external": "length", "command": command, **more})


def rows_asked(tmp_path: Path) -> list[int]:
    return [int(line) for line in (tmp_path / "log").read_text().split()]


async def test_a_command_measures_each_content_once_and_only_what_is_new(
    tmp_path: Path,
) -> None:
    measure, folder = external(tmp_path, low=0), tmp_path / "kept"
    given = [(item(1), "一二三"), (item(2), "x"), (item(1), "一二三"), (item(3), None)]
    assert measure.left(given, folder) == 2
    assert await measure.measure(given, folder) == [
        MeasuredValue(5.0, "measured"),
        MeasuredValue(3.0, "measured"),
        MeasuredValue(5.0, "measured"),
        MeasuredValue(0, "empty"),
    ]
    again = [*given, (item(4), "xy")]
    assert (await measure.measure(again, folder))[-1] == MeasuredValue(4.0, "measured")
    assert rows_asked(tmp_path) == [2, 1]
    assert sorted(path.name for path in folder.iterdir()) == ["external-length.jsonl"]


async def test_another_version_measures_anew_and_is_recorded(tmp_path: Path) -> None:
    given, folder = [(item(1), "x")], tmp_path / "kept"
    says = [sys.executable, "-c", "print('length 2.0')"]
    for version in ("1.0", says, says):
        await external(tmp_path, version=version).measure(given, folder)
    assert rows_asked(tmp_path) == [1, 1]
    kept = [
        json.loads(line)
        for line in (folder / "external-length.jsonl").read_text().splitlines()
    ]
    assert [one["version"] for one in kept] == ["1.0", "length 2.0"]


async def test_what_a_failing_command_had_written_is_kept(tmp_path: Path) -> None:
    fails = (
        COUNTS + "\nif len(rows) > 2:\n    lines = open(sys.argv[2]).readlines()\n    "
        "open(sys.argv[2], 'w').writelines([*lines[:2], '{\"id\": '])"
    )
    fails += "\n    sys.exit('no GPU sk-abcdef1234567890abcdef [/x]')"
    measure, given = (
        external(tmp_path, fails),
        [(item(number), "x" * number) for number in (1, 2, 3)],
    )
    with pytest.raises(
        BadInput, match=r"length.*exit code 1: no GPU \[key hidden\] \[/x\]"
    ):
        await measure.measure(given, tmp_path / "kept")
    assert measure.left(given, tmp_path / "kept") == 1
    assert [one.value for one in await measure.measure(given, tmp_path / "kept")] == [
        3.0,
        4.0,
        5.0,
    ]
    assert rows_asked(tmp_path) == [3, 1]


@pytest.mark.parametrize(
    ("writes", "says"),
    [
        ("", "no value for 1 of 1"),
        ('{"id": row["id"], "value": "high"}', "not a number"),
        ('{"id": row["id"]}', "not a number"),
        ('{"id": row["id"], "value": 7}', "not between 0 and 1"),
    ],
)
async def test_a_wrong_figure_is_named_and_none_is_made_up(
    tmp_path: Path, writes: str, says: str
) -> None:
    script = (
        "import json, sys\nout = open(sys.argv[2], 'w')\nfor line in "
        "open(sys.argv[1]):\n    row = json.loads(line)\n"
    )
    script += f"    out.write(json.dumps({writes}) + '\\n')" if writes else "    pass"
    with pytest.raises(BadInput, match=says):
        await external(tmp_path, script, low=0, high=1).measure(
            [(item(1), "x")], tmp_path / "kept"
        )


@pytest.mark.slow
async def test_a_command_that_takes_too_long_is_ended_with_what_it_started(
    tmp_path: Path,
) -> None:
    script = "import subprocess, sys, time\n"
    script += (
        "print(subprocess.Popen(['sleep', '300']).pid, file=open(sys.argv[3], 'w'), "
        "flush=True)\ntime.sleep(300)"
    )
    with pytest.raises(BadInput, match=r"longer than 1\.5 seconds"):
        await external(tmp_path, script, seconds=1.5).measure(
            [(item(1), "x")], tmp_path / "kept"
        )
    child = int((tmp_path / "log").read_text())
    for _ in range(200):
        state = Path(f"/proc/{child}/stat")
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        await asyncio.sleep(0.01)
    raise AssertionError("the child still runs")


async def test_a_command_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    measure = External.read(
        {"external": "comet", "command": ["no-such-program", "{in}", "{out}"]}
    )
    with pytest.raises(BadInput, match=r"comet.*no-such-program cannot be run"):
        await measure.measure([(item(1), "x")], tmp_path)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        (
            {"external": "../x", "command": ["c", "{in}", "{out}"]},
            "” is not a valid name of a measure; use at most",
        ),
        ({"external": "x", "command": "comet {in} {out}"}, "list of words"),
        ({"external": "x", "command": ["c", "{in}"]}, "list of words"),
        (
            {"external": "x", "command": ["c", "{in}", "{out}"], "better": "more"},
            "higher, lower or neither",
        ),
        (
            {"external": "x", "command": ["c", "{in}", "{out}"], "low": 1, "high": 0},
            "less than",
        ),
        (
            {"external": "x", "command": ["c", "{in}", "{out}"], "shell": True},
            "no “shell”",
        ),
    ],
)
def test_a_wrong_declaration_is_refused(spec: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        External.read(spec)
