"""What can be chosen for an export."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from ....sessions.errors import bad_input

TASKS = ("answering", "verification")
"""The two tasks that one model is trained on (CoV-RAG, section 2.3)."""

Part = Literal["train", "validation"]


class ExportOptions(msgspec.Struct, kw_only=True, frozen=True):
    """Choices of an export."""

    seed: int = 0
    validation: float = 0.1
    """The share of the questions that is in `validation`, in every file the same
    ones.
    """
    shares: Mapping[str, float] | None = None
    """The shares of the tasks among the chat lines, which sum to 1; None: all lines of
    both.
    """
    base: str | None = None
    """The model to train, for the configurations: a folder, or an id on the hub.

    None: `BASE-MODEL` is in its place.
    """
    licence: str | None = None
    """As the user states it; None: not stated."""
    positive: int = 2
    """The lowest level of a pair of cases that counts as near, where a form knows only
    near and far.
    """
    about: Mapping[str, str] = {}
    """For the card: what the data were made from, name → value (files with digests,
    models, seeds).
    """
    judges: Sequence[str] = ()
    """The models that gave the levels of a machine."""
    agreement: str | None = None
    """For the card: how far the verifier agrees with what is known, a sentence."""


def parse_shares(text: str) -> dict[str, float]:
    """`answering=.5,verification=.5` as shares by task.

    Raises: BadInput unless every task is named once and the shares sum to 1.
    """
    found: dict[str, float] = {}
    try:
        for part in text.split(","):
            name, _, value = part.partition("=")
            if name.strip() in found or name.strip() not in TASKS:
                raise ValueError
            found[name.strip()] = float(value)
        if (
            set(found) != set(TASKS)
            or any(not 0 <= share <= 1 for share in found.values())
            or abs(sum(found.values()) - 1) > 1e-6
        ):
            raise ValueError
    except ValueError:
        raise bad_input("wrong.exports.shares", text=text[:80]) from None
    return found


def parts(options: ExportOptions, *strata: Iterable[str]) -> dict[str, Part]:
    """Where each question stands.

    `strata`: questions of which each lot is divided by itself; one of several counts in
    the first.

    The share of `validation` is met to a question. Of two or more at least one is held
    back, and never all.
    """
    found: dict[str, Part] = {}
    for stratum in strata:
        ids = sorted(set(stratum) - found.keys())
        random.Random(f"{options.seed}/parts").shuffle(ids)  # noqa: S311
        held = max(round(options.validation * len(ids)), 1) if options.validation else 0
        held = max(min(held, len(ids) - 1), 0)
        found |= {
            one: "validation" if at < held else "train" for at, one in enumerate(ids)
        }
    return found
