"""Which custom inputs of an account were found to be worth remembering, and which it refused.

Only the names of keys are kept here, never a value.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.cards.redaction import recordable
from gatehouse.sentry.policy import LONGEST_KEY, MOST_ENTITIES

NAME: Final = "SentryFound"
"""What is found is kept under this name beside an account's policies.

It is no part of Sentry's own policy, because servers of earlier versions refuse a policy with a
field that they do not know.
"""
MOST_KEPT: Final = 2 * MOST_ENTITIES
"""Keys that are remembered, and keys that the account refused."""
_NAME_OF_KEY: Final = re.compile(r"[^\W\d][\w .:/-]*")
_MANY_DIGITS: Final = re.compile(r"\d(?:\D{0,3}\d){4}")


class InputKind(StrEnum):
    """What a custom input looks like."""

    IDENTIFIER = "IDENTIFIER"
    """Many values that come back, each with few people: a device, a loyalty number."""
    CATEGORY = "CATEGORY"
    """Values that many people share: a plan, a branch, a merchant of a marketplace."""


class InputFinding(NamedTuple):
    """What a server has found of one key."""

    kind: InputKind | None
    """None: its values are not worth remembering."""
    sure: bool = False
    """Whether there is enough to change what was found before."""


class FoundInput(CamelStruct):
    """One key of `customInputs`."""

    key: Annotated[str, Meta(min_length=1, max_length=LONGEST_KEY)]
    since_ms: int
    """When it was found, or refused before that."""
    kind: InputKind | None = None
    """None where the account refused it before it was found."""
    refused: bool = False

    @property
    def remembered(self) -> bool:
        """Whether its values are remembered."""
        return self.kind is not None and not self.refused


class FoundInputs(msgspec.Struct, frozen=True, dict=True):
    """All of an account; with a dictionary, for what is worked out once."""

    inputs: Annotated[tuple[FoundInput, ...], Meta(max_length=MOST_KEPT)] = ()

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        """The keys whose values are remembered as declared ones are."""
        return self._keys(InputKind.IDENTIFIER)

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The keys whose values have a reputation, however many people share them."""
        return self._keys(InputKind.CATEGORY)

    def _keys(self, kind: InputKind) -> tuple[str, ...]:
        return tuple(each.key for each in self.inputs if each.kind is kind and each.remembered)


NOTHING_FOUND: Final = FoundInputs()


def is_name(key: str) -> bool:
    """Whether a key is fit to be kept: a name of something, and nothing about a person."""
    return (
        len(key) <= LONGEST_KEY
        and _NAME_OF_KEY.fullmatch(key) is not None
        and _MANY_DIGITS.search(key) is None
        and recordable(key) == key
    )


def with_findings(
    found: FoundInputs,
    declared: tuple[str, ...],
    findings: Mapping[str, InputFinding],
    at_ms: int,
) -> FoundInputs:
    """What was found before and what is found now; the same object if nothing is new.

    Declared keys come first: what is found takes the room that they leave. A refused key stays
    refused. What was found before is changed only by what is sure: a server that has just started
    has seen few people with each value.
    """
    kept: list[FoundInput] = []
    for each in found.inputs:
        finding = findings.get(each.key)
        if finding is None or each.refused or not finding.sure:
            kept.append(each)
        elif finding.kind is not None:
            kept.append(msgspec.structs.replace(each, kind=finding.kind))
    known = {*declared, *(each.key for each in found.inputs)}
    room = MOST_ENTITIES - len(declared) - sum(each.remembered for each in kept)
    for key, finding in findings.items():
        if finding.kind is None or key in known or not is_name(key):
            continue
        if room > 0 and len(kept) < MOST_KEPT:
            kept.append(FoundInput(key, at_ms, finding.kind))
            room -= 1
    return found if tuple(kept) == found.inputs else FoundInputs(tuple(kept))
