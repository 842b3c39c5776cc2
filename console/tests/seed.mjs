// Fills a server with what the pages of memory, hooks and packs show: versions, a queue, a failing receiver, golden runs.

import { readFileSync } from "node:fs";
import http from "node:http";

const examples = new URL("../../examples/packs/", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, examples), "utf8"));

/** What the receiver returns at its paths. */
const ANSWERS = { "/limits": { decision: "allow" }, "/house-rules": { content: "Answers name the file and the line." }, "/noted": { noted: true } };

/** A receiver of hooks: guards pass, rules of the house are added, and the audit is not there for its first calls. */
async function receiver() {
  let refused = 0;
  const server = http.createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      if (request.url === "/audit" && refused < 2) {
        refused += 1;
        response.statusCode = 503;
        response.end("busy");
        return;
      }
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(ANSWERS[request.url] ?? {}));
    });
  });
  await new Promise((done) => { server.listen(0, "127.0.0.1", done); });
  return server;
}

/** Seeds the server. Returns the pack's reference and what has to be closed. */
export async function seed(server, session = "flaky-test") {
  const hooks = await receiver();
  const url = `http://127.0.0.1:${hooks.address().port}`;
  const call = (method, at, body) => server.call(method, at, body);
  await call("POST", "/hooks", { id: "no-secrets", point: "transform_context", kind: "guard", builtin: "secret_scan" });
  await call("POST", "/hooks", { id: "redact-mail", point: "tool_result", kind: "transform", builtin: "redact", config: { patterns: ["[\\w.]+@[\\w.]+"] } });
  await call("POST", "/hooks", { id: "cut-logs", point: "tool_result", kind: "transform", builtin: "truncate", config: { max_bytes: 200000 } });
  await call("POST", "/hooks", { id: "audit", points: ["memory_changed"], kind: "observe", url: `${url}/audit`, delivery: "async" });
  const values = [
    ["style", "Commit messages are imperative, at most 72 characters.", { tags: ["project"], importance: 0.8 }],
    ["test-command", "npm test -- --runInBand", { tags: ["project"], importance: 0.9, tier: "semantic" }],
    ["language", "TypeScript, strict", { tags: ["project"], importance: 0.7 }],
    ["contact", { prefers: "email", zone: "Europe/Vienna" }, { scope: { subject: "ann" }, importance: 0.6 }],
    ["deploy-window", "Tuesdays, 09:00 to 11:00 UTC", { scope: { agent: "release-bot" }, importance: 0.5, ttl: { seconds: 2_592_000 } }],
    ["old-endpoint", "https://api.example.com/v1", { importance: 0.2 }],
  ];
  for (const [key, value, more] of values) await call("PUT", `/memory/${key}`, { value, ...more });
  await call("PUT", "/memory/style", { value: "Commit messages are imperative, at most 60 characters, and say why.", tags: ["project"], importance: 0.8 });
  await call("PUT", "/memory/style", { value: "Commit subjects are imperative, at most 72 characters; the body says why.", tags: ["project"], importance: 0.9 });
  await call("POST", "/memory/old-endpoint/retract", {});
  const by = { id: "support-bot", kind: "agent" };
  for (const [entity, predicate, value, confidence] of [
    ["ann", "preferred_contact", "Telegram, not email", 0.72], ["ann", "role", "Lead of the payments team", 0.93], ["checkout", "owner", "The payments team", 0.88],
  ]) {
    await call("POST", "/memory-candidates", { entity, predicate, value, class: predicate === "preferred_contact" ? "preference" : "fact", scope: { subject: "ann" }, confidence, by }).catch(() => null);
  }
  const pack = read("deploy.json");
  await call("POST", "/packs", pack);
  const compile = read("compile.json");
  const records = [];
  for (let at = 0; at < 3; at += 1) records.push((await call("POST", "/compile", { ...compile, record: "full", session_id: `release-${at + 1}` })).id);
  const ref = compile.pack.ref;
  const [id, version] = ref.split("@");
  await call("PUT", `/packs/${id}/${version}/golden`, { compilations: records });
  const next = structuredClone(pack);
  next.pack_meta.pack_version = "1.1.0";
  next.business_context.non_negotiables = [...next.business_context.non_negotiables, structuredClone(next.business_context.non_negotiables[0])];
  next.business_context.summary = `${next.business_context.summary} Releases are announced an hour before.`;
  await call("POST", "/packs", next);
  await call("POST", "/hooks", { id: "limits", point: "transform_context", kind: "guard", url: `${url}/limits` });
  await call("POST", "/hooks", { id: "house-rules", point: "before_compile", kind: "provide", url: `${url}/house-rules` });
  const ticket = { id: 8812, from: "ann@example.com", cc: ["bob@example.com"], text: "The parcel came back. Please refund it." };
  const { id: ticketRecord } = await call("POST", "/compile", { session_id: "ticket-8812", record: "full", model: "gpt-4o", target: "openai", messages: [
    { role: "user", content: "Who asks for the refund of order 8812?" },
    { role: "assistant", content: null, tool_calls: [{ id: "c1", type: "function", function: { name: "read_ticket", arguments: JSON.stringify({ id: 8812 }) } }] },
    { role: "tool", tool_call_id: "c1", content: JSON.stringify(ticket) },
  ] });
  return { ref, id, next: `${id}@1.1.0`, records, ticket: ticketRecord, session, url, close: () => hooks.close() };
}
