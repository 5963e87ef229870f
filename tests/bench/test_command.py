"""``laser bench``, on runs that others made and on a tiny one."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from laser.bench import suite
from laser.bench.record import write_records
from laser.cli import main
from tests.bench.test_measure import row


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*args, code=0):
        result = CliRunner().invoke(main, ["bench", *args], prog_name="laser")
        assert result.exit_code == code, result.output
        return result

    return run


def write(path, records):
    with path.open("w", encoding="utf-8") as out:
        write_records(out, records, {"date": "today"})


def test_the_list_names_every_part(bench):
    assert [line.split()[0] for line in bench("--list").stdout.splitlines()] == list(suite.PARTS)


@pytest.mark.parametrize("args", [("nonsense",), ("--peer", "nobody")])
def test_an_unknown_part_is_wrong_usage(bench, args):
    assert "choose from" in bench(*args, code=2).output


def test_a_stored_run_is_compared_and_judged(bench, tmp_path):
    write(tmp_path / "old.csv", [row(ratio=7.0)])
    write(tmp_path / "new.csv", [row(ratio=9.0)])
    assert "slower x1.29" in bench("--from", "new.csv", "--compare", "old.csv", code=1).stdout
    assert "1 measurement in both runs; 0 differ" in bench("--from", "new.csv", "--compare", "new.csv").stdout
    assert "NOT MET" in bench("--from", "new.csv", "--targets", code=1).stdout
    assert "exponent" in bench("--from", "old.csv", "--targets", "--growth").stdout


def test_a_run_is_written_as_a_table_and_as_a_page(bench, tmp_path, monkeypatch):
    task = suite.Task("diamond", "diamond", lambda: [row()])
    monkeypatch.setattr(suite, "tasks", lambda *args: [task])
    result = bench("--csv", "run.csv", "--html", "run.html")
    assert "processor:" in result.stdout
    assert "diamond         n=800 w=80" in result.stdout
    assert "# python:" in (tmp_path / "run.csv").read_text("utf-8")
    assert "<svg" in (tmp_path / "run.html").read_text("utf-8")
    assert "0 differ" in bench("--compare", "run.csv").stdout


def test_a_file_that_is_read_is_not_overwritten(bench, tmp_path):
    write(tmp_path / "run.csv", [row()])
    assert "overwrite" in bench("--from", "run.csv", "--csv", "run.csv", code=2).output
