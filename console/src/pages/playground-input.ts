// Reads what was pasted: a request, a list of messages, a session of Claude Code, or any text, such as a log.

import type { Json } from "../api/schema.ts";
import { plural } from "../format.ts";
import { isObject } from "../text/units.ts";

export interface Settings {
  window: number;
  reserve: number;
  level: string;
  recent: number;
  notations: string;
  target: string;
  model: string;
}

export interface Input {
  /** A request that has a conversation. */
  body: { [key: string]: Json };
  /** What was recognised, in a few words. */
  about: string;
}

const LISTS = ["messages", "contents", "input"];

/** Members of requests to a provider that say how to reply. A compile does not take them. */
const OF_REPLY = new Set(["frequency_penalty", "generationConfig", "include", "logit_bias", "logprobs", "max_completion_tokens", "max_output_tokens",
  "max_tokens", "max_tokens_to_sample", "metadata", "n", "parallel_tool_calls", "presence_penalty", "reasoning", "reasoning_effort", "response_format",
  "safetySettings", "seed", "service_tier", "stop", "stop_sequences", "store", "stream", "stream_options", "temperature", "text", "thinking", "toolConfig",
  "tool_choice", "top_k", "top_logprobs", "top_p", "user", "verbosity"]);

function requestInput(whole: { [key: string]: Json }): Input {
  const dropped = Object.keys(whole).filter((name) => OF_REPLY.has(name));
  const body = Object.fromEntries(Object.entries(whole).filter(([name]) => !OF_REPLY.has(name)));
  const note = dropped.length > 0 ? `, without ${dropped.join(", ")}: a compile does not take ${dropped.length === 1 ? "it" : "them"}` : "";
  return { body, about: `A request${sizeOf(body)}${note}` };
}

export function readInput(text: string): Input {
  if (text.trim() === "") throw new Error("Paste a request, a list of messages, a session of Claude Code or a log.");
  const whole = parse(text);
  if (isObject(whole) && LISTS.some((name) => name in whole)) return requestInput(whole);
  if (Array.isArray(whole)) return { body: { messages: whole }, about: `A list of ${plural(whole.length, "message")}` };
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const parsed = lines.map(parse);
  if ((lines.length > 1 || isObject(whole)) && parsed.every(isObject)) {
    const messages = parsed.map((line) => (isObject(line["message"]) ? line["message"] : line)).filter((line) => isObject(line) && "role" in line);
    if (messages.length > 0) return { body: { messages: join(messages as { [key: string]: Json }[]) }, about: `A session of ${plural(messages.length, "line")}` };
  }
  if (isObject(whole)) throw new Error("There is no conversation: give `messages`, `input` or `contents`.");
  if (whole === undefined && /^\s*[[{]/.test(text) && lines.length < 4) throw new Error("This is not JSON: a bracket, a comma or a quote is missing.");
  return {
    body: {
      messages: [
        { role: "user", content: "What went wrong?" },
        { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: "{}" } }] },
        { role: "tool", tool_call_id: "call_1", content: text },
      ],
    },
    about: `A text of ${plural(lines.length, "line")}, as the result of a tool`,
  };
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function sizeOf(body: { [key: string]: Json }): string {
  const list = LISTS.map((name) => body[name]).find((value) => value !== undefined && value !== null);
  return Array.isArray(list) ? ` of ${plural(list.length, "message")}` : "";
}

/** Claude Code writes a line for each block; blocks of one message are joined. */
function join(messages: { [key: string]: Json }[]): Json[] {
  const joined: { [key: string]: Json }[] = [];
  for (const { role, content, id } of messages) {
    const last = joined.at(-1);
    if (last && last["id"] === id && id !== undefined && last["role"] === role && Array.isArray(last["content"]) && Array.isArray(content)) {
      last["content"] = [...last["content"], ...content];
    } else {
      joined.push({ role: role ?? "user", content: content ?? "", ...(id === undefined ? {} : { id }) });
    }
  }
  return joined.map(({ role, content }) => ({ role: role ?? "user", content: content ?? "" }));
}

/** The request that is sent: what was pasted, with the settings, explained and not recorded. */
export function requestOf(input: Input, settings: Settings): Json {
  const compression = isObject(input.body["compression"]) ? input.body["compression"] : {};
  const { session_id: _, ...body } = input.body;
  return {
    ...body,
    target: settings.target,
    model: settings.model,
    budget: { context_window: settings.window, reserve_output: settings.reserve },
    compression: { ...compression, level: settings.level, keep_recent_turns: settings.recent, notations: settings.notations },
    explain: "full",
    record: "none",
  };
}
