"""What a set of demonstrations consists of: groups of a query case and four candidates,
one of each level 0 to 3.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal

import msgspec

LEVELS = (0, 1, 2, 3)

Step = Literal["material", "legal"]


class DemonstrationFact(
    msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A material fact in the expert's words, and the words of the case that it comes
    from. Its id is its place: M1, M2, …
    """

    fact: str
    span: str
    why: str = ""
    """The legal knowledge that makes this fact a key one."""


class LegalFact(
    DemonstrationFact, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """The evaluation of material facts in law. Its id is its place: L1, L2, …"""

    span: str = ""
    rests_on: list[str] = msgspec.field(default_factory=list, name="from")
    """Ids of the material facts of the same case that it evaluates.

    Empty in sets that were written without it.
    """
    secondary: bool = False
    """True for circumstances of sentencing, such as surrender or compensation: a
    judgement never rests on them.
    """


class DemonstrationCase(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A case: its basic facts as a text, and what an expert takes from them."""

    text: str
    material: list[DemonstrationFact]
    legal: list[LegalFact]
    charge: str = ""

    def facts(self, kind: Step) -> Sequence[DemonstrationFact]:
        if kind == "material":
            return self.material
        return self.legal


class ExpertJudgement(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Whether the candidate is relevant in one respect, and why."""

    relevant: bool
    reason: str


class DemonstrationCandidate(
    DemonstrationCase, kw_only=True, forbid_unknown_fields=True
):
    """A case beside the query, judged."""

    level: int
    material_judgement: ExpertJudgement
    legal_judgement: ExpertJudgement

    def judged(self, step: Step) -> ExpertJudgement:
        if step == "material":
            return self.material_judgement
        return self.legal_judgement


class DemonstrationGroup(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A query and four candidates."""

    id: str
    query: DemonstrationCase
    candidates: list[DemonstrationCandidate]
    reviewed_by: str | None = None
    """Name of the lawyer who has reviewed the group; None: nobody has."""
    draft: bool = False
    """True while something is missing: a draft is never shown to a model."""

    def cases(self) -> Iterator[tuple[str, DemonstrationCase]]:
        """(id, case): `ID/query`, `ID/0` … `ID/3`."""
        yield f"{self.id}/query", self.query
        for one in self.candidates:
            yield f"{self.id}/{one.level}", one

    def is_anchored(self) -> bool:
        """Whether any legal fact says what it rests on.

        Only then do M1 and L1 in a reason mean facts.
        """
        return any(fact.rests_on for _, case in self.cases() for fact in case.legal)


class SetDescription(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What a set is."""

    language: str
    law: str
    note: str = ""


class DemonstrationSet(msgspec.Struct, kw_only=True, dict=True):
    """A set, read and checked. It does not change."""

    name: str
    about: SetDescription
    groups: list[DemonstrationGroup]

    @cached_property
    def digest(self) -> str:
        """`sha256:` and the digest of the content: it says whether this is still the
        set that a session began with.
        """
        data = msgspec.json.encode([self.about, self.groups])
        return f"sha256:{hashlib.sha256(data).hexdigest()}"
