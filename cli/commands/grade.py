"""`verifytui grade`: one prompt grades each candidate case, 0 to 3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...engines.grade.plan import SETTINGS
from ...texts import language
from .relevance import cases_command

if TYPE_CHECKING:
    from ...engines.starting import Starter, Wishes


class _GradeCommand:
    """The example is in the language of the prompts, without any in that of the
    interface.

    Nothing is to be remarked: the query chooses the prompts.
    """

    def example(
        self, wishes: Wishes, starter: Starter
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        from ...engines.relevance.settings import SETS
        from ...engines.relevance.starting import example_of
        from ...prompts.demonstrations import load

        prompts = str(wishes.get("prompts") or language())
        return example_of(load(SETS["en" if prompts.endswith("en") else "zh"]))

    def remarks(self, text: str, wishes: Wishes, starter: Starter) -> list[str]:
        return []


grade = cases_command("grade", SETTINGS, _GradeCommand())
