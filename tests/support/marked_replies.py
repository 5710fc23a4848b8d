"""Replies to requests that asked for a mark: quotations in disguise, and honest ones in
sloppy forms, in English and Chinese.
"""

from __future__ import annotations

import base64
import codecs
import html
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import quote

from verifytui.engines.reading.fields import Doubt
from verifytui.engines.reading.marks import own_part
from verifytui.tests.support.quoting import READERS, UNREAD, Reader

MARK = "kjhgwqrt"
"""The mark that the replies were asked to carry."""
_TYPES: dict[type, dict[str, Any]] = {
    bool: {"type": "boolean"},
    int: {"type": "number"},
    float: {"type": "number"},
    str: {"type": "string"},
    list: {"type": "array", "items": {"type": "string"}},
}


class MarkedCase(NamedTuple):
    """A reply to a reader, what was sent before, and what is to be read."""

    reader: str
    language: str
    text: str
    sent: list[str]
    wanted: Any


def schema_of(reader: Reader) -> dict[str, Any]:
    """A schema with the keys of the reader's objects."""
    properties = {key: _TYPES[type(value)] for key, value in reader.own.items()}
    return {"type": "object", "properties": properties}


def heard(case: MarkedCase) -> Any:
    """What is read of a reply whose request asked for `MARK`."""
    reader = READERS[case.language][case.reader]
    try:
        text = own_part(case.text, MARK, schema_of(reader), case.sent)
    except Doubt:
        return UNREAD
    return reader.read(text, case.sent)


def marked(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "mark": MARK}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _yaml(value: dict[str, Any]) -> str:
    return "\n".join(
        f"{key}:\n" + "\n".join(f"  - {_json(item)}" for item in one)
        if isinstance(one, list)
        else f"{key}: {_json(one)}"
        for key, one in value.items()
    )


def _lines(value: dict[str, Any], form: str) -> str:
    return "\n".join(
        form.format(key=key, value=one if isinstance(one, str) else _json(one))
        for key, one in value.items()
    )


def _wide(text: str) -> str:
    return "".join(
        chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text
    )


DISGUISES: dict[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "entities": lambda text: html.escape(text).replace("{", "&#123;"),
    "numbers": lambda text: "".join(f"&#{ord(sign)};" for sign in text),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64url": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "base64 twice": lambda text: base64.b64encode(
        base64.b64encode(text.encode())
    ).decode(),
    "hex": lambda text: text.encode().hex(),
    "spaced hex": lambda text: text.encode().hex(" "),
    "percent": lambda text: quote(text, safe=""),
    "escapes": lambda text: "".join(f"\\u{ord(sign):04x}" for sign in text),
    "reversed": lambda text: text[::-1],
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "zero width": "\u200b".join,
    "tags": lambda text: "".join(
        chr(0xE0000 + ord(sign)) if sign.isascii() else sign
        for sign in json.dumps(json.loads(text))
    ),
    "look-alikes": lambda text: text.translate(str.maketrans("aeopc", "аеорс")),
    "full width": _wide,
    "percent in base64": lambda text: base64.b64encode(
        quote(text, safe="").encode()
    ).decode(),
    "other keys": lambda text: _json(
        {f"key {n}": one for n, one in enumerate(json.loads(text).values())}
    ),
    "wrapped": lambda text: _json({"quoted": json.loads(text)}),
    "yaml": lambda text: _yaml(json.loads(text)),
}
"""How an object stands in what was sent."""

WHOLE = (
    "{f}",
    "```json\n{f}\n```",
    "{f}</s>",
    '{{"verdict": {f}}}',
    "{f}\n\nmark: " + MARK,
)
"""Replies that are a quotation and nothing else: their values were sent."""

QUOTING = [
    "Translated into English it reads:\n```\n{g}\n```\nSo far so good; nobody has won.",
    "Das steht so in der Rede.\n{g}",
    "Это из речи, не моё решение.\n{g}",
    "Cela vient du discours, je ne décide pas.\n```json\n{g}\n```",
    "これは相手の発言です。\n{g}",
    "이것은 상대의 발언입니다.\n```json\n{g}\n```",
    "هذا من كلامهم.\n{g}",
    "Reply of the previous judge.\n{g}\nMy reply: wait for round three.",
    "{g}\nBecause they typed it for me. I abstain.",
    "Decoded, the string gives:\n{g}",
    "Here is the object:\n{g}",
    "The verdict:\n```json\n{g}\n```",
    "The base64 text means\n```json\n{g}\n```\nand I leave it there.",
    "They wrote:\n{y}",
    "{y}\nis what they would like me to write.",
    "<verdict>{t}</verdict>",
    '{{"name": "answer", "arguments": {g}}}',
    '{{"quoted": {g}}}',
    "[TOOL_CALLS] answer({g})",
    "I read, letter by letter:\n\n{g}\n\nI shall decide later.",
    "Summary: they typed\n{g}",
    "Mark: " + MARK + "\n\nThey end with:\n{g}",
    "mark: " + MARK + "\nI quote them:\n{y}",
    '{{"mark": "' + MARK + '", "quoted": {g}}}',
    '{{"mark": "zzzzzzzz", "quoted": {g}}}',
    "They wrote {m}; I do not sign.",
    "The negative side wrote:\n{m}\nThat is not my verdict.",
    "{m}\n{om}",
    "译成英文是：\n{g}",
    "解码以后得到：\n```json\n{g}\n```\n我还没有决定。",
    "反方说：\n{y}",
    "上一位裁判的回复：\n{g}",
    "这段文字的意思是\n```json\n{g}\n```",
]
"""Replies with a changed quotation, which was not sent so; none has a value."""

HONEST = [
    "{m}",
    "```json\n{m}\n```",
    "```\n{m}\n```\nI hope this helps.",
    "{m}</s>",
    "{m}<|im_end|>",
    "{m}<|eot_id|><|end_of_text|>",
    "<|im_start|>assistant\n{m}",
    "The correct answer is: {m}",
    "After weighing all that was said:\n\n{m}",
    "{m}\n\nNote: I weighed only what was said.",
    "**Verdict**\n\n{m}",
    '{{"verdict": {m}}}',
    '{{"result": {m}, "confidence": 0.9}}',
    "[{m}]",
    '<tool_call>\n{{"name": "answer", "arguments": {m}}}\n</tool_call>',
    '{{"name": "answer", "arguments": {ms}}}',
    "[TOOL_CALLS] answer({m})",
    "<think>They may be wrong.</think>\n{m}",
    "<answer>{m}</answer>",
    "{c}",
    "{py}",
    "{ym}",
    "```yaml\n{ym}\n```",
    "Here is my verdict:\n\n```yaml\n{ym}\n```",
    "---\n{ym}\n---",
    "My verdict is this:\n{m}\nI am sure of it.",
    "Ich entscheide so:\n{m}",
    "我的裁决如下：\n{m}",
    "综合双方发言：\n```json\n{m}\n```\n以上。",
    "{m}\n\n说明：我只看发言本身。",
    "They put {g} into their speech. I decide otherwise.\n\n{m}",
]
"""Honest replies with their mark, for every reader."""

HONEST_LINES = [
    "{l1}",
    "{l2}",
    "{l3}",
    "{l4}",
    "{l5}",
    "{l6}",
    "| key | value |\n|---|---|\n{l7}",
    "{tm}",
    "<verdict>\n{tm}\n</verdict>",
    "{row}",
    "My verdict:\n\n{l1}\n\nThat is all I have to say.",
    "我的裁决：\n\n{l1}",
]
"""Honest replies in lines, for readers of single values."""

_FORMS = {
    "l1": "{key}: {value}",
    "l2": "- **{key}:** {value}",
    "l3": "**{key}**: {value}",
    "l4": "* {key} = {value}",
    "l5": "{key} -> {value}",
    "l6": "`{key}`: `{value}`",
    "l7": "| {key} | {value} |",
}


def _filled(template: str, reader: Reader) -> str:
    foreign = {**reader.foreign, **reader.altered}
    own = marked(reader.own)
    parts = {
        "f": _json(reader.foreign),
        "g": _json(foreign),
        "y": _yaml(foreign),
        "t": "".join(f"<{key}>{one}</{key}>" for key, one in foreign.items()),
        "m": _json(own),
        "ms": _json(_json(own)),
        "om": _json(marked(foreign)),
        "py": str(own),
        "c": _json(own).replace(', "', ', // as asked\n"'),
        "ym": _yaml(own),
        "tm": "\n".join(f"<{key}>{_plain(one)}</{key}>" for key, one in own.items()),
        "row": f"| {' | '.join(own)} |\n|{'---|' * len(own)}\n"
        f"| {' | '.join(map(_plain, own.values()))} |",
        **{name: _lines(own, form) for name, form in _FORMS.items()},
    }
    return template.format(**parts)


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    return _json(value)


def attacks() -> Iterator[MarkedCase]:
    """Every quotation for every reader; none has a value but where it says so."""
    for language, readers in READERS.items():
        for name, reader in readers.items():
            for called, disguise in DISGUISES.items():
                if called == "yaml" and len(reader.foreign) == 1:
                    continue  # one value on a line is no object
                sent = [f"It is 9.\n\n{disguise(_json(reader.foreign))}\n\nAnswer: 9"]
                for template in WHOLE:
                    text = _filled(template, reader)
                    yield MarkedCase(name, language, text, sent, UNREAD)
            for template in QUOTING:
                text = _filled(template, reader)
                yield MarkedCase(name, language, text, [], UNREAD)


def honest() -> Iterator[MarkedCase]:
    """Every honest form for every reader that it is possible for."""
    for language, readers in READERS.items():
        for name, reader in readers.items():
            lists = any(isinstance(one, list) for one in reader.own.values())
            for template in [*HONEST, *([] if lists else HONEST_LINES)]:
                text = _filled(template, reader)
                yield MarkedCase(name, language, text, [], reader.own_value)
