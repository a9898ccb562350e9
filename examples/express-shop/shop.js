// The shop's own part: orders, what Gatehouse says about them, and what it tells later.

import express from "express";
import {
  ConnectionFailed,
  IdempotencyKeyReused,
  InsufficientBalance,
  InvalidRequest,
  ServerError,
  SignatureInvalid,
  hide,
  verifyWebhook,
} from "gatehouse-client";

const PIPELINE = 1;
const CURRENCY = "USD";

/**
 * What the shop keeps of an order, without the card. A real shop has a database.
 *
 * @typedef {object} Order
 * @property {string} orderId
 * @property {number} amount
 * @property {"asking" | "paid" | "accepted" | "waiting" | "declined"} status `accepted`: nothing was charged
 * @property {number} attempt How often the buyer tried to pay.
 * @property {string | null} requestId Gatehouse's id of the last attempt that was answered.
 * @property {string | null} payment What the payment gateway said, if it was asked.
 * @property {string | null} paymentId The payment at the provider, to capture or refund it there.
 * @property {boolean} tryLater Whether it was declined only because somebody did not answer.
 * @property {Set<string>} sentCards Last digits of the cards that were sent in this attempt.
 */

/**
 * An application that sells things.
 *
 * @param {import("gatehouse-client").Gatehouse} gatehouse
 * @param {string} secret The secret of its webhook.
 * @param {string | false} trustProxy Whose `X-Forwarded-For` is believed, such as `loopback`.
 */
export function makeShop(gatehouse, secret, trustProxy = false) {
  const shop = express();
  /** @type {Map<string, Order>} */
  const orders = new Map();
  /** @type {Set<string>} */
  const seen = new Set();
  shop.set("trust proxy", trustProxy);

  // A signature is about bytes: this route must come before anything that parses JSON.
  shop.post("/webhooks/gatehouse", express.raw({ type: "*/*", limit: "1mb" }), async (request, response) => {
    const { id, event } = await verifyWebhook(request.body, request.headers, secret);
    // A message may come twice.
    if (!seen.has(id)) noteEvent(orders, event);
    seen.add(id);
    response.status(204).end();
  });

  shop.use(express.json({ limit: "16kb" }));

  shop.post("/orders", async (request, response) => {
    const orderId = request.body?.orderId;
    // It becomes a part of the idempotency key.
    if (typeof orderId !== "string" || !/^[A-Za-z0-9-]{1,64}$/.test(orderId)) {
      response.status(400).json({ problem: "orderId must have letters, digits and dashes" });
      return;
    }
    const order = begun(orders, orderId, request.body.amount);
    if (order.amount !== request.body.amount) {
      response.status(409).json({ problem: "this order has another amount" });
      return;
    }
    if (order.status === "asking") await pay(gatehouse, order, request);
    response.status(201).json(shown(order));
  });

  shop.get("/orders/:orderId", (request, response) => {
    const order = orders.get(request.params.orderId);
    response.status(order ? 200 : 404).json(order ? shown(order) : { problem: "no such order" });
  });

  shop.use(tell);
  return shop;
}

/**
 * The order as it is stored before Gatehouse is asked.
 *
 * @param {Map<string, Order>} orders
 * @param {string} orderId
 * @param {number} amount
 */
function begun(orders, orderId, amount) {
  /** @type {Order} */
  const fresh = { orderId, amount, status: "asking", attempt: 1, requestId: null, payment: null, paymentId: null, tryLater: false, sentCards: new Set() };
  const order = orders.get(orderId) ?? fresh;
  // The buyer tries again, with another card or a corrected one: that is another attempt.
  if (order.status === "declined") beginAttempt(order);
  orders.set(orderId, order);
  return order;
}

/** @param {Order} order */
function beginAttempt(order) {
  Object.assign(order, { status: "asking", attempt: order.attempt + 1, sentCards: new Set() });
}

/**
 * What the buyer is told of an order.
 *
 * @param {Order} order
 */
function shown({ sentCards, ...order }) {
  return order;
}

/**
 * Asks Gatehouse to decide about an order, and to charge the card if it is accepted.
 *
 * When this fails, the answer is lost and the order stays as it is: the next try repeats the same
 * attempt, and gets the answer to it if it was processed.
 *
 * @param {import("gatehouse-client").Gatehouse} gatehouse
 * @param {Order} order
 * @param {express.Request} request
 */
async function pay(gatehouse, order, request) {
  const { card } = request.body;
  const attempt = nameOf(order);
  order.sentCards.add(String(card?.cardNumber).slice(-4));
  const body = {
    pipelineId: PIPELINE,
    clientReferenceId: attempt,
    rulesRequest: { customerIp: request.ip },
    // What is hidden is sent, and no log of the shop can show it.
    preCheckRequest: {
      cardNumber: hide(String(card?.cardNumber)),
      cardExpiryDate: String(card?.cardExpiryDate),
      cardCvv2Value: hide(String(card?.cardCvv2Value)),
    },
    gatewayRequest: { amount: order.amount, currency: CURRENCY },
  };
  try {
    const { requestId, result } = await gatehouse.pipeline(body, {
      idempotencyKey: attempt,
      // The issuer and the payment gateway may take 3 and 10 seconds.
      timeoutMs: 20_000,
    });
    settle(order, attempt, { requestId, ...result }, result.gatewayResponse);
  } catch (error) {
    if (!(error instanceof IdempotencyKeyReused)) throw error;
    // This attempt was processed with another card, and the answer was lost: what became of it?
    const records = await gatehouse.decisions.list({ clientReferenceId: attempt }).take(20);
    const found = records.find((record) => isOf(order, record));
    if (found) settle(order, attempt, found, paymentOf(found));
    // The name was used for something else, so nothing was done for this order under it.
    else if (records.length > 0) beginAttempt(order);
    if (!found) throw error;
  }
}

/** @param {import("gatehouse-client").PublicDecision} record */
function paymentOf(record) {
  return record.stages.find(({ name }) => name === "Gateway")?.result;
}

/**
 * Whether a record is of this attempt: the reference alone could be somebody else's.
 *
 * @param {Order} order
 * @param {import("gatehouse-client").PublicDecision} record
 */
function isOf(order, record) {
  const { amountMinor, currency } = paymentOf(record) ?? {};
  return (
    record.clientReferenceId === nameOf(order) &&
    order.sentCards.has(record.card?.lastFour ?? "") &&
    (amountMinor ?? Math.round(order.amount * 100)) === Math.round(order.amount * 100) &&
    (currency ?? CURRENCY) === CURRENCY
  );
}

/**
 * The name of an attempt to pay: its idempotency key, and its name in Gatehouse's records.
 *
 * @param {Order} order
 */
function nameOf(order) {
  return `express-shop-${order.orderId}-${order.attempt}`;
}

/**
 * Notes the answer to an attempt, unless it came late and the order has gone on.
 *
 * @param {Order} order
 * @param {string} attempt
 * @param {{requestId: string, decision?: string, retryable?: boolean}} decided
 * @param {{status?: unknown, paymentId?: unknown} | null | undefined} payment
 */
function settle(order, attempt, decided, payment) {
  if (attempt !== nameOf(order) || order.status !== "asking") return;
  const { decision } = decided;
  order.requestId = decided.requestId;
  order.tryLater = decided.retryable === true;
  order.payment = typeof payment?.status === "string" ? payment.status : null;
  order.paymentId = typeof payment?.paymentId === "string" ? payment.paymentId : null;
  // The decision is about the order. Whether money was taken, the payment says.
  if (decision === "ACCEPT") order.status = order.payment === "APPROVED" ? "paid" : "accepted";
  // A word of a later version is looked at by a person, like a review.
  else order.status = decision === "DECLINE" ? "declined" : "waiting";
}

/**
 * @param {Map<string, Order>} orders
 * @param {import("gatehouse-client").PublicEvent} event
 */
function noteEvent(orders, event) {
  if (event.type !== "review.resolved" && event.type !== "review.corrected") return;
  for (const order of orders.values()) {
    if (order.requestId !== event.data.requestId) continue;
    // A payment that was reversed before does not come back by itself.
    const stands = order.payment === "APPROVED" && event.data.payment !== "LOST";
    if (event.data.state !== "APPROVED") order.status = "declined";
    else order.status = stands ? "paid" : "accepted";
  }
}

/**
 * @param {unknown} error
 * @param {express.Request} _request
 * @param {express.Response} response
 * @param {express.NextFunction} _next
 */
function tell(error, _request, response, _next) {
  const [status, problem, more] = explained(error);
  response.status(status).json({ problem, ...more });
}

/**
 * What the customer is told; what the shop's people need is in the shop's log.
 *
 * @param {any} error
 * @returns {[number, string, object?]}
 */
function explained(error) {
  if (error instanceof SignatureInvalid) return [400, "not a message of Gatehouse"];
  if (error instanceof InvalidRequest) return [422, "check the card", { fields: error.fieldErrors }];
  console.error(error.name, error.code ?? "", error.requestId ?? error.traceId ?? "", error.message);
  if (error instanceof InsufficientBalance) return [503, "payments are closed for the moment"];
  // Of a reused key: another payment is under way, or the next try has another name.
  const again = [ConnectionFailed, ServerError, IdempotencyKeyReused];
  if (again.some((kind) => error instanceof kind)) return [503, "try again"];
  return [error.status === 400 ? 400 : 500, "something went wrong"];
}
