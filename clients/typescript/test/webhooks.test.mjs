// Webhooks are verified as the specification and another implementation of it do.

import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, sign as signWith } from "node:crypto";
import { test } from "node:test";

import { GatehouseError, hide, SignatureInvalid, signTestWebhook, verifyWebhook } from "gatehouse-client";
import { Webhook } from "standardwebhooks";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const OLD_SECRET = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const BODY = JSON.stringify({ id: "evt_1", type: "review.opened", createdAt: "", actor: "", data: {} });
const NOW = new Date("2026-11-03T10:00:00Z");
const options = { now: () => NOW };

function headersOf(signature, at = NOW) {
  return {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(at.getTime() / 1000),
    "webhook-signature": signature,
  };
}

function signed(secret, at = NOW, body = BODY) {
  return headersOf(new Webhook(secret).sign("evt_1", at, body), at);
}

test("a message that another implementation signed is accepted, in every form it comes in", async () => {
  const headers = signed(SECRET);
  const bytes = new TextEncoder().encode(BODY);
  for (const body of [BODY, bytes, bytes.buffer, Buffer.from(BODY)]) {
    const { id, event, timestamp } = await verifyWebhook(body, headers, SECRET, options);
    assert.deepEqual([id, event.type, timestamp], ["evt_1", "review.opened", NOW]);
  }
  await verifyWebhook(BODY, new Headers(headers), hide(SECRET), options);
  const upper = Object.fromEntries(Object.entries(headers).map(([k, v]) => [k.toUpperCase(), v]));
  await verifyWebhook(BODY, upper, SECRET, options);
});

test("messages that are altered, old, early, or signed by another are refused", async () => {
  const refused = (body, headers) =>
    assert.rejects(verifyWebhook(body, headers, SECRET, options), SignatureInvalid);
  const good = signed(SECRET);
  await refused(`${BODY} `, good);
  await refused(BODY, { ...good, "webhook-id": "evt_2" });
  await refused(BODY, { ...good, "webhook-timestamp": String(NOW.getTime() / 1000 + 1) });
  await refused(BODY, signed(SECRET, new Date(NOW.getTime() - 301_000)));
  await refused(BODY, signed(SECRET, new Date(NOW.getTime() + 301_000)));
  await refused(BODY, signed(OLD_SECRET));
  await refused(BODY, { ...good, "webhook-timestamp": "soon" });
  for (const name of Object.keys(good)) await refused(BODY, { ...good, [name]: undefined });
  for (const odd of ["", "v1", "v1,", "v1,%%%", "v2,AAAA", good["webhook-signature"].replace("v1", "v1a")])
    await refused(BODY, headersOf(odd));
});

test("while a secret is rotated, either signature and either secret will do", async () => {
  const [old, fresh] = [signed(OLD_SECRET), signed(SECRET)];
  const both = headersOf(`${fresh["webhook-signature"]} ${old["webhook-signature"]}`);
  await verifyWebhook(BODY, both, SECRET, options);
  await verifyWebhook(BODY, both, OLD_SECRET, options);
  await verifyWebhook(BODY, old, [SECRET, OLD_SECRET], options);
});

test("a message signed with Ed25519 is verified with the public key", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = Buffer.from(publicKey.export({ format: "jwk" }).x, "base64url");
  const key = `whpk_${raw.toString("base64")}`;
  const content = `evt_1.${NOW.getTime() / 1000}.${BODY}`;
  const signature = signWith(null, Buffer.from(content), privateKey).toString("base64");
  await verifyWebhook(BODY, headersOf(`v1a,${signature}`), key, options);
  await assert.rejects(
    verifyWebhook(`${BODY}x`, headersOf(`v1a,${signature}`), key, options),
    SignatureInvalid,
  );
  const forged = createHmac("sha256", raw).update(content).digest("base64");
  await assert.rejects(verifyWebhook(BODY, headersOf(`v1,${forged}`), key, options), SignatureInvalid);
});

test("a parsed body and a wrong secret are told of", async () => {
  const headers = signed(SECRET);
  await assert.rejects(verifyWebhook(JSON.parse(BODY), headers, SECRET, options), /as it was received/);
  await assert.rejects(verifyWebhook(BODY, headers, "whsec_ü", options), GatehouseError);
  await assert.rejects(verifyWebhook(BODY, headers, [], options), GatehouseError);
  for (const missing of [undefined, null, "", [undefined]]) {
    await assert.rejects(verifyWebhook(BODY, {}, missing, options), (error) => {
      assert.ok(error instanceof GatehouseError && !(error instanceof SignatureInvalid));
      assert.match(error.message, /missing/);
      return true;
    });
  }
});

test("a secret with which anybody could sign is refused", async () => {
  for (const [bytes, fits] of [[1, false], [23, false], [24, true], [64, true], [65, false]]) {
    const secret = `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`;
    const verified = verifyWebhook(BODY, signed(secret), secret, options);
    if (fits) assert.equal((await verified).id, "evt_1");
    else await assert.rejects(verified, /no whsec_/);
  }
});

test("a message that a test signs is one that Gatehouse could have sent", async () => {
  const data = { requestId: "req_1", state: "APPROVED", payment: "STANDS" };
  const { body, headers } = await signTestWebhook({ type: "review.resolved", data }, SECRET);
  const { event, id } = await verifyWebhook(body, headers, SECRET);
  assert.deepEqual([event.type, event.data, event.id], ["review.resolved", data, id]);
  assert.ok(new Webhook(SECRET).verify(body, headers));
  const again = await signTestWebhook({ type: "review.resolved", data, id: "evt_7" }, SECRET, { at: NOW });
  assert.equal((await verifyWebhook(again.body, again.headers, SECRET, options)).id, "evt_7");
  await assert.rejects(verifyWebhook(again.body, again.headers, SECRET), SignatureInvalid);
});
