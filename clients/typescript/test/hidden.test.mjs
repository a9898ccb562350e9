// Nothing secret is shown, and a key is not sent where it should not go.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";

import { Gatehouse, GatehouseError, hide, sandboxCards } from "gatehouse-client";
import { answering, client, envelope, refusal } from "./sandbox.mjs";

const KEY = "gh_sandbox_verysecret";
const shown = (value) =>
  [inspect(value, { depth: 9, showHidden: true }), JSON.stringify(value), String(value)].join("\n");

test("a client does not show its key", () => {
  assert.doesNotMatch(shown(new Gatehouse({ apiKey: KEY, baseUrl: "https://x.test" })), /verysecret/);
});

test("a hidden card number is sent, and shown nowhere", async () => {
  const body = { cardNumber: hide("4242424242424242"), cardExpiryDate: "2035-12" };
  assert.doesNotMatch(shown(body) + `${body.cardNumber}`, /4242/);
  assert.equal((await client("hidden").precheck(body)).result.card.lastFour, "4242");
});

test("an error shows neither the key nor the card, whatever the server says", async () => {
  const leaking = (response) => {
    response.statusMessage = "no";
    refusal(response, 400, "malformed_body 4242 4242 4242 4242");
  };
  await answering([leaking], async (baseUrl) => {
    const shop = new Gatehouse({ apiKey: KEY, baseUrl });
    const error = await shop.precheck(sandboxCards.accepted).catch((thrown) => thrown);
    assert.doesNotMatch(error.message, /4242/);
    assert.doesNotMatch(shown(error), /verysecret|"cardNumber"/);
  });
});

test("keys and secrets in answers can be read, and are not shown", async () => {
  const made = { id: "whk_1", secret: "whsec_abcdef", keys: ["gh_live_x"] };
  const issued = (response) => envelope(response, 200, { balanceResponse: made });
  await answering([issued], async (baseUrl) => {
    const { result } = await new Gatehouse({ apiKey: KEY, baseUrl }).balance();
    assert.equal(result.secret, "whsec_abcdef");
    assert.doesNotMatch(inspect(result) + JSON.stringify(result), /abcdef/);
  });
});

test("a key goes over HTTPS, or to this machine, and not to addresses with secrets in them", () => {
  const refused = (baseUrl, apiKey = KEY) =>
    assert.throws(() => new Gatehouse({ apiKey, baseUrl }), (error) => {
      assert.ok(error instanceof GatehouseError);
      assert.doesNotMatch(error.message, /verysecret|hunter2/);
      return true;
    });
  refused("http://gatehouse.example.com");
  refused("http://127.0.0.1.example.com");
  refused("https://me:hunter2@gatehouse.example.com");
  refused("https://gatehouse.example.com/?key=hunter2");
  refused("ftp://127.0.0.1");
  refused("gatehouse");
  refused("https://x.test", "");
  refused("https://x.test", `${KEY}\n`);
  for (const each of ["https://x.test/", "http://localhost:8080", "http://[::1]:1/gate/"])
    assert.ok(new Gatehouse({ apiKey: KEY, baseUrl: each }));
});

test("limits are limits", async () => {
  const baseUrl = "https://x.test";
  for (const wrong of [{ timeoutMs: 0 }, { timeoutMs: 1e9 }, { maxRetries: -1 }, { maxRetries: 99 }])
    assert.throws(() => new Gatehouse({ apiKey: KEY, baseUrl, ...wrong }), GatehouseError);
  const shop = new Gatehouse({ apiKey: KEY, baseUrl });
  assert.throws(() => shop.decisions.get(""), /requestId is missing/);
  assert.throws(() => shop.decisions.get(".."), /requestId is missing/);
  const own = { idempotencyKey: "with space" };
  assert.throws(() => shop.precheck(sandboxCards.accepted, own), /visible ASCII/);
  assert.throws(() => hide(undefined), /is it set/);
});

test("a client in a page of a browser refuses to be made", () => {
  globalThis.window = { document: {} };
  try {
    assert.throws(() => new Gatehouse({ apiKey: KEY, baseUrl: "https://x.test" }), /backend/);
  } finally {
    delete globalThis.window;
  }
});
