// The texts of requests and payloads, and which is which: without a browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { createServer } from "vite";

const vite = await createServer({ root: new URL("..", import.meta.url).pathname, server: { middlewareMode: true }, appType: "custom", logLevel: "error" });
after(() => vite.close());
const { unitsOf } = await vite.ssrLoadModule("/src/text/units.ts");
const { pairsOf } = await vite.ssrLoadModule("/src/text/pairs.ts");
const { difference, side } = await vite.ssrLoadModule("/src/text/words.ts");
const { curlOf } = await vite.ssrLoadModule("/src/text/shell.ts");
const { readInput, requestOf } = await vite.ssrLoadModule("/src/pages/playground-input.ts");
const { splitOf } = await vite.ssrLoadModule("/src/text/prefix.ts");
const { eventTone, eventWords } = await vite.ssrLoadModule("/src/text/event-words.ts");
const { lineOf } = await vite.ssrLoadModule("/src/text/json-lines.ts");
const { count, leftOut, money } = await vite.ssrLoadModule("/src/format.ts");
const { isUnmeasured } = await vite.ssrLoadModule("/src/pages/usage.ts");
const { whyAbout, whyAdvice } = await vite.ssrLoadModule("/src/ui/why.tsx");

const brief = (units) => units.map(({ index, author, kind, call, text }) => [index, author, kind, call, text]);

test("texts of every provider are read", () => {
  assert.deepEqual(brief(unitsOf({ messages: [
    { role: "system", content: "S" },
    { role: "user", content: [{ type: "text", text: "Hi" }] },
    { role: "assistant", content: "A", tool_calls: [{ id: "c", type: "function", function: { name: "ls", arguments: "{\"path\": \"/\"}" } }] },
    { role: "tool", tool_call_id: "c", content: "x" },
  ] })), [
    [0, "system", "text", null, "S"], [1, "user", "text", null, "Hi"], [2, "assistant", "text", null, "A"],
    [2, "assistant", "call", "c", "path: /"], [3, "tool", "result", "c", "x"],
  ]);
  assert.deepEqual(brief(unitsOf({ system: [{ type: "text", text: "S" }], messages: [
    { role: "assistant", content: [{ type: "thinking", thinking: "T" }, { type: "tool_use", id: "c", name: "ls", input: { path: "/" } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: [{ type: "text", text: "x" }] }] },
  ] })), [
    [null, "system", "text", null, "S"], [0, "assistant", "thinking", null, "T"], [0, "assistant", "call", "c", "path: /"], [1, "user", "result", "c", "x"],
  ]);
  assert.deepEqual(brief(unitsOf({ instructions: "S", input: [
    { type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] },
    { type: "function_call", call_id: "c", name: "ls", arguments: "{}" }, { type: "function_call_output", call_id: "c", output: "x" },
  ] })), [
    [null, "instructions", "text", null, "S"], [0, "user", "text", null, "Hi"], [1, "function_call", "call", "c", ""], [2, "function_call_output", "result", "c", "x"],
  ]);
  assert.deepEqual(brief(unitsOf({ systemInstruction: { parts: [{ text: "S" }] }, contents: [
    { role: "model", parts: [{ text: "A" }, { functionCall: { name: "ls", args: { path: "/" } } }] },
    { role: "user", parts: [{ functionResponse: { name: "ls", response: { output: "x" } } }] },
  ] })), [
    [null, "systemInstruction", "text", null, "S"], [0, "model", "text", null, "A"], [0, "model", "call", null, "path: /"], [1, "user", "result", null, "x"],
  ]);
  for (const nothing of [null, 7, "text", [], {}, { messages: [null, 3] }]) assert.ok(Array.isArray(unitsOf(nothing)));
});

test("each text is paired with what it became", () => {
  const request = { messages: [
    { role: "system", content: "S" }, { role: "user", content: "old" },
    { role: "assistant", content: null, tool_calls: [{ id: "c", type: "function", function: { name: "log", arguments: "{}" } }] },
    { role: "tool", tool_call_id: "c", content: "a\nb\nc" }, { role: "user", content: "new" },
  ] };
  const payload = { system: "S", messages: [
    { role: "user", content: [{ type: "text", text: "a summary" }] },
    { role: "assistant", content: [{ type: "tool_use", id: "c", name: "log", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "a… c" }, { type: "text", text: "new" }, { type: "text", text: "memory" }] },
  ] };
  const decision = (index, action) => ({ index, id: String(index), action, rule: "r", tokens_before: 9, tokens_after: 3 });
  const rows = pairsOf(request, payload, [decision(1, "summarized"), decision(2, "kept"), decision(3, "compressed"), decision(4, "kept")]);
  assert.deepEqual(rows.map((row) => [row.before?.text ?? null, row.after?.text ?? null, row.action]), [
    ["S", "S", "kept"], ["old", null, "summarized"], [null, "a summary", "added"], ["", "", "kept"],
    ["a\nb\nc", "a… c", "compressed"], ["new", "new", "kept"], [null, "memory", "added"],
  ]);
  // The tokens of a message are shown once, however many parts it has.
  const call = { id: "c", type: "function", function: { name: "log", arguments: "{}" } };
  const parts = { messages: [{ role: "user", content: "q" }, { role: "assistant", content: "I look", tool_calls: [call, { ...call, id: "d" }] }, { role: "tool", tool_call_id: "c", content: "x" }] };
  assert.deepEqual(pairsOf(parts, parts, []).map((row) => row.part), [0, 0, 1, 2, 0]);
  // Every text is in exactly one row, whatever repeats.
  const same = { messages: Array.from({ length: 50 }, (_, at) => ({ role: at % 2 ? "assistant" : "user", content: at % 3 ? "again" : `turn ${at}` })) };
  const again = pairsOf(same, same, []);
  assert.equal(again.length, 50);
  assert.ok(again.every((row) => row.same));
});

test("a difference shows both sides and ends in time", () => {
  const pieces = difference("the cat sat", "the dog sat");
  assert.equal(side(pieces, "added", 99).pieces.map((piece) => piece.text).join(""), "the cat sat");
  assert.equal(side(pieces, "removed", 99).pieces.map((piece) => piece.text).join(""), "the dog sat");
  assert.deepEqual(side(pieces, "removed", 5), { pieces: [{ text: "the ", kind: "same" }, { text: "d", kind: "added" }], cut: true });
  const noise = (seed) => Array.from({ length: 60_000 }, (_, at) => `${(at * seed) % 9973}`).join(" ");
  const start = performance.now();
  difference(noise(7919), noise(104_729));
  assert.ok(performance.now() - start < 2000, `${performance.now() - start} ms`);
});

test("a share that is left out has no minus", () => {
  assert.equal(leftOut(1000, 250), "75.0\u00a0%");
  assert.equal(leftOut(50, 62), "+24.0\u00a0% added");
  assert.equal(leftOut(100, 124, 0), "+24\u00a0% added");
  assert.equal(leftOut(60, 956), "+1,493\u00a0% added");
  assert.equal(leftOut(50, 50), "0.0\u00a0%");
  assert.equal(leftOut(0, 0), "–");
  assert.equal(leftOut(0, 7), "–");
  assert.equal(isUnmeasured({ id: "cmp_1_gw", tokens_after: 0 }), true);
  assert.equal(isUnmeasured({ id: "cmp_1_gw", tokens_after: 9 }), false);
  assert.equal(isUnmeasured({ id: "cmp_1", tokens_after: 0 }), false);
});

test("numbers have commas between thousands", () => {
  assert.deepEqual([0, 999, 1000, 1234567.4, -20_000].map(count), ["0", "999", "1,000", "1,234,567", "-20,000"]);
  assert.deepEqual([0, 12, 1_500_000, -2_000_000, 12_345_678_900_000].map(money), ["$0.00", "<$0.0001", "$1.50", "−$2.00", "$12,345,679"]);
});

test("every reason of a first change is explained", () => {
  const schema = readFileSync(new URL("../../src/pipeline/change/mod.rs", import.meta.url), "utf8");
  const reasons = [...schema.matchAll(/Self::\w+ => "(\w+)"/g)].map(([, name]) => name);
  assert.ok(reasons.includes("tail_moved"));
  for (const reason of reasons) {
    assert.match(whyAbout(reason), /^[A-Z].*\.$/, reason);
    assert.notEqual(whyAdvice(reason), whyAdvice("unknown"), reason);
  }
});

test("a command for the shell quotes what a text says", () => {
  const record = { id: "cmp_1", request: { messages: [{ role: "user", content: "it's $HOME `ls`" }] } };
  assert.match(curlOf(record, "http://h", true), /^curl 'http:\/\/h\/compile' \\\n {2}-H "authorization: Bearer \$CONTEXTURE_KEY" \\\n.*\n {2}-d '.*it'\\''s \$HOME `ls`.*'$/);
  assert.equal(curlOf({ id: "cmp_1", request: null }, "http://h", false), "curl 'http://h/compilations/cmp_1'");
});

test("the playground reads requests, lists, sessions and logs", () => {
  const settings = { window: 4000, reserve: 500, level: "drop", recent: 1, notations: "none", target: "openai", model: "m" };
  const request = requestOf(readInput(JSON.stringify({ messages: [], session_id: "s", record: "full", compression: { pays: true } })), settings);
  assert.deepEqual(request, { messages: [], target: "openai", model: "m", budget: { context_window: 4000, reserve_output: 500 },
    compression: { pays: true, level: "drop", keep_recent_turns: 1, notations: "none" }, explain: "full", record: "none" });
  assert.equal(readInput("[{\"role\": \"user\", \"content\": \"Hi\"}]").body.messages.length, 1);
  const line = (role, content, id) => JSON.stringify({ type: role, message: { role, content, ...(id ? { id } : {}) } });
  const session = [JSON.stringify({ type: "summary", summary: "x" }), line("user", "Hi"), line("assistant", [{ type: "text", text: "A" }], "m1"), line("assistant", [{ type: "tool_use", id: "c", name: "n", input: {} }], "m1")].join("\n");
  assert.deepEqual(readInput(session).body.messages.map((message) => [message.role, message.content.length]), [["user", 2], ["assistant", 2]]);
  assert.equal(readInput("09:00 INFO started\n09:01 ERROR stopped").body.messages.at(-1).content, "09:00 INFO started\n09:01 ERROR stopped");
  assert.throws(() => readInput("{\"messages\": ["), /not JSON/);
  const logged = (type, payload) => JSON.stringify({ timestamp: "2026-03-01T10:00:00Z", type, payload });
  const said = { type: "message", role: "user", content: [{ type: "input_text", text: "Look" }] };
  const called = { type: "function_call", name: "shell", arguments: "{}", call_id: "c1" };
  const rollout = [logged("session_meta", { id: "s" }), logged("response_item", said), logged("event_msg", { type: "user_message", message: "Look" }),
    logged("response_item", { type: "ghost_snapshot" }), logged("response_item", called)];
  assert.deepEqual(readInput(rollout.join("\n")), { body: { input: [said, called] }, about: "A session of Codex of 5 lines" });
  const cut = readInput([...rollout, "{\"timestamp\":\"2026-03-01T10:0"].join("\n"));
  assert.deepEqual(cut, { body: { input: [said, called] }, about: "A session of Codex of 6 lines, without the last one, which is cut off" });
  const early = [JSON.stringify({ id: "s", timestamp: "t", instructions: null }), JSON.stringify({ record_type: "state" }), JSON.stringify(said)];
  assert.deepEqual(readInput(early.join("\n")).body, { input: [said] });
  // Other lines of JSON are a text.
  for (const log of [["{\"timestamp\":\"t\",\"level\":\"info\"}", "{\"timestamp\":\"t\",\"level\":\"warn\"}"], ["{\"type\":\"order\",\"payload\":{}}", rollout[1]]]) {
    assert.equal(readInput(log.join("\n")).body.messages.at(-1).role, "tool");
  }
  assert.throws(() => readInput("  "), /Paste/);
  assert.throws(() => readInput("{\"model\": \"gpt-4o\"}"), /There is no conversation: give `messages`, `input` or `contents`/);
  const one = { messages: [{ role: "user", content: "Hi" }] };
  const pasted = readInput(JSON.stringify({ ...one, temperature: 0, stream: true }));
  assert.deepEqual(pasted, { body: one, about: "A request of 1 message, without temperature, stream: a compile does not take them" });
  assert.equal(readInput(JSON.stringify(one)).about, "A request of 1 message");
  assert.equal(readInput(JSON.stringify(one.messages)).about, "A list of 1 message");
  assert.equal(readInput("09:00 INFO").about, "A text of 1 line, as the result of a tool");
  assert.equal(readInput(line("user", "Hi")).about, "A session of 1 line");
});

test("the prefix of two payloads ends at the first byte that differs", () => {
  const tool = (name) => ({ name, input_schema: {} });
  const before = { messages: [{ role: "user", content: "grüße an Ann" }], system: "S", tools: [tool("a")] };
  const kept = splitOf(before, { ...before, messages: [...before.messages, { role: "assistant", content: "A" }] });
  assert.deepEqual([kept.change, kept.equal, kept.blocks.map((block) => block.pointer)], [null, 3, ["/tools/0", "/system", "/messages/0", "/messages/1"]]);
  const edited = splitOf(before, { ...before, messages: [{ role: "user", content: "grüße an Bob" }] });
  assert.equal(edited.change.pointer, "/messages/0");
  // Bytes, not characters: two of them are two bytes long.
  assert.equal(edited.change.offset, Buffer.byteLength("{\"role\":\"user\",\"content\":\"grüße an "));
  assert.deepEqual([edited.change.before.rest, edited.change.after.rest], ["Ann\"}", "Bob\"}"]);
  assert.equal(splitOf(before, { ...before, tools: [tool("b")] }).change.pointer, "/tools/0");
  assert.equal(splitOf(before, { system: "S", messages: before.messages }).change.pointer, "/system");
  assert.equal(splitOf(before, { tools: before.tools, system: "S", messages: [] }).change.after, null);
  for (const nothing of [null, 7, "text", [], {}]) assert.equal(splitOf(nothing, nothing).change, null);
});

test("every event has words", () => {
  const source = readFileSync(new URL("../../src/domain/event.rs", import.meta.url), "utf8");
  const types = [...source.matchAll(/\("([a-z]+(?::[a-z]+)?)", Self::/g)].map(([, name]) => name);
  assert.ok(types.includes("compile:done") && types.length > 15);
  for (const type of types) {
    const words = eventWords({ type, data: {} });
    assert.match(words, /^[A-Z]/, type);
    assert.ok(!words.includes("undefined") && !words.includes("NaN"), words);
  }
  assert.equal(eventWords({ type: "compile:done", data: { tokens_before: 1000, tokens_after: 250, fits: true, duration_ms: 12, first_change: { why: "tail_moved" } } }),
    "Compiled 1,000 → 250 tokens, 75\u00a0% left out, in 12 ms; the cache broke: tail moved");
  assert.deepEqual(["hook:failed", "compile:done", "memory:changed"].map((type) => eventTone({ type, data: { fits: true } })), ["bad", "good", "quiet"]);
});

test("a pointer leads to its line", () => {
  const document = { a: { b: [1, { "c/d": 2 }] }, e: 3 };
  const lines = JSON.stringify(document, null, 2).split("\n");
  for (const [pointer, text] of [["", "{"], ["/a/b/1/c~1d", "\"c/d\": 2"], ["/e", "\"e\": 3"], ["/a/b/0", "1,"]]) assert.equal(lines[lineOf(document, pointer)].trim(), text, pointer);
  assert.ok(lineOf(document, "/a/missing") >= 1);
});
