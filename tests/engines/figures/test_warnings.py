"""Warnings about figures: when each is given, where it stands, and how it is silenced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.figures import warnings
from verifytui.engines.figures.aggregate import Aggregate
from verifytui.engines.figures.made_by import made_by
from verifytui.engines.figures.measure import Item, Measure, Subject
from verifytui.sessions.errors import BadInput
from verifytui.sessions.paths import paths


def measure(name: str, subject: Subject = "answer") -> Measure:
    return Measure(name, "higher", lambda session, item: (), subject=subject)


MEASURES = {
    "accuracy": measure("accuracy"),
    "correctness": measure("correctness", "verification"),
    "tokens": measure("tokens", "price"),
}


def found(facts: dict[str, list[str]], n: int = 100, **more: Any) -> dict[str, Any]:
    figures = {name: Aggregate(0.5, n=n, clusters=n) for name in MEASURES}
    listed = warnings.of_run(figures, MEASURES, facts, **more)
    return {one.id: one for one in listed}


@pytest.mark.parametrize(
    ("judge", "author"),
    [
        ("openai/gpt-4o", "openai/gpt-4o"),
        ("openai/gpt-4o", "azure/gpt-4.1-mini"),
        ("openai/o3", "openai/chatgpt-4o"),
        ("strict (openai/x)", "loose (openai/x)"),
        ("jury: openai/gpt-4o, deepseek/deepseek-chat (majority)", "deepseek-v3"),
    ],
)
def test_a_judge_of_the_author_s_family_is_named_on_its_measures(
    judge: str, author: str
) -> None:
    facts = {"model.generator": [author], "model.verifier": [judge]}
    one = found(facts)["judge-is-author"]
    assert one.measures == ["correctness"]
    assert one.sentence.startswith("judge-is-author: ")


@pytest.mark.parametrize(
    ("judge", "author"),
    [
        ("openai/gpt-4o", "anthropic/claude-sonnet-4"),
        ("lexical", "lexical"),
        ("openai/a", "openai/b"),
    ],
)
def test_other_families_and_built_ins_are_not_named(judge: str, author: str) -> None:
    facts = {"model.generator": [author], "model.verifier": [judge]}
    assert found(facts) == {}


def test_a_model_that_compares_its_own_answers_is_named() -> None:
    facts = {"model.generator": ["qwen/qwen3-32b"]}
    one = found(facts, compared_by=["qwen2.5-7b"])["judge-is-author"]
    panel = ["jury: gpt-5, small (openai/qwen2.5-7b) (majority)"]
    assert "judge-is-author" in found(facts, compared_by=panel)
    assert one.measures == ["accuracy"]


def test_a_verifier_that_chose_the_references_is_circular() -> None:
    facts = {
        "model.generator": ["claude-3"],
        "model.verifier": ["bge-large"],
        "setting.rerank": ["bge-small"],
    }
    assert list(found(facts)) == ["circularity"]


def test_a_judge_that_labelled_for_an_encoder_or_taught_the_author_is_circular(
    home: Path, tmp_path: Path
) -> None:
    (tmp_path / "verifytui.json").write_text(
        '{"format": "verifytui-encoder/1", "labelled_by": ["openai/gpt-4o"]}'
    )
    facts = {
        "model.generator": ["claude-3"],
        "model.verifier": ["gpt-4.1"],
        "setting.rerank": [f"local:{tmp_path}"],
    }
    one = found(facts)["circularity"]
    assert one.values == {"judge": "gpt-4.1", "other": "openai/gpt-4o"}
    assert found({**facts, "setting.rerank": ["local:/elsewhere"]}) == {}
    data = tmp_path / "export"
    data.mkdir()
    (data / "export.json").write_text('{"models": {"verifications": {"gpt-4o": 9}}}')
    config = paths().config_file
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(
        f"models: {{tuned: {{model: openai/t, trained_on: {json.dumps(str(data))}}}}}"
    )
    facts = {"model.generator": ["tuned (openai/t)"], "model.verifier": ["gpt-4.1"]}
    assert found(facts)["circularity"].measures == ["correctness"]
    assert found(facts, compared_by=["gpt-5"])["circularity"].measures
    assert found({**facts, "model.generator": ["openai/t"]}) == {}


def test_a_file_of_levels_names_who_gave_them(tmp_path: Path) -> None:
    models = {"train-2k": {"openai/lb": 9}, "chosen": {"other": 1}}
    (tmp_path / "export.json").write_text(json.dumps({"models": models}))
    file = tmp_path / "qrels" / "train-2k.tsv"
    file.parent.mkdir()
    file.touch()
    assert made_by(file) == ["openai/lb"]
    assert made_by(tmp_path) == ["openai/lb", "other"]
    assert made_by(tmp_path, ["train"]) == []
    (tmp_path / "export.json").write_text("[")
    assert made_by(file) == made_by(tmp_path / "nothing") == []


def test_several_fingerprints_of_one_model_are_a_change() -> None:
    facts = {"model.verifier": ["openai/x"], "fingerprint.verifier": ["fp1", "fp2"]}
    one = found(facts)["changed-model"]
    assert one.measures == ["correctness"]
    assert one.values["prints"] == "fp1, fp2"
    facts["model.verifier"] = ["jury: openai/x, openai/y (majority)"]
    assert found(facts) == {}


def test_a_change_between_runs_is_found() -> None:
    runs = [
        {"model.generator": ["openai/x"], "fingerprint.generator": [name]}
        for name in ("fp1", "fp2")
    ]
    listed = [*MEASURES.values()]
    assert [one.id for one in warnings.across(runs, listed)] == ["changed-model"]
    assert warnings.across([runs[0], runs[0]], listed) == []


def test_few_items_are_counted_by_cluster_and_prices_are_not_named() -> None:
    assert found({}, 29)["small-n"].measures == ["accuracy", "correctness"]
    assert found({}, 30) == {}


def test_classes_are_skewed_from_nine_tenths_on() -> None:
    assert warnings.skewed((27, 3), ["kappa"])[0].values == {"share": "90%"}
    assert warnings.skewed((26, 4), ["kappa"]) == []
    assert warnings.skewed((9, 0), ["kappa"]) == []


def test_an_unknown_id_is_refused() -> None:
    with pytest.raises(BadInput, match="small-n"):
        warnings.known(["small"])


def pairs(n: int, wrong: int) -> list[Item]:
    """Half of the cases have the query's charge and are relevant; in `wrong` pairs the
    charge says something else.
    """
    made = []
    for place in range(n):
        same = place % 2 == 0
        level = 3 if same == (place >= wrong) else 1
        case = {"title": "Theft" if same else "Fraud", "gold": level}
        fields = {"query": {"title": "theft "}, "candidates": [case]}
        made.append(Item(str(place), str(place), "", fields))
    return made


def test_a_charge_that_tells_the_level_is_named_on_the_measures_of_levels() -> None:
    (one,) = warnings.confounded(pairs(20, 2), ["level_right"])
    assert (one.id, one.measures) == ("charge-confound", ["level_right"])
    assert one.values == {"share": "90%", "n": "20"}
    assert one.sentence.startswith("charge-confound: The charges")
    assert warnings.confounded(pairs(20, 3), ["level_right"]) == []
    assert warnings.confounded(pairs(8, 0), ["level_right"]) == []
    assert warnings.confounded(pairs(20, 2), []) == []
    alike = [one for one in pairs(40, 0) if one.fields["candidates"][0]["gold"] == 3]
    assert warnings.confounded(alike, ["level_right"]) == []
