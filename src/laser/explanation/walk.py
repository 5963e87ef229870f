"""Ways through proofs that neither recurse nor visit a shared part twice."""

from __future__ import annotations

from collections.abc import Iterator

from laser.explanation.explanation import Proof

__all__ = ["below", "parts", "size"]


def parts(proof: Proof) -> Iterator[Proof]:
    """The proofs on which a proof rests directly."""
    return (part for premise in proof.premises for part in premise.proofs)


def below(proof: Proof) -> list[Proof]:
    """A proof and all in it, each once, parts before what is made of them."""
    done: dict[int, Proof] = {}
    stack = [(proof, parts(proof))]
    on_way = {id(proof)}
    while stack:
        top, rest = stack[-1]
        following = next((part for part in rest if id(part) not in on_way), None)
        if following is None:
            stack.pop()
            done[id(top)] = top
        else:
            on_way.add(id(following))
            stack.append((following, parts(following)))
    return list(done.values())


def size(proof: Proof) -> int:
    """The number of nodes of the whole tree."""
    sizes: dict[int, int] = {}
    for part in below(proof):
        sizes[id(part)] = 1 + sum(sizes[id(other)] for other in parts(part))
    return sizes[id(proof)]
