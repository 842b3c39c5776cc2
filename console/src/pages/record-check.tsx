// Runs a record again, or compares it with another one.

import { useSignal } from "@preact/signals";
import { post } from "../api/client.ts";
import { errorOf, type ApiError } from "../api/problem.ts";
import type { CompareResponse, CompilationRecord, ReplayResponse } from "../api/schema.ts";
import { JsonText } from "../ui/json.tsx";
import { StageDots } from "../ui/stage-dots.tsx";
import { Failed } from "../ui/states.tsx";

type Result = ReplayResponse | CompareResponse;

export function Check({ record }: { record: CompilationRecord }) {
  const result = useSignal<Result | null>(null);
  const error = useSignal<ApiError | null>(null);
  const busy = useSignal(false);
  const other = useSignal("");

  async function run(ask: () => Promise<Result>): Promise<void> {
    busy.value = true;
    error.value = null;
    result.value = null;
    try {
      result.value = await ask();
    } catch (thrown) {
      error.value = errorOf(thrown);
    } finally {
      busy.value = false;
    }
  }

  return (
    <div class="check-panel">
      {!record.gateway && (
        <section>
          <h2>Replay</h2>
          <p>Compiles once more with what reached the first compile from outside, and compares stage by stage. Nothing is called or stored.</p>
          <button type="button" class="primary" disabled={busy.value || record.record !== "full"}
            onClick={() => void run(() => post("/compilations/{id}/replay", { mode: "strict" }, { path: { id: record.id } }))}>
            Replay
          </button>
          {record.record !== "full" && <p class="dim">This record has hashes alone, so it cannot be run again from here.</p>}
        </section>
      )}
      <section>
        <h2>Compare with another record</h2>
        <form onSubmit={(event) => { event.preventDefault(); void run(() => post("/compilations/diff", { a: record.id, b: other.value.trim() })); }}>
          <label for="other">Id of the other record</label>
          <input id="other" value={other.value} placeholder="cmp_…" spellcheck={false}
            onInput={(event) => { other.value = event.currentTarget.value; }} />
          <button disabled={busy.value || other.value.trim() === ""}>Compare</button>
        </form>
      </section>
      {busy.value && <p role="status">Working…</p>}
      {error.value && <Failed error={error.value} title="This could not be compared" />}
      {result.value && <Outcome result={result.value} />}
    </div>
  );
}

function Outcome({ result }: { result: Result }) {
  const equal = result.status === "equal";
  return (
    <section class="outcome" role="status">
      <h2>{equal ? "Equal, stage by stage" : `Differs from the stage ${result.first_divergent_stage ?? "–"}`}</h2>
      <StageDots stages={result.stages} first={result.first_divergent_stage ?? null} roots={result.root_stages} />
      {result.diff.length > 0 && <JsonText value={result.diff} label="Between the payloads" />}
    </section>
  );
}
