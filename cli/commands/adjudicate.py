"""`adjudicate`: the pairs on which people differ, decided one by one in the app; or
listed, for scripts.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .. import console
from ..command import command
from ..flags import PATH, flag_option, output_option, without_option
from ..screen import app_options, open_app, plain_option

if TYPE_CHECKING:
    from ...engines.relevance.adjudication import PairDispute


@command()
@click.argument("folder", type=PATH, metavar="DIR|FILE")
@click.option("--by", metavar="NAME")
@flag_option("--anonymous")
@without_option
@output_option
@app_options
@plain_option
def adjudicate(
    folder: Path,
    by: str | None,
    anonymous: bool,
    without_rater: tuple[str, ...],
    output: str,
) -> int:
    """Decide on the pairs that people label differently, in the app; `--output json`
    lists them and writes nothing.
    """
    from ...engines.relevance.adjudication import disputes, without_names
    from ...sessions.annotators import name_of
    from ...sessions.label_store import LabelStore
    from ...tui.workspaces.relevance.labeling.start import adjudication

    store = LabelStore.of_pairs(folder, without=without_rater)
    found = disputes(store.pairs, store.people)
    for warning in store.warnings():
        console.say(warning)
    if output == "json":
        for one in found:
            if anonymous:
                one = one._replace(labels=without_names(one.pair, one.labels))
            console.out_json(_json(one))
        return console.DONE
    name = name_of(by) if by is not None else None
    if not found:
        console.tell("report.said.no_disputes")
        return console.DONE
    return open_app(
        None, sitting=adjudication(folder, name, without_rater, anonymous=anonymous)
    )


def _json(one: PairDispute) -> dict[str, object]:
    from ...sessions.events import plain

    labels = []
    for name, label in one.labels.items():
        said = plain(label)
        labels.append(
            {"annotator": name, **{key: said[key] for key in _SHOWN if key in said}}
        )
    gold = None
    if one.gold is not None:
        gold = {
            "value": one.gold.value,
            "by": one.gold.by,
            "reason": one.gold.reason,
            "time": one.gold.time,
        }
    return {
        "file": str(one.pair.path),
        "session": one.pair.session,
        "query": one.pair.query,
        "candidate": one.pair.candidate,
        "state": one.state,
        "spread": one.spread,
        "labels": labels,
        "gold": gold,
    }


_SHOWN = (
    "value",
    "bits",
    "reasons",
    "facts",
    "note",
    "seen_machine",
    "seconds",
    "time",
)
