"""docs/notebooks/first.ipynb: its cells run in order, without a key, and end in a
comparison.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebooks" / "first.ipynb"


def test_every_cell_runs(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    names: dict[str, Any] = {"__name__": "__main__"}
    said = []
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            exec(compile("".join(cell["source"]), str(NOTEBOOK), "exec"), names)
            said.append(capsys.readouterr().out)
    assert "Ada Holm" in said[1]
    assert said[3].splitlines()[0].startswith("first done ")
    assert len(said[4].splitlines()) == 8
    assert said[5].startswith("accuracy 0.5 1.0 ")
