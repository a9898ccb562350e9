"""Payments of an account: found, looked at, captured, voided and refunded."""

from typing import Final

import msgspec
from starlette.responses import Response

from gatehouse.admin.payments.types import (
    OperationAmount,
    OperationFinding,
    PaymentPage,
    PaymentSearch,
    PaymentShown,
    PaymentState,
)
from gatehouse.admin.payments.use_cases import operating
from gatehouse.admin.reviews.use_cases.reviews import reviews_of
from gatehouse.console.forms.forms import FormRefused
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.console.words.formats import currency_digits, parse_day_end, parse_local
from gatehouse.core.clock import iso_time
from gatehouse.gateway.payment import LARGEST_PAYMENT
from gatehouse.store.payments.operations import OperationState

_ON_A_PAGE: Final = 50
_FILTERS: Final = ("state", "connector", "currency", "least", "most", "from", "to", "doubt")
_MICRO_DIGITS: Final = 6
_LONGEST: Final = 200


def show_payments(visit: Visit) -> Response:
    """The payments that the filters of the address find, newest first."""
    kept = {each: visit.query[each].strip()[:_LONGEST] for each in _FILTERS}
    try:
        found = operating.list_payments(*visit.opened, _wanted(visit, kept))
    except FormRefused as refused:
        visit.problems = refused.problems
        found = PaymentPage([], has_more=False)
    more = {"after": found.payments[-1].request_id} if found.has_more else None
    return visit.render(
        "payments/payments.html",
        payments=found.payments,
        kept=kept,
        filtered=any(kept.values()),
        older=more and visit.url("payments", {**kept, **more}),
        states=[
            ("", "–"),
            *((each, visit.text(f"payments.states.{each}")) for each in PaymentState),
        ],
    )


def _wanted(visit: Visit, kept: dict[str, str]) -> PaymentSearch:
    """The search of an address; or `FormRefused` about its fields."""
    assert visit.account is not None
    currency = kept["currency"].upper() or None
    amounts = {
        f"{name}_minor": _minor(visit, name, kept[name], currency or visit.account.currency)
        for name in ("least", "most")
    }
    if any(each is not None for each in amounts.values()):
        currency = currency or visit.account.currency
    given = {
        "limit": _ON_A_PAGE,
        "state": kept["state"] or None,
        "connector": kept["connector"] or None,
        "operation": OperationState.IN_DOUBT if kept["doubt"] else None,
        "startingAfter": visit.query.get("after") or None,
        "since": _moment(visit, "from", kept["from"]),
        "until": _moment(visit, "to", kept["to"]),
        "currency": currency,
        "leastMinor": amounts["least_minor"],
        "mostMinor": amounts["most_minor"],
    }
    try:
        return msgspec.convert(given, PaymentSearch)
    except msgspec.ValidationError as error:
        field = "currency" if "$.currency" in str(error) else ""
        raise visit.refuse(field, "payments.problems.filter") from None


def _moment(visit: Visit, field: str, day: str) -> str | None:
    parse = parse_day_end if field == "to" else parse_local
    try:
        return iso_time(parse(day, visit.formats.zone)) if day else None
    except (ValueError, OverflowError):
        raise visit.refuse(field, "payments.problems.day") from None


def _minor(visit: Visit, field: str, typed: str, currency: str) -> int | None:
    """An amount that was typed, in the smallest unit of a currency."""
    if not typed:
        return None
    micros = visit.read_amount(field, typed, currency)
    unit: int = 10 ** (_MICRO_DIGITS - currency_digits(currency))
    minor, rest = divmod(micros, unit)
    if rest or not 0 < minor <= LARGEST_PAYMENT:
        raise visit.refuse(field, "payments.problems.amount", currency=currency)
    return minor


def show_payment(visit: Visit) -> Response:
    """One payment with everything that was done with it, and what can be done."""
    shown = _payment(visit)
    reviews = reviews_of(*visit.opened, [shown.request_id])
    return visit.render(
        "payments/payment.html",
        payment=shown,
        review=reviews[0] if reviews else None,
        doubtful=[
            each
            for each in shown.operations
            if each.state in (OperationState.IN_DOUBT, OperationState.PENDING)
        ],
    )


def _payment(visit: Visit) -> PaymentShown:
    return operating.get_payment(*visit.opened, visit.place("payment"))


def capture(visit: Visit) -> Response:
    """Capture it, whole or in part."""
    given = _amount(visit)
    operating.capture_payment(*visit.opened, visit.place("payment"), given)
    return _back(visit, "payments.notices.capture")


def void(visit: Visit) -> Response:
    """Void it."""
    operating.void_payment(*visit.opened, visit.place("payment"))
    return _back(visit, "payments.notices.void")


def refund(visit: Visit) -> Response:
    """Refund it, whole or in part."""
    given = _amount(visit)
    operating.refund_payment(*visit.opened, visit.place("payment"), given)
    return _back(visit, "payments.notices.refund")


def settle(visit: Visit) -> Response:
    """Say how an operation in doubt ended."""
    end = visit.form["succeeded"]
    if end not in ("yes", "no"):
        raise visit.refuse("succeeded", "payments.problems.succeeded")
    place = (visit.place("payment"), visit.place("operation"))
    operating.settle_operation(*visit.opened, *place, OperationFinding(end == "yes"))
    return _back(visit, "payments.notices.settle")


def _amount(visit: Visit) -> OperationAmount:
    """How much the form asks for; its page has shown so many operations."""
    currency = _payment(visit).currency
    minor = _minor(visit, "amount", visit.entered("amount"), currency)
    return visit.given(OperationAmount, amount_minor=minor)


def _back(visit: Visit, notice: str) -> Response:
    return visit.redirect("payment", payment=visit.place("payment"), notice=notice)


_ALL: Final = "/a/{account}/payments"
_ONE: Final = f"{_ALL}/{{payment}}"

PAGES: Final[Declarations] = (
    Page(_ALL, "payments", show_payments, group="watch", does=operating.list_payments),
    Page(_ONE, "payment", show_payment, does=operating.get_payment),
    Action(
        f"{_ONE}/capture",
        "payment-capture",
        capture,
        again=show_payment,
        does=operating.capture_payment,
    ),
    Action(f"{_ONE}/void", "payment-void", void, again=show_payment, does=operating.void_payment),
    Action(
        f"{_ONE}/refund",
        "payment-refund",
        refund,
        again=show_payment,
        does=operating.refund_payment,
    ),
    Action(
        f"{_ONE}/operations/{{operation}}/settle",
        "payment-settle",
        settle,
        again=show_payment,
        does=operating.settle_operation,
    ),
)
