// The conversation to scale: each message is a run of tokens, and runs fill lines as words do. What is left of a message
// is solid, what it lost is pale.

import { useMemo } from "preact/hooks";
import type { MessageDecision } from "../api/schema.ts";
import { count } from "../format.ts";

const WIDTH = 176;
const LINE = 13;
const GAP = 3;
const MAX_LINES = 44;

interface Run {
  decision: MessageDecision;
  path: string;
  lost: string;
}

/** The outline of the tokens from `start` to `end`: a box on each line that they are on. */
function outline(start: number, end: number, perLine: number): string {
  let text = "";
  for (let at = start; at < end; ) {
    const line = Math.floor(at / perLine + 1e-9);
    const stop = Math.min(end, (line + 1) * perLine);
    const x = ((at - line * perLine) / perLine) * WIDTH;
    const width = Math.max(((stop - at) / perLine) * WIDTH - 0.75, 0.35);
    text += `M${x.toFixed(2)} ${line * (LINE + GAP)}h${width.toFixed(2)}v${LINE}h-${width.toFixed(2)}z`;
    if (stop <= at) break;
    at = stop;
  }
  return text;
}

export function TokenMap({ decisions, onPick }: { decisions: MessageDecision[]; onPick: (index: number) => void }) {
  const { runs, height, total } = useMemo(() => {
    const all = decisions.reduce((sum, row) => sum + Math.max(row.tokens_before, 1), 0);
    const lines = Math.min(MAX_LINES, Math.max(6, Math.ceil(Math.sqrt(all) / 6)));
    const perLine = Math.max(all / lines, 1);
    let at = 0;
    const list: Run[] = decisions.map((decision) => {
      const size = Math.max(decision.tokens_before, 1);
      const left = Math.min(decision.tokens_after, size);
      const run = { decision, path: outline(at, at + left, perLine), lost: outline(at + left, at + size, perLine) };
      at += size;
      return run;
    });
    return { runs: list, height: lines * (LINE + GAP), total: all };
  }, [decisions]);
  const pick = (event: MouseEvent) => {
    const index = (event.target as Element).closest("[data-index]")?.getAttribute("data-index");
    if (index) onPick(Number(index));
  };
  return (
    <svg class="token-map" viewBox={`0 0 ${WIDTH} ${height}`} width={WIDTH} height={height} preserveAspectRatio="none" onClick={pick} role="img"
      aria-label={`${decisions.length} messages of ${count(total)} tokens, to scale`}>
      {runs.map(({ decision, path, lost }) => (
        <g key={decision.index} data-index={decision.index} class={`run ${decision.action}`}>
          <title>{`message ${decision.index}: ${decision.action} by ${decision.rule}, ${count(decision.tokens_before)} → ${count(decision.tokens_after)} tokens`}</title>
          {path && <path d={path} />}
          {lost && <path class="lost" d={lost} />}
        </g>
      ))}
    </svg>
  );
}
