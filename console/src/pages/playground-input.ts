// Reads what was pasted: a request, a list of messages, a session of Claude Code, or any text, such as a log.

import type { Json } from "../api/schema.ts";
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

export function readInput(text: string): Input {
  if (text.trim() === "") throw new Error("Paste a request, a list of messages, a session of Claude Code or a log.");
  const whole = parse(text);
  if (isObject(whole) && ("messages" in whole || "contents" in whole || "input" in whole)) return { body: whole, about: `A request${sizeOf(whole)}` };
  if (Array.isArray(whole)) return { body: { messages: whole }, about: `A list of ${whole.length} messages` };
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const parsed = lines.map(parse);
  if (lines.length > 1 && parsed.every(isObject)) {
    const messages = parsed.map((line) => (isObject(line["message"]) ? line["message"] : line)).filter((line) => isObject(line) && "role" in line);
    if (messages.length > 0) return { body: { messages: join(messages as { [key: string]: Json }[]) }, about: `A session of ${messages.length} lines` };
  }
  if (whole === undefined && /^\s*[[{]/.test(text) && lines.length < 4) throw new Error("This is not JSON: a bracket, a comma or a quote is missing.");
  return {
    body: {
      messages: [
        { role: "user", content: "What went wrong?" },
        { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: "{}" } }] },
        { role: "tool", tool_call_id: "call_1", content: text },
      ],
    },
    about: `A text of ${lines.length} lines, as the result of a tool`,
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
  const list = body["messages"] ?? body["contents"] ?? body["input"];
  return Array.isArray(list) ? ` of ${list.length} messages` : "";
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
