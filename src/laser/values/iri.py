"""IRIs, which RDF uses as names."""

from __future__ import annotations

import re

from laser.errors import FactError
from laser.values import static_type
from laser.values.value_type import ValueType

__all__ = ["BRACKETED", "IRI", "Iri", "OUTSIDE", "SCHEME", "is_bracketed"]

SCHEME = r"[A-Za-z][A-Za-z0-9+.\-]*:"
OUTSIDE = r"\s<>\"{}|\\^`\x00-\x20\x7f-\x9f\ud800-\udfff"
"""The characters that RFC 3987 does not allow: spaces, brackets, control characters, lone surrogates."""
_TEXT = f"{SCHEME}[^{OUTSIDE}]*"
_ABSOLUTE = re.compile(_TEXT)

BRACKETED = f"<{_TEXT}>"


def is_bracketed(text: str) -> bool:
    """Whether a text is an IRI in angle brackets, as in the name of a predicate."""
    return text[:1] == "<" and text[-1:] == ">" and _ABSOLUTE.fullmatch(text, 1, len(text) - 1) is not None


class Iri(tuple):  # type: ignore[type-arg]
    """An IRI as a term. It is never equal to a string.

    It is a tuple of one string so that hashing, equality and order run at the speed of C.

    >>> Iri("http://example.org/a")
    <http://example.org/a>
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Iri:
        if not isinstance(text, str) or not _ABSOLUTE.fullmatch(text):
            raise FactError(f"{text!r} is not an absolute IRI")
        return tuple.__new__(cls, (text,))

    @property
    def text(self) -> str:
        return str(self[0])

    def __str__(self) -> str:
        return f"<{self[0]}>"

    __repr__ = __str__

    def __reduce__(self) -> tuple[object, ...]:
        return (Iri, (self[0],))


def _read(text: str) -> Iri:
    return tuple.__new__(Iri, (text[1:-1],))  # it matched, and so is absolute


def _accept(value: object) -> Iri | None:
    return Iri(value.text) if isinstance(value, Iri) else None


IRI = ValueType(
    name="IRI",
    classes={Iri: static_type.ANY},
    plain=frozenset({Iri}),
    rank=2,
    terminal="IRI",
    in_program=BRACKETED,
    in_fact=BRACKETED,
    read=_read,
    write=Iri.__str__,
    accept=_accept,
    json_tag="iri",
    to_json=lambda value: {"iri": value.text},
    from_json=Iri,
    code=lambda value: f"Iri({value.text!r})",
    code_names={"Iri": Iri},
)
