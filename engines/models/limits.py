"""When the calls of one model may begin: the rule alone, without a clock and without
waiting.

A pace that was asked for is a bound that holds: in no second do more than `max_rps`
calls begin, in no minute more than `max_tpm` tokens as far as they are known, and never
are more than `concurrency` calls under way. Who comes first goes first.

A model that refuses a call (429) is slowed down for everybody. The rate becomes half of
what it was, and nobody asks before the time that the provider names. Then the rate
rises by a sixtieth of the usual rate each second: half a minute gives back what was
taken. The usual rate is the one at the first refusal; each further refusal moves it
half way to the rate that was refused. Where no call has come through since the last
refusal, the rate is not what is wrong: all wait, a second first, then twice as long
each time up to half a minute. At `max_rps` the brake is off; without one at twice the
usual rate, when nobody waits.
"""

from __future__ import annotations

import math
from collections import deque

import msgspec

LONGEST_WAIT = 900.0
"""Seconds. If a provider asks for a longer pause, the call fails at once."""
MINUTE = 60.0
LATELY = 10.0
"""Seconds over which the rate of a model without a limit is measured."""
MOST_LATELY = 256
"""Calls over which it is measured, at most."""
SLOWEST = 1 / 60
"""Calls a second: no model is slowed down further."""
RISE = 60.0
"""Seconds in which the rate rises by the former one."""
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
BURST = 20
"""Calls per second from which calls of a twentieth of a second can start at once:
timers are no more precise.
"""
TINY = 1e-6
"""Seconds that do not count."""
NEWEST = 0.05
"""Weight of the newest call in the mean of tokens used by tokens estimated."""


class RateLimits(msgspec.Struct, kw_only=True, frozen=True):
    """The rate limits of a model. None: no limit."""

    max_rps: float | None = None
    """Calls that begin in a second."""
    max_tpm: int | None = None
    """Tokens, in and out, in a minute."""
    concurrency: int | None = None
    """Calls under way at a time."""


FREE = RateLimits()


class _CallStart(msgspec.Struct):
    """A call that has started."""

    at: float
    estimated: int
    tokens: int
    """Counted for it."""
    counted: bool = False
    """Whether it counts among the calls of the last minute."""


class _Brake(msgspec.Struct):
    """The reduced rate after refusals. It rises from `low`, starting at `since`."""

    low: float
    usual: float
    since: float
    put_on: float
    """When a call was last refused: those that began before say nothing new."""
    passed: bool = False
    """Whether a call has come through since then."""
    pause: float = FIRST_PAUSE
    """Seconds to wait if none has."""

    def rate(self, now: float) -> float:
        return self.low + max(0.0, now - self.since) * self.usual / RISE


class Gate:
    """The calls of one model: those that wait, in order, and those under way.

    Times are seconds of any clock that only goes forward.
    """

    def __init__(self) -> None:
        self.pace = FREE
        self._waiting: dict[int, int] = {}
        """Ticket -> estimated tokens, in the order of coming."""
        self._inside: dict[int, _CallStart] = {}
        self._minute: deque[_CallStart] = deque()
        self._minute_tokens = 0
        self._lately: deque[float] = deque(maxlen=MOST_LATELY)
        self._brake: _Brake | None = None
        self._held_until = self._next = -math.inf
        self._used_share = 1.0
        """Tokens used by tokens estimated, the mean of the last calls."""

    @property
    def first(self) -> int | None:
        """The next ticket in the queue; None if the queue is empty."""
        return next(iter(self._waiting), None)

    def join(self, ticket: int, tokens: int) -> None:
        """Puts a call of about this many tokens at the end of those that wait."""
        self._waiting[ticket] = tokens

    def admit(self, ticket: int, now: float) -> float:
        """0.0: the call can start.

        Otherwise seconds until the next check; infinite: not before another call starts
        or ends.
        """
        if self.first != ticket:
            return math.inf
        seconds = self._seconds(self._waiting[ticket], now)
        if seconds > TINY:
            return seconds
        tokens = self._waiting.pop(ticket)
        counted = round(tokens * self._used_share)
        self._inside[ticket] = begun = _CallStart(
            now, tokens, counted, self.pace.max_tpm is not None
        )
        self._lately.append(now)
        if begun.counted:
            self._minute.append(begun)
            self._minute_tokens += counted
        rate = self.rate(now)
        if rate is not None:
            self._next = max(self._next, now) + 1 / _smooth(rate)
        return 0.0

    def leave(self, ticket: int, tokens: int | None) -> None:
        """Ends a call, or its wait.

        `tokens`: tokens used; None: unknown.
        """
        self._waiting.pop(ticket, None)
        begun = self._inside.pop(ticket, None)
        if begun is None:
            return
        if self._brake is not None and begun.at > self._brake.put_on:
            self._brake.passed = True
        if tokens is None:
            return
        if begun.estimated and tokens:
            self._used_share += NEWEST * (
                min(max(tokens / begun.estimated, 0.1), 10.0) - self._used_share
            )
        self._correct(begun, tokens)

    def refuse(self, ticket: int, seconds: float, now: float) -> bool:
        """The provider has refused the call, and asks to wait this many seconds (0: it
        names none). True if that slows the model down.

        Calls that were on their way already when it was slowed down do not slow it down
        again.
        """
        begun = self._inside.pop(ticket, None)
        if begun is None:
            return False
        self._correct(begun, 0)
        if seconds <= LONGEST_WAIT:
            self._held_until = max(self._held_until, now + seconds)
        slowed, brake = False, self._brake_at(now)
        if brake is None:
            rate = self._measured(now)
            if rate is None:
                return False
            rate = max(
                rate if self.pace.max_rps is None else min(rate, self.pace.max_rps),
                SLOWEST,
            )
            self._brake = brake = _Brake(max(rate / 2, SLOWEST), rate, now, now)
            slowed = True
        elif begun.at > brake.put_on:
            if brake.passed:
                rate = brake.rate(now)
                brake.low, brake.usual, brake.pause, slowed = (
                    max(rate / 2, SLOWEST),
                    (brake.usual + rate) / 2,
                    FIRST_PAUSE,
                    True,
                )
            else:
                brake.low = brake.rate(now)
                self._held_until = max(self._held_until, now + brake.pause)
                brake.pause = min(2 * brake.pause, LONGEST_PAUSE)
            brake.put_on, brake.passed, brake.since = now, False, now
        brake.since = max(brake.since, self._held_until)
        self._next = max(self._next, brake.since)
        return slowed

    def rate(self, now: float) -> float | None:
        """Calls a second that may begin now; None: as many as come."""
        brake = self._brake_at(now)
        if brake is None:
            return self.pace.max_rps
        return brake.rate(now)

    def likely(self, now: float) -> float:
        """Estimate the seconds a new call waits for the rate limits.

        Does not include the wait for calls in progress, which is unknown.
        """
        rate = self.rate(now)
        line = 0.0 if rate is None else len(self._waiting) / rate
        first = self.first
        own = 0.0 if first is None else self._timed(self._waiting[first], now)
        return max(line, own)

    def _seconds(self, tokens: int, now: float) -> float:
        """Seconds until a call of this many tokens may begin; infinite while there are
        too many under way.
        """
        if (
            self.pace.concurrency is not None
            and len(self._inside) >= self.pace.concurrency
        ):
            return math.inf
        return self._timed(tokens, now)

    def _timed(self, tokens: int, now: float) -> float:
        seconds = self._held_until - now
        rate = self.rate(now)
        if rate is not None:
            spare = max(1.0, rate / BURST) - 1
            seconds = max(seconds, self._next - spare / _smooth(rate) - now)
        if self.pace.max_tpm is not None:
            seconds = max(
                seconds,
                self._until_tokens(
                    round(tokens * self._used_share), self.pace.max_tpm, now
                ),
            )
        return max(seconds, 0.0)

    def _until_tokens(self, tokens: int, most: int, now: float) -> float:
        """Seconds until the last minute has room.

        A call that is larger than the limit begins when there was none for a minute.
        """
        while self._minute and self._minute[0].at + MINUTE <= now + TINY:
            past = self._minute.popleft()
            past.counted = False
            self._minute_tokens -= past.tokens
        over = self._minute_tokens + tokens - most
        if over <= 0 or not self._minute:
            return 0.0
        for begun in self._minute:
            over -= begun.tokens
            if over <= 0:
                return begun.at + MINUTE - now
        return self._minute[-1].at + MINUTE - now

    def _correct(self, begun: _CallStart, tokens: int) -> None:
        if begun.counted:
            self._minute_tokens += tokens - begun.tokens
        begun.tokens = tokens

    def _measured(self, now: float) -> float | None:
        """Calls started per second, recently; None for a single call, which has no
        rate.
        """
        lately = [at for at in self._lately if at > now - LATELY]
        if len(lately) > 1:
            return len(lately) / max(1.0, now - lately[0])
        return None

    def _brake_at(self, now: float) -> _Brake | None:
        """The brake, while it is on."""
        if self._brake is not None:
            rate, most = self._brake.rate(now), self.pace.max_rps
            if (
                rate >= most
                if most is not None
                else rate >= 2 * self._brake.usual and not self._waiting
            ):
                self._brake = None
        return self._brake


def _smooth(rate: float) -> float:
    """The rate of single calls, chosen so that together with calls started at once no
    second has more than `rate`.
    """
    if rate <= BURST:
        return rate
    return rate * (1 - 1 / BURST)
