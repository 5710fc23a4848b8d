"""Regular expressions that are compiled when they are first used.

Compiling all of them took a sixth of the time to the first paint.
"""

from __future__ import annotations

import re
from typing import Any, cast


class LazyPattern:
    """A pattern that compiles itself when one of its methods is first looked up."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """A method of the compiled pattern; it is an attribute from then on."""
        found = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, found)
        return found


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Returns a pattern whose methods can be called; functions of `re` do not take
    it.
    """
    return cast("re.Pattern[str]", LazyPattern(pattern, flags))
