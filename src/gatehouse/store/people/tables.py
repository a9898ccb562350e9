"""The tables of people who sign in.

Whatever is personal or secret is in the sealed column of its row, and the seal is bound to the
other columns: a row that somebody else wrote or changed cannot be opened.
"""

from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import BigInteger, Integer, LargeBinary, Text

from gatehouse.store.columns import index, key, optional, required
from gatehouse.store.metadata import declare


def _sealed() -> "list[sa.Column[Any]]":
    return [*required(Integer, "key_version"), *required(LargeBinary, "sealed")]


# Everything about a person, also the roles. `login` is a keyed hash of what the person signs in
# with, `subject` one of who it is for single sign-on; `changes` counts how often the row was
# written.
USERS: Final = declare(
    "users",
    *key(Text, "id"),
    sa.Column("login", Text, nullable=False, unique=True),
    sa.Column("subject", Text, unique=True),
    *required(BigInteger, "changes"),
    *_sealed(),
)

# Which accounts a person has a role in, so that the people of an account are found; `*` is the
# installation. What the role is, only the person's own row says.
USER_ACCOUNTS: Final = declare(
    "user_accounts",
    *key(Text, "account_id", "user_id"),
    index("user_accounts_by_user", "user_id"),
)

# Browsers that are signed in, by the hash of their token. `rights` is the number of the person's
# rights when the token was made.
USER_SESSIONS: Final = declare(
    "user_sessions",
    *key(Text, "id"),
    sa.Column("hash", Text, nullable=False, unique=True),
    *required(Text, "user_id"),
    *required(BigInteger, "created_at_ms", "expires_at_ms", "seen_at_ms", "rights"),
    *_sealed(),
    index("user_sessions_by_user", "user_id"),
    index("user_sessions_by_end", "expires_at_ms"),
)

# Links and other tokens that work once, by their hashes.
ONE_TIME_TOKENS: Final = declare(
    "one_time_tokens",
    *key(Text, "hash"),
    *required(Text, "kind"),
    *optional(Text, "user_id"),
    *required(BigInteger, "expires_at_ms"),
    *_sealed(),
    index("one_time_tokens_by_user", "user_id"),
    index("one_time_tokens_by_end", "expires_at_ms"),
)

# Failed attempts to sign in, by a keyed hash of whom or where from.
SIGN_IN_FAILURES: Final = declare(
    "sign_in_failures",
    *key(Text, "subject"),
    *required(Integer, "failures"),
    *required(BigInteger, "last_at_ms"),
    index("sign_in_failures_by_time", "last_at_ms"),
)

# Searches for decisions that a person wants to find again; what is searched for may be personal.
# `shared` finds those of colleagues; whether one is shared, only what is sealed says.
SAVED_SEARCHES: Final = declare(
    "saved_searches",
    *key(Text, "id"),
    *required(Text, "user_id", "account_id"),
    *required(BigInteger, "created_at_ms"),
    *_sealed(),
    *optional(Integer, "shared"),
    index("saved_searches_by_user", "user_id", "account_id", "id"),
)

# Changes that one person proposed and another approves or refuses.
PROPOSALS: Final = declare(
    "proposals",
    *key(Text, "id"),
    *required(Text, "account_id", "kind", "state", "proposer"),
    *required(BigInteger, "created_at_ms", "expires_at_ms"),
    *optional(Text, "decided_by", "reason"),
    *optional(BigInteger, "decided_at_ms"),
    *_sealed(),
    index("proposals_by_account", "account_id", "state", "id"),
)
