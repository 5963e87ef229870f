"""Run a notebook: its code cells in order, in one namespace, with what they show.

    python -m tests.notebook examples/tour.ipynb

runs it and writes the outputs into it. A kernel is not needed: the cells are plain Python, and the last expression of a cell is shown.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any


def run_notebook(path: Path) -> dict[str, Any]:
    """The notebook with the outputs of this run; an error in a cell is an error here."""
    notebook: dict[str, Any] = json.loads(path.read_text("utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.chdir(path.parent):
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, cell in enumerate(code, 1):
            cell["execution_count"] = number
            cell["outputs"] = run_cell("".join(cell["source"]), names, number)
    return notebook


def run_cell(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """What a cell prints, and what its last expression shows."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, f"cell {number}", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    outputs = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())})
    if value is not None:
        outputs.append(
            {"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": shown(value)}
        )
    return outputs


def shown(value: Any) -> dict[str, list[str]]:
    """A value as notebooks show it."""
    if hasattr(value, "_repr_html_"):
        return {"text/html": lines(value._repr_html_()), "text/plain": lines(str(value))}
    return {"text/plain": lines(repr(value))}


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def settled(notebook: dict[str, Any]) -> list[Any]:
    """What is shown, cell by cell, as text; of what is drawn, only that it is."""
    shown: list[Any] = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            shown.append((output.get("text"), data.get("text/plain"), bool(data.get("text/html"))))
    return shown


if __name__ == "__main__":
    for name in sys.argv[1:]:
        made = run_notebook(Path(name))
        Path(name).write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", "utf-8")
