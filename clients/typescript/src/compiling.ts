/**
 * What `wrap` does on the wire: a provider's request is compiled on its way out, and its usage is read on its way back.
 *
 * It works below the provider's library, as its `fetch`, so helpers, raw responses and streams of that library behave
 * as they do without it. A stream is passed on chunk by chunk, byte for byte.
 */

import { withReserve } from "./budget.js";
import { Contexture } from "./client.js";
import { ContextureError, isRecord } from "./errors.js";
import { FailurePolicy } from "./failures.js";
import { COMPILE_KEYS } from "./operations.js";
import type { CompileRequest, SessionUsage } from "./schema.js";
import type { CompileKeys, Compiled as Answer, Target } from "./payloads.js";
import type { Fetch } from "./transport.js";
import { UsageReader, withReader } from "./usage.js";
import { type Wire } from "./wires.js";

export const SESSION_HEADER = "contexture-session";
export const DEFAULT_DEADLINE_MS = 5_000;
const MAX_KEPT_FOR_RETRIES = 8;

/** What is compiled, and what happens if that fails. Other members are keys of `/compile`. */
export interface WrapOptions extends Omit<CompileKeys, "target" | "source" | "model" | "tools"> {
  /** The client for the server. Default: one from the environment, with a deadline of 5 s and no retries. */
  contexture?: Contexture;
  /** The session, or a function that names it. The header `Contexture-Session` of a request wins. */
  session?: string | (() => string | undefined) | undefined;
  /** Whether a request goes out as it is if it cannot be compiled. Refusals never do. Default: true. */
  failOpen?: boolean;
  /** Is shown each answer of `/compile`. */
  onCompiled?: (answer: Answer<Target>) => void;
  /** Keeps an edge runtime alive for a promise, such as that of a report of usage. */
  waitUntil?: (promise: Promise<unknown>) => void;
  /** Is given what is passed by. Default: `console.warn`. */
  onWarning?: (message: string) => void;
}

/** Keys of `/compile` that are no options, since each request has its own. */
const FIXED = [
  "target", "source", "model", "tools", "messages", "input", "instructions", "contents", "system",
  "systemInstruction", "system_instruction",
];
/** Options of `wrap` that are no keys of `/compile`. */
export const OWN_OPTIONS: readonly string[] = ["contexture", "session", "failOpen", "onCompiled", "waitUntil", "onWarning"];

/** A request that is to be compiled. */
interface Plan {
  wire: Wire;
  body: Record<string, unknown>;
  compile: Record<string, unknown>;
  session: string | undefined;
}

/** A body as it goes to the provider, and headers that its payload needs. */
interface Compiled {
  body: string;
  headers: Record<string, string>;
}

/** A `fetch` that compiles what is sent by another one. */
export function compilingFetch(wires: readonly Wire[], options: WrapOptions, send: Fetch): Fetch {
  const { contexture, session, failOpen = true, onCompiled, waitUntil, onWarning, ...keys } = options;
  checkNames(Object.keys(options));
  const warn = onWarning ?? ((message: string) => console.warn(`contexture: ${message}`));
  const client = contexture ?? new Contexture({ deadlineMs: DEFAULT_DEADLINE_MS, maxRetries: 0 });
  const kept = new Map<string, Compiled>();
  const reports = new Map<string, Promise<void>>();
  const failures = new FailurePolicy(failOpen, keys);

  function planOf(url: URL, init: RequestInit, headers: Headers): Plan | undefined {
    const wire = wires.find((row) => row.ends.some((end) => url.pathname.endsWith(end)));
    if (!wire || init.method?.toUpperCase() !== "POST" || typeof init.body !== "string") return undefined;
    const body = parsed(init.body);
    if (!body || isEmpty(body[wire.conversation[0]])) return undefined;
    if (wire.remote.some((name) => body[name] != null)) return undefined;
    const asked: [string, unknown][] = [...wire.conversation, ...wire.also]
      .filter((name) => body[name] != null)
      .map((name) => [name, body[name]]);
    const model = body["model"] ?? url.pathname.split("/").at(-1)?.split(":")[0];
    const reserve = wire.reserve(body);
    const own = headers.get(SESSION_HEADER) ?? (typeof session === "function" ? session() : session);
    const { target } = wire;
    const compile: Record<string, unknown> = { target, source: target, model, ...Object.fromEntries(asked), ...keys };
    if (reserve !== undefined) compile["budget"] = withReserve(keys.budget, reserve);
    if (own !== undefined) compile["session_id"] = own;
    return { wire, body, compile, session: own };
  }

  /** The provider's response in the place of its own, or undefined if the request goes out as it is. */
  function failed(plan: Plan, error: ContextureError): Response | undefined {
    const status = failures.refusal(error);
    if (status === undefined) {
      warn(`a request goes out as it is, since it was not compiled: ${error.message}`);
      return undefined;
    }
    const headers = { "content-type": "application/json", "x-should-retry": "false" };
    return new Response(JSON.stringify(plan.wire.refusal(error, status)), { status, headers });
  }

  async function compiled(plan: Plan, signal: AbortSignal | null | undefined): Promise<Compiled> {
    if (plan.session !== undefined) await reports.get(plan.session);
    const answer = await client.compile(plan.compile as CompileRequest, { signal: signal ?? undefined });
    showCompiled(answer, onCompiled, warn);
    const rest = Object.entries(plan.body).filter(([name]) => !plan.wire.conversation.includes(name));
    const requires = (answer.report as { requires?: Requires | null }).requires ?? {};
    const body = { ...Object.fromEntries(rest), ...requires.parameters, ...(answer.payload as object) };
    return { body: JSON.stringify(body), headers: requires.headers ?? {} };
  }

  /** Keeps a compiled body for the attempts that the provider's library makes after a failure. */
  function keep(body: string, value: Compiled): void {
    kept.set(body, value);
    for (const first of kept.keys()) if (kept.size > MAX_KEPT_FOR_RETRIES) kept.delete(first);
  }

  function report(plan: Plan, usage: Record<string, unknown> | undefined): void {
    if (!usage || plan.session === undefined) return;
    const session = plan.session;
    const body = { usage, model: plan.compile["model"] } as unknown as SessionUsage;
    const promise: Promise<void> = client
      .reportUsage(session, body)
      .then(() => undefined, (error: unknown) => warn(`usage was not reported: ${String(error)}`))
      .finally(() => reports.get(session) === promise && reports.delete(session));
    reports.set(session, promise);
    waitUntil?.(promise);
  }

  return async (input, init = {}) => {
    const url = new URL(typeof input === "string" || input instanceof URL ? input : input.url, "http://localhost");
    const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined));
    const plan = failures.paused ? undefined : planOf(url, init, headers);
    const again = headers.get("x-stainless-retry-count") ?? "0";
    let body = again === "0" ? undefined : kept.get(String(init.body));
    if (plan && !body) {
      try {
        body = await compiled(plan, init.signal);
        keep(String(init.body), body);
      } catch (error) {
        if (!(error instanceof ContextureError)) throw error;
        const refusal = failed(plan, error);
        if (refusal) return refusal;
      }
    }
    if (!headers.has(SESSION_HEADER) && !body) return send(input, init);
    headers.delete(SESSION_HEADER);
    if (!body) return send(input, { ...init, headers });
    for (const [name, value] of Object.entries(body.headers)) headers.append(name, value);
    headers.delete("content-length");
    const response = await send(input, { ...init, headers, body: body.body });
    // Usage is reported to a session.
    if (!plan || plan.session === undefined || response.status !== 200) return response;
    const reader = new UsageReader(response.headers.get("content-type") ?? "");
    return withReader(response, reader, () => report(plan, reader.end()));
  };
}

/** Shows an answer to the caller's function, whose failure is no failure of the request. */
export function showCompiled<Shown>(
  answer: Shown, show: ((answer: Shown) => void) | undefined, warn: (message: string) => void,
): void {
  try {
    show?.(answer);
  } catch (error) {
    warn(`\`onCompiled\` failed: ${String(error)}`);
  }
}

/**
 * Throws for a name that is no option; `own` are those that are no keys of `/compile`. The server would refuse each
 * request that has one, and each would go out as it is.
 */
export function checkNames(names: string[], own: readonly string[] = OWN_OPTIONS): void {
  const fixed = FIXED.find((name) => names.includes(name));
  if (fixed) throw new TypeError(`"${fixed}" comes from each request`);
  const known = [...own, ...COMPILE_KEYS].filter((name) => !FIXED.includes(name)).sort();
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`unknown option "${unknown}"; known options: ${known.join(", ")}`);
}

interface Requires {
  parameters?: Record<string, unknown> | null;
  headers?: Record<string, string> | null;
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEmpty(value: unknown): boolean {
  return value == null || value === "" || (Array.isArray(value) && value.length === 0);
}
