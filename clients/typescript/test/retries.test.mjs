// What the client does when answers are late, lost or refused.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";

import * as gatehouse from "gatehouse-client";
import { Gatehouse, sandboxCards } from "gatehouse-client";
import { accepted, answering, client, envelope, losingAnswers, refusal } from "./sandbox.mjs";

const card = sandboxCards.accepted;
const at = (baseUrl, more = {}) => new Gatehouse({ apiKey: "gh_sandbox_x", baseUrl, ...more });
const busy = (response) => refusal(response, 503, "overloaded", { "Retry-After": "0" });

test("a payment whose answer is lost twice is charged once", async () => {
  const before = (await client("retries").balance()).result.available.amount;
  const answer = await losingAnswers(2, async (baseUrl, lost) => {
    const shop = client("retries", { baseUrl });
    const body = {
      pipelineId: 1,
      preCheckRequest: card,
      rulesRequest: { customerIp: "203.0.113.1" },
      gatewayRequest: { amount: 5, currency: "USD" },
    };
    const paid = await shop.pipeline(body);
    assert.equal(lost(), 2);
    return paid;
  });
  assert.equal(answer.isReplay, true);
  const after = (await client("retries").balance()).result.available.amount;
  const charged = answer.billing.amountClosed.amount;
  assert.ok(charged > 0);
  assert.equal(after.toFixed(6), (before - charged).toFixed(6));
  const found = await client("retries").decisions.list().take(10);
  assert.deepEqual(found.map((each) => each.requestId), [answer.requestId]);
});

test("a server that never answers is asked three times with one idempotency key", async (each) => {
  // The limit ends when the server has the request: a machine that is busy for longer than a short limit
  // would end it before the request is sent.
  const timeoutMs = 54_321;
  const limits = [];
  const wait = globalThis.setTimeout;
  each.mock.method(globalThis, "setTimeout", (then, ms, ...more) => {
    if (ms === timeoutMs) limits.push(then);
    return wait(then, ms, ...more);
  });
  const silent = () => limits.at(-1)();
  await answering([silent], async (base, seen) => {
    await assert.rejects(at(base, { timeoutMs }).precheck(card), (error) => {
      assert.ok(error instanceof gatehouse.TimedOut);
      assert.ok(error instanceof gatehouse.ConnectionFailed);
      assert.equal(error.idempotencyKey, seen[0].headers["idempotency-key"]);
      assert.equal(error.traceId, seen[0].headers["x-request-id"]);
      return true;
    });
    assert.equal(seen.length, 3);
    assert.equal(new Set(seen.map((each) => each.headers["idempotency-key"])).size, 1);
    assert.equal(new Set(seen.map((each) => each.body)).size, 1);
  });
});

test("the time limit also holds for an answer that stops in the middle", async () => {
  const half = (response) => (response.writeHead(200, { "Content-Length": "99" }), response.write("{"));
  await answering([half], async (base) => {
    const shop = at(base, { timeoutMs: 40, maxRetries: 0 });
    await assert.rejects(shop.balance(), gatehouse.TimedOut);
  });
});

test("busy servers, limits and requests in flight are tried again after the wait they ask for", async () => {
  const limited = (response) => refusal(response, 429, "rate_limited", { "Retry-After": "0" });
  const flying = (response) => refusal(response, 409, "idempotency_in_flight", { "Retry-After": "0" });
  for (const first of [busy, limited, flying]) {
    await answering([first, accepted], async (base, seen) => {
      assert.equal((await at(base).precheck(card)).result.advice, "ACCEPT");
      assert.equal(seen.length, 2);
    });
  }
});

test("a wait that is a moment, or too long, is understood", async () => {
  const date = { Date: "Tue, 03 Nov 2026 10:00:00 GMT" };
  const moment = { ...date, "Retry-After": "Tue, 03 Nov 2026 10:00:00 GMT" };
  const soon = (response) => refusal(response, 503, "overloaded", moment);
  await answering([soon, accepted], async (base) => {
    assert.equal((await at(base).precheck(card)).result.advice, "ACCEPT");
  });
  const late = (response) => refusal(response, 429, "card_enumeration", { "Retry-After": "86400" });
  await answering([late], async (base, seen) => {
    await assert.rejects(at(base).precheck(card), { retryAfterS: 86400, code: "card_enumeration" });
    assert.equal(seen.length, 1);
  });
});

test("what would be done twice is not sent again, unless nothing was done", async () => {
  const note = { text: "called" };
  await answering([busy], async (base, seen) => {
    await assert.rejects(at(base).reviews.note("req_1", note), gatehouse.ServiceUnavailable);
    assert.equal(seen.length, 1);
    assert.equal(seen[0].headers["idempotency-key"], undefined);
  });
  const slow = (response) => refusal(response, 408, "body_timeout", { "Retry-After": "0" });
  const taken = (response) => envelope(response, 200, { reviewResponse: {} });
  await answering([slow, taken], async (base, seen) => {
    await at(base).reviews.note("req_1", note);
    assert.equal(seen.length, 2);
  });
});

test("feedback that says the same twice changes nothing, so it is sent again", async () => {
  const taken = (response) => envelope(response, 200, { feedbackResponse: {} });
  await answering([busy, taken], async (base, seen) => {
    await at(base).feedback.give({ requestId: "req_1", label: "FRAUD" });
    assert.equal(seen.length, 2);
  });
});

test("a call has its own time limit, trace id and headers, and shows those of the answer", async () => {
  const limited = (response) => envelope(response, 200, { balanceResponse: {} }, { "RateLimit-Remaining": "7" });
  await answering([limited], async (base, seen) => {
    const own = { traceId: "trace-1", headers: { traceparent: "00-1-1-00" } };
    const { headers } = await at(base).balance(own);
    assert.equal(headers.get("RateLimit-Remaining"), "7");
    assert.equal(seen[0].headers["x-request-id"], "trace-1");
    assert.equal(seen[0].headers.traceparent, "00-1-1-00");
  });
  const refused = (response) => refusal(response, 404, "not_found", { "X-Request-Id": "trace-2" });
  await answering([refused], async (base) => {
    const error = await at(base).balance().catch((thrown) => thrown);
    assert.equal(error.headers.get("X-Request-Id"), "trace-2");
  });
  for (const own of [
    { headers: { "x-api-key": "another" } },
    { headers: { "Idempotency-Key": "a" } },
    { headers: { odd: "a\r\nX-API-KEY: b" } },
    { headers: { "a b": "c" } },
    { traceId: "x".repeat(129) },
  ])
    assert.throws(() => at("https://x.test").balance(own), gatehouse.GatehouseError);
});

test("refusals that repeating does not change are not repeated", async () => {
  const resolved = (response) => refusal(response, 409, "already_resolved");
  await answering([resolved], async (base, seen) => {
    const said = { resolution: "APPROVE", reason: "known" };
    await assert.rejects(at(base).reviews.resolve("req_1", said), { name: "Conflict", status: 409 });
    assert.equal(seen.length, 1);
  });
});

test("an address where nothing listens is tried again and then told of", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  const shop = at(`http://127.0.0.1:${port}`, { maxRetries: 1 });
  const error = await shop.precheck(card).catch((thrown) => thrown);
  assert.equal(error.name, "ConnectionFailed");
  assert.match(error.message, /cannot be reached/);
  assert.equal(error.cause.cause.code, "ECONNREFUSED");
  assert.equal(error.headers, null);
});

test("what is no answer of Gatehouse is told of, and a redirect is not followed", async () => {
  const page = (response) => response.writeHead(404, { "Content-Type": "text/html" }).end("<p>no");
  const away = (response) => response.writeHead(307, { Location: "/elsewhere" }).end();
  for (const answer of [page, away]) {
    await answering([answer], async (base, seen) => {
      await assert.rejects(at(base).precheck(card), gatehouse.UnreadableAnswer);
      assert.equal(seen.length, 1);
    });
  }
});

test("words and fields of a later version are passed on", async () => {
  const later = (response) =>
    envelope(response, 200, { preCheckResponse: { advice: "ASK_AGAIN", more: 1 }, extra: {} });
  await answering([later], async (base) => {
    assert.equal((await at(base).precheck(card)).result.advice, "ASK_AGAIN");
  });
  const odd = (response) => refusal(response, 418, "a_new_code");
  await answering([odd], async (base) => {
    await assert.rejects(at(base).precheck(card), { code: "a_new_code", name: "InvalidRequest" });
  });
});

test("a caller who gives up ends the call and its waiting at once", async () => {
  const wait = (response) => refusal(response, 503, "overloaded", { "Retry-After": "20" });
  await answering([wait], async (base, seen) => {
    const stop = new AbortController();
    const asked = at(base).precheck(card, { signal: stop.signal });
    while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort(new Error("the customer left"));
    await assert.rejects(asked, /the customer left/);
  });
});
