"""The methods of the blocking client, written by a script from the OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from gatehouse_client import models
from gatehouse_client._calls import Answer, Call, CallOptions, Repeat
from gatehouse_client._sending import Sender
from gatehouse_client._waiting import JobWaiting


class ManageAccountCalls:
    """Calls about account."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def get(self, *, options: CallOptions | None = None) -> Answer[models.AccountShown]:
        """The account and its fees. Scope `manage:account`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/account",
                answer=models.AccountShown,
                named="accountResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )


class ManageAlertsCalls:
    """Calls about alerts."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(
        self,
        *,
        limit: int | None = None,
        ended: bool | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.AlertPage]:
        """What departs from the account's own normal by hour and weekday: attacks, feasts and
        outages, each with the values that stand out and the money at stake. Scopes
        `manage:lists` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/alerts",
                answer=models.AlertPage,
                named="alertsResponse",
                repeat=Repeat.HARMLESS,
                query={"limit": limit, "ended": ended},
                options=options or {},
            )
        )

    def each(
        self,
        *,
        limit: int | None = None,
        ended: bool | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.AlertShown]:
        """Each of the alerts, page after page."""
        page = (self.list(limit=limit, ended=ended, options=options)).result
        yield from page.alerts

    def get(
        self, alert_id: str, *, options: CallOptions | None = None
    ) -> Answer[models.AlertShown]:
        """Its figures beside what is usual, the values that stand out, a rule to begin with, and
        some of its requests. Scopes `manage:lists` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/alerts/{alert_id}",
                answer=models.AlertShown,
                named="alertResponse",
                repeat=Repeat.HARMLESS,
                path_values={"alert_id": alert_id},
                options=options or {},
            )
        )

    def acknowledgement(
        self,
        alert_id: str,
        *,
        note: str | None = None,
        end: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.AlertShown]:
        """Says that somebody looks after it, so that the overview does not ask for attention any
        more; or ends it. It goes on by itself until requests are as usual again. Scopes
        `manage:lists` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/alerts/{alert_id}/acknowledgement",
                answer=models.AlertShown,
                named="alertResponse",
                repeat=Repeat.KEYED,
                path_values={"alert_id": alert_id},
                body=models.AlertAnswer(note=note, end=end),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def blocking(
        self,
        alert_id: str,
        *,
        kinds: Sequence[models.ValueKind | str] | None = None,
        reason: str | None = None,
        hours: int | None = None,
        prefix: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.AlertBlocked]:
        """Puts the addresses, devices and whatever else is asked for on lists, for a day unless
        another span is given. What a list does is up to the rules that name it. Scopes
        `manage:lists` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/alerts/{alert_id}/blocking",
                answer=models.AlertBlocked,
                named="alertBlockedResponse",
                repeat=Repeat.KEYED,
                path_values={"alert_id": alert_id},
                query={"dryRun": dry_run},
                body=models.AlertBlocking(kinds=kinds, reason=reason, hours=hours, prefix=prefix),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageAuditCalls:
    """Calls about audit."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: int | None = None,
        action: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.AuditPage]:
        """Everything that was changed in the account: who, when, what. Newest first. Scope
        `manage:account`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/audit",
                answer=models.AuditPage,
                named="auditResponse",
                repeat=Repeat.HARMLESS,
                query={"limit": limit, "startingAfter": starting_after, "action": action},
                options=options or {},
            )
        )

    def each(
        self,
        *,
        limit: int | None = None,
        starting_after: int | None = None,
        action: str | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.AuditEntry]:
        """Each of the lines, page after page."""
        while True:
            page = (
                self.list(
                    limit=limit, starting_after=starting_after, action=action, options=options
                )
            ).result
            yield from page.lines
            if not page.has_more or not page.lines:
                return
            starting_after = page.lines[-1].line


class ManageAuthenticationCalls:
    """Calls about authentication."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def get(self, *, options: CallOptions | None = None) -> Answer[models.AuthenticationShown]:
        """Whether Sentry advises on strong customer authentication, and what the advice depends
        on. Scope `manage:account`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/authentication",
                answer=models.AuthenticationShown,
                named="authenticationResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def set(
        self,
        *,
        acquirer_country: str,
        merchant_country: str | None = None,
        tra_up_to: int | None = None,
        exempt_from: Decimal | None = None,
        challenge_below: float | None = None,
        decline_below: float | None = None,
        low_value: bool | None = None,
        placement: models.ExemptionPlacement | None = None,
        latest_protocol: bool | None = None,
        three_ds_data: bool | None = None,
        ship_address_input: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.AuthenticationShown]:
        """Has Sentry say for each payment whether the cardholder must be authenticated, which
        exemption can be asked for and where. What is left out is set to its default. Scope
        `manage:account`. Free.
        """
        return self._send(
            Call(
                method="PUT",
                path="/api/v1/manage/authentication",
                answer=models.AuthenticationShown,
                named="authenticationResponse",
                repeat=Repeat.KEYED,
                body=models.AuthenticationBody(
                    acquirer_country=acquirer_country,
                    merchant_country=merchant_country,
                    tra_up_to=tra_up_to,
                    exempt_from=exempt_from,
                    challenge_below=challenge_below,
                    decline_below=decline_below,
                    low_value=low_value,
                    placement=placement,
                    latest_protocol=latest_protocol,
                    three_ds_data=three_ds_data,
                    ship_address_input=ship_address_input,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def clear(
        self, *, idempotency_key: str | None = None, options: CallOptions | None = None
    ) -> Answer[models.AuthenticationShown]:
        """Sentry says no more about it. Scope `manage:account`. Free."""
        return self._send(
            Call(
                method="DELETE",
                path="/api/v1/manage/authentication",
                answer=models.AuthenticationShown,
                named="authenticationResponse",
                repeat=Repeat.KEYED,
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def get_fraud_rates(
        self, *, quarters: int | None = None, options: CallOptions | None = None
    ) -> Answer[models.RateReport]:
        """Value of frauds by value of all payments, in windows of 90 days: the last one, and those
        that end with the latest quarters. Each is compared with the reference rate of each
        band. Scope `manage:account`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/authentication/fraud-rates",
                answer=models.RateReport,
                named="fraudRatesResponse",
                repeat=Repeat.HARMLESS,
                query={"quarters": quarters},
                options=options or {},
            )
        )

    def measure_fraud_rates(
        self, *, idempotency_key: str | None = None, options: CallOptions | None = None
    ) -> Answer[models.RateReport]:
        """Keeps the rate of the last 90 days, and which bands are stopped, for the advice of
        Sentry. Scope `manage:account`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/authentication/fraud-rates",
                answer=models.RateReport,
                named="fraudRatesResponse",
                repeat=Repeat.KEYED,
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageAutoTopUpCalls:
    """Calls about auto top up."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def get(self, *, options: CallOptions | None = None) -> Answer[models.AutoTopUpShown]:
        """How they are set, whether a card is stored, and whether they pause. Scope
        `manage:billing`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/auto-top-up",
                answer=models.AutoTopUpShown,
                named="autoTopUpResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def set(
        self,
        *,
        enabled: bool,
        floor_minor: int,
        amount_minor: int,
        monthly_limit_minor: int,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.AutoTopUpShown]:
        """When the balance is under the floor, the stored card is charged and the amount added,
        one top-up at a time, up to the limit of a calendar month. They need a card, which a
        person stores by paying a top-up with `storeCard`. Turned on after they were off, they
        begin afresh, but for the day after a refusal. It needs the scope `manage:billing`, too.
        Scope `manage:payments`. Free.
        """
        return self._send(
            Call(
                method="PUT",
                path="/api/v1/manage/auto-top-up",
                answer=models.AutoTopUpShown,
                named="autoTopUpResponse",
                repeat=Repeat.KEYED,
                body=models.AutoTopUpWanted(
                    enabled=enabled,
                    floor_minor=floor_minor,
                    amount_minor=amount_minor,
                    monthly_limit_minor=monthly_limit_minor,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def delete_card(
        self, *, idempotency_key: str | None = None, options: CallOptions | None = None
    ) -> Answer[models.AutoTopUpShown]:
        """It is charged no more, and automatic top-ups are off. A charge that the provider was
        asked for already is finished; where nobody learns how it ended, its top-up is left in
        doubt. It needs the scope `manage:billing`, too. Scope `manage:payments`. Free.
        """
        return self._send(
            Call(
                method="DELETE",
                path="/api/v1/manage/auto-top-up/card",
                answer=models.AutoTopUpShown,
                named="autoTopUpResponse",
                repeat=Repeat.KEYED,
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageBalanceCalls:
    """Calls about balance."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def get(self, *, options: CallOptions | None = None) -> Answer[models.BalanceResponse]:
        """What the account has, as `/api/v1/balance` tells it. Scope `manage:billing`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/balance",
                answer=models.BalanceResponse,
                named="balanceResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )


class ManageBillingDetailsCalls:
    """Calls about billing details."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def get(self, *, options: CallOptions | None = None) -> Answer[models.BillingDetails]:
        """Whom the account's invoices are for, and with which tax. Scope `manage:billing`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/billing-details",
                answer=models.BillingDetails,
                named="billingDetailsResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )


class ManageBulkCalls:
    """Calls about bulk."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def resolve_resolutions(
        self,
        *,
        resolution: models.ReviewVerdict | str,
        reason: str,
        request_ids: Sequence[str] | None = None,
        search: models.DecisionSearchRequest | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.BulkShown]:
        """One verdict on those that are open. With a search, all that fit are meant, up to 10,000.
        More than 50 are a job: ask for the change until it is `DONE`. For ten minutes it can be
        undone. Scope `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/bulk/resolutions",
                answer=models.BulkShown,
                named="bulkResponse",
                repeat=Repeat.KEYED,
                query={"dryRun": dry_run},
                body=models.ResolveMany(
                    request_ids=request_ids, search=search, resolution=resolution, reason=reason
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def labels(
        self,
        *,
        label: models.Label | str,
        request_ids: Sequence[str] | None = None,
        search: models.DecisionSearchRequest | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.BulkShown]:
        """Says what each turned out to be, as feedback does. Scope `manage:feedback`. Free."""
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/bulk/labels",
                answer=models.BulkShown,
                named="bulkResponse",
                repeat=Repeat.KEYED,
                query={"dryRun": dry_run},
                body=models.LabelMany(request_ids=request_ids, search=search, label=label),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def assignments(
        self,
        *,
        assignee: str | None,
        request_ids: Sequence[str] | None = None,
        search: models.DecisionSearchRequest | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.BulkShown]:
        """Gives the open reviews to a person, or to nobody. What somebody else has is left with
        them. Scope `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/bulk/assignments",
                answer=models.BulkShown,
                named="bulkResponse",
                repeat=Repeat.KEYED,
                query={"dryRun": dry_run},
                body=models.AssignMany(request_ids=request_ids, search=search, assignee=assignee),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def put_entries(
        self,
        *,
        list: str,
        entity: models.EntityType | str,
        reason: str,
        request_ids: Sequence[str] | None = None,
        search: models.DecisionSearchRequest | None = None,
        days: int | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.BulkShown]:
        """Such as the users, cards or devices of them. What is on the list already is left as it
        is. Scopes `manage:lists` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/bulk/entries",
                answer=models.BulkShown,
                named="bulkResponse",
                repeat=Repeat.KEYED,
                query={"dryRun": dry_run},
                body=models.ListMany(
                    request_ids=request_ids,
                    search=search,
                    list=list,
                    entity=entity,
                    reason=reason,
                    days=days,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def get(self, bulk_id: str, *, options: CallOptions | None = None) -> Answer[models.BulkShown]:
        """How far it is, what was left as it was, and why. Scope `manage:feedback`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/bulk/{bulk_id}",
                answer=models.BulkShown,
                named="bulkResponse",
                repeat=Repeat.HARMLESS,
                path_values={"bulk_id": bulk_id},
                options=options or {},
            )
        )

    def undo(
        self,
        bulk_id: str,
        *,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.BulkShown]:
        """For ten minutes after its end, by the one who made it. Each decision is brought back on
        its own: a review that a payment waited for, and what somebody has changed since, stay
        as they are. Scope `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/bulk/{bulk_id}/undo",
                answer=models.BulkShown,
                named="bulkResponse",
                repeat=Repeat.KEYED,
                path_values={"bulk_id": bulk_id},
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageConnectorsCalls:
    """Calls about connectors."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(self, *, options: CallOptions | None = None) -> Answer[models.ConnectorPage]:
        """The connectors that can serve the account, and whether they work. They belong to the
        installation, so that only its operator changes them. Scope `manage:connectors`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/connectors",
                answer=models.ConnectorPage,
                named="connectorsResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def each(self, *, options: CallOptions | None = None) -> Iterator[models.ConnectorShown]:
        """Each of the connectors, page after page."""
        page = (self.list(options=options)).result
        yield from page.connectors


class ManageDecisionsCalls:
    """Calls about decisions."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def get_evidence(
        self, request_id: str, *, options: CallOptions | None = None
    ) -> Answer[models.OrderEvidence]:
        """Looks for two earlier orders on the same card that show the order to be the
        cardholder's, as Visa's Compelling Evidence 3.0 wants them, and says what was missing if
        there are none. The packet holds personal data in clear: each look leaves an audit line.
        Scopes `manage:feedback` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/decisions/{request_id}/evidence",
                answer=models.OrderEvidence,
                named="evidenceResponse",
                repeat=Repeat.HARMLESS,
                path_values={"request_id": request_id},
                options=options or {},
            )
        )

    def get_evidence_paper(
        self, request_id: str, *, options: CallOptions | None = None
    ) -> Answer[models.EvidencePaper]:
        """The order, its checks, the delivery as you told it, and earlier orders. It holds
        personal data in clear: each look leaves an audit line. Scopes `manage:feedback` and
        `decisions`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/decisions/{request_id}/evidence/paper",
                answer=models.EvidencePaper,
                named="evidencePaperResponse",
                repeat=Repeat.HARMLESS,
                path_values={"request_id": request_id},
                options=options or {},
            )
        )


class ManageDisputesCalls:
    """Calls about disputes."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(
        self,
        *,
        ended: bool | None = None,
        limit: int | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.DisputeQueue]:
        """Open ones by their deadline, each with what Compelling Evidence 3.0 says of it; or those
        that have ended. Scope `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/disputes",
                answer=models.DisputeQueue,
                named="disputesResponse",
                repeat=Repeat.HARMLESS,
                query={"ended": ended, "limit": limit},
                options=options or {},
            )
        )

    def each(
        self,
        *,
        ended: bool | None = None,
        limit: int | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.DisputeSummary]:
        """Each of the disputes, page after page."""
        page = (self.list(ended=ended, limit=limit, options=options)).result
        yield from page.disputes

    def get(
        self, dispute_id: str, *, options: CallOptions | None = None
    ) -> Answer[models.DisputeShown]:
        """What was decided about it, and what was said of the delivery; files without their
        content. Scope `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/disputes/{dispute_id}",
                answer=models.DisputeShown,
                named="disputeResponse",
                repeat=Repeat.HARMLESS,
                path_values={"dispute_id": dispute_id},
                options=options or {},
            )
        )

    def decide_decision(
        self,
        dispute_id: str,
        *,
        decision: models.DisputeChoice | str,
        comment: str | None = None,
        fee_acknowledged: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.DisputeShown]:
        """The decision counts once: the same again changes nothing, another one is refused. One
        that is accepted has ended. A case about a network's rules is contested only with
        `feeAcknowledged`. Scope `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/disputes/{dispute_id}/decision",
                answer=models.DisputeShown,
                named="disputeResponse",
                repeat=Repeat.KEYED,
                path_values={"dispute_id": dispute_id},
                body=models.DisputeDecision(
                    decision=decision, comment=comment, fee_acknowledged=fee_acknowledged
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def set_delivery(
        self,
        dispute_id: str,
        *,
        carrier: str | None = None,
        tracking_number: str | None = None,
        delivered_on: str | None = None,
        delivered_to: str | None = None,
        product: str | None = None,
        goods: models.Goods | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.DisputeShown]:
        """What the merchant says about what was sold and delivered, in place of what was said
        before. Scope `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="PUT",
                path="/api/v1/manage/disputes/{dispute_id}/delivery",
                answer=models.DisputeShown,
                named="disputeResponse",
                repeat=Repeat.KEYED,
                path_values={"dispute_id": dispute_id},
                body=models.DeliveryGiven(
                    carrier=carrier,
                    tracking_number=tracking_number,
                    delivered_on=delivered_on,
                    delivered_to=delivered_to,
                    product=product,
                    goods=goods,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def end_result(
        self,
        dispute_id: str,
        *,
        result: models.DisputeResult | str,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.DisputeShown]:
        """The same as an outcome with that result: programmes and figures count it from now on.
        Scope `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/disputes/{dispute_id}/result",
                answer=models.DisputeShown,
                named="disputeResponse",
                repeat=Repeat.KEYED,
                path_values={"dispute_id": dispute_id},
                body=models.DisputeEnd(result=result),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def attach_files(
        self,
        dispute_id: str,
        *,
        name: str,
        content: str,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.DisputeFile]:
        """A PDF, PNG, JPEG or plain text of at most 3 MiB, told by its content; ten of a dispute.
        The same content again is the same file. Scope `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/disputes/{dispute_id}/files",
                answer=models.DisputeFile,
                named="disputeFileResponse",
                repeat=Repeat.KEYED,
                path_values={"dispute_id": dispute_id},
                body=models.NewDisputeFile(name=name, content=content),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def get_files(
        self, dispute_id: str, file_id: str, *, options: CallOptions | None = None
    ) -> Answer[models.DisputeFile]:
        """With its content; each look leaves an audit line. Scope `manage:feedback`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/disputes/{dispute_id}/files/{file_id}",
                answer=models.DisputeFile,
                named="disputeFileResponse",
                repeat=Repeat.HARMLESS,
                path_values={"dispute_id": dispute_id, "file_id": file_id},
                options=options or {},
            )
        )

    def delete_files(
        self,
        dispute_id: str,
        file_id: str,
        *,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.DisputeFileDeleted]:
        """Nothing of it is left. Scope `manage:feedback`. Free."""
        return self._send(
            Call(
                method="DELETE",
                path="/api/v1/manage/disputes/{dispute_id}/files/{file_id}",
                answer=models.DisputeFileDeleted,
                named="disputeFileDeletedResponse",
                repeat=Repeat.KEYED,
                path_values={"dispute_id": dispute_id, "file_id": file_id},
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageDriftCalls:
    """Calls about drift."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(
        self,
        *,
        limit: int | None = None,
        ended: bool | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.DriftPage]:
        """What is not as usual: signals and scores, how often rules match, and how long labels
        take. The last day is compared with the same hours of the weeks before, every six hours,
        where an account has enough requests. Scopes `manage:models` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/drift",
                answer=models.DriftPage,
                named="driftResponse",
                repeat=Repeat.HARMLESS,
                query={"limit": limit, "ended": ended},
                options=options or {},
            )
        )

    def each(
        self,
        *,
        limit: int | None = None,
        ended: bool | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.DriftShown]:
        """Each of the drifts, page after page."""
        page = (self.list(limit=limit, ended=ended, options=options)).result
        yield from page.drifts


class ManageEventsCalls:
    """Calls about events."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def get(self, *, options: CallOptions | None = None) -> Answer[models.EventSettingsShown]:
        """Which decisions the account is told as events, and below which balance. Scope
        `manage:account`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/events",
                answer=models.EventSettingsShown,
                named="eventSettingsResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def set(
        self,
        *,
        decisions: Sequence[str] | None = None,
        low_balance: Decimal | float | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.EventSettingsShown]:
        """Changes what is sent, and leaves the rest. Servers act on it within a second. Scope
        `manage:account`. Free.
        """
        return self._send(
            Call(
                method="PUT",
                path="/api/v1/manage/events",
                answer=models.EventSettingsShown,
                named="eventSettingsResponse",
                repeat=Repeat.KEYED,
                body=models.EventSettingsBody(decisions=decisions, low_balance=low_balance),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageExperimentsCalls:
    """Calls about experiments."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(self, *, options: CallOptions | None = None) -> Answer[models.ExperimentPage]:
        """All experiments of the account, newest first; one is under way at most. Scope
        `manage:rules`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/experiments",
                answer=models.ExperimentPage,
                named="experimentsResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def each(self, *, options: CallOptions | None = None) -> Iterator[models.ExperimentShown]:
        """Each of the experiments, page after page."""
        page = (self.list(options=options)).result
        yield from page.experiments

    def start(
        self,
        *,
        name: str,
        kind: models.ExperimentKind | str,
        percent: int,
        assigned_by: models.AssignedBy | str | None = None,
        rule_set: str | None = None,
        challenger_rule_set: str | None = None,
        challenger_model: int | None = None,
        orders_per_day: int | None = None,
        minor_units_per_day: int | None = None,
        currency: str | None = None,
        maturity_days: int | None = None,
        most_declined_percent: int | None = None,
        most_fraud_percent: int | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.ExperimentShown]:
        """From now on a random share of cards or users is decided by the challenger: another rule
        set or another model. The same card or user always gets the same arm. It ends when
        somebody ends it, when the challenger does harm, or when what an arm decides by is
        changed. Scope `manage:rules`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/experiments",
                answer=models.ExperimentShown,
                named="experimentResponse",
                repeat=Repeat.KEYED,
                body=models.ExperimentWanted(
                    name=name,
                    kind=kind,
                    percent=percent,
                    assigned_by=assigned_by,
                    rule_set=rule_set,
                    challenger_rule_set=challenger_rule_set,
                    challenger_model=challenger_model,
                    orders_per_day=orders_per_day,
                    minor_units_per_day=minor_units_per_day,
                    currency=currency,
                    maturity_days=maturity_days,
                    most_declined_percent=most_declined_percent,
                    most_fraud_percent=most_fraud_percent,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def get(
        self, experiment_id: str, *, options: CallOptions | None = None
    ) -> Answer[models.ExperimentShown]:
        """Scope `manage:rules`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/experiments/{experiment_id}",
                answer=models.ExperimentShown,
                named="experimentResponse",
                repeat=Repeat.HARMLESS,
                path_values={"experiment_id": experiment_id},
                options=options or {},
            )
        )

    def get_result(
        self, experiment_id: str, *, options: CallOptions | None = None
    ) -> Answer[models.ExperimentResult]:
        """Decisions, acceptance, fraud and money of each arm as counted by the last minute, and a
        sequential test, which may be looked at as often as anybody likes. Scopes `manage:rules`
        and `decisions`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/experiments/{experiment_id}/result",
                answer=models.ExperimentResult,
                named="experimentResultResponse",
                repeat=Repeat.HARMLESS,
                path_values={"experiment_id": experiment_id},
                options=options or {},
            )
        )

    def end(
        self,
        experiment_id: str,
        *,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.ExperimentShown]:
        """Everything is decided as without it again, by what is in force. This needs no second
        person. Scope `manage:rules`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/experiments/{experiment_id}/end",
                answer=models.ExperimentShown,
                named="experimentResponse",
                repeat=Repeat.KEYED,
                path_values={"experiment_id": experiment_id},
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageExplorationsCalls:
    """Calls about explorations."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def start(
        self,
        *,
        by: str,
        also: str | None = None,
        groups: int | None = None,
        since: str | None = None,
        until: str | None = None,
        time_zone: str | None = None,
        where: Sequence[str] | None = None,
        decision: Sequence[models.Outcome | str] | None = None,
        operation: Sequence[str] | None = None,
        rule: Sequence[str] | None = None,
        shadow_rule: Sequence[str] | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.JobResponse]:
        """Starts a job that counts decisions by one signal or by two: how many, what became of
        them, fraud, money, and how many in each part of the span. Signals that tell of a
        person, and custom inputs, are left to the console and the command. Scopes
        `manage:rules` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/explorations",
                answer=models.JobResponse,
                named="jobResponse",
                repeat=Repeat.KEYED,
                body=models.ExplorationRequest(
                    by=by,
                    also=also,
                    groups=groups,
                    since=since,
                    until=until,
                    time_zone=time_zone,
                    where=where,
                    decision=decision,
                    operation=operation,
                    rule=rule,
                    shadow_rule=shadow_rule,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageFeedbackCalls:
    """Calls about feedback."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def give(
        self,
        *,
        items: Sequence[models.FeedbackRequest],
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.FeedbackBatchResponse]:
        """Records up to 500 statements, each on its own: one that is refused does not keep the
        others from being kept. The same said again changes nothing. Scope `manage:feedback`.
        Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/feedback",
                answer=models.FeedbackBatchResponse,
                named="feedbackBatchResponse",
                repeat=Repeat.KEYED,
                body=models.FeedbackBatch(items=items),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def import_many(
        self,
        *,
        format: Any,
        content: str,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.JobResponse]:
        """Starts a job that imports a file of statements, of up to 4 MiB. Its result counts them
        and reports rows that cannot be used. Scope `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/feedback/imports",
                answer=models.JobResponse,
                named="jobResponse",
                repeat=Repeat.KEYED,
                query={"dryRun": dry_run},
                body=models.FeedbackFile(format=format, content=content),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageIdentitiesCalls:
    """Calls about identities."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def import_many(
        self,
        *,
        format: Any,
        content: str,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.JobResponse]:
        """Starts a job that imports a file of who holds which card, of up to 4 MiB, for this
        account alone. Known records are brought up to date. The file is kept sealed until the
        job ends; its result counts records and reports rows that cannot be used. Scope
        `manage:identities`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/identities/imports",
                answer=models.JobResponse,
                named="jobResponse",
                repeat=Repeat.KEYED,
                query={"dryRun": dry_run},
                body=models.IdentityFile(format=format, content=content),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def search(
        self,
        *,
        card_number: str | None = None,
        person_id: str | None = None,
        reference: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.IdentitiesFound]:
        """The account's records of a card, a person or a reference, masked. Scope
        `manage:identities`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/identities/search",
                answer=models.IdentitiesFound,
                named="identitiesResponse",
                repeat=Repeat.HARMLESS,
                body=models.IdentitySearch(
                    card_number=card_number, person_id=person_id, reference=reference
                ),
                options=options or {},
            )
        )

    def each_found(
        self,
        *,
        card_number: str | None = None,
        person_id: str | None = None,
        reference: str | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[Mapping[str, Any]]:
        """Each of the records, page after page."""
        page = (
            self.search(
                card_number=card_number, person_id=person_id, reference=reference, options=options
            )
        ).result
        yield from page.records

    def erase(
        self,
        *,
        reason: str,
        card_number: str | None = None,
        person_id: str | None = None,
        reference: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.IdentitiesErased]:
        """Erases the account's records of a card, a person or a reference. Scope
        `manage:identities`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/identities/erase",
                answer=models.IdentitiesErased,
                named="identitiesErasedResponse",
                repeat=Repeat.KEYED,
                query={"dryRun": dry_run},
                body=models.IdentityErasure(
                    card_number=card_number, person_id=person_id, reference=reference, reason=reason
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageInvoicesCalls:
    """Calls about invoices."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(self, *, options: CallOptions | None = None) -> Answer[models.InvoiceList]:
        """Invoices and credit notes, the newest first; at most 1,000. Scope `manage:billing`.
        Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/invoices",
                answer=models.InvoiceList,
                named="invoicesResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def each(self, *, options: CallOptions | None = None) -> Iterator[models.InvoiceSummary]:
        """Each of the invoices, page after page."""
        page = (self.list(options=options)).result
        yield from page.invoices

    def get(self, invoice_id: str, *, options: CallOptions | None = None) -> Answer[models.Invoice]:
        """With the legal data of both sides and all its lines, as it was issued. Scope
        `manage:billing`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/invoices/{invoice_id}",
                answer=models.Invoice,
                named="invoiceResponse",
                repeat=Repeat.HARMLESS,
                path_values={"invoice_id": invoice_id},
                options=options or {},
            )
        )

    def get_ubl(
        self, invoice_id: str, *, options: CallOptions | None = None
    ) -> Answer[models.UblDocument]:
        """UBL 2.1 after EN 16931, for programs that read electronic invoices. Scope
        `manage:billing`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/invoices/{invoice_id}/ubl",
                answer=models.UblDocument,
                named="ublResponse",
                repeat=Repeat.HARMLESS,
                path_values={"invoice_id": invoice_id},
                options=options or {},
            )
        )


class ManageJobsCalls(JobWaiting):
    """Calls about jobs."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.JobPage]:
        """The account's jobs that the key may see, newest first. They are kept for 30 days after
        their end. Any scope of management. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/jobs",
                answer=models.JobPage,
                named="jobsResponse",
                repeat=Repeat.HARMLESS,
                query={"limit": limit, "startingAfter": starting_after},
                options=options or {},
            )
        )

    def each(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.JobResponse]:
        """Each of the jobs, page after page."""
        while True:
            page = (self.list(limit=limit, starting_after=starting_after, options=options)).result
            yield from page.jobs
            if not page.has_more or not page.jobs:
                return
            starting_after = page.jobs[-1].job_id

    def get(self, job_id: str, *, options: CallOptions | None = None) -> Answer[models.JobResponse]:
        """How far a job is, and its result or why it failed. Ask again every second or so while it
        is `QUEUED` or `RUNNING`. Any scope of management. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/jobs/{job_id}",
                answer=models.JobResponse,
                named="jobResponse",
                repeat=Repeat.HARMLESS,
                path_values={"job_id": job_id},
                options=options or {},
            )
        )

    def cancel(
        self, job_id: str, *, idempotency_key: str | None = None, options: CallOptions | None = None
    ) -> Answer[models.JobResponse]:
        """Ends a job that waits. One that runs is ended within seconds; what an import has stored
        by then stays. Any scope of management. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/jobs/{job_id}/cancel",
                answer=models.JobResponse,
                named="jobResponse",
                repeat=Repeat.KEYED,
                path_values={"job_id": job_id},
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageKeysCalls:
    """Calls about keys."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(self, *, options: CallOptions | None = None) -> Answer[models.KeyPage]:
        """The account's keys, oldest first, without their text. Scope `manage:keys`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/keys",
                answer=models.KeyPage,
                named="keysResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def each(self, *, options: CallOptions | None = None) -> Iterator[models.KeyShown]:
        """Each of the keys, page after page."""
        page = (self.list(options=options)).result
        yield from page.keys

    def issue(
        self,
        *,
        name: str | None = None,
        scopes: Sequence[str] | None = None,
        networks: Sequence[str] | None = None,
        rate_limit_per_second: int | None = None,
        expires_in_s: int | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.KeyTold]:
        """Issues a key. It can be for every operation that reads no more than the issuing key may,
        for scopes of management that this has, within its networks, up to its rate limit and up
        to its end. Scope `manage:keys`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/keys",
                answer=models.KeyTold,
                named="keyIssuedResponse",
                repeat=Repeat.KEYED,
                body=models.NewKey(
                    name=name,
                    scopes=scopes,
                    networks=networks,
                    rate_limit_per_second=rate_limit_per_second,
                    expires_in_s=expires_in_s,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def rotate(
        self,
        key_id: str,
        *,
        overlap_s: int | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.KeyTold]:
        """Issues a successor on the same terms; the old key ends after the overlap, and the keys
        that it issued belong to the successor. A key can rotate itself, and keys that it could
        issue. The successor ends with the calling key at the latest. Scope `manage:keys`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/keys/{key_id}/rotate",
                answer=models.KeyTold,
                named="keyIssuedResponse",
                repeat=Repeat.KEYED,
                path_values={"key_id": key_id},
                body=models.KeyRotation(overlap_s=overlap_s),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def revoke(
        self,
        key_id: str,
        *,
        reason: str,
        children: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.KeyShown]:
        """Ends a key at once, on every server within a second. A key can revoke itself, and keys
        that it could issue. Scope `manage:keys`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/keys/{key_id}/revoke",
                answer=models.KeyShown,
                named="keyResponse",
                repeat=Repeat.KEYED,
                path_values={"key_id": key_id},
                body=models.KeyRevocation(reason=reason, children=children),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageListsCalls:
    """Calls about lists."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(self, *, options: CallOptions | None = None) -> Answer[models.ListPage]:
        """The account's lists by name, and how many entries are in force. Scope `manage:lists`.
        Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/lists",
                answer=models.ListPage,
                named="listsResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def each(self, *, options: CallOptions | None = None) -> Iterator[models.ListShown]:
        """Each of the lists, page after page."""
        page = (self.list(options=options)).result
        yield from page.lists

    def create(
        self,
        *,
        name: str,
        kind: models.ListKind | str,
        description: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.ListShown]:
        """Makes an empty list of a kind. Scope `manage:lists`. Free."""
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/lists",
                answer=models.ListShown,
                named="listResponse",
                repeat=Repeat.KEYED,
                body=models.NewList(name=name, kind=kind, description=description),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def get(
        self, name: str | int, *, options: CallOptions | None = None
    ) -> Answer[models.ListShown]:
        """What a list holds, and how many entries are in force. Its `ETag` is for `If-Match` of a
        change. Scope `manage:lists`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/lists/{name}",
                answer=models.ListShown,
                named="listResponse",
                repeat=Repeat.HARMLESS,
                path_values={"name": name},
                options=options or {},
            )
        )

    def drop(
        self,
        name: str | int,
        *,
        force: bool | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.ListDropped]:
        """Removes a list with its entries. Refused while rules in force use it. Scope
        `manage:lists`. Free.
        """
        return self._send(
            Call(
                method="DELETE",
                path="/api/v1/manage/lists/{name}",
                answer=models.ListDropped,
                named="listDroppedResponse",
                repeat=Repeat.KEYED,
                path_values={"name": name},
                query={"force": force},
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def add_entries(
        self,
        name: str | int,
        *,
        entries: Sequence[models.EntryToAdd],
        kind: models.ListKind | str | None = None,
        reason: str | None = None,
        expires_in_s: int | None = None,
        dry_run: bool | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.EntriesAdded]:
        """Puts up to 1,000 entries on a list. One that is on it already gets the new expiry and
        reason. All are added, or none if one cannot be used. Scope `manage:lists`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/lists/{name}/entries",
                answer=models.EntriesAdded,
                named="entriesAddedResponse",
                repeat=Repeat.KEYED,
                path_values={"name": name},
                query={"dryRun": dry_run},
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body=models.EntriesToAdd(
                    entries=entries, kind=kind, reason=reason, expires_in_s=expires_in_s
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def search_entries(
        self,
        name: str | int,
        *,
        value: str | None = None,
        gone: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.EntryShownPage]:
        """Entries by value, page by page; with `value`, only that one. A POST, because values may
        be personal. Cards, mailboxes and phones are shown as fingerprints. Scope
        `manage:lists`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/lists/{name}/entries/search",
                answer=models.EntryShownPage,
                named="entriesResponse",
                repeat=Repeat.HARMLESS,
                path_values={"name": name},
                body=models.EntrySearch(value=value, gone=gone, limit=limit, cursor=cursor),
                options=options or {},
            )
        )

    def each_entry(
        self,
        name: str | int,
        *,
        value: str | None = None,
        gone: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.EntryShown]:
        """Each of the entries, page after page."""
        while True:
            page = (
                self.search_entries(
                    name, value=value, gone=gone, limit=limit, cursor=cursor, options=options
                )
            ).result
            yield from page.entries
            if not page.has_more:
                return
            cursor = page.cursor

    def remove_entries(
        self,
        name: str | int,
        *,
        values: Sequence[str],
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.EntriesRemoved]:
        """Takes up to 1,000 entries off a list: all of them, or none if one is not on it. Scope
        `manage:lists`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/lists/{name}/removals",
                answer=models.EntriesRemoved,
                named="entriesRemovedResponse",
                repeat=Repeat.KEYED,
                path_values={"name": name},
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body=models.EntriesToRemove(values=values),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def list_operations(
        self,
        name: str | int,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.ListOperationPage]:
        """What was done to a list, newest first: by whom, when, and how many entries. Scope
        `manage:lists`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/lists/{name}/operations",
                answer=models.ListOperationPage,
                named="operationsResponse",
                repeat=Repeat.HARMLESS,
                path_values={"name": name},
                query={"limit": limit, "startingAfter": starting_after},
                options=options or {},
            )
        )

    def each_operation(
        self,
        name: str | int,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.ListOperation]:
        """Each of the operations, page after page."""
        while True:
            page = (
                self.list_operations(
                    name, limit=limit, starting_after=starting_after, options=options
                )
            ).result
            yield from page.operations
            if not page.has_more:
                return
            starting_after = page.cursor


class ManageModelsCalls:
    """Calls about models."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(self, *, options: CallOptions | None = None) -> Answer[models.ModelPage]:
        """The account's models, newest first. Version 0 is the scorecard that ships. Scope
        `manage:models`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/models",
                answer=models.ModelPage,
                named="modelsResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def each(self, *, options: CallOptions | None = None) -> Iterator[models.ModelShown]:
        """Each of the models, page after page."""
        page = (self.list(options=options)).result
        yield from page.models

    def train(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        label_delay_days: int | None = None,
        holdout: Decimal | float | None = None,
        method: Any | None = None,
        presume: bool | None = None,
        note: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.JobResponse]:
        """Starts a job that fits a model to recorded requests and their labels, measures it beside
        the one in force, and keeps it as a new version. It is not used until it is promoted.
        Scopes `manage:models` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/models/trainings",
                answer=models.JobResponse,
                named="jobResponse",
                repeat=Repeat.KEYED,
                body=models.TrainingRequest(
                    since=since,
                    until=until,
                    label_delay_days=label_delay_days,
                    holdout=holdout,
                    method=method,
                    presume=presume,
                    note=note,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def audits(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        label_delay_days: int | None = None,
        holdout: Decimal | float | None = None,
        presume: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.JobResponse]:
        """Starts a job that checks recorded requests and their labels for what flatters or spoils
        a model: ten findings, each with a level, figures, and what to do. Nothing is trained or
        changed. Scopes `manage:models` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/models/audits",
                answer=models.JobResponse,
                named="jobResponse",
                repeat=Repeat.KEYED,
                body=models.LabelAuditRequest(
                    since=since,
                    until=until,
                    label_delay_days=label_delay_days,
                    holdout=holdout,
                    presume=presume,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def rollback(
        self,
        *,
        to: int | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.ModelSwitched]:
        """Goes back to another model, by default to the one that was live before. Scope
        `manage:models`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/models/rollback",
                answer=models.ModelSwitched,
                named="modelLiveResponse",
                repeat=Repeat.KEYED,
                body=models.VersionReturn(to=to),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def get(
        self, version: str | int, *, options: CallOptions | None = None
    ) -> Answer[models.ModelReported]:
        """One model with the report of its training. Scope `manage:models`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/models/{version}",
                answer=models.ModelReported,
                named="modelResponse",
                repeat=Repeat.HARMLESS,
                path_values={"version": version},
                options=options or {},
            )
        )

    def promote(
        self,
        version: str | int,
        *,
        raw_scores: bool | None = None,
        note: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.ModelSwitched]:
        """Has Sentry score with a model from now on. Its scores are told so that thresholds in use
        keep the share of requests that was below them, unless they are to be told as they are.
        Scope `manage:models`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/models/{version}/promote",
                answer=models.ModelSwitched,
                named="modelLiveResponse",
                repeat=Repeat.KEYED,
                path_values={"version": version},
                query={"rawScores": raw_scores, "note": note},
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def export_file(
        self, version: str | int, *, options: CallOptions | None = None
    ) -> Answer[models.ModelFileTold]:
        """Its scorecard and its card (what it learned from, its figures, dates and versions) as
        one file, which is signed: the account knows it again. Scope `manage:models`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/models/{version}/file",
                answer=models.ModelFileTold,
                named="modelFileResponse",
                repeat=Repeat.HARMLESS,
                path_values={"version": version},
                options=options or {},
            )
        )

    def imports(
        self,
        *,
        file: str,
        trust: bool | None = None,
        note: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.ModelImported]:
        """Keeps the model of a file as a new version. It scores nothing until it is tried in
        shadow or promoted, as any other. A file that this account did not export must be
        trusted on purpose. Scope `manage:models`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/models/imports",
                answer=models.ModelImported,
                named="modelImportedResponse",
                repeat=Repeat.KEYED,
                body=models.ModelImport(file=file, trust=trust, note=note),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def try_trials(
        self,
        version: str | int,
        *,
        since: str | None = None,
        until: str | None = None,
        recorded: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.JobResponse]:
        """Starts a job that scores recorded requests with a model and with the one in force, by
        what was measured when each came; or that compares what both said then, where the model
        scored beside the one in force. Requests are not touched, and nothing is changed. Scopes
        `manage:models` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/models/{version}/trials",
                answer=models.JobResponse,
                named="jobResponse",
                repeat=Repeat.KEYED,
                path_values={"version": version},
                body=models.TrialOfModel(since=since, until=until, recorded=recorded),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def get_trial(
        self, version: str | int, *, options: CallOptions | None = None
    ) -> Answer[models.ModelTrialShown]:
        """What the newest trial of a model found: agreement, decisions that would differ, figures,
        and thresholds with one of equal share. Scopes `manage:models` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/models/{version}/trial",
                answer=models.ModelTrialShown,
                named="modelTrialResponse",
                repeat=Repeat.HARMLESS,
                path_values={"version": version},
                options=options or {},
            )
        )

    def shadow(
        self,
        version: str | int,
        *,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.ModelShadow]:
        """From then on each request is scored with both. The second score is recorded with the
        decision, as the signal `sentry.shadowConfidence`, and decides nothing. One model at a
        time. Scope `manage:models`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/models/{version}/shadow",
                answer=models.ModelShadow,
                named="modelShadowResponse",
                repeat=Repeat.KEYED,
                path_values={"version": version},
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def stop_shadow(
        self,
        version: str | int,
        *,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.ModelShadow]:
        """What was recorded stays with its decisions. Scope `manage:models`. Free."""
        return self._send(
            Call(
                method="DELETE",
                path="/api/v1/manage/models/{version}/shadow",
                answer=models.ModelShadow,
                named="modelShadowResponse",
                repeat=Repeat.KEYED,
                path_values={"version": version},
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def get_shadow(
        self, version: str | int, *, options: CallOptions | None = None
    ) -> Answer[models.ModelShadow]:
        """How both compare is told by a trial by recorded scores. Scope `manage:models`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/models/{version}/shadow",
                answer=models.ModelShadow,
                named="modelShadowResponse",
                repeat=Repeat.HARMLESS,
                path_values={"version": version},
                options=options or {},
            )
        )


class ManageNotificationsCalls:
    """Calls about notifications."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        request_id: str | None = None,
        state: str | None = None,
        event: str | None = None,
        connector: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.NotificationPage]:
        """What providers told of the account's payments by themselves, newest first, and what
        became of it. Scope `manage:payments`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/notifications",
                answer=models.NotificationPage,
                named="notificationsResponse",
                repeat=Repeat.HARMLESS,
                query={
                    "limit": limit,
                    "startingAfter": starting_after,
                    "requestId": request_id,
                    "state": state,
                    "event": event,
                    "connector": connector,
                },
                options=options or {},
            )
        )

    def each(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        request_id: str | None = None,
        state: str | None = None,
        event: str | None = None,
        connector: str | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.NotificationShown]:
        """Each of the notifications, page after page."""
        while True:
            page = (
                self.list(
                    limit=limit,
                    starting_after=starting_after,
                    request_id=request_id,
                    state=state,
                    event=event,
                    connector=connector,
                    options=options,
                )
            ).result
            yield from page.notifications
            if not page.has_more or not page.notifications:
                return
            starting_after = page.notifications[-1].notification_id

    def get(
        self, notification_id: str, *, options: CallOptions | None = None
    ) -> Answer[models.NotificationShown]:
        """What its provider told, and what became of it. The operations of its payment name the
        notification that told their end. Scope `manage:payments`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/notifications/{notification_id}",
                answer=models.NotificationShown,
                named="notificationResponse",
                repeat=Repeat.HARMLESS,
                path_values={"notification_id": notification_id},
                options=options or {},
            )
        )

    def apply(
        self,
        notification_id: str,
        *,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.NotificationShown]:
        """Lets the payment follow what its provider told, as if the notification came now. Nothing
        is done twice, and nothing newer is taken back. Scope `manage:payments`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/notifications/{notification_id}/apply",
                answer=models.NotificationShown,
                named="notificationResponse",
                repeat=Repeat.KEYED,
                path_values={"notification_id": notification_id},
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageOutcomesCalls:
    """Calls about outcomes."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def tell(
        self,
        *,
        items: Sequence[models.OutcomeReport],
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.OutcomeReceipt]:
        """Keeps up to 500 outcomes: settlements, refunds, reported frauds, alerts and disputes.
        Each has a reference of its own; the same again changes nothing, and a new stage or
        result replaces what was told before. Disputes and reports of fraud label their
        decisions. Scope `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/outcomes",
                answer=models.OutcomeReceipt,
                named="outcomesToldResponse",
                repeat=Repeat.KEYED,
                body=models.OutcomeBatch(items=items),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def list(
        self,
        *,
        kind: str | None = None,
        request_id: str | None = None,
        joined: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.OutcomePage]:
        """What became of payments, newest first. Scope `manage:feedback`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/outcomes",
                answer=models.OutcomePage,
                named="outcomesResponse",
                repeat=Repeat.HARMLESS,
                query={
                    "kind": kind,
                    "requestId": request_id,
                    "joined": joined,
                    "limit": limit,
                    "cursor": cursor,
                },
                options=options or {},
            )
        )

    def each(
        self,
        *,
        kind: str | None = None,
        request_id: str | None = None,
        joined: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.PaymentOutcome]:
        """Each of the outcomes, page after page."""
        while True:
            page = (
                self.list(
                    kind=kind,
                    request_id=request_id,
                    joined=joined,
                    limit=limit,
                    cursor=cursor,
                    options=options,
                )
            ).result
            yield from page.outcomes
            if not page.has_more:
                return
            cursor = page.next_cursor

    def report(
        self, *, months: int | None = None, options: CallOptions | None = None
    ) -> Answer[models.MoneyReport]:
        """Settled, refunded, reported as fraud and disputed, by month and currency, with how the
        disputes of the month ended. Amounts of different currencies are never added. Scope
        `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/outcomes/report",
                answer=models.MoneyReport,
                named="outcomesReportResponse",
                repeat=Repeat.HARMLESS,
                query={"months": months},
                options=options or {},
            )
        )

    def list_candidates(
        self, *, kind: models.OutcomeKind | str, reference: str, options: CallOptions | None = None
    ) -> Answer[models.OutcomeCandidates]:
        """Found now by all that was told of the outcome. Where there is more than one, a person
        has to say which it is. Scopes `manage:feedback` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/outcomes/candidates",
                answer=models.OutcomeCandidates,
                named="outcomeCandidatesResponse",
                repeat=Repeat.NEVER,
                body=models.OutcomeNamed(kind=kind, reference=reference),
                options=options or {},
            )
        )

    def each_candidate(
        self, *, kind: models.OutcomeKind | str, reference: str, options: CallOptions | None = None
    ) -> Iterator[models.OutcomeCandidate]:
        """Each of the candidates, page after page."""
        page = (self.list_candidates(kind=kind, reference=reference, options=options)).result
        yield from page.candidates

    def join(
        self,
        *,
        kind: models.OutcomeKind | str,
        reference: str,
        request_id: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.PaymentOutcome]:
        """Says which decision an outcome is about, or that it is about none. Its label follows.
        Telling the outcome again leaves this as it is. Scope `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/outcomes/join",
                answer=models.PaymentOutcome,
                named="outcomeResponse",
                repeat=Repeat.KEYED,
                body=models.OutcomeJoin(kind=kind, reference=reference, request_id=request_id),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def rejoin(
        self, *, idempotency_key: str | None = None, options: CallOptions | None = None
    ) -> Answer[models.JoinedAgain]:
        """Looks for the decisions of the newest 2,000 outcomes that have none, settlements left
        out: a decision or an ARN may be known by now. Scope `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/outcomes/rejoin",
                answer=models.JoinedAgain,
                named="outcomesJoinedResponse",
                repeat=Repeat.KEYED,
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def imports(
        self,
        *,
        format: Any,
        content: str,
        mapping: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.JobResponse]:
        """Starts a job that imports a file of an acquirer, of up to 4 MiB. Its result counts the
        rows and reports those that cannot be used. Scope `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/outcomes/imports",
                answer=models.JobResponse,
                named="jobResponse",
                repeat=Repeat.KEYED,
                query={"dryRun": dry_run},
                body=models.OutcomeFile(format=format, content=content, mapping=mapping),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManagePaymentsCalls:
    """Calls about payments."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        operation: str | None = None,
        state: str | None = None,
        connector: str | None = None,
        payment_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        currency: str | None = None,
        least_minor: int | None = None,
        most_minor: int | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.PaymentPage]:
        """Payments that a provider authorized and that stand, newest first, each with what was
        done with it. Scope `manage:payments`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/payments",
                answer=models.PaymentPage,
                named="paymentsResponse",
                repeat=Repeat.HARMLESS,
                query={
                    "limit": limit,
                    "startingAfter": starting_after,
                    "operation": operation,
                    "state": state,
                    "connector": connector,
                    "paymentId": payment_id,
                    "since": since,
                    "until": until,
                    "currency": currency,
                    "leastMinor": least_minor,
                    "mostMinor": most_minor,
                },
                options=options or {},
            )
        )

    def each(
        self,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        operation: str | None = None,
        state: str | None = None,
        connector: str | None = None,
        payment_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        currency: str | None = None,
        least_minor: int | None = None,
        most_minor: int | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.PaymentShown]:
        """Each of the payments, page after page."""
        while True:
            page = (
                self.list(
                    limit=limit,
                    starting_after=starting_after,
                    operation=operation,
                    state=state,
                    connector=connector,
                    payment_id=payment_id,
                    since=since,
                    until=until,
                    currency=currency,
                    least_minor=least_minor,
                    most_minor=most_minor,
                    options=options,
                )
            ).result
            yield from page.payments
            if not page.has_more or not page.payments:
                return
            starting_after = page.payments[-1].request_id

    def get(
        self, request_id: str, *, options: CallOptions | None = None
    ) -> Answer[models.PaymentShown]:
        """What was authorized, captured and refunded, and every operation. Scope
        `manage:payments`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/payments/{request_id}",
                answer=models.PaymentShown,
                named="paymentResponse",
                repeat=Repeat.HARMLESS,
                path_values={"request_id": request_id},
                options=options or {},
            )
        )

    def capture(
        self,
        request_id: str,
        *,
        amount_minor: int | None = None,
        operations_seen: int | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.PaymentShown]:
        """Has the provider collect the whole amount or a part of it; several parts come to no more
        than what was authorized. The operation is kept at once and sent right after; ask for
        the payment, or wait for the event, to know its end. Scope `manage:payments`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/payments/{request_id}/capture",
                answer=models.PaymentShown,
                named="paymentResponse",
                repeat=Repeat.KEYED,
                path_values={"request_id": request_id},
                body=models.OperationAmount(
                    amount_minor=amount_minor, operations_seen=operations_seen
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def void(
        self,
        request_id: str,
        *,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.PaymentShown]:
        """Gives up a payment of which nothing was captured: the provider reverses its
        authorization. Scope `manage:payments`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/payments/{request_id}/void",
                answer=models.PaymentShown,
                named="paymentResponse",
                repeat=Repeat.KEYED,
                path_values={"request_id": request_id},
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def refund(
        self,
        request_id: str,
        *,
        amount_minor: int | None = None,
        operations_seen: int | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.PaymentShown]:
        """Gives back what was captured, whole or in parts that come to no more than that. Scope
        `manage:payments`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/payments/{request_id}/refund",
                answer=models.PaymentShown,
                named="paymentResponse",
                repeat=Repeat.KEYED,
                path_values={"request_id": request_id},
                body=models.OperationAmount(
                    amount_minor=amount_minor, operations_seen=operations_seen
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def operations_settle(
        self,
        request_id: str,
        operation_id: str,
        *,
        succeeded: bool,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.PaymentShown]:
        """Says what a person found out at the provider about a capture or refund of which no
        answer came. Scope `manage:payments`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/payments/{request_id}/operations/{operation_id}/settle",
                answer=models.PaymentShown,
                named="paymentResponse",
                repeat=Repeat.KEYED,
                path_values={"request_id": request_id, "operation_id": operation_id},
                body=models.OperationFinding(succeeded=succeeded),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManagePipelinesCalls:
    """Calls about pipelines."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(self, *, options: CallOptions | None = None) -> Answer[models.ConfiguredPage]:
        """The pipelines in force, by name. Scope `manage:pipelines`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/pipelines",
                answer=models.ConfiguredPage,
                named="pipelineDefinitionsResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def each(self, *, options: CallOptions | None = None) -> Iterator[models.ConfiguredSummary]:
        """Each of the items, page after page."""
        page = (self.list(options=options)).result
        yield from page.items

    def get(
        self, name: str | int, *, version: int | None = None, options: CallOptions | None = None
    ) -> Answer[models.VersionShown]:
        """One version of a pipeline as its author wrote it, by default the one in force. Its
        `ETag` is for `If-Match` of a change. Scope `manage:pipelines`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/pipelines/{name}",
                answer=models.VersionShown,
                named="pipelineDefinitionResponse",
                repeat=Repeat.HARMLESS,
                path_values={"name": name},
                query={"version": version},
                options=options or {},
            )
        )

    def apply(
        self,
        name: str | int,
        *,
        document: str,
        note: str | None = None,
        dry_run: bool | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.VersionApplied]:
        """Makes a document the next version of its pipeline and puts it in force. If there is one
        already, `If-Match` must name the version that was changed. Scope `manage:pipelines`.
        Free.
        """
        return self._send(
            Call(
                method="PUT",
                path="/api/v1/manage/pipelines/{name}",
                answer=models.VersionApplied,
                named="applyResponse",
                repeat=Repeat.KEYED,
                path_values={"name": name},
                query={"dryRun": dry_run},
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body=models.DocumentChange(document=document, note=note),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def list_versions(
        self,
        name: str | int,
        *,
        limit: int | None = None,
        starting_after: int | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.VersionPage]:
        """All versions, newest first: who made which when, and why. Scope `manage:pipelines`.
        Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/pipelines/{name}/versions",
                answer=models.VersionPage,
                named="versionsResponse",
                repeat=Repeat.HARMLESS,
                path_values={"name": name},
                query={"limit": limit, "startingAfter": starting_after},
                options=options or {},
            )
        )

    def each_version(
        self,
        name: str | int,
        *,
        limit: int | None = None,
        starting_after: int | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.VersionEntry]:
        """Each of the versions, page after page."""
        while True:
            page = (
                self.list_versions(
                    name, limit=limit, starting_after=starting_after, options=options
                )
            ).result
            yield from page.versions
            if not page.has_more or not page.versions:
                return
            starting_after = page.versions[-1].version

    def check(
        self, *, document: str, options: CallOptions | None = None
    ) -> Answer[models.DocumentChecked]:
        """Says everything that is wrong with a document, and what it would change. Changes
        nothing. Scope `manage:pipelines`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/pipelines/check",
                answer=models.DocumentChecked,
                named="checkResponse",
                repeat=Repeat.HARMLESS,
                body=models.DocumentToCheck(document=document),
                options=options or {},
            )
        )

    def rollback(
        self,
        name: str | int,
        *,
        to: int | None = None,
        dry_run: bool | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.VersionReturned]:
        """Puts an earlier version in force again. With `If-Match`, only if that version is in
        force. Scope `manage:pipelines`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/pipelines/{name}/rollback",
                answer=models.VersionReturned,
                named="rollbackResponse",
                repeat=Repeat.KEYED,
                path_values={"name": name},
                query={"dryRun": dry_run},
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body=models.VersionReturn(to=to),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManagePoliciesCalls:
    """Calls about policies."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def get(self, *, options: CallOptions | None = None) -> Answer[models.PoliciesShown]:
        """What PreCheck's results become, what Sentry remembers for the account, and by which
        costs it advises. Scope `manage:account`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/policies",
                answer=models.PoliciesShown,
                named="policiesResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def set_precheck(
        self,
        *,
        avs: Mapping[str, models.Advice] | None = None,
        cvv2: Mapping[str, models.Advice] | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.PoliciesShown]:
        """Sets the advice for the named results; other results keep theirs. Scope
        `manage:account`. Free.
        """
        return self._send(
            Call(
                method="PUT",
                path="/api/v1/manage/policies/precheck",
                answer=models.PoliciesShown,
                named="policiesResponse",
                repeat=Repeat.KEYED,
                body=models.PreCheckPolicyBody(avs=avs, cvv2=cvv2),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def set_sentry(
        self,
        *,
        entities: Sequence[str],
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.PoliciesShown]:
        """Has Sentry remember these custom inputs; what it finds by itself comes after them. Scope
        `manage:account`. Free.
        """
        return self._send(
            Call(
                method="PUT",
                path="/api/v1/manage/policies/sentry",
                answer=models.PoliciesShown,
                named="policiesResponse",
                repeat=Repeat.KEYED,
                body=models.SentryPolicyBody(entities=tuple(entities)),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def list_sentry_found(
        self, *, options: CallOptions | None = None
    ) -> Answer[models.FoundInputsShown]:
        """Keys of `customInputs` that look like identifiers or categories and are remembered
        although nobody declared them, and those that the account refused. Scope
        `manage:account`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/policies/sentry/found",
                answer=models.FoundInputsShown,
                named="foundInputsResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def each_sentry_found(
        self, *, options: CallOptions | None = None
    ) -> Iterator[models.FoundInputShown]:
        """Each of the inputs, page after page."""
        page = (self.list_sentry_found(options=options)).result
        yield from page.inputs

    def set_sentry_found(
        self,
        *,
        key: str,
        remembered: bool,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.FoundInputsShown]:
        """A no stays one, and can be said before the key is found. Servers follow within a second.
        Scope `manage:account`. Free.
        """
        return self._send(
            Call(
                method="PUT",
                path="/api/v1/manage/policies/sentry/found",
                answer=models.FoundInputsShown,
                named="foundInputsResponse",
                repeat=Repeat.KEYED,
                body=models.FoundInputChoice(key=key, remembered=remembered),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def set_costs(
        self,
        *,
        currency: str,
        margin: float,
        preset: models.CostPreset | None = None,
        chargeback_fee: Decimal | None = None,
        fee_share: float | None = None,
        review_cost: float | None = None,
        review_finds: float | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.PoliciesShown]:
        """Has Sentry work out what accepting, reviewing and declining an order would cost, and
        advise the cheapest. Scope `manage:account`. Free.
        """
        return self._send(
            Call(
                method="PUT",
                path="/api/v1/manage/policies/costs",
                answer=models.PoliciesShown,
                named="policiesResponse",
                repeat=Repeat.KEYED,
                body=models.CostsBody(
                    currency=currency,
                    margin=margin,
                    preset=preset,
                    chargeback_fee=chargeback_fee,
                    fee_share=fee_share,
                    review_cost=review_cost,
                    review_finds=review_finds,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def clear_costs(
        self, *, idempotency_key: str | None = None, options: CallOptions | None = None
    ) -> Answer[models.PoliciesShown]:
        """Sentry advises by expected cost no more. Scope `manage:account`. Free."""
        return self._send(
            Call(
                method="DELETE",
                path="/api/v1/manage/policies/costs",
                answer=models.PoliciesShown,
                named="policiesResponse",
                repeat=Repeat.KEYED,
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def get_reports(self, *, options: CallOptions | None = None) -> Answer[models.ReportSettings]:
        """The time zone whose midnights months begin at. Scope `manage:account`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/policies/reports",
                answer=models.ReportSettings,
                named="reportSettingsResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def set_reports(
        self,
        *,
        time_zone: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.ReportSettings]:
        """Reports that were made stay as they are. Scope `manage:account`. Free."""
        return self._send(
            Call(
                method="PUT",
                path="/api/v1/manage/policies/reports",
                answer=models.ReportSettings,
                named="reportSettingsResponse",
                repeat=Repeat.KEYED,
                body=models.ReportSettings(time_zone=time_zone),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def get_evidence(self, *, options: CallOptions | None = None) -> Answer[models.EvidenceKept]:
        """And of how many orders something is kept now. Scope `manage:account`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/policies/evidence",
                answer=models.EvidenceKept,
                named="evidenceKeepingResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def set_evidence(
        self, *, keep: bool, idempotency_key: str | None = None, options: CallOptions | None = None
    ) -> Answer[models.EvidenceKept]:
        """From now on IP address, device, customer account, e-mail address, shipping address and
        what was sold stay readable for 485 days, sealed. What was kept before stays until it is
        that old. Scope `manage:account`. Free.
        """
        return self._send(
            Call(
                method="PUT",
                path="/api/v1/manage/policies/evidence",
                answer=models.EvidenceKept,
                named="evidenceKeepingResponse",
                repeat=Repeat.KEYED,
                body=models.EvidenceKeeping(keep=keep),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManagePrivacyCalls:
    """Calls about privacy."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def erase(
        self,
        *,
        user_id: str | None = None,
        username: str | None = None,
        email: str | None = None,
        phone: str | None = None,
        card_number: str | None = None,
        lists: bool | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.JobResponse]:
        """Starts a job that makes a person anonymous in decisions, and erases them from reviews,
        kept answers, identity records and, if wanted, lists. Scopes `manage:identities` and
        `decisions`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/privacy/erasures",
                answer=models.JobResponse,
                named="jobResponse",
                repeat=Repeat.KEYED,
                query={"dryRun": dry_run},
                body=models.PersonErasure(
                    user_id=user_id,
                    username=username,
                    email=email,
                    phone=phone,
                    card_number=card_number,
                    lists=lists,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageProgrammesCalls:
    """Calls about programmes."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def get(
        self, *, month: str | None = None, options: CallOptions | None = None
    ) -> Answer[models.ProgrammeReport]:
        """How a month stands against the thresholds of Visa and Mastercard, for the account and
        for each merchant id, by network and region. Visa divides by the sales of the same
        month, Mastercard by those of the month before. A forecast says what the month will come
        to, by what earlier months of the account were like. Causes say which rules and
        decisions let the orders through. Scope `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/programmes",
                answer=models.ProgrammeReport,
                named="programmesResponse",
                repeat=Repeat.HARMLESS,
                query={"month": month},
                options=options or {},
            )
        )

    def get_thresholds(
        self, *, options: CallOptions | None = None
    ) -> Answer[models.ThresholdTable]:
        """The table that months are metered by: which ratio, how many events and what else each
        level asks for, since when, where the figures are from, and which are only from memory.
        Scope `manage:feedback`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/programmes/thresholds",
                answer=models.ThresholdTable,
                named="programmeThresholdsResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def estimate_enumeration(
        self,
        *,
        month: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.JobResponse]:
        """Starts a job that counts the authorizations of a month in which cards were tried out:
        one BIN, many cards, few amounts. Its result is beside the network's limit; the
        network's own flag is not shown to merchants. Scopes `manage:feedback` and `decisions`.
        Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/programmes/enumeration",
                answer=models.JobResponse,
                named="jobResponse",
                repeat=Repeat.KEYED,
                body=models.MeterFilter(month=month),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def start_what_if(
        self,
        *,
        document: str,
        since: str | None = None,
        until: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.JobResponse]:
        """Starts a job that judges recorded requests, by default those of the last 90 days, by a
        document. Its result says what the ratios of each month would have been without the
        payments that the rule set declines, and which sales would have been lost. Changes
        nothing. Scopes `manage:rules` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/programmes/what-if",
                answer=models.JobResponse,
                named="jobResponse",
                repeat=Repeat.KEYED,
                body=models.WhatIfRequest(document=document, since=since, until=until),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageReportsCalls:
    """Calls about reports."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(self, *, options: CallOptions | None = None) -> Answer[models.ReportList]:
        """The report on each month is made by itself once the month is over, and `report.ready`
        tells. Scopes `manage:account` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/reports",
                answer=models.ReportList,
                named="reportsResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def each(self, *, options: CallOptions | None = None) -> Iterator[models.ReportLine]:
        """Each of the reports, page after page."""
        page = (self.list(options=options)).result
        yield from page.reports

    def make(
        self, *, month: str, idempotency_key: str | None = None, options: CallOptions | None = None
    ) -> Answer[models.JobResponse]:
        """Starts a job. The report takes the place of the one on the same month, with all that was
        told since. A month that is not over yet is reported on up to now. Scopes
        `manage:account` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/reports",
                answer=models.JobResponse,
                named="jobResponse",
                repeat=Repeat.KEYED,
                body=models.ReportWanted(month=month),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def get(
        self, month: str | int, *, options: CallOptions | None = None
    ) -> Answer[models.MonthlyReport]:
        """Orders, acceptance, fraud and disputes by number and money, reviews and who did them,
        rules, markets, and orders before and after each change of rules, as known when it was
        made. Scopes `manage:account` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/reports/{month}",
                answer=models.MonthlyReport,
                named="reportResponse",
                repeat=Repeat.HARMLESS,
                path_values={"month": month},
                options=options or {},
            )
        )


class ManageRingsCalls:
    """Calls about rings."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(
        self,
        *,
        order: str | None = None,
        limit: int | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.RingPage]:
        """Rings of the account: people who share cards, contacts, devices or addresses, directly
        or over others. They are listed by the newest decisions that name one. Scopes
        `manage:lists` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/rings",
                answer=models.RingPage,
                named="ringsResponse",
                repeat=Repeat.HARMLESS,
                query={"order": order, "limit": limit},
                options=options or {},
            )
        )

    def each(
        self,
        *,
        order: str | None = None,
        limit: int | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.RingShown]:
        """Each of the rings, page after page."""
        page = (self.list(order=order, limit=limit, options=options)).result
        yield from page.rings

    def get(
        self, ring_id: str, *, options: CallOptions | None = None
    ) -> Answer[models.RingDetails]:
        """Its members as decisions keep them, its money, its newest decisions, and what they
        turned out to be. Scopes `manage:lists` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/rings/{ring_id}",
                answer=models.RingDetails,
                named="ringResponse",
                repeat=Repeat.HARMLESS,
                path_values={"ring_id": ring_id},
                options=options or {},
            )
        )

    def blocking(
        self,
        ring_id: str,
        *,
        reason: str,
        days: int | None = None,
        prefix: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.RingBlocked]:
        """Puts all users, cards, mailboxes, phones and devices of a ring on lists, with a reason
        and an expiry. What a list does is up to the rules that name it. Addresses are left out:
        others have them, too. Scopes `manage:lists` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/rings/{ring_id}/blocking",
                answer=models.RingBlocked,
                named="ringBlockedResponse",
                repeat=Repeat.KEYED,
                path_values={"ring_id": ring_id},
                query={"dryRun": dry_run},
                body=models.RingBlocking(reason=reason, days=days, prefix=prefix),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageRolesCalls:
    """Calls about roles."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(self, *, options: CallOptions | None = None) -> Answer[models.RoleList]:
        """The roles that every account has, and those that this one made of permissions. Scope
        `manage:people`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/roles",
                answer=models.RoleList,
                named="rolesResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def each(self, *, options: CallOptions | None = None) -> Iterator[models.RoleShown]:
        """Each of the roles, page after page."""
        page = (self.list(options=options)).result
        yield from page.roles

    def make(
        self,
        *,
        name: str,
        permissions: Sequence[models.Permission | str],
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.RoleShown]:
        """Nobody gives a permission without having it; a key gives none for personal data, money,
        people, keys and approvals. Scope `manage:people`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/roles",
                answer=models.RoleShown,
                named="roleResponse",
                repeat=Repeat.KEYED,
                body=models.RoleContent(name=name, permissions=permissions),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def get(self, role_id: str, *, options: CallOptions | None = None) -> Answer[models.RoleShown]:
        """What people with a role may do. Its `ETag` is for `If-Match` of a change. Scope
        `manage:people`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/roles/{role_id}",
                answer=models.RoleShown,
                named="roleResponse",
                repeat=Repeat.HARMLESS,
                path_values={"role_id": role_id},
                options=options or {},
            )
        )

    def change(
        self,
        role_id: str,
        *,
        name: str,
        permissions: Sequence[models.Permission | str],
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.RoleShown]:
        """It counts at once for everybody who has it. Only who may do all that it allows, before
        and after, changes a role. Scope `manage:people`. Free.
        """
        return self._send(
            Call(
                method="PUT",
                path="/api/v1/manage/roles/{role_id}",
                answer=models.RoleShown,
                named="roleResponse",
                repeat=Repeat.KEYED,
                path_values={"role_id": role_id},
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body=models.RoleContent(name=name, permissions=permissions),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def delete(
        self,
        role_id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.RoleDeleted]:
        """Scope `manage:people`. Free."""
        return self._send(
            Call(
                method="DELETE",
                path="/api/v1/manage/roles/{role_id}",
                answer=models.RoleDeleted,
                named="roleDeletedResponse",
                repeat=Repeat.KEYED,
                path_values={"role_id": role_id},
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageRulesCalls:
    """Calls about rules."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(self, *, options: CallOptions | None = None) -> Answer[models.ConfiguredPage]:
        """The rule sets in force, by name. Scope `manage:rules`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/rules",
                answer=models.ConfiguredPage,
                named="ruleSetsResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def each(self, *, options: CallOptions | None = None) -> Iterator[models.ConfiguredSummary]:
        """Each of the items, page after page."""
        page = (self.list(options=options)).result
        yield from page.items

    def get(
        self, name: str | int, *, version: int | None = None, options: CallOptions | None = None
    ) -> Answer[models.VersionShown]:
        """One version of a rule set as its author wrote it, by default the one in force. Its
        `ETag` is for `If-Match` of a change. Scope `manage:rules`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/rules/{name}",
                answer=models.VersionShown,
                named="ruleSetResponse",
                repeat=Repeat.HARMLESS,
                path_values={"name": name},
                query={"version": version},
                options=options or {},
            )
        )

    def apply(
        self,
        name: str | int,
        *,
        document: str,
        note: str | None = None,
        dry_run: bool | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.VersionApplied]:
        """Makes a document the next version of its rule set and puts it in force. If there is one
        already, `If-Match` must name the version that was changed. Scope `manage:rules`. Free.
        """
        return self._send(
            Call(
                method="PUT",
                path="/api/v1/manage/rules/{name}",
                answer=models.VersionApplied,
                named="applyResponse",
                repeat=Repeat.KEYED,
                path_values={"name": name},
                query={"dryRun": dry_run},
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body=models.DocumentChange(document=document, note=note),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def list_versions(
        self,
        name: str | int,
        *,
        limit: int | None = None,
        starting_after: int | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.VersionPage]:
        """All versions, newest first: who made which when, and why. Scope `manage:rules`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/rules/{name}/versions",
                answer=models.VersionPage,
                named="versionsResponse",
                repeat=Repeat.HARMLESS,
                path_values={"name": name},
                query={"limit": limit, "startingAfter": starting_after},
                options=options or {},
            )
        )

    def each_version(
        self,
        name: str | int,
        *,
        limit: int | None = None,
        starting_after: int | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.VersionEntry]:
        """Each of the versions, page after page."""
        while True:
            page = (
                self.list_versions(
                    name, limit=limit, starting_after=starting_after, options=options
                )
            ).result
            yield from page.versions
            if not page.has_more or not page.versions:
                return
            starting_after = page.versions[-1].version

    def check(
        self, *, document: str, options: CallOptions | None = None
    ) -> Answer[models.DocumentChecked]:
        """Says everything that is wrong with a document, and what it would change. Changes
        nothing. Scope `manage:rules`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/rules/check",
                answer=models.DocumentChecked,
                named="checkResponse",
                repeat=Repeat.HARMLESS,
                body=models.DocumentToCheck(document=document),
                options=options or {},
            )
        )

    def rollback(
        self,
        name: str | int,
        *,
        to: int | None = None,
        dry_run: bool | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.VersionReturned]:
        """Puts an earlier version in force again. With `If-Match`, only if that version is in
        force. Scope `manage:rules`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/rules/{name}/rollback",
                answer=models.VersionReturned,
                named="rollbackResponse",
                repeat=Repeat.KEYED,
                path_values={"name": name},
                query={"dryRun": dry_run},
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body=models.VersionReturn(to=to),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def try_out(
        self,
        *,
        document: str,
        request_id: str | None = None,
        signals: Mapping[str, Any] | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.TrialResponse]:
        """Shows which rules of a document match a case, and the values that they looked at.
        Changes nothing. Scope `manage:rules`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/rules/trials",
                answer=models.TrialResponse,
                named="trialResponse",
                repeat=Repeat.HARMLESS,
                body=models.TrialRequest(document=document, request_id=request_id, signals=signals),
                options=options or {},
            )
        )

    def backtest(
        self,
        *,
        document: str,
        since: str | None = None,
        until: str | None = None,
        lists_now: bool | None = None,
        examples: int | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.JobResponse]:
        """Starts a job that judges recorded requests by a document, each by what was known when it
        came. Its result says what would have been decided, caught and lost, in millionths by
        currency. Changes nothing. Scopes `manage:rules` and `decisions`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/rules/backtests",
                answer=models.JobResponse,
                named="jobResponse",
                repeat=Repeat.KEYED,
                body=models.BacktestRequest(
                    document=document,
                    since=since,
                    until=until,
                    lists_now=lists_now,
                    examples=examples,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def get_rules(
        self, name: str | int, rule: str | int, *, options: CallOptions | None = None
    ) -> Answer[models.RuleShown]:
        """A rule of the version in force, in words and as written, with the versions in which it
        changed. Scope `manage:rules`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/rules/{name}/rules/{rule}",
                answer=models.RuleShown,
                named="ruleResponse",
                repeat=Repeat.HARMLESS,
                path_values={"name": name, "rule": rule},
                options=options or {},
            )
        )

    def switch_rules_state(
        self,
        name: str | int,
        rule: str | int,
        *,
        state: models.RuleState | str,
        note: str | None = None,
        dry_run: bool | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.VersionApplied]:
        """Makes a version of the rule set in which the rule is off, only watches, or decides, and
        puts it in force. With `If-Match`, only if that version is in force. Scope
        `manage:rules`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/rules/{name}/rules/{rule}/state",
                answer=models.VersionApplied,
                named="applyResponse",
                repeat=Repeat.KEYED,
                path_values={"name": name, "rule": rule},
                query={"dryRun": dry_run},
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body=models.RuleSwitch(state=state, note=note),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageStatementCalls:
    """Calls about statement."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def get(
        self,
        *,
        month: str | None = None,
        from_: date | None = None,
        to: date | None = None,
        daily: bool | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.StatementResponse]:
        """What moved the balance, as `/api/v1/statement` tells it. Scope `manage:billing`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/statement",
                answer=models.StatementResponse,
                named="statementResponse",
                repeat=Repeat.HARMLESS,
                query={"month": month, "from": from_, "to": to, "daily": daily},
                options=options or {},
            )
        )


class ManageTopUpLimitCalls:
    """Calls about top up limit."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def get(self, *, options: CallOptions | None = None) -> Answer[models.TopUpLimitShown]:
        """The most that cards are charged in a day by top-ups, and what is left of it. Scope
        `manage:billing`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/top-up-limit",
                answer=models.TopUpLimitShown,
                named="topUpLimitResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def set(
        self,
        *,
        day_limit_minor: int,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.TopUpLimitShown]:
        """It holds for top-ups of every kind together. It needs the scope `manage:billing`, too; a
        key can lower it, and a person raises it. Scope `manage:payments`. Free.
        """
        return self._send(
            Call(
                method="PUT",
                path="/api/v1/manage/top-up-limit",
                answer=models.TopUpLimitShown,
                named="topUpLimitResponse",
                repeat=Repeat.KEYED,
                body=models.TopUpLimit(day_limit_minor=day_limit_minor),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class ManageTopUpsCalls:
    """Calls about top ups."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(self, *, options: CallOptions | None = None) -> Answer[models.TopUpList]:
        """The newest first, with what became of each. Scope `manage:billing`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/top-ups",
                answer=models.TopUpList,
                named="topUpsResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def each(self, *, options: CallOptions | None = None) -> Iterator[models.TopUpShown]:
        """Each of the top ups, page after page."""
        page = (self.list(options=options)).result
        yield from page.top_ups

    def create(
        self,
        *,
        amount_minor: int,
        store_card: bool | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.TopUpShown]:
        """Answers the address of a page of the payment provider, on which a person pays by card.
        Where the provider takes longer than some seconds, `url` is null; then ask for the
        top-up again. What is paid is added to the balance once, with the id of the top-up as
        its reference. With `storeCard`, or where a limit of a day is set, it needs the scope
        `manage:payments`, too. Scope `manage:billing`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/top-ups",
                answer=models.TopUpShown,
                named="topUpResponse",
                repeat=Repeat.KEYED,
                body=models.TopUpWanted(amount_minor=amount_minor, store_card=store_card),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def get(
        self, top_up_id: str, *, options: CallOptions | None = None
    ) -> Answer[models.TopUpShown]:
        """How far it is, and the address of its page. Scope `manage:billing`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/top-ups/{top_up_id}",
                answer=models.TopUpShown,
                named="topUpResponse",
                repeat=Repeat.HARMLESS,
                path_values={"top_up_id": top_up_id},
                options=options or {},
            )
        )


class ManageUsageCalls:
    """Calls about usage."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def get(
        self,
        *,
        month: str | None = None,
        from_: date | None = None,
        to: date | None = None,
        by: str | None = None,
        per: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.UsageResponse]:
        """Decided requests by day and operation, and what they were charged, of a month (by
        default this) or of up to 92 days; or by key, pipeline or tag, per day or month. Tags
        are of decisions: they need the scope `decisions`, too. Scope `manage:billing`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/usage",
                answer=models.UsageResponse,
                named="usageResponse",
                repeat=Repeat.HARMLESS,
                query={"month": month, "from": from_, "to": to, "by": by, "per": per},
                options=options or {},
            )
        )


class ManageWebhooksCalls:
    """Calls about webhooks."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(self, *, options: CallOptions | None = None) -> Answer[models.WebhookPage]:
        """The account's webhooks, oldest first, without their secrets. Scope `manage:webhooks`.
        Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/webhooks",
                answer=models.WebhookPage,
                named="webhooksResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def each(self, *, options: CallOptions | None = None) -> Iterator[models.PublicWebhook]:
        """Each of the webhooks, page after page."""
        page = (self.list(options=options)).result
        yield from page.webhooks

    def create(
        self,
        *,
        url: str,
        events: Sequence[str],
        decisions: Sequence[models.ToldDecisions] | None = None,
        ordered: bool | None = None,
        description: str | None = None,
        signing: models.SecretKind | str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.PublicWebhook]:
        """Adds an address that is told of events. The answer holds the secret, which cannot be had
        again. Events need the scopes that reading their data needs: whole requests `decisions`
        or, of reviews, `reviews`, and money `billing`. Scope `manage:webhooks`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/webhooks",
                answer=models.PublicWebhook,
                named="webhookResponse",
                repeat=Repeat.KEYED,
                body=models.NewWebhook(
                    url=url,
                    events=events,
                    decisions=decisions,
                    ordered=ordered,
                    description=description,
                    signing=signing,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def get(
        self, webhook_id: str, *, options: CallOptions | None = None
    ) -> Answer[models.PublicWebhook]:
        """One webhook, and how it is getting on. Scope `manage:webhooks`. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/webhooks/{webhook_id}",
                answer=models.PublicWebhook,
                named="webhookResponse",
                repeat=Repeat.HARMLESS,
                path_values={"webhook_id": webhook_id},
                options=options or {},
            )
        )

    def update(
        self,
        webhook_id: str,
        *,
        url: str | None = None,
        events: Sequence[str] | None = None,
        decisions: Sequence[models.ToldDecisions] | None = None,
        ordered: bool | None = None,
        description: str | None = None,
        enabled: bool | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.PublicWebhook]:
        """Changes what is named. One that is enabled again goes on where it stopped. But for
        disabling it, this needs the scopes that adding it would. Scope `manage:webhooks`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/webhooks/{webhook_id}",
                answer=models.PublicWebhook,
                named="webhookResponse",
                repeat=Repeat.KEYED,
                path_values={"webhook_id": webhook_id},
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body=models.WebhookChange(
                    url=url,
                    events=events,
                    decisions=decisions,
                    ordered=ordered,
                    description=description,
                    enabled=enabled,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def delete(
        self,
        webhook_id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.WebhookDeleted]:
        """Deletes a webhook. When this is answered, nothing is sent to it any more. Scope
        `manage:webhooks`. Free.
        """
        return self._send(
            Call(
                method="DELETE",
                path="/api/v1/manage/webhooks/{webhook_id}",
                answer=models.WebhookDeleted,
                named="webhookDeletedResponse",
                repeat=Repeat.KEYED,
                path_values={"webhook_id": webhook_id},
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def rotate_secret(
        self,
        webhook_id: str,
        *,
        overlap_s: int | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.PublicWebhook]:
        """Gives a webhook a new secret. For a while messages are signed with both. Scope
        `manage:webhooks`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/webhooks/{webhook_id}/rotate-secret",
                answer=models.PublicWebhook,
                named="webhookResponse",
                repeat=Repeat.KEYED,
                path_values={"webhook_id": webhook_id},
                headers={"If-Match": if_match, "If-None-Match": if_none_match},
                body=models.SecretRotation(overlap_s=overlap_s),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def test(
        self,
        webhook_id: str,
        *,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.PublicAttempt]:
        """Sends a message of type `webhook.test` at once, and says what was answered. Scope
        `manage:webhooks`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/webhooks/{webhook_id}/test",
                answer=models.PublicAttempt,
                named="webhookAttemptResponse",
                repeat=Repeat.KEYED,
                path_values={"webhook_id": webhook_id},
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def list_attempts(
        self,
        webhook_id: str,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        event_id: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.AttemptPage]:
        """Attempts to send messages of the last 30 days, newest first, without bodies; those about
        events that the caller may read. Scope `manage:webhooks`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/manage/webhooks/{webhook_id}/attempts",
                answer=models.AttemptPage,
                named="webhookAttemptsResponse",
                repeat=Repeat.HARMLESS,
                path_values={"webhook_id": webhook_id},
                query={"limit": limit, "startingAfter": starting_after, "eventId": event_id},
                options=options or {},
            )
        )

    def each_attempt(
        self,
        webhook_id: str,
        *,
        limit: int | None = None,
        starting_after: str | None = None,
        event_id: str | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.PublicAttempt]:
        """Each of the attempts, page after page."""
        while True:
            page = (
                self.list_attempts(
                    webhook_id,
                    limit=limit,
                    starting_after=starting_after,
                    event_id=event_id,
                    options=options,
                )
            ).result
            yield from page.attempts
            if not page.has_more or not page.attempts:
                return
            starting_after = page.attempts[-1].id

    def replay(
        self,
        webhook_id: str,
        *,
        event_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.ReplayStarted]:
        """Sends one message again, or all of a span of time. Their ids stay the same. It needs the
        scopes that reading their events needs. Scope `manage:webhooks`. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/manage/webhooks/{webhook_id}/replay",
                answer=models.ReplayStarted,
                named="webhookReplayResponse",
                repeat=Repeat.KEYED,
                path_values={"webhook_id": webhook_id},
                body=models.MessageReplay(event_id=event_id, since=since, until=until),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )


class DecisionsCalls:
    """Calls about decisions."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(
        self,
        *,
        client_reference_id: str | None = None,
        limit: int | None = None,
        starting_after: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.DecisionPage]:
        """The account's records, newest first. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/decisions",
                answer=models.DecisionPage,
                named="decisionsResponse",
                repeat=Repeat.HARMLESS,
                query={
                    "clientReferenceId": client_reference_id,
                    "limit": limit,
                    "startingAfter": starting_after,
                },
                options=options or {},
            )
        )

    def each(
        self,
        *,
        client_reference_id: str | None = None,
        limit: int | None = None,
        starting_after: str | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.PublicDecision]:
        """Each of the decisions, page after page."""
        while True:
            page = (
                self.list(
                    client_reference_id=client_reference_id,
                    limit=limit,
                    starting_after=starting_after,
                    options=options,
                )
            ).result
            yield from page.decisions
            if not page.has_more or not page.decisions:
                return
            starting_after = page.decisions[-1].request_id

    def get(
        self, request_id: str, *, options: CallOptions | None = None
    ) -> Answer[models.PublicDecision]:
        """The record of a processed request, for the account it belongs to. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/decisions/{request_id}",
                answer=models.PublicDecision,
                named="decisionResponse",
                repeat=Repeat.HARMLESS,
                path_values={"request_id": request_id},
                options=options or {},
            )
        )

    def search(
        self,
        *,
        user_id: str | int | None = None,
        card_number: str | None = None,
        payment_account_reference: str | None = None,
        card_fingerprint: str | Sequence[str] | None = None,
        email: str | None = None,
        phone: str | None = None,
        ip_address: str | None = None,
        device_id: str | None = None,
        ring: str | Sequence[str] | None = None,
        transaction_id: str | int | None = None,
        client_reference_id: str | int | None = None,
        operation: str | Sequence[str] | None = None,
        decision: models.Outcome | str | Sequence[models.Outcome | str] | None = None,
        reason: models.DecisionReason | str | Sequence[models.DecisionReason | str] | None = None,
        rule: str | Sequence[str] | None = None,
        shadow_rule: str | Sequence[str] | None = None,
        tag: str | Sequence[str] | None = None,
        label: models.Label | str | Sequence[models.Label | str] | None = None,
        amount: models.AmountRange | None = None,
        at: models.TimeRange | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.DecisionMatches]:
        """The account's decisions, newest first, to which every filter applies. Filters are in the
        body: nothing of them is in a URL. Cards, contacts and users are compared by keyed
        fingerprints. A page can be short although there is more: `nextCursor` tells. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/decisions/search",
                answer=models.DecisionMatches,
                named="decisionsResponse",
                repeat=Repeat.HARMLESS,
                body=models.DecisionSearchRequest(
                    user_id=user_id,
                    card_number=card_number,
                    payment_account_reference=payment_account_reference,
                    card_fingerprint=card_fingerprint,
                    email=email,
                    phone=phone,
                    ip_address=ip_address,
                    device_id=device_id,
                    ring=ring,
                    transaction_id=transaction_id,
                    client_reference_id=client_reference_id,
                    operation=operation,
                    decision=decision,
                    reason=reason,
                    rule=rule,
                    shadow_rule=shadow_rule,
                    tag=tag,
                    label=label,
                    amount=amount,
                    at=at,
                    limit=limit,
                    cursor=cursor,
                ),
                options=options or {},
            )
        )

    def each_found(
        self,
        *,
        user_id: str | int | None = None,
        card_number: str | None = None,
        payment_account_reference: str | None = None,
        card_fingerprint: str | Sequence[str] | None = None,
        email: str | None = None,
        phone: str | None = None,
        ip_address: str | None = None,
        device_id: str | None = None,
        ring: str | Sequence[str] | None = None,
        transaction_id: str | int | None = None,
        client_reference_id: str | int | None = None,
        operation: str | Sequence[str] | None = None,
        decision: models.Outcome | str | Sequence[models.Outcome | str] | None = None,
        reason: models.DecisionReason | str | Sequence[models.DecisionReason | str] | None = None,
        rule: str | Sequence[str] | None = None,
        shadow_rule: str | Sequence[str] | None = None,
        tag: str | Sequence[str] | None = None,
        label: models.Label | str | Sequence[models.Label | str] | None = None,
        amount: models.AmountRange | None = None,
        at: models.TimeRange | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.PublicDecision]:
        """Each of the decisions, page after page."""
        while True:
            page = (
                self.search(
                    user_id=user_id,
                    card_number=card_number,
                    payment_account_reference=payment_account_reference,
                    card_fingerprint=card_fingerprint,
                    email=email,
                    phone=phone,
                    ip_address=ip_address,
                    device_id=device_id,
                    ring=ring,
                    transaction_id=transaction_id,
                    client_reference_id=client_reference_id,
                    operation=operation,
                    decision=decision,
                    reason=reason,
                    rule=rule,
                    shadow_rule=shadow_rule,
                    tag=tag,
                    label=label,
                    amount=amount,
                    at=at,
                    limit=limit,
                    cursor=cursor,
                    options=options,
                )
            ).result
            yield from page.decisions
            if page.next_cursor is None:
                return
            cursor = page.next_cursor


class EventsCalls:
    """Calls about events."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(
        self,
        *,
        after: str | None = None,
        types: str | None = None,
        limit: int | None = None,
        wait: int | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.EventsResponse]:
        """What happened to the account, oldest first. Each event comes at least once to a reader
        that goes on from its last `cursor`. Without `types`, these are the ones that the key
        may read: whole requests need the scope `decisions` or, of reviews, `reviews`, and money
        `billing`. Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/events",
                answer=models.EventsResponse,
                named="eventsResponse",
                repeat=Repeat.HARMLESS,
                query={"after": after, "types": types, "limit": limit, "wait": wait},
                extra_wait_s=float(wait or 0),
                options=options or {},
            )
        )

    def each(
        self,
        *,
        after: str | None = None,
        types: str | None = None,
        limit: int | None = None,
        wait: int | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.PublicEvent]:
        """Each of the events, page after page."""
        while True:
            page = (
                self.list(after=after, types=types, limit=limit, wait=wait, options=options)
            ).result
            yield from page.events
            if not page.has_more and not wait:
                return
            after = page.cursor

    def get(
        self, event_id: str, *, options: CallOptions | None = None
    ) -> Answer[models.PublicEvent]:
        """One event of the account. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/events/{event_id}",
                answer=models.PublicEvent,
                named="eventResponse",
                repeat=Repeat.HARMLESS,
                path_values={"event_id": event_id},
                options=options or {},
            )
        )


class FeedbackCalls:
    """Calls about feedback."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def give(
        self,
        *,
        label: models.Label | str,
        request_id: str | None = None,
        transaction_id: str | int | None = None,
        client_reference_id: str | int | None = None,
        when: datetime | None = None,
        amount: Decimal | float | None = None,
        currency: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.FeedbackReceipt]:
        """Says what became of a request, or of up to a hundred of one name. What is said last
        counts; everything stays in the history. Sentry takes it into account at once. The same
        said again changes nothing, so a repeat is safe. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/feedback",
                answer=models.FeedbackReceipt,
                named="feedbackResponse",
                repeat=Repeat.HARMLESS,
                body=models.FeedbackRequest(
                    request_id=request_id,
                    transaction_id=transaction_id,
                    client_reference_id=client_reference_id,
                    label=label,
                    when=when,
                    amount=amount,
                    currency=currency,
                ),
                options=options or {},
            )
        )

    def get(
        self, request_id: str, *, options: CallOptions | None = None
    ) -> Answer[models.FeedbackHistory]:
        """What is known about a request, and all that was said about it. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/feedback/{request_id}",
                answer=models.FeedbackHistory,
                named="feedbackResponse",
                repeat=Repeat.HARMLESS,
                path_values={"request_id": request_id},
                options=options or {},
            )
        )


class ReviewsCalls:
    """Calls about reviews."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send

    def list(
        self,
        *,
        status: str | None = None,
        assignee: str | None = None,
        order: str | None = None,
        limit: int | None = None,
        starting_after: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.ReviewPage]:
        """Decisions that a person is to look at, newest first unless the oldest are asked for.
        Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/reviews",
                answer=models.ReviewPage,
                named="reviewsResponse",
                repeat=Repeat.HARMLESS,
                query={
                    "status": status,
                    "assignee": assignee,
                    "order": order,
                    "limit": limit,
                    "startingAfter": starting_after,
                },
                options=options or {},
            )
        )

    def each(
        self,
        *,
        status: str | None = None,
        assignee: str | None = None,
        order: str | None = None,
        limit: int | None = None,
        starting_after: str | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.Review]:
        """Each of the reviews, page after page."""
        while True:
            page = (
                self.list(
                    status=status,
                    assignee=assignee,
                    order=order,
                    limit=limit,
                    starting_after=starting_after,
                    options=options,
                )
            ).result
            yield from page.reviews
            if not page.has_more or not page.reviews:
                return
            starting_after = page.reviews[-1].request_id

    def resolve_many(
        self,
        *,
        resolution: models.ReviewVerdict | str,
        reason: str,
        request_ids: Sequence[str],
        reviewer: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.BulkResult]:
        """One verdict on many reviews. Each is answered on its own: one that is resolved already,
        or is not there, does not keep the others from being resolved. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/reviews/resolutions",
                answer=models.BulkResult,
                named="resolutionsResponse",
                repeat=Repeat.NEVER,
                body=models.BulkResolution(
                    resolution=resolution, reason=reason, reviewer=reviewer, request_ids=request_ids
                ),
                options=options or {},
            )
        )

    def get(self, request_id: str, *, options: CallOptions | None = None) -> Answer[models.Review]:
        """A review with its decision, its notes and its history, for the account it belongs to.
        Free.
        """
        return self._send(
            Call(
                method="GET",
                path="/api/v1/reviews/{request_id}",
                answer=models.Review,
                named="reviewResponse",
                repeat=Repeat.HARMLESS,
                path_values={"request_id": request_id},
                options=options or {},
            )
        )

    def resolve(
        self,
        request_id: str,
        *,
        resolution: models.ReviewVerdict | str,
        reason: str,
        reviewer: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.Review]:
        """Says what a person found. A review is resolved once; of several who try at the same time
        one succeeds. What was found counts as feedback. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/reviews/{request_id}",
                answer=models.Review,
                named="reviewResponse",
                repeat=Repeat.NEVER,
                path_values={"request_id": request_id},
                body=models.ReviewResolution(
                    resolution=resolution, reason=reason, reviewer=reviewer
                ),
                options=options or {},
            )
        )

    def assign(
        self,
        request_id: str,
        *,
        assignee: str | None,
        take_over: bool | None = None,
        reviewer: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.Review]:
        """Gives a review to a person, or to nobody. A person who has it already keeps it, unless
        it is taken over. The same again changes nothing. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/reviews/{request_id}/assignment",
                answer=models.Review,
                named="reviewResponse",
                repeat=Repeat.NEVER,
                path_values={"request_id": request_id},
                body=models.ReviewAssignment(
                    assignee=assignee, take_over=take_over, reviewer=reviewer
                ),
                options=options or {},
            )
        )

    def note(
        self,
        request_id: str,
        *,
        text: str,
        reviewer: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.Review]:
        """Adds what a person writes down. The newest note of the same key is not added twice, so a
        repeat is safe. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/reviews/{request_id}/notes",
                answer=models.Review,
                named="reviewResponse",
                repeat=Repeat.NEVER,
                path_values={"request_id": request_id},
                body=models.ReviewNote(text=text, reviewer=reviewer),
                options=options or {},
            )
        )

    def correct(
        self,
        request_id: str,
        *,
        resolution: models.ReviewVerdict | str,
        reason: str,
        reviewer: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.Review]:
        """Changes what a person found, and the label that counts as feedback. A payment that was
        reversed does not come back; one that stands is reversed with `DECLINE`, as by a first
        resolution. The same correction again changes nothing. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/reviews/{request_id}/correction",
                answer=models.Review,
                named="reviewResponse",
                repeat=Repeat.NEVER,
                path_values={"request_id": request_id},
                body=models.ReviewResolution(
                    resolution=resolution, reason=reason, reviewer=reviewer
                ),
                options=options or {},
            )
        )

    def reopen(
        self, request_id: str, *, reviewer: str | None = None, options: CallOptions | None = None
    ) -> Answer[models.Review]:
        """For ten minutes, the one who resolved a review can take that back: the review is open
        again, and the label is what it was before, unless somebody has said something else
        since. What was told stays told; the event `review.reopened` follows. A resolution that
        a payment waited for cannot be undone. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/reviews/{request_id}/reopening",
                answer=models.Review,
                named="reviewResponse",
                repeat=Repeat.NEVER,
                path_values={"request_id": request_id},
                body=models.ReviewChange(reviewer=reviewer),
                options=options or {},
            )
        )

    def search(
        self,
        *,
        user_id: str | int | None = None,
        card_number: str | None = None,
        payment_account_reference: str | None = None,
        card_fingerprint: str | Sequence[str] | None = None,
        email: str | None = None,
        phone: str | None = None,
        ip_address: str | None = None,
        device_id: str | None = None,
        ring: str | Sequence[str] | None = None,
        transaction_id: str | int | None = None,
        client_reference_id: str | int | None = None,
        operation: str | Sequence[str] | None = None,
        decision: models.Outcome | str | Sequence[models.Outcome | str] | None = None,
        reason: models.DecisionReason | str | Sequence[models.DecisionReason | str] | None = None,
        rule: str | Sequence[str] | None = None,
        shadow_rule: str | Sequence[str] | None = None,
        tag: str | Sequence[str] | None = None,
        label: models.Label | str | Sequence[models.Label | str] | None = None,
        amount: models.AmountRange | None = None,
        at: models.TimeRange | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        status: models.ReviewState | str | Sequence[models.ReviewState | str] | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.ReviewMatches]:
        """The account's reviews, oldest first, to which every filter applies. Filters are in the
        body: nothing of them is in a URL. Cards, contacts and users are compared by keyed
        fingerprints. A page can be short although there is more: `nextCursor` tells. Free.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/reviews/search",
                answer=models.ReviewMatches,
                named="reviewsResponse",
                repeat=Repeat.HARMLESS,
                body=models.ReviewSearchRequest(
                    user_id=user_id,
                    card_number=card_number,
                    payment_account_reference=payment_account_reference,
                    card_fingerprint=card_fingerprint,
                    email=email,
                    phone=phone,
                    ip_address=ip_address,
                    device_id=device_id,
                    ring=ring,
                    transaction_id=transaction_id,
                    client_reference_id=client_reference_id,
                    operation=operation,
                    decision=decision,
                    reason=reason,
                    rule=rule,
                    shadow_rule=shadow_rule,
                    tag=tag,
                    label=label,
                    amount=amount,
                    at=at,
                    limit=limit,
                    cursor=cursor,
                    status=status,
                ),
                options=options or {},
            )
        )

    def each_found(
        self,
        *,
        user_id: str | int | None = None,
        card_number: str | None = None,
        payment_account_reference: str | None = None,
        card_fingerprint: str | Sequence[str] | None = None,
        email: str | None = None,
        phone: str | None = None,
        ip_address: str | None = None,
        device_id: str | None = None,
        ring: str | Sequence[str] | None = None,
        transaction_id: str | int | None = None,
        client_reference_id: str | int | None = None,
        operation: str | Sequence[str] | None = None,
        decision: models.Outcome | str | Sequence[models.Outcome | str] | None = None,
        reason: models.DecisionReason | str | Sequence[models.DecisionReason | str] | None = None,
        rule: str | Sequence[str] | None = None,
        shadow_rule: str | Sequence[str] | None = None,
        tag: str | Sequence[str] | None = None,
        label: models.Label | str | Sequence[models.Label | str] | None = None,
        amount: models.AmountRange | None = None,
        at: models.TimeRange | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        status: models.ReviewState | str | Sequence[models.ReviewState | str] | None = None,
        options: CallOptions | None = None,
    ) -> Iterator[models.Review]:
        """Each of the reviews, page after page."""
        while True:
            page = (
                self.search(
                    user_id=user_id,
                    card_number=card_number,
                    payment_account_reference=payment_account_reference,
                    card_fingerprint=card_fingerprint,
                    email=email,
                    phone=phone,
                    ip_address=ip_address,
                    device_id=device_id,
                    ring=ring,
                    transaction_id=transaction_id,
                    client_reference_id=client_reference_id,
                    operation=operation,
                    decision=decision,
                    reason=reason,
                    rule=rule,
                    shadow_rule=shadow_rule,
                    tag=tag,
                    label=label,
                    amount=amount,
                    at=at,
                    limit=limit,
                    cursor=cursor,
                    status=status,
                    options=options,
                )
            ).result
            yield from page.reviews
            if page.next_cursor is None:
                return
            cursor = page.next_cursor


class Manage:
    """The management API."""

    def __init__(self, sender: Sender) -> None:
        self.account = ManageAccountCalls(sender)
        self.alerts = ManageAlertsCalls(sender)
        self.audit = ManageAuditCalls(sender)
        self.authentication = ManageAuthenticationCalls(sender)
        self.auto_top_up = ManageAutoTopUpCalls(sender)
        self.balance = ManageBalanceCalls(sender)
        self.billing_details = ManageBillingDetailsCalls(sender)
        self.bulk = ManageBulkCalls(sender)
        self.connectors = ManageConnectorsCalls(sender)
        self.decisions = ManageDecisionsCalls(sender)
        self.disputes = ManageDisputesCalls(sender)
        self.drift = ManageDriftCalls(sender)
        self.events = ManageEventsCalls(sender)
        self.experiments = ManageExperimentsCalls(sender)
        self.explorations = ManageExplorationsCalls(sender)
        self.feedback = ManageFeedbackCalls(sender)
        self.identities = ManageIdentitiesCalls(sender)
        self.invoices = ManageInvoicesCalls(sender)
        self.jobs = ManageJobsCalls(sender)
        self.keys = ManageKeysCalls(sender)
        self.lists = ManageListsCalls(sender)
        self.models = ManageModelsCalls(sender)
        self.notifications = ManageNotificationsCalls(sender)
        self.outcomes = ManageOutcomesCalls(sender)
        self.payments = ManagePaymentsCalls(sender)
        self.pipelines = ManagePipelinesCalls(sender)
        self.policies = ManagePoliciesCalls(sender)
        self.privacy = ManagePrivacyCalls(sender)
        self.programmes = ManageProgrammesCalls(sender)
        self.reports = ManageReportsCalls(sender)
        self.rings = ManageRingsCalls(sender)
        self.roles = ManageRolesCalls(sender)
        self.rules = ManageRulesCalls(sender)
        self.statement = ManageStatementCalls(sender)
        self.top_up_limit = ManageTopUpLimitCalls(sender)
        self.top_ups = ManageTopUpsCalls(sender)
        self.usage = ManageUsageCalls(sender)
        self.webhooks = ManageWebhooksCalls(sender)


class Methods:
    """All calls."""

    def __init__(self, sender: Sender) -> None:
        self._send = sender.send
        self.decisions = DecisionsCalls(sender)
        self.events = EventsCalls(sender)
        self.feedback = FeedbackCalls(sender)
        self.reviews = ReviewsCalls(sender)
        self.manage = Manage(sender)

    def precheck(
        self,
        *,
        card_number: str,
        card_expiry_date: str,
        card_cvv2_value: str | None = None,
        card_address: models.CardAddress | None = None,
        client_reference_id: str | int | None = None,
        payment_account_reference: str | None = None,
        credential_type: models.CredentialType | str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.PreCheckResponse]:
        """Validates card details with the issuer: returns the address (AVS) and security code
        (CVV2) results and a recommended action. `advice` can be any of its values while
        `isSuccess` is true.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/precheck",
                answer=models.PreCheckResponse,
                named="preCheckResponse",
                repeat=Repeat.KEYED,
                body=models.PreCheckRequest(
                    card_number=card_number,
                    card_expiry_date=card_expiry_date,
                    card_cvv2_value=card_cvv2_value,
                    card_address=card_address,
                    client_reference_id=client_reference_id,
                    payment_account_reference=payment_account_reference,
                    credential_type=credential_type,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def id_verify(
        self,
        *,
        card_number: str,
        card_expiry_date: str,
        card_holder_email_address: str | None = None,
        card_holder_phone_number: str | None = None,
        card_holder_name: models.CardHolderName | None = None,
        card_holder_ids: models.CardHolderIds | None = None,
        payee_name: str | None = None,
        client_reference_id: str | int | None = None,
        payment_account_reference: str | None = None,
        credential_type: models.CredentialType | str | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.IdVerifyResponse]:
        """Compares a cardholder's name, e-mail address, phone number and government identifiers
        with what is on record for the card: one result per attribute, all of the same person.
        Results such as `NO_MATCH` come while `isSuccess` is true.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/idverify",
                answer=models.IdVerifyResponse,
                named="idVerifyResponse",
                repeat=Repeat.KEYED,
                body=models.IdVerifyRequest(
                    card_number=card_number,
                    card_expiry_date=card_expiry_date,
                    card_holder_email_address=card_holder_email_address,
                    card_holder_phone_number=card_holder_phone_number,
                    card_holder_name=card_holder_name,
                    card_holder_ids=card_holder_ids,
                    payee_name=payee_name,
                    client_reference_id=client_reference_id,
                    payment_account_reference=payment_account_reference,
                    credential_type=credential_type,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def sentry(
        self,
        *,
        device: models.Device | None = None,
        event: models.Event | None = None,
        order: models.Order | None = None,
        account: models.BuyerAccount | None = None,
        shopping_cart: models.ShoppingCart | None = None,
        custom_inputs: Mapping[str, Any] | None = None,
        client_reference_id: str | int | None = None,
        authentication: models.AuthenticationInputs | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.SentryResponse]:
        """Turns what is known about device, visit, account, order and cart into a confidence that
        the request is legitimate, with the reasons. Every group is optional; what is missing or
        hard to believe is scored, not refused.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/sentry",
                answer=models.SentryResponse,
                named="sentryResponse",
                repeat=Repeat.KEYED,
                body=models.SentryRequest(
                    device=device,
                    event=event,
                    order=order,
                    account=account,
                    shopping_cart=shopping_cart,
                    custom_inputs=custom_inputs,
                    client_reference_id=client_reference_id,
                    authentication=authentication,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def rules(
        self,
        *,
        customer_ip: str | None = None,
        card_number: str | None = None,
        amount: Decimal | float | None = None,
        currency: str | None = None,
        email: str | None = None,
        phone: str | None = None,
        user_id: str | int | None = None,
        billing_country: str | None = None,
        shipping_country: str | None = None,
        custom_inputs: Mapping[str, Any] | None = None,
        payment_account_reference: str | None = None,
        credential_type: models.CredentialType | str | None = None,
        three_d_secure: models.ThreeDSecure | None = None,
        rule_set: str | None = None,
        client_reference_id: str | int | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.RulesResponse]:
        """Decides with one of the account's rule sets and names every rule that matched. Every
        field is optional: a rule that speaks of something that was not sent does not match.
        Outcomes such as `DECLINE` come while `isSuccess` is true.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/rules",
                answer=models.RulesResponse,
                named="rulesResponse",
                repeat=Repeat.KEYED,
                body=models.RulesCall(
                    customer_ip=customer_ip,
                    card_number=card_number,
                    amount=amount,
                    currency=currency,
                    email=email,
                    phone=phone,
                    user_id=user_id,
                    billing_country=billing_country,
                    shipping_country=shipping_country,
                    custom_inputs=custom_inputs,
                    payment_account_reference=payment_account_reference,
                    credential_type=credential_type,
                    three_d_secure=three_d_secure,
                    rule_set=rule_set,
                    client_reference_id=client_reference_id,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def pipeline(
        self,
        *,
        pipeline_id: int,
        client_reference_id: str | int | None = None,
        rules_request: models.RulesRequest | None = None,
        sentry_request: models.SentryRequest | None = None,
        pre_check_request: models.PreCheckRequest | None = None,
        id_verify_request: models.IdVerifyRequest | None = None,
        gateway_request: models.GatewayRequest | None = None,
        idempotency_key: str | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.PipelineResponse]:
        """Runs the stages of a pipeline that the account has configured, in order, in one request,
        and returns what each of them found and one decision. Only the inputs that its stages
        need are looked at. A stage that was not reached has no object and costs nothing.
        """
        return self._send(
            Call(
                method="POST",
                path="/api/v1/pipeline",
                answer=models.PipelineResponse,
                named="pipelineResponse",
                repeat=Repeat.KEYED,
                body=models.PipelineRequest(
                    pipeline_id=pipeline_id,
                    client_reference_id=client_reference_id,
                    rules_request=rules_request,
                    sentry_request=sentry_request,
                    pre_check_request=pre_check_request,
                    id_verify_request=id_verify_request,
                    gateway_request=gateway_request,
                ),
                idempotency_key=idempotency_key,
                options=options or {},
            )
        )

    def pipelines(self, *, options: CallOptions | None = None) -> Answer[models.PipelinesResponse]:
        """The pipelines that the account can call, and what each needs. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/pipelines",
                answer=models.PipelinesResponse,
                named="pipelinesResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def balance(self, *, options: CallOptions | None = None) -> Answer[models.BalanceResponse]:
        """What the account has, and how much of it is held. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/balance",
                answer=models.BalanceResponse,
                named="balanceResponse",
                repeat=Repeat.HARMLESS,
                options=options or {},
            )
        )

    def statement(
        self,
        *,
        month: str | None = None,
        from_: date | None = None,
        to: date | None = None,
        daily: bool | None = None,
        options: CallOptions | None = None,
    ) -> Answer[models.StatementResponse]:
        """What moved the balance in a month (by default this), or in days. Free."""
        return self._send(
            Call(
                method="GET",
                path="/api/v1/statement",
                answer=models.StatementResponse,
                named="statementResponse",
                repeat=Repeat.HARMLESS,
                query={"month": month, "from": from_, "to": to, "daily": daily},
                options=options or {},
            )
        )
