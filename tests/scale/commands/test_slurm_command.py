"""`verifytui slurm`: the script runs with an `sbatch` that works off arrays on this
machine, and leaves what one run leaves.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from verifytui.tests.support.commanding import command, refused, rows
from verifytui.tests.support.loopback import Answer, Loopback

pytestmark = pytest.mark.slow

KEY = "sk-slurm-0123456789abcdef"
SBATCH = r"""#!/bin/bash
# Works off an array, task by task, or a script from stdin; then prints the job's number.
echo "$*" >> "$SBATCH_LOG"
script=
for word; do
  case "$word" in --*) ;; *) script=$word ;; esac
done
if [ -z "$script" ]; then
  bash - >> "$SBATCH_LOG.merge" 2>&1
  echo "rc $?" >> "$SBATCH_LOG.merge"
  echo 7002
  exit
fi
copy=$SBATCH_LOG.copy
cp -- "$script" "$copy"
range=$(sed -n 's/^#SBATCH --array=//p' "$copy")
first=${range%-*} last=${range#*-}
export SLURM_ARRAY_JOB_ID=7001 SLURM_ARRAY_TASK_MIN=$first SLURM_ARRAY_TASK_MAX=$last
export SLURM_ARRAY_TASK_COUNT=$((last - first + 1)) SLURM_ARRAY_TASK_STEP=1
for ((task = last; task >= first; task--)); do
  SLURM_ARRAY_TASK_ID=$task bash "$copy" >> "$SBATCH_LOG.tasks" 2>&1
done
echo "7001;cluster"
"""


@pytest.fixture
def cluster(
    server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Loopback:
    """A machine with `sbatch`, and a working folder whose name a shell must not read."""
    bin_, folder = tmp_path / "bin", tmp_path / "it's $(touch gone) a `b`"
    bin_.mkdir()
    folder.mkdir()
    (bin_ / "sbatch").write_text(SBATCH)
    (bin_ / "sbatch").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_}:{os.environ['PATH']}")
    monkeypatch.setenv("SBATCH_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in os.environ:
        if name.startswith("SLURM_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(folder)
    server.answer = Answer(text="The answer is 42.")
    lines = [{"id": f"t{n}", "topic": f"Why {n}?", "answers": ["42"]} for n in range(5)]
    Path("to pics.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    return server


def write(*words: str, tasks: int = 3) -> Any:
    return command(
        "slurm",
        *("--tasks", str(tasks), "--time", "1:00:00", "--partition", "cpu"),
        *("-o", "run it.sh"),
        *words,
        cwd=Path.cwd(),
    )


SOLO = ["solo", "--topics", "to pics.jsonl", "--model", "openai/lb"]


def timeless(path: str) -> Any:
    found = json.loads(Path(path).read_text())
    found.pop("seconds")
    found["per_item"].pop("seconds", None)
    return found


def test_the_script_leaves_what_one_run_leaves(
    cluster: Loopback, tmp_path: Path
) -> None:
    written = write(*SOLO, "--into", "a $x 'b'", "--prompts", "en")
    assert written.returncode == 0, written.stderr
    assert "5 solo sessions to run, 5 calls" in written.stdout
    assert "3 tasks, then a job that merges them" in written.stderr
    assert cluster.requests == []
    text = Path("run it.sh").read_text()
    assert KEY not in text
    assert "OPENAI_API_KEY." in text
    subprocess.run(["bash", "-n", "run it.sh"], check=True)
    if shutil.which("shellcheck"):
        literal = "SC2016"  # a $ between quotes is the user's own
        subprocess.run(["shellcheck", "-e", literal, "run it.sh"], check=True)
    sent = subprocess.run(["bash", "run it.sh"], capture_output=True, text=True)
    assert (sent.returncode, sent.stdout) == (0, "7002\n"), sent.stderr
    merged = (tmp_path / "log.merge").read_text()
    assert "rc 0" in merged, merged + (tmp_path / "log.tasks").read_text()
    assert not list(tmp_path.rglob("gone"))
    asked = (tmp_path / "log").read_text().splitlines()
    assert asked[0] == "--parsable run it.sh"
    assert "--dependency=afterany:7001 " in asked[1]
    assert len(cluster.requests) == 5
    assert command(*SOLO, "--into", "whole", cwd=Path.cwd()).returncode == 0
    assert timeless("a $x 'b'/report.json") == timeless("whole/report.json")
    ids = [row["id"] for row in rows(Path("a $x 'b'/summary.jsonl").read_text())]
    assert ids == [f"t{n}" for n in range(5)]
    subprocess.run(["bash", "run it.sh"], capture_output=True, check=True)
    assert len(cluster.requests) == 10, "sent again, it has nothing to ask"


def test_a_study_is_dealt_out_and_merged(cluster: Loopback, tmp_path: Path) -> None:
    Path("small.yaml").write_text(
        "format: verifytui-study/1\nname: small\ntitle: Two\n"
        "items: {adapter: jsonl, file: to pics.jsonl}\n"
        "base: {method: solo, model: {'*': openai/lb}}\n"
        "grid: {strategy: [direct, cot]}\nmeasures: [accuracy]\n"
    )
    study = ["study", "small.yaml"]
    written = write(*study, "--into", "dealt", tasks=2)
    assert written.returncode == 0, written.stderr
    subprocess.run(["bash", "run it.sh"], capture_output=True, check=True)
    merged = (tmp_path / "log.merge").read_text()
    assert "rc 0" in merged, merged + (tmp_path / "log.tasks").read_text()
    assert command(*study, "--into", "whole", cwd=Path.cwd()).returncode == 0
    scores = [
        [
            row
            for row in rows(Path(name, "scores.jsonl").read_text())
            if row["measure"] != "seconds"
        ]
        for name in ("dealt", "whole")
    ]
    assert scores[0] == scores[1] != []


def test_a_task_whose_time_is_over_ends_and_is_gone_on_with(
    cluster: Loopback, tmp_path: Path
) -> None:
    write(*SOLO, "--into", "runs", "--concurrency", "1", tasks=2)
    answer = cluster.answer
    cluster.answer = Answer(text="Late.", first_delay=600)
    variables = {"MIN": "1", "MAX": "2", "COUNT": "2", "STEP": "1", "ID": "1"}
    env = {f"SLURM_ARRAY_TASK_{name}": value for name, value in variables.items()}
    task = subprocess.Popen(
        ["bash", "run it.sh"],
        env={**os.environ, **env},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert cluster.wait_until(lambda server: bool(server.requests), 60)
    task.send_signal(signal.SIGTERM)
    assert task.communicate(timeout=30)[1].count(b"Stopped. runs-1of2 has 0 of 3 done")
    assert task.returncode == 130
    cluster.answer = answer
    subprocess.run(["bash", "run it.sh"], capture_output=True, check=True)
    assert "rc 0" in (tmp_path / "log.merge").read_text()
    assert json.loads(Path("runs/report.json").read_text())["done"] == 5


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "slurm needs a batch or a study"),
        (["locate"], "not “locate”"),
        (["study"], "slurm needs a batch or a study"),
        (["nonsense", "--into", "x"], "nonsense"),
        ([*SOLO, "--into", "x", "--nonsense"], "--nonsense"),
        (SOLO, "--into"),
        (
            [*SOLO, "--into", "x", "--shard", "1/2"],
            "--shard does not work in a job array",
        ),
        ([*SOLO, "--into", "x", "--detach"], "--detach does not work"),
        ([*SOLO[:2], "-", "--into", "x"], "no standard input"),
        ([*SOLO, "--into", "x", "--prompts", KEY], "contains a key"),
        ([*SOLO, "--into", "x\ny"], "line break"),
        (["solo", "--topics", "none.jsonl", "--into", "x"], "none.jsonl"),
    ],
)
def test_what_cannot_be_dealt_out_is_refused_and_nothing_is_written(
    cluster: Loopback, words: list[str], told: str
) -> None:
    refused(write(*words), told)
    assert not Path("run it.sh").exists()
    assert cluster.requests == []


def test_a_seat_that_cannot_be_asked_is_refused(cluster: Loopback) -> None:
    done = write(*SOLO, "--into", "x", "--model", "openi/lb")
    assert done.returncode == 2
    assert "no provider for openi/lb" in done.stderr
    assert not Path("run it.sh").exists()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--time", "soon"),
        ("--time", "1:00:00\n#SBATCH --wrap=x"),
        ("--partition", "a b"),
        ("--partition", "x\n"),
        ("--mem", "lots"),
        ("--mem", "-4G"),
        ("--name", "$(id)"),
        ("--tasks", "1"),
        ("--tasks", "1001"),
        ("--output", "to pics.jsonl"),
    ],
)
def test_odd_values_are_refused(cluster: Loopback, option: str, value: str) -> None:
    given = ["--tasks", "3", "-o", "new.sh", option, value, *SOLO, "--into", "x"]
    done = command("slurm", *given, cwd=Path.cwd())
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert not Path("new.sh").exists()
    assert len(done.stderr.splitlines()) == 1
