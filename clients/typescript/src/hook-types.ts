/** The bodies of calls of hooks, as docs/hooks.md has them; a test compares them with `GET /hook-points`. */

export type Kind = "guard" | "transform" | "provide" | "observe";

/** A part of a message; which members it has depends on `type`. */
export interface NeutralPart {
  type: "text" | "thinking" | "tool_call" | "tool_result" | "media";
  text?: string;
  signature?: string;
  id?: string;
  name?: string;
  arguments?: string;
  call_id?: string;
  content?: string | NeutralPart[];
  is_error?: boolean;
  media_type?: string;
  data?: string;
}

/** A message in the neutral shape. */
export interface NeutralMessage {
  id?: string;
  role: "system" | "user" | "assistant" | "tool";
  parts: NeutralPart[];
}

/** Tokens, and the limit for them. */
export interface TokenPressure {
  current: number;
  limit: number;
}

/** A call of a tool. */
export interface HookedCall {
  name: string | null;
  call_id: string;
  arguments: Record<string, unknown>;
}

/** The result of a call: a text, or parts. */
export interface HookedResult {
  content: string | NeutralPart[];
  is_error: boolean;
}

/** What a memory entry belongs to. */
export type MemoryScope = Record<string, string | null>;

/** What hooks are shown, by the point. */
export interface HookInputs {
  before_compress: {
    history: NeutralMessage[];
    system: NeutralMessage[];
    tokens: TokenPressure;
    history_tokens: TokenPressure;
    trigger: "over_limit" | "threshold";
    /** Messages by their indexes; `to` is not included. */
    to_compress: { from: number; to: number };
  };
  summarize: { messages: NeutralMessage[]; instructions: string | null; material: string | null; max_tokens: number };
  after_compress: {
    summary: string | null;
    truncated_count: number;
    compressed_messages: NeutralMessage[];
    tokens: { before: number; after: number };
    actions: Record<string, number>;
  };
  before_compile: {
    system: NeutralMessage[];
    history: NeutralMessage[];
    dynamic_state: Record<string, unknown> | null;
    dynamic_state_xml: string | null;
  };
  transform_context: { target: string; model: string | null; messages: NeutralMessage[] };
  memory_update: {
    origin: "model";
    op: "create" | "update" | "delete";
    key: string;
    value: unknown;
    old_value: unknown;
    memory_id: string;
    scope: MemoryScope;
  };
  memory_changed: {
    type: "set" | "delete" | "expire";
    key: string | null;
    value: unknown;
    old_value: unknown;
    action: "add" | "replace" | "remove" | "expire";
    target: string;
    content: string;
    metadata: Record<string, unknown> | null;
    memory_id: string | null;
    affected: number;
    origin: "model" | "direct" | "review" | "session" | "expiry";
    scope: MemoryScope;
  };
  memory_expired: { entry: Record<string, unknown> };
  delegation: {
    task: string;
    result: string;
    agent_name: string;
    metadata: Record<string, unknown>;
    status: "success" | "failed" | "timeout" | "cycle" | "depth";
    path: string;
  };
  session_switch: { new_session_id: string; parent_session_id: string; reset: boolean; reason: string };
  cache_expiring: {
    model: string;
    compilation_id: string;
    prefix_hash: string;
    prefix_tokens: number;
    rewrite_micros: number | null;
    expires_at: string;
  };
  tool_call: { tool: HookedCall; batch: { index: number; size: number } };
  tool_result: { tool: HookedCall; result: HookedResult };
  compress_format: { text: string; tool: string | null };
  retrieve_evidence: { intent_id: string; query: unknown };
  recall_memory: { query: string | null; candidates: Record<string, unknown>[]; max_tokens: number };
  event: {
    seq: number;
    type: string;
    at: string;
    session_id: string | null;
    compilation_id: string | null;
    data: Record<string, unknown>;
  };
}

export type Point = keyof HookInputs;

/** What a transform returns, by the point: the new value of the part of the input that it may change. */
export interface Replacements {
  before_compress: NeutralMessage[];
  transform_context: NeutralMessage[];
  memory_update: unknown;
  tool_call: Record<string, unknown>;
  tool_result: HookedResult;
}

/** The points of each kind. */
export interface KindPoints {
  guard: "before_compress" | "transform_context" | "memory_update" | "tool_call";
  transform: keyof Replacements;
  provide:
    | "before_compress" | "summarize" | "before_compile" | "compress_format" | "retrieve_evidence" | "recall_memory";
  observe: Exclude<
    Point, "summarize" | "memory_update" | "compress_format" | "retrieve_evidence" | "recall_memory"
  >;
}

interface CallAt<At extends Point> {
  spec: "hooks/1";
  point: At;
  kind: Kind;
  hook: { id: string; revision: number };
  /** The tenant, compile, session and agent that a call is about. */
  scope: {
    tenant: string;
    compilation_id: string | null;
    session_id: string | null;
    agent: string | null;
    turn: number | null;
  };
  delivery: { attempt: number; sent_at: string; replay: boolean; test: boolean };
  input: HookInputs[At];
}

/** A call of a hook; `point` decides which `input` it has. */
export type HookCall<At extends Point = Point> = { [Each in At]: CallAt<Each> }[At];
