"""The names of generated functions and variables. No other module spells them."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

__all__ = [
    "FunctionId", "IndexUse", "Way", "discard_name", "function_name", "index_name", "keys_name", "put_name", "variable_name",
]  # fmt: skip


class Way(Enum):
    """A way in which a change reaches a rule; the value is used in the name of the function."""

    DERIVE = "from"
    """New keys of a positive subgoal."""
    WITHOUT = "without"
    """Keys of a negated subgoal that ended."""
    CHECK = "check"
    """Heads that may have ended."""
    BLAME = "blame"
    """Keys of a positive subgoal that were revoked."""
    BLAME_NOT = "blame_not"
    """Keys of a negated subgoal that began."""


class FunctionId(NamedTuple):
    """A generated function of a rule (``d3``) or a node (``n4``), for one way, beginning at one of its subgoals."""

    owner: str
    way: Way
    subgoal: int | None = None


def function_name(function: FunctionId) -> str:
    """``d3_from_0``."""
    place = "" if function.subgoal is None else f"_{function.subgoal}"
    return f"{function.owner}_{function.way.value}{place}"


def keys_name(node: int) -> str:
    """The dict of a node's keys with their horizons."""
    return f"n{node}"


def index_name(node: int, positions: tuple[int, ...]) -> str:
    """The index of a node by the values at some positions of its keys."""
    return f"n{node}_by_{'_'.join(map(str, positions))}"


class IndexUse(Enum):
    """Who uses an index: joins, or only the checks of heads that may have ended."""

    JOINS = "joins"
    CHECKS = "checks"


def put_name(node: int, use: IndexUse) -> str:
    """The function that adds keys to all indexes of a node for one use."""
    return f"n{node}_index_for_{use.value}"


def discard_name(node: int, use: IndexUse) -> str:
    """The function that removes keys from them."""
    return f"n{node}_unindex_for_{use.value}"


def variable_name(variable: str) -> str:
    """A variable of a rule, which cannot clash with Python's keywords; ``_#3`` and ``_=3`` are variables that Laser adds."""
    kind = {"_#": "any_", "_=": "is_"}.get(variable[:2])
    return kind + variable[2:] if kind else "v_" + variable
