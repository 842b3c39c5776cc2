import type { Contexture } from "./client.js";
import type { CompileKeys, Target, Turned } from "./payloads.js";
import type {
  ToolCallResult, Session, SessionTurn, SessionUsage, AppendedTurn, UsageResponse,
} from "./schema.js";
import type { CallOptions } from "./transport.js";

/** Options of a turn, in addition to its messages. */
export type TurnOptions = Omit<CompileKeys, "usage"> & {
  /** What the provider counted of the last payload, as it came. */
  usage?: object | null | undefined;
  /** Options of the call itself. */
  call?: CallOptions;
};

/** A function for each of the caller's own tools, by its name. */
export type Functions = Record<string, (input: never) => unknown>;

/** A session by its id. Keys of `/compile` that are given with it are its defaults from its first turn on. */
export class SessionHandle<To extends Target = "openai"> {
  #opened: Promise<void> | undefined;

  constructor(
    readonly client: Contexture,
    readonly id: string,
    private readonly defaults: CompileKeys,
  ) {}

  /** Creates the session with its defaults, once. */
  #open(): Promise<void> {
    this.#opened ??= this.#create().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #create(): Promise<void> {
    if (Object.keys(this.defaults).length === 0) return;
    const defaults = JSON.parse(JSON.stringify(this.defaults)) as NonNullable<Session["defaults"]>;
    const opened = await this.client.createSession({ id: this.id, defaults });
    if (canonical(opened.defaults) !== canonical(defaults)) await this.client.updateSession(this.id, { defaults });
  }

  async #take(append: object | readonly object[], options: TurnOptions, more: object): Promise<unknown> {
    await this.#open();
    const { usage, call, ...keys } = options;
    const messages = Array.isArray(append) ? append : [append];
    const body = { ...keys, ...more, append: messages, ...(usage ? { usage } : {}) };
    return this.client.takeTurn(this.id, body as SessionTurn, call);
  }

  /**
   * Appends messages and returns the next payload.
   *
   * Messages and `usage` may be the objects of the provider's own library; other options are keys of `/compile`.
   */
  async turn(append: object | readonly object[], options: TurnOptions = {}): Promise<Turned<To>> {
    return (await this.#take(append, options, {})) as Turned<To>;
  }

  /** Appends messages and judges their calls, and compiles nothing. */
  async append(append: object | readonly object[], options: TurnOptions = {}): Promise<AppendedTurn> {
    return (await this.#take(append, options, { compile: false })) as AppendedTurn;
  }

  /**
   * Appends the model's message, runs the calls in it that are allowed, all at once, and returns the next payload.
   *
   * Resolves to undefined if the message has no call: it is the model's last word. What a function throws is the
   * result of its call, for the model to read.
   */
  async run(
    append: object | readonly object[], functions: Functions, options: TurnOptions = {},
  ): Promise<Turned<To> | undefined> {
    const { results } = await this.append(append, options);
    if (results.length === 0) return undefined;
    const own = results.filter((row) => row.for === "caller" && row.decision === "allow");
    const done = await Promise.all(own.map((row) => resultOf(row, functions)));
    const { usage: _, ...keys } = options;
    if (done.length === 0) return this.turn([], keys);
    const source = keys.target ?? (await this.#target());
    const { messages } = await this.client.takeResults({ results: done, source, session_id: this.id } as never);
    return this.turn(messages as object[], keys);
  }

  /** The shape of the session's messages. */
  async #target(): Promise<unknown> {
    const known = this.defaults.target ?? (await this.get()).defaults?.["target"];
    return known ?? "openai";
  }

  /** Reports what the provider counted of the last payload. */
  usage(usage: object, diagnostics: Partial<Omit<SessionUsage, "usage">> = {}): Promise<UsageResponse> {
    return this.client.reportUsage(this.id, { ...diagnostics, usage } as SessionUsage);
  }

  /** The session as it is stored. */
  get(): Promise<Session> {
    return this.client.getSession(this.id);
  }

  /** Removes the session and everything that is kept of it. */
  delete(): Promise<void> {
    return this.client.deleteSession(this.id);
  }
}

async function resultOf(row: ToolCallResult, functions: Functions): Promise<object> {
  const run = functions[row.name ?? ""] as ((input: unknown) => unknown) | undefined;
  if (!run) throw new TypeError(`there is no function for the tool "${row.name}"`);
  const result = { id: row.id, name: row.name, ...("arguments" in row ? { arguments: row.arguments } : {}) };
  try {
    const value = await run(row.arguments ?? {});
    const content = typeof value === "string" || Array.isArray(value) ? value : JSON.stringify(value ?? null);
    return { ...result, content, is_error: false };
  } catch (error) {
    return { ...result, content: String(error), is_error: true };
  }
}

/** JSON with its members in order, for comparisons. */
function canonical(value: unknown): string {
  return JSON.stringify(value ?? {}, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
