"""Completes words in bash, zsh and fish.

The shell starts the program with `_VERIFYTUI_COMPLETE` for every Tab. What can be
completed is read from folders and config.yaml only: no model library, no screen.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    ShellComplete,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from ..sessions.paths import paths

COMPLETING = "_VERIFYTUI_COMPLETE"
PROGRAM = "verifytui"
SHELLS = ("bash", "zsh", "fish")
BREAKS = "=:"
"""At these bash begins a new word."""


class WholeWords(BashComplete):
    """Bash, with `ROLE=MODEL` and `llama3:8b` as one word each."""

    name = "bash"

    def get_completion_args(self) -> tuple[list[str], str]:
        typed = split_arg_string(os.environ["COMP_WORDS"])
        last = int(os.environ["COMP_CWORD"])
        words = typed[1 : last + 1]
        if len(typed) <= last:
            words.append("")
        joined: list[str] = []
        glued = False
        for word in words:
            is_break = bool(word) and not word.strip(BREAKS)
            if joined and (is_break or glued) and not joined[-1].startswith("--"):
                joined[-1] += word
            else:
                joined.append(word)
            glued = is_break
        self._shown_before = 0
        if not joined:
            return [], ""
        incomplete = joined.pop()
        self._shown_before = max(incomplete.rfind(sign) for sign in BREAKS) + 1
        return joined, incomplete

    def format_completion(self, item: CompletionItem) -> str:
        if item.type != "plain":
            return super().format_completion(item)
        return f"plain,{item.value[self._shown_before :]}"

    @staticmethod
    def _check_version() -> None:
        """Bash 4.4, from 2016, is taken for granted: asking would start another one."""


def complete(group: click.Command, instruction: str) -> int:
    """Answers a shell: prints its script, or what can be in place of a word.

    A fault prints nothing: the shell then offers nothing.
    """
    what, _, shell = instruction.partition("_")
    if what in SHELLS:  # as older scripts of click have it
        what, shell = shell, what
    if shell not in SHELLS or what not in ("source", "complete"):
        return 1
    answering = _of(group, shell)
    try:
        text = answering.source() if what == "source" else answering.complete()
    except Exception:
        return 1
    click.echo(text)
    return 0


def script(group: click.Command, shell: str) -> str:
    """The script that a shell reads."""
    return _of(group, shell).source()


def _of(group: click.Command, shell: str) -> ShellComplete:
    add_completion_class(WholeWords)
    made = get_completion_class(shell)
    assert made is not None
    return made(group, {}, PROGRAM, COMPLETING)


def complete_values(command: str, params: Iterable[click.Parameter]) -> None:
    """Gives parameters the names that they can have."""
    for param in params:
        key = param.name or ""
        names = _NAMES.get(f"{command}.{key}") or _NAMES.get(key)
        if isinstance(param, click.Argument) and f"{command}.{key}" not in _NAMES:
            names = None
        if names is not None:
            vars(param)["shell_complete"] = _completer(names)
        elif words := _words_of(param):
            vars(param)["shell_complete"] = _completer(words.__iter__)


def _words_of(param: click.Parameter) -> Sequence[str]:
    """The words of a declared setting that is one of a few."""
    kind = getattr(getattr(param, "_option", None), "kind", None)
    return getattr(kind, "words", ())


def _completer(
    names: Callable[[], Iterable[str]],
) -> Callable[[click.Context, str], list[CompletionItem]]:
    def completed(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        before, equals, begun = incomplete.rpartition("=")
        found = [
            CompletionItem(f"{before}{equals}{name}")
            for name in dict.fromkeys(names())
            if name.startswith(begun)
        ]
        return found or [CompletionItem(incomplete, type="file")]

    return completed


def _in_folder(folder: Path, ending: str = "") -> list[str]:
    """Names in a folder; those of files without their ending."""
    try:
        return sorted(
            entry.name.removesuffix(ending)
            for entry in os.scandir(folder)
            if entry.name.endswith(ending) and not entry.name.startswith(".")
        )
    except OSError:
        return []


def _corpora() -> list[str]:
    return ["example", *_in_folder(paths().corpora)]


def _studies() -> list[str]:
    return _in_folder(Path(__file__).parents[1] / "engines/studies/builtin", ".yaml")


def studies_that_begin(incomplete: str) -> list[CompletionItem]:
    """The studies that `study NAME` can run."""
    return [CompletionItem(name) for name in _studies() if name.startswith(incomplete)]


def _sessions() -> list[str]:
    return [name for name in _in_folder(paths().sessions) if name.endswith(".yaml")]


def _models() -> list[str]:
    """Named models, the built-in ones, and those of the environment's variables."""
    from ..engines.models.lineup import BUILTINS, SHORTHANDS

    return [*_configured("models"), *_configured("panels"), *BUILTINS, *SHORTHANDS]


def _retrievers() -> list[str]:
    return _configured("retrievers")


def _configured(section: str) -> list[str]:
    """The names in a section of config.yaml, which may be wrong elsewhere."""
    import yaml

    try:
        text = paths().config_file.read_text("utf-8")
        found: Any = yaml.safe_load(text).get(section)
        return [str(name) for name in found]
    except (OSError, ValueError, AttributeError, TypeError, yaml.YAMLError):
        return []


def _runs() -> list[str]:
    from ..engines.batches.registry import records

    return [record.path.name for record in records(paths())]


def _prompts() -> list[str]:
    from ..prompts import available

    return available(paths().prompts)


def _demonstrations() -> list[str]:
    from ..prompts.demonstrations import available

    return available(paths().demonstrations)


def _data_sets() -> list[str]:
    from ..engines.studies.catalogue import data_sets

    return list(data_sets())


_NAMES: Mapping[str, Callable[[], Iterable[str]]] = {
    "model": _models,
    "equivalence": _models,
    "corpus": _corpora,
    "retriever": _retrievers,
    "prompts": _prompts,
    "demonstrations": _demonstrations,
    "index.name": _corpora,
    "corpora_delete.name": _corpora,
    "corpora_search.name": _corpora,
    "study_run.name": _studies,
    "study_show.name": _studies,
    "study_check.file": _studies,
    "sessions_delete.sessions": _sessions,
    "sessions_duplicate.session": _sessions,
    "sessions_rename.session": _sessions,
    "runs_follow.run": _runs,
    "runs_pause.run": _runs,
    "runs_go_on.run": _runs,
    "runs_stop.run": _runs,
    "runs_set.run": _runs,
    "runs_forget.runs": _runs,
    "prompts_show.name": _prompts,
    "prompts_copy.name": _prompts,
    "demonstrations_show.name": _demonstrations,
    "demonstrations_check.path": _demonstrations,
    "data_show.name": _data_sets,
}
"""What a parameter is called → its names. An argument needs its command's name, too."""
