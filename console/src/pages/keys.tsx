// Keys with what they used, quotas, and usage by day or hour with what caches read and wrote.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { get, post, remove } from "../api/client.ts";
import { readAll } from "../api/lists.ts";
import type { ApiKey, QuotaRow, UsageRow } from "../api/schema.ts";
import { bytes, count, fullTime, leftOut, money, percent, short, time } from "../format.ts";
import { useFollow } from "../state/follow.ts";
import { choiceOf, href } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { session } from "../state/session.ts";
import { PageHead } from "../ui/frame.tsx";
import { CopyButton } from "../ui/json.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { ConfirmButton, TaskState, useTask } from "../ui/task.tsx";
import { daysBack, groupBy, totalOf, type Total } from "./usage.ts";

const MAX_ROWS = 20_000;
const SCOPES = ["compile", "compress", "memory:read", "memory:write", "sessions:read", "sessions:write", "tools", "adapters:read", "adapters:write",
  "hooks:read", "hooks:write", "events:read", "packs:read", "packs:write", "metrics:read", "admin", "operator"];

export function Keys() {
  const tab = choiceOf("tab", ["keys", "usage", "quotas"]);
  return (
    <>
      <PageHead title="Keys and usage" about="Who may ask for what, how much it was, and what is kept." />
      <Tabs label="Keys and usage" shown={tab.value} onShow={tab.set} tabs={[{ id: "keys", label: "Keys" }, { id: "usage", label: "Usage" }, { id: "quotas", label: "Quotas" }]}>
        {tab.value === "keys" && <KeyPanel />}
        {tab.value === "usage" && <UsagePanel />}
        {tab.value === "quotas" && <Quotas />}
      </Tabs>
    </>
  );
}

function KeyPanel() {
  const list = useResource((signal) => readAll((cursor) => get("/keys", { query: { limit: 1000, ...(cursor ? { cursor } : {}) }, signal }), 5000), []);
  const usage = useResource((signal) => readAll((cursor) => get("/usage", { query: { from: daysBack(29), limit: 1000, ...(cursor ? { cursor } : {}) }, signal }), MAX_ROWS), []);
  const task = useTask();
  const makes = useSignal(false);
  const made = useSignal<string | null>(null);
  const rows = usage.state.value.data?.items ?? [];
  const byKey = useMemo(() => new Map(groupBy(rows, (row) => row.key ?? "").map(({ name, total }) => [name, total])), [rows]);
  const today = useMemo(() => new Map(groupBy(rows.filter((row) => row.day === daysBack(0)), (row) => row.key ?? "").map(({ name, total }) => [name, total])), [rows]);
  const revoke = (key: ApiKey) => task.run(async () => {
    await remove("/keys/{id}", { path: { id: key.id } });
    list.reload();
    return "The key is revoked: at once here, within five seconds on other nodes.";
  });
  const create = (body: unknown) => task.run(async () => {
    const key = await post("/keys", body);
    made.value = key.key ?? null;
    makes.value = false;
    list.reload();
    return "The key is made.";
  });
  return (
    <>
      <div class="toolbar"><button type="button" class="primary" aria-expanded={makes.value} onClick={() => { makes.value = !makes.value; }}>New key</button></div>
      {makes.value && <NewKey busy={task.busy.value} onCreate={(body) => void create(body)} />}
      <TaskState task={task} />
      {made.value !== null && (
        <div class="secret card" role="status"><p>The new key. It is shown this once:</p><code>{made.value}</code><CopyButton text={made.value} label="Copy key" /></div>
      )}
      <Loaded of={list} rows={4}>
        {({ items }) => items.length === 0 ? (
          <Empty title="No key is stored">
            <p>{session.value.status === "signed in" && session.value.who.key ? "You are signed in with a key of the operator." : "Callers need none: the server is open to every caller that reaches it. The first key closes it for good, and must have the scope admin."}</p>
          </Empty>
        ) : (
          <div class="card scroll">
            <table class="numbers rows">
              <thead><tr><th>Key</th><th class="left">May</th><th>Requests, 30 days</th><th>Tokens in</th><th>Saved, net</th><th class="left">Today, of its limit</th><th>Made</th><th><span class="hidden">Actions</span></th></tr></thead>
              <tbody>
                {items.map((key) => {
                  const used = byKey.get(key.id);
                  return (
                    <tr key={key.id}>
                      <th scope="row" title={key.id}>{key.name || key.id}<small class="block">{key.name ? `${key.id} · ` : ""}{key.kind}</small></th>
                      <td class="left"><span class="chips">{key.scopes.map((scope) => <span key={scope} class="chip">{scope}</span>)}</span></td>
                      <td>{count(used?.requests ?? 0)}</td>
                      <td title={count(used?.before ?? 0)}>{short(used?.before ?? 0)}</td>
                      <td>{used && used.priced > 0 ? money(used.saved) : "–"}</td>
                      <td class="left"><Limit apiKey={key} used={today.get(key.id)?.before ?? 0} /></td>
                      <td><time title={fullTime(key.created_at)}>{time(key.created_at)}</time></td>
                      <td><ConfirmButton label="Revoke" question={`Revoke ${key.name || key.id}?`} confirm="Revoke" disabled={task.busy.value} onConfirm={() => void revoke(key)} /></td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
    </>
  );
}

function Limit({ apiKey, used }: { apiKey: ApiKey; used: number }) {
  const { tokens_per_day: most, requests_per_minute: rate } = apiKey.limits;
  return (
    <>
      {most == null ? <span class="dim">no limit of tokens</span> : <><Meter used={used} max={most} />{short(used)} of {short(most)} tokens</>}
      {rate != null && <small class="block">{count(rate)} requests a minute</small>}
    </>
  );
}

function Meter({ used, max }: { used: number; max: number }) {
  const share = max > 0 ? used / max : 0;
  return <span class="gauge" role="img" aria-label={percent(used, max)}><i class={share > 0.9 ? "bad" : ""} style={{ width: `${Math.min(share, 1) * 100}%` }} /></span>;
}

function NewKey({ busy, onCreate }: { busy: boolean; onCreate: (body: unknown) => void }) {
  const name = useSignal("");
  const scopes = useSignal<string[]>(["compile"]);
  const rate = useSignal("");
  const tokens = useSignal("");
  const submit = (event: Event) => {
    event.preventDefault();
    const limits = { ...(rate.value ? { requests_per_minute: Number(rate.value) } : {}), ...(tokens.value ? { tokens_per_day: Number(tokens.value) } : {}) };
    onCreate({ name: name.value, scopes: scopes.value, limits });
  };
  const toggle = (scope: string) => {
    scopes.value = scopes.value.includes(scope) ? scopes.value.filter((one) => one !== scope) : [...scopes.value, scope];
  };
  return (
    <form class="card form" onSubmit={submit}>
      <div class="row-of-fields">
        <label class="field">Name<input type="text" value={name.value} placeholder="for people" onInput={(event) => { name.value = event.currentTarget.value; }} /></label>
        <label class="field">Requests a minute<input type="number" min="1" value={rate.value} placeholder="no limit" onInput={(event) => { rate.value = event.currentTarget.value; }} /></label>
        <label class="field">Tokens a day<input type="number" min="1" value={tokens.value} placeholder="no limit" onInput={(event) => { tokens.value = event.currentTarget.value; }} /></label>
      </div>
      <fieldset class="scopes">
        <legend>Scopes</legend>
        {SCOPES.map((scope) => <label key={scope}><input type="checkbox" checked={scopes.value.includes(scope)} onChange={() => toggle(scope)} />{scope}</label>)}
      </fieldset>
      <div class="toolbar"><button class="primary" disabled={busy || scopes.value.length === 0}>Make the key</button><p class="dim">A key gets no scope that yours lacks.</p></div>
    </form>
  );
}

function UsagePanel() {
  const by = choiceOf("by", ["day", "hour"]);
  const usage = useResource((signal) => readAll((cursor) => get("/usage", {
    query: { from: daysBack(by.value === "hour" ? 1 : 29), limit: 1000, ...(by.value === "hour" ? { by: "hour" } : {}), ...(cursor ? { cursor } : {}) } as never, signal,
  }), MAX_ROWS), [by.value]);
  useFollow((event) => event.type === "compile:done" || event.type === "gateway:request", [usage], 5000);
  return (
    <>
      <div class="filters">
        <div class="segments" role="group" aria-label="Rows">
          <button type="button" aria-pressed={by.value === "day"} onClick={() => by.set("day")}>By day</button>
          <button type="button" aria-pressed={by.value === "hour"} onClick={() => by.set("hour")}>By hour</button>
        </div>
        <p class="dim">{by.value === "day" ? "30 days of UTC" : "yesterday and today, in local time"}</p>
      </div>
      <Loaded of={usage} rows={6}>
        {({ items }) => items.length === 0 ? (
          <Empty title="Nothing was used in this time"><p>Compiles, compressions and requests through the gateway are counted; <a href={href("playground")}>the playground</a> is not.</p></Empty>
        ) : <UsageTable items={items} by={by.value} />}
      </Loaded>
    </>
  );
}

function UsageTable({ items, by }: { items: UsageRow[]; by: "day" | "hour" }) {
  const rows = useMemo(() => groupBy(items, (row) => (by === "hour" ? row.hour : null) ?? row.day).sort((one, other) => (one.name < other.name ? 1 : -1)), [items]);
  const all = totalOf(items);
  return (
    <div class="card scroll" tabIndex={0}>
      <table class="numbers rows">
        <thead><tr><th>{by === "day" ? "Day" : "Hour"}</th><th>Requests</th><th>Tokens in</th><th>Tokens out</th><th>Left out</th><th>Read from cache</th><th>Written to cache</th><th>Cost of input</th><th>Saved, net</th></tr></thead>
        <tbody>{rows.map(({ name, total }) => <UsageLine key={name} name={by === "hour" ? time(name) : name} total={total} />)}</tbody>
        <tfoot><UsageLine name="All" total={all} /></tfoot>
      </table>
      <p class="hint">Reads and writes of caches, and costs, are of {count(all.priced)} of {count(all.requests)} requests: those of models with a known price; {count(all.reported)} are by the provider's usage, the others assumed.</p>
    </div>
  );
}

function UsageLine({ name, total }: { name: string; total: Total }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{count(total.requests)}</td>
      <td title={count(total.before)}>{short(total.before)}</td>
      <td title={count(total.after)}>{short(total.after)}</td>
      <td>{leftOut(total.before, total.after)}</td>
      <td title={count(total.read)}>{total.priced > 0 ? <>{short(total.read)} <small>{percent(total.read, total.sent, 0)}</small></> : "–"}</td>
      <td title={count(total.written)}>{total.priced > 0 ? <>{short(total.written)} <small>{percent(total.written, total.sent, 0)}</small></> : "–"}</td>
      <td>{total.priced > 0 ? money(total.unshortened - total.saved) : "–"}</td>
      <td class={total.saved < 0 ? "bad" : ""}>{total.priced > 0 ? money(total.saved) : "–"}</td>
    </tr>
  );
}

const QUOTAS: Record<string, string> = {
  sessions: "Sessions", turn_bytes: "Messages of sessions", memory_entries: "Memory entries", candidates: "Candidates", skills: "Skills",
  compilation_bytes: "Records of compiles", reply_bytes: "Responses kept for repeats",
};

function Quotas() {
  const usage = useResource((signal) => get("/usage", { query: { limit: 1 }, signal }), []);
  return (
    <Loaded of={usage} rows={6}>
      {({ quotas }) => (
        <div class="card scroll" tabIndex={0}>
          <table class="numbers rows">
            <thead><tr><th>Kept</th><th>Now</th><th>At most</th><th>Used</th><th class="wide left"><span class="hidden">To scale</span></th></tr></thead>
            <tbody>{quotas.map((row) => <Quota key={row.quota} row={row} />)}</tbody>
          </table>
          <p class="hint">What would keep more is refused with <a href={href("problems", "quota_exceeded")}><code>quota_exceeded</code></a>, and nothing of it is stored. The operator sets quotas with <code>--tenant-max-…</code>.</p>
        </div>
      )}
    </Loaded>
  );
}

function Quota({ row }: { row: QuotaRow }) {
  const write = row.quota.endsWith("_bytes") ? bytes : count;
  return (
    <tr>
      <th scope="row">{QUOTAS[row.quota] ?? row.quota}</th>
      <td>{write(row.used)}</td><td>{write(row.max)}</td><td>{percent(row.used, row.max)}</td>
      <td class="wide left"><Meter used={row.used} max={row.max} /></td>
    </tr>
  );
}
