"""Every case, from file to file: the command line says what the expected file says."""

from __future__ import annotations

import pytest

from laser.values import write_value
from tests.cases_reader import case_paths, read_case, read_lines


def options_of(settings, directory):
    """The settings of a case as a user gives them."""
    given = ["--tick", settings.tick]
    for name, value in settings.constants.items():
        given += ["--const", f"{name}={write_value(value)}"]
    for name in ("start", "until"):
        if getattr(settings, name) is not None:
            given += [f"--{name}", str(getattr(settings, name))]
    if settings.background:
        (directory / "background.txt").write_text("\n".join(f"{atom}." for atom in settings.background))
        given += ["--background", "background.txt"]
    return given


@pytest.mark.parametrize("path", case_paths(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_snapshots_are_the_expected_ones(path, laser, here):
    case = read_case(path)
    stream = path.with_suffix(".stream")
    result = laser("eval", "--times=int", path, stream, "--as", "snapshots", *options_of(case.settings, here))
    assert dict(read_lines(result.stdout)) == dict(read_lines(path.with_suffix(".expected").read_text("utf-8")))


@pytest.mark.parametrize("path", case_paths(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_standard_input_line_by_line_gives_the_same_answers(path, laser, here):
    case = read_case(path)
    text = path.with_suffix(".stream").read_text("utf-8")
    result = laser("eval", "--times=int", path, "-", "--as", "snapshots", *options_of(case.settings, here), stdin=text)
    last_said = dict(read_lines(result.stdout))
    assert last_said == dict(read_lines(path.with_suffix(".expected").read_text("utf-8")))
