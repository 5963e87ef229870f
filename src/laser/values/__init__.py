"""Values, predicates and ground atoms. Each value type has its own file, and ``registry.py`` lists them."""

from laser.values.atom import Atom, Predicate, check_predicate_name
from laser.values.iri import Iri
from laser.values.number import number
from laser.values.registry import (
    BY_CLASS,
    CODE_NAMES,
    PLAIN_CLASSES,
    TYPES,
    Value,
    from_json,
    static_type_of,
    to_json,
    to_value,
    type_of,
    value_order,
    write_code,
    write_value,
)
from laser.values.string import RESERVED, is_name
from laser.values.time import Duration, Time

__all__ = [
    "Atom",
    "BY_CLASS",
    "check_predicate_name",
    "CODE_NAMES",
    "Duration",
    "from_json",
    "Iri",
    "is_name",
    "number",
    "PLAIN_CLASSES",
    "Predicate",
    "RESERVED",
    "static_type_of",
    "Time",
    "to_json",
    "to_value",
    "type_of",
    "TYPES",
    "Value",
    "value_order",
    "write_code",
    "write_value",
]
