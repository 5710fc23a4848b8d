"""Everything a key can do, in one list: bindings, the key line, help, the palette and
the README's table are made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from textual.binding import Binding, BindingsMap, InvalidBinding

from ..sessions.methods import WORKSPACES
from ..texts import has, t

if TYPE_CHECKING:
    from ..engines.models.config import Config


class Action(NamedTuple):
    """One thing that a key does.

    Its words are the texts `action.ID` (short) and `action.ID_help` (a sentence).
    """

    id: str
    keys: str
    """Comma-separated, as Textual names them. All arrive over plain SSH and in tmux."""
    section: str
    where: tuple[str, ...] = ()
    """The workspaces that have it; empty: all."""


ACTIONS = (
    Action("next", "space,f5", "step"),
    Action("round", "n,f6", "step"),
    Action("run", "r,f7", "step"),
    Action("pause", "p,f8", "step"),
    Action("stop", "x,f9", "step"),
    Action("back", "left,f3", "look"),
    Action("forward", "right,f4", "look"),
    Action("first", "home", "look"),
    Action("last", "end", "look"),
    Action("jump", "1,2,3,4,5,6,7,8,9", "look", where=("debate", "rag")),
    Action(
        "label", "0,1,2,3,\uff10,\uff11,\uff12,\uff13", "label", where=("relevance",)
    ),
    Action("material_bit", "M", "label", where=("relevance",)),
    Action("legal_bit", "L", "label", where=("relevance",)),
    Action("undecided", "U", "label", where=("relevance",)),
    Action("evidence", "V", "label", where=("relevance",)),
    Action("withdraw", "D", "label", where=("relevance",)),
    Action("reasons", "Y", "label", where=("relevance",)),
    Action("note", "N", "label", where=("relevance",)),
    Action("next_pair", ".,\u3002", "label", where=("relevance",)),
    Action("pair_before", "comma,\uff0c", "label", where=("relevance",)),
    Action("advance", "J", "label", where=("relevance",)),
    Action("unlabelled", "a", "label", where=("relevance",)),
    Action("disagreement", "A", "label", where=("relevance",)),
    Action("blind", "B", "label", where=("relevance",)),
    Action("gold", "G", "label", where=("relevance",)),
    Action("heatmap", "K", "label", where=("relevance",)),
    Action("guide", "I", "label", where=("relevance",)),
    Action("search", "slash", "look"),
    Action("raw", "v", "look"),
    Action("reasoning", "z", "look"),
    Action("write", "ctrl+t,W", "look"),
    Action("slower", "minus", "look"),
    Action("faster", "plus,equals_sign", "look"),
    Action("fork", "f", "change"),
    Action("edit", "e", "change"),
    Action("editor", "E", "change"),
    Action("retry", "t", "change"),
    Action("undo", "Z,ctrl+z,backspace", "change"),
    Action("lineup", "m,f2", "change"),
    Action("level", "l", "change"),
    Action("rounds", "greater_than_sign", "change", where=("debate", "rag")),
    Action("fewer", "less_than_sign", "change", where=("debate", "rag")),
    Action("twin", "w", "change", where=("debate",)),
    Action("drop", "D", "change", where=("rag",)),
    Action("pin", "i", "change", where=("rag",)),
    Action("handover", "h", "change", where=("rag", "relevance")),
    Action("topic", "T", "look"),
    Action("fact_next", "F,}", "look", where=("relevance",)),
    Action("fact_before", "{", "look", where=("relevance",)),
    Action("fact_jump", "enter,@", "look", where=("relevance",)),
    Action("together", "&", "look", where=("relevance",)),
    Action("shared", "*", "look", where=("relevance",)),
    Action("column", "b", "look"),
    Action("beside", "S", "look", where=("rag",)),
    Action("cited", "@", "look", where=("rag",)),
    Action("claim_next", "},.,\u3002", "look", where=("rag",)),
    Action("claim_before", "{,comma,\uff0c", "look", where=("rag",)),
    Action("tab_before", "left_square_bracket", "look"),
    Action("tab_after", "right_square_bracket", "look"),
    Action("new", "c", "session"),
    Action("corpora", "C", "session", where=("rag",)),
    Action("demonstrations", "C", "session", where=("relevance",)),
    Action("return", "escape,^", "session"),
    Action("go", "g", "session"),
    Action("library", "o", "session"),
    Action("running", "R", "session"),
    Action("machine", "O", "session"),
    Action("compare", "d", "session"),
    Action("parent", "P", "session"),
    Action("copy", "y", "session"),
    Action("export", "s", "session"),
    Action("palette", "ctrl+p,:", "session"),
    Action("help", "question_mark,f1", "session"),
    Action("quit", "q,ctrl+q,ctrl+c", "session"),
)

BY_ID = {action.id: action for action in ACTIONS}


def belongs(name: str, workspace: str) -> bool:
    """Whether a workspace has this action."""
    where = BY_ID[name].where
    return not where or workspace in where


def words_of(name: str, workspace: str) -> tuple[str, str]:
    """Returns the short word and the sentence of an action in a workspace."""
    key = (
        f"{workspace}_action.{name}"
        if has(f"{workspace}_action.{name}")
        else f"action.{name}"
    )
    return t(key), t(f"{key}_help")


WHILE_LABELLING = frozenset(
    {action.id for action in ACTIONS if action.section in ("look", "label")}
    - {
        "back",
        "forward",
        "first",
        "last",
        "jump",
        "raw",
        "reasoning",
        "write",
        "slower",
        "faster",
        "tab_before",
        "tab_after",
    }
    - {"gold", "disagreement", "heatmap"}
    | {"undo", "library", "palette", "help", "quit"}
)
"""Actions of a person who labels pair by pair: none shows what the machine, the data or
others say, and none leads away.
"""
WHILE_DECIDING = WHILE_LABELLING | {"heatmap"}
"""Actions of a person who decides between people: how they agree, too."""

DIGITS = {"jump": "123456789, ", "label": "0123\uff10\uff11\uff12\uff13, "}
"""Actions whose keys are digits, and the digit says what they do; with the characters
their keys may have.
"""

DEAD = (
    "ctrl+enter",
    "shift+enter",
    "ctrl+tab",
    "ctrl+comma",
    "ctrl+i",
    "ctrl+m",
    "ctrl+h",
)
"""Keys that never arrive over plain SSH, or arrive as another key; so do ctrl with a
digit or shift, and shift with a character.
"""


def keys_in(config: Config) -> dict[str, str]:
    """The user's own keys, comma-separated, by action."""
    return {
        name: keys if isinstance(keys, str) else ",".join(keys)
        for name, keys in config.keymap.items()
    }


def keymap(wanted: Mapping[str, str]) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Returns the keys of each action, the user's own included, and the entries that
    cannot be used: (entry, why).
    """
    keys = {action.id: action.keys for action in ACTIONS}
    bad: list[tuple[str, str]] = []
    for name, text in wanted.items():
        if name not in BY_ID:
            bad.append((name, "unknown-action"))
            continue
        why = (
            "digits-only"
            if set(str(text)) - set(DIGITS.get(name, str(text)))
            else _unusable(str(text))
        )
        if why:
            bad.append((f"{name}: {text}", why))
        else:
            keys[name] = ",".join(key.strip() for key in str(text).split(","))
    taken: dict[tuple[str, str], str] = {}
    for name in [
        *(n for n in keys if n in wanted),
        *(n for n in keys if n not in wanted),
    ]:
        free = [key for key in keys[name].split(",") if _take(taken, key, name)]
        if not free:
            bad.append((name, "no-key-left"))
        keys[name] = ",".join(free)
    return keys, bad


def _take(taken: dict[tuple[str, str], str], key: str, name: str) -> bool:
    """Gives a key to an action in all its workspaces; False where another action has it
    in one of them.
    """
    places = [(real(key), each) for each in BY_ID[name].where or WORKSPACES]
    free = all(taken.get(place, name) == name for place in places)
    if free:
        taken.update(dict.fromkeys(places, name))
    return free


def _unusable(keys: str) -> str | None:
    from textual.keys import KEY_ALIASES, Keys

    known = {str(key.value) for key in Keys} | set(KEY_ALIASES)
    try:
        parsed = list(Binding.make_bindings([Binding(keys, "x")]))
    except InvalidBinding:
        return "not-a-key"
    for binding in parsed:
        if _dead(binding.key):
            return "dead-key"
        plain = (
            binding.key.removeprefix("ctrl+")
            .removeprefix("shift+")
            .removeprefix("alt+")
        )
        if len(plain) != 1 and plain not in known and not _named_character(plain):
            return "not-a-key"
    return None


def real(key: str) -> str:
    """Returns the name by which a key arrives: `?` is `question_mark`."""
    return next(iter(Binding.make_bindings([Binding(key, "x")]))).key


def _dead(key: str) -> bool:
    held, _, plain = key.rpartition("+")
    lost = (
        (held == "ctrl" and plain.isdigit())
        or (held == "shift" and len(plain) == 1)
        or held == "ctrl+shift"
    )
    return lost or key in DEAD


def _named_character(name: str) -> bool:
    import unicodedata

    try:
        unicodedata.lookup(name.replace("_", " "))
    except KeyError:
        return name in {"plus", "minus", "slash"}
    return True


def bindings(keys: Mapping[str, str]) -> BindingsMap:
    """Returns the bindings that the app listens to."""
    made = BindingsMap()
    for name, text in keys.items():
        for key in filter(None, text.split(",")):
            for binding in Binding.make_bindings(
                [
                    Binding(
                        key,
                        f"do('{name}', '{key}')",
                        priority=key in SCROLLS,
                    )
                ]
            ):
                made.key_to_bindings.setdefault(binding.key, []).append(binding)
    return made


SCROLLS = ("left", "right", "home", "end")
"""Keys that the focused transcript would take for scrolling."""

SHOWN = {
    "escape": "esc",
    "question_mark": "?",
    "slash": "/",
    "minus": "-",
    "comma": ",",
    "plus": "+",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "equals_sign": "=",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left": "←",
    "right": "→",
}


def key_name(key: str) -> str:
    """Returns the name of a key in the language of the interface."""
    return t(f"key.{key}") if has(f"key.{key}") else key


def named(keys: str) -> str:
    """Returns keys, separated by blanks, in the language of the interface."""
    return " ".join(map(key_name, keys.split()))


def shown(keys: str) -> str:
    """Returns keys as people write them: `? F1`."""
    names = [SHOWN.get(key) or key_name(key) for key in keys.split(",")]
    return " ".join(
        name.upper()
        if name[:1] == "f" and name[1:].isdigit()
        else name.replace("ctrl+", "^")
        for name in names
    )


def first(keys: Mapping[str, str], name: str) -> str:
    """Returns the first key of an action as people write it; empty where it has
    none.
    """
    return shown(keys[name].split(",")[0])
