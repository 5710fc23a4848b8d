"""Configurations for `trl sft`, `trl dpo` and LLaMA-Factory. Their paths are relative
to the folder of the export.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .llamafactory import FOLDER, NAMES

NO_BASE = "BASE-MODEL"
"""Placeholder if the user names no model."""
LORA = {"lora_r": 16, "lora_alpha": 32, "lora_dropout": 0.05}
LEAST, MOST = 1024, 131_072
"""Bounds of the maximum training length in tokens."""


def base_for(base: str | None) -> str:
    """The model for a configuration: a folder as an absolute path, because the
    configuration is used in the folder of the export.
    """
    if base is None:
        return NO_BASE
    if Path(base).is_dir():
        return str(Path(base).resolve())
    return base


def length_for(tokens: int) -> int:
    """The maximum length for training, if the longest line has about this many tokens:
    a power of two with a quarter to spare. Longer lines are cut at the end, where the
    reply is.
    """
    length = LEAST
    while length < tokens * 1.25 and length < MOST:
        length *= 2
    return length


def trl_sft(base: str | None, tokens: int, validation: bool, seed: int) -> str:
    """The configuration for `trl sft`."""
    return _yaml(
        "pip install trl peft; then, in this folder: trl sft --config trl-sft.yaml",
        _trl(base, "prompt-completion", tokens, validation, seed)
        | {
            "completion_only_loss": True,
            "learning_rate": 1e-4,
            "output_dir": "out/sft",
        },
    )


def trl_dpo(base: str | None, tokens: int, validation: bool, seed: int) -> str:
    """The configuration for `trl dpo`."""
    return _yaml(
        "pip install trl peft; then, in this folder: trl dpo --config trl-dpo.yaml",
        _trl(base, "preference", tokens, validation, seed)
        | {"beta": 0.1, "learning_rate": 5e-6, "output_dir": "out/dpo"},
    )


def llamafactory(
    stage: str, base: str | None, tokens: int, validation: bool, seed: int
) -> str:
    """The configuration for `llamafactory-cli train`. `stage`: sft or dpo."""
    values: dict[str, object] = {
        "model_name_or_path": base_for(base),
        "stage": stage,
        "do_train": True,
        "finetuning_type": "lora",
        "lora_rank": LORA["lora_r"],
        "lora_alpha": LORA["lora_alpha"],
        "lora_dropout": LORA["lora_dropout"],
        "lora_target": "all",
        "dataset_dir": FOLDER,
        "dataset": NAMES[stage, "train"],
        "cutoff_len": length_for(tokens),
        "output_dir": f"out/llamafactory-{stage}",
        "per_device_train_batch_size": 1,
        "gradient_accumulation_steps": 8,
        "num_train_epochs": 1.0,
        "learning_rate": 1e-4 if stage == "sft" else 5e-6,
        "lr_scheduler_type": "cosine",
        "warmup_ratio": 0.1,
        "logging_steps": 10,
        "save_strategy": "epoch",
        "report_to": "none",
        "seed": seed,
    }
    if stage == "dpo":
        values |= {"pref_beta": 0.1, "pref_loss": "sigmoid"}
    if validation:
        values |= {
            "eval_dataset": NAMES[stage, "validation"],
            "eval_strategy": "epoch",
            "per_device_eval_batch_size": 1,
        }
    return _yaml(
        f"in this folder: llamafactory-cli train llamafactory-{stage}.yaml",
        values,
        "without `template` the chat template of the model itself is taken",
    )


def _trl(
    base: str | None, folder: str, tokens: int, validation: bool, seed: int
) -> dict[str, object]:
    values: dict[str, object] = {
        "model_name_or_path": base_for(base),
        "dataset_name": folder,
        "dataset_train_split": "train",
        "max_length": length_for(tokens),
        "use_peft": True,
        **LORA,
        "lora_target_modules": ["all-linear"],
        "per_device_train_batch_size": 1,
        "gradient_accumulation_steps": 8,
        "num_train_epochs": 1,
        "lr_scheduler_type": "cosine",
        "logging_steps": 10,
        "save_strategy": "epoch",
        "report_to": "none",
        "seed": seed,
    }
    if validation:
        values |= {
            "dataset_test_split": "validation",
            "eval_strategy": "epoch",
            "per_device_eval_batch_size": 1,
        }
    return values


def _yaml(*parts: str | dict[str, Any]) -> str:
    import yaml

    heads = "".join(f"# {part}\n" for part in parts if isinstance(part, str))
    bodies = "".join(
        yaml.safe_dump(part, sort_keys=False, allow_unicode=True)
        for part in parts
        if not isinstance(part, str)
    )
    return heads + bodies
