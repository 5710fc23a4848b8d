"""The built-in `script` for cases: facts and judgements written by hand for the bundled example of each language.

It is no language model. It refuses any other case, and facts that are not its own. What the experts of a set of demonstrations have
written of these cases stands in the set and is not written again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...prompts.demonstrations import Candidate, Judgement, load
from ...texts import t
from ..models.port import Call
from ..script import HandWritten, as_json, read, refusal
from .plan import KINDS, Kind
from .tasks import ExtractFacts, Judge

SCRIPTS = Path(__file__).parent / "scripts"


class _Lines(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file: the example of one set of demonstrations. Cases are named by their ids in the set."""

    set: str
    material: dict[str, list[str]]
    judgements: dict[str, dict[Kind, Judgement]]


class _Case(NamedTuple):
    """A case with what is written of it."""

    text: str
    facts: Mapping[Kind, Sequence[str]]
    judged: Mapping[Kind, Judgement]
    """As a candidate; empty for the query."""

    def is_told(self, parts: Sequence[str], kind: Kind) -> bool:
        """Whether these are its facts of a kind, or its text."""
        return list(parts) in ([self.text], list(self.facts[kind]))


class Script(HandWritten):
    """Extracts and judges the bundled cases."""

    def line(self, call: Call) -> str:
        match call.task:
            case ExtractFacts() as task:
                parts = [task.text] if task.kind == "material" else task.material
                case = _case_of(parts, "material")
                if case is not None:
                    return as_json({"facts": list(case.facts[task.kind])})
            case Judge() as task:
                query, candidate = _case_of(task.query, task.kind), _case_of(task.candidate, task.kind)
                if query is not None and not query.judged and candidate is not None and candidate.judged:
                    judged = candidate.judged[task.kind]
                    return as_json({"reason": judged.reason, "relevant": judged.relevant})
        raise refusal(call.role, "it has lines for the bundled cases and its own facts of them only, and these are others")


def unscripted(task: Mapping[str, Any]) -> str | None:
    """Why there are no lines for what a session is about, as `starting.check_script` takes it; None where there are."""
    texts = [one.get("text") for one in (task.get("query"), *task.get("candidates", ())) if isinstance(one, Mapping)]
    for example in _examples():
        query, *candidates = example
        if texts and texts[0] == query.text and {one.text for one in candidates}.issuperset(texts[1:]):
            return None
    return t("wrong.script.cases")


def _case_of(parts: Sequence[str], kind: Kind) -> _Case | None:
    return next((case for example in _examples() for case in example if case.is_told(parts, kind)), None)


@cache
def _examples() -> list[list[_Case]]:
    """The cases of each example, the query first."""
    return [_cases(lines) for lines in read(SCRIPTS, _Lines)]


def _cases(lines: _Lines) -> list[_Case]:
    known = dict(pair for group in load(lines.set).groups for pair in group.cases())
    made = []
    for id_, material in lines.material.items():
        case = known[id_]
        judged = lines.judgements.get(id_, {})
        if isinstance(case, Candidate):
            judged = {kind: case.judged(kind) for kind in KINDS}
        made.append(_Case(case.text, {"material": material, "legal": [one.fact for one in case.legal]}, judged))
    return sorted(made, key=lambda case: bool(case.judged))
