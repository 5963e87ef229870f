"""A directory with a program and a stream, and ways to run the command line in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from laser.cli import main

ROOT = Path(__file__).parent.parent.parent
PROGRAM = "q(X, Y) :- a(X, Y) in [3].\n"
STREAM = "36: a(x1, y).\n38: a(x2, y).\n41:\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working directory with ``p.lars`` and ``s.stream``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.lars").write_text(PROGRAM)
    (tmp_path / "s.stream").write_text(STREAM)
    return tmp_path


@pytest.fixture
def laser(here):
    """Run a command within this process."""

    def run(*args, stdin=None, code=0):
        result = CliRunner().invoke(main, [str(arg) for arg in args], input=stdin, prog_name="laser")
        assert result.exit_code == code, f"{result.exit_code}: {result.output}\n{result.exception!r}"
        return result

    return run


@pytest.fixture
def start(here):
    """Start a command as a process of its own."""
    started = []

    def run(*args, **extra):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **extra}
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        process = subprocess.Popen([sys.executable, "-m", "laser", *args], env=environment, text=True, **pipes)
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
