/** Modules for frameworks, against the frameworks themselves. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { compileMiddleware } from "../dist/ai-sdk.js";
import { Contexture } from "../dist/index.js";
import { contexturePlugin } from "../dist/opencode.js";
import { served, withServers } from "./fake-server.mjs";

const client = (server) => new Contexture({ url: server.url, maxRetries: 0 });
const text = (value) => ({ type: "text", text: value });
const usage = { inputTokens: { total: 9, noCache: 5, cacheRead: 4 }, outputTokens: { total: 2, text: 2 } };

/** An exchange of a compile whose payload is made of its request's own messages. */
function compile(messages, body) {
  const request = { method: "POST", path: "/compile", ...(body ? { body } : {}) };
  return { ...served("/compile", { id: "cmp_1", payload: { messages }, report: {} }), request };
}

/** A model that gives these answers, and keeps the prompts that it gets. */
function model(answers, prompts) {
  const next = () => answers.shift();
  return {
    specificationVersion: "v4", provider: "test", modelId: "gpt-4o", supportedUrls: {},
    async doGenerate({ prompt }) {
      prompts.push(prompt);
      const content = next();
      const finish = content.some((part) => part.type === "tool-call") ? "tool-calls" : "stop";
      return { content, finishReason: { unified: finish, raw: finish }, usage, warnings: [] };
    },
    async doStream({ prompt }) {
      prompts.push(prompt);
      const parts = [
        { type: "stream-start", warnings: [] }, { type: "text-start", id: "1" },
        ...next().map(({ text: delta }) => ({ type: "text-delta", id: "1", delta })),
        { type: "text-end", id: "1" },
        { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
      ];
      return { stream: new ReadableStream({ start(c) { parts.forEach((part) => c.enqueue(part)); c.close(); } }) };
    },
  };
}

const USAGE = served("/sessions/s/usage", { id: "s", warnings: [] }, {
  body: { usage: { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } } },
});

test("AI SDK: a loop with tools is compiled at each step, and its results stay the SDK's own", async () => {
  const call = { type: "tool_call", id: "c1", name: "read", arguments: '{"name":"log"}' };
  const sent = (id, role, parts) => ({ id, role, parts });
  const first = [sent("at_0", "system", [text("Be short.")]), sent("at_1", "user", [text("Why?")])];
  const result = { type: "tool_result", call_id: "c1", content: '{"rows":1000}' };
  const second = [...first, sent("at_2", "assistant", [call]), sent("at_3", "tool", [result])];
  const tools = [{ type: "function", function: { name: "read", description: "Reads.",
    parameters: { type: "object", properties: { name: { type: "string" } } } } }];
  const keys = { model: "gpt-4o", tools, memory: true, session_id: "s", source: "neutral", target: "neutral" };
  const shorter = [first[0], { role: "user", parts: [text("Earlier: …")] },
    { ...second[2] }, { ...second[3], parts: [{ ...result, name: "read", content: "1000 rows" }] }];
  const asked = [
    compile(first, { ...keys, messages: first }), USAGE, compile(shorter, { ...keys, messages: second }), USAGE,
  ];
  await withServers([[asked]], async (server) => {
    const prompts = [];
    const answers = [
      [{ type: "reasoning", text: "hm" }, { type: "tool-call", toolCallId: "c1", toolName: "read", input: '{"name":"log"}' }],
      [text("Row 7.")],
    ];
    const seen = [];
    const middleware = compileMiddleware({
      contexture: client(server), session: "s", memory: true, onCompiled: ({ id }) => seen.push(id),
    });
    const answer = await generateText({
      model: wrapLanguageModel({ model: model(answers, prompts), middleware }), system: "Be short.", prompt: "Why?",
      stopWhen: stepCountIs(3),
      tools: { read: tool({ description: "Reads.", execute: async () => ({ rows: 1000 }),
        inputSchema: jsonSchema({ type: "object", properties: { name: { type: "string" } } }) }) },
    });
    assert.equal(answer.text, "Row 7.");
    // Usage of a step is reported before the next one is compiled: the exchanges have this order.
    await server.finish(4);
    assert.deepEqual(seen, ["cmp_1", "cmp_1"]);
    const [system, summary, assistant, results] = prompts[1];
    assert.equal(system.content, "Be short.");
    assert.deepEqual(summary, { role: "user", content: [text("Earlier: …")] });
    assert.deepEqual(assistant.content.map((part) => part.type), ["reasoning", "tool-call"], "what was not shown stays");
    assert.deepEqual(results.content[0].output, { type: "text", value: "1000 rows" });
    assert.equal(results.content[0].toolName, "read");
  });
});

test("AI SDK: results of one message that come one by one are one message again", async () => {
  const parts = ["a", "b"].map((id) => ({ type: "tool_result", call_id: id, content: id }));
  const calls = ["a", "b"].map((id) => ({ type: "tool_call", id, name: "f", arguments: "{}" }));
  const messages = [
    { id: "at_0", role: "user", parts: [text("q")] }, { id: "at_1", role: "assistant", parts: calls },
    { id: "at_2", role: "tool", parts: [{ ...parts[0], name: "f" }] },
    { id: "at_2", role: "tool", parts: [{ ...parts[1], name: "f" }] },
  ];
  await withServers([[[compile(messages)]]], async (server) => {
    const prompt = [
      { role: "user", content: [text("q")] },
      { role: "assistant", content: calls.map(({ id }) => ({ type: "tool-call", toolCallId: id, toolName: "f", input: {} })) },
      { role: "tool", content: ["a", "b"].map((id) => ({ type: "tool-result", toolCallId: id, toolName: "f",
        output: { type: "text", value: id } })) },
    ];
    const { transformParams } = compileMiddleware({ contexture: client(server) });
    const params = await transformParams({ type: "generate", params: { prompt }, model: { modelId: "m" } });
    assert.equal(params.prompt.length, 3);
    params.prompt.forEach((message, at) => assert.equal(message, prompt[at], "the very object"));
  });
});

test("AI SDK: parts that are not shown stay in their places", async () => {
  const shown = [text("a"), text("b"), text("c")];
  const back = [text("a"), text("B")];
  await withServers([[[compile([{ id: "at_0", role: "assistant", parts: back }], { model: "m", source: "neutral",
    target: "neutral", messages: [{ id: "at_0", role: "assistant", parts: shown }] })]]], async (server) => {
    const run = { type: "tool-call", toolCallId: "s", toolName: "search", input: {}, providerExecuted: true };
    const reasoning = (value) => ({ type: "reasoning", text: value });
    const content = [reasoning("1"), text("a"), run, text("b"), reasoning("2"), text("c"), reasoning("3")];
    const { transformParams } = compileMiddleware({ contexture: client(server) });
    const { prompt } = await transformParams({
      type: "generate", params: { prompt: [{ role: "assistant", content }] }, model: { modelId: "m" },
    });
    const expected = [reasoning("1"), text("a"), run, text("B"), reasoning("2"), reasoning("3")];
    assert.deepEqual(prompt, [{ role: "assistant", content: expected }]);
    await server.finish(1);
  });
});

test("AI SDK: an approval is not shown, and stays after its call", async () => {
  const call = { type: "tool_call", id: "c", name: "f", arguments: "{}" };
  const result = { type: "tool_result", call_id: "c", content: "r" };
  const sent = [
    { id: "at_0", role: "user", parts: [text("q")] }, { id: "at_1", role: "assistant", parts: [call] },
    { id: "at_2", role: "tool", parts: [result] },
  ];
  await withServers([[[compile(sent, { model: "m", source: "neutral", target: "neutral", messages: sent })]]], async (server) => {
    const prompt = [
      { role: "user", content: [text("q")] },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {} }] },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a", approved: true }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "f", output: { type: "text", value: "r" } }] },
    ];
    const { transformParams } = compileMiddleware({ contexture: client(server) });
    const params = await transformParams({ type: "generate", params: { prompt }, model: { modelId: "m" } });
    assert.deepEqual(params.prompt, prompt);
    await server.finish(1);
  });
});

test("AI SDK: a stream is passed on and its usage reported", async () => {
  const messages = [{ id: "at_0", role: "user", parts: [text("shorter")] }];
  await withServers([[[compile(messages), USAGE]]], async (server) => {
    const prompts = [];
    const { textStream } = streamText({
      prompt: "a long question",
      model: wrapLanguageModel({
        model: model([[text("one "), text("two")]], prompts),
        middleware: compileMiddleware({ contexture: client(server), session: "s" }),
      }),
    });
    const pieces = [];
    for await (const piece of textStream) pieces.push(piece);
    assert.deepEqual(pieces, ["one ", "two"]);
    assert.deepEqual(prompts[0][0].content[0].text, "shorter");
    await server.finish(2);
  });
});

test("AI SDK: the largest answer is the reserve of a given budget, unless it has one", async () => {
  const messages = [{ id: "at_0", role: "user", parts: [text("q")] }];
  const prompt = [{ role: "user", content: [text("q")] }];
  const rows = [
    [{ context_window: 32768 }, 300, { context_window: 32768, reserve_output: 300 }],
    [{ context_window: 32768, reserve_output: 1000 }, 300, { context_window: 32768, reserve_output: 1000 }],
    [{ context_window: 32768 }, undefined, { context_window: 32768 }],
    [undefined, 300, { reserve_output: 300 }],
  ];
  for (const [budget, maxOutputTokens, sent] of rows) {
    const body = { model: "m", source: "neutral", target: "neutral", messages, budget: sent };
    await withServers([[[compile(messages, body)]]], async (server) => {
      const { transformParams } = compileMiddleware({ contexture: client(server), ...(budget ? { budget } : {}) });
      await transformParams({ type: "generate", params: { prompt, maxOutputTokens }, model: { modelId: "m" } });
      await server.finish(1);
    });
  }
});

test("AI SDK: falls open, but not for what a hook denies", async () => {
  const problem = (code) => ({ type: "x", title: "…", status: 403, detail: "no", code, request_id: "r" });
  const asked = [served("/compile", problem("internal"), { status: 500 }), served("/compile", problem("hook_denied"), { status: 403 })];
  await withServers([[asked]], async (server) => {
    const prompts = [];
    const wrapped = wrapLanguageModel({
      model: model([[text("hi")], [text("hi")]], prompts),
      middleware: compileMiddleware({ contexture: client(server), onWarning: () => undefined }),
    });
    assert.equal((await generateText({ model: wrapped, prompt: "q" })).text, "hi");
    await assert.rejects(generateText({ model: wrapped, prompt: "q", maxRetries: 0 }), /hook_denied/);
    assert.equal(prompts.length, 1);
  });
});

test("AI SDK: what the pack of a session refuses does not go out, and after a failure to connect the server is not asked", async () => {
  const problem = { type: "x", title: "…", status: 422, detail: "…", code: "evidence_required", request_id: "r", stage: "evidence" };
  const cut = { request: { method: "POST", path: "/compile" }, response: { cut: true } };
  const prompt = [{ role: "user", content: [text("q")] }];
  const transform = ({ transformParams }) => transformParams({ type: "generate", params: { prompt }, model: { modelId: "m" } });
  await withServers([[[served("/compile", problem, { status: 422 }), cut, cut]]], async (server) => {
    const options = { contexture: client(server), onWarning: () => undefined };
    const open = compileMiddleware(options);
    await assert.rejects(transform(open), /evidence_required/);
    for (let at = 0; at < 3; at += 1) assert.equal((await transform(open)).prompt[0], prompt[0]);
    await server.finish(2);
    await assert.rejects(transform(compileMiddleware({ ...options, failOpen: false })), /connection_failed/);
    await server.finish(3);
  });
});

const ids = { sessionID: "ses_1" };
const user = (id, parts) => ({
  info: { id, ...ids, role: "user", time: { created: 1 }, agent: "build", model: { providerID: "p", modelID: "gpt-4o" } },
  parts: parts.map((part, at) => ({ id: `prt_${id}_${at}`, messageID: id, ...ids, ...part })),
});
const assistant = (id, parts) => ({ ...user(id, parts), info: { id, ...ids, role: "assistant", modelID: "gpt-4o" } });
const done = (callID, output) => ({
  type: "tool", callID, tool: "bash", state: { status: "completed", input: { command: "ls" }, output, title: "", metadata: {},
    time: { start: 1, end: 2 } },
});

test("OpenCode: calls keep their results, results may change, and what OpenCode holds stays whole", async () => {
  const call = { type: "tool_call", id: "c1", name: "bash", arguments: '{"command":"ls"}' };
  const sent = [
    { id: "at_0", role: "system", parts: [text("You code.")] },
    { id: "at_1", role: "user", parts: [text("old")] },
    { id: "at_2", role: "assistant", parts: [text("Look."), call] },
    { id: "at_3", role: "tool", parts: [{ type: "tool_result", call_id: "c1", content: "a\nb\nc" }] },
    { id: "at_4", role: "user", parts: [text("new")] },
  ];
  const answer = [sent[0], { role: "user", parts: [text("Earlier: old")] }, sent[2],
    { ...sent[3], parts: [{ ...sent[3].parts[0], name: "bash", content: "3 files" }] }, sent[4]];
  const body = { model: "gpt-4o", session_id: "ses_1", source: "neutral", target: "neutral", messages: sent };
  const report = served("/sessions/ses_1/usage", { id: "ses_1", warnings: [] }, {
    body: { usage: { prompt_tokens: 12, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } } },
  });
  await withServers([[[compile(answer, body), report]]], async (server) => {
    const plugin = await contexturePlugin({ contexture: client(server), sessions: true })({});
    await plugin["experimental.chat.system.transform"]({ sessionID: "ses_1" }, { system: ["You code."] });
    const held = [
      user("m1", [text("old")]),
      assistant("m2", [{ type: "step-start" }, { type: "reasoning", text: "hm" }, text("Look."), done("c1", "a\nb\nc")]),
      user("m3", [text("new")]),
    ];
    const copy = structuredClone(held);
    const messages = [...held];
    const list = messages;
    await plugin["experimental.chat.messages.transform"]({}, { messages });
    assert.equal(messages, list, "the very list that OpenCode goes on with");
    assert.deepEqual(held, copy, "what OpenCode holds is unchanged");
    assert.deepEqual(messages.map(({ info }) => info.role), ["user", "assistant", "user"]);
    assert.equal(messages[0].parts[0].text, "Earlier: old");
    assert.deepEqual(messages[1].parts.map(({ type }) => type), ["step-start", "reasoning", "text", "tool"]);
    assert.equal(messages[1].parts[3].state.output, "3 files");
    assert.equal(messages[2], held[2]);
    const tokens = { input: 8, output: 3, reasoning: 0, cache: { read: 4, write: 0 } };
    const info = { ...held[1].info, tokens, time: { created: 1, completed: 2 } };
    const event = { type: "message.updated", properties: { info } };
    await plugin.event({ event });
    await plugin.event({ event });
    await plugin.dispose();
    assert.equal(server.played, 2, "a report is sent before OpenCode ends");
    await server.finish(2);
    // A message whose event has not come is reported before the call that follows it.
    const next = { ...assistant("m4", [text("Done.")]) };
    next.info = { ...next.info, tokens, time: { created: 3, completed: 4 } };
    server.exchanges.push(report, compile([{ id: "at_1", role: "user", parts: [text("old")] }]));
    await plugin["experimental.chat.messages.transform"]({}, { messages: [held[0], next] });
    await server.finish(4);
  });
});

test("OpenCode: a call that has not ended has a result for the compile, and stays as it is", async () => {
  const running = { type: "tool", callID: "c1", tool: "bash", state: { status: "running", input: {}, time: { start: 1 } } };
  await withServers([[[]]], async (server) => {
    server.exchanges.push({ request: { method: "POST", path: "/compile" }, response: { status: 500, text: "" } });
    const plugin = await contexturePlugin({ contexture: client(server), onWarning: () => undefined })({});
    const held = [user("m1", [text("q")]), assistant("m2", [running])];
    const messages = [...held];
    await plugin["experimental.chat.messages.transform"]({}, { messages });
    assert.deepEqual(messages, held, "falls open");
    await server.finish(1);
  });
});

test("an option that is not known is refused at once", () => {
  const known = /unknown option "budgt"; known options: (.*, )?budget, /;
  assert.throws(() => compileMiddleware({ budgt: { context_window: 8_000 } }), known);
  assert.throws(() => contexturePlugin({ budgt: { context_window: 8_000 } }), known);
  assert.throws(() => compileMiddleware({ fail_open: false }), /unknown option "fail_open"; .*, failOpen, /);
  assert.throws(() => compileMiddleware({ system: "Be brief." }), /"system" comes from each request/);
  assert.throws(() => contexturePlugin({ session: "one" }), /unknown option "session"; .*, sessions/);
});
