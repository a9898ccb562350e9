"""gatehouse gateway: payments in doubt, and what happened to them."""

from typing import Annotated, Any

import typer

from gatehouse.admin.opening import open_session
from gatehouse.admin.payments.use_cases import in_doubt as payments
from gatehouse.admin.payments.use_cases.in_doubt import IntentState, KeptIntent
from gatehouse.cli.arguments import AccountFilter, AsJson, RequestIdArgument, argument, option
from gatehouse.cli.output import columns, money, show, shown_amount
from gatehouse.core.clock import iso_time, time_or_none
from gatehouse.core.money import MICROS_PER_UNIT

app = typer.Typer(no_args_is_help=True)


@app.command("list")
def list_payments(
    state: Annotated[
        IntentState | None, option("Only those in this state.", case_sensitive=False)
    ] = None,
    account: AccountFilter = None,
    limit: Annotated[int, option("At most so many.", min=1, max=10_000)] = 100,
    as_json: AsJson = False,
) -> None:
    """List payments in doubt, newest first. What was plainly answered is not among them.

    Payments that wait for a review are listed with --state REVIEW.
    """
    found = payments.listing(open_session(), state, account, limit)
    rows = [_row(intent) for intent in found]
    headings = ("REQUEST", "ACCOUNT", "AT", "AMOUNT", "STATE", "ATTEMPTS", "DETAIL")
    fields = ("requestId", "accountId", "at", "amount", "state", "attempts", "detail")
    text = columns(headings, rows, fields, {"AMOUNT"}) if rows else "no payment is in doubt"
    show([_data(intent) for intent in found], text, as_json)


@app.command("show")
def show_payment(request: RequestIdArgument, as_json: AsJson = False) -> None:
    """Show what is known about the payment of a request."""
    found = payments.get(open_session(), request)
    lines = [f"{name}: {'-' if value is None else value}" for name, value in _row(found).items()]
    show(_data(found), "\n".join(lines), as_json)


@app.command()
def retry(
    requests: Annotated[list[str], argument("REQUEST...", "Ids of the requests (req_...).")],
    as_json: AsJson = False,
) -> None:
    """Reverse payments for which all attempts have failed; a running server does it at once."""
    again = payments.retry(open_session(), requests)
    text = "\n".join(f"the payment of {intent.request_id} is reversed again" for intent in again)
    show([_data(intent) for intent in again], text, as_json)


def _row(intent: KeptIntent) -> dict[str, Any]:
    """A payment for people."""
    amount = shown_amount(_micros(intent), intent.currency)
    return {**_data(intent), "amount": f"{amount} {intent.currency}"}


def _micros(intent: KeptIntent) -> int:
    from gatehouse.intel.places import minor_digits

    minor_units: int = 10 ** (minor_digits(intent.currency) or 0)
    return intent.amount_minor * MICROS_PER_UNIT // minor_units


def _data(intent: KeptIntent) -> dict[str, Any]:
    next_at_ms = intent.next_at_ms if intent.state is IntentState.REVERSE else None
    return {
        "requestId": intent.request_id,
        "accountId": intent.account_id,
        "at": iso_time(intent.at_ms),
        "amount": money(_micros(intent), intent.currency),
        "state": intent.state,
        "attempts": intent.attempts,
        "nextAttemptAt": time_or_none(next_at_ms),
        "changedAt": iso_time(intent.changed_at_ms),
        "detail": intent.detail,
    }
