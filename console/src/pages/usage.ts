// Sums of rows of usage.

import type { UsageRow } from "../api/schema.ts";

export interface Total {
  requests: number;
  before: number;
  after: number;
  unique: number;
  /** Requests whose cost is known; the amounts below are of these. */
  priced: number;
  reported: number;
  unshortened: number;
  saved: number;
  /** Tokens that providers read from their caches and wrote to them, and all tokens of priced payloads. */
  read: number;
  written: number;
  sent: number;
}

export function totalOf(rows: UsageRow[]): Total {
  const total: Total = { requests: 0, before: 0, after: 0, unique: 0, priced: 0, reported: 0, unshortened: 0, saved: 0, read: 0, written: 0, sent: 0 };
  for (const row of rows) {
    total.requests += row.requests;
    total.before += row.tokens_before;
    total.after += row.tokens_after;
    total.unique += row.unique_saved_tokens;
    if (!row.cost) continue;
    total.priced += row.cost.priced_requests;
    total.reported += row.cost.reported_requests;
    total.unshortened += row.cost.unshortened_micros;
    total.saved += row.cost.saved_micros;
    total.read += row.cost.cache_read_tokens;
    total.written += row.cost.cache_write_tokens;
    total.sent += row.cost.payload_tokens;
  }
  return total;
}

/** Whether a record is of the gateway, and the provider reported no usage: the tokens of its payload are unknown. */
export function isUnmeasured(row: { id: string; tokens_after: number }): boolean {
  return row.tokens_after === 0 && row.id.endsWith("_gw");
}

/** The rows by a name, those with the most tokens first. */
export function groupBy(rows: UsageRow[], name: (row: UsageRow) => string): { name: string; total: Total }[] {
  const groups = new Map<string, UsageRow[]>();
  for (const row of rows) {
    const key = name(row);
    const own = groups.get(key);
    if (own) own.push(row);
    else groups.set(key, [row]);
  }
  return [...groups]
    .map(([key, own]) => ({ name: key, total: totalOf(own) }))
    .sort((one, other) => other.total.before - one.total.before);
}

/** The day so many days ago, in UTC. */
export function daysBack(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}
