// The client: one method for each thing that a merchant's program asks of Gatehouse.

import { Calls } from "./calls.js";
import { makeSend, type Body, type Call, type Query, type Result } from "./caller.js";
import type { Answer } from "./exchange.js";
import type * as api from "./generated.js";
import { Manage } from "./manage.js";
import { fromEnvironment, type CallOptions, type GatehouseOptions } from "./options.js";
import { Listing } from "./paging.js";

const LONGEST_POLL_S = 30;

/** A client without the management API, for programs that bundle only what they use. */
export class GatehouseChecks extends Calls {
  /** Calls any operation of the API by its name in the OpenAPI document. */
  readonly call: Call;
  readonly decisions: Decisions;
  readonly reviews: Reviews;
  readonly feedback: Feedback;
  readonly events: Events;

  constructor(options: GatehouseOptions) {
    super(makeSend(options));
    this.call = this.send as Call;
    this.decisions = new Decisions(this.send);
    this.reviews = new Reviews(this.send);
    this.feedback = new Feedback(this.send);
    this.events = new Events(this.send);
  }

  /** Asks the issuer about a card. */
  precheck(body: Body<"precheck">, own?: CallOptions): Promise<Answer<api.PreCheckResponse>> {
    return this.send("precheck", { body }, own);
  }

  /** Compares a person with the holders of a card. */
  idVerify(body: Body<"idverify">, own?: CallOptions): Promise<Answer<api.IdVerifyResponse>> {
    return this.send("idverify", { body }, own);
  }

  /** Says how likely a request is legitimate. */
  sentry(body: Body<"sentry">, own?: CallOptions): Promise<Answer<api.SentryResponse>> {
    return this.send("sentry", { body }, own);
  }

  /** Judges a request by your rules. */
  rules(body: Body<"rules">, own?: CallOptions): Promise<Answer<api.RulesResponse>> {
    return this.send("rules", { body }, own);
  }

  /** Runs several functions in order and gives one decision. */
  pipeline(body: Body<"pipeline">, own?: CallOptions): Promise<Answer<api.PipelineResponse>> {
    return this.send("pipeline", { body }, own);
  }

  /** Your pipelines. */
  pipelines(own?: CallOptions): Promise<Answer<api.PipelinesResponse>> {
    return this.send("listPipelines", {}, own);
  }

  /** What the account has. */
  balance(own?: CallOptions): Promise<Answer<api.BalanceResponse>> {
    return this.send("getBalance", {}, own);
  }

  /** What came in and what was charged in a time. */
  statement(
    query: Query<"getStatement"> = {},
    own?: CallOptions,
  ): Promise<Answer<api.StatementResponse>> {
    return this.send("getStatement", { query }, own);
  }
}

/** A client of one account; make one and share it. */
export class Gatehouse extends GatehouseChecks {
  readonly manage: Manage;

  constructor(options: GatehouseOptions) {
    super(options);
    this.manage = new Manage(this.send);
  }

  /** A client with `GATEHOUSE_API_KEY`, and `GATEHOUSE_URL` if it is not the sandbox on this machine. */
  static fromEnv(options: Partial<GatehouseOptions> = {}): Gatehouse {
    return new Gatehouse({ ...fromEnvironment(), ...options });
  }
}

class Decisions extends Calls {
  /** One decision. */
  get(requestId: string, own?: CallOptions): Promise<Answer<api.PublicDecision>> {
    return this.send("getDecision", { path: { requestId } }, own);
  }

  /** All decisions, newest first. */
  list(
    query: Query<"listDecisions"> = {},
    own?: CallOptions,
  ): Listing<Result<"listDecisions">, api.PublicDecision> {
    return new Listing({
      ask: (after) => {
        const startingAfter = after?.decisions.at(-1)?.requestId ?? query.startingAfter;
        return this.send("listDecisions", { query: { ...query, startingAfter } }, own);
      },
      hasMore: (page) => page.hasMore && page.decisions.length > 0,
      items: (page) => page.decisions,
    });
  }

  /** The decisions that fit, newest first. */
  search(
    body: Body<"searchDecisions">,
    own?: CallOptions,
  ): Listing<Result<"searchDecisions">, api.PublicDecision> {
    return new Listing({
      ask: (after) => {
        const cursor = after?.nextCursor ?? body.cursor;
        return this.send("searchDecisions", { body: { ...body, cursor } }, own);
      },
      hasMore: (page) => page.nextCursor !== null,
      items: (page) => page.decisions,
    });
  }
}

class Reviews extends Calls {
  /** One review. */
  get(requestId: string, own?: CallOptions): Promise<Answer<api.Review>> {
    return this.send("getReview", { path: { requestId } }, own);
  }

  /** Reviews, open ones unless another status is asked for. */
  list(
    query: Query<"listReviews"> = {},
    own?: CallOptions,
  ): Listing<Result<"listReviews">, api.Review> {
    return new Listing({
      ask: (after) => {
        const startingAfter = after?.reviews.at(-1)?.requestId ?? query.startingAfter;
        return this.send("listReviews", { query: { ...query, startingAfter } }, own);
      },
      hasMore: (page) => page.hasMore && page.reviews.length > 0,
      items: (page) => page.reviews,
    });
  }

  /** The reviews that fit, oldest first. */
  search(
    body: Body<"searchReviews">,
    own?: CallOptions,
  ): Listing<Result<"searchReviews">, api.Review> {
    return new Listing({
      ask: (after) => {
        const cursor = after?.nextCursor ?? body.cursor;
        return this.send("searchReviews", { body: { ...body, cursor } }, own);
      },
      hasMore: (page) => page.nextCursor !== null,
      items: (page) => page.reviews,
    });
  }

  /** Says what a person found. */
  resolve(
    requestId: string,
    body: Body<"resolveReview">,
    own?: CallOptions,
  ): Promise<Answer<api.Review>> {
    return this.send("resolveReview", { path: { requestId }, body }, own);
  }

  /** Says the same of up to 100 reviews. */
  resolveMany(body: Body<"resolveReviews">, own?: CallOptions): Promise<Answer<api.BulkResult>> {
    return this.send("resolveReviews", { body }, own);
  }

  /** Corrects what was found. */
  correct(
    requestId: string,
    body: Body<"correctReview">,
    own?: CallOptions,
  ): Promise<Answer<api.Review>> {
    return this.send("correctReview", { path: { requestId }, body }, own);
  }

  /** Takes a resolution back, for ten minutes. */
  reopen(
    requestId: string,
    body: Body<"reopenReview"> = {},
    own?: CallOptions,
  ): Promise<Answer<api.Review>> {
    return this.send("reopenReview", { path: { requestId }, body }, own);
  }

  /** Gives a review to a person, or back to all. */
  assign(
    requestId: string,
    body: Body<"assignReview">,
    own?: CallOptions,
  ): Promise<Answer<api.Review>> {
    return this.send("assignReview", { path: { requestId }, body }, own);
  }

  /** Adds a note. */
  note(requestId: string, body: Body<"noteReview">, own?: CallOptions): Promise<Answer<api.Review>> {
    return this.send("noteReview", { path: { requestId }, body }, own);
  }
}

class Feedback extends Calls {
  /** Says what became of a request, such as a chargeback. */
  give(body: Body<"giveFeedback">, own?: CallOptions): Promise<Answer<api.FeedbackReceipt>> {
    return this.send("giveFeedback", { body }, own);
  }

  /** All that was said about a request. */
  get(requestId: string, own?: CallOptions): Promise<Answer<api.FeedbackHistory>> {
    return this.send("getFeedback", { path: { requestId } }, own);
  }
}

/** Which events are read. */
export interface EventQuery {
  /** The `cursor` of an earlier page; the oldest that is kept without it. */
  readonly after?: string | undefined;
  /** Only these types, such as `review.opened`. */
  readonly types?: readonly string[] | undefined;
  /** At most so many on a page, 1 to 100. */
  readonly limit?: number | undefined;
}

class Events extends Calls {
  /** One event. */
  get(eventId: string, own?: CallOptions): Promise<Answer<api.PublicEvent>> {
    return this.send("getEvent", { path: { eventId } }, own);
  }

  /** The events that there are by now, oldest first. */
  list(query: EventQuery = {}, own?: CallOptions): Listing<api.EventsResponse, api.PublicEvent> {
    return this.#read(query, 0, (page) => page.hasMore, own);
  }

  /**
   * The events that there are, and then those that come, until `signal` ends it.
   *
   * Keep the `cursor` of each of its `pages()`, and go on from there after a restart.
   */
  follow(query: EventQuery = {}, own?: CallOptions): Listing<api.EventsResponse, api.PublicEvent> {
    return this.#read(query, LONGEST_POLL_S, () => true, own);
  }

  #read(
    query: EventQuery,
    wait: number,
    hasMore: (page: api.EventsResponse) => boolean,
    own?: CallOptions,
  ): Listing<api.EventsResponse, api.PublicEvent> {
    const types = query.types === undefined ? undefined : query.types.join(",");
    return new Listing({
      ask: (page) => {
        const after = page?.cursor ?? query.after;
        const asked = { ...query, types, after, wait: wait || undefined };
        return this.send("listEvents", { query: asked }, own, wait * 1000);
      },
      hasMore,
      items: (page) => page.events,
    });
  }
}
