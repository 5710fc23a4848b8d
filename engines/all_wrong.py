"""Everything that is wrong with a session that cannot begin, beside what was found
first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from ..sessions.errors import BadInput, Faults
from .models.preflight import SeatModel, problems
from .models.seating import WrongSeats, named_seats, seated
from .settings import Setting
from .starting import Starter, Wishes, WrongBeginning

if TYPE_CHECKING:
    from ..sessions.session import Header

Begin = Callable[[Wishes, Starter], "Header"]
SEATS = ("model", "param")
"""Options that seat models."""


def all_wrong(
    begin: Begin,
    wanted: Wishes,
    starter: Starter,
    roles: Sequence[str],
    first: BadInput,
) -> WrongBeginning:
    """The configuration, keys, and all that `begin` says.

    `first`: what it said first. The rest comes to light once the models are left out,
    and the settings where they are wrong.
    """
    own = Faults()
    own.add(*str(first).splitlines())
    own.of(lambda: begin(*_without_seats(wanted, starter)))
    if not isinstance(first, WrongSeats):
        own.of(lambda: _check_seats(wanted, starter, roles))
    told = [one for one in own.told if not any(one in all_ for all_ in starter.wrong)]
    return WrongBeginning(told, starter.wrong, unready(wanted, starter, roles))


def wrong_lines(
    faults: Sequence[str], wanted: Wishes, starter: Starter, roles: Sequence[str]
) -> BadInput:
    """What is wrong with lines of a file, with what is wrong whatever they say."""
    more = [*starter.wrong, *unready(wanted, starter, roles)]
    return BadInput("\n".join([*more, *faults]))


def unready(wanted: Wishes, starter: Starter, roles: Sequence[str]) -> list[str]:
    """Why models that are named cannot be asked, a sentence each."""
    found, _ = named_seats(
        wanted.declared, starter.config, roles, wanted.listed("model")
    )
    asked = [SeatModel(who, seat, starter.keyed) for who, seat in found.items()]
    return problems(asked, starter.config)


def _without_seats(wanted: Wishes, starter: Starter) -> tuple[Wishes, Starter]:
    """The same without models, and without settings where these are wrong."""
    config = msgspec.structs.replace(starter.config, lineup={}, model=None)
    options = {
        name: value for name, value in wanted.options.items() if name not in SEATS
    }
    try:
        starter.settings(wanted)
    except BadInput:
        config = msgspec.structs.replace(config, settings={})
        settings = {one.key for one in wanted.declared if isinstance(one, Setting)}
        options = {k: v for k, v in options.items() if k not in {*settings, "without"}}
    return replace(wanted, options=options), starter.under(config)


def _check_seats(wanted: Wishes, starter: Starter, roles: Sequence[str]) -> None:
    """Raises: BadInput, which names all that is wrong with what seats models."""
    declared, config = wanted.declared, starter.config
    models, params = wanted.listed("model"), wanted.listed("param")
    faults = Faults()
    faults.add(*named_seats(declared, config, roles, models)[1])
    faults.of(lambda: seated(declared, config, roles, (), (), params))
    faults.refuse()
