"""A batch of debates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import ClassVar

from ...sessions.session import Session
from ..batches.kind import BatchKind
from ..batches.lines import LineNames
from ..batches.topics import TopicLine, read_topics
from ..figures import common
from ..figures.measure import Measure
from ..starting import Wishes
from .measures import SWAPPED, measures, tallies
from .stand_ins import DebateStandIns


@dataclass(frozen=True)
class Twin(TopicLine):
    """A topic once more, with the models of the two sides exchanged."""

    stored_as: ClassVar[str] = "Twin"
    of: str = ""
    """The id of the other."""


class DebateBatch(BatchKind):
    """One debate for each topic; with `swap` two, of one cluster."""

    many = "debates"
    line_types = (TopicLine, Twin)
    judged_by = ("judge",)
    stand_ins = DebateStandIns()

    @property
    def measures(self) -> Mapping[str, Measure]:
        return common.measures() | measures()

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[list[TopicLine], list[str]]:
        names = LineNames()
        return [
            names.take(each)
            for topic in read_topics(path, wishes, left_out)
            for each in _debates(topic)
        ], []

    def tallies(self, session: Session) -> Mapping[str, Mapping[str, int]]:
        return tallies(session)


def _debates(topic: TopicLine) -> Iterator[TopicLine]:
    """The debates of one line: with `swap` its twin too."""
    options = dict(topic.wishes.options)
    if not options.pop("swap", False):
        yield topic
        return
    plain = replace(
        topic,
        wishes=replace(topic.wishes, options=options),
        named_cluster=topic.cluster,
    )
    yield plain
    swapped = {**options, "swapped": not options.get("swapped", False)}
    told = {field.name: getattr(plain, field.name) for field in fields(plain)}
    yield Twin(
        **{
            **told,
            "id": topic.id + SWAPPED,
            "wishes": replace(topic.wishes, options=swapped),
        },
        of=topic.id,
    )
