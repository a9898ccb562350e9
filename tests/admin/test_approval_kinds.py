"""Every change, with the kind of approval that it asks for, or why it asks for none."""

import ast
from pathlib import Path
from typing import Final

import gatehouse
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind as Kind
from gatehouse.api.manage.catalogue import all_endpoints

ROOT: Final = Path(gatehouse.__file__).parent

OFFERED: Final[dict[str | tuple[Kind, ...], str]] = {
    (Kind.RULES,): "applyRuleSet rollBackRuleSet switchRule",
    (Kind.PIPELINES,): "applyPipelineDefinition rollBackPipelineDefinition",
    (
        Kind.LISTS,
    ): "dropList addEntries removeEntries putManyOnList blockAlert blockRing undoBulkChange",
    (Kind.MODELS,): "rollBackModel promoteModel shadowModel stopShadowModel",
    (Kind.MODELS, Kind.RULES): "startExperiment",
    (Kind.POLICIES,): (
        "setPreCheckPolicy setSentryPolicy setFoundInput setCosts clearCosts setAuthentication "
        "clearAuthentication"
    ),
    (Kind.PEOPLE,): "makeRole changeRole",
    # Where they let more be charged to cards.
    (Kind.TOP_UPS,): "createTopUp setAutoTopUp setTopUpLimit",
    "an empty list decides nothing": "createList",
    "goes back to what is in force, which two agreed on": "endExperiment",
    "measures what happened, with nothing to choose": "measureFraudRates",
    "takes a right away, or one that nobody has": "deleteRole revokeKey",
    "a key decides nothing, and cannot approve": "issueKey rotateKey",
    "guarded by the right to move money": (
        "deleteStoredCard capturePayment voidPayment refundPayment settlePaymentOperation"
    ),
    "a case or a fact, no setting": (
        "giveFeedbackInBulk importFeedback labelMany resolveMany assignMany acknowledgeAlert "
        "tellOutcomes joinOutcome rejoinOutcomes importOutcomes applyNotification decideDispute "
        "setDisputeDelivery endDispute attachDisputeFile deleteDisputeFile"
    ),
    "leaves every decision as it would be": (
        "erasePerson importIdentities eraseIdentities createWebhook updateWebhook deleteWebhook "
        "rotateWebhookSecret testWebhook replayWebhookMessages makeReport setReportSettings "
        "setEvidencePolicy setEventSettings"
    ),
    "kept as a version that nothing uses: to promote or shadow it is what two agree on": (
        "importModel"
    ),
    "works something out, and puts nothing in force": (
        "startBacktest startExploration estimateEnumeration startProgrammesWhatIf startTraining "
        "auditLabels tryModel cancelJob"
    ),
}
AUDITED: Final[dict[str | tuple[Kind, ...], str]] = {
    (Kind.RULES, Kind.PIPELINES): "{}.apply {}.activate",
    (Kind.TOP_UPS, Kind.ADJUSTMENTS): "account.credit-limit invoices.credit",
    # Where they let more be charged to cards.
    (Kind.TOP_UPS,): "top-up.ask top-up.limit auto-top-up.set",
    (Kind.PRICES, Kind.POLICIES): "account.{} invoices.buyer",
    (Kind.LISTS,): "list.add list.drop list.remove alert.block ring.block bulk.begin bulk.undo",
    (Kind.MODELS,): "model.promote model.rollback model.shadow model.unshadow experiment.start",
    (Kind.PEOPLE,): "user.invite user.role user.reset user.enable user.operator "
    "user.invite-operator user.billing",
    "of the installation, at a terminal of its machine": (
        "backup copy restore configuration.sign connectors.try decisions.partition retention.end "
        "memory.rebuild memory.begun memory.rebuilt memory.fill secrets.rotate-root "
        "secrets.convert-fingerprints lists.convert-fingerprints user.repair user.demo-link "
        "identities.compact identities.reencrypt-begin identities.reencrypt-end gateway.retry "
        "account.create account.close account.reopen"
    ),
    "puts in what is missing, and replaces nothing": "account.furnish list.create",
    "follows from prices and use, with nothing to choose": "invoices.close",
    "of the seller, for all accounts": "invoices.seller",
    "goes back to what is in force, which two agreed on": "experiment.end",
    "the proposals themselves": "proposal.make proposal.approve proposal.{}",
    "a look, or a copy": (
        "audit.export cards.lookup data.reveal decisions.export identities.export list.export "
        "identities.reveal privacy.export search.save search.share search.delete"
    ),
    "of a person alone": (
        "session.end session.end-all session.renew user.profile user.sign-in user.set-password "
        "user.first-step user.passkey-add user.passkey-remove user.recovery-codes user.totp-on "
        "user.totp-off user.single-sign-on user.unlink user.groups"
    ),
    "takes a right away": "user.delete user.disable role.delete key.revoke",
    "a key decides nothing, and cannot approve": "key.issue key.rotate key.playground",
    "guarded by the right to move money": (
        "auto-top-up.delete-card payment.capture payment.settle payment.{}"
    ),
    "a case or a fact, no setting": (
        "alert.acknowledge dispute.decide dispute.delivery dispute.end dispute.file "
        "dispute.file-delete feedback.add feedback.import notification.apply notification.retry "
        "outcome.import outcome.join outcome.rejoin outcome.tell review.assign review.correct "
        "review.note review.reopen review.resolve"
    ),
    "leaves every decision as it would be": (
        "account.rename account.events list.erase privacy.erase privacy.erase-begin report.make "
        "identities.erase identities.import-begin identities.import-end webhook.create "
        "webhook.delete webhook.disable webhook.replay webhook.rotate webhook.test webhook.update"
    ),
    "what becomes of a top-up that was asked for or set": (
        "auto-top-up.pause auto-top-up.store-card top-up.end"
    ),
    "kept as a version that nothing uses: to promote or shadow it is what two agree on": (
        "model.import model.train"
    ),
    "works something out, and puts nothing in force": "job.start job.cancel job.finish job.lost",
}


def _named(table: dict[str | tuple[Kind, ...], str]) -> list[str]:
    return sorted(name for names in table.values() for name in names.split())


def _audited() -> set[str]:
    """The actions of all audit lines; `{}` stands for what is put into one."""
    found: set[str] = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            called = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "audit"
            if not called or not isinstance(node, ast.Call) or not node.args:
                continue
            [*texts] = (each for each in ast.walk(node.args[0]) if isinstance(each, ast.Constant))
            whole = node.args[0]
            if isinstance(whole, ast.JoinedStr):
                parts = (p.value if isinstance(p, ast.Constant) else "{}" for p in whole.values)
                found.add("".join(map(str, parts)))
            else:
                found |= {
                    str(each.value) for each in texts if "." in str(each.value) or each is whole
                }
    return found


def test_every_change_that_programs_are_offered_has_its_line() -> None:
    changing = [e for e in all_endpoints() if e.method != "GET"]
    found = sorted(e.operation for e in changing if not e.reads)
    assert _named(OFFERED) == found


def test_every_action_of_the_audit_log_has_its_line() -> None:
    assert _named(AUDITED) == sorted(_audited())
