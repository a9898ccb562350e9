"""The tree that a condition becomes: the only form in which conditions are kept, run and queried.

`conditions.parse` makes a tree after it checked every name and type, and the compilers rely on
that. A tree is kept as JSON beside the text it was read from; a running server needs only the tree.
"""

import msgspec

from gatehouse.core.signal import Type as Type  # noqa: PLC0414  # part of this tree, too


class Literal(msgspec.Struct, frozen=True, tag="literal", tag_field="is"):
    """A value that was written down; None is NULL."""

    value: bool | float | str | None


class Signal(msgspec.Struct, frozen=True, tag="signal", tag_field="is"):
    """A named fact about the request."""

    name: str
    type: Type


class Compare(msgspec.Struct, frozen=True, tag="compare", tag_field="is"):
    """Two values of one type, compared by one of = <> < <= > >=."""

    operator: str
    left: "Node"
    right: "Node"


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
    options: tuple["Node", ...]


class Listed(msgspec.Struct, frozen=True, tag="listed", tag_field="is"):
    """Whether a signal's value is on one of the account's lists."""

    signal: Signal
    list: str


class Like(msgspec.Struct, frozen=True, tag="like", tag_field="is"):
    """A text compared with a pattern: % is anything, _ is one character."""

    value: "Node"
    pattern: str
    escape: str | None = None


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


class Call(msgspec.Struct, frozen=True, tag="call", tag_field="is"):
    """One of the known functions."""

    function: str
    arguments: tuple["Node", ...]
    type: Type


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

    text: str
    root: Node
    signals: tuple[str, ...]
    """Every signal it names, once, in order of appearance."""
    lists: tuple[tuple[str, str], ...] = ()
    """Every signal that is looked up on a list, with the list's name."""
