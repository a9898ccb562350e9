"""The operations that are measured: what each needs, what is sent, and what it may cost."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from scripts.bench.cards import precheck_body
from scripts.bench.client import post
from scripts.bench.growth import fill_with_decisions, fill_with_people, fill_with_visits
from scripts.bench.learned import teach
from scripts.bench.people import idverify_body
from scripts.bench.purchases import apply_rules, pipeline_body, rules_body
from scripts.bench.servers import Shop, make_shop
from scripts.bench.visits import sentry_body

_CARDS: Final = 20_000
_EARLIER_VISITS: Final = 60_000


class FeedbackSubject(NamedTuple):
    """An operation that is measured, in one of the ways in which shops run it."""

    name: str
    key: str
    """By which `--operation` chooses it."""
    operation: str
    body: Callable[[int], bytes]
    prepare: Callable[[Shop], None]
    """Makes a new shop able to answer."""
    least_share: float
    most_times: float
    most_p50_ms: float = 5
    """Of a request that comes alone."""
    most_p99_ms: float | None = None
    """At half of the rate that it can reach; None where that is not asked."""
    grow: Callable[[Shop, int], None] = fill_with_decisions
    """Adds that many records of the kind that grows."""
    kind: str | None = "decision records"
    """None where growth is not measured."""

    def shop(self, home: Path, **settings: str) -> Shop:
        """A shop that can answer."""
        shop = make_shop(home, **settings)
        self.prepare(shop)
        return shop

    def requests(self, key: str, prefix: str = "/api/v1/") -> list[bytes]:
        """The requests, of which every one is different."""
        headers = {"X-API-KEY": key}
        return [post(prefix + self.operation, self.body(n), headers) for n in range(_CARDS)]


def with_visits(shop: Shop) -> None:
    """People who came before."""
    fill_with_visits(shop, _EARLIER_VISITS)


def with_model(shop: Shop) -> None:
    """The same, what became of their orders, and a model that learned from it."""
    with_visits(shop)
    teach(shop)


def with_rules(shop: Shop) -> None:
    """People who came before, and fifty rules."""
    apply_rules(shop, shop.home)
    with_visits(shop)


def with_rules_and_model(shop: Shop) -> None:
    """All of that."""
    with_rules(shop)
    teach(shop)


SUBJECTS: Final = (
    FeedbackSubject(
        "PreCheck",
        "precheck",
        "precheck",
        precheck_body,
        prepare=lambda shop: None,
        least_share=0.25,
        most_times=2.8,
    ),
    FeedbackSubject(
        "ID Verify",
        "idverify",
        "idverify",
        idverify_body,
        prepare=lambda shop: fill_with_people(shop, range(_CARDS)),
        least_share=0.15,
        most_times=5,
        grow=lambda shop, count: fill_with_people(shop, range(_CARDS, _CARDS + count // 2)),
        kind="identity records",
    ),
    FeedbackSubject(
        "Sentry, shipped scorecard",
        "sentry",
        "sentry",
        sentry_body,
        prepare=with_visits,
        least_share=0.21,
        most_times=5,
        most_p50_ms=2.5,
        most_p99_ms=25,
    ),
    FeedbackSubject(
        "Sentry, labels and a model",
        "sentry-learned",
        "sentry",
        sentry_body,
        prepare=with_model,
        least_share=0.16,
        most_times=7,
        most_p50_ms=2.5,
        most_p99_ms=25,
        kind=None,
    ),
    FeedbackSubject(
        "Rules alone, 50 rules",
        "rules",
        "rules",
        rules_body,
        prepare=with_rules,
        least_share=0.21,
        most_times=4.5,
        kind=None,
    ),
    FeedbackSubject(
        "Pipeline, 50 rules, labels and a model",
        "pipeline",
        "pipeline",
        pipeline_body,
        prepare=with_rules_and_model,
        least_share=0.11,
        most_times=9,
    ),
)
