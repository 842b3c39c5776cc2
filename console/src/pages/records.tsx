// The list of records, newest first, with filters; new ones come in as they are made.

import { useEffect, useMemo } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { get } from "../api/client.ts";
import type { CompilationRow } from "../api/schema.ts";
import { count, fullTime, leftOut, shortId, time } from "../format.ts";
import { useFollow } from "../state/follow.ts";
import { href, route, sessionHref } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { PageHead } from "../ui/frame.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { VirtualList } from "../ui/virtual.tsx";
import { isUnmeasured } from "./usage.ts";

const PAGE_ROWS = 200;
const ROW_PX = 45;

export function Records() {
  const level = useSignal("");
  const status = useSignal("");
  const older = useSignal<CompilationRow[]>([]);
  const cursor = useSignal<string | null>(null);
  const wanted = route.value.query.get("session_id") ?? "";
  const query = {
    ...(wanted ? { session_id: wanted } : {}),
    ...(level.value ? { record: level.value as "full" } : {}),
    ...(status.value ? { status: status.value as "refused" } : {}),
  };
  const list = useResource(async (signal) => {
    const page = await get("/compilations", { query: { ...query, limit: PAGE_ROWS }, signal });
    if (older.peek().length === 0) cursor.value = page.next_cursor ?? null;
    return page.items;
  }, [level.value, status.value, wanted]);
  useFollow((event) => event.type === "compile:done" || event.type === "gateway:request", [list]);
  useEffect(() => {
    older.value = [];
  }, [level.value, status.value, wanted]);

  async function more(): Promise<void> {
    if (cursor.value === null) return;
    const page = await get("/compilations", { query: { ...query, limit: 1000, cursor: cursor.value } });
    older.value = [...older.value, ...page.items];
    cursor.value = page.next_cursor ?? null;
  }

  return (
    <>
      <PageHead title="Records" about="What each compile was given and what it made of it." />
      <div class="filters">
        <Choice label="Kept" value={level.value} onChange={(value) => { level.value = value; }} options={[["", "Anything"], ["full", "In full"], ["hashes", "Hashes"]]} />
        <Choice label="Outcome" value={status.value} onChange={(value) => { status.value = value; }} options={[["", "Any"], ["compiled", "Compiled"], ["refused", "Refused"]]} />
        {wanted && <p>Of the session <code>{wanted}</code> <a href={href("records")}>Show all records</a></p>}
      </div>
      <Loaded of={list} rows={10}>
        {(items) => <Rows items={items} older={older.value} more={cursor.value !== null ? () => void more() : null} />}
      </Loaded>
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

function Rows({ items, older, more }: { items: CompilationRow[]; older: CompilationRow[]; more: (() => void) | null }) {
  const rows = useMemo(() => {
    const seen = new Set(items.map((row) => row.id));
    return [...items, ...older.filter((row) => !seen.has(row.id))];
  }, [items, older]);
  if (rows.length === 0) {
    return (
      <Empty title="No record is kept">
        <p>Compile something: <code>POST /compile</code>, or the <a href={href("playground")}>playground</a>.</p>
      </Empty>
    );
  }
  return (
    <div class="record-list card">
      <div class="record-row head" aria-hidden="true"><span>When</span><span>Record</span><span>Session</span><span>Model</span><span>Tokens in</span><span>Tokens out</span><span>Left out</span><span>Kept</span></div>
      <VirtualList items={rows} keyOf={(row) => row.id} estimate={() => ROW_PX} label="Records" row={(row) => <RecordRow row={row} />} />
      {more && <p class="more"><button type="button" onClick={more}>Load older records</button></p>}
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
          <span class="number">{count(row.tokens_before)}</span>
          <span class="number">{row.status === "refused" ? "refused" : count(row.tokens_after)}</span>
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
      <span class="number" title={about}>{count(saved)} saved</span>
    </>
  );
}
