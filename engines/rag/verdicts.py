"""What the verifier says of the answer that a session ended with, to be compared with
people's labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from ...sessions.session import Session
from ..figures.verdicts import MachineVerdict, Verdicts
from .abstention import abstains
from .decision import BOUNDED, conjunction, disjunction
from .facts import scores_wanted
from .plan import SCORES, kept_turn, setting


class RagVerdicts(Verdicts):
    """The judgement and the six scores of a verification, and the rules of the
    indicator with bounds.
    """

    words = ("true", "false", "unclear")
    better: ClassVar[Mapping[str, Literal["higher", "lower"]]] = {
        name: "lower" if name == "bias" else "higher" for name in SCORES
    }
    signs = BOUNDED
    rules = ("thresholds-all", "thresholds-any")
    rule_setting = "indicator"
    bounds_setting = "bounds"

    def of(self, session: Session) -> MachineVerdict | None:
        turn = kept_turn(session) if session.result is not None else None
        said = turn.verification if turn is not None else None
        if turn is None or said is None or not scores_wanted(said):
            return None
        known = {
            name: getattr(said, name) for name in SCORES if name not in said.unmeasured
        }
        holds = None if said.judgement is None else said.judgement == "true"
        given = turn.answer is not None and abstains(turn.answer.answer)
        return MachineVerdict(holds, said.judgement or "", known, said.model, given)

    def rule(self, session: Session) -> tuple[str, Mapping[str, float]]:
        return str(setting(session, self.rule_setting)), dict(
            setting(session, self.bounds_setting)
        )

    def revises(
        self, rule: str, clauses: Mapping[str, bool | None], holds: bool | None
    ) -> bool | None:
        """As `decision.decide`, as if there were a revised query."""
        together = conjunction if rule == "thresholds-all" else disjunction
        return conjunction(
            [together(clauses.values()), None if holds is None else not holds]
        )
