from collections.abc import Mapping, Sequence
from typing import Any

from . import sync as sync
from .engines.api import File, Names, OnEvent
from .engines.api import batch as batch
from .engines.api import compare as compare
from .engines.api import frames as frames
from .engines.api import load as load
from .engines.api import resume as resume
from .engines.figures.compare import RunComparison as RunComparison
from .engines.models.port import ModelError as ModelError
from .engines.reports.batch import BatchReport as BatchReport
from .sessions.errors import BadInput as BadInput
from .sessions.session import Session as Session

__version__: str

async def debate(
    topic: str,
    *,
    evidence: Sequence[str | Mapping[str, Any]] = (),
    models: Names | None = None,
    params: Mapping[str, Any] | None = None,
    save: File | None = None,
    on_event: OnEvent | None = None,
    probe: bool = False,
    **options: Any,
) -> Session: ...
async def solo(
    topic: str,
    *,
    models: Names | None = None,
    params: Mapping[str, Any] | None = None,
    save: File | None = None,
    on_event: OnEvent | None = None,
    probe: bool = False,
    **options: Any,
) -> Session: ...
async def grade(
    query: str | Mapping[str, Any],
    candidates: Sequence[str | Mapping[str, Any]],
    *,
    models: Names | None = None,
    params: Mapping[str, Any] | None = None,
    save: File | None = None,
    on_event: OnEvent | None = None,
    probe: bool = False,
    **options: Any,
) -> Session: ...
async def rank(
    question: str,
    answers: Mapping[str, str] | Sequence[Mapping[str, Any]],
    *,
    accepted: Sequence[str] | None = None,
    references: Sequence[Any] | None = None,
    models: Names | None = None,
    params: Mapping[str, Any] | None = None,
    save: File | None = None,
    on_event: OnEvent | None = None,
    probe: bool = False,
    **options: Any,
) -> Session: ...
async def ask(
    question: str,
    *,
    references: Sequence[str | Mapping[str, Any]] | None = None,
    answer: str | None = None,
    models: Names | None = None,
    params: Mapping[str, Any] | None = None,
    save: File | None = None,
    on_event: OnEvent | None = None,
    probe: bool = False,
    **options: Any,
) -> Session: ...
async def relevance(
    query: str | Mapping[str, Any],
    candidates: Sequence[str | Mapping[str, Any]],
    *,
    models: Names | None = None,
    params: Mapping[str, Any] | None = None,
    save: File | None = None,
    on_event: OnEvent | None = None,
    probe: bool = False,
    **options: Any,
) -> Session: ...
