"""Sends request files to their providers, and fetches the replies."""

from __future__ import annotations

import asyncio
import io
import json
import os
import time
from collections.abc import Callable
from functools import partial

import msgspec

from ...engines.batches.retrying import seconds_before
from ...engines.models.attempt_permits import in_turn
from ...engines.models.calls import Target
from ...engines.models.config import Config
from ...engines.models.port import ModelError
from ...engines.models.retries import passing, pause
from ...engines.models.targets import find
from ...sessions.errors import WorkersGone
from ...sessions.events import Failure
from ...sessions.session import Seat
from ...texts import t
from . import litellm_batches
from .litellm_batches import ProviderBatch
from .outbox import Count, RequestFile, WaveOutbox, WaveSubmitted
from .pending import WaveRequest
from .replies import ReplyLine, said

LOOKS = 10
"""Number of times to look at a completed batch that does not name its files yet."""

_UNANSWERED = {
    "expired": (
        "batch_expired",
        "The batch expired before this request was answered: run it again.",
    ),
    "cancelled": (
        "batch_cancelled",
        "The batch was cancelled before this request was answered: run it again.",
    ),
    "completed": (
        "no_reply",
        "The batch is complete and has no line for this request: run it again.",
    ),
}


class WaveTracker:
    """Tracks the files of a folder at their providers."""

    def __init__(
        self,
        outbox: WaveOutbox,
        config: Config,
        say: Callable[[str], None],
        retries: int = 0,
    ) -> None:
        """`retries`: number of times a file is sent again after a longer pause."""
        self._outbox, self._config, self._say = outbox, config, say
        self._retries = retries
        self._targets: dict[bytes, Target] = {}
        self._unnamed: dict[str, int] = {}
        """Number of times a batch was complete without files, by request file."""

    async def send(self, part: RequestFile, *, doubtful: bool) -> None:
        """Submits a file and records the batch's id. `doubtful`: it may have been
        submitted before.

        Raises: WorkersGone, BadInput.
        """
        target, failures = await self._target(part.planned.seat), 0
        while True:
            try:
                batch = (
                    await litellm_batches.by_mark(target, part.planned.mark, os.environ)
                    if doubtful
                    else None
                )
                if batch is None:
                    data = await asyncio.to_thread(
                        (self._outbox.folder / part.planned.file).read_bytes
                    )
                    file = await litellm_batches.upload(
                        target, part.planned.file, data, os.environ
                    )
                    doubtful = True
                    batch = await litellm_batches.create(
                        target, file, part.planned.mark, os.environ
                    )
                break
            except ModelError as error:
                failures += 1
                later = failures - self._config.retries
                if later > self._retries or not passing(error):
                    raise WorkersGone(
                        t("waves.not_sent", folder=self._outbox.folder, why=error)
                    ) from None
                if later > 0:
                    seconds = seconds_before(later - 1)
                    text = t("waves.sent_again", seconds=f"{seconds:g}", why=error)
                    self._say(text)
                else:
                    seconds = pause(error, failures, self._config.retry_wait)
                await asyncio.sleep(seconds)
        self._outbox.note(
            WaveSubmitted(file=part.planned.file, batch=batch.id, until=batch.until)
        )

    async def look(self, part: RequestFile) -> ProviderBatch | None:
        """The state of a file; None if its provider cannot be reached now.

        Raises: WorkersGone if it will never be reachable.
        """
        assert part.sent is not None
        try:
            target = await self._target(part.planned.seat)
            batch = await litellm_batches.look(target, part.sent.batch, os.environ)
        except ModelError as error:
            if not passing(error):
                raise WorkersGone(
                    t("waves.lost", batch=part.sent.batch, why=error)
                ) from None
            self._say(t("waves.unreached", why=error))
            return None
        if batch.ended and self._lacks_files(part, batch):
            batch.status = "finalizing"
        return batch

    async def fetch(self, part: RequestFile, batch: ProviderBatch) -> Count | None:
        """Fetches the replies of a finished batch; None if they are not available now.

        Raises: WorkersGone, BadInput.
        """
        target = await self._target(part.planned.seat)
        try:
            files = [
                await litellm_batches.content(target, file, os.environ)
                for file in (batch.output, batch.errors)
                if file
            ]
        except ModelError as error:
            if not passing(error):
                raise WorkersGone(t("waves.lost", batch=batch.id, why=error)) from None
            self._say(t("waves.unreached", why=error))
            return None
        why = batch.why or "it does not say why."
        code, message = _UNANSWERED.get(
            batch.status, ("batch_failed", f"The provider refused the batch: {why}")
        )
        return await asyncio.to_thread(
            self._outbox.end,
            part,
            batch.status,
            [io.BytesIO(file) for file in files],
            partial(_unanswered, code=code, message=message),
        )

    async def call(
        self, request: WaveRequest, lost: list[tuple[str, Failure]]
    ) -> tuple[bytes, float | None]:
        """Sends a request as a call. Returns its reply line and its cost. `lost`
        receives the possible cost if it is interrupted.
        """
        target, failures = request.target, 0
        while True:
            began: float | None = None
            try:
                async with in_turn(target, request.tokens) as used:
                    began = time.monotonic()
                    status, body, usage, cost = await litellm_batches.call(
                        target, request.arguments, os.environ
                    )
                    used.append(usage)
            except asyncio.CancelledError:
                if began is not None:
                    failure = request.lost(failures + 1, time.monotonic() - began)
                    lost.append((request.session, failure))
                raise
            except ModelError as error:
                failures += 1
                if failures > self._config.retries or not passing(error):
                    code = f"call_{error.kind}"
                    return said(request.name, None, str(error), code).line, 0.0
                await asyncio.sleep(pause(error, failures, self._config.retry_wait))
            else:
                response = {"status_code": status, "body": body}
                line = json.dumps({"custom_id": request.name, "response": response})
                return line.encode(), cost

    def keep(self, part: RequestFile, line: bytes, cost: float | None) -> None:
        """Stores the reply of a request sent as a call.

        Raises: BadInput, WriteError.
        """
        code, message = _UNANSWERED["completed"]
        unanswered = partial(_unanswered, code=code, message=message)
        self._outbox.end(part, "completed", [io.BytesIO(line)], unanswered, cost)

    def _lacks_files(self, part: RequestFile, batch: ProviderBatch) -> bool:
        """Whether a finished batch does not name its files yet, which some providers do
        a moment later.
        """
        if not (
            (batch.answered and batch.output is None)
            or (batch.failed and batch.errors is None and batch.output is None)
        ):
            return False
        looks = self._unnamed[part.planned.file] = (
            self._unnamed.get(part.planned.file, 0) + 1
        )
        return looks <= LOOKS

    async def _target(self, seat: Seat) -> Target:
        key = msgspec.json.encode(seat)
        if key not in self._targets:
            try:
                self._targets[key] = await find(seat, self._config, os.environ)
            except ModelError as error:
                raise WorkersGone(str(error)) from None
        return self._targets[key]


def _unanswered(name: str, *, code: str, message: str) -> ReplyLine:
    return said(name, None, message, code)
