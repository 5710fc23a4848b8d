"""Chat lines: `messages` as the roles of a session send and receive them, in one file
for both tasks.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from .examples import TrainingExample
from .options import TASKS


def row(example: TrainingExample) -> dict[str, Any]:
    """A chat line. The system message identifies the task in the words of the prompts;
    `task` does so for programs.
    """
    messages = [*example.prompt, {"role": "assistant", "content": example.reply}]
    return {
        "id": example.id,
        "task": example.task,
        "kind": example.kind,
        "messages": messages,
    }


def mixed(
    examples: Sequence[TrainingExample], shares: Mapping[str, float] | None, seed: int
) -> list[TrainingExample]:
    """Samples the examples so that the tasks have these shares, in random order by the
    seed. None: all of them.
    """
    draw = random.Random(f"{seed}/mix")  # noqa: S311
    drawn = [*examples]
    draw.shuffle(drawn)
    if shares is None:
        return drawn
    there = {task: sum(one.task == task for one in drawn) for task in TASKS}
    total = min(
        (there[task] / shares[task] for task in TASKS if shares[task]), default=0.0
    )
    left = {task: round(total * shares[task]) for task in TASKS}
    taken = []
    for one in drawn:
        if left[one.task]:
            left[one.task] -= 1
            taken.append(one)
    return taken
