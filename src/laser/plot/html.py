"""A timeline as an HTML page, and as a fragment for notebooks."""

from __future__ import annotations

from html import escape

from laser.plot.model import Timeline

__all__ = ["write_fragment", "write_page"]

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
  body {{ margin: 1.5rem; font: 15px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }}
  main {{ max-width: {width}px; margin: auto; overflow-x: auto; }}
  h1 {{ font-size: 1.1rem; }}
  svg {{ max-width: none; }}
  rect.bar:hover, circle:hover, [data-atom]:focus {{ filter: brightness(1.25); outline: none; stroke: CanvasText; stroke-width: 1.5; }}
  #about {{ position: fixed; pointer-events: none; padding: .3rem .6rem; border-radius: 4px; white-space: pre;
    font: 13px ui-monospace, monospace; background: CanvasText; color: Canvas; }}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
{drawing}</main>
<div id="about" role="status" hidden></div>
<script>
  const about = document.getElementById("about");
  for (const title of document.querySelectorAll("svg title")) title.remove();  // the box below says it at once
  function show(event) {{
    const mark = event.target.closest?.("[data-atom]");
    about.hidden = !mark;
    if (!mark) return;
    const {{ atom, since, until }} = mark.dataset;
    about.textContent = `${{atom}}\\nsince ${{since}}\\nuntil ${{until}}`;
    const place = mark.getBoundingClientRect();
    const x = event.clientX || place.left;
    about.style.left = Math.max(4, Math.min(x + 12, innerWidth - about.offsetWidth - 4)) + "px";
    about.style.top = Math.min(place.bottom + 8, innerHeight - about.offsetHeight - 4) + "px";
  }}
  document.addEventListener("pointermove", show);
  document.addEventListener("focusin", show);
  for (const mark of document.querySelectorAll("[data-atom]")) mark.tabIndex = 0;
</script>
</body>
</html>
"""


def write_page(timeline: Timeline, width: int, rows: int, title: str) -> str:
    """A page with a light and a dark theme, which shows atom, since and until of the bar under the pointer or in focus."""
    return _PAGE.format(title=escape(title), width=width, drawing=timeline.to_svg(width, "auto", rows))


def write_fragment(timeline: Timeline) -> str:
    """The drawing for notebooks, as wide as the page allows."""
    return f'<div style="max-width: 100%; overflow-x: auto">{timeline.to_svg()}</div>'
