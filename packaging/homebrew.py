"""Writes the Homebrew formula: reads a pylock.toml on stdin, prints the formula.

`make formula` gives it the versions of requirements.lock. With an argument, the path of
a source distribution, its hash is written, too: the formula can be published then.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FROM_HOMEBREW = ("numpy",)
"""Homebrew's own package is used: to build it takes a Fortran compiler."""
UNKNOWN = "0" * 64
"""The hash of a source distribution that does not exist yet."""
FORMULA = """\
# Made with: make formula
# Not built here: there was no Homebrew. A sha256 of zeros is set by the release.
class Verifytui < Formula
  include Language::Python::Virtualenv

  desc "{description}"
  homepage "https://pypi.org/project/verifytui/"
  url "https://files.pythonhosted.org/packages/source/v/verifytui/verifytui-{version}.tar.gz"
  sha256 "{sha256}"
  license "MIT"

  depends_on "rust" => :build
  depends_on "libyaml"
{from_homebrew}
  depends_on "python@3.13"

{resources}

  def install
    virtualenv_install_with_resources without: {without}
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/verifytui --version")
  end
end
"""
RESOURCE = """\
  resource "{name}" do
    url "{url}"
    sha256 "{sha256}"
  end"""


def formula(lock: dict[str, Any], sha256: str = UNKNOWN) -> str:
    """The formula: one resource for each package of a lock (PEP 751), from its source
    distribution.

    Raises: KeyError if a package has none.
    """
    resources = [
        RESOURCE.format(
            name=package["name"],
            url=package["sdist"]["url"],
            sha256=package["sdist"]["hashes"]["sha256"],
        )
        for package in lock["packages"]
        if package["name"] not in FROM_HOMEBREW
        and "win32" not in package.get("marker", "")
    ]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    version = re.search(r'__version__ = "(.+)"', (ROOT / "__init__.py").read_text())
    assert version is not None
    described = project["description"].removeprefix("A ").partition(":")[0]
    return FORMULA.format(
        description=described[0].upper() + described[1:],
        version=version[1],
        sha256=sha256,
        from_homebrew="\n".join(f'  depends_on "{name}"' for name in FROM_HOMEBREW),
        resources="\n\n".join(resources),
        without="[" + ", ".join(f'"{name}"' for name in FROM_HOMEBREW) + "]",
    )


if __name__ == "__main__":
    locked = tomllib.loads(sys.stdin.read())
    archives = [Path(word).read_bytes() for word in sys.argv[1:2]]
    hashes = [hashlib.sha256(archive).hexdigest() for archive in archives]
    print(formula(locked, *hashes), end="")
