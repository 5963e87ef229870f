"""The code blocks of the README run, in order, in one directory."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8") if (ROOT / "README.md").exists() else ""
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    return [text for kind, text in BLOCKS if kind in language.split()]


def test_python_blocks_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """All Python blocks share one namespace, as a reader who types them in would have it."""
    import doctest

    monkeypatch.chdir(ROOT)
    namespace: dict = {}
    for text in blocks("python py"):
        if ">>>" in text:
            test = doctest.DocTestParser().get_doctest(text, namespace, "README.md", "README.md", 0)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
            runner.run(test, clear_globs=False)
            assert runner.summarize(verbose=False).failed == 0
            namespace.update(test.globs)
        else:
            exec(compile(text, "README.md", "exec"), namespace)


@pytest.mark.parametrize("text", blocks("console"))
def test_laser_commands_run(text: str, tmp_path: Path) -> None:
    """In a console block, what stands behind `$ laser …` prints what follows it."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")  # what a command writes does not land in the project
    for command, output in re.findall(r"^\$ (laser .*)\n((?:(?!\$ ).*\n?)*)", text, flags=re.MULTILINE):
        arguments = [sys.executable, "-m", *shlex.split(command)]
        done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode in (0, 1), done.stderr
        if output.strip():
            assert normal(output) in normal(done.stdout + done.stderr)


@pytest.mark.parametrize("text", blocks("lars"))
def test_programs_are_accepted(text: str) -> None:
    from laser.checks.load import parse

    parse(text, "README.md")


def normal(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
