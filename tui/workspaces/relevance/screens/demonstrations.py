"""Browses demonstration sets, and makes a demonstration from a judged pair.

Shows the matches for the current case in each stage, with their scores.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from msgspec import structs
from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from .....engines.cases.task import text_of
from .....engines.relevance.engine import RelevanceEngine
from .....engines.relevance.matching import DemonstrationPool, joined
from .....engines.relevance.plan import KINDS, STAGES, Kind, RelevanceState, setting
from .....engines.relevance.rendered_demonstrations import LETTERS
from .....engines.threads import in_thread
from .....prompts.demonstrations import (
    DemonstrationCase,
    DemonstrationFact,
    DemonstrationSet,
    LegalFact,
)
from .....sessions.errors import BadInput
from .....sessions.events.relevance import DemonstrationItem, Stage
from .....sessions.session import Session
from .....texts import t
from ....screens.edit import EditScreen
from ....screens.export import ask_export
from ....screens.filtering import FilteredSheet
from ....screens.sheet import LazyLine, Pages, RowList
from ....showing import clean, clean_line
from ....title_columns import fit
from ....widgets.hits import HitText, show_hit, wanted
from ..drafts import demonstration_set, sets
from ..wording import Parts

ALL = {"shots": 1_000_000, "relevant_shots": 1_000_000, "irrelevant_shots": 1_000_000}
SHORT = 12
"""Columns below which the shared words are left out."""


class MatchedSet(NamedTuple):
    """A set, and its demonstrations for a stage of the case in hand, best first."""

    pool: DemonstrationPool
    about: DemonstrationSet
    items: list[DemonstrationItem]
    chosen: set[str]


class DemonstrationsScreen(FilteredSheet[None]):
    """Browses sets next to a candidate of a session."""

    DEFAULT_CSS = """
    DemonstrationsScreen {
        #about-set { height: auto; color: $quiet; margin-bottom: 1; }
        RowList, RowList:focus { height: 2fr; }
        Pages { height: 3fr; margin-top: 1; }
        Pages > Static { height: auto; }
    }
    """
    BINDINGS = [
        Binding("right", "stage(1)", priority=True),
        Binding("left", "stage(-1)", priority=True),
        ("C", "set"),
        ("e", "write"),
        ("s", "export"),
        ("tab", "app.focus_next"),
    ]
    KEYS = {
        "j k": "help.move",
        "left right": "relevance.demos_next_stage",
        "C": "relevance.demos_next_set",
        "e": "relevance.demos_write",
        "s": "action.export",
        "tab": "relevance.demos_open",
    }
    AUTO_FOCUS = "RowList"
    tall = True

    def __init__(
        self,
        session: Session,
        fold: RelevanceState,
        candidate: str,
        annotator: str,
        engine: RelevanceEngine,
    ) -> None:
        """`annotator`: whose labels are the user's own."""
        super().__init__()
        self._annotator = annotator
        self._session, self._fold, self._candidate, self._engine = (
            session,
            fold,
            candidate,
            engine,
        )
        self._stage: Stage = STAGES[0]
        self._set_name: str = str(setting(session, "demonstrations"))
        self._found: MatchedSet | None = None
        self._shown: list[DemonstrationItem] = []

    def heading(self) -> str:
        return t("relevance.demos_title", name=self._set_name)

    def body(self) -> ComposeResult:
        yield Static("", id="about-set", markup=False)
        yield RowList()
        with Pages():
            yield HitText("", id="demonstration", markup=False)
        yield Static("", id="note", markup=False)

    def on_mount(self) -> None:
        self._load()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Leaves the arrows to a line that is typed in."""
        return action != "stage" or not isinstance(self.focused, Input)

    def action_stage(self, by: int) -> None:
        self._stage = STAGES[(STAGES.index(self._stage) + by) % len(STAGES)]
        self._load()

    def action_set(self) -> None:
        names = sets()
        self._set_name = (
            names[(names.index(self._set_name) + 1) % len(names)]
            if self._set_name in names
            else names[0]
        )
        self._load()

    @work(group="demonstrations", exclusive=True, exit_on_error=False)
    async def _load(self) -> None:
        stage, set_name = self._stage, self._set_name
        try:
            found = await in_thread(lambda: self._match(stage, set_name))
        except BadInput as error:
            self._found = None
            self.narrow()
            self.say(str(error))
            return
        self._found = found
        self.say("")
        about = found.about.about
        reviewed = sum(group.reviewed_by is not None for group in found.about.groups)
        told = t(
            "relevance.demos_about",
            n=len(found.about.groups),
            language=about.language,
            law=about.law,
            reviewed=reviewed,
        )
        head = f"{clean_line(told)}\n{_stage_name(stage)}: {t('relevance.demos_why')}"
        self.query_one("#about-set", Static).update(Content(head))
        self.query_one("#title", Static).update(
            Content(clean_line(t("relevance.demos_title", name=set_name)))
        )
        self.narrow()

    def narrow(self) -> None:
        items = self._found.items if self._found is not None else []
        self._shown = [
            one
            for one in items
            if not self.typed or self.wanted(one.id, self._item_text(one).plain)
        ]
        lines = [LazyLine(partial(self._row, one)) for one in self._shown]
        self.query_one(RowList).show(lines)
        if not lines:
            self.query_one("#demonstration", Static).update("")

    def _match(self, stage: Stage, name: str) -> MatchedSet:
        """May take a moment."""
        own = name == setting(self._session, "demonstrations")
        about = demonstration_set(name)
        pool = self._engine.pool(self._session) if own else DemonstrationPool(about)
        sides = (
            (None, self._candidate)
            if stage.startswith("judgement")
            else (self._candidate,)
        )
        texts = [text_of(self._session, side) for side in sides]
        hand = (
            self._hand(stage, sides)
            if stage != "facts-material" and setting(self._session, "extraction")
            else joined(texts)
        )
        given = {
            one: setting(self._session, one)
            for one in ("matching", "extraction", "seed", *ALL)
        }
        items = pool.match(
            stage,
            hand,
            texts,
            lambda one: {**given, **ALL, "matching": True}[one],
            self._candidate,
        )
        standing = self._fold.candidates[self._candidate]
        event = standing.demonstrations.get(stage) if own else None
        best = (
            sorted(items, key=lambda one: -(one.score or 0.0))
            if stage.startswith("judgement")
            else items
        )
        return MatchedSet(
            pool,
            about,
            best,
            {one.id for one in event.items} if event is not None else set(),
        )

    def _hand(self, stage: Stage, sides: tuple[str | None, ...]) -> str:
        """The facts that a stage starts from."""
        kinds: tuple[Kind, ...] = (
            ("legal", "material") if stage == "judgement-legal" else ("material",)
        )
        parts: list[str] = []
        for kind in kinds:
            for side in sides:
                standing = self._fold.standing(side)
                facts = standing.facts(kind) if standing is not None else None
                parts += [one.text for one in facts.items] if facts is not None else []
        return joined(parts)

    def _row(self, one: DemonstrationItem, width: int) -> Content:
        assert self._found is not None
        rank = self._found.items.index(one) + 1
        case = self._case(one)
        chosen = one.id in self._found.chosen
        mark = ("\u2713 ", "bold $success") if chosen else ("  ", "")
        told = (
            ""
            if one.relevant is None
            else t("relevance.relevant")
            if one.relevant
            else t("relevance.irrelevant")
        )
        about = f"{clean_line(one.id)}  {clean_line(case.charge)}  {told}"
        name = f"{rank:3}  {about}".rstrip()
        room = max(width - cell_len(name) - 4, 0)
        words = fit(clean_line(" ".join(one.words)), room) if room >= SHORT else ""
        return Content.assemble(
            mark,
            (fit(name, width - 2 - (room if words else 0)), "bold" if chosen else ""),
            (words, "$quiet"),
        )

    def _case(self, one: DemonstrationItem) -> DemonstrationCase:
        assert self._found is not None
        pool = self._found.pool
        if one.relevant is None:
            return pool.case(one.id)
        return pool.pair(one.id).candidate

    @on(OptionList.OptionHighlighted)
    def _show(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_index < len(self._shown):
            text = self.query_one("#demonstration", HitText)
            text.update(self._item_text(self._shown[event.option_index]))
            pattern, pages = wanted(self.typed), self.query_one(Pages)
            text.light(pattern)
            pages.scroll_home(animate=False, immediate=True)
            if pattern is not None:
                self.call_after_refresh(show_hit, pages, [text], pattern, 0)

    def _item_text(self, one: DemonstrationItem) -> Content:
        """A demonstration, with the pair it is part of."""
        found = self._found
        assert found is not None
        parts: Parts = []
        if one.relevant is not None:
            pair = found.pool.pair(one.id)
            parts += _case_told(t("relevance.query"), pair.query)
            parts.append("\n")
            for kind in ("material", "legal"):
                judged = pair.candidate.judged(kind)
                word = (
                    t("relevance.relevant")
                    if judged.relevant
                    else t("relevance.irrelevant")
                )
                parts += [
                    (t(f"relevance.stage_judgement_{kind}") + f"  {word}\n", "bold"),
                    clean(judged.reason) + "\n",
                ]
            parts += [
                "\n",
                (t("relevance.demos_level", n=pair.candidate.level) + "\n", "bold"),
            ]
        parts += _case_told(
            t("relevance.candidate")
            if one.relevant is not None
            else clean_line(one.id),
            self._case(one),
        )
        return Content.assemble(*parts)

    def action_export(self) -> None:
        rows = [structs.asdict(one) for one in self._shown]
        ask_export(self, "demonstrations", self.heading(), rows)

    def action_write(self) -> None:
        self._write()

    @work(group="demonstrations-write", exclusive=True, exit_on_error=False)
    async def _write(self) -> None:
        from ..own_demonstrations import doubts, drafted, level_of, save

        standing = self._fold.candidates[self._candidate]
        level = level_of(standing, self._annotator)
        if level is None:
            self.say(t("relevance.demos_no_level"))
            return
        if standing.facts("legal") is None:
            self.say(t("relevance.demos_unjudged"))
            return
        try:
            text = drafted(self._session, self._fold, self._candidate, level.value)
        except BadInput as error:
            self.say(str(error))
            return
        while True:
            title = t(
                f"relevance.demos_write_{'own' if level.own else 'machine'}",
                level=level.value,
            )
            hint = t("relevance.demos_write_hint")
            written = await self.app.push_screen_wait(
                EditScreen(title=title, text=text, hint=hint)
            )
            if written is None:
                return
            try:
                file, missing = save(written, self._session)
            except BadInput as error:
                self.say(t("relevance.demos_not_saved", why=str(error)))
                text = written
                continue
            told = (
                t("relevance.demos_lacks", what=" ".join(missing[:3]))
                if missing
                else " ".join(
                    [t("relevance.demos_whole"), *doubts(written, self._session)]
                )
            )
            self.say(
                t("relevance.demos_saved", path=str(file), missing=told), warning=False
            )
            return


def _stage_name(stage: Stage) -> str:
    return t(f"relevance.stage_{stage.replace('-', '_')}")


def _case_told(name: str, case: DemonstrationCase) -> Parts:
    """A demonstrated case with its facts."""
    parts: Parts = [
        (f"{name}  {clean_line(case.charge)}\n", "bold"),
        clean(case.text) + "\n",
    ]
    for kind in KINDS:
        parts.append((t(f"relevance.facts_{kind}") + "\n", "$quiet"))
        for number, one in enumerate(case.facts(kind), 1):
            parts.append(f"{LETTERS[kind]}{number} {clean_line(one.fact)}")
            parts.append((_grounds(one) + "\n", "$quiet"))
    return parts


def _grounds(fact: DemonstrationFact) -> str:
    """Format a legal fact's basis, whether it is secondary, and related knowledge."""
    rests = fact.rests_on if isinstance(fact, LegalFact) else []
    told = [", ".join(rests)] if rests else []
    told += (
        [t("relevance.secondary")]
        if isinstance(fact, LegalFact) and fact.secondary
        else []
    )
    told += [fact.why] if fact.why else []
    if told:
        return clean_line(f"  [{'; '.join(told)}]")
    return ""
