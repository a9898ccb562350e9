"""The tree that a condition becomes: the only form in which conditions are kept, run and queried.

`conditions.parse` makes a tree after it checked every name and type, and the compilers rely on
that. A tree is kept as JSON beside the text it was read from; a running server needs only the tree.

Operators, functions and names are closed sets here too: what is kept in a database may have been
changed there, and the compilers must never meet a word that is not theirs.
"""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.conditions.signatures import COMPARISONS, SIGNATURES, SUMS
from gatehouse.core.stages.signal import Type as Type  # noqa: PLC0414  # part of this tree, too

MOST_KEPT_NODES: Final = 1000
"""Nodes of a tree that is read, without the values of an IN. An author can write fewer."""
DEEPEST_KEPT: Final = 100
LONGEST_KEPT: Final = 10_000
"""Characters of a condition, and values of one IN."""

SignalName = Annotated[str, Meta(pattern=r"\A[A-Za-z_]{1,40}(\.[A-Za-z0-9_]{1,64}){1,2}\Z")]
ListName = Annotated[str, Meta(pattern=r"\A[a-z0-9][a-z0-9_-]{0,63}\Z")]


class Literal(msgspec.Struct, frozen=True, tag="literal", tag_field="is"):
    """A value that was written down; None is NULL."""

    value: bool | float | str | None


class Signal(msgspec.Struct, frozen=True, tag="signal", tag_field="is"):
    """A named fact about the request."""

    name: SignalName
    type: Type


class Compare(msgspec.Struct, frozen=True, tag="compare", tag_field="is"):
    """Two values of one type, compared by one of = <> < <= > >=."""

    operator: str
    left: "Node"
    right: "Node"

    def __post_init__(self) -> None:
        if self.operator not in COMPARISONS:
            raise ValueError("not an operator that compares")


class Both(msgspec.Struct, frozen=True, tag="and", tag_field="is"):
    """AND over two or more conditions."""

    parts: tuple["Node", ...]


class Either(msgspec.Struct, frozen=True, tag="or", tag_field="is"):
    """OR over two or more conditions."""

    parts: tuple["Node", ...]


class Not(msgspec.Struct, frozen=True, tag="not", tag_field="is"):
    """The opposite of a condition; of an unknown one, unknown."""

    condition: "Node"


class OneOf(msgspec.Struct, frozen=True, tag="in", tag_field="is"):
    """IN over values of the same type."""

    value: "Node"
    options: Annotated[tuple["Node", ...], Meta(max_length=LONGEST_KEPT)]


class Listed(msgspec.Struct, frozen=True, tag="listed", tag_field="is"):
    """Whether a signal's value is on one of the account's lists."""

    signal: Signal
    list: ListName


class Like(msgspec.Struct, frozen=True, tag="like", tag_field="is"):
    """A text compared with a pattern: % is anything, _ is one character."""

    value: "Node"
    pattern: Annotated[str, Meta(max_length=LONGEST_KEPT)]
    escape: Annotated[str, Meta(min_length=1, max_length=1)] | None = None


class IsNull(msgspec.Struct, frozen=True, tag="null", tag_field="is"):
    """Whether a value is missing."""

    value: "Node"


class Choose(msgspec.Struct, frozen=True, tag="case", tag_field="is"):
    """CASE: the value of the first branch whose condition holds."""

    branches: tuple[tuple["Node", "Node"], ...]
    otherwise: "Node"
    type: Type


class Arithmetic(msgspec.Struct, frozen=True, tag="arithmetic", tag_field="is"):
    """Two numbers joined by one of + - * / %."""

    operator: str
    left: "Node"
    right: "Node"

    def __post_init__(self) -> None:
        if self.operator not in SUMS:
            raise ValueError("not an operator of sums")


class Call(msgspec.Struct, frozen=True, tag="call", tag_field="is"):
    """One of the known functions."""

    function: str
    arguments: tuple["Node", ...]
    type: Type

    def __post_init__(self) -> None:
        signature = SIGNATURES.get(self.function)
        if signature is None:
            raise ValueError("not a function of conditions")
        if not signature.fewest <= len(self.arguments) <= signature.most:
            raise ValueError("not the number of arguments that the function takes")


Node = (
    Literal
    | Signal
    | Compare
    | Both
    | Either
    | Not
    | OneOf
    | Listed
    | Like
    | IsNull
    | Choose
    | Arithmetic
    | Call
)


def type_of(node: Node) -> Type | None:
    """The type of a node's value; None for NULL, which fits every type."""
    match node:
        case Literal(None):
            return None
        case Literal(bool()):
            return Type.BOOLEAN
        case Literal(str()):
            return Type.TEXT
        case Literal() | Arithmetic():
            return Type.NUMBER
        case Signal() | Choose() | Call():
            return node.type
    return Type.BOOLEAN


class Condition(msgspec.Struct, frozen=True):
    """A checked condition: its text, its tree, and the signals and lists that it needs."""

    text: Annotated[str, Meta(max_length=LONGEST_KEPT)]
    root: Node
    signals: tuple[str, ...]
    """Every signal it names, once, in order of appearance."""
    lists: tuple[tuple[str, str], ...] = ()
    """Every signal that is looked up on a list, with the list's name."""

    def __post_init__(self) -> None:
        size, depth, level = 0, 0, [self.root]
        while level and size <= MOST_KEPT_NODES and depth <= DEEPEST_KEPT:
            size, depth = size + len(level), depth + 1
            level = [part for node in level for part in parts_of(node)]
        if size > MOST_KEPT_NODES or depth > DEEPEST_KEPT:
            raise ValueError("nested too deeply, or too many parts")


def parts_of(node: Node) -> list[Node]:
    """The nodes directly below a node, without values that were written down."""
    match node:
        case Literal() | Signal() | Listed():
            found: tuple[Node, ...] = ()
        case Both(parts) | Either(parts):
            found = parts
        case Compare(_, left, right) | Arithmetic(_, left, right):
            found = (left, right)
        case Not(one) | IsNull(one) | Like(one, _, _):
            found = (one,)
        case OneOf(value, options):
            found = (value, *options)
        case Choose(branches, otherwise, _):
            found = (*(each for branch in branches for each in branch), otherwise)
        case Call(_, arguments, _):
            found = arguments
    return [each for each in found if not isinstance(each, Literal)]
