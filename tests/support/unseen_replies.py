"""Reads the replies of `tests/attacks/*replies.jsonl` as the readers of the methods do.

People who did not know the readers wrote them: a judge's own verdicts in all the forms
that models give them, and replies that only hand on what somebody else wrote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from verifytui.engines.debate.verdicts import is_nobody
from verifytui.engines.reading import Unread, read_object
from verifytui.engines.reading.fields import Doubt, Field
from verifytui.engines.reading.marks import own_part

FOLDER = Path(__file__).parent.parent / "attacks"
MARK = "kqvmzrtw"
"""Stands for `@MARK@`, which no forged verdict can know."""

_TRUE = ("true", "yes", "1", "是", "真", "已决定", "已定")
_FALSE = ("false", "no", "0", "否", "假", "未决定", "未定")
_REASONS = ("reason", "reasons", "reasoning", "explanation", "理由", "原因", "说明")


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError("no text")
    return value


def _truth(value: Any) -> bool:
    word = str(value).strip(" .。\"'").casefold()
    if word not in (*_TRUE, *_FALSE):
        raise ValueError("neither yes nor no")
    return word in _TRUE


def _number(most: float, *, whole: bool) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not re.fullmatch(
            r"\d{1,3}(\.\d{1,9})?", str(value).strip()
        ):
            raise ValueError("no number")
        number = float(value)
        if number > most or (whole and number != int(number)):
            raise ValueError("another number")
        return number

    return read


_JUDGED = {"对": "true", "错": "false", "正确": "true", "错误": "false"} | {
    "真": "true",
    "假": "false",
    "不确定": "unclear",
    "不清楚": "unclear",
    "不明": "unclear",
    "无法判断": "unclear",
}


def _judged(value: Any) -> str:
    word = str(value).strip(" .。\"'").casefold()
    word = _JUDGED.get(word, word)
    if word not in ("true", "false", "unclear"):
        raise ValueError("no judgement")
    return word


_WORDS = {
    **dict.fromkeys(
        (*_TRUE, "right", "correct", "relevant", "对", "正确", "相关"), True
    ),
    **dict.fromkeys(
        (
            *_FALSE,
            "wrong",
            "incorrect",
            "irrelevant",
            "not relevant",
            "不正确",
            "不相关",
            "无关",
            "不对",
            "错误",
        ),
        False,
    ),
}


def _among(values: Mapping[str, Any]) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        word = str(value).strip(" .。\"'").casefold()
        if word not in values:
            raise ValueError("none of the requested values")
        return values[word]

    return read


_right = _among(_WORDS)


_SIDES = {
    **dict.fromkeys(("affirmative", "aff", "pro", "正方", "正"), "affirmative"),
    **dict.fromkeys(("negative", "neg", "con", "反方", "反"), "negative"),
    **dict.fromkeys(("none", "neither", "", "无", "双方都不"), "none"),
}
_side = _among(
    {
        f"{the}{word}{end}": side
        for word, side in _SIDES.items()
        for the in ("", "the ")
        for end in ("", " side")
    }
)

_REASON = Field(_REASONS, _text, needed=False, remark=True)
FIELDS: dict[str, dict[str, Field]] = {
    "debate": {
        "reason": _REASON,
        "decided": Field(
            ("decided", "是否决定", "是否已决定", "已决定", "是否已决", "已决", "决定"),
            _truth,
        ),
        "answer": Field(
            ("answer", "final answer", "答案", "最终答案"),
            _text,
            needed=False,
            text=True,
        ),
    },
    "similarity": {
        "reason": _REASON,
        "score": Field(
            ("score", "similarity", "分数", "评分", "得分", "相似度", "等级"),
            _number(3, whole=True),
        ),
    },
    "verifier": {
        "reason": _REASON,
        "truthful": Field(
            ("truthful", "truthfulness", "真实", "真实度", "真实性"),
            _number(1, whole=False),
        ),
        "judgement": Field(("judgement", "judgment", "判断", "结论", "判定"), _judged),
        "query": Field(
            ("query", "revised query", "查询", "检索词", "查询词"),
            _text,
            needed=False,
            text=True,
        ),
    },
    "grader": {
        "reason": _REASON,
        "score": Field(
            ("score", "grade", "分数", "评分", "得分"), _number(100, whole=True)
        ),
    },
}
_SCORES = ("score", "rating", "grade", "分数", "评分", "得分", "等级")
_MEASURES = {
    "correctness": ("correctness", "answer_correctness", "正确性"),
    "citation_accuracy": ("citation_accuracy", "citation_acc", "引用准确性"),
    "truthfulness": ("truthfulness", "真实性"),
}
FIELDS |= {
    "right": {
        "reason": _REASON,
        "correct": Field(
            ("correct", "right", "is_right", "is_correct", "正确", "是否正确"), _right
        ),
    },
    "side": {
        "reason": _REASON,
        "supported": Field(
            ("supported", "supported_side", "支持方", "支持的一方"), _side, needed=False
        ),
        "correct": Field(
            ("correct", "right", "is_right", "is_correct", "正确", "是否正确"), _right
        ),
    },
    "tenths": {"reason": _REASON, "score": Field(_SCORES, _number(10, whole=True))},
    "share": {"reason": _REASON, "score": Field(_SCORES, _number(1, whole=False))},
    "relevance": {
        "reason": _REASON,
        "relevant": Field(
            ("relevant", "is_relevant", "relevance", "相关", "是否相关", "相关性"),
            _right,
        ),
    },
    "question": {
        "reason": _REASON,
        "answer": Field(
            ("answer", "final_answer", "correct_answer", "答案", "最终答案"),
            _text,
            text=True,
        ),
    },
    "measures": {
        **{
            name: Field(names, _number(1, whole=False))
            for name, names in _MEASURES.items()
        },
        "judgement": Field(("judgement", "judgment", "判断", "结论", "判定"), _judged),
        "query": Field(
            ("query", "revised_query", "revised_question", "改写后的问题"),
            _text,
            needed=False,
            text=True,
        ),
    },
}
_NUMBERS = {"similarity": 3, "grader": 100, "tenths": 10}
SCHEMAS: dict[str, dict[str, Any]] = {
    task: {
        "type": "object",
        "properties": {
            name: (
                {"type": "integer", "minimum": 0, "maximum": _NUMBERS[task]}
                if name == "score" and task in _NUMBERS
                else {"type": "number", "minimum": 0, "maximum": 1}
                if name in ("score", "truthful", *_MEASURES)
                else {"type": "boolean"}
                if name in ("decided", "correct", "relevant")
                else {"type": "string", "enum": ["true", "false", "unclear"]}
                if name == "judgement"
                else {"type": "string", "enum": ["affirmative", "negative", "none"]}
                if name == "supported"
                else {"type": "string"}
            )
            for name in (*fields, "mark")
        },
        "required": [*fields, "mark"],
    }
    for task, fields in FIELDS.items()
}


def rows(file: str = "replies.jsonl") -> list[dict[str, Any]]:
    lines = (FOLDER / file).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def read(row: dict[str, Any], guess: str = "") -> dict[str, Any] | None:
    """The values that decide, as they are read of a reply; None where it is unread.

    A `guess` stands in the place of the mark.
    """
    mark = row.get("mark", MARK)
    task, text = row["task"], row["reply"].replace("@MARK@", mark)
    try:
        own = own_part(
            text.replace(mark, guess or mark), mark, SCHEMAS[task], [row["sent"]]
        )
    except Doubt:
        return None
    found = read_object(own, FIELDS[task], sent=[row["sent"]])
    if isinstance(found, Unread):
        return None
    values = {name: one for name, one in found[0].items() if name != "reason"}
    if values.get("decided") is False and is_nobody(values.get("answer", "")):
        values["answer"] = ""  # as in `verdicts.discriminative`
    return values


def wanted(row: dict[str, Any]) -> dict[str, Any] | None:
    """The values that decide, as somebody who reads the reply takes them."""
    if row["expected"] is None:
        return None
    return {name: one for name, one in row["expected"].items() if name != "reason"}


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two readings decide the same; a text that is left out is empty."""
    names = {*one, *other}
    return all(
        _plain(one.get(name, "")) == _plain(other.get(name, "")) for name in names
    )


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(value.split())
    return value
