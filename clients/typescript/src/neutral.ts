/**
 * Compiles the messages of a framework in the neutral shape, and finds each of them again in the payload.
 *
 * A message that comes back as it was sent is the framework's own object again, with all that the neutral shape cannot
 * hold: reasoning, signatures, metadata. Of a message that comes back with other parts, parts that were not shown stay.
 */

import { Contexture } from "./client.js";
import { checkNames, DEFAULT_DEADLINE_MS, showCompiled, type WrapOptions } from "./compiling.js";
import { ContextureError } from "./errors.js";
import { FailurePolicy } from "./failures.js";
import type { NeutralMessage, NeutralPart } from "./hook-types.js";
import type { CompileRequest } from "./schema.js";

/** A part of a message of a framework, and what the compile is shown of it; nothing of a part that only stays. */
export interface ShownPart<Part> {
  original: Part;
  shown?: NeutralPart;
}

/** A message of a framework, and what the compile is shown of it. */
export interface ShownMessage<Message, Part> {
  original: Message;
  role: NeutralMessage["role"];
  parts: ShownPart<Part>[];
}

/** A message with those after it of which nothing is shown and which go where it goes, such as approvals of calls. */
interface Followed<Message, Part> extends ShownMessage<Message, Part> {
  after: Message[];
}

function followed<Message, Part>(rows: ShownMessage<Message, Part>[]): Followed<Message, Part>[] {
  const kept: Followed<Message, Part>[] = [];
  for (const row of rows) {
    const last = kept.at(-1);
    // A message of a tool without a result is none.
    if (last && row.role === "tool" && row.parts.every((part) => !part.shown)) last.after.push(row.original);
    else kept.push({ ...row, after: [] });
  }
  return kept;
}

/** A part of the payload, with the part that it was; or a part that was not shown, in its place. */
export type MergedPart<Part> = { kept: Part } | { original?: Part; part: NeutralPart };

export interface Rebuild<Message, Part> {
  /** The message with these parts. */
  changed(original: Message, parts: MergedPart<Part>[]): Message;
  /** A message that was not in the list, such as a summary. */
  added(role: NeutralMessage["role"], parts: NeutralPart[]): Message;
}

export const textPart = (text: string): NeutralPart => ({ type: "text", text });

/** Parts of a message; one of which the neutral shape can hold nothing is a text, so that it keeps its place. */
function shownOf<Part>(parts: ShownPart<Part>[]): NeutralPart[] {
  const shown = parts.flatMap((row) => row.shown ?? []);
  return shown.length > 0 ? shown : [textPart("[…]")];
}

/** Whether a part is as it was; the name that a result gets from its call is no change. */
function isSame(sent: NeutralPart, got: NeutralPart): boolean {
  const one = { ...sent, is_error: sent.is_error ?? false } as Record<string, unknown>;
  const other = { ...got, is_error: got.is_error ?? false } as Record<string, unknown>;
  const names = new Set([...Object.keys(one), ...Object.keys(other).filter((name) => name !== "name")]);
  return [...names].every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));
}

const keyOf = (part: NeutralPart) => `${part.type} ${part.call_id ?? part.id ?? ""}`;

/** Parts of the payload in their order; what was not shown comes before the part that it came before. */
function mergedParts<Part>(parts: ShownPart<Part>[], got: NeutralPart[]): MergedPart<Part>[] {
  const rest = parts.map((row) => ({ ...row, taken: false }));
  const list: MergedPart<Part>[] = [];
  const passHidden = (before: number) => {
    for (const row of rest.slice(0, before)) {
      if (!row.shown && !row.taken) list.push({ kept: row.original });
      row.taken ||= !row.shown;
    }
  };
  for (const part of got) {
    const free = (fits: (shown: NeutralPart) => boolean) =>
      rest.findIndex((row) => row.shown && !row.taken && fits(row.shown));
    const exact = free((shown) => isSame(shown, part));
    const at = exact >= 0 ? exact : free((shown) => keyOf(shown) === keyOf(part));
    const row = rest[at];
    if (row) {
      passHidden(at);
      row.taken = true;
    }
    list.push(!row ? { part } : exact >= 0 ? { kept: row.original } : { original: row.original, part });
  }
  passHidden(rest.length);
  return list;
}

/** The payload as messages of the framework. */
function merged<Message, Part>(
  rows: Followed<Message, Part>[], payload: { messages: NeutralMessage[] }, rebuild: Rebuild<Message, Part>,
): Message[] {
  const places = new Map(rows.map((row, at) => [`at_${at}`, row]));
  const grouped: NeutralMessage[] = [];
  for (const message of payload.messages) {
    // Results of one message come one by one.
    const last = grouped.at(-1);
    if (last && message.id !== undefined && last.id === message.id) last.parts.push(...message.parts);
    else grouped.push({ ...message, parts: [...message.parts] });
  }
  return grouped.flatMap((message) => {
    const row = places.get(message.id ?? "");
    if (!row) return rebuild.added(message.role, message.parts);
    const sent = shownOf(row.parts);
    if (sent.length === message.parts.length && sent.every((part, at) => isSame(part, message.parts[at]!))) {
      return [row.original, ...row.after];
    }
    return [rebuild.changed(row.original, mergedParts(row.parts, message.parts)), ...row.after];
  });
}

/** Options of a module for a framework. */
export type FrameworkOptions = Omit<WrapOptions, "session"> & {
  /** The session that compiles and usage belong to. */
  session?: string | undefined;
};

/** The messages to send, and the server's client for what comes after. */
export class Compiler {
  readonly client: Contexture;
  readonly #keys: Record<string, unknown>;
  readonly #failures: FailurePolicy;
  readonly #options: FrameworkOptions;
  readonly #reports = new Map<string, Promise<void>>();

  constructor(options: FrameworkOptions) {
    checkNames(Object.keys(options));
    const { contexture, failOpen = true, session: _, waitUntil: __, onWarning: ___, onCompiled: ____, ...keys } = options;
    this.client = contexture ?? new Contexture({ deadlineMs: DEFAULT_DEADLINE_MS, maxRetries: 0 });
    this.#keys = keys;
    this.#failures = new FailurePolicy(failOpen, keys);
    this.#options = options;
  }

  warn(message: string): void {
    (this.#options.onWarning ?? ((text: string) => console.warn(`contexture: ${text}`)))(message);
  }

  /** The compiled messages; those that were given if they cannot be compiled, unless that is a refusal. */
  async compile<Message, Part>(
    rows: ShownMessage<Message, Part>[], rebuild: Rebuild<Message, Part>, keys: Record<string, unknown>,
    session: string | undefined, signal?: AbortSignal,
  ): Promise<Message[]> {
    if (this.#failures.paused) return rows.map((row) => row.original);
    const kept = followed(rows);
    const messages = kept.map((row, at) => ({ id: `at_${at}`, role: row.role, parts: shownOf(row.parts) }));
    // A report is about the payload before, so it comes before the next one.
    if (session !== undefined) await this.#reports.get(session);
    const named = session === undefined ? {} : { session_id: session };
    const body = { ...keys, ...this.#keys, ...named, source: "neutral", target: "neutral", messages } as CompileRequest;
    try {
      const answer = await this.client.compile(body as CompileRequest & { target: "neutral" }, { signal });
      showCompiled(answer, this.#options.onCompiled, (message) => this.warn(message));
      return merged(kept, answer.payload, rebuild);
    } catch (error) {
      if (!(error instanceof ContextureError)) throw error;
      if (this.#failures.refusal(error) !== undefined) throw error;
      this.warn(`messages go out as they are, since they were not compiled: ${error.message}`);
      return rows.map((row) => row.original);
    }
  }

  /** Waits for the reports that are under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#reports.values());
  }

  /** Reports usage to a session in the background. */
  report(session: string | undefined, usage: object): void {
    if (session === undefined) return;
    const promise: Promise<void> = this.client
      .reportUsage(session, { usage } as never)
      .then(() => undefined, (error: unknown) => this.warn(`usage was not reported: ${String(error)}`))
      .finally(() => this.#reports.get(session) === promise && this.#reports.delete(session));
    this.#reports.set(session, promise);
    this.#options.waitUntil?.(promise);
  }
}

/** Counts of a framework as the usage of OpenAI, where what was read from a cache is part of the input. */
export function usageOf(input: number, output: number, cached: number): object {
  return { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: { cached_tokens: cached } };
}
