"""The pages of docs/ become a site without a warning: every link and every anchor leads
somewhere, every page is in the menu.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "--site-dir",
        str(tmp_path / "site"),
    ]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    assert (tmp_path / "site" / "index.html").is_file()


def test_every_page_is_in_the_menu_once() -> None:
    menu = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    pages = [
        page
        for entry in menu
        for value in entry.values()
        for page in (
            [value]
            if isinstance(value, str)
            else [next(iter(one.values())) for one in value]
        )
    ]
    assert sorted(pages) == sorted(path.name for path in (ROOT / "docs").glob("*.md"))
