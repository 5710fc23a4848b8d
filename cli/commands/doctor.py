"""`doctor`: what a bug report needs to say of this machine, and what is broken here."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from ...texts import t
from .. import console
from ..command import command
from ..flags import output_option

Facts = dict[str, dict[str, Any]]
"""Section -> what is looked at -> what was found."""


@command()
@output_option
def doctor(output: str) -> int:
    """Look at everything VerifyTUI stands on, as text for a bug report: no keys, no text of sessions."""
    from ..health import Health

    health = Health(os.environ)
    facts = health.facts()
    shown = {section: {name: hidden(value, os.environ) for name, value in rows.items()} for section, rows in facts.items()}
    broken = [hidden(sentence, os.environ) for sentence in health.broken]
    if output == "json":
        console.out_json({**shown, "broken": broken})
    else:
        console.out(text(shown, broken))
    return console.FAILED if broken else console.DONE


def hidden(value: Any, env: Mapping[str, str]) -> Any:
    """A value without the home folder's name, without anything that has the shape or the value of a key, and without control characters."""
    from ...engines.models.keys import without_keys
    from ...sessions.clean import clean

    if isinstance(value, list):
        return [hidden(each, env) for each in value]
    if not isinstance(value, str):
        return value
    home = os.path.expanduser("~").rstrip("/")
    if home:
        value = re.sub(re.escape(home) + r"(?![\w-])", "~", value)
    return clean(without_keys(value, env), newlines=False)


def text(facts: Facts, broken: list[str]) -> str:
    """A section a paragraph, a fact a line; what is broken comes last."""
    width = max(len(name) for rows in facts.values() for name in rows)
    lines = []
    for section, rows in facts.items():
        lines += [section, *(f"  {name:<{width}}  {_said(value)}".rstrip() for name, value in rows.items()), ""]
    lines += ["broken", *(f"  {sentence}" for sentence in broken)] if broken else [t("report.said.nothing_broken")]
    return "\n".join(lines) + "\n"


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "-" if value is None else str(value)
