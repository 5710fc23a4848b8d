"""The pages against the code: every setting, value, stage and template of the relevance
workspace is named.
"""

from __future__ import annotations

import re
from pathlib import Path

from jinja2 import Environment, meta
from verifytui.engines.relevance.plan import STAGES
from verifytui.engines.relevance.settings import SETTINGS
from verifytui.prompts import load

DOCS = Path(__file__).resolve().parents[3] / "docs"


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text("utf-8")


def test_the_page_names_everything_there_is() -> None:
    text = page("relevance")
    computed = [setting.name for setting in SETTINGS if setting.computed]
    assert all(f"`{word}`" in text for word in (*computed, *STAGES))


def test_the_prompts_page_names_every_template_and_variable() -> None:
    templates = load("en", workspace="relevance").templates
    known = set(
        re.findall(
            r"`([^`\n]+)`",
            re.sub(r"^```.*?^```", "", page("prompts"), flags=re.MULTILINE | re.DOTALL),
        )
    )
    assert set(templates) <= known
    assert {
        name
        for text in templates.values()
        for name in meta.find_undeclared_variables(
            Environment(autoescape=True).parse(text)
        )
    } <= known
