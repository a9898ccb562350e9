// Everything that the package offers.

export { Gatehouse, GatehouseChecks, type EventQuery } from "./client.js";
export type { WaitOptions } from "./calls.js";
export type { Body, Call, Inputs, OperationName, Query, Result } from "./caller.js";
export type { Answer } from "./exchange.js";
export {
  ApiError,
  AuthenticationError,
  Conflict,
  ConnectionFailed,
  GatehouseError,
  IdempotencyKeyReused,
  InFlight,
  InsufficientBalance,
  InvalidRequest,
  JobFailed,
  JobUnfinished,
  NotFound,
  PermissionDenied,
  RateLimited,
  ServerError,
  ServiceUnavailable,
  SignatureInvalid,
  TimedOut,
  UnreadableAnswer,
  VersionChanged,
} from "./errors.js";
export { OPERATIONS } from "./generated.js";
export type * from "./generated.js";
export type { Manage } from "./manage.js";
export { hide, type Hidden } from "./hidden.js";
export type { CallOptions, GatehouseOptions } from "./options.js";
export type { Listing } from "./paging.js";
export { sandboxAddresses, sandboxCards, type SandboxCard } from "./sandbox.js";
export { VERSION } from "./version.js";
export {
  signTestWebhook,
  verifyWebhook,
  type SignedWebhook,
  type TestEvent,
  type TestOptions,
  type VerifiedWebhook,
  type VerifyOptions,
} from "./webhooks.js";
