// Requests to the server that this page came from. The cookie signs them; what changes something has the token that
// proves that this page sent it.

import { ApiError, problemOf } from "./problem.ts";
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
  if (response.status === 204) return null;
  const text = await response.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ApiError(response.status, "unreadable", response.headers.get("x-request-id"), `the response of \`${method} ${url}\` is not JSON: a proxy in between may have sent it`);
  }
}

function urlOf(path: string, names: Record<string, string> | undefined, query: object | undefined): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return fill(path, names ?? {}) + (text && `?${text}`);
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
  return send("GET", urlOf(path, options.path, options.query), options.signal ? { signal: options.signal } : {}) as never;
}

interface Write<Query> {
  path?: Record<string, string>;
  query?: Query;
  signal?: AbortSignal;
  /** A key that is sent in place of the cookie. */
  key?: string;
  /** The version that must be stored. */
  ifMatch?: number;
}

function write(method: string, path: string, body: unknown, options: Write<unknown>): Promise<unknown> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (options.key !== undefined) headers["authorization"] = `Bearer ${options.key}`;
  if (options.ifMatch !== undefined) headers["if-match"] = `"${options.ifMatch}"`;
  const init: RequestInit = { headers, body: typeof body === "string" ? body : JSON.stringify(body) };
  if (options.signal) init.signal = options.signal;
  return send(method, urlOf(path, options.path, options.query as object | undefined), init);
}

/** Sends a JSON body. The body is text if its bytes matter. */
export function post<Path extends Having<"post">>(
  path: Path, body: unknown, options: Write<QueryOf<Operation<Path, "post">>> = {},
): Promise<Success<Operation<Path, "post">>> {
  return write("POST", path, body, options) as never;
}

export function put<Path extends Having<"put">>(
  path: Path, body: unknown, options: Write<QueryOf<Operation<Path, "put">>> = {},
): Promise<Success<Operation<Path, "put">>> {
  return write("PUT", path, body, options) as never;
}

export function patch<Path extends Having<"patch">>(
  path: Path, body: unknown, options: Write<QueryOf<Operation<Path, "patch">>> = {},
): Promise<Success<Operation<Path, "patch">>> {
  return write("PATCH", path, body, options) as never;
}

export function remove<Path extends Having<"delete">>(
  path: Path, options: { path?: Record<string, string>; query?: QueryOf<Operation<Path, "delete">> } = {},
): Promise<unknown> {
  return send("DELETE", urlOf(path, options.path, options.query), {});
}

/** Reads a text, such as a page of the documentation in Markdown. */
export async function getText(path: string, media: string, signal?: AbortSignal): Promise<string> {
  const response = await fetch(path, { headers: { accept: media }, credentials: "same-origin", ...(signal ? { signal } : {}) });
  if (!response.ok) throw await problemOf(response);
  return response.text();
}
