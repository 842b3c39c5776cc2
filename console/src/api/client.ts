// Requests to the server that this page came from. The cookie signs them; what changes something has the token that
// proves that this page sent it.

import { problemOf } from "./problem.ts";
import type { Paths } from "./schema.ts";

type JsonOf<Response> = Response extends { content: { "application/json": infer Body } } ? Body : never;
type Success<Operation> = Operation extends { responses: infer Responses }
  ? { [Status in keyof Responses]: Status extends 200 | 201 ? JsonOf<Responses[Status]> : never }[keyof Responses]
  : never;
type Having<Method extends string> = {
  [Path in keyof Paths]: Paths[Path] extends { [_ in Method]: { responses: unknown } } ? Path : never;
}[keyof Paths];
type Operation<Path extends keyof Paths, Method extends string> = Paths[Path] extends { [_ in Method]: infer Found }
  ? Found
  : never;
type QueryOf<Found> = Found extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never;

let csrfToken: string | null = null;

/** Sets the token of requests that change something. */
export function setCsrfToken(token: string | null): void {
  csrfToken = token;
}

function fill(path: string, names: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ""));
}

async function send(method: string, url: string, init: RequestInit): Promise<unknown> {
  const headers = new Headers(init.headers);
  headers.set("accept", "application/json");
  if (csrfToken !== null && method !== "GET") headers.set("contexture-csrf", csrfToken);
  const response = await fetch(url, { ...init, method, headers, credentials: "same-origin" });
  if (!response.ok) throw await problemOf(response);
  return response.status === 204 ? null : response.json();
}

/** Reads a resource. Cancelled by `signal`. */
export function get<Path extends Having<"get">>(
  path: Path,
  options: {
    path?: Record<string, string>;
    query?: QueryOf<Operation<Path, "get">>;
    signal?: AbortSignal;
  } = {},
): Promise<Success<Operation<Path, "get">>> {
  const pairs = Object.entries(options.query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const query = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  const url = fill(path, options.path ?? {}) + (query && `?${query}`);
  return send("GET", url, options.signal ? { signal: options.signal } : {}) as never;
}

/** Sends a JSON body. The body is text if its bytes matter. */
export function post<Path extends Having<"post">>(
  path: Path,
  body: unknown,
  options: { path?: Record<string, string>; signal?: AbortSignal; key?: string } = {},
): Promise<Success<Operation<Path, "post">>> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (options.key !== undefined) headers["authorization"] = `Bearer ${options.key}`;
  const init: RequestInit = { headers, body: typeof body === "string" ? body : JSON.stringify(body) };
  if (options.signal) init.signal = options.signal;
  return send("POST", fill(path, options.path ?? {}), init) as never;
}

export function remove(url: string): Promise<unknown> {
  return send("DELETE", url, {});
}
