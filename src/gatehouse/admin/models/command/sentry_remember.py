"""gatehouse sentry remember: fill Sentry's memory with an account's own past."""

from typing import Annotated

import msgspec

from gatehouse.admin.models.command.replay_files import RequestFiles
from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import AccountOption, AsJson, RecordFormatOption, argument
from gatehouse.cli.output import show
from gatehouse.cli.progress import Progress


def remember(
    files: Annotated[list[str], argument("FILE...", "Orders, .gz or not; - for stdin.")],
    file_format: RecordFormatOption = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Fill Sentry's memory with orders from before Gatehouse, and with what became of them.

    Lines are those of `gatehouse sentry replay`, in any order, each with an event.transactionId.
    Orders are kept as records of the operation "import": nothing is decided or charged. One that is
    on record stays as it is. Running servers know them within a minute.
    """
    from gatehouse.admin.memory.use_cases.filling import fill_memory

    source = RequestFiles(files, file_format)
    session, account_id = open_account(account)
    with Progress("remembering", None) as progress, source.naming_bad_lines():
        done = fill_memory(
            session,
            account_id,
            source,
            lambda lines: progress.reached(lines, f"{lines:,} lines"),
            progress.reached_record,
        )
    text = (
        f"{done.remembered:,} orders are remembered now, {done.labels:,} of them with a label; "
        f"{done.known:,} were on record, {done.old:,} are older than the {done.days} days that "
        "are looked back"
    )
    show({"accountId": account_id, **msgspec.to_builtins(done)}, text, as_json)
