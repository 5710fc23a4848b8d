"""Checks a set of demonstrations for format errors and doubtful content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ....prompts.demonstrations import DemonstrationGroup, DemonstrationSet, load, read
from ...cases.language import is_chinese
from ..plan import KINDS
from ..settings import SETS
from . import balance as balances
from . import reasons
from .balance import Balance
from .reasons import ReasonDoubt
from .words import CaseTokenizer


class CheckResult(NamedTuple):
    """The result of a check."""

    demonstrations: DemonstrationSet
    mistakes: list[str]
    warnings: list[ReasonDoubt]
    balance: Balance
    drafts: list[str]


def check(path: Path, load: Callable[[str], DemonstrationSet] = load) -> CheckResult:
    """Read a set's folder or a file of groups, and report every error and doubt.

    This takes a moment, because words are counted.

    Raises: BadInput if there is nothing to read.
    """
    found = read(path)
    made = found.demonstrations
    language = _language(made)
    groups = [*made.groups, *load(SETS[language]).groups]
    words = CaseTokenizer(
        (case.text for group in groups for _, case in group.cases()),
        map(_reasons, groups),
    )
    figures = balances.balance(made, words, language)
    doubts = [ReasonDoubt("from", one) for one in found.warnings]
    return CheckResult(
        made,
        found.mistakes,
        [*doubts, *reasons.remarks(made, words), *balances.remarks(figures)],
        figures,
        found.drafts,
    )


def _reasons(group: DemonstrationGroup) -> str:
    return "\n".join(
        one.judged(kind).reason for one in group.candidates for kind in KINDS
    )


def _language(made: DemonstrationSet) -> str:
    """Return the language of the set, `zh` or `en`; for a single file, that of its
    cases.
    """
    said = made.about.language.casefold()
    if said:
        if said.startswith("zh"):
            return "zh"
        return "en"
    if is_chinese("\n".join(group.query.text for group in made.groups)):
        return "zh"
    return "en"
