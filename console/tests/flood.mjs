// A server in front of another one that has as many records and events as one wishes: rows of the other server, each
// with an id and a time of its own. Everything else goes through.

import { readFile } from "node:fs/promises";
import http from "node:http";
import { join } from "node:path";
import { BUILT, FILES } from "./open.mjs";

const TICK_MS = 20;

/** Starts the server. `records` are listed, and `eventsPerSecond` are sent to each reader of the stream. */
export async function flood(server, { records, eventsPerSecond }) {
  const { items: rows } = await server.call("GET", "/compilations?limit=20");
  const { items: events } = await server.call("GET", "/events?format=json&limit=1000&after=0");
  const streams = new Set();
  const start = Date.now();
  let seq = events.at(-1).seq;
  const recordAt = (at) => ({ ...rows[at % rows.length], id: `cmp_${String(records - at).padStart(32, "0")}`, created_at: new Date(start - at * 1000).toISOString() });
  const nextEvent = () => {
    seq += 1;
    return { ...events[seq % events.length], seq, at: new Date().toISOString() };
  };
  const state = { sent: 0 };
  const front = http.createServer((request, response) => void answer(request, response).catch(() => response.destroy()));

  async function answer(request, response) {
    const url = new URL(request.url, server.url);
    const send = (value) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(value));
    };
    if (FILES.has(url.pathname)) {
      response.setHeader("content-type", url.pathname.endsWith(".js") ? "text/javascript" : "text/css");
      response.end(await readFile(join(BUILT, url.pathname.split("/").pop())));
    } else if (url.pathname === "/compilations") {
      const from = Number(url.searchParams.get("cursor") ?? 0);
      const end = Math.min(from + Number(url.searchParams.get("limit") ?? 100), records);
      send({ items: Array.from({ length: end - from }, (_, at) => recordAt(from + at)), next_cursor: end < records ? String(end) : null });
    } else if (url.pathname === "/events" && url.searchParams.get("format") === "json") {
      const after = Math.min(Number(url.searchParams.get("after")), seq);
      const items = Array.from({ length: Math.min(seq - after, events.length) }, (_, at) => ({ ...events[at], seq: after + at + 1 }));
      send({ items, next_after: seq, has_more: false });
    } else if (url.pathname === "/events") {
      response.setHeader("content-type", "text/event-stream");
      response.flushHeaders();
      streams.add(response);
      response.on("close", () => streams.delete(response));
    } else {
      const through = http.request(server.url + request.url, { method: request.method, headers: { ...request.headers, host: new URL(server.url).host, "accept-encoding": "identity" } }, (found) => {
        response.writeHead(found.statusCode, found.headers);
        found.pipe(response);
      });
      through.on("error", () => response.destroy());
      request.pipe(through);
    }
  }

  let due = 0;
  const timer = setInterval(() => {
    if (streams.size === 0) return;
    due += (eventsPerSecond * TICK_MS) / 1000;
    let text = "";
    for (; due >= 1; due -= 1) {
      const event = nextEvent();
      text += `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
      state.sent += 1;
    }
    for (const stream of streams) stream.write(text);
  }, TICK_MS);
  await new Promise((done) => { front.listen(0, "127.0.0.1", done); });
  return {
    url: `http://127.0.0.1:${front.address().port}`,
    state,
    stop: () => {
      clearInterval(timer);
      front.closeAllConnections();
      front.close();
    },
  };
}
