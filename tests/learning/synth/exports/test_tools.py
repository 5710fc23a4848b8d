"""The files of an export in the tools that train with them.

Without the tools it is skipped.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.engines.method import method_of
from verifytui.learning.synth.exports.answers import export_answers
from verifytui.learning.synth.exports.options import ExportOptions
from verifytui.tests.learning.support.synthesised import Synthesised

pytestmark = pytest.mark.train


@pytest.fixture
async def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An export of twelve questions, as the working folder."""
    here = Synthesised(tmp_path)
    for n in range(6):
        await here.add(f"Who is it, number {n}?", "Beorn [1].", half="answering")
        right = await here.add(f"Who is this, number {n}?", "Beorn [1].")
        await here.add(
            right.question, "Beorn Beorn [1].", kind="repeated-words", origin=right.id
        )
    into = tmp_path / "out"
    export_answers(
        here.samples,
        here.verified,
        into,
        folder=tmp_path,
        method_of=method_of,
        options=ExportOptions(base="org/model"),
    )
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(into)
    return into


def test_every_file_loads_with_datasets_by_itself_and_as_a_folder(
    made: Path, tmp_path: Path
) -> None:
    import datasets

    files = sorted(made.rglob("*.jsonl"))
    assert len(files) == 10
    for file in files:
        rows = datasets.load_dataset(
            "json",
            data_files=str(file),
            split="train",
            cache_dir=str(tmp_path / "cache"),
        )
        assert len(rows) == sum(1 for _ in file.open())
    for name, columns in (
        ("chat", {"messages"}),
        ("prompt-completion", {"prompt", "completion"}),
        ("preference", {"prompt", "chosen", "rejected"}),
    ):
        whole = datasets.load_dataset(
            str(made), name, cache_dir=str(tmp_path / "cache")
        )
        assert set(whole) == {"train", "validation"}
        assert columns <= set(whole["train"].column_names)


def test_trl_takes_every_key_of_the_configurations(made: Path) -> None:
    import trl

    for name, config in (
        ("trl-sft.yaml", trl.SFTConfig),
        ("trl-dpo.yaml", trl.DPOConfig),
    ):
        parser = trl.TrlParser((trl.ScriptArguments, config, trl.ModelConfig))
        script, training, model = parser.parse_args_and_config(
            ["--config", str(made / name), "--use_cpu"], fail_with_unknown_args=True
        )
        assert (made / script.dataset_name / "train.jsonl").exists()
        assert (script.dataset_test_split, str(training.eval_strategy.value)) == (
            "validation",
            "epoch",
        )
        assert model.model_name_or_path == "org/model"
        assert training.max_length >= 1024
