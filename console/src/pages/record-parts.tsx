// Parts of a record's page: stages, hooks, memory, notes.

import { Fragment } from "preact";
import type { CompilationRecord, Report } from "../api/schema.ts";
import { HookCalls } from "../ui/hook-calls.tsx";
import { Empty } from "../ui/states.tsx";

export function Stages({ stages }: { stages: CompilationRecord["stages"] }) {
  return (
    <div class="card scroll" tabIndex={0}><table class="rows stages">
      <thead><tr><th>Stage</th><th>Reaches it from outside</th><th>Output</th></tr></thead>
      <tbody>
        {stages.map((stage, index) => (
          <tr key={stage.stage}>
            <th scope="row"><span class="dim">{index}</span> {stage.stage}</th>
            <td>{Object.keys(stage.input_parts).map((name) => <Fragment key={name}><code title={stage.input_parts[name]}>{name}</code>{" "}</Fragment>)}</td>
            <td><code title={stage.output_hash}>{stage.output_hash.slice(0, 12)}</code></td>
          </tr>
        ))}
      </tbody>
    </table></div>
  );
}

export function Hooks({ hooks }: { hooks: CompilationRecord["hooks"] }) {
  if (hooks.length === 0) return <Empty title="No hook ran"><p>Hooks run where one is registered for a point of the compile.</p></Empty>;
  return <HookCalls calls={hooks.map((call) => ({ call, record: null }))} />;
}

export function MemoryUse({ record }: { record: CompilationRecord }) {
  const memory = record.report?.memory;
  if (!memory || (memory.injected.length === 0 && memory.expired.length === 0)) {
    return <Empty title="No memory was shown"><p>A request with <code>"memory": true</code> shows entries that fit.</p></Empty>;
  }
  return (
    <div class="lists">
      <section>
        <h2>Shown</h2>
        <ul>{memory.injected.map((key) => <li key={key}><code>{key}</code></li>)}</ul>
      </section>
      {memory.expired.length > 0 && (
        <section>
          <h2>Expired</h2>
          <ul>{memory.expired.map((key) => <li key={key}><code>{key}</code></li>)}</ul>
        </section>
      )}
    </div>
  );
}

export function Notes({ report }: { report: Report }) {
  const groups = [
    { name: "Warnings", notes: report.warnings },
    { name: "Could not be held by the target", notes: report.degraded },
    { name: "Repaired", notes: report.repairs },
  ].filter((group) => group.notes.length > 0);
  if (groups.length === 0) return null;
  return (
    <div class="lists">
      {groups.map((group) => (
        <section key={group.name}>
          <h2>{group.name}</h2>
          <ul>
            {group.notes.map((note, at) => (
              <li key={at}><code>{note.code}</code> {note.detail} {note.pointer && <code class="dim">{note.pointer}</code>}</li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
