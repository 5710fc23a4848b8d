"""What a user asks of a debate, from the command line or from one line of a batch, made into a session's header."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from ..sessions.errors import BadInput
from .wishes import Given

if TYPE_CHECKING:
    from ..engines.models.config import Config
    from ..prompts import PromptSet
    from ..sessions.events import Reference
    from ..sessions.paths import Paths
    from ..sessions.session import Header

output_option = click.option(
    "--output", type=click.Choice(["text", "json"]), default="text", show_default=True, help="json: one object a line."
)

SETTINGS = ("debaters", "level", "rounds", "opening", "stop", "extract", "judge_history", "disagreement")
"""Options that are settings of the session under the same name."""


@dataclass(frozen=True)
class Wishes(Given):
    """The options of one debate as given; None and empty: not given."""

    NOUN: ClassVar[str] = "a debate"
    NUMBERS: ClassVar[frozenset[str]] = frozenset({"debaters", "level", "rounds"})
    NAMES: ClassVar[Mapping[str, str]] = {"from": "source", "to": "target"}

    kind: str | None = None
    source: str | None = None
    target: str | None = None
    debaters: int | None = None
    level: int | None = None
    rounds: int | None = None
    opening: str | None = None
    stop: str | None = None
    extract: str | None = None
    judge_history: str | None = None
    disagreement: str | None = None
    prompts: str | None = None
    model: tuple[str, ...] = ()
    param: tuple[str, ...] = ()

    def settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in SETTINGS if getattr(self, name) is not None}


@dataclass
class Maker:
    """Makes headers from wishes: the user's configuration below, the command line above."""

    config: Config
    places: Paths
    _sets: dict[tuple[str, str], PromptSet] = field(default_factory=dict)

    def header(
        self,
        topic: str,
        wishes: Wishes,
        *,
        answers: Sequence[str] = (),
        wrong_answers: Sequence[str] = (),
        evidence: Sequence[Reference] = (),
    ) -> Header:
        """The header of a new debate. BadInput for whatever does not hold."""
        import os

        from ..engines.debate.new import check_settings, new_debate, roles_needed
        from ..engines.debate.seats import seats
        from ..engines.models.settings import check_own

        def check(name: str, value: Any) -> None:
            if name == "prompts":
                self.prompt_set(str(value))
            else:
                check_settings({name: value})

        given = wishes.settings() | ({"prompts": wishes.prompts} if wishes.prompts else {})
        own = {name: value for name, value in self.config.settings.get("debate", {}).items() if name not in given}
        settings = {**check_own("debate", own, check, self.places.config_file, os.environ), **wishes.settings()}
        prompts = wishes.prompts or str(settings.pop("prompts", "en"))
        kind = wishes.kind or "question"
        needed = [role for role in roles_needed(check_settings(settings, kind), kind) if role != "baseline"]
        return new_debate(
            topic=topic,
            kind=kind,
            source_lang=wishes.source,
            target_lang=wishes.target,
            lineup=seats(self.config, needed, wishes.model, wishes.param),
            settings=settings,
            prompts=self.prompt_set(prompts),
            answers=answers or None,
            wrong_answers=wrong_answers or None,
            evidence=evidence,
        )

    def prompt_set(self, name: str, workspace: str = "debate") -> PromptSet:
        from ..prompts import load

        if (name, workspace) not in self._sets:
            self._sets[name, workspace] = load(name, user_dir=self.places.prompts, workspace=workspace)
        return self._sets[name, workspace]


def script_knows(header: Header) -> None:
    """BadInput where the built-in script is seated on a topic that it has no lines for."""
    from ..engines.debate.script import NAME, example_of

    seated = [role for role, seat in header.lineup.items() if seat.model == NAME]
    if not seated:
        return
    task = header.task
    one = example_of(str(task["topic"]))
    if one is None:
        raise BadInput("The built-in script knows its example topics only, and this is none of them; name a model with --model, or human.")
    if (one.kind, one.source_lang, one.target_lang) != (task["kind"], task["from"], task["to"]):
        wanted = f"--kind {one.kind}" + (f" --from {one.source_lang} --to {one.target_lang}" if one.source_lang else "")
        raise BadInput(f"The built-in script knows this topic with {wanted} only; add that, or name a model with --model.")


def common(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of one debate, as click options; the command gets them as one `wishes`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def take(values: dict[str, Any]) -> Wishes:
    """Takes the options of `common` out of a command's values."""
    return Wishes(**{f.name: values.pop(f.name) for f in fields(Wishes)})


def workshop() -> Maker:
    """The user's configuration and folders."""
    import os

    from ..engines.models.config import load_config
    from ..sessions.paths import paths

    places = paths()
    return Maker(load_config(places.config_file, os.environ), places)


def read_text(path: Path) -> str:
    """A UTF-8 text file, with or without byte-order mark. BadInput where it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror or error}).") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not UTF-8 text; save it as UTF-8.") from None


_OPTIONS = [
    click.option("--kind", type=click.Choice(["question", "translation"]), help="What the topic is (default: question)."),
    click.option("--from", "source", metavar="LANG", help="Translation: language of the topic, such as zh."),
    click.option("--to", "target", metavar="LANG", help="Translation: language wanted, such as en."),
    click.option(
        "--opening", type=click.Choice(["free", "seeded"]), help="seeded: a baseline answers first, and the first debater defends it."
    ),
    click.option("--model", multiple=True, metavar="[ROLE=]MODEL", help="A model for all roles, or for one; can be given several times."),
    click.option("--debaters", type=int, metavar="N", help="2 to 6 (default 2)."),
    click.option(
        "--level",
        type=int,
        metavar="0..3",
        help="0 full consensus, 1 mostly disagree, 2 need not agree (default), 3 disagree on everything.",
    ),
    click.option("--rounds", type=int, metavar="M", help="At most so many rounds (default 3)."),
    click.option("--stop", type=click.Choice(["adaptive", "forced"]), help="forced: all rounds run, with an extraction after each."),
    click.option("--extract", type=click.Choice(["limit", "always"]), help="always: the final extraction also follows an early end."),
    click.option("--judge-history", type=click.Choice(["full", "first-round"]), help="What the extracting judge reads."),
    click.option("--disagreement", type=click.Choice(["answer", "stance"]), help="How it is measured; stance asks the observer."),
    click.option("--prompts", metavar="NAME|DIR", help="The set of prompts (default: en)."),
    click.option("--param", multiple=True, metavar="ROLE.NAME=VALUE", help="A model parameter, such as judge.temperature=0.7."),
]
