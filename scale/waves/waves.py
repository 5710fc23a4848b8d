"""Makes the events of a batch in waves: the next calls of all sessions are sent
together, at a provider's batch price.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from ...engines.batches.batch import Batch
from ...engines.batches.budget import OverBudget
from ...engines.batches.call_limiter import CallLimiter
from ...engines.batches.estimate import CallPrices, CostEstimate, prices_of
from ...engines.batches.event_makers import EstimateNote, models_of, search_costs
from ...engines.batches.lines import BatchLine
from ...engines.batches.submitted_wave import SubmittedWave
from ...engines.models.keys import sent
from ...engines.models.lineup import BUILTINS
from ...engines.models.port import Message, ModelError, Models, Task
from ...engines.models.prices import batch_price, price
from ...engines.models.targets import find
from ...engines.step import Engine, Parts, step
from ...sessions.errors import BadInput, bad_input, unread
from ...sessions.events import Failure
from ...sessions.files import write_new
from ...sessions.journal import Journal
from ...sessions.session import Seat, Session
from ...texts import t
from ...texts.amounts import money
from . import litellm_batches
from .outbox import FileWritten, Marked, WaveOutbox
from .outbox import RequestFile as PostPart
from .pending import Door, NotInWave, WaveRequest
from .submission import WaveTracker

if TYPE_CHECKING:
    from ...engines.models.config import Config

MOST_REQUESTS = 50_000
"""Maximum number of requests per file, by the providers' limits."""
MOST_BYTES = 190 << 20
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before the first look at a batch; each pause is half as long again as the
previous one.
"""
HOURS = 24
"""Maximum time of a provider for one wave."""

Way = Literal["provider", "file", "nobody"]
"""Destination of the next wave: its providers, the user's file, or none in this run."""


@dataclass(frozen=True)
class WaveOptions:
    """The command-line options."""

    way: Way
    requests_to: Path | None = None
    """The file for the requests of the next wave; if one is not enough, more files are
    written next to it.
    """
    replies_from: Sequence[Path] = ()
    live_rest: bool = False
    """Requests that failed in a wave are sent as calls."""
    retries: int = 0
    """Number of times to send a failed wave again, after the usual retries."""
    live_up_to: int = 0
    """A wave with at most this many requests is sent as calls, at the full price."""
    live_max_usd: float = 0.0
    """Maximum cost of such calls in the folder, over all runs."""


class _Engine:
    """An engine whose steps take no place at the rate limiter: waves reply to them, or
    they ask for a place themselves.
    """

    def __init__(self, engine: Engine) -> None:
        self.advance, self.finished = engine.advance, engine.finished

    def asks(self, session: Session) -> bool:
        """See `Engine`."""
        return False


class _StoredReplies:
    """Models with replies on disk: a cancelled step loses nothing, and finds them
    again.
    """

    def __init__(self, models: Models, kept: Callable[[str, str], str]) -> None:
        """`kept`: as `Waves.kept_mark`."""
        self.ask, self.panel, self._models = models.ask, models.panel, models
        self._kept = kept

    def reply_mark(self, role: str, task: Task, messages: list[Message]) -> str | None:
        """See `port.Models`. The mark of the wave that sent the request, even from
        another installation.
        """
        mark = self._models.reply_mark(role, task, messages)
        if mark is None:
            return None
        said = json.dumps(messages, sort_keys=True).encode()
        return self._kept(hashlib.sha256(said).hexdigest()[:24], mark)

    def take_spent(self) -> Failure | None:
        """See `port.Models`."""
        spent = self._models.take_spent()
        if spent is None or spent.kind == "cancelled":
            return None
        return spent


@dataclass(frozen=True)
class _Maker:
    engine: _Engine
    models: _StoredReplies
    door: Door
    live: Models
    """The models that are called."""
    limiter: CallLimiter

    async def step(self, journal: Journal) -> Parts:
        """See `Maker`. With `live_rest`, stores a failure in a wave before the call."""
        self.door.begin()
        session = journal.session
        try:
            async with aclosing(step(journal, self.engine, self.models)) as parts:
                async for part in parts:
                    yield part
            if not self.door.failed:
                return
        except NotInWave:
            pass
        async with (
            nullcontext() if search_costs(session) else self.limiter.step(),
            aclosing(step(journal, self.engine, self.live)) as parts,
        ):
            async for part in parts:
                yield part


class Waves:
    """Implements `Makers`. `folder`: of the waves, in that of the batch or study."""

    outbox: WaveOutbox

    keyed = True

    def __init__(self, folder: Path, config: Config, plan: WaveOptions) -> None:
        self._folder, self._config, self._plan = folder, config, plan
        self._queue: dict[str, WaveRequest] = {}
        self._limiter: CallLimiter
        self._tracker: WaveTracker | None = None
        self._say: Callable[[str], None] = lambda message: None
        self._assumed: dict[str, None] = {}
        self._dearer = 1.0
        """Maximum ratio of the price of a call to the batch price."""
        self._checked: set[tuple[str, str | None]] = set()
        self._marks: dict[str, str] = {}
        """Entries to record with the next wave."""

    # ------------------------------------------------------------- before it begins

    def check(self, batch: Batch) -> None:
        """See `Makers`. The provider of every model must support batches."""
        asked = batch.kind.stand_ins.asked
        seats = [
            member
            for header in batch.headers
            if header is not None
            for _, seat in asked(Session(header))
            for member in seat.members
        ]
        new = {
            (seat.model, seat.name): seat
            for seat in seats
            if seat.model not in BUILTINS
        }
        left = [seat for key, seat in new.items() if key not in self._checked]
        if left:
            asyncio.run(self._check(left))
            self._checked |= new.keys()

    async def _check(self, seats: Sequence[Seat]) -> None:
        for seat in seats:
            try:
                target = await find(seat, self._config, os.environ)
                sent(target.api_key)  # so that it is taken out of files of replies
                if (
                    self._plan.way == "provider"
                    and target.provider in litellm_batches.PROVIDERS
                ):
                    litellm_batches.address(target, os.environ)
            except ModelError as error:
                raise BadInput(str(error)) from None
            if (
                self._plan.live_up_to
                and target.prices is None
                and price(target.model) is None
            ):
                raise bad_input("wrong.waves.live_price", model=seat.name or seat.model)
            if target.provider not in litellm_batches.PROVIDERS:
                names = ", ".join(litellm_batches.PROVIDERS)
                raise bad_input(
                    "wrong.waves.provider",
                    model=seat.name or seat.model,
                    provider=target.provider,
                    names=names,
                )

    async def prices(self, config: Config, sessions: Sequence[Session]) -> CallPrices:
        """See `Makers`. At batch prices."""
        prices = await prices_of(config, sessions)

        def batched(model: str, name: str | None) -> tuple[float, float] | None:
            if model in BUILTINS:
                return 0.0, 0.0
            named = config.models.get(name or "")
            own = (
                None
                if named is None or named.prices is None
                else (named.prices.input, named.prices.output)
            )
            found = batch_price(model, own)
            if found is not None and found.assumed:
                self._assumed[name or model] = None
            usual = prices.price(model, name)
            if found is not None and usual is not None:
                dearer = [
                    full / half
                    for full, half in zip(usual, found, strict=False)
                    if half
                ]
                self._dearer = max(self._dearer, *dearer, 1.0)
            if found is None:
                return None
            return (found.input, found.output)

        return CallPrices(batched, prices.parameters)

    def about(self, estimate: CostEstimate) -> dict[str, object]:
        """The estimate of waves: their number and hours, and the models whose batch
        price is assumed to be half the usual one.
        """
        return {
            "waves": estimate.deepest,
            "hours": HOURS * estimate.deepest,
            "half_assumed": list(self._assumed),
            **self._about_live(estimate),
        }

    def note(self, estimate: CostEstimate) -> EstimateNote:
        """See `EventMakers`."""
        found = self.about(estimate)
        told = t("report.waves.estimate", n=found["waves"], hours=found["hours"]) + "\n"
        if self._assumed:
            told += t("report.waves.assumed", models=", ".join(self._assumed)) + "\n"
        live = self._about_live(estimate)
        if live:
            told += (
                t(
                    "report.waves.live",
                    n=live["live_up_to"],
                    calls=f"{live['live_calls']:,}",
                    price=money(live["live_usd"]),
                    most=money(live["live_max_usd"]),
                )
                + "\n"
            )
        return EstimateNote({"batch_api": found}, told)

    def _about_live(self, estimate: CostEstimate) -> dict[str, Any]:
        """The estimate of small waves, which are sent as calls."""
        if not self._plan.live_up_to:
            return {}
        calls = estimate.spent.calls
        most = min(self._plan.live_up_to * estimate.deepest, calls)
        one = estimate.spent.cost_known / max(calls, 1)
        return {
            "live_up_to": self._plan.live_up_to,
            "live_calls": most,
            "live_usd": most * one * self._dearer,
            "live_max_usd": self._plan.live_max_usd,
        }

    # ------------------------------------------------------------- while it runs

    async def open(self, limiter: CallLimiter, say: Callable[[str], None]) -> None:
        """See `Makers`. Reads the results of earlier runs, and the replies from the
        user's files.
        """
        self._limiter, self._say = limiter, say
        if self._tracker is None:
            self.outbox = await asyncio.to_thread(WaveOutbox.open, self._folder)
            self._tracker = WaveTracker(
                self.outbox, self._config, say, self._plan.retries
            )
            for path in self._plan.replies_from:
                await asyncio.to_thread(self._bring, path)

    def maker(self, batch: Batch, line: BatchLine, session: Session) -> _Maker:
        """See `Makers`."""
        door = Door(session, self, live_rest=self._plan.live_rest)
        engine = _Engine(batch.method.engine(session.header, batch.tools))
        models = models_of(batch, line, session, retries=0, sending=door.sending)
        return _Maker(
            engine,
            _StoredReplies(models, self.kept_mark),
            door,
            models_of(batch, line, session),
            self._limiter,
        )

    def kept_mark(self, digest: str, made: str) -> str:
        """The mark in the messages with this digest: as recorded in the folder, or a
        new one.
        """
        if digest in self.outbox.marks:
            return self.outbox.marks[digest]
        return self._marks.setdefault(digest, made)

    def queue(self, request: WaveRequest) -> None:
        """Adds a request to the next wave."""
        self._queue[request.name] = request

    async def again(self, limiter: CallLimiter) -> bool:
        """See `Makers`. Sends the waiting requests as one wave, and returns when the
        replies are here.
        """
        queue, self._queue = list(self._queue.values()), {}
        if self._tracker is None or limiter.enough:
            return False
        if not self.outbox.under_way:
            await limiter.goes_on()
            wave = queue[: _room(limiter, queue)]
            if not wave:
                limiter.reached = limiter.reached or bool(queue)
                return False
            if self._plan.way != "provider":
                self._hand_out(wave)
                return False
            if len(wave) < len(queue):
                self._say(t("waves.cut", n=len(wave), total=len(queue)))
            if len(wave) <= self._plan.live_up_to and self._affords(wave):
                await self._call(wave, self._tracker, limiter)
                return True
            await self._plan_wave(wave)
        try:
            await self._follow(self._tracker)
        except asyncio.CancelledError:
            self._say(t("waves.left", n=len(self.outbox.under_way)))
            raise
        finally:
            limiter.outside = None
        return True

    async def close(self) -> None:
        """See `Makers`. Batches continue at their providers."""

    # ------------------------------------------------------------- a small wave

    def _affords(self, wave: Sequence[WaveRequest]) -> bool:
        """Whether a wave can be sent as calls, which is reported."""
        likely = sum(request.price or 0.0 for request in wave)
        fits = self.outbox.live_spent + likely <= self._plan.live_max_usd
        told = {"wave": self.outbox.waves + 1, "n": len(wave), "price": money(likely)}
        more = {"most": money(self._plan.live_max_usd)}
        self._say(t("waves.live" if fits else "waves.live_dear", **told, **more))
        return fits

    async def _call(
        self, wave: Sequence[WaveRequest], tracker: WaveTracker, limiter: CallLimiter
    ) -> None:
        """Sends a wave as calls, each with a file, so that every reply is on disk."""
        number = self.outbox.waves + 1

        async def one(place: int, request: WaveRequest) -> None:
            likely = request.price or 0.0
            with suppress(OverBudget):
                async with limiter.step():
                    await asyncio.sleep(0)  # ends here if the last call stopped all
                    part = self._keep(number, place, [request], "", likely)
                    line, cost = await tracker.call(request, limiter.lost)
                    # At once, so that Ctrl+C does not lose a received reply.
                    tracker.keep(part, line, cost)

        try:
            async with asyncio.TaskGroup() as group:
                for place, request in enumerate(wave, 1):
                    group.create_task(one(place, request))
        except BaseExceptionGroup as several:
            raise several.exceptions[0] from None

    # ------------------------------------------------------------- a wave

    async def _plan_wave(self, wave: Sequence[WaveRequest]) -> None:
        """Writes a wave to disk, before anything is sent."""
        number = self.outbox.waves + 1
        for place, part in enumerate(_files(wave), 1):
            await asyncio.to_thread(
                self._keep, number, place, part, secrets.token_hex(12)
            )

    def _keep(
        self,
        number: int,
        place: int,
        part: Sequence[WaveRequest],
        mark: str,
        live: float | None = None,
    ) -> PostPart:
        seat = Seat(model=part[0].seat.model, name=part[0].seat.name)
        entry = FileWritten(
            file=f"{number:04}-{place}.requests.jsonl",
            wave=number,
            requests=len(part),
            seat=seat,
            mark=mark,
            live=live,
        )
        marks, self._marks = self._marks, {}
        if marks:
            self.outbox.note(Marked(marks=marks))
        return self.outbox.plan(entry, [one.line for one in part])

    async def _follow(self, tracker: WaveTracker) -> None:
        """Sends pending waves, and waits until all submitted ones have ended."""
        for part in self.outbox.under_way:
            if part.sent is None:
                await tracker.send(part, doubtful=part.doubtful)
                assert part.sent is not None
                until = (
                    ""
                    if part.sent.until is None
                    else time.strftime(
                        "%Y-%m-%d %H:%M", time.localtime(part.sent.until)
                    )
                )
                told = {
                    "wave": part.planned.wave,
                    "n": part.planned.requests,
                    "model": part.planned.seat.name or part.planned.seat.model,
                }
                self._say(
                    t("waves.sent", batch=part.sent.batch, **told)
                    + (t("waves.until", until=until) if until else "")
                )
        pause = FIRST_PAUSE
        while waiting := self.outbox.under_way:
            done = 0
            for part in waiting:
                batch = await tracker.look(part)
                done += batch.answered + batch.failed if batch is not None else 0
                if batch is not None and batch.ended:
                    count = await tracker.fetch(part, batch)
                    if count is not None:
                        self._tell_end(
                            part.planned, batch.status, count.answered, count.failed
                        )
            if self.outbox.under_way:
                of, since = (
                    sum(part.planned.requests for part in waiting),
                    min(part.sent.time for part in waiting if part.sent is not None),
                )
                self._limiter.outside = SubmittedWave(
                    waiting[-1].planned.wave, done, of, since
                )
                await asyncio.sleep(pause)
                pause = min(pause * 1.5, LONGEST_PAUSE)

    def _tell_end(
        self, planned: FileWritten, status: str, answered: int, failed: int
    ) -> None:
        text = t("waves.ended", wave=planned.wave, n=answered, total=planned.requests)
        if failed:
            text += t("waves.ended_failed", n=failed, status=status)
        self._say(text)

    # ------------------------------------------------------------- by files

    def _hand_out(self, wave: Sequence[WaveRequest]) -> None:
        """Writes a wave to the user's file, or reports that it is waiting."""
        first = self._plan.requests_to
        if first is None:
            self._say(t("waves.waits", n=len(wave)))
            return
        number, names = self.outbox.waves + 1, []
        for place, part in enumerate(_files(wave), 1):
            path = (
                first
                if place == 1
                else first.with_name(f"{first.stem}-{place}{first.suffix}")
            )
            self._keep(number, place, part, "")
            write_new(path, b"".join(one.line for one in part))
            names.append(str(path))
        self._say(
            t(
                "waves.written",
                wave=number,
                n=len(wave),
                files=", ".join(names),
            )
        )

    def _bring(self, path: Path) -> None:
        """Raises: BadInput."""
        with _opened(path) as file:
            count = self.outbox.bring(file)
        if not count.answered and not count.failed and not count.again:
            raise bad_input("wrong.waves.no_reply", path=path)
        told = [
            t(
                "waves.brought",
                path=path,
                n=count.answered,
                failed=count.failed,
            )
        ]
        told += [t("waves.brought_again", n=count.again)] if count.again else []
        told += [t("waves.brought_unknown", n=count.unknown)] if count.unknown else []
        told += (
            [
                t(
                    "waves.brought_odd",
                    n=len(count.odd),
                    lines="; ".join(count.odd[:3]),
                )
            ]
            if count.odd
            else []
        )
        self._say(" ".join(told))


def _room(limiter: CallLimiter, queue: Sequence[WaveRequest]) -> int:
    """How many of these calls the budget allows, in addition to calls in progress."""
    room, paid = limiter.budget.has_room, sum(one.paid for one in queue)
    return next((n for n in range(len(queue)) if not room(paid + n)), len(queue))


def _files(wave: Sequence[WaveRequest]) -> Iterator[list[WaveRequest]]:
    """Groups requests into files: one per model, address and key, or several if there
    are too many.
    """
    groups: dict[tuple[object, ...], list[WaveRequest]] = {}
    for request in wave:
        target = request.target
        groups.setdefault(
            (target.provider, target.call_as, target.api_base, target.api_key), []
        ).append(request)
    for group in groups.values():
        file: list[WaveRequest] = []
        size = 0
        for request in group:
            if file and (
                len(file) == MOST_REQUESTS or size + len(request.line) > MOST_BYTES
            ):
                yield file
                file, size = [], 0
            file.append(request)
            size += len(request.line)
        yield file


def _opened(path: Path) -> BinaryIO:
    """Raises: BadInput."""
    try:
        return path.open("rb")
    except OSError as error:
        raise unread(path, error) from None
