"""`verifytui grade`: one prompt grades each candidate case, 0 to 3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...engines.grade.settings import SETTINGS
from .relevance import cases_command

if TYPE_CHECKING:
    from ...engines.starting import Starter, Wishes


class _Graded:
    """The example is that of the language; a prompt is chosen by the language of the query, so there is nothing to remark."""

    def example(self, wishes: Wishes, starter: Starter) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        from ...engines.relevance.example import example_of
        from ...engines.relevance.starting import EXAMPLES
        from ...prompts.demonstrations import load

        return example_of(load(EXAMPLES["en" if wishes.get("language") == "en" else "zh"]))

    def remarks(self, text: str, wishes: Wishes, starter: Starter) -> list[str]:
        return []


grade = cases_command("grade", SETTINGS, _Graded())
