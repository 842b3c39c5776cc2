/** What a compile returns for each target, and keys of `/compile` without the conversation. */

import type { NeutralMessage } from "./hook-types.js";
import type { Compilation, CompileRequest, TurnPayload } from "./schema.js";

/**
 * Payloads by their target, to be spread into the provider's call: `create({ model, ...payload })`.
 *
 * Their members have the types of the provider's own library, which this one does not depend on.
 */
export interface Payloads {
  openai: { messages: any[]; tools?: any[] };
  openai_responses: { input: any[]; instructions?: string; tools?: any[] };
  anthropic: { messages: any[]; system?: any; tools?: any[] };
  gemini: { contents: any[]; systemInstruction?: any; tools?: any[] };
  neutral: { messages: NeutralMessage[]; tools?: any[] };
}

export type Target = keyof Payloads;

/** The target of a request: `openai` unless it names another one. */
export type TargetOf<Request> = Request extends { target: infer Named extends Target } ? Named : "openai";

export type Compiled<To extends Target> = Omit<Compilation, "payload"> & { payload: Payloads[To] };
export type Turned<To extends Target> = Omit<TurnPayload, "payload"> & { payload: Payloads[To] };

/** Keys of `/compile` without the conversation. */
export type CompileKeys = Partial<
  Omit<
    CompileRequest,
    | "messages" | "input" | "instructions" | "contents" | "system" | "systemInstruction" | "system_instruction"
    | "request" | "session_id"
  >
>;
