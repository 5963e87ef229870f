"""What docs/plot.md shows is what happens; ``python -m tests.plot.test_docs`` brings it up to date."""

from __future__ import annotations

import contextlib
import doctest
import re
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.cli.test_docs import run_block

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "plot.md"
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plot")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


@pytest.mark.parametrize("block", _CONSOLE.findall(PAGE.read_text("utf-8")), ids=lambda block: block.split("\n")[0])
def test_the_output_shown_on_the_page_is_the_real_output(block: str, directory: Path) -> None:
    assert run_block(block, directory) == block


@pytest.mark.parametrize("block", _PYTHON.findall(PAGE.read_text("utf-8")))
def test_the_python_of_the_page_runs(block: str, directory: Path) -> None:
    test = doctest.DocTestParser().get_doctest(block, {}, "plot.md", "plot.md", 0)
    with contextlib.chdir(directory):
        assert not doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        shutil.copytree(ROOT / "examples", Path(made) / "examples")
        text = PAGE.read_text("utf-8")
        PAGE.write_text(_CONSOLE.sub(lambda match: f"```console\n{run_block(match[1], Path(made))}```", text), "utf-8")
