"""`prompts`: the sets of prompts."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from ...sessions.errors import bad_input
from ...sessions.methods import METHODS
from .. import console
from ..command import group
from ..flags import PATH, output_option


@group()
def prompts() -> None:
    """Sets of prompts: list them, show one, copy one to change it."""


@prompts.command(name="list")
@output_option
def list_(output: str) -> int:
    """List the sets of prompts."""
    from ...prompts import available
    from ...sessions.paths import paths

    for name in available(paths().prompts):
        console.out(
            (
                json.dumps({"name": name}, ensure_ascii=False)
                if output == "json"
                else name
            )
            + "\n"
        )
    return console.DONE


@prompts.command()
@click.argument("name")
def show(name: str) -> int:
    """Print the templates of the set NAME (or of a folder)."""
    from ...prompts import load
    from ...sessions.paths import paths

    for workspace in sorted(METHODS):
        chosen = load(name, user_dir=paths().prompts, workspace=workspace)
        console.out(f"# {chosen.name} {workspace} {chosen.hash}\n")
        _print(chosen.templates, 0)
    return console.DONE


def _print(templates: object, depth: int) -> None:
    """Templates as an indented outline; nothing in them is cut."""
    from ...sessions.clean import clean

    pad = "  " * depth
    if isinstance(templates, dict):
        for key, value in templates.items():
            if isinstance(value, dict | list):
                console.out(f"{pad}{key}:\n")
                _print(value, depth + 1)
            else:
                text = clean(str(value)).rstrip("\n")
                body = "\n".join(f"{pad}  {line}".rstrip() for line in text.split("\n"))
                console.out(
                    f"{pad}{key}: {text}\n"
                    if "\n" not in text
                    else f"{pad}{key}: |\n{body}\n"
                )
    elif isinstance(templates, list):
        for value in templates:
            console.out(f"{pad}- {clean(str(value), newlines=False)}\n")


@prompts.command()
@click.argument("name")
@click.argument("to", type=PATH, required=False)
def copy(name: str, to: Path | None) -> int:
    """Copy the set NAME to the folder TO (default: your own prompts, as NAME-copy) and
    print where it is.
    """
    from ...prompts import copy as copy_set
    from ...sessions.paths import paths

    target = to or paths().prompts / f"{Path(name).name}-copy"
    if os.path.lexists(target):
        raise bad_input("wrong.file.exists_folder", target=target)
    copy_set(name, target, paths().prompts)
    console.out(f"{target}\n")
    return console.DONE
