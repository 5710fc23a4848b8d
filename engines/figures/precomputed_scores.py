"""People's labels as a file for `precomputed_scores` of inspect_ai (0.3.285)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ...sessions.clean import json_line
from ...sessions.files import BATCH, write_new
from ...sessions.label_exchange import ExchangedPair
from .inspect_log import epochs_of, safe
from .runs import read_run

Scores = dict[str, int]


def write_scores(folder: Path, pairs: Sequence[ExchangedPair], into: Path) -> None:
    """Writes a record for each sample that has a label, as JSON lines for `.jsonl`,
    else as a JSON list.

    Ids are those of samples in `inspect_log` and hold for all epochs. A value is the
    level. Where several people labelled, it has the level of each under the name; where
    a session has several pairs, under the candidate, too. Raises: BadInput,
    SessionError.
    """
    ids = _samples(folder)
    many = len({name for pair in pairs for name in pair.labels}) > 1
    held: dict[str, dict[str, ExchangedPair]] = {}
    for pair in pairs:
        for place in pair.pair.places:
            sample = ids.get(place.path.name, safe(place.path.stem))
            held.setdefault(sample, {})[place.candidate] = pair
    records = [_record(sample, found, many) for sample, found in held.items()]
    told = [record for record in records if record["value"] != {}]
    lines = "".join(map(json_line, told))
    whole = json.dumps(told, ensure_ascii=False, indent=1)
    text = lines if into.suffix.lower() == ".jsonl" else whole
    write_new(into, text.encode("utf-8", "replace"))


def _samples(folder: Path) -> dict[str, str]:
    """The sample of each session file of a batch."""
    if not (folder / BATCH).is_file():
        return {}
    run = read_run(folder)
    return {
        run.cases[id_].path.name: sample  # type: ignore[union-attr]
        for id_, (sample, _) in epochs_of(run).items()
        if run.cases[id_].path is not None
    }


def _record(
    sample: str, pairs: dict[str, ExchangedPair], many: bool
) -> dict[str, object]:
    value, notes = Scores(), list[str]()
    for candidate, pair in pairs.items():
        for name, label in pair.labels.items():
            parts = [name] * many + [candidate] * (len(pairs) > 1)
            if label.value is not None:
                value[safe(" ".join(parts))] = label.value
            if label.note:
                notes.append(safe(" ".join([*parts, label.note])))
    alone = not many and len(pairs) == 1
    return {
        "id": sample,
        "value": value.get("", {}) if alone else value,
        "explanation": "\n".join(notes) or None,
    }
