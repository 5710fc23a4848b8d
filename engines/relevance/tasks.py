"""The tasks about cases, as data.

Language models get the rendered messages; `lexical` and `human` answer from these.
"""

from __future__ import annotations

from typing import Literal

from ..models.port import Task


class RelevanceTask(Task, kw_only=True):
    """What all tasks have."""

    kind: Literal["material", "legal"]
    language: str
    """Of the demonstration set, in which prompts and reasons are."""


class ExtractFacts(RelevanceTask, kw_only=True):
    """Role `extractor`: material facts from a case's text, legal facts from its
    material facts. The reply is {"facts": ["…", …]}.
    """

    text: str = ""
    """The case, or the part of it that is read in this call; empty for legal facts,
    which rest on the material ones alone.
    """
    material: list[str] = []
    """For legal facts: the material facts they rest on."""


class JudgeFactsTask(RelevanceTask, kw_only=True):
    """Role `annotator`: relevant or not, with the reason.

    The reply is a JSON object {"reason": "…", "relevant": true or false}.
    """

    query: list[str]
    """The facts of that kind; the case's text alone without extraction."""
    candidate: list[str]
    query_material: list[str] = []
    """For the legal judgement: the material facts that the legal facts rest on."""
    candidate_material: list[str] = []
