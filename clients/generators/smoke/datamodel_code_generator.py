"""The models of datamodel-code-generator, with urllib: the walk of check.py."""

import json
import sys
import urllib.error
import urllib.request

import contexture_models as m


def ask(method: str, path: str, body: object = None) -> bytes:
    content = None if body is None else body.model_dump_json(exclude_unset=True).encode()
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(sys.argv[1] + path, content, headers, method=method)
    with urllib.request.urlopen(request) as response:
        return response.read()


messages = [{"role": "user", "content": "Where does the build fail?"}]
body = m.CompileRequest(target="openai", messages=messages, session_id="dmc")
compiled = m.Compilation.model_validate_json(ask("POST", "/compile", body))
assert compiled.report.hooks == []

ask("PUT", "/memory/dmc", m.MemoryWrite(value=["any", {"json": "value"}]))
entry = m.MemoryEntry.model_validate_json(ask("PATCH", "/memory/dmc", m.MemoryChange(importance=0.9)))
assert entry.importance == 0.9

page = m.EventList.model_validate_json(ask("GET", "/events?format=json&after=0&limit=1000"))
events = [getattr(event, "root", event) for event in page.items]
done = [event for event in events if isinstance(event, m.CompileDoneEvent) and event.session_id == "dmc"]
assert done[0].data.tokens_after == compiled.report.tokens_after

try:
    urllib.request.urlopen(urllib.request.Request(sys.argv[1] + "/compile", b'{"targt": "openai"}', {"content-type": "application/json"}))
    raise AssertionError("a wrong key is taken")
except urllib.error.HTTPError as error:
    problem = m.Problem.model_validate(json.loads(error.read()))
assert (problem.code, problem.status) == ("invalid_request", 422)
