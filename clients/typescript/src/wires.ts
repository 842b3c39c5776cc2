/** The kinds of requests that are compiled: where each goes, and what its members are. */

import { type ContextureError, isRecord } from "./errors.js";

export interface Wire {
  target: string;
  /** Ends of the path. */
  ends: readonly string[];
  /** Members that the payload takes the place of; the first must be there. */
  conversation: readonly [string, ...string[]];
  /** Other members that a compile knows. */
  also: readonly string[];
  /** Members with which the provider has the rest of the conversation itself. */
  remote: readonly string[];
  /** The largest answer that the request asks for. */
  reserve(body: Record<string, unknown>): number | undefined;
  /** An error in the shape of the provider. */
  refusal(error: ContextureError, status: number): object;
}

function whole(...values: unknown[]): number | undefined {
  return values.find((value): value is number => Number.isInteger(value));
}

const kindOf = (status: number) => (status === 403 ? "permission_error" : "invalid_request_error");
const OPENAI_CACHE = ["prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"];

function openaiRefusal(error: ContextureError, status: number): object {
  return { error: { message: error.detail, type: kindOf(status), code: error.code, param: null } };
}

export const OPENAI_CHAT: Wire = {
  target: "openai",
  ends: ["/chat/completions"],
  conversation: ["messages", "tools"],
  also: OPENAI_CACHE,
  remote: [],
  reserve: (body) => whole(body["max_completion_tokens"], body["max_tokens"]),
  refusal: openaiRefusal,
};

export const OPENAI_RESPONSES: Wire = {
  target: "openai_responses",
  ends: ["/responses"],
  conversation: ["input", "instructions", "tools"],
  also: OPENAI_CACHE,
  remote: ["previous_response_id", "conversation"],
  reserve: (body) => whole(body["max_output_tokens"]),
  refusal: openaiRefusal,
};

export const ANTHROPIC_MESSAGES: Wire = {
  target: "anthropic",
  ends: ["/messages"],
  conversation: ["messages", "system", "tools"],
  also: ["cache_control"],
  remote: [],
  reserve: (body) => whole(body["max_tokens"]),
  refusal: (error, status) => ({
    type: "error",
    error: { type: kindOf(status), message: `${error.code}: ${error.detail}` },
  }),
};

export const GEMINI_CONTENT: Wire = {
  target: "gemini",
  ends: [":generateContent", ":streamGenerateContent"],
  conversation: ["contents", "systemInstruction", "tools"],
  also: ["cachedContent"],
  remote: [],
  reserve: (body) => {
    const config = body["generationConfig"];
    return isRecord(config) ? whole(config["maxOutputTokens"]) : undefined;
  },
  refusal: (error, status) => ({
    error: {
      code: status,
      message: `${error.code}: ${error.detail}`,
      status: status === 403 ? "PERMISSION_DENIED" : "INVALID_ARGUMENT",
    },
  }),
};
