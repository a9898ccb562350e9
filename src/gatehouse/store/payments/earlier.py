"""Finds an earlier payment of an account for a later one with the same stored card."""

from gatehouse.core.cards.network_ids import NetworkIdSealer
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.gateway.stored_credential import EarlierPayment
from gatehouse.store.database import Database
from gatehouse.store.payments.operations import find_payment


class StoredPayments:
    """The payments that requests of this installation left."""

    def __init__(self, database: Database, ring: KeyRing) -> None:
        self._database = database
        self._sealer = NetworkIdSealer(ring)

    async def find(self, account_id: str, request_id: str) -> EarlierPayment | None:
        """The payment of a request, if it stands; None also when it is another account's."""
        found = await self._database.read_on_thread(
            lambda connection: find_payment(connection, account_id, request_id)
        )
        if found is None:
            return None
        if found.network_id is None:
            return EarlierPayment(None, None)
        card, network_id = self._sealer.open((account_id, request_id), found.network_id)
        return EarlierPayment(network_id, card)
