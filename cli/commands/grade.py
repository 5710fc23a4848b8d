"""`verifytui grade`: one prompt grades each candidate case, 0 to 3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...engines.grade.settings import SETTINGS
from .relevance import cases_command

if TYPE_CHECKING:
    from ...engines.starting import Starter, Wishes


class _GradeCommand:
    """The example is in the language of the prompts, Chinese without any.

    Nothing is to be remarked: the query chooses the prompts.
    """

    def example(
        self, wishes: Wishes, starter: Starter
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        from ...engines.relevance.example import example_of
        from ...engines.relevance.starting import EXAMPLES
        from ...prompts.demonstrations import load

        return example_of(
            load(
                EXAMPLES[
                    "en" if str(wishes.get("prompts") or "").endswith("en") else "zh"
                ]
            )
        )

    def remarks(self, text: str, wishes: Wishes, starter: Starter) -> list[str]:
        return []


grade = cases_command("grade", SETTINGS, _GradeCommand())
