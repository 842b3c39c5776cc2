// A record among those of its session.

import { get } from "./client.ts";
import { readUntil } from "./lists.ts";
import type { CompilationRow } from "./schema.ts";

const MAX_ROWS = 100_000;

export interface Place {
  older: CompilationRow | undefined;
  newer: CompilationRow | undefined;
  /** How many records of the session are newer. */
  after: number;
  /** How many records the session has; null if not all were read. */
  all: number | null;
}

/** Finds a record among those of its session, and its neighbours; null if it is not among them. */
export async function placeOf(session: string, id: string, signal: AbortSignal): Promise<Place | null> {
  const indexOf = (rows: CompilationRow[]) => rows.findIndex((row) => row.id === id);
  const page = (cursor: string | undefined) => get("/compilations", { query: { session_id: session, limit: 1000, ...(cursor ? { cursor } : {}) }, signal });
  const isEnough = (rows: CompilationRow[]) => {
    const at = indexOf(rows);
    return at >= 0 && at < rows.length - 1;
  };
  const { items, complete } = await readUntil(page, isEnough, MAX_ROWS);
  const at = indexOf(items);
  return at < 0 ? null : { older: items[at + 1], newer: items[at - 1], after: at, all: complete ? items.length : null };
}
