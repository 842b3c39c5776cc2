// Tokens of a payload by part, in the colours that every page has for them.

import type { PartTokens } from "../api/schema.ts";
import { count, percent } from "../format.ts";

export type PartName = "system" | "skill" | "tools" | "memory" | "history" | "tail" | "media";

export const PARTS: { name: PartName; about: string }[] = [
  { name: "system", about: "System text" },
  { name: "tools", about: "Definitions of tools" },
  { name: "skill", about: "Instructions of the skill" },
  { name: "memory", about: "Memory data" },
  { name: "history", about: "Messages of the history" },
  { name: "media", about: "Images, sounds and documents; an estimate" },
  { name: "tail", about: "State, context and what is before the reply" },
];

export function sum(parts: PartTokens): number {
  return PARTS.reduce((total, { name }) => total + parts[name], 0);
}

/** A bar of the parts. `of`: the tokens of its full width; without it the parts fill the bar. */
export function PartsBar({ parts, of, label }: { parts: PartTokens; of?: number; label?: string }) {
  const used = sum(parts);
  const whole = Math.max(of ?? used, 1);
  const shown = PARTS.filter(({ name }) => parts[name] > 0);
  const text = shown.map(({ name }) => `${name} ${count(parts[name])}`).join(", ");
  return (
    <span class="bar" role="img" aria-label={label ?? `${count(used)} tokens: ${text}`}>
      {shown.map(({ name }) => (
        <span key={name} class={`part ${name}`} style={{ width: `${(100 * parts[name]) / whole}%` }}
          title={`${name}: ${count(parts[name])} tokens`} />
      ))}
    </span>
  );
}

/** What the window holds now: each part with its tokens and share, what is free, and the reserve. */
export function Window({ parts, budget }: { parts: PartTokens; budget: number }) {
  const used = sum(parts);
  const whole = budget + parts.reserve;
  const free = Math.max(budget - used, 0);
  const rows = [
    ...PARTS.filter(({ name }) => parts[name] > 0).map(({ name, about }) => ({ name: name as string, about, tokens: parts[name] })),
    { name: "free", about: "Room that is left in the budget", tokens: free },
    { name: "reserve", about: "Kept for the reply", tokens: parts.reserve },
  ];
  return (
    <div class="window">
      <span class="bar tall" role="img" aria-label={`${count(used)} of ${count(whole)} tokens of the window are used`}>
        {rows.map(({ name, tokens }) => (
          <span key={name} class={`part ${name}`} style={{ width: `${(100 * tokens) / whole}%` }} title={`${name}: ${count(tokens)} tokens`} />
        ))}
      </span>
      <p class="dim">Shares are of the window: {count(whole)} tokens, {count(budget)} of them the budget and {count(parts.reserve)} for the reply.</p>
      <dl>
        {rows.map(({ name, about, tokens }) => (
          <div key={name} title={about}>
            <dt><i class={`part ${name}`} aria-hidden="true" />{name}</dt>
            <dd>{count(tokens)} <small>{percent(tokens, whole)}</small></dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
