"""The colours of timelines in the light and the dark theme."""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["HUES", "style_sheet"]

HUES = 12
Colours: TypeAlias = dict[str, str | tuple[str, ...]]
_LIGHT: Colours = {
    "ground": "#ffffff", "text": "#1d2733", "quiet": "#5b6b7b", "grid": "#e3e8ee", "given": "#7a8997",
    "hues": (
        "#0072b2", "#c84a00", "#00805c", "#a8457f", "#9a6a00", "#5a4fcf",
        "#00838f", "#b3261e", "#4f7d1f", "#8e24aa", "#795548", "#455a9c",
    ),
}  # fmt: skip
_DARK: Colours = {
    "ground": "#12171d", "text": "#e6ebf0", "quiet": "#9aa8b5", "grid": "#2a333d", "given": "#8796a5",
    "hues": (
        "#4ea8de", "#ff9350", "#35c896", "#e38cbd", "#e6b44c", "#a79bff",
        "#4dd0e1", "#ff8a80", "#aed581", "#ce93d8", "#bcaaa4", "#9fb4ff",
    ),
}  # fmt: skip
_RULES = """\
{p}.ground {{ fill: {ground}; }}
{p}text {{ fill: {text}; font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }}
{p}.title {{ font-weight: bold; }}
{p}.quiet {{ fill: {quiet}; font-size: 11px; }}
{p}.grid {{ stroke: {grid}; stroke-width: 1; }}
{p}.curve {{ fill: none; stroke-width: 1.6; stroke-linejoin: round; }}
{p}.given {{ fill: {given}; }}
"""


def style_sheet(theme: str, prefix: str = "") -> str:
    """The style rules of a theme; ``auto`` follows the reader's system."""
    light, dark = _rules(_LIGHT, prefix), _rules(_DARK, prefix)
    if theme == "auto":
        return f"{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"
    return dark if theme == "dark" else light


def _rules(colours: Colours, prefix: str) -> str:
    hues = "".join(
        f"{prefix}.hue{i} {{ fill: {hue}; }}\n{prefix}.curve.hue{i} {{ fill: none; stroke: {hue}; }}\n"
        for i, hue in enumerate(colours["hues"])
    )
    return _RULES.format(p=prefix, **colours) + hues
