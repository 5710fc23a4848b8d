"""The corpora screen: list, add with progress, cancel, search by hand, open, re-index,
delete.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList
from verifytui.engines.models import litellm_loading
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.retrieval.corpus import Corpora
from verifytui.engines.retrieval.home import CorpusFolder
from verifytui.sessions.paths import paths
from verifytui.tests.support.embedding import NAME, Embedder
from verifytui.tests.support.piloting import everything, wait
from verifytui.tests.support.serving import Server
from verifytui.tui.app import VerifyTui
from verifytui.tui.screens.confirm import ConfirmScreen
from verifytui.tui.screens.form import ChoiceField
from verifytui.tui.screens.paths import completed
from verifytui.tui.screens.pick import PickScreen
from verifytui.tui.workspaces.rag.drafts import example_draft
from verifytui.tui.workspaces.rag.screens.corpora import CorporaScreen
from verifytui.tui.workspaces.rag.screens.document import DocumentScreen

pytestmark = pytest.mark.slow


@pytest.fixture
async def pilot(home: Path) -> AsyncIterator[Pilot[None]]:
    app = VerifyTui(Config(), example_draft(Config()))
    async with app.run_test(size=(120, 40)) as made:
        await wait(made, lambda: app.workspace.play is not None)
        await made.press("C")
        await wait(
            made,
            lambda: (
                isinstance(app.screen, CorporaScreen) and names(made) == ["example"]
            ),
        )
        yield made
        assert app.defects == []


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "keeper.txt").write_text(
        "Before that it was dark.\n\nThe lighthouse keeper was Amalia "
        "Brand.\n\nAfter that it was not.",
        "utf-8",
    )
    (folder / "zh.md").write_text(
        "# 灯塔\n\n灯塔的看守人叫林小海，他在那里住了三十年。", "utf-8"
    )
    (folder / "bad.txt").write_bytes(b"\x00\x01\x02\xff" * 50)
    return folder


def names(pilot: Pilot[None]) -> list[str]:
    screen = pilot.app.screen
    if isinstance(screen, CorporaScreen):
        return [one.name for one in screen._listed]
    return []


def note(pilot: Pilot[None]) -> str:
    return str(pilot.app.screen.query_one("#note").render())  # type: ignore[attr-defined]


def documents_of(pilot: Pilot[None]) -> tuple[str, int]:
    """Name and size of the corpus under the cursor."""
    screen = pilot.app.screen
    one = screen.chosen if isinstance(screen, CorporaScreen) else None
    if one is not None:
        return (one.name, one.documents)
    return ("", 0)


async def add(pilot: Pilot[None], path: Path) -> None:
    await pilot.press("c")
    pilot.app.screen.query_one("#path", Input).value = str(path)
    await pilot.press("enter", "enter")


async def test_a_folder_is_added_searched_opened_and_deleted(
    pilot: Pilot[None], documents: Path
) -> None:
    await add(pilot, documents)
    await wait(pilot, lambda: names(pilot) == ["example", "papers"])
    assert "Files indexed: 2" in note(pilot)
    assert "bad.txt" in note(pilot)
    assert "zh+en" in everything(pilot.app) or "en+zh" in everything(pilot.app)
    await pilot.press("slash")
    pilot.app.screen.query_one("#query", Input).value = "lighthouse keeper zzz"
    await pilot.press("enter")
    await wait(
        pilot, lambda: pilot.app.screen.query_one("#found", OptionList).option_count > 0
    )
    assert "zzz" in note(pilot)
    await pilot.press("enter")
    await wait(pilot, lambda: isinstance(pilot.app.screen, DocumentScreen))
    shown = "".join(
        str(pilot.app.screen.query_one(f"#{part}").render())
        for part in ("before", "passage", "after")
    )  # type: ignore[attr-defined]
    assert "Amalia Brand" in shown
    await pilot.press("escape", "escape", "D")
    await wait(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
    assert "papers" in everything(pilot.app)
    await pilot.press("y")
    await wait(pilot, lambda: names(pilot) == ["example"])
    assert documents.is_dir()


async def test_bringing_up_to_date_reads_what_changed(
    pilot: Pilot[None], documents: Path
) -> None:
    await add(pilot, documents)
    await wait(pilot, lambda: names(pilot) == ["example", "papers"])
    (documents / "new.txt").write_text("A third document about whales.", "utf-8")
    await pilot.press("t")
    await wait(pilot, lambda: "Files indexed: 1, unchanged: 2" in note(pilot))


async def test_other_files_under_the_same_name_are_added_or_take_the_place(
    pilot: Pilot[None], documents: Path, tmp_path: Path
) -> None:
    await add(pilot, documents)
    await wait(pilot, lambda: names(pilot) == ["example", "papers"])
    kinds = " ".join(str(pilot.app.screen.query_one("#kinds").render()).split())  # type: ignore[attr-defined]
    assert "kind files documents passages words left out .txt 1 1 1" in kinds
    others = tmp_path / "others" / "papers"
    others.mkdir(parents=True)
    (others / "more.txt").write_text(
        "---\nversion: 3\n---\nA third document about whales.", "utf-8"
    )
    for key, count in (("enter", 3), ("down", 1)):
        await add(pilot, others)
        await wait(pilot, lambda: isinstance(pilot.app.screen, PickScreen))
        assert "papers was made from" in everything(pilot.app)
        await pilot.press(*([key] if key == "enter" else [key, "enter"]))
        await wait(
            pilot,
            lambda count=count: (
                isinstance(pilot.app.screen, CorporaScreen)
                and documents_of(pilot) == ("papers", count)
            ),
        )
    await pilot.press("slash")
    pilot.app.screen.query_one("#query", Input).value = "whales"
    for where, told in (
        ("path~*.md", "No document matches the filter."),
        ("size>1", "size"),
    ):
        pilot.app.screen.query_one("#where", Input).value = where
        pilot.app.screen.query_one("#query").focus()
        await pilot.press("enter")
        await wait(pilot, lambda told=told: told in note(pilot))


async def test_a_corpus_that_somebody_builds_says_so(
    pilot: Pilot[None], documents: Path
) -> None:
    await add(pilot, documents)
    await wait(pilot, lambda: names(pilot) == ["example", "papers"])
    await pilot.press("escape", "escape")
    with CorpusFolder(paths().corpora / "papers").lock() as turn:
        turn.tell(120, 2000)
        await pilot.press("C")
        await wait(
            pilot, lambda: "indexing, 120 of 2,000 files" in everything(pilot.app)
        )
    await wait(pilot, lambda: "indexing, 120" not in everything(pilot.app))


async def test_vectors_are_bought_once_the_price_is_known(
    home: Path, documents: Path
) -> None:
    await (
        litellm_loading.ready()
    )  # a pilot waits long for an app beside which something is loaded
    with Server() as server:
        server.says = Embedder(
            {"lighthouse": [1.0, 0.0], "灯塔": [0.9, 0.1]}, [0.0, 1.0]
        )
        await buy_and_search(
            Config(
                models={"mine": NamedModel(model=NAME, api_base=f"{server.url}/v1")}
            ),
            documents,
        )


async def buy_and_search(config: Config, documents: Path) -> None:
    app = VerifyTui(config, example_draft(config))
    Corpora(paths()).build("papers", [documents])
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await pilot.press("C")
        await wait(pilot, lambda: names(pilot) == ["example", "papers"])
        await pilot.press("down")
        assert "no vectors" in everything(app)
        assert not app.screen.query_one("#search").display
        await pilot.press("m")
        app.screen.query_one("#model", Input).value = "mine"
        await pilot.press("enter")
        await wait(pilot, lambda: isinstance(app.screen, ConfirmScreen), 60)
        await wait(
            pilot,
            lambda: (
                "2 of 2 passages" in " ".join(everything(app).replace("▌", " ").split())
            ),
        )
        await pilot.press("y")
        await wait(
            pilot,
            lambda: (
                isinstance(app.screen, CorporaScreen)
                and "2 embedded now" in note(pilot)
            ),
        )
        await wait(pilot, lambda: "vectors by mine" in everything(app))
        await pilot.press("slash")
        app.screen.query_one("#query", Input).value = "lighthouse"
        app.screen.query_one("#search", ChoiceField).value = "hybrid"
        await pilot.press("enter")
        await wait(pilot, lambda: "bm25 1 · dense" in everything(app))
    assert app.defects == []


async def test_the_bundled_corpus_stays(pilot: Pilot[None]) -> None:
    for key in ("D", "t"):
        await pilot.press(key)
        assert "is part of VerifyTUI" in note(pilot)
    assert isinstance(pilot.app.screen, CorporaScreen)


async def test_what_cannot_be_read_in_is_said(
    pilot: Pilot[None], tmp_path: Path
) -> None:
    await add(pilot, tmp_path / "nowhere")
    await wait(pilot, lambda: "nowhere" in note(pilot))
    assert names(pilot) == ["example"]


async def test_reading_in_shows_how_far_it_is_and_can_be_stopped(
    pilot: Pilot[None], documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = threading.Event()
    build = Corpora.build

    def slow(
        self: Corpora,
        name: str,
        sources: Any,
        *,
        progress: Any,
        cancelled: Any,
        **more: Any,
    ) -> Any:
        progress(1, 3, "keeper.txt")
        began.set()
        while not cancelled():
            threading.Event().wait(0.01)
        return build(
            self, name, sources, progress=progress, cancelled=cancelled, **more
        )

    monkeypatch.setattr(Corpora, "build", slow)
    await add(pilot, documents)
    await wait(pilot, began.is_set)
    await wait(pilot, lambda: "1 of 3" in note(pilot))
    pilot.app.screen.query_one("#corpora").focus()
    await pilot.press("x")
    await wait(pilot, lambda: "Stopped. The corpus is unchanged." in note(pilot))
    assert names(pilot) == ["example"]
    await pilot.press("x")
    assert "No corpus is being indexed." in note(pilot)


async def test_leaving_stops_what_is_read_in(
    pilot: Pilot[None], documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()

    def slow(
        self: Corpora,
        name: str,
        sources: Any,
        *,
        progress: Any,
        cancelled: Any,
        **more: Any,
    ) -> Any:
        while not cancelled():
            threading.Event().wait(0.01)
        stopped.set()
        raise RuntimeError("nobody sees this")

    monkeypatch.setattr(Corpora, "build", slow)
    await add(pilot, documents)
    await pilot.press("escape", "escape")
    await wait(pilot, lambda: len(pilot.app.screen_stack) == 1)
    await wait(pilot, stopped.is_set)


async def test_a_corpus_that_cannot_be_opened_says_why(home: Path) -> None:
    broken = paths().corpora / "broken"
    broken.mkdir(parents=True)
    (broken / "meta.json").write_text("{", "utf-8")
    app = VerifyTui(Config(), example_draft(Config()))
    async with app.run_test(size=(120, 40)) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await pilot.press("C")
        await wait(pilot, lambda: names(pilot) == ["example", "broken"])
        await pilot.press("down")
        await wait(
            pilot, lambda: "broken" in str(app.screen.query_one("#detail").render())
        )  # type: ignore[attr-defined]
    assert app.defects == []


def test_paths_are_completed(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "paper.txt").touch()
    (tmp_path / ".hidden").touch()
    (tmp_path / "evil\x1b[2J").touch()
    assert completed(f"{tmp_path}/pap") == f"{tmp_path}/paper.txt"
    assert completed(f"{tmp_path}/papers") is None
    assert completed(f"{tmp_path}/papere") is None
    assert completed(f"{tmp_path}/.h") == f"{tmp_path}/.hidden"
    assert completed(f"{tmp_path}/evil") is None
    assert completed("") is None
    assert completed(f"{tmp_path}/none/x") is None
    assert str(completed(f"{tmp_path}/")).endswith("paper.txt")


@pytest.mark.scale
async def test_a_corpus_on_milvus_says_where_it_lives_and_is_forgotten_not_deleted(
    pilot: Pilot[None],
) -> None:
    from verifytui.scale.milvus.address import KnownCollection, Register

    counts = {
        "passages": 12,
        "documents": 3,
        "languages": "en",
        "words": "bigrams",
        "built": "2026-11-23T04:00:00+00:00",
    }
    Register(paths()).put(
        "papers",
        KnownCollection(
            uri="http://gpu:19530",
            collection="papers",
            host="gpu",
            origin="a",
            **counts,
        ),
    )  # type: ignore[arg-type]
    await pilot.press("escape", "C")
    await wait(pilot, lambda: names(pilot) == ["example", "milvus:papers"])
    await pilot.press("down")
    await wait(
        pilot,
        lambda: "on Milvus: milvus://gpu:19530/papers" in everything(pilot.app),
    )
    for key in ("t", "v"):
        await pilot.press(key)
        await wait(
            pilot,
            lambda: (
                "This corpus is on Milvus. To send changes:" in everything(pilot.app)
                and "verifytui index --name" in everything(pilot.app)
            ),
        )
    await pilot.press("D")
    await wait(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
    assert "Remove the corpus milvus:papers from the list?" in everything(pilot.app)
    await pilot.press("y")
    await wait(pilot, lambda: names(pilot) == ["example"])
