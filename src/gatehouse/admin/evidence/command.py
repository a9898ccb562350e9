"""gatehouse disputes: the desk, the evidence for an order, files, and what is kept."""

from pathlib import Path
from typing import Annotated

import msgspec

from gatehouse.admin.derived_commands import commands_of
from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import (
    AccountOption,
    AsJson,
    RequestIdArgument,
    argument,
    option,
    read_file,
)
from gatehouse.cli.output import show, show_result
from gatehouse.core.errors import InvalidInput
from gatehouse.core.files.attachments import MOST_FILE_BYTES

DisputeArgument = Annotated[str, argument("DISPUTE", "The id of the dispute.")]

app = commands_of("gatehouse.admin.evidence.use_cases.dispute_desk")


@app.command()
def evidence(
    request_id: RequestIdArgument,
    pdf: Annotated[Path | None, option("Write it as a PDF.", "--pdf", metavar="FILE")] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show whether earlier orders prove that an order was the cardholder's; --json has the packet.

    A look at personal data leaves an audit line.
    """
    from gatehouse.admin.evidence.use_cases.evidence import get_evidence
    from gatehouse.admin.evidence.use_cases.papers import evidence_paper

    session, account_id = open_account(account)
    if pdf is not None:
        _write(pdf, evidence_paper(session, account_id, request_id))
    found = get_evidence(session, account_id, request_id)
    show_result(found if as_json else msgspec.structs.replace(found, packet=None), as_json)


@app.command()
def attach(
    dispute: DisputeArgument,
    file: Annotated[str, argument("FILE", "A PDF, PNG, JPEG or text.")],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Attach a file to a dispute, such as proof of delivery."""
    from gatehouse.admin.evidence.use_cases.dispute_files import keep_file

    content = read_file(file, MOST_FILE_BYTES)
    kept = keep_file(*open_account(account), dispute, Path(file).name, content)
    show_result(kept, as_json)


@app.command("file")
def fetch_file(
    dispute: DisputeArgument,
    file_id: Annotated[str, argument("FILE", "The id of the file.")],
    output: Annotated[Path, option("Where to write it.", "--output", metavar="PATH")],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Write a file of a dispute to disk; the look leaves an audit line."""
    from gatehouse.admin.evidence.use_cases.dispute_files import read_file as read_attached

    found, content = read_attached(*open_account(account), dispute, file_id)
    _write(output, content)
    show_result(found, as_json)


@app.command()
def keep(
    on: Annotated[bool, option("Keep it, or stop.", "--on/--off")] = True,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Keep what evidence needs readable for 485 days, sealed, or stop."""
    from gatehouse.admin.evidence.types.keeping import EvidenceKeeping
    from gatehouse.admin.evidence.use_cases.keeping import keep_evidence

    done = keep_evidence(*open_account(account), EvidenceKeeping(on))
    state = "kept" if done.keep else "not kept"
    text = f"evidence is {state} from now on; orders with evidence: {done.orders}"
    show(msgspec.to_builtins(done), text, as_json)


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}") from None
