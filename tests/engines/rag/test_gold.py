"""Gold passages: how a line names them, which references are of them, and what measures
make of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.figures.measure import Item
from verifytui.engines.method import method
from verifytui.engines.rag.gold import gold_of, places
from verifytui.engines.rag.questions import read_questions
from verifytui.engines.starting import wishes
from verifytui.sessions.errors import BadInput
from verifytui.sessions.events import Reference
from verifytui.sessions.events.rag import RagResult
from verifytui.sessions.new import new_header
from verifytui.sessions.session import Prompts, Seat, Session
from verifytui.tests.support import iterations as made
from verifytui.tests.support.solo_runs import write_lines

VERN = (
    "The lighthouse of Vern stands on the northern cape. It was built in 1873 by Ada "
    "Holm, who had learned her trade in Bergen."
)
PASSAGE = Reference(
    n=1,
    id="docs/guide.md@120",
    file="docs/guide.md",
    start=120,
    end=240,
    text=VERN,
    metadata={"doc_id": "x-7"},
    alike=["docs/copy.md@90"],
)
ROW = Reference(
    n=2,
    id="rows.jsonl#7@0",
    file="rows.jsonl#7",
    start=0,
    end=9,
    text="老茶馆由陈先生于一九二〇年创办，位于城南的河边。",
)


@pytest.mark.parametrize(
    ("gold", "found"),
    [
        ("docs/guide.md@120", [[0], []]),
        ("docs/guide.md@0", [[], []]),
        ("guide.md", [[0], []]),
        ("guide.md@120", [[0], []]),
        ("copy.md@90", [[0], []]),
        ("copy.md", [[0], []]),
        ("opy.md", [[], []]),
        (["guide.md", "guide.md"], [[0], []]),
        ("/home/anna/docs/guide.md", [[0], []]),
        ("uide.md", [[], []]),
        ("x-7", [[0], []]),
        ("rows.jsonl#7", [[], [0]]),
        ("rows.jsonl", [[], [0]]),
        ("rows.jsonl#77", [[], []]),
        (
            "It was built in 1873 by Ada Holm, who had learned her trade in Bergen.",
            [[0], []],
        ),
        (
            "on the northern cape. It was built in 1873 by Ada Holm, who had "
            "learned her trade there. Ships see it from afar.",
            [[0], []],
        ),
        (
            "The lighthouse of Oslo stands on the southern cape. It was made in 1901.",
            [[], []],
        ),
        ("老茶馆由陈先生于一九二〇年创办", [[], [0]]),
        ({"file": "guide.md", "start": 200, "end": 400}, [[0], []]),
        ({"file": "guide.md", "start": 240, "end": 400}, [[], []]),
        ({"text": "x-7"}, [[], []]),
        ({"page_content": VERN, "metadata": {"source": "other.md"}}, [[0], []]),
        ({"docs/guide.md": 2, "rows.jsonl#7": 0}, [[0], [1]]),
    ],
)
def test_which_references_are_gold(gold: Any, found: list[list[int]]) -> None:
    assert places(gold_of(gold), [PASSAGE, ROW]) == found
    again = gold_of([one.as_json() for one in gold_of(gold)])
    assert places(again, [PASSAGE, ROW]) == found, "as a session keeps it"


@pytest.mark.parametrize(
    "gold",
    [
        [True],
        [{"grade": 1}],
        [{"id": "a", "grade": -1}],
        [{"id": "a", "grade": 0.5}],
        [""],
        [["a"]],
    ],
)
def test_what_is_no_gold_passage_is_refused(gold: Any) -> None:
    with pytest.raises(BadInput):
        gold_of(gold)


def session(*texts: str, done: bool = True) -> Session:
    header = new_header(
        workspace="rag",
        title="Who?",
        task={
            "question": "Who?",
            "corpus": "mine",
            "gold": [
                {"text": "Beorn turns into a bear."},
                {"text": "Gandalf does not at all."},
            ],
        },
        lineup={"generator": Seat(model="lexical")},
        settings={"iterations": 1},
        prompts=Prompts(set="en", hash="sha256:00", templates={}),
    )
    events = [
        *made.whole(1, "Who?", revised="Which?", revise=True),
        made.retrieval(2, "Which?", *texts),
        made.answer(2, "Beorn [1]."),
    ]
    return Session(
        header,
        [
            *events,
            *(
                [RagResult(answer="Beorn [1].", iterations=2, stopped_by="limit")]
                if done
                else []
            ),
        ],
    )


def measured(of: Session, name: str) -> list[tuple[float | None, str, int | None]]:
    item = Item("q", "q", "", of.header.task)
    return [
        (given.value, given.state, given.round)
        for given in method("rag").measures[name].of(of, item)
    ]


def test_first_and_last_references_are_told_apart() -> None:
    found = session("Tea is made of leaves.", "Beorn turns into a bear.")
    assert measured(found, "recall_first") == [(0.0, "measured", None)]
    assert measured(found, "recall") == [(0.5, "measured", None)]
    assert measured(found, "mrr") == [(0.5, "measured", None)]
    assert measured(found, "hit_rate") == [(1.0, "right", None)]
    assert measured(found, "recall_by_iteration") == [
        (0.0, "measured", 1),
        (0.5, "measured", 2),
    ]


def test_fewer_references_than_asked_for_are_not_the_best_list() -> None:
    """One of two gold passages, of five places that were asked for: nDCG@5 as
    ir-measures has it.
    """
    assert measured(session("Tea.", "Beorn turns into a bear."), "ndcg_first") == [
        (0.0, "measured", None)
    ]
    ((value, _, _),) = measured(session("Beorn turns into a bear."), "ndcg")
    assert value == pytest.approx(1 / (1 + 1 / 1.584962500721156))


def test_a_session_without_a_result_has_found_nothing() -> None:
    assert measured(session("Beorn turns into a bear.", done=False), "recall") == [
        (0.0, "failed", None)
    ]


def test_a_test_set_of_ragas_is_questions_with_gold(tmp_path: Path) -> None:
    row = {
        "user_input": "Who?",
        "reference": "Beorn",
        "reference_contexts": [VERN],
        "synthesizer_name": "single_hop",
        "persona_name": "x",
    }
    read = read_questions(
        write_lines(tmp_path / "q.jsonl", [row]), wishes("rag", {"corpus": "example"})
    )
    assert (read[0].question, read[0].answers, [one.text for one in read[0].gold]) == (
        "Who?",
        ("Beorn",),
        [VERN],
    )
