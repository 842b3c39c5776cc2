// Why a payload differs from the one before it, in a word and in a sentence. docs/cache.md has what to do about each.

import type { FirstChange } from "../api/schema.ts";

type Why = FirstChange["why"];

const ABOUT: Record<string, string> = {
  target_changed: "The payloads are in different shapes.",
  tools_changed: "A tool was added, removed or edited.",
  tools_reordered: "The same tools are in another order.",
  system_changed: "The system text differs.",
  skill_changed: "Another skill is active.",
  memory_changed: "Memory data differs.",
  state_changed: "State or context differs. It is meant to change, and is last.",
  tail_moved: "Newer messages have replaced what was last: state, the output block or the prefill. This happens in each turn that has them.",
  compaction: "A compaction point was passed: older messages were shortened at once.",
  squeeze: "This payload alone was shortened further to fit its budget.",
  engine_changed: "Another release of the service made the payload before. This happens once after an upgrade.",
  thinking_removed: "Thinking is no longer sent, because what came before it has changed.",
  message_inserted: "A message was inserted before others that were there.",
  message_removed: "A message that was there is gone.",
  message_edited: "A message that was there has changed.",
  output_changed: "The output block or the prefill has changed.",
};

/** The reason in words, such as "tail moved". */
export function whyText(why: Why): string {
  return why.replaceAll("_", " ");
}

/** The sentence that explains the reason. */
export function whyAbout(why: Why): string {
  return ABOUT[why] ?? "";
}

/** The reason, explained when one points at it. */
export function WhyWord({ why }: { why: Why }) {
  return <span class="why-word" title={whyAbout(why)}>{whyText(why)}</span>;
}

/** A sentence for each of the reasons, for readers who cannot point. */
export function WhyList({ reasons }: { reasons: Why[] }) {
  const rows = [...new Set(reasons)].filter((why) => whyAbout(why) !== "");
  if (rows.length === 0) return null;
  return (
    <dl class="why-list">
      {rows.map((why) => <div key={why}><dt>{whyText(why)}</dt><dd>{whyAbout(why)}</dd></div>)}
    </dl>
  );
}
