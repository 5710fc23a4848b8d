"""A program that answers as a model: it reads a request on stdin and gives the object
that is asked for.
"""

import json
import re
import sys

SCORES = (
    "reference_correctness",
    "correctness",
    "citation_accuracy",
    "truthfulness",
    "bias",
    "conciseness",
)
VERDICT = {"supported_side": "negative", "reason": "It holds.", "answer": "42"}
CLAIM = {"claim": "It was built.", "sentence": 1, "reference": 1, "words": ""}
REPLIES = {
    "relevant": {"reason": "Both take by stealth.", "relevant": True},
    "grade": {"reason": "Alike.", "grade": 2},
    "candidates": {"candidates": ["42"]},
    "preference": {"preference": True, **VERDICT},
    "supported_side": VERDICT,
    "bias": dict.fromkeys(SCORES, 0.9) | {"judgement": "true", "revised_query": ""},
    "claims": {"claims": [{**CLAIM, "also": [], "verdict": "supported"}]},
    "revised_query": {"revised_query": "What was it?"},
    "answer1": {"reason": "Compared.", "answer1": 1, "answer2": 0},
    "same": {"reason": "They say the same.", "same": True},
    "facts": {"facts": ["He took a ring.", "He took it by stealth."]},
}
"""The reply to a request that shows an object with this name."""


def reply(asked: str) -> str:
    shown = asked.rpartition(">>>")[2]
    for name, said in REPLIES.items():
        if f'"{name}"' in shown:
            return json.dumps(said)
    return "It was built in 1873 [1].\n\nAnswer: 42"


if __name__ == "__main__":
    text = sys.stdin.read()
    mark = re.findall(r'"mark": "(\w+)"', text)
    said = reply(text)
    if mark and said.startswith("{"):
        said = json.dumps({"mark": mark[-1], **json.loads(said)})
    print(said)
