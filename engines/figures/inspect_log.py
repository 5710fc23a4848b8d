"""A run as a log of inspect_ai (0.3.285): a sample for each session, an epoch for each
repeat.

Its own API writes the log, since the format is not frozen. Texts are clean and without
keys, because what shows a log may be a terminal.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ...sessions.clean import clean
from ...sessions.errors import bad_input
from ...sessions.events import Event, Failure, ReplyEvent, Usage, known_sum
from ...sessions.export.block import PARTS
from ...sessions.files import file_of
from ...sessions.installation import install_command
from ...sessions.session import Session, Totals
from ...texts import t
from ...texts.roles import BUILT_IN
from ..blocks import block, task
from ..models.keys import hide
from .frame import STATE, Value, item_frame
from .measure import Measure
from .other_results import EXTRA
from .runs import Run, RunItem

if TYPE_CHECKING:
    from inspect_ai.model import ModelUsage
    from inspect_ai.scorer import Score

    Usages = dict[str, ModelUsage]

Measures = Mapping[str, Mapping[str, Measure]]
"""By method and name, as `item_frame` takes them."""
_REPEAT = re.compile(r"(.+)\.r([1-9][0-9]*)", re.DOTALL)


class LoggedSample(NamedTuple):
    """A sample with what the log sums over its samples."""

    sample: Any
    calls: list[Call]


class Call(NamedTuple):
    """What a model used for an event. None: unknown."""

    role: str
    model: str
    usage: Usage | None
    cost: float | None


def inspect_log(run: Run, measures: Measures) -> bytes:
    """The bytes of an `.eval` file.

    Scores are the measures of `item_frame` but those of price, which the log has in
    other places: 1 and 0 for right and wrong. Lines that are not begun are left out.
    Raises: BadInput, also without the extra `inspect`.
    """
    try:
        from inspect_ai.log import write_eval_log
    except ImportError:
        install = install_command(EXTRA)
        raise bad_input("wrong.export.no_inspect", install=install) from None
    log = _log(run, measures)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log.eval")
        write_eval_log(log, str(path), "eval")
        return path.read_bytes()


def epochs_of(run: Run) -> dict[str, tuple[str, int]]:
    """By line the id of its sample and its epoch, from 1. Lines `ID.rN` about the same
    thing are the epochs of a sample.
    """
    repeats = {id_: _REPEAT.fullmatch(id_) for id_ in run.cases}
    about = {
        id_: (found[1], run.cases[id_].item.digest)
        for id_, found in repeats.items()
        if found and run.cases[id_].item.digest and found[1] not in run.cases
    }
    often, digests = Counter(about.values()), dict[str, str]()
    epochs, taken = dict[str, tuple[str, int]](), dict[str, str]()
    for id_ in run.cases:
        one, found = about.get(id_), repeats[id_]
        sample, epoch = id_, 1
        if found and one and often[one] > 1 and digests.setdefault(*one) == one[1]:
            sample, epoch = found[1], int(found[2])
        name = safe(sample)
        if taken.setdefault(name, sample) != sample:  # another until it was cleaned
            name = file_of(sample)
        epochs[id_] = name, epoch
    return epochs


def _log(run: Run, measures: Measures) -> Any:
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalResults,
        EvalSpec,
        EvalStats,
    )

    rows, places = item_frame([run], measures).rows, epochs_of(run)
    logged = [
        _sample(case, row, places[case.item.id], measures)
        for case, row in zip(run.cases.values(), rows, strict=True)
        if case.begun
    ]
    if not logged:
        raise bad_input("wrong.export.nothing", path=run.path)
    samples = [one.sample for one in logged]
    models = [str(row["models"]) for row in rows if row["models"]]
    ids = list(dict.fromkeys(sample.id for sample in samples))
    times = [sample.started_at for sample in samples if sample.started_at]
    ends = [sample.completed_at for sample in samples if sample.completed_at]
    done = [case.status == "done" for case in run.cases.values()]
    by_model, by_role = _used([call for one in logged for call in one.calls])
    whole = all(case.begun and case.status != "stopped" for case in run.cases.values())
    key = "\0".join(case.session_id for case in run.cases.values())
    spec = EvalSpec(
        eval_id=hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:22],
        created=min(times, default="1970-01-01T00:00:00Z"),
        task=" ".join(["verifytui", *run.methods]),
        task_id=safe(run.name),
        dataset=EvalDataset(name=safe(run.name), samples=len(ids), sample_ids=ids),
        model=_named(models),
        config=EvalConfig(epochs=max(sample.epoch for sample in samples)),
        metadata=_plain(run.options),
    )
    return EvalLog(
        status="success" if whole else "cancelled",
        eval=spec,
        results=EvalResults(
            total_samples=len(done), completed_samples=sum(done), scores=_means(samples)
        ),
        stats=EvalStats(
            started_at=min(times, default=""),
            completed_at=max(ends, default=""),
            model_usage=by_model,
            role_usage=by_role,
        ),
        samples=samples,
    )


def _named(models: Iterable[str]) -> str:
    """The model of all samples as `PROVIDER/MODEL`, without which no log can be scored
    again.
    """
    names = {*models}
    name = safe(names.pop()) if len(names) == 1 else "several" if names else "none"
    return name if "/" in name else f"verifytui/{name}"


def _sample(
    case: RunItem,
    row: Mapping[str, Value],
    place: tuple[str, int],
    measures: Measures,
) -> LoggedSample:
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ModelOutput

    session, calls = case.session, list(_calls(case.session))
    by_model, by_role = _used(calls)
    start, seconds = session.header.created, _seconds(session)
    end = next((one.time for one in reversed(session.events) if one.time), "")
    accepted, answer = case.item.fields.get("answers") or "", safe(row["answer"] or "")
    asked = _asked(session, row)
    known = measures.get(str(row["method"] or ""), {})
    error = None
    if case.status != "done":
        said = safe(case.error or t("wrong.export.stopped"))
        error = EvalError(message=said, traceback=said, traceback_ansi=said)
    sample = EvalSample(
        id=place[0],
        epoch=place[1],
        input=asked,
        target=_plain(list(accepted) if not isinstance(accepted, str) else accepted),
        messages=list(_messages(session, asked)),
        output=ModelOutput.from_content(safe(row["models"] or ""), answer),
        scores=_scores(row, known, answer),
        metadata=_about(session, row, known),
        model_usage=by_model,
        role_usage=by_role,
        started_at=start or None,
        completed_at=end or None,
        total_time=_between(start, end),
        working_time=seconds,
        uuid=safe(session.header.id),
        error=error,
    )
    return LoggedSample(sample, calls)


def _asked(session: Session, row: Mapping[str, Value]) -> str:
    """What is asked; of cases, their texts."""
    if row["asked"] or not session.header.lineup:
        return safe(row["asked"] or "")
    return "\n\n".join(safe(one.text) for one in task(session) if one.text)


def _messages(session: Session, asked: str) -> Iterator[Any]:
    """The task, each reply under its role, and what was found for it."""
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageUser,
        ContentReasoning,
        ContentText,
    )

    yield ChatMessageUser(content=asked, source="input")
    for event in session.events:
        if isinstance(event, ReplyEvent):
            parts = ((name, getattr(event, name, None)) for name in PARTS)
            head = ", ".join([event.role, *(f"{n} {at}" for n, at in parts if at)])
            said = ContentText(text=safe(f"[{head}]\n\n{event.text}"))
            thought = (
                [ContentReasoning(reasoning=safe(event.reasoning))]
                if event.reasoning
                else []
            )
            yield ChatMessageAssistant(
                content=[*thought, said],
                model=safe(event.model),
                source="generate",
                metadata={"event": event.number, "role": safe(event.role)},
            )
        elif session.header.lineup and (found := block(event, session).passages):
            text = "\n\n".join(f"[{one.n}] {one.head}\n{one.text}" for one in found)
            yield ChatMessageUser(
                content=safe(text), metadata={"event": event.number, "role": "search"}
            )


def _scores(
    row: Mapping[str, Value], known: Mapping[str, Measure], answer: str
) -> dict[str, Score]:
    """The measures of a session; its state is the explanation."""
    from inspect_ai.scorer import Score

    scores = {}
    for name, measure in known.items():
        state = row.get(name + STATE)
        if state is None or measure.paid:
            continue
        value = row[name]
        about = {"answer": answer or None, "explanation": str(state)}
        if value is None:
            scores[name] = Score.unscored(**about)
        else:
            scores[name] = Score(value=value, **about)
    return scores


def _means(samples: Sequence[Any]) -> list[Any]:
    """Of each score the mean over samples, each the mean of its epochs."""
    from inspect_ai.log import EvalMetric, EvalScore

    found: dict[str, dict[str, list[float]]] = {}
    absent = Counter[str]()
    for sample in samples:
        for name, score in sample.scores.items():
            values = found.setdefault(name, {})
            if score.value != score.value:  # NaN: not scored
                absent[name] += 1
            else:
                values.setdefault(sample.id, []).append(float(score.value))
    return [
        EvalScore(
            name=name,
            scorer=name,
            reducer="mean",
            scored_samples=len(values),
            unscored_samples=absent[name],
            metrics={
                "mean": EvalMetric(
                    name="mean", value=fmean(map(fmean, values.values()))
                )
            },
        )
        for name, values in found.items()
        if values
    ]


def _about(
    session: Session, row: Mapping[str, Value], known: Mapping[str, Measure]
) -> dict[str, object]:
    """What else is known of a session."""
    own = {
        name: value
        for name, value in row.items()
        if name.removesuffix(STATE) not in known
        and name not in ("asked", "accepted", "answer", "error", "id", "run", "repeat")
        and value is not None
    }
    header = msgspec.to_builtins(session.header)
    about = {name: header.get(name) for name in ("settings", "lineup", "versions")}
    made: dict[str, object] = _plain({**own, **about})
    return made


def _calls(session: Session) -> Iterator[Call]:
    """What each model used, of panels each member; no built-ins."""
    for event in session.events:
        for call in _calls_of(event):
            if call.model not in ("", "given", *BUILT_IN):
                yield call


def _calls_of(event: Event) -> Iterator[Call]:
    if isinstance(event, ReplyEvent) and event.votes is not msgspec.UNSET:
        for vote in event.votes:
            yield Call(event.role, vote.model, vote.usage, vote.cost)
    elif isinstance(event, ReplyEvent | Failure):
        yield Call(event.role, event.model, event.usage, event.cost)


def _used(calls: Iterable[Call]) -> tuple[Usages, Usages]:
    """Usage by model and by role, without those of which a part is unknown."""
    by_model: dict[str, list[Call]] = {}
    by_role: dict[str, list[Call]] = {}
    for call in calls:
        by_model.setdefault(safe(call.model), []).append(call)
        by_role.setdefault(safe(call.role), []).append(call)
    return _sums(by_model), _sums(by_role)


def _sums(named: Mapping[str, Sequence[Call]]) -> Usages:
    from inspect_ai.model import ModelUsage

    sums = {}
    for name, calls in named.items():
        usages = [call.usage or Usage() for call in calls]
        read = known_sum(usage.input for usage in usages)
        written = known_sum(usage.output for usage in usages)
        if read is None or written is None:
            continue
        cached = [one.cached_input for one in usages]
        known = [n for n in cached if n is not msgspec.UNSET]
        sums[name] = ModelUsage(
            input_tokens=read - sum(known),
            output_tokens=written,
            total_tokens=read + written,
            input_tokens_cache_read=sum(known) if known else None,
            total_cost=known_sum(call.cost for call in calls),
        )
    return sums


def _seconds(session: Session) -> float:
    """How long its calls took."""
    return sum(one.seconds for one in map(Totals.of, session.events) if one is not None)


def _between(start: str, end: str) -> float | None:
    """Seconds from one time to another; None where one of them is unknown."""
    try:
        passed = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    except (ValueError, TypeError):
        return None
    return max(0.0, passed.total_seconds())


def safe(text: object) -> str:
    """The text without terminal codes and keys."""
    return hide(clean(str(text)))[0]


def _plain(value: object) -> Any:
    """Plain values with safe texts, those of keys too."""
    if isinstance(value, str):
        return safe(value)
    if isinstance(value, Mapping):
        return {safe(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
