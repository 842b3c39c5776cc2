/** Reads what a provider counted from the bytes of its response, without changing them. */

import { isRecord } from "./errors.js";

const MAX_USAGE_CHARS = 4 * 1024 * 1024;

/** Finds the usage in the pieces of a response, JSON or server-sent events. */
export class UsageReader {
  readonly #usage: Record<string, unknown> = {};
  readonly #decoder = new TextDecoder();
  readonly #events: boolean;
  #rest = "";
  #full = false;

  constructor(contentType: string) {
    this.#events = contentType.includes("event-stream");
  }

  /** Takes the next bytes as they came. */
  feed(chunk: Uint8Array): void {
    if (this.#full) return;
    this.#rest += this.#decoder.decode(chunk, { stream: true });
    if (this.#events) {
      const lines = this.#rest.split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line.startsWith("data:") && line.includes('"usage')) this.#take(line.slice(5));
      }
    }
    if (this.#rest.length > MAX_USAGE_CHARS) {
      this.#full = true;
      this.#rest = "";
    }
  }

  /** The usage, after the last byte. */
  end(): Record<string, unknown> | undefined {
    if (!this.#events && this.#rest) this.#take(this.#rest);
    this.#rest = "";
    return Object.keys(this.#usage).length > 0 ? this.#usage : undefined;
  }

  #take(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return;
    }
    if (!isRecord(value)) return;
    for (const holder of [value, value["message"], value["response"]]) {
      const found = isRecord(holder) ? holder["usage"] || holder["usageMetadata"] : undefined;
      // Anthropic says what came in first, and what went out at the end.
      for (const [name, count] of Object.entries(isRecord(found) ? found : {})) {
        if (count !== null) this.#usage[name] = count;
      }
    }
  }
}

/** The same response, whose bytes a reader sees as they pass; `done` is called once, after the last of them. */
export function withReader(response: Response, reader: UsageReader, done: () => void): Response {
  if (!response.body) return response;
  const source = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await source.read();
        if (piece.done) {
          done();
          return controller.close();
        }
        reader.feed(piece.value);
        controller.enqueue(piece.value);
      },
      async cancel(reason) {
        done();
        await source.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers, url, redirected } = response;
  return Object.defineProperties(new Response(body, { status, statusText, headers }), {
    url: { value: url },
    redirected: { value: redirected },
  });
}
