"""What must hold after a run: the hosts' journals against our records, payments and fees."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from gatehouse.connectors.iso8583.layout.numbers import rrn_of
from gatehouse.connectors.reference_host.journal import HostKind, HostOutcome, read_journal
from scripts.connector_faults.load import Answered

APPROVED: Final = "APPROVED"


class AtHosts(msgspec.Struct):
    """What the hosts know of one payment."""

    authorized: int = 0
    """How often its authorization arrived, anywhere."""
    approved: int = 0
    reversed: int = 0
    """How many hosts approved it, and how many of those took it back."""


def read_hosts(journals: Iterable[Path]) -> tuple[dict[str, AtHosts], Counter[str]]:
    """What all hosts know, by the reference of the payment; and what went wrong on purpose."""
    found: dict[str, AtHosts] = {}
    faults: Counter[str] = Counter()
    for journal in journals:
        standing: dict[str, bool] = {}
        """By reference, whether this host lets the payment stand."""
        for line in read_journal(journal):
            if line.direction != "received":
                continue
            faults[line.fate.value if line.fate else "as it should be"] += 1
            if line.reference is None:
                continue
            at_hosts = found.setdefault(line.reference, AtHosts())
            if line.kind is HostKind.AUTHORIZE:
                at_hosts.authorized += 1
                if line.outcome is HostOutcome.APPROVED:
                    standing.setdefault(line.reference, True)
            elif line.kind is HostKind.REVERSE and standing.get(line.reference):
                standing[line.reference] = False
        for reference, stands in standing.items():
            found[reference].approved += 1
            found[reference].reversed += not stands
    return found, faults


def payment_problems(
    answered: list[Answered], hosts: dict[str, AtHosts], records: dict[str, str | None]
) -> list[str]:
    """Payments about which the hosts, the answers of the API and our records disagree."""
    problems: list[str] = []
    for each in answered:
        if not each.is_payment:
            continue
        known = [
            hosts[name] for name in (each.request_id, rrn_of(each.request_id)) if name in hosts
        ]
        sent = sum(one.authorized for one in known)
        standing = sum(one.approved - one.reversed for one in known)
        wanted = 1 if each.payment == APPROVED else 0
        if sent > 1:
            problems.append(f"{each.request_id}: sent {sent} times")
        if standing > wanted:
            problems.append(f"{each.request_id}: stands, although it was answered {each.payment}")
        if standing < wanted:
            problems.append(f"{each.request_id}: answered as approved, and does not stand")
        if records.get(each.request_id, "no record") != each.payment:
            recorded = records.get(each.request_id, "no record")
            problems.append(f"{each.request_id}: answered {each.payment}, recorded {recorded}")
    ids = {name for each in answered for name in (each.request_id, rrn_of(each.request_id))}
    for reference, one in hosts.items():
        if one.authorized and reference not in ids:
            problems.append(f"{reference}: a host knows a payment that nobody asked for")
    return problems


def late_answers(
    answered: list[Answered], durations_ms: dict[str, float], grace_ms: float
) -> list[str]:
    """Requests over which the server took longer than it may."""
    taken = [(each, durations_ms.get(each.request_id)) for each in answered]
    return [
        f"{each.request_id}: {ms} ms, at most {each.limit_ms}"
        for each, ms in taken
        if ms is None or ms > each.limit_ms + grace_ms
    ]
