"""The door: what is imported, words that are none, usage errors, crashes."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from verifytui.engines.debate.script import example_topics
from verifytui.tests.support.commanding import COMMAND, command, one_sentence, refused

HEAVY = (
    "textual",
    "rich",
    "litellm",
    "jinja2",
    "yaml",
    "platformdirs",
    "asyncio",
    "msgspec",
)


def loaded_after(*arguments: str) -> set[str]:
    """Top-level modules in memory after a command has run."""
    code = (
        "import sys; from verifytui.cli.app import main; main(sys.argv[1:]); "
        "print('\\n' + ' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.partition(".")[0] for name in done.stdout.splitlines()[-1].split()}


@pytest.mark.parametrize("option", ["--version", "--help", "-h"])
def test_version_and_help_import_nothing_heavy(option: str) -> None:
    assert loaded_after(option).isdisjoint(HEAVY)


def test_help_of_a_command_loads_neither_screen_nor_models() -> None:
    assert loaded_after("debate", "--help").isdisjoint(
        {"textual", "rich", "litellm", "jinja2", "yaml"}
    )


def test_version_is_instant() -> None:
    def best(arguments: list[str]) -> float:
        times = []
        for _ in range(7):
            began = time.perf_counter()
            subprocess.run(arguments, capture_output=True, check=True)
            times.append(time.perf_counter() - began)
        return min(times)

    bare = best([sys.executable, "-c", "import rich.console"])
    assert best([*COMMAND, "--version"]) < 2 * bare
    assert best([*COMMAND, "--help"]) < 2 * bare


def test_version_says_it() -> None:
    assert command("--version").stdout.startswith("verifytui 0.")


def test_help_names_every_command_and_each_can_be_imported() -> None:
    from verifytui.cli.app import COMMANDS, group

    text = command("--help").stdout
    for name in COMMANDS:
        assert f"\n  {name} " in text
        assert command(name, "--help").returncode == 0
        assert group.get_command(None, name) is not None  # type: ignore[arg-type]


def test_a_word_that_is_no_command() -> None:
    refused(command("nonsense"), "nonsense", "neither a command nor a file")


@pytest.mark.parametrize(
    "typed",
    [
        "--nonsense",
        "debate --level high x",
        "debate --kind poem x",
        "export x.yaml",
        "replay",
        "debate a b",
        "replay x --speed 3",
        "sessions fly",
    ],
)
def test_usage_errors_are_one_sentence(typed: str) -> None:
    refused(command(*typed.split()))


def test_the_app_needs_a_terminal(tmp_path: Path) -> None:
    refused(command(), "needs a terminal")
    refused(command(tmp_path), "needs a terminal")
    refused(command("debate", "Why?", "--tui"), "needs a terminal")


def test_a_config_that_is_wrong_is_named(home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("models: [1]\n")
    topic = example_topics()[0].topic
    refused(command("debate", topic), "config.yaml")


@pytest.mark.skipif(
    not os.path.exists("/dev/full"), reason="there is no /dev/full here"
)
@pytest.mark.parametrize("word", ["--version", "schema", "prompts show en"])
def test_a_full_disk_behind_stdout_is_one_sentence(word: str, home: Path) -> None:
    line = f"{shlex.join(COMMAND)} {word} > /dev/full"
    done = subprocess.run(
        ["sh", "-c", line], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    one_sentence(done.stderr, "could not be written")
    assert not (home / "state").exists()


@pytest.mark.parametrize("word", ["--version", "schema", "locate"])
def test_a_closed_stdout_ends_quietly(word: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{shlex.join(COMMAND)} {word} >&-"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_defect_of_ours_is_told_in_one_sentence_with_a_report_that_holds_no_text(
    home: Path,
) -> None:
    code = (
        "import sys, verifytui.engines.debate.method as o\n"
        "def broken(*a, **k): raise ZeroDivisionError('a secret topic')\n"
        "o.begin = broken\n"
        "from verifytui.cli.app import main\n"
        "sys.exit(main(['debate', 'a secret topic']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    (report,) = (home / "state" / "crashes").iterdir()
    assert str(report) in done.stderr
    assert "ZeroDivisionError" in report.read_text()
    assert "secret" not in report.read_text() + done.stderr
    assert os.stat(report).st_mode & 0o777 == 0o600
