"""The issuer and the identity source that pass each request on to the connector of its route."""

import msgspec

from gatehouse.connectors.definition import RECORDS, Function
from gatehouse.connectors.routing.roster import Roster
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.stages.case import ValuesByType
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.idverify.source import HolderResults, Holders, IdentityEnquiry
from gatehouse.precheck.issuer import CardEnquiry, IssuerAnswer


class RoutedIssuer:
    """Asks the connectors of a card's route in order until one answers."""

    def __init__(self, roster: Roster, *, routes_identities: bool) -> None:
        """`routes_identities` says whether ID Verify asks connectors as well."""
        self._roster = roster
        self._routes_identities = routes_identities

    async def check(self, enquiry: CardEnquiry) -> IssuerAnswer:
        """What the first connector that can answer says."""
        failure: ConnectorFailed | None = None
        number, account_id = enquiry.number, enquiry.account_id
        for seat in self._roster.candidates(Function.PRECHECK, number, account_id):
            if seat.issuer is None or not seat.takes():
                continue
            asked = enquiry if not enquiry.inputs else self._without_others(enquiry, seat.name)
            try:
                return await seat.ask(Function.PRECHECK.value, seat.issuer.check(asked))
            except ConnectorFailed as error:
                failure = error
        raise failure or nobody(Function.PRECHECK)

    def _without_others(self, enquiry: CardEnquiry, name: str) -> CardEnquiry:
        """The enquiry without what ID Verify is to ask another connector."""
        inputs = enquiry.inputs
        if IdVerifyRequest not in inputs:
            return enquiry
        if self._routes_identities:
            first = self._roster.first_name(Function.IDVERIFY, enquiry.number, enquiry.account_id)
            if first == name:
                return enquiry
        others = ValuesByType(
            {kind: each for kind, each in inputs.items() if kind is not IdVerifyRequest}
        )
        return msgspec.structs.replace(enquiry, inputs=others)


class RoutedIdentities:
    """Asks the identity sources of a card's route in order until one answers."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster

    async def find(self, enquiry: IdentityEnquiry) -> Holders | HolderResults:
        """What the first connector that can answer says; records only of cards they know."""
        failure: ConnectorFailed | None = None
        unknown: Holders | None = None
        number, account_id = enquiry.number, enquiry.account_id
        for seat in self._roster.candidates(Function.IDVERIFY, number, account_id):
            if seat.identities is None or not seat.takes():
                failure = failure or nobody(Function.IDVERIFY)
                continue
            try:
                found = await seat.ask(Function.IDVERIFY.value, seat.identities.find(enquiry))
            except ConnectorFailed as error:
                failure = error
                continue
            if seat.name != RECORDS or isinstance(found, HolderResults) or found.people:
                return found
            unknown = found
        if unknown is not None and failure is None:
            return unknown
        raise failure or nobody(Function.IDVERIFY)


def nobody(function: Function) -> ConnectorFailed:
    """Nobody could be asked: no route fits, or all are down or have too much in flight."""
    return ConnectorFailed(f"no connector takes requests of {function.value} now", sent=False)
