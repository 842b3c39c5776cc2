import type { FieldError, Problem } from "./schema.js";

/** Codes of failures that the server did not describe. */
export const CONNECTION_FAILED = "connection_failed";
export const TIMEOUT = "timeout";
export const UNEXPECTED_RESPONSE = "unexpected_response";

/** What is known of a failure next to its code. */
export interface ErrorContext {
  status?: number | undefined;
  problem?: Problem | undefined;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/**
 * A request that was refused, or that got no response.
 *
 * `code` is that of the server's problem document (docs/problems.md), or `connection_failed`, `timeout` or
 * `unexpected_response`. `status` is undefined if there was no response. `errors` names every faulty place of the
 * request. `retryAfter` is in seconds.
 */
export class ContextureError extends Error {
  override readonly name = "ContextureError";
  readonly status: number | undefined;
  readonly problem: Problem | undefined;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(readonly code: string, readonly detail: string, context: ErrorContext = {}) {
    const faults = context.problem?.errors ?? [];
    const places = faults.map((fault) => `\n  ${fault.pointer || "(request)"}: ${fault.detail}`);
    const status = context.status ? ` (${context.status})` : "";
    const request = context.requestId ? ` [${context.requestId}]` : "";
    super(`${code}${status}: ${detail}${request}${places.join("")}`, { cause: context.cause });
    this.status = context.status;
    this.problem = context.problem;
    this.requestId = context.requestId;
    this.retryAfter = context.retryAfter;
  }

  /** Every faulty place of the request, each with a JSON Pointer. */
  get errors(): FieldError[] {
    return this.problem?.errors ?? [];
  }

  /** What else the problem holds, by its code. */
  get details(): Record<string, unknown> {
    return isRecord(this.problem?.details) ? this.problem.details : {};
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A response whose body was read. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
}

/** The error that a response with a status of 300 and above is. */
export function errorOf(reply: Reply, retryAfter: number | undefined): ContextureError {
  const { status } = reply;
  const requestId = reply.headers.get("x-request-id") ?? undefined;
  let body: unknown;
  try {
    body = JSON.parse(reply.text);
  } catch {
    body = undefined;
  }
  if (isRecord(body) && typeof body["code"] === "string") {
    const problem = body as unknown as Problem;
    const named = problem.request_id || requestId;
    return new ContextureError(problem.code, problem.detail || problem.title || "", {
      status, problem, requestId: named, retryAfter,
    });
  }
  const start = JSON.stringify(reply.text.slice(0, 200));
  return new ContextureError(UNEXPECTED_RESPONSE, `the response is no problem document: ${start}`, {
    status, requestId, retryAfter,
  });
}

/** The JSON of a text that the server sent. */
export function jsonOf(text: string, reply?: Reply): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const requestId = reply?.headers.get("x-request-id") ?? undefined;
    throw new ContextureError(UNEXPECTED_RESPONSE, `the response is not JSON: ${String(cause)}`, {
      status: reply?.status, requestId, cause,
    });
  }
}
