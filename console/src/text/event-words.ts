// What an event says, in a sentence.

import type { EventRow } from "../api/schema.ts";
import { count, duration, leftOut, money, plural } from "../format.ts";

type Data = Record<string, unknown>;
type Tone = "good" | "warn" | "bad" | "quiet";

const number = (data: Data, name: string): number => Number(data[name] ?? 0);
const word = (data: Data, name: string, otherwise = "?"): string => {
  const value = data[name];
  return value === null || value === undefined || value === "" ? otherwise : String(value);
};

const MEMORY: Record<string, string> = {
  set: "was set", retract: "was retracted", supersede: "was superseded", restore: "was restored", promote: "was promoted", delete: "was deleted", expire: "has expired",
};

const SENTENCES: Record<string, (data: Data) => string> = {
  "compile:start": (data) => `A compile of ${plural(number(data, "messages"), "message")} for ${word(data, "model", word(data, "target"))} began`,
  "compile:done": (data) => {
    const change = data["first_change"] as { why?: string } | null | undefined;
    return `Compiled ${count(number(data, "tokens_before"))} → ${count(number(data, "tokens_after"))} tokens, ${leftOut(number(data, "tokens_before"), number(data, "tokens_after"), 0)}${number(data, "tokens_after") > number(data, "tokens_before") ? "" : " left out"}`
      + `, in ${duration(number(data, "duration_ms"))}${data["fits"] === false ? "; over the budget" : ""}${change ? `; the cache broke: ${String(change.why).replaceAll("_", " ")}` : ""}`;
  },
  "compile:failed": (data) => `A compile failed after ${duration(number(data, "duration_ms"))}: ${word(data, "code").replaceAll("_", " ")}`,
  "gateway:request": (data) => `A request for ${word(data, "model", "no model")} through the gateway to ${word(data, "upstream")} saved ${plural(number(data, "saved_tokens"), "token")}; the response was ${word(data, "status")}`,
  compress: (data) => `The history shrank from ${count(number(data, "tokens_before"))} to ${count(number(data, "tokens_after"))} tokens`,
  "context:injected": (data) => {
    const parts = [
      number(data, "memory_entries") > 0 ? plural(number(data, "memory_entries"), "memory entry", "memory entries") : "", data["dynamic_state"] === true ? "state" : "",
      data["implicit_context"] === true ? "context" : "", ...((data["hooks"] as string[] | undefined) ?? []).map((id) => `text of the hook ${id}`),
    ].filter(Boolean);
    return `The payload has ${parts.join(", ") || "added texts"}`;
  },
  "memory:changed": (data) => `Memory: ${word(data, "key")} ${MEMORY[word(data, "type")] ?? word(data, "type")}, version ${word(data, "version")}, by ${word(data, "origin")}`,
  "memory:expired": (data) => `Memory: ${word(data, "key")} has expired`,
  "memory:denied": (data) => `A model may not write ${word(data, "key")} to memory: ${word(data, "reason").replaceAll("_", " ")}`,
  "tool:denied": (data) => `The hook ${word(data, "hook")} denied a call of ${word(data, "tool")}`,
  "delegation:recorded": (data) => `A task was delegated to ${word(data, "agent_name")}: ${word(data, "status")}`,
  "session:switched": (data) => `The session ${word(data, "new_session_id")} was opened${word(data, "parent_session_id", "") ? ` from ${word(data, "parent_session_id")}` : ""}`,
  "cache:expiring": (data) => {
    const micros = data["rewrite_micros"];
    return `The provider's cache is about to lose ${plural(number(data, "prefix_tokens"), "token")} of ${word(data, "model")}${typeof micros === "number" ? `; writing them again costs ${money(micros)}` : ""}`;
  },
  "hook:denied": (data) => `The hook ${word(data, "hook")} denied at ${word(data, "point")}`,
  "hook:failed": (data) => `The hook ${word(data, "hook")} failed at ${word(data, "point")}: ${word(data, "cause").replaceAll("_", " ")}`,
  "hook:disabled": (data) => `The hook ${word(data, "hook")} was disabled: ${word(data, "because")}`,
  "hook:lost": (data) => `The queue of the hook ${word(data, "hook")} is full: ${plural(number(data, "count"), "queued call")} were deleted`,
  "stream:gap": () => "Events are missing: they are no longer kept",
  "stream:overflow": () => "This reader was too slow, and the stream ended",
};

export function eventWords(event: EventRow): string {
  const write = SENTENCES[event.type];
  return write ? write(event.data) : event.type.replaceAll(":", ": ").replaceAll("_", " ");
}

/** How an event is marked: what failed or was denied, what needs a look, what went well, the rest. */
export function eventTone(event: EventRow): Tone {
  const { type, data } = event;
  if (/:(failed|denied|disabled|lost|overflow)$/.test(type)) return "bad";
  if (type === "gateway:request") return number(data, "status") >= 400 ? "bad" : "good";
  if (type === "compile:done") return data["fits"] === false ? "bad" : data["first_change"] ? "warn" : "good";
  if (type === "stream:gap" || type === "cache:expiring" || type.endsWith(":expired")) return "warn";
  return "quiet";
}
