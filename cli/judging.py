"""What a user asks of the relevance of cases, made into a session's header."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

import click

from ..sessions.errors import BadInput
from .wishes import Given

if TYPE_CHECKING:
    from ..engines.relevance.importers.cases import Case
    from ..prompts.demonstrations import DemonstrationSet
    from ..sessions.session import Header, Seat
    from .options import Maker

WITHOUT = ("matching", "extraction", "annotation")
"""What of the method can be left out: settings of these names are then false."""


@dataclass(frozen=True)
class Judging(Given):
    """The options of one query as given; None and empty: not given."""

    NOUN: ClassVar[str] = "a pair"
    NUMBERS: ClassVar[frozenset[str]] = frozenset({"shots", "seed", "case_tokens"})
    LISTS: ClassVar[frozenset[str]] = frozenset({"model", "param", "without"})

    demonstrations: str | None = None
    without: tuple[str, ...] = ()
    shots: int | None = None
    seed: int | None = None
    long: str | None = None
    case_tokens: int | None = None
    cache: str | None = None
    prompts: str | None = None
    model: tuple[str, ...] = ()
    param: tuple[str, ...] = ()

    def settings(self) -> dict[str, Any]:
        """Those that are settings of the session. BadInput."""
        unknown = [one for one in self.without if one not in WITHOUT]
        if unknown:
            raise BadInput(f"There is nothing called “{unknown[0]}” to go without; there are {', '.join(WITHOUT)}.")
        named = {"shots": self.shots, "seed": self.seed, "long": self.long, "budget_tokens": self.case_tokens, "cache": self.cache}
        return {name: value for name, value in named.items() if value is not None} | dict.fromkeys(self.without, False)


@dataclass(frozen=True)
class Shape:
    """What of a header is the same for all cases under the same options."""

    demonstrations: DemonstrationSet
    settings: dict[str, Any]
    lineup: dict[str, Seat]
    prompts: str


@dataclass
class Judger:
    """Makes headers of queries with candidates; what many of them share is read once."""

    maker: Maker
    _sets: dict[str, DemonstrationSet] = field(default_factory=dict)
    _shapes: dict[tuple[Judging, float | None], Shape] = field(default_factory=dict)

    def header(
        self,
        query: Case,
        candidates: Sequence[tuple[Case, int | None]],
        wishes: Judging,
        *,
        temperature: float | None = None,
        repeat: int = 0,
    ) -> Header:
        """The header for a query and candidates, each with its level in the data. BadInput for whatever does not hold.

        `temperature` is that of every language model; None: what the options say. `repeat` tells equal runs apart.
        """
        from ..engines.relevance.new import new_relevance

        shape = self.shape(wishes, temperature)
        return new_relevance(
            query=query.as_json(),
            candidates=[one.as_json() | ({} if gold is None else {"gold": gold}) for one, gold in candidates],
            demonstrations=shape.demonstrations,
            lineup=shape.lineup,
            settings=shape.settings | {"repeat": repeat},
            prompts=self.maker.prompt_set(shape.prompts, "relevance"),
        )

    def shape(self, wishes: Judging, temperature: float | None = None) -> Shape:
        """What the options come to. BadInput."""
        key = (wishes, temperature)
        if key not in self._shapes:
            self._shapes[key] = self._shape(wishes, temperature)
        return self._shapes[key]

    def _shape(self, wishes: Judging, temperature: float | None) -> Shape:
        import msgspec

        from ..engines.models.lineup import BUILTINS
        from ..engines.models.settings import check_own
        from ..engines.relevance.new import prompt_set_for, roles_needed
        from ..engines.relevance.plan import DEFAULTS, check_setting, check_settings
        from ..engines.relevance.seats import seats

        def check(name: str, value: Any) -> None:
            if name == "prompts":
                self.maker.prompt_set(str(value), "relevance")
            else:
                check_setting(name, value)

        config, given = self.maker.config, wishes.settings()
        told = {"prompts": wishes.prompts, "demonstrations": wishes.demonstrations}
        beaten = given | {name: value for name, value in told.items() if value is not None}
        own = {name: value for name, value in config.settings.get("relevance", {}).items() if name not in beaten}
        settings = {**check_own("relevance", own, check, self.maker.places.config_file, os.environ), **given}
        prompts = wishes.prompts or settings.pop("prompts", None)
        name = wishes.demonstrations or str(settings.get("demonstrations") or DEFAULTS["demonstrations"])
        demonstrations = self._set(name)
        settings["demonstrations"] = os.path.abspath(os.path.expanduser(name)) if self._is_path(name) else name
        lineup = seats(config, roles_needed(check_settings(settings)), wishes.model, wishes.param)
        if any(seat.model == "script" for seat in lineup.values()):
            raise BadInput("The built-in script has lines for debates only; name a model with --model, or leave it out for lexical.")
        if temperature is not None:
            lineup = {
                role: seat if seat.model in BUILTINS else msgspec.structs.replace(seat, params={**seat.params, "temperature": temperature})
                for role, seat in lineup.items()
            }
        return Shape(demonstrations, settings, lineup, str(prompts or prompt_set_for(demonstrations)))

    def _set(self, name: str) -> DemonstrationSet:
        from ..prompts.demonstrations import load

        if name not in self._sets:
            self._sets[name] = load(name, self.maker.places.demonstrations)
        return self._sets[name]

    def _is_path(self, name: str) -> bool:
        """A session is gone on with from anywhere."""
        from ..prompts.demonstrations import available

        return name not in available(self.maker.places.demonstrations)


def remark_on_language(case: Case, demonstrations: DemonstrationSet) -> str | None:
    """A sentence where a case is in another language than the demonstrations; None where it is in theirs."""
    from ..engines.relevance.importers.cases import is_chinese

    chinese = demonstrations.about.language.casefold().startswith("zh")
    if is_chinese(case.text) == chinese:
        return None
    kind, other = ("not in Chinese", "en-common-law") if chinese else ("in Chinese", "zh-criminal")
    return (
        f"The query is {kind}, but the demonstrations {demonstrations.name} are in the language “{demonstrations.about.language}”; "
        f"--demonstrations {other} may fit better."
    )


def numbers(text: str | None) -> tuple[float, ...]:
    """`0,.3,.7,1` as temperatures, each once. BadInput."""
    if text is None:
        return ()
    try:
        found = tuple(float(one) for one in text.split(","))
    except ValueError:
        found = ()
    if not found or len(set(found)) < len(found) or not all(0 <= one <= 2 for one in found):
        raise BadInput("--temperatures takes different numbers from 0 to 2 with commas between, such as 0,.3,.7,1.")
    return found


def common(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of one query, as click options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def take(values: dict[str, Any]) -> Judging:
    """Takes the options of `common` out of a command's values."""
    return Judging(**{f.name: values.pop(f.name) for f in fields(Judging)})


_OPTIONS = [
    click.option("--demonstrations", metavar="SET|PATH", help="The demonstrations (default zh-criminal); `verifytui demonstrations`."),
    click.option(
        "--without", multiple=True, type=click.Choice(WITHOUT), help="Leave a part of the method out; can be given several times."
    ),
    click.option("--shots", type=int, metavar="N", help="Demonstrations before an extraction (default 2)."),
    click.option("--seed", type=int, metavar="N", help="Of the random demonstrations of --without matching."),
    click.option("--long", type=click.Choice(["cut", "pieces"]), help="A case over its budget: cut (head and tail, default) or in pieces."),
    click.option("--case-tokens", type=int, metavar="N", help="The budget of the case in hand, in each stage (default 6000)."),
    click.option(
        "--cache", type=click.Choice(["none", "extraction", "all"]), help="Which replies are held for later (default extraction)."
    ),
    click.option("--model", multiple=True, metavar="[ROLE=]MODEL", help="A model for all roles, or for one (default lexical: no model)."),
    click.option("--param", multiple=True, metavar="ROLE.NAME=VALUE", help="A model parameter, such as annotator.temperature=0.7."),
    click.option("--prompts", metavar="NAME|DIR", help="The set of prompts (default: by the demonstrations' language)."),
]
