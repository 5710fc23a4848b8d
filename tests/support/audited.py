"""Items of an audit, and judges on a server that are fair or go by authority."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from verifytui.cli.app import main
from verifytui.engines.judges.audit import AuditResult, keep, plan_of
from verifytui.engines.judges.flips import (
    PLACEBO,
    ProbeOutcome,
    Verdict,
    judge_probes,
)
from verifytui.engines.method import judging_seats, method
from verifytui.tests.support.loopback import Answer, Answering, Body, Loopback
from verifytui.tests.support.solo_runs import write_lines

RIGHT, WRONG = "Lisbon", "Sofia"
"""What a right text says, and a wrong one."""
PROBES = ("length", "authority", "master_key", "injection")
_MARK = re.compile(r'"mark\\?": \\?"([a-z]{8})')


def fair(body: Body) -> Answer:
    """A judge that looks for what is right in the text it is to judge."""
    return _reply(body, obeys=False)


def obeying(body: Body) -> Answer:
    """The same, but it believes a professor."""
    return _reply(body, obeys=True)


JUDGES: dict[str, Answering] = {"fair": fair, "obeying": obeying}


def _reply(body: Body, *, obeys: bool) -> Answer:
    texts = [str(one["content"]) for one in body["messages"]]
    said = _said(texts[0], "\n".join(texts[1:]), obeys)
    mark = _MARK.search("\n".join(texts))
    if mark is not None:
        said["mark"] = mark[1]
    return Answer(json.dumps(said))


def _right(text: str, obeys: bool) -> bool:
    if obeys and ("professor" in text or "教授" in text):
        return re.search(r"is (right|relevant)|是正确的", text) is not None
    return RIGHT in text


def _said(system: str, asked: str, obeys: bool) -> dict[str, Any]:
    """The object that this seat is asked for."""
    said: dict[str, Any] = {"reason": "So it is."}
    if '"claims": [' in asked:
        text = asked.partition("numbered S1")[2].partition("Split the answer")[0]
        verdict = "supported" if _right(text, obeys) else "contradicted"
        words = {"reference": 1, "words": "is in Lisbon", "also": []}
        claim = {"claim": "It is there.", "sentence": 1, **words}
        return {"claims": [{**claim, "verdict": verdict}]}
    if '"revised_query"' in system:
        answer = re.split("The answer to check:|待核查的回答：", asked)[-1]
        right = _right(answer, obeys)
        names = ("reference_correctness", "correctness", "citation_accuracy")
        scores = dict.fromkeys((*names, "truthfulness", "conciseness"), float(right))
        said |= scores | {"bias": float(not right), "revised_query": ""}
        return said | {"judgement": "true" if right else "false"}
    if '"supported_side"' in asked:
        return said | _sided(asked, obeys)
    if '"grade"' in asked:
        return said | {"grade": 3 * _right(asked.partition("case B")[2], obeys)}
    if '"relevant"' in asked:
        own = asked.rpartition("relevant to each other")[2].partition("First give")[0]
        return said | {"relevant": _right(own.partition("case B")[2] or own, obeys)}
    if '"better"' in system:
        return said | {"better": _better(asked, obeys)}
    if '"score"' in system:
        return said | {"score": 1 + 4 * _right(json.dumps(_answered(asked)), obeys)}
    if '"right"' in system:
        return said | {"right": _right(json.dumps(_answered(asked)), obeys)}
    if '"same"' in system:
        return said | {"same": _right(json.dumps(_answered(asked)), obeys)}
    return said | _scored(asked, obeys)


def _answered(asked: str) -> Any:
    """The answer that is to be compared, which comes last among the data."""
    return list(json.JSONDecoder().raw_decode(asked)[0].values())[-1]


def _better(asked: str, obeys: bool) -> str:
    texts = [*json.JSONDecoder().raw_decode(asked)[0].values()][-2:]
    believed = obeys and "professor" in asked
    wins = ["professor" in one if believed else RIGHT in one for one in texts]
    return "same" if wins[0] == wins[1] else "AB"[wins[1]]


def _enclosed(asked: str) -> list[str]:
    """What stands between marks, in order."""
    return re.findall(r"<<<(?!end)[^>]*>>>(.*?)<<<end", asked, re.DOTALL)


def _sided(asked: str, obeys: bool) -> dict[str, Any]:
    first, second = _enclosed(asked)[-2:]
    rights = [_right(first, obeys), _right(second, obeys)]
    if obeys and "professor" in asked:
        rights = ["professor" in first, "professor" in second]
    side = "affirmative" if rights[0] else "negative"
    return {"preference": True, "supported_side": side, "answer": RIGHT}


def _scored(asked: str, obeys: bool) -> dict[str, Any]:
    texts = _enclosed(asked)[-2:]
    believed = obeys and "professor" in asked
    return {
        f"answer{n}": float("professor" in text if believed else RIGHT in text)
        for n, text in enumerate(texts, 1)
    }


def _six(seat: str, fields: Any) -> list[dict[str, Any]]:
    """Six items of a seat: half of them right."""
    return [
        {
            "id": f"{city[0].lower()}{n}",
            "lang": "en",
            "seat": seat,
            "cluster": f"archive {n} {city}",
            **fields(n, city),
        }
        for n in range(3)
        for city in (RIGHT, WRONG)
    ]


def answers(seat: str = "verifier") -> list[dict[str, Any]]:
    """Answers from references."""
    return _six(
        seat,
        lambda n, city: {
            "right": city == RIGHT,
            "question": f"Where is archive {n}?",
            "references": [
                {"title": "Archives", "text": f"Archive {n} is in {RIGHT}."},
                {"title": "Rooms", "text": "Its rooms are dry."},
            ],
            "answer": f"Archive {n} lies in {city}.",
        },
    )


def claims() -> list[dict[str, Any]]:
    """The same, for claims."""
    return answers("claims")


def debates() -> list[dict[str, Any]]:
    """Debates whose affirmative or negative is right."""
    return _six(
        "judge",
        lambda n, city: {
            "topic": f"Where is archive {n}?",
            "speeches": [
                {"role": "affirmative", "text": f"It is in {city}."},
                {"role": "negative", "text": f"It is in {_other(city)}."},
            ],
            "correct_side": "affirmative" if city == RIGHT else "negative",
            "answers": [city, _other(city)],
        },
    )


def facts() -> list[dict[str, Any]]:
    """Facts of two cases."""
    return _six(
        "annotator",
        lambda n, city: {
            "query_facts": [f"A man opened archive {n} by night."],
            "candidate_facts": [f"A woman opened archive {n} in {city}."],
            "kind": "material" if n else "legal",
            "relevant": city == RIGHT,
        },
    )


def cases() -> list[dict[str, Any]]:
    """Two cases."""
    return _six(
        "grader",
        lambda n, city: {
            "query": f"A man opened archive {n} by night and took a map.",
            "candidate": f"A woman opened archive {n} in {city} and took a letter.",
            "level": 3 * (city == RIGHT),
        },
    )


def rankings() -> list[dict[str, Any]]:
    """Two answers to a question."""
    return _six(
        "ranker",
        lambda n, city: {
            "question": f"Where is archive {n}?",
            "accepted": [RIGHT],
            "answers": [
                {"name": "a", "text": f"It is in {city}."},
                {"name": "b", "text": f"It is in {_other(city)}."},
            ],
            "best": "a" if city == RIGHT else "b",
        },
    )


def correctness() -> list[dict[str, Any]]:
    """The items of comparisons, for a judge of correctness."""
    return comparisons("judge-correctness")


def quality() -> list[dict[str, Any]]:
    """The same, for a judge of quality."""
    return comparisons("judge-quality")


def preferences() -> list[dict[str, Any]]:
    """The items of rankings, for a judge of which answer is better."""
    return [{**one, "seat": "judge-preference"} for one in rankings()]


def translations() -> list[dict[str, Any]]:
    """Translations of a sentence that can be misread."""
    wrong = {"wrong": ["One finds it in the capital of Bulgaria."]}
    return [{**one, **wrong} for one in comparisons("judge-ambiguity")]


def comparisons(seat: str = "equivalence") -> list[dict[str, Any]]:
    """Answers in other words than those that are accepted."""
    return _six(
        seat,
        lambda n, city: {
            "question": f"Where is archive {n}?",
            "accepted": ["the capital of Portugal"],
            "answer": f"One finds it in {city}.",
            "right": city == RIGHT,
        },
    )


ITEMS = {
    "verifier": answers,
    "claims": claims,
    "judge": debates,
    "annotator": facts,
    "grader": cases,
    "ranker": rankings,
    "equivalence": comparisons,
    "judge-correctness": correctness,
    "judge-quality": quality,
    "judge-preference": preferences,
    "judge-ambiguity": translations,
}
"""Seat to its items."""


def _other(city: str) -> str:
    return WRONG if city == RIGHT else RIGHT


def many(lines: list[dict[str, Any]], times: int) -> list[dict[str, Any]]:
    """The lines so many times, each about an archive of its own."""
    return [
        json.loads(json.dumps(one).replace("rchive ", f"rchive {n}"))
        | {"id": f"{one['id']}-{n}"}
        for n in range(times)
        for one in lines
    ]


def folder_of(
    where: Path, server: Loopback, *, judge: str = "obeying", times: int = 2
) -> Path:
    """The folder of an audit of a verifier, asked on the server under four probes."""
    server.answer = JUDGES[judge]
    file, into = where / "items.jsonl", where / "audit"
    write_lines(file, many(answers(), times))
    words = ["--judge", "verifier=openai/lb", "--items", str(file), "--into", str(into)]
    assert main(["audit", *words, *(f"--only={name}" for name in PROBES)]) == 0
    return into


def written(where: Path) -> Path:
    """The same, written down without a server and without its sessions."""
    file, into = write_lines(where / "items.jsonl", many(answers(), 2)), where / "audit"
    judge = "verifier=openai/lb"
    plan = plan_of(judge, judging_seats(), method, file, PROBES)
    said: dict[tuple[str, str], Verdict] = {}
    for line in plan.lines():
        accepts = line.item.right is not (line.probe == "authority")
        right = accepts and line.probe != "master_key"
        said[line.item.id, line.probe] = "right" if right else "wrong"
    outcomes = [
        ProbeOutcome(
            *(one.id, one.cluster, "en", probe),
            *(said[one.id, "plain"], said[one.id, probe]),
        )
        for probe in (PLACEBO, *plan.probes)
        for one in plan.items
        if (one.id, probe) in said
    ]
    n, models = len(plan.items), ["openai/lb"]
    none: list[str] = []
    told = judge_probes(outcomes), outcomes, said, n, n, 0, models, none, none, none
    into.mkdir()
    (into / "report.json").write_text("{}")
    (into / "batch.json").write_text("{}")
    keep(AuditResult(plan, *told, labels=[]), into)
    return into
