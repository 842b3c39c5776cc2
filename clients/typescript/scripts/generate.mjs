// Generates the types and the table of operations from the API's description.
//
//     node scripts/generate.mjs            # writes src/schema.d.ts and src/operations.ts
//     node scripts/generate.mjs --check    # exits with 1 if they would change
//
// `schema.d.ts` is what openapi-typescript makes of the description. `operations.ts` has a method for each operation
// that returns JSON or plain text, under its `operationId` in camel case. `default:` of a member is not read: what is
// absent stays absent.

import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";
import { parse } from "yaml";

const root = new URL("../../../openapi.yaml", import.meta.url);
const folder = new URL("../src/", import.meta.url);
const header = (about) => `// ${about}\n//\n// Generated from openapi.yaml by scripts/generate.mjs; changes here are lost.\n\n`;

// Operations without a method: the message endpoint of MCP belongs to clients of that protocol.
const SKIPPED = new Set(["speak_mcp"]);
// POST operations that store nothing, so that a repetition does no harm.
const READING_POSTS = new Set([
  "compare_compilations", "compress", "count_tokens", "diff_packs", "evaluate_rule", "expand", "lint_pack",
  "recall_memory", "render_skill", "retrieve_by_body", "test_adapter", "compress_for_gateway",
]);
// A compile is stored with its session alone. The server keeps every response that has a key for a day and counts it
// in a quota, so a compile gets a key only from the caller.
const SAFE_UNLESS_IN_BODY = { compile: "session_id" };
// A query parameter that chooses another media type is fixed to the one that is JSON, and those of other media types
// are left out.
const FIXED_QUERY = { read_events: { format: "json" } };
const DROPPED_QUERY = {
  read_events: ["format", "as", "ticket"], list_memory: ["format"],
  list_skills: ["format", "include_when_to_use", "max_chars"],
  create_artifact: ["threshold", "head_chars", "tail_chars"],
};
const RENAMED = { read_events: "list_events" };
// Headers that the transport takes from the options of a call.
const OPTION_HEADERS = new Set(["Idempotency-Key", "Contexture-Deadline-Ms", "Last-Event-ID"]);
const METHODS = ["get", "put", "post", "delete", "patch"];

const camel = (name) => name.toLowerCase().replace(/[^a-z0-9]+(.)/g, (_, letter) => letter.toUpperCase());
const nameOf = (reference) => reference.split("/").at(-1);
const oneLine = (text) => (text ?? "").split(/\s+/).join(" ").trim().replaceAll("*/", "*\\/");

class Method {
  constructor(path, verb, operation, schemas) {
    Object.assign(this, { path, verb: verb.toUpperCase(), operation, schemas });
    this.id = operation.operationId;
    this.name = RENAMED[this.id] ?? this.id;
    this.media = {};
    for (const [status, response] of Object.entries(operation.responses)) {
      if (!status.startsWith("2")) continue;
      for (const [media, content] of Object.entries(response.content ?? {})) this.media[media] = content.schema ?? {};
    }
  }

  /** Whether it returns data: pages for people have no method. */
  get kept() {
    if (SKIPPED.has(this.id) || "303" in this.operation.responses) return false;
    const media = Object.keys(this.media);
    const texts = ["text/plain", "text/markdown"];
    return media.length === 0 || "application/json" in this.media || media.every((name) => texts.includes(name));
  }

  parameters(place) {
    const dropped = DROPPED_QUERY[this.id] ?? [];
    return (this.operation.parameters ?? []).filter(
      (row) => row.in === place && !(place === "query" ? dropped.includes(row.name) : OPTION_HEADERS.has(row.name)),
    );
  }

  type(schema, otherwise) {
    return schema.$ref ? `s.${nameOf(schema.$ref)}` : otherwise;
  }

  get returns() {
    const json = this.media["application/json"];
    if (json) return this.type(json, `Result<"${this.id}">`);
    return Object.keys(this.media).length > 0 ? "string" : "void";
  }

  get contentType() {
    return Object.keys(this.operation.requestBody?.content ?? {})[0];
  }

  row() {
    const safe = ["GET", "PUT", "DELETE"].includes(this.verb) || READING_POSTS.has(this.id);
    const more = [];
    if (this.takesKey) more.push("takesKey: true");
    if (safe || this.id in SAFE_UNLESS_IN_BODY) more.push("safe: true");
    if (this.id in SAFE_UNLESS_IN_BODY) more.push(`safeUnless: "${SAFE_UNLESS_IN_BODY[this.id]}"`);
    if (this.operation.requestBody) more.push("body: true");
    if (this.contentType && this.contentType !== "application/json") more.push(`contentType: "${this.contentType}"`);
    if (FIXED_QUERY[this.id]) more.push(`query: ${JSON.stringify(FIXED_QUERY[this.id])}`);
    if (this.pages) more.push("pages: true");
    const route = `method: "${this.verb}", path: "${this.path}"`;
    return `  ${camel(this.name)}: { ${[route, ...more].join(", ")} },\n`;
  }

  get takesKey() {
    const takes = (this.operation.parameters ?? []).some((row) => row.name === "Idempotency-Key");
    return takes && !(this.id in SAFE_UNLESS_IN_BODY);
  }

  /** The type of the rows, if the operation returns pages of them. */
  get pages() {
    const schema = this.media["application/json"] ?? {};
    if (!schema.$ref || !this.parameters("query").some((row) => row.name === "cursor")) return undefined;
    const members = this.schemas[nameOf(schema.$ref)].properties ?? {};
    return members.items?.items && members.next_cursor
      ? this.type(members.items.items, `s.${nameOf(schema.$ref)}["items"][number]`)
      : undefined;
  }

  signature(without = []) {
    const given = this.parameters("path").map((row) => `${camel(row.name)}: string`);
    if (this.operation.requestBody) {
      const json = this.operation.requestBody.content["application/json"];
      const type = json ? this.type(json.schema, `Body<"${this.id}">`) : "string | Uint8Array<ArrayBuffer>";
      given.push(this.operation.requestBody.required ? `body: ${type}` : `body?: ${type}`);
    }
    const members = [];
    for (const row of this.parameters("query").filter((row) => !without.includes(row.name))) {
      const key = /^[a-z_$][\w$]*$/i.test(row.name) ? row.name : JSON.stringify(row.name);
      members.push(`${key}${row.required ? "" : "?"}: Query<"${this.id}", "${row.name}">`);
    }
    for (const row of this.parameters("header")) members.push(`${camel(row.name)}?: string`);
    const own = members.length > 0 ? `CallOptions & { ${members.join("; ")} }` : "CallOptions";
    const needed = this.parameters("query").some((row) => row.required);
    return [...given, `options${needed ? "" : "?"}: ${own}`].join(", ");
  }

  declaration() {
    const about = oneLine(this.operation.summary ?? this.operation.description);
    let text = `  /** ${about} */\n  ${camel(this.name)}(${this.signature()}): Promise<${this.returns}>;\n`;
    if (this.pages) {
      const name = camel("iter_" + this.name.replace(/^list_/, ""));
      text += `  /** Each row of \`${camel(this.name)}\`, page after page. */\n`;
      text += `  ${name}(${this.signature(["cursor"])}): AsyncIterableIterator<${this.pages}>;\n`;
    }
    return text;
  }
}

const CONTENT = 'T extends { content: { "application/json": infer Value } } ? Value : unknown';
const HELPERS = {
  Query: `type Parameters<Id extends keyof s.operations> = NonNullable<s.operations[Id]["parameters"]["query"]>;
type Query<Id extends keyof s.operations, Name extends string> =
  Name extends keyof Parameters<Id> ? Parameters<Id>[Name] : never;
`,
  Body: `type BodyContent<T> = ${CONTENT};
type Body<Id extends keyof s.operations> =
  s.operations[Id] extends { requestBody?: infer Request } ? BodyContent<NonNullable<Request>> : never;
`,
  Result: `type ResultContent<T> = ${CONTENT};
type Result<Id extends keyof s.operations> =
  s.operations[Id] extends { responses: { 200: infer Response } } ? ResultContent<Response> : unknown;
`,
};

function operationsFile(document) {
  const methods = Object.entries(document.paths)
    .flatMap(([path, item]) =>
      METHODS.filter((verb) => item[verb]).map((verb) => new Method(path, verb, item[verb], document.components.schemas)),
    )
    .filter((method) => method.kept)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const declarations = methods.map((method) => method.declaration()).join("");
  const helpers = Object.entries(HELPERS).filter(([name]) => declarations.includes(`${name}<`)).map(([, text]) => text);
  const headers = new Set(methods.flatMap((method) => method.parameters("header").map((row) => row.name)));
  const rows = [...headers].sort().map((name) => `  ${camel(name)}: "${name.toLowerCase()}",\n`);
  return `${header("A method for each operation.")}import type * as s from "./schema.js";
import type { CallOptions, Operation } from "./transport.js";

${helpers.join("")}
/** Options of a call that are sent as headers. */
export const HEADERS: Readonly<Record<string, string>> = {
${rows.join("")}};

/** The keys of a request for \`/compile\`. */
export const COMPILE_KEYS: readonly string[] = [
${Object.keys(document.components.schemas.CompileRequest.properties).map((name) => `  ${JSON.stringify(name)},\n`).join("")}];

export const OPERATIONS = {
${methods.map((method) => method.row()).join("")}} satisfies Record<string, Operation>;

export interface Operations {
${declarations}}
`;
}

/** The description, in which an object of which no member is named has any members, as JSON Schema says. */
function withOpenObjects(value) {
  if (Array.isArray(value)) return value.map(withOpenObjects);
  if (typeof value !== "object" || value === null) return value;
  const kept = ["example", "examples", "default", "enum", "const"];
  const open = ([name, member]) => [name, kept.includes(name) ? member : withOpenObjects(member)];
  const copy = Object.fromEntries(Object.entries(value).map(open));
  const named = ["properties", "additionalProperties", "allOf", "oneOf", "anyOf"].some((name) => name in copy);
  return [copy.type].flat().includes("object") && !named ? { ...copy, additionalProperties: true } : copy;
}

async function schemaFile(document) {
  const ast = await openapiTS(withOpenObjects(document), {
    defaultNonNullable: false, rootTypes: true, rootTypesNoSchemaPrefix: true, rootTypesKeepCasing: true, silent: true,
  });
  return header("The shapes of requests and responses.") + astToString(ast);
}

const document = parse(readFileSync(root, "utf8"));
const files = { "schema.d.ts": await schemaFile(document), "operations.ts": operationsFile(document) };
const current = (name) => {
  try {
    return readFileSync(new URL(name, folder), "utf8");
  } catch {
    return undefined;
  }
};
const stale = Object.keys(files).filter((name) => current(name) !== files[name]);
if (process.argv.includes("--check")) {
  for (const name of stale) console.error(`${name} is stale: run clients/typescript/scripts/generate.mjs`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const name of stale) writeFileSync(new URL(name, folder), files[name]);
  console.log(`wrote ${stale.join(", ") || "nothing"}`);
}
