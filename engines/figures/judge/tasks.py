"""What a model can judge about an answer, and how its reply is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from ....sessions.events import Read, ReplyEvent
from ...models.panels import Ballot, How
from ...reading import Field

About = Literal["same", "ambiguity", "correctness", "quality", "preference"]
"""What is judged, and the values.

`same`: whether an answer says the same as an accepted one, 1 or 0. `ambiguity`: whether
a translation gives the right reading of an ambiguous source, 1 or 0. `correctness`:
whether an answer is right, 1 or 0. `quality`: 1 to 5. `preference`: 1 if answer A is
better, 0 if B is, 0.5 if neither.
"""

_TRUE = ("true", "yes", "是")
_FALSE = ("false", "no", "否")
_TIE = ("same", "tie", "equal", "neither", "both", "一样好", "相同", "平局")


class JudgeTask(NamedTuple):
    """One thing that a model can judge."""

    role: str
    prompts: str
    """The file of a prompt set, without its ending."""
    key: str
    """The key of the value in the reply; a panel votes on it."""
    allowed: Mapping[str, Any]
    """The JSON Schema of the value."""
    names: tuple[str, ...]
    """Other keys under which a reply may give the value."""
    values: Mapping[str, float]
    """The number for each value that a reply may give, in lower case."""
    vote: How = "choice"
    failed: str = "report.said.not_judged"
    """The message that an answer was not judged."""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the reply: the reason comes before the decision."""
        return {
            "type": "object",
            "properties": {"reason": {"type": "string"}, self.key: dict(self.allowed)},
            "required": ["reason", self.key],
            "additionalProperties": False,
        }

    @property
    def fields(self) -> dict[str, Field]:
        """The fields to read from a reply."""
        names = ("reason", "理由", "原因")
        return {
            "reason": Field(names, _text, needed=False, remark=True),
            self.key: Field((self.key, *self.names), self.number),
        }

    @property
    def ballot(self) -> Ballot[MeasureJudgement]:
        """What a panel of judges votes on."""
        return Ballot({"reason": "text", self.key: self.vote}, self._votes)

    def number(self, value: object) -> float:
        """The number for a value of a reply. Raises: ValueError."""
        number = self.values.get(str(value).strip(" .。\"'").casefold())
        if number is None:
            raise ValueError("none of the requested values")
        return number

    def _votes(self, judgement: MeasureJudgement) -> dict[str, object]:
        if judgement.value is None:
            return {}
        written: object = bool(judgement.value)
        if self.vote == "level":
            written = int(judgement.value)
        elif "enum" in self.allowed:
            written = {1.0: "A", 0.0: "B"}.get(judgement.value, "same")
        return {"reason": judgement.reason, self.key: written}


class MeasureJudgement(ReplyEvent, tag="judgement", kw_only=True):
    """What a judge said. `value` is None if its reply could not be read."""

    value: float | None = None
    reason: str = ""
    read: Read = "unread"


_RIGHT = JudgeTask(
    "judge",
    "judging",
    "right",
    {"type": "boolean"},
    ("correct", "is_right", "is_correct", "正确", "是否正确"),
    {
        **dict.fromkeys((*_TRUE, "right", "correct", "对", "正确"), 1.0),
        **dict.fromkeys((*_FALSE, "wrong", "incorrect", "不对", "错误", "不正确"), 0.0),
    },
)
TASKS: Mapping[About, JudgeTask] = {
    "same": JudgeTask(
        "equivalence",
        "equivalence",
        "same",
        {"type": "boolean"},
        ("equal", "equivalent", "相同", "是否相同", "一致"),
        {
            **dict.fromkeys((*_TRUE, "相同"), 1.0),
            **dict.fromkeys((*_FALSE, "不同"), 0.0),
        },
        failed="report.said.not_compared",
    ),
    "ambiguity": _RIGHT,
    "correctness": _RIGHT,
    "quality": JudgeTask(
        "judge",
        "judging",
        "score",
        {"type": "integer", "enum": [1, 2, 3, 4, 5]},
        ("rating", "分数", "评分", "得分"),
        {f"{score}{end}": float(score) for score in range(1, 6) for end in ("", ".0")},
        "level",
    ),
    "preference": JudgeTask(
        "judge",
        "judging",
        "better",
        {"type": "string", "enum": ["A", "B", "same"]},
        ("preferred", "winner", "更好", "更好的"),
        {"a": 1.0, "b": 0.0, **dict.fromkeys(_TIE, 0.5)},
    ),
}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("no text")
    return value
