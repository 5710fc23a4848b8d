"""The settings and options of sessions. Every setting of a method is declared once,
here by type and there by content.

A method lists its settings in `engines/<method>/settings.py`. The validation, the
command-line option, the environment variable, the section of config.yaml, the key of a
batch line, the form field and the table in the documentation all derive from that
declaration.
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
    """The type of an option's value."""

    @property
    def wanted(self) -> str:
        """The allowed values as text: "… must be WANTED"."""
        ...

    @property
    def values(self) -> str:
        """The same for a table, after the default: "" if any value is allowed."""
        ...

    def allows(self, value: object) -> bool: ...

    def read(self, text: str) -> Any:
        """Parses a typed text; returns the text itself if it is invalid, so that the
        validation can name it.
        """
        ...


@dataclass(frozen=True)
class Whole:
    """A whole number. `optional`: may be None."""

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
    """One of several words."""

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
    """True or false."""

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
    """A printable text of one line. `what`: key of its description in texts/;
    `optional`: may be None.
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
    """Numbers from 0 to 1 by name, such as `{"bias": 0.7}`. Missing names keep their
    defaults.
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
    """Whether it is a finite number between bounds. A bool is not."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and low <= value <= high
    )


def is_share(value: object) -> bool:
    """Whether it is a number from 0 to 1."""
    return is_number(value, 0, 1)


@dataclass(frozen=True)
class Option:
    """An option on the command line and in batch lines; sessions need not store it."""

    name: str
    kind: ValueKind = field(default_factory=Text)
    metavar: str | None = None
    option: str = ""
    """The option's name without dashes, if it differs."""
    many: bool = False
    """Whether it is repeatable; a batch line adds to the command line's values."""
    group: str = ""
    """Group of the option. A batch line that sets one option of a group overrides the
    whole group of the command line.
    """

    @property
    def typed(self) -> bool:
        """Whether the command line has an option for it."""
        return True

    @property
    def flag(self) -> str:
        """As typed: `--judge-history`."""
        return f"--{(self.option or self.name).replace('_', '-')}"

    @property
    def key(self) -> str:
        """Its name among the user's options."""
        return self.name

    def check(self, value: object) -> None:
        """Raises BadInput for an invalid value."""
        if not self.kind.allows(value):
            raise bad_input(
                "wrong.setting.value",
                name=self.name,
                expected=self.kind.wanted,
                value=value,
            )


@dataclass(frozen=True)
class Setting(Option):
    """A setting of a session, stored in its header."""

    default: Any = None
    of_kind: Mapping[str, Any] = field(default_factory=dict)
    """The default for a kind of task, if it differs."""
    before: Any = None
    """The value for sessions without this setting, if it is not the default: they are
    older than the setting.
    """
    fixed: bool = False
    """Whether it is fixed during a session."""
    computed: bool = False
    """Written when the session starts; not set by the user."""
    without: bool = False
    """A part of the method, which `--without NAME` removes."""
    content_of: str = ""
    """The setting that this one is a digest of."""
    counted: bool = False
    """Used by batches; not a command-line option."""

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
        """Its row in a documentation table: name, option, values with the default
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
"""The options of every method: models, their parameters and the prompt set."""


class Settings:
    """The settings of a method, in header order, and its other options."""

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
        """Its command-line options, in the order of `--help`."""
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
        """The noun for its sessions in messages: a question."""
        return t(f"wrong.{self.method}.noun")

    def __getitem__(self, name: str) -> Setting:
        return self._settings[name]

    @property
    def names(self) -> list[str]:
        """Names of the settings that users can set."""
        return [setting.name for setting in self if not setting.computed]

    @property
    def by_kind(self) -> list[str]:
        """Names of the settings with a default by kind of task."""
        return [setting.name for setting in self if setting.of_kind]

    def bounds(self, name: str) -> tuple[int, int]:
        """The minimum and maximum of a whole-number setting."""
        kind = self[name].kind
        assert isinstance(kind, Whole)
        return kind.least, kind.most

    def words(self, name: str) -> tuple[str, ...]:
        """The allowed words of a setting."""
        kind = self[name].kind
        assert isinstance(kind, OneOf)
        return kind.words

    def parts(self) -> list[str]:
        """Names of the parts that can be removed."""
        return [setting.name for setting in self if setting.without]

    def help(self, option: Option) -> str:
        """The help text of an option, in the user's language: the method's own, or the
        common one.
        """
        own = f"usage.{self.method}.{option.key}"
        return t(own if has(own) else f"usage.option.{option.name}")

    def option(self, name: str) -> Option | None:
        """Resolves the name of an option, a setting or a line key; None: unknown."""
        found = self._keys.get(name.replace("-", "_"))
        if isinstance(found, Setting) and found.computed:
            return None
        return found

    def defaults(self, kind: str = "") -> dict[str, Any]:
        """The default settings for this kind of task."""
        return {
            one.name: dict(value)
            if isinstance(value := one.of_kind.get(kind, one.default), dict)
            else value
            for one in self
        }

    def allowed(self, name: str, value: object) -> bool:
        """Whether the setting exists and allows this value."""
        return name in self._settings and self._settings[name].kind.allows(value)

    def check(self, name: str, value: object) -> None:
        """Raises BadInput for an unknown setting or an invalid value."""
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
        """All settings: the given values over the defaults, in declaration order.
        Raises BadInput.
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
        """The current value of a setting; its default if the file lacks it or has an
        invalid value.
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
    """Loads the declarations of a method by its name."""
    declared: Settings = module_of(method, "settings").SETTINGS
    return declared


def sections() -> dict[str, Settings]:
    """The declarations of all methods by name, their section in config.yaml."""
    return {method: settings_of(method) for method in METHODS}
