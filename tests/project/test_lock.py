"""requirements.lock pins the plain install by hash, at the versions that the tests are
run with.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked() -> dict[str, tuple[str, int]]:
    """Name -> version and number of hashes."""
    text = (ROOT / "requirements.lock").read_text("utf-8")
    joined = [
        line
        for line in text.replace("\\\n", " ").splitlines()
        if line.strip() and not line.startswith("#")
    ]
    found = {}
    for line in joined:
        match = re.match(rf"({NAME})==(\S+)", line)
        assert match is not None, line
        found[plain(match[1])] = (
            match[2],
            len(re.findall(r"--hash=sha256:[0-9a-f]{64}\b", line)),
        )
    return found


def test_every_requirement_of_the_plain_install_is_there_with_its_hashes() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found = locked()
    for line in project["dependencies"]:
        name = re.match(NAME, line)
        assert name is not None
        assert plain(name[0]) in found, line
    assert all(hashes for _, hashes in found.values())


def test_the_versions_are_those_of_the_constraints() -> None:
    constraints = (ROOT / "constraints.txt").read_text("utf-8")
    pinned = {
        plain(name): version
        for name, version in re.findall(
            rf"^({NAME})==(\S+)$", constraints, re.MULTILINE
        )
    }
    found = locked()
    assert len(found) > 50
    known = {
        name: (version, pinned[name])
        for name, (version, _) in found.items()
        if name in pinned
    }
    assert {
        name: versions for name, versions in known.items() if versions[0] != versions[1]
    } == {}
    assert set(found) - set(pinned) <= {
        "colorama",
        "tzdata",
        "win32-setctime",
        "pywin32",
    }, "on Linux each version is a tested one"
