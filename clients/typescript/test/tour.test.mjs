// Every operation against a real sandbox server, and what becomes of refused calls.

import assert from "node:assert/strict";
import { test } from "node:test";

import * as gatehouse from "gatehouse-client";
import { sandboxAddresses, sandboxCards } from "gatehouse-client";
import { BASE, client } from "./sandbox.mjs";

const { accepted, declined, wrongSecurityCode } = sandboxCards;

test("a card is checked, and the answer has its cost and what is left", async () => {
  const answer = await client("tour").precheck({
    ...accepted,
    cardAddress: { street: "1 Market Street", postalCode: "94105" },
  });
  assert.equal(answer.result.advice, "ACCEPT");
  assert.equal(answer.result.avsResult, "FULL_MATCH");
  assert.match(answer.requestId, /^req_/);
  assert.equal(answer.remainingBalance.currency, "USD");
  assert.equal(answer.billing.items[0].feeType, "PRECHECK");
  assert.equal(answer.isReplay, false);
});

test("sandbox cards do what their names say", async () => {
  const shop = client("tour");
  assert.equal((await shop.precheck(declined)).result.advice, "DECLINE");
  assert.equal((await shop.precheck(wrongSecurityCode)).result.cvv2Result, "NO_MATCH");
  const scored = await shop.sentry({ device: { ipAddress: sandboxAddresses.torExit } });
  assert.ok(scored.result.reasons.some((reason) => reason.code === "IP_TOR_EXIT"));
});

test("every operation can be called", async () => {
  const shop = client("tour");
  const all = Object.entries(gatehouse.OPERATIONS);
  // The management API has a walk of its own.
  const merchant = all.filter(([, { path }]) => !path.startsWith("/api/v1/manage/"));
  const called = new Set(merchant.map(([name]) => name));
  const done = async (name, asked) => (called.delete(name), (await asked).result);
  const { cardNumber, cardExpiryDate } = accepted;

  await done("precheck", shop.precheck(accepted));
  await done("idverify", shop.idVerify({ cardNumber, cardExpiryDate }));
  await done("sentry", shop.sentry({ customInputs: { plan: "gold" } }));
  await done("rules", shop.rules({ customerIp: sandboxAddresses.home, amount: 5 }));
  const { requestId } = await shop.pipeline({
    pipelineId: 1,
    preCheckRequest: accepted,
    // Another card than the one that is charged: this opens a review.
    rulesRequest: { cardNumber: "4111111111111111" },
    gatewayRequest: { amount: 59.9, currency: "USD" },
  });
  called.delete("pipeline");
  await done("listPipelines", shop.pipelines());
  await done("getDecision", shop.decisions.get(requestId));
  await done("listDecisions", shop.decisions.list({ limit: 1 }).first());
  await done("searchDecisions", shop.decisions.search({ operation: "pipeline" }).first());
  await done("listReviews", shop.reviews.list().first());
  await done("searchReviews", shop.reviews.search({ status: "OPEN" }).first());
  await done("getReview", shop.reviews.get(requestId));
  await done("assignReview", shop.reviews.assign(requestId, { assignee: "amelia" }));
  await done("noteReview", shop.reviews.note(requestId, { text: "called the customer" }));
  const said = { resolution: "APPROVE", reason: "known customer" };
  await done("resolveReview", shop.reviews.resolve(requestId, said));
  const other = { resolution: "DECLINE", reason: "charged back" };
  await done("correctReview", shop.reviews.correct(requestId, other));
  await done("resolveReviews", shop.reviews.resolveMany({ requestIds: [requestId], ...other }));
  // A payment waited for it, so that it cannot be undone.
  await assert.rejects(done("reopenReview", shop.reviews.reopen(requestId)), { code: "not_undone" });
  await done("giveFeedback", shop.feedback.give({ requestId, label: "LEGITIMATE" }));
  await done("getFeedback", shop.feedback.get(requestId));
  await done("getBalance", shop.balance());
  await done("getStatement", shop.statement({ daily: true }));
  const { events } = await done("listEvents", shop.events.list().first());
  await done("getEvent", shop.events.get(events[0].id));
  assert.deepEqual([...called], []);
});

test("lists go on over all pages, and so do events", async () => {
  const shop = client("pages");
  const made = [];
  for (let n = 0; n < 5; n += 1) made.unshift((await shop.precheck(accepted)).requestId);
  const ids = async (list) => {
    const found = [];
    for await (const each of list) found.push(each.requestId);
    return found;
  };
  assert.deepEqual(await ids(shop.decisions.list({ limit: 2 })), made);
  assert.deepEqual(await ids(shop.decisions.search({ operation: "precheck", limit: 2 })), made);
  assert.equal((await shop.decisions.list({ limit: 2 }).take(3)).length, 3);

  await shop.feedback.give({ requestId: made[0], label: "FRAUD" });
  await shop.feedback.give({ requestId: made[1], label: "FRAUD" });
  const query = { types: ["feedback.received"], limit: 1 };
  const told = [];
  for await (const event of shop.events.list(query)) told.push(event.data.requestId);
  assert.deepEqual(told, [made[0], made[1]]);
});

test("events that come later arrive while somebody waits for them", async () => {
  const shop = client("waiting");
  const { requestId } = await shop.precheck(accepted);
  const stop = new AbortController();
  const waiting = (async () => {
    const types = ["feedback.received"];
    for await (const event of shop.events.follow({ types }, { signal: stop.signal })) return event;
    return null;
  })();
  await shop.feedback.give({ requestId, label: "CHARGEBACK" });
  const event = await waiting;
  assert.equal(event.type, "feedback.received");
  assert.equal(event.data.decision.requestId, requestId);

  const idle = shop.events.follow({ types: ["key.revoked"] }, { signal: stop.signal }).take(1);
  setTimeout(() => stop.abort(), 20);
  await assert.rejects(idle, { name: "AbortError" });
});

test("wrong fields are listed by their paths", async () => {
  const asked = client("tour").precheck({ cardNumber: "4242424242424241", cardExpiryDate: "12/35" });
  await assert.rejects(asked, (error) => {
    assert.ok(error instanceof gatehouse.InvalidRequest);
    assert.deepEqual(Object.keys(error.fieldErrors).sort(), ["cardExpiryDate", "cardNumber"]);
    assert.equal(error.name, "InvalidRequest");
    assert.match(error.requestId, /^req_/);
    assert.ok(error.remainingBalance.amount > 0);
    assert.doesNotMatch(error.message + error.stack, /4242/);
    return true;
  });
});

test("a field that nothing reads is a warning, or an error for those who want that", async () => {
  const misspelt = { ...accepted, cardCvv: "123" };
  const [warning] = (await client("tour").precheck(misspelt)).warnings;
  assert.equal(warning.path, "cardCvv");
  const strict = client("tour", { strict: true });
  await assert.rejects(strict.precheck(misspelt), gatehouse.InvalidRequest);
});

test("a balance that is used up is an error of its own, and nothing is tried again", async () => {
  await assert.rejects(client("poor").precheck(accepted), (error) => {
    assert.ok(error instanceof gatehouse.InsufficientBalance);
    assert.equal(error.status, 402);
    assert.equal(error.code, "insufficient_balance");
    assert.equal(error.remainingBalance.amount, 0.01);
    return true;
  });
});

test("a key that is wrong, or not for this, is an error of its own", async () => {
  const stranger = new gatehouse.Gatehouse({ apiKey: "gh_sandbox_nobody", baseUrl: BASE });
  await assert.rejects(stranger.balance(), gatehouse.AuthenticationError);
  await assert.rejects(client("narrow").balance(), gatehouse.PermissionDenied);
  await assert.rejects(client("tour").decisions.get("req_unknown"), gatehouse.NotFound);
});

test("a limited key is waited for, and told of when there is no patience", async () => {
  const hasty = client("limited", { maxRetries: 0 });
  const asked = Array.from({ length: 6 }, () => hasty.balance());
  const outcomes = await Promise.allSettled(asked);
  const refused = outcomes.filter((each) => each.status === "rejected");
  assert.ok(refused.length > 0);
  for (const { reason } of refused) {
    assert.ok(reason instanceof gatehouse.RateLimited);
    assert.ok(reason.retryAfterS >= 1);
  }
  assert.ok((await client("limited").balance()).result.available.amount > 0);
});

test("one idempotency key stands for one request", async () => {
  const shop = client("tour");
  const own = { idempotencyKey: crypto.randomUUID() };
  const first = await shop.precheck(accepted, own);
  const again = await shop.precheck(accepted, own);
  assert.equal(again.isReplay, true);
  assert.equal(again.requestId, first.requestId);
  await assert.rejects(shop.precheck(declined, own), gatehouse.IdempotencyKeyReused);
});
