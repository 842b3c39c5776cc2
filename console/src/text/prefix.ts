// Where a payload leaves another one, in the order in which providers cache: tools, system text, messages.

import type { Json } from "../api/schema.ts";

/** A piece of a payload that is cached as a whole: a tool, a system block, a message. */
export interface Block {
  /** JSON Pointer into the payload. */
  pointer: string;
  part: "tools" | "system" | "history";
  text: string;
}

export interface Split {
  blocks: Block[];
  /** How many of the later payload's first blocks the earlier one has at the same places. */
  equal: number;
  bytes: number;
  equalBytes: number;
  /** Null if the later payload begins with all of the earlier one. */
  change: {
    pointer: string;
    /** Bytes from the start of the block to the first one that differs. */
    offset: number;
    before: Excerpt | null;
    after: Excerpt | null;
  } | null;
}

/** What is around a byte: what both have before it, and what follows. */
export interface Excerpt {
  lead: string;
  rest: string;
  isCutBefore: boolean;
  isCutAfter: boolean;
}

const LEAD_CHARS = 90;
const REST_CHARS = 130;
const MEMBERS: { name: string; part: Block["part"] }[] = [
  { name: "tools", part: "tools" }, { name: "system", part: "system" }, { name: "instructions", part: "system" },
  { name: "systemInstruction", part: "system" }, { name: "system_instruction", part: "system" },
  { name: "messages", part: "history" }, { name: "input", part: "history" }, { name: "contents", part: "history" },
];

const encoder = new TextEncoder();
const size = (text: string): number => encoder.encode(text).length;

export function blocksOf(payload: Json): Block[] {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) return [];
  const blocks: Block[] = [];
  for (const { name, part } of MEMBERS) {
    const value = payload[name];
    if (value === undefined || value === null) continue;
    if (Array.isArray(value)) value.forEach((item, at) => blocks.push({ pointer: `/${name}/${at}`, part, text: JSON.stringify(item) }));
    else blocks.push({ pointer: `/${name}`, part, text: JSON.stringify(value) });
  }
  return blocks;
}

export function splitOf(before: Json, after: Json): Split {
  const [old, blocks] = [blocksOf(before), blocksOf(after)];
  let equal = 0;
  while (equal < blocks.length && old[equal]?.text === blocks[equal]?.text && old[equal]?.part === blocks[equal]?.part) equal += 1;
  const sum = (list: Block[]): number => list.reduce((total, block) => total + size(block.text), 0);
  const bytes = sum(blocks);
  const start = sum(blocks.slice(0, equal));
  if (equal >= old.length) return { blocks, equal, bytes, equalBytes: start, change: null };
  const [one, other] = [old[equal], blocks[equal]];
  const isSamePart = one !== undefined && other !== undefined && one.part === other.part;
  const at = isSamePart ? firstDifference(one.text, other.text) : 0;
  const offset = size((other?.text ?? "").slice(0, at));
  return {
    blocks, equal, bytes, equalBytes: start + offset,
    change: {
      pointer: other?.pointer ?? one?.pointer ?? "", offset,
      before: one && (isSamePart || !other) ? excerpt(one.text, at) : one ? excerpt(one.text, 0) : null,
      after: other ? excerpt(other.text, at) : null,
    },
  };
}

function firstDifference(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  // Not between the halves of a pair.
  const code = one.charCodeAt(at - 1);
  return at > 0 && code >= 0xd800 && code < 0xdc00 ? at - 1 : at;
}

function excerpt(text: string, at: number): Excerpt {
  const from = Math.max(at - LEAD_CHARS, 0);
  return { lead: text.slice(from, at), rest: text.slice(at, at + REST_CHARS), isCutBefore: from > 0, isCutAfter: at + REST_CHARS < text.length };
}
