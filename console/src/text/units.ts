// Reads the texts of a request or a payload in any provider's format: one unit for each text, call and result.

import type { Json } from "../api/schema.ts";

export interface Unit {
  /** The index in the list of messages; null of a text outside of it. */
  index: number | null;
  /** The role of the message, or the key of a text outside of the list. */
  author: string;
  kind: "text" | "call" | "result" | "thinking" | "other";
  /** The id of the call that a call or a result has. */
  call: string | null;
  /** The name of the tool, of a call. */
  name: string | null;
  text: string;
}

type JsonObject = { [key: string]: Json };

const OUTSIDE = ["system", "systemInstruction", "system_instruction", "instructions"];
const LISTS = ["messages", "contents", "input"];

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function word(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** All texts in the order in which they are in the body. */
export function unitsOf(body: Json): Unit[] {
  if (!isObject(body)) return [];
  const units: Unit[] = [];
  for (const key of OUTSIDE) {
    const value = body[key];
    if (value !== undefined && value !== null) addContent(units, { index: null, author: key }, value);
  }
  for (const key of LISTS) {
    const list = body[key];
    if (typeof list === "string") addText(units, { index: 0, author: "user" }, list);
    if (!Array.isArray(list)) continue;
    list.forEach((message, index) => addMessage(units, message, index));
  }
  return units;
}

interface Place {
  index: number | null;
  author: string;
}

function add(units: Unit[], place: Place, unit: Partial<Unit>): void {
  units.push({ kind: "other", call: null, name: null, text: "", ...place, ...unit });
}

function addText(units: Unit[], place: Place, text: string): void {
  if (text !== "") add(units, place, { kind: "text", text });
}

function addMessage(units: Unit[], message: Json, index: number): void {
  if (!isObject(message)) {
    add(units, { index, author: "message" }, { text: JSON.stringify(message) });
    return;
  }
  const place = { index, author: word(message["role"]) ?? word(message["type"]) ?? "message" };
  const isResult = message["role"] === "tool" || message["role"] === "function";
  if (isResult) {
    const call = word(message["tool_call_id"]) ?? word(message["call_id"]);
    add(units, place, { kind: "result", call, name: word(message["name"]), text: plainText(message["content"] ?? null) });
    return;
  }
  if (message["role"] === undefined && message["content"] === undefined) {
    addBlock(units, place, message);
    return;
  }
  const reasoning = word(message["reasoning_content"]);
  if (reasoning) add(units, place, { kind: "thinking", text: reasoning });
  addContent(units, place, message["content"] ?? message["parts"] ?? null);
  for (const call of Array.isArray(message["tool_calls"]) ? message["tool_calls"] : []) addBlock(units, place, call);
}

function addContent(units: Unit[], place: Place, content: Json): void {
  if (typeof content === "string") addText(units, place, content);
  else if (Array.isArray(content)) content.forEach((block) => addBlock(units, place, block));
  else if (isObject(content)) addContent(units, place, content["parts"] ?? content["text"] ?? JSON.stringify(content));
}

function addBlock(units: Unit[], place: Place, block: Json): void {
  if (typeof block === "string") return addText(units, place, block);
  if (!isObject(block)) return;
  const text = word(block["text"]);
  if (text !== null && block["thought"] !== true) return addText(units, place, text);
  const thinking = word(block["thinking"]) ?? (block["thought"] === true ? text : null);
  if (thinking !== null) return add(units, place, { kind: "thinking", text: thinking });
  // Chat completions, Anthropic, Responses and Gemini have calls and results in four shapes.
  const own = block["function"] ?? block["functionCall"];
  const call = isObject(own) ? own : null;
  const isCall = block["type"] === "tool_use" || block["type"] === "function_call" || call !== null;
  if (isCall) {
    const source = call ?? block;
    const input = source["arguments"] ?? source["args"] ?? source["input"] ?? null;
    const id = word(block["call_id"]) ?? word(block["id"]) ?? word(source["id"]);
    return add(units, place, { kind: "call", call: id, name: word(source["name"]), text: callText(input) });
  }
  const response = block["functionResponse"];
  if (isObject(response)) {
    const id = word(response["id"]);
    return add(units, place, { kind: "result", call: id, name: word(response["name"]), text: plainText(response["response"] ?? null) });
  }
  if (block["type"] === "tool_result" || block["type"] === "function_call_output") {
    const id = word(block["tool_use_id"]) ?? word(block["call_id"]);
    return add(units, place, { kind: "result", call: id, text: plainText(block["content"] ?? block["output"] ?? null) });
  }
  return add(units, place, { text: clippedJson(block) });
}

/** The input of a call with a line for each member, whether it came as JSON or as a text of JSON. */
function callText(input: Json): string {
  let value = input;
  if (typeof input === "string") {
    try {
      value = JSON.parse(input) as Json;
    } catch {
      return input;
    }
  }
  if (!isObject(value)) return value === null ? "" : JSON.stringify(value);
  return Object.entries(value)
    .map(([key, member]) => `${key}: ${typeof member === "string" ? member : JSON.stringify(member)}`)
    .join("\n");
}

function plainText(content: Json): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(plainText).join("\n");
  if (!isObject(content)) return content === null ? "" : String(content);
  const text = content["text"] ?? content["output"] ?? content["result"];
  return typeof text === "string" ? text : clippedJson(content);
}

/** JSON whose long members, such as images, are cut. */
function clippedJson(value: Json): string {
  return JSON.stringify(value, (_, member: Json) =>
    typeof member === "string" && member.length > 2000 ? `${member.slice(0, 200)}… (${member.length} characters)` : member, 2);
}
