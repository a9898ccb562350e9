"""The connector that is asked about top-ups, as long as it is in use."""

from gatehouse.connectors.routing.roster import Roster
from gatehouse.connectors.routing.seat import Seat
from gatehouse.core.errors import ConnectorFailed
from gatehouse.gateway.hosted_pages import HostedPages


def party_of(roster: Roster | None, name: str) -> tuple[Seat, HostedPages]:
    """A connector by its name with its pages; `ConnectorFailed` when it takes nothing now."""
    seat = None if roster is None else roster.seat(name)
    if seat is None or seat.pages is None or not seat.would_take:
        raise ConnectorFailed(f"connector {name} shows no pages now", sent=False)
    return seat, seat.pages
