from collections.abc import Mapping, Sequence
from typing import Any

from .engines.api import File, Names, OnEvent
from .engines.api import frames as frames
from .engines.api import load as load
from .engines.batches.run import Outcome as Outcome
from .engines.models.port import ModelError as ModelError
from .engines.reports.batch import BatchReport as BatchReport
from .sessions.errors import BadInput as BadInput
from .sessions.session import Session as Session

def debate(
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
def solo(
    topic: str,
    *,
    models: Names | None = None,
    params: Mapping[str, Any] | None = None,
    save: File | None = None,
    on_event: OnEvent | None = None,
    probe: bool = False,
    **options: Any,
) -> Session: ...
def grade(
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
def rank(
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
def ask(
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
def relevance(
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
def resume(
    path: File, *, retriever: str | None = None, on_event: OnEvent | None = None
) -> Session: ...
def batch(
    method: str,
    file: File,
    *,
    into: File,
    lines: str | None = None,
    models: Names | None = None,
    params: Mapping[str, object] | None = None,
    concurrency: int = 16,
    budget_tokens: int | None = None,
    budget_usd: float | None = None,
    equivalence: str | None = None,
    retries: int = 0,
    skip_bad: bool = False,
    allow_commands: bool = False,
    probe: bool = False,
    **options: Any,
) -> Outcome: ...
