/** OpenAI's library: `wrap(new OpenAI())` compiles each chat completion and response. */

import { compilingFetch, type WrapOptions } from "./compiling.js";
import type { Fetch } from "./transport.js";
import { OPENAI_CHAT, OPENAI_RESPONSES } from "./wires.js";

export type { WrapOptions } from "./compiling.js";

/** What is used of a client of OpenAI. */
export interface OpenAIClient {
  chat: { completions: object };
  withOptions(options: { fetch: Fetch }): unknown;
}

/** A client like the given one, whose requests are compiled on their way out. */
export function wrap<Client extends OpenAIClient>(client: Client, options: WrapOptions = {}): Client {
  const send = (client as { fetch?: Fetch }).fetch ?? globalThis.fetch;
  const wires = [OPENAI_CHAT, OPENAI_RESPONSES];
  const fetch = compilingFetch(wires, options, (input, init) => send.call(undefined, input, init));
  return client.withOptions({ fetch }) as Client;
}
