// A response that is an error, with what a reader needs to find it in the log.

import type { ProblemBody } from "./schema.ts";

export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly status: number,
    readonly code: string,
    readonly requestId: string | null,
    message: string,
  ) {
    super(message);
  }
}

/** Makes the error of a response. A server in between may have sent something else than a problem. */
export async function problemOf(response: Response): Promise<ApiError> {
  const requestId = response.headers.get("x-request-id");
  let body: Partial<ProblemBody> = {};
  try {
    body = (await response.json()) as Partial<ProblemBody>;
  } catch {
    // The status says it all.
  }
  const faults = (body.errors ?? []).filter((fault) => fault.detail !== body.detail).slice(0, 5).map((fault) => `${fault.pointer || "request"}: ${fault.detail}`);
  const lines = [body.detail ?? body.title ?? `the server responded with ${response.status}`, ...faults];
  return new ApiError(response.status, body.code ?? "unknown", body.request_id ?? requestId, lines.join("\n"));
}

/** The error that a page shows for anything that was thrown. */
export function errorOf(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ApiError(0, "unreachable", null, `the server could not be reached: ${message}`);
}
