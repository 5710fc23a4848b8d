"""The items of a study, from files as they were published: one adapter a form, each in
a module of its own.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from ....sessions.errors import bad_input
from ...figures.measure import Item
from ...settings import Settings
from .records import items as items_in

ADAPTERS = (
    *("commonmt", "parallel", "ciar", "gsm8k"),
    *("squad", "openqa", "webq", "triviaqa", "mintaka", "retrievalqa"),
    *("halueval", "ragchecker", "lecard", "qrels", "answered", "jsonl"),
)
"""Modules in this folder.

Each has `record_items(record, number, path)`: the items of a record, its number in
its file from 1, and the file; with id and digest (`item_of`). One that needs more has
`read(files, more, left_out)` instead: the items of these files in order.

`more`: the further entries of the study's `items`, which it checks. A record that
cannot be asked raises BadInput, which names file and line; with `left_out` it is passed
over, and the sentence goes there.
"""
LEAVE_OUT = "leave out"
SET = "set"
"""Field of an item: the data set that it is from, where a study has several."""

_ASKED = {"question": ("question", "topic"), "references": ("references",)}
_KNOWN = {
    "answers": ("answers",),
    "gold": ("gold", "reference_contexts"),
    "nuggets": ("nuggets",),
}
TASKS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "topics": {
        "topic": ("topic", "question"),
        "answers": ("answers",),
        "wrong_answers": ("wrong_answers",),
    },
    "questions": {**_ASKED, **_KNOWN},
    "answers": {**_ASKED, "answer": ("answer",), **_KNOWN},
    "ranked": {
        **_ASKED,
        "answers": ("answers",),
        "accepted": ("accepted", "reference"),
    },
    "pairs": {"query": ("query",), "candidate": ("candidate",), "label": ("label",)},
}
"""What lines are → what a line holds of an item → the fields of the item that it is
taken from, the first that is there.

`ranked`: questions with several answers to choose between, which are in `answers`;
what is right is `accepted` there.
"""


@dataclass(frozen=True)
class StudyItems:
    """`items` of a study file."""

    adapter: str
    files: tuple[str, ...]
    """As written: relative to the study's file, or to `--data DIR`."""
    most: int | None = None
    """How many are taken; None: all."""
    seed: int = 0
    each: str | None = None
    """The field of which this many are taken for every value."""
    cluster: str | None = None
    """The field that items which are not independent have in common."""
    leave_out: bool = False
    """`unusable: leave out`: a record that cannot be asked is skipped; without it
    the file is refused.
    """
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further entries, which the adapter knows."""
    sets: Mapping[str, StudyItems] = field(default_factory=dict)
    """`sets`: several data sets, by name; the items of each say so in `SET`."""


def adapter(name: str) -> Any:
    """The module of this name."""
    return import_module(f".{name}", __package__)


def items_spec(data: object) -> StudyItems:
    """`items` of a study file as it is written. Raises: BadInput."""
    if not isinstance(data, Mapping):
        raise bad_input("wrong.study.items", form="{adapter: jsonl, file: items.jsonl}")
    rest = dict(data)
    if "sets" in rest:
        return _of_sets(rest)
    named, files, take, cluster = (
        rest.pop("adapter", "jsonl"),
        rest.pop("file", None),
        rest.pop("take", None),
        rest.pop("cluster", None),
    )
    if named not in ADAPTERS:
        raise bad_input("wrong.study.adapter", name=named, names=", ".join(ADAPTERS))
    listed = files if isinstance(files, list) else [files]
    if not listed or not all(isinstance(one, str) and one.strip() for one in listed):
        raise bad_input("wrong.study.items_file")
    if isinstance(take, int) and not isinstance(take, bool):
        take = {"n": take}
    take = {} if take is None else take
    if not _is_sample(take):
        raise bad_input(
            "wrong.study.take", form="{n: 200, seed: 0}, {n: 100, each: label}"
        )
    if rest.get("unusable", LEAVE_OUT) != LEAVE_OUT:
        raise bad_input("wrong.study.unusable", form=f"unusable: {LEAVE_OUT}")
    leave_out = rest.pop("unusable", None) is not None
    if cluster is not None and not isinstance(cluster, str):
        raise bad_input("wrong.study.cluster")
    return StudyItems(
        named,
        tuple(listed),
        take.get("n"),
        take.get("seed", 0),
        take.get("each"),
        cluster,
        leave_out,
        rest,
    )


def _of_sets(data: Mapping[str, object]) -> StudyItems:
    """Several data sets. Raises: BadInput."""
    sets = data["sets"]
    if not isinstance(sets, Mapping) or not sets or len(data) > 1:
        raise bad_input("wrong.study.items", form="{sets: {NAME: {adapter, file}}}")
    made = {str(name): items_spec(one) for name, one in sets.items()}
    files = tuple(file for one in made.values() for file in one.files)
    first = next(iter(made.values())).adapter
    return StudyItems(first, files, each=SET, sets=made)


def _is_sample(take: object) -> bool:
    """True for `take` as a study may have it."""
    if (
        not isinstance(take, Mapping)
        or set(take) - {"n", "seed", "each"}
        or not isinstance(take.get("each"), str | None)
    ):
        return False
    return (
        _whole(take.get("n", 1))
        and _whole(take.get("seed", 0))
        and take.get("n", 1) > 0
    )


def read_items(
    spec: StudyItems | Mapping[str, object],
    base: Path,
    left_out: list[str] | None = None,
) -> list[Item]:
    """The items that a study takes, in the order of their files.

    `base`: the folder that its files are relative to, or the one file itself.

    With `take` it is a sample: whole clusters by chance, as `in_order` has them, the
    last one cut; with `each` that of every part. `left_out` gets a sentence for each
    record that is skipped. Raises: BadInput.
    """
    spec = spec if isinstance(spec, StudyItems) else items_spec(spec)
    if spec.sets:
        return _taken(list(_read_sets(spec, base, left_out)), spec)
    found = [_found(base, name, spec.adapter) for name in spec.files]
    faults = [] if left_out is None else left_out
    skipped = faults if spec.leave_out else None
    chosen = adapter(spec.adapter)
    if hasattr(chosen, "record_items"):
        read = items_in(found, spec.more, skipped, chosen.record_items)
    else:
        read = chosen.read(found, spec.more, skipped)
    items = [_clustered(item, spec.cluster) for item in read]
    return _taken(items, spec)


def _read_sets(
    spec: StudyItems, base: Path, left_out: list[str] | None
) -> Iterator[Item]:
    """The items of the sets whose files are there. Raises: BadInput without any."""
    there = {
        name: one
        for name, one in spec.sets.items()
        if all((base / file).exists() for file in one.files)
    }
    for name, one in (there or spec.sets).items():
        for item in read_items(one, base, left_out):
            yield replace(item, fields={**item.fields, SET: name})


def _taken(items: list[Item], spec: StudyItems) -> list[Item]:
    """Those that the study takes. Raises: BadInput for none, and two of one id."""
    seen: dict[str, None] = {}
    for item in items:
        if item.id in seen:
            raise bad_input("wrong.study.same_item", id=item.id, file=spec.files[0])
        seen[item.id] = None
    if not items:
        raise bad_input("wrong.study.no_items", file=spec.files[0])
    if spec.most is None or spec.most >= len(items):
        return items
    parts = Counter[str]()
    taken = set()
    for item in in_order(items, spec.seed):
        part = "" if spec.each is None else _value(item, spec.each)
        parts[part] += 1
        if parts[part] <= spec.most:
            taken.add(item.id)
    return [item for item in items if item.id in taken]


def in_order(items: Sequence[Item], seed: int) -> list[Item]:
    """The items in random order, those of a cluster together: any prefix is a sample,
    and a longer one includes a shorter one.
    """
    return sorted(items, key=lambda item: (_chance(item.cluster, seed), item.cluster))


def item_of(id_: str, fields: Mapping[str, object], cluster: str = "") -> Item:
    """An item, with the digest of its fields.

    `cluster`: "" where it is independent of all others.
    """
    return Item(id_, cluster or id_, digest_of(fields), fields)


def digest_of(fields: Mapping[str, object]) -> str:
    """16 hexadecimal digits of what is asked, and of what counts as right."""
    text = json.dumps(fields, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def line_of(
    item: Item, declared: Settings, many: str, without: Collection[str] = ()
) -> dict[str, object]:
    """The line that a method's batch reads for this item: id, cluster, the task, and
    options of the method that the item has.

    `declared`: the method's settings; `many`: what the lines are, such as `topics`;
    `without`: options that the condition says itself.
    """
    listed = item.fields.get("answers")
    several = (
        isinstance(listed, list)
        and bool(listed)
        and all(isinstance(one, Mapping) for one in listed)
    )
    task = TASKS.get("ranked" if several and many == "questions" else many)
    line: dict[str, object] = {"id": item.id}
    if item.cluster != item.id:
        line["cluster"] = item.cluster
    if task is None:
        return line | dict(item.fields)
    for name, fields in task.items():
        value = next(
            (item.fields[one] for one in fields if item.fields.get(one) is not None),
            None,
        )
        if value is not None:
            line[name] = value
    own = {
        option.name for name in without if (option := declared.option(name)) is not None
    }
    used = {one for fields in task.values() for one in fields}
    for name, value in item.fields.items():
        option = declared.option(name) if name not in used else None
        if option is not None and option.name not in own:
            line[name] = value
    return line


def _clustered(item: Item, name: str | None) -> Item:
    """The item in the cluster that one of its fields names."""
    if name is None:
        return item
    return replace(item, cluster=_value(item, name))


def _value(item: Item, name: str) -> str:
    """The value of a field as text. Raises: BadInput where the item has none."""
    value = item.fields.get(name)
    if value is None or isinstance(value, list | dict):
        raise bad_input("wrong.study.no_cluster", id=item.id, name=name)
    return str(value)


def _found(base: Path, name: str, adapter: str) -> Path:
    if base.is_file():
        return base
    path = Path(name).expanduser()
    path = path if path.is_absolute() else base / path
    if not path.exists():
        raise bad_input("wrong.study.no_file", path=path, adapter=adapter)
    return path


def _chance(name: str, seed: int) -> str:
    return hashlib.sha256(f"{seed}:{name}".encode("utf-8", "surrogatepass")).hexdigest()


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
