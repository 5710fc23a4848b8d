"""Lines for TRL in conversational format: prompt and completion, and prompt with a
chosen and a rejected reply.
"""

from __future__ import annotations

from .examples import Preference, TrainingExample


def completion_row(example: TrainingExample) -> dict[str, object]:
    """A line with prompt and completion; the loss covers only the completion."""
    return {"prompt": [*example.prompt], "completion": [_said(example.reply)]}


def preference_row(preference: Preference) -> dict[str, object]:
    """A line with a preference."""
    return {
        "prompt": [*preference.prompt],
        "chosen": [_said(preference.chosen)],
        "rejected": [_said(preference.rejected)],
    }


def _said(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}
