"""gatehouse proposals: two pairs of eyes, at a terminal: propose, list, approve, refuse."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from gatehouse.admin.configurations.command import read_document
from gatehouse.admin.invoices.command import (
    CreditAmount,
    CreditReason,
    NumberArgument,
    read_toml,
)
from gatehouse.admin.lists.command import (
    EntryFile,
    ListName,
    ReasonOption,
    ValuesArgument,
    given_entries,
)
from gatehouse.admin.opening import open_account
from gatehouse.admin.people.command.people import handed_over, once_words
from gatehouse.cli.arguments import (
    AccountOption,
    AsJson,
    Note,
    amount_argument,
    argument,
    option,
    pairs_argument,
)
from gatehouse.cli.output import columns, sheet, show
from gatehouse.core.clock import iso_time, time_or_none
from gatehouse.core.errors import InvalidInput
from gatehouse.gateway.payment import LARGEST_PAYMENT

if TYPE_CHECKING:
    from gatehouse.admin.approvals.use_cases.proposals import Proposal
    from gatehouse.admin.approvals.use_cases.proposed import ProposedChange

app = typer.Typer(no_args_is_help=True)

_KINDS = "rules, pipelines, lists, models, prices, top-ups, adjustments, policies."
ProposalId = Annotated[str, argument("PROPOSAL", "Id of it (prop_...).")]

_Minor = Annotated[int, option("In the smallest unit.", min=0, max=LARGEST_PAYMENT)]


@app.command()
def want(
    kinds: Annotated[list[str] | None, argument("[KIND]...", _KINDS)] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Choose what needs two pairs of eyes; without KIND: show it. Less needs approval itself."""
    from gatehouse.admin.approvals.use_cases import approvals

    session, account_id = open_account(account)
    if kinds:
        approvals.set_wanted(session, account_id, kinds)
    wanted = approvals.wanted(session, account_id)
    show({"kinds": wanted}, ", ".join(wanted) or "nothing", as_json)


@app.command()
def rules(
    file: Annotated[str, argument("FILE", "The rule set; - for stdin.")],
    note: Note = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Propose a rule set."""
    from gatehouse.admin.approvals.use_cases.proposed import ApplyRules

    document = read_document(file).decode("utf-8-sig")
    _propose(ApplyRules(document, note=note), account, as_json=as_json)


@app.command()
def pipeline(
    file: Annotated[str, argument("FILE", "The pipeline; - for stdin.")],
    note: Note = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Propose a pipeline."""
    from gatehouse.admin.approvals.use_cases.proposed import ApplyPipeline

    document = read_document(file).decode("utf-8-sig")
    _propose(ApplyPipeline(document, note=note), account, as_json=as_json)


@app.command()
def entries(
    name: ListName,
    values: ValuesArgument = None,
    file: EntryFile = None,
    reason: ReasonOption = None,
    remove: Annotated[bool, option("Take them off the list.", "--remove")] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Propose entries for a list, or with --remove to take them off it."""
    from gatehouse.admin.approvals.use_cases.proposed import PutOnList, TakeOffList
    from gatehouse.admin.lists.use_cases import lists

    given, new = given_entries(values, file), lists.NewEntries(reason=reason)
    found = lists.planned(*open_account(account), name, given, new)
    content = TakeOffList(name, found) if remove else PutOnList(name, found)
    _propose(content, account, as_json=as_json)


@app.command("drop-list")
def drop_list(name: ListName, account: AccountOption = None, as_json: AsJson = False) -> None:
    """Propose to remove a list with its entries."""
    from gatehouse.admin.approvals.use_cases.proposed import DropList

    _propose(DropList(name), account, as_json=as_json)


@app.command()
def model(
    version: Annotated[int, argument("VERSION", "The model to promote.")],
    raw_scores: Annotated[bool, option("Tell its scores as they are.", "--raw-scores")] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Propose a model."""
    from gatehouse.admin.approvals.use_cases.proposed import PromoteModel

    _propose(PromoteModel(version, raw_scores), account, as_json=as_json)


@app.command()
def experiment(
    file: Annotated[str, argument("FILE", "The body of POST /experiments; - for stdin.")],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Propose a live experiment."""
    from gatehouse.admin.approvals.use_cases.proposed import StartExperiment
    from gatehouse.admin.experiments.types.asked import ExperimentWanted
    from gatehouse.core.reading.request_reader import RequestReader

    given = RequestReader(ExperimentWanted).read(read_document(file))
    _propose(StartExperiment(given), account, as_json=as_json)


@app.command()
def prices(
    prices: Annotated[list[str], argument("TYPE=FEE...", "PRECHECK=0.04, or =list.")],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Propose fees."""
    from gatehouse.admin.approvals.use_cases.proposed import SetPrices

    fees = pairs_argument(prices, "a price is given as TYPE=FEE, such as PRECHECK=0.04")
    _propose(SetPrices(fees), account, as_json=as_json)


@app.command("top-up")
def top_up(
    amount: Annotated[str, argument("AMOUNT", "Such as 100 or 250.50.")],
    note: Annotated[str, option("Kept in the ledger.")] = "",
    reference: Annotated[str | None, option("Of the payment; the same one is added once.")] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Propose to add money to the balance."""
    from gatehouse.admin.approvals.use_cases.proposed import TopUpBalance

    content = TopUpBalance(amount_argument(amount), note, reference)
    _propose(content, account, as_json=as_json)


@app.command("auto-top-up")
def auto_top_up(
    floor_minor: Annotated[int, option("The balance under which it is topped up.")],
    amount_minor: _Minor,
    monthly_limit_minor: Annotated[int, option("The most in a calendar month.")],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Propose to turn automatic top-ups on, or to let them charge more."""
    from gatehouse.admin.approvals.use_cases.proposed import SetAutoTopUp
    from gatehouse.admin.top_ups.types import AutoTopUpWanted
    from gatehouse.core.reading.given import read_given

    said = {"floor_minor": floor_minor, "amount_minor": amount_minor, "enabled": True}
    said |= {"monthly_limit_minor": monthly_limit_minor}
    _propose(SetAutoTopUp(read_given(AutoTopUpWanted, said)), account, as_json=as_json)


@app.command("store-card")
def store_card(
    amount_minor: _Minor, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Propose a top-up by a card that is stored for automatic top-ups."""
    from gatehouse.admin.approvals.use_cases.proposed import StoreCard

    _propose(StoreCard(amount_minor), account, as_json=as_json)


@app.command("top-up-limit")
def top_up_limit(
    amount_minor: _Minor, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Propose a higher limit of what cards are charged in a day."""
    from gatehouse.admin.approvals.use_cases.proposed import SetTopUpLimit

    _propose(SetTopUpLimit(amount_minor), account, as_json=as_json)


@app.command(context_settings={"ignore_unknown_options": True})
def adjust(
    amount: Annotated[str, argument("AMOUNT", "Such as 10 or -2.50.")],
    reason: Annotated[str, option("Why; kept in ledger and audit log.")],
    reference: Annotated[
        str | None, option("Of the correction; the same one is booked once.")
    ] = None,
    until: Annotated[
        str | None, option("The last day on which it can be used.", metavar="DAY")
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Propose a correction of the balance."""
    from gatehouse.admin.approvals.use_cases.proposed import AdjustBalance

    content = AdjustBalance(amount_argument(amount), reason, reference, until)
    _propose(content, account, as_json=as_json)


@app.command("credit-limit")
def credit_limit(
    amount: Annotated[str, argument("AMOUNT", "Such as 500; or none.")],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Propose how far below nothing the balance may go."""
    from gatehouse.admin.approvals.use_cases.proposed import SetCreditLimit

    content = SetCreditLimit(None if amount == "none" else amount_argument(amount))
    _propose(content, account, as_json=as_json)


@app.command()
def credit(
    number: NumberArgument,
    reason: CreditReason,
    amount: CreditAmount = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Propose to credit an invoice."""
    from gatehouse.admin.approvals.use_cases.proposed import CreditInvoice

    micros = None if amount is None else amount_argument(amount)
    _propose(CreditInvoice(number, reason, micros), account, as_json=as_json)


@app.command()
def buyer(
    file: Annotated[Path, argument("FILE", "TOML file.")],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Propose billing details, with what a month costs at least."""
    from gatehouse.admin.approvals.use_cases.proposed import SetBilling
    from gatehouse.admin.invoices.types.invoice import BillingDetails

    _propose(SetBilling(read_toml(file, BillingDetails)), account, as_json=as_json)


@app.command()
def policy(
    operation: Annotated[str, argument("OPERATION", "Such as setPreCheckPolicy.")],
    file: Annotated[
        str | None, argument("[FILE]", "The body of the operation; - for stdin.")
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Propose policies, costs or settings of authentication, as the management API takes them."""
    from gatehouse.admin.approvals.use_cases.proposed import SetPolicy

    try:
        sent = b"{}" if file is None else read_document(file)
        given = msgspec.json.decode(sent, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise InvalidInput(f"{file}: {error}") from None
    _propose(SetPolicy(operation, given), account, as_json=as_json)


@app.command()
def less(
    kinds: Annotated[list[str] | None, argument("[KIND]...", "What still needs two.")] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Propose that fewer kinds, or none, need two pairs of eyes."""
    from gatehouse.admin.approvals.use_cases.proposed import SetApprovals

    _propose(SetApprovals(tuple(kinds or ())), account, as_json=as_json)


@app.command("list")
def list_proposals(account: AccountOption = None, as_json: AsJson = False) -> None:
    """List the newest proposals, newest first."""
    from gatehouse.admin.approvals.use_cases import proposals

    data = [_data(each) for each in proposals.listing(*open_account(account))]
    headings = ("PROPOSAL", "KIND", "STATE", "BY", "EXPIRES", "DECIDED BY")
    fields = ("proposalId", "kind", "state", "proposer", "expiresAt", "decidedBy")
    show(data, columns(headings, data, fields), as_json)


@app.command("show")
def show_proposal(
    proposal: ProposalId, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Show one proposal, with what is proposed."""
    from gatehouse.admin.approvals.use_cases import proposals

    data = _data(proposals.get(*open_account(account), proposal))
    show(data, sheet(data.items()), as_json)


@app.command()
def approve(proposal: ProposalId, account: AccountOption = None, as_json: AsJson = False) -> None:
    """Let a proposed change happen now; never one's own."""
    from gatehouse.admin.approvals.use_cases import proposals

    approved = proposals.approve(*open_account(account), proposal)
    done, invited = approved.proposal, approved.invited
    data, text = _data(done), f"{done.proposal_id} is approved and done"
    if invited is not None and invited.link is not None:
        shown = handed_over(invited.user.login, invited.link)
        data, text = {**data, **shown}, f"{text}\n{shown['link']}\n{once_words(shown)}"
    show(data, text, as_json)


@app.command()
def refuse(
    proposal: ProposalId,
    reason: Annotated[str, option("Why; kept in the audit log.")],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Decide that a proposed change does not happen."""
    from gatehouse.admin.approvals.use_cases import proposals

    done = proposals.refuse(*open_account(account), proposal, reason)
    show(_data(done), f"{done.proposal_id} is refused", as_json)


@app.command()
def withdraw(proposal: ProposalId, account: AccountOption = None, as_json: AsJson = False) -> None:
    """Take back one's own proposal."""
    from gatehouse.admin.approvals.use_cases import proposals

    done = proposals.withdraw(*open_account(account), proposal)
    show(_data(done), f"{done.proposal_id} is withdrawn", as_json)


@app.command("shadow-model")
def shadow_model(
    version: Annotated[int, argument("VERSION", "The model to try.")],
    stop: Annotated[bool, option("Score with it no longer.", "--stop")] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Propose to score with a model beside the one in force."""
    from gatehouse.admin.approvals.use_cases.proposed import ShadowModel

    _propose(ShadowModel(version, not stop), account, as_json=as_json)


def _propose(content: "ProposedChange", account: str | None, *, as_json: bool) -> None:
    from gatehouse.admin.approvals.use_cases import proposals

    made = proposals.propose(*open_account(account), content)
    command = f"gatehouse proposals approve {made.proposal_id}"
    text = f"{made.proposal_id}\nanother person approves it: {command}"
    show(_data(made), text, as_json)


def _data(proposal: "Proposal") -> dict[str, Any]:
    return {
        "proposalId": proposal.proposal_id,
        "accountId": proposal.account_id,
        "kind": proposal.kind,
        "state": proposal.state,
        "proposer": proposal.proposer,
        "createdAt": iso_time(proposal.created_at_ms),
        "expiresAt": iso_time(proposal.expires_at_ms),
        "decidedBy": proposal.decided_by,
        "decidedAt": time_or_none(proposal.decided_at_ms),
        "reason": proposal.reason,
        "change": msgspec.to_builtins(proposal.content),
    }
