/**
 * Hooks as functions that return values, for any `Request → Response` handler.
 *
 *     const hooks = new Hooks();                       // secrets from CONTEXTURE_HOOK_SECRETS
 *     hooks.guard("veto", "memory_update", ({ input }) =>
 *       String(input.value).includes("password") ? deny("Passwords are not remembered.") : null);
 *
 *     export default { fetch: hooks.fetch };           // Workers, Bun, Deno, route handlers
 *     createServer(hooks.node).listen(8132);           // Node
 *
 * One URL serves all functions: which one is called is decided by the hook's id, else by its kind and point.
 *
 * | Kind | A function returns |
 * |---|---|
 * | guard | Nothing, null or true: allowed. False, `deny(reason, code)`, or a text, which is the reason: denied. |
 * | transform | Nothing or null: unchanged. `jsonPatch([…])`, `mergePatch({…})`. Else, or `replace(value)`: the value. |
 * | provide | Nothing or null: nothing. A text, a list of fragments, or what the point asks for (`{ evidence }`). |
 * | observe | Is ignored. |
 */

import type { Contexture } from "./client.js";
import type { HookCall, Kind, KindPoints, Point, Replacements } from "./hook-types.js";
import type { HookRegistration, NewHook } from "./schema.js";
import {
  callOf, headerOf, type Secrets, secretsOf, verifyWebhook, type WebhookBody, type WebhookHeaders,
  WebhookVerificationError,
} from "./webhooks.js";

export type * from "./hook-types.js";
export { sign, verifyWebhook, WebhookVerificationError } from "./webhooks.js";

/** More than any call has: a history, twice. */
const MAX_CALL_BYTES = 64 * 1024 * 1024;

/** An answer as it is on the wire. */
export class Answer {
  constructor(readonly body: unknown) {}
}

/** A guard's leave. */
export const allow = (): Answer => new Answer({ decision: "allow" });

/** A guard's no; the model or the caller reads the reason. */
export const deny = (reason: string, code?: string): Answer =>
  new Answer({ decision: "deny", reason, ...(code ? { code } : {}) });

/** The new value of what a transform changes; `replace(null)` is null. */
export const replace = (payload: unknown): Answer => new Answer({ action: "replace", payload });

/** A patch of the call's `input` (RFC 6902). */
export const jsonPatch = (patch: readonly object[]): Answer => new Answer({ action: "json_patch", patch });

/** A patch of the call's `input` (RFC 7396). */
export const mergePatch = (patch: object): Answer => new Answer({ action: "merge_patch", patch });

type Nothing = void | null | undefined;
interface Returns<At extends Point> {
  guard: boolean | string | Answer | Nothing;
  transform: (At extends keyof Replacements ? Replacements[At] : never) | Answer | Nothing;
  provide: string | readonly (string | object)[] | object | Nothing;
  observe: unknown;
}

/** The message that a call came in. A call may come twice, under the same id. */
export interface HookMessage {
  id: string;
}

/** A function of a hook, async or not. */
export type HookFunction<Of extends Kind, At extends Point> =
  (call: HookCall<At>, message: HookMessage) => Returns<At>[Of] | Promise<Returns<At>[Of]>;

/** Keys of the registration of a hook. */
export type HookOptions = Partial<Omit<HookRegistration, "id" | "kind" | "point" | "points" | "url" | "secret">>;

/** The answer on the wire for what a function returned. */
export function answerOf(kind: Kind, value: unknown): unknown {
  if (value instanceof Answer) return value.body;
  if (kind === "observe") return {};
  if (value === undefined || value === null) {
    return kind === "guard" ? { decision: "allow" } : kind === "transform" ? { action: "unchanged" } : null;
  }
  if (kind === "transform") return { action: "replace", payload: value };
  if (kind === "guard") {
    if (value === true) return { decision: "allow" };
    if (value !== false && typeof value !== "string") {
      throw new TypeError(`a guard returns nothing, a boolean, a text or \`deny(…)\`, not ${typeof value}`);
    }
    return { decision: "deny", reason: value || "The hook does not allow it." };
  }
  if (!Array.isArray(value)) return value === "" ? null : value;
  const fragments = value.map((row: unknown) => (typeof row === "string" ? { content: row } : row));
  return fragments.length > 0 ? { fragments } : null;
}

interface Registered {
  id: string;
  kind: Kind;
  points: Point[];
  run: (call: HookCall, message: HookMessage) => unknown;
  options: HookOptions;
}

/** What a web server is to send. */
export interface HookReply {
  status: number;
  body: string;
}

const reply = (status: number, value: unknown): HookReply => ({ status, body: JSON.stringify(value) });

/** The functions of a receiver. */
export class Hooks {
  readonly #hooks: Registered[] = [];

  readonly #options: { secrets?: Secrets; verify?: boolean; onError?: (error: unknown) => void };

  /**
   * `secrets` are `whsec_…`, or those of `CONTEXTURE_HOOK_SECRETS`. `verify: false` skips the check, for local trials.
   * `onError` is given what a function throws; by default it is written to the console.
   */
  constructor(options: { secrets?: Secrets; verify?: boolean; onError?: (error: unknown) => void } = {}) {
    this.#options = options;
  }

  /** The function decides whether it may go on. */
  guard<At extends KindPoints["guard"]>(
    id: string, points: At | At[], run: HookFunction<"guard", At>, options?: HookOptions,
  ): this {
    return this.#add(id, "guard", points, run, options);
  }

  /** The function returns what takes the place of what it was shown. */
  transform<At extends KindPoints["transform"]>(
    id: string, points: At | At[], run: HookFunction<"transform", At>, options?: HookOptions,
  ): this {
    return this.#add(id, "transform", points, run, options);
  }

  /** The function returns what is to be added. */
  provide<At extends KindPoints["provide"]>(
    id: string, points: At | At[], run: HookFunction<"provide", At>, options?: HookOptions,
  ): this {
    return this.#add(id, "provide", points, run, options);
  }

  /** The function is notified. */
  observe<At extends KindPoints["observe"]>(
    id: string, points: At | At[], run: HookFunction<"observe", At>, options?: HookOptions,
  ): this {
    return this.#add(id, "observe", points, run, options);
  }

  #add(
    id: string, kind: Kind, points: Point | Point[], run: (call: never, message: HookMessage) => unknown,
    options: HookOptions = {},
  ): this {
    if ([points].flat().length === 0) throw new TypeError(`a ${kind} needs at least one point`);
    if (this.#hooks.some((hook) => hook.id === id)) throw new TypeError(`there are two hooks with the id "${id}"`);
    this.#hooks.push({ id, kind, points: [points].flat(), run: run as Registered["run"], options });
    return this;
  }

  /** The hooks as `PUT /hooks/{id}` takes them, with the first secret for all. */
  registrations(url: string): (HookRegistration & { id: string })[] {
    const secret = this.#options.verify === false ? undefined : secretsOf(this.#options.secrets)[0];
    return this.#hooks.map(({ id, kind, points, options }) =>
      ({ id, kind, points, url, ...options, ...(secret ? { secret } : {}) }) as HookRegistration & { id: string });
  }

  /** Registers every hook, or brings it up to date; those that are there as they are stay so. */
  register(client: Contexture, url: string): Promise<NewHook[]> {
    return Promise.all(this.registrations(url).map((hook) => client.putHook(hook.id, hook as never)));
  }

  /** The reply to a call. */
  async handle(body: WebhookBody, headers: WebhookHeaders): Promise<HookReply> {
    try {
      const bytes = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
      const call = this.#options.verify === false
        ? callOf(bytes)
        : await verifyWebhook(bytes, headers, this.#options.secrets);
      const fits = this.#hooks.filter((hook) => hook.kind === call.kind && hook.points.includes(call.point));
      const hook = fits.find((row) => row.id === call.hook.id) ?? fits[0];
      if (!hook) return reply(404, { error: `no ${call.kind} is registered here at ${call.point}` });
      return reply(200, answerOf(hook.kind, await hook.run(call, { id: headerOf(headers, "webhook-id") ?? "" })));
    } catch (error) {
      if (error instanceof WebhookVerificationError) return reply(401, { error: error.code });
      // Anything but a 2xx is a failure, which never lets the request through. The cause stays here.
      this.#onError(error);
      return reply(500, { error: "the hook failed" });
    }
  }

  /** A `Request → Response` handler. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const { status, body } = await this.handle(await request.arrayBuffer(), request.headers);
    return new Response(body, { status, headers: { "content-type": "application/json" } });
  };

  /** A listener for `createServer` of `node:http`, and a handler of Express before its parsers of bodies. */
  readonly node = async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    let answer: HookReply;
    try {
      answer = await this.handle(await bodyOf(request), request.headers);
    } catch (error) {
      // The connection was lost, or the body is too large: nothing that is left to read is of use.
      this.#onError(error);
      answer = reply(400, { error: "the body could not be read" });
    }
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(answer.body);
  };

  #onError(error: unknown): void {
    (this.#options.onError ?? console.error)(error);
  }
}

async function bodyOf(request: NodeRequest): Promise<ArrayBuffer> {
  const pieces: BlobPart[] = [];
  let length = 0;
  for await (const piece of request) {
    length += (piece as Uint8Array).length;
    if (length > MAX_CALL_BYTES) throw new RangeError(`the body has more than ${MAX_CALL_BYTES} bytes`);
    pieces.push(piece as BlobPart);
  }
  return new Blob(pieces).arrayBuffer();
}

interface NodeRequest extends AsyncIterable<unknown> {
  headers: Record<string, string | string[] | undefined>;
}

interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}
