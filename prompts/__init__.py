"""The prompts: sets of Jinja2 templates in YAML, one folder a set, one file a
workspace.

A set is built in or a folder of the user's. Sets whose names differ only in the
language at the end (`small-en`, `small-zh`) can be named together (`small`): the
language of the question then decides, see `prompt_set_for`. Templates are rendered in
Jinja2's sandbox, strictly: a name that a template may not use is refused when the set
is loaded, not in the middle of a debate.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ..sessions.errors import BadInput, bad_input, cause
from ..sessions.load import check_depth
from ..texts import own_words, parsed_yaml, t

if TYPE_CHECKING:
    from jinja2 import Template

    from .rules import Environment

BUILTIN = Path(__file__).parent
LANGUAGES = ("en", "zh")
"""Languages of the built-in sets. The first is the default."""
LARGEST = 1_000_000
"""Most bytes of one file of a set."""


_MARK_FILE = "mark.yaml"
_UNMARKED = ("controls", "negative")
"""Files that only replace templates of others."""
_JUDGES = ("judging", "equivalence")
"""Files whose digests name judgements on disk: the text that asks for a mark came
later, and is not in them.
"""

_HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_WORD = re.compile(r"[^\W\d_]+")


class PromptSet(msgspec.Struct, frozen=True, kw_only=True):
    """The templates of one workspace: texts by key, or one level of texts by key below
    a key.
    """

    name: str
    hash: str
    """`sha256:` and the digest of the templates: equal ones mean the same templates."""
    templates: dict[str, Any]


def available(user_dir: Path | None = None) -> list[str]:
    """Names that `load` takes: the built-in sets first, then the user's own."""
    names = _sets(BUILTIN)
    return names + [
        name for name in (_sets(user_dir) if user_dir else []) if name not in names
    ]


def prompt_set_for(
    text: str,
    kind: str = "question",
    wanted: str | Path | None = None,
    user_dir: Path | None = None,
) -> str:
    """The name or folder that `load` takes, for a question or topic `text`.

    `wanted` is what the user chose; nothing chosen: the language's own set. A question
    that is mainly Chinese takes the Chinese set, any other the English one. A
    translation takes the English one, as in the debate paper. `kind`: question or
    translation.
    """
    return prompt_set_in(
        "zh" if kind != "translation" and mainly_chinese(text) else "en",
        wanted,
        user_dir,
    )


def prompt_set_in(
    language: str, wanted: str | Path | None = None, user_dir: Path | None = None
) -> str:
    """As `prompt_set_for`, where the language is known: `en` or `zh`."""
    if not wanted:
        return language
    member = f"{wanted}-{language}"
    if _named(str(wanted), user_dir) is None and _named(member, user_dir) is not None:
        return member
    return str(wanted)


def mainly_chinese(text: str) -> bool:
    """True if a text has as many Chinese characters (or kana) as other words, and at
    least one.
    """
    others, count = _HAN.subn(" ", text)
    return count > 0 and count >= len(_WORD.findall(others))


def load(
    name_or_dir: str | Path, user_dir: Path | None = None, *, workspace: str = "debate"
) -> PromptSet:
    """Reads a set by its name or from a folder.

    The user's own set goes before a built-in one of that name.

    Raises: BadInput.

    `small` alone, which `prompt_set_for` makes `small-en` or `small-zh`, is the English
    one here.
    """
    folder = _folder(name_or_dir, user_dir)
    if folder.parent == BUILTIN:
        return _builtin(folder.name, workspace)
    return _load(folder, workspace)


def is_bundled(name: str, digest: str, *, workspace: str) -> bool:
    """Whether these are the templates of a bundled set, as this version has them."""
    try:
        return _builtin(name, workspace).hash == digest
    except BadInput:
        return False


@cache
def _builtin(name: str, workspace: str) -> PromptSet:
    return _load(BUILTIN / name, workspace)


def _load(folder: Path, workspace: str) -> PromptSet:
    templates = _read_file(folder / f"{workspace}.yaml")
    mark = {} if workspace in _UNMARKED else _mark(folder)
    if workspace not in _JUDGES:
        templates = {**mark, **templates}
    if folder.parent != BUILTIN:
        _check(
            templates, _builtin("en", workspace).templates, folder / f"{workspace}.yaml"
        )
    made = _set(folder.name, templates)
    return msgspec.structs.replace(made, templates={**mark, **templates})


def _mark(folder: Path) -> dict[str, object]:
    """The texts of every method, such as the one that asks for the mark of a reply: the
    set's own, or those of its language.
    """
    language = "zh" if folder.name.endswith("zh") else LANGUAGES[0]
    own, common = folder / _MARK_FILE, BUILTIN / language / _MARK_FILE
    return {**_read_file(common), **(_read_file(own) if own.is_file() else {})}


def _set(name: str, templates: dict[str, object]) -> PromptSet:
    digest = hashlib.sha256(
        json.dumps(templates, sort_keys=True, ensure_ascii=False).encode()
    ).hexdigest()
    return PromptSet(name=name, hash=f"sha256:{digest}", templates=templates)


def has_file(
    name_or_dir: str | Path, user_dir: Path | None = None, *, workspace: str
) -> bool:
    """Whether a set has templates for this workspace: sets need not have those that few
    sessions use. Raises: BadInput without the set.
    """
    return (_folder(name_or_dir, user_dir) / f"{workspace}.yaml").is_file()


def with_templates(base: PromptSet, templates: Mapping[str, object]) -> PromptSet:
    """A set in which these templates take the places of its own."""
    return _set(base.name, {**base.templates, **templates})


def copy(name: str, to: Path, user_dir: Path | None = None) -> Path:
    """Copies a set to a new folder `to`, for the user to edit.

    Raises: BadInput if `to` exists.
    """
    folder = _folder(name, user_dir)
    if to.exists():
        raise bad_input("wrong.prompts.exists", to=to)
    try:
        to.mkdir(parents=True)
        for file in sorted(folder.glob("*.yaml")):
            (to / file.name).write_bytes(file.read_bytes())
    except OSError as error:
        raise bad_input("wrong.prompts.not_copied", to=to, why=cause(error)) from None
    return to


def render(templates: Mapping[str, object], key: str, /, **values: object) -> str:
    """Renders one template; `a.b` is the key `b` below `a`.

    Raises: BadInput if the template is missing or faulty.
    """
    from .rules import FAULTS, whole

    found: Any = templates
    for part in key.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    if not isinstance(found, str):
        raise bad_input("wrong.prompts.no_template", template=key)
    try:
        template = _compiled(found)
        return whole(template.root_render_func(template.new_context(values)))
    except FAULTS as error:
        raise bad_input(
            "wrong.prompts.fault", template=key, why=_reason(error)
        ) from None


def again(templates: Mapping[str, object], key: str = "again", **values: object) -> str:
    """The text that asks for a reply once more; why it could not be read is said in the
    language of the text. Raises: BadInput for a faulty template.
    """
    if mainly_chinese(str(templates.get(key))) and "reason" in values:
        parts = str(values["reason"]).split(". ")
        said = (own_words(one, "report.unread.", "zh") for one in parts)
        values["reason"] = "\uff1b".join(said)
    return render(templates, key, **values)


def _reason(error: Exception) -> str:
    return " ".join(str(getattr(error, "message", None) or error).split())


def _sets(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir() if _is_set(entry))
    except OSError:
        return []


def _is_set(folder: Path) -> bool:
    with suppress(OSError, ValueError):  # a name that no folder can have
        return any(folder.glob("*.yaml"))
    return False


def _folder(name_or_dir: str | Path, user_dir: Path | None) -> Path:
    text = str(name_or_dir)
    if (
        isinstance(name_or_dir, Path)
        or "/" in text
        or "\\" in text
        or text in (".", "..")
    ):
        with suppress(OSError, ValueError, RuntimeError):  # also ~NOBODY
            folder = Path(text).expanduser().resolve()
            if folder.is_dir():
                return folder
        raise bad_input("wrong.prompts.no_folder", text=text[:200])
    for name in (text, *(f"{text}-{language}" for language in LANGUAGES)):
        if (found := _named(name, user_dir)) is not None:
            return found
    with suppress(OSError, ValueError):
        if text and Path(text).is_dir():
            return Path(text).resolve()
    from ..texts.closest import with_closest

    names = available(user_dir)
    why = t("wrong.prompts.unknown", text=text[:200], names=", ".join(names))
    raise BadInput(with_closest(why, text, names))


def _named(name: str, user_dir: Path | None) -> Path | None:
    """The folder of the set with this name, the user's own first; None where there is
    none.
    """
    if not name or "/" in name or "\\" in name or name in (".", ".."):
        return None
    return next(
        (
            parent / name
            for parent in (user_dir, BUILTIN)
            if parent and _is_set(parent / name)
        ),
        None,
    )


def _read_file(file: Path) -> dict[str, object]:
    import yaml

    try:
        if file.stat().st_size > LARGEST:
            raise bad_input("wrong.prompts.large", file=file, most=LARGEST)
        text = file.read_text("utf-8")
        check_depth(text.encode())
        data = parsed_yaml(text)
    except OSError as error:
        raise bad_input("wrong.prompts.unread", file=file, why=cause(error)) from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise bad_input(
            "wrong.prompts.no_yaml", file=file, why=_reason(error)
        ) from None
    if not isinstance(data, dict) or not data:
        raise bad_input("wrong.prompts.no_mapping", file=file)
    for key, text in _texts(data):
        if not isinstance(text, str):
            raise bad_input("wrong.prompts.no_text", file=file, template=key)
    return data


def _texts(templates: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in templates.items():
        if isinstance(value, Mapping):
            for below, text in value.items():
                yield f"{key}.{below}", text
        else:
            yield str(key), value


def _check(templates: dict[str, Any], builtin: dict[str, Any], file: Path) -> None:
    from jinja2 import TemplateError, meta

    environment = _environment()
    allowed = {
        name
        for _, text in _texts(builtin)
        for name in meta.find_undeclared_variables(environment.parse(text))
    }
    given = dict(_texts(templates))
    missing = [key for key, _ in _texts(builtin) if key not in given]
    if missing:
        raise bad_input("wrong.prompts.lacks", file=file, names=", ".join(missing))
    for key, text in given.items():
        try:
            unknown = meta.find_undeclared_variables(environment.parse(text)) - allowed
            _compiled(text)
        except TemplateError as error:
            raise bad_input(
                "wrong.prompts.file_fault", file=file, template=key, why=_reason(error)
            ) from None
        if unknown:
            raise bad_input(
                "wrong.prompts.variables",
                file=file,
                template=key,
                used=", ".join(sorted(unknown)),
                allowed=", ".join(sorted(allowed)),
            )


@cache
def _environment() -> Environment:
    from .rules import Environment

    return Environment()


@lru_cache(maxsize=512)
def _compiled(text: str) -> Template:
    from .rules import check

    check(_environment().parse(text))
    return _environment().from_string(text)
