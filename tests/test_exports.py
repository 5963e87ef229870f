import pytest

import laser

EXPORTS = [
    "Atom",
    "Change",
    "Duration",
    "Explanation",
    "FactError",
    "Interval",
    "Iri",
    "LaserError",
    "LimitError",
    "Predicate",
    "ProgramError",
    "ProofError",
    "Reasoner",
    "RecordError",
    "StateError",
    "Time",
    "TimeError",
    "check",
    "drive",
    "explain",
    "intervals",
    "load",
    "parse",
    "reason",
    "run",
]


def test_the_package_exports_what_the_contract_says() -> None:
    assert laser.__all__ == EXPORTS


def test_the_exports_are_sorted_and_exist() -> None:
    assert laser.__all__ == sorted(laser.__all__)
    assert all(hasattr(laser, name) for name in laser.__all__)


def test_a_name_is_loaded_once_and_others_are_refused() -> None:
    assert laser.Reasoner is laser.Reasoner
    assert dir(laser) == laser.__all__
    with pytest.raises(AttributeError, match="has no attribute 'Reasonr'"):
        _ = laser.Reasonr


def test_the_package_knows_its_version() -> None:
    from importlib.metadata import version

    assert laser.__version__ == version("laser-reasoner")
