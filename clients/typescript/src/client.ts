import { type EventOptions, readEvents } from "./events.js";
import { OPERATIONS, type Operations } from "./operations.js";
import type { Compiled, CompileKeys, TargetOf } from "./payloads.js";
import type { CompileRequest, EventRow } from "./schema.js";
import { SessionHandle } from "./session.js";
import { type Call, type CallOptions, type ContextureOptions, type Operation, Transport } from "./transport.js";

/** The methods of `Operations` are added to the prototype below. */
export interface Contexture extends Omit<Operations, "compile"> {
  /** Compiles a conversation to the payload for the provider's call. */
  compile<const Request extends CompileRequest>(
    body: Request, options?: CallOptions & { format?: "full" | "contextos-v1"; dry_run?: boolean },
  ): Promise<Compiled<TargetOf<Request>>>;
}

/**
 * A client for one server.
 *
 * `url` and `key` come from `CONTEXTURE_URL` and `CONTEXTURE_KEY` if they are not given.
 */
export class Contexture extends Transport {
  /** The same client with other defaults. */
  withOptions(options: ContextureOptions): Contexture {
    return new Contexture(this.optionsWith(options));
  }

  /** A session under this id; keys of `/compile` become its defaults. */
  session<const Keys extends CompileKeys>(id: string, defaults?: Keys): SessionHandle<TargetOf<Keys>> {
    return new SessionHandle(this, id, defaults ?? {});
  }

  /** Events as they happen, from now or after a number, each once, also over cuts of the connection. */
  async *events(options: EventOptions = {}): AsyncGenerator<EventRow, void, undefined> {
    // A page after more events than there can be tells how many there are.
    const page = options.after === undefined
      ? await this.listEvents({ after: Number.MAX_SAFE_INTEGER, limit: 1, signal: options.signal })
      : undefined;
    yield* readEvents(this, { ...options, after: options.after ?? page?.next_after });
  }
}

function callOf(operation: Operation, given: unknown[]): Call {
  const places = operation.path.split("{").length - 1;
  const path = given.slice(0, places) as string[];
  const rest = given.slice(places);
  const call: Call = { path, options: (rest[operation.body ? 1 : 0] ?? {}) as NonNullable<Call["options"]> };
  return operation.body ? { ...call, body: rest[0] } : call;
}

for (const [name, operation] of Object.entries(OPERATIONS) as [string, Operation][]) {
  const methods: Record<string, unknown> = {
    [name](this: Contexture, ...given: unknown[]) {
      return this.call(operation, callOf(operation, given));
    },
  };
  if (operation.pages) {
    const iterator = name.replace(/^(list)?./, (start) => `iter${start.at(-1)?.toUpperCase()}`);
    methods[iterator] = function (this: Contexture, ...given: unknown[]) {
      return this.each(operation, callOf(operation, given));
    };
  }
  for (const [key, value] of Object.entries(methods)) {
    Object.defineProperty(Contexture.prototype, key, { value, configurable: true, writable: true });
  }
}
