"""Applies ``#const`` and ``#prefix`` to the tokens of a whole program, because a name may be used before it is declared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lark import Token

from laser.errors import Diagnostic
from laser.phrases import Names
from laser.syntax.lexer import span_of

__all__ = ["resolve_names"]


def resolve_names(tokens: list[Token]) -> tuple[list[Token], list[Diagnostic]]:
    """The tokens, with constants marked and prefixed names expanded to IRIs; and the findings about names."""
    findings: list[Diagnostic] = []
    constants = _declared(_constants(tokens), findings, "duplicate-constant", "the constant")
    prefixes = _declared(_prefixes(tokens), findings, "duplicate-prefix", "the prefix")
    resolved = [_resolve(token, constants, prefixes) for token in tokens]
    findings += _unknown_prefixes(tokens, prefixes)
    names = Names(constants)
    for i in _unknown_sizes(resolved):
        findings.append(_unknown_constant(resolved[i], names))
        resolved[i] = Token.new_borrow_pos("CNAME", str(resolved[i]), resolved[i])
    return resolved, findings


def _constants(tokens: list[Token]) -> Iterator[tuple[Token, str]]:
    for i, token in enumerate(tokens[:-1]):
        if token.type == "CONST" and tokens[i + 1].type == "NAME":
            yield tokens[i + 1], str(tokens[i + 1].start_pos)


def _prefixes(tokens: list[Token]) -> Iterator[tuple[Token, str]]:
    for i, token in enumerate(tokens[:-2]):
        if token.type == "PREFIX" and tokens[i + 1].type == "NAMESPACE" and tokens[i + 2].type == "IRI":
            yield tokens[i + 1], str(tokens[i + 2][1:-1])


def _declared(pairs: Iterable[tuple[Token, str]], findings: list[Diagnostic], code: str, what: str) -> dict[str, str]:
    """A dict from name to value; a second value for a name is a finding."""
    found: dict[str, tuple[Token, str]] = {}
    for name, value in pairs:
        first, known = found.setdefault(str(name), (name, value))
        if known != value:
            message = f"{what} '{name}' is declared twice"
            note = f"the first declaration is on line {first.line}"
            findings.append(Diagnostic(code, message, span_of(name), note, "remove one of the two, or rename one"))
    return {name: value for name, (_, value) in found.items()}


def _resolve(token: Token, constants: dict[str, str], prefixes: dict[str, str]) -> Token:
    if token.type == "NAME" and token in constants:
        return Token.new_borrow_pos("CNAME", str(token), token)
    if token.type != "PREFIXED":
        return token
    prefix, _, local = token.partition(":")
    return Token.new_borrow_pos("IRI", f"<{prefixes.get(f'{prefix}:', 'unknown:')}{local}>", token)


def _unknown_sizes(tokens: list[Token]) -> list[int]:
    """The places of names that are window sizes, and so can only be constants."""
    return [i for i, token in enumerate(tokens) if token.type == "NAME" and i and _opens_size(tokens, i - 1)]


def _opens_size(tokens: list[Token], i: int) -> bool:
    if tokens[i].type == "_HASH":
        return i > 0 and tokens[i - 1].type in _SIZE_OPENERS
    return tokens[i].type in _SIZE_OPENERS


_SIZE_OPENERS = frozenset({"LBRACKET", "BOX", "_CARET"})


def _unknown_constant(token: Token, constants: Names) -> Diagnostic:
    near = constants.closest(token)
    return Diagnostic(
        "unknown-constant",
        f"there is no constant '{token}'",
        span_of(token),
        "the size of a window is a number, or a constant that #const declares",
        f"did you mean `{near}`?" if near else f"declare it: `#const {token} = 30.`",
    )


def _unknown_prefixes(tokens: list[Token], prefixes: dict[str, str]) -> Iterator[Diagnostic]:
    names = Names(prefixes)
    for token in tokens:
        if token.type == "PREFIXED" and f"{token.partition(':')[0]}:" not in prefixes:
            yield _unknown_prefix(token, token.partition(":")[0], names)


def _unknown_prefix(token: Token, prefix: str, prefixes: Names) -> Diagnostic:
    near = prefixes.closest(f"{prefix}:")
    return Diagnostic(
        "unknown-prefix",
        f"the prefix '{prefix}:' is not declared",
        span_of(token),
        "a name with a colon is short for an IRI",
        f"did you mean `{near}`?" if near else f"declare it: `#prefix {prefix}: <http://example.org/>.`",
    )
