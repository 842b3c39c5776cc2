// The conversation to scale: each message is a run of tokens, and runs fill lines as words do. What is left of a message
// is solid, what it lost is pale.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Action, MessageDecision } from "../api/schema.ts";
import { count } from "../format.ts";

const WIDTH = 176;
const LINE = 13;
const GAP = 3;
const MAX_LINES = 44;

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

interface Layout {
  /** One path for all runs of an action, of what is left and of what is lost: few elements, however many messages. */
  paths: { action: Action; isLost: boolean; path: string }[];
  /** Where each message starts, and the end. */
  starts: Float64Array;
  height: number;
  perLine: number;
}

function layout(decisions: MessageDecision[]): Layout {
  const starts = new Float64Array(decisions.length + 1);
  decisions.forEach((row, at) => {
    starts[at + 1] = (starts[at] ?? 0) + Math.max(row.tokens_before, 1);
  });
  const all = starts[decisions.length] ?? 0;
  const lines = Math.min(MAX_LINES, Math.max(6, Math.ceil(Math.sqrt(all) / 6)));
  const perLine = Math.max(all / lines, 1);
  const parts = new Map<string, { action: Action; isLost: boolean; pieces: string[] }>();
  const add = (action: Action, isLost: boolean, piece: string) => {
    const key = `${action} ${isLost}`;
    const part = parts.get(key) ?? { action, isLost, pieces: [] };
    part.pieces.push(piece);
    parts.set(key, part);
  };
  decisions.forEach(({ action, tokens_after }, at) => {
    const [start, end] = [starts[at] ?? 0, starts[at + 1] ?? 0];
    const left = Math.min(start + tokens_after, end);
    add(action, false, outline(start, left, perLine));
    add(action, true, outline(left, end, perLine));
  });
  const paths = [...parts.values()].map(({ action, isLost, pieces }) => ({ action, isLost, path: pieces.join("") })).filter(({ path }) => path !== "");
  return { paths, starts, height: lines * (LINE + GAP), perLine };
}

/** The message at a point of the map; -1 if there is none. */
function messageAt({ starts, height, perLine }: Layout, event: MouseEvent): number {
  const box = (event.currentTarget as Element).getBoundingClientRect();
  const line = Math.floor(((event.clientY - box.top) / box.height) * (height / (LINE + GAP)));
  const tokens = (line + Math.min(Math.max((event.clientX - box.left) / box.width, 0), 0.999999)) * perLine;
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle + 1] ?? Infinity) <= tokens) low = middle + 1;
    else high = middle;
  }
  return low < starts.length - 1 ? low : -1;
}

export function TokenMap({ decisions, onPick }: { decisions: MessageDecision[]; onPick: (index: number) => void }) {
  const pointed = useSignal(-1);
  const shape = useMemo(() => layout(decisions), [decisions]);
  const { paths, starts, height, perLine } = shape;
  const shown = decisions[pointed.value];
  return (
    <svg class="token-map" viewBox={`0 0 ${WIDTH} ${height}`} width={WIDTH} height={height} preserveAspectRatio="none" role="img"
      aria-label={`${decisions.length} messages of ${count(starts[decisions.length] ?? 0)} tokens, to scale`}
      onMouseMove={(event) => { pointed.value = messageAt(shape, event); }} onMouseLeave={() => { pointed.value = -1; }}
      onClick={(event) => {
        const picked = decisions[messageAt(shape, event)];
        if (picked) onPick(picked.index);
      }}>
      {paths.map(({ action, isLost, path }) => <path key={`${action} ${isLost}`} class={`run ${action}${isLost ? " lost" : ""}`} d={path} />)}
      {shown && (
        <>
          <title>{`message ${shown.index}: ${shown.action} by ${shown.rule}, ${count(shown.tokens_before)} → ${count(shown.tokens_after)} tokens`}</title>
          <path class="pointed" d={outline(starts[pointed.value] ?? 0, starts[pointed.value + 1] ?? 0, perLine)} />
        </>
      )}
    </svg>
  );
}
