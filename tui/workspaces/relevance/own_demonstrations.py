"""A demonstration of the user's own, made from a judged pair: a group that is a draft
until it has all that a demonstration needs.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

from ....engines.cases.task import candidates, query, text_of
from ....engines.relevance.plan import CurrentStages, Kind, RelevanceState, setting
from ....prompts.demonstrations import ABOUT, DemonstrationGroup, read
from ....prompts.demonstrations.form import faults, short_cases, unanchored
from ....sessions.errors import BadInput, cause, not_written
from ....sessions.paths import paths
from ....sessions.session import Session
from ....texts import speaking, t

SET = "own"
"""Name of the user's own set, in the user's folder of demonstrations.

Cases in another language than its own go to `own-LANGUAGE`.
"""

_DRAFT = re.compile(r"(?m)^draft:.*\n?")


def folder(session: Session) -> Path:
    """The folder of the set that a session's cases go to.

    Raises: BadInput if what is there cannot be read.
    """
    place, language = paths().demonstrations / SET, _language(session)
    about = place / ABOUT
    told = (
        str(_read(about).get("language") or language) if about.is_file() else language
    )
    if told[:2] == language[:2]:
        return place
    return place.with_name(f"{SET}-{language[:2]}")


def group_id(session: Session) -> str:
    """Returns the id of a group, made from the query's id."""
    plain = re.sub(
        r"[^A-Za-z0-9_-]+",
        "-",
        str(query(session).get("id", "")),
    ).strip("-")
    return f"own-{plain[:50] or session.header.id}"


class Level(NamedTuple):
    """The level that a demonstration of a pair begins with."""

    value: int
    own: bool
    """Whether the user has given it; else the machine has."""


def level_of(standing: CurrentStages, annotator: str) -> Level | None:
    """Returns the user's own level of a candidate, else the machine's; None where there
    is neither. Other people's do not count.
    """
    label = standing.labels.get(annotator)
    if label is not None and label.value is not None:
        return Level(label.value, own=True)
    score = standing.score
    if score is not None and score.value is not None:
        return Level(score.value, own=False)
    return None


def drafted(session: Session, fold: RelevanceState, candidate: str, level: int) -> str:
    """Returns the group as YAML: what was written of it before, with this candidate in
    the place of its level.

    What an expert has to say is empty where no person has said it: reasons, and what
    legal facts rest on.
    """
    name = group_id(session)
    file = folder(session) / f"{name}.yaml"
    group = _read(file) if file.is_file() else {}
    group.pop("draft", None)
    asked = query(session)
    group = {
        "id": name,
        "query": group.get("query") or _case(asked, text_of(session, None), fold.query),
        **group,
    }
    listed = [
        one
        for one in group.get("candidates", [])
        if isinstance(one, dict) and one.get("level") != level
    ]
    case = candidates(session)[candidate]
    standing = fold.candidates[candidate]
    made = {
        "level": level,
        **_case(
            case,
            str(case.get("text", "")),
            standing,
        ),
    }
    for kind, bit in (("material", level in (1, 3)), ("legal", level in (2, 3))):
        made[f"{kind}_judgement"] = {
            "relevant": bit,
            "reason": _said_by_a_person(standing, kind, bit),  # type: ignore[arg-type]
        }
    group["candidates"] = sorted([*listed, made], key=lambda one: str(one.get("level")))
    return _yaml(group)


def save(text: str, session: Session) -> tuple[Path, list[str]]:
    """Writes a group into the user's own set; returns its file and what is still
    missing, a sentence each, in the set's language.

    As long as something is missing, the group is marked as a draft, which no prompt
    shows.

    Raises:
        BadInput: the text is no group, or cannot be written.
    """
    group = _group(text)
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,60}", group.id):
        raise BadInput(t("wrong.demonstrations.group_id"))
    place = folder(session)
    place.mkdir(parents=True, exist_ok=True)
    about = place / ABOUT
    if not about.exists():
        _write(about, _yaml({"language": _language(session), "law": "", "note": ""}))
    file = place / f"{group.id}.yaml"
    _write(file, _marked(text, draft=True))
    missing = _missing(group, _language(session))
    if not missing:
        _write(file, _marked(text, draft=False))
        with speaking(_spoken(_language(session))):
            # next to the other groups
            missing = [
                mistake for mistake in read(place).mistakes if group.id in mistake
            ]
        if missing:
            _write(file, _marked(text, draft=True))
    return file, missing


def doubts(text: str, session: Session) -> list[str]:
    """List the doubts about a group, one sentence each, in the set's language.

    Raises: BadInput.
    """
    with speaking(_spoken(_language(session))):
        return short_cases(_group(text))


def _group(text: str) -> DemonstrationGroup:
    """Raises: BadInput for what is no group."""
    import msgspec
    import yaml

    try:
        return msgspec.convert(yaml.safe_load(text), DemonstrationGroup)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadInput(" ".join(str(error).split())[:200]) from None


def _missing(group: DemonstrationGroup, language: str) -> list[str]:
    with speaking(_spoken(language)):
        lacking = unanchored(group)
        anchors = (
            [
                t(
                    "wrong.demonstrations.no_from",
                    n=len(lacking),
                    places=", ".join(lacking),
                )
            ]
            if lacking
            else []
        )
        return [*faults(group, set()), *anchors]


def _marked(text: str, *, draft: bool) -> str:
    """The text of a group with or without the mark of a draft."""
    import yaml

    bare = _DRAFT.sub("", text).rstrip() + "\n"
    marked = f"draft: true\n{bare}" if draft else bare
    try:
        parsed = yaml.safe_load(marked)
        if isinstance(parsed, dict) and parsed.get("draft", False) is draft:
            return marked
    except yaml.YAMLError:
        pass
    # in another style of YAML
    group = {
        key: value for key, value in yaml.safe_load(text).items() if key != "draft"
    }
    return _yaml({"draft": True, **group} if draft else group)


def _language(session: Session) -> str:
    return str(setting(session, "language") or "zh")


def _spoken(language: str) -> str:
    if language.casefold().startswith("zh"):
        return "zh"
    return "en"


def _said_by_a_person(standing: CurrentStages, kind: Kind, bit: bool) -> str:
    """The reason that a person has given for this bit, in a judgement or with a label;
    empty if none has.
    """
    judgement = standing.judgement(kind)
    if (
        judgement is not None
        and judgement.model == "human"
        and judgement.relevant is bit
    ):
        return judgement.reason
    at = 1 if kind == "material" else 2
    given = [
        label.reasons
        for label in standing.labels.values()
        if label.reasons is not None
        and label.value is not None
        and bool(label.value & at) is bit
    ]
    if given:
        return str(getattr(given[-1], kind) or "")
    return ""


def _case(case: Any, text: str, standing: CurrentStages) -> dict[str, Any]:
    """Returns a case as demonstrations have it; a material fact whose place in the text
    is not known has an empty span.
    """
    made: dict[str, object] = {"text": text}
    facts = standing.facts("material")
    items = facts.items if facts is not None else []
    spans = [
        text[one.start : one.end]
        if one.start is not None and one.end is not None
        else ""
        for one in items
    ]
    made["material"] = [
        {"fact": one.text, "span": span} for one, span in zip(items, spans, strict=True)
    ]
    facts = standing.facts("legal")
    items = facts.items if facts is not None else []
    made["legal"] = [
        {
            "fact": one.text,
            "from": [],
            **({"secondary": True} if one.secondary else {}),
        }
        for one in items
    ]
    return {**made, "charge": str(case.get("title", "") or "")}


def _read(file: Path) -> dict[str, Any]:
    import yaml

    try:
        found = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise BadInput(
            t(
                "wrong.file.unread",
                path=file,
                why=" ".join(cause(error).split())[:160],
            )
        ) from None
    if isinstance(found, dict):
        return found
    return {}


def _yaml(value: object) -> str:
    import yaml

    return str(
        yaml.safe_dump(
            value,
            allow_unicode=True,
            sort_keys=False,
            width=10**6,
        )
    )


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
        raise not_written(file, error) from None
