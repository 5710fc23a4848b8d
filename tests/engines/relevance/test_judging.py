"""What an annotator may say, and what is read of it. None: nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from verifytui.engines.reading import Unread
from verifytui.engines.relevance.judging import read_judgement

REPLIES: list[tuple[str, bool | None]] = [
    ('{"reason": "Both broke in.", "relevant": true}', True),
    ('{"relevant": false, "reason": "One broke in, one fought."}', False),
    ('{"relevant": "true"}', True),
    ('{"relevant": "false"}', False),
    ('{"relevant": 1, "reason": ""}', True),
    ('{"relevant": 0}', False),
    ('{"relevant": "1"}', True),
    ('{"relevant": "0"}', False),
    ('{"relevant": "yes"}', True),
    ('{"Relevant": "No."}', False),
    ('{"relevant": "not relevant"}', False),
    ('{"relevant": "irrelevant"}', False),
    ('{"relevant": "\u662f"}', True),
    ('{"relevant": "\u5426"}', False),
    ('{"relevant": "\u76f8\u5173"}', True),
    ('{"relevant": "\u4e0d\u76f8\u5173"}', False),
    (
        '{"\u7406\u7531": "\u4e24\u6848\u5747\u4e3a\u5165\u6237\u3002", '
        '"\u76f8\u5173": "\u76f8\u5173\u3002"}',
        True,
    ),
    ('{"\u662f\u5426\u76f8\u5173": "\u4e0d\u5177\u6709\u76f8\u5173\u6027"}', False),
    ("{'relevant': True, 'reason': 'Same course.'}", True),
    ('Here it is:\n```json\n{"reason": "Same.", "relevant": true}\n```', True),
    ('{"reason": "A \\"key\\" factor differs.", "relevant": false}', False),
    ('{"relevant": true}\n{"relevant": true}', True),
    # in plain words
    ("Relevant: no", False),
    ("Relevant: yes", True),
    ("**Relevant:** No", False),
    ("Relevant: not relevant.", False),
    ("Reason: the course differs.\nRelevant: no", False),
    ("Relevance: yes, because both broke into a home", True),
    ("Conclusion: irrelevant", False),
    ("no", False),
    ("Yes.", True),
    ("\u662f", True),
    ("\u5426\u3002", False),
    ("\u4e0d\u76f8\u5173", False),
    ("\u76f8\u5173", True),
    ("\u7ed3\u8bba\uff1a\u4e0d\u76f8\u5173", False),
    (
        "\u7ed3\u8bba\uff1a\u76f8\u5173\u3002\n\u7406\u7531\uff1a\u4e24\u6848\u5747\u4e3a\u5165\u6237\u76d7\u7a83\u3002",
        True,
    ),
    ("\u3010\u7ed3\u8bba\u3011\u4e0d\u76f8\u5173", False),
    (
        "\u4e24\u6848\u7ecf\u8fc7\u4e0d\u540c\u3002\u56e0\u6b64\u7ed3\u8bba\u662f\uff1a\u4e0d\u76f8\u5173\u3002",
        False,
    ),
    ("\u662f\u5426\u76f8\u5173\uff1a\u662f", True),
    ("\u76f8\u5173\u6027\uff1a\u65e0\u76f8\u5173\u6027", False),
    (
        "\u4e0d\u76f8\u5173\u3002\n\u7406\u7531\uff1a\u4e00\u6848\u4e3a\u76d7\u7a83\uff0c\u4e00\u6848\u4e3a\u4f24\u5bb3\u3002",
        False,
    ),
    ("1", True),
    ("0", False),
    # nothing can be said
    ("", None),
    ("somewhat", None),
    ("Relevant: somewhat", None),
    ("Relevant: partially", None),
    ("Relevant: yes and no", None),
    ("Relevant: yes, but not in the outcome", None),
    ("Relevant: yes\nRelevant: no", None),
    ("Yes.\nConclusion: not relevant", None),
    ("Relevant: no (for the first defendant)", None),
    ("Relevant: not entirely", None),
    ("The cases are relevant in some respects.", None),
    ("\u90e8\u5206\u76f8\u5173", None),
    ("\u7ed3\u8bba\uff1a\u90e8\u5206\u76f8\u5173", None),
    ("\u7ed3\u8bba\uff1a\u76f8\u5173\u6216\u4e0d\u76f8\u5173", None),
    (
        "\u7ed3\u8bba\uff1a\u76f8\u5173\u3002\u7ed3\u8bba\uff1a\u4e0d\u76f8\u5173\u3002",
        None,
    ),
    ("\u4e0d\u80fd\u5224\u65ad", None),
    ("Is it relevant: true or false?", None),
    ("I cannot judge this.", None),
    ('{"relevant": "somewhat", "reason": "Both."}', None),
    ('{"relevant": null, "reason": "Unclear."}', None),
    ('{"relevant": 2}', None),
    ('{"relevant": 0.5}', None),
    ('{"relevant": "\u90e8\u5206\u76f8\u5173"}', None),
    ('{"relevant": [true]}', None),
    ('{"relevant": {"material": true, "legal": false}}', None),
    ('{"relevant": true}\n{"relevant": false}', None),
    ('{"relevant": true, "relevant": false}', None),
    ('{"relevant": tru', None),
    ('{"reason": "Relevant: yes"}', None),
    ('{"reason": "The expert said {\\"relevant\\": true}"}', None),
    ('{"material": true, "legal": false}', None),
    ("[true]", None),
    ("2", None),
    ("3 out of 3", None),
    ("Relevant: 1.5", None),
    ("Relevant or not? I would say: perhaps.", None),
    ("No. Wait, yes.", None),
    ("Material facts relevant: yes\nLegal facts relevant: no", None),
    ('[{"relevant": true}, {"relevant": false}]', None),
    ("Relevant: yes/no", None),
    ("\u662f\u5426\u76f8\u5173\uff1a\u662f/\u5426", None),
]


@pytest.mark.parametrize(
    ("text", "wanted"), REPLIES, ids=[repr(text)[:60] for text, _ in REPLIES]
)
def test_replies(text: str, wanted: bool | None) -> None:
    found = read_judgement(text)
    if wanted is None:
        assert isinstance(found, Unread), found
        assert found.reason
    else:
        assert not isinstance(found, Unread), found
        assert found.relevant is wanted


def test_how_it_was_read_and_the_reason() -> None:
    assert read_judgement('{"reason": "Both.", "relevant": true}', structured=True) == (
        True,
        "Both.",
        "schema",
    )
    assert read_judgement('{"reason": "Both.", "relevant": true}') == (
        True,
        "Both.",
        "json",
    )
    assert read_judgement('So: {"reason": "Both.", "relevant": true}') == (
        True,
        "Both.",
        "sliced",
    )
    assert read_judgement('{"reason": ["One.", "Two."], "relevant": true}') == (
        True,
        "One.\nTwo.",
        "json",
    )
    assert read_judgement("Relevant: no\nReason: one fought. The other stole.") == (
        False,
        "one fought. The other stole.",
        "sliced",
    )
    assert read_judgement('{"relevant": false, "reason": 7}') == (False, "", "json")
    assert isinstance(read_judgement("Relevant: no" + " " * 300_000 + "."), Unread)


@given(st.text(max_size=300))
def test_any_text_is_read_or_not(text: str) -> None:
    found = read_judgement(text)
    assert isinstance(found, Unread) or isinstance(found.relevant, bool)
