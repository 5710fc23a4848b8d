"""The start of a session: a user's wishes, from any interface, turned into a header."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ..sessions.errors import BadInput, Faults, bad_input
from ..sessions.methods import METHODS
from ..sessions.new import new_header
from ..sessions.session import Header, Prompts, Seat
from ..texts import t
from .script import NAME as SCRIPT
from .settings import Option, Settings, Shares, settings_of

if TYPE_CHECKING:
    from ..prompts import PromptSet
    from ..sessions.paths import Paths
    from .models.config import Config

T = TypeVar("T")


@dataclass(frozen=True)
class Wishes:
    """What a user asks of a session, from the command line, a form, a line of a batch
    or a program. Nothing of it is checked yet.
    """

    declared: Settings
    options: Mapping[str, Any] = field(default_factory=dict)
    """The options by name; one that is not here was not given."""
    task: Mapping[str, Any] = field(default_factory=dict)
    """What the session is about, as the method's `begin` takes it: a topic, a question,
    a query with candidates.
    """

    def get(self, name: str) -> Any:
        """An option as it was given; None if it was not."""
        return self.options.get(name)

    def listed(self, name: str) -> tuple[str, ...]:
        """What was given of an option that can be given several times."""
        return tuple(self.options.get(name, ()))

    def about(self, **task: Any) -> Self:
        """The same options, of this task; what is None is left out."""
        return replace(
            self,
            task={
                **self.task,
                **{name: value for name, value in task.items() if value is not None},
            },
        )

    def less(self, group: str) -> Self:
        """The same without the options of a group."""
        names = {
            option.name for option in self.declared.options if option.group == group
        }
        return replace(
            self,
            options={
                name: value for name, value in self.options.items() if name not in names
            },
        )

    @property
    def address(self) -> str | None:
        """The address of a server that has no name in config.yaml."""
        return next(
            (
                value
                for value in self.options.values()
                if isinstance(value, str) and "://" in value
            ),
            None,
        )

    def given(self) -> dict[str, Any]:
        """The options as JSON: what a batch is known by.

        An address is not written anywhere, since it may change.
        """
        listed = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.options.items()
        }
        return {
            name: "http" if isinstance(value, str) and "://" in value else value
            for name, value in listed.items()
        }

    def with_line(self, line: Mapping[str, object], own: Iterable[str] = ()) -> Self:
        """These with further options, by their names in a batch line, where `-` may
        stand for `_`.

        An option that can be given several times is added to; of a group of options,
        those of the line stand alone. `own`: the fields that are no options, for the
        message.

        Raises: BadInput for each name that is no option, and each value that cannot be.
        """
        if not line:
            return self
        faults, kept = Faults(), self
        named: dict[str, Option] = {}
        for name in line:
            option = self.declared.option(name)
            if option is None:
                words = {"name": name, "noun": self.declared.noun}
                fields = ", ".join(sorted(own))
                key = "no_field" if fields else "no_option"
                faults.add(t(f"wrong.setting.{key}", fields=fields, **words))
                continue
            named[name] = option
            kept = kept.less(option.group) if option.group else kept
        options = dict(kept.options)
        for name, option in named.items():
            value = line[name]
            if option.many:
                more = faults.of(partial(_texts, name, value))
                options[option.key] = (*options.get(option.key, ()), *(more or ()))
            else:
                faults.of(partial(option.check, value))
                options[option.key] = value
        faults.refuse()
        return replace(kept, options=options)

    def settings(self) -> dict[str, Any]:
        """The options that are settings of the session, by the names of the settings.
        Raises: BadInput.
        """
        made: dict[str, object] = {}
        for setting in self.declared:
            if setting.key in self.options:
                value = self.options[setting.key]
                made[setting.name] = (
                    dict(map(_share, value))
                    if isinstance(setting.kind, Shares)
                    else value
                )
        faults, parts = Faults(), self.declared.parts()
        for name in self.listed("without"):
            if name not in parts:
                names = ", ".join(parts)
                faults.add(t("wrong.setting.no_part", name=name, names=names))
            made[name] = False
        faults.refuse()
        return made


def wishes(
    method: str, options: Mapping[str, object] | None = None, **task: Any
) -> Wishes:
    """The wishes for a session of a method, from plain values: options as in a batch
    line (None: not given), and what the session is about.

    Raises: BadInput.
    """
    given = {
        name: value for name, value in (options or {}).items() if value is not None
    }
    return Wishes(settings_of(method)).about(**task).with_line(given)


def usable(declared: Settings, config: Config) -> dict[str, Any]:
    """The user's own settings of a method, as far as they are valid: the initial values
    of a form.
    """
    own = config.settings.get(declared.method, {})
    return {
        name: value
        for name, value in own.items()
        if name in declared.names and declared.allowed(name, value)
    }


def header_of(
    declared: Settings,
    *,
    title: str,
    task: dict[str, object],
    lineup: dict[str, Seat],
    settings: dict[str, object],
    prompts: PromptSet,
) -> Header:
    """The header of a new session of a method, with the prompts as they are now."""
    return new_header(
        workspace=METHODS[declared.method],
        method=declared.method,
        title=title,
        task=task,
        lineup=lineup,
        settings=settings,
        prompts=Prompts(
            set=prompts.name, hash=prompts.hash, templates=prompts.templates
        ),
    )


def check_roles(
    declared: Settings, lineup: Mapping[str, Seat], roles: Sequence[str]
) -> None:
    """Raises: BadInput for the seat of a role that a method does not have."""
    for role in lineup:
        if role not in roles:
            method, names = declared.method, ", ".join(roles)
            raise bad_input(
                "wrong.lineup.foreign_role", role=role, method=method, names=names
            )


def check_script(header: Header, unscripted: Callable[[Header], str | None]) -> None:
    """Raises BadInput where the built-in `script` is seated in a session that it has no
    lines for: `unscripted` says why, as the end of a sentence; None: it has them.
    """
    why = (
        unscripted(header)
        if any(
            one.model == SCRIPT
            for seat in header.lineup.values()
            for one in seat.members
        )
        else None
    )
    if why is not None:
        raise bad_input("wrong.script.refuses", why=why)


class WrongBeginning(BadInput):
    """A session cannot begin; all that is wrong, a line each."""

    def __init__(
        self, own: Sequence[str], wrong: Sequence[str], unready: Sequence[str]
    ) -> None:
        """`own`: of the session.

        `wrong`: of the configuration. `unready`: of models that are named.
        """
        super().__init__("\n".join(dict.fromkeys([*wrong, *unready, *own])))
        self.own, self.wrong, self.unready = own, wrong, unready


@dataclass(eq=False)
class Starter:
    """What methods make headers with: the user's configuration and folders.

    What many headers share is read once.
    """

    config: Config
    places: Paths
    _: KW_ONLY
    attended: bool = False
    """Somebody sits before the session and can still change its seats before it
    continues.
    """
    many: bool = False
    """The headers are those of a batch, whose figures are measured: what was written by
    hand speaks there only where it is named.
    """
    piped: Callable[[], bytes] | None = None
    """Reads stdin."""
    wrong: Sequence[str] = ()
    """What is wrong in the configuration, a sentence each."""
    keyed: bool = True
    """Whether models are asked with the keys of this process."""
    _read: dict[tuple[str, Hashable], Any] = field(default_factory=dict, init=False)

    def under(self, config: Config) -> Starter:
        """The same under another configuration, with what was read."""
        made = Starter(config, self.places, many=self.many, piped=self.piped)
        made._read = self._read
        return made

    def once(self, what: str, key: Hashable, read: Callable[[], T]) -> T:
        """What `read` returns, which is called only the first time for this key."""
        if (what, key) not in self._read:
            self._read[what, key] = read()
        value: T = self._read[what, key]
        return value

    def settings(self, wishes: Wishes) -> dict[str, Any]:
        """The settings that are not left to their defaults: the user's own below, what
        is wished above.

        Raises: BadInput for each of the user's own that cannot be, with the file or the
        variable where it stands.
        """
        faults = Faults()
        declared, wanted = wishes.declared, faults.of(wishes.settings) or {}
        made: dict[str, Any] = {}
        for name, value in self._own(declared).items():
            if name in wanted and not isinstance(wanted[name], Mapping):
                continue
            if name != "prompts":
                made[name] = value
            elif wishes.get(name) is not None:
                continue
            faults.of(partial(self._check, declared, name, value))
        faults.refuse()
        for name, value in wanted.items():
            made[name] = (
                {**made.get(name, {}), **value} if isinstance(value, Mapping) else value
            )
        return made

    def seats(
        self, wishes: Wishes, roles: Sequence[str], needed: Sequence[str], **more: Any
    ) -> dict[str, Seat]:
        """Role to seat, as in `models.seating.seated`, whose other arguments are
        `more`. Raises: BadInput.
        """
        from .models.seating import seated

        models, params = wishes.listed("model"), wishes.listed("param")
        declared = wishes.declared
        return seated(declared, self.config, roles, needed, models, params, **more)

    def wanted_prompts(self, wishes: Wishes) -> str | None:
        """The set of prompts that the user chose, if any."""
        chosen = wishes.get("prompts") or self._own(wishes.declared).get("prompts")
        if chosen is None:
            return None
        return str(chosen)

    def prompts(self, name: str, declared: Settings) -> PromptSet:
        """A set of prompts of a method. Raises: BadInput."""
        from ..prompts import load

        return self.once(
            "prompts",
            (name, declared.method),
            lambda: load(name, self.places.prompts, workspace=declared.method),
        )

    def _own(self, declared: Settings) -> Mapping[str, object]:
        return self.config.settings.get(declared.method, {})

    def _check(self, declared: Settings, name: str, value: Any) -> None:
        """Raises: BadInput for a wrong setting of the user's own, with where it
        stands.
        """
        try:
            if name == "prompts":
                self.prompts(str(value), declared)
            else:
                declared.check(name, value)
        except BadInput as error:
            from .models.config_check import place_of

            place = place_of(declared.method, name, self.places, os.environ)
            raise BadInput(f"{place}: {error}") from None


def _texts(name: str, value: object) -> tuple[str, ...]:
    """`"X"`, `["X", "ROLE=Y"]` or `{"*": "X", "ROLE": "Y"}` as the command line would
    have them. Raises: BadInput.
    """
    if isinstance(value, Mapping):
        value = [
            str(one) if key == "*" else f"{key}={one}" for key, one in value.items()
        ]
    elif isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple) or not all(
        isinstance(one, str) for one in value
    ):
        raise bad_input("wrong.setting.texts", name=name)
    return tuple(value)


def _share(text: str) -> tuple[str, float]:
    """`bias=0.7` as a name and a number. Raises: BadInput."""
    name, equals, value = text.partition("=")
    try:
        share = float(value)
    except ValueError:
        share = -1.0
    if not equals or not 0 <= share <= 1:
        raise bad_input("wrong.setting.bound", text=text)
    return name.strip(), share
