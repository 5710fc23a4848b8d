"""The options of an export."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from ....sessions.errors import bad_input

TASKS = ("answering", "verification")
"""The two tasks for which one model is trained (CoV-RAG, section 2.3)."""

Part = Literal["train", "validation"]


class ExportOptions(msgspec.Struct, kw_only=True, frozen=True):
    """Choices of an export."""

    seed: int = 0
    validation: float = 0.1
    """Share of the questions in `validation`, the same questions in every file."""
    shares: Mapping[str, float] | None = None
    """Shares of the tasks in the chat lines, with sum 1; None: all lines of both."""
    base: str | None = None
    """The model to train, for the configurations: a folder, or an id on the hub. None:
    the placeholder `BASE-MODEL`.
    """
    licence: str | None = None
    """As given by the user; None: not stated."""
    positive: int = 2
    """Lowest level of a relevant pair of cases, for formats with only two classes."""
    about: Mapping[str, str] = {}
    """For the card: the sources of the data, name → value (files with digests, models,
    seeds).
    """
    judges: Sequence[str] = ()
    """The models that gave the machine's levels."""
    agreement: str | None = None
    """For the card: a sentence on the verifier's agreement with known results."""


def parse_shares(text: str) -> dict[str, float]:
    """Parses `answering=.5,verification=.5` as shares by task.

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
    """Assigns each question to a split.

    `strata`: groups of questions that are split separately; a question in several
    groups counts in the first one. The share of `validation` is exact to one question.
    Of two or more questions, at least one is held out, and never all.
    """
    found: dict[str, Part] = {}
    for stratum in strata:
        ids = sorted(set(stratum) - found.keys())
        random.Random(f"{options.seed}/parts").shuffle(ids)  # noqa: S311
        held = max(round(options.validation * len(ids)), 1) if options.validation else 0
        held = max(min(held, len(ids) - 1), 0)
        found |= {
            id_: "validation" if at < held else "train" for at, id_ in enumerate(ids)
        }
    return found
