"""Reads a search for decisions: what may stand in an address, and who or what was looked for.

People, cards and the like are never part of an address, because addresses are logged and shared.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from gatehouse.admin.search.filters import DecisionSearchRequest
from gatehouse.console.formats import parse_local
from gatehouse.console.refusals import Told
from gatehouse.console.visit import Visit
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import RequestRefused
from gatehouse.core.labels import Label
from gatehouse.core.outcomes import Outcome
from gatehouse.core.request_reader import RequestReader

PLAIN: Final = ("operation", "decision", "rule", "tag", "label", "currency", "least", "most")
"""Filters that an address may hold."""
DAYS: Final = ("from", "to")
WHO: Final = (
    *("clientReferenceId", "userId", "email", "phone", "cardNumber", "cardFingerprint"),
    *("ipAddress", "deviceId", "transactionId"),
)
"""What somebody or something is looked for by; sent in a form alone."""
_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "decision": tuple(Outcome),
    "label": tuple(Label),
}
_DAY_MS: Final = 86_400_000
_READER: Final = RequestReader(DecisionSearchRequest)


def kept_filters(given: Mapping[str, str]) -> dict[str, str]:
    """The filters that stay in addresses, without the empty ones."""
    return {
        name: given[name].strip()[:200] for name in (*PLAIN, *DAYS) if given.get(name, "").strip()
    }


def read_search(
    visit: Visit, given: Mapping[str, str], who: str = "", value: str = "", limit: int = 50
) -> DecisionSearchRequest:
    """The search that the filters make; `InvalidInput` says what is wrong."""
    data: dict[str, Any] = {"limit": limit}
    kept = kept_filters(given)
    for name in ("operation", "rule", "tag"):
        if name in kept:
            data[name] = kept[name]
    for name, allowed in _CHOICES.items():
        if kept.get(name) in allowed:
            data[name] = kept[name]
    data |= _amount(visit, kept) | _days(visit, kept)
    if given.get("cursor"):
        data["cursor"] = given["cursor"]
    if who in WHO and value.strip():
        data[who] = value.strip()
    try:
        return _READER.read(msgspec.json.encode(data))
    except RequestRefused as refused:
        said = [each for problems in refused.fields.values() for each in problems]
        why = "; ".join((*said, *refused.details))
        raise Told(visit.text("decisions.problems.filters", why=why)) from None


def _amount(visit: Visit, kept: Mapping[str, str]) -> dict[str, Any]:
    if not ({"least", "most"} & kept.keys()):
        return {}
    assert visit.account is not None
    found: dict[str, Any] = {"currency": kept.get("currency", visit.account.currency).upper()}
    for name, end in (("least", "from"), ("most", "to")):
        if name in kept:
            try:
                found[end] = float(kept[name])
            except ValueError:
                raise Told(visit.text("decisions.problems.amount")) from None
    return {"amount": found}


def _days(visit: Visit, kept: Mapping[str, str]) -> dict[str, Any]:
    ends = {}
    for name in DAYS:
        if name in kept:
            try:
                at_ms = parse_local(kept[name], visit.formats.zone)
            except ValueError:
                raise Told(visit.text("decisions.problems.day")) from None
            ends[name] = iso_time(at_ms + (_DAY_MS if name == "to" else 0))
    return {"at": ends} if ends else {}
