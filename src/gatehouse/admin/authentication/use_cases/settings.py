"""What an account says about authentication; saying it asks Sentry for advice."""

import datetime
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.admin.authentication.types.settings import (
    AuthenticationBody,
    AuthenticationShown,
    limits_in,
)
from gatehouse.core.clock import Moment
from gatehouse.sentry.authentication.table import AuthenticationTable, load_authentication_table
from gatehouse.sentry.authentication.terms import NAME, AuthenticationTerms
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.use_case import use_case

_MAY: Final[dict[str, Any]] = {
    "scope": "manage:account",
    "permission": Permission.ACCESS,
    "answers": "authenticationResponse",
}


@use_case("GET /authentication", **_MAY)
def get_authentication(reading: Reading, account_id: str) -> AuthenticationShown:
    """Settings of authentication.

    Whether Sentry advises on strong customer authentication, and what the advice depends on.
    """
    return _shown(reading.session, kept_terms(reading.connection, account_id))


@use_case("PUT /authentication", **_MAY)
def set_authentication(
    change: Change, account_id: str, given: AuthenticationBody
) -> AuthenticationShown:
    """Ask for advice on authentication.

    Has Sentry say for each payment whether the cardholder must be authenticated, which exemption
    can be asked for and where. What is left out is set to its default.
    """
    check_approved(change, account_id, ApprovalKind.POLICIES)
    kept = kept_terms(change.connection, account_id)
    terms = given.terms()
    if kept is not None and kept.acquirer_country == terms.acquirer_country:
        terms = msgspec.structs.replace(terms, measured=kept.measured)
    accounts.set_policy(change, account_id, NAME, msgspec.to_builtins(terms))
    return _shown(change.session, terms)


@use_case("DELETE /authentication", **_MAY)
def clear_authentication(change: Change, account_id: str) -> AuthenticationShown:
    """Ask for no advice on authentication.

    Sentry says no more about it.
    """
    check_approved(change, account_id, ApprovalKind.POLICIES)
    accounts.set_policy(change, account_id, NAME, None)
    return _shown(change.session, None)


def kept_terms(connection: sa.Connection, account_id: str) -> AuthenticationTerms | None:
    """What the account has said; None where it asks for no advice."""
    stored = accounts.get(connection, account_id).policies.get(NAME)
    return msgspec.convert(stored, AuthenticationTerms) if stored else None


def table_of(settings: Settings) -> AuthenticationTable:
    """The operator's table of limits and rates, or the one that ships."""
    return load_authentication_table(settings.authentication_file)


def day_of(at_ms: int) -> datetime.date:
    """The day of a moment, UTC."""
    return datetime.datetime.fromtimestamp(at_ms / 1000, datetime.UTC).date()


def _shown(session: AdminSession, terms: AuthenticationTerms | None) -> AuthenticationShown:
    if terms is None:
        return AuthenticationShown(None, None, None)
    table, measured = table_of(session.settings), terms.measured
    regime = table.regime_of(terms.acquirer_country, day_of(session.clock()))
    return AuthenticationShown(
        AuthenticationBody.of(terms),
        None if regime is None else regime.name,
        None if measured is None else Moment.parse(f"{measured.as_of}T00:00:00Z"),
        [] if regime is None else limits_in(regime),
        table.as_of.isoformat(),
    )
