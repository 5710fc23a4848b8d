"""Sessions for programs: what `verifytui.debate(…)` and the other functions of the
package do.

The functions of the methods are made from `Method.call`: `session_functions`.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import aclosing
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, overload

import msgspec

from ..sessions.errors import BadInput, SessionError, bad_input
from ..sessions.events import Event, Failure
from ..sessions.journal import Journal, read_session
from ..sessions.methods import METHODS
from ..sessions.paths import paths
from ..sessions.session import Header, Seat, Session
from ..texts import t
from .method import Method, begin, method_of, roles_of
from .method import method as find
from .models.config_check import config_problems
from .models.port import Kind, ModelError, ModelRemark, Waiting
from .models.preflight import asked_in
from .models.probe import probe_all
from .preflight import begin_checked, check_rest
from .starting import Starter, Wishes, wishes
from .step import step
from .tools import Tools

if TYPE_CHECKING:
    import pandas
    import polars

    from .batches.kind import BatchKind
    from .batches.lines import BatchLine
    from .batches.run import Outcome
    from .figures.compare import RunComparison
    from .figures.frame import ItemFrame, Value
    from .figures.measure import Measure
    from .figures.runs import Run

LOG = logging.getLogger("verifytui")

Names = str | Mapping[str, str]
"""One model for every role, or a model for each role; `*` stands for the roles that are
not named.
"""


OnEvent = Callable[[Event], object]
File = str | os.PathLike[str]


@cache
def session_functions() -> dict[str, Callable[..., Coroutine[Any, Any, Session]]]:
    """The function of each method, by its name in the package."""
    made = [_session_function(find(name)) for name in METHODS]
    return {function.__name__: function for function in made}


def _session_function(method: Method) -> Callable[..., Coroutine[Any, Any, Session]]:
    """Runs a session of a method. Takes the arguments of `Method.call` and of `run`."""
    declared = inspect.signature(method.call)

    async def function(
        *args: Any,
        models: Names | None = None,
        params: Mapping[str, Any] | None = None,
        save: File | None = None,
        on_event: OnEvent | None = None,
        probe: bool = False,
        **options: Any,
    ) -> Session:
        about = {
            name: options.pop(name) for name in declared.parameters if name in options
        }
        _check_arguments(declared, declared.bind(*args, **about).arguments)
        return await run(
            method.name,
            method.call(*args, **about),
            models=models,
            params=params,
            save=save,
            on_event=on_event,
            probe=probe,
            options=options,
        )

    shared = list(inspect.signature(function).parameters.values())[1:]
    function.__name__ = function.__qualname__ = method.call.__name__
    function.__doc__ = f"{inspect.getdoc(method.call)}\n\n{SHARED}"
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [*declared.parameters.values(), *shared], return_annotation=Session
    )
    return function


def _check_arguments(declared: inspect.Signature, given: Mapping[str, object]) -> None:
    """Refuses values of another type than the signature says, such as the gaps of a
    table and one text in place of a list. Raises: BadInput, one line an argument.
    """
    wrong = []
    for name, value in given.items():
        kind = str(declared.parameters[name].annotation)
        told = {"name": name, "value": repr(value)[:40]}
        mapping = isinstance(value, Mapping) and "Mapping" in kind.split("Sequence")[0]
        if mapping or (value is None and "None" in kind):
            continue
        if "Sequence" not in kind:
            if not isinstance(value, str):
                wrong.append(t("wrong.python.text", **told))
        elif isinstance(value, str | bytes):
            wrong.append(t("wrong.python.one_text", **told))
        elif not isinstance(value, Iterable):
            wrong.append(t("wrong.python.list", **told))
        elif isinstance(value, Sequence) and any(one != one for one in value):
            wrong.append(t("wrong.python.gap", **told))
    if wrong:
        raise BadInput("\n".join(wrong))


SHARED = """`models`, `params`, `save`, `on_event`, `probe`, and what is raised: see
`verifytui.engines.api.run`."""


async def run(
    method: str,
    task: Mapping[str, object],
    *,
    models: Names | None,
    params: Mapping[str, object] | None,
    save: File | None,
    on_event: OnEvent | None,
    probe: bool,
    options: Mapping[str, object],
) -> Session:
    """Runs a new session of a method to its end.

    `task`: what the session is about, as the method's `starting.begin` takes it.
    `models`: None means those of the user's configuration, or else a built-in that is
    no language model. `params`: parameters of models, such as `{"judge.temperature":
    0.7}`. `save`: the file that keeps the session, event by event; None keeps it in
    memory. `on_event` is called with each event that was kept. `probe`: every model is
    asked once, with a short call, before the session begins. `options`: named as in a
    line of a batch.

    Raises: BadInput: something given is wrong, or a model does not answer the probe;
    nothing else was asked. ModelError: a call failed for good; its `session` holds the
    events until then.
    """
    starter = await asyncio.to_thread(_starter)
    wanted = wishes(method, _options(options, models, params), **task)
    tools = _tools(starter, wanted.address)
    try:
        header = await asyncio.to_thread(
            begin_checked, lambda: begin(wanted, starter), tools
        )
        if probe:
            await probe_all(asked_in(header, starter.config), starter.config)
        await asyncio.to_thread(method_of(header).open, header, tools)
        with Journal.create(None if save is None else Path(save), header) as journal:
            return await to_the_end(journal, tools, on_event)
    finally:
        tools.close()


async def resume(
    path: File, *, retriever: str | None = None, on_event: OnEvent | None = None
) -> Session:
    """Runs the unfinished session in a file to its end.

    `retriever`: the address of the server that it was begun with.

    Raises:
        BadInput: the file cannot be read or written.
        ModelError: a call failed for good; its `session` holds the events until then.
    """
    tools = _tools(await asyncio.to_thread(_starter), retriever, foreign=True)
    try:
        with Journal.open(Path(path)) as journal:
            header = journal.session.header
            if not method_of(header).engine(header, tools).finished(journal.session):
                if journal.why_read_only is not None:
                    raise SessionError(
                        t(
                            "wrong.file.only_read",
                            file=path,
                            why_read_only=journal.why_read_only,
                        )
                    )
                await asyncio.to_thread(
                    check_rest, journal.session, tools.config, tools.wrong
                )
                await asyncio.to_thread(method_of(header).open, header, tools)
            return await to_the_end(journal, tools, on_event)
    finally:
        tools.close()


async def batch(
    method: str,
    file: File,
    *,
    into: File,
    lines: str | None = None,
    models: Names | None = None,
    params: Mapping[str, object] | None = None,
    concurrency: int = 16,
    budget_tokens: int | None = None,
    budget_usd: float | None = None,
    equivalence: str | None = None,
    retries: int = 0,
    skip_bad: bool = False,
    allow_commands: bool = False,
    probe: bool = False,
    **options: Any,
) -> Outcome:
    """Runs every line of a file, a session each, in the folder `into`; called again, it
    continues with what is not done.

    `method`: its name, such as `debate`, `rag`, `relevance`. `lines`: what the lines
    are, where the method has several kinds (`answers` of `rag`: only verified). The
    budgets are limits of the folder. `equivalence`: the model that compares the answers
    which neither their text nor their value settles. `retries`: how often a line that
    failed is tried again, after the others. `skip_bad`: lines that are wrong
    are skipped, and counted in the report. `allow_commands`: commands of
    config.yaml may be seated. The rest as for `run`.

    Raises: BadInput, before anything but a probe is asked.
    """
    from .batches.batch import Batch
    from .batches.equivalence import Equivalence
    from .batches.run import run_batch
    from .batches.state import Limits

    played = find(method)
    kind = _kind_of(played, lines)
    starter = await asyncio.to_thread(_starter, many=True)
    starter.config.refuses_commands = not allow_commands
    wanted = wishes(method, _options(options, models, params))
    kept, headers, left_out = await asyncio.to_thread(
        _begin_lines, played, kind, Path(file), wanted, starter, skip_bad
    )
    for fault in left_out:
        LOG.warning(fault)
    made = Batch(
        kind,
        kept,
        headers,
        wanted.given(),
        played,
        _tools(starter, wanted.address),
        Equivalence.of(equivalence, starter.config),
        skipped=len(left_out),
    )
    limits = Limits(concurrency, budget_tokens, budget_usd, retries)
    return await run_batch(made, Path(into), limits, probe=probe)


def _kind_of(method: Method, lines: str | None) -> BatchKind:
    """The kind of batch whose lines these are, the usual one for None.

    Raises: BadInput.
    """
    kinds = method.batches
    kind = kinds.get(lines or next(iter(kinds)))
    if kind is None:
        names = ", ".join(kinds)
        raise bad_input(
            "wrong.method.no_batches", lines=lines, method=method.name, names=names
        )
    return kind


def _begin_lines(
    method: Method,
    kind: BatchKind,
    file: Path,
    wanted: Wishes,
    starter: Starter,
    skip_bad: bool,
) -> tuple[Sequence[BatchLine], Sequence[Header | None], list[str]]:
    """The lines of a file that can begin, with their headers; and what is wrong with
    the others, a sentence each. Raises: BadInput.
    """
    from .all_wrong import wrong_lines
    from .batches.batch import headers_of
    from .batches.lines import shortened

    left_out: list[str] = []
    try:
        read, remarks = kind.read(file, wanted, left_out)
    except BadInput as error:
        faults = str(error).splitlines()
        raise wrong_lines(faults, wanted, starter, method.roles) from None
    for remark in remarks:
        LOG.info(remark)
    kept, headers = headers_of(read, lambda line: method.begin(line, starter), left_out)
    if left_out and not skip_bad:
        raise wrong_lines(shortened(left_out), wanted, starter, method.roles)
    return kept, headers, left_out


def load(path: File) -> Session:
    """Reads a session from its file.

    No model is called. Raises: BadInput if the file cannot be read.
    """
    return read_session(Path(path))


def compare(
    *runs: File,
    measures: Sequence[str] = (),
    cluster: str | None = None,
    margin: float = 0.02,
    allow_different: bool = False,
    all_pairs: bool = False,
) -> RunComparison:
    """Compares runs item by item, as `verifytui compare` does: every run with the first
    one, or every pair.

    `runs`: folders of batches and files of outputs, at least two. `measures`: names;
    none: the usual ones. `cluster`: the field that groups dependent items. `margin`: a
    share. No model is called. Raises: BadInput.
    """
    from .figures.compare import CompareOptions, measures_of
    from .figures.compare import compare as compared
    from .figures.runs import names, read_run

    if len(runs) < 2:
        raise bad_input("wrong.compare.two_runs")
    if not 0 <= margin < 1:
        raise bad_input("wrong.compare.margin")
    read = [read_run(Path(path)) for path in runs]
    options = CompareOptions(
        measures, cluster, margin, allow_different, all_pairs=all_pairs
    )
    available = measures_of(read, lambda name: find(name).measures)
    return compared(names(read), available, options)


@overload
def frames(*runs: File, as_: Literal["dicts"] = "dicts") -> list[dict[str, Value]]: ...
@overload
def frames(*runs: File, as_: Literal["pandas"]) -> pandas.DataFrame: ...
@overload
def frames(*runs: File, as_: Literal["polars"]) -> polars.DataFrame: ...
def frames(*runs: File, as_: str = "dicts") -> Any:
    """The rows that `verifytui frame` writes: one an item, with each measure.

    `runs`: folders of batches and studies, and files of outputs. `as_`: `dicts`: a list
    of rows; `pandas` or `polars`: a data frame of this package, which is not installed
    with VerifyTUI. Raises: BadInput.
    """
    known = ("dicts", "pandas", "polars")
    if as_ not in known:
        raise bad_input("wrong.python.frame", value=repr(as_), names=", ".join(known))
    table = table_of(Path(run) for run in runs)
    if as_ == "dicts":
        return table.rows
    try:
        package = import_module(as_)
    except ImportError:
        raise bad_input("wrong.python.package", name=as_) from None
    columns = {name: [row.get(name) for row in table.rows] for name in table.columns}
    if as_ == "polars":
        return package.DataFrame(columns, strict=False)
    return package.DataFrame(columns)


def table_of(paths: Iterable[Path]) -> ItemFrame:
    """The runs as one table. The folder of a study stands for all its conditions.

    Raises: BadInput.
    """
    from ..sessions.files import BATCH
    from .figures.frame import item_frame
    from .figures.runs import names, read_run

    listed = []
    for path in paths:
        conditions = sorted(each.parent for each in path.glob(f"*/{BATCH}"))
        alone = not conditions or (path / BATCH).is_file()
        listed += [path] if alone else conditions
    read = names(map(read_run, listed))
    return item_frame(read, _measures(read))


def log_of(path: Path) -> bytes:
    """The folder of a batch, or the file of a session, as a log of inspect_ai: the
    bytes of an `.eval` file.

    Raises: BadInput, SessionError.
    """
    from .figures.inspect_log import inspect_log
    from .figures.runs import read_run, run_of_session

    run = read_run(path) if path.is_dir() else run_of_session(path)
    return inspect_log(run, _measures([run]))


def _measures(runs: Iterable[Run]) -> dict[str, dict[str, Measure]]:
    """The measures of each method of the runs; "": those of no method."""
    from .figures import common

    shared = common.measures()
    methods = dict.fromkeys(name for run in runs for name in run.methods)
    measures = {name: {**shared, **find(name).measures} for name in methods}
    return {"": shared, **measures}


async def baseline(header: Header, tools: Tools) -> Session:
    """The finished session of the same task under the same settings, with `lexical` on
    all seats: what a model has to beat.

    It is kept nowhere. Raises: ModelError, SessionError.
    """
    seats = {role: Seat(model="lexical") for role in header.lineup}
    with Journal.create(
        None, msgspec.structs.replace(header, lineup=seats, parent=None)
    ) as journal:
        return await to_the_end(journal, tools, None)


async def to_the_end(
    journal: Journal, tools: Tools, on_event: OnEvent | None
) -> Session:
    """The session of a journal when it is finished.

    Raises: ModelError, SessionError.
    """
    from .models.desk import Desk

    session = journal.session
    method = method_of(session.header)
    engine, builtins = (
        method.engine(session.header, tools),
        method.models(session.header, tools),
    )
    desk = Desk(
        lambda: session, tools.config, env=os.environ, builtins=builtins, stream=False
    )
    while not engine.finished(session):
        async with aclosing(step(journal, engine, desk)) as parts:
            async for part in parts:
                if isinstance(part, Event):
                    if on_event is not None:
                        on_event(part)
                elif isinstance(part, Waiting | ModelRemark):
                    LOG.info(part.message)
        last = session.events[-1]
        if isinstance(last, Failure):
            error = ModelError(cast(Kind, last.kind), last.message, role=last.role)
            error.session = session
            raise error
    return session


def _starter(*, many: bool = False) -> Starter:
    """The user's configuration and folders, with what is wrong in it: as far as it can
    be read, so that the rest is checked, too. Raises: BadInput.
    """
    from .models.config import BadConfig, load_config

    places, wrong = paths(), list[str]()
    try:
        config = load_config(places.config_file, os.environ)
    except BadConfig as error:
        if error.rest is None:
            raise
        config, wrong = error.rest, [*error.sentences]
    wrong += config_problems(config, places, os.environ, roles_of)
    return Starter(config, places, many=many, wrong=wrong)


def _tools(starter: Starter, url: str | None, *, foreign: bool = False) -> Tools:
    return Tools(
        starter.config,
        starter.places,
        url=url,
        foreign=foreign,
        say=LOG.info,
        wrong=starter.wrong,
    )


def _options(
    options: Mapping[str, object],
    models: Names | None,
    params: Mapping[str, object] | None,
) -> dict[str, Any]:
    """The options, with models and their parameters among them under the names of a
    batch line.
    """
    named = {"model": models, "param": params}
    return {
        name: value for name, value in {**options, **named}.items() if value is not None
    }
