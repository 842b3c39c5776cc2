/** The generated files are those of the API's description, and every operation has its method. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { parse } from "yaml";
import { Contexture, VERSION } from "../dist/index.js";

const inside = (path) => fileURLToPath(new URL(path, import.meta.url));
const document = parse(readFileSync(inside("../../../openapi.yaml"), "utf8"));

test("generated files are current", () => {
  const { status, stderr } = spawnSync(process.execPath, [inside("../scripts/generate.mjs"), "--check"], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
});

test("every operation but pages has a method", () => {
  const ids = Object.values(document.paths).flatMap((item) => Object.values(item).flatMap((row) => row.operationId ?? []));
  const methods = new Set(Object.getOwnPropertyNames(Contexture.prototype));
  const camel = (id) => id.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
  const without = ids.map((id) => (id === "read_events" ? "list_events" : id)).filter((id) => !methods.has(camel(id)));
  const docs = ["get_docs", "get_docs_page", "get_docs_file", "get_guide", "get_guide_page", "get_guide_file"];
  const pages = [...docs, "get_root", "get_console_file", "speak_mcp"];
  assert.deepEqual(without.sort(), pages.sort());
});

test("no query parameter has the name of an option of a call", () => {
  const rows = Object.values(document.paths).flatMap((item) => Object.values(item).flatMap((row) => row.parameters ?? []));
  const names = rows.filter((row) => row.in === "query").map((row) => row.name);
  assert.ok(names.length > 20);
  const options = ["deadlineMs", "idempotencyKey", "maxRetries", "headers", "signal", "ifMatch", "ifNoneMatch", "range"];
  assert.deepEqual(names.filter((name) => options.includes(name)), []);
});

test("it bundles for browsers, without modules of Node", async () => {
  for (const name of ["index", "hooks", "openai", "anthropic", "google-genai", "ai-sdk"]) {
    await build({ entryPoints: [inside(`../dist/${name}.js`)], bundle: true, write: false, platform: "browser", format: "esm" });
  }
});

test("the generator names operations that there are", () => {
  const generator = readFileSync(inside("../scripts/generate.mjs"), "utf8");
  const rules = generator.slice(generator.indexOf("const SKIPPED"), generator.indexOf("const OPTION_HEADERS"));
  const known = new Set(Object.values(document.paths).flatMap((item) => Object.values(item).map((row) => row.operationId)));
  const quoted = [...rules.matchAll(/^ {2}(\w+): |new Set\(\["(\w+)"\]\)/gm)].map((found) => found[1] ?? found[2]);
  const reading = [...rules.slice(rules.indexOf("READING_POSTS"), rules.indexOf("// A compile is")).matchAll(/"(\w+)"/g)];
  for (const name of [...quoted, ...reading.map((found) => found[1])]) assert.ok(known.has(name), name);
  assert.ok(reading.length > 5 && quoted.length > 2);
});

test("the version is that of the package and of the server", () => {
  assert.equal(VERSION, JSON.parse(readFileSync(inside("../package.json"), "utf8")).version);
  assert.equal(VERSION, document.info.version);
});

test("modules of frameworks and wraps have at most 150 lines", () => {
  for (const name of ["openai", "anthropic", "google-genai", "wrap", "ai-sdk", "opencode", "session"]) {
    const lines = readFileSync(inside(`../src/${name}.ts`), "utf8").split("\n").length - 1;
    assert.ok(lines <= 150, `${name}: ${lines}`);
  }
});
