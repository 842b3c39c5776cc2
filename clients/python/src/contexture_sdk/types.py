"""The shapes of requests and responses, as typed dictionaries.

Generated from openapi.yaml by scripts/generate.py; changes here are lost.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union


class _ActionCountsRequired(TypedDict):
    # Tool result or thinking cleared.
    cleared: int
    # Shortened without loss.
    compressed: int
    # Replaced by a reference to the same text earlier in the payload.
    deduplicated: int
    # Messages that were left out.
    dropped: int
    # Word for word.
    kept: int
    # Messages that the summary replaces.
    summarized: int


class ActionCounts(_ActionCountsRequired, total=False):
    """Messages of the history by what happened to them."""

    # Messages that hooks added, which are none of the request's; absent if there are none.
    added: int
    # Changed by hooks; absent if none was.
    changed: int
    # Removed by hooks; absent if none was.
    removed: int


ActorKind = Literal['user', 'agent', 'service', 'automation']


class _AdapterRequired(TypedDict):
    # Whether it is part of the program.
    builtin: bool
    # What requests and reports call it.
    name: str


class Adapter(_AdapterRequired, total=False):
    """An adapter. The members after `builtin` are there for your own alone."""

    # When it was made: RFC 3339, in UTC.
    created_at: Union[str, None]
    # As it was given.
    definition: Union[AdapterDefinition, None]
    # When it was last changed: RFC 3339, in UTC.
    updated_at: Union[str, None]
    # From 1, one more with each other definition.
    version: Union[int, None]


class _AdapterDefinitionRequired(TypedDict):
    # Which texts it takes.
    detect: AdapterDetect


class AdapterDefinition(_AdapterDefinitionRequired, total=False):
    """A format adapter as data: which texts it takes, which of their lines stay, and how the rest is put next to
    them.
    """

    # Holds `{kept}` and `{summary}` once each. The summary is of the lines that may go. If absent:
    # `"{kept}\n{summary}"`.
    join: Union[str, None]
    # Lines that stay: `{"lines": "1"}`, `"2-5"` or `"-3"` for the last three, or `{"regex"}`.
    keep: Union[List[JsonValue], None]
    # What requests and reports call it; in a list of a request it must be there.
    name: Union[str, None]
    # `rest` for all lines that are not kept, or a list of `{"regex"}`: lines with a match.
    shrink: JsonValue


class AdapterDetect(TypedDict, total=False):
    """Which texts an adapter takes: those that meet every condition that is given."""

    # Patterns by the numbers of their lines.
    line_matches: Union[JsonObject, None]
    # The least number of lines of the text.
    min_lines: Union[int, None]
    # The least share of lines with a match.
    min_share_of_lines: Union[AdapterLineShare, None]
    # Stands somewhere in the text.
    regex: Union[str, None]


class AdapterLineShare(TypedDict):
    """So many of the lines match."""

    # The pattern that lines must match.
    regex: str
    # The share of the lines, from 0 to 1.
    share: float


class _AdapterListRequired(TypedDict):
    # The rows of this page.
    items: List[AdapterRow]


class AdapterList(_AdapterListRequired, total=False):
    """Some of the adapters."""

    # Where the list goes on; null at its end.
    next_cursor: Union[str, None]


class _AdapterRowRequired(TypedDict):
    # Whether it is part of the program.
    builtin: bool
    # What requests and reports call it.
    name: str


class AdapterRow(_AdapterRowRequired, total=False):
    """A row of the list: an adapter without its definition."""

    # When it was made: RFC 3339, in UTC.
    created_at: Union[str, None]
    # Of a built-in one: one of your own replaces it.
    replaced: Union[bool, None]
    # When it was last changed: RFC 3339, in UTC.
    updated_at: Union[str, None]
    # From 1, one more with each other definition; absent for a built-in adapter.
    version: Union[int, None]


class _AdapterTestRequired(TypedDict):
    # Whether the adapter left something out.
    changed: bool
    # Whether the adapter takes the text, or a part of it.
    detects: bool
    # Whether its cuts broke the format, and were taken back.
    reverted: bool
    # What it leaves; the text as it came where `changed` is false.
    text: str
    # Tokens of `text`, counted with `o200k_base`.
    tokens_after: int
    # Counted with `o200k_base`.
    tokens_before: int


class AdapterTest(_AdapterTestRequired, total=False):
    """What an adapter made of a text, by itself: `/compress` shortens what it leaves further."""

    # Lines that a definition keeps of a text that it takes as a whole.
    kept_lines: Union[int, None]


class _AdapterTestRequestRequired(TypedDict):
    # The text.
    text: str


class AdapterTestRequest(_AdapterTestRequestRequired, total=False):
    """A text to try an adapter on."""

    # Tried in the place of what is stored under the name.
    definition: Union[AdapterDefinition, None]


class AfterCompressHookCall(TypedDict):
    """The body of a call after a history shrank."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: AfterCompressHookInput
    # What the hook may do.
    kind: Literal['observe']
    # The point.
    point: Literal['after_compress']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


class AfterCompressHookInput(TypedDict, total=False):
    """What the hook may see."""

    # messages by what happened to them, as in the report
    actions: Union[JsonObject, None]
    # those messages
    compressed_messages: Union[List[JsonValue], None]
    # the summary, or null
    summary: Union[str, None]
    # `{before, after}` of the payload
    tokens: Union[JsonObject, None]
    # messages that left the history
    truncated_count: Union[int, None]


AllowedNotations = Literal['plain', 'computed', 'none']


class _AnthropicPayloadRequired(TypedDict):
    # The messages.
    messages: List[JsonObject]


class AnthropicPayload(_AnthropicPayloadRequired, total=False):
    """A payload for the Messages API of Anthropic."""

    # System text as blocks.
    system: Union[List[JsonObject], None]
    # The tools; absent if there are none.
    tools: Union[List[JsonObject], None]


class _ApiKeyRequired(TypedDict):
    # When it was made: RFC 3339, in UTC.
    created_at: str
    # The first part of its text, after `cx_live_`.
    id: str
    # What uses the key.
    kind: KeyKind
    # How much the key may ask for.
    limits: KeyLimits
    # A name for people.
    name: str
    # What it may do with captured memory.
    roles: List[str]
    # What it may do.
    scopes: List[str]
    # Whose data it reaches.
    tenant: str
    # When it was last changed: RFC 3339, in UTC.
    updated_at: str


class ApiKey(_ApiKeyRequired, total=False):
    """A key, but for its text."""

    # Null where there are none.
    defaults: Union[JsonObject, None]


class _AppendedTurnRequired(TypedDict):
    # The number of messages in the session.
    messages: int
    # As in a turn with a payload.
    results: List[ToolCallResult]
    # About `usage`.
    warnings: List[ReportNote]


class AppendedTurn(_AppendedTurnRequired, total=False):
    """A turn without a compile."""

    # A line for each hook that was asked about the calls; absent if none was.
    hooks: List[HookReport]


class ArtifactCleanup(TypedDict):
    """What a cleanup did."""

    # Ids in the order in which they went.
    evicted: List[str]
    # Artifacts removed because of their age.
    evicted_by_age: int
    # Artifacts removed because of the limit on bytes.
    evicted_by_bytes: int
    # Artifacts removed because of the limit on their number.
    evicted_by_count: int
    # Bytes of the removed artifacts.
    evicted_bytes: int
    # Ids that should have gone and are still there.
    failed: List[str]


class ArtifactCleanupRequest(TypedDict, total=False):
    """The caps of a cleanup; the settings' if absent. 0 keeps nothing."""

    # Seconds since an artifact was last stored.
    max_age_seconds: Union[int, None]
    # Bytes of all artifacts together.
    max_bytes: Union[int, None]
    # The number of artifacts.
    max_count: Union[int, None]


class BeforeCompileHookCall(TypedDict):
    """The body of a call adds text to the end of the last user message, such as what a search found."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: BeforeCompileHookInput
    # What the hook may do: provide, observe.
    kind: HookKind
    # The point.
    point: Literal['before_compile']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


class BeforeCompileHookInput(TypedDict, total=False):
    """What the hook may see."""

    # as the caller gave it, or null
    dynamic_state: Union[JsonObject, None]
    # as the model will read it, or null
    dynamic_state_xml: Union[str, None]
    # messages, already compressed
    history: Union[List[JsonValue], None]
    # messages
    system: Union[List[JsonValue], None]


class BeforeCompressHookCall(TypedDict):
    """The body of a call before an over-long history shrinks; a guard that denies leaves it as it is."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: BeforeCompressHookInput
    # What the hook may do: guard, transform, provide, observe.
    kind: HookKind
    # The point.
    point: Literal['before_compress']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


class BeforeCompressHookInput(TypedDict, total=False):
    """What the hook may see."""

    # messages
    history: Union[List[JsonValue], None]
    # `{current, limit}` of the history: above its limit it shrinks
    history_tokens: Union[JsonObject, None]
    # messages
    system: Union[List[JsonValue], None]
    # `{from, to}`, the messages that are about to shrink
    to_compress: Union[JsonObject, None]
    # `{current, limit}` of the payload: its budget is the limit
    tokens: Union[JsonObject, None]
    # why the history shrinks
    trigger: Union[str, None]


class BudgetOptions(TypedDict, total=False):
    """The budget is the window less what is reserved for the answer; all parts count against it."""

    # Tokens of the window; the model's when absent.
    context_window: Union[int, None]
    # Whether a payload that cannot fit is returned with `fits: false`, or is a 422.
    on_overflow: Union[OnOverflow, None]
    # `stay` shortens the history as for a budget of the size above which the model charges other prices, if that is
    # known and less than the budget. A payload that is above it all the same still fits. `ignore` when absent.
    price_step: Union[PriceStepRule, None]
    # Tokens kept for the answer. When absent: the model's largest answer up to 8,192, or 0 where `context_window`
    # is given.
    reserve_output: Union[int, None]


# The size that the payload may have: the options, or the tokens of the window alone, of which none are
# reserved.
BudgetInput = Union[int, BudgetOptions]


BuiltInHook = Literal['truncate', 'redact', 'deny_command', 'secret_scan']


class _CacheExpiringDataRequired(TypedDict):
    # When the prefix runs out: RFC 3339, in UTC.
    expires_at: str
    # The model.
    model: str
    # SHA-256 of the payload's text up to the end of its last marked block.
    prefix_hash: str
    # Tokens of the prefix.
    prefix_tokens: int


class CacheExpiringData(_CacheExpiringDataRequired, total=False):
    """The prefix of a session is about to run out in its provider's cache."""

    # Micro-dollars that writing the prefix again costs more than reading it, or null.
    rewrite_micros: Union[int, None]


class CacheExpiringEvent(TypedDict):
    """The prefix of a session is about to run out in its provider's cache."""

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: CacheExpiringData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['cache:expiring']


class CacheExpiringHookCall(TypedDict):
    """The body of a call before a session's prefix runs out in its provider's cache."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: CacheExpiringHookInput
    # What the hook may do.
    kind: Literal['observe']
    # The point.
    point: Literal['cache_expiring']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


class CacheExpiringHookInput(TypedDict, total=False):
    """What the hook may see."""

    # the compile of that payload
    compilation_id: Union[str, None]
    # when it runs out
    expires_at: Union[str, None]
    # the model of the session's last payload
    model: Union[str, None]
    # SHA-256 of the payload's text up to the end of its last marked block
    prefix_hash: Union[str, None]
    # tokens of the prefix
    prefix_tokens: Union[int, None]
    # micro-dollars that writing it again costs more than reading it, or null
    rewrite_micros: Union[int, None]


class CacheOptions(TypedDict, total=False):
    """How the provider's prompt cache is used."""

    # Most marks in a payload, the client's included, and that of `cache_control`. If absent: `4`.
    marks: Union[int, None]
    # The payload sent before, or the `id` of its answer: `report.cache.first_change` compares with it.
    previous: JsonValue
    # `warm`, `cold` or `unknown`.
    state: Union[CacheState, None]
    # How long marks of ours ask to be kept: `5m` (when `cache` is given), `1h`, or `off` for no marks but the
    # client's. At `OpenAI` it is 30 minutes or 12 hours.
    ttl: Union[CacheTtl, None]


# How the provider's prompt cache is used: the options, `true` for all of their defaults, or `false` for no
# marks but the client's.
CacheInput = Union[bool, CacheOptions]


class _CacheReportRequired(TypedDict):
    # JSON Pointers into the payload of the blocks that carry a cache mark.
    breakpoints: List[str]
    # Tokens before the first place that changes with every compile (the tail); all of the payload where there is
    # none.
    stable_tokens: int


class CacheReport(_CacheReportRequired, total=False):
    """How the payload stands to the provider's prefix cache."""

    # The first place where this payload leaves the one before it.
    first_change: Union[FirstChange, None]


CacheState = Literal['warm', 'cold', 'unknown']


CacheTtl = Literal['5m', '1h', 'off']


class CalledHook(TypedDict):
    """The hook that is called."""

    # The id of the hook.
    id: str
    # From 1, one more with each change of the hook.
    revision: int


_CandidateRequired = TypedDict("_CandidateRequired", {
    'capture': "CandidateCapture",
    'checks': "CandidateChecks",
    'class': "str",
    'classification': "str",
    'created_at': "str",
    'fingerprint': "str",
    'id': "str",
    'intents': "List[str]",
    'last_event': "int",
    'proposed_by': "List[CandidateActor]",
    'scope': "MemoryScope",
    'state': "str",
    'tier': "str",
    'updated_at': "str",
    'value': "JsonValue",
    'version': "int",
})

_CandidateOptional = TypedDict("_CandidateOptional", {
    'confidence': "Union[float, None]",
    'consent': "JsonValue",
    'description': "Union[str, None]",
    'entity': "Union[str, None]",
    'evidence_refs': "Union[List[JsonValue], None]",
    'key': "Union[str, None]",
    'memory_key': "Union[str, None]",
    'predicate': "Union[str, None]",
    'review': "Union[CandidateReviewRow, None]",
    'superseded_by': "Union[str, None]",
    'ttl': "Union[MemoryTtl, None]",
}, total=False)


class Candidate(_CandidateRequired, _CandidateOptional):
    """A fact that may become a memory entry."""


class CandidateActor(TypedDict):
    """Somebody who acts."""

    # 1 to 256 bytes.
    id: str
    # `user`, `agent`, `service` or `automation`. An agent proposes, and decides nothing.
    kind: ActorKind


class _CandidateCaptureRequired(TypedDict):
    # SHA-256 over the 32 bytes of `prev_hash` and the proposal's bytes.
    hash: str
    # 64 zeros for the first.
    prev_hash: str
    # From 1, one more with each capture.
    seq: int


class CandidateCapture(_CandidateCaptureRequired, total=False):
    """What was proposed, in a log that nothing is taken out of."""

    # The id of the capture.
    id: Union[str, None]


class _CandidateChecksRequired(TypedDict):
    # Whether the policy promotes it without a review.
    auto_promote_eligible: bool
    # `not_required`, `given` or `missing`; without it nothing is promoted.
    consent_check: str
    # Whether a promoted entry says otherwise.
    contradiction_check: ContradictionCheck


class CandidateChecks(_CandidateChecksRequired, total=False):
    """What was found out when it was proposed."""

    # The first candidate that says the same.
    duplicate_of: Union[str, None]
    # The candidate that said the same and was rejected.
    previous: Union[str, None]


class CandidateEvent(TypedDict):
    """A line of the log."""

    # `{action, at, by, candidate, data?, from?, reason?, seq, to}`; ids and keys, never a value.
    event: JsonValue
    # SHA-256 over the 32 bytes of `prev_hash` and the bytes of `event`, as they stand here.
    hash: str
    # 64 zeros for the first.
    prev_hash: str
    # From 1, one more with each line.
    seq: int


class _CandidateEventsRequired(TypedDict):
    # The rows of this page.
    items: List[CandidateEvent]


class CandidateEvents(_CandidateEventsRequired, total=False):
    """Part of the log of candidates."""

    # Where the log goes on; null at its end.
    next_cursor: Union[str, None]
    # With `verify=1`.
    verified: Union[VerifiedLogs, None]


class _CandidateListRequired(TypedDict):
    # The rows of this page.
    items: List[Candidate]


class CandidateList(_CandidateListRequired, total=False):
    """A page of candidates."""

    # Where the list goes on; null at its end.
    next_cursor: Union[str, None]


class _CandidatePromotionRequired(TypedDict):
    # Who promotes it.
    by: CandidateActor


class CandidatePromotion(_CandidatePromotionRequired, total=False):
    """How a candidate is promoted. What is absent is as it was proposed."""

    # The classification of the entry.
    classification: Union[Classification, None]
    # The intents of packs for which the entry may be recalled.
    intents: Union[List[str], None]
    # The key of the entry.
    key: Union[str, None]
    # What becomes of entries that say otherwise: `supersede`, `keep_both` or `reject`, which rejects the candidate.
    resolution: Union[ContradictionResolution, None]
    # The scope of the entry.
    scope: Union[MemoryScope, None]
    # The tier of the entry.
    tier: Union[MemoryTier, None]
    # `null`: the entry does not expire.
    ttl: Union[MemoryTtl, None]


_CandidateProposalRequired = TypedDict("_CandidateProposalRequired", {
    'class': "MemoryClass",
    'value': "JsonValue",
})

_CandidateProposalOptional = TypedDict("_CandidateProposalOptional", {
    'by': "Union[CandidateActor, None]",
    'classification': "Union[Classification, None]",
    'confidence': "Union[float, None]",
    'consent': "JsonValue",
    'description': "Union[str, None]",
    'entity': "Union[str, None]",
    'evidence_refs': "Union[List[JsonValue], None]",
    'intents': "Union[List[str], None]",
    'key': "Union[str, None]",
    'policy': "Union[WritePolicy, None]",
    'predicate': "Union[str, None]",
    'revises': "Union[str, None]",
    'scope': "Union[MemoryScope, None]",
    'tier': "Union[MemoryTier, None]",
    'ttl': "Union[MemoryTtl, None]",
}, total=False)


class CandidateProposal(_CandidateProposalRequired, _CandidateProposalOptional):
    """What is proposed."""


class _CandidateReviewRequired(TypedDict):
    # Who reviews it; not who proposed it.
    by: CandidateActor
    # At most 4 KiB.
    reason: str
    # `approve`, `reject` or `request_changes`.
    verdict: ReviewVerdict


class CandidateReview(_CandidateReviewRequired, total=False):
    """What a reviewer says."""

    # A new classification of the candidate.
    classification: Union[Classification, None]


class CandidateReviewRow(TypedDict):
    """The last review."""

    # Who reviewed it.
    by: CandidateActor
    # The reason that was given.
    reason: str
    # `approve`, `reject` or `request_changes`.
    verdict: str


class _CarriedItemRequired(TypedDict):
    # The skill's name, or the entry's key.
    name: str
    # Records that have it.
    records: int


class CarriedItem(_CarriedItemRequired, total=False):
    """A skill or a memory entry that was sent."""

    # Tokens of its text in the newest record that has it, which a request without it saves; null if no record has
    # the text.
    tokens: Union[int, None]
    # Turns since its last use, 0 for the newest one; null if there was none or it is not known.
    turns_since_use: Union[int, None]
    # The model's messages within the newest turns that use it; null if that is not known.
    uses: Union[int, None]


class _CarriedToolRequired(TypedDict):
    # Calls within the newest turns.
    calls: int
    name: str
    # Tokens of its definition.
    tokens: int


class CarriedTool(_CarriedToolRequired, total=False):
    """A tool that the request of the newest record in full carries."""

    # Turns since its last call, 0 for the newest one; null if the conversation has no call of it.
    turns_since_call: Union[int, None]


class ChangeKey(TypedDict, total=False):
    """What of a key is to be otherwise."""

    # All defaults again, or null for none; `gateway` among them, as in a new key.
    defaults: Union[JsonObject, None]
    # What uses the key.
    kind: Union[KeyKind, None]
    # All of them again: what is absent is not limited.
    limits: Union[KeyLimits, None]
    # A name for people.
    name: Union[str, None]
    # All roles again.
    roles: Union[List[str], None]
    # All scopes again.
    scopes: Union[List[KeyScope], None]


# Why a payload leaves the one before it.
ChangeReason = Literal['target_changed', 'tools_changed', 'tools_reordered', 'system_changed', 'skill_changed', 'memory_changed', 'state_changed', 'tail_moved', 'compaction', 'squeeze', 'engine_changed', 'thinking_removed', 'message_inserted', 'message_removed', 'message_edited', 'output_changed']


class ChangeSession(TypedDict, total=False):
    """What of a session is to be otherwise."""

    # Merged into those that are there (RFC 7396); null takes all of them away.
    defaults: Union[JsonObject, None]
    # Null: as long as is usual.
    ttl: Union[SessionTtl, None]


Classification = Literal['public', 'internal', 'confidential', 'restricted']


class ClearOptions(TypedDict, total=False):
    """Which tool results may give way to one line."""

    # Results of these tools stay.
    exclude_tools: Union[List[str], None]
    # The newest results stay; `"all"` for all of them.
    keep: Union[KeptToolResults, None]
    # Results of fewer tokens stay. If absent: `0`.
    least_tokens: Union[int, None]


# Which tool results may give way to one line: `false` for none, with their thinking, or which.
ClearSetting = Union[bool, ClearOptions]


class _CompactionPutOffRequired(TypedDict):
    # Later requests that are expected.
    expected_turns: int
    # Tokens that would be written to the cache again.
    rewritten_tokens: int
    # Tokens that each later request would not have to read.
    saved_tokens: int
    # `break_even`: it is further away than the turns that are expected.
    why: str


class CompactionPutOff(_CompactionPutOffRequired, total=False):
    """A compaction that was put off, since writing the history again costs more than it saves."""

    # Later requests after which the compaction has paid; null if it never does.
    break_even_turns: Union[int, None]


class CompareRequest(TypedDict):
    """Two records to compare."""

    # The id of a compilation.
    a: str
    # The id of another.
    b: str


class _CompareResponseRequired(TypedDict):
    # The first record.
    a: CompilationRow
    # The second record.
    b: CompilationRow
    # Between the payloads, where both are kept; at most 200 steps.
    diff: List[DiffStep]
    # The stages that parted by themselves, not because one before them did.
    root_stages: List[str]
    # Every stage of both.
    stages: List[StageRow]
    # `equal` or `diverged`.
    status: str


class CompareResponse(_CompareResponseRequired, total=False):
    """Where two compiles parted."""

    # The earliest stage that gave something else.
    first_divergent_stage: Union[str, None]


class _CompilationRequired(TypedDict):
    # The id of the record.
    id: str
    # Spread it into the provider's call: `create(model=..., **payload)`.
    payload: CompilePayload
    # What was done, and why.
    report: Report


class Compilation(_CompilationRequired, total=False):
    """A compiled conversation."""

    # Under a pack: what was compiled, with manifests, controls, budget and ledger.
    compiled_context: Union[JsonObject, None]
    # SHA-256 of the canonical JSON (RFC 8785) of `compiled_context`.
    compiled_context_hash: Union[str, None]
    # Under a pack: what belongs to this one call, and is hashed nowhere.
    meta: Union[JsonObject, None]


class _CompilationListRequired(TypedDict):
    # The rows of this page.
    items: List[CompilationRow]


class CompilationList(_CompilationListRequired, total=False):
    """A page of records, newest first."""

    # Where the list goes on; null at its end.
    next_cursor: Union[str, None]


class _CompilationRowRequired(TypedDict):
    # When it was made: RFC 3339, in UTC.
    created_at: str
    # Whether this engine would compile the same: only then can it be run again.
    current: bool
    # Release and semantics of the engine that compiled.
    engine: str
    # When it is removed: RFC 3339, in UTC. Null if it stays.
    expires_at: str
    # Whether the payload was within the budget.
    fits: bool
    # The id of the record.
    id: str
    # `hashes` or `full`.
    record: str
    # `compiled` or `refused`.
    status: str
    # The shape of the payload.
    target: str
    # Tokens of the payload.
    tokens_after: int
    # Tokens of the conversation before anything was shortened.
    tokens_before: int


class CompilationRow(_CompilationRowRequired, total=False):
    """A row of the list."""

    # The model of the request; null if it named none.
    model: Union[str, None]
    # SHA-256 of the payload's bytes; null where a pack refused.
    payload_hash: Union[str, None]
    # The session of the compile; null if there was none.
    session_id: Union[str, None]


class _CompilationRecordRequired(CompilationRow):
    # What the compile stored in addition to its record.
    effects: CompileEffects
    # The outcome of each hook.
    hooks: List[HookRecord]
    # The ledger: what each stage was given and what it gave, as hashes.
    stages: List[LedgerLine]


class CompilationRecord(_CompilationRecordRequired, total=False):
    """A record with all that it holds."""

    # With `explain=full`, of a record in full under a pack: what the pack's stages decided, as the response had it.
    # Absent if it is not known.
    compiled_context: JsonValue
    # SHA-256 of the canonical JSON (RFC 8785) of `compiled_context`.
    compiled_context_hash: Union[str, None]
    # What happened to each message, with `explain=full`: null if it is not known, because the record has hashes
    # alone or another engine made it. Of a request through the gateway, the edited messages.
    decisions: Union[List[MessageDecision], None]
    # What the gateway did; absent unless the record is of a request through the gateway. `report` is null then, and
    # `stages` has hashes of what was sent.
    gateway: Union[GatewayReport, None]
    # With it: what belongs to that one call, and is hashed nowhere.
    meta: JsonValue
    # The payload, of a record in full; null where it is no longer kept.
    payload: Union[JsonObject, None]
    # Why a pack refused.
    refusal: Union[CompileRefusal, None]
    # The report as it was returned; null if a pack refused.
    report: Union[Report, None]
    # What the payload cost by the provider's usage, in the place of `report.cost`; null until that is reported.
    reported_cost: Union[CompileCost, None]
    # The request, of a record in full; null where it is no longer kept.
    request: Union[JsonObject, None]


class _CompileCostRequired(TypedDict):
    # What is assumed of the provider's cache.
    cache: CostCacheAssumption
    # The input: the payload, without the answer.
    payload_micros: int
    # `unshortened_micros` less `payload_micros`; negative if the payload costs more.
    saved_micros: int
    # The part of `unshortened_micros` that is for text which this compile left out and no earlier compile of the
    # session did.
    unique_saved_micros: int
    # What the conversation would cost unshortened, by the same state of the cache.
    unshortened_micros: int


class CompileCost(_CompileCostRequired, total=False):
    """The cost of a payload, in micro-dollars (millionths of a dollar)."""

    # The answer; null until the provider's usage of the payload is reported with its output.
    output_micros: Union[int, None]


class _CompileDoneDataRequired(TypedDict):
    # Messages by what happened to them.
    actions: ActionCounts
    # Milliseconds from the request to the payload.
    duration_ms: int
    # Whether the payload is within the budget.
    fits: bool
    # Tokens by part.
    parts: PartTokens
    # The hash of the payload, in hex.
    payload_hash: str
    # How much of the compile is recorded, as the request asked: `none`, `hashes` or `full`.
    record: str
    # As in the report.
    tokens_after: int
    # As in the report.
    tokens_before: int
    # Tokens that this compile left out and no earlier compile of the session did.
    unique_saved_tokens: int


class CompileDoneData(_CompileDoneDataRequired, total=False):
    """A compile has a payload."""

    # What the payload costs; null if the prices are not known.
    cost: Union[CompileCost, None]
    # Where the payload leaves the one before; null if it does not, or if there is none.
    first_change: Union[FirstChange, None]
    # The id of the caller's key, or null.
    key: Union[str, None]
    # The model, as the request names it.
    model: Union[str, None]
    # The cost of the session's last payload, by the usage that came with the request.
    reported_cost: Union[CompileCost, None]
    # The shape of the payload.
    target: Union[str, None]


class CompileDoneEvent(TypedDict):
    """A compile has a payload."""

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: CompileDoneData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['compile:done']


class CompileEffects(TypedDict):
    """What a compile stored."""

    # Ids of the originals that it stored.
    artifacts: List[str]
    # Keys of memory entries whose time was up.
    memory_expired: List[str]


class CompileFailedData(TypedDict):
    """A compile has no payload."""

    # The code of the problem.
    code: str
    # Milliseconds from the request to the problem.
    duration_ms: int


class CompileFailedEvent(TypedDict):
    """A compile has no payload."""

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: CompileFailedData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['compile:failed']


class _OpenAiPayloadRequired(TypedDict):
    # The messages.
    messages: List[JsonObject]


class OpenAiPayload(_OpenAiPayloadRequired, total=False):
    """A payload for Chat Completions."""

    # The key of the prompt cache.
    prompt_cache_key: Union[str, None]
    # The tools; absent if there are none.
    tools: Union[List[JsonObject], None]


class _OpenAiResponsesPayloadRequired(TypedDict):
    # The items.
    input: List[JsonObject]


class OpenAiResponsesPayload(_OpenAiResponsesPayloadRequired, total=False):
    """A payload for the Responses API."""

    # System text.
    instructions: Union[str, None]
    # The key of the prompt cache.
    prompt_cache_key: Union[str, None]
    # The tools; absent if there are none.
    tools: Union[List[JsonObject], None]


class _GeminiPayloadRequired(TypedDict):
    # The contents.
    contents: List[JsonObject]


class GeminiPayload(_GeminiPayloadRequired, total=False):
    """A payload for `generateContent`."""

    # The name of stored content.
    cachedContent: Union[str, None]
    # System text.
    systemInstruction: Union[JsonObject, None]
    # The tools; absent if there are none.
    tools: Union[List[JsonObject], None]


class _NeutralPayloadRequired(TypedDict):
    # The messages.
    messages: List[ConversationMessage]


class NeutralPayload(_NeutralPayloadRequired, total=False):
    """A payload in the neutral shape."""

    # The tools; absent if there are none.
    tools: Union[List[JsonObject], None]


# What to send to the provider, by `target`. It has the keys of the target's own request, never `model`, and
# `max_tokens`, `stream` and the like only with `passthrough`.
CompilePayload = Dict[str, Any]


class _CompileRefusalRequired(TypedDict):
    # The code of the problem.
    code: str
    # The cause in this case.
    detail: str


class CompileRefusal(_CompileRefusalRequired, total=False):
    """Why nothing was compiled under a pack."""

    # The stage that refused; null where it was settled before the first one.
    stage: Union[str, None]


class CompileRequest(TypedDict, total=False):
    """A conversation and what to make of it. Only a conversation and `target` are needed; an unknown key is
    refused with the name of the nearest known one.
    """

    # With `passthrough`, for `openai`.
    audio: JsonObject
    # With `passthrough`, for `openai_responses`.
    background: bool
    # The size that the payload may have.
    budget: Union[BudgetInput, None]
    # How the provider's prompt cache is used.
    cache: Union[CacheInput, None]
    # Anthropic's member: the provider itself marks the last block. It takes one of the four places.
    cache_control: Union[JsonObject, None]
    # Gemini's member: the name of stored content, which has to contain system text and tools.
    cachedContent: Union[str, None]
    # The same, as the provider's Python library spells it.
    cached_content: Union[str, None]
    # With `passthrough`, for `openai`.
    chat_template_kwargs: JsonObject
    # How far the history is shortened, and by what.
    compression: Union[CompressionInput, None]
    # With `passthrough`, for `anthropic`.
    container: JsonValue
    # The conversation of a Gemini request.
    contents: Union[List[JsonValue], None]
    # With `passthrough`, for `openai_responses`, `anthropic`.
    context_management: JsonValue
    # Milliseconds that the compile may take, 10,000 when absent. The smaller of this and the header
    # `Contexture-Deadline-Ms` counts.
    deadline_ms: Union[int, None]
    # Any object; placed as XML, the same bytes for the same object.
    dynamic_state: Union[JsonObject, None]
    # Whether a sentence after the state at the tail says that it is current: true if absent.
    dynamic_state_anchor: Union[bool, None]
    # Where the state is placed: at the end of the last user message if absent.
    dynamic_state_placement: Union[StatePlacement, None]
    # Under a pack: evidence that may be shown, at most 1,000.
    evidence: Union[List[JsonValue], None]
    # `full` adds `decisions` to the report.
    explain: Union[ExplainMode, None]
    # With `passthrough`, for `openai`.
    frequency_penalty: float
    # With `passthrough`, for `openai`.
    function_call: JsonValue
    # With `passthrough`, for `gemini`.
    generationConfig: JsonObject
    # With `passthrough`, for `gemini`.
    generation_config: JsonObject
    # Hooks of this request alone, at most 32, or `false` for none but the mandatory ones. A hook with a `url` needs
    # the scope `hooks:write`.
    hooks: JsonValue
    # Text for this turn only, placed at the tail of the last user message.
    implicit_context: Union[str, None]
    # With `passthrough`, for `openai_responses`.
    include: List[JsonValue]
    # With `passthrough`, for `anthropic`.
    inference_geo: str
    # The conversation of an `OpenAI` Responses request: a text or a list of items.
    input: JsonValue
    # System text of an `OpenAI` Responses request.
    instructions: Union[str, None]
    # With `passthrough`, for `gemini`.
    labels: JsonObject
    # With `passthrough`, for `openai`.
    logit_bias: JsonObject
    # With `passthrough`, for `openai`.
    logprobs: bool
    # With `passthrough`, for `openai`.
    max_completion_tokens: int
    # With `passthrough`, for `openai_responses`.
    max_output_tokens: int
    # With `passthrough`, for `openai`, `anthropic`.
    max_tokens: int
    # With `passthrough`, for `openai_responses`.
    max_tool_calls: int
    # With `passthrough`, for `anthropic`.
    mcp_servers: List[JsonValue]
    # Memory to place, and what the model may write.
    memory: Union[MemoryInput, None]
    # Messages in the shape of `OpenAI` Chat, Anthropic or neutral; at most 10,000. Under a pack they may be absent:
    # `input.message` of the request is then the conversation.
    messages: Union[List[ConversationMessage], None]
    # With `passthrough`, for `openai`, `openai_responses`, `anthropic`.
    metadata: JsonObject
    # With `passthrough`, for `openai`.
    min_p: float
    # With `passthrough`, for `openai`.
    modalities: List[JsonValue]
    # Decides window, largest answer and tokenizer (`GET /models`). One that is not in the table gets 128,000 tokens
    # and a warning.
    model: Union[str, None]
    # With `passthrough`, for `openai`.
    n: int
    # What to do when the time is up: an error, or the input re-encoded for the target.
    on_deadline: Union[OnDeadline, None]
    # What the model's response looks like.
    output: Union[OutputOptions, None]
    # With `passthrough`, for `anthropic`.
    output_config: JsonObject
    # With `passthrough`, for `anthropic`.
    output_format: JsonObject
    # The pack that governs the compile (`docs/packs.md`): `id@version`, a document, or `{"ref" | "document",
    # "run_context", "request", "memory"?, "blocks"?}`.
    pack: JsonValue
    # With `passthrough`, for `openai`, `openai_responses`.
    parallel_tool_calls: bool
    # Whether members of the provider's own request, such as `temperature`, `max_tokens` or `stream`, are given back
    # in `payload`, if the target's API has them. Without it they are refused.
    passthrough: Union[bool, None]
    # With `passthrough`, for `openai`.
    prediction: JsonObject
    # With `passthrough`, for `openai`.
    presence_penalty: float
    # Member of `OpenAI`; without it, a session with marks of ours has a key of its own.
    prompt_cache_key: Union[str, None]
    # Member of `OpenAI` for GPT-5.6 and later: `mode` and `ttl`.
    prompt_cache_options: Union[JsonObject, None]
    # Member of `OpenAI` for models before GPT-5.6.
    prompt_cache_retention: Union[str, None]
    # Messages that stay word for word.
    protect: Union[ProtectOptions, None]
    # With `passthrough`, for `openai`.
    provider: JsonObject
    # With `passthrough`, for `openai`.
    random_seed: int
    # With `passthrough`, for `openai`, `openai_responses`.
    reasoning: JsonObject
    # With `passthrough`, for `openai`.
    reasoning_effort: str
    # What is kept of this compile. `hashes`: figures and the hashes of its stages. `full`: request and payload,
    # too. `none`: nothing, and no later compile finds it as the one before. If absent: `"hashes"`.
    record: Union[RecordLevel, None]
    # `strict` refuses malformed tool arguments, `lenient` keeps them as they are. If absent: `"strict"`.
    repair: Union[RepairMode, None]
    # With `passthrough`, for `openai`.
    repetition_penalty: float
    # Under a pack: what is to be done; where it is not inside of `pack`.
    request: Union[JsonObject, None]
    # With `passthrough`, for `openai`.
    response_format: JsonObject
    # Under a pack: who acts, for whom, and how far; where it is not inside of `pack`.
    run_context: Union[JsonObject, None]
    # With `passthrough`, for `openai`.
    safe_prompt: bool
    # With `passthrough`, for `gemini`.
    safetySettings: List[JsonValue]
    # With `passthrough`, for `openai`, `openai_responses`.
    safety_identifier: str
    # With `passthrough`, for `gemini`.
    safety_settings: List[JsonValue]
    # With `passthrough`, for `openai`.
    seed: JsonValue
    # With `passthrough`, for `openai`, `openai_responses`, `anthropic`.
    service_tier: str
    # Compiles of one session are compared with each other in `report.cache.first_change`.
    session_id: Union[str, None]
    # Instructions after the system text.
    skill: Union[SkillInput, None]
    # The shape that the conversation is in; recognised when absent.
    source: Union[ConversationShape, None]
    # With `passthrough`, for `anthropic`.
    speed: str
    # With `passthrough`, for `openai`.
    stop: JsonValue
    # With `passthrough`, for `anthropic`.
    stop_sequences: List[JsonValue]
    # With `passthrough`, for `openai`, `openai_responses`.
    store: bool
    # With `passthrough`, for `openai`, `openai_responses`, `anthropic`.
    stream: bool
    # With `passthrough`, for `openai`, `openai_responses`.
    stream_options: JsonObject
    # System text of an Anthropic request: a text or a list of text blocks.
    system: JsonValue
    # System text of a Gemini request.
    systemInstruction: JsonValue
    # The same, as the provider's Python library spells it.
    system_instruction: JsonValue
    # `move`: state, context and memory data are at the end of the last user message, once. `stay`: they stay where
    # earlier payloads had them, and newer ones follow at the end of the list. If absent, `stay` for models that
    # bind their thinking, `move` for others.
    tail_placement: Union[TailPlacement, None]
    # The shape to produce; `openai` when absent.
    target: Union[ConversationShape, None]
    # With `passthrough`, for `openai`, `openai_responses`, `anthropic`.
    temperature: float
    # With `passthrough`, for `openai_responses`.
    text: JsonObject
    # With `passthrough`, for `openai`, `anthropic`.
    thinking: JsonObject
    # With `passthrough`, for `gemini`.
    toolConfig: JsonObject
    # With `passthrough`, for `openai`, `openai_responses`, `anthropic`.
    tool_choice: JsonValue
    # With `passthrough`, for `gemini`.
    tool_config: JsonObject
    # The provider's array of tools, at most 1,000, or the array as `list` with options next to it.
    tools: Union[ToolsInput, None]
    # With `passthrough`, for `openai`, `anthropic`.
    top_k: int
    # With `passthrough`, for `openai`, `openai_responses`.
    top_logprobs: int
    # With `passthrough`, for `openai`, `openai_responses`, `anthropic`.
    top_p: float
    # With `passthrough`, for `openai_responses`.
    truncation: str
    # The provider's `usage` object of the session's last payload, as it came: it calibrates how tokens are counted.
    usage: Union[JsonObject, None]
    # With `passthrough`, for `openai`, `openai_responses`.
    user: str
    # With `passthrough`, for `openai`.
    verbosity: str
    # With `passthrough`, for `openai`.
    web_search_options: JsonObject


class CompileStartData(TypedDict, total=False):
    """A compile begins; all are null if the request is not valid."""

    # Messages of the conversation.
    messages: Union[int, None]
    # The model, as the request names it.
    model: Union[str, None]
    # The shape to produce.
    target: Union[str, None]


class CompileStartEvent(TypedDict):
    """A compile begins; all are null if the request is not valid."""

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: CompileStartData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['compile:start']


class CompressData(TypedDict):
    """The history of a compile shrank."""

    # Messages by what happened to them.
    actions: ActionCounts
    # Tokens of the payload.
    tokens_after: int
    # Tokens of the payload without this.
    tokens_before: int


class CompressEvent(TypedDict):
    """The history of a compile shrank."""

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: CompressData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['compress']


class CompressFormatHookCall(TypedDict):
    """The body of a call shortens a text of a format that only you know."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: CompressFormatHookInput
    # What the hook may do.
    kind: Literal['provide']
    # The point.
    point: Literal['compress_format']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


class CompressFormatHookInput(TypedDict, total=False):
    """What the hook may see."""

    # the text
    text: Union[str, None]
    # the tool that wrote it, or null
    tool: JsonValue


CompressLevel = Literal['lossless', 'reversible', 'summary', 'drop']


class CompressRequest(TypedDict, total=False):
    """Messages or a text to compress: one of `text`, `messages`, `input` and `contents`."""

    # Format adapters in the order in which texts are offered to them: names, or definitions. When absent all of
    # ours, a stored one of the same name in the place of each.
    adapters: Union[List[JsonValue], None]
    # Tokens that the answer may take, framing included.
    budget_tokens: Union[int, None]
    # Which old results become one line, and which stay.
    clear: Union[ClearSetting, None]
    # The conversation of a Gemini request.
    contents: Union[List[JsonValue], None]
    # Milliseconds that it may take, 10,000 if absent.
    deadline_ms: Union[int, None]
    # `full` adds `decisions` to the report.
    explain: Union[ExplainMode, None]
    # Items of an `OpenAI` Responses request.
    input: JsonValue
    # System text of an `OpenAI` Responses request.
    instructions: Union[str, None]
    # Newest turns that are shielded from all but lossless edits. If absent: `4`.
    keep_recent_turns: Union[int, None]
    # `lossless`, `reversible`, `summary` or `drop`; each allows what the ones before do. `lossless` when absent,
    # `summary` where there is a budget. Without a budget every edit of the level is made outside of the newest
    # turns; with one, as many as it takes.
    level: Union[CompressLevel, None]
    # Messages in the shape of `OpenAI` Chat, Anthropic or neutral; at most 10,000.
    messages: Union[List[ConversationMessage], None]
    # Decides the tokenizer.
    model: Union[str, None]
    # How lossless forms may show values: `plain`, each as it was written; `computed`, some derived from others; or
    # `none`, only what keeps the format of the original. If absent: `"plain"`.
    notations: Union[AllowedNotations, None]
    # `pass`, when absent: when time is up the input is returned as it came.
    on_deadline: Union[OnDeadline, None]
    # `store` keeps the originals as artifacts, `return` hands them over as `originals` and keeps ids and hashes
    # only, `none` allows only what decodes from the shown text. If absent: `"store"`.
    originals: Union[OriginalsPolicy, None]
    # Messages that stay word for word.
    protect: Union[ProtectOptions, None]
    # `strict` refuses malformed tool arguments, `lenient` keeps them as they are. If absent: `"strict"`.
    repair: Union[RepairMode, None]
    # The shape that the conversation is in; recognised when absent.
    source: Union[ConversationShape, None]
    # What a summary is to hold, in your words; at most 8,192 bytes.
    summary_instructions: Union[str, None]
    # Counted and left as it is, like the three below and the tools.
    system: JsonValue
    # System text of a Gemini request.
    systemInstruction: JsonValue
    # The same, as the provider's Python library spells it.
    system_instruction: JsonValue
    # A text, in place of a conversation.
    text: Union[str, None]
    # The provider's array of tools; counted and left as it is.
    tools: JsonValue


class _CompressResponseRequired(TypedDict):
    # The originals of what is not shown in full.
    artifacts: List[OriginalText]
    # The id of the response.
    id: str
    # What was done, and why.
    report: Report


class CompressResponse(_CompressResponseRequired, total=False):
    """The result, under the key it came in."""

    # The messages in the shape in which they came; absent for a text.
    messages: Union[List[JsonObject], None]
    # Their texts by id, with `originals: "return"`.
    originals: Union[Dict[str, str], None]
    # The text; absent for messages.
    text: Union[str, None]


CompressedBy = Literal['service', 'provider']


CompressionLevel = Literal['off', 'lossless', 'reversible', 'summary', 'drop']


class CompressionOptions(TypedDict, total=False):
    """How far history may be shortened."""

    # Format adapters in the order in which texts are offered to them: names, names with how the adapter works
    # (`{"name", "ratio", "summarizer"}`), or definitions. When absent all of ours, a stored one of the same name in
    # the place of each.
    adapters: Union[List[JsonValue], None]
    # Who shortens the history: `service`, or `provider`, where the provider clears and compacts by itself as
    # `report.requires` asks of the request. If absent: `"service"`.
    by: Union[CompressedBy, None]
    # Which old results become one line, and which stay.
    clear: Union[ClearSetting, None]
    # Share of the history's room that it is compacted to. If absent: `0.6`.
    compress_to: Union[float, None]
    # Later requests that are expected; the model's answers in the list so far, at least 10, when absent.
    expected_turns: Union[int, None]
    # Newest turns that are shielded from all but lossless edits. If absent: `4`.
    keep_recent_turns: Union[int, None]
    # `off`, `lossless`, `reversible`, `summary` or `drop`; each allows what the ones before do. If absent:
    # `"drop"`.
    level: Union[CompressionLevel, None]
    # How lossless forms may show values: `plain`, each as it was written; `computed`, some derived from others; or
    # `none`, only what keeps the format of the original. If absent: `"plain"`.
    notations: Union[AllowedNotations, None]
    # What is done to a tool result the first time it is seen: `off`, `lossless`, or `reversible`, where format
    # adapters shorten it. If absent: `"lossless"`.
    on_arrival: Union[OnArrival, None]
    # Whether a compaction is put off until the number of later requests in which it pays is within
    # `expected_turns`, as long as the history has room. If absent: `false`.
    pays: Union[bool, None]
    # Adds the tool `context_read`, and cleared results name the artifact that it reads. Answer its calls from `GET
    # /artifacts/{id}`. If absent: `false`.
    read_tool: Union[bool, None]
    # Characters above which an old tool result is not searched for lines to quote in a summary.
    stub_tool_results_over: Union[int, None]
    # What a summary is to hold, in your words; at most 8,192 bytes.
    summary_instructions: Union[str, None]
    # `keep` or `clear_old`. If absent: `"clear_old"`.
    thinking: Union[ThinkingPolicy, None]
    # Share of the history's room at which it is compacted. If absent: `1.0`.
    trigger: Union[float, None]


# How far history may be shortened: the options, or a level alone, with the defaults of the others.
CompressionInput = Union[CompressionLevel, CompressionOptions]


class _ConsoleSessionRequired(TypedDict):
    # What the key may do; all scopes for callers of a server that needs no key.
    scopes: List[str]
    # The tenant whose data is shown.
    tenant: str


class ConsoleSession(_ConsoleSessionRequired, total=False):
    """Who is signed in to the console."""

    # The value of `contexture-csrf` for requests with the cookie; null without a cookie.
    csrf_token: Union[str, None]
    # The key's id; null for callers without one.
    key: Union[str, None]


class ContextInjectedData(TypedDict):
    """Memory, state or context is in the payload."""

    # Whether `dynamic_state` is in it.
    dynamic_state: bool
    # The hooks whose text is in it.
    hooks: List[str]
    # Whether `implicit_context` or the text of a hook is in it.
    implicit_context: bool
    # Entries of memory.
    memory_entries: int


class ContextInjectedEvent(TypedDict):
    """Memory, state or context is in the payload."""

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: ContextInjectedData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['context:injected']


class _ContradictionCheckRequired(TypedDict):
    # `none`, `conflict`, or `not_applicable` for a text under no key.
    verdict: str


class ContradictionCheck(_ContradictionCheckRequired, total=False):
    """Whether a promoted entry says otherwise."""

    # The entries that say otherwise, in the candidate's scope.
    existing: List[ExistingEntry]


ContradictionResolution = Literal['supersede', 'keep_both', 'reject']


class ConversationMessage(TypedDict, total=False):
    """A message in the shape of OpenAI Chat, of Anthropic or neutral, with any other members that its provider
    knows.
    """

    # A text, or a list of blocks.
    content: JsonValue
    # An id that protects the message or names it in reports.
    id: Union[str, None]
    # Who speaks: `system`, `developer`, `user`, `assistant` or `tool`.
    role: Union[str, None]


# The shapes that a conversation comes in and goes out.
ConversationShape = Literal['openai', 'openai_responses', 'anthropic', 'gemini', 'neutral']


class CostCacheAssumption(TypedDict):
    """What the provider's cache is taken to do with a payload, or did with it."""

    # The state of the provider's cache.
    assumed: CostCacheState
    # Tokens that are read from the cache.
    read_tokens: int
    # Tokens that are written to it.
    write_tokens: int


# The state of the provider's cache that a cost assumes.
CostCacheState = Literal['warm', 'cold', 'reported']


_CoveredRangeRequired = TypedDict("_CoveredRangeRequired", {
    'from': "int",
    'to': "int",
})


class CoveredRange(_CoveredRangeRequired):
    """Consecutive messages."""


class _CreateKeyRequired(TypedDict):
    # At least one of `compile`, `compress`, `memory:read`, `memory:write`, `sessions:read`, `sessions:write`,
    # `tools`, `adapters:read`, `adapters:write`, `hooks:read`, `hooks:write`, `events:read`, `packs:read`,
    # `packs:write`, `metrics:read`, `admin`, `operator`.
    scopes: List[KeyScope]


class CreateKey(_CreateKeyRequired, total=False):
    """What a key is to be."""

    # Any keys of `/compile`: they are used for keys that a request does not have. In addition `gateway`, an object:
    # its `mode` (`off`, `observe`, `compress` or `fit`) is that of requests through the gateway without the header
    # `x-contexture-mode`, its `budget` that of mode `fit` without `x-contexture-budget`.
    defaults: Union[JsonObject, None]
    # What uses the key: `service` if absent.
    kind: Union[KeyKind, None]
    # How much the key may ask for.
    limits: Union[KeyLimits, None]
    # For people.
    name: Union[str, None]
    # What it may do with captured memory: `capturer`, `reviewer`, `promoter`, `auditor`; when absent `capturer`.
    roles: Union[List[str], None]
    # Whose things it is for; yours when absent. Another tenant needs the scope `operator`.
    tenant: Union[str, None]


class CreateSession(TypedDict, total=False):
    """What a session is to be."""

    # Any keys of `/compile` but messages and `session_id`: they are used for keys that a request does not have,
    # before those of the caller's key. `hooks`, in any form, need the scope `hooks:write`.
    defaults: Union[JsonObject, None]
    # 1 to 256 bytes without control characters; one is made up when absent.
    id: Union[str, None]
    # How long the session stays after its last use.
    ttl: Union[SessionTtl, None]


class _DelegationRequired(TypedDict):
    # The agent that worked.
    agent_name: str
    # What the agent was asked for.
    task: str


class Delegation(_DelegationRequired, total=False):
    """A task that was handed to another agent, and its result."""

    # An object that is carried and not read; at most 16 KiB.
    metadata: Union[JsonObject, None]
    # `sync` when absent, `async`, `tool`, `parallel` or `typed`.
    path: Union[DelegationPath, None]
    # May be empty.
    result: Union[str, None]
    # `success` when absent, `failed`, `timeout`, `cycle` or `depth`.
    status: Union[DelegationStatus, None]


class DelegationHookCall(TypedDict):
    """The body of a call after an agent handed a task to another one."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: DelegationHookInput
    # What the hook may do.
    kind: Literal['observe']
    # The point.
    point: Literal['delegation']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


class DelegationHookInput(TypedDict, total=False):
    """What the hook may see."""

    # who did it
    agent_name: Union[str, None]
    # `{handoff_depth, …}`
    metadata: Union[JsonObject, None]
    # how it was handed over
    path: Union[str, None]
    # what came back; may be empty
    result: Union[str, None]
    # `success`, `failed`, `timeout`, `cycle` or `depth`
    status: Union[str, None]
    # what was asked
    task: Union[str, None]


DelegationPath = Literal['sync', 'async', 'tool', 'parallel', 'typed']


class _DelegationRecordedDataRequired(TypedDict):
    # The agent that got the task.
    agent_name: str
    # The id of the delegation.
    delegation_id: str
    # How the task was handed over, as `path` of `POST /sessions/{id}/delegations`.
    path: str
    # Bytes of the result.
    result_bytes: int
    # How the delegation ended, as `status` of `POST /sessions/{id}/delegations`.
    status: str
    # Bytes of the task.
    task_bytes: int


class DelegationRecordedData(_DelegationRecordedDataRequired, total=False):
    """The hand-over of a task to another agent was reported."""

    # `metadata.handoff_depth`, if it is a number.
    handoff_depth: Union[int, None]


class DelegationRecordedEvent(TypedDict):
    """The hand-over of a task to another agent was reported."""

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: DelegationRecordedData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['delegation:recorded']


class DelegationReport(TypedDict):
    """A delegation that was reported."""

    # The agent that worked.
    agent_name: str
    # The id of the delegation.
    id: str
    # How the agent was called.
    path: str
    # The session that delegated.
    session_id: str
    # How it ended.
    status: str


DelegationStatus = Literal['success', 'failed', 'timeout', 'cycle', 'depth']


class _DeliveryRequired(TypedDict):
    # The attempts so far, the oldest first.
    attempts: List[DeliveryAttempt]
    # When it was made: RFC 3339, in UTC.
    created_at: str
    # The id of the hook.
    hook: str
    # Its calls carry it as `webhook-id`.
    id: str
    # The point of the call.
    point: str
    # `queued`, `delivered`, or `dead`: given up.
    state: str


class Delivery(_DeliveryRequired, total=False):
    """A call from the queue."""

    # The compile that the call is about, or null.
    compilation_id: Union[str, None]
    # When the next attempt is due, or the one under way is given up; null where none is.
    due_at: Union[str, None]
    # The session that the call is about, or null.
    session_id: Union[str, None]


class _DeliveryAttemptRequired(TypedDict):
    # When it began: RFC 3339, in UTC.
    at: str
    # Milliseconds that it took.
    ms: int
    # From 1.
    number: int


class DeliveryAttempt(_DeliveryAttemptRequired, total=False):
    """One attempt."""

    # Null where it succeeded.
    cause: Union[str, None]
    # The failure in a sentence, or null.
    detail: Union[str, None]
    # Of the answer, or null.
    status: Union[int, None]


class _DeliveryListRequired(TypedDict):
    # The rows of this page.
    items: List[Delivery]


class DeliveryList(_DeliveryListRequired, total=False):
    """Some deliveries."""

    # For the next request; null at the end.
    next_cursor: Union[str, None]


DeliveryMode = Literal['async', 'sync']


_DiffStepRequired = TypedDict("_DiffStepRequired", {
    'op': "str",
    'path': "str",
})

_DiffStepOptional = TypedDict("_DiffStepOptional", {
    'from': "JsonValue",
    'value': "JsonValue",
}, total=False)


class DiffStep(_DiffStepRequired, _DiffStepOptional):
    """A place in which two documents differ."""


EnforcementMode = Literal['enforce', 'audit']


_EventGapRequired = TypedDict("_EventGapRequired", {
    'from': "int",
    'to': "int",
})


class EventGap(_EventGapRequired):
    """Numbers of events, from the first to the last."""


class EventHookCall(TypedDict):
    """The body of a call any event of the feed."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: EventHookInput
    # What the hook may do.
    kind: Literal['observe']
    # The point.
    point: Literal['event']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


class EventHookInput(TypedDict, total=False):
    """What the hook may see."""

    # when it happened
    at: Union[str, None]
    # the compilation, or null
    compilation_id: JsonValue
    # what the event tells
    data: Union[JsonObject, None]
    # the event's number
    seq: Union[int, None]
    # the session, or null
    session_id: JsonValue
    # the event's name
    type: Union[str, None]


class _EventListRequired(TypedDict):
    # Whether there is more already.
    has_more: bool
    # The rows of this page.
    items: List[EventRow]
    # The `after` of the next page, also where nothing has happened yet.
    next_after: int


class EventList(_EventListRequired, total=False):
    """A page of events."""

    # Events before these that are no longer kept.
    gap: Union[EventGap, None]


class GatewayRequestEvent(TypedDict):
    """A request for a model through the gateway has ended."""

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: GatewayRequestData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['gateway:request']


class MemoryChangedEvent(TypedDict):
    """A memory entry has changed, or has expired."""

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: MemoryEventData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['memory:changed']


class MemoryExpiredEvent(TypedDict):
    """A memory entry has changed, or has expired."""

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: MemoryEventData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['memory:expired']


class MemoryDeniedEvent(TypedDict):
    """A model may not write a memory entry. `hook`, `point` and `code` are absent unless a hook denied it."""

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: MemoryDeniedData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['memory:denied']


class ToolDeniedEvent(TypedDict):
    """A guard denied a call of the model."""

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: ToolDeniedData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['tool:denied']


class HookFailedEvent(TypedDict):
    """A hook gave no answer. `kind` and `status` are of a call in a request, `delivery` and `attempts` of one from
    the queue.
    """

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: HookFailedData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['hook:failed']


class HookDeniedEvent(TypedDict):
    """A hook's no ended a compile or a request through the gateway."""

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: HookDeniedData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['hook:denied']


class SessionSwitchedEvent(TypedDict):
    """A session was opened, forked or switched."""

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: SessionSwitchedData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['session:switched']


class HookDisabledEvent(TypedDict):
    """The service disabled a hook."""

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: HookDisabledData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['hook:disabled']


class HookLostEvent(TypedDict):
    """Queued calls of a hook were deleted, because too many were queued."""

    # When it happened: RFC 3339, in UTC.
    at: str
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: HookLostData
    # From 1, one more with each event of the tenant.
    seq: int
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['hook:lost']


class StreamGapEvent(TypedDict):
    """To one reader: events are no longer kept."""

    # Null: the event is not stored.
    at: None
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: StreamGapData
    # Null: the event is for this reader alone.
    seq: None
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['stream:gap']


class StreamOverflowEvent(TypedDict):
    """To one reader: it was too slow, and the stream ends."""

    # Null: the event is not stored.
    at: None
    # The compile that it is about, or null.
    compilation_id: Union[str, None]
    data: StreamOverflowData
    # Null: the event is for this reader alone.
    seq: None
    # The session that it is about, or null.
    session_id: Union[str, None]
    # The type of the event.
    type: Literal['stream:overflow']


# An event, by `type`. Later releases have further types: pass over what you do not know.
EventRow = Union[CompileStartEvent, CompileDoneEvent, CompileFailedEvent, GatewayRequestEvent, CompressEvent, ContextInjectedEvent, MemoryChangedEvent, MemoryExpiredEvent, MemoryDeniedEvent, ToolDeniedEvent, HookFailedEvent, HookDeniedEvent, DelegationRecordedEvent, SessionSwitchedEvent, CacheExpiringEvent, HookDisabledEvent, HookLostEvent, StreamGapEvent, StreamOverflowEvent]


class EventTicket(TypedDict):
    """What opens one stream."""

    # Seconds for which a stream can be opened with it.
    expires_in_seconds: int
    # What to send as `ticket` of `GET /events`.
    ticket: str


class _ExistingEntryRequired(TypedDict):
    # The key of the entry.
    key: str


class ExistingEntry(_ExistingEntryRequired, total=False):
    """An entry that says otherwise."""

    # The candidate that it was.
    candidate: Union[str, None]


class ExpandRequest(TypedDict, total=False):
    """What to give back: one of the messages, a `text`, an answer's `id`, or an `artifact`."""

    # The id of an artifact.
    artifact: Union[str, None]
    # The conversation of a Gemini request.
    contents: Union[List[JsonValue], None]
    # The id of an answer of `/compress`.
    id: Union[str, None]
    # Items of an `OpenAI` Responses request.
    input: Union[List[JsonValue], None]
    # Messages as they were returned, in their shape; newer ones may follow.
    messages: Union[List[ConversationMessage], None]
    # Originals that the caller kept, by id. Where nothing else is known of a text, the one that equals what it
    # decodes to, but for what `equivalent` edits leave out, is taken.
    originals: Union[Dict[str, str], None]
    # A text as it was returned: its original, if that is known here; else it is decoded from its own notations.
    text: Union[str, None]


class _ExpandedListRequired(TypedDict):
    # Messages, by index, that bear marks of ours and no longer stand where we put them. They were decoded from
    # their own text as far as that goes.
    edited: List[int]
    # Messages that came back.
    expanded: int
    # Whether every message is known to be the original, byte for byte. One that is not known is not where it bears
    # marks of something left out.
    identical: bool
    # What is no longer available; it was passed through as it came.
    missing: List[MissingOriginal]
    # Messages that were their own originals.
    unchanged: int


class ExpandedList(_ExpandedListRequired, total=False):
    """The originals, under the key that the messages came in."""

    # The messages with their original texts.
    messages: Union[List[JsonObject], None]
    # The original text.
    text: Union[str, None]


ExplainMode = Literal['summary', 'full']


class _FieldErrorRequired(TypedDict):
    # What is wrong, with the value, and what is allowed.
    detail: str
    # JSON Pointer (RFC 6901) into the request; empty for the whole of it.
    pointer: str


class FieldError(_FieldErrorRequired, total=False):
    """One faulty place of a request."""

    # The known key or name nearest to an unknown one.
    did_you_mean: Union[str, None]


class _FirstChangeRequired(TypedDict):
    # JSON Pointer into this payload.
    pointer: str
    # Tokens from there to the end: what the provider has to read again.
    tokens_behind: int
    # Why.
    why: ChangeReason


class FirstChange(_FirstChangeRequired, total=False):
    """The first place where a payload leaves the one before it."""

    # If only the end of a system text differs: where to split it. What changes belongs into a block of its own
    # after the other system text, or into `dynamic_state`.
    split: Union[SystemSplitPlace, None]


class ForkSession(TypedDict, total=False):
    """Where a session is forked."""

    # One is made up when absent.
    new_session_id: Union[str, None]
    # What it was at that snapshot; what it is when absent.
    snapshot_id: Union[str, None]


class GatewayBlocks(TypedDict):
    """The blocks of a member of a request."""

    # 16 hex digits for each tool, system text or message, whatever marks of caching it has.
    hashes: List[str]
    # The name of the member.
    member: str


class GatewayConfig(TypedDict, total=False):
    """What a caller may set."""

    # Whether what people and models wrote may be shortened too.
    compress_user_messages: Union[bool, None]
    # Messages at the beginning that stay as they are: a provider's cache holds them.
    frozen_message_count: Union[int, None]
    # Absent or `ccr`: what is left out is named by `hash=` and the id of its artifact. Any other word: nothing is
    # named, as for a model that has no tool to ask.
    mode: Union[str, None]
    # How lossless forms may show values: `plain`, `computed` or `none`. If absent: `"plain"`.
    notations: Union[str, None]
    # Newest messages that lose nothing.
    protect_recent: Union[int, None]


class GatewayHealth(TypedDict):
    """How the server is, in the words of this wire."""

    # Whether requests can be taken.
    ready: bool
    # `healthy`, or `unhealthy` where work should not be sent here.
    status: str
    # The release of the program.
    version: str


class GatewayMessageEdit(TypedDict):
    """A message that is sent with forms in the place of its texts."""

    # The index in the list of messages.
    message: int
    # `on_arrival`, or `compaction` if the message has its forms from a compaction point.
    rule: str
    # Tokens that the message has less than it came with.
    saved_tokens: int


class _GatewayReportRequired(TypedDict):
    # Tokens of the memory data, the state and the text of hooks in the request: mode `session`.
    added_tokens: int
    # What was sent, a hash for each block, in the order in which a provider caches them.
    blocks: List[GatewayBlocks]
    # Whether the request passed a compaction point: modes `fit` and `session`.
    compacted: bool
    # From the request to the end of the response.
    duration_ms: int
    # The messages that were edited, new ones and those of earlier requests.
    edits: List[GatewayMessageEdit]
    # `messages`, `chat_completions`, `responses` or `generate_content`.
    endpoint: str
    # Keys of the memory entries in the request: mode `session`.
    memory: List[str]
    # `observe`, `compress`, `fit` or `session`.
    mode: str
    # In mode `observe`: what `compress` would have saved of the newest messages.
    observed_tokens: int
    # Tokens that the request has less than it came with.
    saved_tokens: int
    # The status of the provider's response.
    status: int
    # The part of `saved_tokens` in the newest messages, which no request was saved before.
    unique_saved_tokens: int
    # The name of the upstream.
    upstream: str
    # The wire format: `anthropic`, `openai` or `gemini`.
    wire: str


class GatewayReport(_GatewayReportRequired, total=False):
    """A request through the gateway."""

    # Why something stayed as it came; null if nothing did.
    skipped: Union[str, None]
    # What the provider counted; null if the response did not say.
    tokens: Union[GatewayTokens, None]


class _GatewayRequestRequired(TypedDict):
    # The conversation.
    messages: List[JsonValue]


class GatewayRequest(_GatewayRequestRequired, total=False):
    """Messages in any shape that `/compress` takes. What is not known is passed over."""

    # Options of headroom's clients.
    config: Union[GatewayConfig, None]
    # Decides the tokenizer.
    model: Union[str, None]
    # Tokens that the answer may take; old turns may be summarised then.
    token_budget: Union[int, None]


class _GatewayRequestDataRequired(TypedDict):
    # Tokens of the blocks that mode `session` added.
    added_tokens: int
    # Whether the request passed a compaction point.
    compacted: bool
    # Milliseconds from the request to the end of the response.
    duration_ms: int
    # `messages`, `chat_completions`, `responses` or `generate_content`.
    endpoint: str
    # `observe`, `compress`, `fit` or `session`.
    mode: str
    # In mode `observe`: what `compress` would have saved of the newest messages.
    observed_tokens: int
    # How much of the request is recorded: `none`, `hashes` or `full`.
    record: str
    # Tokens that the request has less than it came with.
    saved_tokens: int
    # The status of the response.
    status: int
    # The part of `saved_tokens` in the newest messages.
    unique_saved_tokens: int
    # The name of the upstream.
    upstream: str
    # `anthropic`, `openai` or `gemini`.
    wire: str


class GatewayRequestData(_GatewayRequestDataRequired, total=False):
    """A request for a model through the gateway has ended."""

    # The code of an error of this service, or null.
    code: Union[str, None]
    # What the request costs by the provider's count; null if that or the prices are not known.
    cost: Union[CompileCost, None]
    # The id of the caller's key, or null.
    key: Union[str, None]
    # The model, as the request names it.
    model: Union[str, None]
    # The hash of the body that was sent; null if the body was not read.
    payload_hash: Union[str, None]
    # Why something stayed as it came; null if nothing did.
    skipped: Union[str, None]
    # What the provider counted; null if the response did not say.
    tokens: Union[GatewayTokens, None]


class GatewayRequestStats(TypedDict):
    """How many requests there were."""

    # The same by the model that they name: `other` for one that is not in the table.
    by_model: Dict[str, int]
    # All of them.
    total: int


class _GatewayResponseRequired(TypedDict):
    # The ids of the originals that the messages name.
    ccr_hashes: List[str]
    # Tokens after for each token before.
    compression_ratio: float
    # A list; where nothing could be made of them, whatever came.
    messages: JsonValue
    # Tokens of `messages`.
    tokens_after: int
    # 0 where the messages were passed on uncounted, like the two below.
    tokens_before: int
    # `tokens_before` less `tokens_after`.
    tokens_saved: int
    # The rules that changed something.
    transforms_applied: List[str]


class GatewayResponse(_GatewayResponseRequired, total=False):
    """The resulting messages."""

    # True where the messages are as they came.
    compression_skipped: Union[bool, None]
    # Why they are.
    skip_reason: Union[str, None]


class GatewayStats(TypedDict):
    """Sums of the caller's key since the beginning of the day in UTC."""

    requests: GatewayRequestStats
    tokens: GatewayTokenStats


class GatewayTokenStats(TypedDict):
    """Tokens of the requests."""

    # As they were sent on.
    input: int
    # `total_before_compression` less `input`.
    saved: int
    # `saved` of a hundred that came.
    savings_percent: float
    # As they came.
    total_before_compression: int


class _GatewayTokensRequired(TypedDict):
    # Tokens that were read from the cache.
    read: int
    # Tokens of the input that the cache had no part in.
    uncached: int
    # Tokens that were written to the cache.
    written: int


class GatewayTokens(_GatewayTokensRequired, total=False):
    """Tokens of a request, as the provider counted them."""

    # Tokens of the response; null if it did not say.
    output: Union[int, None]


class _GoldenRowRequired(TypedDict):
    # The record that is the expected result.
    compilation_id: str
    # When it was compiled.
    compiled_at: str
    # When it was taken into the set.
    created_at: str
    # Whether that is this engine. Where it is not, what differs may be the engine's doing.
    current: bool
    # Release and semantics of the engine that compiled it.
    engine: str
    # `compiled` or `refused`.
    status: str


class GoldenRow(_GoldenRowRequired, total=False):
    """A compile of a golden set."""

    # SHA-256 of the payload's bytes; null where the pack refused.
    payload_hash: Union[str, None]


class _GoldenCaseRequired(GoldenRow):
    # `equal`, `diverged`, `failed` if it cannot be run, or `engine_changed` if another engine made the record.
    outcome: str
    # The stages that parted by themselves, not because one before them did.
    root_stages: List[str]
    # The stages whose input or output is not the same.
    stages: List[StageRow]


class GoldenCase(_GoldenCaseRequired, total=False):
    """The result of one compile of a golden set."""

    # The problem that prevents it, by its code.
    code: Union[str, None]
    # What differs or failed, in a sentence.
    detail: Union[str, None]
    # The earliest stage that gave something else.
    first_divergent_stage: Union[str, None]
    # Where a compile became a refusal, or the other way round.
    outcome_change: Union[OutcomeChange, None]
    # Why the pack refuses.
    refusal: Union[CompileRefusal, None]


class GoldenList(TypedDict):
    """The golden set of a version."""

    # The rows of this page.
    items: List[GoldenRow]
    # The version of the pack, `id@version`.
    pack_ref: str


class GoldenRequest(TypedDict):
    """The compiles of a golden set."""

    # Ids of compiles under this very version, each with a record in full.
    compilations: List[str]


class GoldenRun(TypedDict):
    """The results of a golden set."""

    # The version that it was run under.
    against: str
    # In the order of the set.
    cases: List[GoldenCase]
    # Cases that gave something else.
    diverged: int
    # Compiles whose records another engine made: make the set again from new records.
    engine_changed: int
    # Cases that gave the same bytes.
    equal: int
    # Cases that could not be run.
    failed: int
    # The version that was run, `id@version`.
    pack_ref: str
    # `equal` if every compile is; `diverged` if one diverged or failed; otherwise `engine_changed`.
    status: str


class GoldenRunRequest(TypedDict, total=False):
    """What a golden set is run under."""

    # A published version; the set's own if it is absent.
    against: Union[str, None]


class _GuardAnswerRequired(TypedDict):
    # `allow` or `deny`.
    decision: GuardVerdict


class GuardAnswer(_GuardAnswerRequired, total=False):
    """What a guard returns."""

    # A word for programs.
    code: Union[str, None]
    # Why it is denied: part of the problem document that the caller gets.
    reason: Union[str, None]


# Whether a guard lets the request go on.
GuardVerdict = Literal['allow', 'deny']


class _HealthReportRequired(TypedDict):
    # `ok`, or `degraded` where the store cannot be written.
    status: str


class HealthReport(_HealthReportRequired, total=False):
    # Why not: `full`, `unavailable` or `lost`; absent where all is well.
    store: Union[str, None]
    # The names of the gateway's upstreams, which are not asked; absent where there are none.
    upstreams: List[str]


class HistorySummary(TypedDict):
    """The message at the head of the history that replaces the summarised ones."""

    # Who wrote it: `extractive` where it is quotes, `hook:ID`, or `model:NAME`.
    by: str
    # The messages that it replaces, by their indexes in the request's list.
    covers: List[CoveredRange]


class SummarizeHookCall(TypedDict):
    """The body of a call writes the summary of the turns that leave the history."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: SummarizeHookInput
    # What the hook may do.
    kind: Literal['provide']
    # The point.
    point: Literal['summarize']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


class TransformContextHookCall(TypedDict):
    """The body of a call the complete list of messages before it becomes the provider's payload."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: TransformContextHookInput
    # What the hook may do: transform, guard, observe.
    kind: HookKind
    # The point.
    point: Literal['transform_context']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


class MemoryUpdateHookCall(TypedDict):
    """The body of a call before a model's own write to memory, of a key that it may write."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: MemoryUpdateHookInput
    # What the hook may do: guard, transform.
    kind: HookKind
    # The point.
    point: Literal['memory_update']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


class MemoryChangedHookCall(TypedDict):
    """The body of a call after a memory entry was set, deleted or expired."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: MemoryChangedHookInput
    # What the hook may do.
    kind: Literal['observe']
    # The point.
    point: Literal['memory_changed']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


class MemoryExpiredHookCall(TypedDict):
    """The body of a call after an expired memory entry was deleted."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: MemoryExpiredHookInput
    # What the hook may do.
    kind: Literal['observe']
    # The point.
    point: Literal['memory_expired']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


class SessionSwitchHookCall(TypedDict):
    """The body of a call when a conversation goes on in another session."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: SessionSwitchHookInput
    # What the hook may do.
    kind: Literal['observe']
    # The point.
    point: Literal['session_switch']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


class ToolCallHookCall(TypedDict):
    """The body of a call before a tool call is carried out."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: ToolCallHookInput
    # What the hook may do: guard, transform, observe.
    kind: HookKind
    # The point.
    point: Literal['tool_call']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


class ToolResultHookCall(TypedDict):
    """The body of a call a tool's result, when it is first seen."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: ToolResultHookInput
    # What the hook may do: transform, observe.
    kind: HookKind
    # The point.
    point: Literal['tool_result']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


class RetrieveEvidenceHookCall(TypedDict):
    """The body of a call finds the evidence that a pack asks for."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: RetrieveEvidenceHookInput
    # What the hook may do.
    kind: Literal['provide']
    # The point.
    point: Literal['retrieve_evidence']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


class RecallMemoryHookCall(TypedDict):
    """The body of a call chooses among stored memory entries, or adds others."""

    delivery: HookCallDelivery
    hook: CalledHook
    input: RecallMemoryHookInput
    # What the hook may do.
    kind: Literal['provide']
    # The point.
    point: Literal['recall_memory']
    scope: HookCallScope
    # The version of this format.
    spec: Literal['hooks/1']


# The body of a call, by `point`.
HookCall = Union[BeforeCompressHookCall, SummarizeHookCall, AfterCompressHookCall, BeforeCompileHookCall, TransformContextHookCall, MemoryUpdateHookCall, MemoryChangedHookCall, MemoryExpiredHookCall, DelegationHookCall, SessionSwitchHookCall, CacheExpiringHookCall, ToolCallHookCall, ToolResultHookCall, CompressFormatHookCall, RetrieveEvidenceHookCall, RecallMemoryHookCall, EventHookCall]


class HookCallDelivery(TypedDict):
    """The attempt to deliver a call."""

    # From 1; each attempt has the same `webhook-id`.
    attempt: int
    # Whether a record is run again.
    replay: bool
    # When it was sent: RFC 3339, in UTC.
    sent_at: str
    # Whether it is a trial of `POST /hooks/test` or `POST /hooks/{id}/test`.
    test: bool


class _HookCallScopeRequired(TypedDict):
    # The tenant of the request.
    tenant: str


class HookCallScope(_HookCallScopeRequired, total=False):
    """The compile or the session that a call is about; what does not apply is null."""

    # The agent whose request it is.
    agent: Union[str, None]
    # The id of the compile.
    compilation_id: Union[str, None]
    # The id of the session.
    session_id: Union[str, None]
    # The turn of the session.
    turn: Union[int, None]


# What changes of a hook: any of its members; null takes one away.
HookChange = Dict[str, Any]


class HookCheckRow(TypedDict):
    """A hook that was asked once more."""

    # Whether it was asked something else than was recorded.
    asked_otherwise: bool
    # Whether its definition is another one than the record has.
    config_changed: bool
    # The id of the hook.
    hook: str
    # How often the point was reached before.
    occurrence: int
    # `equal`, `differs`, `failed`, or `gone` where there is no such hook any more.
    outcome: str
    # The point at which it ran.
    point: str


class _HookDefinitionRequired(TypedDict):
    # `guard`, `transform`, `provide` or `observe`.
    kind: HookKind


class HookDefinition(_HookDefinitionRequired, total=False):
    """A hook: where it stands, what it is, and whom it asks. One of `point` and `points`, one of `url` and
    `builtin`.
    """

    # Must be true where a guard's failure is to count as leave.
    allow_fail_open: Union[bool, None]
    # `truncate`, `redact`, `deny_command` or `secret_scan`.
    builtin: Union[BuiltInHook, None]
    # Settings of the built-in hook.
    config: Union[JsonObject, None]
    # Of an observe hook: `async`, or `sync`, which holds the answer until it was told. If absent: `"async"`.
    delivery: Union[DeliveryMode, None]
    # Whether it is called. If absent: `true`.
    enabled: Union[bool, None]
    # Sent with each call and never shown.
    headers: Union[JsonObject, None]
    # 1 to 64 of `a-z`, `0-9`, `.`, `_`, `-`; made up when absent.
    id: Union[str, None]
    # `include` and `exclude`: JSON Pointers to what of the input leaves the service.
    input: Union[JsonObject, None]
    # Whether it runs for requests with `"hooks": false`, too. True by default for a guard that a caller with a key
    # registers.
    mandatory: Union[bool, None]
    # Which calls it is for: `tools`, `args`, `agents`, `sessions`, `events`, `status`, `denials`.
    match: Union[JsonObject, None]
    # Of a provide hook: tokens that its text may take. If absent: `1024`.
    max_tokens: Union[int, None]
    # `enforce`, or `audit`: it is asked, and nothing of what it says holds. If absent: `"enforce"`.
    mode: Union[EnforcementMode, None]
    # `deny` (guards), `fail` or `skip`; by point and kind when absent.
    on_failure: Union[OnFailure, None]
    # One of `GET /hook-points`.
    point: Union[HookPointName, None]
    # Several points, in place of `point`.
    points: Union[List[HookPointName], None]
    # Higher runs first among hooks of a kind. If absent: `0`.
    priority: Union[int, None]
    # Whether a guard is asked again where a transform changed what it saw.
    reverify: Union[bool, None]
    # `{"session_id"}`: for one session.
    scope: Union[JsonObject, None]
    # 30,000 at most; by kind when absent.
    timeout_ms: Union[int, None]
    # https; http and private addresses only where the operator allows them.
    url: Union[str, None]


class _HookDeniedDataRequired(TypedDict):
    # The id of the hook.
    hook: str
    # The point of the call.
    point: str


class HookDeniedData(_HookDeniedDataRequired, total=False):
    """A hook's no ended a compile or a request through the gateway."""

    # The code that the hook gave, or null.
    code: Union[str, None]


class _HookDiffRequired(TypedDict):
    # One for each member that changes; empty if the hook is new or stays as it is. Steps without `from` and `value`
    # are of what is never shown.
    changes: List[DiffStep]


class HookDiff(_HookDiffRequired, total=False):
    """What a `PUT` of a hook would change."""

    # The revision of the hook that is registered; null if there is none of this id.
    revision: Union[int, None]


class HookDisabledData(TypedDict):
    """The service disabled a hook."""

    # `gone` or `failing`.
    because: str
    # The id of the hook.
    hook: str


class _HookFailedDataRequired(TypedDict):
    # The id of the hook.
    hook: str
    # The point of the call.
    point: str


class HookFailedData(_HookFailedDataRequired, total=False):
    """A hook gave no answer. `kind` and `status` are of a call in a request, `delivery` and `attempts` of one from
    the queue.
    """

    # How often the queued call was tried.
    attempts: Union[int, None]
    # The failure in a word.
    cause: Union[str, None]
    # The id of the queued call.
    delivery: Union[str, None]
    # What the hook may do.
    kind: Union[str, None]
    # The status of the hook's response; null if there was none.
    status: Union[int, None]


HookKind = Literal['guard', 'transform', 'provide', 'observe']


class _HookListRequired(TypedDict):
    # The rows of this page.
    items: List[HookRow]


class HookList(_HookListRequired, total=False):
    """Some hooks."""

    # For the next request; null at the end.
    next_cursor: Union[str, None]


class HookLostData(TypedDict):
    """Queued calls of a hook were deleted, because too many were queued."""

    # Calls that were deleted since the last such event.
    count: int
    # The id of the hook.
    hook: str


class HookOrder(TypedDict):
    """The order of hooks."""

    # By point, after a change: `added`, `removed`, `reordered`.
    changes: JsonObject
    # As it was given.
    manifest: HookOrderRequest
    # As it comes out: ids by kind by point.
    order: JsonObject
    # The SHA-256 of `order`; records of compiles hold it.
    order_hash: str
    # From 1, one more with each change; 0 where none was ever given.
    revision: int
    # Ids that are listed and that no hook of their point has.
    unknown_ids: List[str]


class HookOrderRequest(TypedDict):
    """The hooks that are to run first at a point, in their order."""

    # Lists of ids by point.
    points: JsonObject


class _HookPointRequired(TypedDict):
    # What happens at the point, in a sentence.
    about: str
    # The members of a call's `input`, and what each is.
    input: JsonObject
    # The kinds of hooks that the point takes.
    kinds: List[HookPointKind]
    # The name of the point.
    point: str


class HookPoint(_HookPointRequired, total=False):
    """Where hooks can stand."""

    # JSON Pointer to what a transform changes, or null.
    payload: Union[str, None]


class HookPointKind(TypedDict):
    """A kind of hook at a point, and its defaults there."""

    # A sketch of the response.
    answer: str
    # The kind of hook.
    kind: str
    # What a failed call means if the hook does not say it.
    on_failure: str
    # Milliseconds that a call may take if the hook does not say it.
    timeout_ms: int


HookPointName = Literal['before_compress', 'summarize', 'after_compress', 'before_compile', 'transform_context', 'memory_update', 'memory_changed', 'memory_expired', 'delegation', 'session_switch', 'cache_expiring', 'tool_call', 'tool_result', 'compress_format', 'retrieve_evidence', 'recall_memory', 'event']


class _HookPointsRequired(TypedDict):
    # The rows of this page.
    items: List[HookPoint]


class HookPoints(_HookPointsRequired, total=False):
    """Every hook point."""

    # Always null: there are no more.
    next_cursor: Union[str, None]


class HookQueue(TypedDict):
    """The queued calls of a hook."""

    # Calls that were deleted because more than 100,000 were queued.
    lost: int
    # Calls that wait for their next attempt or have one under way.
    queued: int


class _HookRecordRequired(TypedDict):
    # Tries over the network.
    attempts: int
    # 1 if nothing of the outcome was applied, because the hook has `mode: "audit"`; otherwise 0.
    audit: int
    # 1 if some of what it provided did not fit its cap; otherwise 0.
    clipped: int
    # The id of the hook.
    hook: str
    # What the hook may do.
    kind: str
    # From 0, one more with each call of the hook at the point.
    occurrence: int
    # As in a report; of a hook with `mode: "audit"`, what an enforced one would have done.
    outcome: str
    # The point of the call.
    point: str
    # The revision of the hook.
    revision: int
    # The status of the hook's response; 0 if there was none.
    status: int
    # Tokens that what it provided takes.
    tokens: int
    # Microseconds that the call took.
    took_us: int


class HookRecord(_HookRecordRequired, total=False):
    """The outcome of a hook, as a record keeps it; what does not apply is null."""

    # The text that the hook returned.
    answer: Union[str, None]
    # The failure in a word.
    cause: Union[str, None]
    # The code that a guard gave.
    code: Union[str, None]
    # In a record in full, the newest attempt of a queued call; null before the first one.
    delivery: Union[RecordedDelivery, None]
    # The failure in a sentence.
    detail: Union[str, None]
    # In a record in full, the JSON text of the member `input` that was sent; null if nothing was sent, as to a
    # built-in hook, or if it is no longer kept.
    input: Union[str, None]
    # Why a guard denied.
    reason: Union[str, None]
    # The hash of what was sent.
    request_digest: Union[str, None]
    # Why the hook was skipped.
    skip: Union[str, None]


class HookRegistration(HookDefinition, total=False):
    """A hook to be registered, with a secret of the caller's own if it is to have one."""

    # `whsec_` and the base64 of 24 to 64 bytes, which may be the secret of several hooks. A new one is made when
    # absent, and by `PUT` the one of before stays.
    secret: Union[str, None]


class _HookReportRequired(TypedDict):
    # The id of the hook.
    id: str
    # What the hook may do: `guard`, `transform`, `provide` or `observe`.
    kind: str
    # Milliseconds that the call took.
    ms: int
    # `allowed`, `denied`, `applied`, `unchanged`, `delivered`, `queued`, `failed`, `skipped` or `would_call` (a dry
    # run); of a hook with `mode: "audit"`, `would_deny` or `would_apply`.
    outcome: str
    # The point of the call.
    point: str
    # Tokens that what it provided takes.
    tokens: int


class HookReport(_HookReportRequired, total=False):
    """A hook that was reached."""

    # True if some of what it provided did not fit its cap; otherwise absent.
    clipped: bool
    # The cause of a failure, the reason of a denial, or why the hook was skipped.
    why: Union[str, None]


class _HookRowRequired(TypedDict):
    # `open` while it is not called because it failed again and again.
    circuit: str
    # Whether it is called.
    enabled: bool
    # The id of the hook.
    id: str
    # What it may do: `guard`, `transform`, `provide` or `observe`.
    kind: str
    # Whether it runs for requests with `"hooks": false`, too.
    mandatory: bool
    # Whether its responses count (`enforce`) or are recorded only (`audit`).
    mode: str
    # Where it runs.
    points: List[str]
    # Hooks with a higher number run first, among hooks of a kind.
    priority: int
    # The calls that are queued for it.
    queue: HookQueue
    # From 1, one more with each change.
    revision: int
    # `api`, or `file` for those of the operator's file, which cannot be changed here.
    source: str
    # Milliseconds that a call may take.
    timeout_ms: int


class HookRow(_HookRowRequired, total=False):
    """A hook as it is registered, every default filled in; what its kind has no use for is absent."""

    # Whether a guard may let requests through if it fails.
    allow_fail_open: Union[bool, None]
    # The built-in hook that it is, or null.
    builtin: Union[str, None]
    # Options of a built-in hook, or null.
    config: Union[JsonObject, None]
    # When it was made: RFC 3339, in UTC.
    created_at: Union[str, None]
    # Whether observers are called in the background or before the response.
    delivery: Union[str, None]
    # Why the service disabled it, or null.
    disabled_because: Union[str, None]
    # Since when its queued calls have done nothing but fail, or null.
    failing_since: Union[str, None]
    # Names of the headers that are sent.
    headers: Union[List[str], None]
    # The members of its input, or null for all.
    input: Union[JsonObject, None]
    # Which calls it gets, or null for all.
    match: Union[JsonObject, None]
    # Tokens of what a provider may add.
    max_tokens: Union[int, None]
    # What a failed call means: `deny`, `fail` or `skip`.
    on_failure: Union[str, None]
    # Whether it sees the list again after another hook changed it.
    reverify: Union[bool, None]
    # Whose requests call it.
    scope: Union[JsonObject, None]
    # When it was last changed: RFC 3339, in UTC.
    updated_at: Union[str, None]
    # Without path and query, which may hold secrets: `…` replaces them.
    url: Union[str, None]


class _HookTestResultRequired(TypedDict):
    # Tries over the network.
    attempts: int
    # The id of the hook.
    hook: str
    # What it may do: `guard`, `transform`, `provide` or `observe`.
    kind: str
    # Milliseconds that the call took.
    ms: int
    # The point of the call.
    point: str


class HookTestResult(_HookTestResultRequired, total=False):
    """The outcome of a trial."""

    # The failure in a sentence, or null.
    detail: Union[str, None]
    # What would have come of it: `payload`, `fragments` and `answers`, or a guard's denial.
    effect: Union[JsonObject, None]
    # As in a report: `allowed`, `denied`, `applied`, `unchanged`, `delivered`, `failed`, `skipped`.
    outcome: Union[str, None]
    # What was sent: `method`, `url`, `headers`, `body`; null where nothing was.
    request: Union[JsonObject, None]
    # What came back: `status`, `body`.
    response: Union[JsonObject, None]
    # What the call was signed with, where that was made up for it.
    secret: Union[str, None]
    # The cause of a failure, or the reason of a denial.
    why: Union[str, None]


class _InventoryRequired(TypedDict):
    # Memory entries that were shown, by key. A message of the model uses an entry if it calls a memory tool with
    # the entry's key (or the path of its file), or repeats the entry's value word for word in its text or in the
    # arguments of a call. A value of fewer than 8 characters is not looked for: without a call, uses of its entry
    # are null.
    memory: List[CarriedItem]
    # Records that were looked at.
    records: int
    # Skills whose instructions were sent, by name. A message of the model uses a skill if it calls a tool of the
    # skill's `allowed_tools`; of a skill without them, or that is no longer there, uses are null.
    skills: List[CarriedItem]
    # Tools of its request, in their order.
    tools: List[CarriedTool]


class Inventory(_InventoryRequired, total=False):
    """What the newest requests of a session carried, and what of it was used."""

    # The record whose conversation shows what was used; null if none of these records is in full. `tools` is empty
    # then, and uses are null.
    compilation_id: Union[str, None]


# An object with any members.
JsonObject = Dict[str, Any]


# Any JSON value.
JsonValue = Any


# How many of the newest tool results stay: a number, 3 when absent, or `all`.
KeptToolResults = Union[int, str]


# The kind of caller; `service` when absent.
KeyKind = Literal['user', 'agent', 'service', 'automation']


class KeyLimits(TypedDict, total=False):
    """How much a key may ask for; what is absent is not limited."""

    # Requests in a minute.
    requests_per_minute: Union[int, None]
    # Tokens of what is compiled and compressed in a day of UTC, as they came in.
    tokens_per_day: Union[int, None]


class _KeyListRequired(TypedDict):
    # The rows of this page.
    items: List[ApiKey]


class KeyList(_KeyListRequired, total=False):
    """Some keys."""

    # For the next request; null at the end.
    next_cursor: Union[str, None]


KeyScope = Literal['compile', 'compress', 'memory:read', 'memory:write', 'sessions:read', 'sessions:write', 'tools', 'adapters:read', 'adapters:write', 'hooks:read', 'hooks:write', 'events:read', 'packs:read', 'packs:write', 'metrics:read', 'admin', 'operator']


class LedgerLine(TypedDict):
    """A stage of the ledger."""

    # Over the output of every stage before it and all of `input_parts`.
    input_hash: str
    # What reaches the stage from outside, such as `request.compression` or `store.memory`.
    input_parts: Dict[str, str]
    # SHA-256 over what the stage gave.
    output_hash: str
    # The name of the stage.
    stage: str


class MemoryActRequest(TypedDict, total=False):
    """`store_memory`, as PraisonAI has it."""

    # `add`, `replace` or `remove`. If absent: `"add"`.
    action: Union[MemoryAction, None]
    # What is remembered. For `remove` the whole value of the entry that goes, where neither `key` nor `match` says
    # which.
    content: Union[str, None]
    # Created if it is absent and something is added.
    key: Union[str, None]
    # A part of the value of the one entry that is meant.
    match: Union[str, None]
    # An object that is kept with the entry and not read; at most 16 KiB.
    metadata: JsonValue
    # The scope of the entry.
    scope: Union[MemoryScope, None]
    # `short_term`, `long_term`, `entity` or `episodic`: the tiers `working`, `durable`, `semantic` and `episodic`.
    # If it is absent, an added entry is `short_term`, a replaced one keeps its tier, and entries of every tier are
    # searched.
    type: Union[MemoryType, None]


class _MemoryActResponseRequired(TypedDict):
    # What was done: `add`, `replace` or `remove`.
    action: str
    # Entries that were changed: 1, or 0 where nothing was there to remove.
    affected: int
    # The `type` of the entry.
    target: str


class MemoryActResponse(_MemoryActResponseRequired, total=False):
    """What an action did."""

    # The entry as it is now; null where it is gone.
    entry: Union[MemoryEntry, None]
    # The entry's key.
    key: Union[str, None]
    # The entry's id, unique in its tenant: its path below `/memory/`.
    memory_id: Union[str, None]


MemoryAction = Literal['add', 'replace', 'remove']


class MemoryChange(TypedDict, total=False):
    """What changes of an entry: any of its members. What is absent stays as it is; null takes it away, or makes it
    as usual.
    """

    # Who wrote it.
    author: Union[str, None]
    # `public`, `internal` (when it is new), `confidential` or `restricted`.
    classification: Union[Classification, None]
    # A sentence about the value, shown to the model with it.
    description: Union[str, None]
    # More important entries are recalled first. If absent: `0.5`.
    importance: Union[float, None]
    # An object that is carried and not read; at most 16 KiB.
    metadata: Union[JsonObject, None]
    # Whose entry it is.
    scope: Union[MemoryScope, None]
    # Where it comes from.
    source: Union[str, None]
    # Words to filter by.
    tags: Union[List[str], None]
    # `working`, `episodic`, `semantic` (when it is new) or `durable`.
    tier: Union[MemoryTier, None]
    # Absent: as before; `null`: the entry does not expire. Turns need `scope.session_id`.
    ttl: Union[MemoryTtl, None]
    # Any JSON value, a text most of the time; at most 64 KiB.
    value: JsonValue


class MemoryChangedHookInput(TypedDict, total=False):
    """What the hook may see."""

    # `add`, `replace`, `remove` or `expire`
    action: Union[str, None]
    # entries that changed
    affected: Union[int, None]
    # the text that was given
    content: Union[str, None]
    # the entry's key
    key: Union[str, None]
    # the entry's id, unique in its tenant: its path below `/memory/`
    memory_id: Union[str, None]
    # an object, or null
    metadata: JsonValue
    # what was stored, or null
    old_value: JsonValue
    # `model`, `direct`, `review`, `session` or `expiry`
    origin: Union[str, None]
    # the entry's scope: `subject`, `session_id`, `agent`, `pack_tenant`
    scope: Union[JsonObject, None]
    # the caller's word for the kind of memory
    target: Union[str, None]
    # `set`, `delete` or `expire`
    type: Union[str, None]
    # what is stored now, or null
    value: Union[str, None]


MemoryClass = Literal['evidence_link', 'preference', 'decision_outcome', 'correction']


class _MemoryDeniedDataRequired(TypedDict):
    # The key of the entry.
    key: str
    # Always `model`.
    origin: str
    # `hook`, `key_not_allowed`, `write_off`, `shared_entry` or `not_current`.
    reason: str


class MemoryDeniedData(_MemoryDeniedDataRequired, total=False):
    """A model may not write a memory entry. `hook`, `point` and `code` are absent unless a hook denied it."""

    # The code that the hook gave, or null.
    code: Union[str, None]
    # The id of the hook.
    hook: Union[str, None]
    # The point of the hook.
    point: Union[str, None]


class _MemoryEntryRequired(TypedDict):
    # Who may see it: `public`, `internal`, `confidential` or `restricted`.
    classification: str
    # When it was made: RFC 3339, in UTC.
    created_at: str
    # From 0 to 1; more important entries are recalled first.
    importance: float
    # The key, unique in its scope.
    key: str
    # Whose entry it is.
    scope: MemoryScope
    # `promoted`, `captured` (a model wrote it, and it is not reviewed yet), `superseded`, `retracted` or
    # `deprecated`. Promoted entries are recalled, captured ones only without a pack.
    status: str
    # Words to filter by.
    tags: List[str]
    # How long-lived it is: `working`, `episodic`, `semantic` or `durable`.
    tier: str
    # Writes of the value.
    update_count: int
    # When it was last changed: RFC 3339, in UTC.
    updated_at: str
    # What is remembered.
    value: JsonValue
    # From 1, one more with each write; also the `ETag`.
    version: int


class MemoryEntry(_MemoryEntryRequired, total=False):
    """A memory entry."""

    # Who wrote it, as the writer says.
    author: Union[str, None]
    # A sentence about the value.
    description: Union[str, None]
    # When it is removed: RFC 3339, in UTC. Null if it stays.
    expires_at: Union[str, None]
    # The turn of its session from which on it is expired.
    expires_at_turn: Union[int, None]
    # An object that is kept with it and not read.
    metadata: Union[JsonObject, None]
    # Where it comes from.
    source: Union[str, None]
    # When it expires after its last write; null for never.
    ttl: Union[MemoryTtl, None]


class MemoryEventData(TypedDict):
    """A memory entry has changed, or has expired."""

    # `public`, `internal`, `confidential` or `restricted`.
    classification: str
    # The key of the entry.
    key: str
    # `direct`, `model`, `review`, `session` or `expiry`.
    origin: str
    # Who sees the entry.
    scope: MemoryEventScope
    # The status of the entry.
    status: str
    # What happened: `set`, `retract`, `supersede`, `restore`, `promote`, `delete` or `expire`.
    type: str
    # How often the entry was written.
    update_count: int
    # The version of the entry.
    version: int


class MemoryEventScope(TypedDict, total=False):
    """The scope of a memory entry: null is any."""

    # The agent.
    agent: Union[str, None]
    # The tenant of a pack; absent if the entry is shared.
    pack_tenant: Union[str, None]
    # The session.
    session_id: Union[str, None]
    # The subject, such as a user.
    subject: Union[str, None]


class MemoryExpiredHookInput(TypedDict, total=False):
    """What the hook may see."""

    # the whole entry
    entry: Union[JsonObject, None]


class MemoryImportResponse(TypedDict):
    """What an import did."""

    # Entries that are new.
    created: int
    # Entries that were changed.
    updated: int


class MemoryOptions(TypedDict, total=False):
    """What is remembered from earlier conversations."""

    # The keys that the model may write; any when absent, none when empty.
    allowed_keys: Union[List[str], None]
    # In the place of the store's: `{"key", "value", "description"?}`; every text is escaped.
    entries: Union[List[JsonValue], None]
    # Tokens of data; entries that find no room are left out, with a warning. If absent: `2000`.
    max_tokens: Union[int, None]
    # Where the data stands: `last_user` keeps everything before it cacheable.
    placement: Union[StatePlacement, None]
    # What entries are looked for. When absent, the last user message; with the placement `system`, which is to stay
    # the same, nothing in particular.
    query: Union[str, None]
    # The scope whose entries the model sees and writes. In a session, entries of the session are visible in
    # addition. If `scope` is absent, the model writes to the session; `{}` is the scope that the whole tenant
    # shares.
    scope: Union[MemoryScope, None]
    # When entries that the model creates expire; turns need a scope with a session.
    ttl: Union[MemoryTtl, None]
    # Whether the model gets the tools `create_memory` and `modify_memory`; `POST /tools/calls` carries their calls
    # out. With `"shared"`, the model may also change entries that the application wrote in a wider scope.
    write: Union[MemoryWriting, None]


# Memory to place: the options, `true` for all of their defaults, or `false` for none. With `false`, calls of
# Anthropic's memory tool are for the caller.
MemoryInput = Union[bool, MemoryOptions]


class _MemoryListRequired(TypedDict):
    # The rows of this page.
    items: List[MemoryEntry]


class MemoryList(_MemoryListRequired, total=False):
    """A page of entries."""

    # Where the list goes on; null at its end.
    next_cursor: Union[str, None]


class MemoryRecallRequest(TypedDict, total=False):
    """What memory would show."""

    # Room, in tokens of `o200k_base`. If absent: `2000`.
    max_tokens: Union[int, None]
    # What is looked for; a compile asks with the last user message.
    query: Union[str, None]
    # Who looks.
    scope: Union[MemoryScope, None]
    # Only entries with one of these.
    tags: Union[List[str], None]


class MemoryRecallResponse(TypedDict):
    """What memory would show, and why."""

    # Best first.
    items: List[RecalledEntry]
    # The room in tokens.
    max_tokens: int
    # How often the tenant's entries were changed before.
    store_revision: int
    # Tokens of what is shown.
    tokens: int


class MemoryReport(TypedDict):
    """What memory did."""

    # Keys of the entries that have expired.
    expired: List[str]
    # Keys of the entries shown.
    injected: List[str]


class _MemoryRestoreRequired(TypedDict):
    # The number of the version.
    version: int


class MemoryRestore(_MemoryRestoreRequired, total=False):
    """The version that is to be again."""

    # The scope of the entry.
    scope: Union[MemoryScope, None]


class MemoryScope(TypedDict, total=False):
    """Whose entry it is; what is absent is shared by the whole tenant."""

    # The agent that it is for.
    agent: Union[str, None]
    # The tenant of a context pack, `run_context.tenant_id`. The entry is visible only to compiles of that tenant
    # under a pack, and to requests that name it.
    pack_tenant: Union[str, None]
    # The session that it is for.
    session_id: Union[str, None]
    # The person or thing that it is about.
    subject: Union[str, None]


class MemoryScopeRequest(TypedDict, total=False):
    """The scope of the entry."""

    # The scope of the entry.
    scope: Union[MemoryScope, None]


MemoryTier = Literal['durable', 'semantic', 'episodic', 'working']


class MemoryTtl(TypedDict, total=False):
    """When an entry expires: `turns` of its session or `seconds`, from its last write on."""

    # Seconds after the last write.
    seconds: Union[int, None]
    # Turns of the session after the last write.
    turns: Union[int, None]


MemoryType = Literal['short_term', 'long_term', 'entity', 'episodic']


class MemoryUpdateHookInput(TypedDict, total=False):
    """What the hook may see."""

    # the entry's key
    key: Union[str, None]
    # the entry's id, unique in its tenant: its path below `/memory/`
    memory_id: Union[str, None]
    # what is stored, or null
    old_value: JsonValue
    # `create`, `update` or `delete`
    op: Union[str, None]
    # `model`
    origin: Union[str, None]
    # the entry's scope: `subject`, `session_id`, `agent`, `pack_tenant`
    scope: Union[JsonObject, None]
    # what is to be stored; null for a deletion
    value: Union[str, None]


class MemoryVersionRow(TypedDict):
    """An entry as it was after one of its writes."""

    # `set`, `retract`, `supersede`, `restore` or `promote`.
    action: str
    # The entry after the write.
    entry: MemoryEntry
    # Who asked for it: `direct` (the application), `model`, `review` or `session` (a switch, a fork or a restore of
    # the entry's session).
    origin: str


class _MemoryVersionsRequired(TypedDict):
    # The rows of this page.
    items: List[MemoryVersionRow]


class MemoryVersions(_MemoryVersionsRequired, total=False):
    """A page of versions, the newest first."""

    # `cursor` of the next page; null on the last one.
    next_cursor: Union[str, None]


class _MemoryWriteRequired(TypedDict):
    # Any JSON value, a text most of the time; at most 64 KiB.
    value: JsonValue


class MemoryWrite(_MemoryWriteRequired, total=False):
    """What is said of an entry. What is absent stays as it is, or is as usual if the entry is new."""

    # Who wrote it.
    author: Union[str, None]
    # `public`, `internal` (when it is new), `confidential` or `restricted`.
    classification: Union[Classification, None]
    # A sentence about the value, shown to the model with it.
    description: Union[str, None]
    # More important entries are recalled first. If absent: `0.5`.
    importance: Union[float, None]
    # An object that is carried and not read; at most 16 KiB.
    metadata: Union[JsonObject, None]
    # Whose entry it is.
    scope: Union[MemoryScope, None]
    # Where it comes from.
    source: Union[str, None]
    # Words to filter by.
    tags: Union[List[str], None]
    # `working`, `episodic`, `semantic` (when it is new) or `durable`.
    tier: Union[MemoryTier, None]
    # Absent: as before; `null`: the entry does not expire. Turns need `scope.session_id`.
    ttl: Union[MemoryTtl, None]


# Also entries that the application wrote in a wider scope.
SharedMemoryWriting = Literal['shared']


# Entries that the model may write: `true`, `false` or `"shared"`.
MemoryWriting = Union[bool, SharedMemoryWriting]


# What happened to one message.
MessageAction = Literal['kept', 'compressed', 'deduplicated', 'cleared', 'summarized', 'dropped', 'removed', 'changed', 'added']


_MessageDecisionRequired = TypedDict("_MessageDecisionRequired", {
    'action': "MessageAction",
    'id': "str",
    'index': "int",
    'rule': "str",
    'tokens_after': "int",
    'tokens_before': "int",
})

_MessageDecisionOptional = TypedDict("_MessageDecisionOptional", {
    'artifact': "Union[str, None]",
    'class': "Union[str, None]",
    'values': "Union[str, None]",
}, total=False)


class MessageDecision(_MessageDecisionRequired, _MessageDecisionOptional):
    """What happened to one message, and by which rule."""


class MissingOriginal(TypedDict, total=False):
    """Something that could not be restored."""

    # The artifact or answer that is not there.
    id: Union[str, None]
    # The message's place in the list that was sent.
    index: Union[int, None]


class _ModelListRequired(TypedDict):
    # The rows of this page.
    items: List[ModelRow]


class ModelList(_ModelListRequired, total=False):
    """The table of models."""

    # Always null: the table comes whole.
    next_cursor: Union[str, None]


class _ModelPriceStepRequired(TypedDict):
    # Tokens of the largest input that the ordinary prices charge.
    above_tokens: int
    # Input.
    input: float
    # Output.
    output: float


class ModelPriceStep(_ModelPriceStepRequired, total=False):
    """Prices of a whole request with more input than a limit, in dollars for a million tokens."""

    # Input that is read from the cache.
    cache_read: Union[float, None]
    # Input that is written to the cache, for the shortest lifetime that the provider has.
    cache_write: Union[float, None]
    # Input that is written to the cache for an hour or longer.
    cache_write_long: Union[float, None]


class _ModelPricesRequired(TypedDict):
    # Input.
    input: float
    # Output.
    output: float


class ModelPrices(_ModelPricesRequired, total=False):
    """Prices of the catalogue of models, in dollars for a million tokens."""

    # Input that is read from the cache.
    cache_read: Union[float, None]
    # Input that is written to the cache, for the shortest lifetime that the provider has.
    cache_write: Union[float, None]
    # Input that is written to the cache for an hour or longer.
    cache_write_long: Union[float, None]
    # Prices of the whole request if its input is long.
    step: Union[ModelPriceStep, None]


class _ModelRowRequired(TypedDict):
    # Tokens of the window, the answer included.
    context_window: int
    # Tokens of the largest answer.
    max_output: int
    # What `model` in a request names; dated variants (`name-2025-01-01`) find it too.
    name: str


class ModelRow(_ModelRowRequired, total=False):
    """One row of the catalogue."""

    # Content blocks before a mark in which the provider looks for a cached prefix; with `breakpoints`, the newest
    # marks among which it does.
    cache_lookback_blocks: Union[int, None]
    # How a payload marks the ends of cached prefixes: `blocks` (`cache_control`), `breakpoints`
    # (`prompt_cache_breakpoint`); absent if the provider finds them by itself.
    cache_marks: Union[str, None]
    # The day on which that was read.
    checked: Union[str, None]
    # What a count is multiplied by; 1 if the tokenizer is the model's own. The family's when absent.
    factor: Union[float, None]
    # `openai`, `anthropic`, `gemini` or `other`.
    family: str
    # Whether the provider keeps thinking of earlier turns in the context.
    keeps_thinking: bool
    # Tokens of the largest input, if the provider takes less than the window.
    max_input: Union[int, None]
    # Tokens of the shortest prefix that the provider caches.
    min_cached_tokens: Union[int, None]
    # The page of the provider that corrections are from.
    page: Union[str, None]
    # Whether the model goes on from a last assistant message.
    prefill: bool
    # Whether a signed thinking block is valid only while all content before it is unchanged.
    preserved_thinking: bool
    # What the provider charges; absent if it is unknown.
    prices: Union[ModelPrices, None]
    # The day on which the provider ends the model.
    retired: Union[str, None]
    # The dataset that the row is from.
    source: Union[str, None]
    # Whether an Anthropic model takes system messages between the others.
    system_messages: bool
    # `o200k_base`, `cl100k_base` or `bytes4`.
    tokenizer: str
    # Whether it takes changes of tools in these messages.
    tool_changes: bool


class NewHook(HookRow, total=False):
    """A hook with the secret that its calls are signed with; this answer alone holds it."""

    # Absent for a built-in hook.
    secret: Union[str, None]


class NewKey(ApiKey, total=False):
    """A key that was just made."""

    # The text to send as `authorization: Bearer …`. Shown this once; absent where the same request came before.
    key: Union[str, None]


class NotationTokens(TypedDict):
    """Tokens after lossless edits alone, by how they may show values."""

    # Some values computed from others.
    computed: int
    # Each value as it was written.
    plain: int


class _OffloadRequestRequired(TypedDict):
    # The text.
    text: str


class OffloadRequest(_OffloadRequestRequired, total=False):
    """A text to put aside."""

    # UTF-16 units of the beginning that stay in sight, to the last whole line. If absent: `0`.
    head_chars: Union[int, None]
    # UTF-16 units of the end that stay in sight, from the first whole line. If absent: `2000`.
    tail_chars: Union[int, None]
    # UTF-16 units up to which a text stays as it is. If absent: `5000`.
    threshold: Union[int, None]


class _OffloadResponseRequired(TypedDict):
    # Whether the text was stored, and `text` is a marker.
    offloaded: bool
    # What to send to the model: the text itself, or the marker that replaces it.
    text: str


class OffloadResponse(_OffloadResponseRequired, total=False):
    """The outcome for the text. `id` and the members after it are there only if it is stored."""

    # Bytes of the text in UTF-8.
    bytes: Union[int, None]
    # When it is removed: RFC 3339, in UTC. Null if it stays.
    expires_at: Union[str, None]
    # The id of the artifact.
    id: Union[str, None]
    # Lines of the text.
    lines: Union[int, None]


OnArrival = Literal['off', 'lossless', 'reversible']


OnDeadline = Literal['fail', 'pass']


OnFailure = Literal['deny', 'fail', 'skip']


OnOverflow = Literal['report', 'fail']


class _OriginalTextRequired(TypedDict):
    # Bytes of the text in UTF-8.
    bytes: int
    # The first 24 hex digits of the text's SHA-256.
    id: str
    # The message it belongs to: its own id, or its index in the list.
    message_id: str
    # Tokens of the text.
    tokens: int


class OriginalText(_OriginalTextRequired, total=False):
    """The original of something that is not shown in full."""

    # Until when it is kept; absent where it is not kept here.
    expires_at: Union[str, None]


OriginalsPolicy = Literal['store', 'return', 'none']


_OutcomeChangeRequired = TypedDict("_OutcomeChangeRequired", {
    'from': "str",
    'to': "str",
})


class OutcomeChange(_OutcomeChangeRequired):
    """Whether a compile made a payload, then and now."""


class OutputOptions(TypedDict, total=False):
    """What is asked of the model's answer."""

    # The beginning of the answer, put into the model's mouth.
    prefill: Union[str, None]
    # The answer is asked for inside this XML tag.
    tag: Union[str, None]


class _OversizedPartRequired(TypedDict):
    # The part, as in `parts`; `message` is one message of the history.
    part: str
    # Tokens of the part.
    tokens: int


class OversizedPart(_OversizedPartRequired, total=False):
    """A part that may not be touched and is too big."""

    # JSON Pointer into the request, for a message.
    pointer: Union[str, None]


class PackRow(TypedDict):
    """A pack as it was published."""

    # When it was made: RFC 3339, in UTC.
    created_at: str
    # SHA-256 of its canonical JSON, the signature left out.
    digest: str
    # The id of the pack.
    id: str
    # The version, `id@version`.
    pack_ref: str
    # Whether the document is signed.
    signed: bool
    # The version.
    version: str


class Pack(PackRow):
    """A pack with its document."""

    # As it was published.
    document: PackDocument


_PackChangeRequired = TypedDict("_PackChangeRequired", {
    'op': "str",
    'path': "str",
})

_PackChangeOptional = TypedDict("_PackChangeOptional", {
    'from': "JsonValue",
    'value': "JsonValue",
}, total=False)


class PackChange(_PackChangeRequired, _PackChangeOptional):
    """One change."""


_PackDiffRequired = TypedDict("_PackDiffRequired", {
    'equal': "bool",
    'from': "PackRow",
    'layers': "List[PackLayerDiff]",
    'to': "PackRow",
})


class PackDiff(_PackDiffRequired):
    """What two versions differ in."""


_PackDiffRequestRequired = TypedDict("_PackDiffRequestRequired", {
    'from': "str",
    'to': "str",
})


class PackDiffRequest(_PackDiffRequestRequired):
    """Two published versions, of one pack or of two."""


class _PackDocumentRequired(TypedDict):
    # Options and when to use them.
    decision_layer: JsonObject
    # The catalogue of intents.
    intent_layer: JsonObject
    # What memory may be shown and written.
    memory_layer: JsonObject
    # Id, version, owner.
    pack_meta: JsonObject
    # Rules, and what they allow or withhold.
    policy_layer: JsonObject
    # The tools, and who may use them.
    tooling_layer: JsonObject


class PackDocument(_PackDocumentRequired, total=False):
    """A context pack: the six layers that allow or withhold something, and those that may be absent. The members
    of each layer, and the defaults, are in `docs/packs.md`; unknown members are refused.
    """

    # Tokens for each part.
    budget_layer: Union[JsonObject, None]
    # Facts of the business that the model may see.
    business_context: Union[JsonObject, None]
    # The version of the format.
    contract_meta: Union[JsonObject, None]
    # What evaluations check.
    evaluation_layer: Union[JsonObject, None]
    # References to evidence.
    intelligence_refs: Union[JsonObject, None]
    # `{"alg": "ed25519", "key_id", "sig"}`, over the canonical JSON (RFC 8785) of the rest.
    signature: Union[JsonObject, None]
    # How the model shall write.
    tone_and_comms: Union[JsonObject, None]


class PackLayerDiff(TypedDict):
    """What one layer differs in."""

    # The changes in the layer.
    changes: List[PackChange]
    # The name of the layer.
    layer: str


class _PackLintFaultRequired(TypedDict):
    # A word that stays the same.
    code: str
    # What is wrong, with the value, and what is allowed.
    detail: str
    # JSON Pointer into the document.
    pointer: str
    # `error` prevents publishing, `warning` does not.
    severity: str


class PackLintFault(_PackLintFaultRequired, total=False):
    """One thing that is wrong with a pack."""

    # The nearest known name to an unknown one.
    did_you_mean: Union[str, None]
    # The sum of the weights of a split.
    sum: Union[str, None]


class PackLintResponse(TypedDict):
    """What is wrong with a pack."""

    # What is wrong with the pack; empty if nothing is.
    faults: List[PackLintFault]
    # Whether it may be published.
    ok: bool


class _PackListRequired(TypedDict):
    # The rows of this page.
    items: List[PackRow]


class PackList(_PackListRequired, total=False):
    """Some of the packs."""

    # Where the list goes on; null at its end.
    next_cursor: Union[str, None]


class PackPublished(PackRow):
    """A pack that is published."""

    # Faults that do not prevent publishing.
    warnings: List[PackLintFault]


class PackVersions(TypedDict):
    """The versions of a pack, the newest first."""

    # The id of the pack.
    id: str
    # Its versions, the newest first.
    versions: List[PackRow]


class PartTokens(TypedDict):
    """Tokens by part of the payload. All but `reserve` add up to `tokens_after`."""

    # Messages of the history.
    history: int
    # Images, sounds, documents; an estimate.
    media: int
    # Memory data.
    memory: int
    # Kept for the model's answer; not part of the payload.
    reserve: int
    # Instructions of the skill.
    skill: int
    # System text.
    system: int
    # State, context, output block, prefill, and what precedes the reply.
    tail: int
    # Definitions of tools.
    tools: int


PriceStepRule = Literal['ignore', 'stay']


class PriceStepUse(TypedDict):
    """How the payload stands to the size above which the model charges other prices."""

    # Tokens of the largest input that the ordinary prices charge.
    above_tokens: int
    # Whether the history got less room because of it: the budget is larger.
    lowered_room: bool
    # Whether the payload is below it, by the count of this service.
    stayed: bool


class _ProblemRequired(TypedDict):
    # The type as a word for programs.
    code: str
    # Is in the `x-request-id` header and in the server's logs, too.
    request_id: str
    # The status of the response.
    status: int
    # The same for every problem of this type.
    title: str
    # `/problems/` and the code with hyphens; the server answers a page that explains it.
    type: str


class Problem(_ProblemRequired, total=False):
    """The body of every 4xx and 5xx answer (RFC 9457)."""

    # The record of a governed compile that was refused.
    compilation_id: Union[str, None]
    # What went wrong this time.
    detail: str
    # What else programs may want to know, by type of problem.
    details: JsonValue
    # Every faulty place at once; absent where no place is to blame.
    errors: List[FieldError]
    # The stage of a governed compile that refused.
    stage: Union[str, None]


class ProtectOptions(TypedDict, total=False):
    """What stays word for word."""

    # Ids or indices of messages.
    messages: Union[List[JsonValue], None]
    # Texts that match stay: `{"regex", "label"}`.
    patterns: Union[List[JsonObject], None]
    # The newest messages, by number.
    recent_messages: Union[int, None]
    # The newest turns, by number.
    recent_turns: Union[int, None]
    # Messages of these roles.
    roles: Union[List[str], None]
    # Tools whose results stay.
    tools: Union[List[str], None]


class ProvideAnswer(TypedDict, total=False):
    """What a provider returns; `null` adds nothing. The members that count depend on the point (`GET
    /hook-points`).
    """

    # At `before_compile` under a pack: the bucket of the text.
    bucket: Union[str, None]
    # A text to add; at `summarize` the summary.
    content: Union[str, None]
    # At `recall_memory`: entries to show.
    entries: Union[List[JsonValue], None]
    # At `retrieve_evidence`: evidence to admit.
    evidence: Union[List[JsonValue], None]
    # Several texts to add.
    fragments: Union[List[JsonValue], None]
    # At `before_compress`: `summary_input` for the summariser or `verbatim` for the payload.
    include: Union[str, None]
    # At `recall_memory`: keys of entries to show.
    keys: Union[List[str], None]
    # At `compress_format`: the shorter text.
    text: Union[str, None]


class ProviderRequirements(TypedDict):
    """What a payload needs of its request."""

    # Headers by their name, several values joined by commas.
    headers: Dict[str, str]
    # Members of the request that belong next to those of the payload.
    parameters: Dict[str, Any]


class QuotaRow(TypedDict):
    """The use of a quota."""

    # The quota.
    max: int
    # `sessions`, `turn_bytes`, `memory_entries`, `candidates`, `skills`, `compilation_bytes` or `reply_bytes`.
    quota: str
    # What is stored.
    used: int


class _RawToolResultRequired(TypedDict):
    # A text; anything else is shown as its JSON.
    content: JsonValue
    # The call that it answers.
    id: str


class RawToolResult(_RawToolResultRequired, total=False):
    """What one tool has answered."""

    # What the tool was run with, for hooks at `tool_result`.
    arguments: JsonValue
    # The `caller` of the call, as the provider wrote it. If it is a program (`code_execution_…`, `program`), the
    # result keeps its bytes: the program reads it, and no model.
    caller: JsonValue
    # Whether the tool failed.
    is_error: Union[bool, None]
    # The name of the tool.
    name: Union[str, None]


class RecallMemoryHookInput(TypedDict, total=False):
    """What the hook may see."""

    # entries of the store
    candidates: Union[List[JsonValue], None]
    # the most that they may take
    max_tokens: Union[int, None]
    # what the caller looks for, or null
    query: Union[str, None]


class RecalledEntry(TypedDict):
    """An entry and the reasons for its place."""

    # The entry.
    entry: MemoryEntry
    # The importance of the entry.
    importance: float
    # Halves with every 30 days that it is older than the newest entry.
    recency: float
    # How well its words match the query, compared with the entry that matches it best.
    relevance: float
    # 0.6 × relevance + 0.25 × importance + 0.15 × recency.
    score: float
    # Whether it finds room.
    shown: bool


RecordLevel = Literal['none', 'hashes', 'full']


class _RecordedDeliveryRequired(TypedDict):
    # When it was made.
    at: str
    # From 1.
    attempt: int
    # The id of the call, as in `GET /hooks/{id}/deliveries`.
    id: str


class RecordedDelivery(_RecordedDeliveryRequired, total=False):
    """The newest attempt of a queued call that a record in full lists."""

    # The text of a response with a status of 200 to 299, its first 4 KiB; null if it did not arrive, is no text, or
    # repeats a secret of the hook.
    response: Union[str, None]
    # The status of the response; null if there was none.
    status: Union[int, None]


class RenderSkill(TypedDict, total=False):
    """What to put into the instructions."""

    # Whether arguments that no place asks for are appended; true when absent.
    append_args_if_no_placeholder: Union[bool, None]
    # One text, whose words are the arguments; text in quotes is one word.
    args: Union[str, None]
    # What the words are called; the list `arguments` of the skill's metadata when absent.
    argument_names: Union[List[str], None]
    # Whether a line with the skill's folder stands first.
    include_base_dir: Union[bool, None]
    # The value of `${NAME}`.
    vars: Union[JsonObject, None]


class RenderedSkill(TypedDict):
    """A skill with everything put in."""

    # The instructions with arguments and variables filled in.
    instructions: str
    # The name of the skill.
    name: str


RepairMode = Literal['strict', 'lenient']


ReplayMode = Literal['strict', 'verify', 'refresh']


class ReplayRequest(TypedDict, total=False):
    """How a compile is run again."""

    # `strict`: everything from the record. `verify`: the recorded request with what is stored today; hooks are
    # asked once more, and what they say is compared and not used. `refresh`: the same, but hooks whose question has
    # changed are asked and their answers used; the outcome of it is a new record. If absent: `"strict"`.
    mode: Union[ReplayMode, None]
    # The request, sent again: for a record that holds hashes alone. Memory, adapters and models are those of today.
    request: Union[JsonObject, None]


class _ReplayResponseRequired(TypedDict):
    # Between the recorded payload, where it is kept, and this one; at most 200 steps.
    diff: List[DiffStep]
    # The id of the record that was run again.
    id: str
    # The stages that parted by themselves, not because one before them did.
    root_stages: List[str]
    # Every stage.
    stages: List[StageRow]
    # `equal` or `diverged`.
    status: str


class ReplayResponse(_ReplayResponseRequired, total=False):
    """The result of a compile that was run again."""

    # With `refresh`, the id of the new record.
    compilation_id: Union[str, None]
    # The earliest stage that gave something else.
    first_divergent_stage: Union[str, None]
    # With `verify`, what hooks return now and what they returned then.
    hooks: Union[List[HookCheckRow], None]
    # Where a compile became a refusal, or the other way round.
    outcome_change: Union[OutcomeChange, None]
    # Null where the pack refuses.
    payload: Union[JsonObject, None]
    # Why the pack refuses.
    refusal: Union[CompileRefusal, None]


class _ReportRequired(TypedDict):
    # Messages by what happened to them.
    actions: ActionCounts
    # Window less reserve.
    budget: int
    # What the provider's cache can use.
    cache: CacheReport
    # What the target could not hold, and what it became.
    degraded: List[ReportNote]
    # Whether the provider counts the same; otherwise the count is an estimate.
    exact: bool
    # Whether the payload is within the budget.
    fits: bool
    # Hooks that ran.
    hooks: List[HookReport]
    # What memory did.
    memory: MemoryReport
    # Tokens by part.
    parts: PartTokens
    # What was mended in the conversation.
    repairs: List[ReportNote]
    # Tools of ours among the tools.
    service_tools: List[str]
    # The whole of it in a sentence.
    summary: str
    # The tokenizer that counted.
    tokenizer: str
    # Tokens of the payload. Never more than `budget` where `fits` is true.
    tokens_after: int
    # Tokens of the conversation before anything was shortened: system text, messages and tools, mended and in what
    # the target can hold.
    tokens_before: int
    # What is too big, where the payload does not fit; never empty then.
    too_big: List[OversizedPart]
    # Tokens that this compile left out and no earlier compile of the session did.
    unique_saved_tokens: int
    # What the caller should know of.
    warnings: List[ReportNote]


class Report(_ReportRequired, total=False):
    """What happened, in a sentence and in figures."""

    # What the payload costs at the prices of the catalogue; null if they are not known.
    cost: Union[CompileCost, None]
    # One for each message, with `explain: "full"`.
    decisions: Union[List[MessageDecision], None]
    # What replaces old messages, if they were summarised.
    history_summary: Union[HistorySummary, None]
    # Tokens after lossless edits alone, by how they may show values; of `POST /compress` with `explain: "full"`.
    notations: Union[NotationTokens, None]
    # What was done to stay below the price step of the model, with `budget.price_step: "stay"`.
    price_step: Union[PriceStepUse, None]
    # The compaction that was put off, with `compression.pays`.
    put_off: Union[CompactionPutOff, None]
    # The cost of the session's last payload, if the request has the provider's `usage` of it.
    reported_cost: Union[CompileCost, None]
    # Headers and parameters that the request needs in addition to the payload; null if it needs none.
    requires: Union[ProviderRequirements, None]
    # The skill whose instructions are in the payload.
    skill: Union[str, None]
    # The outcome for the tools, if there are any.
    tools: Union[ToolsReport, None]


class _ReportNoteRequired(TypedDict):
    # A stable word for programs, such as `prefill_as_text`.
    code: str
    # JSON Pointer into the request.
    pointer: str


class ReportNote(_ReportNoteRequired, total=False):
    """One thing that the caller should know of."""

    # What happened, for people.
    detail: str


class RestoreSession(TypedDict, total=False):
    """What a session is restored from: one of both."""

    # A snapshot as it was returned.
    snapshot: Union[Snapshot, None]
    # The id of a stored snapshot.
    snapshot_id: Union[str, None]


ResultLevel = Literal['off', 'lossless', 'reversible']


class RetrieveEvidenceHookInput(TypedDict, total=False):
    """What the hook may see."""

    # the pack's intent
    intent_id: Union[str, None]
    # what the caller looks for
    query: Union[str, None]


class _RetrieveRequestRequired(TypedDict):
    # The hash from a marker.
    hash: str


class RetrieveRequest(_RetrieveRequestRequired, total=False):
    """What is to be retrieved."""

    # Only the lines that are about this.
    query: Union[str, None]


class _RetrievedOriginalRequired(TypedDict):
    # The hash from a marker.
    hash: str
    # The original, or the lines of it that the query is about.
    original_content: str
    # Items of a JSON array, lines of any other text.
    original_item_count: int
    # Tokens of the whole original.
    original_tokens: int


class RetrievedOriginal(_RetrievedOriginalRequired, total=False):
    """An original that a model asks for."""

    # The query of the request.
    query: Union[str, None]


ReviewVerdict = Literal['approve', 'reject', 'request_changes']


class RotateSecret(TypedDict, total=False):
    """How long the old secret goes on signing."""

    # Seconds for which the old secret also signs. If absent: `86400`.
    overlap_seconds: Union[int, None]
    # `whsec_` and the base64 of 24 to 64 bytes; a new one is made when absent.
    secret: Union[str, None]


class _RuleRequestRequired(TypedDict):
    # `JsonLogic`: the operators of json-logic-js.
    rule: JsonValue


class RuleRequest(_RuleRequestRequired, total=False):
    """A rule and the facts it is asked on."""

    # What the rule is evaluated on.
    data: JsonValue


class _RuleValueRequired(TypedDict):
    # Whether a condition of this value is met.
    holds: bool
    # Null where JSON has no such value.
    value: JsonValue


class RuleValue(_RuleValueRequired, total=False):
    """The value of a rule."""

    # The first place where a comparison or a sum met something that is no number.
    indeterminate: Union[RuleWarning, None]
    # `undefined`, `NaN`, `Infinity` or `-Infinity`, where the value is that.
    special: Union[str, None]


class _RuleWarningRequired(TypedDict):
    # `missing`, `not_a_number`, `not_finite`, `error`, `depth` or `budget`.
    reason: str


class RuleWarning(_RuleWarningRequired, total=False):
    """Why a rule's value says little."""

    # The path that was read there.
    path: Union[str, None]


class _SessionRequired(TypedDict):
    # What the provider's counts have shown.
    calibration: List[TokenCalibration]
    # Lengths of the message list at which the history was shrunk because the cache was cold.
    compaction_points: List[int]
    # When it was made: RFC 3339, in UTC.
    created_at: str
    # When it is removed: RFC 3339, in UTC. Null if it stays.
    expires_at: str
    # The id of the session.
    id: str
    # How many messages it holds: those that came by `/sessions/{id}/turns`.
    messages: int
    # Compiles that it has had.
    turns: int
    # When it was last changed: RFC 3339, in UTC.
    updated_at: str
    # When it was last used: RFC 3339, in UTC.
    used_at: str
    # From 1, one more with each change that was asked for; also the `ETag`. Compiles leave it.
    version: int


class Session(_SessionRequired, total=False):
    """A session."""

    # Members of compiles that are used if a request has none; null if there are none.
    defaults: Union[JsonObject, None]
    # Its last compile.
    last_compilation_id: Union[str, None]
    # What its last payload cost, by the provider's usage if it was reported; null if that is not known.
    last_cost: Union[CompileCost, None]
    # The session that it goes on from.
    parent_session_id: Union[str, None]
    # How long it stays after its last use.
    ttl: Union[SessionTtl, None]


class _SessionListRequired(TypedDict):
    # The rows of this page.
    items: List[Session]


class SessionList(_SessionListRequired, total=False):
    """Some sessions."""

    # For the next request; null at the end.
    next_cursor: Union[str, None]


class SessionSwitchHookInput(TypedDict, total=False):
    """What the hook may see."""

    # where it goes on
    new_session_id: Union[str, None]
    # where it comes from; empty for a first session
    parent_session_id: Union[str, None]
    # `new`, `fork`, `reset`, `rotation` or `resume`
    reason: Union[str, None]
    # whether it starts empty
    reset: Union[bool, None]


class SessionSwitchedData(TypedDict):
    """A session was opened, forked or switched."""

    # The session that is used from now on.
    new_session_id: str
    # The session before it; empty if there was none.
    parent_session_id: str
    # `new`, `fork`, `reset`, `rotation` or `resume`.
    reason: str
    # Whether the session begins without the state of its parent.
    reset: bool


class SessionTtl(TypedDict):
    """How long a session is kept after its last use."""

    # Seconds after the last use.
    seconds: int


class SessionTurn(TypedDict, total=False):
    """What happened since, and any key of `/compile` but the conversation's."""

    # Messages in the shape of the session, at most 1,000: the model's answer, the results of your tools, what the
    # user says next.
    append: Union[List[JsonValue], None]
    # Whether the next payload is compiled. Without it messages are appended and calls judged, and nothing is
    # recorded or counted. If absent: `true`.
    compile: Union[bool, None]
    # The shape of the messages, where the session has none yet. When absent that of the defaults, else of the first
    # message that only one shape has.
    source: Union[ConversationShape, None]
    # The provider's `usage` object of the payload before, as it came.
    usage: Union[JsonObject, None]


class _SessionUsageRequired(TypedDict):
    # The provider's `usage` object, as it came.
    usage: JsonObject


class SessionUsage(_SessionUsageRequired, total=False):
    """What a provider counted of the last payload."""

    # The same without the object around it: a word, or `{"type", "cache_missed_input_tokens"}`.
    cache_miss_reason: Union[JsonObject, None]
    # The provider's diagnostics of its cache, as they came.
    diagnostics: Union[JsonObject, None]
    # The provider's list of blocks that it took out of the request, as it came.
    input_transformations: Union[List[JsonValue], None]
    # The model that it was for; the one that was compiled for last when absent.
    model: Union[str, None]


class SettingList(TypedDict):
    """The settings of a node."""

    # The rows of this page.
    items: List[SettingRow]


class _SettingRowRequired(TypedDict):
    # What it means.
    about: str
    # The flag, without its dashes.
    flag: str
    # Whether the value is never shown.
    secret: bool
    # What it belongs to.
    section: str
    # `default`, `environment` or `flag`: what the value is from.
    source: str
    # The variable of the environment that sets it, too.
    variable: str


class SettingRow(_SettingRowRequired, total=False):
    """A flag of `contexture serve`."""

    # Null if it is not set, or secret.
    value: Union[str, None]


class _SkillRequired(TypedDict):
    # What the skill is for.
    description: str
    # The name of the skill.
    name: str
    # `stored`, or `folder` where it was read from a `SKILL.md` at the start.
    source: str


class Skill(_SkillRequired, total=False):
    """A skill."""

    # The tools that the skill may use, or null.
    allowed_tools: Union[List[str], None]
    # When it was made: RFC 3339, in UTC.
    created_at: Union[str, None]
    # Absent in lists.
    instructions: Union[str, None]
    # An object that is kept with it and not read.
    metadata: JsonValue
    # When it was last changed: RFC 3339, in UTC.
    updated_at: Union[str, None]
    # From 1, one more with each write.
    version: Union[int, None]
    # When a model should choose it.
    when_to_use: Union[str, None]


class _SkillChoiceRequired(TypedDict):
    # The name of the skill.
    name: str


class SkillChoice(_SkillChoiceRequired, total=False):
    """A skill with what is put into it."""

    # One text, whose words are the arguments.
    args: Union[str, None]
    # In the place of those that are known under the name.
    instructions: Union[str, None]
    # The value of `${NAME}`.
    vars: Union[JsonObject, None]


class _SkillDefinitionRequired(TypedDict):
    # What it does, for choosing one.
    description: str
    # The text for the model.
    instructions: str


class SkillDefinition(_SkillDefinitionRequired, total=False):
    """A skill as it is stored. All but `description` and `instructions` may be absent."""

    # Told, and never acted on.
    allowed_tools: Union[List[str], None]
    # Anything; the list `arguments` in it names the words of the arguments.
    metadata: JsonValue
    # The name in the path.
    name: Union[str, None]
    # When a model should choose it.
    when_to_use: Union[str, None]


class SkillError(TypedDict):
    """A file or folder that is no skill."""

    # What is wrong with the file.
    message: str
    # The last two names of its path.
    path: str


# Instructions that follow the system text: the name of a skill, or more about it.
SkillInput = Union[str, SkillChoice]


class _SkillListRequired(TypedDict):
    # What could not be read of the server's folders.
    errors: List[SkillError]
    # The rows of this page.
    items: List[Skill]


class SkillList(_SkillListRequired, total=False):
    """Skills by name."""

    # `cursor` of the next page; null on the last one.
    next_cursor: Union[str, None]


class _SnapshotRequired(TypedDict):
    # `contexture-session/1`.
    format: str


class Snapshot(_SnapshotRequired, total=False):
    """Everything that decides a session's next compile."""

    # How counts of each model are calibrated.
    calibration: Union[List[SnapshotCalibration], None]
    # Where the history was shortened.
    compaction_points: Union[List[int], None]
    # When it was made: RFC 3339, in UTC.
    created_at: Union[str, None]
    # The defaults of the session.
    defaults: Union[JsonObject, None]
    # True if entries that a model wrote are `captured`. Without it, as in documents of earlier releases, promoted
    # entries are restored as `captured`.
    has_captured: Union[bool, None]
    # The id of the snapshot.
    id: Union[str, None]
    # The label that was given, or null.
    label: Union[str, None]
    # The entries of its scope, with times in microseconds since 1970.
    memory: Union[List[JsonObject], None]
    # The messages of the session.
    messages: Union[List[JsonObject], None]
    # The most tokens that one compile left out, before any factor.
    removed_tokens: Union[int, None]
    # What was sent to models that bind their thinking to it.
    sent: Union[JsonObject, None]
    # The session that it was taken of.
    session_id: Union[str, None]
    # The shape of the messages.
    source: Union[ConversationShape, None]
    # The number of turns.
    turns: Union[int, None]


class _TokenCalibrationRequired(TypedDict):
    # The model, or the target where requests name no model.
    model: str
    # The number of reports that were learnt from.
    reports: int


class TokenCalibration(_TokenCalibrationRequired, total=False):
    """How a provider's count of a model's payloads stands to ours."""

    # The number by which a count is multiplied: the median of the last five reports. Null until a report was learnt
    # from.
    factor: Union[float, None]


class SnapshotCalibration(TokenCalibration, total=False):
    """How a provider's count of a model's payloads stands to ours, with what the next report needs."""

    # The factors of the last five reports, the newest last; absent if there are none.
    factors: Union[List[float], None]
    # Tokens of the last payload, before any factor.
    tokens: Union[int, None]


class _SnapshotListRequired(TypedDict):
    # The rows of this page.
    items: List[SnapshotRow]


class SnapshotList(_SnapshotListRequired, total=False):
    """Some snapshots."""

    # For the next request; null at the end.
    next_cursor: Union[str, None]


class _SnapshotRowRequired(TypedDict):
    # When it was made: RFC 3339, in UTC.
    created_at: str
    # The id of the snapshot.
    id: str
    # How many messages it holds.
    messages: int
    # The session.
    session_id: str


class SnapshotRow(_SnapshotRowRequired, total=False):
    """A snapshot, but for what it holds."""

    # The label that was given, or null.
    label: Union[str, None]


class StageRow(TypedDict):
    """A stage of two compiles."""

    # What reached it from outside and was not the same, by name.
    changed_inputs: List[str]
    # Whether the input was the same.
    input_equal: bool
    # Whether the output was the same.
    output_equal: bool
    # The name of the stage.
    stage: str


StatePlacement = Literal['last_user', 'system']


_StreamGapDataRequired = TypedDict("_StreamGapDataRequired", {
    'from': "int",
    'to': "int",
})


class StreamGapData(_StreamGapDataRequired):
    """To one reader: events are no longer kept."""


class StreamOverflowData(TypedDict):
    """To one reader: it was too slow, and the stream ends."""

    # Events that the reader has not read.
    behind: int


class SummarizeHookInput(TypedDict, total=False):
    """What the hook may see."""

    # what the caller asked the summary to keep, or null
    instructions: JsonValue
    # what hooks at `before_compress` gave for it, or null
    material: JsonValue
    # the most that the summary may take
    max_tokens: Union[int, None]
    # messages to summarise, media and stubbed results as lines that name them
    messages: Union[List[JsonValue], None]


SwitchReason = Literal['new', 'fork', 'reset', 'rotation', 'resume']


class SwitchSession(TypedDict, total=False):
    """What a session is switched to."""

    # One is made up when absent.
    new_session_id: Union[str, None]
    # `new`, `fork`, `reset`, `rotation` or `resume`; it is in the event.
    reason: Union[SwitchReason, None]
    # Whether it begins with nothing of this one's. If absent: `false`.
    reset: Union[bool, None]


class SystemSplitPlace(TypedDict):
    """The place in a text after which it differs from the one before it."""

    # Characters (Unicode code points) of the text before the place: whole lines, or whole words of its first line.
    characters: int
    # JSON Pointer into this payload: the text.
    pointer: str
    # Tokens of the text before the place.
    tokens: int


TailPlacement = Literal['move', 'stay']


class TakeSnapshot(TypedDict, total=False):
    """What a snapshot is called."""

    # For people.
    label: Union[str, None]


class _TakenResultRequired(TypedDict):
    # `kept`; `changed` by a hook; `compressed`; `truncated`; or `offloaded` if the whole of it is an artifact. A
    # result that is cut and then compressed is `truncated` or `offloaded`.
    action: str
    # Length of the content in the returned message, as text.
    bytes_after: int
    # Length of the content in the request, as text.
    bytes_before: int
    # The call that it answers.
    id: str
    # The name of the tool.
    name: str


class TakenResult(_TakenResultRequired, total=False):
    """The outcome of one result."""

    # The whole of it, where that is kept.
    artifact: Union[str, None]


class TestHook(TypedDict, total=False):
    """What a hook is tried with; all may be absent."""

    # The call's input; one of that point when absent.
    input: Union[JsonObject, None]
    # One of its points; the first when absent.
    point: Union[HookPointName, None]


class _TestNewHookRequired(TypedDict):
    # The definition.
    hook: HookDefinition


class TestNewHook(_TestNewHookRequired, total=False):
    """A hook that is tried before it is registered."""

    # The input of the call; one of that point if absent.
    input: Union[JsonObject, None]
    # One of its points; the first if absent.
    point: Union[HookPointName, None]
    # What its call is signed with; made up when absent.
    secret: Union[str, None]


ThinkingPolicy = Literal['keep', 'clear_old']


class _TimelineRequired(TypedDict):
    # The rows of this page.
    items: List[TimelineRow]


class Timeline(_TimelineRequired, total=False):
    """A page of a session's timeline, newest first."""

    # Where the list goes on; null at its end.
    next_cursor: Union[str, None]


class _TimelineRowRequired(TypedDict):
    # The id of the record.
    compilation_id: str
    # When it was made: RFC 3339, in UTC.
    created_at: str
    # Whether this engine would compile the same.
    current: bool
    # Whether the payload was within the budget.
    fits: bool
    # `hashes` or `full`.
    record: str
    # `compiled` or `refused`.
    status: str
    # Tokens of the payload.
    tokens_after: int
    # Tokens of the conversation before anything was shortened.
    tokens_before: int


class TimelineRow(_TimelineRowRequired, total=False):
    """The outcome of one compile of a session, or of one request through the gateway."""

    # Messages by what happened to them; null of a request through the gateway.
    actions: Union[ActionCounts, None]
    # Window less reserve; null of a request through the gateway, which has no budget.
    budget: Union[int, None]
    # What the payload costs, by assumption or, once that is reported, by the provider's usage.
    cost: Union[CompileCost, None]
    # Where the payload first differs from the one before, and why; null if only the end is new.
    first_change: Union[FirstChange, None]
    # The model of the request; null if it named none.
    model: Union[str, None]
    # Tokens by part; null of a request through the gateway.
    parts: Union[PartTokens, None]
    # Tokens before the first place that changes with every compile; null of a request through the gateway.
    stable_tokens: Union[int, None]
    # Tokens that this compile left out and no earlier one of the session did.
    unique_saved_tokens: Union[int, None]


class TokensRequest(TypedDict, total=False):
    """What to count: one of `text`, `messages` and `tools`."""

    # Messages in any shape that `/compile` takes, under its keys.
    messages: Union[List[ConversationMessage], None]
    # Decides the tokenizer and the factor; `o200k_base` when absent.
    model: Union[str, None]
    # The shape of the messages; recognised if absent.
    source: Union[ConversationShape, None]
    # The shape to count them in.
    target: Union[ConversationShape, None]
    # A text.
    text: Union[str, None]
    # The provider's array of tools.
    tools: Union[List[JsonObject], None]


class _TokensResponseRequired(TypedDict):
    # Whether the provider counts the same.
    exact: bool
    # The tokenizer that counted.
    tokenizer: str
    # Tokens in all, framing included where messages or tools are counted.
    tokens: int


class TokensResponse(_TokensResponseRequired, total=False):
    """The answer of `POST /tokens`."""

    # Tokens of each message, system text first, where messages are counted.
    per_message: Union[List[int], None]


class ToolCallHookInput(TypedDict, total=False):
    """What the hook may see."""

    # `{index, size}` among the calls of one message
    batch: Union[JsonObject, None]
    # `{name, call_id, arguments}`; arguments as an object, those of a free-form call as text
    tool: Union[JsonObject, None]


_ToolCallResultRequired = TypedDict("_ToolCallResultRequired", {
    'decision': "str",
    'for': "str",
    'id': "str",
    'name': "str",
})

_ToolCallResultOptional = TypedDict("_ToolCallResultOptional", {
    'arguments': "JsonValue",
    'message': "JsonValue",
    'namespace': "Union[str, None]",
    'reason': "Union[str, None]",
}, total=False)


class ToolCallResult(_ToolCallResultRequired, _ToolCallResultOptional):
    """What becomes of a call."""


class _ToolCallsRequestRequired(TypedDict):
    # As the provider gave them: `tool_calls` of `OpenAI` Chat, `tool_use` blocks of Anthropic, `functionCall` parts
    # of Gemini, `function_call` items of `OpenAI` Responses.
    calls: List[JsonValue]


class ToolCallsRequest(_ToolCallsRequestRequired, total=False):
    """The calls of one assistant message."""

    # The keys that the model may write, as `memory.allowed_keys` of the compile. It can narrow the list of the
    # defaults, not widen it.
    allowed_keys: Union[List[str], None]
    # The scope that the model writes to, as `memory.scope` of the compile. If it is absent: that of the defaults,
    # or else the session.
    scope: Union[MemoryScope, None]
    # The session of the calls. Its defaults and those of the key give `tools`, and the scope, the keys and the life
    # of what the model writes, as in a compile.
    session_id: Union[str, None]
    # The shape that they are in; recognised when absent.
    source: Union[ConversationShape, None]
    # As the compile had them: an array, or an object with `list`, `namespaces`, `toolkits` and `blocked`. With them
    # arguments are held to the schema (draft 2020-12), and tools that are not there are denied. If Anthropic's
    # memory tool (`memory_20250818`) is among them, its calls are carried out on stored memory.
    tools: Union[ToolsInput, None]


class _ToolCallsResponseRequired(TypedDict):
    # A result or a refusal for each call, in the order of the calls.
    results: List[ToolCallResult]


class ToolCallsResponse(_ToolCallsResponseRequired, total=False):
    """What becomes of each call, in their order."""

    # The outcomes of the hooks at `tool_call`, a line each; absent if there are none.
    hooks: List[HookReport]


class ToolCost(TypedDict):
    """What a tool costs in every request."""

    # The name of the tool.
    name: str
    # Tokens of its definition.
    tokens: int


class _ToolDeniedDataRequired(TypedDict):
    # The id of the call.
    call_id: str
    # The id of the hook.
    hook: str
    # The tool.
    tool: str


class ToolDeniedData(_ToolDeniedDataRequired, total=False):
    """A guard denied a call of the model."""

    # The code that the hook gave, or null.
    code: Union[str, None]


class _ToolGroupRequired(TypedDict):
    # The name of the group.
    name: str
    # An array; with Gemini's tools one object will do.
    tools: JsonValue


class ToolGroup(_ToolGroupRequired, total=False):
    """Tools that belong together."""

    # What the tools of the group are for, for the model.
    description: Union[str, None]


class ToolOptions(TypedDict, total=False):
    """Which tools a model gets, and how."""

    # Names whose calls `POST /tools/calls` denies; the payload stays the same.
    blocked: Union[List[str], None]
    # The provider's array. An entry may have `tags`, which are not sent.
    list: Union[List[JsonValue], None]
    # Whether schemas lose what says nothing.
    minify: Union[bool, None]
    # Groups that the model sees as one tool each, with `action` and `args`.
    namespaces: Union[List[ToolGroup], None]
    # Which tools are left out, and by what.
    prune: Union[ToolPruning, None]
    # Groups that the model sees once it has called `load_toolkit`; until then it sees what they are called.
    toolkits: Union[List[ToolGroup], None]


class ToolPruning(TypedDict, total=False):
    """Which tools of the list stay."""

    # Stays what is named here, in any case of its letters.
    allow: Union[List[str], None]
    # Where both are given: `union` (when absent) keeps what either keeps, `intersection` what both do. If absent:
    # `"union"`.
    strategy: Union[str, None]
    # Stays what has no tags, or whose name or tag occurs in this text.
    task: Union[str, None]


class ToolResultHookInput(TypedDict, total=False):
    """What the hook may see."""

    # `{content, is_error}`, and `stdout`, `stderr`, `exit_code` where given
    result: Union[JsonObject, None]
    # `{name, call_id, arguments}`; arguments as an object, those of a free-form call as text
    tool: Union[JsonObject, None]


class _ToolResultsRequestRequired(TypedDict):
    # The results of the tools.
    results: List[RawToolResult]


class ToolResultsRequest(_ToolResultsRequestRequired, total=False):
    """What tools have answered."""

    # `off`, `lossless` (when absent) or `reversible`, which shortens what a format's adapter knows.
    compression: Union[ResultLevel, None]
    # Decides the tokenizer.
    model: Union[str, None]
    # How lossless forms may show values: `plain`, each as it was written; `computed`, some derived from others; or
    # `none`, only what keeps the format of the original. When absent, `compression.notations` of the defaults of
    # the session, or of the key if the session's have no `compression`; else `plain`.
    notations: Union[AllowedNotations, None]
    # Whether what is shortened names its artifact for the tool `context_read`.
    read_tool: Union[bool, None]
    # The session, for its hooks and for `compression.notations` of its defaults.
    session_id: Union[str, None]
    # The shape of the messages that are wanted; `openai` when absent.
    source: Union[ConversationShape, None]
    # Limits above which a result is stored and shown in part.
    truncate: Union[TruncateOptions, None]


class ToolResultsResponse(TypedDict):
    """The messages to append."""

    # The originals that were stored.
    artifacts: List[OriginalText]
    # The results in the shape of the target.
    messages: List[JsonValue]
    # What compression did.
    report: Report
    # The outcome for each result, in their order.
    results: List[TakenResult]
    # What the caller should know of.
    warnings: List[str]


# Tools as they are given.
ToolsInput = Union[List[JsonValue], ToolOptions]


class ToolsReport(TypedDict):
    """The tools of a payload."""

    # Those of them that stay.
    kept: int
    # The names of the others.
    removed: List[str]
    # The tools of the payload, ours among them.
    surfaced: List[ToolCost]
    # Tools that were given in the list.
    total: int


# How a transform changes its input.
TransformAction = Literal['unchanged', 'replace', 'merge_patch', 'json_patch']


class _TransformAnswerRequired(TypedDict):
    # How the input changes.
    action: TransformAction


class TransformAnswer(_TransformAnswerRequired, total=False):
    """What a transform returns; `null` changes nothing."""

    # With `merge_patch` an object (RFC 7396), with `json_patch` a list of operations (RFC 6902).
    patch: JsonValue
    # With `replace`: the new value.
    payload: JsonValue


class TransformContextHookInput(TypedDict, total=False):
    """What the hook may see."""

    # messages, the tail of the last one included
    messages: Union[List[JsonValue], None]
    # as the caller named it, or null
    model: JsonValue
    # the shape that is written
    target: Union[str, None]


class TruncateOptions(TypedDict, total=False):
    """How long results are cut; in UTF-16 units."""

    # Units of the beginning that stay. If absent: `0`.
    head_chars: Union[int, None]
    # A tool's name: never cut. `{"name", "threshold"?, "head_chars"?, "tail_chars"?}`: cut so. The last of a name
    # counts.
    per_tool: Union[List[JsonValue], None]
    # Whether the whole of what is cut is kept as an artifact, which the cut text names.
    store: Union[bool, None]
    # Units of the end that stay. If absent: `1000`.
    tail_chars: Union[int, None]
    # Results of at most so many stay whole. If absent: `5000`.
    threshold: Union[int, None]


class TurnPayload(TypedDict):
    """The next payload."""

    # The id of the record.
    id: str
    # As `/compile` returns it.
    payload: CompilePayload
    # What was done, and why.
    report: Report
    # The outcomes of the calls that came without a result, as `POST /tools/calls` has it. What was denied or ours
    # has its result in the conversation already.
    results: List[ToolCallResult]


# The next payload, or without a compile what was appended.
TurnResponse = Union[TurnPayload, AppendedTurn]


class _UsageCostRequired(TypedDict):
    # Tokens of the payloads that the provider read from its cache: reported, or else assumed.
    cache_read_tokens: int
    # Tokens of the payloads that it wrote to its cache.
    cache_write_tokens: int
    # What the payloads cost.
    payload_micros: int
    # Tokens of the payloads of priced requests: what the two above are shares of.
    payload_tokens: int
    # Requests whose cost is known: the sums below are of these.
    priced_requests: int
    # Requests among them whose cost is by the provider's usage; of the others it is assumed.
    reported_requests: int
    # `unshortened_micros` less `payload_micros`: each text counts in every request that it is left out of.
    saved_micros: int
    # The part of `unshortened_micros` for text that was left out for the first time.
    unique_saved_micros: int
    # What the conversations would have cost unshortened.
    unshortened_micros: int


class UsageCost(_UsageCostRequired, total=False):
    """What payloads cost, in micro-dollars (millionths of a dollar)."""

    # Answers, of requests whose output was reported; null if there are none.
    output_micros: Union[int, None]


class UsageDurations(TypedDict):
    """How long compiles took, from the read request to the stored effects. At most an eighth too long."""

    # Milliseconds within which half of them ended.
    p50_ms: float
    # Milliseconds within which 90 % ended.
    p90_ms: float
    # Milliseconds within which 99 % ended.
    p99_ms: float
    # Compiles that were measured.
    requests: int


class _UsageListRequired(TypedDict):
    # The rows of this page.
    items: List[UsageRow]
    # What the tenant keeps now, and what it may keep.
    quotas: List[QuotaRow]


class UsageList(_UsageListRequired, total=False):
    """Some usage."""

    # How long compiles of these days took; null if there was none, and if the list is of one key, one model or
    # sessions.
    durations: Union[UsageDurations, None]
    # For the next request; null at the end.
    next_cursor: Union[str, None]


class _UsageResponseRequired(Session):
    # `usage_implausible`: the report was not learnt from. `thinking_dropped_by_provider` and `cache_missed`: what
    # the diagnostics say.
    warnings: List[ReportNote]


class UsageResponse(_UsageResponseRequired, total=False):
    """The session after a report of usage."""

    # The cost of the payload by the report, in place of the assumed one; null if the prices or the payload's own
    # cost are not known, or if the report is implausible.
    cost: Union[CompileCost, None]


class _UsageRowRequired(TypedDict):
    # The day, in UTC.
    day: str
    # Compiles and compressions.
    requests: int
    # The tenant of the key.
    tenant: str
    # As they were answered.
    tokens_after: int
    # As they came in.
    tokens_before: int
    # Tokens that were left out for the first time: what a session has left out before is not counted again.
    unique_saved_tokens: int


class UsageRow(_UsageRowRequired, total=False):
    """What a key used of a model in a day."""

    # What the payloads cost; null if the cost of none is known.
    cost: Union[UsageCost, None]
    # When the hour of the row begins, in UTC, in lists by hour.
    hour: Union[str, None]
    # The key's id; null for callers without one.
    key: Union[str, None]
    # As the table of models has it, `other` for one that is not there, null where a request named none.
    model: Union[str, None]
    # The session that the row is the share of, in lists of sessions.
    session_id: Union[str, None]


class _VerifiedLogRequired(TypedDict):
    # Lines that are as they were written, from the first on.
    lines: int
    # Whether every line is as it was written.
    ok: bool


class VerifiedLog(_VerifiedLogRequired, total=False):
    """What following a log has found."""

    # The number of the first line that was changed, or that is gone.
    broken_at: Union[int, None]


class VerifiedLogs(TypedDict):
    """Both logs, followed from end to end."""

    # The log of proposals.
    captures: VerifiedLog
    # The log of candidates.
    events: VerifiedLog


class WritePolicy(TypedDict, total=False):
    """What may be written, and what of it needs no review. The server's own, where there is none: every class, and
    the tiers `working` and `episodic` without a review.
    """

    # Classes that may be promoted without a review.
    auto_promote_classes: Union[List[MemoryClass], None]
    # All of them when absent.
    classes: Union[List[MemoryClass], None]
    # Whether nothing is promoted without consent. If absent: `false`.
    consent_required: Union[bool, None]
    # How sure a proposal must be to be promoted without a review. If absent: `0.8`.
    min_confidence: Union[float, None]


__all__ = [
    "ActionCounts",
    "ActorKind",
    "Adapter",
    "AdapterDefinition",
    "AdapterDetect",
    "AdapterLineShare",
    "AdapterList",
    "AdapterRow",
    "AdapterTest",
    "AdapterTestRequest",
    "AfterCompressHookCall",
    "AfterCompressHookInput",
    "AllowedNotations",
    "AnthropicPayload",
    "ApiKey",
    "AppendedTurn",
    "ArtifactCleanup",
    "ArtifactCleanupRequest",
    "BeforeCompileHookCall",
    "BeforeCompileHookInput",
    "BeforeCompressHookCall",
    "BeforeCompressHookInput",
    "BudgetInput",
    "BudgetOptions",
    "BuiltInHook",
    "CacheExpiringData",
    "CacheExpiringEvent",
    "CacheExpiringHookCall",
    "CacheExpiringHookInput",
    "CacheInput",
    "CacheOptions",
    "CacheReport",
    "CacheState",
    "CacheTtl",
    "CalledHook",
    "Candidate",
    "CandidateActor",
    "CandidateCapture",
    "CandidateChecks",
    "CandidateEvent",
    "CandidateEvents",
    "CandidateList",
    "CandidatePromotion",
    "CandidateProposal",
    "CandidateReview",
    "CandidateReviewRow",
    "CarriedItem",
    "CarriedTool",
    "ChangeKey",
    "ChangeReason",
    "ChangeSession",
    "Classification",
    "ClearOptions",
    "ClearSetting",
    "CompactionPutOff",
    "CompareRequest",
    "CompareResponse",
    "Compilation",
    "CompilationList",
    "CompilationRecord",
    "CompilationRow",
    "CompileCost",
    "CompileDoneData",
    "CompileDoneEvent",
    "CompileEffects",
    "CompileFailedData",
    "CompileFailedEvent",
    "CompilePayload",
    "CompileRefusal",
    "CompileRequest",
    "CompileStartData",
    "CompileStartEvent",
    "CompressData",
    "CompressEvent",
    "CompressFormatHookCall",
    "CompressFormatHookInput",
    "CompressLevel",
    "CompressRequest",
    "CompressResponse",
    "CompressedBy",
    "CompressionInput",
    "CompressionLevel",
    "CompressionOptions",
    "ConsoleSession",
    "ContextInjectedData",
    "ContextInjectedEvent",
    "ContradictionCheck",
    "ContradictionResolution",
    "ConversationMessage",
    "ConversationShape",
    "CostCacheAssumption",
    "CostCacheState",
    "CoveredRange",
    "CreateKey",
    "CreateSession",
    "Delegation",
    "DelegationHookCall",
    "DelegationHookInput",
    "DelegationPath",
    "DelegationRecordedData",
    "DelegationRecordedEvent",
    "DelegationReport",
    "DelegationStatus",
    "Delivery",
    "DeliveryAttempt",
    "DeliveryList",
    "DeliveryMode",
    "DiffStep",
    "EnforcementMode",
    "EventGap",
    "EventHookCall",
    "EventHookInput",
    "EventList",
    "EventRow",
    "EventTicket",
    "ExistingEntry",
    "ExpandRequest",
    "ExpandedList",
    "ExplainMode",
    "FieldError",
    "FirstChange",
    "ForkSession",
    "GatewayBlocks",
    "GatewayConfig",
    "GatewayHealth",
    "GatewayMessageEdit",
    "GatewayReport",
    "GatewayRequest",
    "GatewayRequestData",
    "GatewayRequestEvent",
    "GatewayRequestStats",
    "GatewayResponse",
    "GatewayStats",
    "GatewayTokenStats",
    "GatewayTokens",
    "GeminiPayload",
    "GoldenCase",
    "GoldenList",
    "GoldenRequest",
    "GoldenRow",
    "GoldenRun",
    "GoldenRunRequest",
    "GuardAnswer",
    "GuardVerdict",
    "HealthReport",
    "HistorySummary",
    "HookCall",
    "HookCallDelivery",
    "HookCallScope",
    "HookChange",
    "HookCheckRow",
    "HookDefinition",
    "HookDeniedData",
    "HookDeniedEvent",
    "HookDiff",
    "HookDisabledData",
    "HookDisabledEvent",
    "HookFailedData",
    "HookFailedEvent",
    "HookKind",
    "HookList",
    "HookLostData",
    "HookLostEvent",
    "HookOrder",
    "HookOrderRequest",
    "HookPoint",
    "HookPointKind",
    "HookPointName",
    "HookPoints",
    "HookQueue",
    "HookRecord",
    "HookRegistration",
    "HookReport",
    "HookRow",
    "HookTestResult",
    "Inventory",
    "JsonObject",
    "JsonValue",
    "KeptToolResults",
    "KeyKind",
    "KeyLimits",
    "KeyList",
    "KeyScope",
    "LedgerLine",
    "MemoryActRequest",
    "MemoryActResponse",
    "MemoryAction",
    "MemoryChange",
    "MemoryChangedEvent",
    "MemoryChangedHookCall",
    "MemoryChangedHookInput",
    "MemoryClass",
    "MemoryDeniedData",
    "MemoryDeniedEvent",
    "MemoryEntry",
    "MemoryEventData",
    "MemoryEventScope",
    "MemoryExpiredEvent",
    "MemoryExpiredHookCall",
    "MemoryExpiredHookInput",
    "MemoryImportResponse",
    "MemoryInput",
    "MemoryList",
    "MemoryOptions",
    "MemoryRecallRequest",
    "MemoryRecallResponse",
    "MemoryReport",
    "MemoryRestore",
    "MemoryScope",
    "MemoryScopeRequest",
    "MemoryTier",
    "MemoryTtl",
    "MemoryType",
    "MemoryUpdateHookCall",
    "MemoryUpdateHookInput",
    "MemoryVersionRow",
    "MemoryVersions",
    "MemoryWrite",
    "MemoryWriting",
    "MessageAction",
    "MessageDecision",
    "MissingOriginal",
    "ModelList",
    "ModelPriceStep",
    "ModelPrices",
    "ModelRow",
    "NeutralPayload",
    "NewHook",
    "NewKey",
    "NotationTokens",
    "OffloadRequest",
    "OffloadResponse",
    "OnArrival",
    "OnDeadline",
    "OnFailure",
    "OnOverflow",
    "OpenAiPayload",
    "OpenAiResponsesPayload",
    "OriginalText",
    "OriginalsPolicy",
    "OutcomeChange",
    "OutputOptions",
    "OversizedPart",
    "Pack",
    "PackChange",
    "PackDiff",
    "PackDiffRequest",
    "PackDocument",
    "PackLayerDiff",
    "PackLintFault",
    "PackLintResponse",
    "PackList",
    "PackPublished",
    "PackRow",
    "PackVersions",
    "PartTokens",
    "PriceStepRule",
    "PriceStepUse",
    "Problem",
    "ProtectOptions",
    "ProvideAnswer",
    "ProviderRequirements",
    "QuotaRow",
    "RawToolResult",
    "RecallMemoryHookCall",
    "RecallMemoryHookInput",
    "RecalledEntry",
    "RecordLevel",
    "RecordedDelivery",
    "RenderSkill",
    "RenderedSkill",
    "RepairMode",
    "ReplayMode",
    "ReplayRequest",
    "ReplayResponse",
    "Report",
    "ReportNote",
    "RestoreSession",
    "ResultLevel",
    "RetrieveEvidenceHookCall",
    "RetrieveEvidenceHookInput",
    "RetrieveRequest",
    "RetrievedOriginal",
    "ReviewVerdict",
    "RotateSecret",
    "RuleRequest",
    "RuleValue",
    "RuleWarning",
    "Session",
    "SessionList",
    "SessionSwitchHookCall",
    "SessionSwitchHookInput",
    "SessionSwitchedData",
    "SessionSwitchedEvent",
    "SessionTtl",
    "SessionTurn",
    "SessionUsage",
    "SettingList",
    "SettingRow",
    "SharedMemoryWriting",
    "Skill",
    "SkillChoice",
    "SkillDefinition",
    "SkillError",
    "SkillInput",
    "SkillList",
    "Snapshot",
    "SnapshotCalibration",
    "SnapshotList",
    "SnapshotRow",
    "StageRow",
    "StatePlacement",
    "StreamGapData",
    "StreamGapEvent",
    "StreamOverflowData",
    "StreamOverflowEvent",
    "SummarizeHookCall",
    "SummarizeHookInput",
    "SwitchReason",
    "SwitchSession",
    "SystemSplitPlace",
    "TailPlacement",
    "TakeSnapshot",
    "TakenResult",
    "TestHook",
    "TestNewHook",
    "ThinkingPolicy",
    "Timeline",
    "TimelineRow",
    "TokenCalibration",
    "TokensRequest",
    "TokensResponse",
    "ToolCallHookCall",
    "ToolCallHookInput",
    "ToolCallResult",
    "ToolCallsRequest",
    "ToolCallsResponse",
    "ToolCost",
    "ToolDeniedData",
    "ToolDeniedEvent",
    "ToolGroup",
    "ToolOptions",
    "ToolPruning",
    "ToolResultHookCall",
    "ToolResultHookInput",
    "ToolResultsRequest",
    "ToolResultsResponse",
    "ToolsInput",
    "ToolsReport",
    "TransformAction",
    "TransformAnswer",
    "TransformContextHookCall",
    "TransformContextHookInput",
    "TruncateOptions",
    "TurnPayload",
    "TurnResponse",
    "UsageCost",
    "UsageDurations",
    "UsageList",
    "UsageResponse",
    "UsageRow",
    "VerifiedLog",
    "VerifiedLogs",
    "WritePolicy",
]
