"""The user's own settings of a workspace: a wrong one is named with the place where it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...sessions.errors import BadInput


def check_own(
    workspace: str, settings: Mapping[str, Any], check: Callable[[str, Any], object], file: Path, env: Mapping[str, str]
) -> dict[str, Any]:
    """The settings, after `check(name, value)` took each. Its BadInput is raised again with the file or the variable it comes from."""
    for name, value in settings.items():
        try:
            check(name, value)
        except BadInput as error:
            variables = (f"VERIFYTUI_{workspace}_{name}".upper(), f"VERIFYTUI_{name}".upper())
            variable = next((variable for variable in variables if variable in env), None)
            place = f"{file}: settings.{workspace}" if variable is None else f"The variable {variable} cannot be used"
            raise BadInput(f"{place}: {error}") from None
    return dict(settings)
