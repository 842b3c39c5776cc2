// The list of sessions, those that were used last first.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { get } from "../api/client.ts";
import { readAll } from "../api/lists.ts";
import type { Session } from "../api/schema.ts";
import { count, fullTime, money, time } from "../format.ts";
import { useFollow } from "../state/follow.ts";
import { sessionHref } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { PageHead } from "../ui/frame.tsx";
import { Empty, Loaded } from "../ui/states.tsx";

const MAX_SESSIONS = 5000;
const SHOWN = 200;

export function Sessions() {
  const list = useResource(
    (signal) => readAll((cursor) => get("/sessions", { query: { limit: 1000, ...(cursor ? { cursor } : {}) }, signal }), MAX_SESSIONS),
    [],
  );
  useFollow((event) => event.session_id != null, [list]);
  return (
    <>
      <PageHead title="Sessions" about="Conversations with a name: what each turn sent, and what it cost." />
      <Loaded of={list} rows={8}>
        {({ items, complete }) => items.length === 0 ? (
          <Empty title="No session is open">
            <p>A request with <code>session_id</code> begins one, and so does <code>POST /sessions</code>.</p>
          </Empty>
        ) : <List items={items} complete={complete} />}
      </Loaded>
    </>
  );
}

function List({ items, complete }: { items: Session[]; complete: boolean }) {
  const wanted = useSignal("");
  const found = useMemo(() => {
    const text = wanted.value.toLowerCase();
    const rows = items.filter((row) => text === "" || row.id.toLowerCase().includes(text));
    return rows.sort((one, other) => (one.used_at < other.used_at ? 1 : -1));
  }, [items, wanted.value]);
  return (
    <>
      <div class="filters">
        <label class="hidden" for="find">Find</label>
        <input id="find" type="search" placeholder="Find by id" value={wanted.value} onInput={(event) => { wanted.value = event.currentTarget.value; }} />
        <p class="dim" role="status">{count(found.length)}{complete ? "" : "+"} {found.length === 1 ? "session" : "sessions"}</p>
      </div>
      <div class="card scroll">
        <table class="numbers rows">
          <thead><tr><th>Session</th><th class="left">Model</th><th>Turns</th><th>Messages</th><th>Compactions</th><th>Last payload</th><th>Used</th></tr></thead>
          <tbody>
            {found.slice(0, SHOWN).map((row) => (
              <tr key={row.id}>
                <th scope="row" title={row.id}><a href={sessionHref(row.id)}>{row.id}</a>{row.parent_session_id && <small class="dim"> goes on from {row.parent_session_id}</small>}</th>
                <td class="left">{String(row.defaults?.["model"] ?? "–")}</td>
                <td>{count(row.turns)}</td>
                <td>{count(row.messages)}</td>
                <td>{count(row.compaction_points.length)}</td>
                <td>{row.last_cost ? money(row.last_cost.payload_micros) : "–"}</td>
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
