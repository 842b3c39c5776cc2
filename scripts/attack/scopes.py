"""Every route with a key of every single scope, without a key, with false keys, and with another tenant's.

What a scope opens is read from the table in `docs/keys.md` and not from the server, which has a table of its
own; a route that the document does not open to a scope must be refused with that scope.
"""

import hashlib
import json
import re

import tally as shared
from harness import BOOTSTRAP, call
from tally import connect

SCOPES = ["compile", "compress", "adapters:read", "adapters:write", "metrics:read", "memory:read", "memory:write",
          "sessions:read", "sessions:write", "tools", "hooks:read", "hooks:write", "events:read", "packs:read",
          "packs:write", "admin"]
OPEN = {"/", "/console/{file}", "/docs", "/docs/", "/docs/{file}", "/docs/guide", "/docs/guide/",
        "/docs/guide/{file}", "/openapi.json", "/problems",
        "/problems/{code}", "/health", "/healthz", "/readyz"}
# What changes something although it is a POST below a resource, or reads although it is one.
READING_POSTS = ("/memory/recall", "/packs/lint", "/packs/diff", "/packs/{id}/{version}/golden/run",
                 "/policy/evaluate", "/adapters/{name}/test")
RESOURCES = {"/memory": "memory", "/memory-candidates": "memory", "/sessions": "sessions",
             "/snapshots": "sessions", "/inventory": "sessions", "/hooks": "hooks", "/hook-points": "hooks",
             "/hook-order": "hooks", "/deliveries": "hooks", "/packs": "packs", "/policy": "packs", "/adapters": "adapters",
             "/events": "events"}
METHODS = ("get", "post", "put", "patch", "delete")


def opened(method, path):
    """The scopes that docs/keys.md names for a route; all of them are enough by themselves."""
    root = "/" + path.split("/")[1]
    if root in ("/keys", "/usage"):
        return {"admin"}
    if path == "/metrics":
        return {"admin", "metrics:read"}
    if root in ("/compile", "/compilations"):
        return {"admin", "compile"}
    if root in ("/tokens", "/expand", "/models") or path.startswith("/v1/retrieve"):
        return {"admin", "compile", "compress"}
    if path == "/console/session":
        # Any valid key says who it is.
        return set(SCOPES)
    if root in ("/compress", "/stats") or path == "/v1/compress":
        return {"admin", "compress"}
    if root == "/artifacts":
        return {"admin", "compress", "compile"} if method == "get" else {"admin", "compress"}
    if root == "/tools":
        return {"admin", "tools"}
    if root == "/mcp":
        return {"admin", "compile", "compress", "memory:read", "memory:write", "tools"}
    if root == "/skills":
        reads = method == "get" or path.endswith("/render")
        return {"admin", "compile", "tools"} if reads else {"admin"}
    if path == "/sessions/{id}/turns":
        # Both are needed, so none is enough by itself.
        return {"admin"}
    if path in ("/sessions/{id}/usage", "/sessions/{id}/delegations"):
        return {"admin", "compile", "sessions:write"}
    resource = RESOURCES[root]
    if resource == "events":
        return {"admin", "events:read"}
    reads = method == "get" or path in READING_POSTS
    return {"admin", f"{resource}:write"} | ({f"{resource}:read"} if reads else set())


def concrete(path, value="x"):
    """A path with something in the place of each name; a stream would not end."""
    return "/events?format=json" if path == "/events" else re.sub(r"\{\w+\}", value, path)


def refused(status, read):
    return status in (401, 403) and isinstance(read, dict) and read.get("code") in ("unauthenticated", "forbidden")


def sends(method):
    return {} if method in ("post", "put", "patch") else None


def each_scope(tally, node, routes, keys):
    cases = [(scope, method, path) for scope in SCOPES for method, path in routes]
    for scope, method, path in tally.sample(cases, 300):
        status, read, _ = node.call(method.upper(), concrete(path), sends(method), key=keys[scope])
        may = path in OPEN or scope in opened(method, path)
        what = f"{method.upper()} {path} with {scope}"
        told = refused(status, read)
        tally.case(what, status < 500 and told != may, f"{status} {str(read)[:200]}, documented: {may}")


def false_keys(keys):
    """Credentials that are none."""
    key = keys["admin"]
    at = len("cx_live_")
    flipped = key[:-1] + ("A" if key[-1] != "A" else "B")
    yield "none", {}
    yield "an empty one", {"authorization": "Bearer "}
    yield "no scheme", {"authorization": key}
    yield "another scheme", {"authorization": f"Basic {key}"}
    yield "its last sign changed", {"authorization": f"Bearer {flipped}"}
    yield "its secret alone", {"authorization": f"Bearer {key[at + 17:]}"}
    yield "its id alone", {"authorization": f"Bearer {key[at:at + 16]}"}
    yield "a hash of it", {"authorization": f"Bearer {hashlib.sha256(key.encode()).hexdigest()}"}
    yield "the bootstrap key cut", {"authorization": f"Bearer {BOOTSTRAP[:-1]}"}
    yield "the bootstrap key and more", {"authorization": f"Bearer {BOOTSTRAP}b"}
    yield "two of them in one", {"authorization": f"Bearer {key}, Bearer {key}"}
    yield "in another header", {"x-api-key": key, "proxy-authorization": f"Bearer {key}"}
    yield "in a cookie", {"cookie": f"authorization=Bearer {key}"}
    yield "for another tenant", {"x-tenant": "default", "x-forwarded-user": "admin"}


def without_keys(tally, node, routes, keys):
    cases = [(name, headers, method, path) for method, path in routes if path not in OPEN
             for name, headers in false_keys(keys)]
    for name, headers, method, path in tally.sample(cases, 120)[::1 if tally.quick else 4]:
        status, read, _ = call(node.port, method.upper(), concrete(path), sends(method), key=None, headers=headers)
        tally.case(f"{method.upper()} {path} with a key: {name}", status == 401, f"{status} {str(read)[:200]}")


def detours(tally, node, keys):
    """Other ways to write a route that a key may not use."""
    key = keys["memory:read"]
    for method in ("DELETE", "PUT"):
        for header in ("x-http-method-override", "x-http-method", "x-method-override"):
            call(node.port, "PUT", "/memory/kept", {"value": 1})
            call(node.port, "GET", "/memory/kept", key=key, headers={header: method})
            status = call(node.port, "GET", "/memory/kept")[0]
            tally.case(f"GET with {header}: {method}", status == 200, status)
    for path in ("/keys/", "//keys", "/Keys", "/%6beys", "/keys%2f", "/keys;x", "/keys?", "/keys/../keys", "/./keys",
                 "/memory/../keys", "/memory/%2e%2e/keys", "/keys%00", "/\\keys", "/keys#", "/memory/..%2fkeys",
                 "/v1/../keys", "/docs/../keys", "/docs/%2e%2e/keys", "/console/../keys", "/problems/..%2fkeys"):
        for method in ("GET", "HEAD", "POST", "OPTIONS", "TRACE", "get", "KEYS"):
            with connect(node) as one:
                one.sendall((f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {key}\r\n"
                             "content-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}"
                             ).encode())
                read = b""
                try:
                    while part := one.recv(65536):
                        read += part
                except OSError:
                    pass
            leaked = b'"scopes"' in read or b'"items"' in read or b"cx_live" in read
            if path.startswith("/memory/..%2f"):
                # An entry of that name, which the key may read.
                leaked = b'"scopes"' in read
            tally.case(f"{method} {path}", not leaked and b" 5" not in read[8:10], read[:200])


def more_rights(tally, node, keys):
    """A key makes no key of more scopes than its own, nor one of another tenant."""
    for scope in ("operator", "admin"):
        for body in ({"scopes": [scope], "tenant": "other"}, {"scopes": ["operator"]}):
            status = node.call("POST", "/keys", body, key=keys["admin"])[0]
            tally.case(f"an admin makes {body}", status in (403, 422), status)
    made = node.call("POST", "/keys", {"scopes": ["compile"]}, key=keys["admin"])[1]
    for change in ({"scopes": ["operator"]}, {"tenant": "other"}, {"scopes": ["compile", "operator"]}):
        status = node.call("PATCH", f"/keys/{made['id']}", change, key=keys["admin"])[0]
        tally.case(f"an admin changes a key to {change}", status in (403, 422), status)
    both = node.call("POST", "/keys", {"scopes": ["memory:read", "compress"]})[1]["key"]
    for name, arguments in (("memory_create", {"key": "planted", "value": "1"}),
                            ("compile", {"messages": [{"role": "user", "content": "hi"}]})):
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        status, read, _ = node.call("POST", "/mcp", message, key=both,
                                    headers={"accept": "application/json, text/event-stream"})
        tally.case(f"the tool {name} over MCP without its scope",
                   '"isError": true' in json.dumps(read) or "error" in json.dumps(read), f"{status} {read}")
    tally.case("  nothing was written", node.call("GET", "/memory/planted")[0] == 404)


def fill(node, key):
    """Makes one of each thing for a tenant; answers the paths that lead to them."""
    def make(method, path, body):
        return node.call(method, path, body, key=key)[1]

    secret = "a secret of this tenant\n"
    artifact = make("POST", "/artifacts", {"text": secret * 2000})["id"]
    session = make("POST", "/sessions", {"id": "chat-17", "defaults": {"system": secret}})["id"]
    snapshot = make("POST", f"/sessions/{session}/snapshots", {"label": "kept"})["id"]
    compilation = make("POST", "/compile", {"messages": [{"role": "user", "content": secret}], "target": "openai",
                                            "record": "full"})["id"]
    make("PUT", "/memory/language", {"value": secret})
    make("PUT", "/adapters/ledger", {"detect": {"min_lines": 1}})
    make("PUT", "/skills/ledger", {"description": secret, "instructions": "i"})
    candidate = make("POST", "/memory-candidates", {"value": secret, "class": "preference"})["id"]
    hook = {"id": "scan", "point": "transform_context", "kind": "guard", "builtin": "secret_scan"}
    make("POST", "/hooks", hook)
    other = make("POST", "/keys", {"scopes": ["compile"]})["id"]
    return [("GET", f"/artifacts/{artifact}"), ("DELETE", f"/artifacts/{artifact}"),
            ("POST", "/v1/retrieve", {"hash": artifact}), ("GET", f"/v1/retrieve/{artifact}"),
            ("GET", f"/sessions/{session}"), ("PATCH", f"/sessions/{session}", {"defaults": None}),
            ("DELETE", f"/sessions/{session}"), ("POST", f"/sessions/{session}/fork", {}),
            ("POST", f"/sessions/{session}/restore", {"snapshot_id": snapshot}),
            ("GET", f"/sessions/{session}/snapshots"), ("GET", f"/snapshots/{snapshot}"),
            ("GET", f"/compilations/{compilation}"), ("POST", f"/compilations/{compilation}/replay", {}),
            ("POST", "/expand", {"id": compilation}),
            ("GET", "/memory/language"), ("DELETE", "/memory/language"), ("GET", "/memory/language/versions"),
            ("GET", "/adapters/ledger"), ("DELETE", "/adapters/ledger"), ("GET", "/skills/ledger"),
            ("DELETE", "/skills/ledger"), ("GET", f"/memory-candidates/{candidate}"), ("GET", "/hooks/scan"),
            ("DELETE", "/hooks/scan"), ("POST", "/hooks/scan/test", {}), ("GET", "/hooks/scan/deliveries"),
            ("DELETE", f"/keys/{other}"), ("PATCH", f"/keys/{other}", {"name": "x"})]


def tenants(tally, node):
    a, b = (node.call("POST", "/keys", {"scopes": ["admin"], "tenant": name})[1]["key"] for name in "ab")
    paths = fill(node, a)
    for method, path, *body in paths:
        status, read, _ = node.call(method, path, body[0] if body else None, key=b)
        told = json.dumps(read)
        tally.case(f"another tenant's {method} {path.split('/')[1]}/…",
                   (status in (404, 422) or '"missing": [{' in told) and "a secret of" not in told, f"{status} {told[:200]}")
    for path in ("/memory", "/sessions", "/compilations", "/adapters", "/hooks", "/keys", "/memory-candidates",
                 "/skills", "/packs", "/usage", "/events?format=json&after=0"):
        for query in ("", "tenant=a"):
            at = path + (("&" if "?" in path else "?") + query if query else "")
            status, read, _ = node.call("GET", at, key=b)
            own = json.dumps(read)
            tally.case(f"another tenant's list {at}", status in (200, 403, 422) and "a secret of" not in own
                       and "ledger" not in own and "chat-17" not in own, f"{status} {own[:200]}")
    # All of it is still there for its tenant.
    gone = [path for method, path, *_ in paths if method == "GET" and node.call("GET", path, key=a)[0] != 200]
    tally.case("  and all of it is still there", not gone, gone)


def run(tally):
    with tally.server("--dev") as node:
        routes = [(method, path) for path, item in node.call("GET", "/openapi.json")[1]["paths"].items()
                  for method in METHODS if method in item]
        keys = {scope: node.call("POST", "/keys", {"scopes": [scope]})[1]["key"] for scope in SCOPES}
        each_scope(tally, node, routes, keys)
        without_keys(tally, node, routes, keys)
        detours(tally, node, keys)
        more_rights(tally, node, keys)
        tenants(tally, node)
        tally.alive(node, "all of it")


if __name__ == "__main__":
    shared.main(run)
