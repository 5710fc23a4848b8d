"""Sets of demonstrations: those that come along have no mistake, and each kind of
mistake is named.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from verifytui.prompts.demonstrations import (
    ABOUT,
    BUILTIN,
    LEVELS,
    available,
    grams_of,
    load,
    read,
)
from verifytui.prompts.demonstrations.form import short_cases
from verifytui.sessions.errors import BadInput

GROUP = "01-theft.yaml"


@pytest.mark.parametrize(
    ("name", "groups", "charges"), [("zh-criminal", 40, 20), ("en-common-law", 8, 8)]
)
def test_the_sets_that_come_along(name: str, groups: int, charges: int) -> None:
    found = read(BUILTIN / name)
    made = found.demonstrations
    assert found.mistakes == []
    assert len(made.groups) == groups
    assert len({group.query.charge for group in made.groups}) >= charges
    assert "lawyer" in made.about.note or "律师" in made.about.note
    assert all(group.reviewed_by is None for group in made.groups)
    assert load(name) == made


def test_names() -> None:
    assert available() == ["en-common-law", "zh-criminal"]
    with pytest.raises(BadInput, match="zh-criminal"):
        load("no-such-set")


def test_a_set_of_the_users_own_goes_before(tmp_path: Path) -> None:
    own = tmp_path / "zh-criminal"
    own.mkdir()
    for name in (ABOUT, GROUP):
        (own / name).write_text(
            (BUILTIN / "zh-criminal" / name).read_text("utf-8"), "utf-8"
        )
    assert [group.id for group in load("zh-criminal", tmp_path).groups] == ["theft-1"]


def _level(group: dict[str, Any]) -> None:
    group["candidates"][0]["level"] = 7


def _bit(group: dict[str, Any]) -> None:
    group["candidates"][0]["legal_judgement"]["relevant"] = not group["candidates"][0][
        "legal_judgement"
    ]["relevant"]


def _span(group: dict[str, Any]) -> None:
    group["query"]["material"][0]["span"] = "这句话不在案情之中"


def _with_judgement(group: dict[str, Any], judgement: dict[str, Any]) -> None:
    group["candidates"][0].update(legal_judgement=judgement)


def _key(group: dict[str, Any]) -> None:
    group["quary"] = group["query"]


def _no_facts(group: dict[str, Any]) -> None:
    group["query"]["legal"] = []


def _reason(group: dict[str, Any]) -> None:
    group["candidates"][1]["material_judgement"]["reason"] = " "


def _id(group: dict[str, Any]) -> None:
    group["id"] = "../theft"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_level, "one of each"),
        (_bit, "means"),
        (_span, "fact is not in the text, character by character."),
        (_key, "quary"),
        (_no_facts, "no legal facts"),
        (_reason, "no reason"),
        (_id, "is not a valid group id"),
    ],
)
def test_a_mistake_is_named(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], said: str
) -> None:
    group = yaml.safe_load((BUILTIN / "zh-criminal" / GROUP).read_text("utf-8"))
    change(group)
    file = tmp_path / "own.yaml"
    file.write_text(yaml.safe_dump(group, allow_unicode=True), "utf-8")
    mistakes = read(file).mistakes
    assert any(said in mistake for mistake in mistakes)
    with pytest.raises(BadInput, match="demonstrations check"):
        load(file)


def test_a_short_case_is_doubtful_and_no_mistake(tmp_path: Path) -> None:
    group = yaml.safe_load((BUILTIN / "zh-criminal" / GROUP).read_text("utf-8"))
    group["query"]["text"] = "".join(one["span"] for one in group["query"]["material"])
    group["query"]["text"] = group["query"]["text"][:199]
    group["query"]["material"] = [
        {"fact": "x", "span": group["query"]["text"][:20]}
        for _ in group["query"]["material"]
    ]
    file = tmp_path / "own.yaml"
    file.write_text(yaml.safe_dump(group, allow_unicode=True), "utf-8")
    found = read(file)
    assert found.mistakes == []
    (made,) = load(file).groups
    (told,) = short_cases(made)
    assert told.startswith("theft-1/query has ")


def test_the_same_case_under_other_names_is_found(tmp_path: Path) -> None:
    text = (BUILTIN / "zh-criminal" / GROUP).read_text("utf-8")
    (tmp_path / "one.yaml").write_text(text, "utf-8")
    (tmp_path / "two.yaml").write_text(
        text.replace("theft-1", "theft-9").replace("张某", "钱某"), "utf-8"
    )
    mistakes = read(tmp_path).mistakes
    assert len(
        [mistake for mistake in mistakes if "five-character grams" in mistake]
    ) == 1 + len(LEVELS)


@pytest.mark.parametrize("text", ["[", "- 1\n- 2\n", "", "42", "a: &x [*x]\n"])
def test_what_is_no_group_is_a_mistake_and_no_crash(tmp_path: Path, text: str) -> None:
    (tmp_path / "odd.yaml").write_text(text)
    mistakes = read(tmp_path).mistakes
    assert mistakes


def test_grams_leave_out_names_digits_and_signs() -> None:
    assert grams_of("2020年3月,张某甲在A市盗窃手机") == grams_of(
        "2021年5月 李某乙在A市,盗窃手机"
    )


def _anchored(group: dict[str, Any]) -> dict[str, Any]:
    """The group in which every legal fact says what it rests on, the last one is
    secondary, and reasons cite facts.
    """
    for case in (group["query"], *group["candidates"]):
        case["legal"] = [{"fact": one["fact"], "from": ["M1"]} for one in case["legal"]]
        case["legal"][-1]["secondary"] = True
    for one in group["candidates"]:
        one["material_judgement"]["reason"] = (
            "案件甲 M1 至 M2 与案件乙 M1 相比，起因与手段相同与否已逐项写明。"
        )
        one["legal_judgement"]["reason"] = (
            "案件甲 L1 与案件乙 L1 相比，动机和罪过相同与否已逐项写明。"
        )
    return group


def test_anchors_and_citations(tmp_path: Path) -> None:
    group = _anchored(
        yaml.safe_load((BUILTIN / "zh-criminal" / GROUP).read_text("utf-8"))
    )
    file = tmp_path / "own.yaml"

    def found(
        change: Callable[[dict[str, Any]], object] = lambda _group: None,
    ) -> tuple[str, str]:
        changed = copy.deepcopy(group)
        change(changed)
        file.write_text(yaml.safe_dump(changed, allow_unicode=True), "utf-8")
        reading = read(file)
        return "\n".join(reading.mistakes), "\n".join(reading.warnings)

    assert found() == ("", "")
    assert load(file).groups[0].query.legal[0].rests_on == ["M1"]
    assert (
        "is based on “L1”, which is not the id of a material fact"
        in found(lambda one: one["query"]["legal"][0].update({"from": ["L1"]}))[0]
    )
    assert (
        "is based on M99, but the case has"
        in found(lambda one: one["query"]["legal"][0].update({"from": ["M99"]}))[0]
    )
    assert (
        "1 legal facts have no `from`: theft-1/query L1; name the material facts"
        in found(lambda one: one["query"]["legal"][0].pop("from"))[1]
    )
    assert (
        "is not in the text, character by character"
        in found(
            lambda one: one["query"]["legal"][0].update(span="这句话不在案情之中")
        )[0]
    )
    last = len(group["query"]["legal"])
    judgement = group["candidates"][0]["legal_judgement"]
    for reason, said in [
        ("案件甲 L9 与案件乙 L1 同质，动机相同。", "cites L9 of case A"),
        ("案件甲 L1 与案件乙 L1 至 L9 同质，动机相同。", "cites L9 of case B"),
        (
            f"案件甲 L{last} 与案件乙 L1 同质，动机相同。",
            f"cites L{last} of case A, a sentencing circumstance",
        ),
    ]:
        told = {**judgement, "reason": reason}
        assert said in found(partial(_with_judgement, judgement=told))[0]


def test_a_set_of_before_is_read_with_a_warning(tmp_path: Path) -> None:
    """Its legal facts have spans and say not what they rest on; M25 in a reason means a
    road.
    """
    group = yaml.safe_load((BUILTIN / "zh-criminal" / GROUP).read_text("utf-8"))
    for case in (group["query"], *group["candidates"]):
        case["legal"] = [
            {"fact": one["fact"], "span": case["text"][:12]} for one in case["legal"]
        ]
    group["candidates"][0]["legal_judgement"]["reason"] = (
        "两案都发生在 M25 公路上，法律评价同质。"
    )
    file = tmp_path / "own.yaml"
    file.write_text(yaml.safe_dump(group, allow_unicode=True), "utf-8")
    found = read(file)
    assert found.mistakes == []
    assert len(found.warnings) == 1
    assert load(file).groups


def test_a_draft_belongs_to_no_set(tmp_path: Path) -> None:
    text = (BUILTIN / "zh-criminal" / GROUP).read_text("utf-8")
    (tmp_path / "draft.yaml").write_text(
        "draft: true\nid: half\nquery: {text: 未完}\n", "utf-8"
    )
    with pytest.raises(BadInput, match="contains only drafts; finish one, or choose"):
        load(tmp_path)
    (tmp_path / "one.yaml").write_text(text, "utf-8")
    assert [group.id for group in load(tmp_path).groups] == ["theft-1"]
    assert read(tmp_path).drafts == ["draft.yaml"]


@pytest.mark.parametrize("name", ["zh-criminal", "en-common-law"])
def test_every_group_has_been_read_twice_and_no_lawyer_is_claimed(name: str) -> None:
    page = (BUILTIN / name / "REVIEW.md").read_text("utf-8")
    for group in load(name).groups:
        about = page.partition(f"\n## {group.id}\n")[2].partition("\n## ")[0]
        assert [
            part in about for part in ("### First reading\n", "### Second reading\n")
        ] == [True, True], group.id
    assert "No lawyer has reviewed this set" in page
