// Verifies webhooks by the Standard Webhooks specification, with WebCrypto alone.

import { GatehouseError, SignatureInvalid } from "./errors.js";
import type { PublicEvent } from "./generated.js";
import { Hidden } from "./hidden.js";

const TOLERANCE_S = 300;
const MOST_SIGNATURES = 20;
const HMAC = { name: "HMAC", hash: "SHA-256" } as const;
const ED25519_KEY_BYTES = 32;
/** By the specification. With a key of a few bytes, or an empty one, anybody could sign. */
const [LEAST_KEY_BYTES, MOST_KEY_BYTES] = [24, 64];

/** A verified message: what happened, and the id by which a second delivery is recognised. */
export interface VerifiedWebhook {
  /** The same for every delivery of this message. */
  readonly id: string;
  readonly timestamp: Date;
  readonly event: PublicEvent;
}

/** How a webhook is verified. */
export interface VerifyOptions {
  /** How old or how far in the future a message may be, in seconds; 300 without it. */
  readonly toleranceS?: number;
  /** Another clock, for tests. */
  readonly now?: () => Date;
}

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
type Secret = string | Hidden;

/** A message as Gatehouse would send it. */
export interface SignedWebhook {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a message of a test says. */
export interface TestEvent {
  readonly type: string;
  readonly data: object;
  /** A fresh one without it; the same one again is a second delivery. */
  readonly id?: string;
}

/** What a message of a test is like. */
export interface TestOptions {
  /** When it is sent, for tests of old messages; now without it. */
  readonly at?: Date;
}

/**
 * The event of a webhook; throws `SignatureInvalid` unless Gatehouse sent exactly these bytes.
 *
 * `body` is what was received, before anything parsed it. `secret` is the endpoint's `whsec_...`
 * (or `whpk_...` for Ed25519); several are tried, for the time of a rotation.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: HeaderSource,
  secret: Secret | readonly Secret[],
  options: VerifyOptions = {},
): Promise<VerifiedWebhook> {
  const secrets = Array.isArray(secret) ? (secret as readonly Secret[]) : [secret as Secret];
  if (secrets.length === 0) throw new GatehouseError("give at least one secret of the webhook");
  // A missing secret is told of whatever came: that is a mistake of the receiver.
  const texts = secrets.map(textOf);
  const id = header(headers, "webhook-id");
  const sent = header(headers, "webhook-timestamp");
  const timestamp = checkedTimestamp(sent, options);
  const bytes = bytesOf(body);
  const content = joined(new TextEncoder().encode(`${id}.${sent}.`), bytes);
  const signatures = header(headers, "webhook-signature").split(" ").slice(0, MOST_SIGNATURES);
  for (const each of texts) {
    if (await isSigned(each, content, signatures)) return { id, timestamp, event: parsed(bytes) };
  }
  throw new SignatureInvalid("no signature of the webhook fits");
}

/**
 * A message for tests of your own endpoint: signed as Gatehouse would sign it with this secret.
 *
 * Any `whsec_...` will do, such as one that your test makes up; your endpoint must know it.
 */
export async function signTestWebhook(
  event: TestEvent,
  secret: Secret,
  options: TestOptions = {},
): Promise<SignedWebhook> {
  const raw = sharedKey(textOf(secret));
  const { type, data, id = `evt_${crypto.randomUUID()}` } = event;
  const at = options.at ?? new Date();
  const body = JSON.stringify({ id, type, createdAt: at.toISOString(), actor: "test", data });
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const key = await crypto.subtle.importKey("raw", raw, HMAC, false, ["sign"]);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${btoa(String.fromCharCode(...signature))}`,
  };
  return { body, headers };
}

function textOf(secret: Secret): string {
  if (secret instanceof Hidden) return secret.reveal();
  if (typeof secret === "string" && secret !== "") return secret;
  throw new GatehouseError("the secret of the webhook is missing; is its variable set?");
}

function sharedKey(secret: string): Uint8Array<ArrayBuffer> {
  const raw = fromBase64(secret.replace(/^whsec_/, ""));
  if (raw === null || raw.length < LEAST_KEY_BYTES || raw.length > MOST_KEY_BYTES) {
    throw new GatehouseError("the secret of the webhook is no whsec_... or whpk_...");
  }
  return raw;
}

function publicKey(secret: string): Uint8Array<ArrayBuffer> {
  const raw = fromBase64(secret.replace(/^whpk_/, ""));
  if (raw?.length !== ED25519_KEY_BYTES) {
    throw new GatehouseError("the public key of the webhook is no whpk_...");
  }
  return raw;
}

async function isSigned(
  secret: string,
  content: Uint8Array<ArrayBuffer>,
  signatures: readonly string[],
): Promise<boolean> {
  const isPublic = secret.startsWith("whpk_");
  const raw = isPublic ? publicKey(secret) : sharedKey(secret);
  const algorithm = isPublic ? { name: "Ed25519" } : HMAC;
  const wanted = isPublic ? "v1a" : "v1";
  const key = await crypto.subtle.importKey("raw", raw, algorithm, false, ["verify"]);
  for (const each of signatures) {
    const [scheme, encoded] = each.split(",", 2);
    const signature = scheme === wanted ? fromBase64(encoded ?? "") : null;
    if (signature === null) continue;
    // WebCrypto compares in constant time.
    if (await crypto.subtle.verify(algorithm.name, key, signature, content)) return true;
  }
  return false;
}

function header(headers: HeaderSource, name: string): string {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof found !== "string" || found === "") {
    throw new SignatureInvalid(`the header ${name} is missing or there twice`);
  }
  return found;
}

function checkedTimestamp(sent: string, options: VerifyOptions): Date {
  const tolerance = options.toleranceS ?? TOLERANCE_S;
  const now = (options.now?.() ?? new Date()).getTime() / 1000;
  if (!/^\d{1,12}$/.test(sent)) throw new SignatureInvalid("webhook-timestamp is no number");
  if (!(Math.abs(now - Number(sent)) <= tolerance)) {
    throw new SignatureInvalid(`the webhook is more than ${tolerance} s old or in the future`);
  }
  return new Date(Number(sent) * 1000);
}

function parsed(bytes: Uint8Array): PublicEvent {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as PublicEvent;
  } catch {
    throw new SignatureInvalid("the webhook is signed, but is no JSON");
  }
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new GatehouseError("give the body as it was received (text or bytes), not parsed JSON");
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}
