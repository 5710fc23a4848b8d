"""The home and the model that every command has."""

from verifytui.tests.cli.conftest import _quiet_home, server

__all__ = ["_quiet_home", "server"]
