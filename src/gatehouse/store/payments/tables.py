"""Where requests leave their payments, and where operations on them are kept."""

from typing import Final

from sqlalchemy import BigInteger, Integer, Text

from gatehouse.store.columns import index, key, optional, required
from gatehouse.store.metadata import declare

# The money of merchants, which moves at their provider. The ledger is of fees alone.
PAYMENTS: Final = declare(
    "payments",
    *key(Text, "account_id", "request_id"),
    *required(BigInteger, "at_ms", "amount_minor"),
    *required(Text, "currency"),
    # The connector, its name for the payment, what it has to know to find it, and the network's id.
    *optional(Text, "party", "payment_id", "reference", "network_id"),
    index("payments_by_party", "party", "payment_id", where="payment_id IS NOT NULL"),
    sqlite_with_rowid=False,
)

# What was asked for, each with the end that it had. A row is written before anything is sent;
# `next_at_ms` says when a worker takes it, or until when one has it.
PAYMENT_OPERATIONS: Final = declare(
    "payment_operations",
    *key(Text, "id"),
    *required(Text, "account_id", "request_id", "kind", "state", "actor"),
    *required(BigInteger, "amount_minor", "at_ms", "changed_at_ms"),
    *required(Integer, "attempts"),
    *optional(BigInteger, "next_at_ms"),
    # The party's code and its own name for the operation; why the last attempt came to nothing;
    # the party's notification that told the end.
    *optional(Text, "code", "party_reference", "detail", "notification_id"),
    index("payment_operations_of_payment", "account_id", "request_id", "id"),
    index("payment_operations_by_kind", "account_id", "kind", "state", "request_id"),
    index("payment_operations_due", "next_at_ms", where="next_at_ms IS NOT NULL"),
    index("payment_operations_in_doubt", "id", where="state = 'IN_DOUBT'"),
)

# What parties told of payments by themselves, each kept once by the name that its connector has for
# it. Only mapped fields are kept. `next_at_ms` says when it is applied, or tried again.
PROVIDER_NOTIFICATIONS: Final = declare(
    "provider_notifications",
    *key(Text, "id"),
    *required(Text, "connector", "name", "event", "state", "content"),
    *required(BigInteger, "received_at_ms", "changed_at_ms"),
    *required(Integer, "attempts"),
    *optional(BigInteger, "at_ms", "next_at_ms"),
    # The payment, once it is found; what about it is told of, such as a dispute.
    *optional(Text, "account_id", "request_id", "about", "detail"),
    index("provider_notifications_once", "connector", "name", unique=True),
    index("provider_notifications_of_payment", "account_id", "request_id", "id"),
    # A filter that fits few of them is looked up in the index alone.
    index("provider_notifications_of_account", "account_id", "id", "state", "event", "connector"),
    index("provider_notifications_about", "connector", "about", where="about IS NOT NULL"),
    index("provider_notifications_due", "next_at_ms", where="next_at_ms IS NOT NULL"),
)
