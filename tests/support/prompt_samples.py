"""Every call of a debate and of a judgement of relevance as it is sent.

Run as a script it writes them into tests/prompts/as_sent.md.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from verifytui.engines.debate import messages as debating
from verifytui.engines.debate.method import new_debate
from verifytui.engines.debate.plan import DebateStep
from verifytui.engines.models.port import Message
from verifytui.engines.relevance.engine import RelevanceEngine
from verifytui.engines.relevance.messages import ExtractFacts
from verifytui.engines.relevance.starting import new_relevance
from verifytui.engines.thread import again
from verifytui.prompts import load
from verifytui.prompts.demonstrations import (
    DemonstrationCandidate,
    DemonstrationCase,
    DemonstrationFact,
    DemonstrationGroup,
    DemonstrationSet,
    ExpertJudgement,
    LegalFact,
    SetDescription,
)
from verifytui.sessions.events import Reference
from verifytui.sessions.events.debate import Baseline, Candidates, Speech, Verdict
from verifytui.sessions.session import Seat, Session
from verifytui.tests.support.telling import Told, add, play_out

PAGE = Path(__file__).resolve().parents[1] / "prompts" / "as_sent.md"
SETS = ("en", "zh", "small-en", "small-zh")

TOPICS = {
    "en": (
        "How many legs has a spider?",
        "A spider is an insect.",
        "A spider is an arachnid.",
        "Answer: ",
        "6",
        "8",
    ),
    "zh": ("蜘蛛有几条腿？", "蜘蛛是昆虫。", "蜘蛛是蛛形纲动物。", "答案：", "6", "8"),
    "translation": (
        "吃掉敌人一个师。",
        "This is what it says.",
        "It is about a battle.",
        "Translation: ",
        "Eat up an enemy division.",
        "Destroy an enemy division.",
    ),
}
"""Topic, an argument of each side, what the last line begins with, and the answer of
each side.
"""


class Sample(NamedTuple):
    """One call: what it is, what is sent, and the schema of the reply that is wanted
    (None: free text).
    """

    title: str
    thread: list[Message]
    schema: dict[str, Any] | None


def debate(prompts: str, kind: str = "question", debaters: int = 2) -> Iterator[Sample]:
    """Every call of a debate, in the order in which they come."""
    language = "translation" if kind == "translation" else prompts.rpartition("-")[2]
    topic, argued, objected, label, *answers = TOPICS[language]
    first, second = f"{argued}\n{label}{answers[0]}", f"{objected}\n{label}{answers[1]}"

    def begin(evidence: bool = False, **settings: Any) -> Session:
        given = (
            [Reference(n=1, id="1", title="Spiders", text="Spiders have eight legs.")]
            if evidence
            else None
        )
        header = new_debate(
            topic=topic,
            kind=kind,
            settings={"debaters": debaters, **settings},
            prompts=load(prompts),
            lineup={"observer": Seat(model="m")},
            evidence=given,
        )
        return Session(header, [])

    def sample(title: str, session: Session, step: DebateStep) -> Sample:
        return Sample(
            title, debating.messages(session, step), debating.schema(session, step)
        )

    baseline = Baseline(
        role="baseline", model="m", text=first, answer=answers[0], read="sliced"
    )
    seeded = begin(opening="seeded")
    yield sample(
        "Baseline, opening `seeded`", seeded, DebateStep("baseline", "baseline", 0)
    )
    add(seeded, baseline)
    yield sample(
        "First debater, opening `seeded`",
        seeded,
        DebateStep("speech", "affirmative", 1),
    )
    session, plain = begin(), begin(negative="unprompted")
    yield sample(
        "First debater, opening `free`", session, DebateStep("speech", "affirmative", 1)
    )
    for one in (session, plain):
        add(one, Speech(role="affirmative", model="m", round=1, text=first))
    yield sample(
        "Negative side, first speech, `differs`",
        session,
        DebateStep("speech", "negative", 1),
    )
    yield sample(
        "Negative side, first speech, `unprompted`",
        plain,
        DebateStep("speech", "negative", 1),
    )
    add(session, Speech(role="negative", model="m", round=1, text=second))
    for number in range(3, debaters + 1):
        yield sample(
            f"Debater {number}, first speech",
            session,
            DebateStep("speech", f"debater{number}", 1),
        )
        add(session, Speech(role=f"debater{number}", model="m", round=1, text=second))
    yield sample(
        "Observer, after a round", session, DebateStep("stance", "observer", 1)
    )
    judge = DebateStep("verdict", "judge", 1)
    yield sample("Judge, after a round", session, judge)
    reply = '{"preference": tru'
    yield Sample(
        "Judge, asked again",
        debating.again(session, judge, debating.messages(session, judge), reply),
        debating.schema(session, judge),
    )
    add(
        session,
        Verdict(
            role="judge",
            model="m",
            round=1,
            mode="discriminative",
            preference=False,
            text="{}",
            read="json",
        ),
    )
    yield sample(
        "First debater, second round", session, DebateStep("speech", "affirmative", 2)
    )
    yield sample(
        "Judge at the end, first step", session, DebateStep("candidates", "judge", 1)
    )
    listed = json.dumps({"candidates": answers})
    add(
        session,
        Candidates(
            role="judge", model="m", round=1, text=listed, items=answers, read="json"
        ),
    )
    yield sample(
        "Judge at the end, second step", session, DebateStep("extraction", "judge", 1)
    )
    if kind == "question":
        yield sample(
            "First debater, with evidence",
            begin(evidence=True),
            DebateStep("speech", "affirmative", 1),
        )


CASES: dict[str, dict[str, Any]] = {
    "en": {
        "query": (
            "At night Hall broke a window of a shop and took 900 in cash. He gave "
            "it back.",
            ["Hall took 900 in cash at night", "he gave it back"],
            ["intent to keep what was taken", "the loss made good"],
        ),
        "candidate": (
            "By day Reed forced the door of a flat and took a ring. Later he gave "
            "it back.",
            ["Reed took a ring by day", "he gave it back"],
            ["intent to keep what was taken", "the loss made good"],
        ),
        "reason": "M1 of case A and M1 of case B: both broke in and took things. The time "
        "differs, which is no key fact.",
        "why": "whoever means to give it back commits no theft",
        "long": "Brown took a bicycle from a yard.",
    },
    "zh": {
        "query": (
            "何某夜里砸破商店的窗户，拿走现金900元。后来退还。",
            ["何某夜里拿走现金900元", "后来退还"],
            ["以非法占有为目的", "退赃"],
        ),
        "candidate": (
            "李某白天撬开一户人家的门，拿走一枚戒指。后来归还。",
            ["李某白天拿走一枚戒指", "后来归还"],
            ["以非法占有为目的", "退赃"],
        ),
        "reason": "案件甲 M1 与案件乙 M1 都是破门窗后拿走财物。时间不同，但不是关键要素。",
        "why": "打算归还的，不构成盗窃",
        "long": "白某从院子里拿走一辆自行车。",
    },
}


def relevance(prompts: str) -> Iterator[Sample]:
    """Every call of a judgement of relevance: with a demonstration, without the
    expert's guidance, in parts, and asked again.
    """
    language = prompts.rpartition("-")[2]
    texts = CASES[language]

    def case(of: str) -> dict[str, Any]:
        text, material, (legal, secondary) = texts[of]
        return {
            "text": text,
            "material": [DemonstrationFact(fact=one, span=text) for one in material],
            "legal": [
                LegalFact(fact=legal, rests_on=["M1"], why=texts["why"]),
                LegalFact(fact=secondary, rests_on=["M2"], secondary=True),
            ],
        }

    judged = ExpertJudgement(relevant=True, reason=texts["reason"])
    shown = [
        DemonstrationCandidate(
            **case("candidate"),
            level=level,
            material_judgement=judged,
            legal_judgement=judged,
        )
        for level in range(4)
    ]
    some = DemonstrationSet(
        name="some",
        about=SetDescription(language=language, law="none"),
        groups=[
            DemonstrationGroup(
                id="theft", query=DemonstrationCase(**case("query")), candidates=shown
            )
        ],
    )

    def calls(case: str, **settings: Any) -> tuple[Session, list[Sample]]:
        header = new_relevance(
            query=case,
            candidates=[texts["long"]],
            demonstrations=some,
            settings={"shots": 1, "irrelevant_shots": 0, **settings},
            prompts=load(prompts, workspace="relevance"),
        )
        session = Session(header, [])

        def reply(role: str, task: Any, thread: list[Message]) -> str:
            if isinstance(task, ExtractFacts):
                _, material, (legal, secondary) = texts["query"]
                told = (
                    {"facts": [legal], "secondary": [secondary]}
                    if task.kind == "legal"
                    else {"facts": material}
                )
                return json.dumps(told, ensure_ascii=False)
            return json.dumps(
                {"reason": texts["reason"], "relevant": True}, ensure_ascii=False
            )

        asked = asyncio.run(
            play_out(session, Told(reply), RelevanceEngine(lambda _name: some), 100)
        ).asked
        return session, [Sample("", thread, schema) for _, _, thread, schema in asked]

    own = texts["long"].replace("Brown", "Green").replace("白某", "葛某")
    session, made = calls(own)
    titles: tuple[str, ...] = (
        "Extractor, material facts",
        "Extractor, legal facts",
        "Annotator, material facts",
        "Annotator, legal facts",
    )
    chosen = [*made[:2], *made[4:6]]
    yield from (
        one._replace(title=title) for title, one in zip(titles, chosen, strict=True)
    )
    text = again(
        session, made[4].thread, "?", reason="the reply contains no JSON object"
    )
    yield Sample("Annotator, asked again", text, made[4].schema)
    _, made = calls(own, annotation=False, shots=0)
    chosen = [made[0], *made[4:6]]
    titles = (
        "Extractor, material facts, no demonstrations",
        "Annotator, material facts, `annotation` off",
        "Annotator, legal facts, `annotation` off",
    )
    yield from (
        one._replace(title=title) for title, one in zip(titles, chosen, strict=True)
    )
    _, made = calls(" ".join([own] * 60), long="pieces", budget_tokens=200, shots=0)
    yield made[0]._replace(title="Extractor, material facts, one part of a long case")


def in_markdown(samples: Iterator[Sample]) -> str:
    """What is new in each call: its last turn, and the system turn where it is not that
    of an earlier call.
    """
    parts: list[str] = []
    told: set[str] = set()
    for sample in samples:
        parts.append(f"**{sample.title}**")
        thread = [sample.thread[0], sample.thread[-1]]
        parts += [_fenced(one) for one in thread if one["content"] not in told]
        told.add(thread[0]["content"])
    return "\n\n".join(parts)


def _fenced(message: Message) -> str:
    # Where a case is long, its beginning is enough.
    text = re.sub(
        r"(?s)(<<<\w+ [^\n]*>>>\n(?:(?!<<<).){120})(?:(?!<<<).){300,}(\n<<<end)",
        r"\1 …\2",
        message["content"],
    )
    return f"```text\n[{message['role']}]\n{text}\n```"


def pages() -> str:
    """The marked part of the page."""
    wanted = [
        ("en", "question"),
        ("en", "translation"),
        ("zh", "question"),
        ("small-en", "question"),
        ("small-zh", "question"),
    ]
    titles = [
        (f"A debate on a {kind}, set `{name}`", debate(name, kind))
        for name, kind in wanted
    ]
    titles += [
        (f"The relevance of cases, set `{name}`", relevance(name)) for name in SETS
    ]
    return "\n\n".join(
        f"### {title}\n\n{in_markdown(samples)}" for title, samples in titles
    )


def marked(text: str) -> tuple[str, str, str]:
    """The page before, between and after the two marks."""
    before, _, rest = text.partition("<!-- samples -->\n")
    between, _, after = rest.partition("<!-- /samples -->")
    return before, between.strip("\n"), after


if __name__ == "__main__":
    before, _, after = marked(PAGE.read_text("utf-8"))
    PAGE.write_text(
        f"{before}<!-- samples -->\n\n{pages()}\n\n<!-- /samples -->{after}", "utf-8"
    )
    sys.exit(0)
