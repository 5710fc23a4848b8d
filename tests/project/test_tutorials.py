"""The tutorials, step by step: files are written, commands run, keys pressed, and what
a page shows is what comes.

A file is a block behind its name (`cases/flat.txt`:). The block behind a block of
commands is their output, `…` for what is left out. A section with a table of keys is
typed into a terminal. A language model is played by a server on the loopback, which
takes the place of `ollama/…`; what it says is not compared.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from verifytui.cli.app import main
from verifytui.tests.support.commanding import debating
from verifytui.tests.support.key_stories import pressed, told
from verifytui.tests.support.loopback import Loopback

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    "README.md",
    "README.zh.md",
    "docs/SKILL.md",
    "docs/llms.txt",
    *(
        path.relative_to(ROOT).as_posix()
        for path in sorted(ROOT.glob("docs/first-*.md"))
    ),
]
BLOCK = re.compile(r"(?:`([\w./-]+)`[:：]\n\n)?^```(\w+)\n(.*?)^```", re.M | re.S)
OTHER = ("python3 ", "uv ", "pipx ", "ollama ", "export ", "git ")


@pytest.fixture(autouse=True)
def _at_home(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loopback: Loopback
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-0123456789")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    loopback.answer = debating("yes")


def run(commands: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What the commands print on stdout and stderr, in order."""
    capsys.readouterr()
    for line in commands.replace("\\\n", " ").splitlines():
        if not line or line.startswith(OTHER):
            continue
        words = shlex.split(line, comments=True)
        assert words[0] == "verifytui", line
        words = [re.sub(r"\bollama/", "openai/", word) for word in words[1:]]
        code = re.search(r"# (?:exit code |退出码 )(\d)", line)
        wanted = int(code[1]) if code else 0
        assert main(words) == wanted, capsys.readouterr().err
    told = capsys.readouterr()
    return f"{told.out}\n{told.err}"


def compare(shown: str, output: str) -> None:
    """Every line that is shown comes, in this order; without `…` between them they are
    neighbours.
    """
    for part in re.split(r"^…$\n?", shown, flags=re.MULTILINE):
        wanted, lines = part.rstrip().splitlines(), output.splitlines()
        starts = [
            start
            for start in range(len(lines))
            if [line.rstrip() for line in lines[start : start + len(wanted)]] == wanted
        ]
        assert not wanted or starts, f"{part}\n--- is not in\n{output}"


@pytest.mark.parametrize("page", PAGES)
def test_every_block_does_what_the_page_says(
    page: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIFYTUI_LANGUAGE", "zh" if ".zh" in page else "en")
    ran = 0
    for part in (ROOT / page).read_text("utf-8").split("\n## "):
        output, keys = "", re.search(r"^\| `", part, re.MULTILINE)
        for name, language, text in BLOCK.findall(part):
            if name:
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                Path(name).write_text(text, "utf-8")
            elif language == "sh" and not keys:
                output = run(text, capsys)
                ran += 1
            elif language == "text":
                compare(text, output)
        if keys:
            pressed(told(part))
            ran += 1
    assert ran
