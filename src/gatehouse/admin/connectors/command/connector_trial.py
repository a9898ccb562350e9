"""gatehouse connectors try, mappings and dialects: what helps to get a first connector going."""

import sys
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from gatehouse.admin.connectors.command.connector_files import read_configured
from gatehouse.admin.opening import operator, read_settings
from gatehouse.cli.arguments import AsJson, argument, option, read_file
from gatehouse.cli.card_input import FROM_INPUT
from gatehouse.cli.output import show, table
from gatehouse.connectors.definition import Function
from gatehouse.core.errors import InvalidInput, WrongUsage
from gatehouse.core.files.lines import standard_input

if TYPE_CHECKING:
    from gatehouse.admin.connectors.use_cases.connector_trial import ConnectorAnswer
    from gatehouse.core.money import Payment

_LARGEST_DETAILS: Final = 65_536
_LONGEST_LINE: Final = 200
_SOURCES: Final = "env:NAME, file:/path, or - for standard input or a prompt"


def try_connector(  # noqa: PLR0913, PLR0917  # each option is one property of a request
    name: Annotated[str, argument("NAME", "Name of the connector.")],
    function: Annotated[Function, option("What to ask it for.")],
    expiry: Annotated[str, option("Last valid month of the card.", metavar="YYYY-MM")],
    card: Annotated[
        str, option(f"Where the card number is: {_SOURCES}.", metavar="SOURCE")
    ] = FROM_INPUT,
    code: Annotated[
        str | None, option(f"Where the security code is: {_SOURCES}.", metavar="SOURCE")
    ] = None,
    details: Annotated[
        str | None,
        option(
            "JSON with more fields of the API: cardAddress, cardHolderName and the like.",
            metavar="FILE",
        ),
    ] = None,
    amount: Annotated[str | None, option("What to pay, such as 1.00.")] = None,
    currency: Annotated[str | None, option("ISO 4217 code, such as EUR.")] = None,
    yes: Annotated[bool, option("Make a real payment.", "--yes")] = False,
    keep: Annotated[
        bool, option("Let the payment stand, instead of reversing it.", "--keep")
    ] = False,
    file: Annotated[
        str | None, option("A configuration that is not applied yet.", metavar="FILE")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Send one real request through a connector and show the answer; exit code 1 without one.

    The card is never an argument, because others can read a command line. A payment needs --yes,
    and is reversed afterwards unless --keep is given. The request leaves a line in the audit log.
    """
    from gatehouse.admin.connectors.use_cases.connector_trial import Trial
    from gatehouse.admin.connectors.use_cases.connector_trial import try_connector as ask
    from gatehouse.admin.connectors.use_cases.connectors import connector_of, usable_connector
    from gatehouse.operations.installation import open_admin_session

    paying = function is Function.GATEWAY
    if paying and not yes:
        raise WrongUsage("this makes a real payment: say so with --yes; it is reversed afterwards")
    payment = _payment(amount, currency) if paying else None
    body = _details(details) | {
        "cardNumber": _secret("Card number", card),
        "cardExpiryDate": expiry,
    }
    if code is not None:
        body["cardCvv2Value"] = _secret("Security code", code)
    settings = read_settings()
    session = open_admin_session(settings, operator(settings))
    if file is None:
        definition = usable_connector(session, name)
    else:
        definition = connector_of(read_configured(file, settings).configuration, name)
    trial = Trial(function=function, body=msgspec.json.encode(body), payment=payment, keep=keep)
    done = ask(session, settings, name, definition, trial)
    show(done, _text(done), as_json)
    if not done.answered or done.failure is not None:
        raise typer.Exit(1)


def _secret(what: str, source: str) -> str:
    """A number that is not an argument: out of the environment, a file, or what is typed."""
    from gatehouse.connectors.secret_sources import read_secret

    if source.startswith(("env:", "file:/")):
        text = read_secret(source)
    elif source != FROM_INPUT:
        raise WrongUsage(f"{what.lower()} is never an argument: give {_SOURCES}")
    elif sys.stdin.isatty():
        text = typer.prompt(what, hide_input=True, err=True)
    else:
        text = standard_input().readline(_LONGEST_LINE).decode("ascii", "replace")
    return "".join(text.split()).replace("-", "")


def _details(file: str | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        return msgspec.json.decode(read_file(file, _LARGEST_DETAILS), type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise InvalidInput(f"{file} is not a JSON object: {error}") from None


def _payment(amount: str | None, currency: str | None) -> "Payment":
    from gatehouse.gateway.payment import UnfitPayment, read_payment

    if amount is None or currency is None:
        raise WrongUsage("a payment needs --amount and --currency")
    try:
        return read_payment(Decimal(amount), currency)
    except InvalidOperation:
        raise InvalidInput("--amount must be a number, such as 1.00") from None
    except UnfitPayment as error:
        raise InvalidInput(f"--{error.field} {error}") from None


def _text(done: "ConnectorAnswer") -> str:
    state = "answered" if done.answered else "did not answer"
    lines = [f"{done.connector} {state} about {done.card} after {done.milliseconds} ms"]
    lines += [f"reference: {done.request_id}"]
    known = {**(done.facts or {}), **(done.response or {}), **(done.holder or {})}
    lines += [f"  {key}: {_shown(value)}" for key, value in known.items() if value is not None]
    if done.reversed:
        lines.append("the payment was reversed")
    if done.failure is not None:
        lines.append(done.failure)
    return "\n".join(lines)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


_ShownName = Annotated[
    str | None, option("Print this file, to change a copy.", "--show", metavar="NAME")
]


def mappings(shown: _ShownName = None, as_json: AsJson = False) -> None:
    """List the mappings for the kind http that ship, or print one as a start for your own."""
    _shipped("mapping", shown, as_json=as_json)


def dialects(shown: _ShownName = None, as_json: AsJson = False) -> None:
    """List the dialects for the kind iso8583 that ship, or print one as a start for your own."""
    _shipped("dialect", shown, as_json=as_json)


def _shipped(what: str, name: str | None, *, as_json: bool) -> None:
    from gatehouse.admin.configurations.use_cases.shipped_formats import shipped_file, shipped_names

    if name is not None:
        text = shipped_file(what, name)
        show({"name": name, "document": text}, text.rstrip("\n"), as_json)
        return
    found = shipped_names(what)
    rows = list(found.items())
    data = [{"name": each, "about": about} for each, about in rows]
    show(data, table((what.upper(), "ABOUT"), rows), as_json)
