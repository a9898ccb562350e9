"""The filters of a search as options, the same for decisions and for reviews."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, Final

from gatehouse.admin.search.use_cases.filters import (
    DEFAULT_PAGE,
    LARGEST_PAGE,
    AmountRange,
    DecisionSearchRequest,
    TimeRange,
    WrongFilters,
)
from gatehouse.cli.arguments import amount_argument, option
from gatehouse.cli.card_input import FROM_INPUT, NOT_TYPED, read_card
from gatehouse.cli.output import warn
from gatehouse.cli.spans import read_moment
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.errors import InvalidInput
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.core.secrets.credentials import AccountReference
from gatehouse.core.stages.outcomes import DecisionReason, Outcome
from gatehouse.core.wording.labels import Label
from gatehouse.operations.installation import system_clock
from gatehouse.sentry.request import EventTime

Filters = dict[str, Any]
"""The fields of a `DecisionSearchRequest`, those that were not given as None."""


def words_option(words: Any, about: str) -> Any:
    """An option that takes one of some words, in any case, and can be repeated."""
    shown = "|".join(each.value for each in words)
    return option(f"{about} Can be repeated.", case_sensitive=False, metavar=shown)


def _text(about: str, *, metavar: str | None = None) -> Any:
    return Annotated[str | None, option(about, metavar=metavar)]


def _texts(about: str) -> Any:
    return Annotated[list[str] | None, option(f"{about} Can be repeated.")]


_OPTIONS: Final[dict[str, Any]] = {
    "user": _text("Your name for the user."),
    "card": _text(
        "A card: - reads its number or account reference, or asks; or a fingerprint.",
        metavar="-|FINGERPRINT",
    ),
    "email": _text("E-mail address."),
    "phone": _text("Phone number, such as +14155550132."),
    "ip": _text("Address of the device; of IPv6, its /64 is meant."),
    "device": _text("The deviceId that was sent, or the device as decisions name it (#...)."),
    "transaction": _text("transactionId that was sent to Sentry."),
    "reference": _text("clientReferenceId that was sent."),
    "operation": _texts("Operation, such as precheck or pipeline."),
    "decision": Annotated[list[Outcome] | None, words_option(Outcome, "What was decided.")],
    "reason": Annotated[list[DecisionReason] | None, words_option(DecisionReason, "What decided.")],
    "rule": _texts("A rule that matched."),
    "shadow_rule": _texts("A rule that matched in shadow."),
    "ring": _texts("A ring, as decisions name it (ring_...)."),
    "tag": _texts("A tag of the answer."),
    "label": Annotated[list[Label] | None, words_option(Label, "What it turned out to be.")],
    "min_amount": _text("Smallest amount of the order."),
    "max_amount": _text("Largest amount of the order."),
    "currency": _text("Currency of the order.", metavar="CODE"),
    "since": _text("From when on: 7d ago, a day (2026-11-15), or RFC 3339.", metavar="WHEN"),
    "until": _text("Before when, in the same words.", metavar="WHEN"),
    "limit": Annotated[int, option("Size of a page.", min=1, max=LARGEST_PAGE)],
    "cursor": _text("Where the next page begins, as the one before said."),
}
_SAME: Final = {
    "user": "user_id",
    "email": "email",
    "phone": "phone",
    "ip": "ip_address",
    "device": "device_id",
    "transaction": "transaction_id",
    "reference": "client_reference_id",
    "operation": "operation",
    "decision": "decision",
    "reason": "reason",
    "rule": "rule",
    "shadow_rule": "shadow_rule",
    "ring": "ring",
    "tag": "tag",
    "label": "label",
    "cursor": "cursor",
}
"""Options whose values are those of a field."""


def with_filters(command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes the filters as options, and is given them as its first argument."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    defaults = {"limit": DEFAULT_PAGE}
    filters = [
        inspect.Parameter(name, keyword, default=defaults.get(name), annotation=kind)
        for name, kind in _OPTIONS.items()
    ]
    _, *own = inspect.signature(command, eval_str=True).parameters.values()
    shown = [*filters, *(each.replace(kind=keyword) for each in own)]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        try:
            command(_read({name: given.pop(name) for name in _OPTIONS}), **given)
        except WrongFilters as wrong:
            problems = [f"{_option_of(field)} {why}" for field, why in wrong.fields.items()]
            raise InvalidInput("; ".join(problems)) from None

    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]  # Typer reads it
    run.__annotations__ = {each.name: each.annotation for each in shown}
    return run


def _option_of(field: str) -> str:
    """The option that stands for a field of the API."""
    names = zip(
        DecisionSearchRequest.__struct_encode_fields__,
        DecisionSearchRequest.__struct_fields__,
        strict=True,
    )
    options = {own: option for option, own in _SAME.items()}
    return f"--{options.get(dict(names).get(field, ''), 'card')}"


def following(cursor: str | None) -> str:
    """The line that says how to get the next page, if there may be one."""
    return "" if cursor is None else f"\nthere may be more: --cursor {cursor}"


def warn_of_missing(*, complete: bool) -> None:
    """Say that decisions may be missing, as long as a server is indexing earlier ones."""
    if not complete:
        warn(["decisions of an earlier version are still being indexed, and may be missing here"])


def _read(given: dict[str, Any]) -> Filters:
    # An option that can be repeated is an empty list when it is not given.
    filters = {field: given[name] or None for name, field in _SAME.items()}
    filters |= _card(given["card"])
    filters["amount"] = _amount(given["min_amount"], given["max_amount"], given["currency"])
    filters["at"] = _span(given["since"], given["until"])
    filters["limit"] = given["limit"]
    return filters


def _card(text: str | None) -> Filters:
    if text is None:
        return {}
    if text == FROM_INPUT:
        card = read_card()
        is_number = isinstance(card, CardNumber)
        return {"card_number" if is_number else "payment_account_reference": card}
    if any(char.isalpha() for char in text) and not AccountReference.fits(text):
        return {"card_fingerprint": text}
    raise InvalidInput(NOT_TYPED)


def _amount(least: str | None, most: str | None, currency: str | None) -> AmountRange | None:
    if currency is None:
        if least is None and most is None:
            return None
        raise InvalidInput("an amount is of a currency; name it: --currency USD")
    ends = [
        None if each is None else amount_argument(each) / MICROS_PER_UNIT for each in (least, most)
    ]
    try:
        return AmountRange(currency, *ends)
    except ValueError:
        raise InvalidInput("--min-amount must not be more than --max-amount") from None


def _span(since: str | None, until: str | None) -> TimeRange:
    now_ms = system_clock()
    ends = [
        None if text is None else EventTime(read_moment(option, text, now_ms) / 1000)
        for option, text in (("--since", since), ("--until", until))
    ]
    try:
        return TimeRange(*ends)
    except ValueError:
        raise InvalidInput("--since must be earlier than --until") from None
