/**
 * OpenCode: a plugin that compiles what each model call is sent. In `.opencode/plugins/contexture.ts`:
 *
 *     import { contexturePlugin } from "contexture-sdk/opencode";
 *     export const Contexture = contexturePlugin({ sessions: true });
 *
 * The messages that OpenCode keeps and shows stay whole.
 */

import type { Hooks, Plugin } from "@opencode-ai/plugin";
import { checkNames, OWN_OPTIONS } from "./compiling.js";
import type { NeutralPart } from "./hook-types.js";
import {
  Compiler, type FrameworkOptions, type MergedPart, type Rebuild, type ShownMessage, type ShownPart, textPart, usageOf,
} from "./neutral.js";

type Transform = NonNullable<Hooks["experimental.chat.messages.transform"]>;
type Entry = Parameters<Transform>[1]["messages"][number];
type Part = Entry["parts"][number];
type ToolPart = Extract<Part, { type: "tool" }>;

export type OpenCodeOptions = Omit<FrameworkOptions, "session"> & {
  /** Whether each session of OpenCode is a session of Contexture, under the same id. */
  sessions?: boolean;
};

function result(part: ToolPart): NeutralPart {
  const { state } = part;
  const shown: NeutralPart = { type: "tool_result", call_id: part.callID };
  if (state.status === "completed") return { ...shown, content: state.output };
  return { ...shown, content: state.status === "error" ? state.error : "[interrupted]", is_error: true };
}

/** A message of OpenCode: an assistant's has its calls with their results, which are a message of their own here. */
function shown(entry: Entry): ShownMessage<Entry, Part>[] {
  const parts: ShownPart<Part>[] = [];
  const results: ShownPart<Part>[] = [];
  for (const part of entry.parts) {
    if (part.type === "text" && !part.ignored) {
      parts.push({ original: part, shown: textPart(part.text) });
    } else if (part.type === "file") {
      const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(part.url) ?? [];
      const media: NeutralPart = { type: "media", media_type: mediaType ?? part.mime, data: data ?? "" };
      parts.push({ original: part, shown: data ? media : textPart(`[${part.filename ?? part.mime}]`) });
    } else if (part.type === "tool") {
      const call = { id: part.callID, name: part.tool, arguments: JSON.stringify(part.state.input) };
      parts.push({ original: part, shown: { type: "tool_call", ...call } });
      results.push({ original: part, shown: result(part) });
    } else {
      parts.push({ original: part });
    }
  }
  const rows: ShownMessage<Entry, Part>[] = [{ original: entry, role: entry.info.role, parts }];
  return results.length > 0 ? [...rows, { original: entry, role: "tool", parts: results }] : rows;
}

function partOf(merged: MergedPart<Part>, entry: Entry): Part {
  if ("kept" in merged) return merged.kept;
  const { original, part } = merged;
  if (original?.type === "text") return { ...original, text: part.text ?? "" };
  if (original?.type !== "tool") return textOf(entry, part.text ?? "");
  const { state } = original;
  const text = typeof part.content === "string" ? part.content : JSON.stringify(part.content);
  if (part.type !== "tool_result") return original;
  if (state.status === "completed") return { ...original, state: { ...state, output: text } };
  return state.status === "error" ? { ...original, state: { ...state, error: text } } : original;
}

function textOf({ info }: Entry, text: string): Part {
  const id = `prt_contexture_${info.id}`;
  return { id, sessionID: info.sessionID, messageID: info.id, type: "text", text, synthetic: true };
}

/** Rows of one message, one after the other, as one message: a result takes the place of its call. */
function joined(entries: Entry[]): Entry[] {
  const whole: Entry[] = [];
  for (const entry of entries) {
    const last = whole.at(-1);
    if (last?.info.id !== entry.info.id) {
      whole.push(entry);
      continue;
    }
    const results = new Map(entry.parts.flatMap((part) => (part.type === "tool" ? [[part.callID, part] as const] : [])));
    const parts = last.parts.map((part) => (part.type === "tool" ? (results.get(part.callID) ?? part) : part));
    whole[whole.length - 1] = { ...last, parts };
  }
  return whole;
}

/** A plugin for OpenCode. Other options are keys of `/compile`. */
export function contexturePlugin(options: OpenCodeOptions = {}): Plugin {
  checkNames(Object.keys(options), [...OWN_OPTIONS.filter((name) => name !== "session"), "sessions"]);
  const { sessions = false, ...rest } = options;
  const compiler = new Compiler(rest);
  const systems = new Map<string, string[]>();
  const reported = new Set<string>();
  /** Reports what an assistant's message took, once it is complete. */
  const report = (info: Entry["info"] | undefined) => {
    if (!sessions || info?.role !== "assistant" || !info.time.completed || reported.has(info.id)) return;
    reported.add(info.id);
    const { input, output, cache } = info.tokens;
    compiler.report(info.sessionID, usageOf(input + cache.read + cache.write, output, cache.read));
  };
  return async () => ({
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      // Counts in the budget of the session's next call; the first one is small.
      if (sessionID) systems.set(sessionID, [...system]);
    },
    "experimental.chat.messages.transform": async (_, { messages }) => {
      const user = messages.findLast(({ info }) => info.role === "user");
      if (!user || user.info.role !== "user") return;
      const { sessionID, model } = user.info;
      let added = 0;
      const rebuild: Rebuild<Entry, Part> = {
        changed: (entry, parts) => ({ ...entry, parts: parts.map((part) => partOf(part, entry)) }),
        added: (_role, parts) => {
          const info = { ...user.info, id: `msg_contexture_${(added += 1)}` };
          const text = parts.map((part) => part.text ?? "").join("\n");
          return { info, parts: [textOf({ info, parts: [] }, text)] };
        },
      };
      const system = { info: { ...user.info, id: "msg_contexture_system" }, parts: [] };
      const head = (systems.get(sessionID) ?? []).map((text): ShownMessage<Entry, Part> =>
        ({ original: system, role: "system", parts: [{ original: textOf(system, text), shown: textPart(text) }] }));
      const rows = [...head, ...messages.flatMap(shown)];
      // Its event may come later than the next call.
      if (messages.at(-1)?.info.role === "assistant") report(messages.at(-1)?.info);
      const keys = { model: model.modelID };
      const compiled = await compiler.compile(rows, rebuild, keys, sessions ? sessionID : undefined);
      // OpenCode goes on with this very list.
      messages.splice(0, messages.length, ...joined(compiled.filter(({ info }) => info.id !== system.info.id)));
    },
    event: async ({ event }) => {
      if (event.type === "message.updated") report(event.properties.info);
    },
    dispose: () => compiler.settled(),
  });
}
