import { isRecord } from "./errors.js";
import type { HookCall } from "./hook-types.js";

export const SECRETS_VARIABLE = "CONTEXTURE_HOOK_SECRETS";
export const DEFAULT_TOLERANCE_S = 300;
const MIN_SECRET_BYTES = 24;

/** `whsec_…`, one or more. Default: `CONTEXTURE_HOOK_SECRETS`, with spaces between. */
export type Secrets = string | readonly string[] | undefined;
export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>;
export type WebhookBody = string | Uint8Array | ArrayBuffer;

export interface VerifyOptions {
  /** Seconds that a call may be older or newer than now. Default: 300. */
  toleranceS?: number;
  /** Seconds since 1970. Default: now. */
  now?: number;
}

/** A call that is not signed with a secret of ours, or too old; `code` says which. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";

  constructor(
    readonly code:
      | "missing_header" | "invalid_timestamp" | "timestamp_out_of_tolerance" | "invalid_signature" | "invalid_body",
    readonly detail: string,
  ) {
    super(`${code}: ${detail}`);
  }
}

/** Secrets as they are given, or those of the environment. */
export function secretsOf(secrets: Secrets): string[] {
  const scope = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const given = secrets ?? scope.process?.env?.[SECRETS_VARIABLE] ?? "";
  return typeof given === "string" ? given.split(/\s+/).filter(Boolean) : [...given];
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ""));
  if (!bytes) throw new TypeError("a secret is `whsec_` and base64");
  if (bytes.length < MIN_SECRET_BYTES) {
    throw new TypeError(`a secret has at least ${MIN_SECRET_BYTES} bytes, this one has ${bytes.length}`);
  }
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}

function encoded(body: WebhookBody): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  return body instanceof Uint8Array ? body : new Uint8Array(body);
}

function signedBytes(id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(`${id}.${timestamp}.`);
  const bytes = new Uint8Array(start.length + body.length);
  bytes.set(start);
  bytes.set(body, start.length);
  return bytes;
}

/** The value of `webhook-signature` for a body, for tests of receivers. */
export async function sign(
  body: WebhookBody, options: { secret: string; id: string; timestamp: number },
): Promise<string> {
  const bytes = signedBytes(options.id, String(options.timestamp), encoded(body));
  const signature = await crypto.subtle.sign("HMAC", await keyOf(options.secret), bytes);
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`;
}

/**
 * Resolves to the call if it is signed with one of the secrets; rejects with `WebhookVerificationError`.
 *
 * `body` is the body as it came, byte for byte. While a secret is rotated, give both. Names of headers may have any
 * case.
 */
export async function verifyWebhook(
  body: WebhookBody, headers: WebhookHeaders, secrets?: Secrets, options: VerifyOptions = {},
): Promise<HookCall> {
  const known = secretsOf(secrets);
  if (known.length === 0) throw new TypeError(`no secret: give \`secrets\`, or set ${SECRETS_VARIABLE}`);
  const keys = await Promise.all(known.map(keyOf));
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => {
    const value = headerOf(headers, `webhook-${name}`);
    if (value === undefined) throw new WebhookVerificationError("missing_header", `there is no header webhook-${name}`);
    return value;
  }) as [string, string, string];
  if (!/^\d+$/.test(timestamp)) {
    throw new WebhookVerificationError("invalid_timestamp", "webhook-timestamp is no whole number");
  }
  const tolerance = options.toleranceS ?? DEFAULT_TOLERANCE_S;
  if (Math.abs((options.now ?? Date.now() / 1_000) - Number(timestamp)) > tolerance) {
    throw new WebhookVerificationError("timestamp_out_of_tolerance", `it is not within ${tolerance} s of now`);
  }
  const bytes = signedBytes(id, timestamp, encoded(body));
  const values = signatures.split(" ").filter((text) => text.startsWith("v1,")).map((text) => bytesOf(text.slice(3)));
  // Every pair is compared, in constant time each, so that the time tells nothing.
  const pairs = values.flatMap((value) =>
    value ? keys.map((key) => crypto.subtle.verify("HMAC", key, value, bytes)) : [],
  );
  if (!(await Promise.all(pairs)).includes(true)) {
    throw new WebhookVerificationError("invalid_signature", "no signature is made with a secret of ours");
  }
  return callOf(encoded(body));
}

/** The call in a body that is known to be the server's. */
export function callOf(body: Uint8Array): HookCall {
  let call: unknown;
  try {
    call = JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new WebhookVerificationError("invalid_body", "the body is not JSON");
  }
  if (!isRecord(call) || call["spec"] !== "hooks/1") {
    throw new WebhookVerificationError("invalid_body", "the body is no call of a hook (`hooks/1`)");
  }
  return call as unknown as HookCall;
}

/** A header by its name in lower case. */
export function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return value === undefined || typeof value === "string" ? value : value.join(",");
}
