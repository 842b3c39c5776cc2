/** A server that plays the exchanges of a case, and compares the requests that it gets with those of the case. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";
import { check } from "./cases.mjs";

const DEADLINE_MS = 5_000;

export class FakeServer {
  /** `waits` has what the client has waited so far, in milliseconds. */
  constructor(exchanges, waits) {
    Object.assign(this, { exchanges, waits, played: 0, faults: [], bound: {}, silent: new Set() });
    this.server = createServer((request, response) => void this.play(request, response));
    this.moved = () => undefined;
  }

  async start() {
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  async stop() {
    for (const response of this.silent) response.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Waits until so many exchanges were played, and fails if a request was not as it should be. */
  async finish(count) {
    const timer = setTimeout(() => this.moved(), DEADLINE_MS);
    const started = performance.now();
    while (this.played < count && performance.now() - started < DEADLINE_MS) {
      await new Promise((resolve) => (this.moved = resolve));
    }
    clearTimeout(timer);
    assert.deepEqual(this.faults, []);
    assert.equal(this.played, count, "requests that came");
  }

  async play(request, response) {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const at = this.played;
    const exchange = this.exchanges[at];
    if (exchange) {
      try {
        this.compare(request, Buffer.concat(pieces), exchange, `exchange ${at}`);
      } catch (fault) {
        this.faults.push(fault.message);
      }
    } else {
      this.faults.push(`one request too many: ${request.method} ${request.url}`);
    }
    this.played += 1;
    this.moved();
    this.respond(response, exchange?.response ?? { status: 500, text: "one request too many" });
  }

  compare(request, bytes, exchange, where) {
    const expected = exchange.request;
    const [path, query = ""] = request.url.split("?");
    check(expected.method, request.method, `${where}: method`);
    check(expected.path, path, `${where}: path`);
    if ("query" in expected) {
      check(expected.query, Object.fromEntries(new URLSearchParams(query)), `${where}: query`, this.bound);
    }
    for (const [name, value] of Object.entries(expected.headers ?? {})) {
      const found = request.headers[name];
      if (value === null) assert.equal(found, undefined, `${where}: there is a header ${name}`);
      else check(value, name === "content-length" ? (found ?? "") : found, `${where}: ${name}`, this.bound);
    }
    const plain = request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
    if ("body" in expected) check(expected.body, JSON.parse(plain.toString()), `${where}: body`, this.bound);
    if (this.waits) {
      const waited = this.waits.splice(0).reduce((sum, ms) => sum + ms, 0);
      const [low, high] = exchange.waits_ms ?? [0, 0];
      assert.ok(waited >= low && waited <= high, `${where}: the client waited ${waited} ms, not ${low} to ${high}`);
    }
  }

  respond(response, answer) {
    if (answer.silence) return void this.silent.add(response);
    if (answer.cut) return void response.socket.destroy();
    for (const [name, value] of Object.entries(answer.headers ?? {})) {
      response.setHeader(name, value === "{now+5s}" ? new Date(Date.now() + 5_000).toUTCString() : value);
    }
    response.statusCode = answer.status;
    if (answer.chunks) return void this.stream(response, answer);
    response.end("body" in answer ? JSON.stringify(answer.body) : (answer.text ?? ""));
  }

  async stream(response, answer) {
    for (const chunk of answer.chunks) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk.base64, "base64");
      // Each piece is one of the stream's own: the next follows when it is on its way.
      await new Promise((resolve) => response.write(bytes, resolve));
    }
    if (answer.then === "end") response.end();
    else response.socket?.destroy();
  }
}

/** Runs a function with servers that play exchanges, and stops them. */
export async function withServers(lists, run) {
  const servers = await Promise.all(lists.map(([exchanges, waits]) => new FakeServer(exchanges, waits).start()));
  try {
    return await run(...servers);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** An exchange with a JSON response. */
export function served(path, answer, { status = 200, ...request } = {}) {
  const response = { status, headers: { "content-type": "application/json" }, body: answer };
  return { request: { method: "POST", path, ...request }, response };
}
