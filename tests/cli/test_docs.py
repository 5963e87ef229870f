"""The blocks of docs/cli.md that begin with ``$`` are run, and say what comes out."""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from laser.cli import main

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs" / "cli.md"

_FILE = re.compile(r"^`([\w.]+)`:\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*)\n", re.MULTILINE)


def write_files(text, directory):
    for name, content in _FILE.findall(text):
        (directory / name).write_text(content, "utf-8")


def run_block(block, directory):
    """The block with what its commands really print."""
    return "".join(f"$ {command}\n{run(command, directory)}" for command in _COMMAND.findall(block))


def run(command, directory):
    """What a command prints; one without pipes needs no shell."""
    words = shlex.split(command)
    if words[0] == "laser" and not {"|", "<", ">"} & set(words):
        with contextlib.chdir(directory):
            return CliRunner().invoke(main, words[1:], prog_name="laser").output
    script = f'laser() {{ PYTHONPATH="{ROOT / "src"}" "{sys.executable}" -m laser "$@"; }}\n{command}'
    shell = ["bash", "-c", script]
    finished = subprocess.run(shell, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return finished.stdout.decode("utf-8")


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    directory = tmp_path_factory.mktemp("docs")
    write_files(DOCS.read_text("utf-8"), directory)
    return directory


@pytest.mark.parametrize("block", _CONSOLE.findall(DOCS.read_text("utf-8")), ids=lambda block: block.split("\n")[0])
def test_the_output_shown_on_the_page_is_the_real_output(block, directory):
    assert run_block(block, directory) == block


def rewrite():
    """Put what is printed into the page: ``python -m tests.cli.test_docs <directory>``."""
    directory, text = Path(sys.argv[1]), DOCS.read_text("utf-8")
    write_files(text, directory)
    DOCS.write_text(_CONSOLE.sub(lambda m: f"```console\n{run_block(m[1], directory)}```", text), "utf-8")


if __name__ == "__main__":
    rewrite()
