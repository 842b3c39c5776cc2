/** What the conformance cases do not say of this client. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { inspect } from "node:util";
import { Contexture } from "../dist/index.js";
import { Hooks } from "../dist/hooks.js";
import { FakeServer, served, withServers } from "./fake-server.mjs";

const JSON_HEADERS = { "content-type": "application/json" };

test("a client that is logged shows no key, and no hooks show their secrets", () => {
  const logged = inspect(new Contexture({ key: "cx_secret" }), { depth: 9, showHidden: true });
  assert.ok(!logged.includes("cx_secret"), logged);
  const receiver = inspect(new Hooks({ secrets: "whsec_secret" }), { depth: 9, showHidden: true });
  assert.ok(!receiver.includes("whsec_secret"), receiver);
});

test("the address and the key come from the environment", async () => {
  const exchange = served("/tokens", { tokens: 1 }, { headers: { authorization: "Bearer cx_env" } });
  await withServers([[[exchange]]], async (server) => {
    process.env.CONTEXTURE_URL = `${server.url}/`;
    process.env.CONTEXTURE_KEY = "cx_env";
    try {
      await new Contexture().countTokens({ text: "a" });
    } finally {
      delete process.env.CONTEXTURE_URL;
      delete process.env.CONTEXTURE_KEY;
    }
    await server.finish(1);
  });
  assert.throws(() => new Contexture({ url: "localhost:8080" }), /must begin with http/);
});

test("a page sends no header that the server's CORS does not name", async () => {
  const exchange = served("/tokens", { tokens: 1 }, { headers: { "content-encoding": null } });
  await withServers([[[exchange]]], async (server) => {
    const sent = [];
    const own = Object.getOwnPropertyDescriptor(globalThis, "navigator");
    Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Mozilla/5.0" }, configurable: true });
    try {
      const client = new Contexture({ url: server.url, fetch: (url, init) => { sent.push(init.headers); return fetch(url, init); } });
      await client.countTokens({ text: "word ".repeat(100_000) });
    } finally {
      if (own) Object.defineProperty(globalThis, "navigator", own);
      else delete globalThis.navigator;
    }
    assert.deepEqual(Object.keys(sent[0]).sort(), ["accept", "content-type"]);
    await server.finish(1);
  });
});

test("a signal ends a call with its reason, before, while it waits and in a pause", async () => {
  const busy = { request: { method: "GET", path: "/healthz" },
    response: { status: 503, headers: { ...JSON_HEADERS, "retry-after": "20" }, body: { code: "overloaded", detail: "…" } } };
  const silent = { request: { method: "GET", path: "/healthz" }, response: { silence: true } };
  const server = await new FakeServer([silent, busy]).start();
  try {
    const client = new Contexture({ url: server.url });
    await assert.rejects(client.getHealth({ signal: AbortSignal.abort(new Error("before")) }), /before/);
    for (const reason of ["silent", "paused"]) {
      const controller = new AbortController();
      const health = client.getHealth({ signal: controller.signal });
      const rejected = assert.rejects(health, (error) => error.message === reason);
      await server.finish(reason === "silent" ? 1 : 2);
      controller.abort(new Error(reason));
      await rejected;
    }
  } finally {
    await server.stop();
  }
});

test("a body that ends too soon is a lost connection", async () => {
  const request = { method: "GET", path: "/memory/a" };
  const short = { request, response: { status: 200, headers: { ...JSON_HEADERS, "content-length": "100" }, chunks: ['{"key"'], then: "cut" } };
  const whole = { request, response: { status: 200, headers: JSON_HEADERS, body: { key: "a", value: 1 } } };
  await withServers([[[short, whole]]], async (server) => {
    assert.equal((await new Contexture({ url: server.url }).getMemory("a")).value, 1);
    await server.finish(2);
  });
});

test("a reader that leaves events closes their connection", async () => {
  const stream = { request: { method: "GET", path: "/events" }, response: { status: 200 } };
  const server = await new FakeServer([stream]).start();
  let closed;
  server.respond = (response) => {
    closed = new Promise((resolve) => response.on("close", resolve));
    response.setHeader("content-type", "text/event-stream");
    response.write('id: 1\ndata: {"seq":1,"type":"memory:changed"}\n\n');
  };
  try {
    for await (const event of new Contexture({ url: server.url }).events({ after: 0 })) {
      assert.equal(event.seq, 1);
      break;
    }
    await closed;
  } finally {
    await server.stop();
  }
});

test("hooks: which function is called, and what is refused", async () => {
  const hooks = new Hooks({ verify: false, onError: () => undefined });
  hooks.observe("one", "event", () => undefined).guard("first", "tool_call", () => "first");
  hooks.guard("second", ["tool_call", "memory_update"], () => "second");
  const ask = async (point, kind, id) => {
    const call = { spec: "hooks/1", point, kind, hook: { id }, input: {} };
    const { status, body } = await hooks.handle(JSON.stringify(call), {});
    return status === 200 ? JSON.parse(body).reason : status;
  };
  assert.equal(await ask("tool_call", "guard", "second"), "second");
  assert.equal(await ask("tool_call", "guard", "unknown"), "first", "the id is another, the point is its");
  assert.equal(await ask("memory_update", "guard", "first"), "second", "the id is its, the point is not");
  assert.equal(await ask("before_compile", "provide", "one"), 404);
  assert.equal((await hooks.handle("{", {})).status, 401);
  assert.equal((await new Hooks({ secrets: `whsec_${btoa("x".repeat(24))}` }).handle("{}", {})).status, 401);
  assert.throws(() => hooks.guard("first", "tool_call", () => true), /two hooks with the id "first"/);
  assert.throws(() => hooks.guard("none", [], () => true), /at least one point/);
});

test("hooks on Node outlive callers that go away", async () => {
  const errors = [];
  let failed;
  const hooks = new Hooks({ verify: false, onError: (error) => { errors.push(error); failed(); } });
  hooks.observe("one", "event", () => undefined);
  const server = createServer(hooks.node);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  try {
    const failure = new Promise((resolve) => (failed = resolve));
    const socket = connect(port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{", () => socket.destroy());
    await failure;
    assert.equal(errors.length, 1);
    const call = { spec: "hooks/1", point: "event", kind: "observe", hook: { id: "one" }, input: {} };
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: JSON.stringify(call) });
    assert.deepEqual([response.status, await response.json()], [200, {}]);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
