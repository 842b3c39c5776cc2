// What the service did today, in 7 and in 30 days. Every figure says what it divides by.

import { useMemo } from "preact/hooks";
import { get } from "../api/client.ts";
import { readAll } from "../api/lists.ts";
import type { UsageDurations, UsageRow } from "../api/schema.ts";
import { count, duration, leftOut, money, percent, plural, short, zoneName } from "../format.ts";
import { useFollow } from "../state/follow.ts";
import { go, href, route, sessionHref } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { may } from "../state/session.ts";
import { PageHead } from "../ui/frame.tsx";
import { LineChart, Spark, written } from "../ui/line.tsx";
import { Stat } from "../ui/stat.tsx";
import { Empty, FirstRequest, Loaded } from "../ui/states.tsx";
import { Breaks, Recent } from "./recent.tsx";
import { daysBack, groupBy, totalOf, type Total } from "./usage.ts";

const SPANS = [{ days: 1, label: "Today" }, { days: 7, label: "7 days" }, { days: 30, label: "30 days" }];
const MAX_ROWS = 5000;

export function Overview() {
  const given = Number(route.value.query.get("days"));
  const days = SPANS.find((span) => span.days === given)?.days ?? 7;
  return (
    <>
      <PageHead title="Overview" about={`Days are those of UTC; times are local (${zoneName()}).`}>
        <div class="segments" role="group" aria-label="Span">
          {SPANS.map((span) => (
            <button key={span.days} type="button" aria-pressed={span.days === days}
              onClick={() => go("overview", undefined, { days: String(span.days) })}>{span.label}</button>
          ))}
        </div>
      </PageHead>
      {may("admin") ? <Usage days={days} /> : (
        <Empty title="Usage needs a key with the scope admin">
          <p>Sessions, records and the playground work with this key as far as its scopes go.</p>
        </Empty>
      )}
      {may("events:read") && <Recent />}
    </>
  );
}

function Usage({ days }: { days: number }) {
  const from = daysBack(days - 1);
  const usage = useResource(
    (signal) => readAll((cursor) => get("/usage", { query: { from, limit: 1000, ...(days === 1 ? { by: "hour" as const } : {}), ...(cursor ? { cursor } : {}) }, signal }), MAX_ROWS),
    [days],
  );
  const durations = useResource(async (signal) => (await get("/usage", { query: { from, limit: 1 }, signal })).durations ?? null, [days]);
  const sessions = useResource(
    (signal) => readAll((cursor) => get("/usage", { query: { from, by: "session", limit: 1000, ...(cursor ? { cursor } : {}) }, signal }), MAX_ROWS),
    [days],
  );
  // Counts are written every few seconds, so a compile is in them a little later.
  useFollow((event) => event.type === "compile:done" || event.type === "gateway:request", [usage, sessions, durations], 5000);
  return (
    <Loaded of={usage} rows={6}>
      {({ items, complete }) =>
        items.length === 0 ? (
          <Empty title={days === 1 ? "Nothing was compiled today" : "Nothing was compiled in this time"}>
            <p>A compile is counted a few seconds after it was made. The <a href={href("playground")}>playground</a> shows what one does, and is not counted.</p>
            <FirstRequest />
          </Empty>
        ) : (
          <>
            {!complete && <p class="stale">Only the first {count(MAX_ROWS)} rows of usage are counted.</p>}
            <Totals rows={items} days={days} durations={durations.state.value.data ?? null} />
            <Slots rows={items} days={days} />
            <div class="columns">
              <Group title="By model" rows={groupBy(items, (row) => row.model ?? "none named")} />
              <Group title="By key" rows={groupBy(items, (row) => row.key ?? "without a key")} />
            </div>
            <Loaded of={sessions} rows={2}>
              {(list) => list.items.length === 0 ? null : (
                <Group title="By session" rows={groupBy(list.items, (row) => row.session_id ?? "–")} link={(name) => sessionHref(name)} />
              )}
            </Loaded>
            {may("events:read") && <Breaks />}
          </>
        )}
    </Loaded>
  );
}

function Totals({ rows, days, durations }: { rows: UsageRow[]; days: number; durations: UsageDurations | null }) {
  const total = totalOf(rows);
  const left = total.before - total.after;
  const slots = useMemo(() => slotsOf(rows, days), [rows, days]);
  const spark = (value: (total: Total) => number, label: string) =>
    <Spark values={slots.map(({ total: own }) => value(own))} label={`${label}, by ${days === 1 ? "hour" : "day"}`} />;
  return (
    <dl class="stats">
      <Stat label="Requests" value={count(total.requests)} of="compiles and compressions">{spark((day) => day.requests, "Requests")}</Stat>
      <Stat label="Tokens in" value={short(total.before)} of={`${count(total.before)}, each request with its whole conversation`}>{spark((day) => day.before, "Tokens in")}</Stat>
      <Stat label="Tokens out" value={short(total.after)} of={`${count(total.after)} in the payloads`}>{spark((day) => day.after, "Tokens out")}</Stat>
      <Stat label={left < 0 ? "Added, gross" : "Left out, gross"} value={leftOut(total.before, total.after).replace(" added", "")}
        of={`${count(Math.abs(left))} ${left < 0 ? "more than" : "of"} the tokens in; a text counts in every request that it is left out of`}>{spark((day) => day.before - day.after, "Left out")}</Stat>
      <Stat label="Left out, once" value={short(total.unique)} of={`${count(total.unique)} tokens; each text of a session counts once`}>{spark((day) => day.unique, "Left out once")}</Stat>
      {total.priced > 0 && (
        <Stat label="Saved, net" value={money(total.saved)} bad={total.saved < 0}
          of={`of ${money(total.unshortened)} unshortened, with cache prices; ${count(total.priced)} of ${count(total.requests)} requests have a price, ${count(total.reported)} by the provider's usage`}>
          {spark((day) => Math.max(day.saved, 0), "Saved")}
        </Stat>
      )}
      {total.priced > 0 && (
        <Stat label="Read from caches" value={percent(total.read, total.sent)} of={`${count(total.read)} of ${count(total.sent)} tokens of priced payloads; ${count(total.written)} were written`}>
          {spark((day) => day.read, "Read from caches")}
        </Stat>
      )}
      {durations && <Stat label="Time of a compile" value={duration(durations.p50_ms)} of={`half of ${plural(durations.requests, "compile")} within it, with storing the record; 90 % within ${duration(durations.p90_ms)}, 99 % within ${duration(durations.p99_ms)}`} />}
    </dl>
  );
}

/** The rows by day; those of one day by hour. `at`: the hour or, of a day, its noon, in seconds since 1970. */
function slotsOf(rows: UsageRow[], days: number): { at: number; total: Total }[] {
  const slots = new Map<string, UsageRow[]>();
  if (days === 1) {
    const now = new Date().getUTCHours();
    for (let hour = 0; hour <= now; hour += 1) slots.set(`${daysBack(0)}T${String(hour).padStart(2, "0")}`, []);
  } else {
    for (let back = days - 1; back >= 0; back -= 1) slots.set(daysBack(back), []);
  }
  for (const row of rows) slots.get(days === 1 ? row.hour?.slice(0, 13) ?? "" : row.day)?.push(row);
  return [...slots].map(([name, own]) => ({ at: Date.parse(days === 1 ? `${name}:00:00Z` : `${name}T12:00:00Z`) / 1000, total: totalOf(own) }));
}

function Slots({ rows, days }: { rows: UsageRow[]; days: number }) {
  const list = useMemo(() => slotsOf(rows, days), [rows, days]);
  const times = useMemo(() => list.map(({ at }) => at), [list]);
  const unit = days === 1 ? "hour" : "day";
  const lines = useMemo(() => [
    { label: "Tokens in", colour: "--muted", values: list.map(({ total }) => total.before) },
    { label: "Tokens out", colour: "--accent", values: list.map(({ total }) => total.after), fill: true },
  ], [list]);
  return (
    <section class="card">
      <header><h2>{days === 1 ? "Tokens an hour" : "Tokens a day"}</h2><p class="keys"><i class="key muted" /> in <i class="key accent" /> out</p></header>
      <LineChart times={times} unit={unit} lines={lines} label={`Tokens in and out, by ${unit}: ${list.map(({ at, total }) => `${written(at, unit)} ${short(total.before)} to ${short(total.after)}`).join("; ")}`} />
    </section>
  );
}

function Group({ title, rows, link }: { title: string; rows: { name: string; total: Total }[]; link?: (name: string) => string }) {
  const most = Math.max(...rows.map((row) => row.total.before), 1);
  return (
    <section class="card">
      <header><h2>{title}</h2>{rows.length > 8 && <p class="dim">the 8 largest of {count(rows.length)}</p>}</header>
      <div class="scroll" {...(link ? {} : { tabIndex: 0 })}>
        <table class="numbers">
          <thead><tr><th>Name</th><th>Requests</th><th>Tokens in</th><th>Tokens out</th><th>Left out</th><th>Saved, net</th><th class="wide"><span class="hidden">Share</span></th></tr></thead>
          <tbody>
            {rows.slice(0, 8).map(({ name, total }) => (
              <tr key={name}>
                <th scope="row" title={name}>{link ? <a href={link(name)}>{name}</a> : name}</th>
                <td>{count(total.requests)}</td>
                <td title={count(total.before)}>{total.after === 0 ? "–" : short(total.before)}</td>
                <td title={count(total.after)}>{total.after === 0 ? "–" : short(total.after)}</td>
                <td>{total.after === 0 ? `${short(total.before)} saved` : leftOut(total.before, total.after)}</td>
                <td>{total.priced > 0 ? money(total.saved) : "–"}</td>
                <td class="wide"><span class="meter"><i style={{ width: `${(100 * total.before) / most}%` }} /><b style={{ width: `${(100 * total.after) / most}%` }} /></span></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
