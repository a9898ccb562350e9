// The shop's own part: orders, what Gatehouse says about them, and what it tells later.

import express from "express";
import {
  ConnectionFailed,
  InsufficientBalance,
  InvalidRequest,
  ServerError,
  SignatureInvalid,
  hide,
  verifyWebhook,
} from "gatehouse-client";

const PIPELINE = 1;
const STATUS = { ACCEPT: "paid", REVIEW: "waiting", DECLINE: "declined" };

/** An application that sells things; `secret` is the one of its webhook. */
export function makeShop(gatehouse, secret) {
  const shop = express();
  const orders = new Map();
  const seen = new Set();

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
    const { orderId, amount, card } = request.body;
    const answer = await gatehouse.pipeline(
      {
        pipelineId: PIPELINE,
        clientReferenceId: orderId,
        rulesRequest: { customerIp: request.body.customerIp ?? request.ip },
        // What is hidden is sent, and no log of the shop can show it.
        preCheckRequest: { ...card, cardNumber: hide(card.cardNumber) },
        gatewayRequest: { amount, currency: "USD" },
      },
      // An order that is sent twice by an impatient customer is charged once.
      { idempotencyKey: `order-${orderId}` },
    );
    const { requestId, result } = answer;
    // A word of a later version is looked at by a person.
    const order = { orderId, requestId, status: STATUS[result.decision] ?? "waiting" };
    orders.set(requestId, order);
    response.status(201).json(order);
  });

  shop.get("/orders/:requestId", (request, response) => {
    const order = orders.get(request.params.requestId);
    response.status(order ? 200 : 404).json(order ?? { problem: "no such order" });
  });

  shop.use((error, _request, response, _next) => {
    const [status, problem, more] = explained(error);
    response.status(status).json({ problem, ...more });
  });
  return shop;
}

function noteEvent(orders, event) {
  const order = orders.get(event.data.requestId);
  if (order === undefined) return;
  if (event.type === "review.resolved" || event.type === "review.corrected") {
    order.status = event.data.state === "APPROVED" ? "paid" : "declined";
  }
}

/** What the customer is told; what the shop's people need is in the shop's log. */
function explained(error) {
  if (error instanceof SignatureInvalid) return [400, "not a message of Gatehouse"];
  if (error instanceof InvalidRequest) return [422, "check the card", { fields: error.fieldErrors }];
  console.error(error.name, error.code ?? "", error.requestId ?? error.traceId ?? "", error.message);
  if (error instanceof InsufficientBalance) return [503, "payments are closed for the moment"];
  if (error instanceof ConnectionFailed || error instanceof ServerError) return [503, "try again"];
  return [error.status === 400 ? 400 : 500, "something went wrong"];
}
