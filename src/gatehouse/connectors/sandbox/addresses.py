"""The sandbox's addresses: a few of the ranges kept for documentation, over the real book."""

from gatehouse.connectors.sandbox.triggers import find
from gatehouse.intel.addresses import Address
from gatehouse.intel.networks import AddressBook, AddressFacts


class SandboxAddresses:
    """Knows the addresses of the trigger table, and asks the book about every other."""

    def __init__(self, book: AddressBook) -> None:
        self._book = book

    def look(self, address: Address, day: int) -> AddressFacts:
        """What is known about an address on a day."""
        row = find("device.ipAddress", address.text)
        if row is not None and row.facts is not None:
            return row.facts
        return self._book.look(address, day)
