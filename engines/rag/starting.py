"""How a question begins: what is asked, and where to look for references."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ...prompts import prompt_set_for
from ...sessions.errors import BadInput
from ...sessions.events import Reference
from ...sessions.session import Header
from ...texts import t
from ..script import NAME
from ..starting import Starter, Wishes, wishes
from .new import new_question, roles_needed
from .script import CORPUS, unscripted
from .seats import seats
from .settings import SETTINGS, WHERE, check_settings

FIRST = ("tower", "poet")
"""Ids of the example questions that the screen opens with, one for each language: what is found first is not enough."""

NOWHERE = t("wrong.question.nowhere_options")


def begin(wanted: Wishes, starter: Starter) -> Header:
    """The header of a new question, or with `answer` of a verification. The task is what `new_question` takes: question, references,
    answer, answers. References of the task go before the options that say where to look.

    Raises: BadInput.
    """
    task = dict(wanted.task)
    question, listed, answer = task.pop("question", ""), task.pop("references", None), task.get("answer")
    settings = starter.settings(wanted)
    checked = check_settings(settings)
    needed = roles_needed(checked, answered=answer is not None)
    corpus, listed = (None, listed) if listed is not None else _where(wanted, starter)
    found = checked["k"] >= SETTINGS["k"].default and not checked["rerank"] and not checked["embed"]
    bundled = found and not starter.many and unscripted({**task, "question": question.strip(), "corpus": corpus}) is None
    lineup = seats(starter.config, needed, wanted.listed("model"), wanted.listed("param"), bundled=bundled)
    chosen = prompt_set_for(question, wanted=starter.wanted_prompts(wanted), user_dir=starter.places.prompts)
    return new_question(
        **task,
        question=question,
        corpus=corpus,
        references=listed,
        lineup=lineup,
        settings=settings,
        prompts=starter.prompts(chosen, SETTINGS),
    )


def example_questions(language: str) -> list[str]:
    """The questions of the bundled corpus, those in this language first."""
    import yaml

    from ..retrieval import corpus

    listed = yaml.safe_load((Path(corpus.__file__).parent / CORPUS / "questions.yaml").read_bytes())
    asked = {str(one["id"]): str(one["question"]) for one in listed}
    ordered = sorted(asked, key=lambda name: (prompt_set_for(asked[name]) != language, name not in FIRST))
    return [asked[name] for name in ordered]


def example(language: str) -> Wishes:
    """The wishes for the first example question in a language, with what was written for it by hand."""
    return wishes("rag", {"corpus": CORPUS, "model": NAME}, question=example_questions(language)[0])


def sources(wanted: Wishes) -> list[str]:
    """The names of the options that were given of those that say where to look."""
    return [option.name for option in WHERE if wanted.get(option.name) is not None]


def _where(wanted: Wishes, starter: Starter) -> tuple[str | None, Sequence[Reference] | None]:
    """The corpus as a session names it, or the references that were given."""
    named = sources(wanted)
    if len(named) > 1:
        raise BadInput(t("wrong.command.exclude_named", named=named[0], named2=named[1]))
    if wanted.get("web_pages") and named != ["web"]:
        raise BadInput(t("wrong.question.web_pages"))
    if not named:
        raise BadInput(NOWHERE)
    name = str(wanted.get(named[0]))
    match named[0]:
        case "references":
            return None, starter.once("references", name, lambda: _references(name, starter))
        case "web":
            return f"web:{name}", None
        case "retriever":
            return _retriever(name, starter), None
    return starter.once("corpus", name, lambda: _corpus(name, starter)), None


def _retriever(name: str, starter: Starter) -> str:
    if "://" in name:
        return "http"
    if name not in starter.config.retrievers:
        known = ", ".join(starter.config.retrievers) or t("wrong.question.none_yet")
        raise BadInput(t("wrong.question.no_retriever", name=name, known=known))
    return f"http:{name}"


def _corpus(name: str, starter: Starter) -> str:
    """A corpus' name, or the absolute path of a folder or file: a session goes on from anywhere."""
    from ..retrieval.corpus import Corpora

    if name in starter.once("corpora", "", lambda: {one.name for one in Corpora(starter.places).list()}):
        return name
    path = Path(os.path.abspath(os.path.expanduser(name)))
    if not name.strip() or not path.exists():
        how = t("wrong.question.choose") if starter.attended else t("wrong.question.list_corpora")
        raise BadInput(t("wrong.question.no_corpus", name=name[:200], how=how))
    return str(path)


def _references(name: str, starter: Starter) -> list[Reference]:
    from ..retrieval.given import pasted_references, read_references

    if name != "-" or starter.piped is None:
        return read_references(Path(name).expanduser())
    try:
        text = starter.piped().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(t("wrong.stdin.not_utf8")) from None
    return pasted_references(text, t("wrong.stdin.what"))
