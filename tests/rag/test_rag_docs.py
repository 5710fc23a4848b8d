"""The pages against the code: every setting, value, reason and template of the RAG workspace is named."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from jinja2 import Environment, meta
from verifytui.engines.rag.check import MEASURE
from verifytui.engines.rag.decision import BOUNDED
from verifytui.engines.rag.flags import INSTRUCTIONS, MARKS
from verifytui.engines.rag.plan import CHOICES, DEFAULTS, RANGES, SCORES, Stopped
from verifytui.prompts import load

DOCS = Path(__file__).resolve().parents[2] / "docs"


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text("utf-8")


def test_the_page_names_everything_there_is() -> None:
    text = page("rag")
    rows = re.findall(r"^\| ([\w, ]+) \| `--", text, re.MULTILINE)
    assert {name for row in rows for name in row.split(", ")} == {*DEFAULTS, "prompts"}
    for word in (*SCORES, *get_args(Stopped), *(word for words in CHOICES.values() for word in words), MEASURE, INSTRUCTIONS, MARKS):
        assert word in text
    for name, (least, most) in RANGES.items():
        assert f"| `--{name}` | {DEFAULTS[name]}, from {least} to {most} |" in text
    for name, sign in BOUNDED.items():
        assert f"{name} {sign} {DEFAULTS['bounds'][name]:g}".replace("0.", ".") in text


def test_the_prompts_page_names_every_template_and_variable() -> None:
    templates = load("en", workspace="rag").templates
    known = set(re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", page("prompts"), flags=re.MULTILINE | re.DOTALL)))
    assert set(templates) <= known
    assert {
        name for text in templates.values() for name in meta.find_undeclared_variables(Environment(autoescape=True).parse(text))
    } <= known
