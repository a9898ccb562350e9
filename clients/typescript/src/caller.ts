// Calls any operation of the API by its name, with the types of that operation.

import { GatehouseError } from "./errors.js";
import { exchange, type Answer, type WireRequest } from "./exchange.js";
import { OPERATIONS, type Operations } from "./generated.js";
import { encode } from "./hidden.js";
import * as options from "./options.js";
import type { CallOptions, GatehouseOptions } from "./options.js";
import { VERSION } from "./version.js";

/** The name of an operation in the OpenAPI document. */
export type OperationName = keyof Operations;
/** What an operation answers with. */
export type Result<Name extends OperationName> = Operations[Name]["result"];
/** What an operation takes as its body. */
export type Body<Name extends OperationName> = Operations[Name]["body"];
/** What an operation takes as its query. */
export type Query<Name extends OperationName> = Operations[Name]["query"];

type Needed<Key extends string, Value> = Value extends undefined
  ? { readonly [key in Key]?: undefined }
  : Record<string, never> extends Value
    ? { readonly [key in Key]?: Value | undefined }
    : { readonly [key in Key]: Value };

type NamedInputs = {
  readonly [Name in OperationName]: Needed<"path", Operations[Name]["path"]> &
    Needed<"query", Query<Name>> &
    Needed<"body", Body<Name>>;
};
// An interface, so that the compiler never combines the parts of one operation with those of others.
interface InputsByName extends NamedInputs {}

/** All that is sent with a call of an operation. */
export type Inputs<Name extends OperationName> = InputsByName[Name];

/** All that is sent with a call of any operation. */
export interface LooseInputs {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: unknown;
}

/**
 * Calls an operation for a method, which has the types of its own.
 *
 * With those of `Call`, the compiler would look at all operations for each method.
 */
export type Send = <T>(
  name: OperationName,
  inputs: LooseInputs,
  own?: CallOptions,
  extraWaitMs?: number,
) => Promise<Answer<T>>;

/** Calls an operation. */
export type Call = <Name extends OperationName>(
  name: Name,
  inputs: Inputs<Name>,
  own?: CallOptions,
) => Promise<Answer<Result<Name>>>;

const TIMEOUT_MS = 10_000;
const RETRIES = 2;

/** Makes the function that all calls of a client go through; only it knows the key. */
export function makeSend(given: GatehouseOptions): Send {
  options.refuseBrowsers();
  const key = options.checkedKey(given.apiKey);
  const base = options.checkedBase(given.baseUrl);
  const timeoutMs = options.checkedTimeout(given.timeoutMs ?? TIMEOUT_MS);
  const maxRetries = options.checkedRetries(given.maxRetries ?? RETRIES);
  const send = given.fetch ?? globalThis.fetch;
  return (name, inputs, own = {}, extraWaitMs = 0) => {
    const { method, path, answer, repeat } = OPERATIONS[name];
    const { path: names, query, body } = inputs;
    const traceId = options.checkedTraceId(own.traceId ?? crypto.randomUUID());
    const idempotencyKey = repeat === "keyed" ? ownKey(own) : null;
    const headers: Record<string, string> = {
      ...options.checkedHeaders(own.headers ?? {}),
      "X-API-KEY": key,
      Accept: "application/json",
      "User-Agent": `gatehouse-client-typescript/${VERSION}`,
      "X-Request-Id": traceId,
    };
    if (idempotencyKey !== null) headers["Idempotency-Key"] = idempotencyKey;
    if (own.ifMatch != null) headers["If-Match"] = own.ifMatch;
    if (own.ifNoneMatch !== undefined) headers["If-None-Match"] = own.ifNoneMatch;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (body !== undefined && (own.strict ?? given.strict)) headers["Prefer"] = "handling=strict";
    const request: WireRequest = {
      method,
      url: base + filled(path, names) + asQuery(query),
      headers,
      body: body === undefined ? null : encode(body),
      answer,
      repeat,
      timeoutMs: options.checkedTimeout(own.timeoutMs ?? timeoutMs) + extraWaitMs,
      maxRetries: options.checkedRetries(own.maxRetries ?? maxRetries),
      signal: own.signal,
      traceId,
      idempotencyKey,
      // Some runtimes refuse a fetch that is called as a method of something else.
      fetch: (address, init) => send(address, init),
    };
    return exchange(request);
  };
}

function ownKey(own: CallOptions): string {
  return options.checkedKeyOfCall(own.idempotencyKey ?? crypto.randomUUID());
}

function filled(path: string, names: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = names[name];
    // A name of dots alone would be another path.
    if (value === undefined || /^\.{0,2}$/.test(String(value))) {
      throw new GatehouseError(`${name} is missing`);
    }
    return encodeURIComponent(String(value));
  });
}

function asQuery(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const pairs = given.map(([name, value]) => [name, String(value)]);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}
