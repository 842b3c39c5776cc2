// A session: a column a turn, to scale, and the window as it is now.

import { useMemo } from "preact/hooks";
import { get } from "../api/client.ts";
import { readNew } from "../api/lists.ts";
import type { TimelineRow } from "../api/schema.ts";
import { count, fullTime, leftOut, money, percent, plural, time } from "../format.ts";
import { useFollow } from "../state/follow.ts";
import { href, isGatewaySession, sessionHref } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { PageHead } from "../ui/frame.tsx";
import { CopyButton } from "../ui/json.tsx";
import { Window } from "../ui/parts.tsx";
import { Stat } from "../ui/stat.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { TurnChart } from "../ui/turn-chart.tsx";
import { WhyList, WhyWord } from "../ui/why.tsx";

const MAX_TURNS = 2000;
const SHOWN_TURNS = 240;

export function SessionPage({ id }: { id: string }) {
  // The gateway's sessions have records alone.
  const about = useResource(async (signal) => (isGatewaySession(id) ? null : get("/sessions/{id}", { path: { id }, signal })), [id]);
  const known = useMemo(() => ({ rows: [] as TimelineRow[], complete: false }), [id]);
  const timeline = useResource(async (signal) => {
    const page = (cursor: string | undefined) =>
      get("/sessions/{id}/timeline", { path: { id }, query: { limit: known.rows.length > 0 ? 50 : 500, ...(cursor ? { cursor } : {}) }, signal });
    const found = await readNew(page, known.rows, (row) => row.compilation_id, MAX_TURNS);
    known.rows = found.items;
    known.complete ||= found.complete;
    return { items: known.rows, complete: known.complete };
  }, [id]);
  useFollow((event) => event.session_id === id && (event.type === "compile:done" || event.type === "gateway:request"), [about, timeline]);
  return (
    <Loaded of={about} rows={8}>
      {(session) => (
        <>
          <PageHead
            title={id}
            about={session === null ? <>A session of the <a href={href("api", undefined, { find: "gateway" })}>gateway</a>: requests that go on from each other</> : <>
              {plural(session.turns, "turn")}, {plural(session.messages, "message")}
              {" · used "}<time dateTime={session.used_at} title={fullTime(session.used_at)}>{time(session.used_at)}</time>
              {session.parent_session_id && <> · goes on from <a href={sessionHref(session.parent_session_id)}>{session.parent_session_id}</a></>}
            </>}
          >
            <a class="button" href={href("inventory", undefined, { session: id })}>Inventory</a>
            <a class="button" href={href("records", undefined, { session_id: id })}>Records</a>
            <CopyButton text={id} label="Copy id" />
          </PageHead>
          <Loaded of={timeline} rows={6}>
            {({ items, complete }) => items.length === 0 ? (
              <Empty title="No turn of this session is recorded">
                <p>A compile leaves a record unless its request says <code>"record": "none"</code>. Records are kept for some days.</p>
              </Empty>
            ) : <Turns rows={items} complete={complete} />}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}

function Turns({ rows, complete }: { rows: TimelineRow[]; complete: boolean }) {
  const turns = useMemo(() => [...rows].reverse(), [rows]);
  const shown = turns.slice(-SHOWN_TURNS);
  const first = turns.length - shown.length;
  const newest = rows[0];
  const sums = useMemo(() => {
    const priced = rows.filter((row) => row.cost != null);
    return {
      priced: priced.length,
      paid: priced.reduce((sum, row) => sum + (row.cost?.payload_micros ?? 0), 0),
      saved: priced.reduce((sum, row) => sum + (row.cost?.saved_micros ?? 0), 0),
      before: rows.reduce((sum, row) => sum + row.tokens_before, 0),
      after: rows.reduce((sum, row) => sum + row.tokens_after, 0),
      breaks: rows.filter((row) => row.first_change != null).length,
    };
  }, [rows]);
  if (!newest) return null;
  return (
    <>
      <dl class="stats">
        <Stat label={sums.after > sums.before ? "Added" : "Left out"} value={leftOut(sums.before, sums.after).replace(" added", "")} of={`${count(Math.abs(sums.before - sums.after))} ${sums.after > sums.before ? "more than the" : "of"} ${count(sums.before)} tokens in, over ${plural(rows.length, "turn")}`} />
        <Stat label="Cache breaks" value={count(sums.breaks)} of={`of ${plural(rows.length, "turn")}`} />
        {sums.priced > 0 && <Stat label="Cost of the input" value={money(sums.paid)} of={plural(sums.priced, "priced turn")} />}
        {sums.priced > 0 && <Stat label="Saved, net" value={money(sums.saved)} bad={sums.saved < 0} of={`of ${money(sums.paid + sums.saved)} unshortened`} />}
      </dl>
      {newest.parts && newest.budget != null && (
        <section class="card">
          <header><h2>The window now</h2><p class="dim">{count(newest.tokens_after)} of the {count(newest.budget + newest.parts.reserve)} tokens of the window, {percent(newest.tokens_after, newest.budget + newest.parts.reserve)}</p></header>
          <Window parts={newest.parts} budget={newest.budget} />
        </section>
      )}
      <section class="card">
        <header>
          <h2>Turns</h2>
          <p class="dim">{first > 0 ? `the newest ${shown.length} of ${count(turns.length)}${complete ? "" : "+"}` : "each opens its record"}</p>
        </header>
        <TurnChart rows={shown} first={first} />
      </section>
      <section class="card">
        <div class="scroll">
          <table class="numbers rows turn-rows">
            <thead><tr><th>Turn</th><th>When</th><th>Tokens in</th><th>Tokens out</th><th>Read from cache</th><th class="left">First change</th><th>Read again</th><th>Cost</th><th>Saved, net</th></tr></thead>
            <tbody>
              {rows.slice(0, SHOWN_TURNS).map((row, at) => (
                <tr key={row.compilation_id} class={row.fits ? "" : "bad"}>
                  <th scope="row"><a href={href("records", row.compilation_id)}>{turns.length - at}</a>{!row.fits && <small> over the budget</small>}</th>
                  <td><time dateTime={row.created_at} title={fullTime(row.created_at)}>{time(row.created_at)}</time></td>
                  <td>{count(row.tokens_before)}</td>
                  <td>{count(row.tokens_after)}</td>
                  <td>{row.cost ? count(row.cost.cache.read_tokens) : "–"}</td>
                  <td class="left">{row.first_change ? <a href={href("cache", undefined, { b: row.compilation_id })}><WhyWord why={row.first_change.why} /></a> : <span class="dim">none</span>}</td>
                  <td>{row.first_change ? count(row.first_change.tokens_behind) : "–"}</td>
                  <td>{row.cost ? money(row.cost.payload_micros) : "–"}</td>
                  <td>{row.cost ? money(row.cost.saved_micros) : "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <WhyList reasons={rows.slice(0, SHOWN_TURNS).flatMap((row) => (row.first_change ? [row.first_change.why] : []))} />
      </section>
    </>
  );
}
