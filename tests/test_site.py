"""The site of the documents can be built: no link is broken, no page is left out, and every public name is there."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import laser

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """It is built strictly: a link or an anchor that leads nowhere, or a page that the site does not list, is an error."""
    place = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(place)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return place


class Page(HTMLParser):
    """The ids of a page, and the classes of its marks."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.classes: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids.add(given.get("id") or "")
        self.classes.update((given.get("class") or "").split())


def test_every_page_of_the_repository_is_a_page_of_the_site(site):
    written = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")} - {Path("README.md")}
    assert {path.with_suffix(".html") for path in written} <= {path.relative_to(site) for path in site.rglob("*.html")}


def test_every_public_name_is_in_the_reference(site):
    pytest.importorskip("pyspark")
    import laser.spark

    ids = {name.rsplit(".", 1)[-1] for name in Page(site / "api.html").ids}
    assert {*laser.__all__, *laser.spark.__all__} <= ids


@pytest.mark.parametrize("name", laser.__all__)
def test_every_public_name_says_what_it_is(name):
    assert (getattr(laser, name).__doc__ or "").strip()


def test_programs_have_colours(site):
    assert {"nv", "k", "m"} <= Page(site / "language.html").classes
