// What the tests share: clients of the sandbox server that runs them, and servers that misbehave.

import { createServer as createHttpServer } from "node:http";
import { connect, createServer } from "node:net";
import { once } from "node:events";

import { Gatehouse } from "gatehouse-client";

export const BASE = process.env.GATEHOUSE_BASE_URL;
const KEYS = JSON.parse(process.env.GATEHOUSE_TEST_KEYS);

/** A client of one of the accounts of these tests. */
export function client(name, more = {}) {
  return new Gatehouse({ apiKey: KEYS[name], baseUrl: BASE, ...more });
}

/** Runs a function with the address of a server, and stops the server afterwards. */
async function serving(server, use) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await use(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.close();
    server.closeAllConnections?.();
  }
}

/** A server that answers each request with the next of these functions; the last one stays. */
export async function answering(answers, use) {
  const seen = [];
  const server = createHttpServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    seen.push({ method: request.method, url: request.url, headers: request.headers, body });
    answers[Math.min(seen.length, answers.length) - 1](response);
  });
  return serving(server, (base) => use(base, seen));
}

/** A proxy to the sandbox that loses the first answers after the server has given them. */
export async function losingAnswers(count, use) {
  const sockets = new Set();
  let lost = 0;
  const proxy = createServer((near) => {
    const far = connect(Number(new URL(BASE).port), "127.0.0.1");
    for (const each of [near, far]) {
      sockets.add(each);
      each.on("error", () => {});
      each.on("close", () => (near.destroy(), far.destroy()));
    }
    near.on("data", (data) => far.write(data));
    far.on("data", (data) => {
      if (lost < count) {
        lost += 1;
        near.destroy();
      } else near.write(data);
    });
  });
  try {
    return await serving(proxy, (base) => use(base, () => lost));
  } finally {
    for (const each of sockets) each.destroy();
  }
}

/** An answer of Gatehouse. */
export function envelope(response, status, fields, headers = {}) {
  const billing = { items: [], remainingBalance: { currency: "USD", amount: 1 } };
  const whole = { isSuccess: true, errors: null, billing, requestId: "req_1", ...fields };
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(JSON.stringify(whole));
}

/** A refusal of Gatehouse. */
export function refusal(response, status, code, headers = {}) {
  const errors = { message: "Refused.", code, fieldErrors: {}, globalErrors: ["Refused."] };
  envelope(response, status, { isSuccess: false, errors }, headers);
}

/** An accepted card. */
export function accepted(response) {
  envelope(response, 200, { preCheckResponse: { advice: "ACCEPT" } });
}
