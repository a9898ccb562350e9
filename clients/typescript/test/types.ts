// Compiled, never run: what the types allow and what they refuse.

import { Gatehouse, hide, verifyWebhook } from "gatehouse-client";
import type { Advice, Answer, PreCheckRequest, PreCheckResponse, PublicEvent } from "gatehouse-client";

declare const shop: Gatehouse;

export async function allowed(): Promise<void> {
  const answer: Answer<PreCheckResponse> = await shop.precheck({
    cardNumber: hide("4242424242424242"),
    cardExpiryDate: "2035-12",
    cardCvv2Value: undefined,
  });
  const advice: Advice = answer.result.advice;
  if (advice === "ACCEPT") return;
  const later: Advice = "A_WORD_OF_A_LATER_VERSION";
  for await (const decision of shop.decisions.list()) decision.requestId.length;
  const { result } = await shop.call("getDecision", { path: { requestId: later } });
  result.operation.length;
  await shop.call("listDecisions", {});
  const applied = await shop.manage.rules.apply("checkout", { document: "" }, { dryRun: true });
  await shop.manage.rules.rollback("checkout", {}, { ifMatch: applied.etag });
  await shop.manage.pipelines.get(1);
  for await (const webhook of shop.manage.webhooks.list()) webhook.url.length;
  const { result: job } = await shop.manage.jobs.wait("job_1", { patienceMs: 1000 });
  job.done?.toFixed();
  const { event } = await verifyWebhook("", new Headers(), "whsec_");
  const told: PublicEvent = event;
  if (told.type === "review.resolved") told.data.state.length;
  if (told.type === "balance.low") told.data.remaining.amount.toFixed();
  // @ts-expect-error: a balance has no state
  if (told.type === "balance.low") told.data.state;
  const { headers, remainingBalance } = await shop.balance({ traceId: "1", headers: { traceparent: "00" } });
  headers.get("RateLimit-Remaining")?.length;
  remainingBalance.amount.toFixed();
}

export async function refused(): Promise<void> {
  // @ts-expect-error: the number is required
  await shop.precheck({ cardExpiryDate: "2035-12" });
  // @ts-expect-error: a misspelt field
  await shop.precheck({ cardNumber: "1", cardExpiryDate: "2035-12", cardCvv: "123" });
  // @ts-expect-error: words of requests are a closed set
  await shop.reviews.resolve("req_1", { resolution: "MAYBE", reason: "" });
  // @ts-expect-error: the path needs a name
  await shop.call("getDecision", {});
  // @ts-expect-error: no such operation
  await shop.call("getEverything", {});
  // @ts-expect-error: a document is required
  await shop.manage.rules.apply("checkout", {});
  // @ts-expect-error: no such option
  await shop.manage.rules.apply("checkout", { document: "" }, { dryrun: true });
  // @ts-expect-error: a key is required
  new Gatehouse({ baseUrl: "https://x.test" });
  const request: PreCheckRequest = { cardNumber: "1", cardExpiryDate: "2035-12" };
  // @ts-expect-error: requests are not changed
  request.cardNumber = "2";
}
