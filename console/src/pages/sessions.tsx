// The list of sessions, those that were used last first.

import { useMemo } from "preact/hooks";
import { get } from "../api/client.ts";
import { readAll } from "../api/lists.ts";
import type { Session, UsageRow } from "../api/schema.ts";
import { count, fullTime, leftOut, money, plural, time } from "../format.ts";
import { useFollow } from "../state/follow.ts";
import { isGatewaySession, sessionHref } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { useSearch } from "../state/search.ts";
import { may } from "../state/session.ts";
import { PageHead } from "../ui/frame.tsx";
import { Empty, FirstRequest, Loaded } from "../ui/states.tsx";
import { daysBack, groupBy } from "./usage.ts";

const MAX_SESSIONS = 5000;
const SHOWN = 200;

export function Sessions() {
  const list = useResource(
    (signal) => readAll((cursor) => get("/sessions", { query: { limit: 1000, ...(cursor ? { cursor } : {}) }, signal }), MAX_SESSIONS),
    [],
  );
  // Sessions of the gateway have no state of their own: they are known by what they used.
  const gateway = useResource(async (signal) => (may("admin") ? (await readAll((cursor) => get("/usage", { query: { by: "session", from: daysBack(29), limit: 1000, ...(cursor ? { cursor } : {}) }, signal }), MAX_SESSIONS)).items : [])
    .filter((row) => isGatewaySession(row.session_id ?? "")), []);
  useFollow((event) => event.session_id != null, [list, gateway]);
  return (
    <>
      <PageHead title="Sessions" about="Conversations with a name: what each turn sent, and what it cost." />
      <Loaded of={list} rows={8}>
        {({ items, complete }) => items.length === 0 && (gateway.state.value.data ?? []).length === 0 ? (
          <Empty title="No session is open">
            <p>A request with <code>session_id</code> begins one, and so do <code>POST /sessions</code> and requests through the gateway.</p>
            <FirstRequest />
          </Empty>
        ) : items.length === 0 ? null : <List items={items} complete={complete} />}
      </Loaded>
      {(gateway.state.value.data ?? []).length > 0 && <GatewaySessions rows={gateway.state.value.data ?? []} />}
    </>
  );
}

function List({ items, complete }: { items: Session[]; complete: boolean }) {
  const wanted = useSearch();
  const found = useMemo(() => {
    const text = wanted.value.toLowerCase();
    const rows = items.filter((row) => text === "" || row.id.toLowerCase().includes(text));
    return rows.sort((one, other) => (one.used_at < other.used_at ? 1 : -1));
  }, [items, wanted.value]);
  return (
    <>
      <div class="filters">
        <label class="hidden" for="find">Find</label>
        <input id="find" type="search" placeholder="Find by id" value={wanted.value} onInput={(event) => wanted.set(event.currentTarget.value)} />
        <p class="dim" role="status">{count(found.length)}{complete ? "" : "+"} {found.length === 1 ? "session" : "sessions"}</p>
      </div>
      <div class="card scroll">
        <table class="numbers rows">
          <thead><tr><th>Session</th><th class="left">Model</th><th>Turns</th><th>Messages</th><th>Cost, last turn</th><th>Saved, last turn</th><th>Used</th></tr></thead>
          <tbody>
            {found.slice(0, SHOWN).map((row) => (
              <tr key={row.id}>
                <th scope="row" title={row.id}><a href={sessionHref(row.id)}>{row.id}</a>{row.parent_session_id && <small class="dim"> goes on from {row.parent_session_id}</small>}</th>
                <td class="left whole">{String(row.defaults?.["model"] ?? "–")}</td>
                <td>{count(row.turns)}</td>
                <td>{count(row.messages)}</td>
                <td>{row.last_cost ? money(row.last_cost.payload_micros) : "–"}</td>
                <td>{row.last_cost ? money(row.last_cost.saved_micros) : "–"}</td>
                <td><time dateTime={row.used_at} title={fullTime(row.used_at)}>{time(row.used_at)}</time></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length > SHOWN && <p class="dim">The {SHOWN} used last are shown. Find others by id.</p>}
    </>
  );
}

function GatewaySessions({ rows }: { rows: UsageRow[] }) {
  const groups = useMemo(() => groupBy(rows, (row) => row.session_id ?? "–").map((group) => {
    const own = rows.filter((row) => row.session_id === group.name);
    return { ...group, model: [...new Set(own.map((row) => row.model ?? "–"))].join(", "), last: own.reduce((day, row) => (row.day > day ? row.day : day), "") };
  }).sort((one, other) => (one.last < other.last ? 1 : -1)), [rows]);
  return (
    <section class="card">
      <header><h2>Through the gateway</h2><p class="dim">{plural(groups.length, "session")} of the last 30 days, by the provider's usage</p></header>
      <div class="scroll">
        <table class="numbers rows">
          <thead><tr><th>Session</th><th class="left">Model</th><th>Requests</th><th>Tokens in</th><th>Tokens out</th><th>Left out</th><th>Saved, net</th><th>Last day</th></tr></thead>
          <tbody>
            {groups.slice(0, SHOWN).map(({ name, total, model, last }) => (
              <tr key={name}>
                <th scope="row" title={name}><a href={sessionHref(name)}>{name}</a></th>
                <td class="left">{model}</td>
                <td>{count(total.requests)}</td>
                <td>{count(total.before)}</td>
                <td>{count(total.after)}</td>
                <td>{leftOut(total.before, total.after)}</td>
                <td>{total.priced > 0 ? money(total.saved) : "–"}</td>
                <td>{last}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
