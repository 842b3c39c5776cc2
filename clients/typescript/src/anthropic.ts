/** Anthropic's library: `wrap(new Anthropic())` compiles each message. */

import { compilingFetch, type WrapOptions } from "./compiling.js";
import type { Fetch } from "./transport.js";
import { ANTHROPIC_MESSAGES } from "./wires.js";

export type { WrapOptions } from "./compiling.js";

/** What is used of a client of Anthropic. */
export interface AnthropicClient {
  messages: object;
  withOptions(options: { fetch: Fetch }): unknown;
}

/** A client like the given one, whose requests are compiled on their way out. */
export function wrap<Client extends AnthropicClient>(client: Client, options: WrapOptions = {}): Client {
  const send = (client as { fetch?: Fetch }).fetch ?? globalThis.fetch;
  const fetch = compilingFetch([ANTHROPIC_MESSAGES], options, (input, init) => send.call(undefined, input, init));
  return client.withOptions({ fetch }) as Client;
}
