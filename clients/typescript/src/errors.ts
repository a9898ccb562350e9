// Everything that a call can throw.
//
//   GatehouseError
//     ConnectionFailed          no answer came
//       TimedOut
//     UnreadableAnswer          something else than Gatehouse answered
//     SignatureInvalid          a webhook is not what it says it is
//     JobFailed                 a job failed, or was canceled
//     JobUnfinished             a job took longer than somebody waited; it goes on
//     ApiError                  Gatehouse refused the call
//       InvalidRequest          400, 413, 415, or 200 with field errors
//       AuthenticationError     401
//       InsufficientBalance     402
//       PermissionDenied        403
//       NotFound                404, 405
//       Conflict                409
//         InFlight              the first request with this idempotency key is still running
//         VersionChanged        412, 428: another version is in force than the one that you saw
//       IdempotencyKeyReused    422
//       RateLimited             429
//       ServerError             5xx
//         ServiceUnavailable    503
//
// No message or property holds a card number, a security code or an API key.

import type { ErrorCode, JobResponse, Money } from "./generated.js";
import { withoutCards } from "./hidden.js";

/** What is known about a call that failed. */
export interface CallFacts {
  /** What the client sent as `X-Request-Id`; it is in the server's log. */
  readonly traceId: string;
  /** Send the same request with it to try again without being charged twice. */
  readonly idempotencyKey: string | null;
  /** The headers of the answer, if one came: `RateLimit-Remaining`, `X-Request-Id`. */
  readonly headers: Headers | null;
  /** What went wrong below the client, such as the error of `fetch`. */
  readonly cause?: unknown;
}

/** What Gatehouse said about a refused call. */
export interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly requestId: string;
  readonly fieldErrors: Readonly<Record<string, readonly string[]>>;
  readonly globalErrors: readonly string[];
  readonly remainingBalance: Money | null;
  readonly retryAfterS: number | null;
}

/** The root of all errors of this client. */
export class GatehouseError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(withoutCards(message), options);
    // Bundlers shorten the names of classes; `name` is what people and logs read.
    this.name = "GatehouseError";
  }
}

/** A job failed, or was canceled. */
export class JobFailed extends GatehouseError {
  readonly job: JobResponse;

  constructor(job: JobResponse) {
    super(`${job.kind} ${job.jobId}: ${job.error ?? job.state}`);
    this.name = "JobFailed";
    this.job = job;
  }
}

/** A job was not done in time. It goes on: wait for it again, or cancel it. */
export class JobUnfinished extends GatehouseError {
  readonly job: JobResponse;

  constructor(job: JobResponse) {
    super(`${job.kind} ${job.jobId} is ${job.state} still`);
    this.name = "JobUnfinished";
    this.job = job;
  }
}

/** The message is not from Gatehouse, was altered, or is too old. */
export class SignatureInvalid extends GatehouseError {
  constructor(message: string) {
    super(message);
    this.name = "SignatureInvalid";
  }
}

class CallFailed extends GatehouseError implements CallFacts {
  readonly traceId: string;
  readonly idempotencyKey: string | null;
  readonly headers: Headers | null;
  /** The server's id of the request, if it answered. */
  readonly requestId: string | null = null;

  constructor(name: string, message: string, facts: CallFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = name;
    this.traceId = facts.traceId;
    this.idempotencyKey = facts.idempotencyKey;
    this.headers = facts.headers;
  }
}

/** No answer came; the request may have been processed all the same. */
export class ConnectionFailed extends CallFailed {
  constructor(message: string, facts: CallFacts, name = "ConnectionFailed") {
    super(name, message, facts);
  }
}

/** No answer came in time. */
export class TimedOut extends ConnectionFailed {
  constructor(message: string, facts: CallFacts) {
    super(message, facts, "TimedOut");
  }
}

/** What came is no answer of Gatehouse: perhaps a proxy's, or the address is wrong. */
export class UnreadableAnswer extends CallFailed {
  readonly status: number;

  constructor(message: string, status: number, facts: CallFacts) {
    super("UnreadableAnswer", message, facts);
    this.status = status;
  }
}

/** Gatehouse refused the call; nothing was charged (after a 5xx it may have been). */
export class ApiError extends CallFailed implements Refusal {
  readonly status: number;
  /** A stable word; docs/errors.md explains each. */
  readonly code: ErrorCode;
  override readonly requestId: string;
  /** Problems by the path of the field. */
  readonly fieldErrors: Readonly<Record<string, readonly string[]>>;
  readonly globalErrors: readonly string[];
  readonly remainingBalance: Money | null;
  /** How long the server asks to wait. */
  readonly retryAfterS: number | null;

  constructor(message: string, refusal: Refusal, facts: CallFacts, name = "ApiError") {
    super(name, message, facts);
    this.status = refusal.status;
    this.code = refusal.code;
    this.requestId = refusal.requestId;
    this.fieldErrors = refusal.fieldErrors;
    this.globalErrors = refusal.globalErrors;
    this.remainingBalance = refusal.remainingBalance;
    this.retryAfterS = refusal.retryAfterS;
  }
}

/** The request has invalid fields, or cannot be read. */
export class InvalidRequest extends ApiError {}
/** The key is missing, unknown, expired or revoked. */
export class AuthenticationError extends ApiError {}
/** The balance does not cover the fees; nothing ran, nothing was charged. */
export class InsufficientBalance extends ApiError {}
/** The key may not do this, or not from here. */
export class PermissionDenied extends ApiError {}
/** The account has nothing of this name or id. */
export class NotFound extends ApiError {}
/** The change contradicts what is there. */
export class Conflict extends ApiError {}
/** The first request with this idempotency key is still being processed. */
export class InFlight extends Conflict {}
/** Another version is in force than the one that the change was made for. */
export class VersionChanged extends Conflict {}
/** The idempotency key was used before with another body. */
export class IdempotencyKeyReused extends ApiError {}
/** Too many requests. */
export class RateLimited extends ApiError {}
/** Something went wrong on the server's side. */
export class ServerError extends ApiError {}
/** The server is busy, or cannot reach its database. */
export class ServiceUnavailable extends ServerError {}

type Kind = readonly [name: string, make: typeof ApiError];

const BY_CODE: Readonly<Record<string, Kind>> = {
  idempotency_in_flight: ["InFlight", InFlight],
  idempotency_key_reused: ["IdempotencyKeyReused", IdempotencyKeyReused],
};
const BY_STATUS: Readonly<Record<number, Kind>> = {
  401: ["AuthenticationError", AuthenticationError],
  402: ["InsufficientBalance", InsufficientBalance],
  403: ["PermissionDenied", PermissionDenied],
  404: ["NotFound", NotFound],
  405: ["NotFound", NotFound],
  409: ["Conflict", Conflict],
  412: ["VersionChanged", VersionChanged],
  428: ["VersionChanged", VersionChanged],
  429: ["RateLimited", RateLimited],
  503: ["ServiceUnavailable", ServiceUnavailable],
};

/** The error of a refusal; a code that this version does not know is judged by its status. */
export function apiError(message: string, refusal: Refusal, facts: CallFacts): ApiError {
  const other: Kind =
    refusal.status >= 500 ? ["ServerError", ServerError] : ["InvalidRequest", InvalidRequest];
  const [name, Make] = BY_CODE[refusal.code] ?? BY_STATUS[refusal.status] ?? other;
  return new Make(message, refusal, facts, name);
}
