// Four hooks for Contexture on Node's own HTTP server.
//
//     npm install standardwebhooks tsx
//     HOOK_SECRETS=whsec_... PORT=8132 npx tsx receiver.ts
//
// `/rag` adds what a search finds (before_compile), `/redact` takes e-mail addresses out of tool
// results (tool_result), `/veto` refuses what a model may not remember (memory_update), `/audit`
// writes a line for every change of memory (memory_changed) to AUDIT_FILE.

import { appendFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { Webhook } from "standardwebhooks";

type Part = { type: string; text?: string };
type Message = { role: string; parts: Part[] };
type Call = { point: string; scope: object; input: any };
type Answer = object | null;

// One secret a hook, as `POST /hooks` showed it; while one is rotated, both are here.
const secrets = (process.env.HOOK_SECRETS ?? "").split(/\s+/).filter(Boolean);

/** The call, if it is Contexture's: signed with a secret that we know. */
function verified(body: string, headers: IncomingMessage["headers"]): Call | undefined {
  for (const secret of secrets) {
    try {
      return new Webhook(secret).verify(body, headers as Record<string, string>) as Call;
    } catch {
      // The next one may fit.
    }
  }
  return undefined;
}

const documents: [RegExp, string][] = [
  [/\brefunds?\b/i, "Refunds are paid within 14 days, to the card that was charged."],
  [/\binvoices?\b/i, "Invoices are sent on the first working day of a month."],
];

/** provide at before_compile: text for the end of the last user message, or null. */
function rag({ input }: Call): Answer {
  const last: Message | undefined = input.history.at(-1);
  if (last?.role !== "user") return null;
  const asked = last.parts.map((part) => part.text ?? "").join(" ");
  const found = documents.filter(([word]) => word.test(asked));
  if (found.length === 0) return null;
  return { fragments: found.map(([, content], place) => ({ content, priority: -place })) };
}

const email = /[\w.+-]+@[\w-]+\.[\w.-]+/g;

function withoutEmails(value: unknown): unknown {
  if (typeof value === "string") return value.replace(email, "[email]");
  if (Array.isArray(value)) return value.map(withoutEmails);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutEmails(item)]));
}

/** transform at tool_result: the result without e-mail addresses. */
function redact({ input }: Call): Answer {
  const payload = withoutEmails(input.result);
  const same = JSON.stringify(payload) === JSON.stringify(input.result);
  return same ? { action: "unchanged" } : { action: "replace", payload };
}

/** guard at memory_update: no passwords in memory. The reason is what the model reads. */
function veto({ input }: Call): Answer {
  const text = `${input.key} ${input.value ?? ""}`;
  return /password|secret|credit card/i.test(text)
    ? { decision: "deny", reason: "Credentials are not remembered.", code: "pii" }
    : { decision: "allow" };
}

const auditFile = process.env.AUDIT_FILE ?? "audit.jsonl";
const written = new Set<string>();

/** observe at memory_changed: who changed what. A call may come twice, with the same id. */
function audit({ scope, input }: Call, id: string): Answer {
  const { action, key, value, origin } = input;
  if (!written.has(id)) {
    appendFileSync(auditFile, JSON.stringify({ id, scope, action, key, value, origin }) + "\n");
    written.add(id);
  }
  return {};
}

const hooks: Record<string, (call: Call, id: string) => Answer> = {
  "/rag": rag,
  "/redact": redact,
  "/veto": veto,
  "/audit": audit,
};

const server = createServer(async (request, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const hook = hooks[request.url ?? ""];
  const call = verified(Buffer.concat(pieces).toString("utf8"), request.headers);
  const status = !hook ? 404 : call ? 200 : 401;
  const id = String(request.headers["webhook-id"]);
  const answer = hook && call ? hook(call, id) : { error: status };
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(answer));
});

server.listen(Number(process.env.PORT ?? 8132), "127.0.0.1");
