// Five hooks of an agent: offloading, retrieval by state, an audit log, a veto, and a last transform.
//
//     contexture serve --dev &                                    # hooks may call this machine
//     export CONTEXTURE_HOOK_SECRETS=whsec_$(openssl rand -base64 24)
//     node five-hooks.mjs

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename } from "node:path";
import { Contexture } from "contexture-sdk";
import { deny, Hooks } from "contexture-sdk/hooks";

const hooks = new Hooks();
const notes = new Map([["rollback", "A rollback keeps the database as it is: run only `deploy --previous`."]]);

hooks.transform("offload", "before_compress", ({ input: { history } }) => {
  for (const part of history.flatMap((message) => message.parts)) {
    if (part.type !== "tool_result" || typeof part.content !== "string" || part.content.length <= 1000) continue;
    const file = `offloaded/${basename(part.call_id ?? "")}.txt`;
    mkdirSync("offloaded", { recursive: true });
    writeFileSync(file, part.content);
    part.content = `Offloaded to ${file}`;
  }
  return history;
});

hooks.provide("retrieval", "before_compile", ({ input }) => notes.get(String(input.dynamic_state?.["step"])));

const events = { match: { events: ["memory:*", "compile:done"] } };
hooks.observe("audit", "event", ({ input }) => appendFileSync("audit.jsonl", `${JSON.stringify(input)}\n`), events);

hooks.guard("veto", "memory_update", ({ input }) =>
  /password/i.test(String(input.value)) ? deny("Passwords are not remembered.") : null);

hooks.transform("last", "transform_context", ({ input: { messages } }) => {
  messages.at(-1)?.parts.push({ type: "text", text: "Reply in one sentence." });
  return messages;
});

createServer(hooks.node).listen(Number(process.env["PORT"] ?? 8133), "127.0.0.1");
await hooks.register(new Contexture(), `http://127.0.0.1:${process.env["PORT"] ?? 8133}/`);
