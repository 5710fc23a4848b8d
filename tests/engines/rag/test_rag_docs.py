"""The pages against the code: every setting, value, reason and template of the RAG
workspace is named.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from jinja2 import Environment, meta
from verifytui.engines.rag.check import INSTRUCTIONS, MARKS
from verifytui.engines.rag.decision import BOUNDED
from verifytui.engines.rag.plan import SCORES, Stopped
from verifytui.engines.rag.settings import SETTINGS
from verifytui.engines.retrieval.citations import MEASURE
from verifytui.prompts import load
from verifytui.tests.support.rendered import MARK, PAGE, rendered

DOCS = Path(__file__).resolve().parents[3] / "docs"


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text("utf-8")


def test_the_page_names_everything_there_is() -> None:
    text = page("rag")
    for word in (*SCORES, *get_args(Stopped), MEASURE, INSTRUCTIONS, MARKS):
        assert word in text
    for name, sign in BOUNDED.items():
        assert (
            f"{name} {sign} {SETTINGS['bounds'].default[name]:g}".replace("0.", ".")
            in text
        )


def test_the_prompts_page_names_every_template_and_variable() -> None:
    templates = load("en", workspace="rag").templates
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


def test_the_page_shows_every_call_as_it_is_rendered() -> None:
    assert PAGE.read_text("utf-8").partition(MARK)[2].strip() == rendered().strip()
