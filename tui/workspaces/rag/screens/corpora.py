"""The corpora screen: list, extend, update, embed, search and delete corpora.

Long work runs in the background.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from .....engines.rag.settings import SETTINGS
from .....engines.retrieval.build import BuildCancelled, OtherSources
from .....engines.retrieval.corpus import EXAMPLE, Corpora, CorpusInfo
from .....engines.retrieval.port import Mode, PassageFilter, RetrievalError
from .....engines.threads import in_thread
from .....sessions.errors import BadInput
from .....sessions.events import Reference
from .....sessions.paths import paths
from .....texts import t
from .....texts.settings import setting_name
from ....screens.form import ChoiceField, field, setting_field
from ....screens.paths import PathSuggester
from ....screens.place import Place
from ....screens.sheet import LazyLine, RowList
from ....showing import clean_line
from .. import corpora_rows
from ..corpora_work import CorporaWork

if TYPE_CHECKING:
    from .....engines.models.config import Config
    from .....engines.retrieval.embedding import EmbeddingPlan

SAMPLE = 5
"""Passages that are shown beside the list."""
MOST = 20
"""Passages that a search by hand shows."""
OPEN = ("add", "vectors", "find", "found", "kinds")
"""What opens below the list."""
LISTING = "corpora-list"
FOLLOW = 1.0
"""Seconds between two looks at a corpus that somebody builds."""


class CorporaScreen(Place):
    """A list, a place to type below it, a line that says what continues."""

    DEFAULT_CSS = """
    CorporaScreen {
        #head { height: 1; color: $quiet; }
        #detail { height: auto; max-height: 5; color: $quiet; margin-top: 1; }
        #add, #vectors, #find, #kinds { height: auto; display: none; margin-top: 1; }
        #found { height: 2fr; display: none; margin-top: 1; }
        #add.shown, #vectors.shown, #find.shown, #kinds.shown, #found.shown {
            display: block;
        }
        #note { max-height: 6; }
        &.-low #title { margin-bottom: 0; }
        &.-low #detail { margin-top: 0; max-height: 2; }
        &.-low #note { max-height: 3; }
        &.-low #found, &.-low #find { margin-top: 0; }
    }
    """
    CRUMB = "place.corpora"
    HEADING = "corpora.title"
    BINDINGS = [
        ("c", "add"),
        ("t", "rebuild"),
        ("m", "vectors"),
        ("D,delete", "delete"),
        ("slash", "find"),
        ("x", "cancel"),
    ]
    KEYS = {
        "c": "corpora.add",
        "t": "corpora.rebuild",
        "m": "corpora.vectors",
        "D": "corpora.delete",
        "/": "corpora.search",
        "x": "corpora.cancel",
    }
    ABOUT = "corpora_about"
    own_search = True
    AUTO_FOCUS = "#corpora"
    previews = True

    def __init__(self, config: Config) -> None:
        super().__init__()
        self._config = config
        self._stand_on = ""
        self._corpora = Corpora(paths())
        self._work = CorporaWork(self._corpora, config)
        self._listed: list[CorpusInfo] = []
        self._found: list[Reference] = []
        self._searched = ""

    def again(self) -> CorporaScreen:
        new = CorporaScreen(self._config)
        new._stand_on = self._stand_on
        return new

    def listing(self) -> list[dict[str, object]]:
        names = ("name", "documents", "passages", "built", "bytes", "problem")
        return [{name: getattr(one, name) for name in names} for one in self._listed]

    def body(self) -> ComposeResult:
        yield Static(LazyLine(corpora_rows.head), id="head")
        yield RowList(id="corpora")
        yield Static("", id="detail", markup=False)
        yield Static("", id="kinds", markup=False)
        with Vertical(id="add"):
            yield field(t("corpora.path"), id="path", placeholder=t("rag.path_how"))
            yield field(t("corpora.name"), id="name", placeholder=t("corpora.name_how"))
        with Vertical(id="vectors"):
            yield field(
                t("corpora.vectors"), id="model", placeholder=t("corpora.vectors_how")
            )
        with Vertical(id="find"):
            yield field(t("corpora.query"), id="query")
            yield field(
                setting_name("where"), id="where", placeholder=t("corpora.where_how")
            )
            yield setting_field(SETTINGS["search"], "bm25")
        yield RowList(id="found")
        yield Static(id="note", markup=False)

    def on_mount(self) -> None:
        self.query_one("#path", Input).suggester = PathSuggester()
        self.say(t("corpora.reading"), warning=False)
        self._list()
        self.set_interval(0.25, self._tell)
        self.set_interval(FOLLOW, self._follow)

    def on_unmount(self) -> None:
        self._work.cancel()

    @property
    def chosen(self) -> CorpusInfo | None:
        at = self.query_one("#corpora", RowList).highlighted
        if at is not None and at < len(self._listed):
            return self._listed[at]
        return None

    # The list

    @work(group=LISTING, exclusive=True, exit_on_error=False)
    async def _list(
        self, said: str | None = "", warning: bool = False, name: str = ""
    ) -> None:
        """Reads the list again; the cursor goes to `name`.

        `said`: what is below it then (None: what is there).
        """
        listed = await in_thread(lambda: list(self._corpora.list(known=said is None)))
        before = name or self._stand_on
        self._listed = listed
        at = next(
            (number for number, one in enumerate(listed) if one.name == before), 0
        )
        self.query_one("#corpora", RowList).show(
            [LazyLine(partial(corpora_rows.row, one)) for one in listed], cursor=at
        )
        if said is not None:
            self.say(said, warning)

    def _follow(self) -> None:
        """Looks again while somebody builds."""
        reading = any(
            worker.group == LISTING and not worker.is_finished
            for worker in self.workers
        )
        if not reading and (
            self._work.busy or any(one.building is not None for one in self._listed)
        ):
            self._list(None)

    @on(OptionList.OptionHighlighted, "#corpora")
    def _detail(self) -> None:
        one = self.chosen
        if one is not None:
            self._stand_on = one.name
            self.query_one("#detail", Static).update(corpora_rows.detail(one))
            self.preview((one.name, one.built), partial(self._sample, one))
            self.query_one("#search", ChoiceField).display = one.dense_whole

    def _sample(self, one: CorpusInfo) -> Content:
        """Some passages of a corpus."""
        return corpora_rows.sample(self._corpora.sample(one, SAMPLE))

    def _own(self) -> CorpusInfo | None:
        """The corpus under the cursor; None, with a message, where it is the bundled
        one.
        """
        one = self.chosen
        if one is None or one.name == EXAMPLE:
            self.say(t("corpora.bundled"))
            return None
        return one

    def _here(self) -> CorpusInfo | None:
        """As `_own`; None, with a message, also where it is on a server."""
        one = self._own()
        if one is not None and one.lives:
            self.say(
                t(
                    "corpora.on_milvus",
                    name=clean_line(one.name.partition(":")[2]),
                    address=clean_line(one.lives),
                )
            )
            return None
        return one

    def _open(self, name: str, first: str) -> None:
        """Opens a place to type below the list."""
        for each in OPEN:
            self.query_one(f"#{each}").set_class(each == name, "shown")
        self.query_one(f"#{first}").focus()

    # Adding and bringing up to date

    def action_add(self) -> None:
        self._open("add", "path")

    def action_rebuild(self) -> None:
        one = self._here()
        if one is not None:
            self._start(one.name, [])

    @on(Input.Submitted, "#path")
    def _path_given(self, event: Input.Submitted) -> None:
        name = self.query_one("#name", Input)
        if not name.value.strip():
            name.value = corpora_rows.name_for(event.value)
        name.focus()

    @on(Input.Submitted, "#name")
    def _name_given(self, event: Input.Submitted) -> None:
        path = self.query_one("#path", Input).value.strip()
        if not path:
            self.say(t("rag.no_path"))
            self.query_one("#path").focus()
            return
        self._start(event.value.strip(), [Path(path).expanduser()])

    def _start(
        self,
        name: str,
        sources: list[Path],
        *,
        add: bool = False,
        replace: bool = False,
    ) -> None:
        if self._work.busy:
            self.say(t("corpora.busy"))
        else:
            self._build(name, sources, add, replace)

    @work(group="corpora-build", exit_on_error=False)
    async def _build(
        self, name: str, sources: list[Path], add: bool, replace: bool
    ) -> None:
        try:
            report = await self._work.build(name, sources, add=add, replace=replace)
        except BuildCancelled:
            said, warning = t("corpora.cancelled"), True
        except OtherSources as error:
            if self.is_attached:
                self._ask_which(name, sources, error)
            return
        except (BadInput, RetrievalError, OSError) as error:
            said, warning = str(error), True
        else:
            said, warning = corpora_rows.report(report)
            if self.is_attached:
                self._fold()
                self.query_one("#kinds", Static).update(
                    corpora_rows.kinds(report.kinds)
                )
                self.query_one("#kinds").add_class("shown")
        if self.is_attached:
            self._list(said, warning, name)

    def _ask_which(self, name: str, sources: list[Path], other: OtherSources) -> None:
        """Ask whether new sources are added to a corpus or replace its sources."""
        from ....screens.pick import PickScreen

        before = ", ".join(str(path) for path in other.before[:3])
        question = t(
            "corpora.other_sources",
            name=clean_line(name),
            before=clean_line(before),
        )

        def answered(at: int | None) -> None:
            if at is None:
                self.say(t("corpora.as_it_was"), warning=False)
            else:
                self._start(name, sources, add=at == 0, replace=at == 1)

        self.app.push_screen(
            PickScreen(question, [t("corpora.add_to_it"), t("corpora.replace_it")]),
            answered,
        )

    def _tell(self) -> None:
        if self._work.doing:
            self.say(self._work.doing, warning=False)

    def action_cancel(self) -> None:
        if self._work.busy:
            self._work.cancel()
        else:
            self.say(t("corpora.nothing_runs"))

    # Vectors

    def action_vectors(self) -> None:
        one = self._here()
        if one is not None:
            self.query_one("#model", Input).value = (
                one.dense.model if one.dense is not None else ""
            )
            self._open("vectors", "model")

    @on(Input.Submitted, "#model")
    def _model_given(self, event: Input.Submitted) -> None:
        one, model = self.chosen, event.value.strip()
        if one is None or one.name == EXAMPLE:
            return
        if self._work.busy:
            self.say(t("corpora.busy"))
        elif model:
            self._plan(one.name, model)
        elif one.dense is not None:
            self._drop(one.name)

    @work(group="corpora-build", exit_on_error=False)
    async def _plan(self, name: str, model: str) -> None:
        """Says what vectors take, and buys them where the user agrees."""
        try:
            plan = await self._work.plan(name, model)
        except (BadInput, RetrievalError, OSError) as error:
            self.say(str(error))
            return
        if plan.missing and not await self._agreed(name, plan):
            self.say(t("corpora.as_it_was"), warning=False)
            return
        await self._buy(name, model)

    async def _agreed(self, name: str, plan: EmbeddingPlan) -> bool:
        from ....screens.confirm import ConfirmScreen

        question = clean_line(plan.describe(name))
        agreed = await self.app.push_screen_wait(
            ConfirmScreen(question, t("corpora.buy"), t("library.bin_no"))
        )
        return bool(agreed)

    async def _buy(self, name: str, model: str) -> None:
        try:
            bought = await self._work.buy(name, model)
        except asyncio.CancelledError:
            if not self.is_attached:
                raise
            said, warning = t("corpora.vectors_stopped"), True
        except (BadInput, RetrievalError, OSError) as error:
            said, warning = str(error), True
        else:
            said, warning = corpora_rows.bought_of(name, bought), False
            self._fold()
        if self.is_attached:
            self._list(said, warning, name)

    @work(group="corpora-build", exit_on_error=False)
    async def _drop(self, name: str) -> None:
        try:
            await self._work.drop(name)
        except (BadInput, RetrievalError, OSError) as error:
            self._list(str(error), True)
        else:
            self._fold()
            self._list(t("report.dense.dropped", name=clean_line(name)))

    # Deleting

    def action_delete(self) -> None:
        from ....screens.confirm import ConfirmScreen

        one = self._own()
        if one is None:
            return
        question = t(
            "corpora.forget_question" if one.lives else "corpora.delete_question",
            name=clean_line(one.name),
        )

        def answered(sure: bool | None) -> None:
            if sure:
                self._delete(one.name)

        self.app.push_screen(
            ConfirmScreen(question, t("corpora.delete"), t("library.bin_no")), answered
        )

    @work(group="corpora-build", exit_on_error=False)
    async def _delete(self, name: str) -> None:
        try:
            await in_thread(lambda: self._corpora.delete(name))
        except (BadInput, OSError) as error:
            self._list(str(error), True)
        else:
            self._list(t("corpora.deleted", name=clean_line(name)))

    # Searching by hand

    def action_find(self) -> None:
        self._open("find", "query")

    @on(Input.Submitted, "#query")
    @on(Input.Submitted, "#where")
    @on(ChoiceField.Submitted)
    def _query_given(self) -> None:
        one, query = self.chosen, self.query_one("#query", Input).value
        if one is not None and query.strip():
            mode = (
                cast(Mode, self.query_one("#search", ChoiceField).value)
                if one.dense_whole
                else "bm25"
            )
            self._search(
                one.name,
                query,
                PassageFilter(self.query_one("#where", Input).value.strip(), mode=mode),
            )

    @work(group="corpora-search", exclusive=True, exit_on_error=False)
    async def _search(self, name: str, query: str, wanted: PassageFilter) -> None:
        try:
            found = await self._work.search(name, query, MOST, wanted)
        except RetrievalError as error:
            self.say(str(error))
            return
        self._found, self._searched = found.references, name
        rows = self.query_one("#found", RowList)
        rows.add_class("shown")
        rows.show([corpora_rows.found_row(one) for one in self._found])
        self.say(corpora_rows.said_of(found), warning=not found.references)
        if self._found:
            rows.focus()

    @on(OptionList.OptionSelected, "#found")
    async def _read(self, event: OptionList.OptionSelected) -> None:
        from .document import DocumentScreen

        reference = self._found[event.option_index]
        text, why = await self._work.around(self._searched, reference)
        self.app.push_screen(DocumentScreen(reference, text, why))

    # Leaving

    def _fold(self) -> None:
        for name in OPEN:
            self.query_one(f"#{name}").remove_class("shown")
        for name in ("path", "name", "query", "where", "model"):
            self.query_one(f"#{name}", Input).value = ""
        self.query_one("#corpora").focus()

    def action_leave(self) -> None:
        """First out of what is open below the list, then out of the screen; what is
        being read in goes on only while the screen is open.
        """
        if any(self.query_one(f"#{name}").has_class("shown") for name in OPEN):
            self._fold()
        else:
            self.dismiss(None)
