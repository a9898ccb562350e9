"""The tables. Times are milliseconds since 1970 (UTC), amounts integers in millionths."""

from typing import Final

import sqlalchemy as sa

METADATA: Final = sa.MetaData()

ACCOUNTS: Final = sa.Table(
    "accounts",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("currency", sa.Text, nullable=False),
    sa.Column("created_at_ms", sa.BigInteger, nullable=False),
    sa.Column("balance", sa.BigInteger, nullable=False),
    sa.Column("held", sa.BigInteger, nullable=False),
    sa.Column("fees", sa.Text, nullable=False),
    sa.Column("policies", sa.Text, nullable=False),
    sa.CheckConstraint("held >= 0 AND balance >= held", name="never_overspent"),
)

API_KEYS: Final = sa.Table(
    "api_keys",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("account_id", sa.Text, sa.ForeignKey("accounts.id"), nullable=False, index=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False, unique=True),
    sa.Column("scopes", sa.Text, nullable=False),
    sa.Column("networks", sa.Text, nullable=False),
    sa.Column("rate_limit_per_second", sa.Integer),
    sa.Column("created_at_ms", sa.BigInteger, nullable=False),
    sa.Column("expires_at_ms", sa.BigInteger),
    sa.Column("revoked_at_ms", sa.BigInteger),
    sa.Column("last_used_at_ms", sa.BigInteger),
    sa.Column("successor", sa.Text),
)

# The key orders entries by account and time and makes a second end of one request impossible.
LEDGER_ENTRIES: Final = sa.Table(
    "ledger_entries",
    METADATA,
    sa.Column("account_id", sa.Text, primary_key=True),
    sa.Column("reference", sa.Text, primary_key=True),
    sa.Column("step", sa.SmallInteger, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("amount", sa.BigInteger, nullable=False),
    sa.Column("held", sa.BigInteger, nullable=False),
    sa.Column("at_ms", sa.BigInteger, nullable=False),
    sa.Column("detail", sa.Text),
    sqlite_with_rowid=False,
)

# Only open authorizations, so the table is as small as the number of requests in flight.
HOLDS: Final = sa.Table(
    "holds",
    METADATA,
    sa.Column("request_id", sa.Text, primary_key=True),
    sa.Column("account_id", sa.Text, nullable=False),
    sa.Column("amount", sa.BigInteger, nullable=False),
    sa.Column("expires_at_ms", sa.BigInteger, nullable=False),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("card", sa.Text),
    sa.Column("claim", sa.Text),
    sqlite_with_rowid=False,
)

IDEMPOTENCY: Final = sa.Table(
    "idempotency",
    METADATA,
    sa.Column("claim_id", sa.Text, primary_key=True),
    sa.Column("request_id", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("answer", sa.Text),
    sa.Column("expires_at_ms", sa.BigInteger, nullable=False, index=True),
)

DECISIONS: Final = sa.Table(
    "decisions",
    METADATA,
    sa.Column("account_id", sa.Text, primary_key=True),
    sa.Column("request_id", sa.Text, primary_key=True),
    sa.Column("at_ms", sa.BigInteger, nullable=False),
    sa.Column("operation", sa.Text, nullable=False),
    sa.Column("client_reference", sa.Text),
    sa.Column("card", sa.Text),
    sa.Column("record", sa.Text, nullable=False),
    sa.Column("transaction_reference", sa.Text),
)
sa.Index(
    "decisions_by_client_reference",
    DECISIONS.c.account_id,
    DECISIONS.c.client_reference,
    DECISIONS.c.request_id,
    sqlite_where=DECISIONS.c.client_reference.is_not(None),
    postgresql_where=DECISIONS.c.client_reference.is_not(None),
)
sa.Index(
    "decisions_by_transaction",
    DECISIONS.c.account_id,
    DECISIONS.c.transaction_reference,
    DECISIONS.c.request_id,
    sqlite_where=DECISIONS.c.transaction_reference.is_not(None),
    postgresql_where=DECISIONS.c.transaction_reference.is_not(None),
)

CARD_MISMATCHES: Final = sa.Table(
    "card_mismatches",
    METADATA,
    sa.Column("card", sa.Text, primary_key=True),
    sa.Column("request_id", sa.Text, primary_key=True),
    sa.Column("at_ms", sa.BigInteger, nullable=False, index=True),
    sqlite_with_rowid=False,
)

AUDIT: Final = sa.Table(
    "audit",
    METADATA,
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("at_ms", sa.BigInteger, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("account_id", sa.Text),
    sa.Column("details", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
)

KEY_RING: Final = sa.Table(
    "key_ring",
    METADATA,
    sa.Column("purpose", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("wrapped", sa.Text, nullable=False),
    sa.Column("created_at_ms", sa.BigInteger, nullable=False),
)

# The holders of cards. All data about a person is in one encrypted value; the other columns hold
# keyed hashes. The rows of a card are stored together, so a look-up reads one range of one index.
IDENTITIES: Final = sa.Table(
    "identities",
    METADATA,
    sa.Column("card", sa.Text, primary_key=True),
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("person", sa.Text, primary_key=True),
    sa.Column("key_version", sa.Integer, nullable=False),
    sa.Column("sealed", sa.LargeBinary, nullable=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("reference", sa.Text),
    sa.Column("updated_at_ms", sa.BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
sa.Index(
    "identities_by_scope", IDENTITIES.c.scope, IDENTITIES.c.card, IDENTITIES.c.person, unique=True
)
sa.Index("identities_by_person", IDENTITIES.c.person)
sa.Index(
    "identities_by_reference",
    IDENTITIES.c.reference,
    sqlite_where=IDENTITIES.c.reference.is_not(None),
    postgresql_where=IDENTITIES.c.reference.is_not(None),
)

# How many people of a scope have an identifier of a type, known without decrypting them.
IDENTITY_TYPES: Final = sa.Table(
    "identity_types",
    METADATA,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("type", sa.Text, primary_key=True),
    sa.Column("people", sa.BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

# The progress of each import, so that an interrupted one can continue.
IDENTITY_IMPORTS: Final = sa.Table(
    "identity_imports",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("file", sa.Text),
    sa.Column("started_at_ms", sa.BigInteger, nullable=False),
    sa.Column("finished_at_ms", sa.BigInteger),
    sa.Column("line", sa.BigInteger, nullable=False),
    sa.Column("offset", sa.BigInteger, nullable=False),
    sa.Column("added", sa.BigInteger, nullable=False),
    sa.Column("changed", sa.BigInteger, nullable=False),
    sa.Column("unchanged", sa.BigInteger, nullable=False),
    sa.Column("refused", sa.BigInteger, nullable=False),
)
sa.Index("identity_imports_by_file", IDENTITY_IMPORTS.c.scope, IDENTITY_IMPORTS.c.file)

# What an account configures by files: rule sets and pipelines. A version never changes.
CONFIGURATIONS: Final = sa.Table(
    "configurations",
    METADATA,
    sa.Column("account_id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("document", sa.Text, nullable=False),
    sa.Column("program", sa.Text, nullable=False),
    sa.Column("created_at_ms", sa.BigInteger, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("note", sa.Text),
)

# Which version of each is active, which one was before, and how often that changed.
CONFIGURATION_HEADS: Final = sa.Table(
    "configuration_heads",
    METADATA,
    sa.Column("account_id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("previous", sa.Integer),
    sa.Column("changed_at_ms", sa.BigInteger, nullable=False),
    sa.Column("changes", sa.Integer, nullable=False),
)

LISTS: Final = sa.Table(
    "lists",
    METADATA,
    sa.Column("account_id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("description", sa.Text),
    sa.Column("created_at_ms", sa.BigInteger, nullable=False),
    sa.Column("changes", sa.Integer, nullable=False),
)

# A removed entry stays with the time, so that a backtest knows what was listed when.
LIST_ENTRIES: Final = sa.Table(
    "list_entries",
    METADATA,
    sa.Column("account_id", sa.Text, primary_key=True),
    sa.Column("list", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, primary_key=True),
    sa.Column("added_at_ms", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("shown", sa.Text, nullable=False),
    sa.Column("reason", sa.Text),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("expires_at_ms", sa.BigInteger),
    sa.Column("removed_at_ms", sa.BigInteger),
    sqlite_with_rowid=False,
)

sa.Index(
    "list_entries_live",
    LIST_ENTRIES.c.account_id,
    LIST_ENTRIES.c.list,
    LIST_ENTRIES.c.value,
    unique=True,
    sqlite_where=LIST_ENTRIES.c.removed_at_ms.is_(None),
    postgresql_where=LIST_ENTRIES.c.removed_at_ms.is_(None),
)

# Payments with an unknown result. A row is added before the payment is sent to the gateway and
# deleted when it is answered; one that outlives its process must be reversed.
GATEWAY_INTENTS: Final = sa.Table(
    "gateway_intents",
    METADATA,
    sa.Column("request_id", sa.Text, primary_key=True),
    sa.Column("account_id", sa.Text, nullable=False),
    sa.Column("amount_minor", sa.BigInteger, nullable=False),
    sa.Column("currency", sa.Text, nullable=False),
    sa.Column("at_ms", sa.BigInteger, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("next_at_ms", sa.BigInteger),
    sa.Column("changed_at_ms", sa.BigInteger, nullable=False),
    sa.Column("detail", sa.Text),
    sqlite_with_rowid=False,
)
sa.Index("gateway_intents_by_state", GATEWAY_INTENTS.c.state, GATEWAY_INTENTS.c.next_at_ms)

REVIEWS: Final = sa.Table(
    "reviews",
    METADATA,
    sa.Column("account_id", sa.Text, primary_key=True),
    sa.Column("request_id", sa.Text, primary_key=True),
    sa.Column("at_ms", sa.BigInteger, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("resolved_at_ms", sa.BigInteger),
    sa.Column("actor", sa.Text),
    sa.Column("reason", sa.Text),
)
sa.Index("reviews_by_state", REVIEWS.c.account_id, REVIEWS.c.state, REVIEWS.c.request_id)

# The labels of requests. Rows are never changed: the newest row of a request counts, and names the
# label before it, so that a reader of the rows can undo that one.
FEEDBACK: Final = sa.Table(
    "feedback",
    METADATA,
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("account_id", sa.Text, nullable=False),
    sa.Column("request_id", sa.Text, nullable=False),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("previous", sa.Text),
    sa.Column("found_at_ms", sa.BigInteger),
    sa.Column("amount", sa.BigInteger),
    sa.Column("currency", sa.Text),
    sa.Column("recorded_at_ms", sa.BigInteger, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
)
sa.Index("feedback_by_request", FEEDBACK.c.account_id, FEEDBACK.c.request_id, FEEDBACK.c.seq)

# Single values: the revision that servers poll, the head of the audit chain, marks.
STATE: Final = sa.Table(
    "state",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
