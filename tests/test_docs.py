"""The documents say what is true: their programs run, their links lead somewhere, and nothing public is left out.

The pages of ``PAGES`` are read block by block, in order:

* ```` ```lars ```` is a program. The words behind ``lars`` are the codes of what ``laser check`` finds in it: none, nothing.
* ```` ```lars formal ```` is the program of the block before it, in the paper's notation: the same rules.
* ```` ```stream ```` is a stream for the last program.
* ```` ```answer ```` is what ``laser eval`` prints for the last program and stream, messages included; the words behind ``answer`` are
  its options, as in ```` ```answer --as intervals ````.
* ```` ```console ```` is commands behind ``$`` and what they print. A block below a line of the form ```` `name.lars`: ```` is a file
  of that name; all commands of a page run in one directory, which has a copy of ``examples/``.
* ```` ```python ```` with ``>>>`` is a doctest; the blocks of a page share one namespace, and run in that directory.
* ```` ```python generated ```` is a part of the code to which the last program is compiled.

Other blocks are not looked at. ``python -m tests.test_docs`` puts into the pages what is printed now: read the difference before you keep it.
"""

from __future__ import annotations

import contextlib
import doctest
import re
import shlex
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

import laser
from laser import errors
from laser.checks import find
from laser.checks.accept import accept
from laser.cli import main
from laser.engine.describe import source
from laser.errors import ProgramError
from laser.plan.nodes import InputNode, MadeNode
from laser.syntax.parser import parse_tree
from tests.cli.test_docs import run_block, write_files

ROOT = Path(__file__).parent.parent
NAMES = (
    "first-hour",
    "dirty-data",
    "language",
    "patterns",
    "python",
    "explain",
    "how-it-works",
    "state",
    "histories",
    "comparison",
)
PAGES = [ROOT / "docs" / f"{name}.md" for name in NAMES]
HOW_IT_WORKS = ROOT / "docs" / "how-it-works.md"
PAGES += [ROOT / "examples" / "README.md", ROOT / "CONTRIBUTING.md"]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "examples" / "README.md"])

_BLOCK = re.compile(r"^```(\w+) ?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)\s]+)\)")
_FILE = re.compile(r"`((?:\w+/)*\w+\.(?:py|lark))`")
_PRINTED = ("answer", "console")


class Page:
    """A page on the way through its blocks."""

    def __init__(self, path: Path, directory: Path) -> None:
        self.path, self.directory = path, directory
        self.text = path.read_text("utf-8")
        self.program = self.stream = ""
        self.names: dict[str, object] = {}
        shutil.copytree(ROOT / "examples", directory / "examples", dirs_exist_ok=True)
        write_files(self.text, directory)

    def block(self, kind: str, words: str, text: str) -> str:
        """What the block should be."""
        if kind == "lars":
            return self.lars(words.split(), text)
        if kind == "stream":
            self.stream = text
        elif kind == "answer":
            return self.answer(words)
        elif kind == "console":
            return run_block(text, self.directory)
        elif kind == "python" and words == "generated":
            assert text.strip() in source(parse_tree(self.program))
        elif kind == "python" and ">>>" in text:
            self.doctest(text)
        return text

    def lars(self, words: list[str], text: str) -> str:
        if words == ["formal"]:
            assert accept(parse_tree(text)).rules == accept(parse_tree(self.program)).rules
        else:
            self.program = text
            assert codes(text) == set(words)
        return text

    def answer(self, options: str) -> str:
        program, stream = self.directory / "program.lars", self.directory / "input.stream"
        program.write_text(self.program, "utf-8")
        stream.write_text(self.stream, "utf-8")
        with contextlib.chdir(self.directory):
            words = ["eval", program.name, stream.name, *shlex.split(options)]
            return CliRunner().invoke(main, words, prog_name="laser").output

    def doctest(self, text: str) -> None:
        test = doctest.DocTestParser().get_doctest(text, self.names, self.path.name, self.path.name, 0)
        printed: list[str] = []
        with contextlib.chdir(self.directory):
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            failed = runner.run(test, out=printed.append, clear_globs=False).failed
        assert not failed, "".join(printed)
        self.names.update(test.globs)


def codes(program: str) -> set[str]:
    """The codes of all findings."""
    try:
        return {finding.code for finding in find(parse_tree(program))}
    except ProgramError as error:
        return {finding.code for finding in error.diagnostics}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_output_shown_on_a_page_is_the_real_output(path: Path, tmp_path: Path) -> None:
    page = Page(path, tmp_path)
    for match in _BLOCK.finditer(page.text):
        kind, words, text = match.groups()
        line = page.text.count("\n", 0, match.start()) + 1
        assert page.block(kind, words, text) == text, f"{path.name}:{line}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_have_targets(path: Path) -> None:
    for target in _LINK.findall(_CODE_BLOCK.sub("", path.read_text("utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        there = (path.parent / name).resolve() if name else path
        assert there.exists(), f"{path.name}: {target}"
        assert not anchor or anchor in anchors(there.read_text("utf-8")), f"{path.name}: {target}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_that_a_page_names_exist(path: Path) -> None:
    named = _FILE.findall(path.read_text("utf-8"))
    assert [name for name in named if not any((base / name).exists() for base in (ROOT, ROOT / "src" / "laser"))] == []


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to headings."""
    headings = re.findall(r"^#+ (.*)$", _CODE_BLOCK.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_public_name_is_documented() -> None:
    text = (ROOT / "docs" / "python.md").read_text("utf-8")
    members = [name for name in vars(laser.Reasoner) if not name.startswith("_")]
    missing = [name for name in [*laser.__all__, *members] if not re.search(rf"\b{name}\b", text)]
    assert not missing


def test_the_tree_of_errors_is_the_one_in_the_code() -> None:
    tree = re.search(r"LaserError\n(?:[├└].*\n)+", errors.__doc__ or "")
    assert tree is not None
    assert tree[0] in (ROOT / "docs" / "python.md").read_text("utf-8")


def test_the_rooms_are_drawn_as_the_contract_has_them() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    drawn = re.search(r"^```text\n(.*?)^```$", HOW_IT_WORKS.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert drawn is not None
    rooms = [re.split(r"  +", line)[0] for line in drawn[1].splitlines()]
    assert rooms == [layer.strip("()") for layer in contracts[0]["layers"]]


def test_every_kind_of_node_is_described() -> None:
    rows = [line for line in HOW_IT_WORKS.read_text("utf-8").splitlines() if line.startswith("| `")]
    kinds = [kind.__name__ for kind in (*get_args(InputNode), *get_args(MadeNode))]
    assert [kind for kind in kinds if not any(re.search(rf"`{kind}\b", row) for row in rows)] == []


@pytest.mark.parametrize(
    ("index", "folder", "pattern"),
    [
        ("docs/README.md", "docs", "*.md"),
        ("docs/README.md", "docs", "decisions/*.md"),
        ("examples/README.md", "examples", "*.lars"),
    ],
)
def test_an_index_names_every_file(index: str, folder: str, pattern: str) -> None:
    text = (ROOT / index).read_text("utf-8")
    paths = [path.relative_to(ROOT / folder) for path in (ROOT / folder).glob(pattern) if path != ROOT / index]
    assert [str(path) for path in sorted(paths) if f"({path})" not in text] == []


def test_the_programs_of_the_readme_are_those_of_the_examples() -> None:
    shown = [text for _, _, text in _BLOCK.findall((ROOT / "README.md").read_text("utf-8"))]
    for name in ("first.lars", "first.stream"):
        assert (ROOT / "examples" / name).read_text("utf-8") in shown


def rewrite() -> None:
    """Put what is printed into the pages."""
    for path in [page for page in PAGES if page.exists()]:
        with tempfile.TemporaryDirectory() as directory:
            page = Page(path, Path(directory))

            def renew(match: re.Match[str], page: Page = page) -> str:
                kind, words, text = match.groups()
                try:
                    new = page.block(kind, words, text)
                except AssertionError as error:
                    line = page.text.count("\n", 0, match.start()) + 1
                    print(f"{page.path.name}:{line}: {error}")
                    return match[0]
                return f"```{kind}{words and ' '}{words}\n{new if kind in _PRINTED else text}```"

            path.write_text(_BLOCK.sub(renew, page.text), "utf-8")


if __name__ == "__main__":
    sys.exit(rewrite())
