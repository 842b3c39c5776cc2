// Hooks with their health.

import { get } from "../api/client.ts";
import { readAll } from "../api/lists.ts";
import type { HookRow } from "../api/schema.ts";
import { time } from "../format.ts";
import { useFollow } from "../state/follow.ts";
import { useResource } from "../state/resource.ts";
import { PageHead } from "../ui/frame.tsx";
import { Empty, Loaded } from "../ui/states.tsx";

export function Hooks() {
  const list = useResource((signal) => readAll((cursor) => get("/hooks", { query: { limit: 1000, ...(cursor ? { cursor } : {}) }, signal }), 5000), []);
  useFollow((event) => event.type.startsWith("hook:"), [list]);
  return (
    <>
      <PageHead title="Hooks" about="Code of yours that runs at points of a compile." />
      <Loaded of={list} rows={4}>
        {({ items }) => items.length === 0 ? (
          <Empty title="No hook is registered">
            <p><code>POST /hooks</code> registers one; <code>contexture hooks listen</code> runs a receiver to try it with.</p>
          </Empty>
        ) : (
          <div class="card scroll">
            <table class="rows">
              <thead><tr><th>Hook</th><th>Kind</th><th>Points</th><th>Calls</th><th>Health</th></tr></thead>
              <tbody>
                {items.map((hook) => {
                  const faults = faultsOf(hook);
                  return (
                    <tr key={hook.id}>
                      <th scope="row">{hook.id}</th>
                      <td>{hook.kind}</td>
                      <td>{hook.points.join(", ")}</td>
                      <td>{hook.builtin ? `built in: ${hook.builtin}` : <code class="cut">{hook.url ?? hook.source}</code>}</td>
                      <td class={faults.length > 0 ? "bad" : "good"}>{faults.join("; ") || "healthy"}</td>
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

function faultsOf(hook: HookRow): string[] {
  return [
    hook.enabled ? "" : `disabled${hook.disabled_because ? `: ${hook.disabled_because}` : ""}`,
    hook.circuit === "open" ? "circuit open, not called for a while" : "",
    hook.failing_since ? `failing since ${time(hook.failing_since)}` : "",
  ].filter(Boolean);
}
