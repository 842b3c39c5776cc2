// A figure with what it counts and what it divides by.

import type { ComponentChildren } from "preact";

export function Stat({ label, value, of, children, bad }: {
  label: string;
  value: ComponentChildren;
  /** What the figure is of, or what it divides by. */
  of?: ComponentChildren;
  children?: ComponentChildren;
  bad?: boolean;
}) {
  return (
    <div class={bad ? "stat bad" : "stat"}>
      <dt>{label}</dt>
      <dd class="value">{value}</dd>
      {of && <dd class="of">{of}</dd>}
      {children && <dd class="extra">{children}</dd>}
    </div>
  );
}
