"""`locate`: every path that is used."""

from __future__ import annotations

from .. import console
from ..command import command
from ..flags import output_option


@command()
@output_option
def locate(output: str) -> int:
    """Print every path that VerifyTUI uses."""
    from ...sessions.paths import paths

    places = {name: str(path) for name, path in paths().all().items()}
    if output == "json":
        console.out_json(places)
        return console.DONE
    width = max(map(len, places))
    for name, path in places.items():
        console.out(f"{name:<{width}}  {path}\n")
    return console.DONE
