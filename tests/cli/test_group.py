"""What all commands have in common."""

from __future__ import annotations

from pathlib import Path

import pytest

from laser.cli import main
from laser.cli.messages import coloured

DOCS = Path(__file__).parent.parent.parent / "docs" / "cli.md"
COMMANDS = sorted(main.commands)


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
    for option in main.commands[command].params:
        if option.param_type_name == "option":
            assert option.help
            assert option.opts[0] in text


def test_help_and_version(laser):
    assert "Commands:" in laser("--help").stdout
    assert laser("--version").stdout.startswith("laser ")


def test_no_command_is_wrong_usage(laser):
    result = laser(code=2)
    assert "Usage: laser" in result.output


def test_severities_are_coloured_at_the_head_of_a_finding_only():
    text = "p.lars:1:3: error[unsafe-variable]: no error: here\n  1 | error: x\nwarning: odd"
    assert coloured(text) == (
        "p.lars:1:3: \x1b[31m\x1b[1merror\x1b[0m[unsafe-variable]: no error: here\n"
        "  1 | error: x\n\x1b[33m\x1b[1mwarning\x1b[0m: odd"
    )
