// One call from its first attempt to its last: time limits, retries, and what an answer means.

import {
  apiError,
  ConnectionFailed,
  GatehouseError,
  TimedOut,
  UnreadableAnswer,
  type ApiError,
  type CallFacts,
} from "./errors.js";
import type { Billing, Errors, FieldWarning, Money } from "./generated.js";
import { decode } from "./hidden.js";

/** A server that asks for more patience than this is not asked again. */
const LONGEST_WAIT_MS = 30_000;
const FIRST_WAIT_MS = 500;
const LONGEST_BACKOFF_MS = 8_000;
const LARGEST_ANSWER_BYTES = 32 * 1024 * 1024;
const WORTH_REPEATING = new Set([408, 429, 500, 502, 503, 504]);
/** The server says that it did nothing, so that anything may be sent again. */
const NOTHING_DONE = new Set([408, 429]);
/** The connection was never made, so that the server cannot have received anything. */
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/** Whether a request may be sent again when nobody knows if it was processed. */
export type Repeat = "harmless" | "keyed" | "never";

/** The result of a call, with what the server says about every request. */
export interface Answer<T> {
  readonly result: T;
  /** The server's id of the request, which names the decision. */
  readonly requestId: string;
  readonly billing: Billing;
  /** What can still be spent. */
  readonly remainingBalance: Money;
  /** Fields of the request that nothing reads. */
  readonly warnings: readonly FieldWarning[];
  /** Whether this is the answer to an earlier request with the same idempotency key. */
  readonly isReplay: boolean;
  /** The version that the answer shows, for `ifMatch`. */
  readonly etag: string | null;
  /** The headers of the answer: `RateLimit-Remaining`, `X-Request-Id`. */
  readonly headers: Headers;
}

/** What goes to the server, and how often. */
export interface WireRequest {
  readonly traceId: string;
  readonly idempotencyKey: string | null;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly answer: string;
  readonly repeat: Repeat;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly signal: AbortSignal | undefined;
  readonly fetch: typeof fetch;
}

/** Sends a request until it is answered, refused, or tried often enough. */
export async function exchange<T>(request: WireRequest): Promise<Answer<T>> {
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await attemptOnce<T>(request);
    if (!("error" in outcome)) return outcome;
    const mayRepeat = outcome.nothingDone || request.repeat !== "never";
    const tooLong = (outcome.retryAfterMs ?? 0) > LONGEST_WAIT_MS;
    if (!outcome.worthRepeating || !mayRepeat || tooLong || attempt >= request.maxRetries) {
      throw outcome.error;
    }
    await sleep(waitMs(attempt, outcome.retryAfterMs), request.signal);
  }
}

interface Failure {
  readonly error: ApiError | ConnectionFailed | UnreadableAnswer;
  readonly worthRepeating: boolean;
  readonly nothingDone: boolean;
  readonly retryAfterMs: number | null;
}

async function attemptOnce<T>(request: WireRequest): Promise<Answer<T> | Failure> {
  request.signal?.throwIfAborted();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), request.timeoutMs);
  const passOn = (): void => limit.abort();
  request.signal?.addEventListener("abort", passOn, { once: true });
  try {
    const response = await request.fetch(request.url, {
      method: request.method,
      headers: request.headers,
      body: request.body,
      // A redirect would take the key and the card elsewhere.
      redirect: "manual",
      signal: limit.signal,
    });
    return read<T>(request, response, await text(response));
  } catch (problem) {
    request.signal?.throwIfAborted();
    if (problem instanceof GatehouseError) throw problem;
    return unanswered(request, limit.signal.aborted, problem);
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener("abort", passOn);
  }
}

async function text(response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  const parts: string[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > LARGEST_ANSWER_BYTES) {
      await reader.cancel();
      throw new GatehouseError(`the answer is larger than ${LARGEST_ANSWER_BYTES} bytes`);
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
  return parts.join("") + decoder.decode();
}

function unanswered(request: WireRequest, timedOut: boolean, problem: unknown): Failure {
  const where = new URL(request.url).origin;
  const cause = (problem as { cause?: { code?: unknown } } | null)?.cause;
  const nothingDone = !timedOut && NOT_SENT.has(String(cause?.code));
  const told = nothingDone ? "cannot be reached" : "closed the connection before it answered";
  const error = timedOut
    ? new TimedOut(`${where} did not answer within ${request.timeoutMs} ms`, facts(request, { cause: problem }))
    : new ConnectionFailed(`${where} ${told}`, facts(request, { cause: problem }));
  return { error, worthRepeating: true, nothingDone, retryAfterMs: null };
}

interface Envelope {
  readonly [name: string]: unknown;
  readonly isSuccess: boolean;
  readonly errors: Errors | null;
  readonly billing: Billing | null;
  readonly requestId: string;
  readonly warnings?: readonly FieldWarning[];
}

function envelopeOf(body: string): Envelope | null {
  try {
    const found = decode(body) as Envelope | null;
    return typeof found?.isSuccess === "boolean" ? found : null;
  } catch {
    return null;
  }
}

function read<T>(request: WireRequest, response: Response, body: string): Answer<T> | Failure {
  const { status, headers } = response;
  const envelope = envelopeOf(body);
  if (envelope?.isSuccess && envelope.billing) {
    return {
      result: envelope[request.answer] as T,
      requestId: envelope.requestId,
      billing: envelope.billing,
      remainingBalance: envelope.billing.remainingBalance,
      warnings: envelope.warnings ?? [],
      isReplay: headers.get("Idempotent-Replayed") === "true",
      etag: headers.get("ETag"),
      headers,
    };
  }
  const retryAfterMs = retryAfter(headers);
  const nothingDone = NOTHING_DONE.has(status);
  if (!envelope?.errors) {
    const where = new URL(request.url).origin;
    const told = `HTTP ${status} without an answer of Gatehouse from ${where}`;
    const error = new UnreadableAnswer(told, status, facts(request, { headers }));
    return { error, worthRepeating: WORTH_REPEATING.has(status), nothingDone, retryAfterMs };
  }
  const error = refusalOf(request, response, envelope, envelope.errors, retryAfterMs);
  const worthRepeating = WORTH_REPEATING.has(status) || error.code === "idempotency_in_flight";
  return { error, worthRepeating, nothingDone, retryAfterMs };
}

function refusalOf(
  request: WireRequest,
  { status, headers }: Response,
  envelope: Envelope,
  errors: Errors,
  retryAfterMs: number | null,
): ApiError {
  const details = Object.entries(errors.fieldErrors).map(([path, told]) => `${path}: ${told.join(", ")}`);
  const lines = [errors.message, ...errors.globalErrors, ...details];
  const said = [...new Set(lines)].join(" ");
  const refusal = {
    status,
    code: errors.code,
    requestId: envelope.requestId,
    fieldErrors: errors.fieldErrors,
    globalErrors: errors.globalErrors,
    remainingBalance: envelope.billing?.remainingBalance ?? null,
    retryAfterS: retryAfterMs === null ? null : retryAfterMs / 1000,
  };
  return apiError(`${said} (${errors.code}, ${envelope.requestId})`, refusal, facts(request, { headers }));
}

function facts(request: WireRequest, more: Partial<CallFacts>): CallFacts {
  return { traceId: request.traceId, idempotencyKey: request.idempotencyKey, headers: null, ...more };
}

/** The time that the server asks to wait; it may name a moment instead. */
function retryAfter(headers: Headers): number | null {
  const given = headers.get("Retry-After") ?? "";
  if (/^\d{1,9}$/.test(given)) return Number(given) * 1000;
  const wait = Date.parse(given) - (Date.parse(headers.get("Date") ?? "") || Date.now());
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

function waitMs(attempt: number, retryAfterMs: number | null): number {
  const backoff = Math.min(LONGEST_BACKOFF_MS, FIRST_WAIT_MS * 2 ** attempt);
  const jittered = backoff * (0.5 + Math.random() / 2);
  // Clients that were sent away together must not come back together.
  return retryAfterMs === null ? jittered : retryAfterMs + jittered / 4;
}

/** Waits, unless `signal` ends it. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
