"""The line-ups that the app remembers between two runs."""

from __future__ import annotations

from ..sessions.paths import paths, recall, remember

MOST = 5
"""Line-ups of a workspace that are remembered."""


class Lineups:
    """The line-ups chosen last: by workspace, the newest first, each as `--model` takes
    it. Names of models only: keys are not among them.
    """

    def __init__(self) -> None:
        self._path = paths().state / "lineups.json"
        read = recall(self._path)
        found = read.items() if isinstance(read, dict) else ()
        self._all: dict[str, list[list[str]]] = {
            name: [one for one in many if _names(one)]
            for name, many in found
            if isinstance(many, list)
        }

    def last(self, workspace: str) -> list[str]:
        """Return the last line-up of a workspace; empty if there is none."""
        return next(iter(self._all.get(workspace, ())), [])

    def recent(self) -> list[str]:
        """Returns the models of all line-ups, the newest of each workspace first."""
        models = (
            text.partition("=")[2] or text
            for many in self._all.values()
            for one in many
            for text in one
        )
        return [*dict.fromkeys(models)]

    def keep(self, workspace: str, models: list[str]) -> None:
        """Remembers a line-up."""
        rest = [one for one in self._all.get(workspace, ()) if one != models]
        self._all[workspace] = [models, *rest][:MOST]
        remember(self._path, self._all)


def _names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
