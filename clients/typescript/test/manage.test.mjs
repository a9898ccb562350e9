// The management API through the client's methods, on a real server: a walk by subject.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { test } from "node:test";

import * as gatehouse from "gatehouse-client";
import { sandboxAddresses, sandboxCards, verifyWebhook } from "gatehouse-client";
import { BASE, client } from "./sandbox.mjs";

const { accepted } = sandboxCards;
const office = client("office");
const { manage } = office;
const rules = (amount) => `rule_set: checkout
rules:
  - name: large-order
    condition: order.amount > ${amount}
    outcome: REVIEW
`;
const PIPELINE = `pipeline: 40
name: mine
stages:
  - stage: Rules
    rule_set: checkout
`;
const all = async (list) => {
  const found = [];
  for await (const each of list) found.push(each);
  return found;
};
const until = async (ask, holds) => {
  for (const endsAt = Date.now() + 60_000; ; await new Promise((go) => setTimeout(go, 50))) {
    const found = await ask();
    if (holds(found)) return found;
    assert.ok(Date.now() < endsAt, "it did not happen");
  }
};

test("every operation of management has a method, in groups as in Python", () => {
  const made = Object.values(manage).flatMap((group) => {
    const kind = Object.getPrototypeOf(group);
    return Object.getOwnPropertyNames(kind).filter((name) => name !== "constructor");
  });
  const described = Object.values(gatehouse.OPERATIONS);
  const managing = described.filter(({ path }) => path.startsWith("/api/v1/manage/"));
  assert.equal(made.length, managing.length);
});

test("a rule set is checked, applied, guarded and rolled back, and a pipeline uses it", async () => {
  const { result: wrong } = await manage.rules.check({ document: rules("no.such") });
  assert.equal(wrong.valid, false);
  assert.equal(wrong.flaws[0].line, 4);
  const trial = { document: rules(500), signals: { "order.amount": 700 } };
  assert.equal((await manage.rules.tryOut(trial)).result.status, "REVIEW");
  const first = await manage.rules.apply("checkout", { document: rules(500) }, { ifNoneMatch: "*" });
  const seen = { ifMatch: first.etag };
  const changed = { document: rules(600), note: "fewer reviews" };
  const dry = await manage.rules.apply("checkout", changed, { ...seen, dryRun: true });
  assert.equal(dry.result.dryRun, true);
  const second = await manage.rules.apply("checkout", changed, seen);
  assert.equal(second.result.version, 2);
  const late = manage.rules.apply("checkout", { document: rules(700) }, seen);
  await assert.rejects(late, gatehouse.VersionChanged);
  const back = await manage.rules.rollback("checkout", {}, { ifMatch: second.etag });
  assert.equal(back.result.version, 1);
  const versions = await all(manage.rules.listVersions("checkout", { limit: 1 }));
  assert.deepEqual(versions.map(({ version }) => version), [2, 1]);
  assert.equal((await manage.rules.get("checkout")).result.document, rules(500));
  assert.ok((await all(manage.rules.list())).some(({ name }) => name === "checkout"));

  assert.equal((await manage.pipelines.check({ document: PIPELINE })).result.valid, true);
  assert.equal((await manage.pipelines.apply(40, { document: PIPELINE })).result.version, 1);
  assert.equal((await manage.pipelines.get(40)).result.document, PIPELINE);
  const order = { pipelineId: 40, sentryRequest: { order: { amount: 900, currency: "USD" } } };
  // Servers know of a new pipeline within a second.
  const ask = () =>
    office.pipeline({ ...order, rulesRequest: { amount: 900 } }).catch((error) => {
      if (!(error instanceof gatehouse.InvalidRequest)) throw error;
      return null;
    });
  const answer = await until(ask, (found) => found !== null);
  assert.equal(answer.result.decision, "REVIEW");
  const said = { resolution: "APPROVE", reason: "known" };
  assert.equal((await office.reviews.resolve(answer.requestId, said)).result.status, "APPROVED");

  const started = await manage.rules.backtest({ document: rules(500) });
  const looks = [];
  const onProgress = (job) => looks.push(job.state);
  const { result: job } = await manage.jobs.wait(started.result.jobId, { onProgress });
  assert.equal(job.state, "SUCCEEDED");
  assert.equal(looks.at(-1), "SUCCEEDED");
  assert.ok(job.result);
  assert.ok((await manage.jobs.list().take(1)).length === 1);
});

test("identities are imported, found and erased; one that fails is an error", async () => {
  const { cardNumber } = accepted;
  const content = `cardNumber,firstName,lastName\n${cardNumber},Ann,Archer\nnonsense,Ben,Baker\n`;
  const started = await manage.identities.importMany({ format: "csv", content });
  const { result: job } = await manage.jobs.wait(started.result.jobId);
  assert.deepEqual([job.result.added, job.result.refused], [1, 1]);
  assert.equal((await all(manage.identities.search({ cardNumber }))).length, 1);
  const erased = await manage.identities.erase({ cardNumber, reason: "asked for it" });
  assert.equal(erased.result.erased, 1);
  const none = manage.jobs.wait("job_01kabcdefghjkmnpqrstvwxyz0");
  await assert.rejects(none, gatehouse.NotFound);
  const failed = new gatehouse.JobFailed({ ...job, state: "FAILED", error: "no requests" });
  assert.match(failed.message, /identities.import job_\w+: no requests/);
});

test("entries of lists are changed in bulk, and guarded", async () => {
  const made = await manage.lists.create({ name: "bad-networks", kind: "networks" });
  const entries = [1, 2, 3, 4, 5].map((n) => ({ value: `203.0.113.${n}` }));
  const seen = { ifMatch: made.etag };
  assert.equal((await manage.lists.addEntries("bad-networks", { entries }, seen)).result.added, 5);
  const values = ["203.0.113.1"];
  const late = manage.lists.removeEntries("bad-networks", { values }, seen);
  await assert.rejects(late, gatehouse.VersionChanged);
  assert.equal((await manage.lists.removeEntries("bad-networks", { values })).result.removed, 1);
  assert.equal((await all(manage.lists.searchEntries("bad-networks", { limit: 3 }))).length, 4);
  const log = await all(manage.lists.listOperations("bad-networks", { limit: 1 }));
  assert.deepEqual(log.map(({ action }) => action), ["list.remove", "list.add", "list.create"]);
  assert.equal((await manage.lists.get("bad-networks")).result.entries, 4);
  assert.equal((await manage.lists.drop("bad-networks", { force: false })).result.entries, 4);
});

test("a webhook is made with its secret, tried and replayed", async () => {
  const heard = [];
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    heard.push([Buffer.concat(parts), request.headers]);
    response.writeHead(204).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const url = `http://127.0.0.1:${server.address().port}/in`;
    const made = await manage.webhooks.create({ url, events: ["decision.made"] });
    const { id, secret } = made.result;
    assert.match(secret, /^whsec_/);
    assert.doesNotMatch(JSON.stringify(made), /whsec_/);
    assert.equal((await manage.webhooks.get(id)).result.secret, undefined);
    assert.equal((await manage.webhooks.test(id)).result.outcome, "accepted");
    const { requestId } = await office.precheck(accepted);
    await until(() => heard.length, (count) => count === 2);
    const { event } = await verifyWebhook(...heard[1], secret);
    assert.equal(event.data.requestId, requestId);
    assert.equal((await manage.webhooks.replay(id, { eventId: event.id })).result.messages, 1);
    await until(() => heard.length, (count) => count === 3);
    assert.equal((await verifyWebhook(...heard[2], secret)).id, event.id);
    const attempts = () => all(manage.webhooks.listAttempts(id, { limit: 1 }));
    await until(attempts, (found) => found.length === 3);
    const own = { ifMatch: made.etag };
    const rotated = await manage.webhooks.rotateSecret(id, { overlapS: 0 }, own);
    assert.notEqual(rotated.result.secret, secret);
    const late = manage.webhooks.update(id, { ordered: true }, own);
    await assert.rejects(late, gatehouse.VersionChanged);
    assert.equal((await manage.webhooks.delete(id)).result.deleted, true);
  } finally {
    server.close();
  }
});

test("keys, feedback, balance, statement, usage and the rest", async () => {
  const own = { idempotencyKey: crypto.randomUUID() };
  const till = { name: "till", scopes: ["precheck"] };
  const told = await manage.keys.issue(till, own);
  const again = await manage.keys.issue(till, own);
  assert.equal(again.isReplay, true);
  assert.equal(again.result.key, told.result.key);
  const shop = new gatehouse.Gatehouse({ apiKey: told.result.key, baseUrl: BASE });
  const { requestId } = await shop.precheck(accepted);
  await assert.rejects(shop.manage.keys.list().first(), gatehouse.PermissionDenied);
  const { keyId } = told.result.issued;
  const next = await manage.keys.rotate(keyId, { overlapS: 0 });
  const gone = await manage.keys.revoke(next.result.issued.keyId, { reason: "closed" });
  assert.equal(gone.result.status, "revoked");

  const items = [{ requestId, label: "FRAUD" }, { requestId: "req_x", label: "FRAUD" }];
  const { result: kept } = await manage.feedback.give({ items });
  assert.deepEqual([kept.recorded, kept.refused], [1, 1]);
  assert.equal((await manage.account.get()).result.currency, "USD");
  assert.ok((await manage.balance.get()).result.available.amount > 0);
  assert.ok((await manage.statement.get({ daily: true })).result.charges.length > 0);
  const usage = (await manage.usage.get()).result.usage;
  assert.ok(usage.some(({ operation }) => operation === "precheck"));
  assert.deepEqual((await all(manage.models.list())).map(({ version }) => version), [0]);
  await assert.rejects(manage.models.promote(7), gatehouse.NotFound);
  const policies = await manage.policies.setPrecheck({ avs: { NO_MATCH: "DECLINE" } });
  assert.deepEqual(policies.result.precheck.avs, { NO_MATCH: "DECLINE" });
  assert.equal((await manage.events.set({ lowBalance: 2.5 })).result.lowBalance.amount, 2.5);
  assert.deepEqual(await all(manage.connectors.list()), []);
  assert.ok((await manage.audit.list({ limit: 2 }).take(5)).length === 5);
});

test("a client is made of the environment, or says what is missing", () => {
  const before = { ...process.env };
  try {
    process.env.GATEHOUSE_API_KEY = "k";
    process.env.GATEHOUSE_URL = "https://pay.example/";
    assert.ok(gatehouse.Gatehouse.fromEnv() instanceof gatehouse.GatehouseChecks);
    delete process.env.GATEHOUSE_API_KEY;
    assert.throws(() => gatehouse.Gatehouse.fromEnv(), /GATEHOUSE_API_KEY/);
  } finally {
    process.env = before;
  }
});
