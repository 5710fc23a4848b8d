"""docs/python.md: its examples run, one after another, against a server on the
loopback; its tables name what there is.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import verifytui
from verifytui.tests.support.commanding import debating
from verifytui.tests.support.loopback import Loopback

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
BLOCKS = re.findall(
    r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
)


@pytest.fixture
def served(
    home: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Loopback:
    """A provider of OpenAI's protocol that plays a debate."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-loopback")
    loopback.answer = debating("yes")
    return loopback


def test_every_example_runs(
    served: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, Any] = {"__name__": "page"}
    said = []
    for block in BLOCKS:
        exec(compile(block, str(PAGE), "exec"), names)
        said.append(capsys.readouterr().out)
    assert len(BLOCKS) == 8
    assert said[0] == "yes discriminative\n"
    assert said[1].splitlines()[:2] == ["1 Speech", "2 Speech"]
    assert "1873" in said[2]
    assert said[3].startswith("[")
    assert "1 affirmative yes" in said[4]
    assert said[5].startswith("level must be a whole number from 0 to 3")
    assert said[6] == "done 1.0\nnines yes\n"
    assert said[7].splitlines()[0] == "nines 1.0"
    assert said[7].splitlines()[1].startswith("one 1.0 ")
    assert {body["model"] for body in served.requests} == {"gpt-3.5-turbo", "gpt-4"}


def test_the_page_names_every_function() -> None:
    page = PAGE.read_text("utf-8")
    stubs = (PAGE.parents[1] / "__init__.pyi").read_text("utf-8")
    names = re.findall(r" as (\w+)$", stubs, re.MULTILINE)
    assert [name for name in names if name not in page] == []
    for name in names:
        assert getattr(verifytui, name) is not None
