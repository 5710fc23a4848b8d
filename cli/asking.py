"""What a user asks of a question over references, made into a session's header."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from ..sessions.errors import BadInput
from .wishes import Given

if TYPE_CHECKING:
    from ..sessions.events import Reference
    from ..sessions.session import Header
    from .options import Maker

SOURCES = ("corpus", "references", "web", "retriever")
SWITCHES = frozenset({"chain", "merge", "final_check", "verify", "web_pages"})
SETTINGS = ("k", "iterations", "indicator", "revise", "chain", "merge", "keep", "final_check", "verify", "rerank", "embed", "web_pages")
"""Options that are settings of the session under the same name."""

NO_SOURCE = (
    "Nothing says where to look; give --corpus NAME|PATH (--corpus example is always there), --references FILE, --web PROVIDER "
    "or --retriever URL."
)


@dataclass(frozen=True)
class Asking(Given):
    """The options of one question as given; None and empty: not given."""

    NOUN: ClassVar[str] = "a question"
    NUMBERS: ClassVar[frozenset[str]] = frozenset({"k", "iterations"})
    FLAGS: ClassVar[frozenset[str]] = SWITCHES
    LISTS: ClassVar[frozenset[str]] = frozenset({"model", "param", "bound"})

    corpus: str | None = None
    references: str | None = None
    web: str | None = None
    retriever: str | None = None
    k: int | None = None
    iterations: int | None = None
    indicator: str | None = None
    bound: tuple[str, ...] = ()
    revise: str | None = None
    verify: bool | None = None
    chain: bool | None = None
    merge: bool | None = None
    keep: str | None = None
    final_check: bool | None = None
    web_pages: bool | None = None
    rerank: str | None = None
    embed: str | None = None
    prompts: str | None = None
    model: tuple[str, ...] = ()
    param: tuple[str, ...] = ()

    def given(self) -> dict[str, Any]:
        """As JSON, without an address: it may change, and is written nowhere."""
        told = super().given()
        return told | {"retriever": "http"} if _is_address(self.retriever) else told

    def with_line(self, line: Any) -> Asking:
        """As for all; a line that says where to look says it instead of the command line."""
        here = self.anywhere() if any(name in line for name in SOURCES) else self
        return super(Asking, here).with_line(line)

    def anywhere(self) -> Asking:
        """These, without where to look."""
        return replace(self, corpus=None, references=None, web=None, retriever=None)

    @property
    def sources(self) -> list[str]:
        """The names of what was given of the four ways to say where to look."""
        return [name for name in SOURCES if getattr(self, name) is not None]

    @property
    def address(self) -> str | None:
        """The address of a retriever that has no name in config.yaml."""
        return self.retriever if _is_address(self.retriever) else None


@dataclass
class Asker:
    """Makes headers of questions; what many of them share is read once."""

    maker: Maker
    _files: dict[str, list[Reference]] = field(default_factory=dict)
    _corpora: dict[str, str] = field(default_factory=dict)

    def header(
        self,
        question: str,
        wishes: Asking,
        *,
        references: Sequence[Reference] | None = None,
        answer: str | None = None,
        answers: Sequence[str] = (),
    ) -> Header:
        """The header of a new question, or with `answer` of a verification. BadInput for whatever does not hold.

        `references` go before what the wishes say of where to look.
        """
        from ..engines.models.settings import check_own
        from ..engines.rag.new import new_question, prompt_set_for, roles_needed
        from ..engines.rag.plan import check_setting, check_settings
        from ..engines.rag.seats import seats

        def check(name: str, value: Any) -> None:
            if name == "prompts":
                self.maker.prompt_set(str(value), "rag")
            else:
                check_setting(name, value)

        config, given = self.maker.config, self._settings(wishes)
        beaten = given | ({"prompts": wishes.prompts} if wishes.prompts else {})
        own = {name: value for name, value in config.settings.get("rag", {}).items() if name not in beaten}
        settings = {**check_own("rag", own, check, self.maker.places.config_file, os.environ), **given}
        prompts = wishes.prompts or settings.pop("prompts", None) or prompt_set_for(question)
        needed = roles_needed(check_settings(settings), answered=answer is not None)
        lineup = seats(config, needed, wishes.model, wishes.param)
        if any(seat.model == "script" for seat in lineup.values()):
            raise BadInput("The built-in script has lines for debates only; name a model with --model, or leave it out for lexical.")
        corpus, listed = (None, references) if references is not None else self._where(wishes)
        return new_question(
            question=question,
            corpus=corpus,
            references=listed,
            answer=answer,
            answers=answers or None,
            lineup=lineup,
            settings=settings,
            prompts=self.maker.prompt_set(str(prompts), "rag"),
        )

    def _settings(self, wishes: Asking) -> dict[str, Any]:
        settings = {name: getattr(wishes, name) for name in SETTINGS if getattr(wishes, name) is not None}
        if wishes.bound:
            own = self.maker.config.settings.get("rag", {}).get("bounds")
            settings["bounds"] = {**(own if isinstance(own, dict) else {}), **dict(map(_bound, wishes.bound))}
        return settings

    def _where(self, wishes: Asking) -> tuple[str | None, Sequence[Reference] | None]:
        """The corpus as a session names it, or the references that were given."""
        if len(wishes.sources) > 1:
            first, second, *_ = wishes.sources
            raise BadInput(f"--{first} and --{second} exclude each other; give one of them.")
        if wishes.web_pages and wishes.web is None:
            raise BadInput("--web-pages belongs to a search on the web; name its provider with --web.")
        if wishes.corpus is not None:
            return self._corpus(wishes.corpus), None
        if wishes.references is not None:
            return None, self._file(wishes.references)
        if wishes.web is not None:
            return f"web:{wishes.web}", None
        if wishes.address is not None:
            return "http", None
        if wishes.retriever is not None:
            if wishes.retriever not in self.maker.config.retrievers:
                known = ", ".join(self.maker.config.retrievers) or "none yet"
                raise BadInput(
                    f"There is no retriever “{wishes.retriever}” in config.yaml ({known}); give its address, or add it under `retrievers:`."
                )
            return f"http:{wishes.retriever}", None
        raise BadInput(NO_SOURCE)

    def _corpus(self, name: str) -> str:
        """A corpus' name, or the absolute path of a folder or file: a session is gone on with from anywhere."""
        from ..engines.retrieval.corpus import Corpora

        if not self._corpora:
            self._corpora = {one.name: one.name for one in Corpora(self.maker.places).list()}
        if name not in self._corpora:
            path = Path(os.path.abspath(os.path.expanduser(name)))
            if not name or not path.exists():
                raise BadInput(
                    f"There is no corpus “{name}” and no such folder or file; `verifytui corpora` lists the corpora, "
                    f"`verifytui index PATH --name NAME` makes one."
                )
            self._corpora[name] = str(path)
        return self._corpora[name]

    def _file(self, name: str) -> list[Reference]:
        from ..engines.retrieval.given import pasted_references, read_references

        if name not in self._files:
            piped = name == "-"
            self._files[name] = pasted_references(_stdin(), "What came on stdin") if piped else read_references(Path(name))
        return self._files[name]


def _stdin() -> str:
    """All of stdin. BadInput where it is no UTF-8."""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("What came on stdin is not UTF-8 text; convert it to UTF-8.") from None


def _is_address(text: str | None) -> bool:
    return text is not None and "://" in text


def _bound(text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    try:
        bound = float(value)
    except ValueError:
        bound = -1.0
    if not equals or not 0 <= bound <= 1:
        raise BadInput(f"“{text}” is no bound; write NAME=NUMBER with a number from 0 to 1, such as --bound bias=0.7.")
    return name.strip(), bound


def common(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of one question, as click options."""
    return _with((*_WHERE, *_HOW, *_MODELS), command)


def verifying(command: Callable[..., Any]) -> Callable[..., Any]:
    """Those of them that an answer which exists has a use for."""
    return _with((*_WHERE, *_MODELS), command)


def _with(listed: Sequence[Callable[..., Any]], command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(listed):
        command = option(command)
    return command


def take(values: dict[str, Any]) -> Asking:
    """Takes the options of a question out of a command's values."""
    return Asking(**{f.name: values.pop(f.name) for f in fields(Asking) if f.name in values})


def _switch(option: str, name: str, value: bool, told: str) -> Callable[..., Any]:
    return click.option(option, name, is_flag=True, flag_value=value, default=None, help=told)


_WHERE: list[Callable[..., Any]] = [
    click.option("--corpus", metavar="NAME|PATH", help="Look here: a corpus, or a folder or file (example is always there)."),
    click.option(
        "--references", metavar="FILE", help="These references: .txt, .md, .json, .jsonl, or lines that begin with [1]; - reads stdin."
    ),
    click.option("--web", metavar="PROVIDER", help="Search the web, such as searxng or tavily; keys come from the environment."),
    _switch("--web-pages", "web_pages", True, "Fetch the pages found, instead of the search's excerpts."),
    click.option("--retriever", metavar="URL|NAME", help='A server that takes {"query", "k"}; or its name in config.yaml.'),
    click.option("--k", type=int, metavar="N", help="References a retrieval (default 5)."),
]
_HOW: list[Callable[..., Any]] = [
    click.option("--iterations", type=int, metavar="N", help="At most so many further retrievals, 0 to 5 (default 1)."),
    click.option(
        "--indicator",
        type=click.Choice(["nonempty", "thresholds-all", "thresholds-any"]),
        help="What calls for another retrieval (default nonempty: a revised query).",
    ),
    click.option("--bound", multiple=True, metavar="SCORE=X", help="A bound of the thresholds, such as bias=0.7."),
    click.option(
        "--revise",
        type=click.Choice(["end", "start", "none"]),
        help="When the query is revised: after verifying (default), first, or never.",
    ),
    _switch("--verify", "verify", True, "Verify also with --revise start or none."),
    _switch("--merge", "merge", True, "Answer from old and new references."),
    click.option("--keep", type=click.Choice(["last", "best"]), help="Whose answer is the result: the last (default) or best verified."),
    _switch("--no-final-check", "final_check", False, "Leave the last answer unverified."),
]
_MODELS: list[Callable[..., Any]] = [
    _switch("--no-chain", "chain", False, "Ask for the revised query alone, without scores."),
    click.option("--rerank", metavar="MODEL", help="A model that ranks what was found again."),
    click.option("--embed", metavar="MODEL", help="A model whose embeddings rank what was found."),
    click.option("--model", multiple=True, metavar="[ROLE=]MODEL", help="A model for all roles, or for one (default lexical: no model)."),
    click.option("--param", multiple=True, metavar="ROLE.NAME=VALUE", help="A model parameter, such as generator.temperature=0.7."),
    click.option("--prompts", metavar="NAME|DIR", help="The set of prompts (default: by the question's language)."),
]
