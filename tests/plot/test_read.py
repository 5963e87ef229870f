"""Timelines of what other commands wrote: every form and format gives the same drawing."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from laser.cli import main
from laser.errors import RecordError
from laser.plot import read
from tests.cases_reader import EXAMPLES


def evaluate(tmp_path: Path, form: str, layout: str, name: str = "cooling") -> Path:
    suffix = {"text": "txt"}.get(layout, layout)
    path = tmp_path / f"{form}.{suffix}"
    words = [
        "eval",
        EXAMPLES / f"{name}.lars",
        EXAMPLES / f"{name}.stream",
        "--as",
        form,
        "--format",
        layout,
        "-o",
        path,
    ]
    assert CliRunner().invoke(main, list(map(str, words))).exit_code == 0
    return path


def bars(path: Path) -> dict[str, list[tuple[int, int]]]:
    made = read(path, lines={})
    return {str(row.atom): [bar[:2] for bar in row.bars] for group in made.groups for row in group.rows}


@pytest.mark.parametrize("layout", ["text", "jsonl", "csv"])
@pytest.mark.parametrize("form", ["changes", "snapshots", "intervals"])
@pytest.mark.parametrize("name", ["cooling", "access"])
def test_every_form_and_format_is_read(tmp_path: Path, form: str, layout: str, name: str) -> None:
    expected = bars(evaluate(tmp_path, "intervals", "jsonl", name))
    found = bars(evaluate(tmp_path, form, layout, name))
    # Changes do not say when the stream ended: what still holds reaches to the last change.
    if form == "changes":
        expected, found = (
            {atom: [bar[0] for bar in runs] for atom, runs in both.items()} for both in (expected, found)
        )
    assert found == expected


def test_folders_and_streams_are_drawn_together(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "b.jsonl").write_text('{"predicate": "q", "since": 1, "until": 2, "open": false}\n')
    (folder / "a.csv").write_text("since,until,open,predicate,args\n3,4,true,q\n")
    (folder / "_SUCCESS").write_text("")
    stream = tmp_path / "s.stream"
    stream.write_text("1: p(x).\n9:\n")
    made = read(folder, stream)
    assert [(str(group.predicate), group.given) for group in made.groups] == [("q/0", False), ("p/1", True)]
    assert made.groups[0].rows[0].bars[0][:2] == (1, 4)
    assert (made.start, made.end) == (1, 9)


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("x.jsonl", '{"time": 1, "holds": "perhaps", "predicate": "q"}\n', 1),
        ("x.jsonl", '\n{"since": 1, "predicate": "q"}\n', 2),
        ("x.csv", "time,holds,predicate,args\n1,true\n", 2),
        ("x.txt", "1  + q(\n", 1),
        ("x.txt", "q  [a, b]\n", 1),
        ("x.jsonl", "nonsense\n", 1),
    ],
)
def test_unreadable_lines_are_refused_with_their_numbers(tmp_path: Path, name: str, text: str, line: int) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(RecordError) as caught:
        read(path)
    assert caught.value.line == line


def test_parquet_by_column_and_by_folder(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    folder = tmp_path / "predicate=hot"
    folder.mkdir()
    parquet.write_table(
        arrow.table({"machine": ["m1", "m2"], "since": [1, 4], "until": [3, 5]}), folder / "part-0.parquet"
    )
    named = arrow.table({"predicate": ["p"], "args": [["x", "y"]], "time": [2], "holds": [True]})
    parquet.write_table(named, tmp_path / "changes.parquet")
    assert bars(tmp_path) == {"hot(m1)": [(1, 3)], "hot(m2)": [(4, 5)], "p(x, y)": [(2, 5)]}


def test_the_json_output_of_a_pipeline_is_read(tmp_path: Path) -> None:
    place = tmp_path / "answers" / "hot" / "batch=00000003"
    place.mkdir(parents=True)
    (place / "part-0.json").write_text(
        '{"machine": "m1", "time": 3, "holds": true}\n{"machine": "m1", "time": 6, "holds": false}\n'
    )
    whole = tmp_path / "answers" / "alarm"
    whole.mkdir()
    (whole / "part-0.json").write_text('{"since": "1970-01-01T00:00:02.000Z", "until": "1970-01-01T00:00:08.000Z"}\n')
    (whole / "_SUCCESS").write_text("")
    assert bars(tmp_path) == {"alarm": [(2, 8)], "hot(m1)": [(3, 5)]}


def test_times_may_be_dates(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"predicate": "q", "since": "2026-01-01T00:00:00Z", "until": "2026-01-01T00:01:00Z"}\n')
    made = read(path)
    assert made.clock(made.start) == "2026-01-01T00:00:00Z"
    assert made.points == 61
