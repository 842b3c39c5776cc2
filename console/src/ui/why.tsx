// Why a payload differs from the one before it, in a word and in a sentence. docs/cache.md has what to do about each.

import type { FirstChange } from "../api/schema.ts";

export type Why = FirstChange["why"];

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

const ADVICE: Record<string, string> = {
  target_changed: "Keep one target in a session: each shape has a prefix of its own.",
  model_changed: "Keep one model in a session: each model has a cache of its own.",
  tools_changed: "Send the same tools in each turn. If they have to differ, let the session switch at a compaction point, where the prefix changes anyway.",
  tools_reordered: "Send tools in a fixed order, such as by name: they are the start of the prefix.",
  system_changed: "Take what changes, such as a date, out of the system text and send it as `dynamic_state`, which is put last.",
  skill_changed: "Switch skills at the start of a task: the skill is part of the prefix.",
  memory_changed: "Let entries that change often be recalled at the end, or pin the memory of the session; see docs/cache.md.",
  state_changed: "Nothing: state is meant to change, and only what is after it is read again.",
  tail_moved: "Nothing, if what is read again is short. If state or memory data is long, send it in fewer turns.",
  compaction: "Nothing: it happens once, and what follows is cheaper. A larger budget has it happen more seldom.",
  squeeze: "Give the request more room, or a compaction point earlier: a squeeze shortens one payload alone and its prefix is not used again.",
  engine_changed: "Nothing: it happens once after an upgrade.",
  thinking_removed: "Send thinking back as it came, with its signature, until its turn is over.",
  message_inserted: "Append new messages at the end. What has to be told in between belongs into `dynamic_state`.",
  message_removed: "Leave old messages to the compile: it shortens them at points, where many go at once.",
  message_edited: "Send old messages byte for byte as they were: clients that rebuild them often write JSON in another way.",
  output_changed: "Keep the output block and the prefill the same in each turn.",
};

/** What a caller can do about the reason. */
export function whyAdvice(why: string): string {
  return ADVICE[why] ?? "docs/cache.md has what to do about each reason.";
}

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
