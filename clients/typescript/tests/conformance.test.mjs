/** The client against the cases of clients/conformance. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { Contexture, ContextureError, verifyWebhook, WebhookVerificationError } from "../dist/index.js";
import { clock } from "../dist/clock.js";
import * as hooks from "../dist/hooks.js";
import { cases, check } from "./cases.mjs";
import { withServers } from "./fake-server.mjs";

const camel = (name) => name.toLowerCase().replace(/[-_](.)/g, (_, letter) => letter.toUpperCase());
const camelKeys = (value = {}) => Object.fromEntries(Object.entries(value).map(([name, own]) => [camel(name), own]));

// What the client waits goes into a list, and its clock goes on by it.
const waits = [];
const real = { ...clock };
before(() => {
  let passed = 0;
  clock.now = () => real.now() + passed;
  clock.sleep = async (ms) => {
    waits.push(ms);
    passed += ms;
  };
});
after(() => Object.assign(clock, real));

async function closedUrl() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

function argumentsOf(call) {
  const options = { ...call.query, ...camelKeys(call.headers), ...camelKeys(call.options) };
  return [...(call.path ?? []), ...("body" in call ? [call.body] : []), options];
}

function iterator(client, call) {
  if ("events" in call) return client.events(call.events);
  return client[camel(call.operation.replace(/^list_/, "iter_"))](...argumentsOf(call));
}

async function run(client, call, rows) {
  if (!call.iterate && !("events" in call)) return client[camel(call.operation)](...argumentsOf(call));
  for await (const row of iterator(client, call)) {
    rows.push(row);
    if (rows.length === call.take) break;
  }
  return undefined;
}

function checkError(expected, error) {
  const found = {
    code: error.code, status: error.status ?? null, detail: error.detail, request_id: error.requestId ?? null,
    errors: error.errors, details: error.details, retry_after_s: error.retryAfter ?? null,
  };
  check(expected, Object.fromEntries(Object.keys(expected).map((name) => [name, found[name]])), "error");
  assert.ok(error.message.includes(error.code));
}

for (const file of ["requests", "retries", "problems", "pagination", "events"]) {
  for (const row of cases(file)) {
    test(`${file}: ${row.name}`, async () => {
      waits.length = 0;
      await withServers([[row.exchanges, waits]], async (server) => {
        const options = { url: server.url, ...camelKeys(row.client) };
        if (options.url === "{closed}") options.url = await closedUrl();
        const client = new Contexture(options);
        const rows = [];
        if (row.expect.refused) {
          await assert.rejects(run(client, row.call, rows), TypeError);
        } else if ("error" in row.expect) {
          const error = await run(client, row.call, rows).then(() => assert.fail("it succeeded"), (reason) => reason);
          assert.ok(error instanceof ContextureError, String(error.stack));
          checkError(row.expect.error, error);
        } else {
          check(row.expect.result, await run(client, row.call, rows), "result");
        }
        check(row.expect.rows ?? [], rows, "rows");
        await server.finish(row.exchanges.length);
      });
    });
  }
}

for (const row of cases("signatures")) {
  test(`signatures: ${row.name}`, async () => {
    const options = { now: row.now, ...("tolerance_s" in row ? { toleranceS: row.tolerance_s } : {}) };
    const verified = verifyWebhook(row.body, row.headers, row.secrets, options);
    if (row.expect.valid) {
      assert.deepEqual(await verified, row.expect.call);
    } else {
      await assert.rejects(verified, (error) => {
        assert.ok(error instanceof WebhookVerificationError, String(error.stack));
        assert.equal(error.code, row.expect.code);
        return true;
      });
    }
  });
}

for (const row of cases("hooks")) {
  test(`hooks: ${row.name}`, async () => {
    const errors = [];
    const receiver = new hooks.Hooks({ verify: false, onError: (error) => errors.push(error) });
    const points = { guard: "tool_call", transform: "tool_result", provide: "before_compile", observe: "event" };
    receiver[row.kind]("one", points[row.kind], async () => {
      if (row.returns?.$throw) throw new Error(row.returns.$throw);
      if (row.returns?.$call) return hooks[camel(row.returns.$call)](...row.returns.arguments);
      return row.returns;
    });
    const call = { spec: "hooks/1", point: points[row.kind], kind: row.kind, hook: { id: "one" } };
    const request = new Request("http://localhost/hooks", { method: "POST", body: JSON.stringify(call) });
    const response = await receiver.fetch(request);
    const text = await response.text();
    assert.equal(response.status, row.expect.status);
    assert.equal(response.headers.get("content-type"), "application/json");
    if ("body" in row.expect) check(row.expect.body, JSON.parse(text), "answer");
    else assert.ok(!text.includes("database"), text);
    assert.equal(errors.length, row.expect.status === 500 ? 1 : 0);
  });
}
