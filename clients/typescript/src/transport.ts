import { clock } from "./clock.js";
import {
  CONNECTION_FAILED, ContextureError, errorOf, isRecord, jsonOf, type Reply, TIMEOUT, UNEXPECTED_RESPONSE,
} from "./errors.js";
import { HEADERS } from "./operations.js";
import { VERSION } from "./version.js";

export const DEFAULT_URL = "http://127.0.0.1:8080";
export const DEFAULT_TIMEOUT_MS = 60_000;
export const DEFAULT_MAX_RETRIES = 2;
export const DEFAULT_GZIP_MIN_BYTES = 256 * 1024;
/** Longer waits are left to the caller, who gets the error with `retryAfter`. */
const MAX_WAIT_MS = 30_000;
const MAX_BACKOFF_MS = 8_000;
/** What a response may take to arrive after the server's own deadline. */
const DEADLINE_MARGIN_MS = 1_000;
const MAX_DEADLINE_MS = 60_000;
/** Problems of which the server says that nothing was done. */
const NOTHING_DONE = new Set(["rate_limited", "overloaded", "store_unavailable", "in_flight"]);
/** Codes of Node, Bun and Deno for a request that no server has seen. */
const UNSENT = new Set([
  "ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused", "FailedToOpenSocket",
]);

export type Fetch = typeof globalThis.fetch;

/** Where a client sends requests, and how. */
export interface ContextureOptions {
  /** Where the server is. Default: `CONTEXTURE_URL`, then `http://127.0.0.1:8080`. */
  url?: string | undefined;
  /** The key of the caller. Default: `CONTEXTURE_KEY`. */
  key?: string | undefined;
  /** Milliseconds for one attempt of a call without a deadline. Default: 60 000. */
  timeoutMs?: number;
  /** Milliseconds for a call with all of its attempts, also sent to the server. Default: none. */
  deadlineMs?: number | undefined;
  /** Attempts after the first one. Default: 2. */
  maxRetries?: number;
  /** The size from which a body is compressed. Default: 256 KiB, in browsers `Infinity`, which is never. */
  gzipMinBytes?: number;
  /** What sends requests. Default: the global `fetch`. */
  fetch?: Fetch;
}

/** Options that every call takes, in addition to its own parameters. */
export interface CallOptions {
  /** Milliseconds for the call with all of its attempts; the server stops its work then, too. */
  deadlineMs?: number | undefined;
  /** Names a write, so that it is carried out once. Writes that take one get one by themselves. */
  idempotencyKey?: string | undefined;
  /** Attempts after the first one. */
  maxRetries?: number | undefined;
  headers?: Record<string, string>;
  /** Ends the call; it rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

const OPTION_NAMES = new Set(["deadlineMs", "idempotencyKey", "maxRetries", "headers", "signal"]);

/** A route, and what may be done with its requests. */
export interface Operation {
  method: string;
  path: string;
  /** Whether it takes an `Idempotency-Key`. */
  takesKey?: boolean;
  /** Whether a repetition does no harm. */
  safe?: boolean;
  /** A member of the body with which a repetition does harm. */
  safeUnless?: string;
  body?: boolean;
  contentType?: string;
  query?: Record<string, string>;
  pages?: boolean;
}

/** Values of one call. */
export interface Call {
  path?: readonly string[];
  body?: unknown;
  options?: CallOptions & Record<string, unknown>;
}

function environment(name: string): string | undefined {
  try {
    const scope = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return scope.process?.env?.[name] || undefined;
  } catch {
    return undefined; // Deno, without leave to read it.
  }
}

/** Whether this is a page: it may send the headers alone that the server names in its CORS. */
function isPage(): boolean {
  const own = (globalThis as { navigator?: { userAgent?: string } }).navigator?.userAgent;
  return own?.startsWith("Mozilla/") === true;
}

export class Transport {
  /** Not among the settings, so that no log of a client shows it. */
  readonly #key: string | undefined;
  readonly settings: {
    url: string;
    timeoutMs: number;
    deadlineMs: number | undefined;
    maxRetries: number;
    gzipMinBytes: number;
    fetch: Fetch;
  };

  constructor(options: ContextureOptions = {}) {
    const url = options.url || environment("CONTEXTURE_URL") || DEFAULT_URL;
    if (!/^https?:\/\//.test(url)) throw new TypeError(`the URL must begin with http:// or https://: "${url}"`);
    this.#key = options.key || environment("CONTEXTURE_KEY");
    this.settings = {
      url: url.replace(/\/+$/, ""),
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      deadlineMs: options.deadlineMs,
      maxRetries: options.maxRetries ?? DEFAULT_MAX_RETRIES,
      gzipMinBytes: options.gzipMinBytes ?? (isPage() ? Infinity : DEFAULT_GZIP_MIN_BYTES),
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    };
  }

  /** The header that names the caller. */
  authorization(): Record<string, string> {
    return this.#key ? { authorization: `Bearer ${this.#key}` } : {};
  }

  /** The options of this client with others in their place. */
  protected optionsWith(options: ContextureOptions): ContextureOptions {
    return { ...this.settings, key: this.#key, ...options };
  }

  /** Sends a request, tries again if that is safe, and returns the response; rejects with `ContextureError`. */
  async send(operation: Operation, call: Call = {}): Promise<Reply> {
    const { settings } = this;
    const options = call.options ?? {};
    const started = clock.now();
    const deadlineMs = options.deadlineMs ?? settings.deadlineMs;
    const maxRetries = options.maxRetries ?? settings.maxRetries;
    const key = options.idempotencyKey || (operation.takesKey ? newKey() : undefined);
    const accept = "application/json, text/plain;q=0.9";
    const headers: Record<string, string> = { accept, ...this.authorization() };
    if (!isPage()) headers["user-agent"] = `contexture-sdk-typescript/${VERSION}`;
    const query = new URLSearchParams(operation.query);
    for (const [name, value] of Object.entries(options)) {
      if (OPTION_NAMES.has(name) || value === undefined || value === null) continue;
      const header = HEADERS[name];
      if (header) headers[header] = String(value);
      else query.set(name, Array.isArray(value) ? value.join(",") : String(value));
    }
    for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = value;
    if (key) headers["idempotency-key"] = key;
    const url = settings.url + pathOf(operation, call.path ?? []) + (query.size > 0 ? `?${query}` : "");
    const body = await this.encode(operation, call.body, headers);
    const harmful = operation.safeUnless && isRecord(call.body) && call.body[operation.safeUnless];
    const repeatable = key !== undefined || (operation.safe === true && !harmful);
    let ambiguous = false;
    for (let attempt = 0; ; attempt += 1) {
      let timeoutMs = settings.timeoutMs;
      if (deadlineMs !== undefined) {
        const leftMs = deadlineMs - (clock.now() - started);
        if (leftMs < 1) throw new ContextureError(TIMEOUT, `no response within ${deadlineMs} ms`);
        headers["contexture-deadline-ms"] = String(Math.min(MAX_DEADLINE_MS, Math.floor(leftMs)));
        timeoutMs = leftMs + DEADLINE_MARGIN_MS;
      }
      const init: RequestInit = { method: operation.method, headers, redirect: "manual", ...(body ? { body } : {}) };
      const outcome = await this.attempt(url, init, timeoutMs, options.signal);
      const verdict = verdictOf(outcome, repeatable);
      if (!verdict.error) return outcome as Reply;
      // The attempt before this one has deleted it.
      const gone = ambiguous && operation.method === "DELETE" && verdict.error.status === 404;
      if (gone) return { status: 204, headers: new Headers(), text: "" };
      ambiguous ||= verdict.unclear;
      const pause = verdict.error.retryAfter === undefined ? backoffMs(attempt) : verdict.error.retryAfter * 1_000;
      const left = deadlineMs === undefined ? MAX_WAIT_MS : deadlineMs - (clock.now() - started);
      if (!verdict.retry || attempt >= maxRetries || pause > Math.min(MAX_WAIT_MS, left)) throw verdict.error;
      await clock.sleep(pause, options.signal);
    }
  }

  /** What a method returns for a response. */
  async call(operation: Operation, call?: Call): Promise<unknown> {
    const reply = await this.send(operation, call);
    if (reply.status === 204 || reply.text === "") return undefined;
    return reply.headers.get("content-type")?.includes("json") ? jsonOf(reply.text, reply) : reply.text;
  }

  /** Rows of pages, each page when it is needed. */
  async *each(operation: Operation, call: Call = {}): AsyncGenerator<unknown, void, undefined> {
    let cursor: unknown;
    do {
      const page = await this.call(operation, { ...call, options: { ...call.options, cursor } });
      const { items, next_cursor } = page as { items: unknown[]; next_cursor?: string | null };
      yield* items;
      cursor = next_cursor;
    } while (cursor);
  }

  private async encode(
    operation: Operation, body: unknown, headers: Record<string, string>,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (!operation.body) return undefined;
    headers["content-type"] ??= operation.contentType ?? "application/json";
    if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>;
    const text = typeof body === "string" && operation.contentType ? body : JSON.stringify(body ?? {});
    const bytes = new TextEncoder().encode(text);
    if (bytes.length < this.settings.gzipMinBytes || typeof CompressionStream === "undefined") return bytes;
    headers["content-encoding"] = "gzip";
    const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
    return new Uint8Array(await new Response(packed).arrayBuffer());
  }

  /** One attempt: the response with its body, or the error in its place. */
  private async attempt(
    url: string, init: RequestInit, timeoutMs: number, signal: AbortSignal | undefined,
  ): Promise<Reply | ContextureError> {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      const response = await this.settings.fetch(url, { ...init, signal: controller.signal });
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch (cause) {
      signal?.throwIfAborted();
      if (!controller.signal.aborted) return connectionError(url, cause);
      const detail = `no response from ${new URL(url).origin} within ${Math.round(timeoutMs)} ms`;
      return new ContextureError(TIMEOUT, detail, { cause });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }
}

interface Verdict {
  error?: ContextureError;
  retry: boolean;
  /** Whether the request may have been carried out. */
  unclear: boolean;
}

function verdictOf(outcome: Reply | ContextureError, repeatable: boolean): Verdict {
  if (outcome instanceof ContextureError) {
    const unsent = isUnsent(outcome.cause);
    return { error: outcome, retry: unsent || (repeatable && outcome.code !== TIMEOUT), unclear: !unsent };
  }
  const { status } = outcome;
  if ((status >= 200 && status < 300) || status === 304) return { retry: false, unclear: false };
  const error = errorOf(outcome, retryAfterOf(outcome.headers));
  if (NOTHING_DONE.has(error.code)) return { error, retry: true, unclear: false };
  // A proxy's page, or a commit whose response was lost.
  const unclear =
    error.code === "outcome_unknown" || (error.code === UNEXPECTED_RESPONSE && [502, 503, 504].includes(status));
  return { error, retry: unclear && repeatable, unclear };
}

/** Whether no server has seen a request. Browsers do not say, so there it may have been seen. */
export function isUnsent(error: unknown): boolean {
  for (let cause = error, depth = 0; isRecord(cause) && depth < 4; cause = cause["cause"], depth += 1) {
    if (UNSENT.has(String(cause["code"]))) return true;
    // Deno has no codes.
    if (/tcp connect error|dns error|Connection refused/.test(String(cause["message"]))) return true;
  }
  return false;
}

/** A failure of the way to the server, with its address: often that is what is wrong. */
export function connectionError(url: string, error: unknown): ContextureError {
  const cause = isRecord(error) && error["cause"] ? error["cause"] : error;
  const reason = cause instanceof Error && cause.message ? cause.message : String(error);
  const what = isUnsent(error) ? "cannot connect to" : "no response from";
  return new ContextureError(CONNECTION_FAILED, `${what} ${new URL(url).origin}: ${reason}`, { cause: error });
}

/** A path with its parameters, percent-encoded. */
function pathOf(operation: Operation, values: readonly string[]): string {
  const rest = [...values];
  return operation.path.replace(/\{([^}]*)\}/g, (_, name: string) => {
    const value = rest.shift() ?? "";
    if (["", ".", ".."].includes(value)) throw new TypeError(`${name} must not be "${value}", which is another path`);
    return encodeURIComponent(value).replace(/[!'()*]/g, percent);
  });
}

function percent(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
}

function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Seconds that the server asks to wait: a number, or a date. */
export function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - clock.date()) / 1_000);
}

/** Milliseconds before the next attempt if the server names none: they double, and half of them are random. */
export function backoffMs(attempt: number): number {
  return Math.min(MAX_BACKOFF_MS, 250 * 2 ** attempt) * (0.5 + Math.random() / 2);
}
