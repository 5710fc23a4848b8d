"""The pages against the code: every setting, value, stage and template of the relevance workspace is named."""

from __future__ import annotations

import re
from pathlib import Path

from jinja2 import Environment, meta
from verifytui.engines.relevance.plan import CHOICES, COMPUTED, DEFAULTS, RANGES, STAGES
from verifytui.prompts import load

DOCS = Path(__file__).resolve().parents[2] / "docs"


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text("utf-8")


def test_the_page_names_everything_there_is() -> None:
    text = page("relevance")
    rows = dict(re.findall(r"^\| ([\w, ]+) \| (?:`--[^`]*`|\u2013) \| (.*?) \|", text, re.MULTILINE))
    values = {name: value for names, value in rows.items() for name in names.split(", ")}
    assert set(values) == set(DEFAULTS) - set(COMPUTED)
    assert all(f"`{word}`" in text for word in (*COMPUTED, *STAGES))
    for name, words in CHOICES.items():
        assert set(re.findall(r"`(\w+)`", values[name])) == set(words)
        assert values[name].startswith(f"`{DEFAULTS[name]}`")
    for name, (least, most) in RANGES.items():
        assert values[name] in (str(DEFAULTS[name]), f"{DEFAULTS[name]}, from {least} to {most}")


def test_the_prompts_page_names_every_template_and_variable() -> None:
    templates = load("en", workspace="relevance").templates
    known = set(re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", page("prompts"), flags=re.MULTILINE | re.DOTALL)))
    assert set(templates) <= known
    assert {
        name for text in templates.values() for name in meta.find_undeclared_variables(Environment(autoescape=True).parse(text))
    } <= known
