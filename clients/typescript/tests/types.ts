/** What the types allow and what they refuse; `tsc` is the test. */

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { wrapLanguageModel } from "ai";
import OpenAI from "openai";
import { compileMiddleware } from "contexture-sdk/ai-sdk";
import { Contexture, ContextureError, type HookCall, type MemoryEntry, verifyWebhook, wrap } from "contexture-sdk";
import { wrap as wrapAnthropic } from "contexture-sdk/anthropic";
import { wrap as wrapGoogle } from "contexture-sdk/google-genai";
import { deny, Hooks } from "contexture-sdk/hooks";
import { wrap as wrapOpenAI } from "contexture-sdk/openai";
import { contexturePlugin } from "contexture-sdk/opencode";
import type { Plugin } from "@opencode-ai/plugin";

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
const same = <One, Other>(_: Same<One, Other>): void => undefined;

export async function payloads(contexture: Contexture, openai: OpenAI, anthropic: Anthropic): Promise<void> {
  const compiled = await contexture.compile({ messages: [{ role: "user", content: "a" }] });
  await openai.chat.completions.create({ model: "gpt-4o", ...compiled.payload });
  const other = await contexture.compile({ target: "anthropic", messages: [] });
  await anthropic.messages.create({ model: "claude", max_tokens: 9, ...other.payload });
  const turn = await contexture.session("s", { target: "openai_responses" }).turn({ role: "user", content: "a" });
  await openai.responses.create({ model: "gpt-5", ...turn.payload });
  // @ts-expect-error: a payload of Gemini has contents.
  (await contexture.compile({ target: "gemini" })).payload.messages;
}

export async function calls(contexture: Contexture): Promise<void> {
  same<Awaited<ReturnType<Contexture["getMemory"]>>, MemoryEntry>(true);
  await contexture.putMemory("k", { value: 1 }, { subject: "ann", ifMatch: '"3"', deadlineMs: 100 });
  // @ts-expect-error: there is no such parameter.
  await contexture.listMemory({ prefx: "a" });
  // @ts-expect-error: a body is needed.
  await contexture.putMemory("k");
  for await (const entry of contexture.iterMemory({ limit: 2 })) same<typeof entry, MemoryEntry>(true);
  for await (const event of contexture.events({ types: ["compile:done"] })) event.seq;
  try {
    await contexture.getHealth();
  } catch (error) {
    if (error instanceof ContextureError) same<typeof error.retryAfter, number | undefined>(true);
  }
}

export async function hooks(request: Request): Promise<void> {
  const call: HookCall = await verifyWebhook(await request.text(), request.headers);
  if (call.point === "tool_call") same<typeof call.input.tool.call_id, string>(true);
  new Hooks()
    .guard("a", "memory_update", ({ input }) => (input.op === "delete" ? deny("no") : undefined))
    .guard("b", ["tool_call", "before_compress"], async ({ input }) => "tool" in input && input.tool.name !== "rm")
    .transform("c", "tool_result", ({ input }) => ({ ...input.result, content: "***" }), { priority: 5 })
    .provide("d", "before_compile", () => ["a", { content: "b", priority: 1 }])
    // @ts-expect-error: a result has a content.
    .transform("e", "tool_result", () => ({ text: "" }))
    // @ts-expect-error: no guard is asked about events.
    .guard("f", "event", () => true)
    // @ts-expect-error: a guard returns no number.
    .guard("g", "tool_call", () => 1);
}

export function wraps(): void {
  same<ReturnType<typeof wrap<OpenAI>>, OpenAI>(true);
  const options = { session: "s", compression: { level: "summary" }, failOpen: false } as const;
  same<typeof openai, OpenAI>(true);
  const openai = wrapOpenAI(new OpenAI(), options);
  const anthropic = wrapAnthropic(new Anthropic());
  same<typeof anthropic, Anthropic>(true);
  const google = wrapGoogle(new GoogleGenAI({ apiKey: "x" }));
  same<typeof google, GoogleGenAI>(true);
  [wrap(new OpenAI(), options), wrap(new Anthropic()), wrap(new GoogleGenAI({ apiKey: "x" }))];
  // @ts-expect-error: messages come from each request.
  wrapOpenAI(new OpenAI(), { messages: [] });
  // @ts-expect-error: there is no such client.
  wrap({ send: () => undefined });
  const plugin: Plugin = contexturePlugin({ sessions: true });
  const middleware = compileMiddleware({ session: "s", memory: true });
  [plugin, (model: Parameters<typeof wrapLanguageModel>[0]["model"]) => wrapLanguageModel({ model, middleware })];
}
