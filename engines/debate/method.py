"""Debate as a method, and how a debate begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...prompts import PromptSet, has_file, load, prompt_set_for, with_templates
from ...sessions.errors import bad_input
from ...sessions.events import Event, Reference
from ...sessions.events.debate import Speech, Verdict
from ...sessions.session import Header, Seat, Session
from ...texts import language, t
from ..method import Method
from ..models.config import Config
from ..models.seating import seated
from ..script import NAME
from ..starting import Starter, Wishes, check_roles, header_of, wishes
from ..topic import LONGEST_TOPIC, known_answers, title_of, topic_task
from .plan import (
    DEBATERS,
    ROLES,
    DebateStep,
    defended,
    observed,
    setting,
    speakers,
    upcoming,
)
from .script import example_topics
from .settings import SETTINGS

if TYPE_CHECKING:
    from ...sessions.events.debate import DebateResult
    from ..engine import MethodEngine
    from ..models.port import Model
    from ..tools import Tools


def roles_needed(settings: Mapping[str, Any], kind: str = "question") -> list[str]:
    """Return the roles that will be called, in order.

    `baseline` may stay empty: then the affirmative's model answers.

    `observer` is never needed: without one, `stance` is not measured.
    """
    wanted = SETTINGS.defaults(kind) | dict(settings)
    sides = speakers(wanted["control"], wanted["debaters"])
    return [
        *sides,
        "judge",
        *(["baseline"] if sides and wanted["opening"] == "seeded" else []),
    ]


def new_debate(
    *,
    topic: str,
    kind: str = "question",
    source_lang: str | None = None,
    target_lang: str | None = None,
    lineup: Mapping[str, Seat] | None = None,
    settings: Mapping[str, Any] | None = None,
    prompts: PromptSet,
    answers: Iterable[str] | None = None,
    wrong_answers: Iterable[str] | None = None,
    title: str | None = None,
    evidence: Sequence[Reference] | None = None,
    defended: str | None = None,
    swapped: bool = False,
) -> Header:
    """The header of a new debate. Required roles without a model go to `script`. Raises
    BadInput.

    `evidence`: what both sides can cite. `defended`: the answer that the first debater
    defends with a seeded opening, instead of a baseline's. `swapped`: the models of the
    two sides in `lineup` are exchanged.
    """
    about = topic_task(topic, kind, source_lang, target_lang, prompts.templates)
    if evidence:
        about["evidence"] = _evidence(evidence)
    if defended is not None and defended.strip():
        about["defended"] = defended.strip()
    if swapped:
        about["swapped"] = True
    about |= known_answers(answers, wrong_answers)
    checked = check_settings(settings or {}, kind)
    return header_of(
        SETTINGS,
        title=title_of(title or about["topic"]),
        task=about,
        lineup=_lineup(lineup or {}, checked, kind),
        settings=checked,
        prompts=prompts,
    )


def check_settings(
    wanted: Mapping[str, object], kind: str = "question"
) -> dict[str, Any]:
    """Return all settings: the given ones over the defaults.

    At level 0, `negative` is always `unprompted`, because all debaters are to agree.

    Raises: BadInput.
    """
    made = SETTINGS.over_defaults(wanted, kind)
    if made["level"] == 0:
        return made | {"negative": "unprompted"}
    return made


def _evidence(given: Sequence[Reference]) -> list[dict[str, Any]]:
    """Return number, title and text of each piece. Other fields are not copied."""
    if sum(len(one.text) for one in given) > LONGEST_TOPIC:
        raise bad_input("wrong.debate.evidence", most=LONGEST_TOPIC)
    return [{"n": one.n, "title": one.title, "text": one.text} for one in given]


def _lineup(
    given: Mapping[str, Seat], settings: Mapping[str, object], kind: str
) -> dict[str, Seat]:
    check_roles(SETTINGS, given, ROLES)
    needed = roles_needed(settings, kind)
    surplus = [role for role in given if role in DEBATERS and role not in needed]
    if surplus:
        if settings["control"] != "none":
            raise bad_input(
                "wrong.debate.no_seat_in_control",
                surplus=surplus[0],
                control=settings["control"],
            )
        raise bad_input(
            "wrong.debate.no_seat", surplus=surplus[0], settings=settings["debaters"]
        )
    seats = {
        role: given.get(role) or Seat(model="script")
        for role in needed
        if role != "baseline"
    }
    return seats | {
        role: given[role] for role in ("observer", "baseline") if role in given
    }


def seats(
    config: Config,
    settings: Mapping[str, object],
    kind: str = "question",
    models: Sequence[str] = (),
    params: Sequence[str] = (),
) -> dict[str, Seat]:
    """Return role to seat, as `models.seating` does.

    Configured debaters that this debate does not have are skipped.

    If the disagreement is rated (`stance`), a language model named for all roles is
    also the observer. Otherwise the observer must be named. The baseline stays empty
    unless it is named: then the affirmative's model answers.

    Raises: BadInput.
    """
    wanted = check_settings(settings, kind)
    needed = [role for role in roles_needed(wanted, kind) if role != "baseline"]
    spare = [role for role in DEBATERS if role not in needed]
    rated = (
        ["observer"]
        if wanted["disagreement"] == "stance" and wanted["control"] == "none"
        else []
    )
    return seated(
        SETTINGS, config, ROLES, needed, models, params, spare=spare, optional=rated
    )


def begin(wanted: Wishes, starter: Starter) -> Header:
    """Return the header of a new debate.

    The task has the fields of `new_debate`: topic, answers, wrong_answers, evidence,
    defended.

    Raises: BadInput.
    """
    topic, kind = wanted.task.get("topic", ""), wanted.get("kind") or "question"
    settings = starter.settings(wanted)
    control = str(settings.get("control", "none"))
    lineup = seats(
        starter.config, settings, kind, wanted.listed("model"), wanted.listed("param")
    )
    if wanted.get("swap"):
        raise bad_input("wrong.debate.swap_of_batch")
    if wanted.get("swapped"):
        lineup = _swapped(lineup, control)
    return new_debate(
        **wanted.task,
        kind=kind,
        source_lang=wanted.get("source"),
        target_lang=wanted.get("target"),
        lineup=lineup,
        settings=settings,
        prompts=_prompts(topic, kind, control, starter, starter.wanted_prompts(wanted)),
        swapped=bool(wanted.get("swapped")),
    )


def _swapped(lineup: dict[str, Seat], control: str) -> dict[str, Seat]:
    """Return the seats with the two sides exchanged.

    Raises: BadInput unless there are two sides.
    """
    if control != "none":
        raise bad_input("wrong.debate.swap_of_two", control=control)
    return {
        **lineup,
        "affirmative": lineup["negative"],
        "negative": lineup["affirmative"],
    }


def _prompts(
    topic: str, kind: str, control: str, starter: Starter, wanted: str | None
) -> PromptSet:
    """Return the prompts of a debate, some replaced by those of a control.

    If the set lacks them, those of the language are used.
    """
    places = starter.places.prompts
    chosen = prompt_set_for(topic, kind, wanted, places)
    base = starter.prompts(chosen, SETTINGS)
    if control == "none":
        return base
    own = (
        chosen
        if has_file(chosen, places, workspace="controls")
        else prompt_set_for(topic, kind)
    )
    return with_templates(
        base,
        load(own, places, workspace="controls").templates[control.replace("-", "_")],
    )


def example(number: int | None = None) -> Wishes:
    """Return the options for a bundled example topic with the built-in script. Without
    a number, the first question in the language of the interface.
    """
    topics = example_topics()
    one = (
        topics[number]
        if number is not None
        else next(
            topic
            for topic in topics
            if prompt_set_for(topic.topic, topic.kind) == language()
        )
    )
    languages = (
        {"source": one.source, "target": one.target}
        if one.source and one.target
        else {}
    )
    return wishes(
        "debate", {"kind": one.kind, **languages, "model": NAME}, topic=one.topic
    )


def debate(
    topic: str, *, evidence: Sequence[str | Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """Run a debate of a question, or of a translation with `kind="translation"`, to its
    end.

    `evidence`: passages that both sides can cite, texts or objects with `title` and
    `text`. `options`: those of `verifytui debate`, such as `level=3`, `rounds=5`.
    Without a model, the script speaks; it has only the bundled topics.
    """
    task: dict[str, object] = {"topic": topic}
    if evidence:
        from ..retrieval.given_references import references_from

        task["evidence"] = references_from(list(evidence), t("wrong.cases.evidence"))
    return task


class DebateMethod(Method):
    """Multi-Agent Debate (Liang et al. 2023)."""

    name = "debate"
    roles = ROLES
    call = staticmethod(debate)

    def engine(
        self, header: Header, tools: Tools | None = None
    ) -> MethodEngine[DebateStep]:
        from .engine import DEBATE_ENGINE

        return DEBATE_ENGINE

    def builtins(self, header: Header, tools: Tools) -> dict[str, Model]:
        from .script import DebateScript

        return {"script": DebateScript()}

    def unscripted(self, header: Header) -> str | None:
        from ..topic import unscripted
        from .script import example_of

        if header.settings.get("control", "none") != "none":
            return t("wrong.script.control")
        return unscripted(header, example_of)

    def upcoming(
        self, session: Session, tools: Tools | None = None
    ) -> DebateStep | None:
        return upcoming(session)

    def edited(self, session: Session, event: Event, text: str) -> Event | None:
        from .rounds import edited_speech

        return edited_speech(event, text) if isinstance(event, Speech) else None

    def roles_of(self, session: Session) -> list[str]:
        needed = roles_needed(
            {
                name: setting(session, name)
                for name in ("debaters", "opening", "control")
            }
        )
        asked = [
            role for role in needed if role != "baseline" or defended(session) is None
        ]
        if observed(session):
            return [*asked, "observer"]
        return asked

    def empty_seats(self, session: Session) -> list[str]:
        rated = (
            setting(session, "disagreement") == "stance"
            and setting(session, "control") == "none"
        )
        if rated and not observed(session):
            return ["observer"]
        return []

    def ends_part(self, event: Event) -> bool:
        return isinstance(event, Verdict)

    def progress(self, session: Session, tools: Tools | None = None) -> tuple[int, int]:
        last = next(
            (
                part
                for event in reversed(session.events)
                if (part := getattr(event, "round", None))
            ),
            0,
        )
        step = upcoming(session)
        return max(step.round if step is not None else 0, last), setting(
            session, "rounds"
        )

    def recorded(self, path: Path) -> Iterator[tuple[Header, list[Event]]]:
        """The debates of the MAD repository. Raises: BadInput."""
        from .importer import import_debates

        return import_debates(path)

    def recomputed_result(self, session: Session) -> DebateResult:
        from .engine import decided

        return decided(session)


METHOD = DebateMethod()
