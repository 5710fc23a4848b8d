"""A person checks claims or nuggets: a verdict for each, and what it rests on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

from textual.app import ComposeResult
from textual.widgets import Static

from .....sessions.events.rag import Verdict
from .....texts import t
from ....screens.docked_form import DockedForm
from ....screens.form import ChoiceField, area, field
from ....showing import clean


class ClaimsForm(DockedForm):
    """Says a line for each claim, as a person writes it: `supported [1]: the claim`; of
    nuggets `supported: 1`.
    """

    DEFAULT_CSS = "ClaimsForm #text { height: 3; }"
    FIRST = "ChoiceField"

    def __init__(self, title: str, texts: Sequence[str], *, nuggets: bool) -> None:
        """`texts`: what is checked; a text without a verdict makes no claim, a nugget
        needs one.
        """
        super().__init__(title)
        self._texts = texts
        self._nuggets = nuggets

    def body(self) -> ComposeResult:
        names = [
            (one, t(f"asked.claim_{one.replace('-', '_')}"))
            for one in get_args(Verdict)
        ]
        for n, text in enumerate(self._texts, 1):
            yield Static(f"{n} {clean(text)}", markup=False)
            own = [(None, "-"), *names]
            yield ChoiceField(t("rag.claim_verdict"), own, id=f"verdict{n}")
            if not self._nuggets:
                yield field(t("rag.claim_rests_on"), id=f"on{n}", placeholder="1, 2")
        if not self._nuggets:
            yield Static(t("rag.more_claims"), classes="quiet", markup=False)
            yield area(id="text")

    def words(self) -> str | None:
        lines = []
        for n, text in enumerate(self._texts, 1):
            verdict = self.chosen(f"verdict{n}")
            if self._nuggets and verdict is None:
                self.refuse(t("rag.needs_verdict"), f"verdict{n}")
                return None
            if self._nuggets:
                lines.append(f"{verdict}: {n}")
            elif verdict is not None:
                numbers = re.findall(r"\d+", self.typed(f"on{n}"))
                if verdict != "not-found" and not numbers:
                    self.refuse(t("rag.needs_reference"), f"on{n}")
                    return None
                at = f" [{', '.join(numbers)}]" if numbers else ""
                lines.append(f"{verdict}{at}: {' '.join(text.split())}")
        if not self._nuggets:
            lines += filter(None, [self.typed("text")])
        if not lines:
            self.refuse(t("rag.needs_verdict"), "verdict1")
        return "\n".join(lines) or None
