"""`doctor` names compromised releases and files that run at each start of Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.cli import health, supply_chain
from verifytui.cli.health import Health
from verifytui.cli.supply_chain import compromised, startup_files


@pytest.mark.parametrize(
    ("version", "bad"), [("1.82.7", True), ("1.82.8", True), ("1.84.0", False)]
)
def test_releases_that_stole_keys_are_known(version: str, bad: bool) -> None:
    assert compromised("litellm", version) is bad
    assert not compromised("rich", version)


def test_files_that_run_code_are_listed(tmp_path: Path) -> None:
    (tmp_path / "litellm_init.pth").write_text("import os; os.system('true')\n")
    (tmp_path / "paths.pth").write_text("/some/folder\n# import os\n")
    (tmp_path / "__editable__.verifytui.pth").write_text("import finder\n")
    (tmp_path / "ada.pth").write_text("/some/folder\nimport ada\n")
    found = [file.name for file in startup_files([tmp_path, tmp_path / "none"])]
    assert found == ["ada.pth", "litellm_init.pth"]


def test_doctor_names_both(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / "litellm_init.pth"
    left.write_text("import os\n")
    monkeypatch.setattr(health, "folders", lambda: [tmp_path])
    monkeypatch.setattr("importlib.metadata.version", lambda name: "1.82.8")
    looked = Health({"VERIFYTUI_HOME": str(home)})
    facts = looked.facts()
    assert facts["startup files"] == {"run code": ["litellm_init.pth"]}
    told = " ".join(looked.broken)
    assert "litellm 1.82.8 is a malicious release" in told
    assert f"{left} is left by a malicious release" in told
    assert supply_chain.MALICIOUS == ("litellm_init.pth",)
