// One hook: health, latency, a test, its secret, its queued calls and those of the newest records.

import { useSignal } from "@preact/signals";
import { get, patch, post, remove } from "../api/client.ts";
import type { Delivery, HookRow, HookTestResult } from "../api/schema.ts";
import { count, duration, plural } from "../format.ts";
import { useFollow } from "../state/follow.ts";
import { choiceOf, go, href } from "../state/route.ts";
import { useResource, type Handle } from "../state/resource.ts";
import { may } from "../state/session.ts";
import { PageHead } from "../ui/frame.tsx";
import { HookCalls, type HookCall } from "../ui/hook-calls.tsx";
import { CopyButton, JsonText } from "../ui/json.tsx";
import { Stat } from "../ui/stat.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { ConfirmButton, TaskState, useTask } from "../ui/task.tsx";
import { Deliveries } from "./hook-deliveries.tsx";
import { Health, latency } from "./hooks.tsx";

/** Records whose runs of the hook are read: their hooks are in no list. */
const READ_RECORDS = 12;

export function HookPage({ id }: { id: string }) {
  const hook = useResource((signal) => get("/hooks/{id}", { path: { id }, signal }), []);
  const deliveries = useResource((signal) => get("/hooks/{id}/deliveries", { path: { id }, query: { limit: 100 }, signal }), []);
  const runs = useResource(async (signal) => (may("compile") ? runsOf(id, signal) : []), []);
  useFollow((event) => event.type.startsWith("hook:"), [hook, deliveries]);
  useFollow((event) => event.type === "compile:done", [runs, deliveries], 5000);
  return (
    <Loaded of={hook} rows={6}>
      {(row) => <Shown hook={row} handle={hook} deliveries={deliveries} runs={runs} />}
    </Loaded>
  );
}

async function runsOf(id: string, signal: AbortSignal): Promise<HookCall[]> {
  const { items } = await get("/compilations", { query: { limit: READ_RECORDS }, signal });
  const records = await Promise.all(items.map((row) => get("/compilations/{id}", { path: { id: row.id }, signal }).catch(() => null)));
  return records.flatMap((record) => (record ? record.hooks.filter((call) => call.hook === id).map((call) => ({ call, record: { id: record.id, at: record.created_at } })) : []));
}

function Shown({ hook, handle, deliveries, runs }: { hook: HookRow; handle: Handle<HookRow>; deliveries: Handle<{ items: Delivery[] }>; runs: Handle<HookCall[]> }) {
  const tab = choiceOf("tab", hook.delivery === "async" || hook.queue.queued > 0 ? ["deliveries", "runs", "test", "json"] : ["runs", "deliveries", "test", "json"]);
  const task = useTask();
  const secret = useSignal<string | null>(null);
  const path = { id: hook.id };
  const mayWrite = may("hooks:write") && hook.source === "api";
  const rows = deliveries.state.value.data?.items ?? [];
  const attempts = rows.flatMap((row) => row.attempts);
  const recorded = runs.state.value.data ?? [];
  const times = latency([...attempts.map((attempt) => attempt.ms), ...recorded.filter(({ call }) => call.took_us > 0).map(({ call }) => call.took_us / 1000)]);
  const failed = attempts.filter((attempt) => attempt.status == null || attempt.status >= 300).length;
  const enable = () => task.run(async () => {
    await patch("/hooks/{id}", { enabled: !hook.enabled }, { path, ifMatch: hook.revision });
    handle.reload();
    return hook.enabled ? "The hook is disabled." : "The hook is enabled.";
  });
  const rotate = () => task.run(async () => {
    const made = await post("/hooks/{id}/rotate-secret", {}, { path });
    secret.value = made.secret ?? null;
    handle.reload();
    return "There is a new secret. The old one signs too for a while.";
  });
  const erase = () => task.run(async () => {
    await remove("/hooks/{id}", { path });
    go("hooks");
    return "The hook is deleted.";
  });
  return (
    <>
      <PageHead title={<><a class="crumb" href={href("hooks")}>Hooks</a> {hook.id}</>} about={<><Health hook={hook} /> · {hook.kind} at {hook.points.join(", ")}</>}>
        {mayWrite && (
          <>
            <button type="button" disabled={task.busy.value} onClick={() => void enable()}>{hook.enabled ? "Disable" : "Enable"}</button>
            {hook.url && <ConfirmButton label="Rotate secret" question="Make a new secret?" confirm="Rotate" disabled={task.busy.value} onConfirm={() => void rotate()} />}
            <ConfirmButton label="Delete" question={`Delete ${hook.id}?`} confirm="Delete" disabled={task.busy.value} onConfirm={() => void erase()} />
          </>
        )}
      </PageHead>
      <TaskState task={task} />
      {secret.value !== null && (
        <div class="secret card" role="status"><p>The new secret. It is shown this once:</p><code>{secret.value}</code><CopyButton text={secret.value} label="Copy secret" /></div>
      )}
      <dl class="stats">
        <Stat label="Time, median" value={times?.median ?? "–"} of={times ? `99 % within ${times.most}` : "no call was measured"} />
        <Stat label="Queue" value={count(hook.queue.queued)} of={hook.queue.lost > 0 ? `${count(hook.queue.lost)} calls were lost` : "calls that wait"} bad={hook.queue.lost > 0} />
        <Stat label="Failed attempts" value={attempts.length === 0 ? "–" : count(failed)} bad={failed > 0} of={attempts.length === 0 ? "nothing was queued" : `of ${plural(attempts.length, "attempt")} of the newest ${plural(rows.length, "queued call")}`} />
        <Stat label="Circuit" value={hook.circuit} of={`time limit ${duration(hook.timeout_ms)}, on failure: ${hook.on_failure ?? "as usual"}`} bad={hook.circuit === "open"} />
      </dl>
      <Tabs label="Parts of the hook" shown={tab.value} onShow={tab.set} tabs={[
        { id: "runs", label: "Newest calls" }, { id: "deliveries", label: <>Queue <small>{rows.length}</small></> }, { id: "test", label: "Test" }, { id: "json", label: "JSON" },
      ]}>
        {tab.value === "runs" && <Loaded of={runs} rows={3}>{(list) => <Runs list={list} />}</Loaded>}
        {tab.value === "deliveries" && <Deliveries id={hook.id} all={deliveries} />}
        {tab.value === "test" && <TestPanel hook={hook} />}
        {tab.value === "json" && <JsonText value={hook} label="The hook" />}
      </Tabs>
    </>
  );
}

function Runs({ list }: { list: HookCall[] }) {
  if (list.length === 0) return <Empty title="No call in the newest records"><p>The newest {READ_RECORDS} records have no call of this hook. The tab <i>Test</i> makes one.</p></Empty>;
  return (
    <>
      <HookCalls calls={list} />
      {!list.some(({ call }) => call.answer != null || call.input != null) && <p class="hint">What a hook was sent and returned is kept in records in full: <code>"record": "full"</code> in the request, or a server with <code>--dev</code>.</p>}
    </>
  );
}

function TestPanel({ hook }: { hook: HookRow }) {
  const task = useTask();
  const point = useSignal(hook.points[0] ?? "");
  const input = useSignal("");
  const result = useSignal<HookTestResult | null>(null);
  const run = (event: Event) => {
    event.preventDefault();
    void task.run(async () => {
      result.value = null;
      const own = input.value.trim() === "" ? {} : { input: JSON.parse(input.value) as unknown };
      result.value = await post("/hooks/{id}/test", { point: point.value, ...own }, { path: { id: hook.id } });
      return "";
    });
  };
  if (!may("hooks:write")) return <Empty title="This key has no right to test hooks"><p>It needs the scope <code>hooks:write</code>.</p></Empty>;
  const shown = result.value;
  return (
    <>
      <form class="card form" onSubmit={run}>
        <p class="dim">Calls the hook once. Nothing is applied or stored; the call has <code>"test": true</code>.</p>
        <label class="field">Point<select value={point.value} onChange={(event) => { point.value = event.currentTarget.value; }}>{hook.points.map((name) => <option key={name}>{name}</option>)}</select></label>
        <label class="field">Input <small>JSON; a sample of the point if empty</small><textarea rows={4} spellcheck={false} value={input.value} onInput={(event) => { input.value = event.currentTarget.value; }} /></label>
        <div class="toolbar"><button class="primary" disabled={task.busy.value}>Call the hook</button></div>
      </form>
      <TaskState task={task} />
      {shown && (
        <>
          <dl class="stats">
            <Stat label="Outcome" value={shown.outcome ?? "no response"} bad={shown.outcome == null || /fail/.test(shown.outcome)} of={shown.detail ?? shown.why ?? ""} />
            <Stat label="Time" value={duration(shown.ms)} of={plural(shown.attempts, "attempt")} />
          </dl>
          <div class="columns">
            <JsonText value={shown.request ?? null} label="Sent" />
            <JsonText value={shown.response ?? null} label="Came back" />
          </div>
          <JsonText value={shown.effect ?? null} label="What would follow" />
        </>
      )}
    </>
  );
}
