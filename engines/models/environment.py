"""The variables of the environment that keys and settings are taken from."""

from __future__ import annotations

from collections.abc import Mapping

Environment = Mapping[str, str]
"""Name to value, as `os.environ`."""
