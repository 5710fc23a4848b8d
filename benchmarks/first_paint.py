"""First paint of `verifytui` in a pseudo-terminal against a bare Textual app with three
empty tabs; start of `--version`, `--help`.
"""

from __future__ import annotations

import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from fcntl import ioctl
from termios import TIOCSWINSZ

BARE = """
from textual.app import App
from textual.widgets import TabbedContent, TabPane
class Bare(App):
    def compose(self):
        with TabbedContent():
            for name in ("Debate", "Second", "Third"):
                yield TabPane(name)
Bare().run()
"""


def paint_time(command: list[str], wanted: bytes, env: dict[str, str]) -> float:
    """Seconds from start until `wanted` has been drawn."""
    began = time.perf_counter()
    pid, master = pty.fork()
    if pid == 0:
        os.execvpe(command[0], command, env)
    ioctl(master, TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    seen = b""
    while wanted not in seen:
        if not select.select([master], [], [], 30)[0]:
            raise SystemExit(f"nothing was painted by {command}")
        seen += os.read(master, 65536)
    took = time.perf_counter() - began
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    os.close(master)
    return took


def run_time(command: list[str], env: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main(times: int = 15) -> None:
    with tempfile.TemporaryDirectory() as home:
        env = {
            **os.environ,
            "VERIFYTUI_HOME": home,
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
        }
        # Where this is set, modules that pip did not compile are compiled at each start.
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        python = sys.executable
        rows: dict[str, list[float]] = {
            "bare": [],
            "app": [],
            "rich": [],
            "version": [],
            "help": [],
        }
        for _ in range(times):
            rows["bare"].append(paint_time([python, "-c", BARE], b"Second", env))
            rows["app"].append(
                paint_time([python, "-m", "verifytui"], b"Relevance", env)
            )
            rows["rich"].append(run_time([python, "-c", "import rich.console"], env))
            rows["version"].append(
                run_time([python, "-m", "verifytui", "--version"], env)
            )
            rows["help"].append(run_time([python, "-m", "verifytui", "--help"], env))
    middle = {name: statistics.median(values) * 1000 for name, values in rows.items()}
    print(
        f"first paint   verifytui {middle['app']:.0f} ms   bare "
        f"{middle['bare']:.0f} ms   ratio {middle['app'] / middle['bare']:.2f}"
    )
    for name in ("version", "help"):
        print(
            f"--{name:<9}   {middle[name]:.0f} ms   import rich.console "
            f"{middle['rich']:.0f} ms   ratio {middle[name] / middle['rich']:.2f}"
        )


if __name__ == "__main__":
    main()
