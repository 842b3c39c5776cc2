// One memory entry: its value, how long it lives, and its versions with what changed in each.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { get, patch, post, remove } from "../api/client.ts";
import type { MemoryEntry, MemoryScope, MemoryVersionRow } from "../api/schema.ts";
import { count, fullTime, plural, time } from "../format.ts";
import { useFollow } from "../state/follow.ts";
import { go, href } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { may } from "../state/session.ts";
import { difference } from "../text/words.ts";
import { PageHead } from "../ui/frame.tsx";
import { CopyButton } from "../ui/json.tsx";
import { Stat } from "../ui/stat.tsx";
import { Loaded } from "../ui/states.tsx";
import { ConfirmButton, TaskState, useTask } from "../ui/task.tsx";
import { Scope, scopeQuery, valueText } from "./memory.tsx";

interface Found {
  entry: MemoryEntry;
  versions: MemoryVersionRow[];
}

export function MemoryEntryPage({ name, scope }: { name: string; scope: MemoryScope }) {
  const query = scopeQuery(scope);
  const found = useResource<Found>(async (signal) => {
    const [entry, versions] = await Promise.all([
      get("/memory/{key}", { path: { key: name }, query, signal }),
      get("/memory/{key}/versions", { path: { key: name }, query: { ...query, limit: 200 }, signal }),
    ]);
    return { entry, versions: [...versions.items].sort((one, other) => other.entry.version - one.entry.version) };
  }, []);
  useFollow((event) => event.type.startsWith("memory:") && "key" in event.data && event.data.key === name, [found]);
  return <Loaded of={found} rows={6}>{(data) => <Shown {...data} onChanged={found.reload} />}</Loaded>;
}

function Shown({ entry, versions, onChanged }: Found & { onChanged: () => void }) {
  const task = useTask();
  const mayWrite = may("memory:write");
  const options = { path: { key: entry.key }, query: scopeQuery(entry.scope) };
  const change = (work: () => Promise<unknown>, outcome: string) => task.run(async () => {
    await work();
    onChanged();
    return outcome;
  });
  const isRetracted = entry.status === "retracted";
  return (
    <>
      <PageHead title={<><a class="crumb" href={href("memory")}>Memory</a> {entry.key}</>} about={<><Scope scope={entry.scope} />{entry.description && <> · {entry.description}</>}</>}>
        <CopyButton text={entry.key} label="Copy key" />
        {mayWrite && !isRetracted && <ConfirmButton label="Retract" question="Hide it from models?" confirm="Retract" disabled={task.busy.value}
          onConfirm={() => void change(() => post("/memory/{key}/retract", "", { ...options, ifMatch: entry.version }), "The entry is retracted: it is kept, and no longer recalled.")} />}
        {mayWrite && <ConfirmButton label="Delete" question="Delete it with its versions?" confirm="Delete" disabled={task.busy.value}
          onConfirm={() => void task.run(async () => { await remove("/memory/{key}", options); go("memory"); return "The entry is deleted."; })} />}
      </PageHead>
      <TaskState task={task} />
      <dl class="stats">
        <Stat label="Status" value={entry.status} bad={isRetracted} of={`${entry.classification}, tier ${entry.tier}`} />
        <Stat label="Version" value={count(entry.version)} of={<>changed <time title={fullTime(entry.updated_at)}>{time(entry.updated_at)}</time></>} />
        <Stat label="Importance" value={entry.importance.toFixed(2)} of={entry.tags.length > 0 ? entry.tags.join(", ") : "no tags"} />
        <Stat label="Lives until" value={entry.expires_at ? time(entry.expires_at) : entry.expires_at_turn != null ? `turn ${entry.expires_at_turn}` : "no end"} of={entry.author ? `written by ${entry.author}` : entry.source ?? "written directly"} />
      </dl>
      <section class="card">
        <header><h2>Value</h2></header>
        <pre class="text">{valueText(entry.value, 2)}</pre>
      </section>
      {mayWrite && <Ttl entry={entry} busy={task.busy.value} onChange={(ttl) => void change(() => patch("/memory/{key}", { ttl }, { ...options, ifMatch: entry.version }), "The time to live is changed.")} />}
      <Versions rows={versions} current={entry.version} busy={task.busy.value} mayWrite={mayWrite}
        onRestore={(version) => void change(() => post("/memory/{key}/restore", { version }, { ...options, ifMatch: entry.version }), `Version ${version} is the current one again, as a new version.`)} />
    </>
  );
}

function Ttl({ entry, busy, onChange }: { entry: MemoryEntry; busy: boolean; onChange: (ttl: { seconds?: number; turns?: number } | null) => void }) {
  const kind = useSignal(entry.ttl?.turns != null ? "turns" : "seconds");
  const amount = useSignal(String(entry.ttl?.turns ?? entry.ttl?.seconds ?? ""));
  const submit = (event: Event) => {
    event.preventDefault();
    onChange(amount.value.trim() === "" ? null : { [kind.value]: Number(amount.value) });
  };
  return (
    <form class="card inline-form" onSubmit={submit}>
      <h2>Time to live</h2>
      <label><span class="hidden">Amount</span><input type="number" min="1" value={amount.value} placeholder="no end" onInput={(event) => { amount.value = event.currentTarget.value; }} /></label>
      <label><span class="hidden">Unit</span>
        <select value={kind.value} onChange={(event) => { kind.value = event.currentTarget.value; }}><option value="seconds">seconds</option><option value="turns">turns</option></select>
      </label>
      <button disabled={busy}>Change</button>
      <p class="dim">Counts from now; empty for no end.</p>
    </form>
  );
}

function Versions({ rows, current, busy, mayWrite, onRestore }: { rows: MemoryVersionRow[]; current: number; busy: boolean; mayWrite: boolean; onRestore: (version: number) => void }) {
  return (
    <section class="card">
      <header><h2>Versions</h2><p class="dim">{plural(rows.length, "version")}, newest first, each with what it changed</p></header>
      <ol class="versions">
        {rows.map((row, at) => (
          <li key={row.entry.version}>
            <header>
              <b>{row.entry.version}</b> <span>{row.action}</span> <small>by {row.origin}{row.entry.author ? `, ${row.entry.author}` : ""} · <time title={fullTime(row.entry.updated_at)}>{time(row.entry.updated_at)}</time></small>
              {mayWrite && row.entry.version !== current && <button type="button" class="link" disabled={busy} onClick={() => onRestore(row.entry.version)}>Restore</button>}
              {row.entry.version === current && <small class="good">current</small>}
            </header>
            <Changed before={rows[at + 1]?.entry} after={row.entry} />
          </li>
        ))}
      </ol>
    </section>
  );
}

const MEMBERS = ["status", "tier", "classification", "importance", "description", "ttl", "tags"] as const;

function Changed({ before, after }: { before: MemoryEntry | undefined; after: MemoryEntry }) {
  const pieces = useMemo(() => {
    const now = valueText(after.value, 2);
    return before ? difference(valueText(before.value, 2), now) : [{ text: now, kind: "same" as const }];
  }, [before, after]);
  const members = before ? MEMBERS.filter((name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null)) : [];
  const same = before !== undefined && pieces.every((piece) => piece.kind === "same");
  return (
    <>
      {!same && <pre class="text">{pieces.map((piece, at) => piece.kind === "same" ? piece.text : piece.kind === "added" ? <ins key={at}>{piece.text}</ins> : <del key={at}>{piece.text}</del>)}</pre>}
      {members.map((name) => <p key={name} class="dim">{name}: {valueText(before?.[name] ?? null)} → {valueText(after[name] ?? null)}</p>)}
      {same && members.length === 0 && <p class="dim">the same value</p>}
    </>
  );
}
