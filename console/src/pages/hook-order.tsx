// The order in which hooks of a point run: moved by drag or by keys, stored as a manifest.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { get, put } from "../api/client.ts";
import type { HookOrder, HookRow } from "../api/schema.ts";
import { useResource } from "../state/resource.ts";
import { may } from "../state/session.ts";
import { Icon } from "../ui/icon.tsx";
import { JsonText } from "../ui/json.tsx";
import { Loaded } from "../ui/states.tsx";
import { TaskState, useTask } from "../ui/task.tsx";

export function HookOrderPanel({ hooks, onChanged }: { hooks: HookRow[]; onChanged: () => void }) {
  const order = useResource((signal) => get("/hook-order", { signal }), []);
  return (
    <Loaded of={order} rows={4}>
      {(data) => <Points key={data.revision} data={data} hooks={hooks} onSaved={() => { order.reload(); onChanged(); }} />}
    </Loaded>
  );
}

function Points({ data, hooks, onSaved }: { data: HookOrder; hooks: HookRow[]; onSaved: () => void }) {
  const stored = useMemo(() => data.order as Record<string, Record<string, string[]>>, [data]);
  const lists = useSignal(stored);
  const task = useTask();
  const changed = Object.keys(lists.value).filter((point) => JSON.stringify(lists.value[point]) !== JSON.stringify(stored[point]));
  const mayWrite = may("hooks:write");

  function move(point: string, kind: string, from: number, to: number): void {
    const list = [...(lists.value[point]?.[kind] ?? [])];
    const [id] = list.splice(from, 1);
    if (id === undefined || to < 0 || to > list.length) return;
    list.splice(to, 0, id);
    lists.value = { ...lists.value, [point]: { ...lists.value[point], [kind]: list } };
    task.outcome.value = `${id} is number ${to + 1} of ${list.length} at ${point}`;
  }

  const save = () => task.run(async () => {
    const points: Record<string, unknown> = { ...data.manifest.points };
    for (const point of changed) points[point] = Object.values(lists.value[point] ?? {}).flat();
    await put("/hook-order", { points }, { ifMatch: data.revision });
    onSaved();
    return "The order is stored. Requests that are under way keep the old one.";
  });

  return (
    <>
      <p class="lead">Guards run before transforms, and a hook with a higher priority first. Where these are the same, this order decides. Drag a hook, or move it with <kbd>Alt</kbd> <kbd>↑</kbd> <kbd>↓</kbd>.</p>
      <div class="order">
        {Object.entries(lists.value).map(([point, kinds]) => (
          <section key={point} class="card">
            <header><h2>{point}</h2>{changed.includes(point) && <p class="warn">changed</p>}</header>
            {Object.entries(kinds).map(([kind, ids]) => (
              <div key={kind}>
                <h3>{kind}</h3>
                <ol aria-label={`${kind} hooks at ${point}`}>
                  {ids.map((id, at) => (
                    <Item key={id} id={id} at={at} last={ids.length - 1} fixed={!mayWrite} priority={hooks.find((hook) => hook.id === id)?.priority ?? 0}
                      group={`${point} ${kind}`} onMove={(from, to) => move(point, kind, from, to)} />
                  ))}
                </ol>
              </div>
            ))}
          </section>
        ))}
      </div>
      {data.unknown_ids.length > 0 && <p class="stale">The manifest names hooks that are not there: {data.unknown_ids.join(", ")}</p>}
      {mayWrite && (
        <div class="toolbar">
          <button type="button" class="primary" disabled={changed.length === 0 || task.busy.value} onClick={() => void save()}>Store the order</button>
          <button type="button" disabled={changed.length === 0} onClick={() => { lists.value = stored; task.outcome.value = ""; }}>Undo</button>
        </div>
      )}
      <TaskState task={task} />
      <JsonText value={{ revision: data.revision, order_hash: data.order_hash, points: data.manifest.points }} label="The ordering manifest" />
    </>
  );
}

let dragged: { group: string; at: number } | null = null;

function Item({ id, at, last, fixed, priority, group, onMove }: {
  id: string; at: number; last: number; fixed: boolean; priority: number; group: string; onMove: (from: number, to: number) => void;
}) {
  const over = useSignal(false);
  const key = (event: KeyboardEvent) => {
    if (!event.altKey || fixed) return;
    const to = event.key === "ArrowUp" ? at - 1 : event.key === "ArrowDown" ? at + 1 : -1;
    if (to < 0 || to > last) return;
    event.preventDefault();
    onMove(at, to);
  };
  return (
    <li draggable={!fixed} class={over.value ? "over" : ""} onKeyDown={key}
      onDragStart={(event) => { dragged = { group, at }; event.dataTransfer?.setData("text/plain", id); }}
      onDragOver={(event) => { if (dragged?.group === group) { event.preventDefault(); over.value = true; } }}
      onDragLeave={() => { over.value = false; }} onDragEnd={() => { dragged = null; over.value = false; }}
      onDrop={(event) => { event.preventDefault(); over.value = false; if (dragged?.group === group && dragged.at !== at) onMove(dragged.at, at); dragged = null; }}>
      <span class="grip" aria-hidden="true">⠿</span>
      <b class="cut" title={id}>{id}</b>
      {priority !== 0 && <small>priority {priority}</small>}
      {!fixed && (
        <span class="moves">
          <button type="button" aria-label={`Move ${id} up`} disabled={at === 0} onClick={() => onMove(at, at - 1)}><Icon name="up" /></button>
          <button type="button" aria-label={`Move ${id} down`} disabled={at === last} onClick={() => onMove(at, at + 1)}><Icon name="down" /></button>
        </span>
      )}
    </li>
  );
}
