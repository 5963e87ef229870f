"""Pipelines as data: from TOML, from flags, from both; every setting is known to the command line and to the documents."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import click
import pytest

from laser.cli import main
from laser.cli.run import command, pipeline_of
from laser.errors import LaserError
from laser.io import FORMATS
from laser.pipeline import Pipeline, Table, flags_of, read_pipeline

ROOT = Path(__file__).parent.parent


def from_flags(*words: str, path: str | None = None) -> Pipeline:
    group = click.Context(main, help_option_names=["-h", "--help"])  # a command remembers its first group's
    given = command.make_context("run", [*words], parent=group).params
    assert given.pop("pipeline") is None
    given.pop("quiet")
    return pipeline_of(path, given)


def test_every_setting_has_a_flag_unless_it_is_only_for_files():
    assert {f.name for f in fields(Pipeline)} - flags_of(Pipeline).keys() == {"constants", "sinks"}
    only = {"path", "time", "order", "options", "value", "expressions", "avro_schema", "avro_schemas"}
    assert {f.name for f in fields(Table)} - flags_of(Table).keys() == only


@pytest.mark.parametrize("flag", [*flags_of(Pipeline).values(), *flags_of(Table).values()], ids=lambda flag: flag.name)
def test_every_flag_is_an_option_and_is_documented(flag):
    assert f"--{flag.name}" in {name for option in command.params for name in option.opts}
    assert re.search(rf"`--{flag.name}[ `]", (ROOT / "docs" / "cli.md").read_text("utf-8"))


@pytest.mark.parametrize("name", [f.name for f in fields(Pipeline)])
def test_every_setting_of_the_file_is_documented(name):
    assert re.search(rf"`\[?{name}[\].`]", (ROOT / "docs" / "spark.md").read_text("utf-8"))


def test_the_help_names_the_formats():
    (option,) = [option for option in command.params if "--input-format" in option.opts]
    assert isinstance(option, click.Option)
    assert option.help is not None
    assert all(name in option.help for name in FORMATS)


def test_flags_and_a_file_give_the_same_pipeline():
    text = """
program = "rules.lars"
time = "ts"
overwrite = true
buckets = 3
constants = {n = 30, name = "x"}
background = {machine = "machines.csv"}
spark = {"spark.ui.enabled" = false}
[inputs.temp]
path = "readings"
format = "csv"
columns = ["value"]
schema = {ts = "bigint", value = "double"}
[inputs.job]
path = "jobs"
format = "jsonl"
"""
    words = ["--program", "rules.lars", "--time", "ts", "--overwrite", "--buckets", "3", "--const", "n=30"]
    words += ["--const", "name=x", "--background", "machine=machines.csv", "--conf", "spark.ui.enabled=false"]
    words += [
        "--input",
        "temp=readings",
        "--input",
        "job=jobs",
        "--input-format",
        "jsonl",
        "--input-format",
        "temp=csv",
    ]
    words += ["--columns", "temp=value", "--schema", "temp=ts bigint, value double"]
    assert from_flags(*words) == read_pipeline("pipeline.toml", text)


def test_paths_are_relative_to_the_file_and_urls_are_unchanged():
    text = 'program = "r.lars"\noutput = "s3://out"\n[inputs]\ntemp = "in"\n[inputs.job]\npath = "/jobs"\n'
    pipeline = read_pipeline("some/where/p.toml", text)
    assert (pipeline.program, pipeline.output) == ("some/where/r.lars", "s3://out")
    assert [table.path for table in pipeline.inputs.values()] == ["some/where/in", "/jobs"]


def test_flags_override_a_file_and_add_to_it(tmp_path):
    path = tmp_path / "p.toml"
    path.write_text('program = "r.lars"\ntick = "1 min"\n[inputs]\ntemp = "in.csv"\n')
    pipeline = from_flags("--tick", "1 h", "--input", "job=jobs.csv", path=str(path))
    assert (pipeline.program, pipeline.tick) == (f"{tmp_path}/r.lars", "1 h")
    assert [table.path for table in pipeline.inputs.values()] == [f"{tmp_path}/in.csv", "jobs.csv"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("speed = 3", "there is no setting speed; the settings are background, buckets"),
        ("buckets = 'many'", "buckets = 'many' is not an integer"),
        ("buckets = true", "buckets = True is not an integer"),
        ("buckets = 0", "buckets = 0 is less than 1"),
        ("overwrite = 1", "overwrite = 1 is not true or false"),
        ("program = 3", "program = 3 is not a string"),
        ("inputs = 3", "inputs = 3 is not a table"),
        ("inputs = ['a']", "is not a table"),
        ("inputs.temp = 3", "inputs.temp = 3 is neither a path nor a table"),
        ("inputs.temp.colums = []", "there is no setting inputs.temp.colums; did you mean `columns`?"),
        ("outptu = 'x'", "there is no setting outptu; did you mean `output`?"),
        ("inputs.temp.columns = 'a'", "inputs.temp.columns = 'a' is not a list"),
        ("spark = 'fast'", "spark = 'fast' is not a table"),
        ("= 3", "p.toml: "),
    ],
)
def test_an_invalid_file_is_refused(text, message):
    with pytest.raises(LaserError, match=re.escape(message)):
        read_pipeline("p.toml", text)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--columns", "temp=a"], "--columns temp=a: there is no input temp"),
        (["--input", "temp"], "--input temp: write NAME=FILE, or declare the predicates of the rows with #input"),
        (["--conf", "=1"], "--conf '=1' is not of the form NAME=VALUE"),
        (["--buckets", "0"], "0 is not in the range x>=1"),
    ],
)
def test_invalid_flags_are_refused(words, message):
    with pytest.raises(click.UsageError, match=re.escape(message)):
        from_flags(*words)


def test_invalid_column_types_are_refused():
    with pytest.raises(LaserError, match="write COLUMN TYPE, COLUMN TYPE"):
        from_flags("--input", "temp=a.csv", "--schema", "temp=ts")


@pytest.mark.parametrize("every", ["5 s", "once", "250 ms", "1 min"])
def test_the_time_between_batches_is_a_duration_or_once(every):
    assert Pipeline(program="p.lars", inputs={"a": Table("a.csv")}, every=every).checked().every == every
