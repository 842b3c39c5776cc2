// Hooks: their health and order; each with its latency, its queued calls, and what can be done with it.

import { get } from "../api/client.ts";
import { readAll } from "../api/lists.ts";
import type { HookRow } from "../api/schema.ts";
import { count, duration, time } from "../format.ts";
import { useFollow } from "../state/follow.ts";
import { choiceOf, href, route } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { PageHead } from "../ui/frame.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { HookPage } from "./hook.tsx";
import { HookOrderPanel } from "./hook-order.tsx";

export function Hooks() {
  const id = route.value.id;
  return id === null ? <HookList /> : <HookPage key={id} id={id} />;
}

function HookList() {
  const tab = choiceOf("tab", ["hooks", "order"]);
  const list = useResource((signal) => readAll((cursor) => get("/hooks", { query: { limit: 1000, ...(cursor ? { cursor } : {}) }, signal }), 5000), []);
  useFollow((event) => event.type.startsWith("hook:"), [list]);
  return (
    <>
      <PageHead title="Hooks" about="Code of yours that runs at points of a compile." />
      <Loaded of={list} rows={4}>
        {({ items }) => items.length === 0 ? (
          <Empty title="No hook is registered">
            <p><code>POST /hooks</code> registers one; <code>contexture hooks listen</code> runs a receiver to try it with.</p>
            <p><a href={href("api", undefined, { find: "create_hook" })}>How to register a hook</a></p>
          </Empty>
        ) : (
          <Tabs label="Hooks" shown={tab.value} onShow={tab.set} tabs={[{ id: "hooks", label: <>Hooks <small>{count(items.length)}</small></> }, { id: "order", label: "Order" }]}>
            {tab.value === "hooks" ? <Rows items={items} /> : <HookOrderPanel hooks={items} onChanged={list.reload} />}
          </Tabs>
        )}
      </Loaded>
    </>
  );
}

function Rows({ items }: { items: HookRow[] }) {
  return (
    <div class="card scroll">
      <table class="rows">
        <thead><tr><th>Hook</th><th>Kind</th><th>Points</th><th>Calls</th><th class="right">Queue</th><th>Health</th></tr></thead>
        <tbody>
          {items.map((hook) => (
            <tr key={hook.id}>
              <th scope="row"><a href={href("hooks", hook.id)}>{hook.id}</a></th>
              <td>{hook.kind}</td>
              <td>{hook.points.join(", ")}</td>
              <td>{hook.builtin ? `built in: ${hook.builtin}` : <code class="cut">{hook.url ?? hook.source}</code>}</td>
              <td class="right">{count(hook.queue.queued)}</td>
              <td><Health hook={hook} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Whether a hook is called, and whether that goes well. */
export function Health({ hook }: { hook: HookRow }) {
  const faults = [
    hook.enabled ? "" : `disabled${hook.disabled_because ? `: ${hook.disabled_because}` : ""}`,
    hook.circuit === "closed" ? "" : hook.circuit === "open" ? "circuit open, not called for a while" : "circuit half open, one call is tried",
    hook.failing_since ? `failing since ${time(hook.failing_since)}` : "",
    hook.queue.lost > 0 ? `${count(hook.queue.lost)} queued calls lost` : "",
  ].filter(Boolean);
  const tone = faults.length === 0 ? "good" : hook.enabled ? "warn" : "bad";
  return <span class={`state ${tone}`}><i class={`dot ${tone}`} aria-hidden="true" />{faults.join("; ") || "healthy"}</span>;
}

/** The least time in which half and nearly all of the calls ended. */
export function latency(times: number[]): { median: string; most: string } | null {
  if (times.length === 0) return null;
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share: number) => duration(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  return { median: at(0.5), most: at(0.99) };
}
