"""The SQL that decides requests as a rule set does, from bits that say which rules match.

The bits of up to 60 rules are in one whole number, in the columns m0, m1 and so on. Only numbers
and outcomes are written into the statements here; conditions are, in `match_columns` alone.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from gatehouse.conditions.compile_sql import to_sql
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.rules.ruleset import Rule

BITS: Final = 60
"""Rules in one whole number."""


class DecisionSql:
    """The expressions for one rule set."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self.columns = [f"m{number}" for number in range(-(-len(rules) // BITS))]
        """The names of the whole numbers."""

    def match_columns(self) -> str:
        """The whole numbers, made from the signals of a request."""
        firsts = range(0, len(self._rules), BITS)
        found = [
            f"({' | '.join(self._bits(first))}) AS {column}"
            for first, column in zip(firsts, self.columns, strict=True)
        ]
        return ", ".join(found) or "0::BIGINT AS m"

    def matches(self, place: int) -> str:
        """Whether the rule at this place matches."""
        return f"({self.columns[place // BITS]} & {1 << place % BITS}) <> 0"

    def decided(self, rows: str) -> str:
        """Rows with what their matches come to (`now`), and with what makes it so."""
        return (
            f"(SELECT *, {self._decision('final_rule')} AS now FROM ("  # noqa: S608  # bits only
            f"SELECT *, {self._first_final()} AS final_rule, "
            f"{self._number_of(Outcome.DECLINE)} AS declines, "
            f"{self._number_of(Outcome.REVIEW)} AS reviews FROM {rows}))"
        )

    def decided_without_final(self, rows: str) -> str:
        """The same with what they would come to without their final rule (`without_final`)."""
        second = self._first_final(but="final_rule")
        return (
            f"SELECT *, {self._decision('next_final', without='final_rule')} "  # noqa: S608
            f"AS without_final FROM (SELECT *, {second} AS next_final FROM {self.decided(rows)})"
        )

    def is_decisive(self, place: int) -> str:
        """Whether a request that the rule matches would be decided differently without it."""
        rule = self._rules[place]
        if rule.shadow:
            return "FALSE"
        if rule.final:
            return f"final_rule = {place + 1} AND without_final <> now"
        if rule.outcome is Outcome.DECLINE:
            return "final_rule = 0 AND declines = 1"
        if rule.outcome is Outcome.REVIEW:
            return "final_rule = 0 AND declines = 0 AND reviews = 1"
        return "FALSE"

    def _bits(self, first: int) -> Iterator[str]:
        for bit, rule in enumerate(self._rules[first : first + BITS]):
            yield f"CASE WHEN {to_sql(rule.condition)} THEN {1 << bit}::BIGINT ELSE 0::BIGINT END"

    def _masks(self, wanted: Callable[[Rule], bool]) -> Iterator[tuple[str, int, int]]:
        """Each column that has wanted rules, the place of its first rule, and their bits."""
        for number, column in enumerate(self.columns):
            first = number * BITS
            part = enumerate(self._rules[first : first + BITS])
            if bits := sum(1 << bit for bit, rule in part if wanted(rule)):
                yield column, first, bits

    def _number_of(self, outcome: Outcome) -> str:
        """How many of the rules with this outcome match."""
        found = self._masks(lambda rule: rule.outcome is outcome and not rule.shadow)
        # DuckDB counts bits in a number of one byte, which a sum would overflow.
        counts = [f"bit_count({column} & {bits})::BIGINT" for column, _, bits in found]
        return f"({' + '.join(counts) or '0'})"

    def _first_final(self, but: str | None = None) -> str:
        """Which final rule is the first to match, counted from one; zero for none.

        With `but`, a column that holds this already, it is the second one.
        """
        branches = []
        for column, first, bits in self._masks(lambda rule: rule.final and not rule.shadow):
            left = f"({column} & {bits})"
            if but is not None:
                here = f"{but} BETWEEN {first + 1} AND {first + BITS}"
                left = f"(CASE WHEN {here} THEN {left} & ({left} - 1) ELSE {left} END)"
            # The bits that differ from the number before are those up to the lowest that is set.
            place = f"{first} + bit_count(xor({left}, {left} - 1))::BIGINT"
            branches.append(f"WHEN {left} <> 0 THEN {place}")
        return f"(CASE {' '.join(branches)} ELSE 0 END)" if branches else "0"

    def _decision(self, final: str, without: str | None = None) -> str:
        """What is decided: by the final rule in a column, or else by the strongest of all.

        The rule in the column `without` is not counted among these.
        """
        outcomes = ", ".join(f"'{rule.outcome.value}'" for rule in self._rules)
        branches = [f"WHEN {final} > 0 THEN [{outcomes}][{final}]"] if outcomes else []
        for outcome, number in ((Outcome.DECLINE, "declines"), (Outcome.REVIEW, "reviews")):
            enough = "0"
            if without is not None and outcomes:
                enough = f"([{outcomes}][{without}] IS NOT DISTINCT FROM '{outcome.value}')::BIGINT"
            branches.append(f"WHEN {number} > {enough} THEN '{outcome.value}'")
        return f"CASE {' '.join(branches)} ELSE '{Outcome.ACCEPT.value}' END"
