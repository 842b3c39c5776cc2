// Reads what was pasted: a request, a list of messages, a session of Claude Code or Codex, or any text, such as a log.

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
  if (text.trim() === "") throw new Error("Paste a request, a list of messages, a session of Claude Code or Codex, or a log.");
  const whole = parse(text);
  if (isObject(whole) && LISTS.some((name) => name in whole)) return requestInput(whole);
  if (Array.isArray(whole)) return { body: { messages: whole }, about: `A list of ${plural(whole.length, "message")}` };
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const parsed = lines.map(parse);
  // The last line may be cut off, because a program still writes it.
  const isCut = parsed.length > 1 && parsed.at(-1) === undefined && /^\s*\{/.test(lines.at(-1) ?? "");
  if (isCut) parsed.pop();
  if ((lines.length > 1 || isObject(whole)) && parsed.every(isObject)) {
    const cut = isCut ? ", without the last one, which is cut off" : "";
    const items = rolloutOf(parsed);
    if (items !== null) return { body: { input: items }, about: `A session of Codex of ${plural(lines.length, "line")}${cut}` };
    const messages = parsed.filter((line) => line["isSidechain"] !== true).map((line) => (isObject(line["message"]) ? line["message"] : line)).filter((line) => isObject(line) && "role" in line);
    if (messages.length > 0) return { body: { messages: join(messages as { [key: string]: Json }[]) }, about: `A session of ${plural(messages.length, "line")}${cut}` };
  }
  if (isObject(whole)) throw new Error("There is no conversation: give `messages`, `input` or `contents`.");
  if (whole === undefined && /^\s*[[{]/.test(text) && lines.length < 4 && !parsed.every(isObject)) throw new Error("This is not JSON: a bracket, a comma or a quote is missing.");
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

/** Items that early versions of Codex write without an envelope. */
const BARE_ITEMS = new Set(["custom_tool_call", "custom_tool_call_output", "function_call", "function_call_output", "local_shell_call",
  "local_shell_call_output", "message", "reasoning", "web_search_call"]);

/** The items of a log of Codex, in which lines about the session, its events and its settings are between them; null if a line is another one. */
function rolloutOf(lines: { [key: string]: Json }[]): Json[] | null {
  const items: Json[] = [];
  for (const [index, line] of lines.entries()) {
    const { type, payload, timestamp, record_type } = line;
    if (type === "response_item" && isObject(payload)) {
      if (payload["type"] !== "ghost_snapshot" && payload["type"] !== "other") items.push(payload);
    } else if (typeof type === "string" && payload === undefined && BARE_ITEMS.has(type)) {
      items.push(line);
    } else if (!(typeof type === "string" && payload !== undefined && timestamp !== undefined)
      && !(type === undefined && payload === undefined && (record_type !== undefined || (index === 0 && timestamp !== undefined)))) {
      return null;
    }
  }
  return items.length > 0 ? items : null;
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
