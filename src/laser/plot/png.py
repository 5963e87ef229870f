"""A timeline as a PNG picture."""

from __future__ import annotations

from pathlib import Path

from laser.errors import LaserError
from laser.plot.model import Timeline

__all__ = ["write_png"]

PIXELS = 2
_FONTS = ("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "/System/Library/Fonts", "C:/Windows/Fonts")
_MONOSPACE = {
    "DejaVuSansMono": "DejaVu Sans Mono",
    "LiberationMono": "Liberation Mono",
    "Menlo": "Menlo",
    "consola": "Consolas",
}


def write_png(timeline: Timeline, width: int, theme: str, rows: int, title: str = "") -> bytes:
    """The SVG, rendered by resvg."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise LaserError("PNG needs another package: pip install 'laser-reasoner[png]'") from None
    family = _family()
    if family is None:
        raise LaserError(
            "this machine has no fonts, so a PNG would have no text: install one (fonts-dejavu), or write SVG"
        )
    drawing = timeline.to_svg(width, "dark" if theme == "dark" else "light", rows, title)
    return bytes(svg_to_bytes(svg_string=drawing, zoom=PIXELS, monospace_family=family, font_family=family))


def _family() -> str | None:
    """An installed monospaced font family, or any name if there are only other fonts."""
    files = [file for folder in map(Path, _FONTS) if folder.is_dir() for file in folder.rglob("*.tt[fc]")]
    for start, family in _MONOSPACE.items():
        if any(file.name.startswith(start) for file in files):
            return family
    return "monospace" if files else None
