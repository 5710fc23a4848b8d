"""The commands and the program of docs/serve.md do what the page says."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from verifytui.tests.cli.test_serve_command import Served, serving
from verifytui.tests.project.test_docs import page

TOKEN = "a-token-of-the-page-0123456789"
ADDRESS = "http://127.0.0.1:8642"


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_the_page_does_what_it_says(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TOKEN", TOKEN)
    text = page("serve")
    typed, asked = re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    program = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    words = shlex.split(typed)
    assert words[:2] == ["verifytui", "serve"]
    with serving(*words[2:], "--port", "0") as here:
        models, chat, found = (_said(line, here) for line in asked.splitlines())
        assert '"id": "verifytui"' in models
        assert '"claims": [{' in chat
        assert "1889" in chat
        assert found.count('"file"') == 2
        ran = _python(program[0].replace(ADDRESS, here.root))
        assert "'judgement'" in ran
    sessions = list((tmp_path / "served").iterdir())
    assert len(sessions) == 2
    for name in re.findall(r"`--([a-z-]+)", text):
        assert name in _help()


def _said(line: str, here: Served) -> str:
    assert ADDRESS in line
    words = ["bash", "-c", line.replace(ADDRESS, here.root)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def _python(text: str) -> str:
    words = [sys.executable, "-c", text]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def _help() -> str:
    from verifytui.cli.commands.serve import serve

    return " ".join(option for one in serve.params for option in one.opts)
