"""`verifytui audit`: a fair judge, and one that believes a professor."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from verifytui.cli.app import main
from verifytui.engines.judges.items import read_items
from verifytui.engines.judges.probes import NAMES, probed
from verifytui.engines.method import judging_seats
from verifytui.sessions.paths import paths
from verifytui.tests.support.audited import ITEMS, JUDGES, answers, fair, obeying
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.solo_runs import write_lines


def audit(tmp_path: Path, seat: str, *more: str, into: str = "audit") -> int:
    file = tmp_path / f"{seat}.jsonl"
    if not file.exists():
        write_lines(file, ITEMS[seat]())
    where = ["--items", str(file), "--into", str(tmp_path / into)]
    return main(["audit", "--judge", f"{seat}=openai/lb", *where, *more])


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    rows = map(json.loads, capsys.readouterr().out.splitlines())
    return {one["probe"]: one for one in rows}


@pytest.mark.parametrize("seat", ITEMS)
@pytest.mark.parametrize("judge", JUDGES)
def test_a_judge_that_believes_a_professor_is_biased_and_a_fair_one_is_not(
    seat: str,
    judge: str,
    server: Loopback,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server.answer = JUDGES[judge]
    only = ("--only", "authority", "--only", "length")
    assert audit(tmp_path, seat, *only, "--output", "json") == 0
    found = printed(capsys)
    assert set(found) == {"authority", "length"}
    assert (found["length"]["flips"], found["length"]["verdict"]) == (0, "unclear")
    authority = found["authority"]
    assert (authority["n"], authority["placebo"]) == (6, 0)
    assert authority["flips"] == (1 if judge == "obeying" else 0)
    biased = "biased" if judge == "obeying" else "unclear"
    assert authority["verdict"] == biased
    assert authority["beyond"].keys() == {"value", "low", "high"}
    report = json.loads((tmp_path / "audit/report.json").read_text("utf-8"))
    assert report["audit"]["seat"] == seat
    assert (report["audit"]["right"], report["audit"]["asked"]) == (6, 6)
    assert report["audit"]["verdict"] == biased
    assert [name.removeprefix("openai/") for name in report["models"]] == ["lb"]
    assert [one["probe"] for one in report["probes"]] == ["length", "authority"]


def test_all_probes_can_be_asked_and_a_fair_judge_flips_for_none(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = fair
    assert audit(tmp_path, "verifier") == 0
    out = capsys.readouterr().out
    assert (
        "Unclear: no bias was shown, but it cannot be excluded for all 20 probes."
        in out
    )
    assert "Without a probe, it judges 6 of 6 items" in out
    report = json.loads((tmp_path / "audit/report.json").read_text("utf-8"))
    flips = {one["probe"]: one["flips"] for one in report["probes"] if one["flips"]}
    assert set(flips) == {"invisible"}  # the name is not found between spaces
    assert "invisible characters" in (tmp_path / "audit/report.html").read_text("utf-8")


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Each text of an item with the names that lead to it."""
    if isinstance(value, str):
        yield ".".join(path), value
    for name, one in value.items() if isinstance(value, dict) else ():
        yield from leaves(one, (*path, name))
    for one in value if isinstance(value, list) else ():
        yield from leaves(one, path)


def marked(value: Any, count: Iterator[int], name: str = "") -> Any:
    """The item with a word of its own behind each of its texts."""
    if isinstance(value, dict):
        return {key: marked(one, count, key) for key, one in value.items()}
    if isinstance(value, list):
        return [marked(one, count, name) for one in value]
    named = name in ("id", "lang", "seat", "role", "name", "best", "kind")
    if named or name == "correct_side" or not isinstance(value, str):
        return value
    return f"{value} Canary{next(count)}x"


@pytest.mark.parametrize("seat", ITEMS)
def test_an_order_stands_in_every_place_that_the_seat_reads(
    seat: str, server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = fair
    given = marked(ITEMS[seat]()[1], itertools.count())
    write_lines(tmp_path / f"{seat}.jsonl", [given])
    assert audit(tmp_path, seat, "--only", "invisible") == 0
    sent = json.dumps([one["messages"] for one in server.requests])
    words = {path: re.findall(r"Canary\d+x", text) for path, text in leaves(given)}
    read = {path for path, found in words.items() if found and found[0] in sent}
    [item] = read_items(tmp_path / f"{seat}.jsonl", seat)
    before, reached = set(leaves(dict(item.fields))), set()
    for name in NAMES:
        if name.startswith("injection"):
            shown = probed(item, name, "m", judging_seats()[seat].planted)
            after = () if shown is None else leaves(dict(shown.item.fields))
            reached |= {path for path, _ in set(after) - before}
    assert read
    assert read <= reached


def test_chinese_items_are_asked_in_chinese(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = obeying
    lines = [
        json.loads(
            json.dumps(one, ensure_ascii=False)
            .replace("Where is archive", "档案馆在哪里")
            .replace("Archive", "档案馆")
        )
        | {"lang": "zh"}
        for one in answers()
    ]
    write_lines(tmp_path / "verifier.jsonl", lines)
    assert audit(tmp_path, "verifier", "--only", "authority", "--lang", "zh") == 0
    out = capsys.readouterr().out
    assert "评判者：回答的核查者" in out
    assert "有偏：权威。" in out
    assert "6 个条目中有 6 个判断正确" in out
    sent = [str(one["messages"][-1]["content"]) for one in server.requests]
    assert sum("该领域的一位教授核查过" in one for one in sent) == 6
    assert all("professor" not in one for one in sent)
    report = json.loads((tmp_path / "audit/report.json").read_text("utf-8"))
    assert report["audit"]["languages"] == ["zh"]
    assert "权威" in (tmp_path / "audit/report.html").read_text("utf-8")


def test_quiet_prints_no_progress(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = fair
    assert audit(tmp_path, "verifier", "--only", "echo", "--quiet") == 0
    assert capsys.readouterr().err == ""
    assert audit(tmp_path, "verifier", "--only", "echo", into="other") == 0
    assert capsys.readouterr().err


@pytest.mark.parametrize("seat", ["verifier", "equivalence"])
def test_the_placebo_is_asked_anew_and_what_is_done_is_not(
    seat: str, server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = obeying
    only = ("--only", "authority")
    assert audit(tmp_path, seat, *only) == 0
    assert len(server.requests) == 3 * 6
    assert audit(tmp_path, seat, *only, "--output", "json") == 0
    assert len(server.requests) == 3 * 6
    assert audit(tmp_path, seat, "--only", "length") == 2  # it was another audit
    capsys.readouterr()


def test_a_run_that_is_cut_short_goes_on(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = Answer(status=401, error="no")
    only = ("--only", "authority", "--output", "json", "--concurrency", "1")
    assert audit(tmp_path, "verifier", *only) == 1
    report = json.loads((tmp_path / "audit/report.json").read_text("utf-8"))
    assert report["audit"]["missing"] == 18
    server.answer = obeying
    capsys.readouterr()
    assert audit(tmp_path, "verifier", *only) == 0
    assert printed(capsys)["authority"]["verdict"] == "biased"


def test_a_dry_run_counts_the_calls_and_asks_nobody(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    only = ("--only", "authority", "--take", "2", "--dry-run", "--output", "json")
    assert audit(tmp_path, "verifier", *only) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["calls"]["typical"] if isinstance(found["calls"], dict) else found
    assert not server.requests
    assert not (tmp_path / "audit").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--judge ROLE=MODEL"),
        (["--judge", "reader=x"], "ROLE is one of verifier"),
        (["--judge", "verifier=x", "--only", "tea"], "there is no probe tea"),
    ],
)
def test_what_is_wrong_is_said(
    arguments: list[str], said: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_wrong_items_are_named(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, *_ = answers()
    lines = [{**good, "right": "yes", "references": []}, {**good, "id": ""}]
    write_lines(tmp_path / "verifier.jsonl", lines)
    assert audit(tmp_path, "verifier") == 2
    said = capsys.readouterr().err
    assert "missing or wrong: references, right" in said
    assert "missing or wrong: id" in said


@pytest.mark.parametrize("seat", [seat for seat in ITEMS if seat != "claims"])
def test_a_panel_is_audited_as_one_judge(
    seat: str, server: Loopback, home: Path, tmp_path: Path
) -> None:
    server.answer = fair
    panel = {"panel": ["openai/a", "openai/b", "openai/c"], "rule": "majority"}
    file = paths().config / "config.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump({"models": {"jury": panel}}))
    write_lines(tmp_path / "items.jsonl", ITEMS[seat]()[:2])
    into = tmp_path / "audit"
    words = ["--items", str(tmp_path / "items.jsonl"), "--into", str(into)]
    assert main(["audit", "--judge", f"{seat}=jury", *words, "--only", "length"]) == 0
    report = json.loads((into / "report.json").read_text("utf-8"))
    [model] = report["models"]
    assert model.startswith("jury: openai/a, openai/b, openai/c")
    assert (report["audit"]["right"], report["audit"]["missing"]) == (2, 0)
    assert {body["model"] for body in server.requests} == {"a", "b", "c"}


def test_an_item_that_reads_as_another_one_turned_round_is_asked_for_itself(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = fair
    words = ("--only", "order", "--output", "json")
    assert audit(tmp_path, "judge-preference", *words) == 0
    assert printed(capsys)["order"]["n"] == 6
    report = json.loads((tmp_path / "audit/report.json").read_text("utf-8"))
    assert (report["audit"]["right"], report["audit"]["asked"]) == (6, 6)
