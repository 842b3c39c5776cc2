// Figures of the newest compiles, from their events: time, overflows, nothing to do, cache breaks.

import { useMemo } from "preact/hooks";
import type { EventRow, FirstChange } from "../api/schema.ts";
import { count, duration, percent, shortId, time } from "../format.ts";
import { events, isRecorded } from "../state/live.ts";
import { href, sessionHref } from "../state/route.ts";
import { Stat } from "../ui/stat.tsx";
import { WhyList, WhyWord } from "../ui/why.tsx";

export interface Done {
  id: string | null;
  session: string | null;
  at: string;
  model: string | null;
  target: string;
  before: number;
  after: number;
  fits: boolean;
  duration: number;
  change: FirstChange | null;
  actions: Record<string, number>;
  read: number | null;
  recorded: boolean;
}

/** The compile of an event. */
export function doneOf(event: EventRow): Done | null {
  if (event.type !== "compile:done") return null;
  const data = event.data as Record<string, unknown>;
  const cost = data["cost"] as { cache?: { read_tokens?: number } } | null;
  return {
    id: event.compilation_id ?? null,
    session: event.session_id ?? null,
    at: event.at ?? "",
    model: typeof data["model"] === "string" ? data["model"] : null,
    target: String(data["target"] ?? ""),
    before: Number(data["tokens_before"] ?? 0),
    after: Number(data["tokens_after"] ?? 0),
    fits: data["fits"] !== false,
    duration: Number(data["duration_ms"] ?? 0),
    change: (data["first_change"] as FirstChange | null) ?? null,
    actions: (data["actions"] as Record<string, number> | null) ?? {},
    read: cost?.cache?.read_tokens ?? null,
    recorded: isRecorded(event),
  };
}

export function useDone(): Done[] {
  const list = events.value;
  return useMemo(() => list.map(doneOf).filter((row) => row !== null), [list]);
}

/** Why a compile left nothing out. */
const REASONS = [
  { holds: "room", words: "were within their budget, with no text that gets shorter" },
  { holds: "added", words: "got more memory, state or context than they left out" },
  { holds: "stuck", words: "were over their budget, with nothing that may go" },
];

function reasonOf(row: Done): string {
  if (!row.fits) return "stuck";
  return row.after > row.before || Object.entries(row.actions).some(([action, many]) => action !== "kept" && many > 0) ? "added" : "room";
}

function quantile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

export function Recent() {
  const done = useDone();
  if (done.length === 0) return null;
  const of = done.length === 1 ? "of the newest compile" : `of the newest ${count(done.length)} compiles`;
  const times = done.map((row) => row.duration).sort((one, other) => one - other);
  const over = done.filter((row) => !row.fits).length;
  const idle = done.filter((row) => row.before <= row.after);
  const reasons = REASONS.map(({ words, holds }) => ({ words, many: idle.filter((row) => reasonOf(row) === holds).length })).filter(({ many }) => many > 0);
  const broken = done.filter((row) => row.change !== null).length;
  const read = done.reduce((sum, row) => sum + (row.read ?? 0), 0);
  const sent = done.reduce((sum, row) => sum + (row.read === null ? 0 : row.after), 0);
  return (
    <section class="card">
      <header><h2>Newest compiles</h2><p class="dim">live, {of}</p></header>
      <dl class="stats flat">
        <Stat label="Time, median" value={duration(quantile(times, 0.5))} of={`99 % within ${duration(quantile(times, 0.99))}, before the record is stored`} />
        <Stat label="Nothing left out" value={percent(idle.length, done.length, 0)} of={reasons.length === 0 ? "each left something out" : reasons.map(({ words, many }) => `${count(many)} ${words}`).join(", ")} />
        <Stat label="Over the budget" value={percent(over, done.length, 0)} of={`${count(over)} did not fit`} bad={over > 0} />
        <Stat label="Cache breaks" value={percent(broken, done.length, 0)} of={`${count(broken)} changed what was sent before`} />
        {sent > 0 && <Stat label="Read from the cache" value={percent(read, sent, 0)} of={`${count(read)} of ${count(sent)} tokens of priced payloads`} />}
      </dl>
    </section>
  );
}

/** The compiles that made the provider read the most tokens again. */
export function Breaks() {
  const worst = useDone()
    .filter((row) => row.change !== null)
    .sort((one, other) => (other.change?.tokens_behind ?? 0) - (one.change?.tokens_behind ?? 0))
    .slice(0, 6);
  if (worst.length === 0) return null;
  return (
    <section class="card">
      <header><h2>Worst cache breaks</h2><p class="dim">of the newest compiles</p></header>
      <div class="scroll">
        <table class="numbers">
          <thead><tr><th>Why</th><th class="left">Session</th><th class="left">Where</th><th>Read again</th><th>Share</th><th>When</th></tr></thead>
          <tbody>
            {worst.map((row) => (
              <tr key={row.id}>
                <th scope="row">{row.change && (row.id && row.recorded ? <a href={href("cache", undefined, { b: row.id })}><WhyWord why={row.change.why} /></a> : <WhyWord why={row.change.why} />)}</th>
                <td class="left">{row.session ? <a href={sessionHref(row.session)}>{shortId(row.session)}</a> : "–"}</td>
                <td class="left"><code>{row.change?.pointer}</code></td>
                <td>{count(row.change?.tokens_behind ?? 0)}</td>
                <td>{percent(row.change?.tokens_behind ?? 0, row.after, 0)}</td>
                <td>{time(row.at)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <WhyList reasons={worst.flatMap((row) => (row.change ? [row.change.why] : []))} />
    </section>
  );
}
