"""gatehouse sentry export, gatehouse sentry import: a model as one file."""

from pathlib import Path
from typing import Annotated

import msgspec

from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import AccountOption, AsJson, argument, option, read_file
from gatehouse.cli.output import show
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput


def export_model(
    version: Annotated[int, argument("VERSION", "Number of the model.")],
    out: Annotated[str | None, option("Default: ./model-N.json.", metavar="FILE")] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Write a model into a file: its scorecard, its card, and a signature."""
    from gatehouse.admin.models.use_cases import model_files

    told = model_files.export_model(*open_account(account), str(version))
    name = f"model-{version}.json" if out is None else out
    try:
        Path(name).write_text(told.file, encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise InvalidInput(f"cannot write {recordable(name)}: {reason}") from None
    show({"version": version, "file": name}, f"model {version} is in {name}", as_json)


def import_model(
    file: Annotated[str, argument("FILE", "A model file; - for stdin.")],
    trust: Annotated[
        bool, option("Take a file that this account did not export.", "--trust")
    ] = False,
    note: Annotated[str | None, option("Why; kept with it.")] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Keep the model of a file as a new version; nothing uses it until it is promoted."""
    from gatehouse.admin.models.types import ModelImport
    from gatehouse.admin.models.use_cases import model_files
    from gatehouse.training.model_file import MOST_BYTES

    text = read_file(file, MOST_BYTES).decode(errors="replace")
    session, account_id = open_account(account)
    done = model_files.import_model(session, account_id, ModelImport(text, trust, note))
    made = "this account exported" if done.own else "somebody else made, and you trust"
    said = f"kept as model {done.version}, not in use, from a file that {made}"
    show(msgspec.to_builtins(done), "\n".join([said, *done.remarks]), as_json)
