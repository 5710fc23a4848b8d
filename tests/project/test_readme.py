"""What README and documents promise: the two commands, the table of keys, links, paths,
and every command line.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest
from verifytui.cli.app import group
from verifytui.tests.support.key_table import markdown_table

ROOT = Path(__file__).resolve().parents[2]
READMES = ("README.md", "README.zh.md")
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
)
START = "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/verifytui"
TEST = (
    "python3 -m venv .venv && .venv/bin/pip install -q -c constraints.txt -e "
    "'.[test]' && .venv/bin/python -m pytest -n auto"
)


def read(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def blocks(page: str) -> list[str]:
    """The lines of a page's shell blocks, without comments; one that goes on in the
    next is one with it.
    """
    found = re.findall(r"^```sh\n(.*?)^```", read(page), re.MULTILINE | re.DOTALL)
    return [
        line.split("  #")[0].strip()
        for block in found
        for line in block.replace("\\\n", " ").splitlines()
        if line.strip()
    ]


@pytest.mark.parametrize("page", READMES)
def test_two_commands_do_all_the_set_up(page: str) -> None:
    assert blocks(page)[:2] == [START, TEST]


def test_ci_runs_the_test_command_to_the_letter() -> None:
    assert TEST in read(".ci/run").splitlines()


def test_the_commands_name_what_there_is() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    assert project["scripts"]["verifytui"] == "verifytui.__main__:main"
    wanted = {
        re.split(r"[<>=\[]", one)[0] for one in project["optional-dependencies"]["test"]
    }
    assert {"pytest", "pytest-xdist"} <= wanted
    assert (ROOT / "constraints.txt").is_file()


@pytest.mark.parametrize("page", READMES)
def test_readme_is_read_in_one_go(page: str) -> None:
    assert len(read(page).splitlines()) <= 120


@pytest.mark.parametrize(
    ("page", "language"), [("docs/keys.md", "en"), ("docs/keys.zh.md", "zh")]
)
def test_table_of_keys_is_the_list_of_actions(page: str, language: str) -> None:
    table = read(page).partition("<!-- keys -->")[2].partition("<!-- /keys -->")[0]
    assert table.strip().splitlines()[2:] == markdown_table(language).splitlines()[2:]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    links = [
        link.partition("#")[0]
        for link in re.findall(r"\]\(([^)\s]+)\)", read(page))
        if not link.startswith("http")
    ]
    missing = [
        link for link in links if not (ROOT / page).parent.joinpath(link).exists()
    ]
    assert not missing


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CHANGELOG.md"])
def test_paths_that_are_named_exist(page: str) -> None:
    """Files and folders of the code in running text; METHOD stands for the name of a
    method.
    """
    rooms = (
        "cli|engines|learning|scale|prompts|sessions|texts|tui|tests|benchmarks|docs"
    )
    paths = re.findall(
        rf"(?<![\w/.:-])(?:{rooms})/[\w/.-]*\w/?",
        re.sub(r"\]\([^)]*\)", "", read(page)),
    )
    missing = {
        path for path in paths if not list(ROOT.glob(path.replace("METHOD", "debate")))
    }
    assert not missing


def typed(line: str) -> list[str] | None:
    """What a line types after `verifytui`, None if it is another command."""
    line = re.split(r" \| | && ", line)[0]
    words = shlex.split(line)
    if words[:1] == ["verifytui"]:
        return words[1:]
    return None


LINES = [
    (page, line) for page in PAGES for line in blocks(page) if typed(line) is not None
]


@pytest.mark.parametrize(("page", "line"), LINES)
def test_command_lines_can_be_typed(page: str, line: str) -> None:
    """Every word is a command, every option exists and has a value that it takes."""
    words = typed(line) or []
    command: click.Command = group
    context = click.Context(group)
    while (
        isinstance(command, click.Group)
        and words
        and command.get_command(context, words[0])
    ):
        command = command.get_command(context, words.pop(0)) or command
    assert (
        command is not group
        or not words
        or Path(words[0]).suffix == ".yaml"
        or words[0].startswith("runs/")
    )
    if command is not group:
        command.make_context(line, words, resilient_parsing=False)


def test_there_are_command_lines() -> None:
    assert len(LINES) > 20
