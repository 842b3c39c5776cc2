// Memory: entries with their scopes, the queue of candidates, and what a compile would be shown.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { get, post } from "../api/client.ts";
import { readAll } from "../api/lists.ts";
import type { MemoryEntry, MemoryScope, RecalledEntry } from "../api/schema.ts";
import { count, fullTime, percent, plural, time } from "../format.ts";
import { useFollow } from "../state/follow.ts";
import { choiceOf, choose, href, route, textOf } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { useSearch } from "../state/search.ts";
import { PageHead } from "../ui/frame.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { TaskState, useTask } from "../ui/task.tsx";
import { Candidates } from "./candidates.tsx";
import { MemoryEntryPage } from "./memory-entry.tsx";

const MAX_ENTRIES = 5000;
const SHOWN = 200;
const TABS = [{ id: "entries", label: "Entries" }, { id: "candidates", label: "Candidates" }, { id: "recall", label: "What would be recalled" }];

export function Memory() {
  const { id, query } = route.value;
  const tab = choiceOf("tab", ["entries", "candidates", "recall"]);
  if (id !== null) return <MemoryEntryPage key={`${id} ${query.toString()}`} name={id} scope={scopeOf(query)} />;
  return (
    <>
      <PageHead title="Memory" about="What is remembered between requests, for whom, and until when." />
      <Tabs label="Memory" shown={tab.value} onShow={tab.set} tabs={TABS}>
        {tab.value === "entries" && <Entries />}
        {tab.value === "candidates" && <Candidates />}
        {tab.value === "recall" && <Recall />}
      </Tabs>
    </>
  );
}

const SCOPES = ["subject", "session_id", "agent", "pack_tenant"] as const;

export function scopeOf(query: URLSearchParams): MemoryScope {
  return Object.fromEntries(SCOPES.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])));
}

/** The members of a scope that are given, as the API takes them in a query. */
export function scopeQuery(scope: MemoryScope): Record<string, string> {
  return Object.fromEntries(SCOPES.flatMap((name) => (scope[name] ? [[name, scope[name] ?? ""]] : [])));
}

export function Scope({ scope }: { scope: MemoryScope }) {
  const given = SCOPES.filter((name) => scope[name]);
  if (given.length === 0) return <span class="dim">everyone</span>;
  return <span class="chips">{given.map((name) => <span key={name} class="chip" title={name.replace("_", " ")}><small>{name.split("_")[0]}</small> {scope[name]}</span>)}</span>;
}

/** A value as a line or a text. */
export function valueText(value: unknown, space?: number): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, space) ?? "null";
}

function Entries() {
  const text = useSearch();
  const scope = textOf("scope");
  const status = textOf("status");
  const list = useResource((signal) => readAll((cursor) => get("/memory", { query: { limit: 1000, ...(cursor ? { cursor } : {}) }, signal }), MAX_ENTRIES), []);
  useFollow((event) => event.type.startsWith("memory:"), [list]);
  return (
    <Loaded of={list} rows={6}>
      {({ items, complete }) => items.length === 0 ? (
        <Empty title="Nothing is remembered">
          <p><code>PUT /memory/{"{key}"}</code> stores an entry; a request with <code>"memory": true</code> is shown the ones that fit.</p>
          <p><a href={href("api", undefined, { find: "memory" })}>The endpoints of memory</a></p>
        </Empty>
      ) : <EntryRows items={items} complete={complete} text={text.value} scope={scope.value} status={status.value}
        onText={text.set} onScope={scope.set} onStatus={status.set} />}
    </Loaded>
  );
}

function EntryRows({ items, complete, text, scope, status, onText, onScope, onStatus }: {
  items: MemoryEntry[]; complete: boolean; text: string; scope: string; status: string;
  onText: (value: string) => void; onScope: (value: string) => void; onStatus: (value: string) => void;
}) {
  const scopes = useMemo(() => [...new Set(items.map((entry) => JSON.stringify(scopeQuery(entry.scope))))].sort(), [items]);
  const statuses = useMemo(() => [...new Set(items.map((entry) => entry.status))].sort(), [items]);
  const found = useMemo(() => {
    const wanted = text.toLowerCase();
    return items.filter((entry) => (scope === "" || JSON.stringify(scopeQuery(entry.scope)) === scope) && (status === "" || entry.status === status)
      && (wanted === "" || `${entry.key} ${valueText(entry.value)} ${entry.description ?? ""} ${entry.tags.join(" ")}`.toLowerCase().includes(wanted)));
  }, [items, text, scope, status]);
  return (
    <>
      <div class="filters">
        <input type="search" aria-label="Find in memory" placeholder="Find in keys, values and tags" value={text} onInput={(event) => onText(event.currentTarget.value)} />
        <label class="choice">Scope
          <select value={scope} onChange={(event) => onScope(event.currentTarget.value)}>
            <option value="">Any</option>
            {scopes.slice(0, 300).map((one) => <option key={one} value={one}>{Object.entries(JSON.parse(one) as object).map(([name, value]) => `${name} ${String(value)}`).join(", ") || "everyone"}</option>)}
          </select>
        </label>
        <label class="choice">Status
          <select value={status} onChange={(event) => onStatus(event.currentTarget.value)}>
            <option value="">Any</option>{statuses.map((one) => <option key={one}>{one}</option>)}
          </select>
        </label>
        <p class="dim" role="status">{count(found.length)}{complete ? "" : "+"} of {plural(items.length, "entry", "entries")}</p>
      </div>
      {found.length === 0 ? <Empty title="No entry is like this" /> : (
        <div class="card scroll">
          <table class="rows memory">
            <thead><tr><th>Key</th><th>Value</th><th>For</th><th>Tier</th><th>Status</th><th class="right">Importance</th><th>Until</th></tr></thead>
            <tbody>
              {found.slice(0, SHOWN).map((entry) => (
                <tr key={entry.key + JSON.stringify(entry.scope)}>
                  <th scope="row"><a href={href("memory", entry.key, scopeQuery(entry.scope))}>{entry.key}</a></th>
                  <td class="value"><span>{valueText(entry.value).slice(0, 220)}</span></td>
                  <td><Scope scope={entry.scope} /></td>
                  <td>{entry.tier}</td>
                  <td class={entry.status === "retracted" ? "bad" : ""}>{entry.status}</td>
                  <td class="right">{entry.importance.toFixed(2)}</td>
                  <td>{entry.expires_at ? <time title={fullTime(entry.expires_at)}>{time(entry.expires_at)}</time> : entry.expires_at_turn != null ? `turn ${entry.expires_at_turn}` : <span class="dim">no end</span>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {found.length > SHOWN && <p class="dim">The first {SHOWN} are shown. Find others by words.</p>}
    </>
  );
}

function Recall() {
  const task = useTask();
  const given = (name: string) => route.peek().query.get(name) ?? "";
  const query = useSignal(given("about"));
  const subject = useSignal(given("subject"));
  const sessionId = useSignal(given("session_id"));
  const agent = useSignal(given("agent"));
  const most = useSignal(given("max_tokens") || "500");
  const found = useSignal<{ items: RecalledEntry[]; tokens: number; max_tokens: number } | null>(null);
  const run = () => {
    const scope = { ...(subject.value ? { subject: subject.value } : {}), ...(sessionId.value ? { session_id: sessionId.value } : {}), ...(agent.value ? { agent: agent.value } : {}) };
    void task.run(async () => {
      found.value = await post("/memory/recall", { ...(query.value ? { query: query.value } : {}), scope, max_tokens: Number(most.value) || 500 });
      return "";
    });
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const asked = { asked: "1", about: query.value, subject: subject.value, session_id: sessionId.value, agent: agent.value, max_tokens: most.value === "500" ? "" : most.value };
    choose(Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, value === "" ? null : value])));
    run();
  };
  // The address of an answer asks again.
  useEffect(() => { if (given("asked") !== "") run(); }, []);
  const result = found.value;
  return (
    <>
      <form class="card form" onSubmit={submit}>
        <label class="field">What the conversation is about<input type="text" value={query.value} placeholder="Which language is the project in?" onInput={(event) => { query.value = event.currentTarget.value; }} /></label>
        <div class="row-of-fields">
          <label class="field">Subject<input type="text" value={subject.value} onInput={(event) => { subject.value = event.currentTarget.value; }} /></label>
          <label class="field">Session<input type="text" value={sessionId.value} onInput={(event) => { sessionId.value = event.currentTarget.value; }} /></label>
          <label class="field">Agent<input type="text" value={agent.value} onInput={(event) => { agent.value = event.currentTarget.value; }} /></label>
          <label class="field">Most tokens<input type="number" min="1" value={most.value} onInput={(event) => { most.value = event.currentTarget.value; }} /></label>
        </div>
        <div class="toolbar"><button class="primary" disabled={task.busy.value}>Recall</button><p class="dim">As a compile would, with the reasons. Nothing is changed.</p></div>
      </form>
      <TaskState task={task} />
      {result && (result.items.length === 0 ? <Empty title="Nothing would be recalled"><p>No entry is for this subject, session or agent.</p></Empty> : (
        <section class="card">
          <header><h2>{plural(result.items.filter((row) => row.shown).length, "entry", "entries")} would be shown</h2><p class="dim">{count(result.tokens)} of {count(result.max_tokens)} tokens, {percent(result.tokens, result.max_tokens, 0)}</p></header>
          <div class="scroll">
            <table class="numbers rows">
              <thead><tr><th>Entry</th><th class="left">Value</th><th>Score</th><th>Relevance</th><th>Importance</th><th>Recency</th><th class="left">Shown</th></tr></thead>
              <tbody>
                {result.items.map((row) => (
                  <tr key={row.entry.key + JSON.stringify(row.entry.scope)} class={row.shown ? "" : "faded"}>
                    <th scope="row"><a href={href("memory", row.entry.key, scopeQuery(row.entry.scope))}>{row.entry.key}</a></th>
                    <td class="left value"><span>{valueText(row.entry.value).slice(0, 160)}</span></td>
                    <td><b>{row.score.toFixed(2)}</b></td>
                    <Score value={row.relevance} /><Score value={row.importance} /><Score value={row.recency} />
                    <td class="left">{row.shown ? <span class="good">yes</span> : <span class="dim">no room, or too low</span>}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      ))}
    </>
  );
}

function Score({ value }: { value: number }) {
  return <td><span class="score"><i style={{ width: `${Math.min(Math.max(value, 0), 1) * 100}%` }} /></span>{value.toFixed(2)}</td>;
}
