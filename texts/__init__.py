"""The words on the screen, in the user's language: one catalogue each, `texts/en.yaml` and `texts/zh.yaml`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

LANGUAGES = ("en", "zh")

_folder = Path(__file__).parent
_language = "en"
_catalogue: dict[str, str] = {}


def catalogue(language: str) -> dict[str, str]:
    """All texts of a language, keyed `section.name`."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    sections = yaml.load((_folder / f"{language}.yaml").read_bytes(), Loader=loader)  # noqa: S506 - a safe one either way
    return {f"{section}.{name}": text for section, texts in sections.items() for name, text in texts.items()}


def language_of(env: Mapping[str, str] = os.environ) -> str:
    """The language that the locale asks for: `zh` for a Chinese one, else `en`."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if env.get(name):
            return "zh" if env[name].lower().startswith("zh") else "en"
    return "en"


def set_language(language: str) -> None:
    """Chooses the catalogue for all that is shown from now on. KeyError if there is none."""
    global _language, _catalogue
    if language not in LANGUAGES:
        raise KeyError(language)
    _language, _catalogue = language, catalogue(language)


def language() -> str:
    return _language


@contextmanager
def speaking(language: str | None) -> Iterator[None]:
    """Another language for a while; None: that which is spoken. KeyError if there is no catalogue of it."""
    before = _language
    if language not in (None, before):
        set_language(language or before)
    try:
        yield
    finally:
        if language not in (None, before):
            set_language(before)


def t(key: str, /, **values: object) -> str:
    """The text `section.name`, its `{fields}` filled in."""
    if not _catalogue:
        set_language(_language)
    text = _catalogue[key]
    return text.format(**values) if values else text


def has(key: str) -> bool:
    """Whether there is such a text."""
    if not _catalogue:
        set_language(_language)
    return key in _catalogue
