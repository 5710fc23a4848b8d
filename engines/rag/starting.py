"""How a question begins: what is asked, and where to look for references."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...prompts import PromptSet, has_file, load, prompt_set_for, with_templates
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

if TYPE_CHECKING:
    from ..retrieval.corpus import CorpusInfo

FIRST = ("tower", "poet")
"""Ids of the example questions that the screen opens with, one for each language: what
is found first is not enough.
"""

NOWHERE = t("wrong.question.nowhere_options")


def begin(wanted: Wishes, starter: Starter) -> Header:
    """The header of a new question, or with `answer` of a verification.

    The task is what `new_question` takes: question, references, answer, answers.
    References of the task go before the options that say where to look.

    Raises: BadInput.
    """
    task = dict(wanted.task)
    question, listed, answer = (
        task.pop("question", ""),
        task.pop("references", None),
        task.get("answer"),
    )
    settings = _placed(starter.settings(wanted))
    checked = check_settings(settings)
    bad = task.get("negative")
    needed = roles_needed(checked, answered=answer is not None, worse=bad == "query")
    corpus, listed = (None, listed) if listed is not None else _where(wanted, starter)
    if (
        checked["search"] != "bm25"
        and corpus is not None
        and sources(wanted) == ["corpus"]
    ):
        _check_vectors(corpus, starter)
    if corpus and checked["where"]:
        _check_filter(corpus, checked["where"], starter)
    usual = not any(
        checked[name] for name in ("rerank", "embed", "where", "per_document")
    )
    found = checked["k"] >= SETTINGS["k"].default and usual
    bundled = (
        found
        and not starter.many
        and unscripted({**task, "question": question.strip(), "corpus": corpus}) is None
    )
    lineup = seats(
        starter.config,
        needed,
        wanted.listed("model"),
        wanted.listed("param"),
        bundled=bundled,
    )
    verifier = lineup.get("verifier")
    if checked["claims"] and verifier is not None and verifier.panel:
        raise BadInput(t("wrong.question.panel_claims", panel=verifier.called))
    return new_question(
        **task,
        question=question,
        corpus=corpus,
        references=listed,
        lineup=lineup,
        settings=settings,
        prompts=_prompts(
            question,
            starter,
            starter.wanted_prompts(wanted),
            claims=checked["claims"],
            bad=bad is not None,
        ),
    )


def _placed(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings with the whole paths of encoders' folders, so that the session can
    continue from any folder.
    """
    from ..retrieval.encoders import absolute

    return {
        name: absolute(value)
        if name in ("embed", "rerank") and isinstance(value, str)
        else value
        for name, value in settings.items()
    }


def _prompts(
    question: str, starter: Starter, wanted: str | None, *, claims: bool, bad: bool
) -> PromptSet:
    """The prompts of a question, with those for its claims, or for a bad answer, where
    it has them. A set without these has those of the language.
    """
    places = starter.places.prompts
    chosen = prompt_set_for(question, wanted=wanted, user_dir=places)
    made = starter.prompts(chosen, SETTINGS)
    for name in [*(["claims"] if claims else []), *(["negative"] if bad else [])]:
        own = (
            chosen
            if has_file(chosen, places, workspace=name)
            else prompt_set_for(question)
        )
        made = with_templates(made, load(own, places, workspace=name).templates)
    return made


def example_questions(language: str) -> list[str]:
    """The questions of the bundled corpus, those in this language first."""
    import yaml

    listed = yaml.safe_load(
        Path(__file__).with_name("example_questions.yaml").read_bytes()
    )
    asked = {str(one["id"]): str(one["question"]) for one in listed}
    ordered = sorted(
        asked,
        key=lambda name: (prompt_set_for(asked[name]) != language, name not in FIRST),
    )
    return [asked[name] for name in ordered]


def example(language: str) -> Wishes:
    """The wishes for the first example question in a language, with what was written
    for it by hand.
    """
    return wishes(
        "rag",
        {"corpus": CORPUS, "model": NAME},
        question=example_questions(language)[0],
    )


def sources(wanted: Wishes) -> list[str]:
    """The names of the options that were given of those that say where to look."""
    return [option.name for option in WHERE if wanted.get(option.name) is not None]


def _where(
    wanted: Wishes, starter: Starter
) -> tuple[str | None, Sequence[Reference] | None]:
    """The corpus as a session names it, or the references that were given."""
    named = sources(wanted)
    if len(named) > 1:
        raise BadInput(
            t("wrong.command.exclude_named", first=named[0], second=named[1])
        )
    if wanted.get("web_pages") and named != ["web"]:
        raise BadInput(t("wrong.question.web_pages"))
    if wanted.get("where") and named and named != ["corpus"]:
        raise BadInput(t("wrong.question.where"))
    if wanted.get("search") in ("dense", "hybrid") and named not in (["corpus"], []):
        raise BadInput(t("wrong.dense.only_corpora", mode=wanted.get("search")))
    if not named:
        raise BadInput(NOWHERE)
    name = str(wanted.get(named[0]))
    match named[0]:
        case "references":
            return None, starter.once(
                "references", name, lambda: _references(name, starter)
            )
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
    """A corpus' name, or the absolute path of a folder or file: a session goes on from
    anywhere.
    """
    listed = _corpora(starter)
    if name in listed:
        if listed[name].building is not None and listed[name].problem is not None:
            raise BadInput(listed[name].problem)
        return name
    path = Path(os.path.abspath(os.path.expanduser(name)))
    if not name.strip() or not path.exists():
        how = (
            t("wrong.question.choose")
            if starter.attended
            else t("wrong.question.list_corpora")
        )
        raise BadInput(t("wrong.question.no_corpus", name=name[:200], how=how))
    return str(path)


def _corpora(starter: Starter) -> dict[str, CorpusInfo]:
    from ..retrieval.corpus import Corpora

    return starter.once(
        "corpora", "", lambda: {one.name: one for one in Corpora(starter.places).list()}
    )


def _check_vectors(name: str, starter: Starter) -> None:
    """Raises BadInput if a corpus has no vectors to search: before a session begins,
    not in its midst.
    """
    from ..retrieval.corpus import lacks_vectors

    known = _corpora(starter).get(name)
    if known is None or known.problem is None:
        why = lacks_vectors(
            name,
            known.dense if known is not None else None,
            whole=known is not None and known.dense_whole,
        )
        if why:
            raise BadInput(why)


def _check_filter(corpus: str, where: str, starter: Starter) -> None:
    """Raises BadInput if no document of the corpus has a field of the filter.

    A folder is looked at when it is first searched.
    """
    from ..retrieval.corpus import Corpora
    from ..retrieval.port import RetrievalError

    def check() -> None:
        opened = Corpora(starter.places).open(corpus)
        try:
            opened.fitting(where)
        except RetrievalError as error:
            raise BadInput(error.args[0]) from None
        finally:
            opened.close()

    if not os.path.isabs(corpus):
        starter.once("filter", f"{corpus}\n{where}", check)


def _references(name: str, starter: Starter) -> list[Reference]:
    from ..retrieval.given_references import pasted_references, read_references

    if name != "-" or starter.piped is None:
        return read_references(Path(name).expanduser())
    try:
        text = starter.piped().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(t("wrong.stdin.not_utf8")) from None
    return pasted_references(text, t("wrong.stdin.what"))
