"""The command that adds an extra, for each way to install the program."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
from verifytui.sessions import installation
from verifytui.sessions.installation import install_command
from verifytui.texts import has, t


def _version(name: str) -> str:
    if name != "pypdf":
        raise metadata.PackageNotFoundError(name)
    return "6"


FOLDER = {"url": "file:///home/ada/my%20code", "dir_info": {}}
EDITABLE = {"url": "file:///home/ada/code", "dir_info": {"editable": True}}


@pytest.mark.parametrize(
    ("made_by", "source", "command"),
    [
        ("", None, "{python} -m pip install 'verifytui[ray]'"),
        ("", FOLDER, "{python} -m pip install '/home/ada/my code[ray]'"),
        ("", EDITABLE, "{python} -m pip install -e '/home/ada/code[ray]'"),
        ("uv-receipt.toml", None, "uv tool install --force 'verifytui[documents,ray]'"),
        (
            "uv-receipt.toml",
            EDITABLE,
            "uv tool install --force --editable '/home/ada/code[documents,ray]'",
        ),
        (
            "pipx_metadata.json",
            FOLDER,
            "pipx install --force '/home/ada/my code[documents,ray]'",
        ),
        (
            "",
            {"url": "https://example.org/a.whl"},
            "{python} -m pip install 'verifytui[ray] @ https://example.org/a.whl'",
        ),
        (
            "",
            {
                "url": "https://example.org/a",
                "vcs_info": {"vcs": "git", "commit_id": "c0ffee"},
            },
            "{python} -m pip install "
            "'verifytui[ray] @ git+https://example.org/a@c0ffee'",
        ),
        ("", "broken", None),
    ],
)
def test_the_command_fits_the_installation(
    made_by: str,
    source: object,
    command: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if made_by:
        (tmp_path / made_by).touch()
    written = None if source is None else json.dumps(source)
    found = SimpleNamespace(
        read_text=lambda name: written,
        requires=[
            "rich>=14",
            "pypdf>=6; extra == 'documents'",
            "ray>=2; extra == 'ray'",
            "verifytui[ray]; extra == 'all'",
        ],
    )
    monkeypatch.setattr(metadata, "version", _version)
    monkeypatch.setattr(metadata, "distribution", lambda name: found)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/venv/bin/python")
    wanted = command or "{python} -m pip install 'verifytui[ray]'"
    assert install_command("ray") == wanted.format(python="/venv/bin/python")


def test_an_environment_without_pip_takes_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "find_spec", lambda name: None)
    assert install_command("ray").startswith("uv pip install --python ")


def test_pip_knows_the_command_of_this_installation() -> None:
    words = install_command("plots").split(" ")
    assert words[1:3] == ["-m", "pip"]
    done = subprocess.run(
        [words[0], "-c", "import verifytui"], capture_output=True, check=False
    )
    assert done.returncode == 0


def test_every_text_about_an_extra_takes_the_command() -> None:
    for key in (
        "ray.missing",
        "milvus.no_library",
        "encoder.missing",
        "frame.parquet",
        "documents.libraries",
        "documents.marks",
        "study.no_matplotlib",
        "results.no_inspect",
        "web.no_library",
    ):
        assert has(f"wrong.{key}")
        words = {"kind": "Word", "library": "docutils", "path": "a.eval"}
        assert "pip install X" in t(f"wrong.{key}", install="pip install X", **words)
