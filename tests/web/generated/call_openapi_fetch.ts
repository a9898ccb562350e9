// Calls every operation with the types that openapi-typescript makes.
import createClient from "openapi-fetch";
import type { components, paths } from "./openapi_typescript";

declare const process: { argv: string[]; exitCode?: number };

const [, , baseUrl, key] = process.argv;
const api = createClient<paths>({ baseUrl: baseUrl!, headers: { "X-API-KEY": key! } });

const card: components["schemas"]["PreCheckRequest"] = {
  cardNumber: "4242424242424242",
  cardExpiryDate: "2035-12",
  cardCvv2Value: "123",
};

interface Envelope {
  isSuccess: boolean;
  errors: unknown;
}

function checked<T extends Envelope>(name: string, answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined || !answer.data.isSuccess) {
    throw new Error(`${name}: ${JSON.stringify(answer.error ?? answer.data)}`);
  }
  console.log(name);
  return answer.data;
}

async function main(): Promise<void> {
  const accepted = checked("precheck", await api.POST("/api/v1/precheck", { body: card }));
  const advice: components["schemas"]["Advice"] = accepted.preCheckResponse!.advice;
  if (advice !== "ACCEPT") throw new Error(advice);
  checked(
    "idverify",
    await api.POST("/api/v1/idverify", {
      body: { cardNumber: card.cardNumber, cardExpiryDate: card.cardExpiryDate },
    }),
  );
  checked(
    "sentry",
    await api.POST("/api/v1/sentry", { body: { customInputs: { plan: "gold", visits: 3 } } }),
  );
  checked(
    "rules",
    await api.POST("/api/v1/rules", { body: { customerIp: "203.0.113.1", amount: 5 } }),
  );
  const paid = checked(
    "pipeline",
    await api.POST("/api/v1/pipeline", {
      body: {
        pipelineId: 1,
        preCheckRequest: card,
        // Another card than the one that is charged: this opens a review.
        rulesRequest: { cardNumber: "4111111111111111" },
        gatewayRequest: { amount: 59.9, currency: "USD" },
      },
    }),
  );
  const named = { params: { path: { requestId: paid.requestId } } };
  checked("listPipelines", await api.GET("/api/v1/pipelines"));
  checked("listDecisions", await api.GET("/api/v1/decisions", { params: { query: { limit: 5 } } }));
  checked("getDecision", await api.GET("/api/v1/decisions/{requestId}", named));
  checked("listReviews", await api.GET("/api/v1/reviews"));
  checked("getReview", await api.GET("/api/v1/reviews/{requestId}", named));
  checked(
    "assignReview",
    await api.POST("/api/v1/reviews/{requestId}/assignment", {
      ...named,
      body: { assignee: "amelia" },
    }),
  );
  checked(
    "noteReview",
    await api.POST("/api/v1/reviews/{requestId}/notes", {
      ...named,
      body: { text: "called the customer" },
    }),
  );
  checked(
    "resolveReview",
    await api.POST("/api/v1/reviews/{requestId}", {
      ...named,
      body: { resolution: "APPROVE", reason: "known customer" },
    }),
  );
  checked(
    "correctReview",
    await api.POST("/api/v1/reviews/{requestId}/correction", {
      ...named,
      body: { resolution: "DECLINE", reason: "charged back" },
    }),
  );
  // A payment waited for it, so that it cannot be undone.
  const again = await api.POST("/api/v1/reviews/{requestId}/reopening", {
    ...named,
    body: {},
  });
  if (again.error?.errors.code !== "not_undone") throw new Error(JSON.stringify(again));
  console.log("reopenReview");
  checked(
    "resolveReviews",
    await api.POST("/api/v1/reviews/resolutions", {
      body: { requestIds: [paid.requestId], resolution: "DECLINE", reason: "charged back" },
    }),
  );
  checked(
    "giveFeedback",
    await api.POST("/api/v1/feedback", {
      body: { requestId: paid.requestId, label: "LEGITIMATE" },
    }),
  );
  checked("getFeedback", await api.GET("/api/v1/feedback/{requestId}", named));
  checked(
    "searchDecisions",
    await api.POST("/api/v1/decisions/search", { body: { operation: "pipeline", limit: 5 } }),
  );
  checked(
    "searchReviews",
    await api.POST("/api/v1/reviews/search", { body: { status: "DECLINED" } }),
  );
  checked("getBalance", await api.GET("/api/v1/balance"));
  checked(
    "getStatement",
    await api.GET("/api/v1/statement", { params: { query: { daily: true } } }),
  );
  const told = checked(
    "listEvents",
    await api.GET("/api/v1/events", { params: { query: { limit: 1 } } }),
  );
  const eventId: string = told.eventsResponse!.events[0]!.id;
  checked("getEvent", await api.GET("/api/v1/events/{eventId}", { params: { path: { eventId } } }));
  const refused = await api.GET("/api/v1/decisions/{requestId}", {
    params: { path: { requestId: "req_unknown" } },
  });
  if (refused.error?.errors.code !== "not_found") throw new Error("no code in a failure");
}

main().catch((problem: unknown) => {
  console.error(problem);
  process.exitCode = 1;
});
