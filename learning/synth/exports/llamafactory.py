"""Lines for LLaMA-Factory in `sharegpt` format, and the `dataset_info.json` that
describes their columns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from .examples import Preference, TrainingExample

FOLDER = "llamafactory"
NAMES = {
    ("sft", "train"): "sft",
    ("sft", "validation"): "sft_validation",
    ("dpo", "train"): "dpo",
    ("dpo", "validation"): "dpo_validation",
}
"""Names of the data sets by purpose and split."""
_TURNS = {"system": "system", "user": "human", "assistant": "gpt"}


def sft_row(example: TrainingExample) -> dict[str, object]:
    """A conversation whose last message is the training target."""
    return {
        "conversations": [
            *map(_turn, example.prompt),
            {"from": "gpt", "value": example.reply},
        ]
    }


def dpo_row(preference: Preference) -> dict[str, object]:
    """A conversation that ends with the user's message, and two replies."""
    return {
        "conversations": [*map(_turn, preference.prompt)],
        "chosen": {"from": "gpt", "value": preference.chosen},
        "rejected": {"from": "gpt", "value": preference.rejected},
    }


def dataset_info(names: Iterable[str]) -> str:
    """The file `dataset_info.json` for these data sets."""
    found: dict[str, Any] = {}
    for name in names:
        columns = {"messages": "conversations"}
        found[name] = {
            "file_name": f"{name}.jsonl",
            "formatting": "sharegpt",
            "columns": columns,
        }
        if name.startswith("dpo"):
            found[name]["ranking"] = True
            columns |= {"chosen": "chosen", "rejected": "rejected"}
    return json.dumps(found, indent=2) + "\n"


def _turn(message: dict[str, str]) -> dict[str, str]:
    return {"from": _TURNS[message["role"]], "value": message["content"]}
