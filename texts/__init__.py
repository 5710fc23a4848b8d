"""The words on the screen, in the user's language.

`LANGUAGE.yaml` holds what the screen says. Further parts are read when the first text
of theirs is needed, and their keys begin with the part's name: `usage` (options and
commands), `wrong` (what is wrong with what was given), `report` (what commands print).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "zh")
PARTS = ("usage", "wrong", "report")
"""Files beside the one of the screen."""


class MissingText(KeyError):
    """A text that the code asks for and a catalogue lacks: its key, and the file."""

    def __init__(self, key: str, file: str) -> None:
        super().__init__(key)
        self.key, self.file = key, file


_folder = Path(__file__).parent
_language: str | None = None
"""None: nobody has chosen one."""
_LINE = re.compile(
    r"""( *)"?([\w.-]+)"?:(?: (?:("(?:[^"\\]|\\.)*")|'((?:[^']|'')*)'|([^\s"'{\[|>&*!%@`#-](?:[^#]|(?<! )#)*)))?"""
)


def _english() -> str:
    return "en"


_chosen_by: Callable[[], str] = _english


@cache
def catalogue(language: str, part: str = "") -> dict[str, str]:
    """All texts of a language in the screen's file, keyed `section.name`, or in another
    part, keyed `part.section.name`.
    """
    name = _file(language, part)
    found = _read((_folder / name).read_text("utf-8"))
    for folder in _added:
        if (folder / name).is_file():
            found = {**_read((folder / name).read_text("utf-8")), **found}
    if part:
        return {f"{part}.{key}": value for key, value in found.items()}
    return found


_added: list[Path] = []


def add(folder: Path) -> None:
    """Adds the texts of a plugin: a folder with files that are named as ours."""
    _added.append(folder)
    catalogue.cache_clear()


def _file(language: str, part: str) -> str:
    return f"{part}.{language}.yaml" if part else f"{language}.yaml"


def _read(text: str) -> dict[str, str]:
    """The texts of a file by their keys.

    Of YAML it takes sections with a text a line, which spares loading a YAML library.
    """
    import json

    found: dict[str, str] = {}
    section = ""
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        parts = _LINE.fullmatch(line.rstrip())
        if parts is None:
            return _read_yaml(text)
        indent, name, quoted, single, plain = parts.groups()
        if not indent:
            section = name
        else:
            if quoted:
                text = json.loads(quoted) if "\\" in quoted else quoted[1:-1]
            elif single is not None:
                text = single.replace("''", "'")
            else:
                text = plain
            found[f"{section}.{name}"] = text
    return found


def parsed_yaml(text: str) -> Any:
    """A YAML document as plain values. Raises: yaml.YAMLError."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(text, Loader=loader)  # noqa: S506


def _read_yaml(text: str) -> dict[str, str]:
    sections = parsed_yaml(text)
    return {
        f"{section}.{name}": value
        for section, texts in sections.items()
        for name, value in texts.items()
    }


_said: dict[str, tuple[str, Mapping[str, object]]] = {}
"""What was said lately to be wrong, with its key and values, so that a file can keep it
in English.
"""
LATELY = 200


def english(said: object) -> Any:
    """A sentence of `wrong`, or that of an error, in English; anything else as it is.
    Whatever files keep is said so.
    """
    if isinstance(said, BaseException):
        said = str(said)
    if not isinstance(said, str) or said not in _said:
        return said
    key, values = _said[said]
    text = catalogue("en", "wrong")[key]
    if values:
        return text.format(**{name: english(value) for name, value in values.items()})
    return text


def language_of(env: Mapping[str, str] = os.environ) -> str:
    """The language that the locale asks for: `zh` for a Chinese one, else `en`."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if env.get(name):
            if env[name].lower().startswith("zh"):
                return "zh"
            return "en"
    return "en"


def set_language(language: str) -> None:
    """Chooses the language of all that is said from now on.

    KeyError if there is none of this name.
    """
    global _language
    if language not in LANGUAGES:
        raise KeyError(language)
    _language = language


def choose_later(choose: Callable[[], str]) -> None:
    """Leaves the choice to a function, which is called when the first text is
    needed.
    """
    global _language, _chosen_by
    _language, _chosen_by = None, choose


def language() -> str:
    """The language that is spoken."""
    if _language is None:
        set_language("en")  # so that whoever chooses can say what goes wrong
        set_language(_chosen_by())
    return _language or "en"


@contextmanager
def speaking(other: str | None) -> Iterator[None]:
    """Another language for a while; None: that which is spoken.

    KeyError if there is none of this name.
    """
    before = language()
    set_language(other or before)
    try:
        yield
    finally:
        set_language(before)


def t(key: str, /, **values: object) -> str:
    """The text of a key, its `{fields}` filled in. Raises: MissingText."""
    text = _texts(key).get(key)
    if text is None:
        raise MissingText(key, f"texts/{_file(language(), _part(key))}")
    text = text.format(**values) if values else text
    if key.startswith("wrong.") and _language != "en":
        _said[text] = key, values
        if len(_said) > LATELY:
            del _said[next(iter(_said))]
    return text


def own_words(why: str, of: str = "report.why.", name: str | None = None) -> str:
    """A reason that is kept in English, in a language, the user's by default; as it is
    where the texts below `of` do not have it. A reason may hold others.
    """
    name = name or language()
    for key, text in catalogue("en", "report").items() if name != "en" else ():
        if key.startswith(of):
            found = re.fullmatch(
                re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(text)), why
            )
            if found:
                said = {
                    at: own_words(one, of, name)
                    for at, one in found.groupdict().items()
                }
                return catalogue(name, "report")[key].format(**said)
    return why


def has(key: str) -> bool:
    """Whether there is such a text."""
    return key in _texts(key)


def _texts(key: str) -> dict[str, str]:
    return catalogue(language(), _part(key))


def _part(key: str) -> str:
    part = key.partition(".")[0]
    return part if part in PARTS else ""
