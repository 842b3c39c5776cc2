// What may happen to a message: its colour, and what it means.

import type { Action } from "../api/schema.ts";

export const ACTIONS: { action: Action; about: string }[] = [
  { action: "kept", about: "Word for word" },
  { action: "compressed", about: "Shortened; the original can be restored, from the text itself or from what is stored" },
  { action: "deduplicated", about: "Replaced by a reference to the same text earlier in the payload" },
  { action: "cleared", about: "The content of an old tool result or of thinking was cleared" },
  { action: "summarized", about: "Replaced by a summary, with other old messages" },
  { action: "dropped", about: "Left out" },
  { action: "changed", about: "Changed by a hook, or written in another way for the target" },
  { action: "removed", about: "Removed by a hook, or not representable in the target" },
  { action: "added", about: "Not in the request: memory, state, a summary, or what a hook added" },
];

export function Badge({ action }: { action: Action }) {
  const about = ACTIONS.find((row) => row.action === action)?.about ?? "";
  return <span class={`badge ${action}`} title={about}><i aria-hidden="true" />{action}</span>;
}

/** The colours that are in use, explained when one points at them. */
export function Legend({ counts }: { counts: Partial<Record<Action, number>> }) {
  return (
    <ul class="legend" aria-label="What the colours mean">
      {ACTIONS.filter(({ action }) => (counts[action] ?? 0) > 0).map(({ action, about }) => (
        <li key={action} title={about}><i class={`action ${action}`} aria-hidden="true" />{action} <small>{counts[action]}</small></li>
      ))}
    </ul>
  );
}
