"""Text that is markup, escape sequences or a trick, through everything that shows text.

Nothing breaks, nothing but text reaches the terminal, and nothing that was said is
missing.
"""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.models.port import ModelRemark, Waiting
from verifytui.engines.rag.starting import new_question
from verifytui.engines.relevance.starting import new_relevance
from verifytui.engines.starting import wishes
from verifytui.prompts import load
from verifytui.prompts.demonstrations import load as load_set
from verifytui.sessions.clean import clean
from verifytui.sessions.events import Change, Event, Failure, Note, Reference, Result
from verifytui.sessions.events.debate import (
    Baseline,
    Candidates,
    DebateResult,
    Speech,
    Stance,
    Verdict,
)
from verifytui.sessions.events.rag import (
    Check,
    Clause,
    Decision,
    RagAnswer,
    Retrieval,
    Sentence,
    Verification,
)
from verifytui.sessions.events.relevance import (
    DemonstrationItem,
    Demonstrations,
    FactItem,
    Facts,
    Judgement,
    Label,
    Score,
)
from verifytui.sessions.journal import Journal
from verifytui.sessions.session import Header, Seat
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.piloting import everything, header, press, recorded, wait
from verifytui.texts import set_language
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play
from verifytui.tui.screens.compare import CompareScreen
from verifytui.tui.screens.confirm import ConfirmScreen
from verifytui.tui.screens.edit import EditScreen
from verifytui.tui.screens.library import LibraryScreen
from verifytui.tui.screens.lineup import LineupScreen
from verifytui.tui.screens.pick import PickScreen
from verifytui.tui.screens.raw import RawScreen
from verifytui.tui.widgets.event_view import LiveEntry
from verifytui.tui.workspaces.drafts import draft
from verifytui.tui.workspaces.rag.screens.document import DocumentScreen
from verifytui.tui.workspaces.relevance.screens.agreement import AgreementScreen
from verifytui.tui.workspaces.relevance.widgets.case_pane import CasePane

pytestmark = pytest.mark.slow

PLAIN = (
    "[/x] shut",
    "[a=b] pair",
    "[@click=app.quit]x[/]",
    "[red]not red[/red]",
    "[link=file:///etc/passwd]y[/link]",
    "2*3*4",
    "x<y>z",
    "见[1]、[/]",
    "&amp; &#65;",
    "> 2 m/s",
    r"\[x\] \* \_",
    "~~a~~ __init__ _b_",
    "http://x.y/?a=[b]&c=d",
    "![alt](http://x.y/p.png) [t](u)",
    "{0} {name} {{}} %s %(x)s $x ${y}",
    "$error $(id)",
    "<b>fat</b><!-- gone? -->",
    "[bold",
    "]]]]",
    ":smile: :warning:",
    "a\\",
    "吃掉敌人一个师。é 🙂",
)
"""Every visible character of these is shown as it stands."""

TRICKS = (
    "\x1b[31mred\x1b[0m\x1b[2J\x1b[1;1H",
    "\x1b]52;c;aGk=\x07",
    "\x1b]8;;http://x.y\x1b\\here\x1b]8;;\x1b\\",
    "\x1bP1$q\x1b\\ \x1b_x\x1b\\ \x1bc",
    "\x9b2J\x9d52;c;aGk=\x9c \x90q\x9c",
    "\u202egnp.exe \u2066\u2067\u2069 \u200f\u061c",
    "a\u200bb\u200dc\ufeffd",
    "nul\x00 bel\x07 back\x08 del\x7f so\x0e shift\x0f",
    "one\rtwo\r\nthree\x0bfour\x0cfive\x85six\u2028seven\u2029",
    "tab\tand\ttab",
    "\ud800 alone \udfff",
    "e" + "\u0301" * 300,
    "",
    " \n\n ",
    "```\nopen fence [/x]",
    "| a | b |\n|---|---|\n| [/x] | $y |",
    "# [/x]\n\n- [a=b]\n\n1. [/]\n\n---",
)
"""Of these nothing but text may be left."""

LONG = (
    "[" * 100_000,
    "]" * 100_000,
    "[" * 50_000 + "]" * 50_000,
    "(" * 100_000,
    "[a](" * 25_000,
)

BOTH = (*PLAIN, *TRICKS)

BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@pytest.fixture(autouse=True)
def _english() -> None:
    set_language("en")


@pytest.fixture
async def pilot(home: Path) -> AsyncIterator[Pilot[None]]:
    """The app, wide and high enough to show an entry whole."""
    app = VerifyTui(Config())
    async with app.run_test(size=(160, 50), notifications=True) as made:
        await wait(made, lambda: app.workspace.play is not None)
        yield made
        assert app.defects == []


def harmless(app: Any) -> str:
    """What is on screen, once it is sure that all of it is text."""
    text = everything(app)
    bad = {
        char
        for char in text
        if char != "\n" and (unicodedata.category(char) in ("Cc", "Cs") or char in BIDI)
    }
    assert not bad, sorted(map(ascii, bad))
    return text


async def see(
    pilot: Pilot[None],
    *happened: Event,
    says: Iterable[str] = (),
    times: int = 1,
    made: Header | None = None,
) -> str:
    """The screen on a debate in which this has happened; it must say each of `says` so
    many times, if that is a plain text.
    """
    app: VerifyTui = pilot.app  # type: ignore[assignment]
    await app.workspace.open(recorded(made or header("A topic"), list(happened)))
    await settle(
        pilot,
        "LIVE" if not happened else "┃" if isinstance(happened[-1], Result) else "▌",
    )
    for text in says:
        if text in PLAIN:
            await settle(pilot, text, times)
    assert app.defects == []
    return harmless(app)


async def settle(pilot: Pilot[None], text: str, times: int = 1) -> None:
    """Until the text is shown; fails if it never is."""
    for _ in range(500):
        if everything(pilot.app).count(whole(text)) >= times:
            return
        await pilot.pause(0.01)
    raise AssertionError(f"not on the screen: {text!r}")


def groups() -> list[tuple[str, ...]]:
    """All texts, as many at a time as the screen shows."""
    return list(batched(PLAIN)) + list(batched(TRICKS))


def batched(texts: tuple[str, ...], size: int = 6) -> Iterator[tuple[str, ...]]:
    return (texts[at : at + size] for at in range(0, len(texts), size))


def whole(text: str) -> str:
    """One line of a text, as it must stand on screen."""
    return clean(text, newlines=False)


def kinds(text: str) -> dict[str, Event]:
    """Every event that shows somebody's words, holding these."""
    made: dict[str, Any] = {"model": "m", "text": text}
    return {
        "speech": Speech(role="affirmative", round=1, **made),
        "speech and answer": Speech(
            role="negative",
            round=1,
            model="m",
            text=f"Because.\n\nAnswer: {text}",
            answer=text,
        ),
        "baseline": Baseline(role="baseline", answer=text, read="json", **made),
        "reason": Verdict(
            role="judge",
            round=1,
            mode="discriminative",
            model="m",
            text="{}",
            reason=text,
            read="json",
        ),
        "verdict's answer": Verdict(
            role="judge",
            round=1,
            mode="extractive",
            preference=True,
            supported_side="tie",
            model="m",
            text="{}",
            answer=text,
            read="json",
        ),
        "unread verdict": Verdict(role="judge", round=1, mode="discriminative", **made),
        "candidates": Candidates(
            role="judge", round=1, model="m", text="[]", items=[text, text], read="json"
        ),
        "unread candidates": Candidates(role="judge", round=1, **made),
        "stance": Stance(role="observer", round=1, **made),
        "failure": Failure(role="affirmative", kind="server", message=text, model="m"),
        "note": Note(text=text),
        "result": DebateResult(answer=text, decided_by="extractive", rounds=1),
    }


@pytest.mark.parametrize("kind", list(kinds("")))
async def test_words_of_events(pilot: Pilot[None], kind: str) -> None:
    for texts in groups():
        await see(pilot, *(kinds(text)[kind] for text in texts), says=texts)


@pytest.mark.parametrize("text", LONG, ids=["open", "shut", "nested", "round", "links"])
async def test_a_hundred_thousand_brackets(pilot: Pilot[None], text: str) -> None:
    for kind in ("speech", "reason", "failure", "unread verdict"):
        await see(pilot, kinds(text)[kind])
        await settle(pilot, text[:20])


@pytest.mark.parametrize("unfold", [False, True])
async def test_reasoning(pilot: Pilot[None], unfold: bool) -> None:
    if unfold:
        await press(pilot, "z")
    for texts in groups():
        thought = [
            Speech(role="affirmative", round=1, text="So.", reasoning=f"so {text}")
            for text in texts
        ]
        await see(pilot, *thought, says=texts if unfold else ())


async def test_names_of_models_and_roles_and_what_the_provider_says_of_itself(
    pilot: Pilot[None],
) -> None:
    for texts in groups():
        spoken = [
            Speech(
                role="negative",
                round=1,
                model=text,
                text="So.",
                finish=text,
                dropped=[text],
                attempts=2,
                seconds=0.1,
            )
            for text in texts
        ]
        await see(
            pilot,
            *spoken,
            says=texts,
            times=3,
            made=header("A topic", affirmative=texts[0] or "m"),
        )
        said = [Speech(round=1, role=text, model=text, text="So.") for text in texts]
        failed = [Failure(role=text, kind=text, message="x") for text in texts]
        decided = DebateResult(
            answer="1",
            decided_by="extractive",
            supported_side=texts[-1],
            side_by="judge",
            rounds=1,
        )
        await see(pilot, *said, says=texts, times=2)
        await see(pilot, *failed, decided, says=texts)


async def test_changes(pilot: Pilot[None]) -> None:
    for texts in groups():
        await see(
            pilot,
            *(
                Change(field=f"settings.{text}", old=text, new={"a": text})
                for text in texts
            ),
            says=texts,
            times=2,
        )
        await see(pilot, *(Change(field=text, old=[text], new=None) for text in texts))
        await see(
            pilot,
            *(
                Change(
                    field="lineup.judge", old={"model": "m"}, new={"model": text or "m"}
                )
                for text in texts
            ),
            says=texts,
        )


async def test_titles_and_topics(pilot: Pilot[None]) -> None:
    for text in (*BOTH, "[" * 100_000):
        made = header("A topic", affirmative="m")
        made.task["topic"], made.title = text, text
        await see(pilot, made=made, says=[text], times=2)


async def test_a_name_that_the_user_gave_a_model(pilot: Pilot[None]) -> None:
    for text in BOTH:
        made = header("A topic")
        made.lineup = {
            role: Seat(model="openai/x", name=text or "n", params={"stop": text})
            for role in made.lineup
        }
        await see(
            pilot, Speech(role="affirmative", round=1, text="So.", model="m"), made=made
        )
        if text in PLAIN:
            await settle(pilot, text[:12])


async def test_messages_at_the_corner(pilot: Pilot[None]) -> None:
    app: VerifyTui = pilot.app  # type: ignore[assignment]
    for number, text in enumerate(BOTH):
        app.clear_notifications()
        app.say(f"so{number} {text}", "error")
        await settle(
            pilot, f"so{number} {whole(text) if text in PLAIN else ''}".strip()
        )
        harmless(app)


async def test_what_streams_in(pilot: Pilot[None]) -> None:
    """Deltas, a reasoning that streams, and what a failed attempt said."""
    app: VerifyTui = pilot.app  # type: ignore[assignment]
    transcript = await app.workspace.transcript()
    for text in BOTH:
        await transcript.begin(
            "affirmative", "m", partial("it waits: {}".format, clean(text))
        )
        transcript.feed(text, reasoning=True)
        for piece in [*text[:40], text[40:]]:
            transcript.feed(piece)
        transcript.feed(" \n\nThe end")
        await settle(pilot, "The end")
        seen = harmless(app)
        assert text not in PLAIN or seen.count(whole(text)) >= 2, text
    await transcript.end_live()


@pytest.mark.parametrize("texts", [PLAIN, TRICKS], ids=["plain", "tricks"])
async def test_screens_over_the_app(pilot: Pilot[None], texts: tuple[str, ...]) -> None:
    """Raw reply, editor, line-up, side by side, a question, search: on a session that
    is hostile everywhere.
    """
    app: VerifyTui = pilot.app  # type: ignore[assignment]
    text = "\n".join(texts)

    def all_there(seen: str) -> bool:
        return texts is not PLAIN or all(whole(each) in seen for each in texts)

    made = header(text, affirmative=whole(text))
    spoken = Speech(
        role="affirmative",
        round=1,
        text=text,
        reasoning=text,
        model=text,
        answer=text,
        finish=text,
    )
    play = recorded(made, [spoken], app.library.new_path(text))
    await app.workspace.open(play)
    for key, screen, keys in (
        ("v", RawScreen, ["3"]),
        ("e", EditScreen, ["ctrl+home"]),
        ("m", LineupScreen, []),
    ):
        await pilot.press(key)
        await wait(pilot, lambda screen=screen: isinstance(app.screen, screen))
        await pilot.press(*keys)
        await pilot.pause()
        assert all_there(harmless(app)) or key == "m", key
        await pilot.press("escape")
    await app.push_screen(CompareScreen(play.session, play.session.prefix(0)))
    await wait(pilot, lambda: texts[0] in everything(app) or texts is TRICKS)
    harmless(app)
    await pilot.press("escape")
    await app.push_screen(ConfirmScreen(text, texts[0], texts[1]))
    assert all_there(harmless(app))
    await pilot.press("escape", "slash", *"gone", "enter")
    await wait(
        pilot, lambda: "1 of " in everything(app) or "not found" in everything(app)
    )
    harmless(app)


@pytest.mark.parametrize("texts", [PLAIN, TRICKS], ids=["plain", "tricks"])
async def test_titles_in_the_library(
    pilot: Pilot[None], texts: tuple[str, ...]
) -> None:
    app: VerifyTui = pilot.app  # type: ignore[assignment]
    for text in texts:
        made = header("A topic", affirmative=text or "m")
        made.title = text
        done = DebateResult(answer=text, decided_by="extractive", rounds=1)
        recorded(made, [done], app.library.new_path(text)).close()
    await pilot.press("o")
    await wait(
        pilot,
        lambda: (
            isinstance(app.screen, LibraryScreen)
            and whole(texts[0])[:12] in everything(app)
        ),
    )
    seen = harmless(app)
    assert texts is not PLAIN or all(whole(text)[:12] in seen for text in texts)


async def test_a_server_that_sends_tricks(home: Path, loopback: Loopback) -> None:
    """The whole way: HTTP, LiteLLM, engine, file, screen."""
    text = "\n\n".join(BOTH[:-1]).encode("utf-8", "replace").decode()
    answers = [
        Answer(status=500, error=text),
        Answer(text=text, reasoning=text, chunks=list(text), finish="stop"),
        Answer(text="Said.\n\nAnswer: [/x]"),
        Answer(
            text='{"preference": true, "supported_side": "negative", "reason": "[/x] '
            '\\u001b[2J", "answer": "[@click=app.quit]9[/]"}'
        ),
    ]
    loopback.answer = lambda body: answers.pop(0) if len(answers) > 1 else answers[0]
    config = Config(
        models={"here": NamedModel(model="openai/[test]", api_base=loopback.base_url)},
        model="here",
        retries=0,
    )
    app = VerifyTui(
        config, draft(wishes("debate", {"rounds": 1}, topic="How [/fast]?"), config)
    )
    async with app.run_test(size=(160, 50), notifications=True) as pilot:
        await wait(pilot, lambda: app.workspace.play is not None)
        await press(pilot, "space")
        harmless(app)
        await press(pilot, "t")
        harmless(app)
        await press(pilot, "r")
        seen = harmless(app)
        assert "[@click=app.quit]9[/]" in seen
        play = app.workspace.play
        assert play is not None
        assert [type(event).__name__ for event in play.session.events] == [
            "Failure",
            "Speech",
            "Speech",
            "Verdict",
            "DebateResult",
        ]
        await press(pilot, "2", "1")
        assert "[red]not red[/red]" in harmless(app) or app.query("Transcript")
        assert not app.query(LiveEntry)
        assert app.defects == []


async def test_what_the_desk_remarks(pilot: Pilot[None]) -> None:
    """A remark and a failed attempt reach the screen as text."""
    app: VerifyTui = pilot.app  # type: ignore[assignment]

    class Talks:
        async def ask(self, *_: object, **__: object) -> AsyncIterator[Any]:
            for number, text in enumerate(BOTH):
                yield ModelRemark("affirmative", "remote-host", f"re{number} {text}")
                yield Waiting("affirmative", 1, 1, "server", f"wa{number} {text}")
                for mark in (f"re{number}", f"wa{number}"):
                    await settle(
                        pilot, f"{mark} {whole(text) if text in PLAIN else ''}".strip()
                    )
                app.clear_notifications()
                seen.append(harmless(app))
            raise RuntimeError("done")

        def spent(self) -> None:
            return None

    seen: list[str] = []
    await app.workspace.open(recorded(header("A topic"), []))
    app.workspace.runner.desk = Talks()  # type: ignore[assignment]
    await pilot.press("space")
    await wait(pilot, lambda: len(seen) == len(BOTH), 60)
    await wait(pilot, lambda: not app.workspace.running)
    app.defects.clear()


# Questions over references


def asked(text: str) -> Header:
    words = text.strip() or "x"
    references = [Reference(n=1, id=text, title=words, text=words, file=text)]
    lineup = {"generator": Seat(model="openai/x", name=words)}
    return new_question(
        question=words,
        references=references,
        lineup=lineup,
        prompts=load("en", workspace="rag"),
    )


def question(text: str) -> list[Event]:
    """An iteration in which everybody says the same."""
    words = text.strip() or "x"
    reference = Reference(
        n=1,
        id="a",
        title=words,
        file=words,
        start=0,
        end=1,
        score=1.0,
        text=words,
        flags=["instructions", words],
    )
    return [
        Retrieval(
            iteration=1,
            query=words,
            references=[reference],
            unknown=[words],
            message=words,
            retriever=words,
        ),
        RagAnswer(
            role="generator",
            model=words,
            iteration=1,
            text=words,
            answer=words,
            citations=[1, 99],
            finish=words,
        ),
        Check(
            iteration=1,
            sentences=[Sentence(text=words, citations=[1], support=0.5)],
            unknown=[99],
            empty=1,
            measure=words,
        ),
        Verification(
            role="verifier",
            model=words,
            iteration=1,
            text=words,
            revised_query=words,
            problems=[words],
        ),
        Decision(
            iteration=1,
            rule=words,
            clauses=[Clause(name=words, value=words, bound=words, holds=None)],
            revise=True,
        ),
    ]


@pytest.mark.parametrize("texts", [PLAIN, TRICKS], ids=["plain", "tricks"])
async def test_a_question_that_is_hostile_everywhere(
    pilot: Pilot[None], texts: tuple[str, ...]
) -> None:
    """Question, references, answer, scores, decision; at every event, side by side,
    opened, and in the corpora screen's rows.
    """
    app: VerifyTui = pilot.app  # type: ignore[assignment]
    for text in texts:
        journal = Journal.create(None, asked(text))
        for event in question(text):
            journal.append(event)
        assert await app.open_play(Play(journal))
        for number in range(1, len(journal.session.events) + 1):
            await app.workspace.bench.look(number)
            harmless(app)
        shown = str(app.screen.query_one("#settled").render()) + str(
            app.screen.query_one("#figures").render()
        )  # type: ignore[attr-defined]
        assert text not in PLAIN or shown.count(whole(text)) >= 3, text
        await pilot.press("S")
        await pilot.pause()
        harmless(app)
        await pilot.press("S")
        app.push_screen(
            DocumentScreen(journal.session.events[0].references[0], text, text)
        )  # type: ignore[attr-defined]
        await wait(pilot, lambda: isinstance(app.screen, DocumentScreen))
        harmless(app)
        await pilot.press("escape")


async def test_an_answer_that_streams_in_is_harmless(pilot: Pilot[None]) -> None:
    app: VerifyTui = pilot.app  # type: ignore[assignment]
    journal = Journal.create(None, asked("q"))
    assert await app.open_play(Play(journal))
    stage = await app.workspace.stage()
    app.workspace.runner.speaking = "generator"
    for text in BOTH:
        await stage.begin("generator", "m", partial("it waits: {}".format, clean(text)))
        stage.feed(text, reasoning=True)
        for piece in [*text[:40], text[40:]]:
            stage.feed(piece)
        stage.feed(" \n\nThe end")
        await settle(pilot, "The end")
        seen = harmless(app)
        assert text not in PLAIN or whole(text)[:20].strip() in seen, text
        await stage.end_live()


# Cases


def cases(text: str) -> Header:
    """Query, candidates, titles and ids as hostile as they may be."""
    words = text.strip() or "x"
    lineup = {"extractor": Seat(model="openai/x", name=words)}
    name = words if words.isprintable() and len(words) <= 200 else "x"
    case = {"text": f"a {words}".replace("\0", " "), "title": words}
    query = {"id": "q", **case}
    made = load_set("en-common-law")
    given = [{"id": name, **case}, {"id": "other", **case}]
    return new_relevance(
        query=query,
        candidates=given,
        demonstrations=made,
        lineup=lineup,
        prompts=load("en", workspace="relevance"),
    )


def judged(text: str, candidate: str) -> list[Event]:
    """All stages of a candidate, in which everybody says the same."""
    words = text.strip() or "x"
    items = [FactItem(text=words, start=0, end=3), FactItem(text=words)]
    chosen = [DemonstrationItem(id=words, score=1.0, relevant=True)]
    made = {
        "role": "extractor",
        "model": words,
        "text": words,
        "read": "json",
        "finish": words,
    }
    happened: list[Event] = []
    for case in ("query", candidate):
        happened += [
            Facts(kind=kind, case=case, items=items, **made)
            for kind in ("material", "legal")
        ]  # type: ignore[arg-type]
    for kind in ("material", "legal"):
        happened.append(
            Demonstrations(step=f"judgement-{kind}", candidate=candidate, items=chosen)
        )  # type: ignore[arg-type]
        happened.append(
            Judgement(
                kind=kind, candidate=candidate, relevant=True, reason=words, **made
            )
        )  # type: ignore[arg-type]
    label = Label(candidate=candidate, value=3, annotator=words)
    return [
        *happened,
        Score(candidate=candidate, value=3),
        label,
        Note(text=words, about=candidate),
    ]


@pytest.mark.parametrize("texts", [PLAIN, TRICKS], ids=["plain", "tricks"])
async def test_cases_that_are_hostile_everywhere(
    pilot: Pilot[None], texts: tuple[str, ...]
) -> None:
    """Cases, ids, titles, facts, demonstrations, reasons, names of annotators; the
    table, both cases, the stages, agreement.
    """
    app: VerifyTui = pilot.app  # type: ignore[assignment]
    for text in texts:
        journal = Journal.create(None, cases(text))
        candidate = str(journal.session.header.task["candidates"][0]["id"])
        for event in judged(text, candidate):
            journal.append(event)
        assert await app.open_play(Play(journal))
        for number in (1, 4, 6, 8, 9, 11):
            await app.workspace.bench.look(number)
            await pilot.pause()
            harmless(app)
        stages = str(app.screen.query_one("#stage-settled").render())
        shown = "".join(
            [stages, *(pane.page.shown for pane in app.screen.query(CasePane))]
        )
        assert text not in PLAIN or shown.count(whole(text)) >= 6, text
        await pilot.press("K")
        await wait(pilot, lambda: isinstance(app.screen, AgreementScreen))
        harmless(app)
        await pilot.press("escape", "e")
        await wait(pilot, lambda: isinstance(app.screen, PickScreen))
        harmless(app)
        await pilot.press("escape")
