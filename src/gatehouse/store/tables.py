"""The tables. Times are milliseconds since 1970 (UTC), amounts integers in millionths."""

from importlib import import_module
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy import BigInteger, Integer, LargeBinary, SmallInteger, Text

import gatehouse.store.accounts.tables
import gatehouse.store.decisions.evidence_table  # is among them
import gatehouse.store.payments.tables  # are among them, too
import gatehouse.store.people.tables  # noqa: F401  # the tables of people are among them
from gatehouse.store.columns import index, key, later, optional, order_columns, required, unsigned
from gatehouse.store.metadata import METADATA, Note
from gatehouse.store.metadata import declare as _table

__all__ = ["METADATA"]
_NEVER_OVERSPENT: Final = "held >= 0 AND (balance >= held OR credit_limit IS NOT NULL)"

ACCOUNTS: Final = _table(
    "accounts",
    *key(Text, "id"),
    *required(Text, "name", "currency"),
    *required(BigInteger, "created_at_ms"),
    # The ledger proves these.
    *unsigned(required(BigInteger, "balance", "held")),
    *required(Text, "fees", "policies"),
    *optional(Text, "signature"),
    *later(1, [*optional(BigInteger, "closed_at_ms"), *optional(Text, "closed_reason")]),
    # Which decisions are told as events, as JSON; below which balance that is told; what was told.
    *unsigned(optional(Text, "event_filters")),
    *unsigned(optional(BigInteger, "low_balance")),
    *unsigned([sa.Column("balance_told", SmallInteger, nullable=False, server_default="0")]),
    *later(2, optional(BigInteger, "credit_limit")),  # how far below nothing the balance may go
    sa.CheckConstraint(_NEVER_OVERSPENT, name="never_overspent"),
)

API_KEYS: Final = _table(
    "api_keys",
    *key(Text, "id"),
    sa.Column("account_id", Text, sa.ForeignKey("accounts.id"), nullable=False, index=True),
    *required(Text, "name"),
    sa.Column("hash", Text, nullable=False, unique=True),
    *required(Text, "scopes", "networks"),
    *optional(Integer, "rate_limit_per_second"),
    *required(BigInteger, "created_at_ms"),
    *optional(BigInteger, "expires_at_ms", "revoked_at_ms"),
    *unsigned(optional(BigInteger, "last_used_at_ms")),
    *optional(Text, "successor", "signature"),
    *later(1, optional(Text, "parent")),
)

IS_MOVEMENT: Final = "kind IN ('TOP_UP', 'ADJUST')"
NOT_A_HOLD: Final = "kind <> 'AUTHORIZE'"
"""Written out: databases use an index of some rows only for a query that says the same."""

# The key orders entries by account and time and makes a second end of one request impossible.
LEDGER_ENTRIES: Final = _table(
    "ledger_entries",
    *key(Text, "account_id", "reference"),
    *key(SmallInteger, "step"),
    *required(Text, "kind"),
    *required(BigInteger, "amount", "held", "at_ms"),
    *optional(Text, "detail"),
    # Holds move no money, so requests need not pay for their place in time.
    index("ledger_entries_by_time", "account_id", "at_ms", "reference", "step", where=NOT_A_HOLD),
    index("ledger_movements_by_time", "account_id", "at_ms", "reference", where=IS_MOVEMENT),
    sqlite_with_rowid=False,
)

# Only open authorizations, so the table is as small as the number of requests in flight.
HOLDS: Final = _table(
    "holds",
    *key(Text, "request_id"),
    *required(Text, "account_id"),
    *required(BigInteger, "amount", "expires_at_ms"),
    *required(Text, "owner"),
    *optional(Text, "card", "claim", "card_account"),
    index("holds_by_card", "card", where="card IS NOT NULL"),
    index("holds_by_card_account", "card_account", where="card_account IS NOT NULL"),
    sqlite_with_rowid=False,
)

IDEMPOTENCY: Final = _table(
    "idempotency",
    *key(Text, "claim_id"),
    *required(Text, "request_id", "body"),
    *optional(Text, "answer"),
    sa.Column("expires_at_ms", BigInteger, nullable=False, index=True),
)

DECISIONS: Final = _table(
    "decisions",
    *key(Text, "account_id", "request_id"),
    *required(BigInteger, "at_ms"),
    *required(Text, "operation"),
    *optional(Text, "client_reference", "card"),
    *required(Text, "record"),
    *optional(Text, "transaction_reference", "terms"),
    index(
        "decisions_by_client_reference",
        "account_id",
        "client_reference",
        "request_id",
        where="client_reference IS NOT NULL",
    ),
    index(
        "decisions_by_transaction",
        "account_id",
        "transaction_reference",
        "request_id",
        where="transaction_reference IS NOT NULL",
    ),
)

# What decisions are found by. A term is a keyed hash of an account, a field and a value; requests
# of one term are in order of time. The column `terms` of a decision names its rows.
SEARCH_ENTRIES: Final = _table(
    "search_entries",
    *key(BigInteger, "term"),
    *key(Text, "request_id"),
    *optional(BigInteger, "amount"),
    sqlite_with_rowid=False,
)

# The terms of decisions that are not indexed yet, in one text, with a comma before and after each.
SEARCH_WAITING: Final = _table(
    "search_waiting",
    *key(Text, "request_id"),
    *required(Text, "terms"),
    *optional(BigInteger, "amount"),
    sqlite_with_rowid=False,
)

CARD_MISMATCHES: Final = _table(
    "card_mismatches",
    *key(Text, "card", "request_id"),
    sa.Column("at_ms", BigInteger, nullable=False, index=True),
    sqlite_with_rowid=False,
)

# The card numbers that accounts sent within a day, by keyed hashes. Those of one group share BIN
# and last four.
CARD_NUMBERS: Final = _table(
    "card_numbers",
    *key(Text, "card_group", "number"),
    sa.Column("at_ms", BigInteger, nullable=False, index=True),
    sqlite_with_rowid=False,
)

AUDIT: Final = _table(
    "audit",
    *key(BigInteger, "seq"),
    *required(BigInteger, "at_ms"),
    *required(Text, "actor", "action"),
    *optional(Text, "account_id"),
    *required(Text, "details", "hash"),
    index("audit_by_account", "account_id", "seq"),
)

KEY_RING: Final = _table(
    "key_ring",
    *key(Text, "purpose"),
    *key(Integer, "version"),
    *required(Text, "wrapped"),
    *required(BigInteger, "created_at_ms"),
)

# The holders of cards. All data about a person is in one encrypted value; the other columns hold
# keyed hashes. The rows of a card are stored together, so a look-up reads one range of one index.
IDENTITIES: Final = _table(
    "identities",
    *key(Text, "card", "scope", "person"),
    *required(Integer, "key_version"),
    *required(LargeBinary, "sealed"),
    *required(Text, "content"),
    *optional(Text, "reference"),
    *required(BigInteger, "updated_at_ms"),
    index("identities_by_scope", "scope", "card", "person", unique=True),
    index("identities_by_person", "person"),
    index("identities_by_reference", "reference", where="reference IS NOT NULL"),
    sqlite_with_rowid=False,
)

# How many people of a scope have an identifier of a type, known without decrypting them.
IDENTITY_TYPES: Final = _table(
    "identity_types",
    *key(Text, "scope", "type"),
    *required(BigInteger, "people"),
    sqlite_with_rowid=False,
)

# The progress of each import, so that an interrupted one can continue.
IDENTITY_IMPORTS: Final = _table(
    "identity_imports",
    *key(Text, "id"),
    *required(Text, "scope"),
    *optional(Text, "file"),
    *required(BigInteger, "started_at_ms"),
    *optional(BigInteger, "finished_at_ms"),
    *required(BigInteger, "line", "offset", "added", "changed", "unchanged", "refused"),
    index("identity_imports_by_file", "scope", "file"),
)

# What an account configures by files: rule sets and pipelines. A version never changes.
CONFIGURATIONS: Final = _table(
    "configurations",
    *key(Text, "account_id", "kind", "name"),
    *key(Integer, "version"),
    *required(Text, "document", "program"),
    *required(BigInteger, "created_at_ms"),
    *required(Text, "actor"),
    *optional(Text, "note", "signature"),
)

# Which version of each is active, which one was before, and how often that changed.
CONFIGURATION_HEADS: Final = _table(
    "configuration_heads",
    *key(Text, "account_id", "kind", "name"),
    *required(Integer, "version"),
    *optional(Integer, "previous"),
    *required(BigInteger, "changed_at_ms"),
    *required(Integer, "changes"),
    *optional(Text, "signature"),
)

# How often each account's configuration was changed, and its signature as a whole.
CONFIGURATION_TOTALS: Final = _table(
    "configuration_totals",
    *key(Text, "account_id"),
    *required(BigInteger, "changes"),
    *required(Text, "signature"),
)

LISTS: Final = _table(
    "lists",
    *key(Text, "account_id", "name"),
    *required(Text, "kind"),
    *optional(Text, "description"),
    *required(BigInteger, "created_at_ms"),
    *required(Integer, "changes"),
    *optional(Text, "total", "signature"),
)

# A removed entry stays with the time, so that a backtest knows what was listed when.
LIST_ENTRIES: Final = _table(
    "list_entries",
    *key(Text, "account_id", "list", "value"),
    *key(BigInteger, "added_at_ms"),
    *required(Text, "shown"),
    *optional(Text, "reason"),
    *required(Text, "actor"),
    *optional(BigInteger, "expires_at_ms"),
    # The total of the list tells which entries are in force.
    *unsigned(optional(BigInteger, "removed_at_ms")),
    *optional(Text, "signature"),
    index(
        "list_entries_live",
        "account_id",
        "list",
        "value",
        unique=True,
        where="removed_at_ms IS NULL",
    ),
    sqlite_with_rowid=False,
)

# Payments with an unknown result. A row is added before the payment is sent to the gateway and
# deleted when it is answered; one that outlives its process must be reversed.
GATEWAY_INTENTS: Final = _table(
    "gateway_intents",
    *key(Text, "request_id"),
    *required(Text, "account_id"),
    *required(BigInteger, "amount_minor"),
    *required(Text, "currency"),
    *required(BigInteger, "at_ms"),
    *required(Text, "state"),
    *required(Integer, "attempts"),
    *optional(BigInteger, "next_at_ms"),
    *required(BigInteger, "changed_at_ms"),
    *optional(Text, "detail", "reference"),
    index("gateway_intents_by_state", "state", "next_at_ms"),
    sqlite_with_rowid=False,
)

REVIEWS: Final = _table(
    "reviews",
    *key(Text, "account_id", "request_id"),
    *required(BigInteger, "at_ms"),
    *required(Text, "state"),
    *optional(BigInteger, "resolved_at_ms"),
    *optional(Text, "actor", "reason", "assignee", "currency"),
    sa.Column("at_risk", BigInteger, nullable=False, server_default="0"),
    index("reviews_by_state", "account_id", "state", "request_id"),
    index("reviews_unassigned", "account_id", "state", "request_id", where="assignee IS NULL"),
    index(
        "reviews_by_assignee",
        "account_id",
        "assignee",
        "state",
        "request_id",
        where="assignee IS NOT NULL",
    ),
)

# What happened to reviews after they were opened. Rows are only added; `words` are a person's own
# and may be erased.
REVIEW_EVENTS: Final = _table(
    "review_events",
    *key(Text, "account_id", "request_id"),
    *key(Integer, "seq"),
    *required(BigInteger, "at_ms"),
    *required(Text, "actor", "kind", "details"),
    *optional(Text, "words"),
    sqlite_with_rowid=False,
)

# The labels of requests. Rows are never changed: the newest row of a request counts, and names the
# label before it, so that a reader of the rows can undo that one. The newest of all stays.
FEEDBACK: Final = _table(
    "feedback",
    *key(BigInteger, "seq"),
    *required(Text, "account_id", "request_id", "label"),
    *optional(Text, "previous"),
    *optional(BigInteger, "found_at_ms", "amount"),
    *optional(Text, "currency"),
    *required(BigInteger, "recorded_at_ms"),
    *required(Text, "actor", "source"),
    index("feedback_by_request", "account_id", "request_id", "seq"),
    index("feedback_by_label", "account_id", "label", "request_id"),
)

# Events of erased requests, sealed, for the memories of running servers; deleted within an hour or
# so. Their numbers grow with the time, also when all rows are gone.
FORGOTTEN_EVENTS: Final = _table(
    "forgotten_events",
    *key(BigInteger, "seq"),
    *required(BigInteger, "at_ms"),
    *required(Integer, "key_version"),
    *required(LargeBinary, "sealed"),
)

# Requests that Sentry's shared memory did not hear of, because it did not answer. A server that
# reaches it tells it from the decision records, and deletes the rows.
MISSED_EVENTS: Final = _table(
    "missed_events",
    *key(Text, "account_id", "request_id"),
    sqlite_with_rowid=False,
)

# What accounts are told, in the order in which readers get it: by `xid`, then by `seq`. On
# PostgreSQL `xid` is the transaction that wrote the row, so that a reader can leave out those that
# may still be joined by earlier ones. `data` is what the row of the subject does not say.
EVENTS: Final = _table(
    "events",
    *order_columns(),
    *required(Text, "id", "account_id"),
    *required(BigInteger, "at_ms"),
    *required(Text, "type", "actor", "about"),
    *optional(Text, "data"),
    index("events_by_id", "id", unique=True),
    index("events_by_account", "account_id", "xid", "seq"),
    sqlite_autoincrement=True,
)

# Where accounts want to be told of events. The secrets are sealed together with what they are for:
# a row that somebody else changed cannot be used. Servers claim an endpoint for a while, and move
# its cursor through the events.
WEBHOOKS: Final = _table(
    "webhooks",
    *key(Text, "id"),
    sa.Column("account_id", Text, sa.ForeignKey("accounts.id"), nullable=False, index=True),
    *required(Text, "terms", "state"),
    *optional(Text, "disabled_because"),
    *required(BigInteger, "created_at_ms", "changed_at_ms"),
    *required(Integer, "changes", "key_version"),
    *required(LargeBinary, "sealed"),
    *required(Text, "cursor"),
    *optional(BigInteger, "failing_since_ms", "resume_at_ms", "deleted_at_ms"),
    *optional(Text, "claimed_by"),
    *optional(BigInteger, "claimed_until_ms"),
)

# Messages that were not accepted yet, after their first attempt, or that are sent again on demand.
# They are in the order of their events.
WEBHOOK_DELIVERIES: Final = _table(
    "webhook_deliveries",
    *key(Text, "webhook_id", "event_id"),
    *required(BigInteger, "xid", "seq"),
    *required(Integer, "attempts"),
    *required(BigInteger, "next_at_ms"),
    index("webhook_deliveries_by_time", "next_at_ms"),
    index("webhook_deliveries_by_webhook", "webhook_id", "next_at_ms"),
)

# Long work that somebody asked for over the management API. What it works on is sealed, and deleted
# when it ends; a server that works on one says so again and again.
JOBS: Final = _table(
    "jobs",
    *key(Text, "id"),
    *required(Text, "account_id", "kind", "state", "actor", "parameters"),
    *required(BigInteger, "created_at_ms"),
    *optional(BigInteger, "started_at_ms", "finished_at_ms", "lease_until_ms", "done", "total"),
    *required(Integer, "attempts", "canceled"),
    *optional(Text, "owner", "step", "result"),
    *optional(Note, "error"),
    *optional(Integer, "key_version"),
    *optional(LargeBinary, "sealed"),
    index("jobs_by_account", "account_id", "id"),
    index("jobs_unfinished", "state", "id", where="finished_at_ms IS NULL"),
)

# Single values: the revision that servers poll, the head of the audit chain, marks.
STATE: Final = _table(
    "state",
    *key(Text, "name"),
    *required(Text, "value"),
)

# The tables of subjects are among them. Each file is found by its place, as subjects are.
for _file in sorted(Path(__file__).parents[1].glob("admin/*/tables.py")):
    import_module(f"gatehouse.admin.{_file.parent.name}.tables")
