"""What an exploration of decisions answers with: groups by one thing or by two, with figures."""

from gatehouse.core.api_values import CamelStruct
from gatehouse.figures.account_columns import Coverage
from gatehouse.figures.buckets import Bucket


class GroupMoney(CamelStruct):
    """What orders come to in one currency, in millionths."""

    currency: str
    total_micros: int
    declined_micros: int
    fraud_micros: int


class GroupFigures(CamelStruct, kw_only=True):
    """How many decisions there are, what became of them, and what they come to."""

    requests: int = 0
    accepted: int = 0
    reviewed: int = 0
    declined: int = 0
    labelled: int = 0
    """Those of which it is known whether they were fraud."""
    fraud: int = 0
    money: tuple[GroupMoney, ...] = ()
    """By currency, the largest total first."""

    @property
    def decline_rate(self) -> float | None:
        """The share that was declined of those with an outcome."""
        return self._of_decided(self.declined)

    @property
    def review_rate(self) -> float | None:
        """The share that a person had to look at of those with an outcome."""
        return self._of_decided(self.reviewed)

    @property
    def fraud_rate(self) -> float | None:
        """The share of fraud among what has a label."""
        return self.fraud / self.labelled if self.labelled else None

    def _of_decided(self, count: int) -> float | None:
        decided = self.accepted + self.reviewed + self.declined
        return count / decided if decided else None


class GroupKey(CamelStruct, kw_only=True):
    """What the decisions of a group have in common."""

    value: str | None = None
    """The value; None where nothing is known, of a span of numbers, and of the others."""
    least: str | None = None
    """Of a span of numbers: from this one on."""
    below: str | None = None
    others: bool = False
    """Whether it stands for all that are not among the largest."""
    condition: str | None = None
    """Finds its decisions, in the language of rules; None where another filter does."""


class ExploredGroup(CamelStruct):
    """The decisions with one value, or one pair of values."""

    key: GroupKey
    also: GroupKey | None
    figures: GroupFigures
    trend: tuple[int, ...]
    """How many there are in each part of the span; empty for pairs."""


class Exploration(CamelStruct, kw_only=True):
    """Decisions of a span in groups."""

    by: str
    also: str | None
    since_ms: int
    until_ms: int
    bucket: Bucket
    starts_ms: tuple[int, ...]
    """Where the parts of the span begin."""
    coverage: Coverage
    total: GroupFigures
    groups: tuple[ExploredGroup, ...]
    """The largest first, spans of numbers in their order, the others last. A decision is in several
    groups where it has several values, as rules that matched."""
