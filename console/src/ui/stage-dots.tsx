// The stages of a compile next to those of another: green where both have the same result.

import type { StageRow } from "../api/schema.ts";

export function StageDots({ stages, first, roots = [] }: { stages: StageRow[]; first: string | null; roots?: string[] }) {
  return (
    <ol class="stage-dots" aria-label="Stages, in their order">
      {stages.map((stage) => (
        <li key={stage.stage} class={stage.output_equal ? "" : "other"}
          title={stage.changed_inputs.length > 0 ? `changed from outside: ${stage.changed_inputs.join(", ")}` : stage.output_equal ? "the same" : "another result"}>
          {stage.stage}{stage.stage === first && <b> first to differ</b>}{stage.stage !== first && roots.includes(stage.stage) && <b> root</b>}
        </li>
      ))}
    </ol>
  );
}
