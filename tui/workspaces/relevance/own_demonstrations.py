"""A demonstration of the user's own, made from a judged pair: a group in a set of drafts, until all four levels are there."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from ....engines.relevance.plan import Fold, Kind, Standing, candidates, query, setting, text_of
from ....prompts.demonstrations import ABOUT, Group, read
from ....sessions.errors import BadInput, cause
from ....sessions.paths import paths
from ....sessions.session import Session
from ....texts import t

SET = "own"
"""Name of the set of drafts, in the user's folder of demonstrations."""


def folder() -> Path:
    return paths().demonstrations / SET


def group_id(session: Session) -> str:
    """Returns the id of a group, made from the query's id."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", str(query(session).get("id", ""))).strip("-")
    return f"own-{plain[:50] or session.header.id}"


def drafted(session: Session, fold: Fold, candidate: str, level: int) -> str:
    """Returns the group as YAML: what was written of it before, with this candidate in the place of its level."""
    name = group_id(session)
    file = folder() / f"{name}.yaml"
    group = _read(file) if file.is_file() else {}
    asked = query(session)
    group = {"id": name, "query": group.get("query") or _case(asked, text_of(session, None), fold.query), **group}
    listed = [one for one in group.get("candidates", []) if isinstance(one, dict) and one.get("level") != level]
    case = candidates(session)[candidate]
    standing = fold.candidates[candidate]
    made = {"level": level, **_case(case, str(case.get("text", "")), standing)}
    for kind, bit in (("material", level in (1, 3)), ("legal", level in (2, 3))):
        judgement = standing.judgement(kind)  # type: ignore[arg-type]
        agrees = judgement is not None and judgement.relevant is bit
        made[f"{kind}_judgement"] = {"relevant": bit, "reason": judgement.reason if judgement is not None and agrees else ""}
    group["candidates"] = sorted([*listed, made], key=lambda one: str(one.get("level")))
    return _yaml(group)


def save(text: str, session: Session) -> tuple[Path, list[str]]:
    """Writes a group into the set of drafts; returns its file and what is still missing, a sentence each.

    Raises:
        BadInput: the text is no group, or cannot be written.
    """
    import msgspec
    import yaml

    try:
        parsed = yaml.safe_load(text)
        group = msgspec.convert(parsed, Group)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadInput(" ".join(str(error).split())[:200]) from None
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,60}", group.id):
        raise BadInput(t("wrong.demonstrations.group_id"))
    place = folder()
    place.mkdir(parents=True, exist_ok=True)
    about = place / ABOUT
    if not about.exists():
        _write(about, _yaml({"language": str(setting(session, "language") or "zh"), "law": "", "note": ""}))
    file = place / f"{group.id}.yaml"
    _write(file, text if text.endswith("\n") else text + "\n")
    return file, [mistake for mistake in read(place)[1] if group.id in mistake]


def _case(case: Any, text: str, standing: Standing) -> dict[str, Any]:
    """Returns a case as demonstrations have it; a fact whose place in the text is not known has an empty span."""
    made: dict[str, Any] = {"text": text}
    kinds: tuple[Kind, ...] = ("material", "legal")
    for kind in kinds:
        facts = standing.facts(kind)
        items = facts.items if facts is not None else []
        spans = [text[one.start : one.end] if one.start is not None and one.end is not None else "" for one in items]
        made[kind] = [{"fact": one.text, "span": span} for one, span in zip(items, spans, strict=True)]
    return {**made, "charge": str(case.get("title", "") or "")}


def _read(file: Path) -> dict[str, Any]:
    import yaml

    try:
        found = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise BadInput(t("wrong.file.unread", path=file, why=" ".join(cause(error).split())[:160])) from None
    return found if isinstance(found, dict) else {}


def _yaml(value: Any) -> str:
    import yaml

    return str(yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=10**6))


def _write(file: Path, text: str) -> None:
    """Writes all of a file or nothing.

    Raises:
        BadInput: it cannot be written.
    """
    new = file.with_name(f".{file.name}.new")
    try:
        new.write_text(text, encoding="utf-8")
        os.replace(new, file)
    except OSError as error:
        raise BadInput(t("wrong.file.not_written", path=file, why=cause(error))) from None
