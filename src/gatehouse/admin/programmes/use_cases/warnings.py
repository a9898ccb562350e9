"""What of a month counts in no programme, or not as what it may be."""

from collections import Counter
from typing import Final

from gatehouse.admin.outcomes.types.outcome import (
    REGIONS,
    OutcomeKind,
    OutcomeNetwork,
    is_known_reason,
    reason_of,
    region_of,
)
from gatehouse.admin.programmes.types.counting import NOTHING, counts_of
from gatehouse.admin.programmes.types.thresholds import CountedEvents, ProgrammeNetwork
from gatehouse.admin.programmes.use_cases.measuring import Metered
from gatehouse.core.wording.sentences import Phrase, any_of

_NO_NETWORK: Final = Phrase(
    "programmes.no_network",
    "reported frauds and disputes that name no card network count in no programme: {count}",
)
_NO_MERCHANT: Final = Phrase(
    "programmes.no_merchant",
    "reported frauds and disputes that name no merchant id count for the account alone: {count}",
)
_NO_SALES: Final = Phrase(
    "programmes.no_sales",
    "reported frauds and disputes of {network} whose region has no sales count nowhere: {count} "
    "({region})",
)
_REASON: Final = Phrase(
    "programmes.unknown_reason",
    "disputes of {network} with the reason {reason}, which is not known, count as not about fraud: "
    "{count}",
)
_REGION: Final = Phrase(
    "programmes.unknown_region",
    "the region {region} is none of {regions}: the thresholds of no region are meant",
)


def warnings_of(metered: Metered) -> list[str]:
    """What to tell people about the outcomes of a month."""
    nowhere, reasons = Counter[str](), Counter[tuple[str, str]]()
    has_merchants = any(part.merchant_id for part in metered.parts)
    regions = {group.region for group in metered.groups if group.region} | set(
        metered.regions.values()
    )
    for group in metered.groups:
        if group.kind == OutcomeKind.SETTLED or counts_of(group, 1) == NOTHING:
            continue
        if group.network == OutcomeNetwork.OTHER:
            nowhere["network"] += group.number
        elif has_merchants and group.merchant_id is None and group.network in {*ProgrammeNetwork}:
            nowhere["merchant"] += group.number
        reason = group.reason and reason_of(OutcomeNetwork(group.network), group.reason)
        if reason and not is_known_reason(group.network, reason):
            reasons[group.network, reason] += group.number
    found: list[str] = [_NO_NETWORK(count=nowhere["network"])] if nowhere["network"] else []
    found += [_NO_MERCHANT(count=nowhere["merchant"])] if nowhere["merchant"] else []
    for part in metered.parts:
        now, before = metered.now.get(part, NOTHING), metered.before.get(part, NOTHING)
        events = now.events(CountedEvents.FRAUD_AND_DISPUTES)
        is_metered = part.merchant_id is None and part.network in {*ProgrammeNetwork}
        if is_metered and events and not now.sales + before.sales:
            found.append(_NO_SALES(network=part.network, count=events, region=part.region or "–"))
    found += [
        _REASON(network=network, reason=reason, count=number)
        for (network, reason), number in sorted(reasons.items())
    ]
    unknown = sorted(each for each in regions if region_of(each) not in REGIONS)
    return found + [_REGION(region=each, regions=any_of(REGIONS)) for each in unknown]
