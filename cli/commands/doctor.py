"""`doctor`: reports the environment for a bug report, and any problems found."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from ...texts import has, speaking, t
from ...texts.columns import cells, pad
from .. import console
from ..command import command
from ..flags import output_option

Facts = dict[str, dict[str, Any]]
"""Section -> what is looked at -> what was found."""


@command()
@output_option
def doctor(output: str) -> int:
    """Check everything VerifyTUI depends on, as text for a bug report: no keys, no
    text of sessions.
    """
    from ..health import Health

    with speaking("en" if output == "json" else None):
        health = Health(os.environ)
        facts = health.facts()
    shown = {
        section: {name: hidden(value, os.environ) for name, value in rows.items()}
        for section, rows in facts.items()
    }
    broken = [hidden(sentence, os.environ) for sentence in health.broken]
    if output == "json":
        console.out_json({**shown, "broken": broken})
    else:
        console.out(text(shown, broken))
    if broken:
        return console.FAILED
    return console.DONE


def hidden(value: object, env: Mapping[str, str]) -> Any:
    """A value without the home folder's name, without anything that has the shape or
    the value of a key, and without control characters.
    """
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
    named = {
        section: {_name(name, section): _said(value) for name, value in rows.items()}
        for section, rows in facts.items()
    }
    width = max(cells(name) for rows in named.values() for name in rows)
    lines = []
    for section, told in named.items():
        lines += [
            _name(section),
            *(
                f"  {pad(name, width)}  {value}".rstrip()
                for name, value in told.items()
            ),
            "",
        ]
    lines += (
        [t("report.doctor.broken"), *(f"  {sentence}" for sentence in broken)]
        if broken
        else [t("report.said.nothing_broken")]
    )
    return "\n".join(lines) + "\n"


def _name(name: str, section: str = "s") -> str:
    """A section, or a fact of one, in the user's language; one that has no words, such
    as a package, by its own name.
    """
    place, own = (re.sub(r"\W+", "_", each).strip("_") for each in (section, name))
    key = (
        "report.doctor.not_read"
        if name == "not read"
        else f"report.doctor.{place}_{own}"
    )
    if has(key):
        return t(key)
    return name


def _said(value: object) -> str:
    if isinstance(value, bool):
        return t("report.doctor.yes" if value else "report.doctor.no")
    if isinstance(value, list):
        return t("asked.comma").join(map(str, value)) or t("report.doctor.none")
    if value is None:
        return "-"
    return str(value)
