// The list of records, newest first, with filters; new ones come in as they are made.

import { get } from "../api/client.ts";
import { readNew } from "../api/lists.ts";
import type { CompilationRow } from "../api/schema.ts";
import { fitted, fullTime, leftOut, shortId, time } from "../format.ts";
import { useFollow } from "../state/follow.ts";
import { choiceOf, href, route, sessionHref } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { session } from "../state/session.ts";
import { PageHead } from "../ui/frame.tsx";
import { Empty, FirstRequest, Loaded } from "../ui/states.tsx";
import { TaskState, useTask } from "../ui/task.tsx";
import { VirtualList } from "../ui/virtual.tsx";
import { isUnmeasured } from "./usage.ts";

const PAGE_ROWS = 200;
/** Rows since the list was read; with more, the list begins again. */
const MAX_NEW_ROWS = 10_000;
const ROW_PX = 45;

interface Known {
  rows: CompilationRow[];
  /** Where older rows are; null if there are none. */
  cursor: string | null;
}

const KEPT = ["", "full", "hashes"] as const;
const OUTCOMES = ["", "compiled", "refused"] as const;

/** The rows that were read last, so that the way back from a record leads to the same list. */
let last: { key: string; known: Known } | null = null;

function knownOf(key: string): Known {
  if (last?.key !== key) last = { key, known: { rows: [], cursor: null } };
  return last.known;
}

export function Records() {
  const level = choiceOf("kept", KEPT);
  const outcome = choiceOf("outcome", OUTCOMES);
  const wanted = route.value.query.get("session_id") ?? "";
  const who = session.value.status === "signed in" ? session.value.who : null;
  const known = knownOf(JSON.stringify([who?.tenant, who?.key, level.value, outcome.value, wanted]));
  const page = (cursor: string | undefined, limit: number, signal?: AbortSignal) => get("/compilations", {
    query: {
      limit,
      ...(wanted ? { session_id: wanted } : {}),
      ...(level.value ? { record: level.value } : {}),
      ...(outcome.value ? { status: outcome.value } : {}),
      ...(cursor ? { cursor } : {}),
    },
    ...(signal ? { signal } : {}),
  });
  const list = useResource(async (signal) => {
    const newest = known.rows[0]?.id;
    const found = newest === undefined ? []
      : (await readNew((cursor) => page(cursor, cursor ? 1000 : PAGE_ROWS, signal), known.rows, (row) => row.id, known.rows.length + MAX_NEW_ROWS)).items;
    if (newest !== undefined && found.some((row) => row.id === newest)) known.rows = found;
    else {
      const first = await page(undefined, PAGE_ROWS, signal);
      known.rows = first.items;
      known.cursor = first.next_cursor ?? null;
    }
    return { ...known };
  }, [known], known.rows.length > 0 ? { ...known } : undefined);
  useFollow((event) => event.type === "compile:done" || event.type === "gateway:request", [list]);
  const task = useTask();
  const more = () => task.run(async () => {
    const next = await page(known.cursor ?? undefined, 1000);
    known.rows = [...known.rows, ...next.items];
    known.cursor = next.next_cursor ?? null;
    list.state.value = { ...list.state.peek(), data: { ...known } };
    return "";
  });
  const isAll = wanted === "" && level.value === "" && outcome.value === "";

  return (
    <>
      <PageHead title="Records" about="What each compile was given and what it made of it." />
      <div class="filters">
        <Choice label="Kept" value={level.value} onChange={level.set} options={[["", "Anything"], ["full", "In full"], ["hashes", "Hashes"]]} />
        <Choice label="Outcome" value={outcome.value} onChange={outcome.set} options={[["", "Any"], ["compiled", "Compiled"], ["refused", "Refused"]]} />
        {wanted && <p>Of the session <code>{wanted}</code> <a href={href("records")}>Show all records</a></p>}
      </div>
      <Loaded of={list} rows={10}>
        {({ rows, cursor }) => rows.length > 0 ? <Rows rows={rows} busy={task.busy.value} more={cursor !== null ? () => void more() : null} />
          : isAll ? <Empty title="No compile is recorded"><p>A compile leaves a record unless its request says <code>"record": "none"</code>.</p><FirstRequest /></Empty>
          : <Empty title="No record is like this"><p><a href={href("records")}>Show all records</a></p></Empty>}
      </Loaded>
      <TaskState task={task} />
    </>
  );
}

function Choice({ label, value, options, onChange }: { label: string; value: string; options: [string, string][]; onChange: (value: string) => void }) {
  return (
    <label class="choice">
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([key, text]) => <option key={key} value={key}>{text}</option>)}
      </select>
    </label>
  );
}

function Rows({ rows, busy, more }: { rows: CompilationRow[]; busy: boolean; more: (() => void) | null }) {
  return (
    <div class="record-list card">
      <div class="record-row head" aria-hidden="true"><span>When</span><span>Record</span><span>Session</span><span>Model</span><span>Tokens in</span><span>Tokens out</span><span>Left out</span><span>Kept</span></div>
      <VirtualList items={rows} keyOf={(row) => row.id} estimate={() => ROW_PX} label="Records" row={(row) => <RecordRow row={row} />} />
      {more && <p class="more"><button type="button" disabled={busy} onClick={more}>Load older records</button></p>}
    </div>
  );
}

function RecordRow({ row }: { row: CompilationRow }) {
  return (
    <div class={`record-row${row.fits ? "" : " bad"}`}>
      <time dateTime={row.created_at} title={fullTime(row.created_at)}>{time(row.created_at)}</time>
      <a href={href("records", row.id)} title={row.id}>{shortId(row.id)}</a>
      <span class="cut">{row.session_id ? <a href={sessionHref(row.session_id)}>{row.session_id}</a> : <span class="dim">none</span>}</span>
      <span class="cut">{row.model ?? row.target}</span>
      {isUnmeasured(row) ? <Unmeasured saved={row.tokens_before} /> : (
        <>
          <span class="number">{fitted(row.tokens_before)}</span>
          <span class="number">{row.status === "refused" ? "refused" : fitted(row.tokens_after)}</span>
          <span class="number">{row.status === "refused" ? "–" : leftOut(row.tokens_before, row.tokens_after)}</span>
        </>
      )}
      <span>{row.record === "full" ? "in full" : "hashes"}</span>
    </div>
  );
}

/** Without usage of the provider the record has no tokens but those that were saved. */
function Unmeasured({ saved }: { saved: number }) {
  const about = "The provider reported no usage";
  return (
    <>
      <span class="number" title={about}>–</span>
      <span class="number" title={about}>–</span>
      <span class="number" title={about}>{fitted(saved)} saved</span>
    </>
  );
}
