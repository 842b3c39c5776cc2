#!/usr/bin/env python3
"""Tries clients of providers through the gateway, against the provider of `gateway_provider.py`.

    python3 scripts/gateway_clients.py target/debug/contexture [--bin node_modules/.bin] [--aider PROGRAM] [NAME ...]

NAME is `openai`, `anthropic`, `genai`, `litellm`, `claude`, `wrap`, `hook`, `codex`, `opencode`, `gemini` or `aider`; all of
them without one. The SDKs and LiteLLM are those of this interpreter, the agents those of `--bin` and `PATH`. What is not
installed is passed over. Each client has a tool return a table of customers twice, then a text. A line says for each
whether it got the text, how many requests there were, whether a byte before the newest messages changed, and how many
bytes the results had at the provider. Ends with 1 if a client that ran did not get there. No account is needed.
"""

import argparse
import importlib.metadata
import io
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import gateway_provider

LAST_WORDS = gateway_provider.LAST_WORDS
COMMAND = "cat customers.json"
SECONDS = 120


def customers():
    rows = [{"id": at * 7919, "name": f"customer {at * 7919}", "state": "active", "region": f"region-{at % 7}",
             "total": at * 31} for at in range(120)]
    return json.dumps(rows, indent=1)


class Trial:
    """A gateway in front of a provider whose requests are kept."""

    def __init__(self, program, folder, given):
        self.folder, self.given, self.program = folder, given, program
        self.log = io.StringIO()
        self.last_error_line = ""
        self.provider = gateway_provider.start(turns=2, command=COMMAND, log=self.log)
        self.upstream = f"http://127.0.0.1:{self.provider.server_port}"
        command = [program, "serve", "--listen", "127.0.0.1:0", "--database-url", "memory:", "--log-level", "error"]
        flags = [f"--upstream={name}={self.upstream}" for name in ("anthropic", "openai", "gemini")]
        self.server = subprocess.Popen([*command, *flags, "--gateway-deadline-ms=30000"],
                                       stdout=subprocess.PIPE, text=True)
        self.url = self.server.stdout.readline().strip().removeprefix("listening on ")

    def close(self):
        self.server.terminate()
        self.server.wait()
        self.provider.shutdown()

    def take(self):
        """The requests since the last call."""
        lines = self.log.getvalue().splitlines()
        self.log.seek(0)
        self.log.truncate()
        return [json.loads(line) for line in lines]

    def run(self, command, variables=(), files=()):
        """Runs an agent in the folder with the table, with a home of its own that has these files."""
        home = tempfile.mkdtemp(prefix="home-", dir=self.folder)
        for name, text in dict(files).items():
            os.makedirs(os.path.dirname(os.path.join(home, name)), exist_ok=True)
            with open(os.path.join(home, name), "w", encoding="utf-8") as file:
                file.write(text)
        keep = {name: os.environ[name] for name in ("PATH", "LANG", "NODE_EXTRA_CA_CERTS") if name in os.environ}
        environment = {**keep, "HOME": home, "NO_COLOR": "1", "CI": "1", **dict(variables)}
        environment["PATH"] = f"{os.path.abspath(self.given.bin)}:{environment['PATH']}"
        try:
            done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True,
                                  timeout=SECONDS, stdin=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired as late:
            return f"no end within {SECONDS} s: {str(late.stdout)[-300:]} {str(late.stderr)[-300:]}"
        if LAST_WORDS not in done.stdout:
            return f"exit {done.returncode}: {done.stdout[-400:]} {done.stderr[-600:]}"
        self.last_error_line = (done.stderr.strip().splitlines() or [""])[-1]
        return None


def messages_of(request):
    body = request["body"]
    return body.get("messages") or body.get("contents") or body.get("input") or []


def results_of(message):
    """The texts of results in a message."""
    if message.get("role") == "tool":
        return [json.dumps(message["content"])]
    if str(message.get("type", "")).endswith("_output"):
        return [json.dumps(message.get("output"))]
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    found = [json.dumps(block["content"]) for block in blocks if block.get("type") == "tool_result"]
    parts = message.get("parts") or []
    return found + [json.dumps(part["functionResponse"]) for part in parts if "functionResponse" in part]


def bare(value):
    """A message without marks of caching, which clients move."""
    if isinstance(value, dict):
        value = {key: bare(member) for key, member in value.items() if key != "cache_control"}
        content = value.get("content")
        if isinstance(content, list) and len(content) == 1 and content[0].get("type") == "text" and "role" in value:
            value["content"] = content[0]["text"]
        return value
    return [bare(item) for item in value] if isinstance(value, list) else value


def judge(requests):
    """Changed messages before the newest ones, and bytes of the results in the longest list."""
    changed = 0
    lists = [[bare(message) for message in messages_of(request)] for request in requests]
    for at, longer in enumerate(lists):
        # The request that this one continues: the last one that has the same beginning.
        shorter = [own for own in lists[:at] if 1 < len(own) < len(longer) and own[0] == longer[0]]
        if shorter:
            changed += sum(one != other for one, other in zip(shorter[-1], longer))
    longest = max((messages_of(request) for request in requests), key=len, default=[])
    texts = [text for message in longest for text in results_of(message)]
    return changed, [len(text) for text in texts]


def version(package):
    return importlib.metadata.version(package)


TOOL = {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]}


def openai_sdk(trial):
    import openai

    client = openai.OpenAI(base_url=f"{trial.url}/v1", api_key="dummy")
    assert client.models.list().data
    assert client.embeddings.create(model="e", input="a").data
    for stream in (False, True):
        messages = [{"role": "user", "content": f"Look at them ({stream})."}]
        tools = [{"type": "function", "function": {"name": "query", "parameters": TOOL}}]
        for _ in range(3):
            asked = {"model": "gpt-4o", "messages": messages, "tools": tools}
            if stream:
                with client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as events:
                    for _ in events:
                        pass
                    answer = events.get_final_completion()
                assert answer.usage.prompt_tokens == 1200
            else:
                answer = client.chat.completions.create(**asked)
            message = answer.choices[0].message
            messages.append(message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}))
            for call in message.tool_calls or []:
                messages.append({"role": "tool", "tool_call_id": call.id, "content": customers()})
        assert messages[-1]["content"] == LAST_WORDS, messages[-1]
        items = [{"role": "user", "content": f"Look at them ({stream})."}]
        tools = [{"type": "function", "name": "query", "parameters": TOOL}]
        for _ in range(3):
            if stream:
                with client.responses.stream(model="gpt-5.5", input=items, tools=tools, store=False) as events:
                    for _ in events:
                        pass
                    answer = events.get_final_response()
            else:
                answer = client.responses.create(model="gpt-5.5", input=items, tools=tools, store=False)
            for item in answer.output:
                items.append(item.model_dump(exclude_none=True, exclude={"parsed_arguments", "parsed"}))
                if item.type == "function_call":
                    items.append({"type": "function_call_output", "call_id": item.call_id, "output": customers()})
        assert answer.output_text == LAST_WORDS


def anthropic_sdk(trial):
    import anthropic

    client = anthropic.Anthropic(base_url=trial.url, api_key="dummy")
    assert client.models.list().data
    tools = [{"name": "query", "input_schema": TOOL}]
    for stream in (False, True):
        messages = [{"role": "user", "content": f"Look at them ({stream})."}]
        assert client.messages.count_tokens(model="claude-sonnet-5-5", messages=messages).input_tokens == 1234
        for _ in range(3):
            asked = {"model": "claude-sonnet-5-5", "max_tokens": 500, "messages": messages, "tools": tools,
                     "betas": ["context-1m-2025-08-07"]}
            if stream:
                with client.beta.messages.stream(**asked) as events:
                    answer = events.get_final_message()
            else:
                answer = client.beta.messages.create(**asked)
            messages.append({"role": "assistant", "content": [block.model_dump(exclude_none=True, include={
                "type", "text", "id", "name", "input"}) for block in answer.content]})
            results = [{"type": "tool_result", "tool_use_id": block.id, "content": customers()}
                       for block in answer.content if block.type == "tool_use"]
            if results:
                messages.append({"role": "user", "content": results})
        assert answer.content[0].text == LAST_WORDS


def genai_sdk(trial):
    from google import genai
    from google.genai import types

    client = genai.Client(api_key="dummy", http_options=types.HttpOptions(base_url=trial.url))
    assert list(client.models.list())
    tool = types.Tool(function_declarations=[types.FunctionDeclaration(name="query", parameters_json_schema=TOOL)])
    config = types.GenerateContentConfig(tools=[tool])
    for stream in (False, True):
        contents = [types.Content(role="user", parts=[types.Part(text=f"Look at them ({stream}).")])]
        assert client.models.count_tokens(model="gemini-2.5-pro", contents=contents).total_tokens == 1234
        for _ in range(3):
            asked = {"model": "gemini-2.5-pro", "contents": contents, "config": config}
            if stream:
                answer = list(client.models.generate_content_stream(**asked))[-1]
            else:
                answer = client.models.generate_content(**asked)
            contents.append(answer.candidates[0].content)
            if answer.function_calls:
                part = types.Part.from_function_response(name="query", response={"output": customers()})
                contents.append(types.Content(role="user", parts=[part]))
        assert answer.text == LAST_WORDS


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def litellm_proxy(trial, upstream):
    """Starts LiteLLM's proxy in front of `upstream`; returns its process and its address."""
    config = os.path.join(trial.folder, f"litellm-{free_port()}.yaml")
    with open(config, "w", encoding="utf-8") as file:
        json.dump({"model_list": [{"model_name": "gpt-4o", "litellm_params": {
            "model": "openai/gpt-4o", "api_base": f"{upstream}/v1", "api_key": "dummy"}}]}, file)
    port = free_port()
    program = os.path.join(os.path.dirname(sys.executable), "litellm")
    proxy = subprocess.Popen([program, "--config", config, "--port", str(port), "--host", "127.0.0.1"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 180
    while time.monotonic() < until and proxy.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return proxy, f"http://127.0.0.1:{port}"
        except OSError:
            # Its own start decides; a pause keeps the loop from spinning.
            time.sleep(0.2)
    proxy.kill()
    raise RuntimeError("LiteLLM's proxy did not start")


def chat_loop(client):
    messages = [{"role": "user", "content": "Look at them."}]
    tools = [{"type": "function", "function": {"name": "query", "parameters": TOOL}}]
    for _ in range(3):
        message = client.chat.completions.create(model="gpt-4o", messages=messages, tools=tools).choices[0].message
        messages.append(message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}))
        for call in message.tool_calls or []:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": customers()})
    assert messages[-1]["content"] == LAST_WORDS, messages[-1]


def litellm_both(trial):
    # The prices in the package are as good here as those of the network.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm
    import openai

    # As a library, and as a proxy that sends to the gateway.
    found = litellm.completion(model="openai/gpt-4o", api_base=f"{trial.url}/v1", api_key="dummy",
                               messages=[{"role": "user", "content": "Hello"}])
    assert found.choices[0].message.content == LAST_WORDS
    proxy, address = litellm_proxy(trial, trial.url)
    try:
        chat_loop(openai.OpenAI(base_url=f"{address}/v1", api_key="dummy", timeout=60))
    finally:
        proxy.kill()
        proxy.wait()
    # As the upstream of a gateway.
    proxy, address = litellm_proxy(trial, trial.upstream)
    server = subprocess.Popen(
        [trial.program, "serve", "--listen", "127.0.0.1:0", "--database-url", "memory:", "--log-level", "error",
         f"--upstream=openai={address}", "--gateway-deadline-ms=30000"], stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().strip().removeprefix("listening on ")
        chat_loop(openai.OpenAI(base_url=f"{url}/v1", api_key="dummy", timeout=60))
    finally:
        for process in (server, proxy):
            process.kill()
            process.wait()


CLAUDE_ARGUMENTS = ["-p", "List the customers.", "--allowedTools", "Bash", "--model", "claude-sonnet-5-5"]
CLAUDE_VARIABLES = {"ANTHROPIC_API_KEY": "dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                    "DISABLE_AUTOUPDATER": "1"}


def claude(trial):
    return trial.run(["claude", *CLAUDE_ARGUMENTS], {**CLAUDE_VARIABLES, "ANTHROPIC_BASE_URL": trial.url})


def wrap(trial):
    """`contexture wrap` with a gateway of its own: prints what was saved, and edits no file."""
    upstream = f"--upstream=anthropic={trial.upstream}"
    fault = trial.run([trial.program, "wrap", upstream, "--", "claude", *CLAUDE_ARGUMENTS], CLAUDE_VARIABLES)
    if fault is None and "tokens saved" not in trial.last_error_line:
        return f"no line of what was saved: {trial.last_error_line}"
    print(f"wrap: {trial.last_error_line}")
    return fault


def hook(trial):
    """The hook of Claude Code, without a gateway."""
    settings = os.path.join(trial.folder, "hook-settings.json")
    with open(settings, "w", encoding="utf-8") as file:
        own = {"type": "command", "command": f"{trial.program} hook claude-code"}
        json.dump({"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [own]}]}}, file)
    variables = {**CLAUDE_VARIABLES, "ANTHROPIC_BASE_URL": trial.upstream}
    return trial.run(["claude", "--settings", settings, *CLAUDE_ARGUMENTS], variables)


def codex(trial):
    overrides = {"model_provider": '"gateway"', "model": '"gpt-5.5"',
                 "model_providers.gateway.name": '"gateway"', "model_providers.gateway.wire_api": '"responses"',
                 "model_providers.gateway.base_url": f'"{trial.url}/v1"',
                 "model_providers.gateway.env_key": '"OPENAI_API_KEY"'}
    flags = [word for name, value in overrides.items() for word in ("-c", f"{name}={value}")]
    command = ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", *flags,
               "List the customers."]
    return trial.run(command, {"OPENAI_API_KEY": "dummy"})


def opencode(trial):
    config = {"$schema": "https://opencode.ai/config.json", "model": "anthropic/claude-sonnet-5-5", "autoupdate": False,
              "share": "disabled", "permission": {"*": "allow"},
              "provider": {"anthropic": {"options": {"baseURL": f"{trial.url}/v1", "apiKey": "dummy"}}}}
    return trial.run(["opencode", "run", "List the customers."], {"OPENCODE_CONFIG_CONTENT": json.dumps(config)})


def gemini(trial):
    command = ["gemini", "-p", "List the customers.", "--yolo", "-m", "gemini-2.5-pro", "--skip-trust"]
    variables = {"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": trial.url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": False}}
    return trial.run(command, variables, {".gemini/settings.json": json.dumps(settings)})


def aider(trial):
    command = [trial.given.aider, "--model", "openai/gpt-4o", "--no-git", "--yes-always", "--no-check-update",
               "--analytics-disable", "--no-show-model-warnings", "--no-stream", "--message", "Say what is in customers.json."]
    return trial.run(command, {"OPENAI_API_BASE": f"{trial.url}/v1", "OPENAI_API_KEY": "dummy"})


CLIENTS = {
    "openai": (openai_sdk, "openai", None), "anthropic": (anthropic_sdk, "anthropic", None),
    "genai": (genai_sdk, "google-genai", None), "litellm": (litellm_both, "litellm", None),
    "claude": (claude, None, "claude"), "wrap": (wrap, None, "claude"), "hook": (hook, None, "claude"),
    "codex": (codex, None, "codex"), "opencode": (opencode, None, "opencode"), "gemini": (gemini, None, "gemini"),
    "aider": (aider, None, "aider"),
}


def find(trial, package, program):
    """The version of a client; none if it is not installed."""
    if package:
        try:
            return version(package)
        except importlib.metadata.PackageNotFoundError:
            return None
    path = trial.given.aider if program == "aider" else program
    found = shutil.which(path, path=f"{os.path.abspath(trial.given.bin)}:{os.environ['PATH']}")
    if not found:
        return None
    home = {**os.environ, "HOME": tempfile.mkdtemp(prefix="home-", dir=trial.folder)}
    told = subprocess.run([found, "--version"], capture_output=True, text=True, env=home, timeout=SECONDS, check=False)
    return (told.stdout or told.stderr).strip().splitlines()[-1] if told.stdout or told.stderr else "?"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--bin", default="node_modules/.bin")
    parser.add_argument("--aider", default="aider")
    given = parser.parse_intermixed_args()
    # Agents run in a folder of their own.
    given.aider = os.path.abspath(shutil.which(given.aider) or given.aider)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "customers.json"), "w", encoding="utf-8") as file:
            file.write(customers())
        trial = Trial(os.path.abspath(given.program), folder, given)
        try:
            for name in given.names or CLIENTS:
                run, package, program = CLIENTS[name]
                told = find(trial, package, program)
                if told is None:
                    print(f"{name}: not installed", flush=True)
                    continue
                try:
                    fault = run(trial)
                except Exception as error:  # noqa: BLE001
                    fault = f"{type(error).__name__}: {error}"
                requests = trial.take()
                changed, results = judge(requests)
                failed += fault is not None or changed > 0
                print(f"{name} {told}: {fault or 'got there'}; {len(requests)} requests, {changed} messages changed, "
                      f"results of {results} bytes (as they came {len(json.dumps(customers()))})", flush=True)
        finally:
            trial.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
