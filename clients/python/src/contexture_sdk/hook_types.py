"""The bodies of calls of hooks, as docs/hooks.md has them; a test compares them with `GET /hook-points`."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

Point = Literal[
    "before_compress", "summarize", "after_compress", "before_compile", "transform_context", "memory_update",
    "memory_changed", "memory_expired", "delegation", "session_switch", "cache_expiring", "tool_call", "tool_result",
    "compress_format", "retrieve_evidence", "recall_memory", "event",
]
Kind = Literal["guard", "transform", "provide", "observe"]


class NeutralPart(TypedDict, total=False):
    """A part of a message; which members it has depends on `type`."""

    type: Literal["text", "thinking", "tool_call", "tool_result", "media"]
    text: str
    signature: str
    id: str
    name: str
    arguments: str
    call_id: str
    content: Any
    is_error: bool
    media_type: str
    data: str


class NeutralMessage(TypedDict):
    """A message in the neutral shape."""

    id: str
    role: Literal["system", "user", "assistant", "tool"]
    parts: List[NeutralPart]


class TokenPressure(TypedDict):
    """Tokens, and the limit for them."""

    current: int
    limit: int


class TokenChange(TypedDict):
    """Tokens before and after."""

    before: int
    after: int


class MessageSpan(TypedDict("MessageSpan", {"from": int, "to": int})):
    """Messages by their indexes; `to` is not included."""


class HookedCall(TypedDict):
    """A call of a tool."""

    name: Optional[str]
    call_id: str
    arguments: Any


class HookedResult(TypedDict):
    """The result of a call: a text, or parts."""

    content: Any
    is_error: bool


class CallBatch(TypedDict):
    """The place of a call among those of its message."""

    index: int
    size: int


class BeforeCompressInput(TypedDict):
    """A history that is about to shrink."""

    history: List[NeutralMessage]
    system: List[NeutralMessage]
    tokens: TokenPressure
    history_tokens: TokenPressure
    trigger: Literal["over_limit", "threshold"]
    to_compress: MessageSpan


class SummarizeInput(TypedDict):
    """Messages to be summarised."""

    messages: List[NeutralMessage]
    instructions: Optional[str]
    material: Optional[str]
    max_tokens: int


class AfterCompressInput(TypedDict):
    """A history that shrank."""

    summary: Optional[str]
    truncated_count: int
    compressed_messages: List[NeutralMessage]
    tokens: TokenChange
    actions: Dict[str, int]


class BeforeCompileInput(TypedDict):
    """A conversation to which text may be added."""

    system: List[NeutralMessage]
    history: List[NeutralMessage]
    dynamic_state: Optional[Dict[str, Any]]
    dynamic_state_xml: Optional[str]


class TransformContextInput(TypedDict):
    """The complete list of messages before it becomes the payload."""

    target: str
    model: Optional[str]
    messages: List[NeutralMessage]


class MemoryUpdateInput(TypedDict):
    """A model's own write to memory."""

    origin: Literal["model"]
    op: Literal["create", "update", "delete"]
    key: str
    value: Any
    old_value: Any
    memory_id: str
    scope: Dict[str, Optional[str]]


class MemoryChangedInput(TypedDict):
    """A change of memory."""

    type: Literal["set", "delete", "expire"]
    key: Optional[str]
    value: Any
    old_value: Any
    action: Literal["add", "replace", "remove", "expire"]
    target: str
    content: str
    metadata: Optional[Dict[str, Any]]
    memory_id: Optional[str]
    affected: int
    origin: Literal["model", "direct", "review", "session", "expiry"]
    scope: Dict[str, Optional[str]]


class MemoryExpiredInput(TypedDict):
    """An entry that has expired."""

    entry: Dict[str, Any]


class DelegationInput(TypedDict):
    """A task that an agent handed to another one."""

    task: str
    result: str
    agent_name: str
    metadata: Dict[str, Any]
    status: Literal["success", "failed", "timeout", "cycle", "depth"]
    path: str


class SessionSwitchInput(TypedDict):
    """A conversation that goes on in another session."""

    new_session_id: str
    parent_session_id: str
    reset: bool
    reason: str


class CacheExpiringInput(TypedDict):
    """A prefix that is about to run out in its provider's cache."""

    model: str
    compilation_id: str
    prefix_hash: str
    prefix_tokens: int
    rewrite_micros: Optional[int]
    expires_at: str


class ToolCallInput(TypedDict):
    """A call that may be run."""

    tool: HookedCall
    batch: CallBatch


class ToolResultInput(TypedDict):
    """A result that is seen for the first time."""

    tool: HookedCall
    result: HookedResult


class CompressFormatInput(TypedDict):
    """A text that is about to be shortened."""

    text: str
    tool: Optional[str]


class RetrieveEvidenceInput(TypedDict):
    """What evidence is looked for."""

    intent_id: str
    query: Any


class RecallMemoryInput(TypedDict):
    """Entries among which is to be chosen."""

    query: Optional[str]
    candidates: List[Dict[str, Any]]
    max_tokens: int


class EventInput(TypedDict):
    """An event."""

    seq: int
    type: str
    at: str
    session_id: Optional[str]
    compilation_id: Optional[str]
    data: Dict[str, Any]


class HookName(TypedDict):
    """The hook that is called."""

    id: str
    revision: int


class CallScope(TypedDict):
    """The tenant, compile, session and agent that a call is about."""

    tenant: str
    compilation_id: Optional[str]
    session_id: Optional[str]
    agent: Optional[str]
    turn: Optional[int]


class CallDelivery(TypedDict):
    """An attempt at a call."""

    attempt: int
    sent_at: str
    replay: bool
    test: bool


class _Call(TypedDict):
    spec: Literal["hooks/1"]
    kind: Kind
    hook: HookName
    scope: CallScope
    delivery: CallDelivery


class BeforeCompressCall(_Call):
    """A call at `before_compress`."""

    point: Literal["before_compress"]
    input: BeforeCompressInput


class SummarizeCall(_Call):
    """A call at `summarize`."""

    point: Literal["summarize"]
    input: SummarizeInput


class AfterCompressCall(_Call):
    """A call at `after_compress`."""

    point: Literal["after_compress"]
    input: AfterCompressInput


class BeforeCompileCall(_Call):
    """A call at `before_compile`."""

    point: Literal["before_compile"]
    input: BeforeCompileInput


class TransformContextCall(_Call):
    """A call at `transform_context`."""

    point: Literal["transform_context"]
    input: TransformContextInput


class MemoryUpdateCall(_Call):
    """A call at `memory_update`."""

    point: Literal["memory_update"]
    input: MemoryUpdateInput


class MemoryChangedCall(_Call):
    """A call at `memory_changed`."""

    point: Literal["memory_changed"]
    input: MemoryChangedInput


class MemoryExpiredCall(_Call):
    """A call at `memory_expired`."""

    point: Literal["memory_expired"]
    input: MemoryExpiredInput


class DelegationCall(_Call):
    """A call at `delegation`."""

    point: Literal["delegation"]
    input: DelegationInput


class SessionSwitchCall(_Call):
    """A call at `session_switch`."""

    point: Literal["session_switch"]
    input: SessionSwitchInput


class CacheExpiringCall(_Call):
    """A call at `cache_expiring`."""

    point: Literal["cache_expiring"]
    input: CacheExpiringInput


class ToolCallCall(_Call):
    """A call at `tool_call`."""

    point: Literal["tool_call"]
    input: ToolCallInput


class ToolResultCall(_Call):
    """A call at `tool_result`."""

    point: Literal["tool_result"]
    input: ToolResultInput


class CompressFormatCall(_Call):
    """A call at `compress_format`."""

    point: Literal["compress_format"]
    input: CompressFormatInput


class RetrieveEvidenceCall(_Call):
    """A call at `retrieve_evidence`."""

    point: Literal["retrieve_evidence"]
    input: RetrieveEvidenceInput


class RecallMemoryCall(_Call):
    """A call at `recall_memory`."""

    point: Literal["recall_memory"]
    input: RecallMemoryInput


class EventCall(_Call):
    """A call at `event`."""

    point: Literal["event"]
    input: EventInput


HookCall = Union[
    BeforeCompressCall,
    SummarizeCall,
    AfterCompressCall,
    BeforeCompileCall,
    TransformContextCall,
    MemoryUpdateCall,
    MemoryChangedCall,
    MemoryExpiredCall,
    DelegationCall,
    SessionSwitchCall,
    CacheExpiringCall,
    ToolCallCall,
    ToolResultCall,
    CompressFormatCall,
    RetrieveEvidenceCall,
    RecallMemoryCall,
    EventCall,
]
