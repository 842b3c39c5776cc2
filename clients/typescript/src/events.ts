import { clock } from "./clock.js";
import { ContextureError, errorOf, jsonOf } from "./errors.js";
import type { EventRow } from "./schema.js";
import { backoffMs, connectionError, retryAfterOf, type Transport } from "./transport.js";

/** The server sends a heartbeat every 15 seconds; a stream that is silent for longer than two is dead. */
const MAX_SILENCE_MS = 40_000;
/** The pause before the next connection if the server has named none. */
const DEFAULT_PAUSE_MS = 2_000;
/** None is no response at all. */
const RETRIED_STATUSES = [undefined, 408, 429, 502, 503, 504];
/** About two minutes of pauses. */
const MAX_FAILURES_IN_A_ROW = 20;

/** Which events are read. */
export interface EventOptions {
  /** The number after which to begin. Default: from now on. */
  after?: number | undefined;
  types?: readonly string[] | undefined;
  session_id?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Reads server-sent events from pieces of a stream, cut anywhere. */
export class SseParser {
  lastId: string | undefined;
  /** Milliseconds before the next connection, as the server asks. */
  retryMs: number | undefined;
  #rest = "";
  #data: string[] = [];
  #id: string | undefined;

  /** Takes a piece and yields the data of each event that is complete, after its id counts. */
  *feed(text: string): Generator<string, void, undefined> {
    this.#rest += text;
    // A line feed may follow in the next piece.
    const lines = this.#rest.replaceAll("\r\n", "\n").split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line) {
        this.#line(line);
      } else if (this.#data.length > 0 || this.#id !== undefined) {
        const data = this.#data.join("\n");
        this.#data = [];
        this.lastId = this.#id ?? this.lastId;
        this.#id = undefined;
        if (data) yield data;
      }
    }
  }

  #line(line: string): void {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") this.#data.push(value);
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  /** Forgets an event that was cut off. */
  cut(): void {
    this.#rest = "";
    this.#data = [];
    this.#id = undefined;
  }
}

/** Events as they happen, without an end. After a cut they are read again from the last number on. */
export async function* readEvents(
  transport: Transport, options: EventOptions,
): AsyncGenerator<EventRow, void, undefined> {
  const parser = new SseParser();
  let failures = 0;
  for (;;) {
    const silence = new Watch(options.signal);
    let failure: ContextureError | undefined;
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    try {
      const response = await open(transport, options, parser.lastId, silence.signal);
      if (response.status !== 200 || !response.body) {
        const reply = { status: response.status, headers: response.headers, text: await response.text() };
        failure = errorOf(reply, retryAfterOf(response.headers));
      } else {
        reader = response.body.getReader();
        const decoder = new TextDecoder();
        for (;;) {
          silence.reset();
          const piece = await reader.read();
          silence.pause();
          if (piece.done) break;
          for (const data of parser.feed(decoder.decode(piece.value, { stream: true }))) yield jsonOf(data) as EventRow;
        }
      }
    } catch (cause) {
      options.signal?.throwIfAborted();
      if (cause instanceof ContextureError) throw cause;
      // A cut in the middle is no failure; no response is one.
      if (!reader) failure = connectionError(`${transport.settings.url}/events`, cause);
    } finally {
      silence.stop();
      await reader?.cancel().catch(() => undefined);
    }
    parser.cut();
    // A quiet stream may end as often as a proxy likes.
    failures = failure ? failures + 1 : 0;
    if (failure && (!RETRIED_STATUSES.includes(failure.status) || failures > MAX_FAILURES_IN_A_ROW)) throw failure;
    const asked = failure?.retryAfter === undefined ? backoffMs(failures) : failure.retryAfter * 1_000;
    await clock.sleep(failure ? asked : (parser.retryMs ?? DEFAULT_PAUSE_MS), options.signal);
  }
}

function open(
  transport: Transport, options: EventOptions, lastId: string | undefined, signal: AbortSignal,
): Promise<Response> {
  const { url, fetch } = transport.settings;
  const query = new URLSearchParams();
  if (options.types?.length) query.set("types", options.types.join(","));
  if (options.session_id) query.set("session_id", options.session_id);
  if (lastId === undefined && options.after !== undefined) query.set("after", String(options.after));
  const headers: Record<string, string> = { accept: "text/event-stream", ...transport.authorization() };
  if (lastId !== undefined) headers["last-event-id"] = lastId;
  return fetch(`${url}/events${query.size > 0 ? `?${query}` : ""}`, { headers, signal, redirect: "manual" });
}

/** Aborts a connection that is silent for too long, or whose reader goes away. */
class Watch {
  #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #outer: AbortSignal | undefined;
  #abort = () => this.#controller.abort(this.#outer?.reason);

  constructor(outer: AbortSignal | undefined) {
    outer?.throwIfAborted();
    this.#outer = outer;
    outer?.addEventListener("abort", this.#abort, { once: true });
    this.reset();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  reset(): void {
    this.pause();
    this.#timer = setTimeout(() => this.#controller.abort(), MAX_SILENCE_MS);
  }

  /** While the reader is busy, silence is its own. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  stop(): void {
    this.pause();
    this.#outer?.removeEventListener("abort", this.#abort);
    this.#controller.abort();
  }
}
