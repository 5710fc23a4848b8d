"""`models`: the models that can be used."""

from __future__ import annotations

import asyncio
import os

from ...texts import t
from .. import console
from ..command import command
from ..flags import output_option


@command()
@output_option
def models(output: str) -> int:
    """List the models that can be used now, and why the others cannot."""
    from msgspec import to_builtins

    from ...engines.models.catalogue import choices, local_choices, pace_in_words
    from ...engines.models.panels import PANEL
    from ..flags import workshop

    listed = choices(workshop().config, os.environ)
    listed += asyncio.run(local_choices(os.environ))
    if output == "json":
        for choice in listed:
            console.out_json(to_builtins(choice))
        return console.DONE
    from ...sessions.clean import clean

    width = max((len(choice.name) for choice in listed), default=0)
    for usable in (True, False):
        for choice in listed:
            if choice.usable is usable:
                price = _price(choice.price_input, choice.price_output)
                parts = (
                    (price, pace_in_words(choice.pace))
                    if usable
                    else (t("report.said.not_now", why_not=choice.why_not),)
                )
                told = t("report.batch.semicolon").join(part for part in parts if part)
                real = (
                    ""
                    if choice.model == choice.name
                    else f"{choice.about or choice.model}  "
                    if choice.provider == PANEL
                    else f"{choice.model}  "
                )
                console.line(
                    clean(
                        f"{choice.name:<{width}}  {real}{told}".rstrip(), newlines=False
                    )
                )
    return console.DONE


def _price(into: float | None, outof: float | None) -> str:
    if into is None or outof is None:
        return ""
    if into or outof:
        return t("report.said.price", into=into, outof=outof)
    return t("report.said.free")
