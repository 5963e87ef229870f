"""What is wrong with a command line, in the words and the form of all other messages."""

from __future__ import annotations

import click

__all__ = ["usage_text"]

_WORDS = {
    "a valid integer range": "a whole number",
    "a valid integer": "a whole number",
    "a valid float range": "a number",
    "a valid float": "a number",
}
"""Click's names of types, and words for people."""


def usage_text(error: click.ClickException) -> str:
    """One sentence that names the option or argument first.

    >>> usage_text(click.BadParameter("'x' is not a valid integer range.", param=click.Option(["--port"])))
    "--port: 'x' is not a whole number"
    """
    match error:
        case click.MissingParameter():
            return f"{_name(error)} is missing"
        case click.BadParameter(message=message):
            for theirs, ours in _WORDS.items():
                message = message.replace(theirs, ours)
            return f"{_name(error)}: {_sentence(message)}"
        case _:
            return _sentence(error.format_message())


def _name(error: click.BadParameter) -> str:
    if isinstance(error.param, click.Option):
        return max(error.param.opts, key=len)
    if error.param is not None:
        return error.param.human_readable_name
    return error.param_hint if isinstance(error.param_hint, str) else "the command line"


def _sentence(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}".removesuffix(".")
