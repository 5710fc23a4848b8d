"""The start of a question session: the question, its sources, and the line-up."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ...prompts import PromptSet, has_file, load, prompt_set_for, with_templates
from ...sessions.errors import BadInput, bad_input
from ...sessions.events import Reference
from ...sessions.session import Header, Seat
from ...texts import t
from ...texts.closest import with_closest
from ..models.config import Config
from ..models.seating import seated
from ..script import NAME
from ..starting import Starter, Wishes, check_roles, header_of, wishes
from ..topic import question_of, texts_of, title_of
from .plan import NEGATIVES, ROLES
from .script import CORPUS, unscripted
from .settings import SETTINGS, WHERE, check_settings

if TYPE_CHECKING:
    from ..retrieval.corpus import CorpusInfo

LONGEST_ANSWER = 200_000
LONGEST_REFERENCES = 5_000_000
"""Characters."""
MOST_NUGGETS = 100


def roles_needed(
    settings: Mapping[str, object], *, answered: bool = False, worse: bool = False
) -> list[str]:
    """Return the roles that will be called, in order.

    Verifier and reviser may stay empty: then the generator's model answers.

    `answered`: the user provides the answer, so none is generated. `worse`: the query
    is made worse before the first search.
    """
    wanted = {**SETTINGS.defaults(), **settings}
    verifying = "verifier" if wanted["chain"] else "reviser"
    verified = (
        wanted["iterations"] or wanted["final_check"]
        if wanted["revise"] == "end"
        else wanted["verify"]
    )
    needed = (
        [*(["reviser"] if wanted["revise"] == "start" or worse else []), "generator"]
        if not answered
        else []
    )
    needed += [verifying] if answered or verified else []
    needed += ["verifier"] if wanted["claims"] else []
    return list(dict.fromkeys(needed))


def new_question(
    *,
    question: str,
    corpus: str | None = None,
    references: Sequence[Reference | str] | None = None,
    answer: str | None = None,
    answers: Iterable[str] | None = None,
    nuggets: Iterable[str | Mapping[str, Any]] | None = None,
    gold: object = None,
    answerable: bool | None = None,
    negative: str | None = None,
    lineup: Mapping[str, Seat] | None = None,
    settings: Mapping[str, Any] | None = None,
    prompts: PromptSet,
    title: str | None = None,
) -> Header:
    """Return the header of a new question. Raises: BadInput.

    The source is either `corpus` (a name, a path, `web:NAME`, `http` or `http:NAME`) or
    `references` (then the corpus is `given`). `answer` is one to verify: nothing is
    generated. `answers` are accepted as right, and `gold` are the passages that should
    be found (as `gold.gold_of` reads them), for reports. `nuggets`: facts that an
    answer should contain, as texts or {text, vital}. `answerable`: False if an answer
    should say that there is none, for reports. `negative`: a bad answer for training
    data: `references`: from references that do not fit; `query`: from those of a bad
    query, which the reviser is asked for. If there is no generator, its role goes to
    `lexical`.
    """
    about = _task(question, corpus, references, answer)
    if answers is not None:
        about["answers"] = texts_of(answers, t("wrong.question.answers"))
    if nuggets is not None:
        about["nuggets"] = nuggets_of(list(nuggets))
    if gold is not None:
        from .gold import gold_of

        about["gold"] = [one.as_json() for one in gold_of(gold)]
    if answerable is not None:
        if not isinstance(answerable, bool):
            raise bad_input("wrong.question.answerable")
        about["answerable"] = answerable
    if negative is not None:
        if negative not in NEGATIVES:
            raise bad_input("wrong.question.negative", names=", ".join(NEGATIVES))
        about["negative"] = negative
    checked = check_settings(settings or {})
    return header_of(
        SETTINGS,
        title=title_of(title or about["question"]),
        task=about,
        lineup=_lineup(
            lineup or {},
            checked,
            answered=answer is not None,
            worse=negative == "query",
        ),
        settings=checked,
        prompts=prompts,
    )


def _task(
    question: str,
    corpus: str | None,
    references: Sequence[Reference | str] | None,
    answer: str | None,
) -> dict[str, Any]:
    about: dict[str, object] = {"question": question_of(question)}
    if references is not None:
        if corpus not in (None, "given"):
            raise bad_input("wrong.question.corpus_or_references")
        about |= {"corpus": "given", "references": _task_references(references)}
    elif corpus is None or not corpus.strip() or not corpus.isprintable():
        raise bad_input("wrong.question.nowhere")
    elif corpus == "given":
        raise bad_input("wrong.question.no_references")
    else:
        about["corpus"] = corpus
    if answer is not None:
        if not isinstance(answer, str) or not answer.strip():
            raise bad_input("wrong.question.answer_empty")
        if len(answer) > LONGEST_ANSWER:
            raise bad_input(
                "wrong.question.answer_long", n=len(answer), most=LONGEST_ANSWER
            )
        about["answer"] = answer.strip()
    return about


def _task_references(given: Sequence[Reference | str]) -> list[dict[str, object]]:
    made = []
    if isinstance(given, str):
        raise bad_input("wrong.question.references_list")
    for number, one in enumerate(given, 1):
        reference = (
            Reference(n=number, id=f"given:{number}", text=one)
            if isinstance(one, str)
            else one
        )
        if not isinstance(reference, Reference) or not reference.text.strip():
            raise bad_input("wrong.question.reference_empty", number=number)
        made.append(msgspec.to_builtins(msgspec.structs.replace(reference, n=number)))
    if sum(len(one["text"]) for one in made) > LONGEST_REFERENCES:
        raise bad_input("wrong.question.references_long", most=LONGEST_REFERENCES)
    return made


def _lineup(
    given: Mapping[str, Seat],
    settings: Mapping[str, object],
    *,
    answered: bool,
    worse: bool,
) -> dict[str, Seat]:
    check_roles(SETTINGS, given, ROLES)
    needed = roles_needed(settings, answered=answered, worse=worse)
    first = "generator" if "generator" in needed else needed[0]
    if "generator" not in given:
        return {first: Seat(model=SETTINGS.builtins[0])} | dict(given)
    return dict(given)


def nuggets_of(given: Sequence[Any]) -> list[dict[str, Any]]:
    """Return nuggets in the form that a session stores, {text, vital}. Accepts texts,
    which are vital, or objects with `text` or `nugget` and either `vital` (true or
    false) or `importance` (vital or okay). Raises: BadInput.
    """
    made = []
    for one in given:
        fields = one if isinstance(one, Mapping) else {"text": one}
        text, vital = (
            fields.get("text", fields.get("nugget")),
            fields.get("vital", fields.get("importance", True)),
        )
        vital = (
            {"vital": True, "okay": False}.get(vital)
            if isinstance(vital, str)
            else vital
        )
        if not isinstance(text, str) or not text.strip() or not isinstance(vital, bool):
            raise bad_input("wrong.question.nuggets")
        made.append({"text": text.strip(), "vital": vital})
    if len(made) > MOST_NUGGETS:
        raise bad_input("wrong.question.nuggets_many", n=len(made), most=MOST_NUGGETS)
    return made


LEXICAL = "lexical"
"""Who compares words."""

UNMEASURED = {LEXICAL: ("bias",)}
"""Scores that a model cannot give: who compares words has no knowledge of its own to
measure an answer against.
"""


def seats(
    config: Config,
    needed: Sequence[str],
    models: Sequence[str] = (),
    params: Sequence[str] = (),
    *,
    bundled: bool = False,
) -> dict[str, Seat]:
    """Return role to seat, as `models.seating` does, with `lexical` as the default, and
    `script` for a bundled question.

    If there is a generator and no verifier or reviser was chosen, they use the
    generator's model, also after it changes.
    """
    first = ("generator",) if "generator" in needed else needed
    return seated(
        SETTINGS, config, ROLES, first, models, params, alone=NAME if bundled else None
    )


FIRST = ("tower", "poet")
"""Ids of the example questions that the screen opens with, one for each language: what
is found first is not enough.
"""

NOWHERE = t("wrong.question.nowhere_options")


def _finds_bundled(settings: Mapping[str, Any]) -> bool:
    """Return whether a search with these settings finds the passages of the bundled
    answers.
    """
    unusual = any(
        settings[name] for name in ("rerank", "embed", "where", "per_document")
    )
    enough: bool = settings["k"] >= SETTINGS["k"].default
    return enough and not unusual


def begin(wanted: Wishes, starter: Starter) -> Header:
    """Return the header of a new question, or with `answer` of a verification.

    The task has the fields of `new_question`: question, references, answer, answers.
    References of the task take precedence over options that name a source.

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
    bundled = (
        _finds_bundled(checked)
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
        raise bad_input("wrong.question.panel_claims", panel=verifier.called)
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
    """Return the settings with absolute paths of encoder folders, so that the session
    can continue from any folder.
    """
    from ..retrieval.embedders import absolute

    return {
        name: absolute(value)
        if name in ("embed", "rerank") and isinstance(value, str)
        else value
        for name, value in settings.items()
    }


def _prompts(
    question: str, starter: Starter, wanted: str | None, *, claims: bool, bad: bool
) -> PromptSet:
    """Return the prompts of a question, with those for its claims or for a bad answer
    if needed. If the set lacks them, those of the language are used.
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
    """Return the questions of the bundled corpus, those in this language first."""
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
    """Return the options for the first example question in a language, with its
    handwritten replies.
    """
    return wishes(
        "rag",
        {"corpus": CORPUS, "model": NAME, "indicator": "claims"},
        question=example_questions(language)[0],
    )


def sources(wanted: Wishes) -> list[str]:
    """Return the names of the given options that name a source."""
    return [option.name for option in WHERE if wanted.get(option.name) is not None]


def _where(
    wanted: Wishes, starter: Starter
) -> tuple[str | None, Sequence[Reference] | None]:
    """Return the corpus as a session names it, or the given references."""
    named = sources(wanted)
    if len(named) > 1:
        raise bad_input("wrong.command.exclude_named", first=named[0], second=named[1])
    if wanted.get("web_pages") and named != ["web"]:
        raise bad_input("wrong.question.web_pages")
    if wanted.get("where") and named and named != ["corpus"]:
        raise bad_input("wrong.question.where")
    if wanted.get("search") in ("dense", "hybrid") and named not in (["corpus"], []):
        raise bad_input("wrong.dense.only_corpora", mode=wanted.get("search"))
    if not named:
        raise BadInput(NOWHERE)
    name = str(wanted.get(named[0]))
    match named[0]:
        case "references":
            return None, starter.once(
                "references", name, lambda: _read_references(name, starter)
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
        raise bad_input("wrong.question.no_retriever", name=name, known=known)
    return f"http:{name}"


def _corpus(name: str, starter: Starter) -> str:
    """Return the name of a corpus, or the absolute path of a folder or file, so that a
    session can continue from any folder.
    """
    from ..retrieval.plugin import plugin_of

    listed = _corpora(starter)
    if name in listed:
        if listed[name].building is not None and listed[name].problem is not None:
            raise BadInput(listed[name].problem)
        return name
    plugin = plugin_of(name)
    kept = None if plugin is None else plugin.named(name, starter.places)
    if kept is not None:
        return kept
    path = Path(os.path.abspath(os.path.expanduser(name)))
    if not name.strip() or not path.exists():
        how = (
            t("wrong.question.choose")
            if starter.attended
            else t("wrong.question.list_corpora")
        )
        why = t("wrong.question.no_corpus", name=name[:200], how=how)
        raise BadInput(with_closest(why, name, listed))
    return str(path)


def _corpora(starter: Starter) -> dict[str, CorpusInfo]:
    from ..retrieval.corpus import Corpora

    return starter.once(
        "corpora", "", lambda: {one.name: one for one in Corpora(starter.places).list()}
    )


def _check_vectors(name: str, starter: Starter) -> None:
    """Raises: BadInput if a corpus has no vectors to search, before a session
    begins.
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
    """Raises: BadInput if no document of the corpus has a field of the filter.

    A folder is checked at its first search.
    """
    from ..retrieval.corpus import Corpora
    from ..retrieval.port import as_bad_input

    def check() -> None:
        opened = Corpora(starter.places).open(corpus)
        with as_bad_input(), closing(opened):
            opened.fitting(where)

    if not os.path.isabs(corpus):
        starter.once("filter", f"{corpus}\n{where}", check)


def _read_references(name: str, starter: Starter) -> list[Reference]:
    from ..retrieval.given_references import pasted_references, read_references

    if name != "-" or starter.piped is None:
        return read_references(Path(name).expanduser())
    try:
        text = starter.piped().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise bad_input("wrong.stdin.not_utf8") from None
    return pasted_references(text, t("wrong.stdin.what"))
