import { type AnthropicClient, wrap as wrapAnthropic } from "./anthropic.js";
import type { WrapOptions } from "./compiling.js";
import { isRecord } from "./errors.js";
import { type GoogleGenAIClient, wrap as wrapGoogle } from "./google-genai.js";
import { type OpenAIClient, wrap as wrapOpenAI } from "./openai.js";

/**
 * A client of OpenAI, Anthropic or Google Gen AI whose requests are compiled on their way out.
 *
 * Usage in responses is reported to the session. If Contexture cannot be reached, or cannot read a request, the request
 * goes out as it is, unless `failOpen` is false; what a hook or a pack refuses does not go out.
 */
export function wrap<Client extends OpenAIClient | AnthropicClient | GoogleGenAIClient>(
  client: Client, options: WrapOptions = {},
): Client {
  const shape = client as unknown as Record<string, unknown>;
  if (typeof shape["withOptions"] === "function" && isRecord(shape["chat"])) {
    return wrapOpenAI(client as OpenAIClient, options) as Client;
  }
  if (typeof shape["withOptions"] === "function" && isRecord(shape["messages"])) {
    return wrapAnthropic(client as AnthropicClient, options) as Client;
  }
  if (isRecord(shape["models"]) && "generateContent" in shape["models"]) {
    return wrapGoogle(client as GoogleGenAIClient, options) as Client;
  }
  throw new TypeError("this is no client of OpenAI, Anthropic or Google Gen AI");
}
