"""The user's config.yaml (named models, default line-ups and settings), and the
environment variables that override it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

import msgspec

from ...sessions.errors import BadInput, bad_input, unread
from ...texts import LANGUAGES, t
from ...texts.closest import with_closest
from ...texts.patterns import lazy
from ..settings import sections
from .environment import Environment
from .keys import looks_like_key
from .limits import RateLimits
from .lineup import BUILTINS, check_id, check_params
from .panels import LEAST, MOST, RULES, Rule
from .providers import address_problem, no_address

MAX_BYTES = 1 << 20


class TokenPrices(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """US dollars per million tokens."""

    input: float
    output: float
    cached_input: float | None = None
    """Of input that the provider has in its cache; None: as other input, and what the
    cache saves is unknown.
    """


class NamedModel(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A model with a name that the user gave it."""

    model: str
    """What LiteLLM takes, or any id that the server at `api_base` knows."""
    api_base: str | None = None
    api_key_env: str | None = None
    """Name of the environment variable that holds the key."""
    params: dict[str, Any] = {}
    prices: TokenPrices | None = None
    timeout: float | None = None
    """Seconds for a whole reply."""
    stall_timeout: float | None = None
    """Seconds without a token."""
    context: int | None = None
    """Tokens."""
    max_rps: float | None = None
    """Calls that may begin in a second."""
    max_tpm: int | None = None
    """Tokens, in and out, that a minute may take."""
    concurrency: int | None = None
    """Calls that may be under way at a time."""
    trained_on: str | None = None
    """The folder of the exported data that it was trained on."""
    schema: bool | Literal["json_object"] | None = None
    """The form that replies are asked in.

    `true` or None: by a JSON Schema, then as a JSON object, then as text, each time the
    server refuses the form before; `json_object`: from there on; `false`: only as text.
    """

    @property
    def pace(self) -> RateLimits:
        """The rate limits of the model's calls."""
        return RateLimits(
            max_rps=self.max_rps, max_tpm=self.max_tpm, concurrency=self.concurrency
        )


class NamedPanel(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Several models that judge as one, with a name that the user gave them."""

    panel: list[str]
    """Its members: named models, ids of models, built-ins."""
    rule: Rule = "majority"
    """How their votes become one."""


class NamedCommand(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A command that answers as a model: the messages on stdin, the reply on stdout."""

    command: list[str]
    """The program and its arguments; no shell reads them."""
    env: list[str] = []
    """Names of the environment variables with keys that the command may see."""
    timeout: float | None = None
    """Seconds for a reply."""
    concurrency: int | None = None
    """Runs at a time."""

    @property
    def pace(self) -> RateLimits:
        """What its runs must keep to."""
        return RateLimits(concurrency=self.concurrency)


class NamedRetriever(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A server that finds passages, with a name that the user gave it: `http:NAME`."""

    url: str
    """Where `{"query": …, "k": …}` is posted."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key, sent as `Authorization:
    Bearer`.
    """
    timeout: float = 30.0
    """Seconds for a whole answer."""


WarningId = Literal[
    "judge-is-author",
    "circularity",
    "changed-model",
    "small-n",
    "skewed-classes",
    "charge-confound",
    "charge-gain",
]
"""Warnings about figures (`engines/figures/warnings.py`)."""


class Config(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Everything that may be in config.yaml; all of it optional."""

    model: str | None = None
    """The default model of every role."""
    models: dict[str, NamedModel] = {}
    panels: dict[str, NamedPanel] = {}
    """Panels. In the file they are entries of `models` with `panel`."""
    commands: dict[str, NamedCommand] = {}
    """Commands. In the file they are entries of `models` with `command`."""
    refuses_commands: bool = False
    """Whether no command may be seated: many sessions would run it often.

    No entry of the file.
    """
    lineup: dict[str, dict[str, str]] = {}
    """method -> role -> model"""
    settings: dict[str, dict[str, Any]] = {}
    """method -> setting -> value; they are checked when a session begins"""
    retrievers: dict[str, NamedRetriever] = {}
    estimator_command: str | None = None
    """A command of the user that rates translations without a reference."""
    keymap: dict[str, str | list[str]] = {}
    theme: str | None = None
    language: str | None = None
    notify: Literal["auto", "bell", "off"] = "auto"
    """How the app calls a user whose terminal has lost the focus."""
    annotator: str | None = None
    """Whose labels are given in the app; None: the name of the login."""
    local_only: bool = False
    private_hosts: list[str] = []
    """Hosts that count as the user's own under `local_only`."""
    silence: list[WarningId] = []
    """Ids of warnings that reports leave out (docs/audit.md)."""
    retries: int = 4
    """How often a transient failure is tried again; 0 turns it off."""
    retry_wait: float = 1.0
    """Seconds before the first new attempt; doubles each time, up to 30, unless the
    provider says how long.
    """
    timeout: float = 600.0
    """Seconds for a whole reply."""
    stall_timeout: float = 120.0
    """Seconds without a token, in a streamed reply."""
    cache: bool = True
    """Whether replies are held for equal requests to come, where a method wants that.
    """
    reasoning: Literal["folded", "shown"] = "folded"
    """How a model's reasoning first appears on screen."""

    @property
    def key_variables(self) -> list[str | None]:
        """The environment variables that hold keys, as far as entries name them."""
        return [
            *(model.api_key_env for model in self.models.values()),
            *(name for command in self.commands.values() for name in command.env),
            *(retriever.api_key_env for retriever in self.retrievers.values()),
        ]


_ENTRIES: dict[str, Any] = {
    "models": NamedModel,
    "panels": NamedPanel,
    "commands": NamedCommand,
    "retrievers": NamedRetriever,
    "lineup": dict[str, str],
    "settings": dict[str, Any],
}
"""Sections of named entries, each of which is of this type."""
_PARTED = ("panels", "commands", "refuses_commands")
"""Fields of `Config` that are no entries of the file."""
_NOT_OURS = frozenset({"HOME"})
_SECRET_FIELD = lazy(
    r"(?i)^(api[_-]?key|key|token|secret|password|authorization|auth[_-]token)$"
)
_ENV_NAME = lazy(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_PLAIN = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "object": "names with values",
    "array": "a list",
}


class BadConfig(BadInput):
    """Entries of the configuration cannot be used."""

    def __init__(self, sentences: Sequence[str], rest: Config | None) -> None:
        """`rest`: the other entries; None where a model that seats name may be
        missing.
        """
        super().__init__("\n".join(sentences))
        self.sentences, self.rest = sentences, rest


def load_config(path: Path, env: Environment) -> Config:
    """The file at `path` (missing: empty), then the `VERIFYTUI_` variables of `env`.

    Raises: BadInput, which names every mistake, a line each; BadConfig for entries.
    """
    data = _read(path)
    try:
        _refuse_keys(path, data)
    except RecursionError:
        raise bad_input("wrong.config.alias", path=path) from None
    _refuse_odd_names(path, data)
    _apply_variables(data, env)
    if data.get("notify") is False:  # YAML reads an unquoted off so
        data["notify"] = "off"
    problems = []
    for name in _PARTED:
        if name in data:
            problems.append(t(f"wrong.config.{name}", name=name))
            del data[name]
    _part(data, "panel", "panels")
    _part(data, "command", "commands")
    config = _converted(data, problems)
    problems += _check(config)
    sentences = [f"{path}: {one}" for one in problems]
    if config.language not in (None, *LANGUAGES):
        known, language = ", ".join(LANGUAGES), config.language
        sentences.append(t("wrong.config.language", language=language, known=known))
    if sentences:
        whole = all(
            data.get(name, {}).keys() == getattr(config, name).keys()
            for name in _ENTRIES
            if isinstance(data.get(name, {}), dict)
        )
        raise BadConfig(sentences, config if whole else None)
    return config


def _converted(data: Mapping[str, Any], problems: list[str]) -> Config:
    """The entries that can be used. The others get a sentence each in `problems`."""
    types = {field.name: field.type for field in msgspec.structs.fields(Config)}
    made: dict[str, Any] = {}
    for name, value in data.items():
        if name not in types:
            known = [one for one in types if one not in _PARTED]
            problems.append(unknown_entry(name, "", known))
        elif name in _ENTRIES and isinstance(value, dict):
            place = "models" if name in _PARTED else name
            found = {
                key: _one(one, _ENTRIES[name], f"{place}.{key}", problems)
                for key, one in value.items()
            }
            made[name] = {key: one for key, one in found.items() if one is not None}
        else:
            taken = _one(value, types[name], name, problems)
            if taken is not None:
                made[name] = taken
    return Config(**made)


def _one(value: Any, kind: Any, place: str, problems: list[str]) -> Any:
    """Convert a value to this type; otherwise None, with a sentence in `problems`."""
    try:
        return msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        problems.append(_plain(str(error), place, kind))
        return None


def unknown_entry(name: str, place: str, known: Collection[str]) -> str:
    """The sentence for an entry that there is not, with the closest that there is."""
    why = t(
        "wrong.config.unknown",
        unknown=name,
        at=t("wrong.config.at", place=place) if place else "",
        names=", ".join(known),
    )
    return with_closest(why, name, known)


def _read(path: Path) -> dict[str, Any]:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise unread(path, error) from None
    if len(raw) > MAX_BYTES:
        raise bad_input("wrong.config.too_large", path=path)
    import yaml

    try:
        data = yaml.safe_load(raw)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = (
            t("wrong.config.at_line", line=mark.line + 1) if mark is not None else ""
        )
        raise bad_input("wrong.config.no_yaml", path=path, place=place) from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise bad_input("wrong.config.no_mapping", path=path, kind=type(data).__name__)
    return data


def _walk(value: Any, place: str = "") -> Iterator[tuple[str, str, Any]]:
    """Every (place, field name, value) below."""
    if isinstance(value, dict):
        for name, inner in value.items():
            here = f"{place}.{name}" if place else str(name)
            yield here, str(name), inner
            yield from _walk(inner, here)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield f"{place}[{number}]", "", inner
            yield from _walk(inner, f"{place}[{number}]")


def _part(data: dict[str, Any], field: str, section: str) -> None:
    """Moves the models that have a field to a section of their own."""
    models = data.get("models")
    if not isinstance(models, dict):
        return
    parted = {
        name: one
        for name, one in models.items()
        if isinstance(one, dict) and field in one
    }
    if parted:
        data[section] = parted
        data["models"] = {
            name: one for name, one in models.items() if name not in parted
        }


def _refuse_odd_names(path: Path, value: Any, place: str = "") -> None:
    """Makes names of the values that YAML reads as something else: an unquoted yes, no,
    on, off or 3.
    """
    for name, inner in value.items() if isinstance(value, dict) else ():
        if not isinstance(name, str):
            where = t("wrong.config.in", place=place) if place else ""
            raise bad_input("wrong.config.odd_name", path=path, where=where, name=name)
        _refuse_odd_names(path, inner, f"{place}.{name}" if place else name)


def _refuse_keys(path: Path, data: dict[str, Any]) -> None:
    for place, name, value in _walk(data):
        named = (
            _SECRET_FIELD.match(name) is not None
            and not place.startswith(("models." + name, "keymap."))
            and isinstance(value, str)
        )
        shaped = isinstance(value, str) and (
            looks_like_key(value)
            or re.search(r"//[^/@\s]*:[^/@\s]*@", value) is not None
        )
        if (
            named
            or shaped
            or (
                name == "api_key_env"
                and isinstance(value, str)
                and not _ENV_NAME.match(value)
            )
        ):
            where = place if not looks_like_key(place) else t("wrong.config.one_place")
            raise bad_input("wrong.config.key", path=path, where=where)


def _apply_variables(data: dict[str, object], env: Environment) -> None:
    fields = {field.name: field.type for field in msgspec.structs.fields(Config)}
    if env.get("VERIFYTUI_MODEL"):
        # like --model: one model for all roles, which overrides the seats in the file
        data.pop("lineup", None)
    others = {}
    for variable, text in sorted(env.items()):
        if not variable.startswith("VERIFYTUI_") or variable[10:] in _NOT_OURS:
            continue
        name = {"lang": "language"}.get(variable[10:].lower(), variable[10:].lower())
        if name in fields and name not in (
            "models",
            *_PARTED,
            "retrievers",
            "lineup",
            "settings",
            "keymap",
        ):
            data[name] = _value(variable, text, fields[name])
        else:
            others[name] = text
    if others:
        _apply_settings(data, others)


def _apply_settings(data: dict[str, Any], others: Mapping[str, str]) -> None:
    """Puts the values of settings, by variable, into the sections of the methods."""

    for method, declared in sections().items():
        own = {
            name.removeprefix(f"{method}_"): text
            for name, text in others.items()
            if name.startswith(f"{method}_")
        }
        if "model" in own:
            seats = data.get("lineup")
            data["lineup"] = {
                **(seats if isinstance(seats, dict) else {}),
                method: {"*": own.pop("model")},
            }
        short = {
            name: text
            for name, text in others.items()
            if name == "prompts" or name in declared.names
        }
        for name, text in (short | own).items():
            _set(
                data,
                method,
                name,
                declared[name].kind.read(text) if name in declared.names else text,
            )


def _set(data: dict[str, object], method: str, setting: str, value: object) -> None:
    settings = data.setdefault("settings", {})
    if isinstance(settings, dict) and isinstance(settings.setdefault(method, {}), dict):
        settings[method][setting] = value


def _value(variable: str, text: str, kind: object) -> Any:
    if kind == list[str]:
        return [part.strip() for part in text.split(",") if part.strip()]
    try:
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError as error:
        why = _plain(str(error), t("wrong.config.it"), kind)
        raise bad_input("wrong.config.variable", variable=variable, why=why) from None


def _plain(message: str, at: str, kind: Any) -> str:
    """msgspec's sentence about the entry `at`, of this type, in plain words."""
    text, _, below = message.partition(" - at `$")
    place = at + below.rstrip("`").replace("[...]", ".*")
    unknown = re.fullmatch(r"Object contains unknown field `(.*)`", text)
    if unknown:
        kind = kind if place == at else TokenPrices
        return unknown_entry(unknown[1], place, kind.__struct_fields__)
    missing = re.fullmatch(r"Object missing required field `(.*)`", text)
    if missing:
        return t("wrong.config.missing", missing=missing[1], place=place)
    wrong = re.fullmatch(r"Expected `(.*)`, got `(.*)`", text)
    if wrong:
        wanted = t("wrong.config.or").join(
            _PLAIN.get(one.strip(), one.strip())
            for one in wrong[1].split("|")
            if one.strip() != "null"
        )
        return t(
            "wrong.config.must_be",
            place=place,
            expected=wanted,
            actual=_PLAIN.get(wrong[2], wrong[2]),
        )
    choice = re.fullmatch(r"Invalid enum value (.*)", text)
    names = _choices(place) if choice else ()
    if choice and names:
        sentence = t(
            "wrong.config.one_of", place=place, names=", ".join(names), choice=choice[1]
        )
        return with_closest(sentence, choice[1].strip("'"), names)
    return f"{text} at {place}."


def _choices(place: str) -> tuple[str, ...]:
    """The words that an entry can be; none where it is not one of a few words."""
    if place.endswith(".rule"):
        return tuple(RULES)
    known = get_type_hints(Config)
    if place in known:
        return get_args(known[place])
    return ()


def _check(config: Config) -> Iterator[str]:
    """List the faults in the values, one sentence each."""
    for name in ("timeout", "stall_timeout"):
        if getattr(config, name) <= 0:
            yield t("wrong.config.seconds", name=name)
    if not 0 <= config.retries <= 20 or not 0 <= config.retry_wait <= 60:
        yield t("wrong.config.retries")
    for name, model in config.models.items():
        yield from _check_model(name, model)
    for name, command in config.commands.items():
        yield from _check_command(name, command)
    for name, panel in config.panels.items():
        yield from _check_panel(name, panel, config)
    for name, retriever in config.retrievers.items():
        if not re.fullmatch(r"[^\s/:]+", name):
            yield t("wrong.config.retriever_name", name=name)
        if problem := address_problem(retriever.url):
            yield no_address(f"retrievers.{name}.url", problem)
        if retriever.timeout <= 0:
            yield t("wrong.config.retriever_timeout", name=name)


def _check_model(name: str, model: NamedModel) -> Iterator[str]:
    if _no_name(name):
        yield t("wrong.config.model_name", name=name)
    if not model.model.strip():
        yield t("wrong.config.model_empty", name=name)
    if model.api_base is not None and (problem := address_problem(model.api_base)):
        yield no_address(f"models.{name}.api_base", problem)
    times = (model.timeout, model.stall_timeout, model.context)
    if any(limit is not None and limit <= 0 for limit in times):
        yield t("wrong.config.limits", name=name)
    paces = (model.max_rps, model.max_tpm, model.concurrency)
    if any(limit is not None and not 0 < limit < math.inf for limit in paces):
        yield t("wrong.config.pace", name=name)
    if model.prices is not None and _below_zero(model.prices):
        yield t("wrong.config.prices", name=name)
    try:
        check_params(model.params, free=True)
    except BadInput as error:
        yield t("wrong.config.params", name=name, error=error)


def _check_command(name: str, command: NamedCommand) -> Iterator[str]:
    if _no_name(name):
        yield t("wrong.config.model_name", name=name)
    if not _runnable(command.command):
        yield t("wrong.config.command_words", name=name)
    if any(not _ENV_NAME.match(one) for one in command.env):
        yield t("wrong.config.command_env", name=name)
    limits = (command.timeout, command.concurrency)
    if any(limit is not None and limit <= 0 for limit in limits):
        yield t("wrong.config.limits", name=name)


def _no_name(name: str) -> bool:
    return name in BUILTINS or re.fullmatch(r"[^\s/=]+", name) is None


def _below_zero(prices: TokenPrices) -> bool:
    return min(prices.input, prices.output, prices.cached_input or 0) < 0


def _check_panel(name: str, panel: NamedPanel, config: Config) -> Iterator[str]:
    if _no_name(name):
        yield t("wrong.config.model_name", name=name)
    n = len(panel.panel)
    if not LEAST <= n <= MOST:
        yield t("wrong.config.panel_size", name=name, least=LEAST, most=MOST, n=n)
    for one in dict.fromkeys(panel.panel):
        if one in config.panels:
            yield t("wrong.config.panel_in_panel", name=name, member=one)
        elif one == "human":
            yield t("wrong.config.panel_human", name=name)
        elif one not in config.models and one not in config.commands:
            try:
                check_id(one)
            except BadInput as error:
                yield t("wrong.config.panel_member", name=name, error=error)
        if panel.panel.count(one) > 1 and not _warm(one, config):
            yield t("wrong.config.panel_twice", name=name, member=one)


def _runnable(words: list[str]) -> bool:
    """Whether words can be a command: a program, and no NUL."""
    return bool(words and words[0]) and not any("\0" in word for word in words)


def _warm(model: str, config: Config) -> bool:
    """Whether a model answers at a temperature above 0, so that it may say something
    else the second time.
    """
    return model in config.models and bool(
        config.models[model].params.get("temperature")
    )
