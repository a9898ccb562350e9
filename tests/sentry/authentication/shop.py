"""A shop that asks for advice on authentication: its payments as the stage sees them, in tests."""

import asyncio
import json
from typing import Any

import msgspec

from gatehouse.core.cards.numbers import KeptCard, MaskedCard
from gatehouse.core.cards.three_d_secure import ThreeDSecure, ThreeDSStatus
from gatehouse.core.stages.case import Case, StageResult, ValuesByType
from gatehouse.sentry.authentication.advice import AdvisedPayment
from gatehouse.sentry.authentication.terms import AuthenticationTerms
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.memory.port import Memory
from gatehouse.sentry.policy import SentryPolicy
from gatehouse.sentry.scorecard import load_scorecard
from gatehouse.sentry.stage import SentryStage
from tests.sentry.visits import CARD, NOW, READER, Book, visit

TERMS = AuthenticationTerms("DE", tra_up_to=250, exempt_from=6_000, challenge_below=1_000)
GERMAN_CARD = msgspec.structs.replace(CARD, country="DE")
PROVEN = ThreeDSecure(status=ThreeDSStatus.AUTHENTICATED)
DAY = 86_400.0


class AdvisedShop:
    """Payments of one shop, one after the other."""

    def __init__(
        self,
        terms: AuthenticationTerms | None = TERMS,
        memory: Memory | None = None,
        server: str = "",
    ) -> None:
        self.memory = memory or LocalMemory(limit=10_000)
        self.terms = terms
        self.policy = SentryPolicy()
        self.stage = SentryStage(
            Book(), self.memory, load_scorecard(), EntityHasher(b"k" * 32), time_limit_ms=1000
        )
        self.number = 0
        self.server = server

    def case(
        self, at_s: float, proof: ThreeDSecure | None, card: KeptCard | None, body: dict[str, Any]
    ) -> Case:
        self.number += 1
        request = READER.read(json.dumps(body).encode())
        made = Case(
            f"req_{self.server}{self.number}", "acct_1", int(at_s * 1000), ValuesByType.of(request)
        )
        if proof is not None:
            made.inputs[ThreeDSecure] = proof
        if card is not None:
            made.card = MaskedCard(card, f"inner {card.fingerprint}")
        made.policies[SentryPolicy] = self.policy
        if self.terms is not None:
            made.policies[AuthenticationTerms] = self.terms
        return made

    async def paid(
        self,
        amount: float = 10.0,
        at_s: float = NOW,
        *,
        currency: str = "EUR",
        proof: ThreeDSecure | None = None,
        card: KeptCard | None = GERMAN_CARD,
        **more: Any,
    ) -> StageResult:
        body = visit(amount=amount) | more
        body["order"] = {"amount": amount, "currency": currency}
        return await self.stage.run(self.case(at_s, proof, card, body))

    def pay(self, amount: float = 10.0, at_s: float = NOW, **more: Any) -> StageResult:
        return asyncio.run(self.paid(amount, at_s, **more))

    def advice(self, amount: float = 10.0, at_s: float = NOW, **more: Any) -> AdvisedPayment:
        return advised_in(self.pay(amount, at_s, **more))


def advised_in(result: StageResult) -> AdvisedPayment:
    """The advice that a result's facts keep, written and read as records are."""
    kept = msgspec.json.decode(msgspec.json.encode(result.facts))
    found = AdvisedPayment.recorded(kept)
    assert found is not None
    return found
