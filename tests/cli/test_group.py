"""What all commands have in common."""

from __future__ import annotations

import platform
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from laser.cli import group, main
from laser.cli.messages import coloured

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs" / "cli.md"
COMMANDS = sorted(group.COMMANDS)


def find(command):
    return main.get_command(click.Context(main), command)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(laser, command):
    result = laser(command, "--help")
    assert f"Usage: laser {command}" in result.stdout
    assert f"  laser {command} " in result.stdout
    assert laser(command, "-h").stdout == result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_help_and_is_documented(command):
    text = DOCS.read_text("utf-8")
    assert f"## laser {command}" in text
    for option in find(command).params:
        if option.param_type_name == "option":
            assert option.help
            assert option.opts[0] in text


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_found_by_its_name(command):
    assert find(command).name == command
    assert find(f"{command}x") is None


def test_every_command_of_the_folder_is_in_the_table():
    files = (ROOT / "src" / "laser" / "cli").glob("*.py")
    assert {path.stem for path in files if "@click.command(" in path.read_text("utf-8")} == set(COMMANDS)


def test_help_and_version(laser):
    text = laser("--help").stdout
    assert all(f"  {command} " in text for command in COMMANDS)
    version, python, *spark = laser("--version").stdout.splitlines()
    assert version.startswith("laser ")
    assert python == f"Python {platform.python_version()}"
    assert [line.split()[0] for line in spark] == (["PySpark", "Java"] if find_spec("pyspark") else [])


def test_without_a_command_the_help_is_shown_as_wrong_usage(laser):
    result = laser(code=2)
    assert result.stderr == laser("--help").stdout
    assert result.stdout == ""


def test_a_misspelt_command_gets_a_suggestion(laser):
    assert "did you mean 'eval'?" in laser("evall", code=2).stderr
    assert "did you mean" not in laser("zzz", code=2).stderr


def test_help_starts_at_once():
    """Neither the parser's grammar nor the engine nor a command is loaded for it."""
    script = "import sys; from laser.cli import main; main(['--help'], standalone_mode=False); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT / "src", capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert loaded >= {"laser", "laser.cli.group"}
    assert not loaded & {"lark", "laser.syntax", "laser.checks", "laser.engine", "laser.cli.eval"}


def test_severities_are_coloured_only_at_the_start_of_a_finding():
    text = "p.lars:1:3: error[unsafe-variable]: no error: here\n  1 | error: x\nwarning: odd"
    assert coloured(text) == (
        "p.lars:1:3: \x1b[31m\x1b[1merror\x1b[0m[unsafe-variable]: no error: here\n"
        "  1 | error: x\n\x1b[33m\x1b[1mwarning\x1b[0m: odd"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nosuch"], "no such command 'nosuch'"),
        (["eval"], "PROGRAM is missing"),
        (["eval", "p.lars", "nofile"], "STREAM: file 'nofile' does not exist"),
        (["eval", "p.lars", "s.stream", "--nosuch"], "no such option '--nosuch'"),
        (["eval", "p.lars", "s.stream", "--as", "pdf"], "--as: 'pdf' is not one of 'changes', 'snapshots', 'intervals'"),
        (["eval", "p.lars", "s.stream", "--tick"], "option '--tick' requires an argument"),
        (["eval", "p.lars", "s.stream", "--start", "soon"], "--start: 'soon' is not a time: write a non-negative integer"),
        (["eval", "p.lars", "s.stream", "-o", "."], "--output: file '.' is a directory"),
        (["serve", "--port", "x"], "--port: 'x' is not a whole number"),
        (["serve", "--seconds", "x"], "--seconds: 'x' is not a number"),
    ],
)  # fmt: skip
def test_wrong_usage_is_a_sentence_that_names_the_option(laser, words, said):
    assert laser(*words, code=2).stderr.startswith(f"error: {said}")


def test_a_program_without_rules_is_a_warning(laser, here):
    (here / "empty.lars").write_text("% nothing\n")
    assert "warning: empty.lars has no rules" in laser("eval", "empty.lars", "s.stream").stderr


def test_options_that_several_commands_share_come_in_one_order():
    shared = [
        "--input",
        "--input-format",
        "--const",
        "--tick",
        "--zone",
        "--start",
        "--until",
        "--warmup",
        "--background",
    ]
    for command in ("check", "eval", "explain", "plot", "serve"):
        named = [option.opts[0] for option in find(command).params if option.opts[0] in shared]
        assert named == [name for name in shared if name in named], command
