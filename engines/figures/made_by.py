"""The models that made or labelled another model's training data, from the manifests of
exported training data (`export.json`) and of encoders (`verifytui.json`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from ...sessions.errors import BadInput
from ...sessions.paths import paths
from ..models.config import load_config
from ..models.lineup import LOCAL

MANIFESTS = ("export.json", "verifytui.json")


class MadeBy(msgspec.Struct):
    """The part of a manifest that names models."""

    models: dict[str, dict[str, int]] = {}
    """What they made, such as a set of pairs, to model to lines."""
    labelled_by: list[str] = []


def made_by(path: Path, sets: Iterable[str] = ()) -> list[str]:
    """Return the models that made a data set, or labelled an encoder's training data.

    `path`: its folder, or a file of levels in it. `sets`: only these. Empty if no
    manifest says so.
    """
    wanted = {*sets}
    folders = [path]
    if path.is_file():
        wanted.add(path.stem)
        folders = [*path.parents][:2]
    found: list[str] = []
    for file in (folder / name for folder in folders for name in MANIFESTS):
        with suppress(OSError, msgspec.MsgspecError):
            told = msgspec.json.decode(file.read_bytes(), type=MadeBy)
            found += told.labelled_by
            for name, models in told.models.items():
                if not wanted or name in wanted:
                    found += models
    return list(dict.fromkeys(found))


def labelled_encoders(facts: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the models that labelled the training data of a run's encoders: those that
    rank its references, and that of its corpus.
    """
    encoders = [*facts.get("setting.embed", ()), *facts.get("setting.rerank", ())]
    if {"dense", "hybrid"} & {*facts.get("setting.search", ())}:
        from ..retrieval.corpus import Corpora

        encoders += [
            one.dense.model
            for one in Corpora(paths()).list(known=True)
            if one.dense is not None and one.name in facts.get("corpus", ())
        ]
    folders = [
        encoder.removeprefix(LOCAL) for encoder in encoders if encoder.startswith(LOCAL)
    ]
    return [model for folder in folders for model in made_by(Path(folder))]


def taught(facts: Mapping[str, Sequence[str]], roles: Iterable[str]) -> list[str]:
    """Return the models that made the training data (`trained_on`) of the named models
    of these roles.
    """
    seated = [one for role in roles for one in facts.get(f"model.{role}", ())]
    if not any(one.endswith(")") for one in seated):
        return []
    with suppress(BadInput):
        config = load_config(paths().config_file, os.environ)
        folders = [
            config.models[name].trained_on
            for name in (one.partition(" (")[0] for one in seated)
            if name in config.models
        ]
        return [
            model
            for folder in folders
            if folder is not None
            for model in made_by(Path(folder).expanduser())
        ]
    return []
