"""The arguments that commands share, and what is read out of an argument's text."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final, Literal

import typer

from gatehouse.cli.completing import account_ids
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import parse_span
from gatehouse.core.errors import InvalidInput, WrongUsage
from gatehouse.core.files.lines import standard_input
from gatehouse.core.ids import is_id
from gatehouse.core.money import parse_amount
from gatehouse.settings.settings import ACCOUNT

_NAMED: Final = "gatehouse.account"


def option(about: str, *names: str, **more: Any) -> Any:
    """How help describes an option, and what it is called if not as the parameter."""
    return typer.Option(*names, help=about, **more)


def argument(name: str, about: str, **more: Any) -> Any:
    """How help names and describes an argument."""
    return typer.Argument(metavar=name, help=about, **more)


def _account_option(context: typer.Context, value: str | None) -> str | None:
    """The account that is named in front, if any; it wins over the environment's."""
    if value is not None and not value.strip() and not context.resilient_parsing:
        raise typer.BadParameter("must be the id of an account", param_hint="--account")
    named: str | None = context.meta.get(_NAMED)
    return value if named is None else named


def _account_in_front(context: typer.Context, named: str | None) -> str | None:
    """Note the account for `--account`, which has been read before only if it was typed."""
    typed = context.params.get("account")
    if named is None or context.resilient_parsing:
        return named
    if not named.strip():
        raise typer.BadParameter("must be the id of an account", param_hint="ACCOUNT")
    if typed is not None and typed != named:
        raise WrongUsage("two accounts are named; leave one out")
    context.meta[_NAMED] = named
    return named


def account_before(count: int) -> Callable[[typer.Context, list[str]], list[str]]:
    """What takes the account off arguments when there is one more than `count`."""

    def take(context: typer.Context, words: list[str]) -> list[str]:
        if context.resilient_parsing:
            return words
        if len(words) > count + 1:
            raise WrongUsage(f"too many arguments: {recordable(' '.join(words[count + 1 :]))}")
        if len(words) > count:
            _account_in_front(context, words[0])
        return words[-count:]

    return take


def account_before_pairs(context: typer.Context, words: list[str]) -> list[str]:
    """Take the account off NAME=VALUE arguments."""
    if context.resilient_parsing or "=" in words[0]:
        return words
    if len(words) == 1:
        raise WrongUsage("give at least one NAME=VALUE")
    _account_in_front(context, words[0])
    return words[1:]


AccountOption = Annotated[
    str | None,
    option(
        "Id of the account. Default: the only one, or the sandbox's demo account.",
        "--account",
        envvar=ACCOUNT,
        metavar="ACCOUNT",
        callback=_account_option,
        autocompletion=account_ids,
    ),
]
AccountFilter = Annotated[
    str | None,
    option(
        "Only of this account. Default: all.",
        "--account",
        metavar="ACCOUNT",
        callback=_account_option,
        autocompletion=account_ids,
    ),
]
AccountAlias = Annotated[
    str | None,
    argument(
        "ACCOUNT", "The same as --account.", callback=_account_in_front, autocompletion=account_ids
    ),
]
RequestIdArgument = Annotated[str, argument("REQUEST", "Id of the request (req_...).")]
ImportFileArgument = Annotated[
    str, argument("FILE", "File or pipe; - is standard input. May be gzipped.")
]
RecordFormatOption = Annotated[
    Literal["csv", "jsonl"] | None, option("csv or jsonl. Default: by the file's name.", "--format")
]
DryRun = Annotated[bool, option("Only say what would happen.", "--dry-run")]
AsJson = Annotated[bool, option("Print JSON, for scripts.", "--json")]
After = Annotated[str | None, option("Continue a list after this request.", metavar="REQUEST")]
Note = Annotated[str | None, option("Why; kept with the version as it is written.")]


def typed_account(context: typer.Context) -> bool:
    """Whether `--account` was typed, and does not come from the environment."""
    source = context.get_parameter_source("account")
    return source is not None and source.name == "COMMANDLINE"


def amount_argument(text: str) -> int:
    """An amount, in millionths."""
    try:
        return parse_amount(text)
    except ValueError as error:
        raise InvalidInput(str(error)) from None


def span_argument(text: str) -> int:
    """A span of time such as 90d, 24h or 15m, in milliseconds."""
    try:
        return parse_span(text)
    except ValueError as error:
        raise InvalidInput(str(error)) from None


def pairs_argument(given: list[str], expected: str) -> dict[str, str]:
    """NAME=VALUE arguments by name; `expected` says how they should look.

    Names are in capitals, but for what an account calls its own: RULES/entry.
    """
    pairs = [pair.partition("=") for pair in given]
    if any(not separator for _, separator, _ in pairs):
        raise InvalidInput(expected)
    named = [(name.strip().partition("/"), value) for name, _, value in pairs]
    return {f"{kind.upper()}{sign}{own}": value for (kind, sign, own), value in named}


def check_after(after: str | None) -> None:
    """Refuse an `--after` that does not name a request."""
    if after is not None and not is_id(after, "req"):
        raise InvalidInput("--after takes the id of a request, such as the last one of a list")


def read_file(path: str, most: int) -> bytes:
    """The content of a named file, - for standard input.

    At most one byte over `most` is read, by which the reader sees that the file is too long.
    """
    with open_file(path) as source:
        return source.read(most + 1)


@contextlib.contextmanager
def open_file(path: str) -> Iterator[BinaryIO]:
    """A named file, - for standard input, to be read piece by piece."""
    if path == "-":
        yield standard_input()
        return
    with contextlib.ExitStack() as stack:
        try:
            stream = stack.enter_context(Path(path).open("rb"))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not a path"
            raise InvalidInput(f"cannot read {recordable(path)}: {reason}") from None
        yield stream
