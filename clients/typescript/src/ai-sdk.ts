/**
 * Vercel AI SDK: `wrapLanguageModel({ model, middleware: compileMiddleware() })` compiles the prompt of each call.
 *
 * The messages of the application stay whole; what the model is sent is compiled from them each time.
 */

import type {
  LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Middleware, LanguageModelV4StreamPart,
  LanguageModelV4ToolResultOutput, LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { withReserve } from "./budget.js";
import type { NeutralPart } from "./hook-types.js";
import {
  Compiler, type FrameworkOptions, type MergedPart, type Rebuild, type ShownMessage, type ShownPart, textPart, usageOf,
} from "./neutral.js";

type Message = LanguageModelV4Message;
type Part = Exclude<Message["content"], string>[number];
type FilePart = Extract<Part, { type: "file" }>;

function base64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

function filePart({ data, mediaType, filename }: FilePart): NeutralPart {
  if (data.type === "text") return textPart(data.text);
  if (data.type !== "data") return textPart(`[${filename ?? mediaType}]`);
  const bytes = typeof data.data === "string" ? data.data : base64(data.data);
  return { type: "media", media_type: mediaType, data: bytes };
}

function resultText(output: LanguageModelV4ToolResultOutput): string {
  switch (output.type) {
    case "text": case "error-text": return output.value;
    case "json": case "error-json": return JSON.stringify(output.value);
    case "execution-denied": return output.reason ?? "The call was denied.";
    case "content":
      return output.value.map((row) => (row.type === "text" ? row.text : `[${row.type}]`)).join("\n");
  }
}

function shownPart(role: Message["role"], part: Part): ShownPart<Part> {
  if (part.type === "text") return { original: part, shown: textPart(part.text) };
  if (part.type === "file") return { original: part, shown: filePart(part) };
  if (part.type === "tool-call" && !part.providerExecuted) {
    const input = typeof part.input === "string" ? part.input : JSON.stringify(part.input ?? {});
    return { original: part, shown: { type: "tool_call", id: part.toolCallId, name: part.toolName, arguments: input } };
  }
  if (part.type === "tool-result" && role === "tool") {
    const failed = part.output.type.startsWith("error") || part.output.type === "execution-denied";
    const shown: NeutralPart = { type: "tool_result", call_id: part.toolCallId, content: resultText(part.output) };
    return { original: part, shown: failed ? { ...shown, is_error: true } : shown };
  }
  // Reasoning, approvals, and what the provider ran itself.
  return { original: part };
}

function shownMessage(message: Message): ShownMessage<Message, Part> {
  if (message.role === "system") {
    const part = { type: "text" as const, text: message.content };
    return { original: message, role: "system", parts: [{ original: part, shown: textPart(message.content) }] };
  }
  const parts = (message.content as Part[]).map((part) => shownPart(message.role, part));
  return { original: message, role: message.role, parts };
}

function partOf(merged: MergedPart<Part>): Part {
  if ("kept" in merged) return merged.kept;
  const { original, part } = merged;
  if (original?.type === "tool-result") {
    const value = typeof part.content === "string" ? part.content : JSON.stringify(part.content);
    return { ...original, output: { type: part.is_error ? "error-text" : "text", value } };
  }
  if (original?.type === "tool-call") return { ...original, input: JSON.parse(part.arguments ?? "{}") as unknown };
  return { ...(original?.type === "text" ? original : {}), type: "text", text: part.text ?? "" };
}

const rebuild: Rebuild<Message, Part> = {
  changed(original, parts) {
    const content = parts.map(partOf);
    if (original.role !== "system") return { ...original, content } as Message;
    return { ...original, content: content.map((part) => (part.type === "text" ? part.text : "")).join("\n") };
  },
  added(role, parts) {
    const text = parts.map((part) => part.text ?? "").join("\n");
    if (role === "system") return { role, content: text };
    return { role: role === "assistant" ? role : "user", content: [{ type: "text", text }] };
  },
};

function toolsOf(params: LanguageModelV4CallOptions): object[] {
  return (params.tools ?? []).flatMap((tool) => {
    if (tool.type !== "function") return [];
    const { name, description, inputSchema: parameters } = tool;
    return { type: "function", function: { name, ...(description ? { description } : {}), parameters } };
  });
}

/** Compiles what the model is sent, and reports what it counted. Other options are keys of `/compile`. */
export function compileMiddleware(options: FrameworkOptions = {}): LanguageModelV4Middleware {
  const { budget, ...others } = options;
  const compiler = new Compiler(others);
  const { session } = options;
  const report = ({ inputTokens, outputTokens }: LanguageModelV4Usage) =>
    compiler.report(session, usageOf(inputTokens.total ?? 0, outputTokens.total ?? 0, inputTokens.cacheRead ?? 0));
  return {
    specificationVersion: "v4",
    async transformParams({ params, model }) {
      const tools = toolsOf(params);
      const reserve = params.maxOutputTokens;
      const reserved = reserve === undefined ? budget : withReserve(budget, reserve);
      const keys = {
        model: model.modelId,
        ...(tools.length > 0 ? { tools } : {}),
        ...(reserved == null ? {} : { budget: reserved }),
      };
      const rows = params.prompt.map(shownMessage);
      return { ...params, prompt: await compiler.compile(rows, rebuild, keys, session, params.abortSignal) };
    },
    async wrapGenerate({ doGenerate }) {
      const result = await doGenerate();
      report(result.usage);
      return result;
    },
    async wrapStream({ doStream }) {
      const result = await doStream();
      const stream = result.stream.pipeThrough(
        new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
          transform(part, controller) {
            if (part.type === "finish") report(part.usage);
            controller.enqueue(part);
          },
        }),
      );
      return { ...result, stream };
    },
  };
}
