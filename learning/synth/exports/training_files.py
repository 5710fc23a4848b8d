"""Writes examples and preferences in the formats of all tools, with their
configurations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import chat, configs, llamafactory, trl
from .examples import Preference, TrainingExample
from .lines import ExportFolder
from .options import ExportOptions, Part

PARTS: tuple[Part, ...] = ("train", "validation")


def write(
    folder: ExportFolder,
    examples: Sequence[TrainingExample],
    preferences: Sequence[Preference],
    where: Mapping[str, Part],
    options: ExportOptions,
) -> None:
    """Writes everything but the card. `where`: the split of each question.

    Raises: BadInput, WriteError.
    """
    names = _examples(folder, examples, where, options) + _preferences(
        folder, preferences, where, options
    )
    if names:
        folder.whole(
            f"{llamafactory.FOLDER}/dataset_info.json", llamafactory.dataset_info(names)
        )


def _examples(
    folder: ExportFolder,
    examples: Sequence[TrainingExample],
    where: Mapping[str, Part],
    options: ExportOptions,
) -> list[str]:
    """Writes the files for supervised training. Returns the names of LLaMA-Factory's
    data sets.
    """
    names = []
    longest = 0
    for part in PARTS:
        there = [example for example in examples if where[example.group] == part]
        kept = chat.mixed(there, options.shares, options.seed)
        folder.exported.leave_out("chat", "shares", len(there) - len(kept))
        if not kept:
            continue
        folder.lines(f"chat/{part}.jsonl", map(chat.row, kept))
        folder.lines(f"prompt-completion/{part}.jsonl", map(trl.completion_row, kept))
        names.append(llamafactory.NAMES["sft", part])
        folder.lines(
            f"{llamafactory.FOLDER}/{names[-1]}.jsonl", map(llamafactory.sft_row, kept)
        )
        for one in kept:
            folder.exported.count("tasks", one.task)
            folder.exported.count("kinds", one.kind)
        longest = max(longest, *(one.tokens for one in kept))
    if llamafactory.NAMES["sft", "train"] in names:
        settled = options.base, longest, len(names) > 1, options.seed
        folder.whole("trl-sft.yaml", configs.trl_sft(*settled))
        folder.whole("llamafactory-sft.yaml", configs.llamafactory("sft", *settled))
    folder.exported.longest["chat"] = longest
    return names


def _preferences(
    folder: ExportFolder,
    preferences: Sequence[Preference],
    where: Mapping[str, Part],
    options: ExportOptions,
) -> list[str]:
    """Writes the preference files. Returns the names of LLaMA-Factory's data sets."""
    names = []
    for part in PARTS:
        kept = [
            preference for preference in preferences if where[preference.group] == part
        ]
        if not kept:
            continue
        folder.lines(f"preference/{part}.jsonl", map(trl.preference_row, kept))
        names.append(llamafactory.NAMES["dpo", part])
        folder.lines(
            f"{llamafactory.FOLDER}/{names[-1]}.jsonl", map(llamafactory.dpo_row, kept)
        )
        for one in kept:
            folder.exported.count("preferences", one.kind)
    longest = max((preference.tokens for preference in preferences), default=0)
    if llamafactory.NAMES["dpo", "train"] in names:
        settled = options.base, longest, len(names) > 1, options.seed
        folder.whole("trl-dpo.yaml", configs.trl_dpo(*settled))
        folder.whole("llamafactory-dpo.yaml", configs.llamafactory("dpo", *settled))
    folder.exported.longest["preference"] = longest
    return names
