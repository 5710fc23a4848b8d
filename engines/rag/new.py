"""A new question: everything given is checked, what is not given gets its default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ...prompts import PromptSet
from ...sessions.errors import BadInput
from ...sessions.events import Reference
from ...sessions.new import new_header
from ...sessions.session import Header, Prompts, Seat
from ...texts import t
from ..topic import title_of
from .plan import NEGATIVES, ROLES
from .settings import SETTINGS, check_settings

LONGEST_QUESTION = 100_000
LONGEST_ANSWER = 200_000
LONGEST_REFERENCES = 5_000_000
"""Characters."""
MOST_NUGGETS = 100


def roles_needed(
    settings: Mapping[str, Any], *, answered: bool = False, worse: bool = False
) -> list[str]:
    """The roles that will be asked, in order.

    Verifier and reviser may stay empty: then the generator's model answers.

    `answered`: the user brings the answer, so nobody generates one. `worse`: the query
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
    negative: str | None = None,
    lineup: Mapping[str, Seat] | None = None,
    settings: Mapping[str, Any] | None = None,
    prompts: PromptSet,
    title: str | None = None,
) -> Header:
    """The header of a new question. Raises BadInput.

    Either `corpus` (a name, a path, `web:NAME`, `http` or `http:NAME`) or `references`
    (then the corpus is `given`) says where to look. `answer` is one to be verified:
    nothing is generated. `answers` are those accepted as right, and `gold` the passages
    that should be found (as `gold.gold_of` reads them), for reports; `nuggets` the
    facts that an answer is to hold: texts, or {text, vital}. `negative`: a bad answer
    is wanted, as training data need some: `references`: from references that do not
    fit; `query`: from those of a bad query, which the reviser is asked for. The
    generator's seat goes to `lexical` if it is not given.
    """
    about = _task(question, corpus, references, answer)
    if answers is not None:
        about["answers"] = _texts(answers)
    if nuggets is not None:
        about["nuggets"] = nuggets_of(list(nuggets))
    if gold is not None:
        from .gold import gold_of

        about["gold"] = [one.as_json() for one in gold_of(gold)]
    if negative is not None:
        if negative not in NEGATIVES:
            raise BadInput(t("wrong.question.negative", names=", ".join(NEGATIVES)))
        about["negative"] = negative
    checked = check_settings(settings or {})
    return new_header(
        workspace="rag",
        title=title_of(title or about["question"]),
        task=about,
        lineup=_lineup(
            lineup or {},
            checked,
            answered=answer is not None,
            worse=negative == "query",
        ),
        settings=checked,
        prompts=Prompts(
            set=prompts.name, hash=prompts.hash, templates=prompts.templates
        ),
    )


def _task(
    question: str,
    corpus: str | None,
    references: Sequence[Reference | str] | None,
    answer: str | None,
) -> dict[str, Any]:
    if not isinstance(question, str) or not question.strip():
        raise BadInput(t("wrong.question.empty"))
    if len(question) > LONGEST_QUESTION:
        raise BadInput(t("wrong.question.long", n=len(question), most=LONGEST_QUESTION))
    about: dict[str, Any] = {"question": question.strip()}
    if references is not None:
        if corpus not in (None, "given"):
            raise BadInput(t("wrong.question.corpus_or_references"))
        about |= {"corpus": "given", "references": _references(references)}
    elif corpus is None or not corpus.strip() or not corpus.isprintable():
        raise BadInput(t("wrong.question.nowhere"))
    elif corpus == "given":
        raise BadInput(t("wrong.question.no_references"))
    else:
        about["corpus"] = corpus
    if answer is not None:
        if not isinstance(answer, str) or not answer.strip():
            raise BadInput(t("wrong.question.answer_empty"))
        if len(answer) > LONGEST_ANSWER:
            raise BadInput(
                t("wrong.question.answer_long", n=len(answer), most=LONGEST_ANSWER)
            )
        about["answer"] = answer.strip()
    return about


def _references(given: Sequence[Reference | str]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    if isinstance(given, str):
        raise BadInput(t("wrong.question.references_list"))
    for number, one in enumerate(given, 1):
        reference = (
            Reference(n=number, id=f"given:{number}", text=one)
            if isinstance(one, str)
            else one
        )
        if not isinstance(reference, Reference) or not reference.text.strip():
            raise BadInput(t("wrong.question.reference_empty", number=number))
        made.append(msgspec.to_builtins(msgspec.structs.replace(reference, n=number)))
    if sum(len(one["text"]) for one in made) > LONGEST_REFERENCES:
        raise BadInput(t("wrong.question.references_long", most=LONGEST_REFERENCES))
    return made


def _lineup(
    given: Mapping[str, Seat],
    settings: Mapping[str, Any],
    *,
    answered: bool,
    worse: bool,
) -> dict[str, Seat]:
    unknown = [role for role in given if role not in ROLES]
    if unknown:
        raise BadInput(
            t("wrong.question.no_role", unknown=unknown[0], names=", ".join(ROLES))
        )
    needed = roles_needed(settings, answered=answered, worse=worse)
    first = "generator" if "generator" in needed else needed[0]
    if "generator" not in given:
        return {first: Seat(model=SETTINGS.builtins[0])} | dict(given)
    return dict(given)


def nuggets_of(given: Sequence[Any]) -> list[dict[str, Any]]:
    """Nuggets as a session keeps them, {text, vital}: from texts, which are vital, or
    from objects with `text` or `nugget` that say so by `vital` (true or false) or by
    `importance` (vital or okay). Raises: BadInput.
    """
    made: list[dict[str, Any]] = []
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
            raise BadInput(t("wrong.question.nuggets"))
        made.append({"text": text.strip(), "vital": vital})
    if len(made) > MOST_NUGGETS:
        raise BadInput(t("wrong.question.nuggets_many", n=len(made), most=MOST_NUGGETS))
    return made


def _texts(given: Iterable[str]) -> list[str]:
    made = list(given)
    if isinstance(given, str) or not all(
        isinstance(one, str) and one.strip() for one in made
    ):
        raise BadInput(t("wrong.question.answers"))
    return made
