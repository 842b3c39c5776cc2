// Queued calls of a hook: the outcome of each attempt, the record that a call is about, and another try.

import { Fragment } from "preact";
import { useSignal } from "@preact/signals";
import { get, post } from "../api/client.ts";
import type { Delivery } from "../api/schema.ts";
import { count, duration, fullTime, plural, shortId, time } from "../format.ts";
import { choiceOf, href, sessionHref } from "../state/route.ts";
import { useResource, type Handle } from "../state/resource.ts";
import { may } from "../state/session.ts";
import { Empty, Loaded } from "../ui/states.tsx";
import { ConfirmButton, TaskState, useTask } from "../ui/task.tsx";

const TONES: Record<string, string> = { delivered: "good", queued: "warn", dead: "bad" };
const WORDS: Record<string, string> = { dead: "given up" };
const STATES = ["", "queued", "delivered", "dead"] as const;

export function Deliveries({ id, all }: { id: string; all: Handle<{ items: Delivery[] }> }) {
  const state = choiceOf("state", STATES);
  const wanted = state.value;
  const some = useResource(async (signal) => (wanted === "" ? { items: [] } : get("/hooks/{id}/deliveries", { path: { id }, query: { limit: 100, state: wanted }, signal })), [wanted]);
  const reload = () => {
    all.reload();
    some.reload();
  };
  return (
    <>
      <div class="filters">
        <div class="segments" role="group" aria-label="State">
          {STATES.map((name) => <button key={name} type="button" aria-pressed={wanted === name} onClick={() => state.set(name)}>{name === "" ? "All" : WORDS[name] ?? name}</button>)}
        </div>
      </div>
      <Loaded of={wanted === "" ? all : some} rows={3}>
        {({ items }) => items.length > 0 ? <Rows items={items} onRetried={reload} />
          : wanted !== "" ? <Empty title={`No call is ${WORDS[wanted] ?? wanted}`} />
          : <Empty title="Nothing was queued"><p>Calls with <code>"delivery": "async"</code> are queued, and shown here for a week with each attempt.</p></Empty>}
      </Loaded>
      <p class="hint">The queue does not show what calls contain. A record in full has what hooks were sent and what they returned, also from the queue; the tab <i>Test</i> shows a call as it is sent.</p>
    </>
  );
}

function Rows({ items, onRetried }: { items: Delivery[]; onRetried: () => void }) {
  const task = useTask();
  const open = useSignal("");
  const mayRetry = may("hooks:write");
  const dead = items.filter((row) => row.state === "dead");
  const retry = (rows: Delivery[]) => task.run(async () => {
    try {
      for (const row of rows) await post("/deliveries/{id}/retry", "", { path: { id: row.id } });
    } finally {
      onRetried();
    }
    return rows.length === 1 ? "The call is queued again." : `${count(rows.length)} calls are queued again.`;
  });
  return (
    <>
      {mayRetry && dead.length > 1 && (
        <div class="toolbar">
          <ConfirmButton label={`Retry all ${count(dead.length)} given up`} question={`Queue ${count(dead.length)} calls again?`} confirm="Retry" disabled={task.busy.value} onConfirm={() => void retry(dead)} />
        </div>
      )}
      <TaskState task={task} />
      <div class="card scroll">
        <table class="rows">
          <thead><tr><th>Call</th><th>State</th><th>Point</th><th>About</th><th>When</th><th>Attempts</th><th><span class="hidden">Actions</span></th></tr></thead>
          <tbody>
            {items.map((row) => (
              <Fragment key={row.id}>
                <tr>
                  <th scope="row"><code title={row.id}>{shortId(row.id)}</code></th>
                  <td><span class={`state ${TONES[row.state] ?? ""}`}><i class={`dot ${TONES[row.state] ?? ""}`} aria-hidden="true" />{WORDS[row.state] ?? row.state}</span></td>
                  <td>{row.point}</td>
                  <td><About row={row} /></td>
                  <td class="whole"><time dateTime={row.created_at} title={fullTime(row.created_at)}>{time(row.created_at)}</time>{row.due_at && <small class="block">next at {time(row.due_at)}</small>}</td>
                  <td>
                    {row.attempts.length === 0 ? <span class="dim">none yet</span> : (
                      <button type="button" class="attempts" aria-expanded={open.value === row.id} onClick={() => { open.value = open.value === row.id ? "" : row.id; }}>
                        {row.attempts.slice(-5).map((attempt) => (
                          <span key={attempt.number}><b class={isGood(attempt) ? "good" : "bad"}>{attempt.status ?? attempt.cause ?? "failed"}</b> <small>{duration(attempt.ms)}</small></span>
                        ))}
                      </button>
                    )}
                  </td>
                  <td class="right">{row.state !== "delivered" && mayRetry && <button type="button" disabled={task.busy.value} onClick={() => void retry([row])}>Retry</button>}</td>
                </tr>
                {open.value === row.id && <tr class="answer"><td colSpan={7}><Attempts row={row} /></td></tr>}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const isGood = (attempt: Delivery["attempts"][number]): boolean => attempt.status != null && attempt.status < 300;

function About({ row }: { row: Delivery }) {
  if (row.compilation_id) return <a class="whole" href={href("records", row.compilation_id, { tab: "hooks" })}>record {shortId(row.compilation_id)}</a>;
  if (row.session_id) return <a href={sessionHref(row.session_id)}>{row.session_id}</a>;
  return <span class="dim">–</span>;
}

function Attempts({ row }: { row: Delivery }) {
  return (
    <ol class="attempt-list" aria-label={plural(row.attempts.length, "attempt")}>
      {row.attempts.map((attempt) => (
        <li key={attempt.number}>
          <span class="dim">{attempt.number}</span>
          <time dateTime={attempt.at}>{fullTime(attempt.at)}</time>
          <b class={isGood(attempt) ? "good" : "bad"}>{attempt.status ?? attempt.cause?.replaceAll("_", " ") ?? "failed"}</b>
          <span>{duration(attempt.ms)}</span>
          <span>{attempt.detail ?? ""}</span>
        </li>
      ))}
    </ol>
  );
}
