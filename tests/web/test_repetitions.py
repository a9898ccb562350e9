"""What is kept of the body of a request is the same in every version of the service."""

import json
from typing import Any

import msgspec
import pytest

from gatehouse.api.repetitions import Repetitions, canonical
from gatehouse.core.reading.unread_fields import UnreadFields
from gatehouse.core.secrets.hashing import keyed_hash
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.operations.pipeline_messages import pipeline_messages
from gatehouse.pipeline.settlement import Claim
from tests.harness import AMELIA, BODY, CARD, PURCHASE, VISIT

DAY = Repetitions(b"0" * 32, 86_400_000)
SCOPED = b"acct_1 rules a-key"
AUTHENTICATED: dict[str, Any] = {
    "threeDSecure": {
        "version": "2.2.0",
        "eci": "05",
        "authenticationValue": "AAABBEg0VhI0VniQEjRWAAAAAAA=",
    }
}


class Before(msgspec.Struct, rename="camel"):
    """A request as a version knew it."""

    amount: int | None = None


class After(Before, rename="camel"):
    """The same in the next version, with a field more."""

    store_code: str | None = None


def claim(kind: type[msgspec.Struct], body: Any) -> Claim:
    """What is kept of a body by a version that knows this request."""
    return DAY.body_claim(SCOPED, json.dumps(body).encode(), UnreadFields(kind).blank, 0)


def is_repeated(kept: Claim, again: Claim) -> bool:
    """Whether the second is taken for the first."""
    assert again.is_kept_as is not None
    return kept.body == again.body or again.is_kept_as(kept.body)


KINDS: dict[str, type[msgspec.Struct]] = {
    spec.operation.name: spec.operation.request_type
    for spec in REGISTRY
    if spec.operation is not None
} | {"pipeline": pipeline_messages().request}
BODIES: dict[str, dict[str, Any]] = {
    "precheck": BODY,
    "idverify": AMELIA,
    "sentry": VISIT,
    "rules": {"customerIp": "203.0.113.1", "cardNumber": CARD, "amount": 59.9} | AUTHENTICATED,
    "pipeline": PURCHASE,
}
KEPT = {
    "precheck": "17fab68d5fcee09a3c854e0453c8e0a259576494c0feba624c4a598f4e5ca391",
    "idverify": "0b6e6dd5dc81616910ae2f69899658ea50fff096d904300eb75aa44decb50d56",
    "sentry": "b1698646722392cb76ebae86a88d47ee75fb1e44a78bd102dd49f05ba580f0d3",
    "rules": "108e1d503cb1c4eec806f744aa865a2303e24720700f0df5905ee80ffa460fa6",
    "pipeline": "80f3e444a5327571ba1bd8c64cfe8d62d44750ea6f89168323c4aea8a010d5f4",
}


def test_what_is_kept_of_a_body_never_changes() -> None:
    """A repetition would be refused with 422 after an upgrade if one of these changed."""
    assert {name: claim(KINDS[name], body).body for name, body in BODIES.items()} == KEPT
    assert set(KINDS) == set(KEPT)


@pytest.mark.parametrize(("first", "second"), [(Before, After), (After, Before)])
def test_a_body_is_the_same_to_a_version_that_reads_more_or_less_of_it(
    first: type[msgspec.Struct], second: type[msgspec.Struct]
) -> None:
    body = {"amount": 5, "storeCode": "S-1", "more": [{"deep": {"x": 1}}]}
    kept = claim(first, body)
    assert is_repeated(kept, claim(second, body))
    assert is_repeated(kept, claim(second, dict(reversed(body.items()))))
    for other in ({**body, "amount": 6}, {**body, "another": 1}, {"amount": 5}):
        assert not is_repeated(kept, claim(second, other))


def test_a_version_that_reads_a_field_notices_that_it_changed() -> None:
    kept = claim(After, {"storeCode": "S-1"})
    assert not is_repeated(kept, claim(After, {"storeCode": "S-2"}))
    assert not is_repeated(kept, claim(Before, {"storeCode": "S-2"}))


def test_values_that_nothing_reads_are_not_part_of_what_is_kept() -> None:
    assert claim(Before, {"cvv": "123"}).body == claim(Before, {"cvv": "124"}).body
    assert claim(Before, {"cvv": "123"}).body != claim(Before, {"cvc": "123"}).body


def test_what_earlier_versions_kept_is_recognised() -> None:
    body = {"amount": 5, "storeCode": "S-1"}
    blanked = keyed_hash(
        DAY.key, b"body of " + SCOPED + b"\n" + canonical(body | {"storeCode": None})
    )
    for kept in (blanked, keyed_hash(DAY.key, b"body " + canonical(body))):
        again = claim(Before, body)
        assert again.is_kept_as is not None
        assert again.is_kept_as(kept)


def test_very_many_fields_that_nothing_reads_leave_few_marks() -> None:
    body = {f"field{number}": "x" for number in range(5000)}
    kept = claim(Before, body)
    assert len(kept.body) < 500
    assert claim(Before, dict(reversed(body.items()))).body == kept.body
