"""The page goes with the package."""

from __future__ import annotations

import tomllib

from laser.serve.pages import EXAMPLES, FOLDER
from tests.serve.server import ROOT


def test_a_wheel_carries_every_example_of_the_page() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    carried = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    there = {path.name for path in (FOLDER / "examples").iterdir()} | {
        target.rsplit("/", 1)[1] for target in carried.values()
    }
    assert there == {f"{name}.{kind}" for name in EXAMPLES for kind in ("lars", "stream")}
    assert all((ROOT / source).is_file() for source in carried)
