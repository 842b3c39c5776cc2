"""The client of openapi-python-client: the walk of check.py."""

import sys

from contexture_client import Client
from contexture_client.api.compile_ import compile_
from contexture_client.api.events import read_events
from contexture_client.api.memory import patch_memory, put_memory
from contexture_client.models import (
    Compilation,
    CompileDoneEvent,
    CompileRequest,
    MemoryChange,
    MemoryEntry,
    MemoryWrite,
    Problem,
    ReadEventsFormat,
)

client = Client(base_url=sys.argv[1])
messages = [{"role": "user", "content": "Where does the build fail?"}]
body = CompileRequest.from_dict({"target": "openai", "messages": messages, "session_id": "opc"})
compiled = compile_.sync(client=client, body=body)
assert isinstance(compiled, Compilation), compiled
assert compiled.report.hooks == []

put_memory.sync("opc", client=client, body=MemoryWrite(value=["any", {"json": "value"}]))
entry = patch_memory.sync("opc", client=client, body=MemoryChange(importance=0.9))
assert isinstance(entry, MemoryEntry), entry
assert entry.importance == 0.9

response = read_events.sync_detailed(client=client, format_=ReadEventsFormat.JSON, after=0, limit=1_000)
assert response.status_code == 200
page = response.parsed
done = [
    event for event in page.items
    if isinstance(event, CompileDoneEvent) and event.session_id == "opc"
]
assert done[0].data.tokens_after == compiled.report.tokens_after

problem = compile_.sync(client=client, body=CompileRequest.from_dict({"targt": "openai"}))
assert isinstance(problem, Problem), problem
assert (problem.code, problem.status) == ("invalid_request", 422)
