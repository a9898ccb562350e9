"""Turns conditions into Python functions: this is how a server asks them.

Source code is made from the tree alone: signals become local variables, and the texts, numbers and
names that an author wrote are bound to constants beside the code. A condition can be compiled as
"is it true" and as "is it false", each in terms of the other, so three-valued logic costs nothing
where a plain comparison will do. NULL is NaN for numbers and None for everything else: no
comparison with NaN holds, as in SQL, and sums with NaN stay NaN.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from gatehouse.conditions import nodes
from gatehouse.conditions.functions import matching
from gatehouse.conditions.nodes import Condition, Node, Type, type_of
from gatehouse.conditions.patterns import plain_form
from gatehouse.conditions.python_source import FunctionSource


class Lists(Protocol):
    """The lists of an account."""

    def has(self, name: str, value: str, at_ms: int) -> bool:
        """Whether the value is on the list at that time; an unknown list has nothing."""


Matcher = Callable[[Mapping[str, Any], Lists, int], list[int]]
"""Takes signals, lists and the time; returns which conditions are TRUE, ascending."""

CompiledCondition = Callable[[Mapping[str, Any], Lists, int], bool]
"""Takes the same; returns whether one condition is TRUE."""

# Longer functions read fewer signals twice, but nothing else in the process can run while one is
# compiled.
_CONDITIONS_AT_ONCE: Final = 40

_OF_ANY_TYPE: Final = ("COALESCE", "NULLIF")
_PLAIN: Final = {
    "ABS": "abs",
    "FLOOR": "floor",
    "CEIL": "ceil",
    "ROUND": "round",
    "LOWER": "lower",
    "UPPER": "upper",
    "LENGTH": "length",
}
_FOR_NUMBERS: Final = {
    "COALESCE": "coalesce_number",
    "NULLIF": "nullif_number",
    "LEAST": "least_number",
    "GREATEST": "greatest_number",
}
_FOR_OTHERS: Final = {
    "COALESCE": "coalesce_other",
    "NULLIF": "nullif_other",
    "LEAST": "least_other",
    "GREATEST": "greatest_other",
}
_SIGNS: Final = {"+": "+", "-": "-", "*": "*"}
_INVERSE: Final = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_IN_PYTHON: Final = {"=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def compile_conditions(conditions: Sequence[Condition]) -> Matcher:
    """One function that asks all conditions."""
    parts: list[Callable[..., None]] = []
    for start in range(0, len(conditions), _CONDITIONS_AT_ONCE):
        source = FunctionSource()
        writer = _Writer(source)
        for number, condition in enumerate(conditions[start : start + _CONDITIONS_AT_ONCE], start):
            # Asking may add lines of its own, which come first.
            asked = writer.true(condition.root)
            source.lines.append(f"if {asked}: matched({number})")
        parts.append(source.finish())

    def match(signals: Mapping[str, Any], lists: Lists, at_ms: int) -> list[int]:
        matched: list[int] = []
        for part in parts:
            part(signals, lists, at_ms, matched.append)
        return matched

    return match


def compile_condition(condition: Condition) -> CompiledCondition:
    """A function that asks one condition."""
    matcher = compile_conditions([condition])
    return lambda signals, lists, at_ms: bool(matcher(signals, lists, at_ms))


class _Writer:
    """Writes the source of one function.

    `_holds` gives an expression that holds when a condition is TRUE, or when it is FALSE; `value`
    gives one for the value itself. An expression that is needed more than once goes into a local
    variable, because pasting it twice would double the code at every level.
    """

    def __init__(self, source: FunctionSource) -> None:
        self._source = source
        self._known: dict[int, str] = {}

    def true(self, node: Node) -> str:
        """An expression that holds exactly when the condition is TRUE."""
        return self._holds(node, True)

    def _holds(self, node: Node, wanted: bool) -> str:
        match node:
            case nodes.Literal(value):
                return str(value is wanted)
            case nodes.Signal():
                name = self._source.signal(node)
                return name if wanted else f"{name} is False"
            case nodes.Both(parts) | nodes.Either(parts):
                word = "and" if isinstance(node, nodes.Both) is wanted else "or"
                return "(" + f" {word} ".join(self._holds(part, wanted) for part in parts) + ")"
            case nodes.Not(condition):
                return self._holds(condition, not wanted)
            case nodes.Compare(operator, left, right):
                return self._compared(operator if wanted else _INVERSE[operator], left, right)
            case nodes.OneOf(value, options):
                return self._one_of(value, options, wanted)
            case nodes.Listed(signal, name):
                value = self._source.signal(signal)
                asked = f"lists.has({self._source.constant(name)}, {value}, at_ms)"
                return f"({value} is not None and {'' if wanted else 'not '}{asked})"
            case nodes.Like():
                return self._like(node, wanted)
            case nodes.IsNull(value):
                return self._is_null(value, wanted)
            case nodes.Choose(branches, otherwise, _):
                chosen = [f"{self._holds(v, wanted)} if {self.true(c)}" for c, v in branches]
                return "(" + " else ".join([*chosen, self._holds(otherwise, wanted)]) + ")"
            case nodes.Call():
                return self._called(node, wanted)
            case nodes.Arithmetic():
                raise TypeError("a number is not a condition")

    def _compared(self, operator: str, left: Node, right: Node) -> str:
        kind = type_of(left) or type_of(right)
        if kind is None:
            return "False"
        if kind is Type.BOOLEAN and operator in ("=", "<>"):
            for one, other in ((left, right), (right, left)):
                if isinstance(other, nodes.Literal) and other.value is not None:
                    return self._holds(one, (other.value is True) == (operator == "="))
        return self._sure(operator, self.value(left, kind), self.value(right, kind), kind)

    def _sure(self, operator: str, left: str, right: str, kind: Type) -> str:
        """A comparison that does not hold when either side is NULL."""
        if kind is Type.NUMBER and operator != "<>":
            return f"{left} {_IN_PYTHON[operator]} {right}"
        unsure = [side for side in (left, right) if side not in self._source.constants]
        if operator == "=":
            # Only None equals None, so it is enough if one side cannot be None.
            unsure = [] if len(unsure) < 2 else [left]
        guards: list[str] = []
        for side in unsure:
            first, again = self._source.twice(side)
            guards.append(f"{first} == {again}" if kind is Type.NUMBER else f"{first} is not None")
            left, right = (again if each == side else each for each in (left, right))
        return "(" + " and ".join([*guards, f"{left} {_IN_PYTHON[operator]} {right}"]) + ")"

    def _one_of(self, value: Node, options: Sequence[Node], wanted: bool) -> str:
        known = [each.value for each in options if isinstance(each, nodes.Literal)]
        kind = type_of(value) or next(filter(None, map(type_of, options)), None)
        if kind is None:
            return "False"
        first, again = self._source.twice(self.value(value, kind))
        here = f"{first} == {again}" if kind is Type.NUMBER else f"{first} is not None"
        if len(known) == len(options) and None not in known:
            word = "in" if wanted else "not in"
            return f"({here} and {again} {word} {self._source.constant(frozenset(known))})"
        operator, joint = ("=", "or") if wanted else ("<>", "and")
        each = [self._sure(operator, again, self.value(option, kind), kind) for option in options]
        return f"({here} and (" + f" {joint} ".join(each) + "))"

    def _like(self, node: nodes.Like, wanted: bool) -> str:
        plain = plain_form(node)
        if not isinstance(plain, str):
            return self._holds(plain, wanted)
        first, again = self._source.twice(self.value(node.value, Type.TEXT))
        fits = self._source.constant(matching(plain))
        return f"({first} is not None and {'' if wanted else 'not '}{fits}({again}))"

    def _is_null(self, value: Node, wanted: bool) -> str:
        kind = type_of(value)
        if kind is None:
            return str(wanted)
        first, again = self._source.twice(self.value(value, kind))
        if kind is Type.NUMBER:
            return f"{first} {'!=' if wanted else '=='} {again}"
        return f"{first} is {'' if wanted else 'not '}None"

    def _called(self, node: nodes.Call, wanted: bool) -> str:
        match node.function, node.arguments:
            case "COALESCE", (condition, nodes.Literal(bool(otherwise))):
                # The parser writes IS TRUE and IS FALSE like this.
                if otherwise is wanted:
                    return f"(not {self._holds(condition, not wanted)})"
                return self._holds(condition, wanted)
            case "HAS" | "STARTS_WITH" | "ENDS_WITH" | "CONTAINS", (whole, part):
                return self._found(node.function, whole, part, wanted)
        value = self._value_of_call(node)
        return f"{value} is {wanted}"

    def _found(self, function: str, whole: Node, part: Node, wanted: bool) -> str:
        kind = Type.WORDS if function == "HAS" else Type.TEXT
        outer, outer_again = self._source.twice(self.value(whole, kind))
        inner, inner_again = self._source.twice(self.value(part, Type.TEXT))
        asked = {
            "STARTS_WITH": f"{outer_again}.startswith({inner_again})",
            "ENDS_WITH": f"{outer_again}.endswith({inner_again})",
        }.get(function, f"{inner_again} in {outer_again}")
        guards = [
            f"{each} is not None" for each in (outer, inner) if each not in self._source.constants
        ]
        negated = "" if wanted else "not "
        return "(" + " and ".join([*guards, negated + asked]) + ")"

    def value(self, node: Node, kind: Type) -> str:
        """An expression for a value of this type."""
        match node:
            case nodes.Literal(None):
                return "null" if kind is Type.NUMBER else "None"
            case nodes.Literal(written):
                return self._source.constant(written)
            case nodes.Signal():
                return self._source.signal(node)
            case nodes.Arithmetic():
                return f"finite({self._sum(node)})"
            case nodes.Call() if kind is not Type.BOOLEAN or node.function in _OF_ANY_TYPE:
                return self._value_of_call(node)
            case nodes.Choose(branches, otherwise, _):
                chosen = [f"{self.value(v, kind)} if {self.true(c)}" for c, v in branches]
                return "(" + " else ".join([*chosen, self.value(otherwise, kind)]) + ")"
        return self._kept(node)

    def _value_of_call(self, node: nodes.Call) -> str:
        kinds = map(type_of, node.arguments)
        known = next(filter(None, kinds), node.type)
        given = ", ".join(self.value(each, known) for each in node.arguments)
        of_any = _FOR_NUMBERS if known is Type.NUMBER else _FOR_OTHERS
        function = of_any.get(node.function) or _PLAIN[node.function]
        return f"{function}({given})"

    def _sum(self, node: Node) -> str:
        """A sum that is not finite stays so until `finite` makes it NULL, once, at the end."""
        if not isinstance(node, nodes.Arithmetic):
            return self.value(node, Type.NUMBER)
        left, right = node.left, node.right
        first = self._sum(left)
        if not isinstance(left, nodes.Arithmetic | nodes.Literal):
            # Whole numbers would be added without rounding; the other engine rounds.
            first = f"float({first})"
        elif isinstance(left, nodes.Arithmetic) and node.operator == "*" and left.operator in "+-":
            first = f"({first})"
        if node.operator in "/%":
            # Something divided by what is not finite would be finite again.
            function = "divided" if node.operator == "/" else "remainder"
            return f"{function}({first}, {self.value(right, Type.NUMBER)})"
        second = self._sum(right)
        return f"{first} {_SIGNS[node.operator]} " + (
            f"({second})" if isinstance(right, nodes.Arithmetic) else second
        )

    def _kept(self, condition: Node) -> str:
        """A local variable that holds whether the condition is true, false or unknown."""
        name = self._known.get(id(condition))
        if name is None:
            true, false = self.true(condition), self._holds(condition, False)
            name = self._known[id(condition)] = self._source.temporary()
            self._source.lines.append(f"{name} = True if {true} else False if {false} else None")
        return name
