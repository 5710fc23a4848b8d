"""Help in groups, suggestions for mistyped words, and `--quiet`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from verifytui.cli.app import COMMANDS
from verifytui.cli.help_groups import grouped_commands
from verifytui.tests.support.commanding import command, refused
from verifytui.tests.support.loopback import Loopback
from verifytui.texts.columns import cells


def test_every_command_is_in_one_group() -> None:
    listed = [name for names in grouped_commands(COMMANDS).values() for name in names]
    assert sorted(listed) == sorted(COMMANDS)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_help_begins_with_two_examples_and_lists_commands_in_groups(lang: str) -> None:
    shown = command("--help", "--lang", lang).stdout
    assert shown.count("\n  verifytui ") == 2
    headings = {
        "en": "Start,Judge,Compare,People,Data,Scale and training,Maintenance,Options",
        "zh": "开始,评判,比较,人工,数据,规模与训练,维护,选项",
    }[lang]
    colon = "：" if lang == "zh" else ":"
    places = [shown.index(f"\n{heading}{colon}\n") for heading in headings.split(",")]
    assert places == sorted(places)
    assert max(cells(line) for line in shown.splitlines()) <= 80


def test_the_first_example_needs_no_key() -> None:
    shown = command("--help").stdout
    line = next(
        line for line in shown.splitlines() if line.startswith("  verifytui ask")
    )
    done = command("ask", line.split('"')[1], "--corpus", "example", "--no-save")
    assert done.returncode == 0


@pytest.mark.parametrize("name", ["debate", "ask", "relevance", "solo"])
def test_long_help_has_groups_and_rare_options_come_last(name: str) -> None:
    shown = command(name, "--help").stdout
    headings = [
        line for line in shown.splitlines() if line.endswith(":") and line[:1].isalpha()
    ]
    assert headings[-2:] == ["Advanced:", "General:"]
    assert "Batch:" in headings
    assert "Models:" in headings
    advanced = shown.index("\nAdvanced:")
    assert shown.index("--model") < advanced < shown.index("--allow-commands")
    assert "Options:" not in headings


def test_short_help_has_one_list() -> None:
    shown = command("locate", "--help").stdout
    assert "\nOptions:\n" in shown
    assert "Advanced" not in shown


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("debat", "Did you mean debate?"),
        ("corpora serch x", "Did you mean 'search'?"),
        ("locate --outptu json", "'--output'"),
        ("debate x --opening fre", "Did you mean free?"),
        ("models --output jsn", "Did you mean json?"),
        ("debate x --model sript", "Did you mean script?"),
        ("study mad5 --into x", "Did you mean mad-5?"),
        ("data show gsm8", "Did you mean gsm8k?"),
    ],
)
def test_a_mistyped_word_is_answered_with_the_closest(typed: str, meant: str) -> None:
    refused(command(*typed.split()), meant)


def batch(tmp_path: Path, into: str, *more: str) -> list[str | Path]:
    topics = tmp_path / "topics.jsonl"
    lines = [{"id": f"q{n}", "topic": f"Why {n}?"} for n in range(3)]
    topics.write_text("".join(json.dumps(line) + "\n" for line in lines))
    folder = tmp_path / into
    return [
        *("debate", "--topics", topics, "--into", folder),
        *("--model", "openai/lb", *more),
    ]


def test_quiet_prints_results_and_no_progress(server: Loopback, tmp_path: Path) -> None:
    loud = command(*batch(tmp_path, "loud"))
    quiet = command(*batch(tmp_path, "quiet", "--quiet"))
    assert (loud.returncode, quiet.returncode) == (0, 0)
    assert "3/3" in loud.stderr
    assert quiet.stderr == ""
    assert quiet.stdout.count("\n") == loud.stdout.count("\n")
    one = command("debate", "Why?", "--model", "openai/lb", "-q")
    assert "Answer: 42" in one.stdout
    assert one.stderr == ""


def test_quiet_still_prints_errors(tmp_path: Path) -> None:
    refused(command(*batch(tmp_path, "out", "--quiet", "--level", "9")), "level")


def test_a_command_without_progress_has_no_quiet() -> None:
    refused(command("models", "--quiet"), "--quiet")
