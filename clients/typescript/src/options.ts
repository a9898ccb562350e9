// How a client is made, and how one call may differ from the others.

import { GatehouseError } from "./errors.js";

/** How calls are made. */
export interface GatehouseOptions {
  /** The API key, `gh_sandbox_...` or `gh_live_...`. */
  readonly apiKey: string;
  /** Where Gatehouse is, such as `https://gatehouse.example.com`. */
  readonly baseUrl: string | URL;
  /** How long one attempt may take, in milliseconds; 10,000 without it. */
  readonly timeoutMs?: number;
  /** How often a call is tried again at most; 2 without it. */
  readonly maxRetries?: number;
  /** Makes fields that nothing reads errors. */
  readonly strict?: boolean;
  /** Another `fetch` than the runtime's. */
  readonly fetch?: typeof fetch;
}

/** What one call can have of its own. */
export interface CallOptions {
  /** 1 to 255 visible ASCII characters; a fresh one without it. */
  readonly idempotencyKey?: string | undefined;
  /** Ends the call, its waiting and its retries. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  readonly strict?: boolean | undefined;
  /** Your own trace id, sent as `X-Request-Id`: 1 to 128 visible ASCII characters. It is echoed and logged. */
  readonly traceId?: string | undefined;
  /** More headers, such as `traceparent`; those that the client fills in itself are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The `etag` of the answer that you saw, for changes that must not overwrite another's. */
  readonly ifMatch?: string | null | undefined;
  /** `*` for what must not be there yet. */
  readonly ifNoneMatch?: string | undefined;
}

const SANDBOX_URL = "http://127.0.0.1:8080";

/** The key and the address that the environment names. */
export function fromEnvironment(): GatehouseOptions {
  const scope = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const given = scope.process?.env ?? {};
  if (!given["GATEHOUSE_API_KEY"]) {
    throw new GatehouseError("set GATEHOUSE_API_KEY to the key of your account");
  }
  return { apiKey: given["GATEHOUSE_API_KEY"], baseUrl: given["GATEHOUSE_URL"] || SANDBOX_URL };
}

const LONGEST_TIMEOUT_MS = 600_000;
const MOST_RETRIES = 10;
const VISIBLE = /^[!-~]{1,255}$/;
const TRACE_ID = /^[!-~]{1,128}$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]{1,64}$/;
const HEADER_VALUE = /^[ -~]{0,4096}$/;
const OWN_HEADERS = new Set([
  ...["accept", "content-length", "content-type", "cookie", "host", "idempotency-key", "if-match"],
  ...["if-none-match", "prefer", "user-agent", "x-api-key", "x-request-id"],
]);
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The base address without a slash at its end; throws where a key must not be sent. */
export function checkedBase(given: string | URL): string {
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    throw new GatehouseError("baseUrl is no URL; give one such as https://gatehouse.example.com");
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new GatehouseError("baseUrl must not have a user, a password, a query or a fragment");
  }
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.test(url.hostname))) {
    throw new GatehouseError("baseUrl must be https; plain http goes to this machine alone");
  }
  return url.href.replace(/\/+$/, "");
}

/** The key; throws, without showing it, where it cannot be sent in a header. */
export function checkedKey(given: string): string {
  if (typeof given !== "string" || !VISIBLE.test(given)) {
    throw new GatehouseError("apiKey is missing or has characters that no API key has");
  }
  return given;
}

/** An idempotency key that can be sent. */
export function checkedKeyOfCall(given: string): string {
  if (!VISIBLE.test(given)) {
    throw new GatehouseError("idempotencyKey must have 1 to 255 visible ASCII characters");
  }
  return given;
}

/** A trace id that the server takes; it would replace another by one of its own. */
export function checkedTraceId(given: string): string {
  if (!TRACE_ID.test(given)) {
    throw new GatehouseError("traceId must have 1 to 128 visible ASCII characters");
  }
  return given;
}

/** Headers of a caller; throws where one cannot be sent, or belongs to the client. */
export function checkedHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  for (const [name, value] of Object.entries(given)) {
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
      throw new GatehouseError(`headers: ${JSON.stringify(name)} cannot be sent`);
    }
    if (OWN_HEADERS.has(name.toLowerCase())) {
      throw new GatehouseError(`headers: the client fills in ${name} itself`);
    }
  }
  return { ...given };
}

/** A time limit within bounds. */
export function checkedTimeout(given: number): number {
  if (!(given > 0 && given <= LONGEST_TIMEOUT_MS)) {
    throw new GatehouseError(`timeoutMs must be from 1 to ${LONGEST_TIMEOUT_MS} milliseconds`);
  }
  return given;
}

/** A number of retries within bounds. */
export function checkedRetries(given: number): number {
  if (!(Number.isInteger(given) && given >= 0 && given <= MOST_RETRIES)) {
    throw new GatehouseError(`maxRetries must be a whole number from 0 to ${MOST_RETRIES}`);
  }
  return given;
}

/** Throws in a browser, where anyone could read the key. */
export function refuseBrowsers(): void {
  const scope = globalThis as { window?: { document?: unknown } };
  if (scope.window?.document !== undefined) {
    throw new GatehouseError("call Gatehouse from your backend; a browser shows the key to anyone");
  }
}
