"""The table of keys that the documents have, made from the list of actions."""

from __future__ import annotations

from verifytui.sessions.methods import WORKSPACES
from verifytui.texts import catalogue, speaking
from verifytui.tui.actions import ACTIONS, shown


def markdown_table(
    language: str = "en", head: str = "| keys | action | what it does |"
) -> str:
    """Returns the table of keys in the docs, made from the list above."""
    texts = catalogue(language)
    lines = [head, "|---|---|---|"]
    for action in ACTIONS:
        about = texts[f"action.{action.id}_help"]
        if len(action.where) == 1:
            about = f"{texts[f'app.{action.where[0]}']}: {about}"
        else:
            own = [each for each in WORKSPACES if f"{each}_action.{action.id}" in texts]
            about = "; ".join(
                [
                    about,
                    *(
                        f"{texts[f'app.{each}']}: "
                        f"{texts[f'{each}_action.{action.id}_help']}"
                        for each in own
                    ),
                ]
            )
        with speaking(language):
            keys = shown(action.keys)
        lines.append(f"| `{keys}` | {texts[f'action.{action.id}']} | {about} |")
    return "\n".join(lines) + "\n"
