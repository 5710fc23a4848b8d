"""A new session of a tab: its form, with the models chosen last, until it begins."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ...engines.starting import Wishes
from ...engines.threads import in_thread
from ...sessions.errors import BadInput
from ..remembered import Lineups
from ..showing import clean
from .drafts import draft, lineup_of
from .lineup import more_choices

if TYPE_CHECKING:
    from ...engines.models.config import Config
    from ..play import Play
    from ..screens.form import Form
    from .base import Workspace

Asked = TypeVar("Asked")


async def begin(
    space: Workspace,
    asked: Asked,
    form: Callable[[Asked, str], Form[Asked]],
    read: Callable[[Asked], Wishes],
    complete: Callable[[Asked], Awaitable[Asked | None]] | None = None,
) -> None:
    """Asks until a session can begin, then opens it, or until the form is left.

    `form` is made of what was asked last and a complaint about it; `complete` asks for
    what the form has no room for (None: the form again).
    """
    from ..screens.seat_fields import SeatFields

    lineups, message = Lineups(), ""
    play, config = space.play, space.host.config
    if play is not None and play.session.method == space.tab:
        roles, models = space.bench.roles(play.view), lineup_of(play.view)
    else:
        roles, models = [], []
    models = models or lineups.last(space.tab)
    while True:
        screen = form(asked, message)
        screen.seats = seats = SeatFields(
            roles, models, lineups.recent(), partial(more_choices, config)
        )
        wanted = await space.host.ask(screen)
        if wanted is None:
            return
        asked, models, message = wanted, seats.models, ""
        whole = asked if complete is None else await complete(asked)
        if whole is None:
            continue
        asked = whole
        line = {"model": models} if models else {}
        making = partial(_draft, partial(read, asked), line, config)
        try:
            made = await in_thread(making)
        except BadInput as error:
            message = clean(str(error))
        else:
            if models:
                lineups.keep(space.tab, models)
            made.typed = True
            await space.open(made)
            return


def _draft(
    wishes: Callable[[], Wishes], line: Mapping[str, object], config: Config
) -> Play:
    return draft(wishes().with_line(line), config)
