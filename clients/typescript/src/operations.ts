// A method for each operation.
//
// Generated from openapi.yaml by scripts/generate.mjs; changes here are lost.

import type * as s from "./schema.js";
import type { CallOptions, Operation } from "./transport.js";

type Parameters<Id extends keyof s.operations> = NonNullable<s.operations[Id]["parameters"]["query"]>;
type Query<Id extends keyof s.operations, Name extends string> =
  Name extends keyof Parameters<Id> ? Parameters<Id>[Name] : never;
type ResultContent<T> = T extends { content: { "application/json": infer Value } } ? Value : unknown;
type Result<Id extends keyof s.operations> =
  s.operations[Id] extends { responses: { 200: infer Response } } ? ResultContent<Response> : unknown;

/** Options of a call that are sent as headers. */
export const HEADERS: Readonly<Record<string, string>> = {
  ifMatch: "if-match",
  ifNoneMatch: "if-none-match",
  range: "range",
  xHeadroomBypass: "x-headroom-bypass",
};

/** The keys of a request for `/compile`. */
export const COMPILE_KEYS: readonly string[] = [
  "audio",
  "background",
  "budget",
  "cache",
  "cache_control",
  "cachedContent",
  "cached_content",
  "chat_template_kwargs",
  "compression",
  "container",
  "contents",
  "context_management",
  "deadline_ms",
  "dynamic_state",
  "dynamic_state_anchor",
  "dynamic_state_placement",
  "evidence",
  "explain",
  "frequency_penalty",
  "function_call",
  "generationConfig",
  "generation_config",
  "hooks",
  "implicit_context",
  "include",
  "inference_geo",
  "input",
  "instructions",
  "labels",
  "logit_bias",
  "logprobs",
  "max_completion_tokens",
  "max_output_tokens",
  "max_tokens",
  "max_tool_calls",
  "mcp_servers",
  "memory",
  "messages",
  "metadata",
  "min_p",
  "modalities",
  "model",
  "n",
  "on_deadline",
  "output",
  "output_config",
  "output_format",
  "pack",
  "parallel_tool_calls",
  "passthrough",
  "prediction",
  "presence_penalty",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "protect",
  "provider",
  "random_seed",
  "reasoning",
  "reasoning_effort",
  "record",
  "repair",
  "repetition_penalty",
  "request",
  "response_format",
  "run_context",
  "safe_prompt",
  "safetySettings",
  "safety_identifier",
  "safety_settings",
  "seed",
  "service_tier",
  "session_id",
  "skill",
  "source",
  "speed",
  "stop",
  "stop_sequences",
  "store",
  "stream",
  "stream_options",
  "system",
  "systemInstruction",
  "system_instruction",
  "tail_placement",
  "target",
  "temperature",
  "text",
  "thinking",
  "toolConfig",
  "tool_choice",
  "tool_config",
  "tools",
  "top_k",
  "top_logprobs",
  "top_p",
  "truncation",
  "usage",
  "user",
  "verbosity",
  "web_search_options",
];

export const OPERATIONS = {
  cleanUpArtifacts: { method: "POST", path: "/artifacts/cleanup", body: true },
  compareCompilations: { method: "POST", path: "/compilations/diff", safe: true, body: true },
  compile: { method: "POST", path: "/compile", safe: true, safeUnless: "session_id", body: true },
  compress: { method: "POST", path: "/compress", safe: true, body: true },
  compressForGateway: { method: "POST", path: "/v1/compress", safe: true, body: true },
  countTokens: { method: "POST", path: "/tokens", safe: true, body: true },
  createArtifact: { method: "POST", path: "/artifacts", takesKey: true, body: true },
  createConsoleSession: { method: "POST", path: "/console/session" },
  createEventTicket: { method: "POST", path: "/events/ticket" },
  createHook: { method: "POST", path: "/hooks", takesKey: true, body: true },
  createKey: { method: "POST", path: "/keys", takesKey: true, body: true },
  createSession: { method: "POST", path: "/sessions", takesKey: true, body: true },
  deleteAdapter: { method: "DELETE", path: "/adapters/{name}", safe: true },
  deleteArtifact: { method: "DELETE", path: "/artifacts/{id}", safe: true },
  deleteCandidate: { method: "DELETE", path: "/memory-candidates/{id}", safe: true },
  deleteConsoleSession: { method: "DELETE", path: "/console/session", safe: true },
  deleteHook: { method: "DELETE", path: "/hooks/{id}", safe: true },
  deleteKey: { method: "DELETE", path: "/keys/{id}", safe: true },
  deleteMemory: { method: "DELETE", path: "/memory/{key}", safe: true },
  deleteSession: { method: "DELETE", path: "/sessions/{id}", safe: true },
  deleteSkill: { method: "DELETE", path: "/skills/{name}", safe: true },
  diffHook: { method: "POST", path: "/hooks/{id}/diff", body: true },
  diffPacks: { method: "POST", path: "/packs/diff", safe: true, body: true },
  evaluateRule: { method: "POST", path: "/policy/evaluate", safe: true, body: true },
  expand: { method: "POST", path: "/expand", safe: true, body: true },
  forkSession: { method: "POST", path: "/sessions/{id}/fork", takesKey: true, body: true },
  getAdapter: { method: "GET", path: "/adapters/{name}", safe: true },
  getArtifact: { method: "GET", path: "/artifacts/{id}", safe: true },
  getCandidate: { method: "GET", path: "/memory-candidates/{id}", safe: true },
  getCompilation: { method: "GET", path: "/compilations/{id}", safe: true },
  getConsoleSession: { method: "GET", path: "/console/session", safe: true },
  getGatewayHealth: { method: "GET", path: "/health", safe: true },
  getGatewayStats: { method: "GET", path: "/stats", safe: true },
  getGoldenSet: { method: "GET", path: "/packs/{id}/{version}/golden", safe: true },
  getHealth: { method: "GET", path: "/healthz", safe: true },
  getHook: { method: "GET", path: "/hooks/{id}", safe: true },
  getHookOrder: { method: "GET", path: "/hook-order", safe: true },
  getInventory: { method: "GET", path: "/inventory", safe: true },
  getMemory: { method: "GET", path: "/memory/{key}", safe: true },
  getMetrics: { method: "GET", path: "/metrics", safe: true },
  getOpenapi: { method: "GET", path: "/openapi.json", safe: true },
  getPack: { method: "GET", path: "/packs/{id}/{version}", safe: true },
  getProblem: { method: "GET", path: "/problems/{code}", safe: true },
  getReadiness: { method: "GET", path: "/readyz", safe: true },
  getSession: { method: "GET", path: "/sessions/{id}", safe: true },
  getSessionTimeline: { method: "GET", path: "/sessions/{id}/timeline", safe: true, pages: true },
  getSkill: { method: "GET", path: "/skills/{name}", safe: true },
  getSnapshot: { method: "GET", path: "/snapshots/{id}", safe: true },
  handleCalls: { method: "POST", path: "/tools/calls", takesKey: true, body: true },
  importMemory: { method: "POST", path: "/memory/import", takesKey: true, body: true, contentType: "application/x-ndjson" },
  lintPack: { method: "POST", path: "/packs/lint", safe: true, body: true },
  listAdapters: { method: "GET", path: "/adapters", safe: true, pages: true },
  listCandidateEvents: { method: "GET", path: "/memory-candidates/events", safe: true, pages: true },
  listCandidates: { method: "GET", path: "/memory-candidates", safe: true, pages: true },
  listCompilations: { method: "GET", path: "/compilations", safe: true, pages: true },
  listEvents: { method: "GET", path: "/events", safe: true, query: {"format":"json"} },
  listHookDeliveries: { method: "GET", path: "/hooks/{id}/deliveries", safe: true, pages: true },
  listHookPoints: { method: "GET", path: "/hook-points", safe: true },
  listHooks: { method: "GET", path: "/hooks", safe: true, pages: true },
  listKeys: { method: "GET", path: "/keys", safe: true, pages: true },
  listMemory: { method: "GET", path: "/memory", safe: true, pages: true },
  listMemoryVersions: { method: "GET", path: "/memory/{key}/versions", safe: true, pages: true },
  listModels: { method: "GET", path: "/models", safe: true },
  listPackVersions: { method: "GET", path: "/packs/{id}", safe: true },
  listPacks: { method: "GET", path: "/packs", safe: true, pages: true },
  listProblems: { method: "GET", path: "/problems", safe: true },
  listSessions: { method: "GET", path: "/sessions", safe: true, pages: true },
  listSettings: { method: "GET", path: "/settings", safe: true },
  listSkills: { method: "GET", path: "/skills", safe: true, pages: true },
  listSnapshots: { method: "GET", path: "/sessions/{id}/snapshots", safe: true, pages: true },
  listUsage: { method: "GET", path: "/usage", safe: true, pages: true },
  patchMemory: { method: "PATCH", path: "/memory/{key}", takesKey: true, body: true },
  promoteCandidate: { method: "POST", path: "/memory-candidates/{id}/promote", takesKey: true, body: true },
  promoteMemory: { method: "POST", path: "/memory/{key}/promote", takesKey: true, body: true },
  proposeCandidate: { method: "POST", path: "/memory-candidates", takesKey: true, body: true },
  publishPack: { method: "POST", path: "/packs", takesKey: true, body: true },
  putAdapter: { method: "PUT", path: "/adapters/{name}", safe: true, body: true },
  putGoldenSet: { method: "PUT", path: "/packs/{id}/{version}/golden", safe: true, body: true },
  putHook: { method: "PUT", path: "/hooks/{id}", takesKey: true, safe: true, body: true },
  putHookOrder: { method: "PUT", path: "/hook-order", safe: true, body: true },
  putMemory: { method: "PUT", path: "/memory/{key}", takesKey: true, safe: true, body: true },
  putSkill: { method: "PUT", path: "/skills/{name}", safe: true, body: true },
  recallMemory: { method: "POST", path: "/memory/recall", safe: true, body: true },
  renderSkill: { method: "POST", path: "/skills/{name}/render", safe: true, body: true },
  replayCompilation: { method: "POST", path: "/compilations/{id}/replay", body: true },
  reportDelegation: { method: "POST", path: "/sessions/{id}/delegations", takesKey: true, body: true },
  reportUsage: { method: "POST", path: "/sessions/{id}/usage", body: true },
  restoreMemory: { method: "POST", path: "/memory/{key}/restore", takesKey: true, body: true },
  restoreSession: { method: "POST", path: "/sessions/{id}/restore", body: true },
  retractMemory: { method: "POST", path: "/memory/{key}/retract", takesKey: true, body: true },
  retrieveByBody: { method: "POST", path: "/v1/retrieve", safe: true, body: true },
  retrieveOriginal: { method: "GET", path: "/v1/retrieve/{hash}", safe: true },
  retryDelivery: { method: "POST", path: "/deliveries/{id}/retry" },
  reviewCandidate: { method: "POST", path: "/memory-candidates/{id}/review", takesKey: true, body: true },
  rotateHookSecret: { method: "POST", path: "/hooks/{id}/rotate-secret", takesKey: true, body: true },
  runGoldenSet: { method: "POST", path: "/packs/{id}/{version}/golden/run", body: true },
  storeMemory: { method: "POST", path: "/memory", takesKey: true, body: true },
  switchSession: { method: "POST", path: "/sessions/{id}/switch", takesKey: true, body: true },
  takeResults: { method: "POST", path: "/tools/results", body: true },
  takeSnapshot: { method: "POST", path: "/sessions/{id}/snapshots", takesKey: true, body: true },
  takeTurn: { method: "POST", path: "/sessions/{id}/turns", takesKey: true, body: true },
  testAdapter: { method: "POST", path: "/adapters/{name}/test", safe: true, body: true },
  testHook: { method: "POST", path: "/hooks/{id}/test", body: true },
  testNewHook: { method: "POST", path: "/hooks/test", body: true },
  updateHook: { method: "PATCH", path: "/hooks/{id}", body: true },
  updateKey: { method: "PATCH", path: "/keys/{id}", body: true },
  updateSession: { method: "PATCH", path: "/sessions/{id}", body: true },
} satisfies Record<string, Operation>;

export interface Operations {
  /** Clean up now */
  cleanUpArtifacts(body?: s.ArtifactCleanupRequest, options?: CallOptions): Promise<s.ArtifactCleanup>;
  /** Compare two compilations */
  compareCompilations(body: s.CompareRequest, options?: CallOptions): Promise<s.CompareResponse>;
  /** Compile a conversation */
  compile(body: s.CompileRequest, options?: CallOptions & { format?: Query<"compile", "format">; dry_run?: Query<"compile", "dry_run"> }): Promise<s.Compilation>;
  /** Compress messages or a text */
  compress(body: s.CompressRequest, options?: CallOptions): Promise<s.CompressResponse>;
  /** Compress for a gateway */
  compressForGateway(body?: s.GatewayRequest, options?: CallOptions & { xHeadroomBypass?: string }): Promise<s.GatewayResponse>;
  /** Count tokens */
  countTokens(body: s.TokensRequest, options?: CallOptions): Promise<s.TokensResponse>;
  /** Offload a text */
  createArtifact(body: s.OffloadRequest, options?: CallOptions): Promise<s.OffloadResponse>;
  /** Sign a browser in */
  createConsoleSession(options?: CallOptions): Promise<s.ConsoleSession>;
  /** Get a ticket for a stream */
  createEventTicket(options?: CallOptions): Promise<s.EventTicket>;
  /** Register a hook */
  createHook(body: s.HookRegistration, options?: CallOptions): Promise<s.NewHook>;
  /** Make a key */
  createKey(body: s.CreateKey, options?: CallOptions): Promise<s.NewKey>;
  /** Open a session */
  createSession(body?: s.CreateSession, options?: CallOptions): Promise<s.Session>;
  /** Delete an adapter */
  deleteAdapter(name: string, options?: CallOptions): Promise<void>;
  /** Delete an artifact */
  deleteArtifact(id: string, options?: CallOptions): Promise<void>;
  /** Delete a candidate */
  deleteCandidate(id: string, options?: CallOptions & { ifMatch?: string }): Promise<void>;
  /** Sign a browser out */
  deleteConsoleSession(options?: CallOptions): Promise<void>;
  /** Delete a hook */
  deleteHook(id: string, options?: CallOptions & { ifMatch?: string }): Promise<void>;
  /** Revoke a key */
  deleteKey(id: string, options?: CallOptions): Promise<void>;
  /** Delete an entry */
  deleteMemory(key: string, options?: CallOptions & { subject?: Query<"delete_memory", "subject">; session_id?: Query<"delete_memory", "session_id">; agent?: Query<"delete_memory", "agent">; pack_tenant?: Query<"delete_memory", "pack_tenant">; ifMatch?: string }): Promise<void>;
  /** Delete a session */
  deleteSession(id: string, options?: CallOptions & { ifMatch?: string }): Promise<void>;
  /** Delete a skill */
  deleteSkill(name: string, options?: CallOptions & { ifMatch?: string }): Promise<void>;
  /** Compare a hook with a definition */
  diffHook(id: string, body: s.HookRegistration, options?: CallOptions): Promise<s.HookDiff>;
  /** Compare two versions of a pack */
  diffPacks(body: s.PackDiffRequest, options?: CallOptions): Promise<s.PackDiff>;
  /** Evaluate a rule */
  evaluateRule(body: s.RuleRequest, options?: CallOptions): Promise<s.RuleValue>;
  /** Give the originals back */
  expand(body: s.ExpandRequest, options?: CallOptions): Promise<s.ExpandedList>;
  /** Fork a session */
  forkSession(id: string, body?: s.ForkSession, options?: CallOptions): Promise<s.Session>;
  /** Read an adapter */
  getAdapter(name: string, options?: CallOptions): Promise<s.Adapter>;
  /** Read an artifact */
  getArtifact(id: string, options?: CallOptions & { lines?: Query<"get_artifact", "lines">; query?: Query<"get_artifact", "query">; range?: string }): Promise<string>;
  /** Read a candidate */
  getCandidate(id: string, options?: CallOptions): Promise<s.Candidate>;
  /** Read a compilation */
  getCompilation(id: string, options?: CallOptions & { explain?: Query<"get_compilation", "explain"> }): Promise<s.CompilationRecord>;
  /** Read who is signed in */
  getConsoleSession(options?: CallOptions): Promise<s.ConsoleSession>;
  /** Whether to send work here, for a gateway */
  getGatewayHealth(options?: CallOptions): Promise<s.GatewayHealth>;
  /** Read what was saved, for a gateway */
  getGatewayStats(options?: CallOptions): Promise<s.GatewayStats>;
  /** Read a golden set */
  getGoldenSet(id: string, version: string, options?: CallOptions): Promise<s.GoldenList>;
  /** Whether the process lives */
  getHealth(options?: CallOptions): Promise<s.HealthReport>;
  /** Read a hook */
  getHook(id: string, options?: CallOptions): Promise<s.HookRow>;
  /** Read the order of hooks */
  getHookOrder(options?: CallOptions & { session_id?: Query<"get_hook_order", "session_id"> }): Promise<s.HookOrder>;
  /** Read what a session carries */
  getInventory(options: CallOptions & { session_id: Query<"get_inventory", "session_id">; turns?: Query<"get_inventory", "turns"> }): Promise<s.Inventory>;
  /** Read an entry */
  getMemory(key: string, options?: CallOptions & { subject?: Query<"get_memory", "subject">; session_id?: Query<"get_memory", "session_id">; agent?: Query<"get_memory", "agent">; pack_tenant?: Query<"get_memory", "pack_tenant"> }): Promise<s.MemoryEntry>;
  /** Figures for Prometheus */
  getMetrics(options?: CallOptions): Promise<string>;
  /** This description, as JSON */
  getOpenapi(options?: CallOptions): Promise<Result<"get_openapi">>;
  /** Read a version of a pack */
  getPack(id: string, version: string, options?: CallOptions): Promise<s.Pack>;
  /** What a type of problem means */
  getProblem(code: string, options?: CallOptions): Promise<string>;
  /** Whether to send work here */
  getReadiness(options?: CallOptions): Promise<s.HealthReport>;
  /** Read a session */
  getSession(id: string, options?: CallOptions): Promise<s.Session>;
  /** Read a session's timeline */
  getSessionTimeline(id: string, options?: CallOptions & { limit?: Query<"get_session_timeline", "limit">; cursor?: Query<"get_session_timeline", "cursor"> }): Promise<s.Timeline>;
  /** Each row of `getSessionTimeline`, page after page. */
  iterGetSessionTimeline(id: string, options?: CallOptions & { limit?: Query<"get_session_timeline", "limit"> }): AsyncIterableIterator<s.TimelineRow>;
  /** Read a skill */
  getSkill(name: string, options?: CallOptions): Promise<s.Skill>;
  /** Read a snapshot */
  getSnapshot(id: string, options?: CallOptions): Promise<s.Snapshot>;
  /** Handle the calls of a model */
  handleCalls(body: s.ToolCallsRequest, options?: CallOptions): Promise<s.ToolCallsResponse>;
  /** Import entries */
  importMemory(body?: string | Uint8Array<ArrayBuffer>, options?: CallOptions): Promise<s.MemoryImportResponse>;
  /** Check a pack */
  lintPack(body: s.PackDocument, options?: CallOptions): Promise<s.PackLintResponse>;
  /** List the adapters */
  listAdapters(options?: CallOptions & { limit?: Query<"list_adapters", "limit">; cursor?: Query<"list_adapters", "cursor"> }): Promise<s.AdapterList>;
  /** Each row of `listAdapters`, page after page. */
  iterAdapters(options?: CallOptions & { limit?: Query<"list_adapters", "limit"> }): AsyncIterableIterator<s.AdapterRow>;
  /** See the outcome of candidates */
  listCandidateEvents(options?: CallOptions & { limit?: Query<"list_candidate_events", "limit">; cursor?: Query<"list_candidate_events", "cursor">; verify?: Query<"list_candidate_events", "verify"> }): Promise<s.CandidateEvents>;
  /** Each row of `listCandidateEvents`, page after page. */
  iterCandidateEvents(options?: CallOptions & { limit?: Query<"list_candidate_events", "limit">; verify?: Query<"list_candidate_events", "verify"> }): AsyncIterableIterator<s.CandidateEvent>;
  /** List candidates */
  listCandidates(options?: CallOptions & { limit?: Query<"list_candidates", "limit">; cursor?: Query<"list_candidates", "cursor">; state?: Query<"list_candidates", "state"> }): Promise<s.CandidateList>;
  /** Each row of `listCandidates`, page after page. */
  iterCandidates(options?: CallOptions & { limit?: Query<"list_candidates", "limit">; state?: Query<"list_candidates", "state"> }): AsyncIterableIterator<s.Candidate>;
  /** List compilations */
  listCompilations(options?: CallOptions & { limit?: Query<"list_compilations", "limit">; cursor?: Query<"list_compilations", "cursor">; session_id?: Query<"list_compilations", "session_id">; target?: Query<"list_compilations", "target">; model?: Query<"list_compilations", "model">; status?: Query<"list_compilations", "status">; record?: Query<"list_compilations", "record">; payload_hash?: Query<"list_compilations", "payload_hash"> }): Promise<s.CompilationList>;
  /** Each row of `listCompilations`, page after page. */
  iterCompilations(options?: CallOptions & { limit?: Query<"list_compilations", "limit">; session_id?: Query<"list_compilations", "session_id">; target?: Query<"list_compilations", "target">; model?: Query<"list_compilations", "model">; status?: Query<"list_compilations", "status">; record?: Query<"list_compilations", "record">; payload_hash?: Query<"list_compilations", "payload_hash"> }): AsyncIterableIterator<s.CompilationRow>;
  /** Read events */
  listEvents(options?: CallOptions & { after?: Query<"read_events", "after">; types?: Query<"read_events", "types">; session_id?: Query<"read_events", "session_id">; limit?: Query<"read_events", "limit"> }): Promise<s.EventList>;
  /** List what was queued for a hook */
  listHookDeliveries(id: string, options?: CallOptions & { state?: Query<"list_hook_deliveries", "state">; limit?: Query<"list_hook_deliveries", "limit">; cursor?: Query<"list_hook_deliveries", "cursor"> }): Promise<s.DeliveryList>;
  /** Each row of `listHookDeliveries`, page after page. */
  iterHookDeliveries(id: string, options?: CallOptions & { state?: Query<"list_hook_deliveries", "state">; limit?: Query<"list_hook_deliveries", "limit"> }): AsyncIterableIterator<s.Delivery>;
  /** List the hook points */
  listHookPoints(options?: CallOptions): Promise<s.HookPoints>;
  /** List the hooks */
  listHooks(options?: CallOptions & { point?: Query<"list_hooks", "point">; limit?: Query<"list_hooks", "limit">; cursor?: Query<"list_hooks", "cursor"> }): Promise<s.HookList>;
  /** Each row of `listHooks`, page after page. */
  iterHooks(options?: CallOptions & { point?: Query<"list_hooks", "point">; limit?: Query<"list_hooks", "limit"> }): AsyncIterableIterator<s.HookRow>;
  /** List the keys */
  listKeys(options?: CallOptions & { tenant?: Query<"list_keys", "tenant">; limit?: Query<"list_keys", "limit">; cursor?: Query<"list_keys", "cursor"> }): Promise<s.KeyList>;
  /** Each row of `listKeys`, page after page. */
  iterKeys(options?: CallOptions & { tenant?: Query<"list_keys", "tenant">; limit?: Query<"list_keys", "limit"> }): AsyncIterableIterator<s.ApiKey>;
  /** List entries */
  listMemory(options?: CallOptions & { limit?: Query<"list_memory", "limit">; cursor?: Query<"list_memory", "cursor">; subject?: Query<"list_memory", "subject">; session_id?: Query<"list_memory", "session_id">; agent?: Query<"list_memory", "agent">; pack_tenant?: Query<"list_memory", "pack_tenant">; tag?: Query<"list_memory", "tag">; tier?: Query<"list_memory", "tier">; status?: Query<"list_memory", "status">; prefix?: Query<"list_memory", "prefix"> }): Promise<s.MemoryList>;
  /** Each row of `listMemory`, page after page. */
  iterMemory(options?: CallOptions & { limit?: Query<"list_memory", "limit">; subject?: Query<"list_memory", "subject">; session_id?: Query<"list_memory", "session_id">; agent?: Query<"list_memory", "agent">; pack_tenant?: Query<"list_memory", "pack_tenant">; tag?: Query<"list_memory", "tag">; tier?: Query<"list_memory", "tier">; status?: Query<"list_memory", "status">; prefix?: Query<"list_memory", "prefix"> }): AsyncIterableIterator<s.MemoryEntry>;
  /** List the versions of an entry */
  listMemoryVersions(key: string, options?: CallOptions & { limit?: Query<"list_memory_versions", "limit">; cursor?: Query<"list_memory_versions", "cursor">; subject?: Query<"list_memory_versions", "subject">; session_id?: Query<"list_memory_versions", "session_id">; agent?: Query<"list_memory_versions", "agent">; pack_tenant?: Query<"list_memory_versions", "pack_tenant"> }): Promise<s.MemoryVersions>;
  /** Each row of `listMemoryVersions`, page after page. */
  iterMemoryVersions(key: string, options?: CallOptions & { limit?: Query<"list_memory_versions", "limit">; subject?: Query<"list_memory_versions", "subject">; session_id?: Query<"list_memory_versions", "session_id">; agent?: Query<"list_memory_versions", "agent">; pack_tenant?: Query<"list_memory_versions", "pack_tenant"> }): AsyncIterableIterator<s.MemoryVersionRow>;
  /** List the models */
  listModels(options?: CallOptions): Promise<s.ModelList>;
  /** List a pack's versions */
  listPackVersions(id: string, options?: CallOptions): Promise<s.PackVersions>;
  /** List the packs */
  listPacks(options?: CallOptions & { limit?: Query<"list_packs", "limit">; cursor?: Query<"list_packs", "cursor"> }): Promise<s.PackList>;
  /** Each row of `listPacks`, page after page. */
  iterPacks(options?: CallOptions & { limit?: Query<"list_packs", "limit"> }): AsyncIterableIterator<s.PackRow>;
  /** The types of problems */
  listProblems(options?: CallOptions): Promise<string>;
  /** List sessions */
  listSessions(options?: CallOptions & { limit?: Query<"list_sessions", "limit">; cursor?: Query<"list_sessions", "cursor">; parent_session_id?: Query<"list_sessions", "parent_session_id"> }): Promise<s.SessionList>;
  /** Each row of `listSessions`, page after page. */
  iterSessions(options?: CallOptions & { limit?: Query<"list_sessions", "limit">; parent_session_id?: Query<"list_sessions", "parent_session_id"> }): AsyncIterableIterator<s.Session>;
  /** List the settings in force */
  listSettings(options?: CallOptions): Promise<s.SettingList>;
  /** List the skills */
  listSkills(options?: CallOptions & { limit?: Query<"list_skills", "limit">; cursor?: Query<"list_skills", "cursor"> }): Promise<s.SkillList>;
  /** Each row of `listSkills`, page after page. */
  iterSkills(options?: CallOptions & { limit?: Query<"list_skills", "limit"> }): AsyncIterableIterator<s.Skill>;
  /** List a session's snapshots */
  listSnapshots(id: string, options?: CallOptions & { limit?: Query<"list_snapshots", "limit">; cursor?: Query<"list_snapshots", "cursor"> }): Promise<s.SnapshotList>;
  /** Each row of `listSnapshots`, page after page. */
  iterSnapshots(id: string, options?: CallOptions & { limit?: Query<"list_snapshots", "limit"> }): AsyncIterableIterator<s.SnapshotRow>;
  /** Read what was used */
  listUsage(options?: CallOptions & { from?: Query<"list_usage", "from">; to?: Query<"list_usage", "to">; key?: Query<"list_usage", "key">; model?: Query<"list_usage", "model">; by?: Query<"list_usage", "by">; session_id?: Query<"list_usage", "session_id">; tenant?: Query<"list_usage", "tenant">; limit?: Query<"list_usage", "limit">; cursor?: Query<"list_usage", "cursor"> }): Promise<s.UsageList>;
  /** Each row of `listUsage`, page after page. */
  iterUsage(options?: CallOptions & { from?: Query<"list_usage", "from">; to?: Query<"list_usage", "to">; key?: Query<"list_usage", "key">; model?: Query<"list_usage", "model">; by?: Query<"list_usage", "by">; session_id?: Query<"list_usage", "session_id">; tenant?: Query<"list_usage", "tenant">; limit?: Query<"list_usage", "limit"> }): AsyncIterableIterator<s.UsageRow>;
  /** Change an entry */
  patchMemory(key: string, body: s.MemoryChange, options?: CallOptions & { subject?: Query<"patch_memory", "subject">; session_id?: Query<"patch_memory", "session_id">; agent?: Query<"patch_memory", "agent">; pack_tenant?: Query<"patch_memory", "pack_tenant">; ifMatch?: string }): Promise<s.MemoryEntry>;
  /** Promote a candidate */
  promoteCandidate(id: string, body: s.CandidatePromotion, options?: CallOptions & { ifMatch?: string }): Promise<s.Candidate>;
  /** Promote an entry */
  promoteMemory(key: string, body: s.MemoryScopeRequest, options?: CallOptions & { subject?: Query<"promote_memory", "subject">; session_id?: Query<"promote_memory", "session_id">; agent?: Query<"promote_memory", "agent">; pack_tenant?: Query<"promote_memory", "pack_tenant"> }): Promise<s.MemoryEntry>;
  /** Propose a fact */
  proposeCandidate(body: s.CandidateProposal, options?: CallOptions & { ifMatch?: string }): Promise<s.Candidate>;
  /** Publish a pack */
  publishPack(body: s.PackDocument, options?: CallOptions): Promise<s.PackPublished>;
  /** Store an adapter */
  putAdapter(name: string, body: s.AdapterDefinition, options?: CallOptions): Promise<s.Adapter>;
  /** Put a golden set */
  putGoldenSet(id: string, version: string, body: s.GoldenRequest, options?: CallOptions): Promise<s.GoldenList>;
  /** Register or replace a hook */
  putHook(id: string, body: s.HookRegistration, options?: CallOptions & { ifMatch?: string }): Promise<s.NewHook>;
  /** Set the order of hooks */
  putHookOrder(body: s.HookOrderRequest, options?: CallOptions & { session_id?: Query<"put_hook_order", "session_id">; ifMatch?: string }): Promise<s.HookOrder>;
  /** Store an entry */
  putMemory(key: string, body: s.MemoryWrite, options?: CallOptions & { subject?: Query<"put_memory", "subject">; session_id?: Query<"put_memory", "session_id">; agent?: Query<"put_memory", "agent">; pack_tenant?: Query<"put_memory", "pack_tenant">; ifMatch?: string; ifNoneMatch?: string }): Promise<s.MemoryEntry>;
  /** Store a skill */
  putSkill(name: string, body: s.SkillDefinition, options?: CallOptions & { ifMatch?: string }): Promise<s.Skill>;
  /** See what memory would show */
  recallMemory(body: s.MemoryRecallRequest, options?: CallOptions): Promise<s.MemoryRecallResponse>;
  /** Render a skill */
  renderSkill(name: string, body: s.RenderSkill, options?: CallOptions): Promise<s.RenderedSkill>;
  /** Replay a compilation */
  replayCompilation(id: string, body: s.ReplayRequest, options?: CallOptions): Promise<s.ReplayResponse>;
  /** Report a delegation */
  reportDelegation(id: string, body: s.Delegation, options?: CallOptions): Promise<s.DelegationReport>;
  /** Report what the provider counted */
  reportUsage(id: string, body: s.SessionUsage, options?: CallOptions): Promise<s.UsageResponse>;
  /** Restore a version of an entry */
  restoreMemory(key: string, body: s.MemoryRestore, options?: CallOptions & { subject?: Query<"restore_memory", "subject">; session_id?: Query<"restore_memory", "session_id">; agent?: Query<"restore_memory", "agent">; pack_tenant?: Query<"restore_memory", "pack_tenant"> }): Promise<s.MemoryEntry>;
  /** Restore a session */
  restoreSession(id: string, body: s.RestoreSession, options?: CallOptions): Promise<s.Session>;
  /** Retract an entry */
  retractMemory(key: string, body?: s.MemoryScopeRequest, options?: CallOptions & { subject?: Query<"retract_memory", "subject">; session_id?: Query<"retract_memory", "session_id">; agent?: Query<"retract_memory", "agent">; pack_tenant?: Query<"retract_memory", "pack_tenant"> }): Promise<s.MemoryEntry>;
  /** Retrieve an original, by a body */
  retrieveByBody(body: s.RetrieveRequest, options?: CallOptions): Promise<s.RetrievedOriginal>;
  /** Retrieve an original */
  retrieveOriginal(hash: string, options?: CallOptions & { query?: Query<"retrieve_original", "query"> }): Promise<s.RetrievedOriginal>;
  /** Try a delivery again */
  retryDelivery(id: string, options?: CallOptions): Promise<s.Delivery>;
  /** Review a candidate */
  reviewCandidate(id: string, body: s.CandidateReview, options?: CallOptions & { ifMatch?: string }): Promise<s.Candidate>;
  /** Give a hook another secret */
  rotateHookSecret(id: string, body?: s.RotateSecret, options?: CallOptions): Promise<s.NewHook>;
  /** Run a golden set */
  runGoldenSet(id: string, version: string, body: s.GoldenRunRequest, options?: CallOptions): Promise<s.GoldenRun>;
  /** Add, replace or remove an entry */
  storeMemory(body: s.MemoryActRequest, options?: CallOptions): Promise<s.MemoryActResponse>;
  /** Go on in another session */
  switchSession(id: string, body?: s.SwitchSession, options?: CallOptions): Promise<s.Session>;
  /** Take the results of tools */
  takeResults(body: s.ToolResultsRequest, options?: CallOptions): Promise<s.ToolResultsResponse>;
  /** Take a snapshot */
  takeSnapshot(id: string, body?: s.TakeSnapshot, options?: CallOptions): Promise<s.SnapshotRow>;
  /** Take a turn */
  takeTurn(id: string, body: s.SessionTurn, options?: CallOptions): Promise<s.TurnResponse>;
  /** Try an adapter */
  testAdapter(name: string, body: s.AdapterTestRequest, options?: CallOptions): Promise<s.AdapterTest>;
  /** Try a hook */
  testHook(id: string, body?: s.TestHook, options?: CallOptions): Promise<s.HookTestResult>;
  /** Try a hook that is not registered */
  testNewHook(body: s.TestNewHook, options?: CallOptions): Promise<s.HookTestResult>;
  /** Change a hook */
  updateHook(id: string, body: s.HookChange, options?: CallOptions & { ifMatch?: string }): Promise<s.HookRow>;
  /** Change a key */
  updateKey(id: string, body: s.ChangeKey, options?: CallOptions): Promise<s.ApiKey>;
  /** Change a session */
  updateSession(id: string, body: s.ChangeSession, options?: CallOptions & { ifMatch?: string }): Promise<s.Session>;
}
