"""The management API through the methods of the client, on a real server: a walk by subject."""

import asyncio
import http.server
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest
from tests.harness import Server, until
from tests.web.merchant import Merchant

from gatehouse_client import (
    Answer,
    AsyncGatehouse,
    Conflict,
    Gatehouse,
    InvalidRequest,
    JobFailed,
    JobUnfinished,
    NotFound,
    PermissionDenied,
    VersionChanged,
    models,
    sandbox,
    webhooks,
)

RULES = """\
rule_set: checkout
rules:
  - name: large-order
    condition: order.amount > {amount}
    outcome: REVIEW
"""
PIPELINE = """\
pipeline: 40
name: mine
stages:
  - stage: Sentry
  - stage: Rules
    rule_set: checkout
"""
OPERATIONS = ("precheck", "rules", "pipeline", "decisions", "reviews", "feedback", "events")


@pytest.fixture(scope="module")
def merchant(shared: Server) -> Merchant:
    """An account whose key may do everything."""
    with shared.home.session() as session:
        return Merchant(session, "manage", *OPERATIONS)


@pytest.fixture(scope="module")
def rules(client: Gatehouse) -> models.VersionApplied:
    """A rule set of the account."""
    return client.manage.rules.apply("checkout", document=RULES.format(amount=500)).result


class _Hook(http.server.BaseHTTPRequestHandler):
    heard: list[tuple[dict[str, str], bytes]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.heard.append((dict(self.headers.items()), body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hook() -> Iterator[tuple[str, list[tuple[dict[str, str], bytes]]]]:
    """An address that webhooks can be sent to, and what came."""
    heard: list[tuple[dict[str, str], bytes]] = []
    kind = type("Hook", (_Hook,), {"heard": heard})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/in", heard
        server.shutdown()
        thread.join()


def test_a_rule_set_is_checked_applied_guarded_and_rolled_back(
    client: Gatehouse, rules: models.VersionApplied
) -> None:
    manage = client.manage.rules
    wrong = manage.check(document=RULES.format(amount="no.such")).result
    assert (wrong.valid, wrong.flaws[0].line) == (False, 4)
    tried = manage.try_out(document=RULES.format(amount=500), signals={"order.amount": 700}).result
    assert (tried.status, tried.rules[0].matches) == (models.Outcome.REVIEW, True)
    seen = manage.get("checkout")
    changed = RULES.format(amount=600)
    trial = manage.apply("checkout", document=changed, if_match=seen.etag, dry_run=True).result
    assert (trial.dry_run, trial.version) == (True, seen.result.version + 1)
    applied = manage.apply("checkout", document=changed, if_match=seen.etag, note="fewer reviews")
    assert applied.result.differences
    with pytest.raises(VersionChanged):
        manage.apply("checkout", document=RULES.format(amount=700), if_match=seen.etag)
    with pytest.raises(Conflict, match="in force"):
        manage.apply("checkout", document=RULES.format(amount=700))
    back = manage.rollback("checkout", if_match=applied.etag).result
    assert (back.version, back.before) == (seen.result.version, applied.result.version)
    assert next(manage.each_version("checkout", limit=1)).note == "fewer reviews"
    assert "checkout" in [one.name for one in manage.each()]


def test_a_backtest_is_a_job_with_progress_until_it_is_done(
    client: Gatehouse, rules: models.VersionApplied
) -> None:
    for amount in (100, 700):
        client.rules(customer_ip=sandbox.HOME_ADDRESS, amount=amount)
    job = client.manage.rules.backtest(document=RULES.format(amount=500)).result
    looks: list[models.JobResponse] = []
    done = client.manage.jobs.wait(job.job_id, on_progress=looks.append).result
    assert (done.state, done.kind) == (models.JobState.SUCCEEDED, "rules.backtest")
    assert looks[-1].state == "SUCCEEDED"
    assert done.result
    assert job.job_id in [one.job_id for one in client.manage.jobs.each(limit=1)]


def test_identities_are_imported_found_and_erased(client: Gatehouse) -> None:
    manage = client.manage.identities
    content = f"cardNumber,firstName,lastName\n{sandbox.APPROVED},Ann,Archer\nnonsense,Ben,Baker\n"
    job = manage.import_many(format="csv", content=content).result
    done = client.manage.jobs.wait(job.job_id).result
    assert done.result is not None
    assert (done.result["added"], done.result["refused"]) == (1, 1)
    assert len(list(manage.each_found(card_number=sandbox.APPROVED))) == 1
    assert manage.erase(card_number=sandbox.APPROVED, reason="asked for it").result.erased == 1
    with pytest.raises(NotFound):
        manage.search(card_number=sandbox.APPROVED)


def test_waiting_ends_with_an_error_when_the_job_does(
    client: Gatehouse, rules: models.VersionApplied
) -> None:
    job = client.manage.rules.backtest(document=RULES.format(amount=500)).result
    # Somebody who has no patience at all looks once; the job may have ended by then.
    try:
        client.manage.jobs.wait(job.job_id, patience_s=0)
    except JobUnfinished as unfinished:
        assert unfinished.job.job_id == job.job_id
    client.manage.jobs.cancel(job.job_id)
    try:
        ended = client.manage.jobs.wait(job.job_id).result.state
    except JobFailed as failed:
        ended = failed.job.state
    assert ended in (models.JobState.CANCELED, models.JobState.SUCCEEDED)


def test_a_pipeline_is_applied_under_its_number(
    client: Gatehouse, rules: models.VersionApplied
) -> None:
    manage = client.manage.pipelines
    assert manage.check(document=PIPELINE).result.valid
    assert manage.apply(40, document=PIPELINE, if_none_match="*").result.version == 1
    shown = manage.get(40)
    assert (shown.result.document, shown.etag) == (PIPELINE, '"1"')
    assert "40" in [one.name for one in manage.each()]
    order = models.Order(amount=900, currency="USD")
    wanted = models.SentryRequest(order=order)

    def decided() -> Answer[models.PipelineResponse] | None:
        # Servers know of a new pipeline within a second.
        with suppress(InvalidRequest):
            return client.pipeline(pipeline_id=40, sentry_request=wanted)
        return None

    answer = until(decided)
    assert answer is not None
    assert answer.result.decision == "REVIEW"
    done = client.reviews.resolve(answer.request_id, resolution="APPROVE", reason="known").result
    assert done.status == "APPROVED"


def test_entries_of_lists_are_changed_in_bulk(client: Gatehouse) -> None:
    manage = client.manage.lists
    made = manage.create(name="bad-networks", kind="networks", description="card testing")
    entries = [models.EntryToAdd(value=f"203.0.113.{n}", reason="seen") for n in range(5)]
    assert manage.add_entries("bad-networks", entries=entries, if_match=made.etag).result.added == 5
    with pytest.raises(VersionChanged):
        manage.remove_entries("bad-networks", values=["203.0.113.1"], if_match=made.etag)
    assert manage.remove_entries("bad-networks", values=["203.0.113.1"]).result.removed == 1
    with pytest.raises(InvalidRequest) as refused:
        manage.add_entries("bad-networks", entries=[models.EntryToAdd(value="nonsense")])
    assert list(refused.value.field_errors) == ["entries[0]"]
    found = list(manage.each_entry("bad-networks", limit=2))
    assert len(found) == manage.get("bad-networks").result.entries == 4
    log = [one.action for one in manage.each_operation("bad-networks", limit=1)]
    assert log == ["list.remove", "list.add", "list.create"]
    assert "bad-networks" in [one.name for one in manage.each()]
    assert manage.drop("bad-networks").result.entries == 4
    with pytest.raises(NotFound):
        manage.get("bad-networks")


def test_feedback_is_given_in_bulk(client: Gatehouse) -> None:
    request_id = _check(client).request_id
    given = [
        models.FeedbackRequest(request_id=request_id, label="FRAUD"),
        models.FeedbackRequest(request_id="req_01kabcdefghjkmnpqrstvwxyz0", label="FRAUD"),
    ]
    kept = client.manage.feedback.give(items=given).result
    assert (kept.recorded, kept.refused) == (1, 1)


def test_a_webhook_is_made_with_its_secret_tried_and_replayed(
    client: Gatehouse, hook: tuple[str, list[tuple[dict[str, str], bytes]]]
) -> None:
    (url, heard), manage = hook, client.manage.webhooks
    made = manage.create(url=url, events=["decision.made"])
    secret, webhook_id = made.result.secret, made.result.id
    assert secret is not None
    assert secret not in repr(made)
    assert manage.get(webhook_id).result.secret is None
    assert manage.test(webhook_id).result.outcome == "accepted"
    request_id = _check(client).request_id
    until(lambda: len(heard) == 2)
    event = webhooks.verify(heard[1][1], heard[1][0], secret)
    assert (event.type, event.data["requestId"]) == ("decision.made", request_id)
    assert manage.replay(webhook_id, event_id=event.id).result.messages == 1
    until(lambda: len(heard) == 3)
    assert webhooks.verify(heard[2][1], heard[2][0], secret).id == event.id
    until(lambda: len(list(manage.each_attempt(webhook_id, limit=1))), lambda count: count == 3)
    rotated = manage.rotate_secret(webhook_id, overlap_s=0, if_match=made.etag)
    assert rotated.result.secret not in (None, secret)
    with pytest.raises(VersionChanged):
        manage.update(webhook_id, ordered=True, if_match=made.etag)
    assert manage.update(webhook_id, ordered=True, if_match=rotated.etag).result.ordered is True
    assert [one.id for one in manage.each()] == [webhook_id]
    assert manage.delete(webhook_id).result.deleted is True


def test_keys_are_issued_once_rotated_and_revoked(client: Gatehouse, shared: Server) -> None:
    manage = client.manage.keys
    told, again = (
        manage.issue(name="till", scopes=["precheck"], idempotency_key="till-1") for _ in range(2)
    )
    assert again.is_replay
    assert told.result.key == again.result.key
    assert told.result.key not in repr(told)
    with Gatehouse(told.result.key, shared.base) as till:
        assert _check(till).result.advice == "ACCEPT"
        with pytest.raises(PermissionDenied):
            till.manage.keys.list()
    successor = manage.rotate(told.result.issued.key_id, overlap_s=0).result
    gone = manage.revoke(successor.issued.key_id, reason="closed till").result
    assert gone.status == "revoked"
    assert {one.name for one in manage.each()} >= {"till"}


def test_what_was_used_and_charged_is_told(client: Gatehouse) -> None:
    _check(client)
    manage = client.manage
    assert manage.account.get().result.currency == "USD"
    balance = manage.balance.get()
    assert balance.result.available == balance.remaining_balance
    assert manage.statement.get(daily=True).result.charges
    lines = manage.usage.get().result.usage
    assert {"precheck"} <= {one.operation for one in lines}
    assert all(one.charged.amount >= 0 for one in lines)
    actions = [one.action for one in manage.audit.each(limit=50)]
    assert len(actions) >= 1


def test_models_policies_events_and_connectors_are_shown_and_set(client: Gatehouse) -> None:
    manage = client.manage
    assert [(one.version, one.live) for one in manage.models.each()] == [(0, True)]
    assert manage.models.get(0).result.report is None
    with pytest.raises(NotFound):
        manage.models.promote(7)
    set_ = manage.policies.set_precheck(avs={"NO_MATCH": models.Advice.DECLINE}).result
    assert set_.precheck.avs == {"NO_MATCH": "DECLINE"}
    assert manage.policies.set_sentry(entities=["loyalty"]).result.sentry.entities == ("loyalty",)
    told = manage.events.set(decisions=["pipeline:REVIEW"], low_balance=2.5).result
    assert manage.events.get().result == told
    assert list(manage.connectors.each()) == []


def test_the_asynchronous_client_manages_alike(client: Gatehouse, merchant: Merchant,
                                               shared: Server) -> None:  # fmt: skip
    async def walk() -> None:
        async with AsyncGatehouse(merchant.key, shared.base) as other:
            manage = other.manage
            job = await manage.feedback.import_many(
                format="csv", content="requestId,label\nreq_01kabcdefghjkmnpqrstvwxyz0,FRAUD\n"
            )
            done = await manage.jobs.wait(job.result.job_id)
            assert done.result.kind == "feedback.import"
            assert [one.version async for one in manage.models.each()] == [0]
            await manage.lists.create(name="async", kind="words")
            assert "async" in [one.name async for one in manage.lists.each()]

    asyncio.run(walk())


def _check(client: Gatehouse) -> Answer[models.PreCheckResponse]:
    return client.precheck(card_number=sandbox.APPROVED, card_expiry_date=sandbox.EXPIRY)
