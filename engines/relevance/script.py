"""The built-in `script` for cases: handwritten facts and judgements for the bundled
example of each language.

It is not a language model. It refuses any other case, and facts that are not its own.
Facts and judgements that the experts of a set of demonstrations have written for these
cases are read from the set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ...prompts.demonstrations import DemonstrationCase, ExpertJudgement, load
from ...texts import t
from ..models.port import ModelCall
from ..script import HandWritten, ScriptEntry, as_json, read, refusal
from .messages import ExtractFacts, JudgeFactsTask
from .plan import KINDS, Kind
from .rendered_demonstrations import facts_of

SCRIPTS = Path(__file__).parent / "scripts"


class _SetFile(ScriptEntry, frozen=True, kw_only=True):
    """One file: the example of one set of demonstrations.

    Cases are named by their ids in the set.
    """

    set: str
    judgements: dict[str, dict[Kind, ExpertJudgement]]
    """Of the candidates from other groups."""


class _ScriptedCase(NamedTuple):
    """A case with its handwritten replies."""

    case: DemonstrationCase
    judged: Mapping[Kind, ExpertJudgement]
    """As a candidate; empty for the query."""

    def is_told(self, parts: Sequence[str], kind: Kind) -> bool:
        """Return whether these are the case's facts of a kind, as shown in a prompt, or
        its text.
        """
        return list(parts) in (
            [self.case.text],
            [one.text for one in facts_of(self.case, kind, judged=True)],
        )

    def facts(self, kind: Kind) -> dict[str, list[Any]]:
        """Return the case's facts in the form of a reply: with their spans, and with
        circumstances of sentencing in a separate list.
        """
        if kind == "material":
            return {
                "facts": [
                    {"fact": one.fact, "span": one.span} for one in self.case.material
                ]
            }
        return {
            name: [one.fact for one in self.case.legal if one.secondary is bit]
            for name, bit in (("facts", False), ("secondary", True))
        }


class RelevanceScript(HandWritten):
    """Extracts and judges the bundled cases."""

    def line(self, call: ModelCall) -> str:
        match call.task:
            case ExtractFacts() as task:
                parts = [task.text] if task.kind == "material" else task.material
                case = _case_of(parts, "material")
                if case is not None:
                    return as_json(case.facts(task.kind))
            case JudgeFactsTask() as task:
                query, candidate = (
                    _case_of(task.query, task.kind),
                    _case_of(task.candidate, task.kind),
                )
                if (
                    query is not None
                    and not query.judged
                    and candidate is not None
                    and candidate.judged
                ):
                    judged = candidate.judged[task.kind]
                    return as_json(
                        {"reason": judged.reason, "relevant": judged.relevant}
                    )
        raise refusal(
            call.role,
            "it has lines for the bundled cases and its own facts of them only, "
            "and these are others",
        )


def unscripted(task: Mapping[str, Any]) -> str | None:
    """Return why the script has no replies for a session's topic, in the form that
    `starting.check_script` accepts; None if it has some.
    """
    texts = [
        one.get("text")
        for one in (task.get("query"), *task.get("candidates", ()))
        if isinstance(one, Mapping)
    ]
    for example in _examples():
        query, *candidates = example
        if (
            texts
            and texts[0] == query.case.text
            and {one.case.text for one in candidates}.issuperset(texts[1:])
        ):
            return None
    return t("wrong.script.cases")


def _case_of(parts: Sequence[str], kind: Kind) -> _ScriptedCase | None:
    return next(
        (
            case
            for example in _examples()
            for case in example
            if case.is_told(parts, kind)
        ),
        None,
    )


@cache
def _examples() -> list[list[_ScriptedCase]]:
    """The cases of each example, the query first."""
    return [_cases(lines) for lines in read(SCRIPTS, _SetFile)]


def _cases(lines: _SetFile) -> list[_ScriptedCase]:
    groups = load(lines.set).groups
    known = dict(pair for group in groups for pair in group.cases())
    made = [_ScriptedCase(groups[0].query, {})]
    made += [
        _ScriptedCase(one, {kind: one.judged(kind) for kind in KINDS})
        for one in groups[0].candidates
    ]
    return [
        *made,
        *(
            _ScriptedCase(known[id_], judged)
            for id_, judged in lines.judgements.items()
        ),
    ]
