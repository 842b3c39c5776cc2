/** The client against a real server. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import ts from "typescript";
import { Contexture, ContextureError } from "../dist/index.js";
import { deny, Hooks, jsonPatch } from "../dist/hooks.js";
import { KEY, needsProgram, serving } from "./server.mjs";

const TOOLS = [{ type: "function", function: { name: "read_log",
  parameters: { type: "object", properties: { lines: { type: "integer" } } } } }];

const callOf = (name, given, id = "c1") => ({
  role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name, arguments: given } }],
});

async function receiver(hooks, run) {
  const server = createServer(hooks.node);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await run(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** The names of the members of a type in src/hook-types.ts, by a path of members. */
function membersOf(name) {
  const url = new URL("../src/hook-types.ts", import.meta.url);
  const source = ts.createSourceFile("hook-types.ts", readFileSync(url, "utf8"), ts.ScriptTarget.Latest);
  const found = source.statements.find((row) => ts.isInterfaceDeclaration(row) && row.name.text === name);
  return Object.fromEntries(found.members.map((row) => [row.name.text, row.type]));
}
const namesOf = (type) => type.members.map((row) => row.name.text).sort();

describe("a server", needsProgram, () => {
  let client;
  let stop;
  let stopped;
  before(async () => {
    const url = await new Promise((resolve, reject) => {
      stopped = serving((address) => new Promise((end) => { stop = end; resolve(address); })).catch(reject);
    });
    client = new Contexture({ url, key: undefined });
  });
  after(async () => {
    stop?.();
    await stopped;
  });

  test("results are written with the notations of the session", async () => {
    const line = (_, at) => `2031-03-04 09:${String(at % 60).padStart(2, "0")}:00 INFO shelf-${(at * 7) % 5} stored box ${at}`;
    const log = Array.from({ length: 40 }, line).join("\n");
    for (const notations of ["plain", "none"]) {
      const session = client.session(`run-${notations}`, { target: "openai", tools: TOOLS, compression: { notations } });
      await session.turn({ role: "user", content: "Which boxes were stored?" });
      const turn = await session.run(callOf("read_log", '{"lines": 40}'), { read_log: () => log });
      assert.equal(turn.payload.messages.at(-1).content === log, notations === "none");
    }
  });

  test("a session runs the tools of a turn", async () => {
    const session = client.session("run-1", { target: "openai", tools: TOOLS });
    const first = await session.turn({ role: "user", content: "Where does the build fail?" });
    assert.equal(first.payload.tools[0].function.name, "read_log");
    const functions = { read_log: ({ lines }) => Array.from({ length: lines }, () => "row") };
    const turn = await session.run(callOf("read_log", '{"lines": 3}'), functions);
    assert.deepEqual(turn.payload.messages.at(-1), { role: "tool", tool_call_id: "c1", content: '["row","row","row"]' });
    assert.equal(await session.run({ role: "assistant", content: "In the linker." }, {}), undefined);
    const stored = await session.get();
    assert.equal(stored.messages, 4);
    assert.deepEqual(stored.defaults, { target: "openai", tools: TOOLS });
    await session.delete();
    await assert.rejects(session.get(), (error) => error instanceof ContextureError && error.code === "not_found");
  });

  test("what a tool throws and what the server denies is for the model", async () => {
    const session = client.session("run-2", { target: "openai", tools: TOOLS });
    await session.turn({ role: "user", content: "Go." });
    const functions = { read_log: () => { throw new RangeError("no such log"); } };
    const turn = await session.run(callOf("read_log", '{"lines": 3}'), functions);
    assert.match(turn.payload.messages.at(-1).content, /RangeError: no such log/);
    const denied = await session.run(callOf("read_log", '{"lines": "x"}', "c2"), functions);
    assert.match(denied.payload.messages.at(-1).content, /lines/);
    await assert.rejects(session.run(callOf("read_log", '{"lines": 1}', "c3"), {}), /no function for the tool "read_log"/);
  });

  test("a session for another target, its usage and its events", async () => {
    const session = client.session("run-3", { target: "anthropic", tools: TOOLS });
    await session.turn({ role: "user", content: "Go." });
    const use = { type: "tool_use", id: "t1", name: "read_log", input: { lines: 4 } };
    const functions = { read_log: async ({ lines }) => "x".repeat(lines) };
    const turn = await session.run({ role: "assistant", content: [use] }, functions);
    const [result] = turn.payload.messages.at(-1).content;
    assert.deepEqual([result.type, result.tool_use_id], ["tool_result", "t1"]);
    assert.match(JSON.stringify(result.content), /xxxx/);
    assert.equal((await session.usage({ input_tokens: 30, output_tokens: 2 })).id, "run-3");
    const types = [];
    for await (const event of client.events({ after: 0, types: ["compile:done"], session_id: "run-3" })) {
      types.push(event.type);
      if (types.length === 2) break;
    }
    assert.deepEqual(types, ["compile:done", "compile:done"]);
  });

  test("events from now on, until their signal", async () => {
    await client.putMemory("before", { value: 1 });
    const controller = new AbortController();
    const events = client.events({ types: ["memory:changed"], signal: controller.signal });
    const first = events.next();
    // The stream begins after the number that it asks for first; what is written from then on is in it.
    const put = setInterval(() => void client.putMemory("after", { value: 2 }), 100);
    assert.equal((await first).value.data.key, "after");
    clearInterval(put);
    controller.abort(new Error("enough"));
    await assert.rejects(async () => {
      for (;;) await events.next();
    }, /enough/);
  });

  test("lists are iterated", async () => {
    for (let at = 0; at < 5; at += 1) await client.putMemory(`iterated/${at}`, { value: at });
    const values = [];
    for await (const row of client.iterMemory({ prefix: "iterated/", limit: 2 })) values.push(row.value);
    assert.deepEqual(values, [0, 1, 2, 3, 4]);
  });

  test("a large body is compressed, and a text is a text", async () => {
    const text = "a long line of text\n".repeat(20_000);
    assert.ok((await client.countTokens({ text, model: "gpt-4o" })).tokens > 50_000);
    assert.match(await client.getProblem("hook_denied"), /hook/);
    const imported = await client.importMemory('{"key":"imported","value":1}\n');
    assert.equal(imported.imported ?? imported.created ?? 1, 1);
    assert.equal((await client.getMemory("imported")).value, 1);
  });

  test("a version that is not stored is refused", async () => {
    await client.putMemory("versioned-2", { value: 1 });
    const put = client.putMemory("versioned-2", { value: 2 }, { ifMatch: '"9"' });
    await assert.rejects(put, (error) => error.code === "precondition_failed" && error.status === 412);
  });

  test("hooks are registered, verified, and answer", async () => {
    const hooks = new Hooks({ secrets: `whsec_${btoa("0123456789012345678901234")}` });
    const seen = [];
    hooks.guard("veto", "memory_update", ({ input }) =>
      String(input.value).includes("password") ? deny("Not that.", "pii") : null);
    hooks.provide("note", "before_compile", (call, { id }) => {
      seen.push({ call, id });
      return call.input.dynamic_state ? "Only on Fridays." : null;
    });
    hooks.transform("last", "transform_context", ({ input }) =>
      jsonPatch([{ op: "add", path: `/messages/${input.messages.length - 1}/parts/-`,
        value: { type: "text", text: "In one sentence." } }]));
    hooks.observe("seen", "after_compress", (call) => void seen.push({ call }));
    await receiver(hooks, async (url) => {
      const names = (await hooks.register(client, url)).map((hook) => hook.id);
      assert.deepEqual(names, ["veto", "note", "last", "seen"]);
      const revisions = () => Promise.all(names.map(async (name) => (await client.getHook(name)).revision));
      const known = await revisions();
      await hooks.register(client, url);
      assert.deepEqual(await revisions(), known, "hooks that are there as they are stay so");
      try {
        const answer = await client.compile({
          model: "gpt-4o", dynamic_state: { day: 5 }, messages: [{ role: "user", content: "When?" }],
        });
        const text = JSON.stringify(answer.payload);
        assert.match(text, /Only on Fridays\./);
        assert.match(text, /In one sentence\./);
        assert.equal(seen[0].call.scope.compilation_id, answer.id);
        assert.ok(seen[0].id.length > 5, "the id of the message");
        const message = callOf("create_memory", '{"key": "k", "value": "a password"}');
        const judged = await client.handleCalls({ calls: message.tool_calls });
        assert.equal(judged.results[0].decision, "deny");
        assert.ok((await client.testHook("seen", {})).response);
        const call = seen.at(-1).call;
        const types = membersOf("CallAt");
        assert.deepEqual(Object.keys(call).sort(), Object.keys(types).sort());
        assert.deepEqual(Object.keys(call.scope).sort(), namesOf(types.scope));
        assert.deepEqual(Object.keys(call.delivery).sort(), namesOf(types.delivery));
      } finally {
        for (const name of names) await client.deleteHook(name);
      }
    });
  });

  test("the types of calls are those of the server", async () => {
    const { items } = await client.listHookPoints();
    const inputs = membersOf("HookInputs");
    assert.deepEqual(items.map(({ point }) => point).sort(), Object.keys(inputs).sort());
    for (const { point, input } of items) assert.deepEqual(Object.keys(input).sort(), namesOf(inputs[point]), point);
    const changes = items.filter(({ kinds }) => kinds.some(({ kind }) => kind === "transform"));
    assert.deepEqual(changes.map(({ point }) => point).sort(), Object.keys(membersOf("Replacements")).sort());
  });
});

test("keys", needsProgram, () =>
  serving(async (url) => {
    const stranger = new Contexture({ url });
    await assert.rejects(stranger.listKeys(), (error) => error.code === "unauthenticated" && error.status === 401);
    process.env.CONTEXTURE_KEY = KEY;
    process.env.CONTEXTURE_URL = url;
    const owner = new Contexture();
    delete process.env.CONTEXTURE_KEY;
    delete process.env.CONTEXTURE_URL;
    const { key } = await owner.createKey({ scopes: ["compile"], name: "an agent" });
    const names = [];
    for await (const row of owner.iterKeys()) names.push(row.name);
    assert.deepEqual(names, ["an agent"]);
    const agent = owner.withOptions({ key });
    assert.equal((await agent.countTokens({ text: "hello", model: "gpt-4o" })).tokens, 1);
    await assert.rejects(agent.events({ after: 0 }).next(), (error) => error.code === "forbidden" && error.status === 403);
  }, { CONTEXTURE_BOOTSTRAP_KEY: KEY }));
