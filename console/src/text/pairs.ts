// Finds for each text of a request what it is in the payload.
//
// Calls and results are paired by the id of the call. Other texts keep their order: those that are equal are paired
// first, then those between two pairs, by author.

import type { Action, Json, MessageDecision } from "../api/schema.ts";
import { unitsOf, type Unit } from "./units.ts";

export interface Row {
  key: string;
  before: Unit | null;
  after: Unit | null;
  /** What happened to the message of `before`. */
  decision: MessageDecision | null;
  action: Action;
  same: boolean;
  /** How many rows of the same message are before this one: the decision and its tokens are of the whole message. */
  part: number;
}

const GONE = new Set<Action>(["summarized", "dropped", "removed"]);

export function pairsOf(request: Json, payload: Json, decisions: MessageDecision[]): Row[] {
  const before = unitsOf(request);
  const after = unitsOf(payload);
  const byIndex = new Map(decisions.map((decision) => [decision.index, decision]));
  const decisionOf = (unit: Unit) => (unit.index === null ? null : (byIndex.get(unit.index) ?? null));
  const partner = new Array<number>(before.length).fill(-1);
  const taken = new Array<boolean>(after.length).fill(false);
  const pair = (left: number, right: number) => {
    partner[left] = right;
    taken[right] = true;
  };

  const byCall = new Map<string, number>();
  const byText = new Map<string, number[]>();
  after.forEach((unit, at) => {
    if (unit.call !== null) byCall.set(`${unit.kind} ${unit.call}`, at);
    else push(byText, unit.text, at);
  });
  let last = -1;
  before.forEach((unit, at) => {
    if (unit.call !== null) {
      const found = byCall.get(`${unit.kind} ${unit.call}`);
      if (found !== undefined && !taken[found]) pair(at, found);
      return;
    }
    const places = byText.get(unit.text);
    while (places && places.length > 0 && (places[0] ?? 0) <= last) places.shift();
    const found = places?.shift();
    if (found !== undefined) {
      pair(at, found);
      last = found;
    }
  });

  // What is left between two pairs was shortened or moved a little.
  let from = 0;
  before.forEach((unit, at) => {
    const own = partner[at] ?? -1;
    if (own >= 0) {
      from = Math.max(from, own + 1);
      return;
    }
    const decision = decisionOf(unit);
    if (decision && GONE.has(decision.action)) return;
    let end = after.length;
    for (let next = at + 1; next < before.length && next < at + 40; next += 1) {
      const found = partner[next] ?? -1;
      if (found >= from) {
        end = found;
        break;
      }
    }
    for (let place = from; place < end; place += 1) {
      const other = after[place];
      if (other && !taken[place] && other.kind === unit.kind && isSameAuthor(unit, other)) {
        pair(at, place);
        from = place + 1;
        return;
      }
    }
  });
  return rowsOf(before, after, partner, taken, decisionOf);
}

function rowsOf(
  before: Unit[],
  after: Unit[],
  partner: number[],
  taken: boolean[],
  decisionOf: (unit: Unit) => MessageDecision | null,
): Row[] {
  const rows: Row[] = [];
  let shown = 0;
  let part = 0;
  const addNew = (end: number) => {
    for (; shown < end; shown += 1) {
      const unit = after[shown];
      if (unit && !taken[shown]) {
        rows.push({ key: `a${shown}`, before: null, after: unit, decision: null, action: "added", same: false, part: 0 });
      }
    }
  };
  before.forEach((unit, at) => {
    const right = partner[at] ?? -1;
    const other = right >= 0 ? (after[right] ?? null) : null;
    if (right >= 0) addNew(right);
    shown = Math.max(shown, right + 1);
    const decision = decisionOf(unit);
    const same = other !== null && other.text === unit.text;
    const told = decision?.action ?? (same ? "kept" : other ? "changed" : "removed");
    // A message that was shortened may have texts that stayed.
    const action = same && !GONE.has(told) ? "kept" : told === "kept" && !same ? "changed" : told;
    part = unit.index !== null && unit.index === before[at - 1]?.index ? part + 1 : 0;
    rows.push({ key: `b${at}`, before: unit, after: other, decision, action, same, part });
  });
  addNew(after.length);
  return rows;
}

function push(map: Map<string, number[]>, key: string, value: number): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

const SYSTEM = new Set(["system", "developer", "instructions", "systemInstruction", "system_instruction"]);
const MODEL = new Set(["assistant", "model"]);

function isSameAuthor(one: Unit, other: Unit): boolean {
  const group = (author: string) => (SYSTEM.has(author) ? "system" : MODEL.has(author) ? "model" : "user");
  return group(one.author) === group(other.author);
}
