/** Google's Gen AI library: `wrap(new GoogleGenAI({ … }))` compiles each `generateContent`. */

import { compilingFetch, type WrapOptions } from "./compiling.js";
import type { Fetch } from "./transport.js";
import { GEMINI_CONTENT } from "./wires.js";

export type { WrapOptions } from "./compiling.js";

/** What is used of a client of Google Gen AI. */
export interface GoogleGenAIClient {
  models: { generateContent: unknown };
}

interface Inside {
  apiClient?: { clientOptions?: { httpOptions?: { fetch?: Fetch } } };
}

/** Compiles the client's requests on their way out. The library has no way to copy a client, so it is this one. */
export function wrap<Client extends GoogleGenAIClient>(client: Client, options: WrapOptions = {}): Client {
  const settings = (client as Inside).apiClient?.clientOptions;
  if (!settings) throw new TypeError("the client is of a release of @google/genai that is not known: use the gateway");
  settings.httpOptions ??= {};
  const send = settings.httpOptions.fetch ?? ((input, init) => globalThis.fetch(input, init));
  settings.httpOptions.fetch = compilingFetch([GEMINI_CONTENT], options, send);
  return client;
}
