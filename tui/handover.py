"""A debate of an answer: the question is its topic, the references are evidence for both sides, the first debater defends the answer."""

from __future__ import annotations

from ..engines.debate.new import check_settings, new_debate, roles_needed
from ..engines.debate.seats import seats
from ..engines.models.config import Config
from ..engines.rag.new import prompt_set_for
from ..engines.rag.plan import Turn, in_force, question
from ..engines.relevance.importers.cases import is_chinese
from ..engines.relevance.plan import text_of
from ..prompts import load
from ..sessions.events import Reference
from ..sessions.paths import paths
from ..sessions.session import Parent
from .begin import draft
from .play import Play
from .texts import catalogue, t
from .words import BUILT_IN


def handed_over(play: Play, turn: Turn, config: Config) -> Play:
    """The draft of the debate. BadInput where the configuration names what cannot be used."""
    asked, answer = question(play.session), turn.answer.answer if turn.answer is not None else None
    evidence = in_force(turn.retrieval)
    prompts = load(prompt_set_for(asked), paths().prompts)
    settings = {"opening": "seeded"}
    needed = [role for role in roles_needed(check_settings(settings)) if role != "baseline"]
    seat = play.view.seat("generator")
    own = config.model or config.lineup.get("debate")
    lineup = seats(config, needed, [] if own or seat.model in BUILT_IN else [seat.name or seat.model])
    header = new_debate(topic=asked, lineup=lineup, settings=settings, prompts=prompts, evidence=evidence, defended=answer)
    header.parent = Parent(id=play.session.header.id, number=play.cursor, why="handover")
    return draft(header)


def pair_handed_over(play: Play, candidate: str, config: Config) -> Play:
    """The draft of a debate about how relevant a candidate is; both cases are evidence. BadInput where the configuration does not fit."""
    cases = {t("relevance.query"): text_of(play.session, None), f"{t('relevance.candidate')} {candidate}": text_of(play.session, candidate)}
    evidence = [Reference(n=number, id=name, title=name, text=text) for number, (name, text) in enumerate(cases.items(), 1)]
    language = "zh" if is_chinese(evidence[0].text) else "en"
    topic = catalogue(language)["relevance.debate_topic"]
    prompts = load(language, paths().prompts)
    settings = {"opening": "free"}
    needed = [role for role in roles_needed(check_settings(settings)) if role != "baseline"]
    seat = play.view.seat("annotator")
    own = config.model or config.lineup.get("debate")
    lineup = seats(config, needed, [] if own or seat.model in BUILT_IN else [seat.name or seat.model])
    header = new_debate(topic=topic, lineup=lineup, settings=settings, prompts=prompts, evidence=evidence)
    header.parent = Parent(id=play.session.header.id, number=play.cursor, why="handover")
    return draft(header)
