"""The files of the page, all read at the start: no request can name a file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from laser.checks.load import read_text
from laser.io.lines import open_lines
from laser.serve.settings import Settings
from laser.syntax.includes import inlined

__all__ = ["FILES", "examples", "initial"]

FOLDER = Path(__file__).parent / "page"
# A wheel has the examples of the repository beside the page; a checkout has them in their usual folder.
_EXAMPLES = (FOLDER / "examples", Path(__file__).parents[3] / "examples")
_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

FILES: dict[str, tuple[bytes, str]] = {
    "/" if file.name == "index.html" else f"/{file.name}": (file.read_bytes(), _KINDS[file.suffix])
    for file in sorted(FOLDER.iterdir())
    if file.suffix in _KINDS
}
"""The paths that are served, with content and media type."""

EXAMPLES = {
    "paper": "The paper's example",
    "cooling": "Cooling machines",
    "traffic": "Traffic",
    "congestion": "Congestion by average speed",
    "hosts": "Silent hosts",
    "caching": "Caching by mood",
    "access": "Access control",
}


@cache
def examples() -> list[dict[str, Any]]:
    """The examples to choose from."""
    return [{"name": name, "title": title, **_example(name)} for name, title in EXAMPLES.items()]


def _example(name: str) -> dict[str, str]:
    folder = next(folder for folder in _EXAMPLES if (folder / f"{name}.lars").exists())
    stream = (folder / f"{name}.stream").read_text("utf-8")
    return {"program": (folder / f"{name}.lars").read_text("utf-8"), "stream": stream, **_bounds(stream)}


def _bounds(stream: str) -> dict[str, str]:
    """Comments ``% start 0`` and ``% until 15`` of an example."""
    words = [line.split() for line in stream.splitlines() if line.startswith("%")]
    return {word[1]: word[2] for word in words if len(word) == 3 and word[1] in ("start", "until")}


def initial(settings: Settings) -> dict[str, Any] | None:
    """The program and the stream that the command line named."""
    if settings.program is None:
        return None
    stream = ""
    if settings.stream is not None:
        with open_lines(settings.stream) as lines:
            stream = "\n".join(line.text for line in lines)
    return {
        "title": settings.program.name,
        "program": inlined(read_text(settings.program), settings.program),
        "stream": stream,
        "tick": settings.tick,
        **settings.beside,
    }
