import laser

EXPORTS = [
    "Atom",
    "Change",
    "FactError",
    "Interval",
    "Iri",
    "LaserError",
    "LimitError",
    "Predicate",
    "ProgramError",
    "Reasoner",
    "RecordError",
    "StateError",
    "TimeError",
    "check",
    "intervals",
    "load",
    "parse",
    "run",
]


def test_the_package_exports_what_the_contract_says() -> None:
    assert laser.__all__ == EXPORTS


def test_the_exports_are_sorted_and_exist() -> None:
    assert laser.__all__ == sorted(laser.__all__)
    assert all(hasattr(laser, name) for name in laser.__all__)
