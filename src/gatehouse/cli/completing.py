"""What the shell offers for arguments that name something: accounts, lists, rule sets, pipelines.

Nothing personal is offered, and a name that cannot be read is none: an error here would be printed
into the line that a person is typing.
"""

import contextlib
import os
from typing import TYPE_CHECKING

import typer

from gatehouse.settings.settings import load_settings

if TYPE_CHECKING:
    from gatehouse.cli.name_completion import NameKind


def account_ids(incomplete: str) -> list[str]:
    """Ids of accounts that begin with what is typed."""
    return _names("accounts", None, incomplete)


def list_names(context: typer.Context, incomplete: str) -> list[str]:
    """Names of lists of the account that the line names, or of all."""
    return _names("lists", context, incomplete)


def rule_set_names(context: typer.Context, incomplete: str) -> list[str]:
    """Names of rule sets."""
    return _names("rule sets", context, incomplete)


def pipeline_numbers(context: typer.Context, incomplete: str) -> list[str]:
    """Numbers of pipelines."""
    return _names("pipelines", context, incomplete)


def _names(kind: "NameKind", context: typer.Context | None, incomplete: str) -> list[str]:
    from gatehouse.cli.name_completion import local_names

    account = None if context is None else context.params.get("account")
    with contextlib.suppress(Exception):
        found = local_names(load_settings(os.environ), kind, account)
        return [name for name in found if name.startswith(incomplete)]
    return []
