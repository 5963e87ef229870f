"""Hooks of MkDocs: the pages of this repository as a site (``make docs``).

Pages are written to be read in the repository, and tested there. The site shows the same files: links between them lead to
pages of the site, links to source code become plain text, and the words that only tests read are taken off the fences of code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contribute.md",
    "SECURITY.md": "security.md",
    "examples/README.md": "examples.md",
}
"""Pages that are not below docs/, and where the site has them."""

LANGUAGES = {"answer": "text", "stream": "lars", "tree": "text"}
"""Fences that are no language of their own."""

_FENCE = re.compile(r"^(```)(\w+)[^\n]*$", re.MULTILINE)
_LINK = re.compile(r"(!?)\[([^\]\n]*)\]\((?!\w+:|#)([^)\s#]*)(#[^)\s]*)?\)")
_CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


class DoctestFences(Preprocessor):
    """Examples of docstrings are code, though nobody fenced them."""

    def run(self, lines: list[str]) -> list[str]:
        found: list[str] = []
        fenced = inside = False
        for line in lines:
            fenced ^= line.startswith("```")
            if not fenced and not inside and line.startswith(">>> "):
                found.append("```python")
                inside = True
            elif inside and not line.strip():
                found.append("```")
                inside = False
            found.append(line)
        return [*found, "```"] if inside else found


class Doctests(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Markdown's name
        before_fences = 40
        md.preprocessors.register(DoctestFences(md), "doctests", before_fences)


def on_config(config: MkDocsConfig) -> None:
    """List the decisions by themselves, so that a new one is not forgotten."""
    config.markdown_extensions.append(Doctests())  # type: ignore[arg-type]  # an extension may be an object
    decisions = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    listed = [{_title(path): f"decisions/{path.name}"} for path in decisions]
    assert config.nav is not None
    config.nav[-1]["How it works"].append({"Decisions": listed})


def _title(path: Path) -> str:
    return path.read_text("utf-8").splitlines()[0].removeprefix("# ")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and pictures that lie elsewhere in the repository."""
    for source, target in PAGES.items():
        if (ROOT / source).exists():
            files.append(File.generated(config, target, content=(ROOT / source).read_text("utf-8")))
    for picture in _pictures():
        files.append(File.generated(config, picture.relative_to(ROOT).as_posix(), abs_src_path=str(picture)))
    return files


def _pictures() -> Iterable[Path]:
    return [path for kind in ("svg", "png") for path in sorted((ROOT / "examples").rglob(f"*.{kind}"))]


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    source = _source(page.file.src_uri)
    parts, done = [], 0
    for block in _CODE.finditer(markdown):
        parts += [_with_links(markdown[done : block.start()], source, files), _with_language(block[0])]
        done = block.end()
    return "".join([*parts, _with_links(markdown[done:], source, files)])


def _source(target: str) -> str:
    """Where in the repository a page of the site is written."""
    return next((source for source, page in PAGES.items() if page == target), f"docs/{target}")


def _with_language(block: str) -> str:
    return _FENCE.sub(lambda found: f"```{LANGUAGES.get(found[2], found[2])}", block, count=1)


def _with_links(text: str, source: str, files: Files) -> str:
    def link(found: re.Match[str]) -> str:
        picture, label, path, anchor = found[1], found[2], found[3], found[4] or ""
        wanted = normpath((PurePosixPath(source).parent / path).as_posix())
        target = PAGES.get(wanted, wanted.removeprefix("docs/"))
        if files.get_file_from_path(target) is None:
            return label
        here = PurePosixPath(PAGES.get(source, source.removeprefix("docs/"))).parent.as_posix()
        return f"{picture}[{label}]({relpath(target, here)}{anchor})"

    return _LINK.sub(link, text)


def on_page_context(context: dict[str, Any], page: Page, config: MkDocsConfig, nav: Any) -> None:
    """Pages have no address at which they could be edited."""
    page.edit_url = None
