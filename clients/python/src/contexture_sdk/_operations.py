"""A method for each operation, sync and async.

Generated from openapi.yaml by scripts/generate.py; changes here are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, Iterator, List, Literal, Optional, Union, cast

from ._transport import AsyncTransport, Operation, SyncTransport

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import types as t
    from ._transport import Options

CLEAN_UP_ARTIFACTS = Operation("POST", "/artifacts/cleanup")
COMPARE_COMPILATIONS = Operation("POST", "/compilations/diff", safe=True)
COMPILE = Operation("POST", "/compile", safe=True, safe_unless="session_id")
COMPRESS = Operation("POST", "/compress", safe=True)
COMPRESS_FOR_GATEWAY = Operation("POST", "/v1/compress", safe=True)
COUNT_TOKENS = Operation("POST", "/tokens", safe=True)
CREATE_ARTIFACT = Operation("POST", "/artifacts", takes_key=True)
CREATE_CONSOLE_SESSION = Operation("POST", "/console/session")
CREATE_EVENT_TICKET = Operation("POST", "/events/ticket")
CREATE_HOOK = Operation("POST", "/hooks", takes_key=True)
CREATE_KEY = Operation("POST", "/keys", takes_key=True)
CREATE_SESSION = Operation("POST", "/sessions", takes_key=True)
DELETE_ADAPTER = Operation("DELETE", "/adapters/{name}", safe=True)
DELETE_ARTIFACT = Operation("DELETE", "/artifacts/{id}", safe=True)
DELETE_CANDIDATE = Operation("DELETE", "/memory-candidates/{id}", safe=True)
DELETE_CONSOLE_SESSION = Operation("DELETE", "/console/session", safe=True)
DELETE_HOOK = Operation("DELETE", "/hooks/{id}", safe=True)
DELETE_KEY = Operation("DELETE", "/keys/{id}", safe=True)
DELETE_MEMORY = Operation("DELETE", "/memory/{key}", safe=True)
DELETE_SESSION = Operation("DELETE", "/sessions/{id}", safe=True)
DELETE_SKILL = Operation("DELETE", "/skills/{name}", safe=True)
DIFF_HOOK = Operation("POST", "/hooks/{id}/diff")
DIFF_PACKS = Operation("POST", "/packs/diff", safe=True)
EVALUATE_RULE = Operation("POST", "/policy/evaluate", safe=True)
EXPAND = Operation("POST", "/expand", safe=True)
FORK_SESSION = Operation("POST", "/sessions/{id}/fork", takes_key=True)
GET_ADAPTER = Operation("GET", "/adapters/{name}", safe=True)
GET_ARTIFACT = Operation("GET", "/artifacts/{id}", safe=True)
GET_CANDIDATE = Operation("GET", "/memory-candidates/{id}", safe=True)
GET_COMPILATION = Operation("GET", "/compilations/{id}", safe=True)
GET_CONSOLE_SESSION = Operation("GET", "/console/session", safe=True)
GET_GATEWAY_HEALTH = Operation("GET", "/health", safe=True)
GET_GATEWAY_STATS = Operation("GET", "/stats", safe=True)
GET_GOLDEN_SET = Operation("GET", "/packs/{id}/{version}/golden", safe=True)
GET_HEALTH = Operation("GET", "/healthz", safe=True)
GET_HOOK = Operation("GET", "/hooks/{id}", safe=True)
GET_HOOK_ORDER = Operation("GET", "/hook-order", safe=True)
GET_INVENTORY = Operation("GET", "/inventory", safe=True)
GET_MEMORY = Operation("GET", "/memory/{key}", safe=True)
GET_METRICS = Operation("GET", "/metrics", safe=True)
GET_OPENAPI = Operation("GET", "/openapi.json", safe=True)
GET_PACK = Operation("GET", "/packs/{id}/{version}", safe=True)
GET_PROBLEM = Operation("GET", "/problems/{code}", safe=True)
GET_READINESS = Operation("GET", "/readyz", safe=True)
GET_SESSION = Operation("GET", "/sessions/{id}", safe=True)
GET_SESSION_TIMELINE = Operation("GET", "/sessions/{id}/timeline", safe=True)
GET_SKILL = Operation("GET", "/skills/{name}", safe=True)
GET_SNAPSHOT = Operation("GET", "/snapshots/{id}", safe=True)
HANDLE_CALLS = Operation("POST", "/tools/calls", takes_key=True)
IMPORT_MEMORY = Operation("POST", "/memory/import", takes_key=True)
LINT_PACK = Operation("POST", "/packs/lint", safe=True)
LIST_ADAPTERS = Operation("GET", "/adapters", safe=True)
LIST_CANDIDATE_EVENTS = Operation("GET", "/memory-candidates/events", safe=True)
LIST_CANDIDATES = Operation("GET", "/memory-candidates", safe=True)
LIST_COMPILATIONS = Operation("GET", "/compilations", safe=True)
LIST_EVENTS = Operation("GET", "/events", safe=True)
LIST_HOOK_DELIVERIES = Operation("GET", "/hooks/{id}/deliveries", safe=True)
LIST_HOOK_POINTS = Operation("GET", "/hook-points", safe=True)
LIST_HOOKS = Operation("GET", "/hooks", safe=True)
LIST_KEYS = Operation("GET", "/keys", safe=True)
LIST_MEMORY = Operation("GET", "/memory", safe=True)
LIST_MEMORY_VERSIONS = Operation("GET", "/memory/{key}/versions", safe=True)
LIST_MODELS = Operation("GET", "/models", safe=True)
LIST_PACK_VERSIONS = Operation("GET", "/packs/{id}", safe=True)
LIST_PACKS = Operation("GET", "/packs", safe=True)
LIST_PROBLEMS = Operation("GET", "/problems", safe=True)
LIST_SESSIONS = Operation("GET", "/sessions", safe=True)
LIST_SETTINGS = Operation("GET", "/settings", safe=True)
LIST_SKILLS = Operation("GET", "/skills", safe=True)
LIST_SNAPSHOTS = Operation("GET", "/sessions/{id}/snapshots", safe=True)
LIST_USAGE = Operation("GET", "/usage", safe=True)
PATCH_MEMORY = Operation("PATCH", "/memory/{key}", takes_key=True)
PROMOTE_CANDIDATE = Operation("POST", "/memory-candidates/{id}/promote", takes_key=True)
PROMOTE_MEMORY = Operation("POST", "/memory/{key}/promote", takes_key=True)
PROPOSE_CANDIDATE = Operation("POST", "/memory-candidates", takes_key=True)
PUBLISH_PACK = Operation("POST", "/packs", takes_key=True)
PUT_ADAPTER = Operation("PUT", "/adapters/{name}", safe=True)
PUT_GOLDEN_SET = Operation("PUT", "/packs/{id}/{version}/golden", safe=True)
PUT_HOOK = Operation("PUT", "/hooks/{id}", takes_key=True, safe=True)
PUT_HOOK_ORDER = Operation("PUT", "/hook-order", safe=True)
PUT_MEMORY = Operation("PUT", "/memory/{key}", takes_key=True, safe=True)
PUT_SKILL = Operation("PUT", "/skills/{name}", safe=True)
RECALL_MEMORY = Operation("POST", "/memory/recall", safe=True)
RENDER_SKILL = Operation("POST", "/skills/{name}/render", safe=True)
REPLAY_COMPILATION = Operation("POST", "/compilations/{id}/replay")
REPORT_DELEGATION = Operation("POST", "/sessions/{id}/delegations", takes_key=True)
REPORT_USAGE = Operation("POST", "/sessions/{id}/usage")
RESTORE_MEMORY = Operation("POST", "/memory/{key}/restore", takes_key=True)
RESTORE_SESSION = Operation("POST", "/sessions/{id}/restore")
RETRACT_MEMORY = Operation("POST", "/memory/{key}/retract", takes_key=True)
RETRIEVE_BY_BODY = Operation("POST", "/v1/retrieve", safe=True)
RETRIEVE_ORIGINAL = Operation("GET", "/v1/retrieve/{hash}", safe=True)
RETRY_DELIVERY = Operation("POST", "/deliveries/{id}/retry")
REVIEW_CANDIDATE = Operation("POST", "/memory-candidates/{id}/review", takes_key=True)
ROTATE_HOOK_SECRET = Operation("POST", "/hooks/{id}/rotate-secret", takes_key=True)
RUN_GOLDEN_SET = Operation("POST", "/packs/{id}/{version}/golden/run")
STORE_MEMORY = Operation("POST", "/memory", takes_key=True)
SWITCH_SESSION = Operation("POST", "/sessions/{id}/switch", takes_key=True)
TAKE_RESULTS = Operation("POST", "/tools/results")
TAKE_SNAPSHOT = Operation("POST", "/sessions/{id}/snapshots", takes_key=True)
TAKE_TURN = Operation("POST", "/sessions/{id}/turns", takes_key=True)
TEST_ADAPTER = Operation("POST", "/adapters/{name}/test", safe=True)
TEST_HOOK = Operation("POST", "/hooks/{id}/test")
TEST_NEW_HOOK = Operation("POST", "/hooks/test")
UPDATE_HOOK = Operation("PATCH", "/hooks/{id}")
UPDATE_KEY = Operation("PATCH", "/keys/{id}")
UPDATE_SESSION = Operation("PATCH", "/sessions/{id}")


class Operations(SyncTransport):
    """The operations of the API."""

    def clean_up_artifacts(self, body: Optional[t.ArtifactCleanupRequest] = None, **options: Unpack[Options]) -> t.ArtifactCleanup:
        """Clean up now"""
        return cast("t.ArtifactCleanup", self._call(CLEAN_UP_ARTIFACTS, body={} if body is None else body, options=options))

    def compare_compilations(self, body: t.CompareRequest, **options: Unpack[Options]) -> t.CompareResponse:
        """Compare two compilations"""
        return cast("t.CompareResponse", self._call(COMPARE_COMPILATIONS, body=body, options=options))

    def compile(self, body: t.CompileRequest, *, format: Optional[Literal['full', 'contextos-v1']] = None, dry_run: Optional[bool] = None, **options: Unpack[Options]) -> t.Compilation:
        """Compile a conversation"""
        return cast("t.Compilation", self._call(COMPILE, body=body, query={"format": format, "dry_run": dry_run}, options=options))

    def compress(self, body: t.CompressRequest, **options: Unpack[Options]) -> t.CompressResponse:
        """Compress messages or a text"""
        return cast("t.CompressResponse", self._call(COMPRESS, body=body, options=options))

    def compress_for_gateway(self, body: Optional[t.GatewayRequest] = None, *, x_headroom_bypass: Optional[str] = None, **options: Unpack[Options]) -> t.GatewayResponse:
        """Compress for a gateway"""
        return cast("t.GatewayResponse", self._call(COMPRESS_FOR_GATEWAY, body={} if body is None else body, headers={"x-headroom-bypass": x_headroom_bypass}, options=options))

    def count_tokens(self, body: t.TokensRequest, **options: Unpack[Options]) -> t.TokensResponse:
        """Count tokens"""
        return cast("t.TokensResponse", self._call(COUNT_TOKENS, body=body, options=options))

    def create_artifact(self, body: t.OffloadRequest, **options: Unpack[Options]) -> t.OffloadResponse:
        """Offload a text"""
        return cast("t.OffloadResponse", self._call(CREATE_ARTIFACT, body=body, options=options))

    def create_console_session(self, **options: Unpack[Options]) -> t.ConsoleSession:
        """Sign a browser in"""
        return cast("t.ConsoleSession", self._call(CREATE_CONSOLE_SESSION, options=options))

    def create_event_ticket(self, **options: Unpack[Options]) -> t.EventTicket:
        """Get a ticket for a stream"""
        return cast("t.EventTicket", self._call(CREATE_EVENT_TICKET, options=options))

    def create_hook(self, body: t.HookRegistration, **options: Unpack[Options]) -> t.NewHook:
        """Register a hook"""
        return cast("t.NewHook", self._call(CREATE_HOOK, body=body, options=options))

    def create_key(self, body: t.CreateKey, **options: Unpack[Options]) -> t.NewKey:
        """Make a key"""
        return cast("t.NewKey", self._call(CREATE_KEY, body=body, options=options))

    def create_session(self, body: Optional[t.CreateSession] = None, **options: Unpack[Options]) -> t.Session:
        """Open a session"""
        return cast("t.Session", self._call(CREATE_SESSION, body={} if body is None else body, options=options))

    def delete_adapter(self, name: str, /, **options: Unpack[Options]) -> None:
        """Delete an adapter"""
        self._call(DELETE_ADAPTER, path=(name,), options=options)

    def delete_artifact(self, id: str, /, **options: Unpack[Options]) -> None:
        """Delete an artifact"""
        self._call(DELETE_ARTIFACT, path=(id,), options=options)

    def delete_candidate(self, id: str, /, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> None:
        """Delete a candidate"""
        self._call(DELETE_CANDIDATE, path=(id,), headers={"If-Match": if_match}, options=options)

    def delete_console_session(self, **options: Unpack[Options]) -> None:
        """Sign a browser out"""
        self._call(DELETE_CONSOLE_SESSION, options=options)

    def delete_hook(self, id: str, /, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> None:
        """Delete a hook"""
        self._call(DELETE_HOOK, path=(id,), headers={"If-Match": if_match}, options=options)

    def delete_key(self, id: str, /, **options: Unpack[Options]) -> None:
        """Revoke a key"""
        self._call(DELETE_KEY, path=(id,), options=options)

    def delete_memory(self, key: str, /, *, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, if_match: Optional[str] = None, **options: Unpack[Options]) -> None:
        """Delete an entry"""
        self._call(DELETE_MEMORY, path=(key,), query={"subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, headers={"If-Match": if_match}, options=options)

    def delete_session(self, id: str, /, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> None:
        """Delete a session"""
        self._call(DELETE_SESSION, path=(id,), headers={"If-Match": if_match}, options=options)

    def delete_skill(self, name: str, /, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> None:
        """Delete a skill"""
        self._call(DELETE_SKILL, path=(name,), headers={"If-Match": if_match}, options=options)

    def diff_hook(self, id: str, /, body: t.HookRegistration, **options: Unpack[Options]) -> t.HookDiff:
        """Compare a hook with a definition"""
        return cast("t.HookDiff", self._call(DIFF_HOOK, path=(id,), body=body, options=options))

    def diff_packs(self, body: t.PackDiffRequest, **options: Unpack[Options]) -> t.PackDiff:
        """Compare two versions of a pack"""
        return cast("t.PackDiff", self._call(DIFF_PACKS, body=body, options=options))

    def evaluate_rule(self, body: t.RuleRequest, **options: Unpack[Options]) -> t.RuleValue:
        """Evaluate a rule"""
        return cast("t.RuleValue", self._call(EVALUATE_RULE, body=body, options=options))

    def expand(self, body: t.ExpandRequest, **options: Unpack[Options]) -> t.ExpandedList:
        """Give the originals back"""
        return cast("t.ExpandedList", self._call(EXPAND, body=body, options=options))

    def fork_session(self, id: str, /, body: Optional[t.ForkSession] = None, **options: Unpack[Options]) -> t.Session:
        """Fork a session"""
        return cast("t.Session", self._call(FORK_SESSION, path=(id,), body={} if body is None else body, options=options))

    def get_adapter(self, name: str, /, **options: Unpack[Options]) -> t.Adapter:
        """Read an adapter"""
        return cast("t.Adapter", self._call(GET_ADAPTER, path=(name,), options=options))

    def get_artifact(self, id: str, /, *, lines: Optional[str] = None, query: Optional[str] = None, range: Optional[str] = None, **options: Unpack[Options]) -> str:
        """Read an artifact"""
        return cast("str", self._call(GET_ARTIFACT, path=(id,), query={"lines": lines, "query": query}, headers={"Range": range}, options=options))

    def get_candidate(self, id: str, /, **options: Unpack[Options]) -> t.Candidate:
        """Read a candidate"""
        return cast("t.Candidate", self._call(GET_CANDIDATE, path=(id,), options=options))

    def get_compilation(self, id: str, /, *, explain: Optional[str] = None, **options: Unpack[Options]) -> t.CompilationRecord:
        """Read a compilation"""
        return cast("t.CompilationRecord", self._call(GET_COMPILATION, path=(id,), query={"explain": explain}, options=options))

    def get_console_session(self, **options: Unpack[Options]) -> t.ConsoleSession:
        """Read who is signed in"""
        return cast("t.ConsoleSession", self._call(GET_CONSOLE_SESSION, options=options))

    def get_gateway_health(self, **options: Unpack[Options]) -> t.GatewayHealth:
        """Whether to send work here, for a gateway"""
        return cast("t.GatewayHealth", self._call(GET_GATEWAY_HEALTH, options=options))

    def get_gateway_stats(self, **options: Unpack[Options]) -> t.GatewayStats:
        """Read what was saved, for a gateway"""
        return cast("t.GatewayStats", self._call(GET_GATEWAY_STATS, options=options))

    def get_golden_set(self, id: str, version: str, /, **options: Unpack[Options]) -> t.GoldenList:
        """Read a golden set"""
        return cast("t.GoldenList", self._call(GET_GOLDEN_SET, path=(id, version,), options=options))

    def get_health(self, **options: Unpack[Options]) -> t.HealthReport:
        """Whether the process lives"""
        return cast("t.HealthReport", self._call(GET_HEALTH, options=options))

    def get_hook(self, id: str, /, **options: Unpack[Options]) -> t.HookRow:
        """Read a hook"""
        return cast("t.HookRow", self._call(GET_HOOK, path=(id,), options=options))

    def get_hook_order(self, *, session_id: Optional[str] = None, **options: Unpack[Options]) -> t.HookOrder:
        """Read the order of hooks"""
        return cast("t.HookOrder", self._call(GET_HOOK_ORDER, query={"session_id": session_id}, options=options))

    def get_inventory(self, *, session_id: str, turns: Optional[int] = None, **options: Unpack[Options]) -> t.Inventory:
        """Read what a session carries"""
        return cast("t.Inventory", self._call(GET_INVENTORY, query={"session_id": session_id, "turns": turns}, options=options))

    def get_memory(self, key: str, /, *, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, **options: Unpack[Options]) -> t.MemoryEntry:
        """Read an entry"""
        return cast("t.MemoryEntry", self._call(GET_MEMORY, path=(key,), query={"subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, options=options))

    def get_metrics(self, **options: Unpack[Options]) -> str:
        """Figures for Prometheus"""
        return cast("str", self._call(GET_METRICS, options=options))

    def get_openapi(self, **options: Unpack[Options]) -> Dict[str, Any]:
        """This description, as JSON"""
        return cast("Dict[str, Any]", self._call(GET_OPENAPI, options=options))

    def get_pack(self, id: str, version: str, /, **options: Unpack[Options]) -> t.Pack:
        """Read a version of a pack"""
        return cast("t.Pack", self._call(GET_PACK, path=(id, version,), options=options))

    def get_problem(self, code: str, /, **options: Unpack[Options]) -> str:
        """What a type of problem means"""
        return cast("str", self._call(GET_PROBLEM, path=(code,), options=options))

    def get_readiness(self, **options: Unpack[Options]) -> t.HealthReport:
        """Whether to send work here"""
        return cast("t.HealthReport", self._call(GET_READINESS, options=options))

    def get_session(self, id: str, /, **options: Unpack[Options]) -> t.Session:
        """Read a session"""
        return cast("t.Session", self._call(GET_SESSION, path=(id,), options=options))

    def get_session_timeline(self, id: str, /, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> t.Timeline:
        """Read a session's timeline"""
        return cast("t.Timeline", self._call(GET_SESSION_TIMELINE, path=(id,), query={"limit": limit, "cursor": cursor}, options=options))

    def iter_get_session_timeline(self, id: str, /, *, limit: Optional[int] = None, **options: Unpack[Options]) -> Iterator[t.TimelineRow]:
        """Each row of `get_session_timeline`, page after page."""
        return cast("Iterator[t.TimelineRow]", self._each(GET_SESSION_TIMELINE, path=(id,), query={"limit": limit}, options=options))

    def get_skill(self, name: str, /, **options: Unpack[Options]) -> t.Skill:
        """Read a skill"""
        return cast("t.Skill", self._call(GET_SKILL, path=(name,), options=options))

    def get_snapshot(self, id: str, /, **options: Unpack[Options]) -> t.Snapshot:
        """Read a snapshot"""
        return cast("t.Snapshot", self._call(GET_SNAPSHOT, path=(id,), options=options))

    def handle_calls(self, body: t.ToolCallsRequest, **options: Unpack[Options]) -> t.ToolCallsResponse:
        """Handle the calls of a model"""
        return cast("t.ToolCallsResponse", self._call(HANDLE_CALLS, body=body, options=options))

    def import_memory(self, body: Union[str, bytes], **options: Unpack[Options]) -> t.MemoryImportResponse:
        """Import entries"""
        return cast("t.MemoryImportResponse", self._call(IMPORT_MEMORY, body=body, content_type="application/x-ndjson", options=options))

    def lint_pack(self, body: t.PackDocument, **options: Unpack[Options]) -> t.PackLintResponse:
        """Check a pack"""
        return cast("t.PackLintResponse", self._call(LINT_PACK, body=body, options=options))

    def list_adapters(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> t.AdapterList:
        """List the adapters"""
        return cast("t.AdapterList", self._call(LIST_ADAPTERS, query={"limit": limit, "cursor": cursor}, options=options))

    def iter_adapters(self, *, limit: Optional[int] = None, **options: Unpack[Options]) -> Iterator[t.AdapterRow]:
        """Each row of `list_adapters`, page after page."""
        return cast("Iterator[t.AdapterRow]", self._each(LIST_ADAPTERS, query={"limit": limit}, options=options))

    def list_candidate_events(self, *, limit: Optional[int] = None, cursor: Optional[int] = None, verify: Optional[Literal['1', 'true', '0', 'false']] = None, **options: Unpack[Options]) -> t.CandidateEvents:
        """See the outcome of candidates"""
        return cast("t.CandidateEvents", self._call(LIST_CANDIDATE_EVENTS, query={"limit": limit, "cursor": cursor, "verify": verify}, options=options))

    def iter_candidate_events(self, *, limit: Optional[int] = None, verify: Optional[Literal['1', 'true', '0', 'false']] = None, **options: Unpack[Options]) -> Iterator[t.CandidateEvent]:
        """Each row of `list_candidate_events`, page after page."""
        return cast("Iterator[t.CandidateEvent]", self._each(LIST_CANDIDATE_EVENTS, query={"limit": limit, "verify": verify}, options=options))

    def list_candidates(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, state: Optional[Literal['pending', 'in_review', 'duplicate', 'auto_rejected', 'rejected', 'approved', 'promoted', 'superseded']] = None, **options: Unpack[Options]) -> t.CandidateList:
        """List candidates"""
        return cast("t.CandidateList", self._call(LIST_CANDIDATES, query={"limit": limit, "cursor": cursor, "state": state}, options=options))

    def iter_candidates(self, *, limit: Optional[int] = None, state: Optional[Literal['pending', 'in_review', 'duplicate', 'auto_rejected', 'rejected', 'approved', 'promoted', 'superseded']] = None, **options: Unpack[Options]) -> Iterator[t.Candidate]:
        """Each row of `list_candidates`, page after page."""
        return cast("Iterator[t.Candidate]", self._each(LIST_CANDIDATES, query={"limit": limit, "state": state}, options=options))

    def list_compilations(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, session_id: Optional[str] = None, target: Optional[Literal['openai', 'openai_responses', 'anthropic', 'gemini', 'neutral']] = None, model: Optional[str] = None, status: Optional[Literal['compiled', 'refused']] = None, record: Optional[Literal['hashes', 'full']] = None, payload_hash: Optional[str] = None, **options: Unpack[Options]) -> t.CompilationList:
        """List compilations"""
        return cast("t.CompilationList", self._call(LIST_COMPILATIONS, query={"limit": limit, "cursor": cursor, "session_id": session_id, "target": target, "model": model, "status": status, "record": record, "payload_hash": payload_hash}, options=options))

    def iter_compilations(self, *, limit: Optional[int] = None, session_id: Optional[str] = None, target: Optional[Literal['openai', 'openai_responses', 'anthropic', 'gemini', 'neutral']] = None, model: Optional[str] = None, status: Optional[Literal['compiled', 'refused']] = None, record: Optional[Literal['hashes', 'full']] = None, payload_hash: Optional[str] = None, **options: Unpack[Options]) -> Iterator[t.CompilationRow]:
        """Each row of `list_compilations`, page after page."""
        return cast("Iterator[t.CompilationRow]", self._each(LIST_COMPILATIONS, query={"limit": limit, "session_id": session_id, "target": target, "model": model, "status": status, "record": record, "payload_hash": payload_hash}, options=options))

    def list_events(self, *, after: Optional[int] = None, types: Optional[str] = None, session_id: Optional[str] = None, limit: Optional[int] = None, **options: Unpack[Options]) -> t.EventList:
        """Read events"""
        return cast("t.EventList", self._call(LIST_EVENTS, query={"after": after, "types": types, "session_id": session_id, "limit": limit, "format": "json"}, options=options))

    def list_hook_deliveries(self, id: str, /, *, state: Optional[Literal['queued', 'delivered', 'dead']] = None, limit: Optional[int] = None, cursor: Optional[int] = None, **options: Unpack[Options]) -> t.DeliveryList:
        """List what was queued for a hook"""
        return cast("t.DeliveryList", self._call(LIST_HOOK_DELIVERIES, path=(id,), query={"state": state, "limit": limit, "cursor": cursor}, options=options))

    def iter_hook_deliveries(self, id: str, /, *, state: Optional[Literal['queued', 'delivered', 'dead']] = None, limit: Optional[int] = None, **options: Unpack[Options]) -> Iterator[t.Delivery]:
        """Each row of `list_hook_deliveries`, page after page."""
        return cast("Iterator[t.Delivery]", self._each(LIST_HOOK_DELIVERIES, path=(id,), query={"state": state, "limit": limit}, options=options))

    def list_hook_points(self, **options: Unpack[Options]) -> t.HookPoints:
        """List the hook points"""
        return cast("t.HookPoints", self._call(LIST_HOOK_POINTS, options=options))

    def list_hooks(self, *, point: Optional[Literal['before_compress', 'summarize', 'after_compress', 'before_compile', 'transform_context', 'memory_update', 'memory_changed', 'memory_expired', 'delegation', 'session_switch', 'cache_expiring', 'tool_call', 'tool_result', 'compress_format', 'retrieve_evidence', 'recall_memory', 'event']] = None, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> t.HookList:
        """List the hooks"""
        return cast("t.HookList", self._call(LIST_HOOKS, query={"point": point, "limit": limit, "cursor": cursor}, options=options))

    def iter_hooks(self, *, point: Optional[Literal['before_compress', 'summarize', 'after_compress', 'before_compile', 'transform_context', 'memory_update', 'memory_changed', 'memory_expired', 'delegation', 'session_switch', 'cache_expiring', 'tool_call', 'tool_result', 'compress_format', 'retrieve_evidence', 'recall_memory', 'event']] = None, limit: Optional[int] = None, **options: Unpack[Options]) -> Iterator[t.HookRow]:
        """Each row of `list_hooks`, page after page."""
        return cast("Iterator[t.HookRow]", self._each(LIST_HOOKS, query={"point": point, "limit": limit}, options=options))

    def list_keys(self, *, tenant: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> t.KeyList:
        """List the keys"""
        return cast("t.KeyList", self._call(LIST_KEYS, query={"tenant": tenant, "limit": limit, "cursor": cursor}, options=options))

    def iter_keys(self, *, tenant: Optional[str] = None, limit: Optional[int] = None, **options: Unpack[Options]) -> Iterator[t.ApiKey]:
        """Each row of `list_keys`, page after page."""
        return cast("Iterator[t.ApiKey]", self._each(LIST_KEYS, query={"tenant": tenant, "limit": limit}, options=options))

    def list_memory(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, tag: Optional[str] = None, tier: Optional[Literal['durable', 'semantic', 'episodic', 'working']] = None, status: Optional[Literal['promoted', 'captured', 'superseded', 'retracted', 'deprecated']] = None, prefix: Optional[str] = None, **options: Unpack[Options]) -> t.MemoryList:
        """List entries"""
        return cast("t.MemoryList", self._call(LIST_MEMORY, query={"limit": limit, "cursor": cursor, "subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant, "tag": tag, "tier": tier, "status": status, "prefix": prefix}, options=options))

    def iter_memory(self, *, limit: Optional[int] = None, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, tag: Optional[str] = None, tier: Optional[Literal['durable', 'semantic', 'episodic', 'working']] = None, status: Optional[Literal['promoted', 'captured', 'superseded', 'retracted', 'deprecated']] = None, prefix: Optional[str] = None, **options: Unpack[Options]) -> Iterator[t.MemoryEntry]:
        """Each row of `list_memory`, page after page."""
        return cast("Iterator[t.MemoryEntry]", self._each(LIST_MEMORY, query={"limit": limit, "subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant, "tag": tag, "tier": tier, "status": status, "prefix": prefix}, options=options))

    def list_memory_versions(self, key: str, /, *, limit: Optional[int] = None, cursor: Optional[int] = None, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, **options: Unpack[Options]) -> t.MemoryVersions:
        """List the versions of an entry"""
        return cast("t.MemoryVersions", self._call(LIST_MEMORY_VERSIONS, path=(key,), query={"limit": limit, "cursor": cursor, "subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, options=options))

    def iter_memory_versions(self, key: str, /, *, limit: Optional[int] = None, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, **options: Unpack[Options]) -> Iterator[t.MemoryVersionRow]:
        """Each row of `list_memory_versions`, page after page."""
        return cast("Iterator[t.MemoryVersionRow]", self._each(LIST_MEMORY_VERSIONS, path=(key,), query={"limit": limit, "subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, options=options))

    def list_models(self, **options: Unpack[Options]) -> t.ModelList:
        """List the models"""
        return cast("t.ModelList", self._call(LIST_MODELS, options=options))

    def list_pack_versions(self, id: str, /, **options: Unpack[Options]) -> t.PackVersions:
        """List a pack's versions"""
        return cast("t.PackVersions", self._call(LIST_PACK_VERSIONS, path=(id,), options=options))

    def list_packs(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> t.PackList:
        """List the packs"""
        return cast("t.PackList", self._call(LIST_PACKS, query={"limit": limit, "cursor": cursor}, options=options))

    def iter_packs(self, *, limit: Optional[int] = None, **options: Unpack[Options]) -> Iterator[t.PackRow]:
        """Each row of `list_packs`, page after page."""
        return cast("Iterator[t.PackRow]", self._each(LIST_PACKS, query={"limit": limit}, options=options))

    def list_problems(self, **options: Unpack[Options]) -> str:
        """The types of problems"""
        return cast("str", self._call(LIST_PROBLEMS, options=options))

    def list_sessions(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, parent_session_id: Optional[str] = None, **options: Unpack[Options]) -> t.SessionList:
        """List sessions"""
        return cast("t.SessionList", self._call(LIST_SESSIONS, query={"limit": limit, "cursor": cursor, "parent_session_id": parent_session_id}, options=options))

    def iter_sessions(self, *, limit: Optional[int] = None, parent_session_id: Optional[str] = None, **options: Unpack[Options]) -> Iterator[t.Session]:
        """Each row of `list_sessions`, page after page."""
        return cast("Iterator[t.Session]", self._each(LIST_SESSIONS, query={"limit": limit, "parent_session_id": parent_session_id}, options=options))

    def list_settings(self, **options: Unpack[Options]) -> t.SettingList:
        """List the settings in force"""
        return cast("t.SettingList", self._call(LIST_SETTINGS, options=options))

    def list_skills(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> t.SkillList:
        """List the skills"""
        return cast("t.SkillList", self._call(LIST_SKILLS, query={"limit": limit, "cursor": cursor}, options=options))

    def iter_skills(self, *, limit: Optional[int] = None, **options: Unpack[Options]) -> Iterator[t.Skill]:
        """Each row of `list_skills`, page after page."""
        return cast("Iterator[t.Skill]", self._each(LIST_SKILLS, query={"limit": limit}, options=options))

    def list_snapshots(self, id: str, /, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> t.SnapshotList:
        """List a session's snapshots"""
        return cast("t.SnapshotList", self._call(LIST_SNAPSHOTS, path=(id,), query={"limit": limit, "cursor": cursor}, options=options))

    def iter_snapshots(self, id: str, /, *, limit: Optional[int] = None, **options: Unpack[Options]) -> Iterator[t.SnapshotRow]:
        """Each row of `list_snapshots`, page after page."""
        return cast("Iterator[t.SnapshotRow]", self._each(LIST_SNAPSHOTS, path=(id,), query={"limit": limit}, options=options))

    def list_usage(self, *, from_: Optional[str] = None, to: Optional[str] = None, key: Optional[str] = None, model: Optional[str] = None, by: Optional[str] = None, session_id: Optional[str] = None, tenant: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> t.UsageList:
        """Read what was used"""
        return cast("t.UsageList", self._call(LIST_USAGE, query={"from": from_, "to": to, "key": key, "model": model, "by": by, "session_id": session_id, "tenant": tenant, "limit": limit, "cursor": cursor}, options=options))

    def iter_usage(self, *, from_: Optional[str] = None, to: Optional[str] = None, key: Optional[str] = None, model: Optional[str] = None, by: Optional[str] = None, session_id: Optional[str] = None, tenant: Optional[str] = None, limit: Optional[int] = None, **options: Unpack[Options]) -> Iterator[t.UsageRow]:
        """Each row of `list_usage`, page after page."""
        return cast("Iterator[t.UsageRow]", self._each(LIST_USAGE, query={"from": from_, "to": to, "key": key, "model": model, "by": by, "session_id": session_id, "tenant": tenant, "limit": limit}, options=options))

    def patch_memory(self, key: str, /, body: t.MemoryChange, *, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.MemoryEntry:
        """Change an entry"""
        return cast("t.MemoryEntry", self._call(PATCH_MEMORY, path=(key,), body=body, query={"subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, headers={"If-Match": if_match}, options=options))

    def promote_candidate(self, id: str, /, body: t.CandidatePromotion, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.Candidate:
        """Promote a candidate"""
        return cast("t.Candidate", self._call(PROMOTE_CANDIDATE, path=(id,), body=body, headers={"If-Match": if_match}, options=options))

    def promote_memory(self, key: str, /, body: t.MemoryScopeRequest, *, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, **options: Unpack[Options]) -> t.MemoryEntry:
        """Promote an entry"""
        return cast("t.MemoryEntry", self._call(PROMOTE_MEMORY, path=(key,), body=body, query={"subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, options=options))

    def propose_candidate(self, body: t.CandidateProposal, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.Candidate:
        """Propose a fact"""
        return cast("t.Candidate", self._call(PROPOSE_CANDIDATE, body=body, headers={"If-Match": if_match}, options=options))

    def publish_pack(self, body: t.PackDocument, **options: Unpack[Options]) -> t.PackPublished:
        """Publish a pack"""
        return cast("t.PackPublished", self._call(PUBLISH_PACK, body=body, options=options))

    def put_adapter(self, name: str, /, body: t.AdapterDefinition, **options: Unpack[Options]) -> t.Adapter:
        """Store an adapter"""
        return cast("t.Adapter", self._call(PUT_ADAPTER, path=(name,), body=body, options=options))

    def put_golden_set(self, id: str, version: str, /, body: t.GoldenRequest, **options: Unpack[Options]) -> t.GoldenList:
        """Put a golden set"""
        return cast("t.GoldenList", self._call(PUT_GOLDEN_SET, path=(id, version,), body=body, options=options))

    def put_hook(self, id: str, /, body: t.HookRegistration, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.NewHook:
        """Register or replace a hook"""
        return cast("t.NewHook", self._call(PUT_HOOK, path=(id,), body=body, headers={"If-Match": if_match}, options=options))

    def put_hook_order(self, body: t.HookOrderRequest, *, session_id: Optional[str] = None, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.HookOrder:
        """Set the order of hooks"""
        return cast("t.HookOrder", self._call(PUT_HOOK_ORDER, body=body, query={"session_id": session_id}, headers={"If-Match": if_match}, options=options))

    def put_memory(self, key: str, /, body: t.MemoryWrite, *, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, if_match: Optional[str] = None, if_none_match: Optional[str] = None, **options: Unpack[Options]) -> t.MemoryEntry:
        """Store an entry"""
        return cast("t.MemoryEntry", self._call(PUT_MEMORY, path=(key,), body=body, query={"subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, headers={"If-Match": if_match, "If-None-Match": if_none_match}, options=options))

    def put_skill(self, name: str, /, body: t.SkillDefinition, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.Skill:
        """Store a skill"""
        return cast("t.Skill", self._call(PUT_SKILL, path=(name,), body=body, headers={"If-Match": if_match}, options=options))

    def recall_memory(self, body: t.MemoryRecallRequest, **options: Unpack[Options]) -> t.MemoryRecallResponse:
        """See what memory would show"""
        return cast("t.MemoryRecallResponse", self._call(RECALL_MEMORY, body=body, options=options))

    def render_skill(self, name: str, /, body: t.RenderSkill, **options: Unpack[Options]) -> t.RenderedSkill:
        """Render a skill"""
        return cast("t.RenderedSkill", self._call(RENDER_SKILL, path=(name,), body=body, options=options))

    def replay_compilation(self, id: str, /, body: t.ReplayRequest, **options: Unpack[Options]) -> t.ReplayResponse:
        """Replay a compilation"""
        return cast("t.ReplayResponse", self._call(REPLAY_COMPILATION, path=(id,), body=body, options=options))

    def report_delegation(self, id: str, /, body: t.Delegation, **options: Unpack[Options]) -> t.DelegationReport:
        """Report a delegation"""
        return cast("t.DelegationReport", self._call(REPORT_DELEGATION, path=(id,), body=body, options=options))

    def report_usage(self, id: str, /, body: t.SessionUsage, **options: Unpack[Options]) -> t.UsageResponse:
        """Report what the provider counted"""
        return cast("t.UsageResponse", self._call(REPORT_USAGE, path=(id,), body=body, options=options))

    def restore_memory(self, key: str, /, body: t.MemoryRestore, *, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, **options: Unpack[Options]) -> t.MemoryEntry:
        """Restore a version of an entry"""
        return cast("t.MemoryEntry", self._call(RESTORE_MEMORY, path=(key,), body=body, query={"subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, options=options))

    def restore_session(self, id: str, /, body: t.RestoreSession, **options: Unpack[Options]) -> t.Session:
        """Restore a session"""
        return cast("t.Session", self._call(RESTORE_SESSION, path=(id,), body=body, options=options))

    def retract_memory(self, key: str, /, body: Optional[t.MemoryScopeRequest] = None, *, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, **options: Unpack[Options]) -> t.MemoryEntry:
        """Retract an entry"""
        return cast("t.MemoryEntry", self._call(RETRACT_MEMORY, path=(key,), body={} if body is None else body, query={"subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, options=options))

    def retrieve_by_body(self, body: t.RetrieveRequest, **options: Unpack[Options]) -> t.RetrievedOriginal:
        """Retrieve an original, by a body"""
        return cast("t.RetrievedOriginal", self._call(RETRIEVE_BY_BODY, body=body, options=options))

    def retrieve_original(self, hash: str, /, *, query: Optional[str] = None, **options: Unpack[Options]) -> t.RetrievedOriginal:
        """Retrieve an original"""
        return cast("t.RetrievedOriginal", self._call(RETRIEVE_ORIGINAL, path=(hash,), query={"query": query}, options=options))

    def retry_delivery(self, id: str, /, **options: Unpack[Options]) -> t.Delivery:
        """Try a delivery again"""
        return cast("t.Delivery", self._call(RETRY_DELIVERY, path=(id,), options=options))

    def review_candidate(self, id: str, /, body: t.CandidateReview, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.Candidate:
        """Review a candidate"""
        return cast("t.Candidate", self._call(REVIEW_CANDIDATE, path=(id,), body=body, headers={"If-Match": if_match}, options=options))

    def rotate_hook_secret(self, id: str, /, body: Optional[t.RotateSecret] = None, **options: Unpack[Options]) -> t.NewHook:
        """Give a hook another secret"""
        return cast("t.NewHook", self._call(ROTATE_HOOK_SECRET, path=(id,), body={} if body is None else body, options=options))

    def run_golden_set(self, id: str, version: str, /, body: t.GoldenRunRequest, **options: Unpack[Options]) -> t.GoldenRun:
        """Run a golden set"""
        return cast("t.GoldenRun", self._call(RUN_GOLDEN_SET, path=(id, version,), body=body, options=options))

    def store_memory(self, body: t.MemoryActRequest, **options: Unpack[Options]) -> t.MemoryActResponse:
        """Add, replace or remove an entry"""
        return cast("t.MemoryActResponse", self._call(STORE_MEMORY, body=body, options=options))

    def switch_session(self, id: str, /, body: Optional[t.SwitchSession] = None, **options: Unpack[Options]) -> t.Session:
        """Go on in another session"""
        return cast("t.Session", self._call(SWITCH_SESSION, path=(id,), body={} if body is None else body, options=options))

    def take_results(self, body: t.ToolResultsRequest, **options: Unpack[Options]) -> t.ToolResultsResponse:
        """Take the results of tools"""
        return cast("t.ToolResultsResponse", self._call(TAKE_RESULTS, body=body, options=options))

    def take_snapshot(self, id: str, /, body: Optional[t.TakeSnapshot] = None, **options: Unpack[Options]) -> t.SnapshotRow:
        """Take a snapshot"""
        return cast("t.SnapshotRow", self._call(TAKE_SNAPSHOT, path=(id,), body={} if body is None else body, options=options))

    def take_turn(self, id: str, /, body: t.SessionTurn, **options: Unpack[Options]) -> t.TurnResponse:
        """Take a turn"""
        return cast("t.TurnResponse", self._call(TAKE_TURN, path=(id,), body=body, options=options))

    def test_adapter(self, name: str, /, body: t.AdapterTestRequest, **options: Unpack[Options]) -> t.AdapterTest:
        """Try an adapter"""
        return cast("t.AdapterTest", self._call(TEST_ADAPTER, path=(name,), body=body, options=options))

    def test_hook(self, id: str, /, body: Optional[t.TestHook] = None, **options: Unpack[Options]) -> t.HookTestResult:
        """Try a hook"""
        return cast("t.HookTestResult", self._call(TEST_HOOK, path=(id,), body={} if body is None else body, options=options))

    def test_new_hook(self, body: t.TestNewHook, **options: Unpack[Options]) -> t.HookTestResult:
        """Try a hook that is not registered"""
        return cast("t.HookTestResult", self._call(TEST_NEW_HOOK, body=body, options=options))

    def update_hook(self, id: str, /, body: t.HookChange, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.HookRow:
        """Change a hook"""
        return cast("t.HookRow", self._call(UPDATE_HOOK, path=(id,), body=body, headers={"If-Match": if_match}, options=options))

    def update_key(self, id: str, /, body: t.ChangeKey, **options: Unpack[Options]) -> t.ApiKey:
        """Change a key"""
        return cast("t.ApiKey", self._call(UPDATE_KEY, path=(id,), body=body, options=options))

    def update_session(self, id: str, /, body: t.ChangeSession, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.Session:
        """Change a session"""
        return cast("t.Session", self._call(UPDATE_SESSION, path=(id,), body=body, headers={"If-Match": if_match}, options=options))


class AsyncOperations(AsyncTransport):
    """The operations of the API."""

    async def clean_up_artifacts(self, body: Optional[t.ArtifactCleanupRequest] = None, **options: Unpack[Options]) -> t.ArtifactCleanup:
        """Clean up now"""
        return cast("t.ArtifactCleanup", await self._call(CLEAN_UP_ARTIFACTS, body={} if body is None else body, options=options))

    async def compare_compilations(self, body: t.CompareRequest, **options: Unpack[Options]) -> t.CompareResponse:
        """Compare two compilations"""
        return cast("t.CompareResponse", await self._call(COMPARE_COMPILATIONS, body=body, options=options))

    async def compile(self, body: t.CompileRequest, *, format: Optional[Literal['full', 'contextos-v1']] = None, dry_run: Optional[bool] = None, **options: Unpack[Options]) -> t.Compilation:
        """Compile a conversation"""
        return cast("t.Compilation", await self._call(COMPILE, body=body, query={"format": format, "dry_run": dry_run}, options=options))

    async def compress(self, body: t.CompressRequest, **options: Unpack[Options]) -> t.CompressResponse:
        """Compress messages or a text"""
        return cast("t.CompressResponse", await self._call(COMPRESS, body=body, options=options))

    async def compress_for_gateway(self, body: Optional[t.GatewayRequest] = None, *, x_headroom_bypass: Optional[str] = None, **options: Unpack[Options]) -> t.GatewayResponse:
        """Compress for a gateway"""
        return cast("t.GatewayResponse", await self._call(COMPRESS_FOR_GATEWAY, body={} if body is None else body, headers={"x-headroom-bypass": x_headroom_bypass}, options=options))

    async def count_tokens(self, body: t.TokensRequest, **options: Unpack[Options]) -> t.TokensResponse:
        """Count tokens"""
        return cast("t.TokensResponse", await self._call(COUNT_TOKENS, body=body, options=options))

    async def create_artifact(self, body: t.OffloadRequest, **options: Unpack[Options]) -> t.OffloadResponse:
        """Offload a text"""
        return cast("t.OffloadResponse", await self._call(CREATE_ARTIFACT, body=body, options=options))

    async def create_console_session(self, **options: Unpack[Options]) -> t.ConsoleSession:
        """Sign a browser in"""
        return cast("t.ConsoleSession", await self._call(CREATE_CONSOLE_SESSION, options=options))

    async def create_event_ticket(self, **options: Unpack[Options]) -> t.EventTicket:
        """Get a ticket for a stream"""
        return cast("t.EventTicket", await self._call(CREATE_EVENT_TICKET, options=options))

    async def create_hook(self, body: t.HookRegistration, **options: Unpack[Options]) -> t.NewHook:
        """Register a hook"""
        return cast("t.NewHook", await self._call(CREATE_HOOK, body=body, options=options))

    async def create_key(self, body: t.CreateKey, **options: Unpack[Options]) -> t.NewKey:
        """Make a key"""
        return cast("t.NewKey", await self._call(CREATE_KEY, body=body, options=options))

    async def create_session(self, body: Optional[t.CreateSession] = None, **options: Unpack[Options]) -> t.Session:
        """Open a session"""
        return cast("t.Session", await self._call(CREATE_SESSION, body={} if body is None else body, options=options))

    async def delete_adapter(self, name: str, /, **options: Unpack[Options]) -> None:
        """Delete an adapter"""
        await self._call(DELETE_ADAPTER, path=(name,), options=options)

    async def delete_artifact(self, id: str, /, **options: Unpack[Options]) -> None:
        """Delete an artifact"""
        await self._call(DELETE_ARTIFACT, path=(id,), options=options)

    async def delete_candidate(self, id: str, /, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> None:
        """Delete a candidate"""
        await self._call(DELETE_CANDIDATE, path=(id,), headers={"If-Match": if_match}, options=options)

    async def delete_console_session(self, **options: Unpack[Options]) -> None:
        """Sign a browser out"""
        await self._call(DELETE_CONSOLE_SESSION, options=options)

    async def delete_hook(self, id: str, /, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> None:
        """Delete a hook"""
        await self._call(DELETE_HOOK, path=(id,), headers={"If-Match": if_match}, options=options)

    async def delete_key(self, id: str, /, **options: Unpack[Options]) -> None:
        """Revoke a key"""
        await self._call(DELETE_KEY, path=(id,), options=options)

    async def delete_memory(self, key: str, /, *, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, if_match: Optional[str] = None, **options: Unpack[Options]) -> None:
        """Delete an entry"""
        await self._call(DELETE_MEMORY, path=(key,), query={"subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, headers={"If-Match": if_match}, options=options)

    async def delete_session(self, id: str, /, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> None:
        """Delete a session"""
        await self._call(DELETE_SESSION, path=(id,), headers={"If-Match": if_match}, options=options)

    async def delete_skill(self, name: str, /, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> None:
        """Delete a skill"""
        await self._call(DELETE_SKILL, path=(name,), headers={"If-Match": if_match}, options=options)

    async def diff_hook(self, id: str, /, body: t.HookRegistration, **options: Unpack[Options]) -> t.HookDiff:
        """Compare a hook with a definition"""
        return cast("t.HookDiff", await self._call(DIFF_HOOK, path=(id,), body=body, options=options))

    async def diff_packs(self, body: t.PackDiffRequest, **options: Unpack[Options]) -> t.PackDiff:
        """Compare two versions of a pack"""
        return cast("t.PackDiff", await self._call(DIFF_PACKS, body=body, options=options))

    async def evaluate_rule(self, body: t.RuleRequest, **options: Unpack[Options]) -> t.RuleValue:
        """Evaluate a rule"""
        return cast("t.RuleValue", await self._call(EVALUATE_RULE, body=body, options=options))

    async def expand(self, body: t.ExpandRequest, **options: Unpack[Options]) -> t.ExpandedList:
        """Give the originals back"""
        return cast("t.ExpandedList", await self._call(EXPAND, body=body, options=options))

    async def fork_session(self, id: str, /, body: Optional[t.ForkSession] = None, **options: Unpack[Options]) -> t.Session:
        """Fork a session"""
        return cast("t.Session", await self._call(FORK_SESSION, path=(id,), body={} if body is None else body, options=options))

    async def get_adapter(self, name: str, /, **options: Unpack[Options]) -> t.Adapter:
        """Read an adapter"""
        return cast("t.Adapter", await self._call(GET_ADAPTER, path=(name,), options=options))

    async def get_artifact(self, id: str, /, *, lines: Optional[str] = None, query: Optional[str] = None, range: Optional[str] = None, **options: Unpack[Options]) -> str:
        """Read an artifact"""
        return cast("str", await self._call(GET_ARTIFACT, path=(id,), query={"lines": lines, "query": query}, headers={"Range": range}, options=options))

    async def get_candidate(self, id: str, /, **options: Unpack[Options]) -> t.Candidate:
        """Read a candidate"""
        return cast("t.Candidate", await self._call(GET_CANDIDATE, path=(id,), options=options))

    async def get_compilation(self, id: str, /, *, explain: Optional[str] = None, **options: Unpack[Options]) -> t.CompilationRecord:
        """Read a compilation"""
        return cast("t.CompilationRecord", await self._call(GET_COMPILATION, path=(id,), query={"explain": explain}, options=options))

    async def get_console_session(self, **options: Unpack[Options]) -> t.ConsoleSession:
        """Read who is signed in"""
        return cast("t.ConsoleSession", await self._call(GET_CONSOLE_SESSION, options=options))

    async def get_gateway_health(self, **options: Unpack[Options]) -> t.GatewayHealth:
        """Whether to send work here, for a gateway"""
        return cast("t.GatewayHealth", await self._call(GET_GATEWAY_HEALTH, options=options))

    async def get_gateway_stats(self, **options: Unpack[Options]) -> t.GatewayStats:
        """Read what was saved, for a gateway"""
        return cast("t.GatewayStats", await self._call(GET_GATEWAY_STATS, options=options))

    async def get_golden_set(self, id: str, version: str, /, **options: Unpack[Options]) -> t.GoldenList:
        """Read a golden set"""
        return cast("t.GoldenList", await self._call(GET_GOLDEN_SET, path=(id, version,), options=options))

    async def get_health(self, **options: Unpack[Options]) -> t.HealthReport:
        """Whether the process lives"""
        return cast("t.HealthReport", await self._call(GET_HEALTH, options=options))

    async def get_hook(self, id: str, /, **options: Unpack[Options]) -> t.HookRow:
        """Read a hook"""
        return cast("t.HookRow", await self._call(GET_HOOK, path=(id,), options=options))

    async def get_hook_order(self, *, session_id: Optional[str] = None, **options: Unpack[Options]) -> t.HookOrder:
        """Read the order of hooks"""
        return cast("t.HookOrder", await self._call(GET_HOOK_ORDER, query={"session_id": session_id}, options=options))

    async def get_inventory(self, *, session_id: str, turns: Optional[int] = None, **options: Unpack[Options]) -> t.Inventory:
        """Read what a session carries"""
        return cast("t.Inventory", await self._call(GET_INVENTORY, query={"session_id": session_id, "turns": turns}, options=options))

    async def get_memory(self, key: str, /, *, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, **options: Unpack[Options]) -> t.MemoryEntry:
        """Read an entry"""
        return cast("t.MemoryEntry", await self._call(GET_MEMORY, path=(key,), query={"subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, options=options))

    async def get_metrics(self, **options: Unpack[Options]) -> str:
        """Figures for Prometheus"""
        return cast("str", await self._call(GET_METRICS, options=options))

    async def get_openapi(self, **options: Unpack[Options]) -> Dict[str, Any]:
        """This description, as JSON"""
        return cast("Dict[str, Any]", await self._call(GET_OPENAPI, options=options))

    async def get_pack(self, id: str, version: str, /, **options: Unpack[Options]) -> t.Pack:
        """Read a version of a pack"""
        return cast("t.Pack", await self._call(GET_PACK, path=(id, version,), options=options))

    async def get_problem(self, code: str, /, **options: Unpack[Options]) -> str:
        """What a type of problem means"""
        return cast("str", await self._call(GET_PROBLEM, path=(code,), options=options))

    async def get_readiness(self, **options: Unpack[Options]) -> t.HealthReport:
        """Whether to send work here"""
        return cast("t.HealthReport", await self._call(GET_READINESS, options=options))

    async def get_session(self, id: str, /, **options: Unpack[Options]) -> t.Session:
        """Read a session"""
        return cast("t.Session", await self._call(GET_SESSION, path=(id,), options=options))

    async def get_session_timeline(self, id: str, /, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> t.Timeline:
        """Read a session's timeline"""
        return cast("t.Timeline", await self._call(GET_SESSION_TIMELINE, path=(id,), query={"limit": limit, "cursor": cursor}, options=options))

    def iter_get_session_timeline(self, id: str, /, *, limit: Optional[int] = None, **options: Unpack[Options]) -> AsyncIterator[t.TimelineRow]:
        """Each row of `get_session_timeline`, page after page."""
        return cast("AsyncIterator[t.TimelineRow]", self._each(GET_SESSION_TIMELINE, path=(id,), query={"limit": limit}, options=options))

    async def get_skill(self, name: str, /, **options: Unpack[Options]) -> t.Skill:
        """Read a skill"""
        return cast("t.Skill", await self._call(GET_SKILL, path=(name,), options=options))

    async def get_snapshot(self, id: str, /, **options: Unpack[Options]) -> t.Snapshot:
        """Read a snapshot"""
        return cast("t.Snapshot", await self._call(GET_SNAPSHOT, path=(id,), options=options))

    async def handle_calls(self, body: t.ToolCallsRequest, **options: Unpack[Options]) -> t.ToolCallsResponse:
        """Handle the calls of a model"""
        return cast("t.ToolCallsResponse", await self._call(HANDLE_CALLS, body=body, options=options))

    async def import_memory(self, body: Union[str, bytes], **options: Unpack[Options]) -> t.MemoryImportResponse:
        """Import entries"""
        return cast("t.MemoryImportResponse", await self._call(IMPORT_MEMORY, body=body, content_type="application/x-ndjson", options=options))

    async def lint_pack(self, body: t.PackDocument, **options: Unpack[Options]) -> t.PackLintResponse:
        """Check a pack"""
        return cast("t.PackLintResponse", await self._call(LINT_PACK, body=body, options=options))

    async def list_adapters(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> t.AdapterList:
        """List the adapters"""
        return cast("t.AdapterList", await self._call(LIST_ADAPTERS, query={"limit": limit, "cursor": cursor}, options=options))

    def iter_adapters(self, *, limit: Optional[int] = None, **options: Unpack[Options]) -> AsyncIterator[t.AdapterRow]:
        """Each row of `list_adapters`, page after page."""
        return cast("AsyncIterator[t.AdapterRow]", self._each(LIST_ADAPTERS, query={"limit": limit}, options=options))

    async def list_candidate_events(self, *, limit: Optional[int] = None, cursor: Optional[int] = None, verify: Optional[Literal['1', 'true', '0', 'false']] = None, **options: Unpack[Options]) -> t.CandidateEvents:
        """See the outcome of candidates"""
        return cast("t.CandidateEvents", await self._call(LIST_CANDIDATE_EVENTS, query={"limit": limit, "cursor": cursor, "verify": verify}, options=options))

    def iter_candidate_events(self, *, limit: Optional[int] = None, verify: Optional[Literal['1', 'true', '0', 'false']] = None, **options: Unpack[Options]) -> AsyncIterator[t.CandidateEvent]:
        """Each row of `list_candidate_events`, page after page."""
        return cast("AsyncIterator[t.CandidateEvent]", self._each(LIST_CANDIDATE_EVENTS, query={"limit": limit, "verify": verify}, options=options))

    async def list_candidates(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, state: Optional[Literal['pending', 'in_review', 'duplicate', 'auto_rejected', 'rejected', 'approved', 'promoted', 'superseded']] = None, **options: Unpack[Options]) -> t.CandidateList:
        """List candidates"""
        return cast("t.CandidateList", await self._call(LIST_CANDIDATES, query={"limit": limit, "cursor": cursor, "state": state}, options=options))

    def iter_candidates(self, *, limit: Optional[int] = None, state: Optional[Literal['pending', 'in_review', 'duplicate', 'auto_rejected', 'rejected', 'approved', 'promoted', 'superseded']] = None, **options: Unpack[Options]) -> AsyncIterator[t.Candidate]:
        """Each row of `list_candidates`, page after page."""
        return cast("AsyncIterator[t.Candidate]", self._each(LIST_CANDIDATES, query={"limit": limit, "state": state}, options=options))

    async def list_compilations(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, session_id: Optional[str] = None, target: Optional[Literal['openai', 'openai_responses', 'anthropic', 'gemini', 'neutral']] = None, model: Optional[str] = None, status: Optional[Literal['compiled', 'refused']] = None, record: Optional[Literal['hashes', 'full']] = None, payload_hash: Optional[str] = None, **options: Unpack[Options]) -> t.CompilationList:
        """List compilations"""
        return cast("t.CompilationList", await self._call(LIST_COMPILATIONS, query={"limit": limit, "cursor": cursor, "session_id": session_id, "target": target, "model": model, "status": status, "record": record, "payload_hash": payload_hash}, options=options))

    def iter_compilations(self, *, limit: Optional[int] = None, session_id: Optional[str] = None, target: Optional[Literal['openai', 'openai_responses', 'anthropic', 'gemini', 'neutral']] = None, model: Optional[str] = None, status: Optional[Literal['compiled', 'refused']] = None, record: Optional[Literal['hashes', 'full']] = None, payload_hash: Optional[str] = None, **options: Unpack[Options]) -> AsyncIterator[t.CompilationRow]:
        """Each row of `list_compilations`, page after page."""
        return cast("AsyncIterator[t.CompilationRow]", self._each(LIST_COMPILATIONS, query={"limit": limit, "session_id": session_id, "target": target, "model": model, "status": status, "record": record, "payload_hash": payload_hash}, options=options))

    async def list_events(self, *, after: Optional[int] = None, types: Optional[str] = None, session_id: Optional[str] = None, limit: Optional[int] = None, **options: Unpack[Options]) -> t.EventList:
        """Read events"""
        return cast("t.EventList", await self._call(LIST_EVENTS, query={"after": after, "types": types, "session_id": session_id, "limit": limit, "format": "json"}, options=options))

    async def list_hook_deliveries(self, id: str, /, *, state: Optional[Literal['queued', 'delivered', 'dead']] = None, limit: Optional[int] = None, cursor: Optional[int] = None, **options: Unpack[Options]) -> t.DeliveryList:
        """List what was queued for a hook"""
        return cast("t.DeliveryList", await self._call(LIST_HOOK_DELIVERIES, path=(id,), query={"state": state, "limit": limit, "cursor": cursor}, options=options))

    def iter_hook_deliveries(self, id: str, /, *, state: Optional[Literal['queued', 'delivered', 'dead']] = None, limit: Optional[int] = None, **options: Unpack[Options]) -> AsyncIterator[t.Delivery]:
        """Each row of `list_hook_deliveries`, page after page."""
        return cast("AsyncIterator[t.Delivery]", self._each(LIST_HOOK_DELIVERIES, path=(id,), query={"state": state, "limit": limit}, options=options))

    async def list_hook_points(self, **options: Unpack[Options]) -> t.HookPoints:
        """List the hook points"""
        return cast("t.HookPoints", await self._call(LIST_HOOK_POINTS, options=options))

    async def list_hooks(self, *, point: Optional[Literal['before_compress', 'summarize', 'after_compress', 'before_compile', 'transform_context', 'memory_update', 'memory_changed', 'memory_expired', 'delegation', 'session_switch', 'cache_expiring', 'tool_call', 'tool_result', 'compress_format', 'retrieve_evidence', 'recall_memory', 'event']] = None, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> t.HookList:
        """List the hooks"""
        return cast("t.HookList", await self._call(LIST_HOOKS, query={"point": point, "limit": limit, "cursor": cursor}, options=options))

    def iter_hooks(self, *, point: Optional[Literal['before_compress', 'summarize', 'after_compress', 'before_compile', 'transform_context', 'memory_update', 'memory_changed', 'memory_expired', 'delegation', 'session_switch', 'cache_expiring', 'tool_call', 'tool_result', 'compress_format', 'retrieve_evidence', 'recall_memory', 'event']] = None, limit: Optional[int] = None, **options: Unpack[Options]) -> AsyncIterator[t.HookRow]:
        """Each row of `list_hooks`, page after page."""
        return cast("AsyncIterator[t.HookRow]", self._each(LIST_HOOKS, query={"point": point, "limit": limit}, options=options))

    async def list_keys(self, *, tenant: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> t.KeyList:
        """List the keys"""
        return cast("t.KeyList", await self._call(LIST_KEYS, query={"tenant": tenant, "limit": limit, "cursor": cursor}, options=options))

    def iter_keys(self, *, tenant: Optional[str] = None, limit: Optional[int] = None, **options: Unpack[Options]) -> AsyncIterator[t.ApiKey]:
        """Each row of `list_keys`, page after page."""
        return cast("AsyncIterator[t.ApiKey]", self._each(LIST_KEYS, query={"tenant": tenant, "limit": limit}, options=options))

    async def list_memory(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, tag: Optional[str] = None, tier: Optional[Literal['durable', 'semantic', 'episodic', 'working']] = None, status: Optional[Literal['promoted', 'captured', 'superseded', 'retracted', 'deprecated']] = None, prefix: Optional[str] = None, **options: Unpack[Options]) -> t.MemoryList:
        """List entries"""
        return cast("t.MemoryList", await self._call(LIST_MEMORY, query={"limit": limit, "cursor": cursor, "subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant, "tag": tag, "tier": tier, "status": status, "prefix": prefix}, options=options))

    def iter_memory(self, *, limit: Optional[int] = None, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, tag: Optional[str] = None, tier: Optional[Literal['durable', 'semantic', 'episodic', 'working']] = None, status: Optional[Literal['promoted', 'captured', 'superseded', 'retracted', 'deprecated']] = None, prefix: Optional[str] = None, **options: Unpack[Options]) -> AsyncIterator[t.MemoryEntry]:
        """Each row of `list_memory`, page after page."""
        return cast("AsyncIterator[t.MemoryEntry]", self._each(LIST_MEMORY, query={"limit": limit, "subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant, "tag": tag, "tier": tier, "status": status, "prefix": prefix}, options=options))

    async def list_memory_versions(self, key: str, /, *, limit: Optional[int] = None, cursor: Optional[int] = None, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, **options: Unpack[Options]) -> t.MemoryVersions:
        """List the versions of an entry"""
        return cast("t.MemoryVersions", await self._call(LIST_MEMORY_VERSIONS, path=(key,), query={"limit": limit, "cursor": cursor, "subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, options=options))

    def iter_memory_versions(self, key: str, /, *, limit: Optional[int] = None, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, **options: Unpack[Options]) -> AsyncIterator[t.MemoryVersionRow]:
        """Each row of `list_memory_versions`, page after page."""
        return cast("AsyncIterator[t.MemoryVersionRow]", self._each(LIST_MEMORY_VERSIONS, path=(key,), query={"limit": limit, "subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, options=options))

    async def list_models(self, **options: Unpack[Options]) -> t.ModelList:
        """List the models"""
        return cast("t.ModelList", await self._call(LIST_MODELS, options=options))

    async def list_pack_versions(self, id: str, /, **options: Unpack[Options]) -> t.PackVersions:
        """List a pack's versions"""
        return cast("t.PackVersions", await self._call(LIST_PACK_VERSIONS, path=(id,), options=options))

    async def list_packs(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> t.PackList:
        """List the packs"""
        return cast("t.PackList", await self._call(LIST_PACKS, query={"limit": limit, "cursor": cursor}, options=options))

    def iter_packs(self, *, limit: Optional[int] = None, **options: Unpack[Options]) -> AsyncIterator[t.PackRow]:
        """Each row of `list_packs`, page after page."""
        return cast("AsyncIterator[t.PackRow]", self._each(LIST_PACKS, query={"limit": limit}, options=options))

    async def list_problems(self, **options: Unpack[Options]) -> str:
        """The types of problems"""
        return cast("str", await self._call(LIST_PROBLEMS, options=options))

    async def list_sessions(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, parent_session_id: Optional[str] = None, **options: Unpack[Options]) -> t.SessionList:
        """List sessions"""
        return cast("t.SessionList", await self._call(LIST_SESSIONS, query={"limit": limit, "cursor": cursor, "parent_session_id": parent_session_id}, options=options))

    def iter_sessions(self, *, limit: Optional[int] = None, parent_session_id: Optional[str] = None, **options: Unpack[Options]) -> AsyncIterator[t.Session]:
        """Each row of `list_sessions`, page after page."""
        return cast("AsyncIterator[t.Session]", self._each(LIST_SESSIONS, query={"limit": limit, "parent_session_id": parent_session_id}, options=options))

    async def list_settings(self, **options: Unpack[Options]) -> t.SettingList:
        """List the settings in force"""
        return cast("t.SettingList", await self._call(LIST_SETTINGS, options=options))

    async def list_skills(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> t.SkillList:
        """List the skills"""
        return cast("t.SkillList", await self._call(LIST_SKILLS, query={"limit": limit, "cursor": cursor}, options=options))

    def iter_skills(self, *, limit: Optional[int] = None, **options: Unpack[Options]) -> AsyncIterator[t.Skill]:
        """Each row of `list_skills`, page after page."""
        return cast("AsyncIterator[t.Skill]", self._each(LIST_SKILLS, query={"limit": limit}, options=options))

    async def list_snapshots(self, id: str, /, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> t.SnapshotList:
        """List a session's snapshots"""
        return cast("t.SnapshotList", await self._call(LIST_SNAPSHOTS, path=(id,), query={"limit": limit, "cursor": cursor}, options=options))

    def iter_snapshots(self, id: str, /, *, limit: Optional[int] = None, **options: Unpack[Options]) -> AsyncIterator[t.SnapshotRow]:
        """Each row of `list_snapshots`, page after page."""
        return cast("AsyncIterator[t.SnapshotRow]", self._each(LIST_SNAPSHOTS, path=(id,), query={"limit": limit}, options=options))

    async def list_usage(self, *, from_: Optional[str] = None, to: Optional[str] = None, key: Optional[str] = None, model: Optional[str] = None, by: Optional[str] = None, session_id: Optional[str] = None, tenant: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> t.UsageList:
        """Read what was used"""
        return cast("t.UsageList", await self._call(LIST_USAGE, query={"from": from_, "to": to, "key": key, "model": model, "by": by, "session_id": session_id, "tenant": tenant, "limit": limit, "cursor": cursor}, options=options))

    def iter_usage(self, *, from_: Optional[str] = None, to: Optional[str] = None, key: Optional[str] = None, model: Optional[str] = None, by: Optional[str] = None, session_id: Optional[str] = None, tenant: Optional[str] = None, limit: Optional[int] = None, **options: Unpack[Options]) -> AsyncIterator[t.UsageRow]:
        """Each row of `list_usage`, page after page."""
        return cast("AsyncIterator[t.UsageRow]", self._each(LIST_USAGE, query={"from": from_, "to": to, "key": key, "model": model, "by": by, "session_id": session_id, "tenant": tenant, "limit": limit}, options=options))

    async def patch_memory(self, key: str, /, body: t.MemoryChange, *, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.MemoryEntry:
        """Change an entry"""
        return cast("t.MemoryEntry", await self._call(PATCH_MEMORY, path=(key,), body=body, query={"subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, headers={"If-Match": if_match}, options=options))

    async def promote_candidate(self, id: str, /, body: t.CandidatePromotion, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.Candidate:
        """Promote a candidate"""
        return cast("t.Candidate", await self._call(PROMOTE_CANDIDATE, path=(id,), body=body, headers={"If-Match": if_match}, options=options))

    async def promote_memory(self, key: str, /, body: t.MemoryScopeRequest, *, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, **options: Unpack[Options]) -> t.MemoryEntry:
        """Promote an entry"""
        return cast("t.MemoryEntry", await self._call(PROMOTE_MEMORY, path=(key,), body=body, query={"subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, options=options))

    async def propose_candidate(self, body: t.CandidateProposal, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.Candidate:
        """Propose a fact"""
        return cast("t.Candidate", await self._call(PROPOSE_CANDIDATE, body=body, headers={"If-Match": if_match}, options=options))

    async def publish_pack(self, body: t.PackDocument, **options: Unpack[Options]) -> t.PackPublished:
        """Publish a pack"""
        return cast("t.PackPublished", await self._call(PUBLISH_PACK, body=body, options=options))

    async def put_adapter(self, name: str, /, body: t.AdapterDefinition, **options: Unpack[Options]) -> t.Adapter:
        """Store an adapter"""
        return cast("t.Adapter", await self._call(PUT_ADAPTER, path=(name,), body=body, options=options))

    async def put_golden_set(self, id: str, version: str, /, body: t.GoldenRequest, **options: Unpack[Options]) -> t.GoldenList:
        """Put a golden set"""
        return cast("t.GoldenList", await self._call(PUT_GOLDEN_SET, path=(id, version,), body=body, options=options))

    async def put_hook(self, id: str, /, body: t.HookRegistration, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.NewHook:
        """Register or replace a hook"""
        return cast("t.NewHook", await self._call(PUT_HOOK, path=(id,), body=body, headers={"If-Match": if_match}, options=options))

    async def put_hook_order(self, body: t.HookOrderRequest, *, session_id: Optional[str] = None, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.HookOrder:
        """Set the order of hooks"""
        return cast("t.HookOrder", await self._call(PUT_HOOK_ORDER, body=body, query={"session_id": session_id}, headers={"If-Match": if_match}, options=options))

    async def put_memory(self, key: str, /, body: t.MemoryWrite, *, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, if_match: Optional[str] = None, if_none_match: Optional[str] = None, **options: Unpack[Options]) -> t.MemoryEntry:
        """Store an entry"""
        return cast("t.MemoryEntry", await self._call(PUT_MEMORY, path=(key,), body=body, query={"subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, headers={"If-Match": if_match, "If-None-Match": if_none_match}, options=options))

    async def put_skill(self, name: str, /, body: t.SkillDefinition, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.Skill:
        """Store a skill"""
        return cast("t.Skill", await self._call(PUT_SKILL, path=(name,), body=body, headers={"If-Match": if_match}, options=options))

    async def recall_memory(self, body: t.MemoryRecallRequest, **options: Unpack[Options]) -> t.MemoryRecallResponse:
        """See what memory would show"""
        return cast("t.MemoryRecallResponse", await self._call(RECALL_MEMORY, body=body, options=options))

    async def render_skill(self, name: str, /, body: t.RenderSkill, **options: Unpack[Options]) -> t.RenderedSkill:
        """Render a skill"""
        return cast("t.RenderedSkill", await self._call(RENDER_SKILL, path=(name,), body=body, options=options))

    async def replay_compilation(self, id: str, /, body: t.ReplayRequest, **options: Unpack[Options]) -> t.ReplayResponse:
        """Replay a compilation"""
        return cast("t.ReplayResponse", await self._call(REPLAY_COMPILATION, path=(id,), body=body, options=options))

    async def report_delegation(self, id: str, /, body: t.Delegation, **options: Unpack[Options]) -> t.DelegationReport:
        """Report a delegation"""
        return cast("t.DelegationReport", await self._call(REPORT_DELEGATION, path=(id,), body=body, options=options))

    async def report_usage(self, id: str, /, body: t.SessionUsage, **options: Unpack[Options]) -> t.UsageResponse:
        """Report what the provider counted"""
        return cast("t.UsageResponse", await self._call(REPORT_USAGE, path=(id,), body=body, options=options))

    async def restore_memory(self, key: str, /, body: t.MemoryRestore, *, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, **options: Unpack[Options]) -> t.MemoryEntry:
        """Restore a version of an entry"""
        return cast("t.MemoryEntry", await self._call(RESTORE_MEMORY, path=(key,), body=body, query={"subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, options=options))

    async def restore_session(self, id: str, /, body: t.RestoreSession, **options: Unpack[Options]) -> t.Session:
        """Restore a session"""
        return cast("t.Session", await self._call(RESTORE_SESSION, path=(id,), body=body, options=options))

    async def retract_memory(self, key: str, /, body: Optional[t.MemoryScopeRequest] = None, *, subject: Optional[str] = None, session_id: Optional[str] = None, agent: Optional[str] = None, pack_tenant: Optional[str] = None, **options: Unpack[Options]) -> t.MemoryEntry:
        """Retract an entry"""
        return cast("t.MemoryEntry", await self._call(RETRACT_MEMORY, path=(key,), body={} if body is None else body, query={"subject": subject, "session_id": session_id, "agent": agent, "pack_tenant": pack_tenant}, options=options))

    async def retrieve_by_body(self, body: t.RetrieveRequest, **options: Unpack[Options]) -> t.RetrievedOriginal:
        """Retrieve an original, by a body"""
        return cast("t.RetrievedOriginal", await self._call(RETRIEVE_BY_BODY, body=body, options=options))

    async def retrieve_original(self, hash: str, /, *, query: Optional[str] = None, **options: Unpack[Options]) -> t.RetrievedOriginal:
        """Retrieve an original"""
        return cast("t.RetrievedOriginal", await self._call(RETRIEVE_ORIGINAL, path=(hash,), query={"query": query}, options=options))

    async def retry_delivery(self, id: str, /, **options: Unpack[Options]) -> t.Delivery:
        """Try a delivery again"""
        return cast("t.Delivery", await self._call(RETRY_DELIVERY, path=(id,), options=options))

    async def review_candidate(self, id: str, /, body: t.CandidateReview, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.Candidate:
        """Review a candidate"""
        return cast("t.Candidate", await self._call(REVIEW_CANDIDATE, path=(id,), body=body, headers={"If-Match": if_match}, options=options))

    async def rotate_hook_secret(self, id: str, /, body: Optional[t.RotateSecret] = None, **options: Unpack[Options]) -> t.NewHook:
        """Give a hook another secret"""
        return cast("t.NewHook", await self._call(ROTATE_HOOK_SECRET, path=(id,), body={} if body is None else body, options=options))

    async def run_golden_set(self, id: str, version: str, /, body: t.GoldenRunRequest, **options: Unpack[Options]) -> t.GoldenRun:
        """Run a golden set"""
        return cast("t.GoldenRun", await self._call(RUN_GOLDEN_SET, path=(id, version,), body=body, options=options))

    async def store_memory(self, body: t.MemoryActRequest, **options: Unpack[Options]) -> t.MemoryActResponse:
        """Add, replace or remove an entry"""
        return cast("t.MemoryActResponse", await self._call(STORE_MEMORY, body=body, options=options))

    async def switch_session(self, id: str, /, body: Optional[t.SwitchSession] = None, **options: Unpack[Options]) -> t.Session:
        """Go on in another session"""
        return cast("t.Session", await self._call(SWITCH_SESSION, path=(id,), body={} if body is None else body, options=options))

    async def take_results(self, body: t.ToolResultsRequest, **options: Unpack[Options]) -> t.ToolResultsResponse:
        """Take the results of tools"""
        return cast("t.ToolResultsResponse", await self._call(TAKE_RESULTS, body=body, options=options))

    async def take_snapshot(self, id: str, /, body: Optional[t.TakeSnapshot] = None, **options: Unpack[Options]) -> t.SnapshotRow:
        """Take a snapshot"""
        return cast("t.SnapshotRow", await self._call(TAKE_SNAPSHOT, path=(id,), body={} if body is None else body, options=options))

    async def take_turn(self, id: str, /, body: t.SessionTurn, **options: Unpack[Options]) -> t.TurnResponse:
        """Take a turn"""
        return cast("t.TurnResponse", await self._call(TAKE_TURN, path=(id,), body=body, options=options))

    async def test_adapter(self, name: str, /, body: t.AdapterTestRequest, **options: Unpack[Options]) -> t.AdapterTest:
        """Try an adapter"""
        return cast("t.AdapterTest", await self._call(TEST_ADAPTER, path=(name,), body=body, options=options))

    async def test_hook(self, id: str, /, body: Optional[t.TestHook] = None, **options: Unpack[Options]) -> t.HookTestResult:
        """Try a hook"""
        return cast("t.HookTestResult", await self._call(TEST_HOOK, path=(id,), body={} if body is None else body, options=options))

    async def test_new_hook(self, body: t.TestNewHook, **options: Unpack[Options]) -> t.HookTestResult:
        """Try a hook that is not registered"""
        return cast("t.HookTestResult", await self._call(TEST_NEW_HOOK, body=body, options=options))

    async def update_hook(self, id: str, /, body: t.HookChange, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.HookRow:
        """Change a hook"""
        return cast("t.HookRow", await self._call(UPDATE_HOOK, path=(id,), body=body, headers={"If-Match": if_match}, options=options))

    async def update_key(self, id: str, /, body: t.ChangeKey, **options: Unpack[Options]) -> t.ApiKey:
        """Change a key"""
        return cast("t.ApiKey", await self._call(UPDATE_KEY, path=(id,), body=body, options=options))

    async def update_session(self, id: str, /, body: t.ChangeSession, *, if_match: Optional[str] = None, **options: Unpack[Options]) -> t.Session:
        """Change a session"""
        return cast("t.Session", await self._call(UPDATE_SESSION, path=(id,), body=body, headers={"If-Match": if_match}, options=options))
