// Calls every operation with the client that @hey-api/openapi-ts makes.
import { client } from "./hey_api/client.gen";
import * as api from "./hey_api/sdk.gen";
import type { Failure, PreCheckRequest } from "./hey_api/types.gen";

declare const process: { argv: string[]; exitCode?: number };

const [, , baseUrl, key] = process.argv;
client.setConfig({ baseUrl: baseUrl!, headers: { "X-API-KEY": key! } });

const card: PreCheckRequest = {
  cardNumber: "4242424242424242",
  cardExpiryDate: "2035-12",
  cardCvv2Value: "123",
};

interface Envelope {
  isSuccess: boolean;
  errors: unknown;
}

function checked<T extends Envelope>(name: string, answer: { data?: T; error?: Failure }): T {
  if (answer.data === undefined || !answer.data.isSuccess) {
    throw new Error(`${name}: ${JSON.stringify(answer.error ?? answer.data)}`);
  }
  console.log(name);
  return answer.data;
}

async function main(): Promise<void> {
  const accepted = checked("precheck", await api.precheck({ body: card }));
  const advice: "ACCEPT" | string = accepted.preCheckResponse!.advice;
  if (advice !== "ACCEPT") throw new Error(advice);
  checked(
    "idverify",
    await api.idverify({
      body: { cardNumber: card.cardNumber, cardExpiryDate: card.cardExpiryDate },
    }),
  );
  checked("sentry", await api.sentry({ body: { customInputs: { plan: "gold", visits: 3 } } }));
  checked("rules", await api.rules({ body: { customerIp: "203.0.113.1", amount: 5 } }));
  const paid = checked(
    "pipeline",
    await api.pipeline({
      body: {
        pipelineId: 1,
        preCheckRequest: card,
        // Another card than the one that is charged: this opens a review.
        rulesRequest: { cardNumber: "4111111111111111" },
        gatewayRequest: { amount: 59.9, currency: "USD" },
      },
    }),
  );
  const requestId = paid.requestId;
  checked("listPipelines", await api.listPipelines());
  checked("listDecisions", await api.listDecisions({ query: { limit: 5 } }));
  checked("getDecision", await api.getDecision({ path: { requestId } }));
  checked("listReviews", await api.listReviews());
  checked("getReview", await api.getReview({ path: { requestId } }));
  checked(
    "assignReview",
    await api.assignReview({ path: { requestId }, body: { assignee: "amelia" } }),
  );
  checked(
    "noteReview",
    await api.noteReview({ path: { requestId }, body: { text: "called the customer" } }),
  );
  checked(
    "resolveReview",
    await api.resolveReview({
      path: { requestId },
      body: { resolution: "APPROVE", reason: "known customer" },
    }),
  );
  checked(
    "correctReview",
    await api.correctReview({
      path: { requestId },
      body: { resolution: "DECLINE", reason: "charged back" },
    }),
  );
  // A payment waited for it, so that it cannot be undone.
  const again = await api.reopenReview({ path: { requestId }, body: {} });
  if (again.error?.errors.code !== "not_undone") throw new Error(JSON.stringify(again));
  console.log("reopenReview");
  checked(
    "resolveReviews",
    await api.resolveReviews({
      body: { requestIds: [requestId], resolution: "DECLINE", reason: "charged back" },
    }),
  );
  checked("giveFeedback", await api.giveFeedback({ body: { requestId, label: "LEGITIMATE" } }));
  checked("getFeedback", await api.getFeedback({ path: { requestId } }));
  checked(
    "searchDecisions",
    await api.searchDecisions({ body: { operation: "pipeline", limit: 5 } }),
  );
  checked("searchReviews", await api.searchReviews({ body: { status: "DECLINED" } }));
  checked("getBalance", await api.getBalance());
  checked("getStatement", await api.getStatement({ query: { daily: true } }));
  const told = checked("listEvents", await api.listEvents({ query: { limit: 1 } }));
  const eventId: string = told.eventsResponse!.events[0]!.id;
  checked("getEvent", await api.getEvent({ path: { eventId } }));
  const refused = await api.getDecision({ path: { requestId: "req_unknown" } });
  if (refused.error?.errors.code !== "not_found") throw new Error("no code in a failure");
}

main().catch((problem: unknown) => {
  console.error(problem);
  process.exitCode = 1;
});
