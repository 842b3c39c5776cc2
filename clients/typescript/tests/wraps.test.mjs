/** `wrap`: the cases of wraps.json on the wire, then the providers' own libraries against a small provider. */

import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { compilingFetch } from "../dist/compiling.js";
import { Contexture, wrap } from "../dist/index.js";
import { COMPILE_KEYS } from "../dist/operations.js";
import { ANTHROPIC_MESSAGES, GEMINI_CONTENT, OPENAI_CHAT, OPENAI_RESPONSES } from "../dist/wires.js";
import { cases, check } from "./cases.mjs";
import { served, withServers } from "./fake-server.mjs";

const WIRES = { openai: [OPENAI_CHAT, OPENAI_RESPONSES], anthropic: [ANTHROPIC_MESSAGES], gemini: [GEMINI_CONTENT] };
const JSON_HEADERS = { "content-type": "application/json" };
const client = (server) => new Contexture({ url: server.url, maxRetries: 0 });
const quiet = () => undefined;

function exchanges(row) {
  const asked = [];
  if (row.compile) asked.push({ request: { method: "POST", path: "/compile", body: row.compile.request }, response: row.compile.response });
  if (row.usage) {
    const { session, body } = row.usage;
    asked.push(served(`/sessions/${session}/usage`, { id: session, warnings: [] }, { body }));
  }
  const sent = [];
  if (row.sent !== null) {
    const request = { method: "POST", path: row.path, body: row.sent, headers: { "contexture-session": null } };
    sent.push({ request, response: row.response ?? { status: 200, headers: JSON_HEADERS, body: { id: "a" } } });
  }
  return [asked, sent];
}

for (const row of cases("wraps")) {
  test(`wraps: ${row.name}`, async () => {
    const [asked, sent] = exchanges(row);
    await withServers([[asked], [sent]], async (contexture, provider) => {
      const { keys, session, fail_open: failOpen } = row.options ?? {};
      const options = { contexture: client(contexture), session, ...(failOpen === undefined ? {} : { failOpen }), onWarning: quiet, ...keys };
      const fetch = compilingFetch(WIRES[row.provider], options, globalThis.fetch);
      const response = await fetch(provider.url + row.path, {
        method: "POST", headers: { ...JSON_HEADERS, ...row.headers }, body: JSON.stringify(row.request),
      });
      const text = await response.text();
      await contexture.finish(asked.length);
      await provider.finish(sent.length);
      assert.equal(response.status, row.expect.status);
      if ("body" in row.expect) check(row.expect.body, JSON.parse(text), "response");
      if ("text" in row.expect) assert.equal(text, row.expect.text);
      if (row.sent === null) assert.equal(response.headers.get("x-should-retry"), "false");
    });
  });
}

const MESSAGES = [{ role: "user", content: "a" }];
const CHAT = {
  id: "a", object: "chat.completion", created: 0, model: "gpt-4o",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hi" } }],
  usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 },
};
const compiled = (payload) => served("/compile", { id: "cmp_1", payload, report: { summary: "…", requires: null } });
const usage = served("/sessions/s/usage", { id: "s", warnings: [] });

test("headers that a payload requires are added to those of the request", async () => {
  const answer = {
    id: "cmp_1", payload: { messages: MESSAGES },
    report: { requires: { headers: { "anthropic-beta": "context-management-2025-06-27" } } },
  };
  const sent = served("/v1/messages", { id: "a" }, { headers: { "anthropic-beta": "a, context-management-2025-06-27" } });
  await withServers([[[served("/compile", answer)]], [[sent]]], async (contexture, provider) => {
    const fetch = compilingFetch([ANTHROPIC_MESSAGES], { contexture: client(contexture) }, globalThis.fetch);
    await fetch(`${provider.url}/v1/messages`, {
      method: "POST", headers: { ...JSON_HEADERS, "anthropic-beta": "a" },
      body: JSON.stringify({ model: "claude", max_tokens: 9, messages: MESSAGES }),
    });
    await provider.finish(1);
  });
});

test("after a failure to connect, calls go straight to the provider", async () => {
  const cut = { request: { method: "POST", path: "/compile" }, response: { cut: true } };
  const sent = served("/v1/chat/completions", { id: "a" });
  await withServers([[[cut]], [[sent, sent, sent]]], async (contexture, provider) => {
    const fetch = compilingFetch([OPENAI_CHAT], { contexture: client(contexture), onWarning: quiet }, globalThis.fetch);
    for (let at = 0; at < 3; at += 1) {
      const body = JSON.stringify({ model: "gpt-4o", messages: MESSAGES });
      const response = await fetch(`${provider.url}/v1/chat/completions`, { method: "POST", body });
      assert.equal(response.status, 200);
      await response.text();
    }
    await contexture.finish(1);
    await provider.finish(3);
  });
});

for (const [given, status] of [[{ failOpen: false }, 503], [{ pack: "p@1" }, 422]]) {
  test(`what must be compiled never goes out without: ${Object.keys(given)}`, async () => {
    const cut = { request: { method: "POST", path: "/compile" }, response: { cut: true } };
    await withServers([[[cut, cut, cut]], [[]]], async (contexture, provider) => {
      const fetch = compilingFetch([OPENAI_CHAT], { contexture: client(contexture), ...given }, globalThis.fetch);
      for (let at = 0; at < 3; at += 1) {
        const body = JSON.stringify({ model: "gpt-4o", messages: MESSAGES });
        assert.equal((await fetch(`${provider.url}/v1/chat/completions`, { method: "POST", body })).status, status);
      }
      await contexture.finish(3);
      await provider.finish(0);
    });
  });
}

test("a function that is shown answers may throw", async () => {
  const sent = served("/v1/chat/completions", { id: "a" });
  await withServers([[[compiled({ messages: MESSAGES })]], [[sent]]], async (contexture, provider) => {
    const warnings = [];
    const onCompiled = () => { throw new Error("of the caller"); };
    const options = { contexture: client(contexture), onCompiled, onWarning: (message) => warnings.push(message) };
    const fetch = compilingFetch([OPENAI_CHAT], options, globalThis.fetch);
    const body = JSON.stringify({ model: "gpt-4o", messages: MESSAGES });
    assert.equal((await fetch(`${provider.url}/v1/chat/completions`, { method: "POST", body })).status, 200);
    assert.deepEqual(warnings, ["`onCompiled` failed: Error: of the caller"]);
    await provider.finish(1);
  });
});

test("the library of OpenAI: completions, raw responses, usage", async () => {
  const payload = { messages: [{ role: "user", content: "shorter" }] };
  const sent = served("/v1/chat/completions", CHAT, { body: { model: "gpt-4o", ...payload } });
  const lists = [[[compiled(payload), usage, compiled(payload), usage]], [[sent, sent]]];
  await withServers(lists, async (contexture, provider) => {
    const seen = [];
    const plain = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "x", maxRetries: 0 });
    const openai = wrap(plain, { contexture: client(contexture), session: "s", onCompiled: (row) => seen.push(row.id) });
    assert.notEqual(openai, plain, "the given client is unchanged");
    const answer = await openai.chat.completions.create({ model: "gpt-4o", messages: MESSAGES });
    assert.equal(answer.choices[0].message.content, "Hi");
    const raw = await openai.chat.completions
      .create({ model: "gpt-4o", messages: MESSAGES }, { headers: { "Contexture-Session": "s" } })
      .withResponse();
    assert.equal(raw.data.usage.prompt_tokens, 9);
    assert.equal(raw.response.url, `${provider.url}/v1/chat/completions`);
    await provider.finish(2);
    await contexture.finish(4);
    assert.deepEqual(seen, ["cmp_1", "cmp_1"]);
  });
});

test("the library of OpenAI: responses", async () => {
  const payload = { input: [{ role: "user", content: "shorter" }] };
  const answer = { id: "r", object: "response", output: [], usage: { input_tokens: 3, output_tokens: 1 } };
  const sent = served("/v1/responses", answer, { body: { model: "gpt-5", ...payload } });
  await withServers([[[compiled(payload)]], [[sent]]], async (contexture, provider) => {
    const openai = wrap(new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "x" }), { contexture: client(contexture) });
    assert.equal((await openai.responses.create({ model: "gpt-5", input: "a" })).id, "r");
    await provider.finish(1);
  });
});

test("a stream of OpenAI arrives piece by piece", async () => {
  const words = ["one", "two", "three"];
  const piece = (word) => `data: ${JSON.stringify({ id: "a", object: "chat.completion.chunk", created: 0, model: "m",
    choices: [{ index: 0, delta: { content: word } }] })}\n\n`;
  const counted = `data: ${JSON.stringify({ id: "a", choices: [], usage: { prompt_tokens: 1 } })}\n\n`;
  const stream = {
    request: { method: "POST", path: "/v1/chat/completions" },
    response: { status: 200, headers: { "content-type": "text/event-stream" },
      chunks: [...words.map(piece), counted, "data: [DONE]\n\n"], then: "end" },
  };
  await withServers([[[compiled({ messages: MESSAGES }), usage]], [[stream]]], async (contexture, provider) => {
    const promises = [];
    const openai = wrap(new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "x" }), {
      contexture: client(contexture), session: () => "s", waitUntil: (promise) => promises.push(promise),
    });
    const found = [];
    for await (const chunk of await openai.chat.completions.create({ model: "m", messages: MESSAGES, stream: true })) {
      if (chunk.choices[0]) found.push(chunk.choices[0].delta.content);
    }
    assert.deepEqual(found, words);
    await contexture.finish(2);
    await Promise.all(promises);
    assert.equal(promises.length, 1);
  });
});

test("a reader that leaves a stream ends it at the provider, and what was counted is reported", async () => {
  const stream = {
    request: { method: "POST", path: "/v1/chat/completions" },
    response: { status: 200, headers: { "content-type": "text/event-stream" },
      chunks: ['data: {"id":"a","choices":[],"usage":{"prompt_tokens":5}}\n\n'], then: "stay" },
  };
  await withServers([[[compiled({ messages: MESSAGES }), usage]], [[stream]]], async (contexture, provider) => {
    provider.stream = async (response, answer) => {
      response.write(answer.chunks[0]);
      provider.closed = new Promise((resolve) => response.on("close", resolve));
    };
    const openai = wrap(new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "x" }), {
      contexture: client(contexture), session: "s",
    });
    for await (const chunk of await openai.chat.completions.create({ model: "m", messages: MESSAGES, stream: true })) {
      assert.equal(chunk.usage.prompt_tokens, 5);
      break;
    }
    await provider.closed;
    await contexture.finish(2);
  });
});

test("another attempt of the library is not compiled again", async () => {
  const payload = { messages: [{ role: "user", content: "shorter" }] };
  const body = { model: "gpt-4o", ...payload };
  const busy = served("/v1/chat/completions", { error: { message: "busy" } }, { body });
  busy.response = { ...busy.response, status: 503, headers: { ...JSON_HEADERS, "retry-after-ms": "1" } };
  const sent = [busy, served("/v1/chat/completions", CHAT, { body })];
  await withServers([[[compiled(payload)]], [sent]], async (contexture, provider) => {
    const openai = wrap(new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "x" }), { contexture: client(contexture) });
    assert.equal((await openai.chat.completions.create({ model: "gpt-4o", messages: MESSAGES })).id, "a");
    await contexture.finish(1);
    await provider.finish(2);
  });
});

test("what a hook denies is the library's own error, at once", async () => {
  const problem = { type: "/problems/hook-denied", title: "…", status: 403, detail: "the hook `scan` denied",
    code: "hook_denied", request_id: "req_1" };
  await withServers([[[served("/compile", problem, { status: 403 })]], [[]]], async (contexture, provider) => {
    const openai = wrap(new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "x" }), { contexture: client(contexture) });
    const create = openai.chat.completions.create({ model: "gpt-4o", messages: MESSAGES });
    await assert.rejects(create, (error) => error instanceof OpenAI.PermissionDeniedError && /scan/.test(error.message));
    await provider.finish(0);
  });
});

test("a call that its caller ends is neither compiled on nor sent", async () => {
  const silent = { request: { method: "POST", path: "/compile" }, response: { silence: true } };
  await withServers([[[silent]], [[]]], async (contexture, provider) => {
    const openai = wrap(new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "x" }), { contexture: client(contexture) });
    const controller = new AbortController();
    const create = openai.chat.completions.create(
      { model: "gpt-4o", messages: MESSAGES }, { signal: controller.signal },
    );
    const rejected = assert.rejects(create, OpenAI.APIUserAbortError);
    await contexture.finish(1);
    controller.abort();
    await rejected;
    await provider.finish(0);
  });
});

test("the library of Anthropic", async () => {
  const payload = { messages: [{ role: "user", content: [{ type: "text", text: "shorter" }] }] };
  const message = { id: "m", type: "message", role: "assistant", model: "claude", stop_reason: "end_turn",
    stop_sequence: null, content: [{ type: "text", text: "Hi" }], usage: { input_tokens: 5, output_tokens: 1 } };
  const sent = served("/v1/messages", message, { body: { model: "claude", max_tokens: 9, ...payload } });
  await withServers([[[compiled(payload), usage]], [[sent]]], async (contexture, provider) => {
    const anthropic = wrap(new Anthropic({ baseURL: provider.url, apiKey: "x" }), {
      contexture: client(contexture), session: "s",
    });
    const answer = await anthropic.messages.create({ model: "claude", max_tokens: 9, messages: MESSAGES });
    assert.equal(answer.content[0].text, "Hi");
    await contexture.finish(2);
    await provider.finish(1);
  });
});

test("the library of Google, with and without a stream", async () => {
  const payload = { contents: [{ role: "user", parts: [{ text: "shorter" }] }] };
  const answer = { candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }] };
  const path = "/v1beta/models/gemini-2.5-flash";
  const stream = {
    request: { method: "POST", path: `${path}:streamGenerateContent`, body: payload },
    response: { status: 200, headers: { "content-type": "text/event-stream" },
      chunks: [`data: ${JSON.stringify(answer)}\r\n\r\n`], then: "end" },
  };
  const sent = [served(`${path}:generateContent`, answer, { body: payload }), stream];
  await withServers([[[compiled(payload), compiled(payload)]], [sent]], async (contexture, provider) => {
    const google = wrap(new GoogleGenAI({ apiKey: "x", httpOptions: { baseUrl: provider.url, apiVersion: "v1beta" } }), {
      contexture: client(contexture),
    });
    const asked = { model: "gemini-2.5-flash", contents: "a" };
    assert.equal((await google.models.generateContent(asked)).text, "Hi");
    let text = "";
    for await (const chunk of await google.models.generateContentStream(asked)) text += chunk.text;
    assert.equal(text, "Hi");
    await provider.finish(2);
    await contexture.finish(2);
  });
});

test("only clients of providers are wrapped", () => {
  assert.throws(() => wrap({}), /no client of OpenAI/);
});

test("what comes from each request is no option", () => {
  assert.throws(() => wrap(new OpenAI({ apiKey: "x" }), { messages: [] }), /"messages" comes from each request/);
});

test("an option that is not known is refused at once", () => {
  const clients = [new OpenAI({ apiKey: "x" }), new Anthropic({ apiKey: "x" }), new GoogleGenAI({ apiKey: "x" })];
  for (const one of clients) {
    const message = /unknown option "sesion"; known options: .*, session, session_id, /;
    assert.throws(() => wrap(one, { sesion: "chat-17" }), message);
    assert.throws(() => wrap(one, { fail_open: false }), /unknown option "fail_open"; .*, failOpen, /);
  }
});

test("every key of a compile is an option, unless it comes from each request", () => {
  const fixed = COMPILE_KEYS.filter((name) => {
    try {
      compilingFetch([OPENAI_CHAT], { [name]: null }, globalThis.fetch);
      return false;
    } catch (error) {
      assert.equal(error.message, `"${name}" comes from each request`);
      return true;
    }
  });
  assert.deepEqual(fixed.sort(), [
    "contents", "input", "instructions", "messages", "model", "source", "system", "systemInstruction",
    "system_instruction", "target", "tools",
  ]);
});
