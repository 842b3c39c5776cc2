// The queue of candidates: facts that somebody proposed, with what was checked, to be approved, rejected or asked back.

import { useSignal } from "@preact/signals";
import { get, post } from "../api/client.ts";
import { readAll } from "../api/lists.ts";
import type { Candidate } from "../api/schema.ts";
import { count, fullTime, time } from "../format.ts";
import { useFollow } from "../state/follow.ts";
import { choiceOf, href } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { may, session } from "../state/session.ts";
import { Empty, Loaded } from "../ui/states.tsx";
import { TaskState, useTask } from "../ui/task.tsx";
import { Scope, scopeQuery, valueText } from "./memory.tsx";

const STATES = ["in_review", "pending", "approved", "rejected", "promoted", "auto_rejected"] as const;

export function Candidates() {
  const state = choiceOf("state", STATES);
  const list = useResource(
    (signal) => readAll((cursor) => get("/memory-candidates", { query: { state: state.value, limit: 100, ...(cursor ? { cursor } : {}) }, signal }), 500),
    [state.value],
  );
  useFollow((event) => event.type.startsWith("memory:"), [list]);
  return (
    <>
      <div class="filters">
        <div class="segments" role="group" aria-label="State">
          {STATES.map((name) => <button key={name} type="button" aria-pressed={state.value === name} onClick={() => state.set(name)}>{name.replaceAll("_", " ")}</button>)}
        </div>
      </div>
      <Loaded of={list} rows={4}>
        {({ items, complete }) => items.length === 0 ? (
          <Empty title={state.value === "in_review" ? "The queue is empty" : `No candidate is ${state.value.replaceAll("_", " ")}`}>
            <p><code>POST /memory-candidates</code> proposes a fact. What passes its checks is <i>in review</i> until somebody who did not propose it decides.</p>
          </Empty>
        ) : (
          <>
            <p class="dim" role="status">{count(items.length)}{complete ? "" : "+"} {state.value.replaceAll("_", " ")}</p>
            <ul class="candidates">{items.map((row) => <Card key={`${row.id} ${row.version}`} row={row} onDecided={list.reload} />)}</ul>
          </>
        )}
      </Loaded>
    </>
  );
}

function Card({ row, onDecided }: { row: Candidate; onDecided: () => void }) {
  const task = useTask();
  const reason = useSignal("");
  const who = session.value;
  const own = who.status === "signed in" && who.who.key ? `key:${who.who.key}` : "";
  const by = useSignal(own);
  const decide = (verdict: string, outcome: string) => task.run(async () => {
    await post("/memory-candidates/{id}/review", { verdict, reason: reason.value, by: { id: by.value, kind: "user" } }, { path: { id: row.id }, ifMatch: row.version });
    onDecided();
    return outcome;
  });
  const subject = [row.entity, row.predicate].filter(Boolean).join(" · ") || row.key || row.class;
  const against = row.checks.contradiction_check;
  const ready = reason.value.trim() !== "" && by.value.trim() !== "" && !task.busy.value;
  return (
    <li class="card candidate">
      <header>
        <h2>{subject}</h2>
        <Scope scope={row.scope} />
        <p class="dim"><time title={fullTime(row.created_at)}>{time(row.created_at)}</time></p>
      </header>
      <pre class="text">{valueText(row.value, 2)}</pre>
      {row.description && <p class="dim">{row.description}</p>}
      <dl class="facts">
        <div><dt>Proposed by</dt><dd>{row.proposed_by.map((actor) => `${actor.id} (${actor.kind})`).join(", ")}</dd></div>
        <div><dt>Confidence</dt><dd>{row.confidence == null ? "–" : row.confidence.toFixed(2)}</dd></div>
        <div><dt>Class</dt><dd>{row.class}, {row.classification}</dd></div>
        <div><dt>Consent</dt><dd class={row.checks.consent_check === "ok" || row.checks.consent_check === "not_required" ? "" : "warn"}>{row.checks.consent_check.replaceAll("_", " ")}</dd></div>
        <div><dt>Contradicts</dt><dd class={(against.existing ?? []).length > 0 ? "warn" : ""}>{against.verdict.replaceAll("_", " ")}{(against.existing ?? []).map((entry) => <span key={entry.key}> <a href={href("memory", entry.key, scopeQuery(row.scope))}>{entry.key}</a></span>)}</dd></div>
        {row.checks.duplicate_of && <div><dt>Duplicate of</dt><dd>{row.checks.duplicate_of}</dd></div>}
      </dl>
      {row.review && <p>{row.review.verdict.replaceAll("_", " ")} by {row.review.by.id}: {row.review.reason}</p>}
      {row.memory_key && <p>Remembered as <a href={href("memory", row.memory_key, scopeQuery(row.scope))}>{row.memory_key}</a></p>}
      {row.state === "in_review" && may("memory:write") && (
        <div class="decide">
          <label class="field">Why<input type="text" value={reason.value} placeholder="the reason is kept with the decision" onInput={(event) => { reason.value = event.currentTarget.value; }} /></label>
          {own === "" && <label class="field">Your name<input type="text" value={by.value} onInput={(event) => { by.value = event.currentTarget.value; }} /></label>}
          <div class="toolbar">
            <button type="button" class="primary" disabled={!ready} onClick={() => void decide("approve", "Approved.")}>Approve</button>
            <button type="button" disabled={!ready} onClick={() => void decide("request_changes", "Sent back.")}>Ask back</button>
            <button type="button" class="danger" disabled={!ready} onClick={() => void decide("reject", "Rejected.")}>Reject</button>
          </div>
        </div>
      )}
      <TaskState task={task} />
    </li>
  );
}
