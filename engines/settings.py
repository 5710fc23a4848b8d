"""What can be asked for when a session begins: every setting of a method is declared
once, here in form and there in content.

A method lists its own in `engines/<method>/settings.py`. The check of a value, the
option of the command line, the variable, the section of config.yaml, the key of a batch
line, the field of a form and the table in the documents all come from that declaration.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

from ..sessions.errors import bad_input
from ..sessions.methods import METHODS, module_of
from ..texts import has, t

if TYPE_CHECKING:
    from ..sessions.session import Session


class ValueKind(Protocol):
    """What the values of an option look like."""

    @property
    def wanted(self) -> str:
        """The values that are allowed, in words: "… must be WANTED"."""
        ...

    @property
    def values(self) -> str:
        """The same in a table, after the default: "" where any value goes."""
        ...

    def allows(self, value: object) -> bool: ...

    def read(self, text: str) -> Any:
        """The value of a typed text; the text itself if it has none, so that the check
        can name it.
        """
        ...


@dataclass(frozen=True)
class Whole:
    """A whole number. `optional`: there may be none."""

    least: int
    most: int
    optional: bool = False

    @property
    def wanted(self) -> str:
        return t("wrong.setting.whole", least=self.least, most=self.most)

    @property
    def values(self) -> str:
        key = "usage.range.least" if self.most > 10**9 else "usage.range.between"
        return t(key, least=self.least, most=self.most)

    def allows(self, value: object) -> bool:
        if value is None:
            return self.optional
        return (
            isinstance(value, int)
            and not isinstance(value, bool)
            and self.least <= value <= self.most
        )

    def read(self, text: str) -> Any:
        if self.optional and not text.strip():
            return None
        try:
            return int(text)
        except ValueError:
            return text


@dataclass(frozen=True, init=False)
class OneOf:
    """One of a few words."""

    words: tuple[str, ...]

    def __init__(self, *words: str) -> None:
        object.__setattr__(self, "words", words)

    @property
    def wanted(self) -> str:
        return t("wrong.setting.or").join(self.words)

    @property
    def values(self) -> str:
        return ", ".join(f"`{word}`" for word in self.words)

    def allows(self, value: object) -> bool:
        return value in self.words

    def read(self, text: str) -> Any:
        return text


@dataclass(frozen=True)
class Switch:
    """On or off."""

    values = ""

    @property
    def wanted(self) -> str:
        return t("wrong.setting.switch")

    def allows(self, value: object) -> bool:
        return isinstance(value, bool)

    def read(self, text: str) -> Any:
        word = text.strip().casefold()
        if word in ("true", "yes", "on", "1", "false", "no", "off", "0"):
            return word in ("true", "yes", "on", "1")
        return text


@dataclass(frozen=True)
class Text:
    """A printable text of one line.

    `what`: the key of what it is a text of, in texts/; `optional`: there may be none.
    """

    what: str = "wrong.setting.text"
    longest: int = 4096
    optional: bool = False
    values = ""

    @property
    def wanted(self) -> str:
        return t(self.what)

    def allows(self, value: object) -> bool:
        if value is None:
            return self.optional
        return (
            isinstance(value, str)
            and bool(value.strip())
            and len(value) <= self.longest
            and value.isprintable()
        )

    def read(self, text: str) -> Any:
        if self.optional and not text.strip():
            return None
        return text


@dataclass(frozen=True)
class Shares:
    """Numbers from 0 to 1 by name, such as `{"bias": 0.7}`.

    What is not named keeps its default.
    """

    names: tuple[str, ...]
    values = ""

    @property
    def wanted(self) -> str:
        return t("wrong.setting.shares", names=", ".join(self.names))

    def allows(self, value: object) -> bool:
        return isinstance(value, Mapping) and all(
            key in self.names and is_share(share) for key, share in value.items()
        )

    def read(self, text: str) -> Any:
        import yaml

        try:
            return yaml.safe_load(text)
        except yaml.YAMLError:
            return text


def is_number(
    value: object, low: float = -math.inf, high: float = math.inf
) -> TypeGuard[int | float]:
    """True for a finite number between bounds. A bool is none."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and low <= value <= high
    )


def is_share(value: object) -> bool:
    """True for a number from 0 to 1."""
    return is_number(value, 0, 1)


@dataclass(frozen=True)
class Option:
    """One thing that can be asked for.

    The command line and the lines of a batch name it; a session need not keep it.
    """

    name: str
    kind: ValueKind = field(default_factory=Text)
    metavar: str | None = None
    option: str = ""
    """The option's word without dashes where it is not the name."""
    many: bool = False
    """It can be given several times; a batch line adds to what the command line says.
    """
    group: str = ""
    """Group of the option. A batch line that sets one option of a group overrides the
    whole group of the command line.
    """

    @property
    def typed(self) -> bool:
        """True if the command line has an option of its own for it."""
        return True

    @property
    def flag(self) -> str:
        """As it is typed: `--judge-history`."""
        return f"--{(self.option or self.name).replace('_', '-')}"

    @property
    def key(self) -> str:
        """Its name among the options that a user gives."""
        return self.name

    def check(self, value: object) -> None:
        """Raises BadInput if it cannot have this value."""
        if not self.kind.allows(value):
            raise bad_input(
                "wrong.setting.value",
                name=self.name,
                expected=self.kind.wanted,
                value=value,
            )


@dataclass(frozen=True)
class Setting(Option):
    """A setting of a session: its header holds one value for each."""

    default: Any = None
    of_kind: Mapping[str, Any] = field(default_factory=dict)
    """The default for a kind of task, where that is another one."""
    before: Any = None
    """What a session goes by that does not name the setting, where that is not the
    default: it was made before there was the setting.
    """
    fixed: bool = False
    """It cannot change in mid-session: what the header says holds to the end."""
    computed: bool = False
    """Written when the session starts; not requested."""
    without: bool = False
    """A part of the method, which `--without NAME` leaves out."""
    content_of: str = ""
    """The setting that names what this one is the digest of."""
    counted: bool = False
    """A batch counts it; the command line has no option for it."""

    @property
    def typed(self) -> bool:
        return not (self.computed or self.without or self.counted)

    @property
    def flag(self) -> str:
        if self.without:
            return f"{WITHOUT.flag} {self.name}"
        if self.default is True:
            return f"--no-{self.name.replace('_', '-')}"
        return super().flag

    @property
    def key(self) -> str:
        return self.option or self.name

    def row(self) -> tuple[str, str, str]:
        """Its line in a table of the documents: name, option, values with the default
        first.
        """
        option = f"`{self.flag}`" if self.typed or self.without else "\u2013"
        match self.kind, self.default:
            case Switch(), on:
                values = "on" if on else "off"
            case OneOf(words), first:
                others = [
                    f"`{word}`"
                    + "".join(
                        f" for {kind}s"
                        for kind, word_ in self.of_kind.items()
                        if word_ == word
                    )
                    for word in words
                ]
                values = ", ".join(
                    sorted(others, key=lambda word: not word.startswith(f"`{first}`"))
                )
            case Shares(), shares:
                values = ", ".join(
                    f"{name} {share:g}".replace("0.", ".")
                    for name, share in shares.items()
                )
            case _, None:
                values = "none"
            case Text(), first:
                values = f"`{first}`"
            case _, first:
                values = f"{first}, {self.kind.values}"
        return self.name, option, values


WITHOUT = Option("without", many=True)

COMMON = (
    Option("model", many=True, metavar="[ROLE=]MODEL"),
    Option("param", many=True, metavar="ROLE.NAME=VALUE"),
    Option("prompts", metavar="NAME|DIR"),
)
"""What every method has: the models, their parameters and the set of prompts."""


class Settings:
    """The settings of one method, in the order in which its headers have them, and what
    else can be asked for.
    """

    def __init__(
        self,
        method: str,
        settings: Sequence[Setting],
        *,
        options: Sequence[Option] = (),
        builtins: Sequence[str],
        judging: Sequence[str] = (),
        asked: Sequence[str] | None = None,
    ) -> None:
        """`options`: task options that are not settings, in addition to those of every
        method. `builtins`: the built-in models a role can have; the first is the
        default. `judging`: roles whose replies can be voted on, so that a panel can
        take them. `asked`: the settings in the form of a new session, the most
        important first; without it, all that a user can choose.
        """
        self.method, self.builtins, self.judging = method, builtins, judging
        self._settings = {setting.name: setting for setting in settings}
        chosen = [one.name for one in settings if not (one.computed or one.counted)]
        self.asked = chosen if asked is None else asked
        parts = [setting.name for setting in settings if setting.without]
        without = [replace(WITHOUT, kind=OneOf(*parts))] if parts else []
        known = (*options, *self._settings.values(), *without, *COMMON)
        self.options = tuple(option for option in known if option.typed)
        """Those of the command line, in the order of `--help`."""
        self._keys = {
            key: option
            for option in known
            for key in (option.key, option.name, option.option)
            if key
        }

    def __iter__(self) -> Iterator[Setting]:
        return iter(self._settings.values())

    @property
    def noun(self) -> str:
        """What its sessions are, for messages: a question."""
        return t(f"wrong.{self.method}.noun")

    def __getitem__(self, name: str) -> Setting:
        return self._settings[name]

    @property
    def names(self) -> list[str]:
        """Names of the settings that a user can choose."""
        return [setting.name for setting in self if not setting.computed]

    @property
    def by_kind(self) -> list[str]:
        """Names of the settings whose default goes by the kind of the task."""
        return [setting.name for setting in self if setting.of_kind]

    def bounds(self, name: str) -> tuple[int, int]:
        """The least and the most of a setting that is a whole number."""
        kind = self[name].kind
        assert isinstance(kind, Whole)
        return kind.least, kind.most

    def words(self, name: str) -> tuple[str, ...]:
        """The words of a setting that is one of them."""
        kind = self[name].kind
        assert isinstance(kind, OneOf)
        return kind.words

    def parts(self) -> list[str]:
        """Names of the parts of the method that can be left out."""
        return [setting.name for setting in self if setting.without]

    def help(self, option: Option) -> str:
        """What an option is for, in the user's language: a text of the method's own, or
        of all that have it.
        """
        own = f"usage.{self.method}.{option.key}"
        return t(own if has(own) else f"usage.option.{option.name}")

    def option(self, name: str) -> Option | None:
        """What is meant by a name of an option, of a setting or of a batch line; None:
        there is no such thing.
        """
        found = self._keys.get(name.replace("-", "_"))
        if isinstance(found, Setting) and found.computed:
            return None
        return found

    def defaults(self, kind: str = "") -> dict[str, Any]:
        """All settings as they are where nothing is said, for a task of this kind."""
        return {
            one.name: dict(value)
            if isinstance(value := one.of_kind.get(kind, one.default), dict)
            else value
            for one in self
        }

    def allowed(self, name: str, value: object) -> bool:
        """True if there is such a setting and it can have this value."""
        return name in self._settings and self._settings[name].kind.allows(value)

    def check(self, name: str, value: object) -> None:
        """Raises BadInput if there is no such setting or it cannot have this value."""
        if name not in self.names:
            raise bad_input(
                "wrong.setting.unknown",
                name=name,
                where=t(f"wrong.{self.method}.where"),
                names=", ".join(self.names),
            )
        self._settings[name].check(value)

    def over_defaults(
        self, wanted: Mapping[str, Any], kind: str = ""
    ) -> dict[str, Any]:
        """All settings: what is wanted, above the defaults, in the order of the
        declarations. Raises BadInput.
        """
        for name, value in wanted.items():
            self.check(name, value)
        made = self.defaults(kind)
        for name, value in wanted.items():
            made[name] = (
                {**made[name], **value} if isinstance(value, Mapping) else value
            )
        return made

    def in_force(self, session: Session, name: str) -> Any:
        """A setting as it is now; its default where the file does not name it, or names
        what cannot be.
        """
        setting = self._settings[name]
        try:
            value = (
                session.header.settings[name]
                if setting.fixed
                else session.setting(name)
            )
        except KeyError:
            pass
        else:
            if value is setting.default or setting.kind.allows(value):
                if isinstance(value, dict):
                    return {**setting.default, **value}
                return value
        if setting.before is None:
            return setting.default
        return setting.before


def settings_of(method: str) -> Settings:
    """The declarations of a method, loaded by its name."""
    declared: Settings = module_of(method, "settings").SETTINGS
    return declared


def sections() -> dict[str, Settings]:
    """The declarations of all methods by the name of the method, which is their section
    in config.yaml.
    """
    return {method: settings_of(method) for method in METHODS}
